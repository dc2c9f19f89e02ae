//! ln W of a pair whose counts are sums of weights.

use std::f64::consts::PI;

use crate::math::gamma::stirling_remainder;

/// ln W of a pair of attributes, where one row may be heavier than the others by sixty orders of magnitude.
///
/// # Formula
/// ```text
/// ln W = Σ_c [g(N + N') − g(N')]
/// g(m) = Σ_ij lnΓ(m_ij) − Σ_i lnΓ(m_i) − Σ_j lnΓ(m_j) + lnΓ(M)
///      = Σ_ij m_ij ln R_ij + Σ_ij h(m_ij) − Σ_i h(m_i) − Σ_j h(m_j) + h(M),    h(m) = ε(m) + ½ ln 2π − ½ ln m
/// R_ij − 1 = (m_ij D_ij − A_ij B_ij) / (m_i m_j)
/// ```
/// m the table of one class, m_i and m_j its margins, M its sum, R_ij = m_ij M / (m_i m_j); ε what Stirling's formula lacks; A_ij the
/// sum of the other cells of the row, B_ij of the column, D_ij of those in neither. Next to a count of 10⁶⁰ each lnΓ is about
/// 10⁶², and rounded by more than all that tells one pair from another; here such terms have cancelled beforehand. What is
/// added to a heavy cell and lost there has no weight either, as g changes by ln R for it.
///
/// # Complexity
/// O(s r_u r_v).
pub(super) fn log_weight(cells: &[f64], (r_u, r_v): (usize, usize), per_class: f64) -> f64 {
    let pseudo = per_class / (r_u * r_v) as f64;
    let before = log_evidence(&vec![pseudo; r_u * r_v], r_u, r_v);
    let of_class = |cells: &[f64]| {
        let smoothed: Vec<f64> = cells.iter().map(|cell| cell + pseudo).collect();
        log_evidence(&smoothed, r_u, r_v) - before
    };
    cells.chunks_exact(r_u * r_v).map(of_class).sum()
}

/// g of one class.
fn log_evidence(m: &[f64], r_u: usize, r_v: usize) -> f64 {
    let in_row = others(m, r_u, |u, v| u * r_v + v);
    let in_column = others(m, r_v, |v, u| u * r_v + v);
    let elsewhere = others(&in_row, r_v, |v, u| u * r_v + v);
    let total: f64 = m.iter().sum();
    let h = |m: f64| stirling_remainder(m) + 0.5 * ((2.0 * PI).ln() - m.ln());
    let mut sum = h(total);
    for (u, row) in m.chunks_exact(r_v).enumerate() {
        sum -= h(row[0] + in_row[u * r_v]);
        for (v, &cell) in row.iter().enumerate() {
            let at = u * r_v + v;
            if u == 0 {
                sum -= h(cell + in_column[at]);
            }
            let (of_u, of_v) = (cell + in_row[at], cell + in_column[at]);
            // Quotients first: a product of two weights may be too large.
            let excess =
                (cell / of_u) * (elsewhere[at] / of_v) - (in_row[at] / of_u) * (in_column[at] / of_v);
            let ln_ratio = if excess > -0.5 { excess.ln_1p() } else { ((cell / of_u) * (total / of_v)).ln() };
            sum += cell * ln_ratio + h(cell);
        }
    }
    sum
}

/// Of each number, the sum of the others of its line. Nothing is taken away from a sum: what is small would be lost in it.
fn others(numbers: &[f64], lines: usize, at: impl Fn(usize, usize) -> usize) -> Vec<f64> {
    let length = numbers.len() / lines;
    let mut found = vec![0.0; numbers.len()];
    for line in 0..lines {
        let (mut before, mut after) = (0.0, 0.0);
        for place in 0..length {
            let (front, back) = (at(line, place), at(line, length - 1 - place));
            found[front] += before;
            before += numbers[front];
            found[back] += after;
            after += numbers[back];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ln_gamma;
    use proptest::prelude::*;

    proptest! {
        /// Where counts are moderate, the formula by lnΓ is as exact.
        #[test]
        fn it_is_the_ratio_of_gammas(
            (r_u, r_v, cells) in (1usize..5, 1usize..5).prop_flat_map(|(u, v)| {
                (Just(u), Just(v), prop::collection::vec(0.0..50.0f64, 2 * u * v))
            }),
            per_class in 25.0..60.0f64,
        ) {
            let g = |m: &[f64]| {
                let rows: f64 = m.chunks_exact(r_v).map(|row| ln_gamma(row.iter().sum())).sum();
                let columns: f64 = (0..r_v).map(|v| ln_gamma(m.iter().skip(v).step_by(r_v).sum())).sum();
                m.iter().map(|&m| ln_gamma(m)).sum::<f64>() - rows - columns + ln_gamma(m.iter().sum())
            };
            let pseudo = per_class / (r_u * r_v) as f64;
            let expected: f64 = cells
                .chunks_exact(r_u * r_v)
                .map(|m| g(&m.iter().map(|m| m + pseudo).collect::<Vec<_>>()) - g(&vec![pseudo; r_u * r_v]))
                .sum();
            let found = log_weight(&cells, (r_u, r_v), per_class);
            prop_assert!((found - expected).abs() < 1e-9, "{found} and {expected}");
        }
    }
}
