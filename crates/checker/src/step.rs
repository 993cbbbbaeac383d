//! The meaning of statements: which states a command leads to, on the plain interpreter.
//!
//! An execution that fails an assumption, evaluates something without a value, leaves a domain, writes one variable
//! twice at once, does not end or ends where the model's invariant is not true is not a step.
//!
//! All executions from a state are followed together, as the set of states in which they are. One that comes back to a
//! state at the head of a loop would go round for ever and need not be followed twice: so loops over finitely many states
//! come to an end.

use std::cell::OnceCell;
use std::slice;

use lapidary_base::hash::Set;
use lapidary_base::{Id, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Assignment, CommandId, Destination, Expr, Model, Rhs, Statement, VarId};
use lapidary_verdict::State;

use crate::eval::{self, Error};
use crate::guesses;

/// An input with more values than this is treated as one without bounds.
const MOST_VALUES: u64 = 1 << 20;

/// So many values may be written down on the way through one body, those of all states together.
const MOST_WORK: u64 = 1 << 25;
/// The same where nobody looks at the limits.
const MOST_WORK_UNSEEN: u64 = 1 << 22;
/// So many of them, or of nodes evaluated and states passed on, between two looks at the limits.
const WORK_PER_LOOK: u64 = 1 << 14;
/// So many nodes are evaluated and states passed on for one body where nobody looks.
const MOST_UNSEEN: u64 = 1 << 26;
/// Longer lists of states are sorted in parts, so that the limits are looked at in between.
const SORTED_AT_ONCE: usize = 1 << 12;
/// What it counts to look through the rest of a body.
const REST_OF_BODY: u64 = 1 << 10;
/// No state counts for less.
const LEAST_WORK: u64 = 64;

/// Looks at the limits of a run.
pub type Look<'a> = &'a dyn Fn() -> Result<(), Stop>;

/// Why the steps of a command cannot be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A number beyond what the checker computes with, or too large for a variable without bounds.
    Overflow,
    /// Any of infinitely many values of this variable, and none of those that were tried leads to the state that is asked for.
    Unbounded(VarId),
    /// More states on the way than are followed.
    Long,
    /// A limit was reached.
    Stopped(Stop),
}

/// Does one execution of the command lead from `from` to `to`?
pub fn is_step(model: &Model, command: CommandId, from: &[Raw], to: &[Raw]) -> Result<bool, Trouble> {
    leads(model, &model.commands[command].body, from, to, None)
}

/// The same within limits.
pub fn is_step_within(
    model: &Model,
    command: CommandId,
    from: &[Raw],
    to: &[Raw],
    look: Look<'_>,
) -> Result<bool, Trouble> {
    leads(model, &model.commands[command].body, from, to, Some(look))
}

/// Does one execution of the start lead from `from` to `to`?
pub fn is_start(model: &Model, from: &[Raw], to: &[Raw], look: Look<'_>) -> Result<bool, Trouble> {
    leads(model, &model.start, from, to, Some(look))
}

fn leads(model: &Model, body: &Statement, from: &[Raw], to: &[Raw], look: Option<Look<'_>>) -> Result<bool, Trouble> {
    let (found, trouble) = execute(model, body, from, Some(to), look);
    if found.iter().any(|state| **state == *to) {
        return Ok(true);
    }
    trouble.map_or(Ok(false), Err)
}

/// All states that the command leads to, each once, in increasing order.
pub fn successors(model: &Model, command: CommandId, from: &[Raw]) -> Result<Vec<State>, Trouble> {
    ends(model, &model.commands[command].body, from, None)
}

/// The same within limits.
pub fn successors_within(
    model: &Model,
    command: CommandId,
    from: &[Raw],
    look: Look<'_>,
) -> Result<Vec<State>, Trouble> {
    ends(model, &model.commands[command].body, from, Some(look))
}

/// All states that the start leads to from one in which the initial condition is true.
pub fn started(model: &Model, from: &[Raw], look: Look<'_>) -> Result<Vec<State>, Trouble> {
    ends(model, &model.start, from, Some(look))
}

fn ends(model: &Model, body: &Statement, from: &[Raw], look: Option<Look<'_>>) -> Result<Vec<State>, Trouble> {
    let (found, trouble) = execute(model, body, from, None, look);
    trouble.map_or(Ok(found), Err)
}

/// May the statement write this variable?
pub fn may_write(model: &Model, statement: &Statement, var: VarId) -> bool {
    match statement {
        Statement::Skip | Statement::Assume(_) => false,
        Statement::Assign(list) => list.iter().any(|assignment| match assignment.to {
            Destination::Var(to) => to == var,
            Destination::Cell(family, _) => model.cells(family).any(|cell| cell == var),
        }),
        Statement::Sequence(parts) | Statement::Choice(parts) => parts.iter().any(|part| may_write(model, part, var)),
        Statement::If(_, then, otherwise) => may_write(model, then, var) || may_write(model, otherwise, var),
        Statement::While(_, body) => may_write(model, body, var),
        Statement::Scope(locals, body) => locals.contains(&var) || may_write(model, body, var),
    }
}

/// Is the model's invariant true and defined? `None` when the checker cannot compute it.
pub fn keeps_invariant(model: &Model, state: &[Raw]) -> Option<bool> {
    for &part in &model.invariant {
        match eval::truth(model, part, state) {
            Ok(true) => {}
            Ok(false) | Err(Error::Undefined) => return Some(false),
            Err(Error::Overflow) => return None,
        }
    }
    Some(true)
}

fn execute(
    model: &Model,
    body: &Statement,
    from: &[Raw],
    goal: Option<&[Raw]>,
    look: Option<Look<'_>>,
) -> (Vec<State>, Option<Trouble>) {
    let most = if look.is_some() { MOST_WORK } else { MOST_WORK_UNSEEN };
    let guesses = OnceCell::new();
    let mut execution = Execution {
        model,
        body,
        from,
        goal,
        guesses,
        look,
        work_left: most,
        unseen: 0,
        is_stopped: false,
        trouble: None,
    };
    let end = Later { pending: &[], outer: None };
    let mut found = execution.run(body, &end, vec![from.into()]);
    found.retain(|state| model.invariant.iter().all(|&part| execution.test(part, state) == Some(true)));
    (found, execution.trouble)
}

/// What is still to be executed after the statement at hand, innermost first.
struct Later<'a> {
    pending: &'a [Statement],
    outer: Option<&'a Later<'a>>,
}

impl Later<'_> {
    fn may_write(&self, model: &Model, var: VarId) -> bool {
        self.pending.iter().any(|statement| may_write(model, statement, var))
            || self.outer.is_some_and(|outer| outer.may_write(model, var))
    }
}

struct Execution<'a> {
    model: &'a Model,
    /// What is executed, and where that begins.
    body: &'a Statement,
    from: &'a [Raw],
    /// The state to be reached, where only one is asked for: it tells which of `Any` values matter.
    goal: Option<&'a [Raw]>,
    /// What is tried of infinitely many values.
    guesses: OnceCell<Vec<Raw>>,
    look: Option<Look<'a>>,
    /// Nothing where no more states are followed.
    work_left: u64,
    /// The work since the last look at the limits.
    unseen: u64,
    /// Set where a limit was reached: everything is dropped from then on.
    is_stopped: bool,
    /// The first execution that could not be followed.
    trouble: Option<Trouble>,
}

impl Execution<'_> {
    /// Counts so many states more; false where none are followed any more.
    fn goes_on(&mut self, n_states: usize) -> bool {
        let work = (self.model.vars.len() as u64).max(LEAST_WORK).saturating_mul(n_states as u64);
        if self.work_left < work {
            self.work_left = 0;
            return self.give_up(Trouble::Long);
        }
        self.work_left -= work;
        self.looks(work)
    }

    /// Counts work that makes no more states; false where a limit was reached.
    fn looks(&mut self, work: u64) -> bool {
        if self.is_stopped {
            return false;
        }
        self.unseen = self.unseen.saturating_add(work);
        let stop = match self.look {
            Some(_) if self.unseen < WORK_PER_LOOK => return true,
            Some(look) => {
                self.unseen = 0;
                look().map_err(Trouble::Stopped)
            }
            None if self.unseen > MOST_UNSEEN => Err(Trouble::Long),
            None => return true,
        };
        if let Err(trouble) = stop {
            self.is_stopped = true;
            self.work_left = 0;
            self.give_up(trouble);
        }
        !self.is_stopped
    }

    /// The states after the statement, each once.
    fn run(&mut self, statement: &Statement, later: &Later<'_>, from: Vec<State>) -> Vec<State> {
        match statement {
            Statement::Skip => from,
            Statement::Assume(condition) => {
                from.into_iter().filter(|s| self.test(*condition, s) == Some(true)).collect()
            }
            Statement::Assign(list) => {
                let after = from.iter().flat_map(|s| self.assign(list, later, s)).collect();
                self.each_once(after)
            }
            Statement::Sequence(parts) => parts.iter().enumerate().fold(from, |states, (i, part)| {
                let later = Later { pending: &parts[i + 1..], outer: Some(later) };
                self.run(part, &later, states)
            }),
            Statement::Choice(parts) => self.choose(parts, later, &from),
            Statement::If(condition, then, otherwise) => {
                let (yes, no) = self.split(*condition, from);
                let mut after = self.run(then, later, yes);
                after.extend(self.run(otherwise, later, no));
                self.each_once(after)
            }
            Statement::While(condition, body) => {
                let again = Later { pending: slice::from_ref(statement), outer: Some(later) };
                self.repeat(*condition, body, &again, from)
            }
            Statement::Scope(locals, body) => {
                let begin = self.reset(locals, from);
                let within = self.run(body, later, begin);
                self.reset(locals, within)
            }
        }
    }

    fn choose(&mut self, parts: &[Statement], later: &Later<'_>, from: &[State]) -> Vec<State> {
        let mut after = Vec::new();
        for part in parts {
            if self.looks(from.len() as u64) {
                after.extend(self.run(part, later, from.to_vec()));
            }
        }
        self.each_once(after)
    }

    /// The states in which the condition is true, and those in which it is false.
    fn split(&mut self, condition: Expr, states: Vec<State>) -> (Vec<State>, Vec<State>) {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for state in states {
            match self.test(condition, &state) {
                Some(true) => yes.push(state),
                Some(false) => no.push(state),
                None => {}
            }
        }
        (yes, no)
    }

    /// Turn by turn; states that were at the head of the loop before are not followed again.
    fn repeat(&mut self, condition: Expr, body: &Statement, again: &Later<'_>, from: Vec<State>) -> Vec<State> {
        let (mut seen, mut here, mut ended): (Set<State>, _, _) = (Set::default(), from, Vec::new());
        while !here.is_empty() && self.goes_on(here.len()) {
            let mut turning = Vec::new();
            for state in here {
                match self.test(condition, &state) {
                    Some(true) if seen.insert(state.clone()) => turning.push(state),
                    Some(true) | None => {}
                    Some(false) => ended.push(state),
                }
            }
            here = self.run(body, again, turning);
        }
        self.each_once(ended)
    }

    /// The locals have the first values of their domains.
    fn reset(&mut self, locals: &[VarId], mut states: Vec<State>) -> Vec<State> {
        for state in &mut states {
            locals.iter().for_each(|&local| state[local.index()] = self.model.first(self.model.vars[local].domain));
        }
        self.each_once(states)
    }

    /// In increasing order.
    fn each_once(&mut self, mut states: Vec<State>) -> Vec<State> {
        if !self.looks(states.len() as u64) {
            return Vec::new();
        }
        if states.len() <= SORTED_AT_ONCE {
            states.sort_unstable();
            states.dedup();
            return states;
        }
        let others = states.split_off(states.len() / 2);
        let (some, others) = (self.each_once(states), self.each_once(others));
        merged(some, others)
    }

    /// `None` where the condition has no value, or none that can be computed.
    fn test(&mut self, condition: Expr, state: &[Raw]) -> Option<bool> {
        self.number(condition, state).map(|value| value != 0)
    }

    fn number(&mut self, expr: Expr, state: &[Raw]) -> Option<i128> {
        if self.is_stopped {
            return None;
        }
        let mut n_nodes = 0;
        let value = eval::eval_counted(self.model, expr, state, &mut n_nodes);
        self.looks(n_nodes);
        match value {
            Ok(value) => Some(value),
            Err(Error::Undefined) => None,
            Err(Error::Overflow) => {
                self.give_up(Trouble::Overflow);
                None
            }
        }
    }

    /// Remembers that an execution was dropped; always false, for use as a condition.
    fn give_up(&mut self, trouble: Trouble) -> bool {
        self.trouble.get_or_insert(trouble);
        false
    }

    /// All at once: whatever is read is read in `old`.
    fn assign(&mut self, list: &[Assignment], later: &Later<'_>, old: &[Raw]) -> Vec<State> {
        let mut after: Vec<State> = vec![old.into()];
        let mut written: Vec<VarId> = Vec::with_capacity(list.len());
        for assignment in list {
            let Some(var) = self.destination(assignment.to, old).filter(|var| !written.contains(var)) else {
                return Vec::new();
            };
            self.looks(written.len() as u64);
            written.push(var);
            let Some(values) = self.values(assignment.value, var, later, old) else { return Vec::new() };
            if !self.goes_on(after.len().saturating_mul(values.len())) {
                return Vec::new();
            }
            after = values
                .iter()
                .flat_map(|&value| {
                    after.iter().map(move |state| {
                        let mut state = state.clone();
                        state[var.index()] = value;
                        state
                    })
                })
                .collect();
        }
        after
    }

    fn destination(&mut self, to: Destination, old: &[Raw]) -> Option<VarId> {
        match to {
            Destination::Var(var) => Some(var),
            Destination::Cell(family, index) => {
                let family = &self.model.families[family];
                let index = u32::try_from(self.number(index, old)?).ok()?;
                (index < family.len).then(|| family.var(index))
            }
        }
    }

    /// The values that the variable may get, all within its domain.
    fn values(&mut self, value: Rhs, var: VarId, later: &Later<'_>, old: &[Raw]) -> Option<Vec<Raw>> {
        let model = self.model;
        let expr = match value {
            Rhs::Expr(expr) => expr,
            Rhs::Any => return self.any(var, later),
        };
        let value = self.number(expr, old)?;
        match (Raw::try_from(value), model.bounds(model.vars[var].domain)) {
            (Ok(value), Some((lo, hi))) => (lo <= value && value <= hi).then(|| vec![value]),
            (Ok(value), None) => Some(vec![value]),
            (Err(_), Some(_)) => None,
            (Err(_), None) => {
                self.give_up(Trouble::Overflow);
                None
            }
        }
    }

    /// Where a goal is known and nothing overwrites the variable, only the goal's value can lead there.
    fn any(&mut self, var: VarId, later: &Later<'_>) -> Option<Vec<Raw>> {
        let model = self.model;
        self.looks(REST_OF_BODY);
        if let Some(goal) = self.goal.filter(|_| !model.is_local(var) && !later.may_write(model, var)) {
            return eval::in_domain(model, var, goal[var.index()]).then(|| vec![goal[var.index()]]);
        }
        let few = model.bounds(model.vars[var].domain).filter(|(lo, hi)| hi.abs_diff(*lo) < MOST_VALUES);
        match (few, self.goal) {
            (Some((lo, hi)), _) => Some((lo..=hi).collect()),
            (None, Some(goal)) => {
                // Not all candidates: without a hit the answer is "cannot tell", never "no".
                self.give_up(Trouble::Unbounded(var));
                let guesses = self.guesses.get_or_init(|| guesses::guesses(model, self.body, &[goal, self.from]));
                Some(guesses.iter().copied().filter(|&guess| eval::in_domain(model, var, guess)).collect())
            }
            (None, None) => {
                self.give_up(Trouble::Unbounded(var));
                None
            }
        }
    }
}

/// Two lists in increasing order as one.
fn merged(some: Vec<State>, others: Vec<State>) -> Vec<State> {
    if some.last() < others.first() {
        return some.into_iter().chain(others).collect();
    }
    let mut all = Vec::with_capacity(some.len().max(others.len()));
    let (mut some, mut others) = (some.into_iter().peekable(), others.into_iter().peekable());
    while let (Some(one), Some(other)) = (some.peek(), others.peek()) {
        let order = one.cmp(other);
        let least = if order.is_le() { some.next() } else { others.next() };
        if order.is_eq() {
            others.next();
        }
        all.extend(least);
    }
    all.extend(some.chain(others));
    all
}
