//! Statistics and sketches for Python.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use tanager_core::counts::{self, Cells, CountSource, Family, FamilyCounts, Moves, Statistics};
use tanager_core::data::{Sketch, Source, Variable};
use tanager_core::with_cells;

use crate::dataset::PyDataset;
use crate::error::Raised;
use crate::evidence::FamilyParts;
use crate::runtime::{Jobs, run};
use crate::source::{Handed, Held, hold};

/// Sums of the tables of the class, the columns and their pairs.
#[pyclass(frozen, name = "Statistics", module = "tanager._core")]
pub struct PyStatistics {
    statistics: RwLock<Statistics>,
}

impl PyStatistics {
    fn of(statistics: Statistics) -> Self {
        Self { statistics: RwLock::new(statistics) }
    }

    /// The statistics, for as long as the guard lives; whoever wants to add waits, detached.
    pub fn read(&self, py: Python<'_>) -> RwLockReadGuard<'_, Statistics> {
        match self.statistics.try_read() {
            Ok(guard) => guard,
            Err(_) => {
                // Somebody adds: it may need the interpreter to get ready.
                while self.statistics.try_read().is_err() {
                    py.detach(|| std::thread::sleep(std::time::Duration::from_millis(1)));
                }
                self.statistics.read().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, Statistics> {
        self.statistics.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cells as an array of uint32, or of float64 where there are weights or very many rows.
fn array<'py>(py: Python<'py>, cells: &Cells, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(with_cells!(cells, cells => PyArray1::from_slice(py, cells).reshape(shape.to_vec())?.into_any()))
}

#[pymethods]
impl PyStatistics {
    /// No rows yet.
    #[new]
    #[pyo3(signature = (arities, n_classes=None, pairs=true))]
    fn new(py: Python<'_>, arities: Vec<usize>, n_classes: Option<usize>, pairs: bool) -> PyResult<Self> {
        let statistics = Statistics::new(arities, n_classes, pairs);
        Ok(Self::of(statistics.raised(py)?))
    }

    /// Adds the rows of a table; where that fails or is interrupted, none of them.
    #[pyo3(signature = (data, n_jobs=None))]
    fn update(&self, py: Python<'_>, data: &PyDataset, n_jobs: Option<Jobs>) -> PyResult<()> {
        run(py, n_jobs, None, |control| self.write().update(&data.data, control))
    }

    /// Adds what was counted elsewhere.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        // A copy, since adding to itself, or both to each other, would wait for ever.
        let other = other.read(py).clone();
        let merged = py.detach(|| self.write().merge(&other));
        merged.raised(py)
    }

    /// The same counts over larger domains: code `a` of column `i` becomes `values[i][a]`, class `c` `classes[c]`.
    fn grown(
        &self,
        py: Python<'_>,
        arities: Vec<usize>,
        n_classes: Option<usize>,
        values: Vec<Vec<usize>>,
        classes: Vec<usize>,
    ) -> PyResult<Self> {
        let statistics = self.read(py);
        let moves = Moves { values: &values, classes: &classes };
        let grown = py.detach(|| statistics.grown(arities, n_classes, &moves));
        Ok(Self::of(grown.raised(py)?))
    }

    /// The same rows with further columns, of one value each: these columns become `places`, which ascend, among `columns`.
    fn beside_constants(&self, py: Python<'_>, columns: usize, places: Vec<usize>) -> PyResult<Self> {
        let statistics = self.read(py);
        let spread = py.detach(|| statistics.beside_constants(columns, &places));
        Ok(Self::of(spread.raised(py)?))
    }

    /// The same rows, each with the weight of its class.
    fn weighed(&self, py: Python<'_>, by_class: Vec<f64>) -> PyResult<Self> {
        let statistics = self.read(py);
        let weighed = py.detach(|| statistics.weighed(&by_class));
        Ok(Self::of(weighed.raised(py)?))
    }

    /// Another object with the same counts.
    fn copy(&self, py: Python<'_>) -> Self {
        Self::of(self.read(py).clone())
    }

    /// All there is, with a note.
    fn to_bytes<'py>(&self, py: Python<'py>, note: &[u8]) -> Bound<'py, PyBytes> {
        let statistics = self.read(py);
        let bytes = py.detach(|| statistics.to_bytes(note));
        PyBytes::new(py, &bytes)
    }

    /// What `to_bytes` gave, and the note; anything else is refused.
    #[staticmethod]
    fn from_bytes<'py>(py: Python<'py>, data: &[u8]) -> PyResult<(Self, Bound<'py, PyBytes>)> {
        let read = py.detach(|| Statistics::from_bytes(data));
        let (statistics, note) = read.raised(py)?;
        Ok((Self::of(statistics), PyBytes::new(py, &note)))
    }

    /// The number of rows of each class, or of all where there is no class.
    fn class_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cells = self.read(py).class();
        array(py, &cells, &[cells.len()])
    }

    /// The table of a column, or of a pair of columns: one axis for the class, then one for each.
    #[pyo3(signature = (column, other=None))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        column: usize,
        other: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let statistics = self.read(py);
        let (child, parents) = match other {
            None => (column, vec![]),
            Some(other) => (other, vec![column]),
        };
        let with_class = statistics.n_classes().is_some();
        let family = statistics.family(Variable::Attribute(child), &parents, with_class);
        let FamilyCounts { shape, cells } = family.raised(py)?;
        let axes: Vec<usize> =
            [shape.class.unwrap_or(1)].into_iter().chain(shape.parents).chain([shape.child]).collect();
        array(py, &cells, &axes)
    }

    /// The number of values of each column.
    #[getter]
    fn arities(&self, py: Python<'_>) -> Vec<usize> {
        self.read(py).arities().to_vec()
    }

    /// The number of classes, or None.
    #[getter]
    fn n_classes(&self, py: Python<'_>) -> Option<usize> {
        self.read(py).n_classes()
    }

    /// The number of rows, whatever they weigh.
    #[getter]
    fn rows(&self, py: Python<'_>) -> u64 {
        self.read(py).rows()
    }

    /// N: the number of rows, or the sum of their weights.
    #[getter]
    fn total(&self, py: Python<'_>) -> f64 {
        self.read(py).total()
    }

    /// Whether the tables of all pairs are there.
    #[getter]
    fn has_pairs(&self, py: Python<'_>) -> bool {
        self.read(py).has_pairs()
    }

    /// Whether any row had a weight.
    #[getter]
    fn weighted(&self, py: Python<'_>) -> bool {
        self.read(py).is_weighted()
    }

    /// Bytes that the tables take.
    #[getter]
    fn size(&self, py: Python<'_>) -> usize {
        self.read(py).size()
    }
}

/// A sample of the distinct values of a column of numbers, with exact counts of each class.
#[pyclass(frozen, name = "Sketch", module = "tanager._core")]
pub struct PySketch {
    sketch: RwLock<Sketch>,
    size: usize,
}

impl PySketch {
    fn read(&self) -> RwLockReadGuard<'_, Sketch> {
        self.sketch.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Sketch> {
        self.sketch.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PySketch {
    /// A sketch of at most so many values.
    #[new]
    fn new(size: usize) -> Self {
        Self { sketch: RwLock::new(Sketch::new(size)), size: size.max(1) }
    }

    /// Adds the rows of another sketch, whose class `c` is called `classes[c]` here.
    fn merge(&self, py: Python<'_>, other: &Self, classes: Vec<usize>) -> PyResult<()> {
        let other = other.read().clone();
        self.write().merge(&other, &classes).raised(py)
    }

    /// The values that were kept, ascending, and the counts of each and each class.
    #[allow(clippy::type_complexity)]
    fn values<'py>(
        &self,
        py: Python<'py>,
        classes: usize,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        let (values, counts) = self.read().values(classes);
        let shape = [values.len(), classes];
        Ok((PyArray1::from_vec(py, values), PyArray1::from_vec(py, counts).reshape(shape)?))
    }

    /// A sketch of such values and counts.
    #[staticmethod]
    fn from_values(
        py: Python<'_>,
        size: usize,
        values: PyReadonlyArray1<'_, f64>,
        counts: PyReadonlyArray1<'_, f64>,
        classes: usize,
        exact: bool,
    ) -> PyResult<Self> {
        let sketch = Sketch::from_values(size, values.as_slice()?, counts.as_slice()?, classes, exact);
        let sketch = sketch.raised(py)?;
        Ok(Self { sketch: RwLock::new(sketch), size })
    }

    /// Whether all distinct values were kept.
    #[getter]
    fn exact(&self) -> bool {
        self.read().is_exact()
    }

    /// The most values that are kept.
    #[getter]
    fn size(&self) -> usize {
        self.size
    }
}

/// Adds rows to sketches, each with its column of numbers; gives of each whether values are missing, and the first row that
/// is infinite, where there is one.
#[pyfunction]
#[pyo3(signature = (sketches, columns, y=None, weights=None, n_jobs=None))]
pub fn update_sketches(
    py: Python<'_>,
    sketches: Vec<PyRef<'_, PySketch>>,
    columns: Vec<Handed<'_>>,
    y: Option<PyReadonlyArray1<'_, u32>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    n_jobs: Option<Jobs>,
) -> PyResult<Vec<(bool, Option<usize>)>> {
    let sketches: Vec<&PySketch> = sketches.iter().map(|sketch| &**sketch).collect();
    let held = hold(py, columns)?;
    let columns: Vec<Box<dyn Source + '_>> = held.iter().map(Held::source).collect();
    let y = y.as_ref().map(|y| y.as_slice()).transpose()?;
    let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
    run(py, n_jobs, None, |control| {
        let odd = sketches.par_iter().zip(&columns).map(|(sketch, column)| {
            control.check()?;
            let mut sketch = sketch.write();
            let odd = match column.reals() {
                Some(reals) => sketch.update(reals, y, weights)?,
                None => {
                    let mut numbers = vec![0.0; column.rows()];
                    column.numbers(0, &mut numbers);
                    sketch.update(&numbers, y, weights)?
                }
            };
            Ok((odd.has_missing, odd.infinite))
        });
        odd.collect()
    })
}

/// The cells of families, one table after another, as float64.
#[pyfunction]
#[pyo3(signature = (data, families, n_jobs=None))]
pub fn count_families<'py>(
    py: Python<'py>,
    data: &PyDataset,
    families: Vec<FamilyParts>,
    n_jobs: Option<Jobs>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let family = |(child, parents, with_class)| Family { child, parents, with_class };
    let families: Vec<Family> = families.into_iter().map(family).collect();
    let counted = run(py, n_jobs, None, |control| counts::count_families(&data.data, &families, control))?;
    Ok(PyArray1::from_vec(py, counted.iter().flat_map(Cells::to_f64).collect()))
}
