//! Short ways to write models down by hand.

use lapidary_reference::ast::{
    Binary, Binder, Claim, Command, Expr, Initial, Model, Owner, Place, ProcessId, Property, Role, Source, Type,
    Update, VarId, Variable,
};
use lapidary_reference::brute::{self, Exploration, Outcome, Verdict};

pub fn int(value: i128) -> Expr {
    Expr::Int(value)
}

pub fn op(left: Expr, op: Binary, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

pub fn binder(name: &str, lo: i128, hi: i128) -> Binder {
    Binder { name: name.to_owned(), lo: int(lo), hi: int(hi) }
}

pub fn bound(name: &str) -> Expr {
    Expr::Bound(name.to_owned())
}

/// The global variable at a position, with indexes.
pub fn global(at: usize, indexes: &[Expr]) -> Place {
    Place { owner: Owner::Global, variable: VarId(at), indexes: indexes.to_vec() }
}

/// The variable at a position of the process around.
pub fn own(at: usize) -> Place {
    Place { owner: Owner::Own, variable: VarId(at), indexes: Vec::new() }
}

/// The variable at a position of an instance of the first process.
pub fn of_instance(index: Expr, at: usize) -> Place {
    Place { owner: Owner::Instance(ProcessId(0), Some(Box::new(index))), variable: VarId(at), indexes: Vec::new() }
}

/// The value of the global variable at a position.
pub fn read(at: usize) -> Expr {
    Expr::Read(global(at, &[]))
}

pub fn range(lo: i128, hi: i128) -> Type {
    Type::Range(int(lo), int(hi))
}

pub fn variable(name: &str, ty: Type, dims: &[i128], initial: Option<Expr>) -> Variable {
    let initial = initial.map_or(Initial::Any, Initial::Each);
    let dims = dims.iter().copied().map(int).collect();
    Variable { name: name.to_owned(), ty, dims, role: Role::Plain, initial }
}

pub fn command(label: &str, guard: Expr, updates: Vec<(Place, Source)>) -> Command {
    let updates = updates.into_iter().map(|(target, source)| Update { target, source }).collect();
    Command { label: label.to_owned(), index: None, guard, updates }
}

/// A command that is always enabled and writes expressions.
pub fn always(updates: Vec<(Place, Expr)>) -> Command {
    let updates = updates.into_iter().map(|(target, expr)| (target, Source::Expr(expr))).collect();
    command("step", Expr::Bool(true), updates)
}

pub fn property(name: &str, claim: Claim) -> Property {
    Property { name: name.to_owned(), claim }
}

pub fn explore(model: &Model) -> Exploration {
    brute::explore(model, 10_000).expect("the model is small")
}

/// The verdict and the length of the run of a property.
pub fn decided(exploration: &Exploration, name: &str) -> (Verdict, Option<usize>) {
    let Outcome { verdict, run, .. } =
        exploration.outcomes.iter().find(|outcome| outcome.name == name).expect("there is such a property");
    (*verdict, *run)
}

/// The numbers of states, of initial states and of transitions, and the depth.
pub fn counts(exploration: &Exploration) -> [usize; 4] {
    [exploration.n_states, exploration.n_initial, exploration.n_transitions, exploration.depth]
}
