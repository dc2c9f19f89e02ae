//! Columns on their way in, for Python: what they hold, what that is to mean, their codes.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tanager_core::data::{self, Codes, Column, Cuttable, Domain, Levels, Reading, Source};
use tanager_core::with_codes;

use crate::error::data_error;
use crate::runtime::{Jobs, run_if_long};
use crate::source::{Handed, Held, hold};

/// Runs work in the pool where there is enough of it.
pub fn worth<T: Send>(
    py: Python<'_>,
    n_jobs: Option<Jobs>,
    values: usize,
    work: impl FnOnce() -> tanager_core::Result<T> + Send,
) -> PyResult<T> {
    run_if_long(py, values >= data::WORTH_A_THREAD, n_jobs, |_| work())
}

/// So many columns are held at a time: an array that is borrowed is compared with all others of the same memory, and a
/// matrix of 100,000 columns would wait for that alone.
pub const HELD: usize = 1024;

/// Columns of codes that belong to no data set yet; they can be taken once.
#[pyclass(frozen, name = "Columns", module = "tanager._core")]
pub struct PyColumns(Mutex<Vec<Column>>);

impl PyColumns {
    /// Of columns of one length.
    pub fn new(columns: Vec<Column>) -> Self {
        Self(Mutex::new(columns))
    }

    /// All columns; nothing is left.
    pub fn take(&self) -> Vec<Column> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What one pass over columns of numbers, or of places of levels, has found.
#[pyclass(frozen, name = "Reading", module = "tanager._core")]
pub struct PyReading {
    columns: Mutex<Vec<Reading>>,
}

/// An array of numbers from their keys.
fn numbers<'py>(py: Python<'py>, domain: Domain, keys: &[u64]) -> Bound<'py, PyAny> {
    match domain {
        Domain::Signed => PyArray1::from_iter(py, keys.iter().map(|&key| key as i64)).into_any(),
        Domain::Unsigned => PyArray1::from_slice(py, keys).into_any(),
        Domain::Real => PyArray1::from_iter(py, keys.iter().map(|&key| f64::from_bits(key))).into_any(),
    }
}

#[pymethods]
impl PyReading {
    /// Reads columns (values, mask, whether they are places of levels) in one pass; a column with more distinct values
    /// than its limit is given up.
    #[new]
    #[pyo3(signature = (columns, limits, n_jobs=None))]
    fn new(
        py: Python<'_>,
        columns: Vec<Handed<'_>>,
        limits: Vec<usize>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Self> {
        if limits.len() != columns.len() {
            return Err(data_error(py, "limits: one for each column"));
        }
        let (mut columns, mut read) = (columns.into_iter(), Vec::with_capacity(limits.len()));
        for limits in limits.chunks(HELD) {
            let held = hold(py, columns.by_ref().take(HELD).collect())?;
            let sources: Vec<Box<dyn Source + '_>> = held.iter().map(Held::source).collect();
            let sources: Vec<&dyn Source> = sources.iter().map(AsRef::as_ref).collect();
            let values = sources.iter().map(|source| source.rows()).sum();
            read.extend(worth(py, n_jobs, values, || Ok(data::read(&sources, limits)))?);
        }
        Ok(Self { columns: Mutex::new(read) })
    }

    /// (the distinct values, ascending, whether any is missing) of each column; None where they are too many.
    fn levels<'py>(&self, py: Python<'py>) -> Vec<Option<(Bound<'py, PyAny>, bool)>> {
        let columns = self.lock();
        let levels = columns.iter().map(|column| match column {
            Reading::Many => None,
            Reading::Levels(levels) => Some((numbers(py, levels.domain, &levels.keys), levels.has_missing)),
        });
        levels.collect()
    }

    /// Which levels of a column occur among some of the rows, and whether any of these rows is missing.
    fn seen<'py>(
        &self,
        py: Python<'py>,
        column: usize,
        rows: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<(Bound<'py, PyArray1<bool>>, bool)> {
        let columns = self.lock();
        let levels = at(py, &columns, column)?;
        // One more place for what is missing.
        let mut seen = vec![false; levels.keys.len() + 1];
        let last = levels.keys.len();
        for (row, &kept) in rows.as_array().iter().enumerate().take(levels.codes.len()) {
            if kept {
                seen[place(&levels.codes, row).min(last)] = true;
            }
        }
        let has_missing = seen.pop().unwrap_or(false);
        Ok((PyArray1::from_vec(py, seen), has_missing))
    }

    /// The place of every row's value among the levels of its column; −1 where it is missing.
    fn places<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.lock();
        let levels = at(py, &columns, column)?;
        let count = levels.keys.len();
        Ok(match &levels.codes {
            Codes::U8(codes) if !levels.has_missing => PyArray1::from_slice(py, codes).into_any(),
            Codes::U8(codes) if count <= 127 => {
                // 255 is −1 in eight bits with a sign.
                PyArray1::from_iter(py, codes.iter().map(|&code| code as i8)).into_any()
            }
            codes => {
                let places = (0..codes.len()).map(|row| place(codes, row));
                let places = places.map(|place| if place < count { place as i64 } else { -1 });
                PyArray1::from_iter(py, places).into_any()
            }
        })
    }

    /// The first row of each level of a column.
    fn first_rows<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let columns = self.lock();
        let levels = at(py, &columns, column)?;
        let mut first = vec![u32::MAX; levels.keys.len()];
        let mut unmet = first.len();
        for row in 0..levels.codes.len() {
            if unmet == 0 {
                break;
            }
            if let Some(first) = first.get_mut(place(&levels.codes, row)).filter(|first| **first == u32::MAX)
            {
                *first = row as u32;
                unmet -= 1;
            }
        }
        Ok(PyArray1::from_vec(py, first))
    }

    /// The MDL cut points of some columns, which are given with their values once more, since many-valued columns
    /// have kept none.
    #[pyo3(signature = (which, columns, y, n_classes, weights=None, n_jobs=None))]
    #[allow(clippy::too_many_arguments)]
    fn mdl_cut_points<'py>(
        &self,
        py: Python<'py>,
        which: Vec<usize>,
        columns: Vec<Handed<'py>>,
        y: PyReadonlyArray1<'py, u32>,
        n_classes: usize,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let readings = self.lock();
        if which.len() != columns.len() || which.iter().any(|&column| column >= readings.len()) {
            return Err(data_error(py, "there is no such column"));
        }
        let y = y.as_slice()?;
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        let (mut columns, mut cuts) = (columns.into_iter(), Vec::with_capacity(which.len()));
        for which in which.chunks(HELD) {
            let held = hold(py, columns.by_ref().take(HELD).collect())?;
            let sources: Vec<Box<dyn Source + '_>> = held.iter().map(Held::source).collect();
            let columns = which.iter().zip(&sources).map(|(&column, source)| match &readings[column] {
                Reading::Levels(levels) => Cuttable::Levels(levels),
                Reading::Many => Cuttable::Source(source.as_ref()),
            });
            let columns: Vec<_> = columns.collect();
            let values = y.len() * columns.len();
            cuts.extend(worth(py, n_jobs, values, || data::cut_points(&columns, y, n_classes, weights))?);
        }
        Ok(cuts.into_iter().map(|cuts| cuts.into_pyarray(py)).collect())
    }

    /// The columns of codes of what has few levels: `tables` has, for each of these columns, the code of each of its levels (2³² − 1: none), `missing` the
    /// code of a missing value. Can be called once.
    #[pyo3(signature = (names, tables, arities, missing, n_jobs=None))]
    fn finish(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        tables: Vec<PyReadonlyArray1<'_, u32>>,
        arities: Vec<usize>,
        missing: Vec<u32>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<PyColumns> {
        let columns = std::mem::take(&mut *self.lock());
        let levels = columns.into_iter().filter_map(|column| match column {
            Reading::Levels(levels) => Some(levels),
            Reading::Many => None,
        });
        let levels: Vec<Levels> = levels.collect();
        let n = levels.len();
        if [names.len(), tables.len(), arities.len(), missing.len()] != [n; 4] {
            return Err(data_error(
                py,
                "names, tables, arities and missing: one for each column that was read",
            ));
        }
        let tables = tables.iter().map(|table| table.as_slice()).collect::<Result<Vec<_>, _>>()?;
        let values = levels.iter().map(|levels| levels.codes.len()).sum();
        let columns = worth(py, n_jobs, values, || {
            let work = levels.into_iter().enumerate().collect();
            data::each(work, values, |(i, levels): (usize, Levels)| {
                levels.into_column(&names[i], tables[i], missing[i], arities[i])
            })
            .into_iter()
            .collect()
        })?;
        Ok(PyColumns::new(columns))
    }
}

impl PyReading {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Reading>> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn at<'a>(py: Python<'_>, columns: &'a [Reading], column: usize) -> PyResult<&'a Levels> {
    match columns.get(column) {
        Some(Reading::Levels(levels)) => Ok(levels),
        _ => Err(data_error(py, "there is no such column, or it has too many values")),
    }
}

fn place(codes: &Codes, row: usize) -> usize {
    with_codes!(codes, codes => codes[row] as usize)
}
