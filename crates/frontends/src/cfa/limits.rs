//! How much a model may ask for. Whatever the input, loading it stays within a second and some hundred megabytes.

/// Bytes of one text.
pub const MAX_TEXT: usize = 4 << 20;
/// Levels of brackets, prefixes and bodies in the text.
pub const MAX_NESTING: usize = 200;
/// Reads, writes and extractions behind one operand: each is a level of its own.
pub const MAX_SUFFIXES: usize = 30;
/// Levels of expressions as they are checked.
pub const MAX_DEPTH: u32 = 400;
/// Levels of lowered expressions: engines walk down these.
pub const MAX_LOWERED_DEPTH: u32 = 1000;
/// Operations of one lowered expression when it is written out.
pub const MAX_SIZE: u64 = 2_000_000;
/// Variables of all processes.
pub const MAX_VARIABLES: usize = 100_000;
/// Edges of one process.
pub const MAX_EDGES: usize = 100_000;
pub use lapidary_ir::function::MAX_WIDTH;
pub use lapidary_text::log::MAX_SHOWN;
