//! Cegar and PCegar against the thesis' claims and against plain search.

pub mod dice;
mod figure;
mod kernel;
mod listed;
mod random;
mod values;
