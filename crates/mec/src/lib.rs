//! The specification languages of AltaRica's checkers: Acheck and Mec 5.
//!
//! Models come through [`Models`], so that this crate knows no front end.

pub mod acheck;
pub mod mec5;
mod models;

pub use models::Models;
