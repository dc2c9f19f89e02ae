//! The weights of all possible arcs between attributes.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{Cells, CountSource, FamilyShape, FoldCounts, PairTable, PairVisitor};
use crate::data::Variable;
use crate::error::{Error, Result};
use crate::memory::{check_bytes, with_room};
use crate::score::scorer::Scorable;
use crate::score::{PreparedFamily, Scorer};

/// What a tree learner needs of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeWeights {
    /// w(i→j) at `[i·n + j]`, 0 on the diagonal.
    pub weights: Vec<f64>,
    /// φ_i({C}), or φ_i(∅) where there is no class.
    pub alone: Vec<f64>,
}

/// The gain of each attribute as the parent of each other, beside the class.
///
/// # Formula
/// ```text
/// w(i→j) = φ_j({X_i, C}) − φ_j({C})
/// ```
/// φ the score, C the class (left out where the data has none). For a score-equivalent φ w is symmetric, up
/// to rounding; it is computed once and stored twice, so that it is so exactly.
///
/// # Complexity
/// O(n²·N/64) or O(n²·N) for the counts, whichever kernel is cheaper, and O(n²·s·r²) for the scores.
///
/// # References
/// friedman1997, heckerman1995
pub fn edge_weights(source: &dyn CountSource, scorer: &Scorer<'_>, control: &Control) -> Result<EdgeWeights> {
    if scorer.is_incomplete() {
        return weights_of_incomplete(source, scorer, control);
    }
    let sink = WeightSink::new(source, scorer, control)?;
    source.visit_pairs(&sink, control)?;
    sink.finish(source)
}

/// [`edge_weights`], and every pair's table shown to someone else too while it is in the cache.
pub fn edge_weights_visiting(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    also: &dyn PairVisitor,
    control: &Control,
) -> Result<EdgeWeights> {
    if scorer.is_incomplete() {
        let weights = weights_of_incomplete(source, scorer, control)?;
        let with_class = source.n_classes().is_some();
        let pairs = (0..source.n()).into_par_iter().flat_map_iter(|j| (0..j).map(move |i| (i, j)));
        pairs.try_for_each(|(i, j)| {
            control.check()?;
            let family = source.family(Variable::Attribute(j), &[i], with_class)?;
            let shape = (source.n_classes().unwrap_or(1), source.arities()[i], source.arities()[j]);
            match &family.cells {
                Cells::Integer(cells) => also.integer(PairTable { i, j, shape, cells }),
                Cells::Weighted(cells) => also.weighted(PairTable { i, j, shape, cells }),
            }
        })?;
        return Ok(weights);
    }
    let sink = WeightSink::new(source, scorer, control)?;
    source.visit_pairs(&Both(&sink, also), control)?;
    sink.finish(source)
}

/// [`edge_weights`] of each training set of a cross-validation, with its own scorer, from one pass over all pairs.
pub fn edge_weights_of_folds(
    folds: &FoldCounts<'_>,
    scorers: &[Scorer<'_>],
    control: &Control,
) -> Result<Vec<EdgeWeights>> {
    let sources = || folds.trainings().zip(scorers);
    if scorers.iter().any(Scorer::is_incomplete) {
        return sources().map(|(source, scorer)| edge_weights(&source, scorer, control)).collect();
    }
    let n = sources().map(|(source, _)| source.n()).next().unwrap_or(0);
    check_bytes(|| format!("{} of {} folds", matrix(n), scorers.len()), [scorers.len(), n, n, 8])?;
    let sinks = sources().map(|(source, scorer)| WeightSink::new(&source, scorer, control));
    let sinks = sinks.collect::<Result<Vec<_>>>()?;
    folds.visit_pairs(&sinks, control)?;
    sinks.into_iter().zip(folds.trainings()).map(|(sink, source)| sink.finish(&source)).collect()
}

/// What is said of weights that are too many.
fn matrix(n: usize) -> String {
    format!("the matrix of the weights of all arcs between {n} columns")
}

/// Whether [`edge_weights`] of so many columns fit into memory.
pub fn weights_fit(n: usize) -> bool {
    check_bytes(|| matrix(n), [n, n, 8]).is_ok()
}

/// Sees the weights of each pair of attributes once, for score-equivalent scores; called from several threads.
pub trait EdgeVisitor: Sync {
    /// Whether w(j→i) is asked for too: it is the same up to rounding.
    fn wants_backward(&self, _i: usize, _j: usize) -> bool {
        false
    }

    /// w(i→j) of a pair `i < j`, and w(j→i) where it is wanted, else some number.
    fn visit(&self, i: usize, j: usize, forward: f64, backward: f64) -> Result<()>;
}

/// Shows w(i→j), `i < j`, of each pair once, from several threads, and keeps none: for score-equivalent scores, of which this is
/// all there is.
///
/// # Complexity
/// As [`edge_weights`], in O(n) memory beyond a block of tables for each thread.
pub fn visit_edge_weights(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    visitor: &dyn EdgeVisitor,
    control: &Control,
) -> Result<()> {
    if scorer.is_incomplete() {
        let weight = weight_of_incomplete(source, scorer, control);
        let show = |i: usize, j: usize| {
            let backward = if visitor.wants_backward(i, j) { weight(j, i)? } else { 0.0 };
            visitor.visit(i, j, weight(i, j)?, backward)
        };
        let columns = (0..source.n()).into_par_iter();
        return columns.try_for_each(|j| (0..j).try_for_each(|i| show(i, j)));
    }
    let alone = alone(source, scorer, control)?;
    let pairs = PairScorer::new(source, scorer, control)?;
    source.visit_pairs(&Shown { pairs, alone, visitor }, control)
}

/// The tables as weights, shown to a function.
struct Shown<'a> {
    pairs: PairScorer<'a>,
    alone: Vec<f64>,
    visitor: &'a dyn EdgeVisitor,
}

impl Shown<'_> {
    fn show<T: Scorable>(&self, table: PairTable<'_, T>) -> Result<()> {
        let (i, j) = (table.i, table.j);
        let (forward, backward) = self.pairs.score(table, self.visitor.wants_backward(i, j))?;
        let (forward, backward) = (forward - self.alone[j], backward - self.alone[i]);
        if forward.is_nan() || backward.is_nan() {
            return Err(Error::ScoreNotANumber { child: Variable::Attribute(j).to_string() });
        }
        self.visitor.visit(i, j, forward, backward)
    }
}

impl PairVisitor for Shown<'_> {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.show(table)
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.show(table)
    }
}

/// φ_i({C}) of each attribute.
fn alone(source: &dyn CountSource, scorer: &Scorer<'_>, control: &Control) -> Result<Vec<f64>> {
    let with_class = source.n_classes().is_some();
    let of_column = |column| {
        control.check()?;
        let child = Variable::Attribute(column);
        scorer.family(child, &source.family(child, &[], with_class)?)
    };
    (0..source.n()).map(of_column).collect()
}

/// The weight of an arc on the rows where both ends are known.
fn weight_of_incomplete<'a>(
    source: &'a dyn CountSource,
    scorer: &'a Scorer<'_>,
    control: &'a Control,
) -> impl Fn(usize, usize) -> Result<f64> + Sync + 'a {
    let with_class = source.n_classes().is_some();
    move |parent, child| {
        control.check()?;
        let child = Variable::Attribute(child);
        scorer.family(child, &source.family(child, &[parent], with_class)?)
    }
}

/// The weights where values are missing: of each pair on the rows where both are known, scaled to N (see
/// [`Scorer::for_source`]). Every pair is counted on its own.
fn weights_of_incomplete(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    control: &Control,
) -> Result<EdgeWeights> {
    let n = source.n();
    let weight = weight_of_incomplete(source, scorer, control);
    // The pairs, both weights of each, and the matrix.
    check_bytes(|| matrix(n), [n, n, 24])?;
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    let both = !scorer.score().is_score_equivalent();
    let scored = pairs.par_iter().map(|&(i, j)| {
        let forward = weight(i, j)?;
        Ok((forward, if both { weight(j, i)? } else { forward }))
    });
    let mut weights = vec![0.0; n * n];
    for (&(i, j), (forward, backward)) in pairs.iter().zip(scored.collect::<Result<Vec<_>>>()?) {
        weights[i * n + j] = forward;
        weights[j * n + i] = backward;
    }
    // Against itself, the class alone gains nothing.
    Ok(EdgeWeights { weights, alone: vec![0.0; n] })
}

/// Prepared scores for each pair of domain sizes that occurs: few, however many columns there are.
struct Shapes {
    /// For each column, the position of its arity among the distinct ones.
    arity_of_column: Vec<usize>,
    distinct: usize,
    /// `[child·distinct + parent]`; empty where the score has no additive form.
    prepared: Vec<PreparedFamily>,
}

impl Shapes {
    fn prepare(source: &dyn CountSource, scorer: &Scorer<'_>) -> Result<Self> {
        let mut arities = source.arities().to_vec();
        arities.sort_unstable();
        arities.dedup();
        let arity_of_column = source
            .arities()
            .iter()
            .map(|arity| arities.binary_search(arity).unwrap_or_else(|position| position))
            .collect();
        let mut prepared = Vec::with_capacity(arities.len() * arities.len());
        for &child in &arities {
            for &parent in &arities {
                let shape = FamilyShape { child, class: source.n_classes(), parents: vec![parent] };
                match scorer.prepare(&shape)? {
                    Some(family) => prepared.push(family),
                    None => return Ok(Self { arity_of_column, distinct: 0, prepared: Vec::new() }),
                }
            }
        }
        Ok(Self { arity_of_column, distinct: arities.len(), prepared })
    }

    fn family(&self, child: usize, parent: usize) -> Option<&PreparedFamily> {
        self.prepared.get(self.arity_of_column[child] * self.distinct + self.arity_of_column[parent])
    }
}

/// Scores each pair's table, in both directions where they differ.
struct PairScorer<'a> {
    scorer: &'a Scorer<'a>,
    shapes: Shapes,
    with_class: bool,
    control: &'a Control,
}

impl<'a> PairScorer<'a> {
    fn new(source: &dyn CountSource, scorer: &'a Scorer<'a>, control: &'a Control) -> Result<Self> {
        let shapes = Shapes::prepare(source, scorer)?;
        Ok(Self { scorer, shapes, with_class: source.n_classes().is_some(), control })
    }

    /// φ_j({X_i, C}), and φ_i({X_j, C}) where `both` are wanted.
    fn score<T: Scorable>(&self, table: PairTable<'_, T>, both: bool) -> Result<(f64, f64)> {
        // A score may be the caller's own function, and slow.
        self.control.check()?;
        let (i, j) = (table.i, table.j);
        if self.with_class
            && let Some(scores) = self.scorer.score().pair(T::pair(table), self.scorer.total())?
        {
            return Ok(scores);
        }
        let forward = match self.shapes.family(j, i) {
            Some(prepared) => T::score(prepared, table.cells),
            None => self.scorer.family(Variable::Attribute(j), &table.second_given_first(self.with_class))?,
        };
        let backward = match self.shapes.family(i, j) {
            _ if !both => 0.0,
            Some(prepared) => T::score(prepared, &table.transposed()),
            None => self.scorer.family(Variable::Attribute(i), &table.first_given_second(self.with_class))?,
        };
        Ok((forward, backward))
    }
}

/// The scores of all pairs, in a matrix.
struct WeightSink<'a> {
    pairs: PairScorer<'a>,
    /// The bits of each weight: every pair is written once, by whichever thread counts it.
    weights: Vec<AtomicU64>,
    n: usize,
}

impl<'a> WeightSink<'a> {
    fn new(source: &dyn CountSource, scorer: &'a Scorer<'a>, control: &'a Control) -> Result<Self> {
        let n = source.n();
        let mut weights = with_room(|| matrix(n), n.saturating_mul(n))?;
        weights.extend((0..n * n).map(|_| AtomicU64::new(0)));
        Ok(Self { pairs: PairScorer::new(source, scorer, control)?, weights, n })
    }

    /// The weights, once every pair has been seen.
    fn finish(self, source: &dyn CountSource) -> Result<EdgeWeights> {
        let Self { pairs: PairScorer { scorer, control, .. }, n, .. } = self;
        let mut weights: Vec<f64> =
            self.weights.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect();
        let alone = alone(source, scorer, control)?;
        for i in 0..n {
            for j in 0..n {
                if i != j {
                    weights[i * n + j] -= alone[j];
                }
            }
        }
        if scorer.score().is_score_equivalent() {
            for i in 0..n {
                for j in 0..i {
                    weights[i * n + j] = weights[j * n + i];
                }
            }
        }
        if let Some(position) = weights.iter().position(|weight| weight.is_nan()) {
            return Err(Error::ScoreNotANumber { child: Variable::Attribute(position % n).to_string() });
        }
        Ok(EdgeWeights { weights, alone })
    }

    fn visit<T: Scorable>(&self, table: PairTable<'_, T>) -> Result<()> {
        let (i, j) = (table.i, table.j);
        let both = !self.pairs.scorer.score().is_score_equivalent();
        let (forward, backward) = self.pairs.score(table, both)?;
        self.weights[i * self.n + j].store(forward.to_bits(), Ordering::Relaxed);
        self.weights[j * self.n + i].store(backward.to_bits(), Ordering::Relaxed);
        Ok(())
    }
}

/// Shows each table to two visitors.
struct Both<'a>(&'a dyn PairVisitor, &'a dyn PairVisitor);

impl PairVisitor for Both<'_> {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.0.integer(table)?;
        self.1.integer(table)
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.0.weighted(table)?;
        self.1.weighted(table)
    }
}

impl PairVisitor for WeightSink<'_> {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.visit(table)
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.visit(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Counter, family_counts};
    use crate::data::{Column, Dataset};
    use crate::options::Options;
    use crate::score::{FamilyScore, LogLikelihood, by_name};
    use proptest::prelude::*;

    fn dataset(rows: &[(i64, i64, i64, i64)]) -> Dataset {
        let column = |values: Vec<i64>, arity| {
            Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
        };
        let columns = vec![
            column(rows.iter().map(|row| row.0).collect(), 2),
            column(rows.iter().map(|row| row.1).collect(), 3),
            column(rows.iter().map(|row| row.2).collect(), 2),
        ];
        Dataset::new(columns, Some(column(rows.iter().map(|row| row.3).collect(), 2))).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn each_pair_is_scored_on_its_own_rows(
            rows in prop::collection::vec((-1i64..2, -1i64..3, -1i64..2, 0i64..2), 1..40),
        ) {
            let data = dataset(&rows);
            let total = data.total();
            let scores: [Box<dyn FamilyScore>; 2] =
                [Box::new(LogLikelihood), by_name("k2", &Options::default()).unwrap()];
            for score in &scores {
                let counts = Counter::new(&data);
                let scorer = Scorer::for_source(&**score, &counts, 1 << 10);
                let found = edge_weights(&counts, &scorer, &Control::new()).unwrap().weights;
                for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                    let known = |&row: &u32| {
                        [i, j].iter().all(|&column: &usize| data.column(column).get(row as usize).is_some())
                    };
                    let known: Vec<u32> = (0..rows.len() as u32).filter(known).collect();
                    let expected = match data.select(&known) {
                        Err(_) => 0.0, // never known together
                        Ok(part) => {
                            let phi = |parents: &[usize]| {
                                let table = family_counts(&part, Variable::Attribute(j), parents, true).unwrap();
                                score.score(&table.scaled_to(total), total).unwrap()
                            };
                            phi(&[i]) - phi(&[])
                        }
                    };
                    prop_assert!((found[i * 3 + j] - expected).abs() < 1e-9 * (1.0 + expected.abs()));
                }
            }
        }
    }
}
