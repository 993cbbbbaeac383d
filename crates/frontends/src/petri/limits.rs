//! How much a net may ask for. Whatever the input, loading it stays within seconds and some hundred megabytes.

/// Bytes of one text: nets are often written by programs.
pub const MAX_TEXT: usize = 64 << 20;
/// Levels of brackets and prefixes in a formula.
pub const MAX_NESTING: usize = 200;
/// The greatest number that is read, and the greatest sum of numbers for one place: whoever adds some of them still
/// stays within 63 bits.
pub const MAX_NUMBER: u64 = 1 << 60;
/// Bytes of the names of the parts of one formula.
pub const MAX_NAMES: usize = 16 << 20;
/// Terms that are written out for one sum.
pub const MAX_TERMS: u64 = 1000;
pub use lapidary_text::log::MAX_SHOWN;
