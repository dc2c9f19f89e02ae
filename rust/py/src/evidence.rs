//! What Python learns from: rows, or the counts of rows that are elsewhere.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use tanager_core::counts::{CountSource, Counter, Family, Passes, Statistics, Streamed};
use tanager_core::memory::memory_limit;
use tanager_core::{Control, Error};

use crate::callback::Callback;
use crate::dataset::PyDataset;
use crate::runtime::{Jobs, run_raising};
use crate::statistics::PyStatistics;

/// Rows, or the counts of rows that are elsewhere.
#[derive(FromPyObject)]
pub enum Evidence<'py> {
    Rows(Bound<'py, PyDataset>),
    Counts(Bound<'py, PyStatistics>),
}

/// How it is learned from: on how many threads, whom to tell how far it is, what counts the tables that statistics do not
/// hold, and the bytes that a pass of that may take.
#[derive(Default)]
pub struct Running {
    pub n_jobs: Option<Jobs>,
    pub progress: Option<Py<PyAny>>,
    pub passes: Option<Py<PyAny>>,
    pub memory: Option<u64>,
}

impl Evidence<'_> {
    /// Learns from rows, or from their counts and further passes; `raise` turns an error into an exception.
    pub fn learn<T: Send>(
        &self,
        py: Python<'_>,
        running: Running,
        fit: impl FnOnce(&dyn CountSource, &Control) -> tanager_core::Result<T> + Send,
        raise: impl Fn(Python<'_>, &Error) -> PyErr,
    ) -> PyResult<T> {
        let Running { n_jobs, progress, passes, memory } = running;
        let counts = match self {
            Self::Rows(rows) => {
                let data = &rows.get().data;
                let work = |control: &Control| fit(&Counter::new(data), control);
                return run_raising(py, n_jobs, progress.as_ref(), work, raise);
            }
            Self::Counts(counts) => counts.get().read(py),
        };
        let statistics: &Statistics = &counts;
        let passes = passes.map(|function| PythonPasses(Callback::new(function)));
        let work = |control: &Control| match &passes {
            None => fit(statistics, control),
            Some(passes) => {
                fit(&Streamed::new(statistics, passes, memory.unwrap_or_else(memory_limit)), control)
            }
        };
        run_raising(py, n_jobs, progress.as_ref(), work, |py, error| {
            passes.as_ref().and_then(|passes| passes.0.raised()).unwrap_or_else(|| raise(py, error))
        })
    }
}

/// (child, attribute parents, whether the class is a parent).
pub type FamilyParts = (usize, Vec<usize>, bool);

/// A Python function that goes through all rows and counts families.
struct PythonPasses(Callback);

impl Passes for PythonPasses {
    fn count(&self, families: &[Family]) -> tanager_core::Result<Vec<f64>> {
        let parts: Vec<FamilyParts> =
            families.iter().map(|family| (family.child, family.parents.clone(), family.with_class)).collect();
        self.0.call(|function| {
            Ok(function.call1((parts,))?.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec())
        })
    }
}
