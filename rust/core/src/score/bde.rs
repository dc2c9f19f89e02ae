//! The likelihood-equivalent Bayesian Dirichlet score with a factorised prior network.

use crate::counts::{FamilyCounts, FamilyShape};
use crate::data::mixed_radix::strides;
use crate::error::Result;
use crate::math::ln_gamma;
use crate::options::{Declared, Domain, Options};
use crate::registry::About;
use crate::score::{Additive, Bdeu, Entry, FamilyScore};

/// The prior network of [`Bde`]: no arcs, and these marginals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BdePrior {
    /// All values alike: the score is [`Bdeu`].
    Uniform,
    /// The marginals of the data.
    Empirical,
}

/// The Bayesian Dirichlet score whose pseudo-counts follow a fully factorised prior network.
///
/// # Formula
/// ```text
/// φ_i(Π) = Σ_j [ lnΓ(α_ij) − lnΓ(α_ij + N_ij) + Σ_k ( lnΓ(α_ijk + N_ijk) − lnΓ(α_ijk) ) ]
/// α_ijk = ess · P0(X_i = k) · Π_{p ∈ Π} P0(X_p = j_p),   α_ij = Σ_k α_ijk
/// ```
/// ess > 0 the equivalent sample size, P0 the marginals of the prior network: uniform, or those of the data.
/// A value that the data never hold has P0 = 0 in the second case and adds nothing. Score equivalent.
///
/// # Complexity
/// O(q·r·(1 + parents)).
///
/// # References
/// heckerman1995
///
/// # Differences
/// The papers on consistent k-graphs list it as not score equivalent; it is (heckerman1995, theorem 3).
#[derive(Debug, Clone, Copy)]
pub struct Bde {
    ess: f64,
    prior: BdePrior,
}

impl Bde {
    /// With an equivalent sample size above 0.
    pub fn new(ess: f64, prior: BdePrior) -> Self {
        Self { ess, prior }
    }
}

impl FamilyScore for Bde {
    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn additive(&self, shape: &FamilyShape, total: f64) -> Result<Option<Additive>> {
        match self.prior {
            BdePrior::Uniform => Bdeu::new(self.ess).additive(shape, total),
            BdePrior::Empirical => Ok(None),
        }
    }

    fn score(&self, family: &FamilyCounts, total: f64) -> Result<f64> {
        if let Some(additive) = self.additive(&family.shape, total)? {
            return Ok(additive.evaluate(family));
        }
        let cells = family.cells.to_f64();
        let r = family.shape.child;
        let sizes: Vec<usize> = family.shape.parent_arities().chain([r]).collect();
        let weights = joint_of_margins(&cells, &sizes);
        let gain = |alpha: f64, count: f64| {
            if count > 0.0 { ln_gamma(alpha + count) - ln_gamma(alpha) } else { 0.0 }
        };
        let rows = cells.chunks_exact(r).zip(weights.chunks_exact(r));
        Ok(rows
            .map(|(counts, weights)| {
                let values =
                    counts.iter().zip(weights).map(|(&count, &weight)| gain(self.ess * weight, count));
                let alpha = self.ess * weights.iter().sum::<f64>();
                values.sum::<f64>() - gain(alpha, counts.iter().sum())
            })
            .sum())
    }
}

/// For each cell of a table the product of its margins, each a distribution.
fn joint_of_margins(cells: &[f64], sizes: &[usize]) -> Vec<f64> {
    let total: f64 = cells.iter().sum();
    let mut joint = vec![1.0; cells.len()];
    // From the last variable, which varies fastest, to the first.
    for (&size, stride) in sizes.iter().zip(strides(sizes.iter().copied())).rev() {
        let mut margin = vec![0.0; size];
        for (index, cell) in cells.iter().enumerate() {
            margin[index / stride % size] += cell;
        }
        for (index, weight) in joint.iter_mut().enumerate() {
            *weight *= if total > 0.0 { margin[index / stride % size] / total } else { 1.0 / size as f64 };
        }
    }
    joint
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "bde",
        title: "BDe",
        summary: "likelihood-equivalent Bayesian Dirichlet, from a prior without arcs",
        formula: "bd with α = ess · P0 per cell, P0 the product of uniform or of empirical margins",
        settings: &[
            Declared::new("ess", Domain::Positive(1.0), "the equivalent sample size: pseudo-rows"),
            Declared::new(
                "prior",
                Domain::Word(&["uniform", "empirical"]),
                "the margins of the prior network",
            ),
        ],
        needs: &[],
    },
    build,
};

fn build(options: &Options) -> Result<Box<dyn FamilyScore>> {
    let empirical = options.word("prior") == "empirical";
    let prior = if empirical { BdePrior::Empirical } else { BdePrior::Uniform };
    Ok(Box::new(Bde::new(options.number("ess")?, prior)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_multiply_to_a_distribution() {
        let joint = joint_of_margins(&[1.0, 0.0, 2.0, 1.0], &[2, 2]);
        assert!((joint.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((joint[0] - 0.25 * 0.75).abs() < 1e-12);
    }
}
