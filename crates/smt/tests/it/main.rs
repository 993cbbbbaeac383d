//! Terms and solvers.

mod common;
mod encode;
mod fakes;
mod merged;
mod solvers;
mod support;
mod unroll;
