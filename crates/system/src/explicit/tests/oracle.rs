//! The plain way to execute a body: every path of it, for every combination of its inputs, in order.

use lapidary_base::Id;
use lapidary_ir::passes::{Leaf, paths};
use lapidary_ir::{Assignment, Destination, Expr, FamilyId, Model, Rhs, Statement, VarId};

use crate::evaluate::Scope;

/// The states in which the executions of a body end that keep the invariant, each once, in the order of the paths.
pub fn successors(model: &Model, body: &Statement, state: &[i64]) -> Vec<Vec<i64>> {
    let mut found: Vec<Vec<i64>> = Vec::new();
    for path in paths(body).expect("small bodies have few paths") {
        for inputs in combinations(model, &path) {
            let Some(next) = execute(model, &path, state, &inputs) else { continue };
            let keeps = model.invariant.iter().all(|&part| value(model, part, &next) == Some(1));
            if keeps && !found.contains(&next) {
                found.push(next);
            }
        }
    }
    found
}

/// The same body without loops and scopes, as long as no loop has more rounds than these.
pub fn unrolled(model: &Model, body: &Statement, n_rounds: u32) -> Statement {
    let of = |part: &Statement| unrolled(model, part, n_rounds);
    let all = |parts: &[Statement]| parts.iter().map(of).collect::<Vec<_>>();
    match body {
        Statement::Skip | Statement::Assume(_) | Statement::Assign(_) => body.clone(),
        Statement::Sequence(parts) => Statement::Sequence(all(parts)),
        Statement::Choice(parts) => Statement::Choice(all(parts)),
        Statement::If(condition, then, otherwise) => {
            Statement::If(*condition, Box::new(of(then)), Box::new(of(otherwise)))
        }
        Statement::While(condition, inner) => {
            let round = |rest: Statement| {
                let again = Statement::Sequence(vec![of(inner), rest]);
                Statement::If(*condition, Box::new(again), Box::new(Statement::Skip))
            };
            (0..n_rounds).fold(Statement::Assume(model.exprs.not(*condition)), |rest, _| round(rest))
        }
        Statement::Scope(locals, inner) => {
            let first = |&var: &VarId| {
                let value = Rhs::Expr(model.exprs.int(model.first(model.vars[var].domain)));
                Assignment { to: Destination::Var(var), value }
            };
            let reset = Statement::Assign(locals.iter().map(first).collect());
            Statement::Sequence(vec![reset.clone(), of(inner), reset])
        }
    }
}

/// The values of the inputs of a path, in order.
fn inputs(model: &Model, path: &[Leaf<'_>]) -> Vec<(i64, i64)> {
    let assignments = path.iter().flat_map(|leaf| match leaf {
        Leaf::Assign(assignments) => *assignments,
        Leaf::Assume(_) | Leaf::Refute(_) => &[],
    });
    let inputs = assignments.filter(|assignment| assignment.value == Rhs::Any);
    inputs.map(|input| bounds(model, input)).collect()
}

/// How many executions a path has.
pub fn n_executions(model: &Model, path: &[Leaf<'_>]) -> f64 {
    inputs(model, path).into_iter().map(|(lo, hi)| (hi - lo + 1) as f64).product()
}

/// The first input counts slowest.
fn combinations(model: &Model, path: &[Leaf<'_>]) -> Vec<Vec<i64>> {
    inputs(model, path).into_iter().fold(vec![Vec::new()], |all, (lo, hi)| {
        let longer = |before: Vec<i64>| (lo..=hi).map(move |value| [&before[..], &[value]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

fn bounds(model: &Model, assignment: &Assignment) -> (i64, i64) {
    let domain = match assignment.to {
        Destination::Var(var) => model.vars[var].domain,
        Destination::Cell(family, _) => model.family_domain(family),
    };
    model.bounds(domain).unwrap_or((i64::MIN, i64::MAX))
}

fn execute(model: &Model, path: &[Leaf<'_>], state: &[i64], inputs: &[i64]) -> Option<Vec<i64>> {
    let (mut state, mut inputs) = (state.to_vec(), inputs.iter());
    for leaf in path {
        match leaf {
            Leaf::Assume(condition) => (value(model, *condition, &state)? == 1).then_some(())?,
            Leaf::Refute(condition) => (value(model, *condition, &state)? == 0).then_some(())?,
            Leaf::Assign(assignments) => {
                let old = state.clone();
                let mut written = Vec::new();
                for assignment in *assignments {
                    let to = place(model, assignment.to, &old)?;
                    let new = match assignment.value {
                        Rhs::Expr(expr) => value(model, expr, &old)?,
                        Rhs::Any => *inputs.next().expect("one value for each input"),
                    };
                    let (lo, hi) = bounds(model, assignment);
                    ((lo..=hi).contains(&new) && !written.contains(&to)).then_some(())?;
                    written.push(to);
                    state[to] = new;
                }
            }
        }
    }
    Some(state)
}

fn place(model: &Model, to: Destination, state: &[i64]) -> Option<usize> {
    match to {
        Destination::Var(var) => Some(var.index()),
        Destination::Cell(family, index) => {
            let index = u32::try_from(value(model, index, state)?).ok()?;
            let cells = &model.families[family];
            (index < cells.len).then(|| cells.var(index).index())
        }
    }
}

fn value(model: &Model, expr: Expr, state: &[i64]) -> Option<i64> {
    let family = |id: FamilyId| model.families[id].clone();
    let (read, sort) = (|var: VarId| state[var.index()], |var: VarId| model.vars[var].domain.sort());
    Scope { exprs: &model.exprs, family: &family, read: &read, sort: &sort, enums: &model.enums }.value(expr)
}
