//! Nets as systems: firing forwards, and minimal predecessors of upward-closed sets.

mod fire;
pub mod lanes;
mod listed;
mod packed;
mod points;
mod predecessors;
mod rules;

pub use fire::{Marking, fire};
pub use listed::Listed;
pub use packed::Packed;
pub use points::NetPoints;
pub use predecessors::{MAX_PREDECESSORS, predecessors};

/// Can tokens of one source count for several places?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// For all places they go to.
    ForAll,
    /// For one of them.
    ForOne,
}
