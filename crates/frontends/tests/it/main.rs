//! The languages: texts that are good, texts that are broken, and what both mean.

mod altarica;
mod altarica_syntax;
mod cfa;
mod gcl;
mod large_nets;
mod limits_of_reading;
mod petri;
mod xsts;
