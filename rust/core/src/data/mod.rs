//! Encoded columns: what the rest of the crate counts.
