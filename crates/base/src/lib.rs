//! What every other crate stands on: typed ids, the append-only interner, run control and the event bus.

pub mod control;
pub mod event;
pub mod hash;
pub mod id;
pub mod intern;
pub mod memory;
pub mod meter;
pub mod shared;
pub mod threads;
pub mod watched;

pub use control::{Control, Interrupter, Pace, Stop, Whose};
pub use event::{Event, Sink};
pub use id::{Id, IdVec};
pub use intern::Interner;
pub use meter::Meter;
pub use shared::Shared;
pub use watched::Watched;
