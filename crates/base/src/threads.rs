//! Threads that may not start: where the address space is limited, each needs its stack in it.

use std::sync::mpsc;
use std::thread;

use crate::control::{Stop, Whose};

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
    fn a_stack_that_fits_nowhere_is_a_limit_of_the_system() {
        assert_eq!(can_start(2, 1 << 16), Ok(()));
        assert_eq!(can_start(1, 1 << 60), Err(Stop::Memory(Whose::System)));
    }
}
