//! From file to report: models, engines, solvers and documents together.

mod abstraction;
mod abstractions;
mod altarica;
mod altarica_counts;
mod asking;
mod auto;
mod broken;
mod broken_protocols;
mod coverability;
mod documents;
mod explicit;
mod fake_solvers;
mod gallery;
mod goals_that_may_err;
mod hierarchical;
mod hierarchical_models;
mod hierarchical_support;
mod meanings;
mod random_hierarchies;
mod random_integers;
mod random_models;
mod shared_expressions;
mod solver_processes;
mod solver_support;
mod statement_trees;
mod whys;
