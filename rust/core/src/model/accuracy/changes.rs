//! Changes that were computed already.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::model::accuracy::rows::{CellsOfRows, Scope};
use crate::model::accuracy::tables::{Logs, Part, Term, Turn};

/// What a change depends on: which tables come and go, and the members of the columns that they are made of. It does
/// not depend on the other groups, nor on the step of the search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Touched {
    pub terms: &'static [Term],
    /// Empty where there is one column only.
    pub left: Vec<usize>,
    pub right: Vec<usize>,
}

impl Touched {
    /// A group whose table comes.
    pub fn comes(group: &[usize]) -> Self {
        Self { terms: &[(Part::Whole, Turn::Comes)], left: Vec::new(), right: group.to_vec() }
    }

    /// The attributes of both columns.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.left.iter().chain(&self.right).copied()
    }
}

/// What is added to the log-joints of the rows of each fold.
#[derive(Debug)]
pub(super) enum Changes {
    /// One table for each fold, over all cells of the columns.
    ByScope(Vec<Logs>),
    /// One table over the cells that occur.
    ByRow {
        /// The cell of each row.
        cells: Vec<u32>,
        /// The table.
        logs: Logs,
    },
}

impl Changes {
    /// The table of a fold.
    pub fn of_fold(&self, fold: usize) -> &Logs {
        match self {
            Changes::ByScope(logs) => &logs[fold],
            Changes::ByRow { logs, .. } => logs,
        }
    }

    /// The cells of the rows; the scope is that of the columns touched.
    pub fn cells<'a>(&'a self, scope: Scope<'a>) -> CellsOfRows<'a> {
        match self {
            Changes::ByScope(_) => CellsOfRows::Scope(scope),
            Changes::ByRow { cells, .. } => CellsOfRows::Given(cells),
        }
    }

    /// The cell of one row.
    pub fn cell(&self, scope: Scope<'_>, row: usize) -> usize {
        match self {
            Changes::ByScope(_) => scope.cell(row),
            Changes::ByRow { cells, .. } => cells[row] as usize,
        }
    }

    /// How many numbers of 8 bytes it takes.
    fn size(&self) -> usize {
        match self {
            Changes::ByScope(logs) => logs.iter().map(|logs| logs.finite.len()).sum(),
            Changes::ByRow { cells, logs } => cells.len() / 2 + logs.finite.len(),
        }
    }
}

/// Keeps changes, one for each fold, while there is room: most of what one step of a search tries is tried again by
/// the next.
#[derive(Debug, Default)]
pub(super) struct ChangeCache {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    changes: HashMap<Touched, Arc<Changes>>,
    numbers: usize,
}

impl ChangeCache {
    /// At most this many numbers are kept: 32 MiB.
    const ROOM: usize = 1 << 22;

    /// Forgets the changes of groups that are no more.
    pub fn keep(&self, is_alive: impl Fn(&Touched) -> bool) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.changes.retain(|touched, _| is_alive(touched));
        kept.numbers = kept.changes.values().map(|change| change.size()).sum();
    }

    /// The change of a key: the kept one, or a new one, which is kept if there is room.
    pub fn get_or_compute(
        &self,
        key: &Touched,
        compute: impl FnOnce() -> Result<Changes>,
    ) -> Result<Arc<Changes>> {
        if let Some(change) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).changes.get(key) {
            return Ok(Arc::clone(change));
        }
        let change = Arc::new(compute()?);
        let numbers = change.size();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.numbers + numbers <= Self::ROOM {
            kept.numbers += numbers;
            kept.changes.insert(key.clone(), Arc::clone(&change));
        }
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn what_fits_is_computed_once() {
        let cache = ChangeCache::default();
        let (small, other) = (Touched::comes(&[1]), Touched::comes(&[2]));
        assert_ne!(small, other);
        cache.get_or_compute(&small, || Ok(Changes::ByScope(vec![Logs::zero(3)]))).unwrap();
        let again = cache.get_or_compute(&small, || Err(Error::Cancelled)).unwrap();
        assert_eq!(again.of_fold(0).finite.len(), 3);
        assert!(matches!(cache.get_or_compute(&other, || Err(Error::Cancelled)), Err(Error::Cancelled)));
        cache.keep(|touched| touched.right != [1]);
        assert!(matches!(cache.get_or_compute(&small, || Err(Error::Cancelled)), Err(Error::Cancelled)));
        let large = || Ok(Changes::ByRow { cells: vec![0], logs: Logs::zero(ChangeCache::ROOM + 1) });
        cache.get_or_compute(&other, large).unwrap();
        let anew = cache.get_or_compute(&other, || Ok(Changes::ByScope(vec![Logs::zero(1)]))).unwrap();
        assert_eq!(anew.of_fold(0).finite.len(), 1);
    }
}
