//! The tables of all folds of a cross-validation from one pass over the rows.
//!
//! The rows of each fold are counted apart; what a training set holds is the sum over all folds minus the fold
//! that is held out. Counts are integers, so the difference equals a count of the training rows exactly.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::pairs::{CountedPairs, PairVisitor, visit_pairs, visit_pairs_without_each};
use crate::counts::{CountSource, Counter, FamilyCounts, Pairs, family_counts};
use crate::data::{Dataset, RowGroups, Variable};
use crate::error::{Error, Result, check_length};

/// A data set and its parts, the rows of each fold side by side: a part is then counted and predicted as any data
/// set is. A fold without rows has no part.
///
/// # Complexity
/// O(N·n) time and memory: one copy of the codes.
#[derive(Debug)]
pub struct FoldedData<'a> {
    data: &'a Dataset,
    fold_of_row: &'a [u32],
    part_of_fold: Vec<Option<usize>>,
    parts: Vec<Dataset>,
}

impl<'a> FoldedData<'a> {
    /// Parts the rows by their folds, 0 to `folds − 1`.
    pub fn new(data: &'a Dataset, fold_of_row: &'a [u32], folds: usize) -> Result<Self> {
        check_length("the folds", fold_of_row.len(), data.rows())?;
        if let Some(row) = fold_of_row.iter().position(|&fold| fold as usize >= folds) {
            let (column, code) = ("of folds".into(), i64::from(fold_of_row[row]));
            return Err(Error::CodeOutOfRange { column, row, code, arity: folds });
        }
        let groups = RowGroups::new(folds, fold_of_row.iter().map(|&fold| fold as usize));
        let filled: Vec<usize> = (0..folds).filter(|&fold| !groups.of(fold).is_empty()).collect();
        let mut part_of_fold = vec![None; folds];
        filled.iter().enumerate().for_each(|(part, &fold)| part_of_fold[fold] = Some(part));
        let select = |&fold: &usize| data.select(groups.of(fold));
        let parts = filled.par_iter().map(select).collect::<Result<_>>()?;
        Ok(Self { data, fold_of_row, part_of_fold, parts })
    }

    /// The part of a fold, where it has rows; later folds have later parts.
    pub fn part_of_fold(&self, fold: usize) -> Option<usize> {
        self.part_of_fold[fold]
    }

    /// The parts: the rows of each fold in their order.
    pub fn parts(&self) -> &[Dataset] {
        &self.parts
    }
}

/// Counts the families of all parts, and remembers the tables that many ask for.
#[derive(Debug)]
pub struct FoldCounts<'a> {
    folded: &'a FoldedData<'a>,
    arities: Vec<usize>,
    counters: Vec<Counter<'a>>,
    /// The pair tables of all parts together, where they and those of the parts are kept.
    pairs: OnceLock<CountedPairs>,
    /// The tables of single pairs in all rows: the trees of different folds have most arcs in common.
    arcs: Mutex<HashMap<(usize, usize), Arc<FamilyCounts>>>,
}

impl<'a> FoldCounts<'a> {
    /// A counter that has counted nothing yet.
    pub fn new(folded: &'a FoldedData<'a>) -> Self {
        let counters = folded.parts.iter().map(Counter::new).collect();
        Self {
            folded,
            arities: folded.data.arities(),
            counters,
            pairs: OnceLock::new(),
            arcs: Mutex::default(),
        }
    }

    /// What the training rows hold when one part is held out.
    pub fn training(&self, held_out: usize) -> TrainingCounts<'_> {
        TrainingCounts { counts: self, held_out }
    }

    /// What the training rows hold, for each part that can be held out.
    pub fn trainings(&self) -> impl Iterator<Item = TrainingCounts<'_>> {
        (0..self.counters.len()).map(|held_out| self.training(held_out))
    }

    /// Shows the table of every pair of attributes once to each visitor, from several threads: to the first one that
    /// of all rows but those of the first part, and so on. Every row is counted once.
    pub fn visit_pairs<V: PairVisitor>(&self, visitors: &[V], control: &Control) -> Result<()> {
        if self.pairs(control)?.is_none() && self.folded.data.weights().is_none() {
            return visit_pairs_without_each(&self.folded.parts, visitors, control);
        }
        let mut trainings = self.trainings().zip(visitors);
        trainings.try_for_each(|(training, visitor)| training.visit_pairs(visitor, control))
    }

    /// The table of a child given one parent and the class, where there is one, in all rows; kept as long as there
    /// are not too many.
    fn arc(&self, child: usize, parent: usize) -> Result<Arc<FamilyCounts>> {
        // A thread that panicked has at worst left a table out.
        let arcs = || self.arcs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(family) = arcs().get(&(child, parent)) {
            return Ok(family.clone());
        }
        let data = self.folded.data;
        let family = family_counts(data, Variable::Attribute(child), &[parent], data.class().is_some())?;
        let family = Arc::new(family);
        let mut arcs = arcs();
        if (arcs.len() as u128 + 1).saturating_mul(family.cells.len() as u128) <= Counter::KEPT_CELLS {
            arcs.insert((child, parent), family.clone());
        }
        Ok(family)
    }

    /// All pair tables, counted on the first call and kept, as are those of the parts; `None` where these have more
    /// cells than rows that are read to count them: making room for them costs more than counting again.
    fn pairs(&self, control: &Control) -> Result<Option<&CountedPairs>> {
        if let Some(pairs) = self.pairs.get() {
            return Ok(Some(pairs));
        }
        let data = self.folded.data;
        let pairs = (data.n() as u128).pow(2) / 2;
        let most = (pairs * data.rows() as u128).min(Counter::KEPT_CELLS);
        if Pairs::<u32>::cells_needed(data).saturating_mul(self.counters.len() as u128) > most {
            return Ok(None);
        }
        let parts: Vec<Option<&CountedPairs>> =
            self.counters.par_iter().map(|counter| counter.kept_pairs(control)).collect::<Result<_>>()?;
        let sum = CountedPairs::sum(parts.into_iter().flatten());
        Ok(sum.map(|sum| self.pairs.get_or_init(|| sum)))
    }
}

/// The tables of all rows but those of one part.
#[derive(Debug, Clone, Copy)]
pub struct TrainingCounts<'a> {
    counts: &'a FoldCounts<'a>,
    held_out: usize,
}

impl TrainingCounts<'_> {
    fn others(&self) -> impl Iterator<Item = &Counter<'_>> {
        let counters = self.counts.counters.iter().enumerate();
        counters.filter(|&(part, _)| part != self.held_out).map(|(_, counter)| counter)
    }

    fn held_out(&self) -> &Counter<'_> {
        &self.counts.counters[self.held_out]
    }
}

impl CountSource for TrainingCounts<'_> {
    fn arities(&self) -> &[usize] {
        &self.counts.arities
    }

    fn n_classes(&self) -> Option<usize> {
        self.counts.folded.data.n_classes()
    }

    fn has_missing(&self) -> bool {
        self.others().any(Counter::has_missing)
    }

    fn total(&self) -> f64 {
        self.others().map(Counter::total).sum()
    }

    fn family(&self, child: Variable, parents: &[usize], with_class: bool) -> Result<FamilyCounts> {
        let count = |counter: &Counter<'_>| counter.family(child, parents, with_class);
        let counts = self.counts;
        if let (Variable::Attribute(column), &[parent]) = (child, parents)
            && with_class == self.n_classes().is_some()
            && counts.pairs.get().is_none()
            && counts.folded.data.weights().is_none()
        {
            let mut rest = counts.arc(column, parent)?.as_ref().clone();
            rest.cells.subtract(&count(self.held_out())?.cells);
            return Ok(rest);
        }
        let mut others = self.others();
        let Some(first) = others.next() else {
            // All rows are held out.
            let mut family = count(self.held_out())?;
            family.cells.clear();
            return Ok(family);
        };
        let mut sum = count(first)?;
        for counter in others {
            sum.cells.add(&count(counter)?.cells);
        }
        Ok(sum)
    }

    fn visit_pairs(&self, visitor: &dyn PairVisitor, control: &Control) -> Result<()> {
        let all = self.counts.pairs(control)?;
        match (all, self.held_out().counted_pairs()) {
            (Some(all @ CountedPairs::Integer(_)), Some(part)) => all.visit_without(part, visitor),
            // Differences of weights are rounded: the others are added up.
            (Some(all), _) => match CountedPairs::sum(self.others().filter_map(Counter::counted_pairs)) {
                Some(sum) => sum.visit(visitor),
                None => all.visit_without(all, visitor),
            },
            (None, _) => match self.rows()? {
                Some(rows) => visit_pairs(&rows, visitor, control),
                None => Ok(()),
            },
        }
    }

    fn rows(&self) -> Result<Option<Cow<'_, Dataset>>> {
        let folded = self.counts.folded;
        let folds = folded.fold_of_row.iter().enumerate();
        let training = folds.filter(|&(_, &fold)| folded.part_of_fold[fold as usize] != Some(self.held_out));
        let rows: Vec<u32> = training.map(|(row, _)| row as u32).collect();
        if rows.is_empty() {
            return Ok(None); // no rows are no data set; their counts are all 0
        }
        folded.data.select(&rows).map(|rows| Some(Cow::Owned(rows)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, PairTable};
    use crate::data::Column;
    use proptest::prelude::*;

    /// Collects what is shown.
    #[derive(Default)]
    struct Seen(Mutex<Vec<(usize, usize, Cells)>>);

    impl PairVisitor for Seen {
        fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
            self.0.lock().unwrap().push((table.i, table.j, Cells::Integer(table.cells.to_vec())));
            Ok(())
        }
        fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
            self.0.lock().unwrap().push((table.i, table.j, Cells::Weighted(table.cells.to_vec())));
            Ok(())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// From 2 to 200 rows, so that pair tables are kept in some cases and only visited in others.
        #[test]
        fn training_tables_equal_those_of_the_training_rows(
            rows in proptest::collection::vec((0i64..3, 0i64..2, -1i64..3, 0i64..4, 0u32..3), 2..200),
            missing in any::<bool>(),
            with_class in any::<bool>(),
            weighted in any::<bool>(),
        ) {
            let column = |values: Vec<i64>, arity| {
                Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
            };
            let columns = vec![
                column(rows.iter().map(|row| row.1).collect(), 2),
                column(rows.iter().map(|row| if missing { row.2 } else { row.2.max(0) }).collect(), 3),
                column(rows.iter().map(|row| row.3).collect(), 4),
            ];
            let class = with_class.then(|| column(rows.iter().map(|row| row.0).collect(), 3));
            let mut data = Dataset::new(columns, class).unwrap();
            if weighted {
                // Whole numbers, so that sums in any order agree.
                data = data.with_weights(rows.iter().map(|row| (row.0 + 2 * row.3 + 1) as f64).collect()).unwrap();
            }
            let fold_of_row: Vec<u32> = rows.iter().map(|row| 2 * row.4).collect();
            let folded = FoldedData::new(&data, &fold_of_row, 6).unwrap();
            let counts = FoldCounts::new(&folded);
            let together: Vec<Seen> = folded.parts().iter().map(|_| Seen::default()).collect();
            counts.visit_pairs(&together, &Control::new()).unwrap();
            for held_out in [0, 2, 4] {
                let Some(part) = folded.part_of_fold(held_out) else { continue };
                let kept = |&row: &u32| fold_of_row[row as usize] as usize != held_out;
                let kept: Vec<u32> = (0..rows.len() as u32).filter(kept).collect();
                let training = counts.training(part);
                let Ok(expected) = data.select(&kept) else {
                    let family = training.family(Variable::Attribute(0), &[], with_class).unwrap();
                    prop_assert_eq!((training.total(), family.cells.total()), (0.0, 0.0));
                    continue;
                };
                prop_assert_eq!(training.total(), expected.total());
                prop_assert_eq!(training.has_missing(), Counter::new(&expected).has_missing());
                prop_assert_eq!(&*training.rows().unwrap().unwrap(), &expected);
                let alone = Seen::default();
                training.visit_pairs(&alone, &Control::new()).unwrap();
                for seen in [&alone, &together[part]] {
                    prop_assert_eq!(seen.0.lock().unwrap().len(), 3);
                    for (i, j, cells) in seen.0.lock().unwrap().iter() {
                        let child = Variable::Attribute(*j);
                        let family = family_counts(&expected, child, &[*i], with_class).unwrap();
                        prop_assert_eq!(cells, &family.cells);
                    }
                }
                for with_class in [false, with_class] {
                    for (child, parents) in [(0, vec![]), (1, vec![0]), (0, vec![2]), (2, vec![0, 1])] {
                        let child = Variable::Attribute(child);
                        let expected = family_counts(&expected, child, &parents, with_class).unwrap();
                        prop_assert_eq!(training.family(child, &parents, with_class).unwrap(), expected);
                    }
                }
                if with_class {
                    for parents in [vec![], vec![1]] {
                        let expected = family_counts(&expected, Variable::Class, &parents, false).unwrap();
                        prop_assert_eq!(training.family(Variable::Class, &parents, false).unwrap(), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn folds_that_do_not_fit_are_refused() {
        let column = Column::from_integers("x", [0, 1, 0].into_iter(), 2, None).unwrap();
        let data = Dataset::new(vec![column], None).unwrap();
        assert!(matches!(FoldedData::new(&data, &[0, 1], 2), Err(Error::LengthMismatch { .. })));
        let beyond = FoldedData::new(&data, &[0, 1, 2], 2).unwrap_err();
        assert!(matches!(beyond, Error::CodeOutOfRange { row: 2, code: 2, .. }));
        let impossible = FoldCounts::new(&FoldedData::new(&data, &[0, 1, 0], 2).unwrap())
            .training(0)
            .family(Variable::Attribute(0), &[0], false)
            .unwrap_err();
        assert!(matches!(impossible, Error::RepeatedVariable { .. }));
    }
}
