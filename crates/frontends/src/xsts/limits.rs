//! How much a model may ask for. Whatever the input, loading it stays within some seconds and some hundred megabytes.

/// Bytes of one text.
pub const MAX_TEXT: usize = 8 << 20;
/// Levels of brackets, prefixes and bodies in the text.
pub const MAX_NESTING: usize = 150;
/// Levels of lowered expressions: engines walk down these.
pub const MAX_LOWERED_DEPTH: u32 = 1000;
/// Statements and expression nodes of the model, with loops unrolled and every order of `ort` written out.
pub const MAX_NODES: u64 = 2_000_000;
/// How many copies of a body the loops around it make by being unrolled; loops that would make more stay loops.
pub const MAX_COPIES: u64 = 1000;
pub use lapidary_text::log::MAX_SHOWN;
