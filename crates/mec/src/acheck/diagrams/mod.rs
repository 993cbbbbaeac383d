//! The engine of decision diagrams: sets of configurations as diagrams over the variables, transitions in parts.
//!
//! A variable that assertions define has no column in a set: whoever asks for its values reads them through the
//! definition. Transitions are never multiplied out into one relation: every set of them is kept part by part.

mod choice;
mod frame;
mod listing;
mod parts;
mod project;

use std::cell::OnceCell;
use std::sync::Arc;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Encoder, Set, Space};
use lapidary_engines::symbolic::capacity;
use lapidary_ir::tree::{EPSILON, VarKind};
use lapidary_ir::{EventRef, Expr, Family, FamilyId, Tree, VarId};
use lapidary_system::symbolic::{Copies, Group, Labelled, Origin, Symbolic, labelled};

use super::algebra::{Algebra, FlatEvent, Listing, Operation, Row};
use frame::Frame;
pub use parts::Parts;

/// Trees have no families.
static NO_FAMILIES: IdVec<FamilyId, Family> = IdVec::new();

/// Parts of the relation with fewer nodes together are joined: an operation on each costs more than one on their union.
const SMALL: usize = 10_000;

/// Composes a tree and finds its reachable configurations.
pub fn open(tree: Arc<Tree>, control: &Control) -> Result<Diagrams<'_>, Stop> {
    open_in_parts(tree, SMALL, control)
}

/// As [`open`], with parts that have at most so many nodes if they can be as small: more or less time, but the same
/// answers.
pub fn open_in_parts(tree: Arc<Tree>, small: usize, control: &Control) -> Result<Diagrams<'_>, Stop> {
    let copies = Copies { variables: 2, events: 1 };
    let Labelled { system, events, transitions } = labelled(&tree, copies, capacity(control, 1), control)?;
    let frame = Frame::new(&system, &events)?;
    let reachable = reachable(&system, control)?;
    let mut relations = Vec::new();
    for relation in &transitions {
        control.check()?;
        relations.push(system.space.and(relation, &reachable)?);
    }
    let transitions = Parts::new(&system.space, relations, &frame, small, control)?;
    let definitions = tree.vars.iter().map(|_| OnceCell::new()).collect();
    Ok(Diagrams { tree, system, frame, reachable, transitions, definitions, control })
}

/// Waiting leads elsewhere only where flows may choose.
fn reachable(system: &Symbolic, control: &Control) -> Result<Set, Stop> {
    let moves = |group: &&Group| group.origin != Origin::Idle || system.idle_moves;
    let groups: Vec<&Group> = system.groups.iter().filter(moves).collect();
    closure(&system.space, &system.initial, &groups, control, |group, states| system.post(group, states))
}

/// Adds what each of the steps leads to from all that was found, in turn, until none leads further.
///
/// That is several times as fast as breadth first: sets on the way are more regular than frontiers, and what one step
/// finds the next one goes on from.
fn closure<T>(
    space: &Space,
    states: &Set,
    steps: &[T],
    control: &Control,
    lead: impl Fn(&T, &Set) -> Result<Set, Stop>,
) -> Result<Set, Stop> {
    let mut found = states.clone();
    loop {
        let before = found.clone();
        for step in steps {
            control.check()?;
            found = space.or(&found, &lead(step, &found)?)?;
        }
        if found == before {
            return Ok(found);
        }
    }
}

pub struct Diagrams<'c> {
    tree: Arc<Tree>,
    system: Symbolic,
    frame: Frame,
    reachable: Set,
    /// From the reachable configurations; so they lead to reachable ones.
    transitions: Parts,
    /// Once somebody asks: where the own column of a defined variable has the value of its definition.
    definitions: IdVec<VarId, OnceCell<Set>>,
    control: &'c Control,
}

impl Diagrams<'_> {
    fn space(&self) -> &Space {
        &self.system.space
    }

    fn encoder(&self) -> Encoder<'_> {
        self.system.places.encoder(&self.system.space, &self.tree.exprs, &NO_FAMILIES)
    }

    /// What one operation makes of every part.
    fn each(&self, parts: &Parts, operation: impl Fn(&Set) -> Result<Set, Stop>) -> Result<Parts, Stop> {
        parts.map(self.space(), self.control, operation)
    }

    /// The transitions whose source, events and target are in the set.
    fn those_in(&self, set: &Set) -> Result<Parts, Stop> {
        self.each(&self.transitions, |part| self.space().and(part, set))
    }

    /// The union of what one operation makes of every part.
    fn union(&self, parts: &Parts, operation: impl Fn(&Set) -> Result<Set, Stop>) -> Result<Set, Stop> {
        self.space().or_all(self.each(parts, operation)?.list())
    }

    fn in_next(&self, states: &Set) -> Result<Set, Stop> {
        self.space().rename(states, &self.frame.ahead)
    }

    /// The targets of transitions that leave the states.
    fn arrival(&self, states: &Set, transitions: &Set) -> Result<Set, Stop> {
        self.space().image(states, transitions, &self.frame.arrive)
    }

    /// The sources of transitions that enter the states, which are given over next columns.
    fn departure(&self, ahead: &Set, transitions: &Set) -> Result<Set, Stop> {
        self.space().and_exists(ahead, transitions, &self.frame.events_and_after)
    }

    /// Transitions without their events, those parts that are not empty.
    fn unlabelled(&self, trans: &Parts) -> Result<Vec<Set>, Stop> {
        let steps = self.each(trans, |part| self.space().exists(part, &self.frame.labels))?;
        Ok(steps.list().iter().filter(|step| !self.space().is_none(step)).cloned().collect())
    }

    fn combined(&self, operation: Operation, a: &Set, b: &Set) -> Result<Set, Stop> {
        match operation {
            Operation::And => self.space().and(a, b),
            Operation::Or => self.space().or(a, b),
            Operation::Minus => self.space().minus(a, b),
        }
    }
}

impl Algebra for Diagrams<'_> {
    type States = Set;
    type Trans = Parts;

    fn any_states(&self) -> Set {
        self.reachable.clone()
    }

    fn any_trans(&self) -> Parts {
        self.transitions.clone()
    }

    fn empty_states(&self) -> Set {
        self.space().none()
    }

    fn empty_trans(&self) -> Parts {
        self.transitions.emptied(self.space())
    }

    fn initial(&self) -> Set {
        self.system.initial.clone()
    }

    fn satisfying(&self, formula: Expr) -> Result<Set, Stop> {
        self.control.check()?;
        self.space().and(&self.encoder().holds(formula)?, &self.reachable)
    }

    fn labelled(&self, events: &[EventRef]) -> Result<Parts, Stop> {
        let value = |event: &EventRef| self.space().value(self.frame.events[event.component], u64::from(event.event.0));
        let values: Vec<Set> = events.iter().map(value).collect::<Result<_, _>>()?;
        self.those_in(&self.space().or_all(&values)?)
    }

    fn loops(&self) -> Result<Parts, Stop> {
        let pairs = self.frame.current.iter().zip(&self.frame.next);
        let equal: Vec<Set> = pairs.map(|(&a, &b)| self.space().equal(a, b)).collect::<Result<_, _>>()?;
        self.those_in(&self.space().and_all(&equal)?)
    }

    fn epsilon(&self) -> Result<Parts, Stop> {
        let silent = |&column| self.space().value(column, u64::from(EPSILON.0));
        let silent: Vec<Set> = self.frame.events.iter().map(silent).collect::<Result<_, _>>()?;
        self.those_in(&self.space().and_all(&silent)?)
    }

    fn ambiguous(&self) -> Result<Parts, Stop> {
        // Different targets differ in some bit. Transitions with the same events are in the same part.
        let space = self.space();
        let bits: Vec<Set> = self.frame.next.iter().flat_map(|&column| space.bits(column)).collect();
        self.each(&self.transitions, |part| {
            let mut several = Vec::new();
            for bit in &bits {
                self.control.check()?;
                let one = space.and_exists(part, bit, &self.frame.after)?;
                let zero = space.and_exists(part, &space.not(bit)?, &self.frame.after)?;
                several.push(space.and(&one, &zero)?);
            }
            space.and(part, &space.or_all(&several)?)
        })
    }

    fn states(&self, operation: Operation, a: &Set, b: &Set) -> Result<Set, Stop> {
        self.control.check()?;
        self.combined(operation, a, b)
    }

    fn trans(&self, operation: Operation, a: &Parts, b: &Parts) -> Result<Parts, Stop> {
        a.zip(b, self.control, |a, b| self.combined(operation, a, b))
    }

    fn no_states(&self, set: &Set) -> bool {
        self.space().is_none(set)
    }

    fn no_trans(&self, set: &Parts) -> bool {
        set.list().iter().all(|part| self.space().is_none(part))
    }

    fn count_states(&self, set: &Set) -> Result<u128, Stop> {
        self.space().count(set, &self.frame.current)?.ok_or_else(too_large)
    }

    fn count_trans(&self, set: &Parts) -> Result<u128, Stop> {
        let mut total = 0u128;
        for part in set.list() {
            self.control.check()?;
            let count = self.space().count(part, &self.frame.all)?.ok_or_else(too_large)?;
            total = total.checked_add(count).ok_or_else(too_large)?;
        }
        Ok(total)
    }

    fn sources(&self, set: &Parts) -> Result<Set, Stop> {
        self.union(set, |part| self.space().exists(part, &self.frame.events_and_after))
    }

    fn targets(&self, set: &Parts) -> Result<Set, Stop> {
        self.image(&self.space().all(), set)
    }

    fn from(&self, set: &Set) -> Result<Parts, Stop> {
        self.those_in(set)
    }

    fn into(&self, set: &Set) -> Result<Parts, Stop> {
        self.those_in(&self.in_next(set)?)
    }

    fn image(&self, states: &Set, trans: &Parts) -> Result<Set, Stop> {
        self.union(trans, |part| self.arrival(states, part))
    }

    fn preimage(&self, states: &Set, trans: &Parts) -> Result<Set, Stop> {
        let ahead = self.in_next(states)?;
        self.union(trans, |part| self.departure(&ahead, part))
    }

    fn reach(&self, states: &Set, trans: &Parts) -> Result<Set, Stop> {
        let steps = self.unlabelled(trans)?;
        closure(self.space(), states, &steps, self.control, |step, states| self.arrival(states, step))
    }

    fn coreach(&self, states: &Set, trans: &Parts) -> Result<Set, Stop> {
        let steps = self.unlabelled(trans)?;
        let lead = |step: &Set, states: &Set| self.departure(&self.in_next(states)?, step);
        closure(self.space(), states, &steps, self.control, lead)
    }

    fn alike(&self, kind: VarKind, set: &Set) -> Result<Set, Stop> {
        self.agreeing(kind, set)
    }

    fn least_state(&self, set: &Set) -> Result<Set, Stop> {
        self.least_configuration(set)
    }

    fn least_trans(&self, set: &Parts) -> Result<Parts, Stop> {
        self.least_transition(set)
    }

    fn listing(&self, states: &Set, trans: &Parts, limit: u64) -> Result<Listing, Stop> {
        self.listed(states, trans, limit)
    }

    fn valuations(&self, set: &Set, vars: &[VarId], limit: usize) -> Result<Vec<Row>, Stop> {
        self.values(set, vars, limit)
    }

    fn events(&self, set: &Parts, limit: usize) -> Result<Vec<FlatEvent>, Stop> {
        self.flat_events(set, limit)
    }
}

fn too_large() -> Stop {
    Stop::Incomplete("a set has too many elements to be counted".to_owned())
}
