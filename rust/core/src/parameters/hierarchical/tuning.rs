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
/// No step is longer along an axis of the quadratic, which is a local picture.
const LONGEST: f64 = 2.0;

/// The concentrations of all levels of a node with `child` values, from what occurs at each of them: the maximum of the
/// penalised leave-one-out likelihood within the bounds.
///
/// Newton's method on ln c, along each eigenvector of the Hessian by the size of its eigenvalue: where the likelihood is
/// convex along one, the step climbs too, and the others are not held back. A step that does not climb is cut; a level at a
/// bound that its gradient presses against stays there.
/// [`Hierarchical`](super::Hierarchical) has the formula.
///
/// # Complexity
/// O(occurrences) to find what is to be summed, then about eight sums.
pub fn concentrations(levels: &[Vec<Occurrence>], child: usize) -> Vec<f64> {
    let (paths, mut memory) = (Paths::new(levels, child), Workspace::default());
    let mut log_c = vec![PRIOR_MODE.ln(); levels.len()];
    let mut here = objective(&paths, &log_c, &mut memory);
    let (mut scale, mut last) = (1.0, vec![0.0; levels.len()]);
    for _ in 0..MOST_STEPS {
        let free = free_levels(&log_c, &here.gradient);
        let mut next = log_c.clone();
        for (&level, step) in free.iter().zip(newton_step(&here, &free)) {
            let (low, high) = LOG_CONCENTRATION_BOUNDS;
            let far = if scale == 1.0 && step * last[level] > 0.5 * last[level] * last[level] {
                2.0
            } else {
                scale
            };
            next[level] = (log_c[level] + far * step).clamp(low, high);
        }
        let moved = next.iter().zip(&log_c).fold(0.0, |moved: f64, (a, b)| moved.max((a - b).abs()));
        if moved <= SETTLED {
            log_c = if scale == 1.0 { next } else { log_c };
            break;
        }
        let there = objective(&paths, &next, &mut memory);
        // Near the top, values differ by rounding alone.
        if there.value >= here.value - 1e-13 * here.value.abs() {
            last = next.iter().zip(&log_c).map(|(next, before)| next - before).collect();
            (log_c, here, scale) = (next, there, 1.0);
        } else {
            scale *= 0.5;
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

/// The step of the free levels: along each eigenvector of the Hessian by gradient / |eigenvalue|, at most [`LONGEST`].
fn newton_step(at: &Derivatives, free: &[usize]) -> Vec<f64> {
    let levels = at.gradient.len();
    let hessian =
        free.iter().flat_map(|&row| free.iter().map(move |&column| at.hessian[row * levels + column]));
    let mut step = vec![0.0; free.len()];
    for (value, vector) in eigenvectors(hessian.collect(), free.len()) {
        let slope: f64 = free.iter().zip(&vector).map(|(&level, v)| at.gradient[level] * v).sum();
        // Along an axis without slope there is nowhere to go, however flat it is.
        let length = if slope == 0.0 { 0.0 } else { (slope / value.abs()).clamp(-LONGEST, LONGEST) };
        step.iter_mut().zip(&vector).for_each(|(step, v)| *step += length * v);
    }
    step
}

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.
fn eigenvectors(mut matrix: Vec<f64>, n: usize) -> Vec<(f64, Vec<f64>)> {
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    let largest = matrix.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    // Every sweep about squares what is left beside the diagonal.
    for _ in 0..30 {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let beside = matrix[p * n + q];
                if beside.abs() <= 1e-15 * largest {
                    continue;
                }
                turned = true;
                let half = 0.5 * (matrix[q * n + q] - matrix[p * n + p]) / beside;
                let tangent = 1.0f64.copysign(half) / (half.abs() + (half * half + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for i in 0..n {
                    let (a, b) = (matrix[i * n + p], matrix[i * n + q]);
                    (matrix[i * n + p], matrix[i * n + q]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
                for i in 0..n {
                    let (a, b) = (matrix[p * n + i], matrix[q * n + i]);
                    (matrix[p * n + i], matrix[q * n + i]) = (cosine * a - sine * b, sine * a + cosine * b);
                    let (a, b) = (vectors[p][i], vectors[q][i]);
                    (vectors[p][i], vectors[q][i]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
            }
        }
        if !turned {
            break;
        }
    }
    vectors.into_iter().enumerate().map(|(i, vector)| (matrix[i * n + i], vector)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_level_is_held_where_its_gradient_presses_against_a_bound() {
        let (low, high) = LOG_CONCENTRATION_BOUNDS;
        let at = [low, low, high, high, 0.0, 0.0];
        assert_eq!(free_levels(&at, &[-1.0, 1.0, 1.0, -1.0, 1.0, -1.0]), vec![1, 3, 4, 5]);
        assert_eq!(free_levels(&[low, high], &[0.0, 0.0]), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn eigenvectors_are_turned_by_the_matrix_into_multiples_of_themselves(
            n in 1usize..6, values in prop::collection::vec(-3.0..3.0f64, 25),
        ) {
            let symmetric: Vec<f64> =
                (0..n * n).map(|at| values[(at / n).min(at % n) * 5 + (at / n).max(at % n)]).collect();
            for (value, vector) in eigenvectors(symmetric.clone(), n) {
                for (row, v) in symmetric.chunks_exact(n).zip(&vector) {
                    let turned: f64 = row.iter().zip(&vector).map(|(a, b)| a * b).sum();
                    prop_assert!((turned - value * v).abs() < 1e-12);
                }
                prop_assert!((vector.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
