//! Augmented semi-naive Bayes.

use crate::control::Control;
use crate::counts::CountSource;
use crate::error::Result;
use crate::options::Options;
use crate::registry::{About, Need};
use crate::structure::bsej::Bsej;
use crate::structure::chi2_forest::{self, Roots, Significance, chi2_forest};
use crate::structure::objective::{self, SearchPath, Terms};
use crate::structure::{Accuracy, AccuracySearch, Entry, Learner, Node, Structure};

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

impl AccuracySearch for Asb {
    fn search(
        &self,
        counts: &dyn CountSource,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Structure, SearchPath)> {
        let (groups, path) = self.bsej.groups(counts.n(), accuracy, control)?;
        let forest = chi2_forest(counts, &groups, self.significance, self.roots, control)?;
        let nodes = groups.iter().zip(forest).map(|(members, parent)| {
            let parents = parent.map_or_else(Vec::new, |parent| groups[parent].clone());
            Node { members: members.clone(), parents }
        });
        Ok((Structure { nodes: nodes.collect() }, path))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "asb",
        title: "ASB",
        summary: "that, and a forest over the joined groups",
        formula: "P(c) Π_S P(x_S | x_pa(S), c), S the groups of bsej",
        settings: &[
            objective::CV,
            chi2_forest::ALPHA,
            chi2_forest::MIN_CELL,
            chi2_forest::ROOTS,
            objective::SEED,
            objective::EPSILON,
        ],
        needs: &[Need::Class, Need::Accuracy],
    },
    build,
};

fn build(options: &Options) -> Result<Learner> {
    let bsej = Bsej { terms: Terms::from_options(options)? };
    let significance = Significance::from_options(options)?;
    Ok(Learner::Accuracy(Box::new(Asb { bsej, significance, roots: Roots::from_options(options) })))
}
