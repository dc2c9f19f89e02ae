//! Averaged dependence estimators for Python.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::Control;
use tanager_core::counts::CountSource;
use tanager_core::model::Composed;
use tanager_core::model::aode::{Aode, AodeSettings, JointCounts};

use crate::composed::{Tables, arrays, composed_class, plain};
use crate::error::{Raised, check_place, to_python};
use crate::evidence::{Evidence, Running};
use crate::runtime::{Jobs, run};
use crate::score::Settings;

/// An average of networks, each with one attribute, or two, as parents of all others; immutable.
#[pyclass(frozen, name = "Aode", module = "tanager._core")]
pub struct PyAode {
    model: Aode,
}

// Missing values are left out: there is nothing to approximate.
composed_class!(PyAode, {
    /// Puts an estimator together from what `parts` gave; checked.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn from_parts(
        py: Python<'_>,
        settings: (usize, bool, bool, f64),
        arities: Vec<usize>,
        class_: Vec<f64>,
        singles: Tables<'_>,
        pairs: Tables<'_>,
        triples: Tables<'_>,
    ) -> PyResult<Self> {
        let (singles, pairs, triples) = (plain(&singles), plain(&pairs), plain(&triples));
        let counts = JointCounts { arities, class: class_, singles, pairs, triples };
        let (order, weighted, subsumption, min_count) = settings;
        let settings = AodeSettings { order, weighted, subsumption, min_count };
        let model = run(py, None, None, |control| Aode::from_counts(counts, settings, control))?;
        Ok(Self { model })
    }

    /// ((order, weighted, subsumption, min_count), arities, counts of the class, of each attribute, each pair, each triple):
    /// everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let AodeSettings { order, weighted, subsumption, min_count } = self.model.settings();
        let settings = (order, weighted, subsumption, min_count);
        let JointCounts { arities, class, singles, pairs, triples } = self.model.counts();
        let (singles, pairs, triples) = (arrays(py, singles), arrays(py, pairs), arrays(py, triples));
        (settings, arities.clone(), class.clone(), singles, pairs, triples).into_pyobject(py)
    }

    /// (members, no parents) of each attribute: no network is above the others.
    #[getter]
    fn nodes(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        (0..self.model.terms()).map(|node| (vec![node], Vec::new())).collect()
    }

    /// ln P(x | c): one axis for the attribute, then for the class.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        check_place(py, node, self.model.terms())?;
        let shape = [self.model.arities()[node], self.model.n_classes()];
        Ok(PyArray1::from_slice(py, self.model.log_table(node)).reshape(shape)?.into_any())
    }
});

/// Learns from rows, or from their counts and further passes over them.
#[pyfunction]
#[pyo3(signature = (evidence, settings, n_jobs=None, passes=None, memory=None))]
pub fn fit_aode(
    py: Python<'_>,
    evidence: Evidence<'_>,
    settings: Settings,
    n_jobs: Option<Jobs>,
    passes: Option<Py<PyAny>>,
    memory: Option<u64>,
) -> PyResult<PyAode> {
    let settings = AodeSettings::from_options(&settings.0).raised(py)?;
    let fit = move |counts: &dyn CountSource, control: &Control| Aode::fit(counts, settings, control);
    let running = Running { n_jobs, progress: None, passes, memory };
    Ok(PyAode { model: evidence.learn(py, running, fit, to_python)? })
}
