//! The capability traits between systems and engines, and the adapters from models to them.

pub mod abstraction;
pub mod boxes;
pub mod bytecode;
pub mod compile;
pub mod composition;
pub mod evaluate;
pub mod explicit;
pub mod fit;
pub mod initial;
pub mod lattice;
pub mod layout;
pub mod net;
pub mod sets;
pub mod successors;
pub mod symbolic;
pub mod well_structured;
pub mod wide;
pub mod word;

pub use explicit::{Explicit, Halt, TooMuch};
pub use lattice::{Grew, Join, Lattice, Point};
pub use sets::{SetAlgebra, SetSystem};
pub use successors::{State, Steps, Successors};
pub use well_structured::WellStructured;
