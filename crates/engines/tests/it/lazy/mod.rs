//! Lazy abstraction: the paper's example, each subtle step on its own, and random nets.

mod nets;
mod paper;
mod random;
mod steps;
