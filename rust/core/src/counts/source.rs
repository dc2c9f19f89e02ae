//! Whoever can answer for the table of any family.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::control::Control;
use crate::counts::pairs::{CountedPairs, PairVisitor, count_pairs, visit_pairs};
use crate::counts::{Family, FamilyCounts, Pairs, check_cells, family_counts};
use crate::data::{Column, Dataset, Variable};
use crate::error::Result;

/// Tables of any family, from wherever they come: a data set, or all folds but one.
pub trait CountSource: Sync {
    /// The attributes' domain sizes.
    fn arities(&self) -> &[usize];

    /// The number of classes, where there is a class.
    fn n_classes(&self) -> Option<usize>;

    /// N: rows, or the sum of their weights.
    fn total(&self) -> f64;

    /// The table of a child given attribute parents and, where `with_class`, the class.
    fn family(&self, child: Variable, parents: &[usize], with_class: bool) -> Result<FamilyCounts>;

    /// Shows the table of every pair of attributes (given the class, where there is one) once, from several threads.
    fn visit_pairs(&self, visitor: &dyn PairVisitor, control: &Control) -> Result<()>;

    /// All pair tables, where they are kept: counted by the first call.
    fn kept_pairs(&self, _control: &Control) -> Result<Option<&CountedPairs>> {
        Ok(None)
    }

    /// The rows themselves, for searches that count in their own way; `None` where they are elsewhere.
    fn rows(&self) -> Result<Option<Cow<'_, Dataset>>> {
        Ok(None)
    }

    /// Whether values are missing, so that the tables of different families hold different rows.
    fn has_missing(&self) -> bool {
        false
    }

    /// How many cells may be asked for at once, where rows are elsewhere and every question that was not announced by
    /// [`CountSource::prepare`] costs a pass over them.
    fn capacity(&self) -> Option<u128> {
        None
    }

    /// Says which families will be asked for, so that they are counted together. What was prepared before and is not
    /// among them may be forgotten.
    fn prepare(&self, _families: &[Family]) -> Result<()> {
        Ok(())
    }

    /// The number of attributes.
    fn n(&self) -> usize {
        self.arities().len()
    }
}

/// Counts the families of one data set, and remembers the tables that many ask for.
#[derive(Debug)]
pub struct Counter<'a> {
    data: &'a Dataset,
    arities: Vec<usize>,
    pairs: OnceLock<CountedPairs>,
    singles: Vec<OnceLock<FamilyCounts>>,
}

/// Whether so many cells may be kept.
fn fits_cells(cells: u128) -> bool {
    usize::try_from(cells).is_ok_and(|cells| check_cells(String::new, [cells]).is_ok())
}

impl<'a> Counter<'a> {
    /// Pair tables of at most this many cells together are kept: 64 MiB of counts.
    pub(super) const KEPT_CELLS: u128 = 1 << 24;

    /// A counter that has counted nothing yet.
    pub fn new(data: &'a Dataset) -> Self {
        let singles = (0..data.n()).map(|_| OnceLock::new()).collect();
        Self { data, arities: data.arities(), pairs: OnceLock::new(), singles }
    }

    /// The pair tables, where they were counted and kept.
    pub(super) fn counted_pairs(&self) -> Option<&CountedPairs> {
        self.pairs.get()
    }

    /// A column's own table (given the class): summed from a pair table where there is one, else counted.
    fn single(&self, column: usize, with_class: bool) -> Result<FamilyCounts> {
        let partner =
            (0..self.data.n()).find(|&other| other != column && !self.data.column(other).has_missing());
        match (self.pairs.get(), partner) {
            (Some(pairs), Some(partner)) => Ok(pairs.family(column, partner, with_class).sum_over_parents()),
            _ => family_counts(self.data, Variable::Attribute(column), &[], with_class),
        }
    }
}

impl CountSource for Counter<'_> {
    fn arities(&self) -> &[usize] {
        &self.arities
    }

    fn n_classes(&self) -> Option<usize> {
        self.data.n_classes()
    }

    fn total(&self) -> f64 {
        self.data.total()
    }

    fn kept_pairs(&self, control: &Control) -> Result<Option<&CountedPairs>> {
        let cells = Pairs::<u32>::cells_needed(self.data);
        if self.pairs.get().is_none() && cells <= Self::KEPT_CELLS && fits_cells(cells) {
            let counted = count_pairs(self.data, control)?;
            return Ok(Some(self.pairs.get_or_init(|| counted)));
        }
        Ok(self.pairs.get())
    }

    fn rows(&self) -> Result<Option<Cow<'_, Dataset>>> {
        Ok(Some(Cow::Borrowed(self.data)))
    }

    fn has_missing(&self) -> bool {
        self.data.columns().iter().any(Column::has_missing)
    }

    fn family(&self, child: Variable, parents: &[usize], with_class: bool) -> Result<FamilyCounts> {
        // The kept tables are given the class, where there is one.
        let kept = with_class == self.data.class().is_some();
        match (child, parents) {
            (Variable::Attribute(column), []) if kept && column < self.data.n() => {
                if let Some(single) = self.singles[column].get() {
                    return Ok(single.clone());
                }
                let single = self.single(column, with_class)?;
                Ok(self.singles[column].get_or_init(|| single).clone())
            }
            (Variable::Attribute(column), &[parent])
                if kept && column != parent && column.max(parent) < self.data.n() =>
            {
                match self.pairs.get() {
                    Some(pairs) => Ok(pairs.family(column, parent, with_class)),
                    None => family_counts(self.data, child, parents, with_class),
                }
            }
            _ => family_counts(self.data, child, parents, with_class),
        }
    }

    fn visit_pairs(&self, visitor: &dyn PairVisitor, control: &Control) -> Result<()> {
        match self.kept_pairs(control)? {
            Some(pairs) => pairs.visit(visitor),
            None => visit_pairs(self.data, visitor, control),
        }
    }
}
