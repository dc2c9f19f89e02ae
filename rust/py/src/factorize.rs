//! Distinct values of arrays of text, for Python.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyString};
use tanager_core::data::factorize;

use crate::error::data_error;

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

/// The codes of Arrow's strings: all of their bytes, and where in them each string begins and the last one ends.
#[pyfunction]
pub fn factorize_arrow<'py>(
    py: Python<'py>,
    bytes: PyReadonlyArray1<'py, u8>,
    offsets: &Bound<'py, PyAny>,
    missing: Option<PyReadonlyArray1<'py, bool>>,
) -> PyResult<Factor<'py>> {
    let bytes = bytes.as_slice()?;
    let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
    let factor = if let Ok(offsets) = offsets.extract::<PyReadonlyArray1<'py, i32>>() {
        let offsets = offsets.as_slice()?;
        py.detach(|| factorize_slices(bytes, offsets, missing))
    } else {
        let offsets = offsets.extract::<PyReadonlyArray1<'py, i64>>()?;
        let offsets = offsets.as_slice()?;
        py.detach(|| factorize_slices(bytes, offsets, missing))
    };
    let (codes, first) = factor.ok_or_else(|| data_error(py, "strings lie outside of their bytes"))?;
    Ok((PyArray1::from_vec(py, codes), PyArray1::from_vec(py, first)))
}

fn factorize_slices<T: Copy + TryInto<usize>>(
    bytes: &[u8],
    offsets: &[T],
    missing: Option<&[bool]>,
) -> Option<(Vec<i32>, Vec<u32>)> {
    let mut sound = missing.is_none_or(|missing| missing.len() + 1 == offsets.len());
    let slice = |pair: &[T]| bytes.get(pair[0].try_into().ok()?..pair[1].try_into().ok()?);
    let codes = match missing {
        None => factorize(offsets.windows(2).map(|pair| {
            let value = slice(pair);
            sound &= value.is_some();
            value
        })),
        Some(missing) => factorize(offsets.windows(2).zip(missing).map(|(pair, &missing)| {
            let value = slice(pair).filter(|_| !missing);
            sound &= missing || value.is_some();
            value
        })),
    };
    sound.then_some(codes)
}

/// The codes of strings as Arrow's views have them: sixteen bytes each, the length and then, up to twelve bytes, the
/// string itself, or its first four bytes, the number of its buffer and where in that it begins.
#[pyfunction]
pub fn factorize_views<'py>(
    py: Python<'py>,
    views: PyReadonlyArray2<'py, u8>,
    buffers: Vec<PyReadonlyArray1<'py, u8>>,
    missing: Option<PyReadonlyArray1<'py, bool>>,
) -> PyResult<Factor<'py>> {
    let buffers = buffers.iter().map(|buffer| buffer.as_slice()).collect::<Result<Vec<_>, _>>()?;
    let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
    let (views, rest) = views.as_slice()?.as_chunks::<16>();
    let mut sound = rest.is_empty() && missing.is_none_or(|missing| missing.len() == views.len());
    let (codes, first) = py.detach(|| {
        factorize(views.iter().enumerate().map(|(row, view)| {
            if missing.is_some_and(|missing| missing.get(row) == Some(&true)) {
                return None;
            }
            let value = viewed(view, &buffers);
            sound &= value.is_some();
            value
        }))
    });
    if !sound {
        return Err(data_error(py, "strings lie outside of their bytes"));
    }
    Ok((PyArray1::from_vec(py, codes), PyArray1::from_vec(py, first)))
}

/// The bytes of a view; none where they are not there.
#[inline(always)]
fn viewed<'a>(view: &'a [u8; 16], buffers: &[&'a [u8]]) -> Option<&'a [u8]> {
    let number =
        |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]) as usize;
    let length = number(0);
    if length <= 12 {
        return Some(&view[4..4 + length]);
    }
    buffers.get(number(8))?.get(number(12)..)?.get(..length)
}

/// The codes of an array of Python strings, None and NaN; nothing where there is anything else.
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
            Err(_) => match value.cast_exact::<PyFloat>() {
                Ok(number) if number.value().is_nan() => texts.push(None), // pandas' missing values
                _ => return Ok(None),
            },
        }
    }
    let (codes, first) = py.detach(|| factorize(texts));
    Ok(Some((PyArray1::from_vec(py, codes), PyArray1::from_vec(py, first))))
}
