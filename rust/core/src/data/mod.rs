//! Encoded columns: what the rest of the crate counts.

mod bins;
mod column;
mod dataset;
mod dictionary;
mod discretise_mdl;
mod join;
mod mdl_rule;
mod mdl_search;
mod partition;
mod stratify;

pub use bins::bins;
pub use column::{Code, Codes, CodesRef, Column};
pub use dataset::{Dataset, Variable};
pub use dictionary::factorize;
pub use discretise_mdl::{MdlCutter, mdl_cut_points};
pub use join::join;
pub use stratify::stratified_folds;
