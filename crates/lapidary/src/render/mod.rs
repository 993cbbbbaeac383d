//! From answers to text. Everything here is a function from data to a string.

pub mod compact;
pub mod document;
pub mod dot;
#[cfg(test)]
pub mod fixture;
pub mod next;
pub mod report;
pub mod run;
pub mod trace;
pub mod verdict;
