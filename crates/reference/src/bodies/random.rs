//! Models with random bodies, from a seed.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_ir::{
    Assignment, Command, Destination, Domain, EnumId, EnumType, Expr, Family, FamilyId, Life, Model, Property,
    PropertyKind, Rhs, Statement, Var, VarId,
};
use lapidary_text::{SourceId, Span};

use super::{Locals, Loops, Shape, State};
use crate::dice::Dice;
use crate::expressions::{Leaves, Values};

pub(super) const NOWHERE: Span = Span::new(SourceId(0), 0, 0);

pub const P: VarId = VarId(0);
pub const X: VarId = VarId(1);
pub const Y: VarId = VarId(2);
pub const E: VarId = VarId(3);
/// `row[0]` and `row[1]`.
pub const ROW: FamilyId = FamilyId(0);
const T: VarId = VarId(6);
const B: VarId = VarId(7);
/// `own[0]` and `own[1]`, local.
const OWN: FamilyId = FamilyId(1);
/// Counters of loops, one for each loop around another.
const COUNTERS: [VarId; 2] = [VarId(10), VarId(11)];

pub(super) const N_LITERALS: u32 = 3;
/// More ways than paths are listed one by one.
const N_BRANCHES: usize = 7;

/// `p: bool; x: -1..1; y: 0..3; e: {u, v, w}; row: (0..2)[2]`, and if they are wanted the local variables
/// `t: -1..1; b: bool; own: (0..2)[2]` and two counters.
pub fn variables(locals: Locals) -> Model {
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
    let mut model = variables(shape.locals);
    let dice = &mut Dice::new(seed);
    for i in 0..2 + dice.below(2) {
        let body = statement(&model, dice, shape);
        let is_idle = dice.percent(10);
        let label = format!("c{i}");
        model.commands.push(Command { label, body, faults: Vec::new(), is_idle, span: NOWHERE });
    }
    model.init = vec![truth(&model, dice, 2, Values::Perhaps)];
    if seed.is_multiple_of(3) {
        model.start = statement(&model, dice, Shape { depth: shape.depth.min(3), ..shape });
    }
    if seed % 3 == 1 {
        model.invariant = vec![invariant(&model, dice)];
    }
    let e = &model.exprs;
    let safe = [0; 2].map(|_| truth(&model, dice, 0, Values::Perhaps));
    let safe = e.or([safe[0], safe[1], e.eq(e.var(X), e.int(0))]);
    let nothing = e.bool(true);
    for (name, kind) in [
        ("safe", PropertyKind::Invariant(safe)),
        ("true", PropertyKind::Invariant(nothing)),
        ("progress", PropertyKind::DeadlockFree),
    ] {
        let (name, text) = (name.to_owned(), String::new());
        model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE });
    }
    model
}

/// Either something that most states satisfy, or that one variable has the value of others.
fn invariant(model: &Model, dice: &mut Dice) -> Expr {
    if dice.percent(50) {
        return definition(model, dice);
    }
    let part = truth(model, dice, 2, Values::Perhaps);
    model.exprs.or([part, model.exprs.var(P)])
}

/// That `y` has the value of others.
pub fn definition(model: &Model, dice: &mut Dice) -> Expr {
    let value = number(model, dice, 1, Values::Perhaps);
    model.exprs.eq(model.exprs.var(Y), value)
}

/// A body for a model with [`variables`].
pub fn statement(model: &Model, dice: &mut Dice, shape: Shape) -> Statement {
    Maker::new(model, dice, shape).statement(shape.depth)
}

/// A body with more ways through it than anybody lists: within a loop if there may be any, or after many branches.
pub fn winding(model: &Model, dice: &mut Dice, shape: Shape) -> Statement {
    if shape.loops != Loops::None && !dice.one_in(3) {
        return Maker::new(model, dice, shape).repetition(shape.depth);
    }
    let branch = Statement::If(model.exprs.var(P), Box::new(Statement::Skip), Box::new(Statement::Skip));
    let body = statement(model, dice, shape);
    Statement::Sequence(std::iter::repeat_n(branch, N_BRANCHES).chain([body]).collect())
}

/// An assignment to variables that are not local.
pub fn assignment(model: &Model, dice: &mut Dice) -> Assignment {
    Maker::new(model, dice, Shape::default()).assignment()
}

/// A condition over variables that are not local.
pub fn truth(model: &Model, dice: &mut Dice, depth: usize, values: Values) -> Expr {
    leaves(model, &BTreeSet::new(), values).truth(&model.exprs, dice, depth)
}

/// A number, of variables that are not local.
pub fn number(model: &Model, dice: &mut Dice, depth: usize, values: Values) -> Expr {
    leaves(model, &BTreeSet::new(), values).number(&model.exprs, dice, depth)
}

/// Any state; local variables have their first values, and variables without bounds small ones.
pub fn state(model: &Model, dice: &mut Dice) -> State {
    let value = |var: &Var| match var.life {
        Life::Local => model.first(var.domain),
        Life::State => {
            let (lo, hi) = model.bounds(var.domain).unwrap_or((-3, 9));
            dice.between(lo, hi)
        }
    };
    model.vars.iter().map(value).collect()
}

/// What expressions are made of where these local variables have a scope.
fn leaves(model: &Model, open: &BTreeSet<VarId>, values: Values) -> Leaves {
    let e = &model.exprs;
    let locals = [T, T, VarId(8), VarId(9), COUNTERS[0], COUNTERS[1]].into_iter().filter(|var| open.contains(var));
    let numbers = [X, X, Y, Y, VarId(4), VarId(5)].into_iter().chain(locals).map(|var| e.var(var)).collect();
    let literals = (0..N_LITERALS).map(|number| e.eq(e.var(E), e.literal(EnumId(0), number)));
    let (p, x, y) = (e.var(P), e.var(X), e.var(Y));
    let own = [B, B].into_iter().filter(|var| open.contains(var)).map(|var| e.var(var));
    let truths = [p, p, e.not(p), e.lt(x, y), e.eq(x, e.int(0)), e.lt(e.var(VarId(4)), e.int(2))];
    let truths = truths.into_iter().chain(literals).chain(own).collect();
    let rows = [(ROW, 2), (OWN, 2)].into_iter().filter(|&(row, _)| row == ROW || open.contains(&VarId(8))).collect();
    Leaves { numbers, truths, rows, values }
}

struct Maker<'a> {
    dice: &'a mut Dice,
    model: &'a Model,
    shape: Shape,
    /// The local variables that have a scope here.
    open: BTreeSet<VarId>,
    /// How many loops with a counter there are around.
    n_counters: usize,
}

impl<'a> Maker<'a> {
    fn new(model: &'a Model, dice: &'a mut Dice, shape: Shape) -> Self {
        Self { dice, model, shape, open: BTreeSet::new(), n_counters: 0 }
    }

    fn is_open(&self, var: VarId) -> bool {
        self.open.contains(&var)
    }

    fn number(&mut self, depth: usize) -> Expr {
        leaves(self.model, &self.open, Values::Perhaps).number(&self.model.exprs, self.dice, depth)
    }

    fn truth(&mut self, depth: usize) -> Expr {
        leaves(self.model, &self.open, Values::Perhaps).truth(&self.model.exprs, self.dice, depth)
    }

    fn literal(&mut self) -> Expr {
        self.model.exprs.literal(EnumId(0), self.dice.below(N_LITERALS))
    }

    fn statement(&mut self, depth: usize) -> Statement {
        if depth == 0 {
            return self.simple();
        }
        match self.dice.below(14) {
            0..=2 => self.simple(),
            3..=6 => {
                let n_parts = self.dice.pick(&[0, 2, 2, 3, 3, 4]);
                Statement::Sequence((0..n_parts).map(|_| self.statement(depth - 1)).collect())
            }
            7 => {
                let n_parts = self.dice.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 3, 3]);
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
                self.model.exprs.int(self.dice.below(2))
            }
            Destination::Var(_) | Destination::Cell(..) if self.dice.percent(40) => self.number(2),
            Destination::Var(X | T) => self.cyclic(-1, 1),
            Destination::Var(Y) => self.cyclic(0, 3),
            Destination::Var(_) | Destination::Cell(..) => self.cyclic(0, 2),
        };
        Assignment { to, value: Rhs::Expr(value) }
    }

    /// A number that is one of these, if it is any.
    fn cyclic(&mut self, lo: i64, hi: i64) -> Expr {
        let number = self.number(2);
        let e = &self.model.exprs;
        let remainder = e.modulo(number, e.int(hi - lo + 1));
        if lo == 0 { remainder } else { e.add([remainder, e.int(lo)]) }
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
        let (bound, further) = (self.dice.between(1, 3), self.truth(1));
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

    #[test]
    fn many_models_have_each_feature_and_many_states_have_steps() {
        const FEATURES: [&str; 9] =
            [" if ", "choice", "while", "scope", ":= any", "row[_](", "own[_](", " div ", " mod "];
        let (mut n_with, mut n_stuck, mut n_states) = ([0; FEATURES.len()], 0, 0);
        for seed in 0..200 {
            let model = model(seed, Shape::default());
            let text = lapidary_ir::print::model(&model);
            FEATURES.iter().zip(&mut n_with).for_each(|(feature, n)| *n += usize::from(text.contains(feature)));
            for state in super::super::states(&model).iter().step_by(61) {
                n_states += 1;
                n_stuck += usize::from(super::super::successors(&model, state).is_empty());
            }
        }
        assert!(n_with.iter().all(|&n| n > 40), "{FEATURES:?}: {n_with:?}");
        assert!((n_states / 10..n_states / 10 * 9).contains(&n_stuck), "{n_stuck} of {n_states} have no step");
    }
}
