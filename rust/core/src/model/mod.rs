//! Structure and tables together: fits, log-joints, posteriors, samples, cross-validation.

mod accuracy;
pub mod aode;
pub mod averaged_tan;
mod beliefs;
mod classifier;
mod composed;
mod elimination;
mod elimination_order;
mod fit;
mod join_table;
pub mod kdb_ensemble;
mod log_theta;
mod marginal;
mod mixture;
mod network;
mod node_table;
mod sample;
#[cfg(test)]
mod tests;
pub mod weighted_nb;

pub use accuracy::CrossValidatedAccuracy;
pub use aode::Aode;
pub use averaged_tan::AveragedTan;
pub use classifier::{Asked, Classifier, Wanted};
pub use composed::{Composed, ComposedEntry};
pub use fit::{COMPOSED, Fitted, Plan, cross_validate, fit, learners};
pub use kdb_ensemble::KdbEnsemble;
pub use log_theta::{LogTheta, Occurring};
pub use marginal::Summing;
pub use mixture::{MIXTURE, Mixture, MixturePlan};
pub use network::Network;
pub use node_table::NodeTable;
pub use sample::DrawnRows;
pub use weighted_nb::WeightedNaiveBayes;
