//! Averages over all trees for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::model::{AveragedTan, Composed};

use crate::composed::{Tables, arrays, composed_class, plain};
use crate::error::{Raised, check_place, to_python};
use crate::evidence::{Evidence, Running};
use crate::runtime::{Jobs, run};

/// An average over all trees; immutable.
#[pyclass(frozen, name = "AveragedTan", module = "tanager._core")]
pub struct PyAveragedTan {
    model: AveragedTan,
}

composed_class!(PyAveragedTan, {
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
        let (theta, ratios) = (plain(&log_theta), plain(&ratios));
        let weights = log_weights.as_array().to_vec();
        let model = AveragedTan::from_parts(arities, log_prior, theta, ratios, weights).raised(py)?;
        Ok(Self { model })
    }

    /// (arities, ln P(c), ln P(x | c) of each attribute, R of each pair, ln W): everything there is to know, for files
    /// and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let model = &self.model;
        let (theta, ratios) = (arrays(py, model.log_theta()), arrays(py, model.ratios()));
        let weights = PyArray1::from_slice(py, model.log_weights());
        (model.arities().to_vec(), model.log_prior().to_vec(), theta, ratios, weights).into_pyobject(py)
    }

    /// (members, attribute parents) of each node of the most probable tree.
    #[getter]
    fn nodes(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let tree = self.model.tree().iter().enumerate();
        tree.map(|(node, parent)| (vec![node], parent.iter().copied().collect())).collect()
    }

    /// ln P(x | parent, c) in the most probable tree: one axis for the parent, but at the root, then for the attribute
    /// and for the class.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        let arities = self.model.arities();
        check_place(py, node, arities.len())?;
        let parent = self.model.tree()[node];
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
});

/// Averages all trees; from rows, or from their counts.
#[pyfunction]
#[pyo3(signature = (evidence, n_jobs=None))]
pub fn fit_averaged_tan(
    py: Python<'_>,
    evidence: Evidence<'_>,
    n_jobs: Option<Jobs>,
) -> PyResult<PyAveragedTan> {
    let running = Running { n_jobs, ..Running::default() };
    Ok(PyAveragedTan { model: evidence.learn(py, running, AveragedTan::fit, to_python)? })
}
