//! Searches over parent sets and over groups.
