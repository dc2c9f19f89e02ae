//! The concentrations that make each row most probable to those that look at all others.

use crate::parameters::hierarchical::likelihood::{Derivatives, Workspace};
use crate::parameters::hierarchical::paths::{Occurrence, Paths};

/// The most probable concentration before any row is seen.
pub const PRIOR_MODE: f64 = 2.0;
/// The standard deviation of ln c around ln [`PRIOR_MODE`] before any row is seen.
pub const PRIOR_DEVIATION: f64 = 3.0;
/// The least and the largest ln c.
pub const LOG_CONCENTRATION_BOUNDS: (f64, f64) = (-5.0, 9.0);

/// More are never needed: Newton's method settles after about ten.
const MOST_STEPS: usize = 200;
/// A step of Newton's that is no longer is the last one: what it leaves is of the order of its square.
const SETTLED: f64 = 1e-6;
/// No ln c moves further in one step: the quadratic is a local picture.
const LONGEST: f64 = 2.0;
/// Damping below this part of the largest curvature is none.
const UNDAMPED: f64 = 1e-4;

/// The concentrations of all levels of a node with `child` values, from what occurs at each of them: the maximum of the
/// penalised leave-one-out likelihood within the bounds.
///
/// Newton's method on ln c with damping (Levenberg and Marquardt's) where the Hessian is not negative definite or a step
/// does not climb; a level at a bound that its gradient presses against stays there.
/// [`Hierarchical`](super::Hierarchical) has the formula.
///
/// # Complexity
/// O(occurrences) to find what is to be summed, then about eight sums.
pub fn concentrations(levels: &[Vec<Occurrence>], child: usize) -> Vec<f64> {
    let (paths, mut memory) = (Paths::new(levels, child), Workspace::default());
    let mut log_c = vec![PRIOR_MODE.ln(); levels.len()];
    let mut here = objective(&paths, &log_c, &mut memory);
    let mut damping = 0.0;
    for _ in 0..MOST_STEPS {
        let free = free_levels(&log_c, &here.gradient);
        let Some(step) = newton_step(&here, &free, &mut damping) else { break };
        let longest = step.iter().fold(0.0, |longest: f64, move_| longest.max(move_.abs()));
        let scale = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        let mut next = log_c.clone();
        for (&level, step) in free.iter().zip(&step) {
            let (low, high) = LOG_CONCENTRATION_BOUNDS;
            next[level] = (log_c[level] + scale * step).clamp(low, high);
        }
        let moved = next.iter().zip(&log_c).fold(0.0, |moved: f64, (a, b)| moved.max((a - b).abs()));
        if moved <= SETTLED {
            if damping == 0.0 {
                log_c = next;
                break;
            }
            // Short because it was damped: once more without.
            damping = 0.0;
        }
        let there = objective(&paths, &next, &mut memory);
        // Near the top, values differ by rounding alone.
        if there.value >= here.value - 1e-13 * here.value.abs() {
            (log_c, here) = (next, there);
            damping = if damping < UNDAMPED * largest_diagonal(&here) { 0.0 } else { damping * 0.1 };
        } else if moved <= SETTLED {
            break;
        } else {
            damping = (damping * 10.0).max(1e-3 * (1.0 + largest_diagonal(&here)));
        }
    }
    log_c.into_iter().map(f64::exp).collect()
}

/// The likelihood with the logarithm of the prior, constants left out.
fn objective(paths: &Paths, log_c: &[f64], memory: &mut Workspace) -> Derivatives {
    let mut sum = paths.likelihood(log_c, memory);
    let precision = 1.0 / (PRIOR_DEVIATION * PRIOR_DEVIATION);
    for (level, log_c) in log_c.iter().enumerate() {
        let distance = log_c - PRIOR_MODE.ln();
        sum.value -= 0.5 * precision * distance * distance;
        sum.gradient[level] -= precision * distance;
        let diagonal = level * (sum.gradient.len() + 1);
        sum.hessian[diagonal] -= precision;
    }
    sum
}

/// The levels that may move: all but those that their gradient presses against a bound.
fn free_levels(log_c: &[f64], gradient: &[f64]) -> Vec<usize> {
    let (low, high) = LOG_CONCENTRATION_BOUNDS;
    let held = |level: usize| {
        (log_c[level] <= low && gradient[level] <= 0.0) || (log_c[level] >= high && gradient[level] >= 0.0)
    };
    (0..log_c.len()).filter(|&level| !held(level)).collect()
}

fn largest_diagonal(at: &Derivatives) -> f64 {
    let levels = at.gradient.len();
    (0..levels).fold(0.0, |largest: f64, level| largest.max(at.hessian[level * (levels + 1)].abs()))
}

/// The step of the free levels to the top of the damped quadratic; none where nothing is free.
fn newton_step(at: &Derivatives, free: &[usize], damping: &mut f64) -> Option<Vec<f64>> {
    if free.is_empty() {
        return None;
    }
    let levels = at.gradient.len();
    let gradient: Vec<f64> = free.iter().map(|&level| at.gradient[level]).collect();
    loop {
        let mut matrix = Vec::with_capacity(free.len() * free.len());
        for &row in free {
            for &column in free {
                let damped = if row == column { *damping } else { 0.0 };
                matrix.push(damped - at.hessian[row * levels + column]);
            }
        }
        if let Some(step) = solve(matrix, &gradient) {
            return Some(step);
        }
        *damping = (*damping * 10.0).max(1e-3 * (1.0 + largest_diagonal(at)));
        if !damping.is_finite() {
            return None;
        }
    }
}

/// The solution of a symmetric, positive definite system by Cholesky's decomposition; none where it is not definite.
fn solve(mut matrix: Vec<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    for row in 0..n {
        for column in 0..=row {
            let dot: f64 = (0..column).map(|at| matrix[row * n + at] * matrix[column * n + at]).sum();
            let rest = matrix[row * n + column] - dot;
            matrix[row * n + column] = if row > column {
                rest / matrix[column * n + column]
            } else if rest > 1e-12 * matrix[row * n + row].abs() {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    let mut solution = right.to_vec();
    for row in 0..n {
        let dot: f64 = (0..row).map(|at| matrix[row * n + at] * solution[at]).sum();
        solution[row] = (solution[row] - dot) / matrix[row * n + row];
    }
    for row in (0..n).rev() {
        let dot: f64 = (row + 1..n).map(|at| matrix[at * n + row] * solution[at]).sum();
        solution[row] = (solution[row] - dot) / matrix[row * n + row];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_is_definite_and_refuses_the_rest() {
        let solution = solve(vec![4.0, 2.0, 2.0, 3.0], &[8.0, 7.0]).unwrap();
        assert!((solution[0] - 1.25).abs() < 1e-12 && (solution[1] - 1.5).abs() < 1e-12);
        assert!(solve(vec![1.0, 2.0, 2.0, 1.0], &[1.0, 1.0]).is_none());
    }
}
