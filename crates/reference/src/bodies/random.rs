//! Models with random bodies, from a seed.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::{
    Assignment, Command, Destination, Domain, EnumId, EnumType, Expr, Family, FamilyId, Life, Model, Property,
    PropertyKind, Rhs, Statement, Var, VarId,
};
use lapidary_text::{SourceId, Span};

use super::{Locals, Loops, Shape};
use crate::dice::Dice;

const NOWHERE: Span = Span::new(SourceId(0), 0, 0);

const P: VarId = VarId(0);
const X: VarId = VarId(1);
const Y: VarId = VarId(2);
const E: VarId = VarId(3);
/// `row[0]` and `row[1]`.
const ROW: FamilyId = FamilyId(0);
const T: VarId = VarId(6);
const B: VarId = VarId(7);
/// `own[0]` and `own[1]`, local.
const OWN: FamilyId = FamilyId(1);
/// Counters of loops, one for each loop around another.
const COUNTERS: [VarId; 2] = [VarId(10), VarId(11)];

const N_LITERALS: usize = 3;

/// `p: bool; x: -1..1; y: 0..3; e: {u, v, w}; row: (0..2)[2]`, and if they are wanted the local variables
/// `t: -1..1; b: bool; own: (0..2)[2]` and two counters.
fn variables(locals: Locals) -> Model {
    let mut model = Model::default();
    let literals = ["u", "v", "w"].map(str::to_owned).to_vec();
    let letters = model.enums.push(EnumType { name: "Letter".to_owned(), literals });
    let (sign, digit) = (Domain::Range { lo: -1, hi: 1 }, Domain::Range { lo: 0, hi: 2 });
    let counter = Domain::Range { lo: 0, hi: 4 };
    let kept = [("p", Domain::Bool), ("x", sign), ("y", Domain::Range { lo: 0, hi: 3 }), ("e", Domain::Enum(letters))];
    let kept = kept.into_iter().chain([("row[0]", digit), ("row[1]", digit)]);
    let own = [("t", sign), ("b", Domain::Bool), ("own[0]", digit), ("own[1]", digit), ("i", counter), ("j", counter)];
    let own = own.into_iter().filter(|_| locals == Locals::Some);
    for ((name, domain), life) in kept.map(|var| (var, Life::State)).chain(own.map(|var| (var, Life::Local))) {
        let control = name == "e";
        model.vars.push(Var { name: name.to_owned(), domain, control, life, span: NOWHERE });
    }
    model.families.push(Family { name: "row[_]".to_owned(), first: VarId(4), len: 2 });
    if locals == Locals::Some {
        model.families.push(Family { name: "own[_]".to_owned(), first: VarId(8), len: 2 });
    }
    model
}

/// Two or three commands with random bodies, an initial condition, in a third of the models a start, and in a third of them
/// an invariant. The property `safe` says something, `true` nothing, `progress` that there is always a step.
pub fn model(seed: u64, shape: Shape) -> Model {
    let mut maker = Maker::new(seed, variables(shape.locals), shape);
    for i in 0..2 + maker.dice.below(2) {
        let body = maker.statement(shape.depth);
        let is_idle = maker.dice.percent(10);
        let label = format!("c{i}");
        maker.model.commands.push(Command { label, body, faults: Vec::new(), is_idle, span: NOWHERE });
    }
    maker.model.init = vec![maker.truth(2)];
    if seed.is_multiple_of(3) {
        maker.model.start = maker.statement(shape.depth.min(3));
    }
    if seed % 3 == 1 {
        maker.model.invariant = vec![maker.invariant()];
    }
    let safe = [maker.truth(0), maker.truth(0)];
    let e = &maker.model.exprs;
    let safe = e.or([safe[0], safe[1], e.eq(e.var(X), e.int(0))]);
    let nothing = e.bool(true);
    for (name, kind) in [
        ("safe", PropertyKind::Invariant(safe)),
        ("true", PropertyKind::Invariant(nothing)),
        ("progress", PropertyKind::DeadlockFree),
    ] {
        let (name, text) = (name.to_owned(), String::new());
        maker.model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE });
    }
    maker.model
}

/// One more body for a model of [`model`].
pub fn body(model: Model, seed: u64, shape: Shape) -> (Model, Statement) {
    let mut maker = Maker::new(seed, model, shape);
    let body = maker.statement(shape.depth);
    (maker.model, body)
}

/// One more condition over the states of a model of [`model`]; it may have no value somewhere.
pub fn formula(model: Model, seed: u64, depth: usize) -> (Model, Expr) {
    let mut maker = Maker::new(seed, model, Shape::default());
    let formula = maker.truth(depth);
    (maker.model, formula)
}

struct Maker {
    dice: Dice,
    model: Model,
    shape: Shape,
    /// The local variables that have a scope here.
    open: BTreeSet<VarId>,
    /// How many loops with a counter there are around.
    n_counters: usize,
}

impl Maker {
    fn new(seed: u64, model: Model, shape: Shape) -> Self {
        Self { dice: Dice::new(seed), model, shape, open: BTreeSet::new(), n_counters: 0 }
    }

    fn small(&mut self, lo: i64, hi: i64) -> i64 {
        i64::try_from(self.dice.between(i128::from(lo), i128::from(hi))).expect("small numbers")
    }

    fn is_open(&self, var: VarId) -> bool {
        self.open.contains(&var)
    }

    fn number(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.dice.percent(30) {
            return self.leaf();
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        let e = &self.model.exprs;
        match self.dice.below(9) {
            0 | 1 => e.add([a, b]),
            2 => e.sub(a, b),
            3 => e.mul(a, b),
            4 => e.div(a, b),
            5 => e.modulo(a, b),
            6 => e.cell(ROW, a),
            7 if self.is_open(VarId(8)) => e.cell(OWN, a),
            _ => {
                let condition = self.truth(depth - 1);
                self.model.exprs.ite(condition, a, b)
            }
        }
    }

    fn leaf(&mut self) -> Expr {
        let constant = self.small(-1, 3);
        let counter = COUNTERS[self.dice.below(2)];
        let e = &self.model.exprs;
        match self.dice.below(9) {
            0 | 1 => e.int(constant),
            2 => e.var(X),
            3 => e.cell(ROW, e.int(constant.clamp(0, 1))),
            4 | 5 if self.is_open(T) => e.var(T),
            6 if self.is_open(counter) => e.var(counter),
            7 if self.is_open(VarId(8)) => e.cell(OWN, e.int(constant.clamp(0, 1))),
            _ => e.var(Y),
        }
    }

    fn truth(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.dice.percent(20) {
            let literal = self.literal();
            let e = &self.model.exprs;
            return match self.dice.below(4) {
                0 => e.eq(e.var(E), literal),
                1 if self.is_open(B) => e.var(B),
                2 => e.lt(e.var(X), e.var(Y)),
                _ => e.var(P),
            };
        }
        match self.dice.below(8) {
            0 => {
                let part = self.truth(depth - 1);
                self.model.exprs.not(part)
            }
            1 => {
                let parts = [self.truth(depth - 1), self.truth(depth - 1)];
                self.model.exprs.and(parts)
            }
            2 => {
                let parts = [self.truth(depth - 1), self.truth(depth - 1)];
                self.model.exprs.or(parts)
            }
            3 => {
                let parts = [self.truth(depth - 1), self.truth(depth - 1)];
                self.model.exprs.eq(parts[0], parts[1])
            }
            kind => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                let e = &self.model.exprs;
                match kind {
                    4 => e.eq(a, b),
                    5 => e.lt(a, b),
                    _ => e.le(a, b),
                }
            }
        }
    }

    fn literal(&mut self) -> Expr {
        let number = u32::try_from(self.dice.below(N_LITERALS)).expect("few literals");
        self.model.exprs.literal(EnumId(0), number)
    }

    /// Either something that most states satisfy, or that one variable has the value of others.
    fn invariant(&mut self) -> Expr {
        if self.dice.percent(50) {
            let value = self.number(1);
            return self.model.exprs.eq(self.model.exprs.var(Y), value);
        }
        let part = self.truth(2);
        self.model.exprs.or([part, self.model.exprs.var(P)])
    }

    fn statement(&mut self, depth: usize) -> Statement {
        if depth == 0 {
            return self.simple();
        }
        match self.dice.below(14) {
            0..=2 => self.simple(),
            3..=6 => {
                let n_parts = 2 + self.dice.below(3);
                Statement::Sequence((0..n_parts).map(|_| self.statement(depth - 1)).collect())
            }
            7 => {
                let n_parts = 1 + self.dice.below(3);
                Statement::Choice((0..n_parts).map(|_| self.statement(depth - 1)).collect())
            }
            8..=10 => {
                let condition = self.truth(2);
                let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
                Statement::If(condition, Box::new(then), Box::new(otherwise))
            }
            11 => self.scope(depth),
            _ => self.repetition(depth),
        }
    }

    fn simple(&mut self) -> Statement {
        match self.dice.below(8) {
            0 => Statement::Skip,
            1 => Statement::Assume(self.truth(2)),
            _ => {
                let n_parts = 1 + self.dice.below(2);
                Statement::Assign((0..n_parts).map(|_| self.assignment()).collect())
            }
        }
    }

    /// Mostly of a value that its variable may have.
    fn assignment(&mut self) -> Assignment {
        let index = self.number(1);
        let to = match self.dice.below(12) {
            0 | 1 => Destination::Cell(ROW, index),
            2 | 3 if self.is_open(VarId(8)) => Destination::Cell(OWN, index),
            4 | 5 if self.is_open(T) => Destination::Var(T),
            6 if self.is_open(B) => Destination::Var(B),
            7 => Destination::Var(P),
            8 => Destination::Var(E),
            9 => Destination::Var(X),
            10 => Destination::Var(VarId::new(4 + self.dice.below(2))),
            _ => Destination::Var(Y),
        };
        if self.dice.percent(15) {
            return Assignment { to, value: Rhs::Any };
        }
        let value = match to {
            Destination::Var(P | B) => self.truth(2),
            Destination::Var(E) => self.literal(),
            Destination::Var(_) | Destination::Cell(..) if self.dice.percent(40) => {
                let constant = self.small(0, 1);
                self.model.exprs.int(constant)
            }
            Destination::Var(_) | Destination::Cell(..) => self.number(2),
        };
        Assignment { to, value: Rhs::Expr(value) }
    }

    fn scope(&mut self, depth: usize) -> Statement {
        if self.shape.locals == Locals::None {
            return self.statement(depth - 1);
        }
        let groups: [&[VarId]; 3] = [&[T], &[B], &[VarId(8), VarId(9)]];
        let mut locals = Vec::new();
        for group in groups {
            if !self.is_open(group[0]) && self.dice.percent(60) {
                locals.extend(group);
            }
        }
        let body = self.within(&locals, |maker| maker.statement(depth - 1));
        Statement::Scope(locals, Box::new(body))
    }

    fn within(&mut self, locals: &[VarId], make: impl FnOnce(&mut Self) -> Statement) -> Statement {
        self.open.extend(locals);
        let made = make(self);
        locals.iter().for_each(|local| {
            self.open.remove(local);
        });
        made
    }

    fn repetition(&mut self, depth: usize) -> Statement {
        let is_free = self.shape.loops == Loops::Any && self.dice.percent(40);
        match (self.shape.loops, COUNTERS.get(self.n_counters).copied()) {
            (Loops::None, _) => self.statement(depth - 1),
            (Loops::Any, _) if is_free => {
                let condition = self.truth(2);
                Statement::While(condition, Box::new(self.statement(depth - 1)))
            }
            (Loops::Bounded | Loops::Any, Some(counter)) if self.shape.locals == Locals::Some => {
                self.n_counters += 1;
                let counted = self.within(&[counter], |maker| maker.counted(counter, depth));
                self.n_counters -= 1;
                Statement::Scope(vec![counter], Box::new(counted))
            }
            (Loops::Bounded | Loops::Any, _) => self.statement(depth - 1),
        }
    }

    /// Nothing but the end of each turn writes the counter, and what bounds it is a constant or reads as it was.
    fn counted(&mut self, counter: VarId, depth: usize) -> Statement {
        let (bound, further) = (self.small(1, 3), self.truth(1));
        let body = self.statement(depth - 1);
        let e = &self.model.exprs;
        let bound = if self.dice.percent(30) { e.var(Y) } else { e.int(bound) };
        let low = e.lt(e.var(counter), bound);
        let condition = if self.dice.percent(30) { e.and([low, further]) } else { low };
        let next = Assignment { to: Destination::Var(counter), value: Rhs::Expr(e.add([e.var(counter), e.int(1)])) };
        Statement::While(condition, Box::new(Statement::Sequence(vec![body, Statement::Assign(vec![next])])))
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::validate::validate;

    use super::*;

    #[test]
    fn the_models_are_valid_and_have_what_their_shape_says() {
        for seed in 0..600 {
            for loops in [Loops::None, Loops::Bounded, Loops::Any] {
                let shape = Shape { loops, ..Shape::default() };
                let model = model(seed, shape);
                assert_eq!(validate(&model), Ok(()), "seed {seed}");
                let text = lapidary_ir::print::model(&model);
                assert!(loops != Loops::None || !text.contains("while"), "seed {seed}\n{text}");
            }
            let plain = Shape { loops: Loops::Any, locals: Locals::None, depth: 3 };
            assert!(!lapidary_ir::print::model(&model(seed, plain)).contains("scope"));
        }
    }
}
