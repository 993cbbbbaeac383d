//! Turns: engines in threads of their own, of which only so many work at a time. Whoever has used up its slice of work
//! waits behind the others, in the middle of what it does, and goes on later: nobody begins anew, and nobody holds all of
//! the run.
//!
//! A slice is measured in looks at the limits, never in seconds, so one thread at a time takes the same turns in every run.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use lapidary_base::Pace;

pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// By lane: may it work?
    works: Vec<bool>,
    /// The lanes that want to, in their order.
    waiting: VecDeque<usize>,
    /// How many more may work at once as soon as the first lane has had its head start.
    n_held_back: usize,
    /// How many more may work now.
    n_free: usize,
}

impl Turns {
    /// The first of the lanes begins alone; afterwards so many work at a time.
    pub fn new(n_lanes: usize, n_at_once: usize) -> Arc<Self> {
        let works = (0..n_lanes).map(|lane| lane == 0).collect();
        let n_held_back = n_at_once.max(1) - 1;
        let state = State { works, waiting: (1..n_lanes).collect(), n_held_back, n_free: 0 };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// The turns of one lane: slices of so much work, of which the first may be larger.
    pub fn of(self: &Arc<Self>, lane: usize, first: u64, slice: u64) -> Arc<Turn> {
        let until = AtomicU64::new(first);
        Arc::new(Turn { turns: Arc::clone(self), lane, slice, spent: AtomicU64::new(0), until })
    }

    /// The state is whole after every change, also where a thread panicked later.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, lane: usize, mut state: MutexGuard<'_, State>) {
        while !state.works[lane] {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the others work, and returns when it is this lane's turn again.
    fn pass(&self, lane: usize) {
        let mut state = self.state();
        // Another thread of this lane may have passed already.
        if state.works[lane] {
            state.n_free += std::mem::take(&mut state.n_held_back);
            if !state.waiting.is_empty() {
                state.works[lane] = false;
                state.n_free += 1;
                state.waiting.push_back(lane);
                state.admit();
                self.changed.notify_all();
            }
        }
        self.wait(lane, state);
    }

    /// The lane has ended, or never began.
    pub fn leave(&self, lane: usize) {
        let mut state = self.state();
        state.waiting.retain(|&other| other != lane);
        if std::mem::take(&mut state.works[lane]) {
            state.n_free += 1;
        }
        if lane == 0 {
            state.n_free += std::mem::take(&mut state.n_held_back);
        }
        state.admit();
        self.changed.notify_all();
    }
}

impl State {
    fn admit(&mut self) {
        while self.n_free > 0
            && let Some(next) = self.waiting.pop_front()
        {
            self.works[next] = true;
            self.n_free -= 1;
        }
    }
}

/// The turns of one lane.
pub struct Turn {
    turns: Arc<Turns>,
    lane: usize,
    slice: u64,
    spent: AtomicU64,
    until: AtomicU64,
}

impl Turn {
    /// Waits for the first turn; the lane leaves when what is returned is dropped.
    pub fn begin(&self) -> Leaving<'_> {
        self.turns.wait(self.lane, self.turns.state());
        Leaving(self)
    }
}

impl Pace for Turn {
    fn spend(&self, work: u64) -> Option<u64> {
        let spent = self.spent.fetch_add(work, Ordering::Relaxed).saturating_add(work);
        let left = spent.checked_sub(self.until.load(Ordering::Relaxed))?;
        // What is beyond the turn is spent in the turns to come.
        self.spent.fetch_sub(left, Ordering::Relaxed);
        Some(left)
    }

    fn pass(&self) {
        self.turns.pass(self.lane);
        let spent = self.spent.load(Ordering::Relaxed);
        self.until.fetch_max(spent.saturating_add(self.slice), Ordering::Relaxed);
    }
}

pub struct Leaving<'a>(&'a Turn);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.turns.leave(self.0.lane);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// As a control does.
    fn spend(turn: &Turn, work: u64) {
        let mut work = work;
        while let Some(left) = turn.spend(work) {
            turn.pass();
            work = left;
        }
    }

    /// Which lane worked, at every unit of work.
    fn worked(works: &[u64], first: u64, n_at_once: usize) -> String {
        let (turns, log) = (Turns::new(works.len(), n_at_once), Mutex::new(String::new()));
        thread::scope(|scope| {
            for (lane, &work) in works.iter().enumerate() {
                let turn = turns.of(lane, if lane == 0 { first } else { 2 }, 2);
                let log = &log;
                scope.spawn(move || {
                    let _leaving = turn.begin();
                    for _ in 0..work {
                        log.lock().expect("no test panics").push(char::from(b'a' + lane as u8));
                        spend(&turn, 1);
                    }
                });
            }
        });
        log.into_inner().expect("no test panics")
    }

    #[test]
    fn the_first_has_a_head_start_and_then_all_take_turns() {
        for _ in 0..20 {
            assert_eq!(worked(&[6, 5, 3], 3, 1), "aaabbccaabbcab");
        }
    }

    #[test]
    fn who_is_alone_does_not_wait() {
        assert_eq!(worked(&[7], 2, 1), "aaaaaaa");
        assert_eq!(worked(&[1, 7], 2, 1), "abbbbbbb");
    }

    #[test]
    fn several_at_once_do_all_the_work() {
        let all = worked(&[50, 50, 50, 50], 5, 2);
        assert!(all.starts_with("aaaaa") && all.len() == 200, "{all}");
    }

    #[test]
    fn who_never_began_is_not_waited_for() {
        let turns = Turns::new(2, 1);
        turns.leave(0);
        let turn = turns.of(1, 1, 1);
        let _leaving = turn.begin();
        spend(&turn, 5);
    }

    /// What was done in one piece is paid for in as many turns as it is worth.
    #[test]
    fn who_spends_much_at_once_waits_for_long() {
        let (turns, log) = (Turns::new(2, 1), Mutex::new(String::new()));
        thread::scope(|scope| {
            for (lane, piece) in [10, 2].into_iter().enumerate() {
                let turn = turns.of(lane, 2, 2);
                let log = &log;
                scope.spawn(move || {
                    let _leaving = turn.begin();
                    for _ in 0..20 / piece {
                        log.lock().expect("no test panics").push(char::from(b'a' + lane as u8));
                        spend(&turn, piece);
                    }
                });
            }
        });
        assert_eq!(log.into_inner().expect("no test panics"), "abbbbbabbbbb");
    }
}
