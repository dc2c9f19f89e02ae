//! `Dataset` for Python.

use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::prelude::*;
use tanager_core::data::{CodesRef, Column, Dataset};
use tanager_core::{Error, with_codes};

use crate::error::{Raised, check_place, data_error, to_python};
use crate::reading::PyColumns;
use crate::runtime::{run, run_if_long};

/// Fewer codes are copied before other threads have woken up.
const WORTH_A_THREAD: usize = 1 << 20;

/// Encoded columns with, perhaps, a class and row weights; immutable.
#[pyclass(frozen, name = "Dataset", module = "tanager")]
pub struct PyDataset {
    /// The core's table.
    pub data: Dataset,
}

#[pymethods]
impl PyDataset {
    #[new]
    #[pyo3(signature = (codes, arities, class_codes=None, n_classes=None, *, weights=None, missing=None, names=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        codes: &Bound<'_, PyAny>,
        arities: Vec<Bound<'_, PyAny>>,
        class_codes: Option<&Bound<'_, PyAny>>,
        n_classes: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
        missing: Option<i64>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let codes = integers(py, codes, "codes", 2)?;
        let labels = labels(py, names.clone(), codes.shape()[1])?;
        one_for_each_column(py, "arities", arities.len(), labels.len())?;
        check_rows(py, codes.shape()[0])?;
        let arities =
            arities.iter().map(|arity| domain_size(arity, "arity")).collect::<PyResult<Vec<usize>>>()?;
        let columns = by_dtype(py, &codes, |matrix| {
            run(py, None, None, |_| columns_of(matrix, &arities, &labels, missing))
        })??;
        let class = class_column(py, class_codes, n_classes, missing)?;
        let weights = weights.map(row_weights).transpose()?;
        Self::build(py, columns, class, weights, names)
    }

    /// From one array of uint8, uint16 or uint32 for each column; the type's largest value is missing.
    #[staticmethod]
    #[pyo3(signature = (columns, arities, class_codes=None, n_classes=None, *, weights=None, names=None))]
    fn from_columns(
        py: Python<'_>,
        columns: &Bound<'_, PyList>,
        arities: Vec<usize>,
        class_codes: Option<&Bound<'_, PyAny>>,
        n_classes: Option<&Bound<'_, PyAny>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let labels = labels(py, names.clone(), columns.len())?;
        one_for_each_column(py, "arities", arities.len(), labels.len())?;
        let arrays = columns.iter().zip(&labels).map(|(column, label)| CodesArray::new(py, &column, label));
        let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
        let codes = arrays.iter().map(CodesArray::codes).collect::<PyResult<Vec<_>>>()?;
        let column = |index: usize| Column::copied(&labels[index], codes[index], arities[index]);
        let indices = 0..labels.len();
        let rows = columns.iter().next().map_or(0, |column| column.len().unwrap_or(0));
        let is_long = rows * labels.len() >= WORTH_A_THREAD;
        let encoded = run_if_long(py, is_long, None, |_| match is_long {
            true => indices.into_par_iter().map(column).collect(),
            false => indices.map(column).collect(),
        })?;
        let class = class_column(py, class_codes, n_classes, None)?;
        Self::build(py, encoded, class, weights, names)
    }

    /// From columns of codes that were just encoded, which are taken and not copied; `order` has the place of each.
    #[staticmethod]
    fn assemble(py: Python<'_>, columns: Vec<PyRef<'_, PyColumns>>, order: Vec<usize>) -> PyResult<Self> {
        let columns = columns.iter().flat_map(|columns| columns.take());
        let mut placed: Vec<_> = order.into_iter().zip(columns).collect();
        placed.sort_by_key(|&(place, _)| place);
        Self::build(py, placed.into_iter().map(|(_, column)| column).collect(), None, None, None)
    }

    /// The same columns, shared, with a class, weights and names.
    #[pyo3(signature = (class_codes=None, n_classes=None, weights=None, names=None))]
    fn with_class(
        &self,
        py: Python<'_>,
        class_codes: Option<&Bound<'_, PyAny>>,
        n_classes: Option<&Bound<'_, PyAny>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let class = class_column(py, class_codes, n_classes, None)?;
        Self::finished(py, self.data.with_class(class), weights, names)
    }

    /// The codes of a column, as wide as its domain asks for; the type's largest value is missing.
    fn codes<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyAny>> {
        check_place(py, column, self.data.n())?;
        let codes = self.data.columns()[column].codes();
        Ok(with_codes!(codes, codes => PyArray1::from_slice(py, codes).into_any()))
    }

    /// Which rows have no missing value.
    fn complete_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, py.detach(|| self.data.complete_rows()))
    }

    /// The table of the given rows, in their order.
    fn select(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let rows = rows.as_slice()?;
        if let Some(&row) = rows.iter().find(|&&row| row as usize >= self.data.rows()) {
            return Err(data_error(py, format!("there is no row {row}: the table has {}", self.data.rows())));
        }
        Ok(Self { data: run(py, None, None, |_| self.data.select(rows))? })
    }

    /// The number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.rows()
    }

    /// The number of columns, the class left out.
    #[getter]
    fn n_columns(&self) -> usize {
        self.data.n()
    }

    /// The number of values of each column.
    #[getter]
    fn arities(&self) -> Vec<usize> {
        self.data.arities()
    }

    /// The number of classes, or None.
    #[getter]
    fn n_classes(&self) -> Option<usize> {
        self.data.n_classes()
    }

    /// N: the number of rows, or the sum of their weights.
    #[getter]
    fn total(&self) -> f64 {
        self.data.total()
    }

    fn __repr__(&self) -> String {
        let class = self.data.n_classes().map_or(String::new(), |classes| format!(", {classes} classes"));
        format!("Dataset({} rows, {} columns{class})", self.data.rows(), self.data.n())
    }
}

impl PyDataset {
    fn build(
        py: Python<'_>,
        columns: Vec<Column>,
        class: Option<Column>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        Self::finished(py, Dataset::new(columns, class), weights, names)
    }

    /// With what may come beside columns and class.
    fn finished(
        py: Python<'_>,
        mut data: tanager_core::Result<Dataset>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        if let Some(names) = names {
            data = data.and_then(|data| data.with_names(names));
        }
        let data = match weights {
            None => data,
            Some(weights) => data.and_then(|data| data.with_weights(weights.as_array().to_vec())),
        };
        Ok(Self { data: data.raised(py)? })
    }
}

/// An array of codes without gaps between them.
enum CodesArray<'py> {
    U8(PyReadonlyArray1<'py, u8>),
    U16(PyReadonlyArray1<'py, u16>),
    U32(PyReadonlyArray1<'py, u32>),
}

impl<'py> CodesArray<'py> {
    fn new(py: Python<'py>, column: &Bound<'py, PyAny>, label: &str) -> PyResult<Self> {
        check_rows(py, column.len().unwrap_or(0))?;
        let whole = py.import("numpy")?.call_method1("ascontiguousarray", (column,))?;
        if let Ok(codes) = whole.extract() {
            Ok(Self::U8(codes))
        } else if let Ok(codes) = whole.extract() {
            Ok(Self::U16(codes))
        } else if let Ok(codes) = whole.extract() {
            Ok(Self::U32(codes))
        } else {
            let message = format!("column {label}: codes are 1-D arrays of uint8, uint16 or uint32");
            Err(data_error(py, message))
        }
    }

    fn codes(&self) -> PyResult<CodesRef<'_>> {
        Ok(match self {
            Self::U8(codes) => CodesRef::U8(codes.as_slice()?),
            Self::U16(codes) => CodesRef::U16(codes.as_slice()?),
            Self::U32(codes) => CodesRef::U32(codes.as_slice()?),
        })
    }
}

fn labels(py: Python<'_>, names: Option<Vec<String>>, n: usize) -> PyResult<Vec<String>> {
    let names = names.unwrap_or_else(|| (0..n).map(|index| index.to_string()).collect());
    one_for_each_column(py, "names", names.len(), n)?;
    Ok(names)
}

/// Refuses a list that has not one entry for each column.
pub fn one_for_each_column(py: Python<'_>, what: &str, found: usize, columns: usize) -> PyResult<()> {
    if found == columns {
        return Ok(());
    }
    Err(data_error(py, format!("{what} has length {found}, expected {columns}: one for each column")))
}

/// Refuses more rows than there can be before anything is copied.
fn check_rows(py: Python<'_>, rows: usize) -> PyResult<()> {
    let limit = Dataset::MAX_ROWS;
    if rows > limit { Err(to_python(py, &Error::TooManyRows { rows, limit })) } else { Ok(()) }
}

/// A number of values; one that is too large for a column, or 0, the core refuses with its own words.
fn domain_size(arity: &Bound<'_, PyAny>, what: &str) -> PyResult<usize> {
    if let Ok(arity) = arity.extract::<usize>() {
        return Ok(arity);
    }
    let most = Column::MAX_ARITY;
    let message = format!("{what} = {} is not allowed: it is a whole number from 1 to {most}", arity.repr()?);
    Err(data_error(arity.py(), message))
}

/// Anything that numpy takes for a list of numbers.
fn row_weights<'py>(weights: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, f64>> {
    let py = weights.py();
    let refused = |_| data_error(py, "weights is not a list of numbers, one for each row");
    let array = py.import("numpy")?.call_method1("asarray", (weights, "float64")).map_err(refused)?;
    array.extract().map_err(|_| data_error(py, "weights is not a list of numbers, one for each row"))
}

fn class_column(
    py: Python<'_>,
    codes: Option<&Bound<'_, PyAny>>,
    n_classes: Option<&Bound<'_, PyAny>>,
    missing: Option<i64>,
) -> PyResult<Option<Column>> {
    let Some(codes) = codes else { return Ok(None) };
    let codes = integers(py, codes, "class_codes", 1)?;
    if let (Ok(codes), Some(classes)) = (codes.extract::<PyReadonlyArray1<'_, u32>>(), n_classes) {
        // As the encoder gives them.
        let (codes, classes) = (codes.as_array(), domain_size(classes, "n_classes")?);
        let values = codes.iter().map(|&code| i64::from(code));
        return Column::from_integers("of the class", values, classes, missing).map(Some).raised(py);
    }
    let codes = codes.call_method1("astype", ("int64",))?.extract::<PyReadonlyArray1<'_, i64>>()?;
    let codes = codes.as_array();
    let classes = match n_classes {
        Some(classes) => domain_size(classes, "n_classes")?,
        None => codes.iter().max().map_or(1, |&largest| usize::try_from(largest).map_or(0, |most| most + 1)),
    };
    Column::from_integers("of the class", codes.iter().copied(), classes, missing).map(Some).raised(py)
}

/// An integer array of the right number of dimensions, or one sentence about what it is instead.
fn integers<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    what: &str,
    dimensions: usize,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let ragged = |_| data_error(py, format!("{what} is not a table of integers with rows of one length"));
    let array = py.import("numpy")?.call_method1("asarray", (value,)).map_err(ragged)?;
    let array = array.cast_into::<PyUntypedArray>()?;
    match array.dtype().kind() {
        b'i' | b'u' | b'b' => {}
        b'f' => {
            let missing = py.import("numpy")?.call_method1("isnan", (&array,))?.call_method0("any")?;
            let said = if missing.extract::<bool>()? { "contains NaN" } else { "holds floats" };
            return Err(data_error(py, format!("{what} {said}: codes are integers from 0 on")));
        }
        _ => {
            let dtype = array.dtype().to_string();
            return Err(data_error(py, format!("{what} holds {dtype}: codes are integers from 0 on")));
        }
    }
    if array.ndim() != dimensions {
        let message = format!("{what} has {} dimensions, expected {dimensions}", array.ndim());
        return Err(data_error(py, message));
    }
    Ok(array)
}

/// A two-dimensional array of any integer type, read through `i64`.
struct Matrix<'a, T>(numpy::ndarray::ArrayView2<'a, T>);

trait IntegerMatrix: Sync {
    fn column(&self, index: usize) -> Vec<i64>;
}

impl<T: Copy + Sync + TryInto<i64>> IntegerMatrix for Matrix<'_, T> {
    fn column(&self, index: usize) -> Vec<i64> {
        // What does not fit into 64 bits with a sign is out of every range.
        self.0.column(index).iter().map(|&value| value.try_into().unwrap_or(i64::MAX)).collect()
    }
}

fn by_dtype<R>(
    py: Python<'_>,
    array: &Bound<'_, PyUntypedArray>,
    then: impl FnOnce(&dyn IntegerMatrix) -> R,
) -> PyResult<R> {
    fn typed<'py, T: Element>(array: &Bound<'py, PyUntypedArray>) -> Option<PyReadonlyArray2<'py, T>> {
        array.extract::<PyReadonlyArray2<'py, T>>().ok()
    }
    macro_rules! attempt {
        ($($int:ty),*) => {$(
            if let Some(matrix) = typed::<$int>(array) {
                return Ok(then(&Matrix(matrix.as_array())));
            }
        )*};
    }
    attempt!(i64, u8, i32, u16, u32, i16, i8, u64, bool);
    Err(data_error(py, format!("codes of type {} cannot be read", array.dtype())))
}

fn columns_of(
    matrix: &dyn IntegerMatrix,
    arities: &[usize],
    labels: &[String],
    missing: Option<i64>,
) -> tanager_core::Result<Vec<Column>> {
    (0..arities.len())
        .into_par_iter()
        .map(|index| {
            let values = matrix.column(index);
            Column::from_integers(&labels[index], values.into_iter(), arities[index], missing)
        })
        .collect()
}

/// An array of −1 and positions from a tree.
pub fn tree_array<'py>(py: Python<'py>, tree: &[Option<usize>]) -> Bound<'py, PyArray1<i64>> {
    let parents = tree.iter().map(|parent| parent.map_or(-1, |parent| parent as i64));
    PyArray1::from_iter(py, parents)
}
