//! What the wrapper learners climb by, without knowing how it is computed.

use crate::control::Control;
use crate::error::{Result, check_parameter};
use crate::options::{Declared, Domain, Options};
use crate::search::{Ascent, Climb, greedy};
use crate::structure::grouping::{Groups, Operation};
use crate::structure::{Node, Structure};

/// How the rows of a search are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// The number of folds, at least 2.
    pub folds: usize,
    /// Which of the stratified divisions it is.
    pub seed: u64,
}

/// The setting `cv`.
pub(super) const CV: Declared = Declared::new("cv", Domain::Whole(5), "the number of stratified folds");

/// The setting `random_state`.
pub(super) const SEED: Declared = Declared::new("random_state", Domain::Whole(0), "the seed of the folds");

/// The setting `epsilon`.
pub(super) const EPSILON: Declared =
    Declared::new("epsilon", Domain::Number(0.0), "the least rise of the accuracy that counts; 0 for any");

/// What all searches by accuracy are told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The folds.
    pub split: Split,
    /// The least rise of the accuracy that counts, as a share of the rows; 0 for any. From 0 to below 1.
    pub epsilon: f64,
}

impl Terms {
    /// From the settings `cv`, `random_state` and `epsilon`.
    pub(super) fn from_options(options: &Options) -> Result<Self> {
        let epsilon = options.number("epsilon")?;
        let allowed = "a rise of the accuracy lies between 0 and below 1";
        check_parameter("epsilon", epsilon, (0.0..1.0).contains(&epsilon), allowed)?;
        Ok(Self { split: Split::from_options(options)?, epsilon })
    }
}

impl Split {
    /// From the settings `cv` and `random_state`.
    pub(super) fn from_options(options: &Options) -> Result<Self> {
        let folds = options.whole("cv").unwrap_or_default();
        check_parameter("cv", folds as f64, folds >= 2, "a cross-validation has at least 2 folds")?;
        Ok(Self { folds, seed: options.seed() })
    }
}

/// Cross-validated accuracy, ready to be measured on groups of attributes.
pub trait Accuracy: Sync {
    /// The number of rows, or the sum of their weights: the largest value there can be.
    fn total(&self) -> f64;

    /// Starts from some groups. All that is measured from here on is measured on the same folds.
    fn start(&self, split: Split, groups: Groups, control: &Control) -> Result<Box<dyn Objective + '_>>;
}

/// The value of groups of attributes, and of what they might become.
pub trait Objective: Send + Sync {
    /// How many rows (or which weight of rows) are classified correctly with the groups as they are.
    fn value(&self) -> f64;

    /// The same after an operation; `None` where its table would exceed the memory limit.
    fn measure(&self, operation: &Operation) -> Result<Option<f64>>;

    /// Makes the operation.
    fn accept(&mut self, operation: &Operation, control: &Control) -> Result<()>;

    /// Values that differ by no more are equal.
    fn tolerance(&self) -> f64;
}

/// How a search went.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPath {
    /// The number of rows, or the sum of their weights.
    pub total: f64,
    /// The operations, and the rows classified correctly before the first and after each.
    pub ascent: Ascent<Operation>,
}

/// Climbs from some groups by the operations that `candidates` offers.
pub(super) fn search(
    accuracy: &dyn Accuracy,
    terms: Terms,
    start: Groups,
    candidates: &(dyn Fn(&[Vec<usize>]) -> Vec<Operation> + Sync),
    control: &Control,
) -> Result<(Groups, SearchPath)> {
    let objective = accuracy.start(terms.split, start.clone(), control)?;
    let least_rise = terms.epsilon * accuracy.total();
    let mut climb = GroupClimb { groups: start, objective, candidates, least_rise, control };
    let ascent = greedy(&mut climb, control)?;
    Ok((climb.groups, SearchPath { total: accuracy.total(), ascent }))
}

/// Independent groups as a structure.
pub(super) fn independent(groups: Groups) -> Structure {
    Structure { nodes: groups.into_iter().map(|members| Node { members, parents: Vec::new() }).collect() }
}

struct GroupClimb<'a> {
    groups: Groups,
    objective: Box<dyn Objective + 'a>,
    candidates: &'a (dyn Fn(&[Vec<usize>]) -> Vec<Operation> + Sync),
    least_rise: f64,
    control: &'a Control,
}

impl Climb for GroupClimb<'_> {
    type Move = Operation;

    fn value(&self) -> f64 {
        self.objective.value()
    }

    fn moves(&self) -> Result<Vec<Operation>> {
        Ok((self.candidates)(&self.groups))
    }

    fn measure(&self, operation: &Operation) -> Result<Option<f64>> {
        self.objective.measure(operation)
    }

    fn take(&mut self, operation: &Operation) -> Result<()> {
        self.objective.accept(operation, self.control)?;
        self.groups = operation.apply(&self.groups);
        Ok(())
    }

    fn tolerance(&self) -> f64 {
        self.objective.tolerance()
    }

    fn least_rise(&self) -> f64 {
        self.least_rise
    }
}
