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
    Memory(Whose),
    Interrupted,
    /// A 64-bit computation left its range; the text says in which command or property.
    Overflow(String),
    /// The method itself cannot go on; the text says why.
    Incomplete(String),
    /// A budget is spent that a portfolio sets, `100 states`, or an allowance of work: with more of it the method would go on.
    Budget(String),
    /// A solver gave no answer, or none that is of use; the text says which.
    NoAnswer(String),
    /// A solver was caught lying; the text names it and what it said.
    Solver(String),
}

/// Whose limit on memory was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The one that was asked for with `--memory`.
    Limit,
    /// What the machine, a container or the shell leaves to this process.
    System,
    /// Tables of a fixed size are full. Who laid them out tries larger ones, or says whose memory limits them.
    Tables,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("the time limit was reached"),
            Self::Memory(Whose::Limit) => f.write_str("the memory limit was reached"),
            Self::Memory(Whose::System) => f.write_str("the memory that the system leaves to this process ran out"),
            Self::Memory(Whose::Tables) => f.write_str("the tables of the diagrams are full"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Overflow(place) => write!(f, "an integer left the 64-bit range: {place}"),
            Self::Incomplete(why) | Self::NoAnswer(why) | Self::Solver(why) => f.write_str(why),
            Self::Budget(what) => write!(f, "the budget of {what} is spent"),
        }
    }
}

/// Lets computations that run in turns wait for theirs.
pub trait Pace: Send + Sync {
    /// So much was done since the last call. If that is more than a turn has, the turn is over, and this is what is left to pay
    /// for in the turns to come.
    fn spend(&self, work: u64) -> Option<u64>;

    /// Ends the turn, and returns when it is the next one.
    fn pass(&self);
}

/// Ends a run as the user would: it tells what it knows. Any thread may have one, and keep it longer than the run lasts.
#[derive(Clone, Debug, Default)]
pub struct Interrupter(Arc<AtomicBool>);

impl Interrupter {
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The limits of a run and the place to which it reports. Cheap to share by reference.
pub struct Control {
    start: Instant,
    deadline: Option<Instant>,
    memory_limit: Option<u64>,
    /// Whose the memory limit is.
    whose: Whose,
    /// Set by the user, for all that belongs to the run.
    interrupted: Arc<AtomicBool>,
    cancelled: Arc<AtomicBool>,
    /// The flags of those that this one is a child of.
    inherited: Box<[Arc<AtomicBool>]>,
    /// What may be done past the deadline and after an interrupt, to finish what was begun.
    grace: Duration,
    /// Milliseconds since `start` when the interrupt was first seen by anybody; none yet if zero.
    interrupt_seen: Arc<AtomicU64>,
    pace: Option<Arc<dyn Pace>>,
    /// The work that may still be done, where somebody has bounded it.
    allowance: Option<Arc<AtomicU64>>,
    /// Among how many computations the memory is shared.
    n_sharing: u64,
    sink: Option<Arc<dyn Sink>>,
    /// Milliseconds since `start` of the last look at the memory: asking the system costs microseconds.
    last_memory_check: AtomicU64,
}

const MEMORY_CHECK_MILLIS: u64 = 20;

/// A limit has to end a run within a second; there has to be time to tell what is known, too.
const GRACE: Duration = Duration::from_millis(500);

impl Control {
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            deadline: None,
            memory_limit: None,
            whose: Whose::System,
            interrupted: Arc::new(AtomicBool::new(false)),
            cancelled: Arc::new(AtomicBool::new(false)),
            inherited: Box::default(),
            grace: Duration::ZERO,
            interrupt_seen: Arc::new(AtomicU64::new(0)),
            pace: None,
            allowance: None,
            n_sharing: 1,
            sink: None,
            last_memory_check: AtomicU64::new(0),
        }
    }

    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.deadline = timeout.and_then(|timeout| self.start.checked_add(timeout));
        self
    }

    /// A limit on the resident memory of the whole process, in bytes, that the user asked for.
    pub fn with_memory(mut self, limit: Option<u64>) -> Self {
        self.memory_limit = limit;
        self.whose = if limit.is_some() { Whose::Limit } else { Whose::System };
        self
    }

    /// The same where nobody asked: so much does the system leave to this process.
    pub fn with_system_memory(mut self, limit: Option<u64>) -> Self {
        self.memory_limit = limit;
        self.whose = Whose::System;
        self
    }

    /// A flag that a signal handler or another thread may set.
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupted = flag;
        self
    }

    /// Who may interrupt this run from outside, with all that belongs to it.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(Arc::clone(&self.interrupted))
    }

    /// All looks at the limits are counted as work, and may wait for a turn.
    pub fn with_pace(mut self, pace: Arc<dyn Pace>) -> Self {
        self.pace = Some(pace);
        self
    }

    /// The same run, of which this part has an earlier deadline, perhaps.
    pub fn within(&self, time: Option<Duration>) -> Self {
        let until = time.and_then(|time| Instant::now().checked_add(time));
        Self { deadline: self.deadline.into_iter().chain(until).min(), ..self.clone() }
    }

    /// The same run, for looking through what was found already: past the deadline and after an interrupt there is a
    /// little time left to do so.
    pub fn with_grace(&self) -> Self {
        Self { grace: GRACE, ..self.clone() }
    }

    /// The same run, of which this part may do so much work, counted like that of [`Control::spend`]. It is the same on every
    /// machine, so what is written when it is spent is, too.
    pub fn with_allowance(&self, work: u64) -> Self {
        Self { allowance: Some(Arc::new(AtomicU64::new(work))), ..self.clone() }
    }

    pub fn with_sink(mut self, sink: Box<dyn Sink>) -> Self {
        self.sink = Some(Arc::from(sink));
        self
    }

    /// For one of several computations that run beside each other: the same limits, listeners and interrupts, and a
    /// flag of its own, so that it can be cancelled alone.
    pub fn child(&self, n_sharing: u64) -> Self {
        Self {
            start: self.start,
            deadline: self.deadline,
            memory_limit: self.memory_limit,
            whose: self.whose,
            interrupted: Arc::clone(&self.interrupted),
            cancelled: Arc::new(AtomicBool::new(false)),
            inherited: self.inherited.iter().chain([&self.cancelled]).map(Arc::clone).collect(),
            grace: self.grace,
            interrupt_seen: Arc::clone(&self.interrupt_seen),
            pace: self.pace.clone(),
            allowance: self.allowance.clone(),
            n_sharing: self.n_sharing.saturating_mul(n_sharing.max(1)),
            sink: self.sink.clone(),
            last_memory_check: AtomicU64::new(0),
        }
    }

    /// Ends this computation and its children at their next look at the limits.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The limit on the resident memory, for those who lay out their memory in advance. Who shares it with others gets
    /// a part of what is free.
    pub fn memory_limit(&self) -> Option<u64> {
        let limit = self.memory_limit?;
        if self.n_sharing == 1 {
            return Some(limit);
        }
        let used = memory::resident().unwrap_or(0);
        Some(used + limit.saturating_sub(used) / self.n_sharing)
    }

    /// What to say when memory ran out that was laid out in advance, from the limit or from what the system has.
    pub fn out_of_memory(&self) -> Stop {
        Stop::Memory(self.whose)
    }

    /// Whoever listens, for one who passes on only a part.
    pub fn sink(&self) -> Option<Arc<dyn Sink>> {
        self.sink.clone()
    }

    pub fn start(&self) -> Instant {
        self.start
    }

    /// Whether others run only while this one waits for its next turn.
    pub fn takes_turns(&self) -> bool {
        self.pace.is_some()
    }

    /// Whether the user, or whoever runs this beside others, does not want it any more.
    pub fn is_cancelled(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.is_given_up()
    }

    /// Whether others have made this needless.
    fn is_given_up(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.inherited.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// To be called often enough that a second never passes between two calls, and seldom enough to be free. Between two
    /// calls some ten microseconds should pass, where that can be arranged: they measure the work that is done.
    ///
    /// Who has some grace looks through what was found: that is mostly short, and only what is told by [`Control::spend`]
    /// is counted.
    pub fn check(&self) -> Result<(), Stop> {
        if self.grace.is_zero() {
            return self.spend(1);
        }
        self.charge(1)?;
        self.look()
    }

    /// So much work is done or is about to be: it counts where there is an allowance, and for nobody's turns.
    pub fn charge(&self, work: u64) -> Result<(), Stop> {
        let Some(allowance) = &self.allowance else { return Ok(()) };
        let pay = |left: u64| left.checked_sub(work);
        match allowance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay) {
            Ok(_) => Ok(()),
            Err(_) => {
                // What was refused once is refused from then on, however small.
                allowance.store(0, Ordering::Relaxed);
                Err(Stop::Budget("work".to_owned()))
            }
        }
    }

    /// The same after as much work as lies between so many calls of [`Control::check`].
    ///
    /// Where turns are taken, much work that was done in one piece is paid for in parts: others have as many turns before
    /// the next piece begins.
    pub fn spend(&self, work: u64) -> Result<(), Stop> {
        self.charge(work)?;
        if let Some(pace) = &self.pace {
            let mut work = work;
            while let Some(left) = pace.spend(work) {
                // Who has taken the memory is to notice, not who comes next.
                self.reserve(0)?;
                pace.pass();
                self.last_memory_check.store(self.millis(), Ordering::Relaxed);
                self.look()?;
                work = left;
            }
        }
        self.look()
    }

    /// Since the beginning.
    fn millis(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The same for who only waits for others, and does nothing that could be counted.
    pub fn look(&self) -> Result<(), Stop> {
        if self.is_given_up() {
            return Err(Stop::Interrupted);
        }
        let now = Instant::now();
        let millis = u64::try_from(now.duration_since(self.start).as_millis()).unwrap_or(u64::MAX);
        if self.interrupted.load(Ordering::Relaxed) && self.is_too_late_after_interrupt(millis) {
            return Err(Stop::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| now >= deadline + self.grace) {
            return Err(Stop::Timeout);
        }
        if self.memory_limit.is_none() {
            return Ok(());
        }
        if millis.saturating_sub(self.last_memory_check.load(Ordering::Relaxed)) < MEMORY_CHECK_MILLIS {
            return Ok(());
        }
        self.last_memory_check.store(millis, Ordering::Relaxed);
        self.reserve(0)
    }

    fn is_too_late_after_interrupt(&self, millis: u64) -> bool {
        let now = millis.max(1);
        let seen = self.interrupt_seen.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        let first = seen.err().unwrap_or(now);
        Duration::from_millis(now.saturating_sub(first)) >= self.grace
    }

    /// Asks before a large allocation whether `bytes` more would break the limit.
    pub fn reserve(&self, bytes: u64) -> Result<(), Stop> {
        let Some(limit) = self.memory_limit else { return Ok(()) };
        match memory::resident() {
            Some(used) if used.saturating_add(bytes) > limit => Err(self.out_of_memory()),
            _ => Ok(()),
        }
    }

    pub fn emit(&self, event: &Event) {
        if let Some(sink) = &self.sink {
            sink.event(event);
        }
    }
}

/// The same run, for those who keep its limits: diagrams poll within their operations.
impl Clone for Control {
    fn clone(&self) -> Self {
        Self {
            start: self.start,
            deadline: self.deadline,
            memory_limit: self.memory_limit,
            whose: self.whose,
            interrupted: Arc::clone(&self.interrupted),
            cancelled: Arc::clone(&self.cancelled),
            inherited: self.inherited.clone(),
            grace: self.grace,
            interrupt_seen: Arc::clone(&self.interrupt_seen),
            pace: self.pace.clone(),
            allowance: self.allowance.clone(),
            n_sharing: self.n_sharing,
            sink: self.sink.clone(),
            last_memory_check: AtomicU64::new(self.last_memory_check.load(Ordering::Relaxed)),
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
    fn an_interrupt_from_outside_is_that_of_one_run_with_its_children() {
        let (one, other) = (Control::new(), Control::new());
        let (part, interrupter) = (one.child(2), one.interrupter());
        assert_eq!((one.check(), part.check()), (Ok(()), Ok(())));
        interrupter.interrupt();
        assert_eq!((one.check(), part.check()), (Err(Stop::Interrupted), Err(Stop::Interrupted)));
        assert!(other.check().is_ok() && part.is_cancelled() && part.with_grace().check().is_ok());
    }

    #[test]
    fn a_child_is_cancelled_alone_or_with_its_parent() {
        let parent = Control::new();
        let (one, other) = (parent.child(2), parent.child(2));
        one.cancel();
        assert_eq!(one.check(), Err(Stop::Interrupted));
        assert_eq!((parent.check(), other.check()), (Ok(()), Ok(())));
        let grandchild = other.child(1);
        parent.cancel();
        assert_eq!((other.check(), grandchild.check()), (Err(Stop::Interrupted), Err(Stop::Interrupted)));
    }

    #[test]
    fn a_child_has_the_deadline_of_its_parent_and_a_part_of_its_memory() {
        let parent = Control::new().with_timeout(Some(Duration::ZERO)).with_memory(Some(1 << 50));
        let child = parent.child(2);
        assert_eq!(child.check(), Err(Stop::Timeout));
        assert!(child.memory_limit().is_some_and(|limit| (1 << 48..1 << 50).contains(&limit)));
        assert_eq!(parent.memory_limit(), Some(1 << 50));
    }

    #[test]
    fn a_spent_budget_says_of_what() {
        assert_eq!(Stop::Budget("100 states".to_owned()).to_string(), "the budget of 100 states is spent");
    }

    #[test]
    fn what_was_found_is_looked_through_shortly_after_the_limits() {
        let late = Control::new().with_timeout(Some(Duration::ZERO)).with_cancel(Arc::new(AtomicBool::new(true)));
        assert_eq!(late.check(), Err(Stop::Interrupted));
        let graceful = late.with_grace();
        assert_eq!(graceful.check(), Ok(()));
        std::thread::sleep(GRACE * 2);
        assert_eq!(graceful.check(), Err(Stop::Interrupted));
        let given_up = Control::new().child(1);
        given_up.cancel();
        assert_eq!(given_up.with_grace().check(), Err(Stop::Interrupted), "nobody wants it any more");
    }

    #[test]
    fn a_part_of_a_run_may_have_an_earlier_deadline_but_no_later_one() {
        let whole = Control::new().with_timeout(Some(Duration::from_secs(60)));
        assert_eq!(whole.within(Some(Duration::ZERO)).check(), Err(Stop::Timeout));
        assert_eq!(whole.within(None).check(), Ok(()));
        let over = Control::new().with_timeout(Some(Duration::ZERO));
        assert_eq!(over.within(Some(Duration::from_secs(60))).check(), Err(Stop::Timeout));
    }

    #[test]
    fn memory_is_said_to_be_whose_it_is() {
        let asked = Control::new().with_memory(Some(1));
        assert_eq!(asked.check().and(asked.reserve(1)), Err(Stop::Memory(Whose::Limit)));
        assert_eq!(Control::new().with_system_memory(Some(1)).reserve(1), Err(Stop::Memory(Whose::System)));
    }

    #[test]
    fn a_reservation_beyond_the_limit_is_refused() {
        let control = Control::new().with_memory(Some(1 << 40));
        assert_eq!(control.reserve(0), Ok(()));
        assert_eq!(control.reserve(1 << 50), Err(Stop::Memory(Whose::Limit)));
    }

    #[test]
    fn an_allowance_is_for_one_part_of_a_run() {
        let whole = Control::new();
        let part = whole.with_allowance(3);
        assert_eq!(
            (part.check(), part.spend(1), part.charge(2)),
            (Ok(()), Ok(()), Err(Stop::Budget("work".to_owned())))
        );
        assert_eq!(part.with_grace().check(), Err(Stop::Budget("work".to_owned())), "what is left is gone");
        assert_eq!((whole.spend(100), whole.check()), (Ok(()), Ok(())));
    }

    /// Turns of three units each, and how many of them were passed.
    struct Threes(AtomicU64, AtomicU64);

    impl Pace for Threes {
        fn spend(&self, work: u64) -> Option<u64> {
            let spent = self.0.load(Ordering::Relaxed) + work;
            self.0.store(spent.min(3), Ordering::Relaxed);
            spent.checked_sub(3)
        }

        fn pass(&self) {
            self.0.store(0, Ordering::Relaxed);
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn much_work_is_paid_for_in_many_turns() {
        let pace = Arc::new(Threes(AtomicU64::new(0), AtomicU64::new(0)));
        let control = Control::new().with_pace(Arc::clone(&pace) as Arc<_>);
        assert_eq!((control.spend(2), pace.1.load(Ordering::Relaxed)), (Ok(()), 0));
        assert_eq!((control.spend(11), pace.1.load(Ordering::Relaxed)), (Ok(()), 4));
    }

    /// Others have taken the memory while one waited: one is not to blame as soon as one goes on.
    #[test]
    fn who_has_taken_the_memory_notices_before_the_turn_ends() {
        let pace = Arc::new(Threes(AtomicU64::new(0), AtomicU64::new(0)));
        let control = Control::new().with_memory(Some(1)).with_pace(Arc::clone(&pace) as Arc<_>);
        assert_eq!((control.spend(3), pace.1.load(Ordering::Relaxed)), (Err(Stop::Memory(Whose::Limit)), 0));
    }
}
