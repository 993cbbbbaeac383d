//! Terms and solvers.

mod common;
mod encode;
mod fakes;
mod solvers;
mod support;
mod unroll;
