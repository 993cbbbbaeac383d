//! How much a model may ask for. Whatever the input, loading it stays within a second and some hundred megabytes.

use lapidary_base::Control;
use lapidary_text::Patience;

/// Bytes of one text.
pub const MAX_TEXT: usize = 4 << 20;
/// Levels of brackets, prefixes and bodies in the text.
pub const MAX_NESTING: usize = 200;
/// Levels of expressions with all definitions put in, as written.
pub const MAX_DEPTH: u32 = 400;
/// Levels of lowered expressions: engines walk down these.
pub const MAX_LOWERED_DEPTH: u32 = 1000;
/// Dimensions of an array.
pub const MAX_DIMENSIONS: usize = 16;
/// Scalar variables, the cells of arrays included.
pub const MAX_CELLS: u64 = 100_000;
/// Instances of all processes.
pub const MAX_INSTANCES: u64 = 10_000;
/// Commands after instantiation.
pub const MAX_COMMANDS: u64 = 100_000;
/// Expression nodes after instantiation, quantifiers written out.
pub const MAX_NODES: u64 = 2_000_000;
pub use lapidary_text::log::MAX_SHOWN;

/// What is left of [`MAX_NODES`]; constant evaluation and lowering draw on the same stock.
pub struct Budget {
    left: u64,
    /// Whether somebody was told already that nothing is left: once is enough.
    is_reported: bool,
    pub patience: Patience,
}

/// Nothing is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Now,
    Before,
}

impl Budget {
    pub fn new(control: &Control) -> Self {
        Self { left: MAX_NODES, is_reported: false, patience: Patience::new(control) }
    }

    /// Takes `n_nodes`, or says that so many are not left. When a limit of the run is reached, nobody is told here.
    pub fn take(&mut self, n_nodes: u64) -> Result<(), Exhausted> {
        if self.patience.ends() {
            return Err(Exhausted::Before);
        }
        if let Some(left) = self.left.checked_sub(n_nodes) {
            self.left = left;
            return Ok(());
        }
        self.left = 0;
        let before = std::mem::replace(&mut self.is_reported, true);
        Err(if before { Exhausted::Before } else { Exhausted::Now })
    }
}
