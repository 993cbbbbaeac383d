//! Models as formulas, for engines.

mod atoms;
mod linear;
mod paths;
mod total;
mod unroll;
mod wp;

pub use atoms::{AtomTable, Literal, Normal};
pub use linear::Linear;

pub use paths::{Encoding, Path, TooMuch, encode};
pub use total::Totals;
pub use unroll::{Run, Unrolling};
