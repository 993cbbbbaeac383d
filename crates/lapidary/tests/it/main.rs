//! The program, as users run it.

mod certify;
mod cli;
mod counts;
mod files;
mod fuzz;
mod limits;
mod mistakes;
mod pages;
mod repeat;
mod simulate;
mod support;
mod tutorial;
