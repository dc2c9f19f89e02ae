//! Averages over all trees for Python.

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::counts::Counter;
use tanager_core::model::averaged_tan::{Asked, AveragedTan};
use tanager_core::{Control, Error};

use crate::composed::{self, Wanted};
use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::network::summing;
use crate::runtime::{Jobs, run};

/// An average over all trees; immutable.
#[pyclass(frozen, name = "AveragedTan", module = "tanager._core")]
pub struct PyAveragedTan {
    model: AveragedTan,
}

type Tables<'py> = Vec<PyReadonlyArray1<'py, f64>>;

#[pymethods]
impl PyAveragedTan {
    /// Puts an average together from what `parts` gave; checked.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        log_theta: Tables<'_>,
        ratios: Tables<'_>,
        log_weights: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let plain = |tables: Tables<'_>| tables.iter().map(|table| table.as_array().to_vec()).collect();
        let weights = log_weights.as_array().to_vec();
        let (theta, ratios) = (plain(log_theta), plain(ratios));
        let model = AveragedTan::from_parts(arities, log_prior, theta, ratios, weights);
        Ok(Self { model: model.map_err(|error| to_python(py, &error))? })
    }

    /// (arities, ln P(c), ln P(x | c) of each attribute, R of each pair, ln W): everything there is to know, for files
    /// and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let arrays = |tables: &[Vec<f64>]| -> Vec<_> {
            tables.iter().map(|table| PyArray1::from_slice(py, table)).collect()
        };
        let model = &self.model;
        let (theta, ratios) = (arrays(model.log_theta()), arrays(model.ratios()));
        let weights = PyArray1::from_slice(py, model.log_weights());
        (model.arities().to_vec(), model.log_prior().to_vec(), theta, ratios, weights).into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
    }

    /// (members, attribute parents) of each node of the most probable tree.
    #[getter]
    fn nodes(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let tree = self.model.tree().iter().enumerate();
        tree.map(|(node, parent)| (vec![node], parent.iter().copied().collect())).collect()
    }

    /// Averages are not searched for.
    #[getter]
    fn search(&self) -> Option<()> {
        None
    }

    /// Averages have no tuned concentrations.
    #[getter]
    fn concentrations(&self) -> Option<()> {
        None
    }

    /// ln P(c).
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.log_prior())
    }

    /// ln P(x | parent, c) in the most probable tree: one axis for the parent, but at the root, then for the attribute
    /// and for the class.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        let arities = self.model.arities();
        let Some(parent) = self.model.tree().get(node) else {
            return Err(to_python(py, &Error::ColumnOutOfRange { column: node, columns: arities.len() }));
        };
        let mut shape: Vec<usize> = parent.map(|parent| arities[parent]).into_iter().collect();
        shape.extend([arities[node], self.model.n_classes()]);
        Ok(PyArray1::from_vec(py, self.model.log_table(node)).reshape(shape)?.into_any())
    }

    /// The probability of each edge, n × n.
    #[pyo3(signature = (n_jobs=None))]
    fn edge_probabilities<'py>(
        &self,
        py: Python<'py>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = run(py, n_jobs, None, |control| self.model.edge_probabilities(control))?;
        let n = self.model.arities().len();
        PyArray1::from_vec(py, values).reshape([n, n])
    }

    /// ln P(c, x) of each row and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn log_joint<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        composed::predict(py, &self.asked(approximate), data, n_jobs, Wanted::LogJoint)
    }

    /// ln P(c | x) of each row and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn log_posterior<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        composed::predict(py, &self.asked(approximate), data, n_jobs, Wanted::LogPosterior)
    }

    /// P(c | x) of each row and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        composed::predict(py, &self.asked(approximate), data, n_jobs, Wanted::Posterior)
    }

    /// What each attribute adds to ln P(c): for each row, attribute and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        composed::contributions(py, &self.asked(approximate), data, n_jobs)
    }
}

impl PyAveragedTan {
    fn asked(&self, approximate: bool) -> Asked<'_> {
        Asked { model: &self.model, summing: summing(approximate) }
    }
}

/// Averages all trees.
#[pyfunction]
#[pyo3(signature = (data, n_jobs=None))]
pub fn fit_averaged_tan(py: Python<'_>, data: &PyDataset, n_jobs: Option<Jobs>) -> PyResult<PyAveragedTan> {
    let work = |control: &Control| AveragedTan::fit(&Counter::new(&data.data), control);
    Ok(PyAveragedTan { model: run(py, n_jobs, None, work)? })
}
