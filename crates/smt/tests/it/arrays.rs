//! Arrays for solvers: what they are told of them, and what is read in their models.

use lapidary_base::{Control, Stop};
use lapidary_ir::{Domain, Expr, Model, Raw, Sort, VarId};
use lapidary_smt::encode::{Unrolling, encode};
use lapidary_smt::{Backend, FullSolver, Sat, Terms};
use lapidary_text::Sources;

use crate::random_arrays::{random_formulas_go_as_enumeration_says, what_is_read_satisfies_what_was_asserted};

lapidary_reference::with_z3!(z3_knows_arrays,);
lapidary_reference::with_cvc5!(cvc5_knows_arrays,);

#[cfg(feature = "z3")]
#[test]
fn z3_in_process_knows_arrays() {
    everything(&Backend::default());
    more(&Backend::default());
}

fn z3_knows_arrays() {
    everything(&Backend::parse("z3").expect("there"));
    more(&Backend::parse("z3").expect("there"));
}

fn cvc5_knows_arrays() {
    everything(&Backend::parse("cvc5").expect("there"));
}

fn everything(backend: &Backend) {
    constants_come_back_as_they_were(backend);
    models_with_several_stores_are_read(backend);
    equality_is_about_all_indexes(backend);
    random_formulas_go_as_enumeration_says(backend);
    arrays_of_enumerations_are_refused(backend);
    what_is_read_satisfies_what_was_asserted(backend);
}

fn more(backend: &Backend) {
    arrays_by_arrays(backend);
    arrays_that_are_the_same_everywhere(backend);
}

fn holds(solver: &mut dyn FullSolver, terms: &Terms<'_>, formula: Expr) {
    solver.assert(terms, formula).expect("asserted");
    assert_eq!(solver.check(terms, &[]), Ok(Sat::Yes));
}

/// What a variable that is equal to a constant has is the constant.
fn constants_come_back_as_they_were(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let values = e.values();
    let ints = e.array(Sort::Int, Sort::Int);
    let flags = e.array(Sort::Int, Sort::Bool);
    let words = e.array(Sort::Bits(8), Sort::Bits(65));
    let longs = e.array(Sort::Bits(64), Sort::Bits(64));
    let grid = e.array(Sort::Int, Sort::Array(flags));
    let pair = e.array(Sort::Bool, Sort::Array(ints));
    let wide = |low: u64, high: u64| values.bits(65, &[low, high]);
    let few = values.listed(None, 0, [(-7, 5), (i64::MAX, i64::MIN), (3, 1)]);
    let some = values.listed(None, 1, [(4, 0), (5, 0)]);
    let cases = [
        (ints, few),
        (ints, values.fill(-1)),
        (flags, some),
        (words, values.listed(Some(256), wide(1, 1), [(0, wide(0, 0)), (255, wide(u64::MAX, 1)), (7, wide(9, 0))])),
        (longs, values.listed(None, -1, [(-1, 0), (i64::MIN, i64::MAX), (1, 2)])),
        (grid, values.listed(None, values.fill(0), [(0, some), (-1, values.fill(1))])),
        (pair, values.listed(Some(2), values.fill(0), [(1, few)])),
        // In fifty entries no two elements are the same.
        (ints, values.listed(None, 0, (1..50).map(|i| (i * 7 - 300, i)))),
    ];
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    for (id, raw) in cases {
        let var = terms.fresh("a", Domain::Array(id));
        solver.push().expect("pushed");
        holds(&mut *solver, &terms, e.eq(e.var(var), terms.constant(Domain::Array(id), raw)));
        let shown = |raw: Raw| Domain::Array(id).show(&model.enums, values, raw);
        let found = solver.values(&terms, &[var]).expect("read")[0];
        assert_eq!((shown(found), found), (shown(raw), raw));
        solver.pop().expect("popped");
    }
    let unknown = terms.fresh("unknown", Domain::Array(grid));
    holds(&mut *solver, &terms, e.bool(true));
    let found = solver.values(&terms, &[unknown]).expect("read")[0];
    assert!(values.is_of(Sort::Array(grid), found, &|_| 0));
}

fn models_with_several_stores_are_read(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let ints = e.array(Sort::Int, Sort::Int);
    let flags = e.array(Sort::Int, Sort::Bool);
    let grid = e.array(Sort::Bits(3), Sort::Array(flags));
    let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Domain::Array(ints)));
    let rows = terms.fresh("rows", Domain::Array(grid));
    let i = terms.fresh("i", Domain::Int);
    let at = |array: VarId, index: Expr| e.select_of(ints, e.var(array), index);
    let cell =
        |row: u64, column: i64| e.select_of(flags, e.select_of(grid, e.var(rows), e.bits(3, row)), e.int(column));
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    let stored = e.store_in(ints, e.store_in(ints, e.var(a), e.int(3), e.int(30)), e.var(i), e.int(-40));
    let parts = [
        e.eq(e.var(b), stored),
        e.lt(e.int(3), e.var(i)),
        e.eq(at(a, e.int(3)), e.int(7)),
        e.eq(at(a, e.var(i)), e.int(8)),
        e.eq(at(a, e.int(-5)), e.int(9)),
        cell(5, 1),
        e.not(cell(5, 2)),
        cell(6, 2),
        e.not(cell(6, 1)),
    ];
    holds(&mut *solver, &terms, e.and(parts));
    let found = solver.values(&terms, &[a, b, rows, i]).expect("read");
    let [a, b, rows] = [0, 1, 2].map(|at: usize| e.values().array_value(found[at]));
    assert!(found[3] > 3);
    assert_eq!([a.at(3), a.at(found[3]), a.at(-5)], [7, 8, 9]);
    assert_eq!([b.at(3), b.at(found[3]), b.at(-5)], [30, -40, 9]);
    let cell = |row: Raw, column: Raw| e.values().array_value(rows.at(row)).at(column);
    assert_eq!([cell(5, 1), cell(5, 2), cell(6, 2), cell(6, 1)], [1, 0, 1, 0]);
    let stores = e.values().store(None, e.values().store(None, found[0], 3, 30), found[3], -40);
    assert_eq!(stores, found[1], "what is equal for the solver is one number");
}

fn equality_is_about_all_indexes(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let flags = e.array(Sort::Int, Sort::Bool);
    let pairs = e.array(Sort::Bool, Sort::Bits(70));
    let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Domain::Array(flags)));
    let [p, q] = ["p", "q"].map(|name| terms.fresh(name, Domain::Array(pairs)));
    let [i, j] = ["i", "j"].map(|name| terms.fresh(name, Domain::Int));
    let (a, b, i, j) = (e.var(a), e.var(b), e.var(i), e.var(j));
    let stored = |x: Expr, y: Expr| e.store_in(flags, e.store_in(flags, a, x, e.bool(true)), y, e.bool(false));
    let at = |array: VarId, index: bool| e.select_of(pairs, e.var(array), e.bool(index));
    let everywhere = |value: bool| e.fill(flags, e.bool(value));
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    let swapped = e.eq(stored(i, j), stored(j, i));
    let cases = [
        (e.and([swapped, e.ne(i, j)]), Sat::No),
        (e.and([e.not(swapped), e.eq(i, j)]), Sat::No),
        (e.and([e.eq(a, b), e.select_of(flags, a, i), e.not(e.select_of(flags, b, i))]), Sat::No),
        (e.eq(everywhere(true), everywhere(false)), Sat::No),
        (e.and([e.eq(a, everywhere(true)), e.not(e.select_of(flags, a, i))]), Sat::No),
        (e.and([e.eq(at(p, true), at(q, true)), e.eq(at(p, false), at(q, false)), e.ne(e.var(p), e.var(q))]), Sat::No),
        (e.and([e.eq(at(p, true), at(q, true)), e.ne(e.var(p), e.var(q))]), Sat::Yes),
    ];
    for (formula, expected) in cases {
        solver.push().expect("pushed");
        solver.assert(&terms, formula).expect("asserted");
        assert_eq!(solver.check(&terms, &[]), Ok(expected), "{}", formula.0);
        solver.pop().expect("popped");
    }
    holds(&mut *solver, &terms, e.and([e.eq(at(p, true), at(q, true)), e.ne(e.var(p), e.var(q))]));
    let found = solver.values(&terms, &[p, q]).expect("read");
    assert_ne!(found[0], found[1]);
}

/// Not all solvers know what is the same everywhere but no constant, nor that constants differ at more than one index.
fn arrays_that_are_the_same_everywhere(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let flags = e.array(Sort::Int, Sort::Bool);
    let i = e.var(terms.fresh("i", Domain::Int));
    let everywhere = |value: bool| e.fill(flags, e.bool(value));
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    let stored = e.store_in(flags, everywhere(false), i, e.bool(true));
    assert_eq!(solver.check(&terms, &[e.eq(everywhere(true), stored)]), Ok(Sat::No));
    let here = e.lt(i, e.int(3));
    let same = e.eq(e.fill(flags, here), stored);
    assert_eq!(solver.check(&terms, &[same]), Ok(Sat::No));
    assert_eq!(solver.check(&terms, &[here, e.not(e.select_of(flags, e.fill(flags, here), i))]), Ok(Sat::No));
}

/// An array may be an index, if there are infinitely many.
fn arrays_by_arrays(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let ints = e.array(Sort::Int, Sort::Int);
    let deep = e.array(Sort::Array(ints), Sort::Int);
    let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Domain::Array(ints)));
    let d = terms.fresh("d", Domain::Array(deep));
    let at = |array: VarId| e.select_of(deep, e.var(d), e.var(array));
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    holds(&mut *solver, &terms, e.and([e.eq(at(a), e.int(1)), e.eq(at(b), e.int(2))]));
    let found = solver.values(&terms, &[a, b, d]).expect("read");
    let array = e.values().array_value(found[2]);
    assert_eq!((array.at(found[0]), array.at(found[1])), (1, 2));
}

fn arrays_of_enumerations_are_refused(backend: &Backend) {
    let mut model = Model::default();
    let literals = ["a", "b", "c"].map(str::to_owned).into();
    let colors = model.enums.push(lapidary_ir::EnumType { name: String::new(), literals });
    let mut terms = Terms::within(&model);
    let e = model.exprs.clone();
    let inner = e.array(Sort::Int, Sort::Enum(colors));
    let outer = e.array(Sort::Int, Sort::Array(inner));
    let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Domain::Array(outer)));
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    assert!(matches!(solver.assert(&terms, e.eq(e.var(a), e.var(b))), Err(Stop::Incomplete(_))));
    assert!(matches!(solver.check(&terms, &[e.eq(e.var(a), e.var(b))]), Err(Stop::Incomplete(_))));
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes), "one can go on");
}

/// A counter is written into a memory, at an index that overflows.
const MEMORY: &str = "
    model memory;
    var memory : @array(@bits[2] -> int);
    var rest : @array(int -> bool);
    var at : @bits[2];
    var n : int;
    local var old : @bits[2];
    init memory = @value(@bits[2] -> int)(0) & at = @bits[2](2) & n = 0;
    command write: {
      memory := @store(@bits[2] -> int)(memory, at, n + 1), n := n + 1, at := @bvadd(at, @bits[2](1));
    }
    command forget:
      scope old do
        {
          assume 0 < @select(@bits[2] -> int)(memory, at);
          rest := any;
          old := at;
          at := any;
          assume @bvult(at, old);
          assume 0 <= n div n;
        }
";

#[cfg(feature = "z3")]
#[test]
fn runs_of_models_with_arrays_and_bit_vectors_are_read() {
    let mut sources = Sources::default();
    let source = sources.add("memory.lir", MEMORY);
    let (model, diagnostics) = lapidary_ir::parse::parse(&sources, source);
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut terms = Terms::within(&model);
    let encoding = encode(&mut terms).expect("small bodies");
    let (e, control) = (model.exprs.clone(), Control::new());
    let mut solver = Backend::default().open(&control).expect("a solver");
    let mut unrolling = Unrolling::new(&mut terms);
    let start = encoding.initial.iter().map(|&part| unrolling.at_step(&terms, 0, part)).collect::<Vec<_>>();
    start.into_iter().for_each(|part| solver.assert(&terms, part).expect("asserted"));
    for path in [0, 0, 0, 0, 1] {
        let formulas = unrolling.step_along(&mut terms, &encoding, path, &control).expect("no limits");
        formulas.into_iter().for_each(|part| solver.assert(&terms, part).expect("asserted"));
    }
    let rest = e.var(VarId(1));
    let id = e.array(Sort::Int, Sort::Bool);
    let wanted = e.and([e.select_of(id, rest, e.int(-4)), e.not(e.select_of(id, rest, e.int(4)))]);
    let wanted = unrolling.at_step(&terms, 5, wanted);
    holds(&mut *solver, &terms, wanted);
    let run = unrolling.run(&terms, &encoding, &mut *solver, 5).expect("read");
    let memory = e.values().listed(Some(4), 0, [(0, 3), (1, 4), (2, 1), (3, 2)]);
    assert_eq!(run.states[0][0], e.values().fill(0));
    for state in &run.states[4..] {
        assert_eq!((state[0], state[3]), (memory, 4));
    }
    assert_eq!((run.states[4][2], run.states[5][4]), (2, 0));
    assert!(run.states[5][2] < 2);
    let rest = e.values().array_value(run.states[5][1]);
    assert_eq!((rest.at(-4), rest.at(4)), (1, 0));
}
