//! Threads that may not start: where the address space is limited, each needs its stack in it.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use crate::control::{Stop, Whose};

/// Deeply nested formulas are walked recursively; this is address space, not memory, until it is used.
pub const DEEP_STACK: usize = 256 << 20;
/// Where the address space is limited, this is still enough for all but contrived formulas.
const SMALLER_STACK: usize = 64 << 20;

/// Starts work on a stack for deeply nested formulas.
pub fn deep<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, Stop> {
    let work = Arc::new(Mutex::new(Some(work)));
    let start = |stack_bytes: usize| {
        let work = Arc::clone(&work);
        let run = move || {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.expect("only one thread starts")()
        };
        thread::Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn(run)
    };
    start(DEEP_STACK).or_else(|_| start(SMALLER_STACK)).map_err(|_| Stop::Memory(Whose::System))
}

/// Whether so many threads with such stacks can be there at once. For libraries that panic where they cannot start theirs.
pub fn can_start(n_threads: usize, stack_bytes: usize) -> Result<(), Stop> {
    // The threads wait until all were started; they end when nobody can tell them anything any more.
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..n_threads).map(|_| mpsc::channel::<()>()).unzip();
    let start = |receiver: mpsc::Receiver<()>| {
        let wait = move || {
            let _ = receiver.recv();
        };
        thread::Builder::new().stack_size(stack_bytes).spawn(wait)
    };
    let started: Vec<_> = receivers.into_iter().map_while(|receiver| start(receiver).ok()).collect();
    let all = started.len() == n_threads;
    drop(senders);
    for thread in started {
        let _ = thread.join();
    }
    if all { Ok(()) } else { Err(Stop::Memory(Whose::System)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_work_has_room_and_gives_its_result() {
        fn depth(n: u64) -> u64 {
            let frame = std::hint::black_box([n; 128]);
            if n == 0 { 0 } else { depth(n - 1) + frame[0] - frame[127] + 1 }
        }
        let thread = deep("deep", || depth(30_000)).expect("there is room");
        assert_eq!(thread.join().expect("it does not panic"), 30_000);
    }

    #[test]
    fn a_stack_that_fits_nowhere_is_a_limit_of_the_system() {
        assert_eq!(can_start(2, 1 << 16), Ok(()));
        assert_eq!(can_start(1, 1 << 60), Err(Stop::Memory(Whose::System)));
    }
}
