//! Models as formulas, for engines.

mod atoms;
mod bounds;
mod linear;
mod merged;
mod paths;
mod total;
mod unroll;
pub(crate) mod walk;
mod wp;

pub use atoms::{AtomTable, Literal, Normal};
pub use linear::Linear;

pub use paths::{Encoding, Halt, Path, Shape, TooMuch, encode, encode_within};
pub use total::Totals;
pub use unroll::{Run, Unrolling};
