//! The languages: texts that are good, texts that are broken, and what both mean.

mod altarica;
mod altarica_syntax;
mod gcl;
mod petri;
