//! Scores and parameter estimators as Python names them: a word, an object with settings, or a function.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyArray1;
use numpy::PyArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tanager_core::counts::{Cells, FamilyCounts};
use tanager_core::parameters::{self, ParameterEstimator};
use tanager_core::score::{self, FamilyScore};
use tanager_core::{Error, Options, Setting};

use crate::error::{Raised, exception, to_python};
use crate::interpreter;

/// A score, and the exception of a Python function behind it.
pub struct Score {
    /// The core's score.
    pub score: Box<dyn FamilyScore>,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Score {
    /// A registered score by name or object, or a Python function of a table of counts.
    pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let raised = Arc::default();
        if let Some((name, options)) = named(value)? {
            let score = score::by_name(&name, &options).raised(value.py())?;
            return Ok(Self { score, raised });
        }
        if value.is_callable() && !value.is_instance_of::<pyo3::types::PyType>() {
            let equivalent = match value.getattr_opt("score_equivalent")? {
                Some(flag) => flag.is_truthy()?,
                None => false,
            };
            let score =
                CallableScore { function: value.clone().unbind(), equivalent, raised: Arc::clone(&raised) };
            return Ok(Self { score: Box::new(score), raised });
        }
        let message = format!(
            "score = {} is not allowed: it is a name, a score such as BIC(), or a function",
            value.repr()?
        );
        Err(exception(value.py(), "DataTypeError", message))
    }

    /// The exception of an error: the function's own where it raised one.
    pub fn raise(&self, py: Python<'_>, error: &Error) -> PyErr {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.unwrap_or_else(|| to_python(py, error))
    }
}

/// A registered estimator by name or object.
pub fn estimator_from_python(value: &Bound<'_, PyAny>) -> PyResult<Box<dyn ParameterEstimator>> {
    match named(value)? {
        Some((name, options)) => parameters::by_name(&name, &options).raised(value.py()),
        None => {
            let message = format!(
                "parameters = {} is not allowed: it is a name or an object such as Laplace()",
                value.repr()?
            );
            Err(exception(value.py(), "DataTypeError", message))
        }
    }
}

/// A word, or the (name, settings) that a score or estimator object gives as its `specification`.
fn named(value: &Bound<'_, PyAny>) -> PyResult<Option<(String, Options)>> {
    if let Ok(name) = value.cast::<PyString>() {
        return Ok(Some((name.to_string(), Options::default())));
    }
    match value.getattr_opt("specification")? {
        Some(method) if method.is_callable() && !value.is_instance_of::<pyo3::types::PyType>() => {
            let (name, settings): (String, Bound<'_, PyDict>) = method.call0()?.extract()?;
            Ok(Some((name, options_from_python(&settings)?)))
        }
        _ => Ok(None),
    }
}

/// Settings from a dictionary of numbers, flags, words, lists of columns and None.
pub fn options_from_python(settings: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::default();
    for (name, value) in settings {
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
    Ok(options)
}

/// A Python function `f(counts: ndarray[q, r]) -> float` as a score. The class is the slowest part of q.
struct CallableScore {
    function: Py<PyAny>,
    equivalent: bool,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl FamilyScore for CallableScore {
    fn is_score_equivalent(&self) -> bool {
        self.equivalent
    }

    fn score(&self, family: &FamilyCounts, _total: f64) -> tanager_core::Result<f64> {
        interpreter::attached(|py| {
            let call = || -> PyResult<f64> {
                let value = counts_array(py, family)?.call_on(&self.function)?.into_bound(py);
                value.extract().map_err(|_| not_a_number(&value))
            };
            call().map_err(|error| {
                let message = error.to_string();
                // The first one is raised; threads that fail later add nothing.
                self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Error::Callback { message }
            })
        })
        .unwrap_or(Err(Error::Cancelled))
    }
}

/// What is said of a function that returns something else than a number.
fn not_a_number(value: &Bound<'_, PyAny>) -> PyErr {
    let shown = value.repr().map_or_else(|_| String::from("something"), |text| text.to_string());
    let message = format!("the score function returned {shown}: it returns a number");
    exception(value.py(), "DataTypeError", message)
}

/// A table for Python.
pub struct CountsArray<'py>(pub Bound<'py, PyAny>);

impl CountsArray<'_> {
    fn call_on(&self, function: &Py<PyAny>) -> PyResult<Py<PyAny>> {
        function.call1(self.0.py(), (&self.0,))
    }
}

/// ndarray[q, r]: int64, or float64 where rows have weights.
pub fn counts_array<'py>(py: Python<'py>, family: &FamilyCounts) -> PyResult<CountsArray<'py>> {
    let r = family.shape.child;
    let shape = [family.cells.len() / r, r];
    Ok(CountsArray(match &family.cells {
        Cells::Integer(cells) => {
            PyArray1::from_iter(py, cells.iter().map(|&cell| i64::from(cell))).reshape(shape)?.into_any()
        }
        Cells::Weighted(cells) => PyArray1::from_slice(py, cells).reshape(shape)?.into_any(),
    }))
}
