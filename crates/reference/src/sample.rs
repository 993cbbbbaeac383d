//! Breadth-first search that ends early: for models with infinitely many states.

use std::collections::BTreeSet;

use crate::ast::Model;
use crate::brute::{NO_ERRORS, Search, Sighting};
use crate::eval::State;
use crate::layout::{Domain, Layout, Value};

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most steps of a run.
    pub steps: usize,
    /// The most states.
    pub states: usize,
    /// How far from zero an `int` is that may have any value.
    pub window: i128,
}

/// The numbers of steps after which something was seen first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The property; [`NO_ERRORS`] is that no step errs.
    pub name: String,
    /// It is true here, or this state has a step.
    pub satisfied: Option<usize>,
    /// It is false here, or this state is a deadlock.
    pub falsified: Option<usize>,
    /// Evaluating it errs here, or a step does.
    pub erred: Option<usize>,
}

/// What a bounded search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// One per property, in their order, and then [`NO_ERRORS`].
    pub seen: Vec<Seen>,
    /// All states that are less than so many steps away were seen; [`usize::MAX`] if all states were.
    pub exact: usize,
}

/// States with greater numbers are left out, so that nothing leaves 128 bits.
const GREATEST: i128 = 1_000_000_000_000;

/// Explores a model as far as the bounds allow; `None` when there are far too many initial states.
///
/// # Panics
///
/// When the model is ill-typed.
pub fn sample(model: &Model, bounds: Bounds) -> Option<Sample> {
    let layout = Layout::new(model);
    let mut search = Search::new(model, &layout, Some(bounds.window));
    let any_int = |cell: &crate::layout::Cell| cell.initial.is_none() && cell.domain == Domain::Int;
    let mut is_exact = !layout.cells.iter().any(any_int);
    let mut level = search.initial(bounds.states)?;
    let mut known: BTreeSet<State> = level.iter().cloned().collect();
    let mut exact = usize::from(is_exact);
    for depth in 0..=bounds.steps {
        let mut next = Vec::new();
        for state in &level {
            for successor in search.visit(state, depth) {
                if known.contains(&successor) {
                    continue;
                }
                if known.len() < bounds.states && is_small(&successor) {
                    known.insert(successor.clone());
                    next.push(successor);
                } else {
                    is_exact = false;
                }
            }
        }
        is_exact &= !search.is_sampled;
        if is_exact {
            exact = if next.is_empty() { usize::MAX } else { depth + 2 };
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    // The states of the last level were made, but not looked at.
    let exact = if exact == usize::MAX { exact } else { exact.min(bounds.steps + 1) };
    let note = |name: &str, found: &Sighting| Seen {
        name: name.to_owned(),
        satisfied: found.satisfied,
        falsified: found.falsified,
        erred: found.erred,
    };
    let named = model.properties.iter().zip(&search.sightings);
    let mut seen: Vec<Seen> = named.map(|(property, found)| note(&property.name, found)).collect();
    seen.push(note(NO_ERRORS, &search.steps));
    Some(Sample { seen, exact })
}

fn is_small(state: &State) -> bool {
    state.iter().all(|value| match value {
        Value::Int(number) => number.abs() <= GREATEST,
        Value::Bool(_) | Value::Literal(..) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{
        Binary, Claim, Command, Expr, Initial, Owner, Place, Property, Role, Source, Type, Update, VarId,
    };
    use crate::ast::{Model, Variable};

    /// `var x : int; step: x < 4 | tall -> x := ..; invariant below: x < most;`
    fn counter(initial: Initial, source: Source, guard: Expr, most: i128) -> Model {
        let place = Place { owner: Owner::Global, variable: VarId(0), indexes: Vec::new() };
        let below = Expr::binary(Binary::Lt, Expr::Read(place.clone()), Expr::Int(most));
        let updates = vec![Update { target: place, source }];
        let variable = Variable { name: "x".to_owned(), ty: Type::Int, dims: Vec::new(), role: Role::Plain, initial };
        Model {
            variables: vec![variable],
            commands: vec![Command { label: "step".to_owned(), index: None, guard, updates }],
            properties: vec![Property { name: "below".to_owned(), claim: Claim::Invariant(below) }],
            ..Model::default()
        }
    }

    fn x() -> Expr {
        Expr::Read(Place { owner: Owner::Global, variable: VarId(0), indexes: Vec::new() })
    }

    fn next(op: Binary, by: Expr) -> Source {
        Source::Expr(Expr::binary(op, x(), by))
    }

    fn seen(model: &Model, steps: usize, states: usize) -> (Option<usize>, usize) {
        let Sample { seen, exact } = sample(model, Bounds { steps, states, window: 3 }).expect("few initial states");
        assert_eq!(seen.len(), 2);
        (seen[0].falsified, exact)
    }

    #[test]
    fn what_was_left_out_is_told() {
        let zero = || Initial::Each(Expr::Int(0));
        let plus = || next(Binary::Add, Expr::Int(1));
        let always = || Expr::Bool(true);
        let ends = || Expr::binary(Binary::Lt, x(), Expr::Int(4));
        assert_eq!(seen(&counter(zero(), plus(), always(), 3), 5, 100), (Some(3), 6));
        assert_eq!(seen(&counter(zero(), plus(), always(), 6), 5, 100), (None, 6));
        assert_eq!(seen(&counter(zero(), plus(), always(), 3), 5, 3), (None, 3));
        assert_eq!(seen(&counter(zero(), plus(), ends(), 9), 5, 100), (None, usize::MAX));
        assert_eq!(seen(&counter(zero(), plus(), ends(), 9), 4, 100), (None, usize::MAX));
        assert_eq!(seen(&counter(zero(), plus(), ends(), 9), 3, 100), (None, 4));
        assert_eq!(seen(&counter(Initial::Any, plus(), always(), 5), 5, 100), (Some(2), 0));
        assert_eq!(seen(&counter(zero(), Source::Input, always(), 9), 5, 100), (None, 1));
        let squares = next(Binary::Mul, x());
        assert_eq!(seen(&counter(Initial::Each(Expr::Int(10)), squares, always(), 1000), 9, 100), (Some(2), 4));
    }
}
