//! The score of mutual information tests.

use crate::counts::FamilyShape;
use crate::error::{Result, check_parameter};
use crate::math::chi2_quantile;
use crate::options::{Declared, Domain, Options};
use crate::registry::About;
use crate::score::{Additive, Entry, FamilyScore, Term};

/// Mutual information with the parents, less the χ² quantiles that independence would allow.
///
/// # Formula
/// ```text
/// φ_i(Π) = 2N·MI(X_i; Π) − Σ_t χ²(α, l_t),   φ_i(∅) = 0
/// l_t = (r_i − 1)(r_(t) − 1) Π_{u<t} r_(u)
/// ```
/// MI the empirical mutual information of the child and its parents as one variable; r_i the child's values;
/// r_(1) ≥ r_(2) ≥ … the parents' values, sorted downwards; χ²(α, l) the α-quantile of the χ² distribution
/// with l degrees of freedom (0 for l = 0). Not score equivalent.
///
/// # Complexity
/// O(q·r), and one quantile a parent.
///
/// # References
/// decampos2006
///
/// # Differences
/// The order of the parents that makes the penalty largest is the one by decreasing number of values
/// (decampos2006, theorem 5): no search over permutations.
#[derive(Debug, Clone, Copy)]
pub struct Mit {
    alpha: f64,
}

impl FamilyScore for Mit {
    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn additive(&self, shape: &FamilyShape, _total: f64) -> Result<Option<Additive>> {
        let mut arities: Vec<usize> = shape.parent_arities().collect();
        if arities.is_empty() {
            return Ok(Some(Additive {
                cell: Term::Zero,
                row: Term::Zero,
                margin: Term::Zero,
                constant: 0.0,
            }));
        }
        arities.sort_unstable_by(|left, right| right.cmp(left));
        let mut penalty = 0.0;
        let mut before = (shape.child - 1) as f64;
        for arity in arities {
            let degrees = before * (arity - 1) as f64;
            if degrees > 0.0 {
                penalty += chi2_quantile(self.alpha, degrees);
            }
            before *= arity as f64;
        }
        // 2N·MI(X; Π) = 2[ll(Π) − ll(∅)].
        let twice = Term::XLnX { scale: 2.0 };
        Ok(Some(Additive { cell: twice, row: twice, margin: twice, constant: -penalty }))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "mit",
        title: "MIT",
        summary: "mutual information tests",
        formula: "2N·MI(X; Π) − Σ_t χ²(α, l_t)",
        settings: &[Declared::new("alpha", Domain::Number(0.999), "which quantile of χ² is taken off")],
        needs: &[],
    },
    build,
};

fn build(options: &Options) -> Result<Box<dyn FamilyScore>> {
    let alpha = options.number("alpha")?;
    let is_allowed = alpha > 0.0 && alpha < 1.0;
    check_parameter("alpha", alpha, is_allowed, "it is a probability between 0 and 1")?;
    Ok(Box::new(Mit { alpha }))
}
