//! Trees by hill climbing.

use crate::control::Control;
use crate::counts::CountSource;
use crate::error::Result;
use crate::options::{Declared, Domain};
use crate::registry::{About, Need};
use crate::search::{Climb, first_best, greedy, measure_all};
use crate::structure::grouping::{Operation, singletons};
use crate::structure::objective::{self, Objective, SearchPath, Terms};
use crate::structure::{Accuracy, AccuracySearch, Entry, Learner, Searched, Structure};

/// Tree-augmented naive Bayes whose arcs a greedy search by accuracy adds.
///
/// # Formula
/// ```text
/// pa ← nothing;   repeat add the arc i → j,  j without a parent and no ancestor of i,  that gives the best accuracy,
/// while the accuracy rises strictly
/// ```
/// pa(j) the attribute parent of j; accuracy and folds as in [`Fss`](super::Fss). Ties: the lowest i, then the lowest j.
/// With super-parents a round first chooses the parent, by the accuracy with the arcs i → j for all j that may be its
/// children at once (the lowest i of equal ones), and then the best single one of these arcs.
///
/// # Complexity
/// O(N·s) for each of the n² arcs of a round; with super-parents O(n²·N·s) per round too, but a round's arcs come from one
/// parent only. Nothing is refitted: the tables of an arc are counted once for all rounds.
///
/// # References
/// keogh1999, keogh2002
///
/// # Differences
/// Keogh and Pazzani measure by leaving one row out; here it is by folds, as in all searches by accuracy. A super-parent
/// is not linked to the root of its own tree: that would close a cycle.
#[derive(Debug, Clone, Copy)]
pub struct TanHc {
    /// The folds, and what counts as better.
    pub terms: Terms,
    /// Whether a round chooses the parent first.
    pub superparent: bool,
}

impl AccuracySearch for TanHc {
    fn search(&self, counts: &dyn CountSource, accuracy: &dyn Accuracy, control: &Control) -> Searched {
        let n = counts.n();
        let mut climb = TreeClimb {
            tree: vec![None; n],
            objective: accuracy.start(self.terms.split, singletons(n), control)?,
            superparent: self.superparent,
            least_rise: self.terms.epsilon * accuracy.total(),
            control,
        };
        let ascent = greedy(&mut climb, control)?;
        Ok((Structure::from_tree(&climb.tree), SearchPath { total: accuracy.total(), ascent }))
    }
}

struct TreeClimb<'a> {
    /// The parent of each attribute.
    tree: Vec<Option<usize>>,
    objective: Box<dyn Objective + 'a>,
    superparent: bool,
    least_rise: f64,
    control: &'a Control,
}

impl TreeClimb<'_> {
    /// For each possible parent all its possible children.
    fn arcs(&self) -> Vec<Operation> {
        let possible = (0..self.tree.len()).map(|parent| {
            let root = root(&self.tree, parent);
            let orphans = (0..self.tree.len()).filter(|&child| self.tree[child].is_none() && child != root);
            Operation::Arcs { parent, children: orphans.collect() }
        });
        possible.filter(|arcs| !children(arcs).1.is_empty()).collect()
    }
}

/// The attribute above all others in a node's tree.
fn root(tree: &[Option<usize>], node: usize) -> usize {
    let mut root = node;
    while let Some(parent) = tree[root] {
        root = parent;
    }
    root
}

fn children(operation: &Operation) -> (usize, &[usize]) {
    match operation {
        Operation::Arcs { parent, children } => (*parent, children),
        _ => (0, &[]),
    }
}

impl Climb for TreeClimb<'_> {
    type Move = Operation;

    fn value(&self) -> f64 {
        self.objective.value()
    }

    fn moves(&self) -> Result<Vec<Operation>> {
        let mut arcs = self.arcs();
        if self.superparent {
            let values = measure_all(&arcs, |arcs| self.objective.measure(arcs), self.control)?;
            arcs = match first_best(&values, self.tolerance()) {
                Some((best, _)) => vec![arcs.swap_remove(best)],
                None => Vec::new(),
            };
        }
        let single = |arcs: &Operation| {
            let (parent, children) = children(arcs);
            let arc = |&child: &usize| Operation::Arcs { parent, children: vec![child] };
            children.iter().map(arc).collect::<Vec<_>>()
        };
        Ok(arcs.iter().flat_map(single).collect())
    }

    fn measure(&self, arc: &Operation) -> Result<Option<f64>> {
        self.objective.measure(arc)
    }

    fn take(&mut self, arc: &Operation) -> Result<()> {
        self.objective.accept(arc, self.control)?;
        let (parent, children) = children(arc);
        children.iter().for_each(|&child| self.tree[child] = Some(parent));
        Ok(())
    }

    fn tolerance(&self) -> f64 {
        self.objective.tolerance()
    }

    fn least_rise(&self) -> f64 {
        self.least_rise
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "tanhc",
        title: "TAN-HC",
        summary: "a tree of dependencies that a greedy search finds useful",
        formula: "add the arc that raises accuracy most, while one does",
        settings: &[
            objective::CV,
            Declared::new("superparent", Domain::Flag, "whether each round chooses the parent first"),
            objective::SEED,
            objective::EPSILON,
        ],
        needs: &[Need::Class, Need::Accuracy],
    },
    build: |options| {
        let superparent = options.flag("superparent");
        Ok(Learner::Accuracy(Box::new(TanHc { terms: Terms::from_options(options)?, superparent })))
    },
};
