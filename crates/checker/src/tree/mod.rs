//! The meaning of a tree of components by composition, written down a second time: what can be fired is decided
//! component by component, from the leaves to the root, each with its own assertions, priorities and vectors.

use std::collections::BTreeSet;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{ComponentId, Declarations, EventId, Expr, FlatEvent, Tree, VarId};
use lapidary_verdict::State;

use self::scene::Scene;
use self::solve::Solver;
use crate::Rejection;
use crate::eval::{self, Error};
use crate::finding;

mod certify;
mod diagrams;
mod replay;
mod scene;
mod solve;
pub(crate) mod why;

pub use certify::certify_tree;
pub use replay::{check_stuck, replay_tree};

/// How much may be tried for one configuration before the check gives up.
const MOST_WORK: u64 = 50_000_000;
/// How much is tried before diagrams are.
const MOST_LISTED: u64 = 1 << 16;
const WORK_PER_LOOK: u64 = 1 << 14;

/// What is left of the work that may be spent.
pub struct Work<'a> {
    most: u64,
    left: u64,
    until_look: u64,
    /// Somebody wanted more than was left.
    is_exhausted: bool,
    control: &'a Control,
}

impl<'a> Work<'a> {
    pub fn new(control: &'a Control) -> Self {
        Self::of(MOST_WORK, control)
    }

    /// As much as is worth trying where diagrams are another way.
    pub fn before_diagrams(control: &'a Control) -> Self {
        Self::of(MOST_LISTED, control)
    }

    fn of(most: u64, control: &'a Control) -> Self {
        Self { most, left: most, until_look: WORK_PER_LOOK, is_exhausted: false, control }
    }

    pub fn spend(&mut self, units: u64) -> Result<(), Rejection> {
        if self.left < units {
            self.is_exhausted = true;
            let why = "too many ways to fire events together, or to choose flows, in one configuration";
            return Err(Rejection::Stopped(Stop::Incomplete(why.to_owned())));
        }
        self.left -= units;
        if self.until_look < units {
            self.until_look = WORK_PER_LOOK;
            self.control.check()?;
        } else {
            self.until_look -= units;
        }
        Ok(())
    }

    pub fn spent(&self) -> u64 {
        self.most - self.left
    }

    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

/// A tree, made ready to be executed.
pub struct Composition<'t> {
    pub tree: &'t Tree,
    /// The tree's variables and expressions, for the interpreter.
    pub(crate) model: Declarations,
    /// For each component the flows of its subtree under the assertions of its subtree.
    pub(crate) solvers: IdVec<ComponentId, Solver>,
}

impl<'t> Composition<'t> {
    pub fn new(tree: &'t Tree) -> Self {
        let (exprs, enums, vars) = (tree.exprs.above(), tree.enums.clone(), tree.vars.clone());
        let model = Declarations { name: tree.name.clone(), exprs, enums, vars, ..Declarations::default() };
        let solver = |component| {
            let flows = tree.subtree_vars(component).filter(|&var| !tree.is_state(var)).collect();
            Solver::new(&model, &flows, assertions(tree, component))
        };
        let solvers = tree.components.ids().map(solver).collect();
        Self { tree, model, solvers }
    }

    /// Every configuration in which a run may begin, each once.
    pub fn initial(&self, control: &Control) -> Result<Vec<State>, Rejection> {
        let exprs = &self.model.exprs;
        let start =
            self.tree.init.iter().map(|&(var, value)| exprs.intern(lapidary_ir::Node::Eq(exprs.var(var), value)));
        let all: BTreeSet<VarId> = self.tree.vars.ids().collect();
        let conditions: Vec<Expr> = start.chain(assertions(self.tree, ROOT)).collect();
        let solver = Solver::new(&self.model, &all, conditions.into_iter());
        let mut found = Vec::new();
        let mut state = vec![0; self.tree.vars.len()];
        solver.for_each(&self.model, &mut state, &mut Work::new(control), |state| found.push(state.into()))?;
        Ok(found)
    }

    /// Every flat event that can be fired in a configuration with every configuration that it leads to, each once.
    pub fn successors(&self, state: &[Raw], control: &Control) -> Result<Vec<(FlatEvent, State)>, Rejection> {
        let mut scene = Scene::new(self, state, Work::new(control));
        self.successors_in(&mut scene)
    }

    pub(crate) fn successors_in(&self, scene: &mut Scene<'_, '_>) -> Result<Vec<(FlatEvent, State)>, Rejection> {
        let mut found = Vec::new();
        let mut seen: Set<(Vec<(ComponentId, EventId)>, State)> = Set::default();
        for (_, firing) in scene.all_firings(ROOT)? {
            let mut next = scene.state.to_vec();
            for &(var, value) in &firing.updates {
                next[var.index()] = value;
            }
            self.solvers[ROOT].for_each(&self.model, &mut next, &mut scene.work, |next| {
                if seen.insert((firing.events.clone(), next.into())) {
                    found.push((self.flat_event(&firing.events), next.into()));
                }
            })?;
        }
        Ok(found)
    }

    pub(crate) fn flat_event(&self, events: &[(ComponentId, EventId)]) -> FlatEvent {
        let mut flat: FlatEvent = self.tree.components.iter().map(|_| EPSILON).collect();
        for &(component, event) in events {
            flat[component] = event;
        }
        flat
    }
}

/// Every flat event that can be fired in a configuration with every configuration that it leads to, each once.
pub fn successors(tree: &Tree, state: &[Raw], control: &Control) -> Result<Vec<(FlatEvent, State)>, Rejection> {
    Composition::new(tree).successors(state, control)
}

/// The assertions of a subtree.
fn assertions(tree: &Tree, component: ComponentId) -> impl Iterator<Item = Expr> + '_ {
    tree.subtree(component).flat_map(|inner| tree.components[inner].assertions.iter().map(|assertion| assertion.expr))
}

/// Is it true and has it a value?
fn is_true(model: &Declarations, condition: Expr, state: &[Raw]) -> Result<bool, Rejection> {
    Ok(number(model, condition, state)?.is_some_and(|value| value != 0))
}

/// The number of an expression, if it has one. What cannot be computed is neither.
fn number(model: &Declarations, expr: Expr, state: &[Raw]) -> Result<Option<i128>, Rejection> {
    match eval::eval(model, expr, state) {
        Ok(value) => Ok(Some(value)),
        Err(Error::Undefined) => Ok(None),
        Err(Error::Overflow) => Err(finding::overflow(&model.name)),
    }
}
