//! Models about bit-vectors and arrays, small enough to try all of their states.

use lapidary_base::Id;
use lapidary_ir::{
    ArrayId, ArrayType, Assignment, Command, Destination, Domain, EnumType, Expr, Family, FamilyId, Function, Life,
    Model, Property, PropertyKind, Rhs, Sort, Statement, Var, VarId,
};

use super::random::NOWHERE;
use crate::dice::Dice;
use crate::expressions::Values;

/// Whether there are arrays beside bit-vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    None,
    Some,
}

/// Two or three commands without loops, an initial condition, in a third of the models a start and in a third an invariant, and
/// properties `safe`, `goal` and `progress`.
pub fn words(seed: u64, arrays: Arrays) -> Model {
    let dice = &mut Dice::new(seed);
    let mut model = variables(dice, arrays);
    for i in 0..2 + dice.below(2) {
        let body = Maker { model: &model, dice, is_open: false, values: Values::Perhaps }.statement(3);
        let label = format!("c{i}");
        model.commands.push(Command { label, body, faults: Vec::new(), is_idle: false, span: NOWHERE });
    }
    model.init = (0..2).map(|_| truth(&model, dice, 2)).collect();
    if seed.is_multiple_of(3) {
        model.start = Maker { model: &model, dice, is_open: false, values: Values::Perhaps }.statement(2);
    }
    if seed % 3 == 1 {
        let part = truth(&model, dice, 2);
        model.invariant = vec![model.exprs.or([part, model.exprs.var(VarId(0))])];
    }
    let safe = [0; 3].map(|_| truth(&model, dice, 1));
    let kinds = [
        ("safe", PropertyKind::Invariant(model.exprs.or(safe))),
        ("goal", PropertyKind::Reach(truth(&model, dice, 2))),
        ("progress", PropertyKind::DeadlockFree),
    ];
    for (name, kind) in kinds {
        let (name, text) = (name.to_owned(), String::new());
        model.properties.push(Property { name, kind, faults: Vec::new(), text, span: NOWHERE });
    }
    model
}

/// A condition with a value in every state, of the variables that are not local.
pub fn truth(model: &Model, dice: &mut Dice, depth: usize) -> Expr {
    Maker { model, dice, is_open: false, values: Values::Everywhere }.of(Sort::Bool, depth)
}

/// An expression of any sort, of the variables that are not local.
pub fn expression(model: &Model, dice: &mut Dice, sort: Sort, depth: usize, values: Values) -> Expr {
    Maker { model, dice, is_open: false, values }.of(sort, depth)
}

/// `p: bool; x: -1..1; b, c: bits[1..3]; d: bits[1..2]`, a local variable like `b`; with arrays some of these are missing.
fn variables(dice: &mut Dice, arrays: Arrays) -> Model {
    let mut model = Model::default();
    let literals = ["u", "v", "w"].map(str::to_owned).to_vec();
    let letter = Sort::Enum(model.enums.push(EnumType { name: "Letter".to_owned(), literals }));
    let width = 1 + dice.below(3);
    let word = Domain::Bits(width);
    let mut vars = vec![("p", Domain::Bool, Life::State)];
    match arrays {
        Arrays::None => {
            vars.push(("x", Domain::Range { lo: -1, hi: 1 }, Life::State));
            let other = Domain::Bits(1 + dice.below(2));
            vars.extend([("b", word, Life::State), ("c", word, Life::State), ("d", other, Life::State)]);
            vars.push(("t", word, Life::Local));
        }
        Arrays::Some => {
            let e = &model.exprs;
            let bools = e.array(Sort::Bool, Sort::Bool);
            let list = [
                e.array(Sort::Bool, Sort::Bits(2)),
                e.array(letter, Sort::Bool),
                e.array(Sort::Bits(1), Sort::Array(bools)),
                e.array(Sort::Bits(2), Sort::Bool),
                e.array(Sort::Bool, letter),
            ];
            let (one, other) = (Domain::Array(dice.pick(&list)), Domain::Array(dice.pick(&list)));
            vars.extend([("b", Domain::Bits(2), Life::State), ("m", one, Life::State)]);
            match dice.below(3) {
                0 => vars.extend([
                    ("row[0]", Domain::Array(bools), Life::State),
                    ("row[1]", Domain::Array(bools), Life::State),
                ]),
                1 => vars.push(("n", other, Life::State)),
                _ => vars.push(("n", one, Life::State)),
            }
            vars.push(("t", one, Life::Local));
        }
    }
    for (name, domain, life) in vars {
        if name == "row[0]" {
            let first = VarId::new(model.vars.len());
            model.families.push(Family { name: "row[_]".to_owned(), first, len: 2 });
        }
        model.vars.push(Var { name: name.to_owned(), domain, control: false, life, span: NOWHERE });
    }
    model
}

struct Maker<'a> {
    model: &'a Model,
    dice: &'a mut Dice,
    /// Has the local variable a scope here?
    is_open: bool,
    values: Values,
}

impl Maker<'_> {
    fn local(&self) -> VarId {
        VarId::new(self.model.vars.len() - 1)
    }

    /// The variables that may be spoken of.
    fn vars(&self) -> impl Iterator<Item = VarId> + use<'_> {
        self.model.vars.ids().filter(|&var| self.is_open || !self.model.is_local(var))
    }

    fn statement(&mut self, depth: usize) -> Statement {
        if depth == 0 {
            return self.assign();
        }
        match self.dice.below(9) {
            0 => Statement::Assume(self.of(Sort::Bool, 2)),
            1 | 2 => Statement::Sequence(vec![self.statement(depth - 1), self.statement(depth - 1)]),
            3 => Statement::Choice(vec![self.statement(depth - 1), self.statement(depth - 1)]),
            4 => {
                let condition = self.of(Sort::Bool, 2);
                let (then, otherwise) = (self.statement(depth - 1), self.statement(depth - 1));
                Statement::If(condition, Box::new(then), Box::new(otherwise))
            }
            5 if !self.is_open => {
                self.is_open = true;
                let body = self.statement(depth - 1);
                self.is_open = false;
                Statement::Scope(vec![self.local()], Box::new(body))
            }
            _ => self.assign(),
        }
    }

    fn assign(&mut self) -> Statement {
        let list = (0..1 + self.dice.below(2)).map(|_| self.assignment()).collect();
        Statement::Assign(list)
    }

    fn assignment(&mut self) -> Assignment {
        let vars: Vec<VarId> = self.vars().collect();
        let var = self.dice.pick(&vars);
        let is_row = self.model.families.iter().any(|row| (row.first.0..row.first.0 + row.len).contains(&var.0));
        let to = match is_row && self.dice.one_in(2) {
            true => Destination::Cell(FamilyId(0), self.index()),
            false => Destination::Var(var),
        };
        let value = match self.dice.percent(15) {
            true => Rhs::Any,
            false => Rhs::Expr(self.of(self.model.vars[var].domain.sort(), 3)),
        };
        Assignment { to, value }
    }

    /// Of a row of two.
    fn index(&mut self) -> Expr {
        let number = self.of(Sort::Int, 1);
        match self.values {
            Values::Everywhere => self.model.exprs.modulo(number, self.model.exprs.int(2)),
            Values::Perhaps => number,
        }
    }

    fn of(&mut self, sort: Sort, depth: usize) -> Expr {
        if depth == 0 || self.dice.percent(15) {
            return self.leaf(sort);
        }
        let e = self.model.exprs.clone();
        let d = depth - 1;
        match self.dice.below(6) {
            0 => return e.ite(self.of(Sort::Bool, d), self.of(sort, d), self.of(sort, d)),
            1 | 2 => {
                let holds = |id: &ArrayId| e.array_type(*id).element == sort;
                let arrays: Vec<_> = self.arrays().into_iter().filter(holds).collect();
                if !arrays.is_empty() {
                    let id = self.dice.pick(&arrays);
                    let (array, index) = (self.of(Sort::Array(id), d), self.of(e.array_type(id).index, d));
                    return e.select_of(id, array, index);
                }
            }
            _ => {}
        }
        match sort {
            Sort::Bool => self.truth(d),
            Sort::Int => self.number(d),
            Sort::Bits(width) => self.bits(width, d),
            Sort::Enum(_) => self.leaf(sort),
            Sort::Array(id) => {
                let ArrayType { index, element } = e.array_type(id);
                match self.dice.below(4) {
                    0 => e.fill(id, self.of(element, d)),
                    _ => e.store_in(id, self.of(sort, d), self.of(index, d), self.of(element, d)),
                }
            }
        }
    }

    fn arrays(&self) -> Vec<ArrayId> {
        let id = |var: &Var| match var.domain {
            Domain::Array(id) => Some(id),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Bits(_) => None,
        };
        self.model.vars.iter().filter_map(id).collect()
    }

    fn leaf(&mut self, sort: Sort) -> Expr {
        let e = self.model.exprs.clone();
        let is_row = self.model.families.iter().any(|row| self.model.vars[row.first].domain.sort() == sort);
        if is_row && self.dice.one_in(3) {
            return e.cell(FamilyId(0), self.index());
        }
        let vars: Vec<VarId> = self.vars().filter(|&var| self.model.vars[var].domain.sort() == sort).collect();
        if !vars.is_empty() && self.dice.percent(80) {
            return e.var(self.dice.pick(&vars));
        }
        match sort {
            Sort::Bool => e.bool(self.dice.one_in(2)),
            Sort::Int => e.int(self.dice.between(-1, 2)),
            Sort::Enum(id) => e.literal(id, self.dice.below(3)),
            Sort::Bits(width) => e.bits(width, self.dice.below(1 << 16)),
            Sort::Array(id) => {
                let element = self.constant(e.array_type(id).element);
                e.fill(id, element)
            }
        }
    }

    fn constant(&mut self, sort: Sort) -> Expr {
        let e = self.model.exprs.clone();
        match sort {
            Sort::Bool => e.bool(self.dice.one_in(2)),
            Sort::Int => e.int(self.dice.between(-1, 2)),
            Sort::Enum(id) => e.literal(id, self.dice.below(3)),
            Sort::Bits(width) => e.bits(width, self.dice.below(1 << 16)),
            Sort::Array(id) => {
                let element = self.constant(e.array_type(id).element);
                e.fill(id, element)
            }
        }
    }

    fn truth(&mut self, d: usize) -> Expr {
        let e = self.model.exprs.clone();
        match self.dice.below(10) {
            0 => e.not(self.of(Sort::Bool, d)),
            1 => e.and([self.of(Sort::Bool, d), self.of(Sort::Bool, d)]),
            2 => e.or([self.of(Sort::Bool, d), self.of(Sort::Bool, d)]),
            3 => e.lt(self.of(Sort::Int, d), self.of(Sort::Int, d)),
            4 | 5 => {
                let sorts: Vec<Sort> = self.vars().map(|var| self.model.vars[var].domain.sort()).collect();
                let sort = self.dice.pick(&sorts);
                e.eq(self.of(sort, d), self.of(sort, d))
            }
            _ => {
                let function = self.dice.pick(&[Function::Ult, Function::Ule, Function::Slt, Function::Sle]);
                let sort = Sort::Bits(1 + self.dice.below(4));
                e.apply(function, [self.of(sort, d), self.of(sort, d)])
            }
        }
    }

    fn number(&mut self, d: usize) -> Expr {
        let e = self.model.exprs.clone();
        match self.dice.below(4) {
            0 => e.neg(self.of(Sort::Int, d)),
            1 if self.values == Values::Perhaps => e.div(self.of(Sort::Int, d), self.of(Sort::Int, d)),
            2 => e.modulo(self.of(Sort::Int, d), e.int(2)),
            _ => e.add([self.of(Sort::Int, d), self.of(Sort::Int, d)]),
        }
    }

    fn bits(&mut self, width: u32, d: usize) -> Expr {
        let e = self.model.exprs.clone();
        let sort = Sort::Bits(width);
        match self.dice.below(12) {
            0 => {
                let function = self.dice.pick(&[Function::BitNot, Function::BitNeg]);
                e.apply(function, [self.of(sort, d)])
            }
            1 => {
                let (low, above) = (self.dice.below(3), self.dice.below(2));
                let whole = self.of(Sort::Bits(low + width + above), d);
                e.extract(whole, low + width - 1, low)
            }
            2 | 3 if width > 1 => {
                let low = 1 + self.dice.below(width - 1);
                let part = self.of(Sort::Bits(low), d);
                match self.dice.below(3) {
                    0 => e.zero_extend(part, width),
                    1 => e.sign_extend(part, width),
                    _ => e.concat(self.of(Sort::Bits(width - low), d), part, width),
                }
            }
            4 => {
                let (a, b) = (self.of(sort, d), self.of(sort, d));
                match self.dice.below(5) {
                    0 => e.bit_sdiv(a, b, width),
                    1 => e.bit_srem(a, b, width),
                    2 => e.bit_smod(a, b, width),
                    3 => e.bit_rol(a, b, width),
                    _ => e.bit_ror(a, b, width),
                }
            }
            _ => {
                let binary: Vec<Function> = Function::PLAIN[2..12].to_vec();
                let function = self.dice.pick(&binary);
                e.apply(function, [self.of(sort, d), self.of(sort, d)])
            }
        }
    }
}
