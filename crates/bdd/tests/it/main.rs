//! Diagrams: the encoding of expressions, and spaces of columns.

mod encode;
mod space;
