//! Distinct values of arrays of text, for Python.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tanager_core::data::factorize;

/// Codes, −1 where there is none, and the first row of each.
type Factor<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<u32>>);

/// The codes of rows of bytes, all of one width, as an array of fixed-width text is seen as bytes.
#[pyfunction]
pub fn factorize_bytes<'py>(py: Python<'py>, rows: PyReadonlyArray2<'py, u8>) -> PyResult<Factor<'py>> {
    let width = rows.as_array().shape()[1].max(1);
    let bytes = rows.as_slice()?;
    let (codes, first) = py.detach(|| factorize(bytes.chunks_exact(width).map(Some)));
    Ok((PyArray1::from_vec(py, codes), PyArray1::from_vec(py, first)))
}

/// The codes of an array of Python strings and None; nothing where there is anything else.
#[pyfunction]
pub fn factorize_strings<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, Py<PyAny>>,
) -> PyResult<Option<Factor<'py>>> {
    let mut texts = Vec::with_capacity(values.len()?);
    for value in values.as_array() {
        let value = value.bind(py);
        match value.cast::<PyString>() {
            Ok(text) => match text.to_str() {
                Ok(text) => texts.push(Some(text.as_bytes())),
                Err(_) => return Ok(None), // a lone surrogate
            },
            Err(_) if value.is_none() => texts.push(None),
            Err(_) => return Ok(None),
        }
    }
    let (codes, first) = py.detach(|| factorize(texts));
    Ok(Some((PyArray1::from_vec(py, codes), PyArray1::from_vec(py, first))))
}
