//! A running computation's link to whoever started it: cancellation and progress.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Shared between the caller, who may cancel and reads the progress, and the workers, who ask
/// [`Control::check`] between pieces of work of at most a few milliseconds.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// A fresh control: not cancelled, no progress.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the workers to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// [`Error::Cancelled`] once [`Control::cancel`] was called.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Adds to the number of steps that the computation expects to take.
    pub fn expect(&self, steps: u64) {
        self.total.fetch_add(steps, Ordering::Relaxed);
    }

    /// Reports that `steps` more steps are done.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Steps done and steps expected.
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_is_seen_and_progress_adds_up() {
        let control = Control::new();
        assert!(control.check().is_ok());
        control.expect(10);
        control.advance(3);
        control.advance(4);
        assert_eq!(control.progress(), (7, 10));
        control.cancel();
        assert!(matches!(control.check(), Err(Error::Cancelled)));
    }
}
