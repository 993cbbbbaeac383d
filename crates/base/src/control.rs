//! What may end a run early: a deadline, a memory limit, an interrupt. One `Control` is shared by all threads of a run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::event::{Event, Sink};
use crate::memory;

/// Why a computation ended before its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Timeout,
    Memory,
    Interrupted,
    /// A 64-bit computation left its range; the text says in which command or property.
    Overflow(String),
    /// The method itself cannot go on; the text says why.
    Incomplete(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("the time limit was reached"),
            Self::Memory => f.write_str("the memory limit was reached"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Overflow(place) => write!(f, "an integer left the 64-bit range: {place}"),
            Self::Incomplete(why) => f.write_str(why),
        }
    }
}

/// The limits of a run and the place to which it reports. Cheap to share by reference.
pub struct Control {
    start: Instant,
    deadline: Option<Instant>,
    memory_limit: Option<u64>,
    cancelled: Arc<AtomicBool>,
    sink: Option<Box<dyn Sink>>,
    /// Milliseconds since `start` of the last look at the memory: asking the system costs microseconds.
    last_memory_check: AtomicU64,
}

const MEMORY_CHECK_MILLIS: u64 = 20;

impl Control {
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            deadline: None,
            memory_limit: None,
            cancelled: Arc::new(AtomicBool::new(false)),
            sink: None,
            last_memory_check: AtomicU64::new(0),
        }
    }

    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.deadline = timeout.and_then(|timeout| self.start.checked_add(timeout));
        self
    }

    /// A limit on the resident memory of the whole process, in bytes.
    pub fn with_memory(mut self, limit: Option<u64>) -> Self {
        self.memory_limit = limit;
        self
    }

    /// A flag that a signal handler or another thread may set.
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancelled = flag;
        self
    }

    pub fn with_sink(mut self, sink: Box<dyn Sink>) -> Self {
        self.sink = Some(sink);
        self
    }

    /// The limit on the resident memory, for those who lay out their memory in advance.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory_limit
    }

    pub fn start(&self) -> Instant {
        self.start
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// To be called often enough that a second never passes between two calls, and seldom enough to be free.
    pub fn check(&self) -> Result<(), Stop> {
        if self.is_cancelled() {
            return Err(Stop::Interrupted);
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Stop::Timeout);
        }
        if self.memory_limit.is_none() {
            return Ok(());
        }
        let millis = u64::try_from(now.duration_since(self.start).as_millis()).unwrap_or(u64::MAX);
        if millis.saturating_sub(self.last_memory_check.load(Ordering::Relaxed)) < MEMORY_CHECK_MILLIS {
            return Ok(());
        }
        self.last_memory_check.store(millis, Ordering::Relaxed);
        self.reserve(0)
    }

    /// Asks before a large allocation whether `bytes` more would break the limit.
    pub fn reserve(&self, bytes: u64) -> Result<(), Stop> {
        let Some(limit) = self.memory_limit else { return Ok(()) };
        match memory::resident() {
            Some(used) if used.saturating_add(bytes) > limit => Err(Stop::Memory),
            _ => Ok(()),
        }
    }

    pub fn emit(&self, event: &Event) {
        if let Some(sink) = &self.sink {
            sink.event(event);
        }
    }
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passed_deadline_stops() {
        let control = Control::new().with_timeout(Some(Duration::ZERO));
        assert_eq!(control.check(), Err(Stop::Timeout));
    }

    #[test]
    fn a_cancelled_run_stops_before_anything_else() {
        let control = Control::new().with_timeout(Some(Duration::ZERO)).with_cancel(Arc::new(AtomicBool::new(true)));
        assert_eq!(control.check(), Err(Stop::Interrupted));
    }

    #[test]
    fn a_reservation_beyond_the_limit_is_refused() {
        let control = Control::new().with_memory(Some(1 << 40));
        assert_eq!(control.reserve(0), Ok(()));
        assert_eq!(control.reserve(1 << 50), Err(Stop::Memory));
    }
}
