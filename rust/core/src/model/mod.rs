//! Structure and tables together: log-joints, posteriors, cross-validation.

mod accuracy;
mod beliefs;
mod classifier;
mod cross_validation;
mod density;
mod elimination;
mod elimination_order;
mod marginal;
mod node_table;

pub use accuracy::CrossValidatedAccuracy;
pub use classifier::Classifier;
pub use cross_validation::cross_validate;
pub use density::Density;
pub use marginal::Summing;
pub use node_table::NodeTable;
