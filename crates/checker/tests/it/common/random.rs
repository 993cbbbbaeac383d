//! Random expressions, statements and small models; equal seeds give equal ones.
#![allow(dead_code, reason = "each test uses a part of it")]

use lapidary_ir::model::Raw;
use lapidary_ir::{
    Assignment, Command, Destination, Domain, EnumType, Expr, Family, Fault, Life, Model, Property, PropertyKind, Rhs,
    Statement, Var, VarId,
};
use lapidary_text::{SourceId, Span};

const NOWHERE: Span = Span::new(SourceId(0), 0, 0);
const N_LITERALS: usize = 3;

/// A xorshift generator (Marsaglia 2003).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn number(&mut self, lo: Raw, hi: Raw) -> Raw {
        lo + self.below((hi - lo + 1) as usize) as Raw
    }
}

/// May an expression be without value?
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Everywhere,
    Perhaps,
}

/// `p, q: bool; x: -1..2; e: {u, v, w}; a: (0..2)[3]`, without commands.
pub fn variables() -> Model {
    let mut model = Model::default();
    let literals = ["u", "v", "w"].map(str::to_owned).to_vec();
    let enumeration = model.enums.push(EnumType { name: "E".to_owned(), literals });
    let digit = Domain::Range { lo: 0, hi: 2 };
    let domains = [
        ("p", Domain::Bool),
        ("q", Domain::Bool),
        ("x", Domain::Range { lo: -1, hi: 2 }),
        ("e", Domain::Enum(enumeration)),
        ("a[0]", digit),
        ("a[1]", digit),
        ("a[2]", digit),
    ];
    for (name, domain) in domains {
        model.vars.push(Var { name: name.to_owned(), domain, control: false, life: Life::State, span: NOWHERE });
    }
    model.families.push(Family { name: "a[_]".to_owned(), first: VarId(4), len: 3 });
    model
}

const P: VarId = VarId(0);
const Q: VarId = VarId(1);
const X: VarId = VarId(2);
const E: VarId = VarId(3);
const FIRST_CELL: u32 = 4;
const CELLS: lapidary_ir::FamilyId = lapidary_ir::FamilyId(0);

pub fn all_states(model: &Model) -> Vec<Vec<Raw>> {
    model.vars.iter().fold(vec![Vec::new()], |states, var| {
        let (lo, hi) = model.bounds(var.domain).expect("the variables are finite");
        let extend = |state: Vec<Raw>| (lo..=hi).map(move |value| [state.as_slice(), &[value]].concat());
        states.into_iter().flat_map(extend).collect()
    })
}

pub fn truth(model: &Model, dice: &mut Dice, depth: usize, values: Values) -> Expr {
    let e = &model.exprs;
    if depth == 0 || dice.one_in(5) {
        return leaf_truth(model, dice);
    }
    let part = |dice: &mut Dice| truth(model, dice, depth - 1, values);
    let term = |dice: &mut Dice| number(model, dice, depth - 1, values);
    match dice.below(8) {
        0 => e.not(part(dice)),
        1 => e.and([part(dice), part(dice), part(dice)]),
        2 => e.or([part(dice), part(dice)]),
        3 => e.ite(part(dice), part(dice), part(dice)),
        4 => e.eq(part(dice), part(dice)),
        5 => e.eq(term(dice), term(dice)),
        6 => e.lt(term(dice), term(dice)),
        _ => e.le(term(dice), term(dice)),
    }
}

pub fn leaf_truth(model: &Model, dice: &mut Dice) -> Expr {
    let e = &model.exprs;
    match dice.below(8) {
        0 => e.var(P),
        1 => e.not(e.var(Q)),
        2 => e.var(Q),
        3 => e.eq(e.var(X), e.int(dice.number(-2, 3))),
        4 => e.le(e.int(dice.number(-1, 2)), e.var(X)),
        5 => e.lt(e.var(VarId(FIRST_CELL + dice.below(3) as u32)), e.int(dice.number(0, 3))),
        _ => e.eq(e.var(E), literal(model, dice)),
    }
}

fn literal(model: &Model, dice: &mut Dice) -> Expr {
    model.exprs.literal(lapidary_ir::EnumId(0), dice.below(N_LITERALS) as u32)
}

pub fn number(model: &Model, dice: &mut Dice, depth: usize, values: Values) -> Expr {
    let e = &model.exprs;
    if depth == 0 || dice.one_in(4) {
        return match dice.below(4) {
            0 => e.int(dice.number(-2, 3)),
            1 => e.var(X),
            2 => e.cell(CELLS, e.int(dice.number(0, 2))),
            _ => e.var(VarId(FIRST_CELL + dice.below(3) as u32)),
        };
    }
    let part = |dice: &mut Dice| number(model, dice, depth - 1, values);
    let n_kinds = if values == Values::Everywhere { 6 } else { 9 };
    match dice.below(n_kinds) {
        0 => e.add([part(dice), part(dice)]),
        1 => e.add([e.var(X), e.int(dice.number(-2, 2))]),
        2 => e.neg(part(dice)),
        3 => e.mul(part(dice), part(dice)),
        4 => e.ite(truth(model, dice, depth - 1, values), part(dice), part(dice)),
        5 => e.sub(part(dice), part(dice)),
        6 => e.div(part(dice), part(dice)),
        7 => e.modulo(part(dice), part(dice)),
        _ => e.cell(CELLS, part(dice)),
    }
}

fn assignment(model: &Model, dice: &mut Dice) -> Assignment {
    let e = &model.exprs;
    let (to, value) = match dice.below(7) {
        0 => (Destination::Var(P), truth(model, dice, 2, Values::Perhaps)),
        1 => (Destination::Var(Q), e.bool(dice.one_in(2))),
        2 => (Destination::Var(X), number(model, dice, 2, Values::Perhaps)),
        3 => (Destination::Var(X), e.add([e.var(X), e.int(1)])),
        4 => (Destination::Var(E), literal(model, dice)),
        5 => (Destination::Cell(CELLS, number(model, dice, 1, Values::Perhaps)), e.int(dice.number(0, 2))),
        _ => (Destination::Cell(CELLS, e.int(dice.number(0, 2))), number(model, dice, 2, Values::Perhaps)),
    };
    let value = if dice.one_in(6) { Rhs::Any } else { Rhs::Expr(value) };
    Assignment { to, value }
}

pub fn statement(model: &Model, dice: &mut Dice, depth: usize) -> Statement {
    let part = |dice: &mut Dice| statement(model, dice, depth.saturating_sub(1));
    let n_kinds = if depth == 0 { 3 } else { 7 };
    match dice.below(n_kinds) {
        0 => Statement::Assume(truth(model, dice, 2, Values::Perhaps)),
        1 => Statement::Assign((0..1 + dice.below(2)).map(|_| assignment(model, dice)).collect()),
        2 => Statement::Skip,
        3 | 4 => Statement::Sequence((0..dice.below(4)).map(|_| part(dice)).collect()),
        5 => Statement::Choice((0..dice.below(4)).map(|_| part(dice)).collect()),
        _ => Statement::If(truth(model, dice, 2, Values::Perhaps), Box::new(part(dice)), Box::new(part(dice))),
    }
}

fn body(model: &Model, dice: &mut Dice) -> Statement {
    if dice.one_in(3) {
        return statement(model, dice, 3);
    }
    let e = &model.exprs;
    let guards = (0..1 + dice.below(3)).map(|_| leaf_truth(model, dice));
    let guard = Statement::Assume(e.and(guards.collect::<Vec<_>>()));
    let update = Statement::Assign((0..1 + dice.below(2)).map(|_| assignment(model, dice)).collect());
    Statement::Sequence(vec![guard, update])
}

/// A model over [`variables`] with an invariant, a `reach`, a `deadlock_free` and a `no_errors` property.
pub fn model(dice: &mut Dice) -> Model {
    let mut model = variables();
    let e = model.exprs.clone();
    let start = [e.var(P), e.eq(e.var(X), e.int(0)), e.eq(e.var(E), literal(&model, dice)), e.eq(e.var(Q), e.var(P))];
    let init = start.into_iter().chain(dice.one_in(2).then(|| truth(&model, dice, 1, Values::Perhaps))).collect();
    model.init = init;
    if dice.one_in(3) {
        let part = truth(&model, dice, 2, Values::Perhaps);
        model.invariant.push(part);
    }
    for i in 0..2 + dice.below(12) {
        let body = body(&model, dice);
        let when = model.exprs.and([truth(&model, dice, 1, Values::Everywhere), leaf_truth(&model, dice)]);
        let fault = Fault { when, what: "some fault".to_owned(), span: NOWHERE };
        let faults = if dice.one_in(8) { vec![fault] } else { Vec::new() };
        model.commands.push(Command { label: format!("c{i}"), body, faults, is_idle: false, span: NOWHERE });
    }
    let formula = truth(&model, dice, 2, Values::Perhaps);
    let wanted = truth(&model, dice, 2, Values::Everywhere);
    let kinds = [
        ("safe", PropertyKind::Invariant(formula)),
        ("goal", PropertyKind::Reach(wanted)),
        ("progress", PropertyKind::DeadlockFree),
        ("no_errors", PropertyKind::NoErrors),
    ];
    for (name, kind) in kinds {
        let (name, text) = (name.to_owned(), String::new());
        model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE });
    }
    model
}
