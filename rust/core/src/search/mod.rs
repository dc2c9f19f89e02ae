//! Searches over parent sets and over groups.

pub mod parent_subsets;
