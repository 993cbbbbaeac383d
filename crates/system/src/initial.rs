//! The initial states: variables are fixed by equations where the condition has them, else tried value by value.

use std::collections::BTreeSet;

use lapidary_base::hash::Set;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_ir::{Declarations, Domain, Expr, Node, Statement, VarId};

use crate::bytecode::{Overflow, Program, Register};
use crate::compile::{Compiler, Pool};
use crate::explicit::{Halt, TooMuch};

/// Where a variable's candidates come from.
enum Candidates {
    Range(i64, i64),
    /// The value of an expression over variables chosen before.
    Equation(Program, Register),
}

/// So many instructions are run between two looks at the limits.
const OPS_PER_LOOK: usize = 1 << 16;

/// One decision: a variable, its candidates, and the conditions that can be tested once it is made.
struct Decision {
    var: VarId,
    candidates: Candidates,
    checks: Vec<Program>,
}

/// The decisions in order. Where the initial states are given by a statement, these are the states in which it begins.
pub struct Initial {
    decisions: Vec<Decision>,
    /// The conditions without variables.
    preconditions: Vec<Program>,
}

/// Which states are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Initial,
    /// Whatever the invariant admits.
    Configuration,
}

impl Initial {
    pub fn new(model: &Declarations, pool: &mut Pool, control: &Control) -> Result<Self, Halt> {
        Self::wanted(model, Wanted::Initial, pool, control)
    }

    fn wanted(model: &Declarations, wanted: Wanted, pool: &mut Pool, control: &Control) -> Result<Self, Halt> {
        if let Some(array) = model.vars.iter().find(|var| matches!(var.domain, Domain::Array(_))) {
            let what = format!("the array {} has no place in a list of states", array.name);
            return Err(TooMuch { what, span: Some(array.span) }.into());
        }
        let (init, invariant) = match wanted {
            // What the initial statement does comes between the condition and the invariant.
            Wanted::Initial if model.start != Statement::Skip => (&model.init[..], &[][..]),
            Wanted::Initial => (&model.init[..], &model.invariant[..]),
            Wanted::Configuration => (&[][..], &model.invariant[..]),
        };
        let conditions: Vec<Expr> =
            init.iter().chain(invariant).flat_map(|&part| model.exprs.conjuncts(part)).collect();
        let mut reads: Vec<BTreeSet<VarId>> = Vec::with_capacity(conditions.len());
        for &condition in &conditions {
            control.check()?;
            reads.push(variables(model, condition));
        }
        let order = order(model, &conditions, control)?;
        let mut rank: IdVec<VarId, usize> = model.vars.iter().map(|_| 0).collect();
        order.iter().enumerate().for_each(|(i, &(var, _))| rank[var] = i);
        let mut decisions: Vec<Decision> = Vec::with_capacity(order.len());
        for (var, equation) in order {
            control.check()?;
            decisions.push(Decision { var, candidates: candidates(model, pool, var, equation), checks: Vec::new() });
        }
        let mut preconditions = Vec::new();
        for (&condition, read) in conditions.iter().zip(&reads) {
            control.check()?;
            let mut compiler = Compiler::new(model, pool);
            compiler.require(condition, true);
            let program = compiler.finish();
            match read.iter().map(|&var| rank[var]).max() {
                Some(last) => decisions[last].checks.push(program),
                None => preconditions.push(program),
            }
        }
        Ok(Self { decisions, preconditions })
    }

    pub fn link(&mut self, pool: &Pool) {
        self.preconditions.iter_mut().for_each(|check| pool.link_program(check));
        for decision in &mut self.decisions {
            if let Candidates::Equation(program, register) = &mut decision.candidates {
                pool.link_program(program);
                pool.link(register);
            }
            decision.checks.iter_mut().for_each(|check| pool.link_program(check));
        }
    }
}

fn candidates(model: &Declarations, pool: &mut Pool, var: VarId, equation: Option<Expr>) -> Candidates {
    let domain = model.vars[var].domain;
    if model.is_local(var) {
        return Candidates::Range(model.first(domain), model.first(domain));
    }
    let Some(expr) = equation else {
        let (lo, hi) = model.bounds(domain).expect("unbounded variables are ordered with an equation");
        return Candidates::Range(lo, hi);
    };
    let mut compiler = Compiler::new(model, pool);
    let value = compiler.value(expr);
    compiler.require_domain(domain, value);
    Candidates::Equation(compiler.finish(), value)
}

fn variables(model: &Declarations, expr: Expr) -> BTreeSet<VarId> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), Set::default(), vec![expr]);
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        match model.exprs.node(expr) {
            Node::Var(var) => {
                found.insert(*var);
            }
            Node::Cell(family, index) => match model.exprs.as_int(*index).and_then(|i| u32::try_from(i).ok()) {
                Some(i) if i < model.families[*family].len => {
                    found.insert(model.families[*family].var(i));
                }
                _ => found.extend(model.cells(*family)),
            },
            _ => {}
        }
        model.exprs.for_each_part(expr, |part| open.push(part));
    }
    found
}

/// Equations first, as soon as their right sides are known; then the finite variables in order of declaration.
fn order(model: &Declarations, conditions: &[Expr], control: &Control) -> Result<Vec<(VarId, Option<Expr>)>, Halt> {
    let mut equations: Vec<(VarId, Expr, usize)> = Vec::new();
    let mut waiting: IdVec<VarId, Vec<usize>> = model.vars.iter().map(|_| Vec::new()).collect();
    for &condition in conditions {
        control.check()?;
        for (var, side) in sides(model, condition) {
            let others = variables(model, side);
            if !others.contains(&var) {
                others.iter().for_each(|&other| waiting[other].push(equations.len()));
                equations.push((var, side, others.len()));
            }
        }
    }
    let mut order = Vec::with_capacity(model.vars.len());
    let mut placed: IdVec<VarId, bool> = model.vars.iter().map(|_| false).collect();
    let mut ready: Vec<usize> = (0..equations.len()).rev().filter(|&i| equations[i].2 == 0).collect();
    let mut next_finite = model.vars.ids();
    while order.len() < model.vars.len() {
        let (var, equation) = match ready.pop() {
            Some(i) => (equations[i].0, Some(equations[i].1)),
            None => {
                let is_finite = |var: VarId| model.is_local(var) || model.bounds(model.vars[var].domain).is_some();
                let free = next_finite.find(|&var| !placed[var] && is_finite(var));
                (free.ok_or_else(|| unbounded(model, &placed))?, None)
            }
        };
        if std::mem::replace(&mut placed[var], true) {
            continue;
        }
        order.push((var, equation));
        for &i in &waiting[var] {
            equations[i].2 -= 1;
            if equations[i].2 == 0 {
                ready.push(i);
            }
        }
    }
    Ok(order)
}

fn unbounded(model: &Declarations, placed: &IdVec<VarId, bool>) -> TooMuch {
    let var = placed.ids().find(|&var| !placed[var]).expect("an unplaced variable is left");
    let name = &model.vars[var].name;
    let what = match model.vars[var].domain {
        Domain::Bits(width) => format!("variable {name} starts with any of 2^{width} numbers"),
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Array(_) => {
            format!("variable {name} starts with any integer")
        }
    };
    TooMuch { what, span: Some(model.vars[var].span) }
}

/// The variables that a condition determines, each with the expression that is its value.
fn sides(model: &Declarations, condition: Expr) -> Vec<(VarId, Expr)> {
    let exprs = &model.exprs;
    match exprs.node(condition) {
        Node::Var(var) => vec![(*var, exprs.bool(true))],
        Node::Not(inner) => match exprs.node(*inner) {
            Node::Var(var) => vec![(*var, exprs.bool(false))],
            _ => Vec::new(),
        },
        Node::Eq(a, b) => {
            let side = |x: Expr, y: Expr| match exprs.node(x) {
                Node::Var(var) => Some((*var, y)),
                _ => None,
            };
            side(*a, *b).into_iter().chain(side(*b, *a)).collect()
        }
        _ => Vec::new(),
    }
}

/// Hands every initial state to `visit`, in the registers of the variables.
pub fn enumerate(
    initial: &Initial,
    registers: &mut [i64],
    control: &Control,
    visit: &mut dyn FnMut(&[i64]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    enumerate_within(u64::MAX, initial, registers, control, visit).map(|_| ())
}

/// Tries at most so many values; false if there were more.
pub fn enumerate_within(
    most: u64,
    initial: &Initial,
    registers: &mut [i64],
    control: &Control,
    visit: &mut dyn FnMut(&[i64]) -> Result<(), Stop>,
) -> Result<bool, Stop> {
    if !passes(&initial.preconditions, registers)? {
        return Ok(true);
    }
    let n = initial.decisions.len();
    // For each decision on the current branch: the next candidate and the last one.
    let mut branch: Vec<(i64, i64)> = Vec::with_capacity(n);
    let (mut n_tried, mut n_ops) = (0u64, 0usize);
    let mut descend = true;
    loop {
        if descend && branch.len() == n {
            visit(registers)?;
        } else if descend {
            branch.push(range(&initial.decisions[branch.len()], registers)?);
        }
        let Some((next, last)) = branch.last_mut() else { return Ok(true) };
        if *next > *last {
            branch.pop();
            descend = false;
            continue;
        }
        let value = *next;
        // A range that ends at the greatest integer is left by making it empty.
        if value == i64::MAX {
            *last = i64::MIN
        } else {
            *next += 1
        }
        if n_tried == most {
            return Ok(false);
        }
        n_tried += 1;
        let decision = &initial.decisions[branch.len() - 1];
        n_ops += 16 + decision.checks.iter().map(|check| check.ops.len()).sum::<usize>();
        if n_ops >= OPS_PER_LOOK {
            n_ops = 0;
            control.check()?;
        }
        registers[decision.var.index()] = value;
        descend = passes(&decision.checks, registers)?;
    }
}

/// Whether there is such a state, if that shows after so many tries.
pub fn is_some(model: &Declarations, wanted: Wanted, most: u64, control: &Control) -> Result<Option<bool>, Halt> {
    let mut pool = Pool::new(model);
    let mut initial = Initial::wanted(model, wanted, &mut pool, control)?;
    initial.link(&pool);
    let (mut registers, mut is_found) = (pool.registers(), false);
    let ended = enumerate_within(most, &initial, &mut registers, control, &mut |_| {
        is_found = true;
        // Any stop will do: the enumeration only has to end here.
        Err(Stop::Interrupted)
    });
    match ended {
        // Whether the statement ends, and where, is not looked at here.
        _ if is_found && wanted == Wanted::Initial && model.start != Statement::Skip => Ok(None),
        _ if is_found => Ok(Some(true)),
        Ok(is_all) => Ok(is_all.then_some(false)),
        Err(stop) => Err(stop.into()),
    }
}

fn range(decision: &Decision, registers: &mut [i64]) -> Result<(i64, i64), Stop> {
    match &decision.candidates {
        Candidates::Range(lo, hi) => Ok((*lo, *hi)),
        Candidates::Equation(program, register) => match program.run(registers) {
            Ok(true) => Ok((registers[register.0 as usize], registers[register.0 as usize])),
            Ok(false) => Ok((1, 0)),
            Err(Overflow) => Err(overflow()),
        },
    }
}

fn passes(checks: &[Program], registers: &mut [i64]) -> Result<bool, Stop> {
    for check in checks {
        match check.run(registers) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(Overflow) => return Err(overflow()),
        }
    }
    Ok(true)
}

fn overflow() -> Stop {
    Stop::Overflow("in the initial condition".to_owned())
}
