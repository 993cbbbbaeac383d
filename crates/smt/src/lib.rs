//! Formulas for solvers: terms, the [`Solver`] trait and its backends, and the encoding of models.
//!
//! A term is an expression of the model's own collection over the model's variables and further symbols
//! ([`Terms`]). Everything in [`encode`] is for engines, what [`horn`] makes is for other programs; the checker has an encoding of its own and takes only terms
//! and solvers from here.

pub mod backend;
pub mod encode;
pub mod horn;
pub mod smtlib;
pub mod solver;
pub mod terms;

pub use backend::{Backend, Limits};
pub use solver::{Cores, FullSolver, Sat, Solver, Values};
pub use terms::{TermSort, Terms};
