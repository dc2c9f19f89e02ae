//! Optimal tree-augmented naive Bayes.

use crate::control::Control;
use crate::counts::{CountSource, FoldCounts, TrainingCounts};
use crate::error::{Error, Result};
use crate::graph::{Tree, maximum_branching, maximum_branching_from, maximum_spanning_tree};
use crate::options::{Declared, Domain};
use crate::registry::{About, Need};
use crate::score::{EdgeWeights, FamilyScore, Scorer, edge_weights, edge_weights_of_folds, weights_fit};
use crate::structure::wide_tree::wide_tree;
use crate::structure::{Entry, Evidence, Learner, OfFolds, Structure, StructureLearner, smoothed};

/// One root, and for every other attribute exactly one attribute parent beside the class, such that the
/// network's score is the largest of all such structures.
///
/// # Formula
/// ```text
/// w(i→j) = φ_j({X_i, C}) − φ_j({C}),   maximise Σ w over all spanning trees directed away from one root
/// ```
/// φ the score, C the class. Where φ is score equivalent, w is symmetric and an undirected maximum spanning
/// tree is turned away from the root (the first column unless given); otherwise the maximum branching over
/// all roots, or from the given one. Arcs of negative weight are used: a TAN spans. `forest` drops arcs with
/// w ≤ 0 afterwards. Without a class the same tree is the optimal branching of a density. `smoothed` replaces w by the
/// mutual information of probabilities with so many pseudo-counts.
///
/// # Complexity
/// O(n²·N/64) or O(n²·N) for the counts, O(n²) for the tree. Of more than 20,000 columns, or of fewer whose n² weights do not fit
/// into memory, the weights are not kept where φ is score equivalent: O(n) memory, and the same tree. Equal columns are then
/// counted once.
///
/// # References
/// friedman1997, chowliu1968, edmonds1967, heckerman1995
///
/// # Differences
/// The papers run Edmonds' algorithm once for each root; one run over all roots finds the same optimum.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tan {
    /// The root, or whichever is best.
    pub root: Option<usize>,
    /// Whether arcs that add nothing are dropped.
    pub forest: bool,
    /// Pseudo-counts of the mutual information by which the tree is chosen, in place of the score.
    pub smoothed: Option<f64>,
}

/// The tree of largest total weight, and the weights.
pub fn optimal_tree(
    evidence: Evidence<'_>,
    root: Option<usize>,
    control: &Control,
) -> Result<(Tree, EdgeWeights)> {
    check_root(root, evidence.counts.n())?;
    let weights = edge_weights(evidence.counts, &scorer(evidence), control)?;
    control.check()?;
    Ok((tree_of(&weights, evidence, root)?, weights))
}

/// Of more columns than this the weights are not kept, whatever fits.
const MATRIX: usize = 20_000;

/// Whether the tree is built without a matrix of all weights, which is possible where these are symmetric.
fn is_wide(evidence: Evidence<'_>) -> bool {
    let n = evidence.counts.n();
    evidence.score.is_score_equivalent() && (n > MATRIX || !weights_fit(n))
}

/// [`optimal_tree`] of each training set of a cross-validation.
fn optimal_trees(
    folds: &FoldCounts<'_>,
    score: &dyn FamilyScore,
    root: Option<usize>,
    control: &Control,
) -> Result<Vec<(Tree, EdgeWeights)>> {
    for training in folds.trainings() {
        check_root(root, training.n())?;
    }
    let weights = edge_weights_of_trainings(folds, score, control)?;
    control.check()?;
    let trainings = folds.trainings().zip(weights);
    trainings
        .map(|(counts, weights)| {
            let evidence = Evidence { counts: &counts, score };
            Ok((tree_of(&weights, evidence, root)?, weights))
        })
        .collect()
}

/// The weights of all arcs in each training set of a cross-validation.
pub(super) fn edge_weights_of_trainings(
    folds: &FoldCounts<'_>,
    score: &dyn FamilyScore,
    control: &Control,
) -> Result<Vec<EdgeWeights>> {
    let sources: Vec<TrainingCounts<'_>> = folds.trainings().collect();
    let mut scorers: Vec<Scorer<'_>> = Vec::with_capacity(sources.len());
    for counts in &sources {
        let own = scorer(Evidence { counts, score });
        scorers.push(if let Some(first) = scorers.first() { own.sharing_tables_with(first) } else { own });
    }
    edge_weights_of_folds(folds, &scorers, control)
}

fn check_root(root: Option<usize>, n: usize) -> Result<()> {
    match root.filter(|&root| root >= n) {
        Some(column) => Err(Error::ColumnOutOfRange { column, columns: n }),
        None => Ok(()),
    }
}

/// The scorer of all pairs.
pub(super) fn scorer(evidence: Evidence<'_>) -> Scorer<'_> {
    Scorer::for_source(evidence.score, evidence.counts, pair_cells(evidence))
}

/// The best tree over the weights of all arcs, which of an equivalent score have no direction.
pub(super) fn best_tree(weights: &[f64], n: usize, equivalent: bool, root: Option<usize>) -> Result<Tree> {
    match root {
        _ if equivalent => maximum_spanning_tree(weights, n, root.unwrap_or(0)),
        Some(root) => maximum_branching_from(weights, n, root),
        None => maximum_branching(weights, n),
    }
}

fn tree_of(weights: &EdgeWeights, evidence: Evidence<'_>, root: Option<usize>) -> Result<Tree> {
    best_tree(&weights.weights, evidence.counts.n(), evidence.score.is_score_equivalent(), root)
}

/// How many cells the pair tables have together.
fn pair_cells(evidence: Evidence<'_>) -> u128 {
    let sum: u128 = evidence.counts.arities().iter().map(|&arity| arity as u128).sum();
    sum.saturating_mul(sum) / 2 * evidence.counts.n_classes().unwrap_or(1) as u128
}

impl StructureLearner for Tan {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        if let Some(alpha) = self.smoothed {
            let (tree, weights) = smoothed::tree(evidence.counts, alpha, self.root, control)?;
            return Ok(self.structure(tree, of_matrix(&weights)));
        }
        if is_wide(evidence) {
            check_root(self.root, evidence.counts.n())?;
            let (tree, weights) = wide_tree(evidence, pair_cells(evidence), self.root.unwrap_or(0), control)?;
            return Ok(self.structure(tree, |_, child| weights[child]));
        }
        let (tree, weights) = optimal_tree(evidence, self.root, control)?;
        Ok(self.structure(tree, of_matrix(&weights.weights)))
    }

    fn learn_folds(&self, folds: &FoldCounts<'_>, score: &dyn FamilyScore, control: &Control) -> OfFolds {
        let is_wide = folds.trainings().any(|counts| is_wide(Evidence { counts: &counts, score }));
        if self.smoothed.is_some() || is_wide {
            let learn = |counts| self.learn(Evidence { counts: &counts, score }, control);
            return folds.trainings().map(learn).collect();
        }
        let trees = optimal_trees(folds, score, self.root, control)?;
        Ok(trees
            .into_iter()
            .map(|(tree, weights)| self.structure(tree, of_matrix(&weights.weights)))
            .collect())
    }
}

impl Tan {
    /// `weight` of an arc from parent to child.
    fn structure(&self, mut tree: Tree, weight: impl Fn(usize, usize) -> f64) -> Structure {
        if self.forest {
            for (child, parent) in tree.iter_mut().enumerate() {
                *parent = parent.filter(|&parent| weight(parent, child) > 0.0);
            }
        }
        Structure::from_tree(&tree)
    }
}

/// The weights of arcs in a matrix of all of them.
fn of_matrix(weights: &[f64]) -> impl Fn(usize, usize) -> f64 + '_ {
    let n = weights.len().isqrt();
    move |parent, child| weights[parent * n + child]
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "tan",
        title: "TAN",
        summary: "the best tree of dependencies, for any score",
        formula: "argmax Σ_i φ_i({X_π(i), C}) over trees π",
        settings: &[
            Declared::new("root", Domain::Column(&[]), "the root of the tree"),
            Declared::new("forest", Domain::Flag, "whether arcs that do not raise the score are dropped"),
            smoothed::SMOOTHED,
        ],
        needs: &[Need::Score],
    },
    build: |options| {
        let (root, forest) = (options.whole("root"), options.flag("forest"));
        Ok(Learner::Counts(Box::new(Tan { root, forest, smoothed: smoothed::from_options(options)? })))
    },
};
