//! Every solver answers as enumeration does: Z3 in this process, and the programs `z3` and `cvc5`.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Domain, Expr, Model, Node, VarId};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions;
use lapidary_smt::{Backend, FullSolver, Limits, Sat, Terms};

use crate::support::Few;

lapidary_reference::with_z3!(
    z3_answers_as_enumeration_does,
    z3_goes_on_after_a_question_that_took_too_long,
    the_control_ends_a_question_to_z3,
);

lapidary_reference::with_cvc5!(
    cvc5_answers_as_enumeration_does,
    cvc5_goes_on_after_a_question_that_took_too_long,
    the_control_ends_a_question_to_cvc5,
);

#[cfg(feature = "z3")]
#[test]
fn z3_in_process_answers_as_enumeration_does() {
    everything(&Backend::default());
}

fn z3_answers_as_enumeration_does() {
    everything(&program("z3"));
}

fn cvc5_answers_as_enumeration_does() {
    everything(&program("cvc5"));
}

fn z3_goes_on_after_a_question_that_took_too_long() {
    after_a_question_that_took_too_long_one_can_go_on("z3");
}

fn cvc5_goes_on_after_a_question_that_took_too_long() {
    after_a_question_that_took_too_long_one_can_go_on("cvc5");
}

fn the_control_ends_a_question_to_z3() {
    the_control_ends_a_question("z3");
}

fn the_control_ends_a_question_to_cvc5() {
    the_control_ends_a_question("cvc5");
}

fn program(name: &str) -> Backend {
    Backend::parse(name).unwrap_or_else(|why| panic!("this test is about the program {name}: {why}"))
}

fn everything(backend: &Backend) {
    division_and_remainder_are_those_of_smt_lib(backend);
    big_integers_are_exact_and_too_big_ones_an_overflow(backend);
    cores_name_the_assumptions_in_their_order(backend);
    random_conversations_go_as_enumeration_says(backend);
    large_terms_are_understood(backend);
}

/// What the solver must say about a formula, in a level of its own.
fn agree(solver: &mut dyn FullSolver, terms: &Terms<'_>, formula: Expr, expected: &Sat) {
    solver.push().expect("pushed");
    solver.assert(terms, formula).expect("asserted");
    assert_eq!(solver.check(terms, &[]).as_ref(), Ok(expected));
    solver.pop().expect("popped");
}

fn division_and_remainder_are_those_of_smt_lib(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let [x, q, r] = ["x", "q", "r"].map(|name| terms.fresh(name, Domain::Int));
    let e = terms.exprs();
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    for a in [-7i64, -6, -1, 0, 5, 7] {
        for b in [-3i64, -2, -1, 1, 2, 3] {
            let quotient = e.eq(e.var(q), e.div(e.var(x), e.int(b)));
            let remainder = e.eq(e.var(r), e.modulo(e.var(x), e.int(b)));
            let at = e.eq(e.var(x), e.int(a));
            let right = e.and([e.eq(e.var(q), e.int(a.div_euclid(b))), e.eq(e.var(r), e.int(a.rem_euclid(b)))]);
            agree(&mut *solver, &terms, e.and([at, quotient, remainder, right]), &Sat::Yes);
            agree(&mut *solver, &terms, e.and([at, quotient, remainder, e.not(right)]), &Sat::No);
        }
    }
}

fn big_integers_are_exact_and_too_big_ones_an_overflow(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Domain::Int));
    let e = terms.exprs();
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    solver.assert(&terms, e.eq(e.var(x), e.int(i64::MIN))).expect("asserted");
    solver.assert(&terms, e.eq(e.var(y), e.add([e.var(x), e.int(-1)]))).expect("asserted");
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes));
    assert_eq!(solver.values(&terms, &[x]), Ok(vec![i64::MIN]));
    let beyond = Stop::Overflow("the solver's value of y".to_owned());
    assert_eq!(solver.values(&terms, &[x, y]), Err(beyond));
    assert_eq!(solver.values(&terms, &[x]), Ok(vec![i64::MIN]));
    let sum = e.intern(Node::Add([e.int(i64::MAX), e.int(i64::MAX)].into()));
    assert_eq!(solver.check(&terms, &[e.lt(e.neg(e.var(y)), sum)]), Ok(Sat::Yes));
    assert_eq!(solver.check(&terms, &[e.lt(sum, e.var(y))]), Ok(Sat::No));
}

fn cores_name_the_assumptions_in_their_order(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, b, unused) = (terms.fresh("x", Domain::Int), terms.fresh("b", Domain::Bool), terms.fresh("u", Domain::Int));
    let e = terms.exprs();
    let (vx, vb) = (e.var(x), e.var(b));
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    solver.assert(&terms, e.implies(vb, e.lt(vx, e.int(3)))).expect("asserted");
    let (more, odd) = (e.lt(e.int(5), vx), e.eq(e.modulo(vx, e.int(2)), e.int(1)));
    for _ in 0..2 {
        assert_eq!(solver.check(&terms, &[odd, more, vb, vb]), Ok(Sat::No));
        // Some solvers blame more than they must.
        let core = solver.core().expect("a core");
        assert!([vec![more, vb, vb], vec![odd, more, vb, vb]].contains(&core), "{core:?}");
        assert_eq!(solver.check(&terms, &[odd, vb, e.not(vb)]), Ok(Sat::No));
        let core = solver.core().expect("a core");
        assert!(core.ends_with(&[vb, e.not(vb)]), "{core:?}");
        assert_eq!(solver.check(&terms, &[odd, more, e.bool(true)]), Ok(Sat::Yes));
        let values = solver.values(&terms, &[x, b, unused, x]).expect("values");
        assert!(values[0] > 5 && values[0] % 2 == 1 && values[1] == 0 && values[3] == values[0]);
        assert_eq!(solver.check(&terms, &[e.bool(false)]), Ok(Sat::No));
        assert_eq!(solver.core(), Ok(vec![e.bool(false)]));
        // The same once more, from within a level: names of assumptions must survive its end.
        solver.push().expect("pushed");
        assert_eq!(solver.check(&terms, &[e.lt(vx, e.int(-100)), more]), Ok(Sat::No));
        solver.pop().expect("popped");
    }
    solver.push().expect("pushed");
    solver.assert(&terms, e.and([vb, more])).expect("asserted");
    assert_eq!(solver.check(&terms, &[odd]), Ok(Sat::No));
    assert_eq!(solver.core(), Ok(vec![]));
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::No));
    assert_eq!(solver.core(), Ok(vec![]));
    solver.pop().expect("popped");
    assert_eq!(solver.check(&terms, &[odd]), Ok(Sat::Yes));
}

/// One conversation of random steps with a solver; enumeration knows what it must say.
fn converse(backend: &Backend, seed: u64, n_steps: usize) -> [usize; 2] {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let few = Few::new(&mut terms);
    let (e, vars) = (terms.exprs(), few.vars());
    let assignments = few.assignments(&terms);
    let leaves = few.leaves(e);
    let holds = |term: Expr, values: &[i64]| {
        let read = |var: VarId| Some(i128::from(values[var.index()]));
        expressions::value(e, term, &read, &|_, _| None) == Some(1)
    };
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    let mut dice = Dice::new(seed);
    let mut levels: Vec<Vec<Expr>> = vec![vars.iter().map(|&var| terms.in_domain(var)).collect()];
    levels[0].iter().for_each(|&term| solver.assert(&terms, term).expect("asserted"));
    let mut counts = [0; 2];
    for _ in 0..n_steps {
        match dice.below(6) {
            0 => {
                levels.push(Vec::new());
                solver.push().expect("pushed");
            }
            1 if levels.len() > 1 => {
                levels.pop();
                solver.pop().expect("popped");
            }
            2 if levels.len() > 1 => {
                let term = leaves.truth(e, &mut dice, 4);
                levels.last_mut().expect("levels").push(term);
                solver.assert(&terms, term).expect("asserted");
            }
            _ => {
                let assumptions: Vec<Expr> = (0..dice.below(4)).map(|_| leaves.truth(e, &mut dice, 3)).collect();
                let asserted: Vec<Expr> = levels.concat();
                let all = |values: &Vec<i64>, more: &[Expr]| asserted.iter().chain(more).all(|&t| holds(t, values));
                let possible = |more: &[Expr]| assignments.iter().any(|values| all(values, more));
                let expected = possible(&assumptions);
                counts[usize::from(expected)] += 1;
                let answer = solver.check(&terms, &assumptions);
                assert_eq!(answer, Ok(if expected { Sat::Yes } else { Sat::No }), "seed {seed}");
                if expected {
                    let found = solver.values(&terms, &vars).expect("values");
                    let mut values = vec![0; terms.len()];
                    vars.iter().zip(found).for_each(|(var, value)| values[var.index()] = value);
                    assert!(all(&values, &assumptions), "seed {seed}: {values:?} is no model");
                } else {
                    let core = solver.core().expect("a core");
                    assert!(!possible(&core), "seed {seed}: the core is none");
                    assert!(core.iter().all(|part| assumptions.contains(part)), "seed {seed}");
                }
            }
        }
    }
    counts
}

fn random_conversations_go_as_enumeration_says(backend: &Backend) {
    let mut counts = [0; 2];
    for seed in 0..8 {
        let found = converse(backend, seed, 20);
        (0..2).for_each(|at| counts[at] += found[at]);
    }
    assert!(counts.iter().all(|&count| count > 10), "both answers occur: {counts:?}");
}

/// Fermat's last theorem for cubes: no solver decides it.
fn cubes(terms: &mut Terms<'_>) -> Expr {
    let vars = ["x", "y", "z"].map(|name| terms.fresh(name, Domain::Int));
    let e = terms.exprs();
    let [x, y, z] = vars.map(|var| e.mul(e.var(var), e.mul(e.var(var), e.var(var))));
    e.and(vars.map(|var| e.lt(e.int(1), e.var(var))).into_iter().chain([e.eq(e.add([x, y]), z)]))
}

fn after_a_question_that_took_too_long_one_can_go_on(name: &str) {
    let Backend::Process(command, _) = program(name) else { panic!("{name} is a program") };
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let hard = cubes(&mut terms);
    let k = terms.fresh("k", Domain::Int);
    let e = terms.exprs();
    let control = Control::new();
    let limits = Limits { millis: 300, ..Limits::default() };
    let mut solver = Backend::Process(command, limits).open(&control).expect("it starts");
    solver.assert(&terms, e.eq(e.var(k), e.int(-77))).expect("asserted");
    solver.push().expect("pushed");
    solver.assert(&terms, hard).expect("asserted");
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Unknown("no answer within 300 ms".to_owned())), "{name}");
    assert!(matches!(solver.values(&terms, &[k]), Err(Stop::NoAnswer(_))), "{name}");
    solver.pop().expect("popped");
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes), "{name}");
    assert_eq!(solver.values(&terms, &[k]), Ok(vec![-77]), "{name}");
    assert_eq!(solver.check(&terms, &[e.lt(e.int(0), e.var(k))]), Ok(Sat::No), "{name}");
}

fn the_control_ends_a_question(name: &str) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let hard = cubes(&mut terms);
    let control = Control::new().with_timeout(Some(std::time::Duration::from_millis(600)));
    let mut solver = program(name).open(&control).expect("it starts");
    solver.assert(&terms, hard).expect("asserted");
    assert_eq!(solver.check(&terms, &[]), Err(Stop::Timeout), "{name}");
    assert_eq!(solver.check(&terms, &[]), Err(Stop::Timeout), "{name}");
    assert_eq!(solver.push(), Err(Stop::Timeout), "{name}");
}

fn large_terms_are_understood(backend: &Backend) {
    let model = Model::default();
    let mut terms = Terms::within(&model);
    let (x, b) = (terms.fresh("x", Domain::Int), terms.fresh("b", Domain::Bool));
    let e = terms.exprs();
    let mut doubled = e.var(x);
    for _ in 0..10 {
        doubled = e.intern(Node::Add([doubled, doubled].into()));
    }
    let mut chain = e.var(x);
    for at in 0..200 {
        chain = e.ite(e.var(b), e.intern(Node::Add([chain, e.int(1)].into())), e.int(at));
    }
    let control = Control::new();
    let mut solver = backend.open(&control).expect("it starts");
    solver.assert(&terms, e.eq(doubled, e.int(3 << 10))).expect("asserted");
    assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes));
    assert_eq!(solver.values(&terms, &[x]), Ok(vec![3]));
    assert_eq!(solver.check(&terms, &[e.var(b), e.not(e.eq(chain, e.int(203)))]), Ok(Sat::No));
    assert_eq!(solver.check(&terms, &[e.eq(chain, e.int(199))]), Ok(Sat::Yes));
    assert_eq!(solver.values(&terms, &[b]), Ok(vec![0]));
}
