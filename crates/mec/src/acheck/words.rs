//! How configurations and events of a tree are told: which variables, in which order, under which names.

use lapidary_base::Id;
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{ComponentId, Domain, EventRef, Node, Raw, Tree, VarId};

use super::algebra::{FlatEvent, Listing, Row, Step};

pub struct Words<'t> {
    tree: &'t Tree,
    /// From where names are seen.
    component: ComponentId,
    /// The variables that are told: subcomponents first, flows before states, and no flow that an assertion equates
    /// with another one that is told.
    pub vars: Vec<VarId>,
    /// Each before its subcomponents, these by their names.
    components: Vec<ComponentId>,
}

impl<'t> Words<'t> {
    /// The words of a subtree, seen from its root.
    pub fn new(tree: &'t Tree, component: ComponentId) -> Self {
        let aliases = Aliases::new(tree, component);
        let mut vars = Vec::new();
        let mut components = Vec::new();
        own_variables_last(tree, component, &mut vars);
        vars.retain(|&var| tree.is_state(var) || aliases.teller(var) == var);
        own_events_first(tree, component, &mut components);
        Self { tree, component, vars, components }
    }

    /// A variable's name, seen from the component.
    pub fn var(&self, var: VarId) -> &'t str {
        let name = &self.tree.vars[var].name;
        let path = &self.tree.components[self.component].path;
        if path.is_empty() {
            return name;
        }
        name.strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
    }

    pub fn domain(&self, var: VarId) -> Domain {
        self.tree.vars[var].domain
    }

    /// The least and the greatest value.
    pub fn bounds(&self, var: VarId) -> (Raw, Raw) {
        self.domain(var).bounds(&self.tree.enums).expect("the domains of a tree are finite")
    }

    pub fn value(&self, var: VarId, value: Raw) -> String {
        self.domain(var).show(&self.tree.enums, self.tree.exprs.values(), value)
    }

    /// `x = 1`, `x in [1, 3]`, `m in {idle, busy}`
    pub fn interval(&self, var: VarId, lo: Raw, hi: Raw) -> String {
        let name = self.var(var);
        if lo == hi {
            return format!("{name} = {}", self.value(var, lo));
        }
        match self.domain(var) {
            Domain::Int | Domain::Range { .. } => format!("{name} in [{lo}, {hi}]"),
            Domain::Bool | Domain::Enum(_) | Domain::Bits(_) | Domain::Array(_) => {
                let values: Vec<String> = (lo..=hi).map(|value| self.value(var, value)).collect();
                format!("{name} in {{{}}}", values.join(", "))
            }
        }
    }

    /// The values of the variables that are told.
    pub fn told(&self, state: &Row) -> Row {
        self.vars.iter().map(|var| state[var.index()]).collect()
    }

    /// `<cmd, C.nni, V[2].inc>`; one event alone has no brackets, and none at all is empty.
    pub fn event(&self, flat: &FlatEvent) -> String {
        let taking_part = self.components.iter().filter(|&&component| flat[component] != EPSILON);
        let names: Vec<String> = taking_part
            .map(|&component| self.tree.event_name(EventRef { component, event: flat[component] }))
            .collect();
        match &names[..] {
            [] => String::new(),
            [only] => only.clone(),
            _ => format!("<{}>", names.join(", ")),
        }
    }

    /// Orders events as they are told: epsilon first, then as declared.
    fn event_key(&self, flat: &FlatEvent) -> Vec<usize> {
        self.components.iter().map(|&component| flat[component].index()).collect()
    }

    pub fn sorted_events(&self, mut events: Vec<FlatEvent>) -> Vec<FlatEvent> {
        events.sort_by_cached_key(|event| self.event_key(event));
        events
    }

    /// The same listing with states and events in the order in which they are told.
    pub fn ordered(&self, listing: Listing) -> Listing {
        let states = sorted_places(&listing.states, |state| self.told(state));
        let events = sorted_places(&listing.events, |event| self.event_key(event));
        let (state, event) = (inverse(&states), inverse(&events));
        let renumber =
            |step: &Step| Step { source: state[step.source], event: event[step.event], target: state[step.target] };
        let mut steps: Vec<Step> = listing.steps.iter().map(renumber).collect();
        steps.sort_unstable();
        Listing {
            states: states.iter().map(|&place| listing.states[place].clone()).collect(),
            events: events.iter().map(|&place| listing.events[place].clone()).collect(),
            steps,
        }
    }
}

fn sorted_places<T, K: Ord>(items: &[T], key: impl Fn(&T) -> K) -> Vec<usize> {
    let mut keyed: Vec<(K, usize)> = items.iter().map(key).zip(0..).collect();
    keyed.sort();
    keyed.into_iter().map(|(_, place)| place).collect()
}

fn inverse(places: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; places.len()];
    places.iter().enumerate().for_each(|(new, &old)| inverse[old] = new);
    inverse
}

/// A walk without recursion: components may be nested deeply.
fn own_variables_last(tree: &Tree, component: ComponentId, vars: &mut Vec<VarId>) {
    // Reversed, "subcomponents in order, then own flows, then own states" is a walk that visits parents first.
    let mut waiting = vec![component];
    let mut reversed = Vec::new();
    while let Some(component) = waiting.pop() {
        let declared = &tree.components[component];
        let mut own: Vec<VarId> = declared.own_vars().collect();
        own.sort_by_key(|&var| tree.is_state(var));
        reversed.extend(own.into_iter().rev());
        waiting.extend(declared.subs.iter().copied());
    }
    vars.extend(reversed.into_iter().rev());
}

fn own_events_first(tree: &Tree, component: ComponentId, components: &mut Vec<ComponentId>) {
    let mut waiting = vec![component];
    while let Some(component) = waiting.pop() {
        components.push(component);
        let mut subs = tree.components[component].subs.clone();
        subs.sort_by_key(|&sub| base(&tree.components[sub].name));
        waiting.extend(subs.into_iter().rev());
    }
}

/// The name without its indexes: elements of an array keep their order.
fn base(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// Flows that assertions of a subtree equate with other variables.
struct Aliases {
    first: usize,
    /// For every variable one of its class.
    parents: Vec<usize>,
    /// For the last variable of every such way, the one that is told for the class.
    tellers: Vec<VarId>,
}

impl Aliases {
    fn new(tree: &Tree, component: ComponentId) -> Self {
        let vars: Vec<VarId> = tree.subtree_vars(component).collect();
        let first = vars.first().map_or(0, |var| var.index());
        let mut aliases = Self { first, parents: (0..vars.len()).collect(), tellers: Vec::new() };
        for sub in tree.subtree(component) {
            for assertion in &tree.components[sub].assertions {
                for conjunct in tree.exprs.conjuncts(assertion.expr) {
                    aliases.note(tree, conjunct);
                }
            }
        }
        aliases.tellers = vars.clone();
        for &var in &vars {
            let class = aliases.class(var.index() - first);
            let before = aliases.tellers[class];
            // A state tells for flows; among flows the innermost and last one does.
            if tree.is_state(var) && !tree.is_state(before) || !tree.is_state(before) && var > before {
                aliases.tellers[class] = var;
            }
        }
        aliases
    }

    fn note(&mut self, tree: &Tree, conjunct: lapidary_ir::Expr) {
        let Node::Eq(a, b) = tree.exprs.node(conjunct) else { return };
        let (Node::Var(a), Node::Var(b)) = (tree.exprs.node(*a), tree.exprs.node(*b)) else { return };
        // What stands outside the subtree, as the root's tables do, tells for nobody.
        let place = |var: &VarId| var.index().checked_sub(self.first).filter(|&place| place < self.parents.len());
        let (Some(a), Some(b)) = (place(a), place(b)) else { return };
        let (a, b) = (self.class(a), self.class(b));
        self.parents[a.max(b)] = a.min(b);
    }

    fn class(&self, mut var: usize) -> usize {
        while self.parents[var] != var {
            var = self.parents[var];
        }
        var
    }

    fn teller(&self, var: VarId) -> VarId {
        self.tellers[self.class(var.index() - self.first)]
    }
}

/// The words of a whole tree.
pub fn of(tree: &Tree) -> Words<'_> {
    Words::new(tree, ROOT)
}
