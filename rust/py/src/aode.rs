//! Averaged dependence estimators for Python.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tanager_core::counts::CountSource;
use tanager_core::model::Composed;
use tanager_core::model::aode::{Aode, AodeSettings, JointCounts};
use tanager_core::{Control, Error};

use crate::composed::{RowsOrCounts, composed_class, learn};
use crate::error::to_python;
use crate::runtime::{Jobs, run};
use crate::score::options_from_python;
use crate::statistics::Further;

/// An average of networks, each with one attribute, or two, as parents of all others; immutable.
#[pyclass(frozen, name = "Aode", module = "tanager._core")]
pub struct PyAode {
    model: Aode,
}

type Tables<'py> = Vec<PyReadonlyArray1<'py, f64>>;

// Missing values are left out: there is nothing to approximate.
composed_class!(PyAode, |this, _approximate| this.model, {
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
        let plain = |tables: Tables<'_>| tables.iter().map(|table| table.as_array().to_vec()).collect();
        let (singles, pairs, triples) = (plain(singles), plain(pairs), plain(triples));
        let counts = JointCounts { arities, class: class_, singles, pairs, triples };
        let (order, weighted, subsumption, min_count) = settings;
        let settings = AodeSettings { order, weighted, subsumption, min_count };
        let model = run(py, None, None, |control| Aode::from_counts(counts, settings, control))?;
        Ok(Self { model })
    }

    /// ((order, weighted, subsumption, min_count), arities, counts of the class, of each attribute, each pair, each triple):
    /// everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let arrays = |tables: &[Vec<f64>]| -> Vec<_> {
            tables.iter().map(|table| PyArray1::from_slice(py, table)).collect()
        };
        let (settings, counts) = (self.model.settings(), self.model.counts());
        let AodeSettings { order, weighted, subsumption, min_count } = settings;
        let tables = (arrays(&counts.singles), arrays(&counts.pairs), arrays(&counts.triples));
        let settings = (order, weighted, subsumption, min_count);
        (settings, counts.arities.clone(), counts.class.clone(), tables.0, tables.1, tables.2)
            .into_pyobject(py)
    }

    /// (members, no parents) of each attribute: no network is above the others.
    #[getter]
    fn nodes(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        (0..self.model.terms()).map(|node| (vec![node], Vec::new())).collect()
    }

    /// ln P(x | c): one axis for the attribute, then for the class.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        let Some(&arity) = self.model.arities().get(node) else {
            let error = Error::ColumnOutOfRange { column: node, columns: self.model.terms() };
            return Err(to_python(py, &error));
        };
        let shape = [arity, self.model.n_classes()];
        Ok(PyArray1::from_slice(py, self.model.log_table(node)).reshape(shape)?.into_any())
    }
});

/// Learns from rows, or from their counts and further passes over them.
#[pyfunction]
#[pyo3(signature = (evidence, settings, n_jobs=None, passes=None, memory=None))]
pub fn fit_aode(
    py: Python<'_>,
    evidence: RowsOrCounts<'_>,
    settings: &Bound<'_, PyDict>,
    n_jobs: Option<Jobs>,
    passes: Option<Py<PyAny>>,
    memory: Option<u64>,
) -> PyResult<PyAode> {
    let settings =
        AodeSettings::from_options(&options_from_python(settings)?).map_err(|error| to_python(py, &error))?;
    let fit = move |counts: &dyn CountSource, control: &Control| Aode::fit(counts, settings, control);
    Ok(PyAode { model: learn(py, &evidence, n_jobs, Further { passes, memory }, fit)? })
}
