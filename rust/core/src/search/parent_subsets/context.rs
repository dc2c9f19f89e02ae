//! What all children of one search share.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::histogram::SortedRows;
use super::shape_score::ShapeScores;
use crate::control::Control;
use crate::counts::bitmaps::WORD_GROUP;
use crate::counts::pairs::count_pairs;
use crate::counts::{Bitmaps, Costs, CountSource, CountedPairs, Pairs};
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::memory::memory_limit;
use crate::score::Scorer;

/// Data without missing values and weights, made ready: bitmaps, pair tables, sorted rows, scores of shapes.
pub(super) struct Context<'a> {
    pub(super) data: &'a Dataset,
    pub(super) source: &'a dyn CountSource,
    pub(super) pairs: &'a Pairs<u32>,
    pub(super) maps: Bitmaps,
    pub(super) shape_scores: ShapeScores<'a>,
    pub(super) costs: Costs,
    pub(super) arities: Vec<usize>,
    /// Classes, 1 where there is no class.
    pub(super) classes: usize,
    /// The most parents.
    pub(super) k: usize,
    /// Whether bounds may skip families.
    pub(super) prune: bool,
    pub(super) control: &'a Control,
    rows: OnceLock<SortedRows>,
}

/// The pair tables of data without missing values and weights: those that the source keeps, else counted here where a
/// quarter of the memory limit is enough for them. `None` leaves every family to be counted on its own.
pub(super) fn pair_tables<'a>(
    source: &'a dyn CountSource,
    data: &Dataset,
    control: &Control,
) -> Result<Option<Cow<'a, Pairs<u32>>>> {
    if data.weights().is_some() || data.columns().iter().any(|column| column.has_missing()) {
        return Ok(None);
    }
    let integer = |pairs: &'a CountedPairs| match pairs {
        CountedPairs::Integer(pairs) => Some(Cow::Borrowed(pairs)),
        CountedPairs::Weighted(_) => None,
    };
    if let Some(kept) = source.kept_pairs(control)? {
        return Ok(integer(kept));
    }
    if Pairs::<u32>::cells_needed(data) > u128::from(memory_limit() / 16) {
        return Ok(None);
    }
    Ok(match count_pairs(data, control)? {
        CountedPairs::Integer(pairs) => Some(Cow::Owned(pairs)),
        CountedPairs::Weighted(_) => None,
    })
}

/// Columns with more values have no bitmaps: 64, or fewer where bitmaps would take a quarter of the memory limit.
fn most_values(data: &Dataset) -> usize {
    let words = data.rows().div_ceil(64) + WORD_GROUP * data.n_classes().unwrap_or(1);
    let fits = |most: &usize| {
        let maps: usize = data.columns().iter().map(Column::arity).filter(|arity| arity <= most).sum();
        (maps as u64).saturating_mul(words as u64 * 8) <= memory_limit() / 4
    };
    [64, 32, 16, 8, 4, 2].into_iter().find(fits).unwrap_or(0)
}

impl<'a> Context<'a> {
    /// Builds the bitmaps of columns with few values.
    pub(super) fn new(
        source: &'a dyn CountSource,
        data: &'a Dataset,
        pairs: &'a Pairs<u32>,
        scorer: &'a Scorer<'a>,
        k: usize,
        prune: bool,
        control: &'a Control,
    ) -> Result<Self> {
        let most = if k > 1 { most_values(data) } else { 0 };
        let maps = Bitmaps::build(data, |column| data.column(column).arity() <= most)?;
        Ok(Self {
            data,
            source,
            pairs,
            maps,
            shape_scores: ShapeScores::new(scorer, data.n_classes()),
            costs: Costs::of_families(data),
            arities: data.arities(),
            classes: data.n_classes().unwrap_or(1),
            k,
            prune,
            control,
            rows: OnceLock::new(),
        })
    }

    /// The rows sorted by class, made when first asked for.
    pub(super) fn rows(&self) -> Result<&SortedRows> {
        match self.rows.get() {
            Some(rows) => Ok(rows),
            None => {
                let rows = SortedRows::new(self.data)?;
                Ok(self.rows.get_or_init(|| rows))
            }
        }
    }

    /// The words of a column's stored values, where it has bitmaps.
    pub(super) fn column_words(&self, column: usize) -> Option<&[u64]> {
        self.maps.column(column).map(|maps| maps.words())
    }
}
