//! How much a specification may ask for.

/// Bytes of a specification.
pub const MAX_TEXT: usize = 4 << 20;
/// Levels of parentheses, calls and prefixes.
pub const MAX_NESTING: usize = 200;
/// States and transitions, together, of a graph that is written out.
pub const MAX_GRAPH: u64 = 4_000_000;
/// Flat events that are written out.
pub const MAX_EVENTS: usize = 4_000_000;
/// Bytes of one text that is built from a set: a guard, a formula.
pub const MAX_GUARD: usize = 16 << 20;
/// Valuations of a subnode from which a guard is built.
pub const MAX_VALUATIONS: usize = 4_000_000;
