//! Predictions of classifiers that are more than one network, for Python.

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use tanager_core::Control;
use tanager_core::model::Composed;

use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::runtime::{Jobs, run};

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
