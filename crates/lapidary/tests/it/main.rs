//! The program, as users run it.

mod certify;
mod cli;
mod counts;
mod everyday;
mod files;
mod fuzz;
mod limits;
mod pages;
mod repeat;
mod simulate;
mod support;
mod tutorial;
