//! How much a model may ask for. Whatever the input, loading it stays within a second and some hundred megabytes.

/// Bytes of one text.
pub const MAX_TEXT: usize = 16 << 20;
/// Levels of brackets and prefixes in the text.
pub const MAX_NESTING: usize = 200;
/// Levels of a syntax tree: later stages walk down these.
pub const MAX_HEIGHT: usize = 400;
/// Operands of `and`, `or` and `+` that stay a list leaning to the left; longer ones become a balanced tree.
pub const MAX_LEANING: usize = 64;
/// Structures within structures.
pub const MAX_STRUCTURES: usize = 16;
/// Dimensions of an array.
pub const MAX_DIMENSIONS: usize = 16;
/// Nodes that are open at once; only broken texts have more than one.
pub const MAX_OPEN_NODES: usize = 8;
/// Tokens of declarations that are copied because they declare several names at once.
pub const MAX_COPIED: usize = 1_000_000;
/// Macros within macros.
pub const MAX_MACRO_DEPTH: usize = 64;
/// Files that include each other.
pub const MAX_INCLUDE_DEPTH: usize = 64;
/// How often a model includes a file.
pub const MAX_INCLUDED: usize = 10_000;
/// Bytes of all that is included, each time anew.
pub const MAX_INCLUDED_BYTES: usize = 64 << 20;
/// Tokens that come from macros.
pub const MAX_EXPANDED: usize = 1_000_000;
pub use lapidary_text::log::MAX_SHOWN;
