//! Random bodies.

use lapidary_ir::{Domain, Model, Statement};
use lapidary_reference::bodies::{self, Locals, Loops, Shape, X};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;

use super::{after, command, oracle, system};
use crate::explicit::body::{Form, form, ways};

/// What is compared, and how often it was seen.
#[derive(Default, Debug)]
struct Seen {
    straight: usize,
    branching: usize,
    forking: usize,
    several: usize,
    blocked: usize,
}

impl Seen {
    fn note(&mut self, body: &Statement) {
        for way in ways(body) {
            *match form(&way) {
                Form::Straight => &mut self.straight,
                Form::Branching => &mut self.branching,
                Form::Forking => &mut self.forking,
            } += 1;
        }
    }
}

/// Bodies whose plain execution takes long are left out.
fn is_small(model: &Model, body: &Statement) -> bool {
    let Some(paths) = lapidary_ir::passes::paths(body) else { return false };
    paths.len() <= 100 && paths.iter().map(|path| oracle::n_executions(model, path)).sum::<f64>() <= 1_000.0
}

fn compare(seeds: std::ops::Range<u64>, loops: Loops, locals: Locals) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let small = bodies::variables(locals);
        let mut model = small.clone();
        // Too large for a table, so that all rules of the first are tried in order.
        model.vars[X].domain = Domain::Range { lo: -1, hi: 5_000 };
        let shape = Shape { loops, locals, depth: 1 + dice.below(3) };
        let body = Statement::Sequence((0..3).map(|_| bodies::statement(&model, &mut dice, shape)).collect());
        let plain = oracle::unrolled(&model, &body, 3);
        if !is_small(&model, &plain) {
            continue;
        }
        model.commands.push(command(body.clone()));
        // Thousands of values, in parts that no path goes through, too.
        if lapidary_ir::print::model(&model).contains("x := any") {
            continue;
        }
        seen.note(&body);
        if seed % 3 == 0 {
            model.invariant = [1, 2].map(|depth| bodies::truth(&model, &mut dice, depth, Values::Perhaps)).to_vec();
        }
        let system = system(&model);
        for _ in 0..12 {
            let from = bodies::state(&small, &mut dice);
            let is_configuration = oracle::successors(&model, &Statement::Skip, &from).len() == 1;
            if !is_configuration {
                continue;
            }
            let mut expected = oracle::successors(&model, &plain, &from);
            let mut found = after(&system, &from).expect("small numbers do not overflow");
            if loops != Loops::None {
                // What happens within loops says nothing about the order.
                expected.sort();
                found.sort();
            }
            assert_eq!(found, expected, "seed {seed}, from {from:?}\n{}", lapidary_ir::print::model(&model));
            seen.several += usize::from(expected.len() > 1);
            seen.blocked += usize::from(expected.is_empty());
        }
    }
    seen
}

#[test]
fn programs_have_the_successors_of_the_paths_in_their_order() {
    let seen = compare(0..2_000, Loops::None, Locals::None);
    let Seen { straight, branching, forking, several, blocked } = seen;
    assert!(straight > 500 && branching > 100 && forking > 200 && several > 1_000 && blocked > 1_000, "{seen:?}");
}

#[test]
fn loops_and_locals_have_the_successors_of_their_rounds_written_out() {
    let seen = compare(0..4_000, Loops::Bounded, Locals::Some);
    let Seen { straight, branching, forking, several, blocked } = seen;
    assert!(straight > 500 && branching > 100 && forking > 200 && several > 1_000 && blocked > 1_000, "{seen:?}");
}
