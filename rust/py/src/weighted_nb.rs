//! Weighted naive Bayes for Python.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::Control;
use tanager_core::model::Composed;
use tanager_core::model::weighted_nb::{WeightSettings, WeightedNaiveBayes};

use crate::composed::{Tables, arrays, composed_class, plain};
use crate::dataset::PyDataset;
use crate::error::{Raised, check_place};
use crate::runtime::{Jobs, run};
use crate::score::Settings;

/// Naive Bayes in which attributes count more or less; immutable.
#[pyclass(frozen, name = "WeightedNaiveBayes", module = "tanager._core")]
pub struct PyWeightedNaiveBayes {
    model: WeightedNaiveBayes,
}

// Missing values have no factor: there is nothing to approximate.
composed_class!(PyWeightedNaiveBayes, {
    /// Puts a model together from what `parts` gave; checked.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        tables: Tables<'_>,
        weights: Vec<f64>,
    ) -> PyResult<Self> {
        let model = WeightedNaiveBayes::from_parts(arities, log_prior, plain(&tables), weights);
        Ok(Self { model: model.raised(py)? })
    }

    /// (arities, ln P(c), what each value of each attribute adds, weights): everything there is to know, for files and
    /// pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let model = &self.model;
        let (arities, log_prior) = (model.arities().to_vec(), model.log_prior().to_vec());
        (arities, log_prior, arrays(py, model.log_tables()), model.weights().to_vec()).into_pyobject(py)
    }

    /// w of each attribute.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.weights())
    }

    /// (members, no parents) of each attribute.
    #[getter]
    fn nodes(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        (0..self.model.terms()).map(|node| (vec![node], Vec::new())).collect()
    }

    /// What a value adds to ln P(c): one axis for the attribute, then for the class.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        check_place(py, node, self.model.terms())?;
        let shape = [self.model.arities()[node], self.model.n_classes()];
        Ok(PyArray1::from_slice(py, &self.model.log_tables()[node]).reshape(shape)?.into_any())
    }
});

/// Finds the weights, and the tables with them.
#[pyfunction]
#[pyo3(signature = (data, settings, n_jobs=None))]
pub fn fit_weighted_nb(
    py: Python<'_>,
    data: &PyDataset,
    settings: Settings,
    n_jobs: Option<Jobs>,
) -> PyResult<PyWeightedNaiveBayes> {
    let settings = WeightSettings::from_options(&settings.0).raised(py)?;
    let work = |control: &Control| WeightedNaiveBayes::fit(&data.data, settings, control);
    Ok(PyWeightedNaiveBayes { model: run(py, n_jobs, None, work)? })
}
