//! Sets of markings as finite unions of boxes, and the images of transitions on them.
//!
//! These are no [`crate::SetSystem`]: one set has many descriptions as a union of boxes, so equality of descriptions is
//! not equality of sets, and the image of a box under a copy is no finite union of boxes at all. Images are therefore
//! computed up to an abstraction by [`Thresholds`]; preimages are exact.

mod cuboid;
mod image;
mod preimage;
mod region;
mod step;
mod thresholds;

pub use cuboid::{Cuboid, INFINITE, Interval};
pub use region::{Region, is_covered};
pub use step::BoxStep;
pub use thresholds::Thresholds;

/// A transition that splits one box into more pieces is given up.
pub const MAX_PIECES: usize = 200_000;
/// No finite bound is greater.
pub const GREATEST: u64 = 1 << 62;
