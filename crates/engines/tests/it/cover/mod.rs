//! Cegar and PCegar against the thesis' claims and against plain search.

mod figure;
mod kernel;
mod listed;
mod random;
mod values;
