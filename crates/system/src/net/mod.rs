//! Nets as systems: firing forwards, and minimal predecessors of upward-closed sets.

mod fire;
mod predecessors;

pub use fire::{Marking, fire};
pub use predecessors::{MAX_PREDECESSORS, predecessors};
