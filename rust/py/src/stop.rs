//! Stopping what other Python threads run: signals reach the main one only.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tanager_core::Control;

thread_local! {
    /// What stops the runs of this thread.
    static HERE: RefCell<Option<Arc<Control>>> = const { RefCell::new(None) };
}

/// What stops the runs of this thread, where there is something.
pub fn here() -> Option<Arc<Control>> {
    HERE.with_borrow(Clone::clone)
}

/// Stops, from any thread, every computation within its calls.
#[pyclass(frozen, name = "Stop", module = "tanager._core")]
#[derive(Default)]
pub struct PyStop {
    control: Arc<Control>,
}

#[pymethods]
impl PyStop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends the computations that run within calls, soon, and lets no further call begin.
    fn stop(&self) {
        self.control.cancel();
    }

    /// Raises KeyboardInterrupt once it was stopped.
    fn check(&self) -> PyResult<()> {
        self.control.check().map_err(|_| PyKeyboardInterrupt::new_err(()))
    }

    /// Calls a function, whose computations in this thread end when this is stopped.
    #[pyo3(signature = (function, *args, **kwargs))]
    fn call<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check()?;
        let before = HERE.replace(Some(Arc::clone(&self.control)));
        let result = function.call(args, kwargs);
        HERE.set(before);
        result
    }
}
