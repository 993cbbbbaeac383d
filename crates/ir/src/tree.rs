//! A tree of components that fire their events together: hierarchical AltaRica models.
//!
//! A configuration gives a value to every variable of the tree and satisfies every assertion. A *flat event* picks one
//! event of every component; a vector of a component says which combinations it allows between itself and its
//! subcomponents. What the tree means is defined twice, by composition and by flattening; this is only the data.

use lapidary_base::{IdVec, id};
use lapidary_text::Span;

use crate::action::{Action, FlatEvent};
use crate::expr::{Expr, Exprs};
use crate::model::{Raw, Var, VarId};
use crate::property::{Property, PropertyId};
use crate::types::{EnumId, EnumType};

id! {
    /// A component, by its place in a walk that visits parents before their subcomponents.
    pub struct ComponentId(u32);
    /// An event of one component.
    pub struct EventId(u32);
}

/// The first component.
pub const ROOT: ComponentId = ComponentId(0);
/// The event of every component that does nothing: always enabled, updates nothing.
pub const EPSILON: EventId = EventId(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    /// Keeps its value unless a transition assigns it.
    State,
    /// Takes any value that the assertions allow, anew in every configuration.
    Flow,
}

/// An event of some component of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventRef {
    pub component: ComponentId,
    pub event: EventId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `push`, `close[1]`; epsilon's name is empty.
    pub name: String,
    /// Public events stay visible to all ancestors: one that no vector mentions is lifted, not hidden.
    pub is_public: bool,
    pub span: Span,
}

/// One guard, one event, one update. In a configuration where the guard has no value or is false, where a new value has
/// no value or leaves its variable's domain, or where no flows satisfy the assertions afterwards, it cannot be fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub guard: Expr,
    pub event: EventId,
    /// All at once, reading the old values; each variable at most once, only state variables of the same component.
    pub updates: Vec<(VarId, Expr)>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
}

impl Comparison {
    pub fn holds(self, left: usize, right: i64) -> bool {
        let left = i64::try_from(left).expect("vectors are short");
        match self {
            Self::Lt => left < right,
            Self::Le => left <= right,
            Self::Eq => left == right,
            Self::Ge => left >= right,
            Self::Gt => left > right,
        }
    }
}

/// One event that takes part in a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// An event of the vector's own component, of one of its subcomponents, or one that a subcomponent lifted.
    pub event: EventRef,
    /// Written `e?`: takes part where it can.
    pub is_optional: bool,
}

/// Events of a component and of its subcomponents that happen together. A subcomponent without a part takes part with
/// any of its flat events whose top is its epsilon, so what it hides may run at the same time.
///
/// With optional parts the vector stands for all its choices of them: those whose number of optional parts satisfies
/// `count`; a choice that can be fired has priority over all choices of the same vector with fewer optional parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// At most one of the component itself, at most one within each subcomponent.
    pub parts: Vec<Part>,
    /// On the number of optional parts that take part.
    pub count: Option<(Comparison, i64)>,
    /// The top of its flat events is the one part's event, seen from above: a public event that no vector mentions.
    /// Otherwise the top is the component's own event, or its epsilon if it has no part.
    pub is_lifted: bool,
    /// The declaration of the vector, or of the event that gets a vector of its own because no other mentions it.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub expr: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Component {
    /// As its parent calls it, `V[0]`; the root's is empty.
    pub name: String,
    /// From the root, `C.V[0]`; the root's is empty.
    pub path: String,
    /// The name of the declared node.
    pub node: String,
    pub parent: Option<ComponentId>,
    pub subs: Vec<ComponentId>,
    /// The components of the subtree are those from this one up to this number, not included.
    pub end: u32,
    /// Its own variables are those from `vars.0` up to `vars.1`, not included.
    pub vars: (u32, u32),
    /// Epsilon first.
    pub events: IdVec<EventId, Event>,
    /// All pairs of a lower and a higher event: transitively closed, irreflexive.
    pub priorities: Vec<(EventId, EventId)>,
    /// May mention any variable of the subtree. Where one has no value, it is not satisfied.
    pub assertions: Vec<Assertion>,
    /// Without the implicit one of epsilon.
    pub transitions: Vec<Transition>,
    /// All of them: the declared ones, one for every event of the component and of its subcomponents (lifted events
    /// included) that no declared one mentions, and last the one without parts.
    pub vectors: Vec<Vector>,
    /// The public events of the subtree that are visible above under their own name, besides the component's events.
    pub lifted: Vec<EventRef>,
    /// `extern` declarations, as they were written.
    pub externs: Vec<String>,
    pub span: Span,
}

/// The whole hierarchy, instantiated: every component is written out, every expression is over the tree's variables.
#[derive(Clone, Default)]
pub struct Tree {
    /// The root's node.
    pub name: String,
    pub exprs: Exprs,
    pub enums: IdVec<EnumId, EnumType>,
    /// In the order of their components, named by their paths: `V[0].rate`. All domains are finite.
    pub vars: IdVec<VarId, Var>,
    pub kinds: IdVec<VarId, VarKind>,
    pub components: IdVec<ComponentId, Component>,
    /// The initial values of state variables, each at most once; the others begin with any value.
    pub init: Vec<(VarId, Expr)>,
    pub properties: IdVec<PropertyId, Property>,
}

impl Component {
    /// The variables declared by this component itself.
    pub fn own_vars(&self) -> impl Iterator<Item = VarId> + use<> {
        (self.vars.0..self.vars.1).map(VarId)
    }

    pub fn event(&self, name: &str) -> Option<EventId> {
        self.events.ids().find(|&id| self.events[id].name == name)
    }

    /// The events that have priority over this one.
    pub fn higher(&self, than: EventId) -> impl Iterator<Item = EventId> + '_ {
        self.priorities.iter().filter(move |(low, _)| *low == than).map(|&(_, high)| high)
    }
}

impl Tree {
    /// The same tree over an arena of its own: expressions that are made with it are gone with it, and this one has none of them.
    pub fn apart(&self) -> Self {
        Self { exprs: self.exprs.above(), ..self.clone() }
    }

    /// The components of a subtree, its root first.
    pub fn subtree(&self, component: ComponentId) -> impl DoubleEndedIterator<Item = ComponentId> + use<> {
        (component.0..self.components[component].end).map(ComponentId)
    }

    /// The variables of a subtree.
    pub fn subtree_vars(&self, component: ComponentId) -> impl Iterator<Item = VarId> + use<> {
        let last = ComponentId(self.components[component].end - 1);
        (self.components[component].vars.0..self.components[last].vars.1).map(VarId)
    }

    /// The least and the greatest value of a variable.
    pub fn bounds(&self, var: VarId) -> (Raw, Raw) {
        self.vars[var].domain.bounds(&self.enums).expect("all domains of a tree are finite")
    }

    pub fn contains(&self, outer: ComponentId, inner: ComponentId) -> bool {
        outer <= inner && inner.0 < self.components[outer].end
    }

    pub fn is_state(&self, var: VarId) -> bool {
        self.kinds[var] == VarKind::State
    }

    /// An event as seen from the root: `cmd`, `V[0].dec`; epsilon alone is its component's path.
    pub fn event_name(&self, of: EventRef) -> String {
        let component = &self.components[of.component];
        let event = &component.events[of.event].name;
        match component.path.is_empty() {
            true => event.clone(),
            false => format!("{}.{event}", component.path),
        }
    }

    /// A component by its path from the root.
    pub fn component(&self, path: &str) -> Option<ComponentId> {
        self.components.ids().find(|&id| self.components[id].path == path)
    }

    /// A flat event as traces show it.
    pub fn label(&self, flat: &FlatEvent) -> String {
        match Action::is_epsilon(flat) {
            true => "epsilon".to_owned(),
            false => self.flat_event_name(flat),
        }
    }

    /// A flat event in words: `<cmd, C.nni, V[2].inc>`, one alone without brackets, nothing at all for epsilon.
    /// `events` has one event for every component.
    pub fn flat_event_name(&self, events: &FlatEvent) -> String {
        let parts: Vec<String> = events
            .ids()
            .filter(|&component| events[component] != EPSILON)
            .map(|component| self.event_name(EventRef { component, event: events[component] }))
            .collect();
        match &parts[..] {
            [] => String::new(),
            [only] => only.clone(),
            _ => format!("<{}>", parts.join(", ")),
        }
    }
}

/// One choice of the optional parts of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub events: Vec<EventRef>,
    /// How many optional parts it has.
    pub rank: usize,
}

impl Vector {
    /// The choices that `count` admits; without optional parts there is one. Twice as many with every optional part: who
    /// cannot know that there are few asks for [`n_choices`](Self::n_choices) first.
    pub fn choices(&self) -> Vec<Choice> {
        let optional: Vec<EventRef> =
            self.parts.iter().filter(|part| part.is_optional).map(|part| part.event).collect();
        assert!(optional.len() < 64, "the choices of a vector with {} optional parts are never listed", optional.len());
        let mut choices = Vec::new();
        for chosen in 0..1u64 << optional.len() {
            let rank = chosen.count_ones() as usize;
            if !self.admits(rank) {
                continue;
            }
            let takes_part = |part: &&Part| {
                let place = optional.iter().position(|&event| event == part.event);
                !part.is_optional || place.is_some_and(|place| chosen & 1 << place != 0)
            };
            let events = self.parts.iter().filter(takes_part).map(|part| part.event).collect();
            choices.push(Choice { events, rank });
        }
        choices
    }

    /// The event under which the parent knows a choice of this vector of `component`.
    pub fn top(&self, component: ComponentId, choice: &Choice) -> EventRef {
        if self.is_lifted {
            return choice.events[0];
        }
        let own = choice.events.iter().find(|event| event.component == component);
        own.copied().unwrap_or(EventRef { component, event: EPSILON })
    }

    pub fn has_optional(&self) -> bool {
        self.parts.iter().any(|part| part.is_optional)
    }

    pub fn n_optional(&self) -> usize {
        self.parts.iter().filter(|part| part.is_optional).count()
    }

    /// May so many optional parts take part?
    pub fn admits(&self, rank: usize) -> bool {
        self.count.is_none_or(|(comparison, bound)| comparison.holds(rank, bound))
    }

    /// How many choices `count` admits, or the greatest number if there are more than that.
    pub fn n_choices(&self) -> u64 {
        let n_optional = self.n_optional();
        let ranks = (0..=n_optional).filter(|&rank| self.admits(rank));
        ranks.fold(0, |all, rank| all.saturating_add(n_combinations(n_optional, rank)))
    }
}

/// How many ways there are to take so many of `n` things, or the greatest number if there are more than that.
fn n_combinations(n: usize, taken: usize) -> u64 {
    let mut found = 1u64;
    for i in 0..taken.min(n - taken) {
        let next = u128::from(found) * (n - i) as u128 / (i as u128 + 1);
        match u64::try_from(next) {
            Ok(next) => found = next,
            Err(_) => return u64::MAX,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use lapidary_text::SourceId;

    use super::*;

    fn vector(n_optional: u32, count: Option<(Comparison, i64)>) -> Vector {
        let part = |number: u32, is_optional| {
            let event = EventRef { component: ComponentId(number), event: EventId(1) };
            Part { event, is_optional }
        };
        let parts = [part(0, false)].into_iter().chain((1..=n_optional).map(|number| part(number, true))).collect();
        Vector { parts, count, is_lifted: false, span: Span::new(SourceId(0), 0, 0) }
    }

    #[test]
    fn choices_are_counted_as_they_are_listed_and_where_they_cannot_be() {
        for n_optional in 0..=10 {
            for comparison in [Comparison::Lt, Comparison::Le, Comparison::Eq, Comparison::Ge, Comparison::Gt] {
                for bound in -1..=11 {
                    let vector = vector(n_optional, Some((comparison, bound)));
                    assert_eq!(vector.n_choices(), vector.choices().len() as u64, "{vector:?}");
                }
            }
            assert_eq!(vector(n_optional, None).n_choices(), 1 << n_optional);
        }
        assert_eq!(vector(63, None).n_choices(), 1 << 63);
        assert_eq!(vector(64, None).n_choices(), u64::MAX);
        assert_eq!(vector(1000, None).n_choices(), u64::MAX);
        assert_eq!(vector(1000, Some((Comparison::Ge, 999))).n_choices(), 1001);
        assert_eq!(vector(1000, Some((Comparison::Eq, 500))).n_choices(), u64::MAX);
    }
}
