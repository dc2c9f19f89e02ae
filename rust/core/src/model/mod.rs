//! Structure and tables together: log-joints, posteriors, cross-validation.

mod classifier;
mod cross_validation;
mod node_table;

pub use classifier::Classifier;
pub use cross_validation::cross_validate;
pub use node_table::NodeTable;
