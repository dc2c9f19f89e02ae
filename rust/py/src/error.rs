//! From the core's errors to Python's exceptions.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use tanager_core::Error;

/// The Python exception of an error: one of `tanager.exceptions`, each of which is a standard one too.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    // No wildcard: a new kind of error has to be given its exception here.
    let class = match error {
        Error::CodeOutOfRange { .. }
        | Error::ArityOutOfRange { .. }
        | Error::LengthMismatch { .. }
        | Error::Empty { .. }
        | Error::MissingClass { .. }
        | Error::RepeatedVariable { .. }
        | Error::NoClass { .. }
        | Error::NoRows { .. }
        | Error::NoAccuracy { .. }
        | Error::NotCounted { .. }
        | Error::InvalidStatistics { .. }
        | Error::ParameterOutOfRange { .. }
        | Error::UnknownName { .. }
        | Error::ScoreNotANumber { .. }
        | Error::WeightNotANumber { .. }
        | Error::InvalidStructure { .. } => "DataError",
        Error::ColumnOutOfRange { .. } => "ColumnError",
        Error::TooManyRows { .. }
        | Error::TooManyCells { .. }
        | Error::TooLarge { .. }
        | Error::OutOfMemory { .. }
        | Error::TooManyMissing { .. } => "CapacityError",
        Error::Callback { .. } => "RunError",
        Error::Cancelled => return PyKeyboardInterrupt::new_err(()),
    };
    exception(py, class, error.to_string())
}

/// The exception in place of the error.
pub trait Raised<T> {
    /// The value, or the error's Python exception.
    fn raised(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> Raised<T> for tanager_core::Result<T> {
    fn raised(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| to_python(py, &error))
    }
}

/// Refuses a place that is not one of so many columns or nodes.
pub fn check_place(py: Python<'_>, column: usize, columns: usize) -> PyResult<()> {
    if column < columns { Ok(()) } else { Err(Error::ColumnOutOfRange { column, columns }).raised(py) }
}

/// An exception of `tanager.exceptions` by name.
pub fn exception(py: Python<'_>, class: &str, message: String) -> PyErr {
    let class = py.import("tanager.exceptions").and_then(|module| module.getattr(class));
    match class.and_then(|class| class.call1((message,))) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// Bad data, in one sentence.
pub fn data_error(py: Python<'_>, message: impl Into<String>) -> PyErr {
    exception(py, "DataError", message.into())
}
