//! All values of some variables that satisfy conditions: equations where there are some, else trying, checks at once.

use std::collections::BTreeSet;

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::tree::ComponentId;
use lapidary_ir::{Expr, Node, Tree, VarId, passes};

use super::Visit;
use super::code::{Code, Evaluator};

enum Instruction {
    /// Goes on where the condition is true.
    Check(Code),
    /// The variable has this value, if it is one of its domain.
    Define(usize, Code, (i64, i64)),
    /// The variable takes every value.
    Try(usize, (i64, i64)),
}

/// What to do in order. Variables that are not unknown keep the values that they are given.
pub struct Plan {
    steps: Vec<Instruction>,
}

const TRIES_PER_LOOK: u64 = 1 << 12;

/// The assertions of a subtree, nested conjunctions taken apart.
pub fn assertions(tree: &Tree, component: ComponentId) -> Vec<Expr> {
    let assertions = tree.subtree(component).flat_map(|part| &tree.components[part].assertions);
    assertions.flat_map(|assertion| tree.exprs.conjuncts(assertion.expr)).collect()
}

/// The making of a plan.
struct Planner<'a> {
    tree: &'a Tree,
    is_unknown: IdVec<VarId, bool>,
    /// The conditions left, with the unknown variables that they read.
    open: Vec<(Expr, BTreeSet<VarId>)>,
    steps: Vec<Instruction>,
}

impl Plan {
    pub fn new(tree: &Tree, unknown: Vec<VarId>, conditions: &[Expr], evaluator: &mut Evaluator<'_>) -> Self {
        let mut is_unknown: IdVec<VarId, bool> = tree.vars.iter().map(|_| false).collect();
        unknown.iter().for_each(|&var| is_unknown[var] = true);
        let open = conditions.iter().map(|&condition| {
            let reads = passes::variables(&tree.exprs, condition);
            (condition, reads.into_iter().filter(|&var| is_unknown[var]).collect())
        });
        let mut planner = Planner { tree, open: open.collect(), is_unknown, steps: Vec::new() };
        planner.check(evaluator);
        loop {
            let step = match planner.equation() {
                Some((place, var, value)) => {
                    planner.open.remove(place);
                    let code = evaluator.compile(value);
                    Some((var, Instruction::Define(var.index(), code, tree.bounds(var))))
                }
                None => planner.guess(&unknown).map(|var| (var, Instruction::Try(var.index(), tree.bounds(var)))),
            };
            let Some((var, step)) = step else { break };
            planner.steps.push(step);
            planner.learn(var);
            planner.check(evaluator);
        }
        Self { steps: planner.steps }
    }

    /// Calls `visit` on every solution; `state` is changed on the way.
    pub fn solve(
        &self,
        evaluator: &mut Evaluator<'_>,
        state: &mut [i64],
        control: &Control,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let (mut at, mut tried, mut n_tries) = (0, Vec::new(), 0u64);
        loop {
            let goes_on = match self.steps.get(at) {
                None => {
                    visit(state)?;
                    false
                }
                Some(Instruction::Check(condition)) => evaluator.holds(*condition, state)?,
                Some(Instruction::Define(var, value, (lo, hi))) => match evaluator.value(*value, state)? {
                    Some(value) if (*lo..=*hi).contains(&value) => {
                        state[*var] = value;
                        true
                    }
                    Some(_) | None => false,
                },
                Some(Instruction::Try(var, (lo, _))) => {
                    state[*var] = *lo;
                    tried.push((at, *var));
                    true
                }
            };
            at = match goes_on {
                true => at + 1,
                false => match self.next_try(&mut tried, state) {
                    Some(at) => at + 1,
                    None => return Ok(()),
                },
            };
            n_tries += u64::from(!goes_on);
            if n_tries % TRIES_PER_LOOK == TRIES_PER_LOOK - 1 {
                control.check()?;
            }
        }
    }

    /// The last variable that has another value takes it.
    fn next_try(&self, tried: &mut Vec<(usize, usize)>, state: &mut [i64]) -> Option<usize> {
        while let Some(&(at, var)) = tried.last() {
            let Instruction::Try(_, (_, hi)) = self.steps[at] else { unreachable!("only tries are remembered") };
            if state[var] < hi {
                state[var] += 1;
                return Some(at);
            }
            tried.pop();
        }
        None
    }

    /// Whether there is a solution.
    pub fn has_solution(
        &self,
        evaluator: &mut Evaluator<'_>,
        state: &mut [i64],
        control: &Control,
    ) -> Result<bool, Stop> {
        let mut found = false;
        let ended = self.solve(evaluator, state, control, &mut |_| {
            found = true;
            Err(Stop::Interrupted)
        });
        match (found, ended) {
            (true, _) => Ok(true),
            (false, ended) => ended.map(|()| false),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Planner<'_> {
    fn learn(&mut self, var: VarId) {
        self.is_unknown[var] = false;
        self.open.iter_mut().for_each(|(_, reads)| {
            reads.remove(&var);
        });
    }

    /// Plans the conditions all of whose variables are known.
    fn check(&mut self, evaluator: &mut Evaluator<'_>) {
        let Self { open, steps, .. } = self;
        open.retain(|(condition, reads)| {
            if reads.is_empty() {
                steps.push(Instruction::Check(evaluator.compile(*condition)));
            }
            !reads.is_empty()
        });
    }

    /// A condition whose one unknown variable is a side of its own.
    fn equation(&self) -> Option<(usize, VarId, Expr)> {
        self.open.iter().enumerate().filter(|(_, (_, reads))| reads.len() == 1).find_map(
            |(place, (condition, reads))| {
                let var = *reads.first()?;
                let value = solved(self.tree, *condition, var)?;
                (!passes::variables(&self.tree.exprs, value).contains(&var)).then_some((place, var, value))
            },
        )
    }

    /// A variable of a condition with the fewest unknown ones; of those, one with the fewest values.
    fn guess(&self, unknown: &[VarId]) -> Option<VarId> {
        let tightest = self.open.iter().min_by_key(|(_, reads)| reads.len());
        let size = |var: &&VarId| self.tree.bounds(**var).1.abs_diff(self.tree.bounds(**var).0);
        match tightest {
            Some((_, reads)) => reads.iter().min_by_key(size).copied(),
            None => unknown.iter().find(|&&var| self.is_unknown[var]).copied(),
        }
    }
}

/// The expression that a condition equates a variable with.
fn solved(tree: &Tree, condition: Expr, var: VarId) -> Option<Expr> {
    let exprs = &tree.exprs;
    let is_var = |expr: Expr| *exprs.node(expr) == Node::Var(var);
    match exprs.node(condition) {
        Node::Var(_) if is_var(condition) => Some(exprs.bool(true)),
        Node::Not(inner) if is_var(*inner) => Some(exprs.bool(false)),
        Node::Eq(a, b) if is_var(*a) => Some(*b),
        Node::Eq(a, b) if is_var(*b) => Some(*a),
        _ => None,
    }
}
