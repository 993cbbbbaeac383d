//! Terms and solvers.

mod arrays;
mod bits;
mod common;
mod encode;
mod fakes;
mod horn;
mod merged;
mod random_arrays;
mod solvers;
mod support;
mod unroll;
