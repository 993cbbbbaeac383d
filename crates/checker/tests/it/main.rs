//! Replay and certificates: what is accepted, what is rejected, and why.

mod blocks;
mod bodies;
mod certificates;
mod certified_steps;
mod claims;
mod common;
mod components;
mod diagrams;
mod explanations;
mod inductions;
mod invariants;
mod lassos;
mod mutated_diagrams;
mod nets_basis;
mod nets_ideals;
mod nets_large;
mod nets_random;
mod nets_sums;
mod nets_traces;
mod random_covers;
mod random_diagrams;
mod random_formulas;
mod random_models;
mod statements;
mod traces;
mod trees;
