//! The engines: each against brute force, and each subtle step by name.

mod backward;
mod cover;
mod coverability_shared;
mod coverable;
mod forward;
mod gallery;
mod induction;
mod large_nets;
mod lazy;
mod listed;
mod matching;
mod nets_semantics;
mod random_nets;
mod register;
mod stopped_diagrams;
