//! What the optimiser starts from: an approximate inverse of the Hessian.

use crate::control::Control;
use crate::error::Result;
use crate::refine::cholesky::{Cholesky, Symmetric};
use crate::refine::design::Design;
use crate::refine::heavy::Heavy;
use crate::refine::nested::Nested;
use crate::refine::objective::{Objective, WEIGHT_PRECISION};
use crate::refine::overlap::OverlapInverse;

/// The inverse of the Hessian's approximate diagonal, and of its blocks where it is far from diagonal: the nested features
/// of each node ([`Nested`]) and the cuts of each ordered column; where asked for, also the functions that several nodes
/// express ([`OverlapInverse`]) and the heaviest parameters of all columns ([`Heavy`]).
///
/// # Formula
/// ```text
/// h_tc = ω_t p_tc (1 − p_tc)
/// parameter j of class c:         Σ_t h_tc a_tj² + precision
/// cuts j, k of an ordered column: ¼ Σ_t h_tc s_tj s_tk + λ [j = k]
/// ```
/// p the class probabilities, a the design, s_tj = ±1 where the row's value lies above or below the cut. Neighbouring cuts
/// part nearly the same rows, so that their codes are nearly equal: each ordered column has one block for each class.
/// s_tj s_tk is −1 just for the rows between both cuts, so that the block follows from sums over the codes. What all classes share
/// is taken from the result: the gradient has no part in it, and only the ridge would hold it.
///
/// # Complexity
/// One pass over the rows, O(classes · cuts³) for each ordered column; O(parameters + classes · cuts²) to apply.
pub struct Preconditioner<'a> {
    design: &'a Design,
    /// Of b.
    inverse: Vec<f64>,
    features: std::ops::Range<usize>,
    nested: Nested,
    blocks: Vec<Block>,
    /// What hangs together across nodes.
    across: Option<(OverlapInverse<'a>, Heavy)>,
}

/// The block of an ordered column and a class.
struct Block {
    /// Its first parameter among those of the ordered columns.
    start: usize,
    stride: usize,
    cuts: usize,
    factor: Cholesky,
}

impl<'a> Preconditioner<'a> {
    /// From ω (p − [c = c_t]) of each row and class; with what hangs together across nodes where there is somebody to ask
    /// whether to go on, as that may take long.
    pub fn new(objective: &Objective<'a>, residuals: &[f64], across: Option<&Control>) -> Result<Self> {
        let design = objective.design;
        let s = design.classes;
        let mut shares = residuals.to_vec();
        for (row, shares) in shares.chunks_exact_mut(s).enumerate() {
            let weight = design.weights[row];
            for share in shares {
                let p = share.abs() / weight;
                *share = weight * (p * (1.0 - p)).max(0.0);
            }
        }
        let mut inverse = design.derivatives(&shares, true);
        let features = design.of_features();
        let (mut of_weights, tied) = design.weights_and_features(&shares);
        of_weights.iter_mut().for_each(|curvature| *curvature += WEIGHT_PRECISION);
        let of_features = &inverse[features.clone()];
        let nested =
            Nested::new(design.nested_features(), of_features, (of_weights, tied), s, objective.ridge);
        let across = across.map(|control| -> Result<_> {
            let overlaps = OverlapInverse::new(design.overlaps(), of_features, objective.ridge);
            Ok((overlaps, Heavy::new(objective, &shares, &inverse, control)?))
        });
        let across = across.transpose()?;
        inverse.truncate(s);
        for (place, curvature) in inverse.iter_mut().enumerate() {
            *curvature = 1.0 / (*curvature + objective.precision(place));
        }
        let mut blocks = Vec::new();
        for (column, steps) in design.steps.iter().enumerate() {
            let of_codes = design.sums_of_codes(column, &shares);
            for class in 0..s {
                let of_class: Vec<f64> = of_codes[class..].iter().step_by(s).copied().collect();
                let start = design.start_of_steps(column) - features.end + class;
                let factor = factor(&of_class, objective.ridge);
                blocks.push(Block { start, stride: s, cuts: steps.cuts, factor });
            }
        }
        Ok(Self { design, inverse, features, nested, blocks, across })
    }

    /// The approximate inverse times a vector.
    pub fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let mut solved = vec![0.0; vector.len()];
        self.apply_into(vector, &mut solved);
        solved
    }

    /// The same, in place of what stands there.
    pub fn apply_into(&self, vector: &[f64], solved: &mut [f64]) {
        let (s, features) = (self.inverse.len(), self.features.clone());
        let of_bias = vector.iter().zip(&self.inverse).map(|(value, inverse)| value * inverse);
        solved.iter_mut().zip(of_bias).for_each(|(solved, value)| *solved = value);
        let (of_rest, of_steps) = solved.split_at_mut(features.end);
        let (of_weights, of_features) = of_rest[s..].split_at_mut(features.start - s);
        let halves = (&vector[s..features.start], &vector[features.clone()]);
        let mut own = || {
            self.nested.apply(halves, (of_weights, &mut *of_features));
            self.solve_steps(&vector[features.end..], of_steps);
        };
        if let Some((overlaps, heavy)) = &self.across {
            let across = || rayon::join(|| overlaps.solve(halves.1), || heavy.solve(vector));
            let ((by_overlaps, by_heavy), ()) = rayon::join(across, own);
            overlaps.add(&by_overlaps, &mut solved[features]);
            heavy.add(&by_heavy, solved);
        } else {
            own();
        }
        self.design.centre(solved);
    }

    /// The part of the ordered columns.
    fn solve_steps(&self, vector: &[f64], solved: &mut [f64]) {
        for Block { start, stride, cuts, factor } in &self.blocks {
            let mut values: Vec<f64> =
                vector[*start..].iter().step_by(*stride).take(*cuts).copied().collect();
            factor.solve(&mut values);
            let places = solved[*start..].iter_mut().step_by(*stride);
            places.zip(values).for_each(|(solved, value)| *solved = value);
        }
    }
}

/// The block of an ordered column and a class, factored, from Σ h of the rows of each code.
fn factor(of_codes: &[f64], ridge: f64) -> Cholesky {
    let cuts = of_codes.len() - 1;
    let total: f64 = of_codes.iter().sum();
    let mut block = Symmetric::new(cuts);
    for row in 0..cuts {
        let mut between = 0.0;
        // Column by column away from the diagonal: one more code lies between.
        for column in (0..=row).rev() {
            block.add(row, column, 0.25 * (total - 2.0 * between));
            between += of_codes[column];
        }
        block.add(row, row, ridge);
    }
    block.factor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_that_of_the_block() {
        let (of_codes, ridge) = ([0.5, 2.0, 0.25, 1.0], 0.3);
        let vector = [0.3, -1.0, 0.7];
        let mut solved = vector;
        factor(&of_codes, ridge).solve(&mut solved);
        for j in 0..3 {
            let sign = |code: usize, cut: usize| if code > cut { 1.0 } else { -1.0 };
            let entry = |k: usize| -> f64 {
                (0..4).map(|code| 0.25 * of_codes[code] * sign(code, j) * sign(code, k)).sum()
            };
            let found: f64 = (0..3).map(|k| entry(k) * solved[k]).sum::<f64>() + ridge * solved[j];
            assert!((found - vector[j]).abs() < 1e-12, "{j}: {found}");
        }
    }
}
