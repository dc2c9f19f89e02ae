//! How much each level of a path of contexts is to be believed, by leave-one-out.

/// The range of ln c.
const BOUNDS: (f64, f64) = (-5.0, 9.0);
/// Where the weak prior of ln c is centred, ln 2, and its variance.
const CENTRE: f64 = std::f64::consts::LN_2;
const VARIANCE: f64 = 9.0;

/// What the rows of one value, context and class leave behind when one of them is left out.
///
/// `counts` holds (n_d(x), n_d) for each level d, 0 for levels that the rows do not reach.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// (n_d(x), n_d) without the row, level by level.
    pub counts: Vec<(f64, f64)>,
    /// The total weight of such rows.
    pub weight: f64,
}

/// The concentrations c_d of one node.
///
/// # Formula
/// ```text
/// p_{−1} = 1/r,   p_d = (n_d(x) + c_d p_{d−1}) / (n_d + c_d)
/// maximise  Σ_t ω_t ln p_last(x_t) − Σ_d (ln c_d − ln 2)² / 18   over  −5 ≤ ln c_d ≤ 9
/// ∂p_d/∂ln c_d = c_d (p_{d−1} − p_d) / (n_d + c_d),   ∂p_d/∂ln c_e = ∂p_{d−1}/∂ln c_e · c_d / (n_d + c_d)
/// ```
/// r the number of values, counts without the row itself, ω_t a row's weight. Newton steps with the outer products of
/// the rows' gradients for the curvature, damped until they gain; levels at a bound that push outwards rest.
///
/// # Complexity
/// O(distinct cells · levels²) a step, a few dozen steps.
///
/// # References
/// petitjean2018, zhang2020
pub fn concentrations(mut cells: Vec<Cell>, levels: usize, r: usize, tolerance: f64) -> Vec<f64> {
    group(&mut cells);
    let mut ln_c = vec![CENTRE; levels];
    let (mut value, mut gradient, mut curvature) = likelihood(&cells, &ln_c, r);
    let mut damping = 1e-3;
    for _ in 0..200 {
        let free: Vec<usize> = (0..levels)
            .filter(|&d| {
                !(ln_c[d] <= BOUNDS.0 && gradient[d] < 0.0 || ln_c[d] >= BOUNDS.1 && gradient[d] > 0.0)
            })
            .collect();
        let step = damped_step(&gradient, &curvature, &free, damping);
        let trial: Vec<f64> = ln_c
            .iter()
            .zip(&step)
            .map(|(at, step)| (at + step.clamp(-3.0, 3.0)).clamp(BOUNDS.0, BOUNDS.1))
            .collect();
        let (next, next_gradient, next_curvature) = likelihood(&cells, &trial, r);
        if next > value {
            let gain = next - value;
            (ln_c, value, gradient, curvature) = (trial, next, next_gradient, next_curvature);
            damping = (damping * 0.2_f64).max(1e-9);
            if gain <= tolerance * (1.0 + value.abs()) {
                break;
            }
        } else {
            damping *= 8.0;
            if damping > 1e9 {
                break;
            }
        }
    }
    ln_c.into_iter().map(f64::exp).collect()
}

/// Joins cells of equal counts, in ascending order of these, so that the result does not depend on that of the rows.
fn group(cells: &mut Vec<Cell>) {
    let key =
        |cell: &Cell| cell.counts.iter().flat_map(|&(x, n)| [x.to_bits(), n.to_bits()]).collect::<Vec<_>>();
    let mut keyed: Vec<(Vec<u64>, Cell)> = cells.drain(..).map(|cell| (key(&cell), cell)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.weight.total_cmp(&b.1.weight)));
    let mut last: Option<Vec<u64>> = None;
    for (key, cell) in keyed {
        match cells.last_mut() {
            Some(before) if last.as_ref() == Some(&key) => before.weight += cell.weight,
            _ => cells.push(cell),
        }
        last = Some(key);
    }
}

/// The penalised leave-one-out likelihood, its gradient in ln c, and the outer products of the cells' gradients.
fn likelihood(cells: &[Cell], ln_c: &[f64], r: usize) -> (f64, Vec<f64>, Vec<f64>) {
    let levels = ln_c.len();
    let c: Vec<f64> = ln_c.iter().map(|ln_c| ln_c.exp()).collect();
    let (mut value, mut gradient) = (0.0, vec![0.0; levels]);
    let mut curvature = vec![0.0; levels * levels];
    let mut slope = vec![0.0; levels];
    for cell in cells {
        let mut p = 1.0 / r as f64;
        for (d, &(of_value, total)) in cell.counts.iter().enumerate() {
            let share = c[d] / (total + c[d]);
            let next = (of_value + c[d] * p) / (total + c[d]);
            slope[..d].iter_mut().for_each(|slope| *slope *= share);
            slope[d] = share * (p - next);
            p = next;
        }
        value += cell.weight * p.ln();
        for d in 0..levels {
            let of_d = slope[d] / p;
            gradient[d] += cell.weight * of_d;
            for e in 0..=d {
                curvature[d * levels + e] += cell.weight * of_d * slope[e] / p;
            }
        }
    }
    for d in 0..levels {
        value -= (ln_c[d] - CENTRE).powi(2) / (2.0 * VARIANCE);
        gradient[d] -= (ln_c[d] - CENTRE) / VARIANCE;
        curvature[d * levels + d] += 1.0 / VARIANCE;
    }
    (value, gradient, curvature)
}

/// The step that solves (curvature + damping · its diagonal) step = gradient among the free levels; others rest.
fn damped_step(gradient: &[f64], curvature: &[f64], free: &[usize], damping: f64) -> Vec<f64> {
    let (levels, m) = (gradient.len(), free.len());
    let entry = |d: usize, e: usize| curvature[d.max(e) * levels + d.min(e)];
    // Cholesky: the matrix is positive definite, since the prior adds to its diagonal.
    let mut factor = vec![0.0; m * m];
    let mut solved = vec![0.0; m];
    for i in 0..m {
        for j in 0..=i {
            let mut sum = entry(free[i], free[j]);
            if i == j {
                sum *= 1.0 + damping;
            }
            sum -= (0..j).map(|l| factor[i * m + l] * factor[j * m + l]).sum::<f64>();
            factor[i * m + j] = if i == j { sum.max(1e-300).sqrt() } else { sum / factor[j * m + j] };
        }
        let known: f64 = (0..i).map(|l| factor[i * m + l] * solved[l]).sum();
        solved[i] = (gradient[free[i]] - known) / factor[i * m + i];
    }
    let mut step = vec![0.0; levels];
    for i in (0..m).rev() {
        let known: f64 = (i + 1..m).map(|l| factor[l * m + i] * step[free[l]]).sum();
        step[free[i]] = (solved[i] - known) / factor[i * m + i];
    }
    step
}
