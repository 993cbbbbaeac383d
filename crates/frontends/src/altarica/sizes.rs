//! How large an instantiated model may become, and what is left of that.

use lapidary_base::Control;
use lapidary_text::Patience;
use lapidary_text::spelling::Suggestions;

/// Components of a tree.
pub const MAX_COMPONENTS: usize = 100_000;
/// Scalar variables of a tree.
pub const MAX_VARS: usize = 100_000;
/// Events of a tree.
pub const MAX_EVENTS: usize = 200_000;
/// Events of one component.
pub const MAX_OWN_EVENTS: usize = 4096;
/// Pairs of events of one component between which there is a priority.
pub const MAX_PRIORITIES: usize = 1 << 17;
/// Transitions of a tree.
pub const MAX_TRANSITIONS: usize = 200_000;
/// Vectors of a tree.
pub const MAX_VECTORS: usize = 400_000;
/// Optional parts of a vector: each makes a relation for every number of them that take part.
pub const MAX_OPTIONAL: usize = 256;
/// Values of a function that is declared by its signature only.
pub const MAX_TABLE: usize = 4096;
/// Symbols of an enumeration: where one is converted to another, every symbol is a level of an expression.
pub const MAX_SYMBOLS: usize = 500;
/// Expression nodes, however often the text that they come from is instantiated.
pub const MAX_NODES: u64 = 4_000_000;
/// Levels of an expression: engines walk down these.
pub const MAX_DEPTH: u32 = 1000;
/// Levels of arrays and structs within each other.
pub const MAX_DIMENSIONS: usize = 32;
/// Levels of components within each other.
pub const MAX_LEVELS: usize = 200;

/// What is left of [`MAX_NODES`] and of the suggestions.
pub struct Budget {
    nodes: u64,
    pub suggestions: Suggestions,
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
        let patience = Patience::new(control);
        Self { nodes: MAX_NODES, suggestions: Suggestions::default(), is_reported: false, patience }
    }

    /// Takes `n_nodes`, or says that so many are not left. When a limit of the run is reached, nobody is told here.
    pub fn take(&mut self, n_nodes: usize) -> Result<(), Exhausted> {
        if self.patience.ends() {
            return Err(Exhausted::Before);
        }
        if let Some(left) = self.nodes.checked_sub(n_nodes as u64) {
            self.nodes = left;
            return Ok(());
        }
        self.nodes = 0;
        let before = std::mem::replace(&mut self.is_reported, true);
        Err(if before { Exhausted::Before } else { Exhausted::Now })
    }
}
