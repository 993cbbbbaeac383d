//! The program, as users run it.

mod certify;
mod cli;
mod counts;
mod files;
mod fuzz;
mod kept_apart;
mod limits;
mod pages;
mod repeat;
mod simulate;
mod support;
mod tutorial;
