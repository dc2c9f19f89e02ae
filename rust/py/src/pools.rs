//! Pools of threads, each for one run at a time.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tanager_core::Control;

use crate::interpreter;

/// Idle pools that are kept; further ones end.
const KEPT: usize = 8;

/// How often a thread asks for the list of pools before it makes one of its own. The list is only ever held for a
/// moment, but whoever held it while the process forked holds it for ever in the child.
const ATTEMPTS: usize = 1000;

/// How many forks lie between the first process and this one. Process numbers come again, this does not.
static FORKS: AtomicU64 = AtomicU64::new(0);

static IDLE: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// The control of the run that has a pool.
type Occupant = Arc<Mutex<Option<Arc<Control>>>>;

thread_local! {
    /// On a thread of a pool: the occupant of that pool.
    static HERE: RefCell<Option<Occupant>> = const { RefCell::new(None) };
}

/// The process that a pool's threads live in: a forked child has none of them. The number of forks is known where
/// Python forked, the process number wherever it happened.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Process {
    id: u32,
    forks: u64,
}

impl Process {
    fn this() -> Self {
        Self { id: std::process::id(), forks: FORKS.load(Ordering::SeqCst) }
    }
}

struct Pool {
    process: Process,
    threads: ThreadPool,
    occupant: Occupant,
}

/// To be called in the child of every fork.
pub fn forked() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

/// The control of the run that this thread works for, where it is a thread of a pool.
pub fn running_here() -> Option<Arc<Control>> {
    let occupant = HERE.with_borrow(Clone::clone)?;
    occupant.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Runs `body` with a pool of so many threads that nobody else has: a run that waits for another one, in whatever way,
/// never waits for its own threads.
pub fn lend<R>(
    threads: usize,
    control: &Arc<Control>,
    body: impl FnOnce(&ThreadPool) -> R,
) -> Result<R, ThreadPoolBuildError> {
    let pool = match idle(threads) {
        Some(pool) => pool,
        None => build(threads)?,
    };
    let occupy = |by| *pool.occupant.lock().unwrap_or_else(PoisonError::into_inner) = by;
    occupy(Some(Arc::clone(control)));
    let result = body(&pool.threads);
    occupy(None);
    keep(pool);
    Ok(result)
}

fn build(threads: usize) -> Result<Pool, ThreadPoolBuildError> {
    let occupant = Occupant::default();
    let here = Arc::clone(&occupant);
    let threads = ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| HERE.set(Some(Arc::clone(&here))))
        .spawn_handler(|thread| {
            let name = format!("tanager-{}", thread.index());
            std::thread::Builder::new().name(name).spawn(|| interpreter::known(|| thread.run())).map(drop)
        })
        .build()?;
    Ok(Pool { process: Process::this(), threads, occupant })
}

fn idle(threads: usize) -> Option<Pool> {
    with_list(|pools| {
        let this = Process::this();
        for stale in pools.extract_if(.., |pool| pool.process != this) {
            // Ending a pool wakes its threads; here are none, and its locks may be held for ever.
            std::mem::forget(stale);
        }
        let at = pools.iter().position(|pool| pool.threads.current_num_threads() == threads)?;
        Some(pools.swap_remove(at))
    })
    .flatten()
}

fn keep(pool: Pool) {
    let mut pool = Some(pool);
    with_list(|pools| {
        if pools.len() < KEPT {
            pools.extend(pool.take());
        }
    });
    // What was not kept ends here, after the list is free again.
    if let Some(pool) = pool.filter(|pool| pool.process != Process::this()) {
        std::mem::forget(pool);
    }
}

fn with_list<R>(then: impl FnOnce(&mut Vec<Pool>) -> R) -> Option<R> {
    for _ in 0..ATTEMPTS {
        match IDLE.try_lock() {
            Ok(mut pools) => return Some(then(&mut pools)),
            Err(TryLockError::Poisoned(pools)) => return Some(then(&mut pools.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}
