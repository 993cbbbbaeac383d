//! Looks at the limits of a run now and then while a text is read.

use lapidary_base::{Control, Stop};

/// A look at the clock costs as much as a handful of expression nodes.
const CALLS_PER_LOOK: u32 = 32;

/// The limits within which a text is read. Once one of them is reached, nothing more is worth doing: whoever asks is told
/// so until the reader has found its way out.
#[derive(Clone, Default)]
pub struct Patience {
    control: Control,
    n_calls: u32,
    stop: Option<Stop>,
}

impl Patience {
    pub fn new(control: &Control) -> Self {
        Self { control: control.clone(), ..Self::default() }
    }

    /// Whether a limit is reached. To be called for every small piece of work.
    pub fn ends(&mut self) -> bool {
        self.n_calls = self.n_calls.wrapping_add(1);
        if self.stop.is_none() && self.n_calls.is_multiple_of(CALLS_PER_LOOK) {
            self.stop = self.control.check().err();
        }
        self.stop.is_some()
    }

    /// The limit that was reached on the way or is reached now.
    pub fn finish(&self) -> Result<(), Stop> {
        self.stop.clone().map_or_else(|| self.control.check(), Err)
    }
}
