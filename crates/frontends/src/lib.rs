//! One module per language: text to a checked tree to `ir`. None sees another.

pub mod altarica;
pub mod asked;
pub mod gcl;
mod letters;
pub mod log;
mod patience;
pub mod petri;
pub mod words;
