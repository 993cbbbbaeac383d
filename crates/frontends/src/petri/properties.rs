//! Questions about a net, asked once its model is there: what the files of properties, the formulas of the command line
//! and the net's own text have in common.

use std::cell::{OnceCell, RefCell};

use lapidary_base::hash::{Map, Set};
use lapidary_ir::passes::{Cube, Substitution, place_var};
use lapidary_ir::{
    Combination, Destinations, Expr, Exprs, Junction, Model, Net, PlaceId, Property, PropertyKind, Range, Tokens,
    Transition, TransitionId,
};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span};

use super::codes;
use super::limits::MAX_NAMES;
use super::paths::{Joint, Parts};

/// States that a net's own text or a file asks for, as a union of cubes: the property is violated where one is reached.
pub struct Target {
    pub cubes: Vec<Cube>,
    pub text: String,
    pub span: Span,
}

/// What a text asks: a property, or several under one name.
pub enum Posed {
    One(Property),
    Several {
        name: String,
        text: String,
        span: Span,
        joint: Joint,
        members: Vec<Parts>,
    },
    /// Nothing that can be answered, which a warning says.
    LeftOut {
        name: String,
    },
}

/// What became of the questions beside properties of the model.
#[derive(Default)]
pub struct Pushed {
    pub combinations: Vec<Combination>,
    /// The names of those that are left out.
    pub left_out: Vec<String>,
}

/// What formulas speak about.
pub struct Scope<'a> {
    pub net: &'a Net,
    pub exprs: &'a Exprs,
    places: Map<&'a str, PlaceId>,
    transitions: Map<&'a str, TransitionId>,
    initial: OnceCell<Option<Initial>>,
}

/// The one initial marking.
pub struct Initial {
    /// That the marking is this one.
    pub marking: Expr,
    values: RefCell<Substitution>,
}

impl Initial {
    /// Whether a condition on markings holds here; nothing if that cannot be computed with our numbers.
    pub fn value(&self, exprs: &Exprs, condition: Expr) -> Option<bool> {
        exprs.as_bool(self.values.borrow_mut().apply(exprs, condition))
    }
}

impl<'a> Scope<'a> {
    pub fn new(net: &'a Net, exprs: &'a Exprs) -> Self {
        let places = net.places.enumerated().map(|(id, place)| (place.name.as_str(), id)).collect();
        let transitions = net.transitions.enumerated().map(|(id, one)| (one.name.as_str(), id)).collect();
        Self { net, exprs, places, transitions, initial: OnceCell::new() }
    }

    /// None if the net may begin with one of several markings.
    pub fn initial(&self) -> Option<&Initial> {
        let initial = || {
            let tokens = |(place, range): (PlaceId, &Range)| {
                (range.hi == Some(range.lo)).then(|| (place_var(place), self.number(range.lo)))
            };
            let values: Map<_, _> = self.net.initial.enumerated().map(tokens).collect::<Option<_>>()?;
            let equal = self.net.initial.enumerated().map(|(place, range)| self.within(place, *range));
            let marking = self.exprs.and(equal);
            Some(Initial { marking, values: RefCell::new(Substitution::new(values)) })
        };
        self.initial.get_or_init(initial).as_ref()
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

/// Adds properties to a model; two of one name are an error. The parts of what is several are numbered: `safe[1]`.
/// Some may be there from before.
pub fn push(model: &mut Model, asked: Vec<Posed>, names: &mut Names, pushed: &mut Pushed, log: &mut Log) {
    let mut adding = Adding { model, seen: names, log };
    let mut left_out: Set<String> = pushed.left_out.iter().cloned().collect();
    for asked in asked {
        match asked {
            Posed::One(property) => {
                if adding.is_new(&property.name, property.span) {
                    adding.model.properties.push(property);
                }
            }
            Posed::Several { name, text, span, joint, members } => {
                if adding.is_new(&name, span) && adding.is_short(&name, span, &members) {
                    let mut n_parts = 0;
                    let junction = adding.junction(joint, members, &name, span, &mut n_parts);
                    pushed.combinations.push(Combination { name, text, span, junction });
                }
            }
            Posed::LeftOut { name } => {
                if left_out.insert(name.clone()) {
                    pushed.left_out.push(name);
                }
            }
        }
    }
}

/// The names of properties, and where they stand.
pub type Names = Map<String, Span>;

struct Adding<'m, 'l> {
    model: &'m mut Model,
    seen: &'l mut Names,
    log: &'l mut Log,
}

impl Adding<'_, '_> {
    fn is_new(&mut self, name: &str, span: Span) -> bool {
        if let Some(&first) = self.seen.get(name) {
            let message = format!("two properties are named `{name}`");
            self.log.push(
                Diagnostic::error(codes::DUPLICATE_PROPERTY, message, span, "again")
                    .with_label(first, "the first one")
                    .with_help("give each property a name of its own"),
            );
            return false;
        }
        self.seen.insert(name.to_owned(), span);
        true
    }

    /// The name of a formula may be the formula itself, and each of its parts has it in its own name.
    fn is_short(&mut self, name: &str, span: Span, members: &[Parts]) -> bool {
        let n_parts: usize = members.iter().map(Parts::len).sum();
        let fits = n_parts.saturating_mul(name.len()) <= MAX_NAMES;
        if !fits {
            let message = format!("this formula comes to {n_parts} questions");
            let diagnostic = Diagnostic::error(codes::TOO_LONG, message, span, "too many for so long a formula");
            self.log.push(diagnostic.with_help("ask about its parts one by one, or put it into a file"));
        }
        fits
    }

    fn junction(&mut self, joint: Joint, members: Vec<Parts>, name: &str, span: Span, n_parts: &mut usize) -> Junction {
        let member = |parts| match parts {
            Parts::Join(joint, members) => self.junction(joint, members, name, span, n_parts),
            Parts::Part(part) => {
                *n_parts += 1;
                let name = format!("{name}[{n_parts}]");
                self.is_new(&name, span);
                let property = Property { name, kind: part.kind, faults: Vec::new(), text: part.text, span };
                Junction::Part(self.model.properties.push(property))
            }
        };
        let members = members.into_iter().map(member).collect();
        match joint {
            Joint::All => Junction::All(members),
            Joint::Any => Junction::Any(members),
        }
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
