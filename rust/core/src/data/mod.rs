//! Encoded columns: what the rest of the crate counts.

mod column;
mod dataset;

pub use column::{Code, Codes, Column};
pub use dataset::{Dataset, Variable};
