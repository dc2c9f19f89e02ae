//! Scores and parameter estimators as Python names them: a word, an object with settings, or a function.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use tanager_core::counts::{Cells, FamilyCounts};
use tanager_core::parameters::{self, ParameterEstimator};
use tanager_core::score::{self, FamilyScore};
use tanager_core::{Control, Error, Options, Setting};

use crate::callback::Callback;
use crate::error::{Raised, exception, to_python};
use crate::runtime::{Jobs, run_raising};

/// A score, and the Python function behind it, where there is one.
pub struct Score {
    /// The core's score.
    pub score: Box<dyn FamilyScore>,
    function: Option<Arc<Callback>>,
}

/// A registered score by name or object, or a Python function of a table of counts.
impl<'py> FromPyObject<'_, 'py> for Score {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some((name, Settings(options))) = named(&value)? {
            return Ok(Self { score: score::by_name(&name, &options).raised(value.py())?, function: None });
        }
        if value.is_callable() && !value.is_instance_of::<PyType>() {
            let equivalent = match value.getattr_opt("score_equivalent")? {
                Some(flag) => flag.is_truthy()?,
                None => false,
            };
            let function = Arc::new(Callback::new(value.to_owned().unbind()));
            let score = Box::new(CallableScore { function: Arc::clone(&function), equivalent });
            return Ok(Self { score, function: Some(function) });
        }
        let message = format!(
            "score = {} is not allowed: it is a name, a score such as BIC(), or a function",
            value.repr()?
        );
        Err(exception(value.py(), "DataTypeError", message))
    }
}

impl Score {
    /// The exception of an error: the function's own where it raised one.
    pub fn raise(&self, py: Python<'_>, error: &Error) -> PyErr {
        let raised = self.function.as_ref().and_then(|function| function.raised());
        raised.unwrap_or_else(|| to_python(py, error))
    }

    /// Runs what asks for this score.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        n_jobs: Option<Jobs>,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(&Control) -> tanager_core::Result<T> + Send,
    ) -> PyResult<T> {
        run_raising(py, n_jobs, progress, work, |py, error| self.raise(py, error))
    }
}

/// A registered parameter estimator by name or object.
pub struct Estimator(pub Box<dyn ParameterEstimator>);

impl<'py> FromPyObject<'_, 'py> for Estimator {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Some((name, Settings(options))) = named(&value)? else {
            let message = format!(
                "parameters = {} is not allowed: it is a name or an object such as Laplace()",
                value.repr()?
            );
            return Err(exception(value.py(), "DataTypeError", message));
        };
        parameters::by_name(&name, &options).map(Self).raised(value.py())
    }
}

/// A word, or the (name, settings) that a score or estimator object gives as its `specification`.
fn named(value: &Bound<'_, PyAny>) -> PyResult<Option<(String, Settings)>> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(Some((name.to_string(), Settings(Options::default()))));
    }
    match value.getattr_opt("specification")? {
        Some(method) if method.is_callable() && !value.is_instance_of::<PyType>() => {
            Ok(Some(method.call0()?.extract()?))
        }
        _ => Ok(None),
    }
}

/// Settings from a dictionary of numbers, flags, words, lists of columns and None.
pub struct Settings(pub Options);

impl<'py> FromPyObject<'_, 'py> for Settings {
    type Error = PyErr;

    fn extract(settings: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let mut options = Options::default();
        for (name, value) in settings.cast::<PyDict>()?.iter() {
            let setting = if value.is_none() {
                Setting::None
            } else if let Ok(number) = value.extract::<f64>() {
                Setting::Number(number)
            } else if let Ok(lists) = value.extract::<Vec<Vec<usize>>>() {
                Setting::Lists(lists)
            } else {
                Setting::Text(value.str()?.to_string())
            };
            options.set(&name.extract::<String>()?, setting);
        }
        Ok(Self(options))
    }
}

/// A Python function `f(counts: ndarray[q, r]) -> float` as a score. The class is the slowest part of q.
struct CallableScore {
    function: Arc<Callback>,
    equivalent: bool,
}

impl FamilyScore for CallableScore {
    fn is_score_equivalent(&self) -> bool {
        self.equivalent
    }

    fn score(&self, family: &FamilyCounts, _total: f64) -> tanager_core::Result<f64> {
        self.function.call(|function| {
            let value = function.call1((counts_array(function.py(), family)?,))?;
            value.extract().map_err(|_| not_a_number(&value))
        })
    }
}

/// What is said of a function that returns something else than a number.
fn not_a_number(value: &Bound<'_, PyAny>) -> PyErr {
    let shown = value.repr().map_or_else(|_| String::from("something"), |text| text.to_string());
    let message = format!("the score function returned {shown}: it returns a number");
    exception(value.py(), "DataTypeError", message)
}

/// ndarray[q, r]: int64, or float64 where rows have weights.
pub fn counts_array<'py>(py: Python<'py>, family: &FamilyCounts) -> PyResult<Bound<'py, PyAny>> {
    let r = family.shape.child;
    let shape = [family.cells.len() / r, r];
    Ok(match &family.cells {
        Cells::Integer(cells) => {
            PyArray1::from_iter(py, cells.iter().map(|&cell| i64::from(cell))).reshape(shape)?.into_any()
        }
        Cells::Weighted(cells) => PyArray1::from_slice(py, cells).reshape(shape)?.into_any(),
    })
}
