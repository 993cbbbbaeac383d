//! What may end a run: the clock, the memory, the user.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lapidary_base::memory;

use crate::exit::Exit;

/// An impatient second Ctrl-C, or a wrapper that passes on what the terminal has already sent, comes within this time.
const SAME_INTERRUPT: Duration = Duration::from_secs(1);

/// Installs the handler of Ctrl-C. The first interrupt sets the flag, so that what is known is still printed. Others
/// within a second of it are ignored, lest they cut that output off; a later one ends the process at once.
pub fn on_interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let mut first = None;
    // Where a handler is already there (several runs in one process), interrupts keep going to the first.
    let _ = ctrlc::set_handler(move || {
        seen.store(true, Ordering::Relaxed);
        let now = Instant::now();
        if now.duration_since(*first.get_or_insert(now)) >= SAME_INTERRUPT {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
    flag
}

/// The memory limit in force: what was asked for, or 80% of what is available, where the system tells.
pub fn memory_limit(asked: Option<u64>) -> Option<u64> {
    asked.or_else(|| memory::available().map(|bytes| bytes / 5 * 4))
}

pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}
