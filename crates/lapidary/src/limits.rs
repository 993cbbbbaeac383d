//! What may end a run: the clock, the memory, the user.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lapidary_driver::Exit;

/// An impatient second Ctrl-C, or a wrapper that passes on what the terminal has already sent, comes within this time.
const SAME_INTERRUPT: Duration = Duration::from_secs(1);

/// The interrupts of a process, from Ctrl-C and from whoever asks it to end.
#[derive(Clone, Default)]
pub struct Interrupts {
    flag: Arc<AtomicBool>,
    /// Whether the process waits for its input: then there is nothing to be told before it ends.
    is_waiting: Arc<AtomicBool>,
    first: Arc<Mutex<Option<Instant>>>,
}

impl Interrupts {
    /// Installs the handler. The first interrupt sets the flag, so that what is known is still printed. Others within a
    /// second of it are ignored, lest they cut that output off; a later one ends the process at once.
    pub fn install() -> Self {
        let interrupts = Self::default();
        let handled = interrupts.clone();
        // Where a handler is already there (several runs in one process), interrupts keep going to the first.
        let _ = ctrlc::set_handler(move || handled.handle());
        interrupts
    }

    fn handle(&self) {
        let now = Instant::now();
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let is_impatient = now.duration_since(*first.get_or_insert(now)) >= SAME_INTERRUPT;
        if is_impatient || self.is_waiting.load(Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Set by an interrupt.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// The input is waited for: an interrupt ends the process.
    pub fn wait(&self) {
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    /// Something new is computed, that no interrupt has met yet.
    pub fn begin(&self) {
        self.flag.store(false, Ordering::Relaxed);
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.is_waiting.store(false, Ordering::Relaxed);
    }
}

/// Installs the handler of Ctrl-C for a run that is interrupted once.
pub fn on_interrupt() -> Arc<AtomicBool> {
    Interrupts::install().flag()
}

pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_concerns_only_what_is_being_computed() {
        let interrupts = Interrupts::default();
        interrupts.handle();
        assert!(interrupts.is_set() && interrupts.flag().load(Ordering::Relaxed));
        // A second one within the same second changes nothing.
        interrupts.handle();
        interrupts.begin();
        assert!(!interrupts.is_set());
        interrupts.handle();
        assert!(interrupts.is_set());
    }
}
