//! Nets and their properties as text, in the languages of other tools.
//!
//! PNML and LoLA have ordinary nets only: a guard becomes an arc that takes and one that puts back, and an initial range
//! becomes a number with a transition that adds to it. Without upper bounds in guards whatever is added can be added
//! first, so that exactly the same markings of the places are reached. MIST has nearly everything.

mod condition;
mod lola;
mod plain;
mod pnml;
mod spec;

use lapidary_base::hash::Map;
use lapidary_ir::{Combination, Junction, Model, Net, Property, PropertyId, PropertyKind};

pub use lola::{formulas, lola};
pub use pnml::{mcc, pnml};
pub use spec::spec;

use condition::Condition;

/// What cannot be written in a language, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    /// In words: `transition r1`, `property safe`.
    pub what: String,
    pub why: String,
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} cannot be written: {}", self.what, self.why)
    }
}

impl std::error::Error for Unwritable {}

fn unwritable<T>(what: impl Into<String>, why: impl Into<String>) -> Result<T, Unwritable> {
    Err(Unwritable { what: what.into(), why: why.into() })
}

/// A property of reachability: a condition that is reached, or one that always holds.
enum Question {
    Reach(Condition),
    Always(Condition),
}

/// What is written under one name.
struct Item<'a> {
    name: &'a str,
    text: &'a str,
    junction: Junction,
}

/// All properties in order. A combination stands where its first part does, and its parts are not written by themselves.
fn items<'a>(model: &'a Model, combinations: &'a [Combination]) -> Vec<Item<'a>> {
    let mut of: Map<PropertyId, &Combination> = Map::default();
    let mut first: Map<PropertyId, &Combination> = Map::default();
    for combination in combinations {
        let parts = combination.junction.parts();
        first.extend(parts.first().map(|&part| (part, combination)));
        of.extend(parts.into_iter().map(|part| (part, combination)));
    }
    let item = |(id, property): (PropertyId, &'a Property)| match (first.get(&id), of.get(&id)) {
        (Some(Combination { name, text, junction, .. }), _) => Some(Item { name, text, junction: junction.clone() }),
        (None, Some(_)) => None,
        (None, None) => Some(Item { name: &property.name, text: &property.text, junction: Junction::Part(id) }),
    };
    model.properties.enumerated().filter_map(item).collect()
}

fn question(net: &Net, model: &Model, property: &Property) -> Result<Question, Unwritable> {
    let what = || format!("property `{}`", property.name);
    let condition =
        |expr| condition::condition(&model.exprs, expr, net.places.len()).or_else(|why| unwritable(what(), why));
    match &property.kind {
        PropertyKind::Reach(expr) => Ok(Question::Reach(condition(*expr)?)),
        PropertyKind::Invariant(expr) => Ok(Question::Always(condition(*expr)?)),
        PropertyKind::DeadlockFree if net.initial.iter().any(|range| range.hi != Some(range.lo)) => {
            unwritable(what(), "transitions that add initial tokens would change where nothing can fire")
        }
        PropertyKind::DeadlockFree => Ok(Question::Always(Condition::Not(Box::new(Condition::Deadlock)))),
        PropertyKind::NoErrors | PropertyKind::Ltl(_) => unwritable(what(), "it is no question of reachability"),
    }
}
