//! Runs the program on a large stack and turns a panic into an exit code and a request for a report.

use std::io::Write;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use lapidary_base::threads;
use lapidary_driver::Exit;

/// From here on the process tells of its first panic in one line.
pub fn tell_panics() {
    panic::set_hook(Box::new(tell_once));
}

pub fn guarded(command_line: &str, work: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let thread = match threads::deep("lapidary", work) {
        Ok(thread) => thread,
        Err(stop) => {
            tell(&format!("error: {stop}"));
            return Exit::Unknown;
        }
    };
    thread.join().unwrap_or_else(|_| {
        tell("this is a bug in lapidary; please report it with the message above, the model, and this command line:");
        tell(&format!("  {command_line}"));
        Exit::Internal
    })
}

/// One panic often brings others in its wake; the first is the one to report.
fn tell_once(panicked: &panic::PanicHookInfo<'_>) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let payload = panicked.payload();
    let message =
        payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = panicked.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
    tell(&format!("error: internal error{place}: {}", message.unwrap_or("no message")));
}

/// The process may have lost its error stream; then there is nobody to tell.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded("lapidary check m.gcl", || panic!("broken invariant")), Exit::Internal);
        assert_eq!(guarded("lapidary", || Exit::Violated), Exit::Violated);
    }
}
