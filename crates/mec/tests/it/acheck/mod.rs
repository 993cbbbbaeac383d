//! Scripts of Acheck: the language, its projects, and the published results.

mod broken;
mod corpus;
mod engines;
mod language;
mod project;
mod support;
