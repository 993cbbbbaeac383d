//! Statement trees that no front end makes: the compiled system and the checker's interpreter take the same steps.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_bdd::Capacity;
use lapidary_checker::step;
use lapidary_ir::{Command, CommandId, Expr, Model};
use lapidary_reference::bodies::{self, Locals, Loops, P, Shape};
use lapidary_reference::dice::Dice;
use lapidary_reference::expressions::Values;
use lapidary_reference::seeds;
use lapidary_system::symbolic::{self, Group, Origin, Symbolic};
use lapidary_system::{Explicit, Steps, Successors};
use lapidary_text::{Sources, Span};
use lapidary_verdict::State;

const SHAPE: Shape = Shape { loops: Loops::None, locals: Locals::None, depth: 3 };

fn compiled_steps(system: &Explicit, from: &State) -> BTreeSet<(CommandId, State)> {
    let mut steps = Steps::new();
    system
        .successors(lapidary_system::State::plain(&system.pack(from)), &mut steps)
        .expect("small numbers do not overflow");
    let states = steps.states.chunks_exact(system.words()).map(|words| system.unpack(words));
    steps.actions.iter().copied().zip(states).collect()
}

#[test]
fn compiled_and_interpreted_steps_are_the_same() {
    let mut sources = Sources::default();
    let source = sources.add("tree", "");
    let span = Span::new(source, 0, 0);
    let (mut n_steps, mut n_blocked) = (0, 0);
    for seed in seeds::of(0..1_500) {
        let mut dice = Dice::new(seed);
        let mut model = bodies::variables(Locals::None);
        for i in 0..3 {
            let body = bodies::statement(&model, &mut dice, SHAPE);
            model.commands.push(Command { label: format!("c{i}"), body, faults: Vec::new(), is_idle: false, span });
        }
        if seed % 3 == 0 {
            model.invariant = vec![bodies::truth(&model, &mut dice, 2, Values::Perhaps)];
        }
        let system = Explicit::new(&model, &[], &sources).expect("small bodies are taken");
        for _ in 0..20 {
            let from: State = bodies::state(&model, &mut dice).into();
            // Only configurations have steps.
            if step::keeps_invariant(&model, &from) != Some(true) {
                continue;
            }
            let found = compiled_steps(&system, &from);
            let interpreted = model.commands.ids().flat_map(|id| {
                let next = step::successors(&model, id, &from).expect("finite domains");
                next.into_iter().map(move |next| (id, next))
            });
            let expected: BTreeSet<(CommandId, State)> = interpreted.collect();
            assert_eq!(found, expected, "seed {seed}, from {from:?}\n{}", lapidary_ir::print::model(&model));
            n_steps += expected.len();
            n_blocked += usize::from(expected.is_empty());
        }
    }
    assert!(
        n_steps > seeds::least(10_000) && n_blocked > seeds::least(1_000),
        "the test sees both: {n_steps} steps, {n_blocked} blocked"
    );
}

/// Some variables have the values of others, in chains.
pub fn definitions(model: &Model, dice: &mut Dice) -> Vec<Expr> {
    let e = &model.exprs;
    let mut found = vec![bodies::definition(model, dice)];
    if dice.one_in(2) {
        found.push(e.eq(bodies::truth(model, dice, 1, Values::Perhaps), e.var(P)));
    }
    found
}

pub fn diagram_steps(system: &Symbolic, group: &Group, model: &Model, from: &State) -> BTreeSet<State> {
    let after = system.post(group, &system.single(from).expect("room enough")).expect("room enough");
    let mut found = BTreeSet::new();
    let visit = &mut |values: &[u64]| {
        found.insert(system.places.restore(&model.exprs, &model.families, values));
        Ok(())
    };
    system.space.for_each(&after, &system.columns(), visit).expect("no limits");
    for next in &found {
        let before = system.pre(group, &system.single(next).expect("room enough")).expect("room enough");
        let from = system.single(from).expect("room enough");
        assert!(system.space.intersects(&before, &from).expect("room enough"), "backwards it is the same step");
    }
    found
}

#[test]
fn diagrams_take_the_interpreted_steps() {
    const CAPACITY: Capacity = Capacity { nodes: 1 << 16, cache: 1 << 12, threads: 1 };
    let span = Span::new(Sources::default().add("tree", ""), 0, 0);
    let (mut n_steps, mut n_blocked) = (0, 0);
    for seed in seeds::of(0..600) {
        let mut dice = Dice::new(seed);
        let mut model = bodies::variables(Locals::None);
        let body = bodies::statement(&model, &mut dice, SHAPE);
        model.commands.push(Command { label: "c".to_owned(), body, faults: Vec::new(), is_idle: false, span });
        model.invariant = if seed % 3 == 0 { Vec::new() } else { definitions(&model, &mut dice) };
        symbolic::accepts(&model, &Control::new()).expect("finite domains");
        let system = symbolic::model(&model, CAPACITY, &Control::new()).expect("room enough");
        let group = system.groups.iter().find(|group| group.origin == Origin::Command(CommandId(0)));
        for _ in 0..100 {
            let from: State = bodies::state(&model, &mut dice).into();
            if step::keeps_invariant(&model, &from) != Some(true) {
                continue;
            }
            let found = group.map(|group| diagram_steps(&system, group, &model, &from)).unwrap_or_default();
            let expected: BTreeSet<State> =
                step::successors(&model, CommandId(0), &from).expect("finite domains").into_iter().collect();
            assert_eq!(found, expected, "seed {seed}, from {from:?}\n{}", lapidary_ir::print::model(&model));
            n_steps += expected.len();
            n_blocked += usize::from(expected.is_empty());
        }
    }
    assert!(
        n_steps > seeds::least(5_000) && n_blocked > seeds::least(1_000),
        "the test sees both: {n_steps} steps, {n_blocked} blocked"
    );
}
