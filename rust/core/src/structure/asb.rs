//! Augmented semi-naive Bayes.

use crate::control::Control;
use crate::counts::CountSource;
use crate::error::Result;
use crate::options::{Declared, Domain, Options};
use crate::registry::{About, Need};
use crate::score::LogLikelihood;
use crate::structure::bsej::Bsej;
use crate::structure::chi2_forest::{self, Roots, Significance, chi2_forest};
use crate::structure::ffss::Ffss;
use crate::structure::fss::Fss;
use crate::structure::fssj::Fssj;
use crate::structure::objective::{self, SearchPath, Terms, independent, search};
use crate::structure::{
    Accuracy, AccuracySearch, Entry, Evidence, Groups, Learner, Searched, Structure, StructureLearner,
};

/// A semi-naive Bayes, that of [`Bsej`] unless another is asked for, augmented by the forest of the dependences between its
/// groups that a test finds significant.
///
/// # Formula
/// ```text
/// P(c, x) = P(c) Π_S P(x_S | x_{pa(S)}, c)
/// ```
/// S the groups as compound variables, pa(S) the parent group of S in the forest of [`chi2_forest`] (nothing
/// at a root). An arc S → T makes every attribute of S a parent of every attribute of T; within a group every
/// attribute depends on the others.
///
/// # Complexity
/// That of BSEJ, and O(g²·N) for the forest over its g groups.
///
/// # References
/// mihaljevic2013
///
/// # Differences
/// The paper augments the groups of BSEJ, and proposes other selections: [`Stage`].
#[derive(Debug, Clone)]
pub struct Asb {
    /// Where the groups come from.
    pub stage: Stage,
    /// The folds of its search, and what counts as better.
    pub terms: Terms,
    /// When two groups count as dependent.
    pub significance: Significance,
    /// Where the trees are rooted.
    pub roots: Roots,
}

/// Where the groups come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// [`Bsej`].
    Bsej,
    /// [`Fss`]: the attributes it selects, each a group.
    Fss,
    /// [`Fssj`].
    Fssj,
    /// [`Ffss`], with the same significance.
    Ffss,
    /// They are given.
    Given(Groups),
}

impl Asb {
    /// The groups, and how they were found. Groups that were not searched for have a path without steps.
    fn groups(
        &self,
        counts: &dyn CountSource,
        accuracy: &dyn Accuracy,
        control: &Control,
    ) -> Result<(Groups, SearchPath)> {
        let terms = self.terms;
        let members = |structure: Structure| structure.nodes.into_iter().map(|node| node.members).collect();
        let searched = |search: &dyn AccuracySearch| {
            let (structure, path) = search.search(counts, accuracy, control)?;
            Ok((members(structure), path))
        };
        let groups: Groups = match &self.stage {
            Stage::Bsej => return searched(&Bsej { terms }),
            Stage::Fss => return searched(&Fss { terms }),
            Stage::Fssj => return searched(&Fssj { terms }),
            Stage::Ffss => {
                let evidence = Evidence { counts, score: &LogLikelihood };
                members(Ffss { significance: self.significance }.learn(evidence, control)?)
            }
            Stage::Given(groups) => {
                let mut groups = groups.clone();
                groups.sort_by_key(|group| group.first().copied());
                independent(groups.clone()).validate(counts.n())?;
                groups
            }
        };
        let nothing = |_: &[Vec<usize>]| Vec::new();
        search(accuracy, terms, groups, &nothing, control)
    }
}

impl AccuracySearch for Asb {
    fn search(&self, counts: &dyn CountSource, accuracy: &dyn Accuracy, control: &Control) -> Searched {
        let (groups, path) = self.groups(counts, accuracy, control)?;
        let forest = chi2_forest(counts, &groups, self.significance, self.roots, control)?;
        Ok((Structure::from_forest(&groups, &forest), path))
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "asb",
        title: "ASB",
        summary: "that, and a forest over the joined groups",
        formula: "P(c) Π_S P(x_S | x_pa(S), c), S the groups of bsej or of another",
        settings: &[
            objective::CV,
            chi2_forest::ALPHA,
            chi2_forest::MIN_CELL,
            chi2_forest::ROOTS,
            objective::SEED,
            objective::EPSILON,
            Declared::new(
                "groups",
                Domain::Lists(&["bsej", "fss", "fssj", "ffss"]),
                "the groups, or the learner that finds them; bsej",
            ),
        ],
        needs: &[Need::Class, Need::Accuracy],
    },
    build,
};

fn build(options: &Options) -> Result<Learner> {
    let stage = match (options.lists("groups"), options.word("groups")) {
        (Some(groups), _) => Stage::Given(groups.to_vec()),
        (None, "fss") => Stage::Fss,
        (None, "fssj") => Stage::Fssj,
        (None, "ffss") => Stage::Ffss,
        (None, _) => Stage::Bsej,
    };
    let (terms, significance) = (Terms::from_options(options)?, Significance::from_options(options)?);
    Ok(Learner::Accuracy(Box::new(Asb { stage, terms, significance, roots: Roots::from_options(options) })))
}
