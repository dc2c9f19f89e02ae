//! Running the core: detached from the interpreter, on a chosen number of threads, Ctrl-C honoured.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::exceptions::{PyOverflowError, PySystemExit};
use pyo3::prelude::*;
use rayon::ThreadPoolBuildError;
use tanager_core::{Control, Error};

use crate::error::{Raised, data_error, exception, to_python};
use crate::{interpreter, pools, stop};

/// More threads than this, or than there are cores, only cost memory and switches.
const MOST_THREADS: usize = 64;

/// How long a Ctrl-C may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// The number of threads as Python gives it; more than 64 bits hold is as good as the most.
#[derive(Clone, Copy)]
pub struct Jobs(pub i64);

impl<'py> FromPyObject<'_, 'py> for Jobs {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        match value.extract::<i64>() {
            Ok(jobs) => Ok(Self(jobs)),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                Ok(Self(if value.lt(0)? { i64::MIN } else { i64::MAX }))
            }
            Err(_) => Err(exception(py, "DataTypeError", refusal(&value.repr()?.to_string()))),
        }
    }
}

fn refusal(n_jobs: &str) -> String {
    format!("n_jobs = {n_jobs} is not allowed: it is None, a number of threads, or −1 for all")
}

/// Runs `work` detached on `n_jobs` threads. While it runs, signals are looked for and `progress`, where given,
/// is called with the steps done and expected; whatever either raises cancels the work and is raised.
pub fn run<T: Send>(
    py: Python<'_>,
    n_jobs: Option<Jobs>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> tanager_core::Result<T> + Send,
) -> PyResult<T> {
    run_raising(py, n_jobs, progress, work, to_python)
}

/// [`run`] where the work is long, else at once: it is done before another thread has woken up.
pub fn run_if_long<T: Send>(
    py: Python<'_>,
    is_long: bool,
    n_jobs: Option<Jobs>,
    work: impl FnOnce(&Control) -> tanager_core::Result<T> + Send,
) -> PyResult<T> {
    if is_long { run(py, n_jobs, None, work) } else { work(&Control::new()).raised(py) }
}

/// [`run`] with another way to turn an error into an exception: a score that is a Python function raises its own.
pub fn run_raising<T: Send>(
    py: Python<'_>,
    n_jobs: Option<Jobs>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> tanager_core::Result<T> + Send,
    raise: impl Fn(Python<'_>, &Error) -> PyErr,
) -> PyResult<T> {
    let threads = thread_count(py, n_jobs)?;
    let control = Arc::new(Control::new());
    let (result, raised) = py
        .detach(|| {
            let stop = stop::here();
            match pools::running_here() {
                None => supervise(threads, progress, &control, stop.as_slice(), work),
                // A score that fits: this is a thread of a pool, which must neither wait for itself nor take up other
                // work of its pool while it waits (that might call the score again, below this call). So a
                // thread of no pool does the waiting.
                Some(outer) => std::thread::scope(|scope| {
                    let control = &control;
                    let around: Vec<_> = stop.into_iter().chain([outer]).collect();
                    let supervised = move || supervise(threads, progress, control, &around, work);
                    match scope.spawn(supervised).join() {
                        Ok(outcome) => outcome,
                        Err(panic) => std::panic::resume_unwind(panic),
                    }
                }),
            }
        })
        .map_err(|error| exception(py, "RunError", error.to_string()))?;
    match (result, raised) {
        (_, Some(raised)) => Err(raised),
        (Some(Ok(value)), None) => {
            if let Some(progress) = progress {
                let (_, total) = control.progress();
                progress.call1(py, (total, total))?;
            }
            Ok(value)
        }
        // The way in which a thread, other than the main one, ends without a word.
        (Some(Err(Error::Cancelled)), None) if interpreter::is_closing() => Err(PySystemExit::new_err(())),
        (Some(Err(error)), None) => Err(raise(py, &error)),
        (None, None) => Err(exception(py, "RunError", "the computation ended without a result".into())),
    }
}

/// What the work gave, unless it panicked, and what signals or the progress function raised meanwhile.
type Outcome<T> = (Option<tanager_core::Result<T>>, Option<PyErr>);

/// Hands the work to a pool and waits; cancels it at a signal, or where a run around this one is cancelled.
fn supervise<T: Send>(
    threads: usize,
    progress: Option<&Py<PyAny>>,
    control: &Arc<Control>,
    around: &[Arc<Control>],
    work: impl FnOnce(&Control) -> tanager_core::Result<T> + Send,
) -> Result<Outcome<T>, ThreadPoolBuildError> {
    pools::lend(threads, control, |pool| {
        pool.in_place_scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            scope.spawn(move |_| {
                // Nobody listens any more only where this thread is unwinding itself.
                let _ = sender.send(work(control));
            });
            let mut raised = None;
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(result) => return (Some(result), raised),
                    // The work panicked; the scope passes the panic on.
                    Err(RecvTimeoutError::Disconnected) => return (None, raised),
                    Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        let stopped = around.iter().any(|outer| outer.check().is_err());
                        match interpreter::attached(|py| look_around(py, progress, control)) {
                            Some(Ok(())) if !stopped => {}
                            Some(Err(error)) => {
                                control.cancel();
                                raised = Some(error);
                            }
                            _ => control.cancel(),
                        }
                    }
                }
            }
        })
    })
}

fn look_around(py: Python<'_>, progress: Option<&Py<PyAny>>, control: &Control) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        progress.call1(py, control.progress())?;
    }
    Ok(())
}

/// `None`: what RAYON_NUM_THREADS or OMP_NUM_THREADS allow (joblib sets the latter in its workers), else every
/// core. Negative numbers count back from all cores, −1 being all, as in joblib.
fn thread_count(py: Python<'_>, n_jobs: Option<Jobs>) -> PyResult<usize> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    match n_jobs.map(|Jobs(jobs)| jobs) {
        None => {
            let allowed = ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].iter().find_map(|name| {
                std::env::var(name).ok()?.trim().parse::<usize>().ok().filter(|&threads| threads > 0)
            });
            Ok(allowed.unwrap_or(cores).min(cores))
        }
        Some(0) => Err(data_error(py, refusal("0"))),
        Some(jobs) if jobs > 0 => {
            Ok(usize::try_from(jobs).unwrap_or(usize::MAX).min(MOST_THREADS.max(cores)))
        }
        Some(jobs) => Ok((cores as i64 + 1).saturating_add(jobs).max(1) as usize),
    }
}
