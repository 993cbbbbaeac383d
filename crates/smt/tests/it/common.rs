//! Random models for the tests of the encoding, and a reading of terms on concrete states.

use lapidary_checker::eval::{self, Error};
use lapidary_frontends::gcl;
use lapidary_ir::{
    Assignment, Command, Destination, Domain, Expr, Family, FamilyId, Life, Model, Rhs, Statement, Var, VarId,
};
use lapidary_reference::ast;
use lapidary_reference::random::Shape;
use lapidary_smt::Terms;
use lapidary_text::{Sources, Span};

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
pub fn variables() -> Model {
    let span = Span::new(Sources::default().add("tree", ""), 0, 0);
    let mut model = Model::default();
    let range = Domain::Range { lo: -1, hi: 2 };
    let domains = [Domain::Bool, Domain::Bool, range, Domain::Range { lo: 0, hi: 3 }, range, range, range];
    for (i, domain) in domains.into_iter().enumerate() {
        model.vars.push(Var { name: format!("v{i}"), domain, control: i == 3, life: Life::State, span });
    }
    model.families.push(Family { name: "row[_]".to_owned(), first: VarId(4), len: 3 });
    model
}

pub fn number(model: &Model, dice: &mut Dice, depth: u64) -> Expr {
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
    match dice.below(if depth == 0 { 4 } else { 9 }) {
        0 => Statement::Skip,
        1 => Statement::Assume(truth(model, dice, 2)),
        2 | 3 => Statement::Assign((0..1 + dice.below(3)).map(|_| assignment(model, dice)).collect()),
        4..=6 => Statement::Sequence(parts(dice)),
        7 => Statement::Choice(parts(dice)),
        _ => {
            let branches = [statement(model, dice, depth - 1), statement(model, dice, depth - 1)];
            let [then, otherwise] = branches.map(Box::new);
            Statement::If(truth(model, dice, 2), then, otherwise)
        }
    }
}

/// Some commands with random bodies, an initial condition, and in a third of the models an invariant.
pub fn statement_tree(seed: u64) -> Model {
    let mut dice = Dice(seed);
    let mut model = variables();
    let span = model.vars[VarId(0)].span;
    for i in 0..3 {
        let body = statement(&model, &mut dice, 3);
        let is_idle = dice.below(6) == 0;
        model.commands.push(Command { label: format!("c{i}"), body, faults: Vec::new(), is_idle, span });
    }
    model.init = vec![truth(&model, &mut dice, 2)];
    if seed.is_multiple_of(3) {
        model.invariant = vec![truth(&model, &mut dice, 2)];
    }
    model
}

/// Some state with every value in its domain; integers are small.
pub fn state(model: &Model, dice: &mut Dice) -> Vec<i64> {
    let value = |var: &Var| {
        if var.life == Life::Local {
            return var.domain.first();
        }
        let (lo, hi) = model.bounds(var.domain).unwrap_or((-3, 9));
        lo + dice.below((hi - lo + 1) as u64) as i64
    };
    model.vars.iter().map(value).collect()
}

/// One of the random `.gcl` models.
pub fn random_model(seed: u64) -> Model {
    let text = ast::Model::random(seed, &Shape::default()).to_gcl(seed);
    let mut sources = Sources::default();
    let source = sources.add(format!("random{seed}.gcl"), text.as_str());
    let (model, diagnostics) = gcl::load(&sources, source, &gcl::Options::default());
    model.unwrap_or_else(|| panic!("seed {seed}: {diagnostics:?}\n{text}"))
}

/// Terms must have a value wherever they are asked for it.
pub fn value(model: &Model, term: Expr, values: &[i64]) -> i128 {
    match eval::eval(model, term, values) {
        Ok(value) => value,
        Err(Error::Undefined) => panic!("a term without a value: {}", lapidary_ir::print::expr(model, term)),
        Err(Error::Overflow) => panic!("small numbers"),
    }
}

/// In order, as far as needed.
pub fn all_hold(model: &Model, conjuncts: &[Expr], values: &[i64]) -> bool {
    conjuncts.iter().all(|&part| value(model, part, values) != 0)
}

/// Calls `visit` with `state` and every combination of values of the inputs behind it, in the places of their symbols.
pub fn for_each_input(terms: &Terms<'_>, inputs: &[VarId], state: &[i64], visit: &mut dyn FnMut(&[i64])) {
    let mut values = state.to_vec();
    values.resize(terms.len(), 0);
    go(terms, inputs, &mut values, visit);
    fn go(terms: &Terms<'_>, inputs: &[VarId], values: &mut [i64], visit: &mut dyn FnMut(&[i64])) {
        let Some((&input, rest)) = inputs.split_first() else { return visit(values) };
        let (lo, hi) = terms.model().bounds(terms.domain(input)).expect("finite inputs");
        for value in lo..=hi {
            values[input.0 as usize] = value;
            go(terms, rest, values, visit);
        }
    }
}
