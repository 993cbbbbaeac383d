//! Engine `matching` against the paper's tables and examples.

mod attacks;
mod extensions;
mod paper;
mod random;
mod texts;
