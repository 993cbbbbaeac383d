//! From data to data: what several readers of a tree or a model would otherwise each work out for themselves.

mod atoms;
mod cells;
mod counters;
mod cubes;
mod defined;
mod definitions;
mod flatten;
mod interval;
mod paths;
pub mod ranges;
mod roots;
mod shapes;
mod substitute;
mod sums;
mod touched;
mod walk;
mod ways;
mod widths;

pub use crate::operator::rebuilt;
pub use atoms::atoms;
pub use cells::{MAX_ALL_CELLS, MAX_CELLS, cells, cells_with};
pub use counters::{counters, counters_within, place_var};
pub use cubes::{Cube, MAX_CUBES, cubes};
pub use defined::{defined, defined_with};
pub use definitions::{Definitions, definitions};
pub use flatten::{
    Flat, MAX_FLAT_EVENTS, MAX_VALUATIONS, NoModel, TooLarge, declarations, flatten, flatten_within, place,
};
pub use interval::{Interval, interval, interval_among};
pub use paths::{Leaf, MAX_PATHS, paths};
pub use roots::{roots, statement_roots};
pub use shapes::{Shape, Shapes};
pub use substitute::{Substitution, copied, copies, replaced, substitute};
pub use sums::sums;
pub use touched::Touched;
pub use walk::{bottom_up, variables};
pub use ways::{ways, writes};
pub use widths::{Width, Widths};
