//! Decomposable scores of a family: a child given its parents.

pub mod acll_constants;
pub mod acll_monte_carlo;
