//! A net: counters over the naturals, moved by transitions with threshold guards. Petri nets, transfers, resets, copies,
//! broadcasts and thread transition systems are all this shape.
//!
//! The place number `i` is the variable number `i` of the model that [`crate::passes::counters`] makes of a net, and the
//! transition number `i` is its command number `i`, so that properties, traces and reports speak of both.

use lapidary_base::{IdVec, id};
use lapidary_text::Span;

id! {
    /// A counter.
    pub struct PlaceId(u32);
    pub struct TransitionId(u32);
}

/// How many tokens a place has.
pub type Tokens = u64;

/// Places and numbers, ascending by place, each place at most once; what is not there is zero.
pub type Sparse = Vec<(PlaceId, Tokens)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub name: String,
    pub span: Span,
}

/// The numbers from `lo` to `hi`, both included; all from `lo` on if there is no `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub lo: Tokens,
    pub hi: Option<Tokens>,
}

impl Range {
    pub const ANY: Self = Self { lo: 0, hi: None };

    pub fn exactly(tokens: Tokens) -> Self {
        Self { lo: tokens, hi: Some(tokens) }
    }

    pub fn at_least(lo: Tokens) -> Self {
        Self { lo, hi: None }
    }

    pub fn contains(self, tokens: Tokens) -> bool {
        self.lo <= tokens && self.hi.is_none_or(|hi| tokens <= hi)
    }
}

/// A condition on the tokens that a place has before a transition fires. One with an upper bound is not monotone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub place: PlaceId,
    pub range: Range,
    pub span: Span,
}

/// Where the tokens that a transition leaves in a place go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// Each of them counts so many times in each of these places: none is a reset, one a transfer, several are copies.
    All(Sparse),
    /// Each of them goes to one of these places, whichever: at least two, ascending.
    One(Vec<PlaceId>),
}

/// What happens to the tokens of one place. A place without a flow keeps its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    pub from: PlaceId,
    pub to: Destinations,
}

/// Fires where all guards hold and every place has what is taken. First the tokens of `take` are removed, then all
/// flows move at once what is left, then `put` is added. Where that would leave a place below zero, it does not fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub name: String,
    /// Ascending by place, each place at most once.
    pub guards: Vec<Guard>,
    pub take: Sparse,
    /// Ascending by place, each place at most once.
    pub flows: Vec<Flow>,
    /// Ascending by place, each place at most once. A negative number takes from what has arrived.
    pub put: Vec<(PlaceId, i64)>,
    pub span: Span,
}

impl Transition {
    /// The first guard with an upper bound: with more tokens the transition may stop being possible.
    pub fn upper_bound(&self) -> Option<&Guard> {
        self.guards.iter().find(|guard| guard.range.hi.is_some())
    }

    /// May every token of some place choose where it goes?
    pub fn has_choices(&self) -> bool {
        self.flows.iter().any(|flow| matches!(flow.to, Destinations::One(_)))
    }

    /// Only takes and puts, and never more than it has: an ordinary transition of a Petri net, with read arcs at most.
    pub fn is_plain(&self) -> bool {
        self.flows.is_empty() && self.upper_bound().is_none() && self.put.iter().all(|&(_, tokens)| tokens >= 0)
    }
}

/// A weighted sum of tokens that no transition makes larger, so that no marking has more of it than the initial ones. It is
/// a claim: whoever relies on it has it checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// No weight is zero.
    pub weights: Sparse,
    /// What initial markings have at most.
    pub most: Tokens,
}

impl Sum {
    /// The places of the sum with the most tokens that each can have.
    pub fn bounds(&self) -> impl Iterator<Item = (PlaceId, Tokens)> {
        self.weights.iter().map(|&(place, weight)| (place, self.most / weight))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    pub name: String,
    pub places: IdVec<PlaceId, Place>,
    pub transitions: IdVec<TransitionId, Transition>,
    /// A marking is initial if every place is within its range.
    pub initial: IdVec<PlaceId, Range>,
}

impl Net {
    /// The first guard that makes the net not monotone, and its transition.
    pub fn upper_bound(&self) -> Option<(TransitionId, &Guard)> {
        self.transitions.enumerated().find_map(|(id, transition)| Some((id, transition.upper_bound()?)))
    }

    /// A Petri net: every transition only takes and puts.
    pub fn is_plain(&self) -> bool {
        self.transitions.iter().all(Transition::is_plain)
    }

    /// Does some transition let every token choose where it goes?
    pub fn has_choices(&self) -> bool {
        self.transitions.iter().any(Transition::has_choices)
    }

    /// What everybody may rely on; the first problem if it is not so.
    pub fn validate(&self) -> Result<(), String> {
        if self.initial.len() != self.places.len() {
            return Err(format!("{} initial ranges for {} places", self.initial.len(), self.places.len()));
        }
        if let Some(range) = self.initial.iter().find(|range| is_empty(range)) {
            return Err(format!("the initial range {range:?} is empty"));
        }
        self.transitions.iter().try_for_each(|transition| {
            self.validate_transition(transition).map_err(|why| format!("transition {}: {why}", transition.name))
        })
    }

    fn validate_transition(&self, transition: &Transition) -> Result<(), String> {
        let Transition { guards, take, flows, put, .. } = transition;
        self.ascending(guards.iter().map(|guard| guard.place), "guards")?;
        self.ascending(take.iter().map(|&(place, _)| place), "take")?;
        self.ascending(flows.iter().map(|flow| flow.from), "flows")?;
        self.ascending(put.iter().map(|&(place, _)| place), "put")?;
        if guards.iter().any(|guard| is_empty(&guard.range) || guard.range == Range::ANY) {
            return Err("a guard says nothing, or nothing satisfies it".to_owned());
        }
        if take.iter().any(|&(_, tokens)| tokens == 0) || put.iter().any(|&(_, tokens)| tokens == 0) {
            return Err("a zero is listed".to_owned());
        }
        for flow in flows {
            match &flow.to {
                Destinations::All(to) => {
                    self.ascending(to.iter().map(|&(place, _)| place), "destinations")?;
                    if to.iter().any(|&(_, times)| times == 0) {
                        return Err("a zero is listed".to_owned());
                    }
                }
                Destinations::One(to) if to.len() < 2 => return Err("a choice of one".to_owned()),
                Destinations::One(to) => self.ascending(to.iter().copied(), "destinations")?,
            }
        }
        Ok(())
    }

    fn ascending(&self, places: impl Iterator<Item = PlaceId>, what: &str) -> Result<(), String> {
        let mut last = None;
        for place in places {
            if self.places.get(place).is_none() {
                return Err(format!("{what}: there is no place number {}", place.0));
            }
            if last.is_some_and(|last| place <= last) {
                return Err(format!("{what}: places are not ascending"));
            }
            last = Some(place);
        }
        Ok(())
    }
}

fn is_empty(range: &Range) -> bool {
    range.hi.is_some_and(|hi| hi < range.lo)
}
