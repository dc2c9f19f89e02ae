//! Groups of attributes: tests between them, and searches over them.

use numpy::PyArray1;
use pyo3::prelude::*;
use tanager_core::counts::Counter;
use tanager_core::structure::{self, Operation, Roots, SearchPath, Significance, grouping};

use crate::dataset::{PyDataset, tree_array};
use crate::error::Raised;
use crate::runtime::{Jobs, run};

/// An operation by name, the groups it was applied to, and the rows classified correctly after it.
type StepParts = (&'static str, Vec<Vec<usize>>, f64);

/// (N, rows classified correctly at the start, steps, trials left out).
pub type SearchParts = (f64, f64, Vec<StepParts>, u64);

/// A search as numbers and lists.
pub fn search_parts(path: SearchPath) -> SearchParts {
    let ascent = path.ascent;
    let steps = ascent.steps.into_iter().map(|(operation, value)| {
        let name = operation.name();
        let subject = match operation {
            Operation::Add { attribute } | Operation::Delete { attribute } => vec![vec![attribute]],
            Operation::Join { attribute, group } => vec![vec![attribute], group],
            Operation::Merge { left, right } => vec![left, right],
            Operation::Arcs { parent, children } => vec![vec![parent], children],
        };
        (name, subject, value)
    });
    (path.total, ascent.start, steps.collect(), ascent.skipped)
}

/// The parent group of each group, −1 at roots.
#[pyfunction]
#[pyo3(signature = (data, groups=None, alpha=0.05, min_cell=5.0, n_jobs=None))]
pub fn chi2_forest<'py>(
    py: Python<'py>,
    data: &PyDataset,
    groups: Option<Vec<Vec<i64>>>,
    alpha: f64,
    min_cell: f64,
    n_jobs: Option<Jobs>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let data = &data.data;
    let significance = Significance::new(alpha, min_cell).raised(py)?;
    // A negative position is none of a column's; the core refuses it in its own words.
    let position = |member: i64| usize::try_from(member).unwrap_or(usize::MAX);
    let groups = match groups {
        None => grouping::singletons(data.n()),
        Some(groups) => groups.into_iter().map(|group| group.into_iter().map(position).collect()).collect(),
    };
    let tree = run(py, n_jobs, None, |control| {
        structure::chi2_forest(&Counter::new(data), &groups, significance, Roots::Lowest, control)
    })?;
    Ok(tree_array(py, &tree))
}
