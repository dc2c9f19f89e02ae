//! Searches over parent sets and over groups.

mod greedy;
pub mod parent_subsets;

pub use greedy::{Ascent, Climb, first_best, greedy, measure_all};
