//! The interpreter's beginning and end, as threads that it does not know of see them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

use crate::pools;

/// Whether the interpreter is on its way out: no thread of a pool may enter it any more.
static CLOSING: AtomicBool = AtomicBool::new(false);

/// Threads of ours that are in the interpreter.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread as inside while it lives.
struct Visit;

impl Visit {
    fn enter() -> Self {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `body` attached, from a thread that was not; `None` where the interpreter is ending.
///
/// CPython ends threads that are inside when it finalises by unwinding them, which Rust's frames turn into an abort.
pub fn attached<R>(body: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let visit = Visit::enter();
    // Announced before it is asked: `close` sees the visit, or this sees `close`.
    let result = if is_closing() { None } else { Python::try_attach(body) };
    drop(visit);
    result
}

/// Runs the life of a thread, whose record in the interpreter is kept from its first visit to its last.
///
/// Otherwise every visit makes a record and throws it away, which takes Python without its global lock longer than what
/// most visits are for.
pub fn known(life: impl FnOnce() + Send) {
    let mut life = Some(life);
    let mut live = || life.take().into_iter().for_each(|life| life());
    let arriving = Visit::enter();
    if is_closing() {
        drop(arriving);
    } else {
        let leaving = Python::try_attach(|py| {
            py.detach(|| {
                drop(arriving);
                live();
                leave()
            })
        });
        drop(leaving);
    }
    live();
}

/// The visit in which a thread takes leave; never returns where the interpreter is ending, as the process is then.
fn leave() -> Visit {
    let visit = Visit::enter();
    if is_closing() {
        drop(visit);
        loop {
            std::thread::park();
        }
    }
    visit
}

/// Whether the interpreter is on its way out.
pub fn is_closing() -> bool {
    CLOSING.load(Ordering::SeqCst)
}

/// Asks to be told of forks and of the interpreter's end.
pub fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let os = py.import("os")?;
    // Not on Windows, where nothing forks.
    if let Some(register) = os.getattr_opt("register_at_fork")? {
        let settings = pyo3::types::PyDict::new(py);
        settings.set_item("after_in_child", pyo3::wrap_pyfunction!(after_fork, module)?)?;
        register.call((), Some(&settings))?;
    }
    py.import("atexit")?.call_method1("register", (pyo3::wrap_pyfunction!(close, module)?,))?;
    Ok(())
}

/// A forked child begins with no threads but its own.
#[pyfunction]
fn after_fork() {
    INSIDE.store(0, Ordering::SeqCst);
    pools::forked();
}

/// Waits until the Python functions that run on our threads, as scores do, have returned, and lets no further one begin.
/// A daemon thread may have started them.
#[pyfunction]
fn close(py: Python<'_>) -> PyResult<()> {
    CLOSING.store(true, Ordering::SeqCst);
    while INSIDE.load(Ordering::SeqCst) > 0 {
        py.detach(|| std::thread::sleep(Duration::from_millis(2)));
        py.check_signals()?;
    }
    Ok(())
}
