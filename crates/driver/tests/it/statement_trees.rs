//! Statement trees that no front end makes yet: the compiled system and the checker's interpreter take the same steps.

use std::collections::BTreeSet;

use lapidary_base::Control;
use lapidary_bdd::Capacity;
use lapidary_checker::step;
use lapidary_ir::{
    Assignment, Command, CommandId, Destination, Domain, Expr, Family, FamilyId, Life, Model, Rhs, Statement, Var,
    VarId,
};
use lapidary_reference::seeds;
use lapidary_system::symbolic::{self, Group, Origin, Symbolic};
use lapidary_system::{Explicit, Steps, Successors};
use lapidary_text::{Sources, Span};
use lapidary_verdict::State;

/// A small generator of random numbers, the same on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const ROW: FamilyId = FamilyId(0);

/// Two Booleans, two small ranges and a row of three cells.
pub fn variables(span: Span) -> Model {
    let mut model = Model::default();
    let range = Domain::Range { lo: -1, hi: 2 };
    let domains = [Domain::Bool, Domain::Bool, range, Domain::Range { lo: 0, hi: 3 }, range, range, range];
    for (i, domain) in domains.into_iter().enumerate() {
        model.vars.push(Var { name: format!("v{i}"), domain, control: i == 3, life: Life::State, span });
    }
    model.families.push(Family { name: "row[_]".to_owned(), first: VarId(4), len: 3 });
    model
}

fn number(model: &Model, dice: &mut Dice, depth: u64) -> Expr {
    let e = &model.exprs;
    match dice.below(if depth == 0 { 3 } else { 9 }) {
        0 => e.int(dice.below(5) as i64 - 1),
        1 => e.var(VarId(2)),
        2 => e.var(VarId(3)),
        3 => e.cell(ROW, number(model, dice, depth - 1)),
        4 => e.add([number(model, dice, depth - 1), number(model, dice, depth - 1)]),
        5 => e.sub(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        6 => e.modulo(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        7 => e.div(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        _ => e.ite(truth(model, dice, depth - 1), number(model, dice, depth - 1), number(model, dice, depth - 1)),
    }
}

pub fn truth(model: &Model, dice: &mut Dice, depth: u64) -> Expr {
    let e = &model.exprs;
    match dice.below(if depth == 0 { 2 } else { 8 }) {
        0 => e.var(VarId(0)),
        1 => e.not(e.var(VarId(1))),
        2 => e.and([truth(model, dice, depth - 1), truth(model, dice, depth - 1)]),
        3 => e.or([truth(model, dice, depth - 1), truth(model, dice, depth - 1)]),
        4 => e.eq(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        5 => e.lt(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        6 => e.eq(truth(model, dice, depth - 1), truth(model, dice, depth - 1)),
        _ => e.le(number(model, dice, depth - 1), number(model, dice, depth - 1)),
    }
}

fn assignment(model: &Model, dice: &mut Dice) -> Assignment {
    let var = VarId(dice.below(7) as u32);
    let to = match dice.below(3) {
        0 => Destination::Cell(ROW, number(model, dice, 1)),
        _ => Destination::Var(var),
    };
    let is_truth = matches!(to, Destination::Var(VarId(0 | 1)));
    let value = match dice.below(5) {
        0 => Rhs::Any,
        _ if is_truth => Rhs::Expr(truth(model, dice, 2)),
        _ => Rhs::Expr(number(model, dice, 2)),
    };
    Assignment { to, value }
}

pub fn statement(model: &Model, dice: &mut Dice, depth: u64) -> Statement {
    let parts = |dice: &mut Dice| (0..2 + dice.below(2)).map(|_| statement(model, dice, depth - 1)).collect();
    match dice.below(if depth == 0 { 4 } else { 8 }) {
        0 => Statement::Skip,
        1 => Statement::Assume(truth(model, dice, 2)),
        2 | 3 => Statement::Assign((0..1 + dice.below(2)).map(|_| assignment(model, dice)).collect()),
        4 | 5 => Statement::Sequence(parts(dice)),
        6 => Statement::Choice(parts(dice)),
        _ => {
            let branches = [statement(model, dice, depth - 1), statement(model, dice, depth - 1)];
            let [then, otherwise] = branches.map(Box::new);
            Statement::If(truth(model, dice, 2), then, otherwise)
        }
    }
}

fn state(dice: &mut Dice) -> State {
    let range = |dice: &mut Dice| dice.below(4) as i64 - 1;
    let mut values = vec![dice.below(2) as i64, dice.below(2) as i64, range(dice), dice.below(4) as i64];
    values.extend((0..3).map(|_| range(dice)));
    values.into()
}

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
        let mut dice = Dice(seed);
        let mut model = variables(span);
        for i in 0..3 {
            let body = statement(&model, &mut dice, 3);
            model.commands.push(Command { label: format!("c{i}"), body, faults: Vec::new(), is_idle: false, span });
        }
        if seed % 3 == 0 {
            model.invariant = vec![truth(&model, &mut dice, 2)];
        }
        let system = Explicit::new(&model, &[], &sources).expect("small bodies are taken");
        for _ in 0..20 {
            let from = state(&mut dice);
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
    let mut found = vec![e.eq(e.var(VarId(3)), number(model, dice, 2))];
    if dice.below(2) == 0 {
        found.push(e.eq(truth(model, dice, 1), e.var(VarId(1))));
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
        let mut dice = Dice(seed);
        let mut model = variables(span);
        let body = statement(&model, &mut dice, 3);
        model.commands.push(Command { label: "c".to_owned(), body, faults: Vec::new(), is_idle: false, span });
        model.invariant = if seed % 3 == 0 { Vec::new() } else { definitions(&model, &mut dice) };
        symbolic::accepts(&model, &Control::new()).expect("finite domains");
        let system = symbolic::model(&model, CAPACITY, &Control::new()).expect("room enough");
        let group = system.groups.iter().find(|group| group.origin == Origin::Command(CommandId(0)));
        for _ in 0..100 {
            let from = state(&mut dice);
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
