//! The oracle itself: its semantics, its random models, and results that are known.

mod bits;
mod cells;
mod cfa;
mod common;
mod distribution;
mod known;
mod nets;
mod semantics;
mod transitions;
mod xsts;
