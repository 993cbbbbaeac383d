//! Random bodies.

use lapidary_ir::{Assignment, Destination, Domain, Expr, Family, FamilyId, Life, Model, Rhs, Statement, Var, VarId};

use super::{after, command, oracle, system, var};
use crate::explicit::body::{Form, form, ways};

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const ROW: FamilyId = FamilyId(0);
/// The local counters, one for each depth.
const FIRST_LOCAL: u32 = 6;

/// Two Booleans, two small ranges and a row of three cells. The second range is too large for a table, so that all rules
/// of the first are tried in order.
fn variables(domains_of_dispatch: Domain) -> Model {
    let mut model = Model::default();
    let range = Domain::Range { lo: -1, hi: 2 };
    let domains = [Domain::Bool, Domain::Bool, domains_of_dispatch, range, range, range];
    for (i, domain) in domains.into_iter().enumerate() {
        model.vars.push(var(&format!("v{i}"), domain));
    }
    for i in 0..5 {
        let counter = var(&format!("i{i}"), Domain::Range { lo: 0, hi: 3 });
        model.vars.push(Var { life: Life::Local, ..counter });
    }
    model.families.push(Family { name: "row[_]".to_owned(), first: VarId(3), len: 3 });
    model
}

fn number(model: &Model, dice: &mut Dice, depth: u64) -> Expr {
    let e = &model.exprs;
    match dice.below(if depth == 0 { 3 } else { 9 }) {
        0 => e.int(dice.below(5) as i64 - 1),
        1 => e.var(VarId(2)),
        2 => e.var(VarId(3 + dice.below(3) as u32)),
        3 => e.cell(ROW, number(model, dice, depth - 1)),
        4 => e.add([number(model, dice, depth - 1), number(model, dice, depth - 1)]),
        5 => e.sub(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        6 => e.modulo(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        7 => e.div(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        _ => e.ite(truth(model, dice, depth - 1), number(model, dice, depth - 1), number(model, dice, depth - 1)),
    }
}

fn truth(model: &Model, dice: &mut Dice, depth: u64) -> Expr {
    let e = &model.exprs;
    match dice.below(if depth == 0 { 2 } else { 8 }) {
        0 => e.var(VarId(0)),
        1 => e.not(e.var(VarId(1))),
        2 => e.and([truth(model, dice, depth - 1), truth(model, dice, depth - 1)]),
        3 => e.or([truth(model, dice, depth - 1), truth(model, dice, depth - 1)]),
        4 => e.ne(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        5 => e.lt(number(model, dice, depth - 1), number(model, dice, depth - 1)),
        6 => e.eq(truth(model, dice, depth - 1), truth(model, dice, depth - 1)),
        _ => e.le(number(model, dice, depth - 1), number(model, dice, depth - 1)),
    }
}

/// A number from -1 to 2.
fn within_domain(model: &Model, number: Expr) -> Expr {
    let e = &model.exprs;
    e.sub(e.modulo(number, e.int(4)), e.int(1))
}

fn assignment(model: &Model, dice: &mut Dice) -> Assignment {
    let var = VarId(dice.below(6) as u32);
    let to = match dice.below(3) {
        0 => Destination::Cell(ROW, number(model, dice, 1)),
        _ => Destination::Var(var),
    };
    let is_truth = matches!(to, Destination::Var(VarId(0 | 1)));
    let value = match dice.below(5) {
        0 if to != Destination::Var(VarId(2)) => Rhs::Any,
        _ if is_truth => Rhs::Expr(truth(model, dice, 2)),
        1 => Rhs::Expr(number(model, dice, 1)),
        _ => Rhs::Expr(within_domain(model, number(model, dice, 1))),
    };
    Assignment { to, value }
}

/// What random bodies have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Features {
    Branches,
    /// Loops and local variables, too.
    Loops,
}

/// A loop that ends after two rounds at most. The counter is its own, so loops at one depth are not within each other.
fn rounds(model: &Model, dice: &mut Dice, depth: u64) -> Statement {
    let e = &model.exprs;
    let counter = VarId(FIRST_LOCAL + depth as u32);
    let more = e.add([e.var(counter), e.int(1)]);
    let inner = statement(model, dice, depth - 1, Features::Loops);
    let count = Assignment { to: Destination::Var(counter), value: Rhs::Expr(more) };
    let condition = e.and([e.lt(e.var(counter), e.int(2)), truth(model, dice, 2)]);
    let round = Statement::Sequence(vec![inner, Statement::Assign(vec![count])]);
    let repeated = Statement::While(condition, Box::new(round));
    Statement::Scope(vec![counter], Box::new(repeated))
}

fn statement(model: &Model, dice: &mut Dice, depth: u64, features: Features) -> Statement {
    let parts = |dice: &mut Dice, least: u64| {
        (0..least + dice.below(3)).map(|_| statement(model, dice, depth - 1, features)).collect::<Vec<_>>()
    };
    match dice.below(if depth == 0 { 5 } else { 11 }) {
        0 => Statement::Skip,
        1 => Statement::Assume(truth(model, dice, 2)),
        2..=4 => Statement::Assign((0..1 + dice.below(3)).map(|_| assignment(model, dice)).collect()),
        5 | 6 => Statement::Sequence(parts(dice, 2)),
        7 if features == Features::Loops => rounds(model, dice, depth),
        7 | 8 => {
            let least = if dice.below(8) == 0 { 0 } else { 2 };
            Statement::Choice(parts(dice, least))
        }
        _ => {
            let branches = [0, 1].map(|_| statement(model, dice, depth - 1, features));
            let [then, otherwise] = branches.map(Box::new);
            Statement::If(truth(model, dice, 2), then, otherwise)
        }
    }
}

fn state(dice: &mut Dice) -> Vec<i64> {
    let range = |dice: &mut Dice| dice.below(4) as i64 - 1;
    let mut values = vec![dice.below(2) as i64, dice.below(2) as i64, range(dice)];
    values.extend((0..3).map(|_| range(dice)));
    values.extend([0; 5]);
    values
}

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

fn compare(seeds: std::ops::Range<u64>, features: Features) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let mut dice = Dice(seed);
        let mut model = variables(Domain::Range { lo: -1, hi: 5_000 });
        let depth = 1 + dice.below(3);
        let body = Statement::Sequence((0..3).map(|_| statement(&model, &mut dice, depth, features)).collect());
        let plain = oracle::unrolled(&model, &body, 3);
        if !is_small(&model, &plain) {
            continue;
        }
        seen.note(&body);
        model.commands.push(command(body.clone()));
        if seed % 3 == 0 {
            model.invariant = vec![truth(&model, &mut dice, 1), truth(&model, &mut dice, 2)];
        }
        let system = system(&model);
        for _ in 0..12 {
            let from = state(&mut dice);
            let is_configuration = oracle::successors(&model, &Statement::Skip, &from).len() == 1;
            if !is_configuration {
                continue;
            }
            let mut expected = oracle::successors(&model, &plain, &from);
            let mut found = after(&system, &from).expect("small numbers do not overflow");
            if features == Features::Loops {
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
    let seen = compare(0..2_000, Features::Branches);
    let Seen { straight, branching, forking, several, blocked } = seen;
    assert!(straight > 500 && branching > 100 && forking > 200 && several > 1_000 && blocked > 1_000, "{seen:?}");
}

#[test]
fn loops_and_locals_have_the_successors_of_their_rounds_written_out() {
    let seen = compare(0..2_000, Features::Loops);
    let Seen { straight, branching, forking, several, blocked } = seen;
    assert!(straight > 500 && branching > 100 && forking > 200 && several > 1_000 && blocked > 1_000, "{seen:?}");
}
