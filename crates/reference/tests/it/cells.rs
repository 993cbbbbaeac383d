//! Cells in place of arrays: whatever can be tried in a state can be tried with its cells, with the same outcome.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_ir::{ArrayType, Declarations, Domain, Model, Sort, parse, passes, print, validate};
use lapidary_reference::bodies::words::{Arrays, words};
use lapidary_reference::bodies::{self, State};
use lapidary_reference::seeds;
use lapidary_text::Sources;

/// What the cells of a value are, in order; arrays over few indexes only.
fn cells(model: &Declarations, domain: Domain, value: i64) -> Vec<i64> {
    let Domain::Array(id) = domain else { return vec![value] };
    let ArrayType { index, element } = model.exprs.array_type(id);
    let n = model.exprs.values().n_values(index, &|id| model.enums[id].literals.len()).expect("few indexes");
    let array = model.exprs.values().array_value(value);
    (0..n as i64).flat_map(|index| cells(model, element.domain(), array.at(index))).collect()
}

/// A state of the model in cells, by the names of the variables.
fn split(model: &Model, state: &[i64]) -> Vec<(String, i64)> {
    let mut all = Vec::new();
    for (var, &value) in model.vars.iter().zip(state) {
        let cells = cells(model, var.domain, value);
        let names = names(model, var.domain.sort());
        assert_eq!(cells.len(), names.len());
        all.extend(names.into_iter().zip(cells).map(|(suffix, cell)| (format!("{}{suffix}", var.name), cell)));
    }
    all.sort();
    all
}

fn names(model: &Model, sort: Sort) -> Vec<String> {
    let Sort::Array(id) = sort else { return vec![String::new()] };
    let ArrayType { index, element } = model.exprs.array_type(id);
    let n = model.exprs.values().n_values(index, &|id| model.enums[id].literals.len()).expect("few indexes");
    let of = |at: i64| {
        let at = model.show(index.domain(), at);
        names(model, element).into_iter().map(move |inner| format!("[{at}]{inner}"))
    };
    (0..n as i64).flat_map(of).collect()
}

fn named(model: &Model, state: &[i64]) -> Vec<(String, i64)> {
    let mut all: Vec<_> = model.vars.iter().map(|var| var.name.clone()).zip(state.iter().copied()).collect();
    all.sort();
    all
}

#[test]
fn a_model_with_cells_does_what_it_did_with_arrays() {
    let (mut n_states, mut n_steps, mut n_initial) = (0, 0, 0);
    for seed in seeds::of(0..300) {
        let old = words(seed, Arrays::Some);
        let new = passes::cells(old.clone(), &Control::new()).expect("no limit");
        let text = format!("seed {seed}\n{}\n{}", print::model(&old), print::model(&new));
        validate::validate(&old).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        validate::validate(&new).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        assert!(new.vars.iter().all(|var| !matches!(var.domain, Domain::Array(_))), "{text}");
        let (before, after) = (bodies::states(&old), bodies::states(&new));
        let split = |state: &State| split(&old, state);
        let expected: BTreeSet<_> = before.iter().map(&split).collect();
        assert_eq!(expected, after.iter().map(|state| named(&new, state)).collect(), "{text}");
        let initial: BTreeSet<_> = bodies::initial(&old).iter().map(split).collect();
        assert_eq!(initial, bodies::initial(&new).iter().map(|state| named(&new, state)).collect(), "{text}");
        n_initial += initial.len();
        let step = (before.len() / 20).max(1);
        for old_state in before.iter().step_by(step) {
            let here = split(old_state);
            let new_state = after.iter().find(|state| named(&new, state) == here).expect("the same states");
            assert_eq!(bodies::keeps_invariant(&old, old_state), bodies::keeps_invariant(&new, new_state), "{text}");
            for command in old.commands.ids() {
                let expected: BTreeSet<_> = bodies::steps(&old, command, old_state).iter().map(split).collect();
                let found = bodies::steps(&new, command, new_state);
                let found: BTreeSet<_> = found.iter().map(|state| named(&new, state)).collect();
                assert_eq!(found, expected, "from {here:?}\n{text}");
                n_steps += found.len();
            }
            n_states += 1;
        }
    }
    assert!(n_states > 1000 && n_steps > 1000 && n_initial > 1000, "{n_states} {n_steps} {n_initial}");
}

fn read(text: &str) -> Model {
    let mut sources = Sources::default();
    let source = sources.add("m.lir", format!("model m; {text}"));
    let (model, diagnostics) = parse::parse(&sources, source);
    model.unwrap_or_else(|| panic!("{:?}", diagnostics.list))
}

#[test]
fn arrays_over_many_indexes_stay() {
    let text = "var a : @array(int -> bool); var b : @array(@bits[7] -> bool); command c: skip;";
    let model = read(text);
    let same = passes::cells(model.clone(), &Control::new()).expect("no limit");
    assert_eq!(print::model(&same), print::model(&model));
}

#[test]
fn cells_that_keep_their_values_are_not_written() {
    let model =
        read("var a : @array(bool -> @bits[2]); command c: a := @store(bool -> @bits[2])(a, true, @bits[2](1));");
    let new = passes::cells(model, &Control::new()).expect("no limit");
    let text = print::model(&new);
    assert!(text.contains("a[true] :=") && !text.contains("a[false] :="), "{text}");
}

#[test]
fn a_long_chain_of_stores_takes_linear_time() {
    let mut model = read("var a : @array(@bits[6] -> @bits[8]); var i : @bits[6]; command c: skip;");
    let e = model.exprs.clone();
    let (a, i) = (e.var(lapidary_ir::VarId(0)), e.var(lapidary_ir::VarId(1)));
    let Domain::Array(id) = model.vars[lapidary_ir::VarId(0)].domain else { panic!("an array") };
    let chain = (0..200).fold(a, |a, n| e.store_in(id, a, e.bit_add(i, e.bits(6, n)), e.bits(8, n)));
    let to = lapidary_ir::Destination::Var(lapidary_ir::VarId(0));
    let value = lapidary_ir::Rhs::Expr(chain);
    let command = lapidary_ir::CommandId(0);
    model.commands[command].body = lapidary_ir::Statement::Assign(vec![lapidary_ir::Assignment { to, value }]);
    let new = passes::cells(model, &Control::new()).expect("no limit");
    assert_eq!(new.vars.len(), 65);
    assert!(new.exprs.len() < 40_000, "{}", new.exprs.len());
}
