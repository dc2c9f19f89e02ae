//! Augmented semi-naive Bayes.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::structure::bsej::Bsej;
use crate::structure::chi2_forest::{Roots, Significance, chi2_forest};
use crate::structure::objective::{SearchPath, Split};
use crate::structure::{Accuracy, Evidence, Node, Structure, StructureLearner};

/// The semi-naive Bayes of [`Bsej`], augmented by the forest of the dependences between its groups that a test finds
/// significant.
///
/// # Formula
/// ```text
/// P(c, x) = P(c) Π_S P(x_S | x_{pa(S)}, c)
/// ```
/// S the groups of BSEJ as compound variables, pa(S) the parent group of S in the forest of [`chi2_forest`] (nothing
/// at a root). An arc S → T makes every attribute of S a parent of every attribute of T; within a group every
/// attribute depends on the others.
///
/// # Complexity
/// That of BSEJ, and O(g²·N) for the forest over its g groups.
///
/// # References
/// mihaljevic2013
#[derive(Debug, Clone, Copy)]
pub struct Asb {
    /// The search for the groups.
    pub bsej: Bsej,
    /// When two groups count as dependent.
    pub significance: Significance,
    /// Where the trees are rooted.
    pub roots: Roots,
}

impl StructureLearner for Asb {
    fn name(&self) -> &str {
        "asb"
    }

    fn learn(&self, _: Evidence<'_>, _: &Control) -> Result<Structure> {
        Err(Error::NoAccuracy { learner: "asb" })
    }

    fn search(
        &self,
        evidence: Evidence<'_>,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Structure, Option<SearchPath>)> {
        let (groups, path) = self.bsej.groups(evidence.counts.n(), accuracy, control)?;
        let forest = chi2_forest(evidence.counts, &groups, self.significance, self.roots, control)?;
        let nodes = groups.iter().zip(forest).map(|(members, parent)| {
            let parents = parent.map_or_else(Vec::new, |parent| groups[parent].clone());
            Node { members: members.clone(), parents }
        });
        Ok((Structure { nodes: nodes.collect() }, Some(path)))
    }
}

pub(super) fn build(options: &Options) -> Result<Box<dyn StructureLearner>> {
    options.only("asb", &["cv", "alpha", "min_cell", "roots", "random_state"])?;
    let bsej = Bsej { split: Split::from_options(options)? };
    let significance = Significance::from_options(options)?;
    Ok(Box::new(Asb { bsej, significance, roots: Roots::from_options(options)? }))
}
