//! Predictions of classifiers that are more than one network, for Python.

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use tanager_core::Control;
use tanager_core::counts::{CountSource, Counter};
use tanager_core::data::Dataset;
use tanager_core::model::Composed;

use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::runtime::{Jobs, run};
use crate::statistics::{Further, PyStatistics, run_on_counts};

/// Rows, or the counts of rows that are elsewhere.
#[derive(FromPyObject)]
pub enum RowsOrCounts<'py> {
    Rows(Bound<'py, PyDataset>),
    Counts(Bound<'py, PyStatistics>),
}

/// Learns from rows, or from their counts and further passes.
pub fn learn<T: Send>(
    py: Python<'_>,
    evidence: &RowsOrCounts<'_>,
    n_jobs: Option<Jobs>,
    further: Further,
    fit: impl FnOnce(&dyn CountSource, &Control) -> tanager_core::Result<T> + Send,
) -> PyResult<T> {
    match evidence {
        RowsOrCounts::Rows(rows) => {
            let data: &Dataset = &rows.get().data;
            run(py, n_jobs, None, |control| fit(&Counter::new(data), control))
        }
        RowsOrCounts::Counts(counts) => {
            let raise = |py: Python<'_>, error| to_python(py, &error);
            run_on_counts(py, counts.get(), n_jobs, further, fit, raise)
        }
    }
}

/// What Python asks of every classifier that is more than one network, beside what is its own. The closure
/// gives what predicts, a place or a value.
macro_rules! composed_class {
    ($class:ident, |$this:ident, $approximate:ident| $model:expr, { $($own:tt)* }) => {
        #[pyo3::pymethods]
        impl $class {
            $($own)*

            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::PyAny>, pyo3::Bound<'py, pyo3::types::PyTuple>)> {
                use pyo3::types::PyAnyMethods;
                Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
            }

            /// It was not searched for by accuracy.
            #[getter]
            fn search(&self) -> Option<()> {
                None
            }

            /// It has no tuned concentrations.
            #[getter]
            fn concentrations(&self) -> Option<()> {
                None
            }

            /// ln P(c).
            #[getter]
            fn log_prior<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::Bound<'py, numpy::PyArray1<f64>> {
                use tanager_core::model::Composed;
                let ($this, $approximate) = (self, false);
                let _ = $approximate;
                numpy::PyArray1::from_slice(py, $model.log_prior())
            }

            /// ln P(c, x) of each row and class.
            #[pyo3(signature = (data, n_jobs=None, approximate=false))]
            fn log_joint<'py>(
                &self,
                py: pyo3::Python<'py>,
                data: &crate::dataset::PyDataset,
                n_jobs: Option<crate::runtime::Jobs>,
                approximate: bool,
            ) -> pyo3::PyResult<pyo3::Bound<'py, numpy::PyArray2<f64>>> {
                let ($this, $approximate) = (self, approximate);
                let _ = $approximate;
                let wanted = crate::composed::Wanted::LogJoint;
                crate::composed::predict(py, &$model, data, n_jobs, wanted)
            }

            /// ln P(c | x) of each row and class.
            #[pyo3(signature = (data, n_jobs=None, approximate=false))]
            fn log_posterior<'py>(
                &self,
                py: pyo3::Python<'py>,
                data: &crate::dataset::PyDataset,
                n_jobs: Option<crate::runtime::Jobs>,
                approximate: bool,
            ) -> pyo3::PyResult<pyo3::Bound<'py, numpy::PyArray2<f64>>> {
                let ($this, $approximate) = (self, approximate);
                let _ = $approximate;
                let wanted = crate::composed::Wanted::LogPosterior;
                crate::composed::predict(py, &$model, data, n_jobs, wanted)
            }

            /// P(c | x) of each row and class.
            #[pyo3(signature = (data, n_jobs=None, approximate=false))]
            fn posterior<'py>(
                &self,
                py: pyo3::Python<'py>,
                data: &crate::dataset::PyDataset,
                n_jobs: Option<crate::runtime::Jobs>,
                approximate: bool,
            ) -> pyo3::PyResult<pyo3::Bound<'py, numpy::PyArray2<f64>>> {
                let ($this, $approximate) = (self, approximate);
                let _ = $approximate;
                let wanted = crate::composed::Wanted::Posterior;
                crate::composed::predict(py, &$model, data, n_jobs, wanted)
            }

            /// What each attribute adds to ln P(c): for each row, attribute and class.
            #[pyo3(signature = (data, n_jobs=None, approximate=false))]
            fn contributions<'py>(
                &self,
                py: pyo3::Python<'py>,
                data: &crate::dataset::PyDataset,
                n_jobs: Option<crate::runtime::Jobs>,
                approximate: bool,
            ) -> pyo3::PyResult<pyo3::Bound<'py, numpy::PyArray3<f64>>> {
                let ($this, $approximate) = (self, approximate);
                let _ = $approximate;
                crate::composed::contributions(py, &$model, data, n_jobs)
            }
        }
    };
}
pub(crate) use composed_class;

/// What is asked for of each row and class.
#[derive(Clone, Copy)]
pub enum Wanted {
    LogJoint,
    LogPosterior,
    Posterior,
}

/// One number for each row and class; at once where there are few rows.
pub fn predict<'py>(
    py: Python<'py>,
    model: &dyn Composed,
    data: &PyDataset,
    n_jobs: Option<Jobs>,
    wanted: Wanted,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let data = &data.data;
    let work = |control: &Control| match wanted {
        Wanted::LogJoint => model.log_joint(data, control),
        Wanted::LogPosterior => model.log_posterior(data, control),
        Wanted::Posterior => model.posterior(data, control),
    };
    let values = if model.is_quick(data) {
        work(&Control::new()).map_err(|error| to_python(py, &error))?
    } else {
        run(py, n_jobs, None, work)?
    };
    PyArray1::from_vec(py, values).reshape([data.rows(), model.n_classes()])
}

/// One number for each row, term and class.
pub fn contributions<'py>(
    py: Python<'py>,
    model: &dyn Composed,
    data: &PyDataset,
    n_jobs: Option<Jobs>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let values = run(py, n_jobs, None, |control| model.contributions(&data.data, control))?;
    PyArray1::from_vec(py, values).reshape([data.data.rows(), model.terms(), model.n_classes()])
}
