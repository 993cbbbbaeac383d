//! One module per language: text to a checked tree to `ir`. None sees another.

pub mod altarica;
pub mod asked;
pub mod cfa;
pub mod gcl;
pub mod petri;
pub mod xsts;
