//! What a tree means, by enumeration and as directly as it can be said: flat events are built level by level.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::Id;
use lapidary_ir::tree::{EPSILON, ROOT, Transition, Vector};
use lapidary_ir::{ComponentId, Domain, EventRef, Expr, Node, Tree, VarId};

pub type State = Vec<i64>;

/// One combination of transitions of a component and its subcomponents.
struct Flat {
    /// As the parent sees it.
    top: EventRef,
    events: Vec<EventRef>,
    local: Option<usize>,
    /// For every subcomponent, which of its combinations.
    subs: Vec<usize>,
    vector: usize,
    rank: usize,
}

pub struct Semantics<'t> {
    tree: &'t Tree,
    flats: Vec<Vec<Flat>>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    pub configurations: usize,
    pub transitions: usize,
}

/// The value of an expression; none where it has none. Flows that have no value yet are never asked for.
pub fn eval(tree: &Tree, state: &[i64], expr: Expr) -> Option<i64> {
    let value = |part: Expr| eval(tree, state, part);
    let truth = |part: Expr| Some(eval(tree, state, part)? != 0);
    Some(match tree.exprs.node(expr) {
        Node::Bool(value) => i64::from(*value),
        Node::Int(value) => *value,
        Node::Literal(_, number) => i64::from(*number),
        Node::Var(var) => state[var.index()],
        Node::Cell(..) => panic!("trees have no families"),
        Node::Bits(..) | Node::Value(..) | Node::Apply(..) => panic!("AltaRica has neither"),
        Node::Not(a) => i64::from(!truth(*a)?),
        Node::And(parts) => {
            for &part in parts {
                if !truth(part)? {
                    return Some(0);
                }
            }
            1
        }
        Node::Or(parts) => {
            for &part in parts {
                if truth(part)? {
                    return Some(1);
                }
            }
            0
        }
        Node::Ite(a, b, c) => return if truth(*a)? { value(*b) } else { value(*c) },
        Node::Eq(a, b) => i64::from(value(*a)? == value(*b)?),
        Node::Lt(a, b) => i64::from(value(*a)? < value(*b)?),
        Node::Le(a, b) => i64::from(value(*a)? <= value(*b)?),
        Node::Add(parts) => parts.iter().map(|&part| value(part)).sum::<Option<i64>>()?,
        Node::Neg(a) => -value(*a)?,
        Node::Mul(a, b) => value(*a)? * value(*b)?,
        Node::Div(a, b) => value(*a)?.checked_div_euclid(value(*b)?)?,
        Node::Mod(a, b) => value(*a)?.checked_rem_euclid(value(*b)?)?,
    })
}

fn bounds(tree: &Tree, var: VarId) -> (i64, i64) {
    match tree.vars[var].domain {
        Domain::Bool => (0, 1),
        Domain::Int | Domain::Bits(_) | Domain::Array(_) => panic!("all domains are finite ranges"),
        Domain::Range { lo, hi } => (lo, hi),
        Domain::Enum(of) => (0, tree.enums[of].literals.len() as i64 - 1),
    }
}

fn vars_of(tree: &Tree, root: Expr) -> BTreeSet<VarId> {
    let mut todo = vec![root];
    let mut seen = BTreeSet::new();
    let mut vars = BTreeSet::new();
    while let Some(expr) = todo.pop() {
        if let Node::Var(var) = tree.exprs.node(expr) {
            vars.insert(*var);
        } else if seen.insert(expr) {
            tree.exprs.for_each_part(expr, |part| todo.push(part));
        }
    }
    vars
}

impl<'t> Semantics<'t> {
    pub fn new(tree: &'t Tree) -> Self {
        let mut semantics = Self { tree, flats: tree.components.iter().map(|_| Vec::new()).collect() };
        for component in tree.components.ids().rev() {
            let flats = semantics.combinations(component);
            semantics.flats[component.index()] = flats;
        }
        semantics
    }

    fn combinations(&self, id: ComponentId) -> Vec<Flat> {
        let component = &self.tree.components[id];
        let mut all = Vec::new();
        for (number, vector) in component.vectors.iter().enumerate() {
            for choice in vector.choices() {
                let top = vector.top(id, &choice);
                let own = choice.events.iter().find(|event| event.component == id).map_or(EPSILON, |own| own.event);
                let of_event =
                    |(place, transition): (usize, &Transition)| (transition.event == own).then_some(Some(place));
                let locals: Vec<Option<usize>> = match own == EPSILON {
                    true => vec![None],
                    false => component.transitions.iter().enumerate().filter_map(of_event).collect(),
                };
                let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
                for &sub in &component.subs {
                    let wanted = choice.events.iter().find(|event| self.tree.contains(sub, event.component));
                    let wanted = wanted.copied().unwrap_or(EventRef { component: sub, event: EPSILON });
                    let flats = &self.flats[sub.index()];
                    let fitting: Vec<usize> = (0..flats.len()).filter(|&place| flats[place].top == wanted).collect();
                    let longer =
                        |row: &Vec<usize>| fitting.iter().map(|&i| [&row[..], &[i]].concat()).collect::<Vec<_>>();
                    rows = rows.iter().flat_map(longer).collect();
                }
                for (&local, subs) in locals.iter().flat_map(|local| rows.iter().map(move |row| (local, row))) {
                    let below = component.subs.iter().zip(subs);
                    let below = below.flat_map(|(sub, &place)| self.flats[sub.index()][place].events.clone());
                    let own = (own != EPSILON).then_some(EventRef { component: id, event: own });
                    let events = own.into_iter().chain(below).collect();
                    all.push(Flat { top, events, local, subs: subs.clone(), vector: number, rank: choice.rank });
                }
            }
        }
        all
    }

    pub fn n_flat_events(&self) -> usize {
        let all: BTreeSet<(EventRef, &[EventRef])> =
            self.flats[0].iter().map(|flat| (flat.top, &flat.events[..])).collect();
        all.len()
    }

    /// All ways to complete the flows of a subtree.
    fn solutions(&self, id: ComponentId, state: &State) -> Vec<State> {
        let flows: Vec<VarId> = self.tree.subtree_vars(id).filter(|&var| !self.tree.is_state(var)).collect();
        // Every assertion is checked as soon as its last flow has a value.
        let mut checks: Vec<Vec<Expr>> = vec![Vec::new(); flows.len() + 1];
        for assertion in self.tree.subtree(id).flat_map(|id| &self.tree.components[id].assertions) {
            let vars = vars_of(self.tree, assertion.expr);
            let last = flows.iter().rposition(|flow| vars.contains(flow)).map_or(0, |place| place + 1);
            checks[last].push(assertion.expr);
        }
        let holds = |state: &State, level: usize| checks[level].iter().all(|&e| eval(self.tree, state, e) == Some(1));
        let mut partial: Vec<State> = vec![state.clone()];
        partial.retain(|state| holds(state, 0));
        for (place, &flow) in flows.iter().enumerate() {
            let (lo, hi) = bounds(self.tree, flow);
            let with = |state: &State, value: i64| {
                let mut next = state.clone();
                next[flow.index()] = value;
                next
            };
            partial = partial.iter().flat_map(|state| (lo..=hi).map(|value| with(state, value))).collect();
            partial.retain(|state| holds(state, place + 1));
        }
        partial
    }

    /// The new values of the states, if guards and domains allow them.
    fn apply(&self, id: ComponentId, flat: usize, state: &State, next: &mut State) -> bool {
        let Flat { local, subs, .. } = &self.flats[id.index()][flat];
        let component = &self.tree.components[id];
        if let Some(local) = *local {
            let transition = &component.transitions[local];
            if eval(self.tree, state, transition.guard) != Some(1) {
                return false;
            }
            for &(var, value) in &transition.updates {
                let (lo, hi) = bounds(self.tree, var);
                match eval(self.tree, state, value) {
                    Some(value) if lo <= value && value <= hi => next[var.index()] = value,
                    _ => return false,
                }
            }
        }
        component.subs.iter().zip(subs).all(|(&sub, &place)| self.apply(sub, place, state, next))
    }

    fn is_enabled(
        &self,
        id: ComponentId,
        place: usize,
        state: &State,
        memo: &mut BTreeMap<(u32, usize), bool>,
    ) -> bool {
        if let Some(&known) = memo.get(&(id.0, place)) {
            return known;
        }
        let result = self.find_enabled(id, place, state, memo);
        memo.insert((id.0, place), result);
        result
    }

    fn find_enabled(
        &self,
        id: ComponentId,
        place: usize,
        state: &State,
        memo: &mut BTreeMap<(u32, usize), bool>,
    ) -> bool {
        let (component, flats) = (&self.tree.components[id], &self.flats[id.index()]);
        let flat = &flats[place];
        let mut next = state.clone();
        if !self.apply(id, place, state, &mut next) {
            return false;
        }
        if !component.subs.iter().zip(&flat.subs).all(|(&sub, &place)| self.is_enabled(sub, place, state, memo)) {
            return false;
        }
        if self.solutions(id, &next).is_empty() {
            return false;
        }
        let is_above = |other: &Flat| {
            let is_own = other.top.component == id && flat.top.component == id;
            let is_larger = other.vector == flat.vector && other.rank > flat.rank;
            (is_own && component.priorities.contains(&(flat.top.event, other.top.event))) || is_larger
        };
        let above: Vec<usize> = (0..flats.len()).filter(|&other| is_above(&flats[other])).collect();
        !above.into_iter().any(|other| self.is_enabled(id, other, state, memo))
    }

    fn successors(&self, state: &State) -> BTreeSet<(Vec<EventRef>, State)> {
        let mut memo = BTreeMap::new();
        let mut all = BTreeSet::new();
        for (place, flat) in self.flats[0].iter().enumerate() {
            if self.is_enabled(ROOT, place, state, &mut memo) {
                let mut next = state.clone();
                self.apply(ROOT, place, state, &mut next);
                all.extend(self.solutions(ROOT, &next).into_iter().map(|next| (flat.events.clone(), next)));
            }
        }
        all
    }

    /// All configurations whose states satisfy `fixed`.
    fn configurations(&self, fixed: &BTreeMap<VarId, i64>) -> Vec<State> {
        let mut states: Vec<State> = vec![Vec::new()];
        for var in self.tree.vars.ids() {
            let (lo, hi) = match (fixed.get(&var), self.tree.is_state(var)) {
                (Some(&value), _) => (value, value),
                (None, true) => bounds(self.tree, var),
                (None, false) => (0, 0),
            };
            let longer = |state: &State| (lo..=hi).map(|value| [&state[..], &[value]].concat()).collect::<Vec<_>>();
            states = states.iter().flat_map(longer).collect();
        }
        states.iter().flat_map(|state| self.solutions(ROOT, state)).collect()
    }

    /// Everything that satisfies the assertions.
    pub fn all(&self) -> Counts {
        let all = self.configurations(&BTreeMap::new());
        let transitions = all.iter().map(|state| self.successors(state).len()).sum();
        Counts { configurations: all.len(), transitions }
    }

    /// What can be reached from the initial configurations.
    pub fn reachable(&self) -> (Counts, BTreeSet<State>) {
        let value = |&(var, value)| (var, eval(self.tree, &[], value).expect("initial values are constants"));
        let mut todo = self.configurations(&self.tree.init.iter().map(value).collect());
        let mut seen: BTreeSet<State> = todo.iter().cloned().collect();
        let mut transitions = 0;
        while let Some(state) = todo.pop() {
            for (_, next) in self.successors(&state) {
                transitions += 1;
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        (Counts { configurations: seen.len(), transitions }, seen)
    }
}

/// Every promise that a tree makes to its readers.
pub fn check_promises(tree: &Tree) {
    assert_eq!(tree.vars.len(), tree.kinds.len());
    let mut next_var = 0;
    for (id, component) in tree.components.enumerated() {
        assert_eq!(component.vars.0, next_var, "the variables stand in the order of the components");
        next_var = component.vars.1;
        assert!(component.parent.is_none_or(|parent| parent < id && tree.components[parent].subs.contains(&id)));
        assert_eq!(component.events[EPSILON].name, "");
        let last: Option<&Vector> = component.vectors.last();
        assert!(last.is_some_and(|vector| vector.parts.is_empty()), "the vector without parts is the last");
        for &(low, high) in &component.priorities {
            assert_ne!(low, high);
            let above = component.priorities.iter().filter(|(other, _)| *other == high);
            assert!(above.clone().all(|&(_, higher)| component.priorities.contains(&(low, higher))));
        }
        for transition in &component.transitions {
            for (var, _) in &transition.updates {
                assert!(component.own_vars().any(|own| own == *var) && tree.is_state(*var));
            }
        }
        for assertion in &component.assertions {
            // Functions that are only declared are tables of the root.
            let tables = tree.components[ROOT].own_vars();
            let known: BTreeSet<VarId> = tree.subtree_vars(id).chain(tables).collect();
            assert!(vars_of(tree, assertion.expr).is_subset(&known));
        }
    }
    assert_eq!(next_var as usize, tree.vars.len());
}
