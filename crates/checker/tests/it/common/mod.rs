//! What the tests of this crate share.

pub mod build;
pub mod cutting;
pub mod diagrams;
pub mod flows;
pub mod formulas;
pub mod judge;
pub mod lift;
pub mod naive;
pub mod nets;
