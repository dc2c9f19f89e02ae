//! What is registered in the core, for Python to iterate.

use pyo3::prelude::*;
use tanager_core::{parameters, score, structure};

/// (name, summary, whether it maximises a score) of every learner.
#[pyfunction]
pub fn learners() -> Vec<(&'static str, &'static str, bool)> {
    structure::REGISTRY.iter().map(|entry| (entry.name, entry.summary, entry.uses_score)).collect()
}

/// (name, summary) of every score.
#[pyfunction]
pub fn scores() -> Vec<(&'static str, &'static str)> {
    score::REGISTRY.iter().map(|entry| (entry.name, entry.summary)).collect()
}

/// (name, summary) of every parameter estimator.
#[pyfunction]
pub fn parameter_estimators() -> Vec<(&'static str, &'static str)> {
    parameters::REGISTRY.iter().map(|entry| (entry.name, entry.summary)).collect()
}

/// The most bytes that one table may take.
#[pyfunction]
pub fn memory_limit() -> u64 {
    tanager_core::counts::memory_limit()
}

/// Sets the limit; 0 returns to a quarter of the machine's memory.
#[pyfunction]
pub fn set_memory_limit(bytes: u64) {
    tanager_core::counts::set_memory_limit(bytes);
}
