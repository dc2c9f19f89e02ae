//! Statistics, and further passes over the rows for the tables that they do not hold.

use std::collections::{HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

use rayon::prelude::*;

use super::Statistics;
use crate::control::Control;
use crate::counts::{Cells, CountSource, FamilyCounts, FamilyShape, PairVisitor, check_cells, family_counts};
use crate::data::{Dataset, Variable};
use crate::error::{Error, Result};

/// An attribute, its attribute parents, and whether the class is a parent too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Family {
    /// The child's column.
    pub child: usize,
    /// The parents' columns, in the order of the table.
    pub parents: Vec<usize>,
    /// Whether the class is a parent.
    pub with_class: bool,
}

/// Whoever can go through all rows once more.
pub trait Passes: Sync {
    /// The cells of each family, over all rows, one after another: whole numbers where rows have no weights.
    fn count(&self, families: &[Family]) -> Result<Vec<f64>>;
}

/// The tables of families in one batch of rows, one after another.
pub fn count_families(data: &Dataset, families: &[Family], control: &Control) -> Result<Vec<Cells>> {
    let counted = families.par_iter().map(|family| {
        control.check()?;
        let child = Variable::Attribute(family.child);
        Ok(family_counts(data, child, &family.parents, family.with_class)?.cells)
    });
    counted.collect()
}

/// Statistics of rows that can be gone through again: what is asked for and was not counted is counted in further passes,
/// as few of them as the memory allows.
///
/// Whoever asks for many families says so first ([`CountSource::prepare`]): all of them are then counted in one
/// pass, or in several where their tables have more than [`CountSource::capacity`] cells together.
pub struct Streamed<'a> {
    statistics: &'a Statistics,
    passes: &'a dyn Passes,
    /// The most cells that are counted in one pass.
    cells: u128,
    prepared: RwLock<HashMap<Family, FamilyCounts>>,
}

impl<'a> Streamed<'a> {
    /// With so many bytes for the tables of one pass.
    pub fn new(statistics: &'a Statistics, passes: &'a dyn Passes, memory: u64) -> Self {
        // Sums in 64 bits, and the counts of a batch beside them.
        let cells = u128::from(memory / 16).max(1);
        Self { statistics, passes, cells, prepared: RwLock::default() }
    }

    fn shape(&self, family: &Family) -> FamilyShape {
        let arities = self.statistics.arities();
        FamilyShape {
            child: arities[family.child],
            class: if family.with_class { self.statistics.n_classes() } else { None },
            parents: family.parents.iter().map(|&parent| arities[parent]).collect(),
        }
    }

    /// One pass.
    fn count(&self, families: &[Family]) -> Result<Vec<FamilyCounts>> {
        let shapes: Vec<FamilyShape> = families.iter().map(|family| self.shape(family)).collect();
        let counted = self.passes.count(families)?;
        let mut rest = counted.as_slice();
        let whole = !self.statistics.is_weighted() && self.statistics.rows() <= Dataset::MAX_ROWS as u64;
        let tables = shapes.into_iter().map(|shape| {
            let expected = shape.configurations() * shape.child;
            let Some((cells, others)) = rest.split_at_checked(expected) else {
                let (what, found) = ("what a pass counted", rest.len());
                return Err(Error::LengthMismatch { what, found, expected });
            };
            rest = others;
            if cells.iter().sum::<f64>() > self.statistics.total() * (1.0 + 1e-9) {
                let reason = "a further pass has met other rows than the first: the table has changed".into();
                return Err(Error::InvalidStatistics { reason });
            }
            let cells = if whole {
                Cells::Integer(cells.iter().map(|&cell| cell as u32).collect())
            } else {
                Cells::Weighted(cells.to_vec())
            };
            Ok(FamilyCounts { shape, cells })
        });
        tables.collect()
    }
}

impl CountSource for Streamed<'_> {
    fn arities(&self) -> &[usize] {
        self.statistics.arities()
    }

    fn n_classes(&self) -> Option<usize> {
        self.statistics.n_classes()
    }

    fn total(&self) -> f64 {
        self.statistics.total()
    }

    fn has_missing(&self) -> bool {
        self.statistics.has_missing()
    }

    fn visit_pairs(&self, visitor: &dyn PairVisitor, control: &Control) -> Result<()> {
        self.statistics.visit_pairs(visitor, control)
    }

    fn family(&self, child: Variable, parents: &[usize], with_class: bool) -> Result<FamilyCounts> {
        let (Variable::Attribute(column), 2..) = (child, parents.len()) else {
            return self.statistics.family(child, parents, with_class);
        };
        let family = Family { child: column, parents: parents.to_vec(), with_class };
        if let Some(found) = self.prepared.read().unwrap_or_else(PoisonError::into_inner).get(&family) {
            return Ok(found.clone());
        }
        self.prepare_more(std::slice::from_ref(&family))?;
        let prepared = self.prepared.read().unwrap_or_else(PoisonError::into_inner);
        prepared.get(&family).cloned().ok_or(Error::NotCounted { family: child.to_string() })
    }

    fn capacity(&self) -> Option<u128> {
        Some(self.cells)
    }

    fn prepare(&self, families: &[Family]) -> Result<()> {
        let wanted: HashSet<&Family> = families.iter().collect();
        let mut prepared = self.prepared.write().unwrap_or_else(PoisonError::into_inner);
        prepared.retain(|family, _| wanted.contains(family));
        drop(prepared);
        self.prepare_more(families)
    }
}

impl Streamed<'_> {
    fn prepare_more(&self, families: &[Family]) -> Result<()> {
        let n = self.statistics.n();
        let mut wanted = Vec::new();
        for family in families {
            let columns = family.parents.iter().copied().chain([family.child]);
            if let Some(column) = columns.clone().find(|&column| column >= n) {
                return Err(Error::ColumnOutOfRange { column, columns: n });
            }
            let held = self.prepared.read().unwrap_or_else(PoisonError::into_inner).contains_key(family);
            if family.parents.len() > 1 && !held {
                let shape = self.shape(family);
                let name = || format!("column {} given {} columns", family.child, family.parents.len());
                wanted.push((
                    check_cells(name, shape.parent_arities().chain([shape.child]))? as u128,
                    family.clone(),
                ));
            }
        }
        let mut start = 0;
        while start < wanted.len() {
            let mut cells = 0;
            let fit = wanted[start..].iter().take_while(|(own, _)| {
                cells += own;
                cells <= self.cells
            });
            // A table that is too large for the limit on its own is counted alone.
            let end = start + fit.count().max(1);
            let group: Vec<Family> = wanted[start..end].iter().map(|(_, family)| family.clone()).collect();
            let counted = self.count(&group)?;
            self.prepared
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(group.into_iter().zip(counted));
            start = end;
        }
        Ok(())
    }
}
