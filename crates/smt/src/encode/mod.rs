//! Models as formulas, for engines.

mod atoms;
mod linear;
mod paths;
mod total;
mod unroll;
mod wp;

pub use atoms::{AtomTable, Literal, Normal};
pub use linear::Linear;

pub use paths::{Encoding, Halt, Path, TooMuch, encode, encode_within};
pub use total::Totals;
pub use unroll::{Run, Unrolling};
