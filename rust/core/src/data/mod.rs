//! Encoded columns: what the rest of the crate counts.

mod bins;
mod column;
mod cutting;
mod dataset;
mod dictionary;
mod discretise_mdl;
mod distinct;
mod hash;
mod join;
mod key_table;
mod lookup;
mod mdl_rule;
mod mdl_search;
pub mod mixed_radix;
mod partition;
mod row_groups;
mod sketch;
mod source;
mod stratify;

pub use bins::{Cuts, bins};
pub use column::{Code, Codes, CodesRef, Column};
pub use cutting::{Cuttable, cut_points};
pub(crate) use dataset::check_weights;
pub use dataset::{Dataset, Variable};
pub use dictionary::factorize;
pub use discretise_mdl::{MdlCutter, mdl_cut_points};
pub use distinct::{Levels, Reading, read};
pub use join::{combinations, join};
pub use lookup::{Encoded, KeyCodes, Rule, Target, UNKNOWN, encode};
pub use mdl_rule::mdl_margin;
pub use row_groups::RowGroups;
pub use sketch::{Odd, Sketch};
pub use source::{Domain, NAN_KEY, Source, WORTH_A_THREAD, each, real_key};
pub use stratify::stratified_folds;
