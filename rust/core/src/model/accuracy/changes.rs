//! Changes that were computed already.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::model::accuracy::tables::{Logs, Part, Term};

/// What a change depends on: which tables come and go, and the members of the columns that they are made of. It does
/// not depend on the other groups, nor on the step of the search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// For each term its part and whether it comes.
    terms: Vec<(Part, bool)>,
    left: Vec<usize>,
    right: Vec<usize>,
}

impl Key {
    pub fn new(terms: &[Term], left: &[usize], right: &[usize]) -> Self {
        let terms = terms.iter().map(|&(part, sign)| (part, sign > 0.0)).collect();
        Self { terms, left: left.to_vec(), right: right.to_vec() }
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
    changes: HashMap<Key, Arc<Vec<Logs>>>,
    numbers: usize,
}

impl ChangeCache {
    /// At most this many numbers are kept: 32 MiB.
    const ROOM: usize = 1 << 22;

    /// The change of a key: the kept one, or a new one, which is kept if there is room.
    pub fn get_or_compute(
        &self,
        key: &Key,
        compute: impl FnOnce() -> Result<Vec<Logs>>,
    ) -> Result<Arc<Vec<Logs>>> {
        if let Some(change) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).changes.get(key) {
            return Ok(Arc::clone(change));
        }
        let change = Arc::new(compute()?);
        let numbers: usize = change.iter().map(|logs| logs.finite.len()).sum();
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
        let terms = [(Part::Whole, 1.0)];
        let (small, other) = (Key::new(&terms, &[], &[1]), Key::new(&[(Part::Whole, -1.0)], &[], &[1]));
        assert_ne!(small, other);
        cache.get_or_compute(&small, || Ok(vec![Logs::zero(3)])).unwrap();
        let again = cache.get_or_compute(&small, || Err(Error::Cancelled)).unwrap();
        assert_eq!(again.len(), 1);
        assert_eq!(cache.get_or_compute(&other, || Err(Error::Cancelled)), Err(Error::Cancelled));
        let large = || Ok(vec![Logs::zero(ChangeCache::ROOM)]);
        cache.get_or_compute(&other, large).unwrap();
        assert_eq!(cache.get_or_compute(&other, || Ok(Vec::new())).unwrap().len(), 0);
    }
}
