//! What statements mean: sets of states become sets of states, by plain recursion and without any haste.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::{
    ArrayType, Assignment, CommandId, Destination, Domain, EnumId, Expr, FamilyId, Life, Model, Rhs, Statement, VarId,
};

use crate::expressions::Meaning;

/// A number for every variable, the local ones included.
pub type State = Vec<i64>;

/// All states of a model with finite domains, whatever its invariant says; local variables have their first values.
pub fn states(model: &Model) -> Vec<State> {
    model.vars.ids().fold(vec![Vec::new()], |states, var| {
        let values = match model.vars[var].life {
            Life::State => values(model, var),
            Life::Local => vec![first(model, var)],
        };
        states.iter().flat_map(|state| values.iter().map(|value| [&state[..], &[*value]].concat())).collect()
    })
}

/// All initial states.
pub fn initial(model: &Model) -> BTreeSet<State> {
    let begins = states(model).into_iter().filter(|state| model.init.iter().all(|&part| is_true(model, part, state)));
    let ends = ends(model, &model.start, begins.collect());
    ends.into_iter().filter(|state| keeps_invariant(model, state)).collect()
}

/// The states that a command leads to.
pub fn steps(model: &Model, command: CommandId, from: &[i64]) -> BTreeSet<State> {
    let ends = ends(model, &model.commands[command].body, [from.to_vec()].into());
    ends.into_iter().filter(|state| keeps_invariant(model, state)).collect()
}

/// The states that any command leads to.
pub fn successors(model: &Model, from: &[i64]) -> BTreeSet<State> {
    model.commands.ids().flat_map(|command| steps(model, command, from)).collect()
}

pub fn keeps_invariant(model: &Model, state: &[i64]) -> bool {
    model.invariant.iter().all(|&part| is_true(model, part, state))
}

/// The first value of a domain: the least number, false, the first literal.
fn first(model: &Model, var: VarId) -> i64 {
    values(model, var)[0]
}

fn values(model: &Model, var: VarId) -> Vec<i64> {
    values_of(model, model.vars[var].domain)
}

/// In order of their numbers; arrays with the one first that has the first element everywhere.
fn values_of(model: &Model, domain: Domain) -> Vec<i64> {
    let Domain::Array(id) = domain else {
        let (lo, hi) = model.bounds(domain).expect("finite domains");
        return (lo..=hi).collect();
    };
    let ArrayType { index, element } = model.exprs.array_type(id);
    let (indexes, elements) = (values_of(model, index.domain()), values_of(model, element.domain()));
    let n_indexes = Some(indexes.len() as u64);
    let functions = indexes.iter().fold(vec![Vec::new()], |functions: Vec<Vec<(i64, i64)>>, &index| {
        let with = |function: &Vec<(i64, i64)>, element: i64| [&function[..], &[(index, element)]].concat();
        functions.iter().flat_map(|function| elements.iter().map(move |&element| with(function, element))).collect()
    });
    let values = model.exprs.values();
    functions.into_iter().map(|function| values.listed(n_indexes, elements[0], function)).collect()
}

fn is_true(model: &Model, condition: Expr, state: &[i64]) -> bool {
    value(model, condition, state) == Some(1)
}

fn is_false(model: &Model, condition: Expr, state: &[i64]) -> bool {
    value(model, condition, state) == Some(0)
}

/// Where the executions of a statement end that begin in some states.
fn ends(model: &Model, statement: &Statement, from: BTreeSet<State>) -> BTreeSet<State> {
    let where_true = |condition: Expr, states: &BTreeSet<State>| -> BTreeSet<State> {
        states.iter().filter(|state| is_true(model, condition, state)).cloned().collect()
    };
    let where_false = |condition: Expr, states: &BTreeSet<State>| -> BTreeSet<State> {
        states.iter().filter(|state| is_false(model, condition, state)).cloned().collect()
    };
    match statement {
        Statement::Skip => from,
        Statement::Assume(condition) => where_true(*condition, &from),
        Statement::Assign(list) => from.iter().flat_map(|state| assigned(model, list, state)).collect(),
        Statement::Sequence(parts) => parts.iter().fold(from, |from, part| ends(model, part, from)),
        Statement::Choice(parts) => parts.iter().flat_map(|part| ends(model, part, from.clone())).collect(),
        Statement::If(condition, then, otherwise) => {
            let then = ends(model, then, where_true(*condition, &from));
            let otherwise = ends(model, otherwise, where_false(*condition, &from));
            then.union(&otherwise).cloned().collect()
        }
        Statement::While(condition, body) => {
            let mut heads = from;
            loop {
                let turned = ends(model, body, where_true(*condition, &heads));
                if turned.is_subset(&heads) {
                    return where_false(*condition, &heads);
                }
                heads.extend(turned);
            }
        }
        Statement::Scope(locals, body) => {
            let reset = |states: BTreeSet<State>| -> BTreeSet<State> {
                let reset = |mut state: State| {
                    locals.iter().for_each(|&local| state[local.index()] = first(model, local));
                    state
                };
                states.into_iter().map(reset).collect()
            };
            reset(ends(model, body, reset(from)))
        }
    }
}

/// All at once, in every way.
fn assigned(model: &Model, list: &[Assignment], old: &[i64]) -> Vec<State> {
    let mut ways: Vec<Vec<(VarId, i64)>> = vec![Vec::new()];
    for assignment in list {
        let to = match assignment.to {
            Destination::Var(var) => Some(var),
            Destination::Cell(family, index) => value(model, index, old).and_then(|index| cell(model, family, index)),
        };
        let Some(to) = to else { return Vec::new() };
        let fits: Vec<i64> = match assignment.value {
            Rhs::Any => values(model, to),
            Rhs::Expr(expr) => {
                let new = value(model, expr, old);
                values(model, to).into_iter().filter(|&one| Some(i128::from(one)) == new).collect()
            }
        };
        let with = |way: &Vec<(VarId, i64)>, new: i64| [&way[..], &[(to, new)]].concat();
        ways = ways.iter().flat_map(|way| fits.iter().map(move |&new| with(way, new))).collect();
    }
    let write = |way: Vec<(VarId, i64)>| {
        let places: BTreeSet<VarId> = way.iter().map(|&(var, _)| var).collect();
        let mut state = old.to_vec();
        way.iter().for_each(|&(var, new)| state[var.index()] = new);
        (places.len() == way.len()).then_some(state)
    };
    ways.into_iter().filter_map(write).collect()
}

fn cell(model: &Model, family: FamilyId, index: i128) -> Option<VarId> {
    model.cells(family).nth(usize::try_from(index).ok()?)
}

/// None where there is no value.
fn value(model: &Model, expr: Expr, state: &[i64]) -> Option<i128> {
    let read = |var: VarId| Some(i128::from(state[var.index()]));
    let cell = |family, index| cell(model, family, index);
    let sort = |var: VarId| model.vars[var].domain.sort();
    let n_literals = |id: EnumId| model.enums[id].literals.len();
    Meaning { exprs: &model.exprs, read: &read, cell: &cell, sort: &sort, n_literals: &n_literals }.value(expr)
}

#[cfg(test)]
mod tests {
    use lapidary_ir::parse;
    use lapidary_text::Sources;

    use super::*;

    fn read(text: &str) -> Model {
        let mut sources = Sources::default();
        let source = sources.add("m.lir", format!("model m; {text}"));
        let (model, diagnostics) = parse::parse(&sources, source);
        model.unwrap_or_else(|| panic!("{:?}", diagnostics.list))
    }

    fn ends_of(text: &str, from: &[i64]) -> Vec<State> {
        steps(&read(text), CommandId(0), from).into_iter().collect()
    }

    #[test]
    fn a_loop_ends_where_its_condition_is_false_and_nowhere_else() {
        let text = |body: &str| format!("var x : 0..5; var y : 0..2; command c: while x < 3 do {body}");
        assert_eq!(ends_of(&text("x := x + 2;"), &[0, 1]), [[4, 1]]);
        assert_eq!(ends_of(&text("x := x + 2;"), &[5, 1]), [[5, 1]]);
        assert_eq!(ends_of(&text("skip;"), &[2, 1]), Vec::<State>::new());
        assert_eq!(
            ends_of(&text("choice { skip; x := 3; x := 5; y := 0; }"), &[0, 1]),
            [[3, 0], [3, 1], [5, 0], [5, 1]]
        );
        assert_eq!(ends_of(&text("x := 4 div y;"), &[0, 0]), Vec::<State>::new());
    }

    #[test]
    fn a_local_variable_begins_with_its_first_value_and_leaves_nothing_behind() {
        let text =
            "var x : 0..5; local var t : 2..4; command c: { scope t do { x := t; t := any; } scope t do x := x + t; }";
        assert_eq!(ends_of(text, &[0, 2]), [[4, 2]]);
    }

    #[test]
    fn the_start_leads_to_the_initial_states() {
        let model = read("var x : 0..3; invariant x != 2; init 0 < x; start x := x - 1;");
        assert_eq!(initial(&model), [vec![0], vec![1]].into());
    }
}
