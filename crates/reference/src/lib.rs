//! The brute-force oracle of the tests and all that they draw: dice, random `.gcl` models, a plain search and a text mutator;
//! random AltaRica texts, nets, expressions and bodies of commands; random automata and transition systems as `.cfa` and `.xsts`
//! write them, and what they mean.
//!
//! This crate deliberately shares nothing with the rest of the project: it has its own syntax
//! tree, evaluator and random numbers, so that a misunderstanding of the language in a front end
//! or an engine cannot hide by being repeated here. It favours plainness over speed everywhere.
//! Only [`nets`], [`bodies`] and [`expressions`] use the project's data, because nets and statements have no syntax of
//! their own; what they mean is again written anew.

pub mod altarica;
pub mod ast;
pub mod bodies;
pub mod brute;
pub mod cfa;
pub mod damaged;
pub mod dice;
mod eval;
pub mod expressions;
pub mod families;
mod layout;
pub mod mutate;
pub mod nets;
mod print;
mod print_expr;
pub mod random;
mod random_command;
mod random_expr;
mod random_place;
mod random_unbounded;
pub mod sample;
pub mod seeds;
mod spacing;
pub mod surroundings;
pub mod terms;
pub mod xsts;

#[cfg(test)]
mod reparse;
#[cfg(test)]
mod typing;
