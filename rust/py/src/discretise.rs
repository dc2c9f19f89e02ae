//! Discretisation for Python.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tanager_core::data::MdlCutter;

use crate::runtime::{Jobs, run};

/// The MDL cut points of every column, given the codes of the classes and perhaps row weights.
#[pyfunction]
#[pyo3(signature = (columns, y, n_classes, weights=None))]
pub fn mdl_cut_points<'py>(
    py: Python<'py>,
    columns: Vec<PyReadonlyArray1<'py, f64>>,
    y: PyReadonlyArray1<'py, u32>,
    n_classes: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
    let columns = columns.iter().map(|c| c.as_slice()).collect::<Result<Vec<_>, _>>()?;
    let y = y.as_slice()?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let cuts = run(py, Some(Jobs(1)), None, |control| {
        let mut cutter = MdlCutter::new(y, n_classes, weights)?;
        columns.iter().map(|x| cutter.cut_points_under(x, control)).collect::<tanager_core::Result<Vec<_>>>()
    })?;
    Ok(cuts.into_iter().map(|c| PyArray1::from_vec(py, c)).collect())
}
