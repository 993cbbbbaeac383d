//! Counts work that is done in pieces of some nanoseconds, and looks at the limits when there is enough of it.

use crate::control::{Control, Stop};

/// So many pieces are as much work as lies between two calls of [`Control::check`].
const PIECES_PER_UNIT: u64 = 1 << 10;

/// Work that is too small to be told piece by piece: a number read, a node of an expression evaluated, a row compared.
pub struct Meter<'c> {
    control: &'c Control,
    /// What was done and is not told yet.
    pieces: u64,
    /// What is still done without a look at the limits.
    allowance: u64,
}

impl<'c> Meter<'c> {
    pub fn new(control: &'c Control) -> Self {
        Self { control, pieces: 0, allowance: 0 }
    }

    /// The first so many pieces are done whatever the limits say: for what was found just before they were reached, and
    /// takes but a moment to look through.
    pub fn with_allowance(control: &'c Control, pieces: u64) -> Self {
        Self { control, pieces: 0, allowance: pieces }
    }

    /// So many pieces more were done, or are about to be.
    #[inline]
    pub fn add(&mut self, pieces: u64) -> Result<(), Stop> {
        let free = pieces.min(self.allowance);
        self.allowance -= free;
        self.pieces = self.pieces.saturating_add(pieces - free);
        if self.pieces < PIECES_PER_UNIT {
            return Ok(());
        }
        let units = self.pieces / PIECES_PER_UNIT;
        self.pieces %= PIECES_PER_UNIT;
        self.control.spend(units)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::control::Pace;

    #[derive(Default)]
    struct Spent(AtomicU64);

    impl Pace for Spent {
        fn spend(&self, work: u64) -> Option<u64> {
            self.0.fetch_add(work, Ordering::Relaxed);
            None
        }

        fn pass(&self) {}
    }

    #[test]
    fn as_much_is_told_as_was_done_however_it_is_cut() {
        for piece in [1, 3, 1000, 1 << 10, 5000] {
            let spent = Arc::new(Spent::default());
            let control = Control::new().with_pace(spent.clone());
            let mut meter = Meter::new(&control);
            (0..9000 / piece).try_for_each(|_| meter.add(piece)).expect("no limit");
            assert_eq!(spent.0.load(Ordering::Relaxed), 9000 / piece * piece / PIECES_PER_UNIT, "{piece} each");
        }
    }

    #[test]
    fn a_limit_is_seen_after_little_work_and_after_what_is_allowed() {
        let control = Control::new();
        control.cancel();
        let stopped_after = |mut meter: Meter<'_>| (0..).find(|_| meter.add(1) == Err(Stop::Interrupted));
        assert_eq!(stopped_after(Meter::new(&control)), Some(PIECES_PER_UNIT - 1));
        assert_eq!(stopped_after(Meter::with_allowance(&control, 100)), Some(PIECES_PER_UNIT + 99));
    }
}
