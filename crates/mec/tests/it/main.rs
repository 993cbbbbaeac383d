//! Mec 5 and Acheck.

mod acheck;
mod mec5;
