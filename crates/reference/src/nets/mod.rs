//! Random small nets, and what they mean by trying everything.

mod brute;
mod contest;
mod random;

pub use brute::{Marking, Search, is_covered, search, successors};
pub use contest::contest;
pub use random::{Features, random, transition};

use lapidary_base::Id;
use lapidary_ir::passes::{self, Cube};
use lapidary_ir::{Expr, Exprs, Model, Net, Property, PropertyId, PropertyKind, VarId};
use lapidary_text::{SourceId, Span};

pub(crate) const NOWHERE: Span = Span::new(SourceId(0), 0, 0);

/// A net and the markings that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub net: Net,
    /// Any of these. Those of [`random()`] have no upper bounds.
    pub target: Vec<Cube>,
}

impl Problem {
    /// The least markings of the target, each in all places.
    pub fn minimal(&self) -> Vec<Marking> {
        let tokens = |cube: &Cube| {
            let mut marking = vec![0; self.net.places.len()];
            cube.iter().for_each(|&(place, range)| marking[place.index()] = range.lo);
            marking
        };
        self.target.iter().map(tokens).collect()
    }

    /// The net as a model, with the property `target`: that no marking of the target is reached.
    pub fn model(&self) -> (Model, PropertyId) {
        let mut model = passes::counters(&self.net);
        let exprs = &model.exprs;
        let bad = exprs.or(self.target.iter().map(|cube| formula(exprs, cube)));
        let kind = PropertyKind::Invariant(exprs.not(bad));
        let (name, text) = ("target".to_owned(), String::new());
        let property = model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE });
        (model, property)
    }
}

fn formula(exprs: &Exprs, cube: &Cube) -> Expr {
    let number = |tokens: u64| exprs.int(i64::try_from(tokens).expect("targets are small"));
    let mut parts = Vec::new();
    for &(place, range) in cube {
        let value = exprs.var(VarId::new(place.index()));
        parts.push(exprs.le(number(range.lo), value));
        parts.extend(range.hi.map(|hi| exprs.le(value, number(hi))));
    }
    exprs.and(parts)
}
