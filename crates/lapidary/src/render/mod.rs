//! From answers to text. Everything here is a function from data to a string.

pub mod compact;
pub mod document;
pub mod dot;
pub mod figure;
#[cfg(test)]
pub mod fixture;
pub mod junit;
pub mod next;
pub mod report;
pub mod rounds;
pub mod run;
pub mod stats;
pub mod trace;
pub mod verdict;
