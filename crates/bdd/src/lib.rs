//! Typed finite domains and relations over the BDD package, the only place of the engines that knows it.
//!
//! A [`Space`] has columns: finite variables with values from zero up. A [`Set`] is a set of valuations of them, kept
//! as a binary decision diagram over the bits of the columns; equal sets have equal diagrams. The diagrams know nothing
//! of domains whose size is no power of two: whoever builds a set conjoins [`Space::domain`] where it matters.

mod apply;
pub mod capacity;
mod count;
mod decision;
pub mod encode;
mod garbage;
mod image;
pub mod order;
mod relation;
mod run;
mod space;
#[cfg(test)]
mod tests;
mod transfer;
mod values;
mod walk;

pub use capacity::Capacity;
pub use decision::{Child, Decision, DecisionNode};
pub use encode::{Binding, Encoder, Number, Truth};
pub use relation::{Cube, Projection, Renaming};
pub use space::{Column, ColumnSpec, Set, Space, address_space_of_workers, n_levels};
