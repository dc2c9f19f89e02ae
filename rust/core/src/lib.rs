//! The core of tanager: from encoded columns to a fitted Bayesian network classifier.
//!
//! Data walks through the modules once, in one direction:
//!
//! ```text
//! data ─► counts ─► score ─► graph/search/independence ─► structure ─► parameters ─► model ─► scan, refine
//! ```
//!
//! A module imports what stands to its left, never what stands to its right. [`math`], [`error`], [`options`],
//! [`registry`], [`memory`] and [`control`] stand before all of them.

pub mod control;
pub mod counts;
pub mod data;
pub mod error;
pub mod graph;
pub mod independence;
pub mod math;
pub mod memory;
pub mod model;
pub mod options;
pub mod parameters;
pub mod refine;
pub mod registry;
pub mod scan;
pub mod score;
pub mod search;
pub mod structure;

pub use control::Control;
pub use error::{Error, Result};
pub use options::{Options, Setting};
