//! Weighted naive Bayes for Python.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tanager_core::model::Composed;
use tanager_core::model::weighted_nb::{WeightSettings, WeightedNaiveBayes};
use tanager_core::{Control, Error};

use crate::composed::composed_class;
use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::runtime::{Jobs, run};
use crate::score::options_from_python;

/// Naive Bayes in which attributes count more or less; immutable.
#[pyclass(frozen, name = "WeightedNaiveBayes", module = "tanager._core")]
pub struct PyWeightedNaiveBayes {
    model: WeightedNaiveBayes,
}

// Missing values have no factor: there is nothing to approximate.
composed_class!(PyWeightedNaiveBayes, |this, _approximate| this.model, {
    /// Puts a model together from what `parts` gave; checked.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        tables: Vec<PyReadonlyArray1<'_, f64>>,
        weights: Vec<f64>,
    ) -> PyResult<Self> {
        let tables = tables.iter().map(|table| table.as_array().to_vec()).collect();
        let model = WeightedNaiveBayes::from_parts(arities, log_prior, tables, weights);
        Ok(Self { model: model.map_err(|error| to_python(py, &error))? })
    }

    /// (arities, ln P(c), what each value of each attribute adds, weights): everything there is to know, for files and
    /// pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let model = &self.model;
        let tables: Vec<_> = model.log_tables().iter().map(|table| PyArray1::from_slice(py, table)).collect();
        (model.arities().to_vec(), model.log_prior().to_vec(), tables, model.weights().to_vec())
            .into_pyobject(py)
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
        let Some(table) = self.model.log_tables().get(node) else {
            let error = Error::ColumnOutOfRange { column: node, columns: self.model.terms() };
            return Err(to_python(py, &error));
        };
        let shape = [self.model.arities()[node], self.model.n_classes()];
        Ok(PyArray1::from_slice(py, table).reshape(shape)?.into_any())
    }
});

/// Finds the weights, and the tables with them.
#[pyfunction]
#[pyo3(signature = (data, settings, n_jobs=None))]
pub fn fit_weighted_nb(
    py: Python<'_>,
    data: &PyDataset,
    settings: &Bound<'_, PyDict>,
    n_jobs: Option<Jobs>,
) -> PyResult<PyWeightedNaiveBayes> {
    let settings = WeightSettings::from_options(&options_from_python(settings)?)
        .map_err(|error| to_python(py, &error))?;
    let work = |control: &Control| WeightedNaiveBayes::fit(&data.data, settings, control);
    Ok(PyWeightedNaiveBayes { model: run(py, n_jobs, None, work)? })
}
