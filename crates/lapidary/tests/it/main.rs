//! The program, as users run it.

mod certify;
mod cli;
mod completions;
mod counts;
mod files;
mod fuzz;
mod install;
mod limits;
mod manual;
mod pages;
mod repeat;
mod simulate;
mod support;
mod tutorial;
