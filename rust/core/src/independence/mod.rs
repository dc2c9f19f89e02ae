//! Tests of independence given the class.

pub mod chi2;

pub use chi2::{GTest, g_test};
