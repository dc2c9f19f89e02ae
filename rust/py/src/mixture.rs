//! Mixtures of trees for Python.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::Control;
use tanager_core::model::{Mixture, MixturePlan};

use crate::dataset::PyDataset;
use crate::error::Raised;
use crate::network::{PyNetwork, Rows};
use crate::runtime::{Jobs, run};
use crate::score::{Estimator, Settings};

/// Several trees with their weights; immutable.
#[pyclass(frozen, name = "Mixture", module = "tanager._core")]
pub struct PyMixture {
    mixture: Mixture,
    path: Vec<f64>,
}

#[pymethods]
impl PyMixture {
    /// Puts a mixture together from what `parts` gave; checked.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        log_weights: Vec<f64>,
        components: Vec<PyRef<'_, PyNetwork>>,
        path: Vec<f64>,
    ) -> PyResult<Self> {
        let components = components.iter().map(|one| one.network.clone()).collect();
        Ok(Self { mixture: Mixture::from_parts(log_weights, components).raised(py)?, path })
    }

    /// (ln λ_k, components, path): everything there is to know, for pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.mixture.log_weights().to_vec(), self.components(), self.path.clone()).into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
    }

    /// The trees, the heaviest first.
    #[getter]
    fn components(&self) -> Vec<PyNetwork> {
        self.mixture.components().iter().map(PyNetwork::from).collect()
    }

    /// ln λ_k.
    #[getter]
    fn log_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.mixture.log_weights())
    }

    /// The mean log-likelihood after each M step of the run that was kept.
    #[getter]
    fn path(&self) -> Vec<f64> {
        self.path.clone()
    }

    /// ln P(x) of each row.
    #[pyo3(signature = (data, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = run(py, n_jobs, None, |control| self.mixture.log_density(&data.data, control))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Draws rows: one array of codes for each column, and no classes.
    fn sample<'py>(&self, py: Python<'py>, rows: usize, seed: u64) -> PyResult<Rows<'py>> {
        let (columns, _) = run(py, Some(Jobs(1)), None, |control| self.mixture.sample(rows, seed, control))?;
        Ok((columns.into_iter().map(|codes| PyArray1::from_vec(py, codes)).collect(), None))
    }
}

/// Fits a mixture of trees to data, whose class is not looked at.
#[pyfunction]
#[pyo3(signature = (data, settings, parameters, n_jobs=None, progress=None))]
pub fn fit_mixture(
    py: Python<'_>,
    data: &PyDataset,
    settings: Settings,
    parameters: Estimator,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyMixture> {
    let plan = MixturePlan::from_options(&settings.0).raised(py)?;
    let work = |control: &Control| Mixture::fit(&data.data, plan, parameters.0.as_ref(), control);
    let (mixture, path) = run(py, n_jobs, progress.as_ref(), work)?;
    Ok(PyMixture { mixture, path })
}
