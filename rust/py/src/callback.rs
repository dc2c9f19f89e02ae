//! Python functions that the core calls from its threads.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tanager_core::Error;

use crate::interpreter;

/// A Python function, and the exception that it raised first; threads that fail later add nothing.
pub struct Callback {
    function: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl Callback {
    pub fn new(function: Py<PyAny>) -> Self {
        Self { function, raised: Mutex::default() }
    }

    /// What `call` makes of the function, in the interpreter.
    pub fn call<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> tanager_core::Result<T> {
        interpreter::attached(|py| {
            call(self.function.bind(py)).map_err(|error| {
                let message = error.to_string();
                self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Error::Callback { message }
            })
        })
        .unwrap_or(Err(Error::Cancelled))
    }

    /// The exception that the function raised, once.
    pub fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
