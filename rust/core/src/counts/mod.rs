//! Contingency tables of families, of all pairs, and of folds.
//!
//! [`Counter`] is the front door: it answers for any family, and remembers the pair tables once they are
//! counted. Behind it stand two kernels that count all class-conditional pairs, [`bitmaps`] and
//! [`histogram`]; [`pairs`] chooses between them pair by pair. [`Statistics`] are counts of rows that are elsewhere: sums of
//! tables that others have counted.

pub mod bitmaps;
mod cells;
mod cost;
mod family;
mod folds;
pub mod histogram;
pub mod pairs;
mod source;
mod statistics;

pub use bitmaps::Bitmaps;
pub use cells::{Cell, Cells};
pub use cost::Costs;
pub use family::{FamilyCounts, FamilyShape, count_table, family_counts};
pub use folds::{FoldCounts, FoldedData, TrainingCounts};
pub use pairs::{CountedPairs, PairTable, PairVisitor, Pairs};
pub use source::{CountSource, Counter};
pub use statistics::{Family, Moves, Passes, Statistics, Streamed, count_families};

pub use crate::memory::check_cells;
