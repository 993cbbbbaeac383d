//! What the engines for coverability share: the question about a net, what can be left out of it, and runs.

mod closures;
mod exchange;
mod problem;
mod reduce;
mod run;

pub use exchange::{Element, Exchange, Published};
pub use problem::{Problem, problems};
pub use reduce::{Pump, Pumping, Reduced, reduce, reduce_within, unreduced};
pub use run::{Step, run};
