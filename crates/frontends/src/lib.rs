//! One module per language: text to a checked tree to `ir`. None sees another.

pub mod altarica;
pub mod asked;
pub mod gcl;
pub mod petri;
