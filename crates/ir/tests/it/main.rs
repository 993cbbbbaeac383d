//! The intermediate representation: flattening, and the round trip through its textual form.

mod flatten;
mod random;
mod round_trip;
