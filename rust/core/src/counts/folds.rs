//! The tables of all folds of a cross-validation from one pass over the rows.
//!
//! The fold of a row is counted as if it were part of its class: one table holds the cells of every (fold,
//! class), and what a training set holds is the sum over all folds minus the fold that is held out. Counts
//! are integers, so the difference equals a count of the training rows exactly.

use crate::control::Control;
use crate::counts::pairs::{PairTable, PairVisitor};
use crate::counts::{Cell, Cells, CountSource, Counter, FamilyCounts, FamilyShape};
use crate::data::{Code, Column, Dataset, Variable};
use crate::error::{Error, Result};
use crate::with_codes;

/// A data set whose class is (fold, class).
#[derive(Debug)]
pub struct FoldedData {
    data: Dataset,
    folds: usize,
    n_classes: Option<usize>,
    /// N of each fold.
    totals: Vec<f64>,
}

impl FoldedData {
    /// Marks each row with its fold, 0 to `folds − 1`.
    pub fn new(data: &Dataset, fold_of_row: &[u32], folds: usize) -> Result<Self> {
        if fold_of_row.len() != data.rows() {
            let found = fold_of_row.len();
            return Err(Error::LengthMismatch { what: "the folds", found, expected: data.rows() });
        }
        let mut totals = vec![0.0; folds];
        for (row, &fold) in fold_of_row.iter().enumerate() {
            let Some(total) = totals.get_mut(fold as usize) else {
                return Err(Error::CodeOutOfRange {
                    column: "of folds".into(),
                    row,
                    code: i64::from(fold),
                    arity: folds,
                });
            };
            *total += data.weights().map_or(1.0, |weights| weights[row]);
        }
        let classes = data.n_classes().unwrap_or(1);
        let joint: Vec<i64> = match data.class() {
            None => fold_of_row.iter().map(|&fold| i64::from(fold)).collect(),
            Some(class) => with_codes!(class.codes(), codes => fold_of_row
                .iter()
                .zip(codes)
                .map(|(&fold, code)| i64::from(fold) * classes as i64 + code.index() as i64)
                .collect()),
        };
        let column = Column::from_integers("of folds", joint.into_iter(), folds * classes, None)?;
        Ok(Self { data: data.with_class(column)?, folds, n_classes: data.n_classes(), totals })
    }
}

/// Counts the families of all folds together, and remembers the tables that many ask for.
#[derive(Debug)]
pub struct FoldCounts<'a> {
    folded: &'a FoldedData,
    counter: Counter<'a>,
}

impl<'a> FoldCounts<'a> {
    /// A counter that has counted nothing yet.
    pub fn new(folded: &'a FoldedData) -> Self {
        Self { folded, counter: Counter::new(&folded.data) }
    }

    /// The number of folds.
    pub fn folds(&self) -> usize {
        self.folded.folds
    }

    /// What the training rows hold when one fold is held out.
    pub fn training(&self, held_out: usize) -> TrainingCounts<'_> {
        TrainingCounts { counts: self, held_out }
    }
}

/// The tables of all rows but those of one fold.
#[derive(Debug, Clone, Copy)]
pub struct TrainingCounts<'a> {
    counts: &'a FoldCounts<'a>,
    held_out: usize,
}

impl TrainingCounts<'_> {
    /// Sums the folds' segments, one behind the other in `cells`, leaving one out.
    fn rest<T: Cell>(&self, cells: &[T]) -> Vec<T> {
        let segment = cells.len() / self.counts.folded.folds;
        let mut sum = vec![T::default(); segment];
        for (fold, cells) in cells.chunks_exact(segment).enumerate() {
            if fold != self.held_out {
                for (sum, &cell) in sum.iter_mut().zip(cells) {
                    *sum = sum.plus(cell);
                }
            }
        }
        sum
    }

    fn rest_of(&self, cells: &Cells) -> Cells {
        match cells {
            Cells::Integer(cells) => Cells::Integer(self.rest(cells)),
            Cells::Weighted(cells) => Cells::Weighted(self.rest(cells)),
        }
    }
}

impl CountSource for TrainingCounts<'_> {
    fn arities(&self) -> &[usize] {
        self.counts.counter.arities()
    }

    fn n_classes(&self) -> Option<usize> {
        self.counts.folded.n_classes
    }

    fn has_gaps(&self) -> bool {
        self.counts.counter.has_gaps()
    }

    fn total(&self) -> f64 {
        let totals = self.counts.folded.totals.iter().enumerate();
        totals.filter(|&(fold, _)| fold != self.held_out).map(|(_, total)| total).sum()
    }

    fn family(&self, child: Variable, parents: &[usize], with_class: bool) -> Result<FamilyCounts> {
        if child == Variable::Class || with_class {
            let Some(classes) = self.n_classes() else { return Err(Error::NoClass { what: "this family" }) };
            if child == Variable::Class {
                return self.class_family(parents, classes);
            }
            let joint = self.counts.counter.family(child, parents, true)?;
            let shape = FamilyShape { class: Some(classes), ..joint.shape };
            return Ok(FamilyCounts { shape, cells: self.rest_of(&joint.cells) });
        }
        let joint = self.counts.counter.family(child, parents, true)?;
        let given_class = self.rest_of(&joint.cells);
        let shape = FamilyShape { class: None, ..joint.shape };
        let cells = given_class.sum_segments(shape.configurations() * shape.child);
        Ok(FamilyCounts { shape, cells })
    }

    fn visit_pairs(&self, visitor: &dyn PairVisitor, control: &Control) -> Result<()> {
        self.counts.counter.visit_pairs(&RestVisitor { training: self, visitor }, control)
    }

    fn rows(&self) -> Result<Option<Dataset>> {
        let folded = &self.counts.folded.data;
        let classes = self.n_classes().unwrap_or(1);
        // The class of the folded data is fold·s + class.
        let Some(joint) = folded.class() else { return Ok(None) };
        let place = |row: u32| joint.get(row as usize).unwrap_or(0);
        let rows: Vec<u32> =
            (0..folded.rows() as u32).filter(|&row| place(row) / classes != self.held_out).collect();
        let training = folded.select(&rows)?;
        if self.n_classes().is_none() {
            return Ok(Some(training.without_class()));
        }
        let labels = rows.iter().map(|&row| (place(row) % classes) as i64).collect::<Vec<_>>();
        let class = Column::from_integers("of the class", labels.into_iter(), classes, None)?;
        Ok(Some(training.with_class(class)?))
    }
}

impl TrainingCounts<'_> {
    /// The class as a child: (fold, class) varies fastest, so the fold is cut out of each configuration's row.
    fn class_family(&self, parents: &[usize], classes: usize) -> Result<FamilyCounts> {
        let joint = self.counts.counter.family(Variable::Class, parents, false)?;
        fn cut<T: Cell>(training: &TrainingCounts<'_>, cells: &[T], row: usize) -> Vec<T> {
            cells.chunks_exact(row).flat_map(|row| training.rest(row)).collect()
        }
        let row = joint.shape.child;
        let cells = match &joint.cells {
            Cells::Integer(cells) => Cells::Integer(cut(self, cells, row)),
            Cells::Weighted(cells) => Cells::Weighted(cut(self, cells, row)),
        };
        Ok(FamilyCounts { shape: FamilyShape { child: classes, ..joint.shape }, cells })
    }
}

/// Shows another visitor the pair tables of the training rows.
struct RestVisitor<'a> {
    training: &'a TrainingCounts<'a>,
    visitor: &'a dyn PairVisitor,
}

impl RestVisitor<'_> {
    fn rest<T: Cell>(&self, table: PairTable<'_, T>) -> (Vec<T>, (usize, usize, usize)) {
        let (classes, r_i, r_j) = table.shape;
        (self.training.rest(table.cells), (classes / self.training.counts.folded.folds, r_i, r_j))
    }
}

impl PairVisitor for RestVisitor<'_> {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        let (cells, shape) = self.rest(table);
        self.visitor.integer(PairTable { i: table.i, j: table.j, shape, cells: &cells })
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        let (cells, shape) = self.rest(table);
        self.visitor.weighted(PairTable { i: table.i, j: table.j, shape, cells: &cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::family_counts;
    use proptest::prelude::*;
    use std::sync::Mutex;

    /// Collects what is shown.
    #[derive(Default)]
    struct Seen(Mutex<Vec<(usize, usize, Vec<u32>)>>);

    impl PairVisitor for Seen {
        fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
            self.0.lock().unwrap().push((table.i, table.j, table.cells.to_vec()));
            Ok(())
        }
        fn weighted(&self, _: PairTable<'_, f64>) -> Result<()> {
            unreachable!("the tables of this test have no weights")
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn training_tables_equal_those_of_the_training_rows(
            rows in proptest::collection::vec((0i64..3, 0i64..2, -1i64..3, 0i64..4, 0u32..3), 2..60),
            with_class in any::<bool>(),
        ) {
            let column = |values: Vec<i64>, arity| {
                Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
            };
            let columns = vec![
                column(rows.iter().map(|row| row.1).collect(), 2),
                column(rows.iter().map(|row| row.2).collect(), 3),
                column(rows.iter().map(|row| row.3).collect(), 4),
            ];
            let class = with_class.then(|| column(rows.iter().map(|row| row.0).collect(), 3));
            let data = Dataset::new(columns, class).unwrap();
            let fold_of_row: Vec<u32> = rows.iter().map(|row| row.4).collect();
            let folded = FoldedData::new(&data, &fold_of_row, 3).unwrap();
            let counts = FoldCounts::new(&folded);
            for held_out in 0..3 {
                let kept: Vec<u32> =
                    (0..rows.len() as u32).filter(|&row| fold_of_row[row as usize] != held_out).collect();
                let Ok(part) = data.select(&kept) else { continue };
                let training = counts.training(held_out as usize);
                prop_assert_eq!(training.total(), part.total());
                let seen = Seen::default();
                training.visit_pairs(&seen, &Control::new()).unwrap();
                prop_assert_eq!(seen.0.lock().unwrap().len(), 3);
                for (i, j, cells) in seen.0.lock().unwrap().iter() {
                    let family = family_counts(&part, Variable::Attribute(*j), &[*i], with_class).unwrap();
                    prop_assert_eq!(&Cells::Integer(cells.clone()), &family.cells);
                }
                for with_class in [false, with_class] {
                    for (child, parents) in [(0, vec![]), (1, vec![0]), (2, vec![0, 1])] {
                        let child = Variable::Attribute(child);
                        let expected = family_counts(&part, child, &parents, with_class).unwrap();
                        prop_assert_eq!(training.family(child, &parents, with_class).unwrap(), expected);
                    }
                }
                if with_class {
                    for parents in [vec![], vec![1]] {
                        let expected = family_counts(&part, Variable::Class, &parents, false).unwrap();
                        prop_assert_eq!(training.family(Variable::Class, &parents, false).unwrap(), expected);
                    }
                }
            }
        }
    }
}
