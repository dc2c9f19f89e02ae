//! What the optimiser starts from: an approximate inverse of the Hessian.

use crate::control::Control;
use crate::error::Result;
use crate::refine::cholesky::{Cholesky, Symmetric};
use crate::refine::design::Design;
use crate::refine::heavy::Heavy;
use crate::refine::nested::Nested;
use crate::refine::objective::Objective;

/// The inverse of the Hessian's approximate diagonal, and of its blocks where it is far from diagonal: the nested features
/// of each node ([`Nested`]), the cuts of each ordered column, and, where asked for, the heaviest parameters of all columns
/// ([`Heavy`]).
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
    inverse: Vec<f64>,
    features: std::ops::Range<usize>,
    nested: Nested,
    blocks: Vec<Block>,
    heavy: Option<Heavy>,
}

/// The block of an ordered column and a class.
struct Block {
    start: usize,
    stride: usize,
    cuts: usize,
    factor: Cholesky,
}

impl<'a> Preconditioner<'a> {
    /// From ω (p − [c = c_t]) of each row and class; with the heavy parameters where there is somebody to ask whether to go
    /// on, as they may take long.
    pub fn new(objective: &Objective<'a>, residuals: &[f64], heavy: Option<&Control>) -> Result<Self> {
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
        let heavy = heavy.map(|control| Heavy::new(objective, &shares, &inverse, control)).transpose()?;
        let nested = Nested::new(design.nested_features(), &inverse[features.clone()], s, objective.ridge);
        inverse.truncate(features.start);
        for (place, curvature) in inverse.iter_mut().enumerate() {
            *curvature = 1.0 / (*curvature + objective.precision(place));
        }
        let mut blocks = Vec::new();
        for (column, steps) in design.steps.iter().enumerate() {
            let of_codes = design.sums_of_codes(column, &shares);
            for class in 0..s {
                let of_class: Vec<f64> = of_codes[class..].iter().step_by(s).copied().collect();
                let start = design.start_of_steps(column) + class;
                let factor = factor(&of_class, objective.ridge);
                blocks.push(Block { start, stride: s, cuts: steps.cuts, factor });
            }
        }
        Ok(Self { design, inverse, features, nested, blocks, heavy })
    }

    /// The approximate inverse times a vector.
    pub fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let mut solved = vec![0.0; vector.len()];
        let (first, features) = (self.features.start, self.features.clone());
        for place in 0..first {
            solved[place] = vector[place] * self.inverse[place];
        }
        self.nested.apply(&vector[features.clone()], &mut solved[features]);
        for Block { start, stride, cuts, factor } in &self.blocks {
            let mut values: Vec<f64> =
                vector[*start..].iter().step_by(*stride).take(*cuts).copied().collect();
            factor.solve(&mut values);
            solved[*start..]
                .iter_mut()
                .step_by(*stride)
                .zip(values)
                .for_each(|(solved, value)| *solved = value);
        }
        if let Some(heavy) = &self.heavy {
            heavy.apply(vector, &mut solved);
        }
        self.design.centre(&mut solved);
        solved
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
