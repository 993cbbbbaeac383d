//! The intermediate representation: flattening, and the round trip through its textual form.

mod flatten;
mod limits;
mod random;
mod round_trip;
mod subject;
