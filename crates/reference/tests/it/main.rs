//! The oracle itself: its semantics, its random models, and results that are known.

mod common;
mod distribution;
mod known;
mod nets;
mod semantics;
