//! Classifiers that are more than one network, for Python.

use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use tanager_core::model::Composed;

use crate::classifier::summing;
use crate::dataset::PyDataset;
use crate::runtime::{Jobs, run};

/// What Python asks of every classifier that is more than one network and has a joint probability, beside what is its own.
macro_rules! composed_class {
    ($class:ident, { $($own:tt)* }) => {
        crate::classifier::classifier_class!(
            $class, model, [log_joint: LogJoint, log_posterior: LogPosterior, posterior: Posterior],
            {
                $($own)*

                /// What each attribute adds to ln P(c): for each row, attribute and class.
                #[pyo3(signature = (data, n_jobs=None, approximate=false))]
                fn contributions<'py>(
                    &self,
                    py: pyo3::Python<'py>,
                    data: &crate::dataset::PyDataset,
                    n_jobs: Option<crate::runtime::Jobs>,
                    approximate: bool,
                ) -> pyo3::PyResult<pyo3::Bound<'py, numpy::PyArray3<f64>>> {
                    crate::composed::contributions(py, &self.model, data, n_jobs, approximate)
                }
            }
        );
    };
}
pub(crate) use composed_class;

/// One number for each row, term and class.
pub fn contributions<'py>(
    py: Python<'py>,
    model: &dyn Composed,
    data: &PyDataset,
    n_jobs: Option<Jobs>,
    approximate: bool,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let data = &data.data;
    let values = run(py, n_jobs, None, |control| model.contributions(data, summing(approximate), control))?;
    PyArray1::from_vec(py, values).reshape([data.rows(), model.terms(), model.n_classes()])
}

/// Arrays as Python hands them over.
pub type Tables<'py> = Vec<PyReadonlyArray1<'py, f64>>;

/// Copies of arrays.
pub fn plain(tables: &Tables<'_>) -> Vec<Vec<f64>> {
    tables.iter().map(|table| table.as_array().to_vec()).collect()
}

/// Arrays for Python.
pub fn arrays<'py>(py: Python<'py>, tables: &[Vec<f64>]) -> Vec<Bound<'py, PyArray1<f64>>> {
    tables.iter().map(|table| PyArray1::from_slice(py, table)).collect()
}
