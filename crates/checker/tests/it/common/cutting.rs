//! Trees cut into covers, with everything listed: local configurations, blocks, combinations of blocks.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::{Control, IdVec};
use lapidary_checker::eval;
use lapidary_checker::tree::Composition;
use lapidary_frontends::altarica;
use lapidary_ir::model::Raw;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{ComponentId, Declarations, Expr, Node, Property, PropertyId, PropertyKind, Tree, VarId};
use lapidary_text::Sources;
use lapidary_verdict::{Components, Cover, Diagram, State};

use super::build::NOWHERE;
use super::diagrams::diagram;

/// A component alone or with its subtree, and all its local configurations, as rows of its variables.
pub struct Cut {
    pub component: ComponentId,
    pub is_subtree: bool,
    pub vars: Vec<VarId>,
    pub rows: Vec<Vec<Raw>>,
}

/// For each cut the blocks: sets of places in its rows.
pub type Blocks = Vec<Vec<BTreeSet<usize>>>;
pub type Tuple = Vec<usize>;

pub fn tree(text: &str, node: &str) -> Tree {
    let mut sources = Sources::default();
    let id = sources.add("test.alt", text);
    let (document, diagnostics) = altarica::load(&sources, id);
    let document = document.unwrap_or_else(|| panic!("{:?}\n{text}", diagnostics.list));
    let (tree, diagnostics) = document.instantiate(&sources, node);
    tree.unwrap_or_else(|| panic!("{:?}\n{text}", diagnostics.list))
}

pub fn model(tree: &Tree) -> Declarations {
    let (exprs, enums, vars) = (tree.exprs.clone(), tree.enums.clone(), tree.vars.clone());
    Declarations { exprs, enums, vars, ..Declarations::default() }
}

pub fn reads(tree: &Tree, expr: Expr) -> BTreeSet<VarId> {
    let (mut found, mut pending) = (BTreeSet::new(), vec![expr]);
    while let Some(expr) = pending.pop() {
        if let Node::Var(var) = tree.exprs.node(expr) {
            found.insert(*var);
        }
        tree.exprs.for_each_part(expr, |part| pending.push(part));
    }
    found
}

/// Does the component itself read its own variables only?
pub fn is_apart(tree: &Tree, component: ComponentId) -> bool {
    let declared = &tree.components[component];
    let own: BTreeSet<VarId> = declared.own_vars().collect();
    let assertions = declared.assertions.iter().map(|assertion| assertion.expr);
    let transitions = declared.transitions.iter();
    let written =
        transitions.flat_map(|transition| transition.updates.iter().map(|&(_, value)| value).chain([transition.guard]));
    let init = tree.init.iter().filter(|(var, _)| own.contains(var)).map(|&(_, value)| value);
    assertions.chain(written).chain(init).all(|expr| reads(tree, expr).is_subset(&own))
}

/// Takes away what reads across components.
pub fn take_apart(tree: &mut Tree) {
    for id in tree.components.ids() {
        let own: BTreeSet<VarId> = tree.components[id].own_vars().collect();
        let mut component = tree.components[id].clone();
        component.assertions.retain(|assertion| reads(tree, assertion.expr).is_subset(&own));
        component.transitions.retain(|transition| {
            let updates = transition.updates.iter().map(|&(_, value)| value);
            updates.chain([transition.guard]).all(|expr| reads(tree, expr).is_subset(&own))
        });
        tree.components[id] = component;
    }
}

/// Cuts wherever it is possible and wanted.
pub fn cuts(tree: &Tree, wanted: &mut dyn FnMut() -> bool) -> Vec<Cut> {
    let (model, mut found, mut next) = (model(tree), Vec::new(), 0);
    while next < tree.components.len() {
        let component = ComponentId(next as u32);
        let is_subtree = !(is_apart(tree, component) && wanted());
        next = if is_subtree { tree.components[component].end as usize } else { next + 1 };
        found.push(cut(tree, &model, component, is_subtree));
    }
    found
}

pub fn cut(tree: &Tree, model: &Declarations, component: ComponentId, is_subtree: bool) -> Cut {
    let inner: Vec<ComponentId> = match is_subtree {
        true => tree.subtree(component).collect(),
        false => vec![component],
    };
    let vars: Vec<VarId> = inner.iter().flat_map(|&inner| tree.components[inner].own_vars()).collect();
    let assertions: Vec<Expr> = inner
        .iter()
        .flat_map(|&inner| tree.components[inner].assertions.iter().map(|assertion| assertion.expr))
        .collect();
    let mut rows = Vec::new();
    let mut state = vec![0; tree.vars.len()];
    valuations(tree, &vars, &mut state, &mut |state| {
        if assertions.iter().all(|&assertion| eval::truth(model, assertion, state) == Ok(true)) {
            rows.push(vars.iter().map(|var| state[var.0 as usize]).collect());
        }
    });
    Cut { component, is_subtree, vars, rows }
}

fn valuations(tree: &Tree, vars: &[VarId], state: &mut [Raw], visit: &mut dyn FnMut(&[Raw])) {
    let Some((first, rest)) = vars.split_first() else { return visit(state) };
    let (lo, hi) = tree.bounds(*first);
    for value in lo..=hi {
        state[first.0 as usize] = value;
        valuations(tree, rest, state, visit);
    }
}

/// How many combinations of values there are, for a look before everything is listed.
pub fn n_valuations(tree: &Tree) -> u64 {
    let sizes = tree.vars.ids().map(|var| tree.bounds(var));
    sizes.fold(1, |product: u64, (lo, hi)| product.saturating_mul(hi.abs_diff(lo) + 1))
}

/// One block for each local configuration.
pub fn finest(cuts: &[Cut]) -> Blocks {
    cuts.iter().map(|cut| (0..cut.rows.len()).map(|row| BTreeSet::from([row])).collect()).collect()
}

/// All combinations of blocks that a configuration is in.
pub fn tuples(cuts: &[Cut], blocks: &Blocks, state: &[Raw]) -> Vec<Tuple> {
    let mut found: Vec<Tuple> = vec![Vec::new()];
    for (cut, blocks) in cuts.iter().zip(blocks) {
        let row: Vec<Raw> = cut.vars.iter().map(|var| state[var.0 as usize]).collect();
        let row = cut.rows.iter().position(|other| *other == row).expect("parts of configurations are local ones");
        let here: Vec<usize> = (0..blocks.len()).filter(|&number| blocks[number].contains(&row)).collect();
        found = found
            .iter()
            .flat_map(|tuple| here.iter().map(|&number| tuple.iter().copied().chain([number]).collect()))
            .collect();
    }
    found
}

pub fn certificate(tree: &Tree, cuts: &[Cut], blocks: &Blocks, reachable: &BTreeSet<Tuple>) -> Components {
    let block = |cut: &Cut, block: &BTreeSet<usize>| -> Diagram {
        let states: Vec<Vec<Raw>> = block
            .iter()
            .map(|&row| {
                let mut state = vec![0; tree.vars.len()];
                cut.vars.iter().zip(&cut.rows[row]).for_each(|(var, &value)| state[var.0 as usize] = value);
                state
            })
            .collect();
        diagram(&cut.vars, &states)
    };
    let cover = |(cut, blocks): (&Cut, &Vec<BTreeSet<usize>>)| Cover {
        component: cut.component,
        is_subtree: cut.is_subtree,
        blocks: blocks.iter().map(|one| block(cut, one)).collect(),
    };
    let rows: Vec<Vec<Raw>> =
        reachable.iter().map(|tuple| tuple.iter().map(|&number| number as Raw).collect()).collect();
    let order: Vec<VarId> = (0..cuts.len()).map(Components::number).collect();
    Components { covers: cuts.iter().zip(blocks).map(cover).collect(), reachable: diagram(&order, &rows) }
}

/// Everything that a tree can do from anywhere, listed.
pub struct Graph {
    pub states: Vec<State>,
    pub initial: BTreeSet<State>,
    /// Places of the successors of each state.
    pub next: Vec<BTreeSet<usize>>,
    /// Nothing but epsilon is possible.
    pub is_stuck: Vec<bool>,
}

impl Graph {
    pub fn new(tree: &mut Tree) -> Self {
        let control = Control::new();
        let initial = Composition::new(tree).initial(&control).expect("no limits").into_iter().collect();
        let init = std::mem::take(&mut tree.init);
        let composition = Composition::new(tree);
        let states: Vec<State> = composition.initial(&control).expect("no limits");
        let places: BTreeMap<&State, usize> = states.iter().enumerate().map(|(place, state)| (state, place)).collect();
        let place = |state: &State| *places.get(state).expect("a configuration");
        let (mut next, mut is_stuck) = (Vec::new(), Vec::new());
        for state in &states {
            let steps = composition.successors(state, &control).expect("no limits");
            is_stuck.push(steps.iter().all(|(flat, _)| flat.iter().all(|&event| event == EPSILON)));
            next.push(steps.iter().map(|(_, next)| place(next)).collect());
        }
        tree.init = init;
        Self { states, initial, next, is_stuck }
    }

    /// Everything reached through members that `spread` puts beside one that is reached.
    pub fn reached(&self, spread: &dyn Fn(usize) -> BTreeSet<usize>) -> BTreeSet<usize> {
        let is_initial = |&place: &usize| self.initial.contains(&self.states[place]);
        let mut open: Vec<usize> = (0..self.states.len()).filter(is_initial).collect();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        while let Some(place) = open.pop() {
            for beside in spread(place) {
                if seen.insert(beside) {
                    open.extend(self.next[beside].iter().copied());
                }
            }
        }
        seen
    }
}

pub fn property(name: &str, kind: PropertyKind) -> IdVec<PropertyId, Property> {
    let (name, text) = (name.to_owned(), String::new());
    vec![Property { name, kind, faults: Vec::new(), text, span: NOWHERE }].into()
}

/// `x = value` as an expression.
pub fn is(tree: &Tree, var: VarId, value: Raw) -> Expr {
    let exprs = &tree.exprs;
    let constant = tree.vars[var].domain.constant(exprs, value);
    exprs.intern(Node::Eq(exprs.var(var), constant))
}
