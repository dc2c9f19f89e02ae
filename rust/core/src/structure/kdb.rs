//! k-dependence Bayesian classifiers, and the selective kind.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{CountSource, FamilyCounts, FoldCounts};
use crate::data::Variable;
use crate::error::{Error, Result};
use crate::independence::g_test;
use crate::math::Random;
use crate::options::{Declared, Domain};
use crate::registry::{About, Need};
use crate::score::{FamilyScore, LogLikelihood, edge_weights};
use crate::structure::kdb_selection::{Loss, select};
use crate::structure::{Entry, Evidence, Learner, Node, OfFolds, Structure, StructureLearner, k_graph, tan};
use crate::with_cells;

/// Attributes in the order of what they tell about the class; each depends on the class and on the k before it that tell
/// most about it.
///
/// # Formula
/// ```text
/// order  X_(1), X_(2), …  by decreasing I(X; C)
/// Π*_i = the min(k, i − 1) of X_(1), …, X_(i−1) with the largest I(X_(i); P | C)             conditional
///        or with the largest I(X_(i); P | C) − I(X_(i); P)                                    residual
/// ```
/// C the class; information in nats, that of a pair on the rows in which both are known. Values within 1e-10 nats are equal;
/// of equal ones the lowest column comes first. Parents are kept in that order: hierarchical smoothing and the selection
/// take them one by one. The residual is what the class explains away: it finds parents that matter for the class alone.
///
/// The selective kind scores every prefix of the order with every k' ≤ k by leave-one-out and keeps the best.
/// What is behind the prefix is dropped.
///
/// # Complexity
/// O(n²·N/64) or O(n²·N) for all pairs, as for a tree, O(n²·k) for the parents; the selection O(N·n·k·s).
///
/// # References
/// sahami1996, martinez2016
///
/// # Differences
/// The residual is not in the papers. The losses of the selection are those of the paper's RMSE, and two more.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kdb {
    /// The most attribute parents.
    pub k: usize,
    /// What parents are chosen by.
    pub information: ParentInformation,
    /// The loss by which a prefix and k' are selected; none keeps all attributes and k.
    pub selection: Option<Loss>,
}

/// What the parents of an attribute are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParentInformation {
    /// I(X; P | C).
    #[default]
    Conditional,
    /// I(X; P | C) − I(X; P).
    Residual,
}

/// Values that differ by no more nats are equal.
const TIE: f64 = 1e-10;

impl StructureLearner for Kdb {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let counts = evidence.counts;
        let evidence = Evidence { counts, score: &LogLikelihood };
        let given_class = edge_weights(counts, &tan::scorer(evidence), control)?.weights;
        self.structure(counts, given_class, control)
    }

    fn learn_folds(&self, folds: &FoldCounts<'_>, _score: &dyn FamilyScore, control: &Control) -> OfFolds {
        let weights = tan::edge_weights_of_trainings(folds, &LogLikelihood, control)?;
        let trainings = folds.trainings().zip(weights);
        trainings.map(|(counts, weights)| self.structure(&counts, weights.weights, control)).collect()
    }
}

impl Kdb {
    /// From N·I(X; P | C) of every pair.
    fn structure(
        &self,
        counts: &dyn CountSource,
        mut pairs: Vec<f64>,
        control: &Control,
    ) -> Result<Structure> {
        let Some(classes) = counts.n_classes() else { return Err(Error::NoClass { what: "kdb" }) };
        control.check()?;
        if self.information == ParentInformation::Residual {
            subtract_without_class(&mut pairs, counts, control)?;
        }
        let (n, tie) = (counts.n(), TIE * counts.total());
        let about_class = about_class(counts, classes, control)?;
        let order = largest_first((0..n).collect(), n, |attribute| about_class[attribute], tie);
        self.in_order(counts, &pairs, &order, usize::MAX, control)
    }

    /// Learns over the attributes that tell anything about the class: in the order of how much, or in an order drawn without
    /// replacement, each next attribute with a probability in proportion to I(X; C). Of the parents of an attribute only
    /// the first are taken whose table, with it and the class, has at most so many cells.
    pub fn learn_drawn(
        &self,
        counts: &dyn CountSource,
        random: Option<&mut Random>,
        most_cells: usize,
        control: &Control,
    ) -> Result<Structure> {
        let Some(classes) = counts.n_classes() else { return Err(Error::NoClass { what: "ekdb" }) };
        let evidence = Evidence { counts, score: &LogLikelihood };
        let pairs = edge_weights(counts, &tan::scorer(evidence), control)?.weights;
        let tie = TIE * counts.total();
        let about_class = about_class(counts, classes, control)?;
        let telling: Vec<usize> = (0..counts.n()).filter(|&attribute| about_class[attribute] > tie).collect();
        let most = telling.len();
        let order = match random {
            None => largest_first(telling, most, |attribute| about_class[attribute], tie),
            Some(random) => draw(telling, |attribute| about_class[attribute], random),
        };
        self.in_order(counts, &pairs, &order, most_cells, control)
    }

    /// The parents of each attribute among those before it, and what the selection keeps.
    fn in_order(
        &self,
        counts: &dyn CountSource,
        pairs: &[f64],
        order: &[usize],
        most_cells: usize,
        control: &Control,
    ) -> Result<Structure> {
        let (n, tie, arities) = (counts.n(), TIE * counts.total(), counts.arities());
        let mut parents = vec![Vec::new(); n];
        for (place, &child) in order.iter().enumerate() {
            control.check()?;
            let mut before = order[..place].to_vec();
            before.sort_unstable();
            let best = largest_first(before, self.k, |parent| pairs[parent * n + child], tie);
            let mut cells = arities[child].saturating_mul(counts.n_classes().unwrap_or(1));
            let fits = best.into_iter().take_while(|&parent| {
                cells = cells.saturating_mul(arities[parent]);
                cells <= most_cells
            });
            parents[child] = fits.collect();
        }
        let (k, attributes) = match self.selection {
            Some(loss) => select(counts, order, &parents, self.k, loss, control)?,
            None => (self.k, order.len()),
        };
        let mut kept = order[..attributes].to_vec();
        kept.sort_unstable();
        let node = |attribute: usize| {
            let parents = parents[attribute].iter().copied().take(k).collect();
            Node { members: vec![attribute], parents }
        };
        Ok(Structure { nodes: kept.into_iter().map(node).collect() })
    }
}

/// N·I(X; C) of each attribute.
fn about_class(counts: &dyn CountSource, classes: usize, control: &Control) -> Result<Vec<f64>> {
    let of_attribute = |attribute: usize| {
        control.check()?;
        let family = counts.family(Variable::Attribute(attribute), &[], true)?;
        Ok(counts.total() * information(&family, [1, classes, family.shape.child]))
    };
    (0..counts.n()).into_par_iter().map(of_attribute).collect()
}

/// All of them, each next one drawn with a probability in proportion to its value.
fn draw(mut left: Vec<usize>, value: impl Fn(usize) -> f64, random: &mut Random) -> Vec<usize> {
    let mut drawn = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let values: Vec<f64> = left.iter().map(|&one| value(one)).collect();
        drawn.push(left.remove(random.weighted(&values)));
    }
    drawn
}

/// At most `most` of the candidates, those of the largest value first; of values within `tie` the first candidate.
fn largest_first(mut left: Vec<usize>, most: usize, value: impl Fn(usize) -> f64, tie: f64) -> Vec<usize> {
    let mut taken = Vec::with_capacity(most.min(left.len()));
    while taken.len() < most && !left.is_empty() {
        let largest = left.iter().map(|&one| value(one)).fold(f64::NEG_INFINITY, f64::max);
        let first = left.iter().position(|&one| value(one) >= largest - tie).unwrap_or(0);
        taken.push(left.remove(first));
    }
    taken
}

/// I(X; Y | Z) of a table of this shape, in nats.
fn information(family: &FamilyCounts, shape: [usize; 3]) -> f64 {
    with_cells!(&family.cells, cells => g_test(cells, shape, 0.0)).information(family.cells.total())
}

/// Takes N·I(X; P), the class left out of sight, from the value of every pair.
fn subtract_without_class(pairs: &mut [f64], counts: &dyn CountSource, control: &Control) -> Result<()> {
    let (n, total) = (counts.n(), counts.total());
    let rows = pairs.par_chunks_exact_mut(n.max(1)).enumerate();
    rows.try_for_each(|(parent, values)| {
        for (child, value) in values.iter_mut().enumerate().filter(|(child, _)| *child != parent) {
            control.check()?;
            // Both directions see the same table, so that what ties here ties there.
            let (low, high) = (parent.min(child), parent.max(child));
            let mut family = counts.family(Variable::Attribute(high), &[low], true)?;
            let (child, parents) = (family.shape.child, family.shape.attribute_configurations());
            family.cells = family.cells.sum_segments(child * parents);
            *value -= total * information(&family, [1, parents, child]);
        }
        Ok(())
    })
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "kdb",
        title: "KDB",
        summary: "at most k parents among those that tell more about the class",
        formula: "the k of the attributes before X_i, by I(X; C), with the largest I(X_i; P | C)",
        settings: &[
            k_graph::K,
            Declared::new("selective", Domain::Flag, "whether leave-one-out selects a prefix and k' ≤ k"),
            Declared::new("selection", Domain::Word(Loss::WORDS), "the loss by which they are selected"),
            Declared::new(
                "information",
                Domain::Word(&["conditional", "residual"]),
                "parents by I(X; P | C), or by I(X; P | C) − I(X; P)",
            ),
        ],
        needs: &[Need::Class, Need::Families],
    },
    build: |options| {
        let information = match options.word("information") {
            "residual" => ParentInformation::Residual,
            _ => ParentInformation::Conditional,
        };
        let selection = options.flag("selective").then(|| Loss::of_word(options.word("selection")));
        Ok(Learner::Counts(Box::new(Kdb { k: k_graph::limit(options), information, selection })))
    },
};
