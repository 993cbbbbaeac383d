//! The program, as users run it.

mod cli;
mod counts;
mod files;
mod fuzz;
mod limits;
mod pages;
mod repeat;
mod simulate;
mod support;
mod tutorial;
