//! Questions about a net, asked once its model is there: what the files of properties, the formulas of the command line
//! and the net's own text have in common.

use lapidary_base::hash::Map;
use lapidary_ir::passes::{Cube, place_var};
use lapidary_ir::{
    Destinations, Expr, Exprs, Model, Net, PlaceId, Property, PropertyKind, Range, Tokens, Transition, TransitionId,
};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use super::codes;
use crate::log::Log;

/// States that a net's own text or a file asks for, as a union of cubes: the property is violated where one is reached.
pub struct Target {
    pub cubes: Vec<Cube>,
    pub text: String,
    pub span: Span,
}

/// What formulas speak about.
pub struct Scope<'a> {
    pub net: &'a Net,
    pub exprs: &'a Exprs,
    places: Map<&'a str, PlaceId>,
    transitions: Map<&'a str, TransitionId>,
}

impl<'a> Scope<'a> {
    pub fn new(net: &'a Net, exprs: &'a Exprs) -> Self {
        let places = net.places.enumerated().map(|(id, place)| (place.name.as_str(), id)).collect();
        let transitions = net.transitions.enumerated().map(|(id, one)| (one.name.as_str(), id)).collect();
        Self { net, exprs, places, transitions }
    }

    pub fn place(&self, name: &str) -> Option<PlaceId> {
        self.places.get(name).copied()
    }

    pub fn transition(&self, name: &str) -> Option<TransitionId> {
        self.transitions.get(name).copied()
    }

    pub fn tokens(&self, place: PlaceId) -> Expr {
        self.exprs.var(place_var(place))
    }

    /// The place has a number of tokens within the range.
    pub fn within(&self, place: PlaceId, range: Range) -> Expr {
        let value = self.tokens(place);
        if range.hi == Some(range.lo) {
            return self.exprs.eq(value, self.number(range.lo));
        }
        let lo = (range.lo > 0).then(|| self.exprs.le(self.number(range.lo), value));
        let hi = range.hi.map(|hi| self.exprs.le(value, self.number(hi)));
        self.exprs.and(lo.into_iter().chain(hi))
    }

    fn number(&self, tokens: Tokens) -> Expr {
        self.exprs.int(i64::try_from(tokens).expect("numbers that are read fit in 60 bits"))
    }

    /// The transition may fire.
    pub fn enabled(&self, transition: TransitionId) -> Expr {
        let transition = &self.net.transitions[transition];
        let guards = transition.guards.iter().map(|guard| self.within(guard.place, guard.range));
        let takes = transition.take.iter().map(|&(place, tokens)| self.within(place, Range::at_least(tokens)));
        let negative = transition.put.iter().filter(|&&(_, tokens)| tokens < 0);
        let arrived = negative.map(|&(place, tokens)| self.arrives(transition, place, -tokens));
        self.exprs.and(guards.chain(takes).chain(arrived))
    }

    /// At least so many tokens come to a place or stay there. No language has both choices and negative puts.
    fn arrives(&self, transition: &Transition, place: PlaceId, needed: i64) -> Expr {
        let mut parts = Vec::new();
        let mut needed = needed;
        let mut add = |from: PlaceId, times: Tokens| {
            let times = i64::try_from(times).expect("numbers that are read fit in 60 bits");
            let taken = transition.take.iter().find(|&&(taken, _)| taken == from).map_or(0, |&(_, tokens)| tokens);
            needed = needed.saturating_add(times.saturating_mul(i64::try_from(taken).unwrap_or(i64::MAX)));
            parts.push(self.exprs.mul(self.exprs.int(times), self.tokens(from)));
        };
        if transition.flows.iter().all(|flow| flow.from != place) {
            add(place, 1);
        }
        for flow in &transition.flows {
            match &flow.to {
                Destinations::All(to) => {
                    to.iter().filter(|&&(to, _)| to == place).for_each(|&(_, times)| add(flow.from, times));
                }
                Destinations::One(to) => to.iter().filter(|&&to| to == place).for_each(|_| add(flow.from, 1)),
            }
        }
        self.exprs.le(self.exprs.int(needed), self.exprs.add(parts))
    }

    /// No transition may fire.
    pub fn deadlock(&self) -> Expr {
        self.exprs.and(self.net.transitions.ids().map(|transition| self.exprs.not(self.enabled(transition))))
    }

    /// The first target is named `target`, further ones are numbered.
    pub fn targets(&self, targets: &[Target]) -> Vec<Property> {
        let property = |(i, target): (usize, &Target)| {
            let cube = |cube: &Cube| self.exprs.and(cube.iter().map(|&(place, range)| self.within(place, range)));
            let covered = self.exprs.or(target.cubes.iter().map(cube));
            Property {
                name: if i == 0 { "target".to_owned() } else { format!("target_{}", i + 1) },
                kind: PropertyKind::Invariant(self.exprs.not(covered)),
                faults: Vec::new(),
                text: format!("never {}", target.text),
                span: target.span,
            }
        };
        targets.iter().enumerate().map(property).collect()
    }

    /// The property that a formula holds always.
    pub fn always(&self, formula: Expr) -> PropertyKind {
        if !self.net.transitions.is_empty() && formula == self.exprs.not(self.deadlock()) {
            return PropertyKind::DeadlockFree;
        }
        PropertyKind::Invariant(formula)
    }
}

/// Adds properties to a model; two of one name are an error.
pub fn push(model: &mut Model, properties: Vec<Property>, log: &mut Log) {
    let mut seen: Map<String, Span> = Map::default();
    for property in properties {
        if let Some(&first) = seen.get(&property.name) {
            let message = format!("two properties are named `{}`", property.name);
            log.push(
                Diagnostic::error(codes::DUPLICATE_PROPERTY, message, property.span, "again")
                    .with_label(first, "the first one")
                    .with_help("give each property a name of its own"),
            );
            continue;
        }
        seen.insert(property.name.clone(), property.span);
        model.properties.push(property);
    }
}

/// The name of a source without folders and suffix.
pub fn stem(sources: &Sources, source: SourceId) -> &str {
    let name = sources.get(source).name.as_str();
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}

/// A span over all of a source.
pub fn whole(sources: &Sources, source: SourceId) -> Span {
    Span::new(source, 0, u32::try_from(sources.get(source).text.len()).unwrap_or(u32::MAX))
}
