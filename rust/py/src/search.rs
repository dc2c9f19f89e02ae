//! Searches by function.

use pyo3::prelude::*;
use tanager_core::counts::Counter;
use tanager_core::score::Scorer;
use tanager_core::search::parent_subsets::{Pruning, Task, best_parent_sets};

use crate::dataset::PyDataset;
use crate::error::{Raised, exception};
use crate::runtime::Jobs;
use crate::score::Score;

/// The best at most k of the candidates as parents of a child, and their score.
#[pyfunction]
#[pyo3(signature = (data, child, candidates, k, score, prune=true, n_jobs=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn best_parents(
    py: Python<'_>,
    data: &PyDataset,
    child: i64,
    candidates: Vec<i64>,
    k: i64,
    score: Score,
    prune: bool,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<usize>, f64)> {
    let data = &data.data;
    let position = |column: i64| {
        usize::try_from(column).map_err(|_| {
            exception(py, "ColumnError", format!("there is no column {column}: positions count from 0"))
        })
    };
    let k = usize::try_from(k).map_err(|_| {
        exception(py, "DataError", format!("k = {k} is not allowed: it is a whole number from 0 on"))
    })?;
    let candidates = candidates.into_iter().map(position).collect::<PyResult<Vec<usize>>>()?;
    let task = Task::new(position(child)?, candidates, data.n()).raised(py)?;
    let pruning = if prune { Pruning::Bounds } else { Pruning::Off };
    let work = |control: &tanager_core::Control| {
        let families = u128::from(task.families(k));
        let counts = Counter::new(data);
        let scorer = Scorer::for_source(score.score.as_ref(), &counts, families.saturating_mul(8));
        best_parent_sets(&counts, &scorer, std::slice::from_ref(&task), k, pruning, control)
    };
    let found = score.run(py, n_jobs, progress.as_ref(), work)?;
    Ok(found.into_iter().next().map_or((Vec::new(), f64::NAN), |set| (set.parents, set.score)))
}
