//! Looks at the limits of a run now and then while a text is read.

use lapidary_base::{Control, Stop};

/// A look at the clock costs as much as a handful of expression nodes.
const CALLS_PER_LOOK: u32 = 32;

/// The limits within which a text is read. Once one of them is reached, nothing more is worth doing: whoever asks is told
/// so until the reader has found its way out.
#[derive(Clone)]
pub struct Patience {
    control: Control,
    calls_per_look: u32,
    n_calls: u32,
    stop: Option<Stop>,
}

impl Patience {
    pub fn new(control: &Control) -> Self {
        Self::with_calls_per_look(control, CALLS_PER_LOOK)
    }

    /// For pieces of work of another size.
    pub fn with_calls_per_look(control: &Control, calls_per_look: u32) -> Self {
        Self { control: control.clone(), calls_per_look, n_calls: 0, stop: None }
    }

    /// Whether a limit is reached. To be called for every small piece of work.
    pub fn ends(&mut self) -> bool {
        self.n_calls = self.n_calls.wrapping_add(1);
        if self.stop.is_none() && self.n_calls.is_multiple_of(self.calls_per_look) {
            self.stop = self.control.check().err();
        }
        self.stop.is_some()
    }

    /// The limit that was reached on the way or is reached now.
    pub fn finish(&self) -> Result<(), Stop> {
        self.stop.clone().map_or_else(|| self.control.check(), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_seen_at_the_next_look_and_from_then_on() {
        let control = Control::new();
        let mut patience = Patience::with_calls_per_look(&control, 3);
        assert!((0..9).all(|_| !patience.ends()) && patience.finish() == Ok(()));
        control.cancel();
        assert_eq!([(); 5].map(|()| patience.ends()), [false, false, true, true, true]);
        assert_eq!(patience.finish(), Err(Stop::Interrupted));
    }
}
