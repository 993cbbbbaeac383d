//! The program, as users run it.

mod certify;
mod cli;
mod completions;
mod counts;
mod everyday;
mod files;
mod fuzz;
mod install;
mod kept_apart;
mod large_hierarchies;
mod limits;
mod manual;
mod mistakes;
mod pages;
mod recorded;
mod repeat;
mod service;
mod simulate;
mod support;
mod tutorial;
