//! Expressions as sets: where a condition is true, where it is false, and the bits of a number.
//!
//! Where an expression has no value, a condition is neither true nor false and a number is not defined.

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Declarations, Domain, Expr, FamilyId, Function, Node, Sort, VarId};
use oxidd::VarNo;

use super::bits;
use super::numbers::{self, Number};
use super::space::{Set, Space};
use crate::Rejection;

/// Diagrams have bits for numbers only.
fn arrays() -> Rejection {
    Stop::Incomplete("the checker cannot tell arrays by diagrams".to_owned()).into()
}

#[derive(Clone)]
pub struct Truth {
    pub yes: Set,
    pub no: Set,
}

#[derive(Clone)]
pub enum Value {
    Truth(Truth),
    Number { number: Number, defined: Set },
}

/// The bits that stand for a variable: its value less the least one, without a sign, the least bit first.
#[derive(Clone, Debug)]
pub struct Column {
    pub bits: Vec<VarNo>,
    pub lo: Raw,
    pub hi: Raw,
}

/// Reads expressions in the states that the columns describe. A variable with a definition is read through it.
pub struct Encoder<'a> {
    pub model: &'a Declarations,
    pub space: &'a Space<'a>,
    pub columns: &'a IdVec<VarId, Column>,
    /// The definitions in force; together they have no cycle.
    pub definitions: IdVec<VarId, Option<Expr>>,
    memory: Map<Expr, Value>,
    variables: Map<VarId, Value>,
}

impl<'a> Encoder<'a> {
    pub fn new(
        model: &'a Declarations,
        space: &'a Space<'a>,
        columns: &'a IdVec<VarId, Column>,
        definitions: IdVec<VarId, Option<Expr>>,
    ) -> Self {
        Self { model, space, columns, definitions, memory: Map::default(), variables: Map::default() }
    }

    pub fn truth(&mut self, expr: Expr) -> Result<Truth, Rejection> {
        match self.value(expr)? {
            Value::Truth(truth) => Ok(truth),
            // A Boolean as a number, where a definition or a destination is read bit by bit.
            Value::Number { number, defined } => {
                let zero = numbers::equal(self.space, &number, &Number::constant(self.space, 0)?)?;
                let no = self.space.and(&defined, &zero)?;
                Ok(Truth { yes: self.space.without(&defined, &zero)?, no })
            }
        }
    }

    /// The number of any expression, as states have it, and where it is defined.
    pub fn number(&mut self, expr: Expr) -> Result<(Number, Set), Rejection> {
        let value = self.value(expr)?;
        self.as_number(value)
    }

    pub fn variable_number(&mut self, var: VarId) -> Result<(Number, Set), Rejection> {
        let value = self.variable(var)?;
        self.as_number(value)
    }

    fn as_number(&self, value: Value) -> Result<(Number, Set), Rejection> {
        match value {
            Value::Number { number, defined } => Ok((number, defined)),
            Value::Truth(Truth { yes, no }) => {
                let defined = self.space.or(&yes, &no)?;
                Ok((Number::natural(self.space, vec![yes])?, defined))
            }
        }
    }

    fn variable(&mut self, var: VarId) -> Result<Value, Rejection> {
        if let Some(value) = self.variables.get(&var) {
            return Ok(value.clone());
        }
        let value = match self.definitions[var] {
            Some(definition) => self.value(definition)?,
            None => self.column(var)?,
        };
        self.variables.insert(var, value.clone());
        Ok(value)
    }

    fn column(&self, var: VarId) -> Result<Value, Rejection> {
        let (space, column) = (self.space, &self.columns[var]);
        let bits = column.bits.iter().map(|&bit| space.bit(bit)).collect::<Result<Vec<_>, _>>()?;
        if let (Domain::Bool, [bit]) = (self.model.vars[var].domain, &bits[..]) {
            return Ok(Value::Truth(Truth { yes: bit.clone(), no: space.not(bit)? }));
        }
        let lo = Number::constant(space, column.lo)?;
        let number = numbers::add(space, &Number::natural(space, bits)?, &lo)?;
        Ok(Value::Number { number, defined: space.all.clone() })
    }

    pub fn value(&mut self, expr: Expr) -> Result<Value, Rejection> {
        if let Some(value) = self.memory.get(&expr) {
            return Ok(value.clone());
        }
        let value = self.compute(expr)?;
        self.memory.insert(expr, value.clone());
        Ok(value)
    }

    fn compute(&mut self, expr: Expr) -> Result<Value, Rejection> {
        let (model, space) = (self.model, self.space);
        let constant = |value| Number::constant(space, value);
        match model.exprs.node(expr) {
            Node::Bool(value) => Ok(Value::Truth(self.certain(*value))),
            Node::Int(value) => Ok(self.total(constant(*value)?)),
            Node::Literal(_, position) => Ok(self.total(constant(Raw::from(*position))?)),
            Node::Bits(width, value) => {
                Ok(self.total(bits::constant(space, *width, &model.exprs.values().words(*width, *value))?))
            }
            Node::Value(..) => Err(arrays()),
            Node::Apply(function, parts) => self.apply(*function, parts),
            Node::Var(var) => self.variable(*var),
            Node::Cell(family, index) => self.cell(*family, *index),
            Node::Not(a) => {
                let Truth { yes, no } = self.truth(*a)?;
                Ok(Value::Truth(Truth { yes: no, no: yes }))
            }
            Node::And(parts) => Ok(Value::Truth(self.and(parts)?)),
            Node::Or(parts) => Ok(Value::Truth(self.or(parts)?)),
            Node::Ite(condition, then, otherwise) => self.ite(*condition, *then, *otherwise),
            Node::Eq(a, b) => self.compare(*a, *b, numbers::equal),
            Node::Lt(a, b) => self.compare(*a, *b, numbers::less),
            Node::Le(a, b) => self.compare(*a, *b, |space, a, b| space.not(&numbers::less(space, b, a)?)),
            Node::Add(parts) => {
                let mut sum = self.number(parts[0])?;
                for &part in &parts[1..] {
                    let (number, defined) = self.number(part)?;
                    sum = (numbers::add(space, &sum.0, &number)?, space.and(&sum.1, &defined)?);
                }
                Ok(Value::Number { number: sum.0, defined: sum.1 })
            }
            Node::Neg(a) => {
                let (number, defined) = self.number(*a)?;
                Ok(Value::Number { number: numbers::negate(space, &number)?, defined })
            }
            Node::Mul(a, b) => {
                let (x, y, defined) = self.pair(*a, *b)?;
                Ok(Value::Number { number: numbers::multiply(space, &x, &y)?, defined })
            }
            Node::Div(a, b) => self.quotient(*a, *b, |(quotient, _)| quotient),
            Node::Mod(a, b) => self.quotient(*a, *b, |(_, remainder)| remainder),
        }
    }

    fn apply(&mut self, function: Function, parts: &[Expr]) -> Result<Value, Rejection> {
        let mut all = self.space.all.clone();
        let mut numbers = Vec::with_capacity(parts.len());
        for &part in parts {
            let Sort::Bits(width) = self.model.sort(part) else { return Err(arrays()) };
            let (number, defined) = self.number(part)?;
            all = self.space.and(&all, &defined)?;
            numbers.push(bits::Vector { width: width as usize, number });
        }
        match bits::apply(self.space, function, &numbers)? {
            bits::Given::Vector(number) => Ok(Value::Number { number, defined: all }),
            bits::Given::Truth(holds) => {
                let no = self.space.without(&all, &holds)?;
                Ok(Value::Truth(Truth { yes: self.space.and(&all, &holds)?, no }))
            }
            bits::Given::Array => Err(arrays()),
        }
    }

    fn certain(&self, value: bool) -> Truth {
        let (all, none) = (self.space.all.clone(), self.space.none.clone());
        if value { Truth { yes: all, no: none } } else { Truth { yes: none, no: all } }
    }

    fn total(&self, number: Number) -> Value {
        Value::Number { number, defined: self.space.all.clone() }
    }

    fn pair(&mut self, a: Expr, b: Expr) -> Result<(Number, Number, Set), Rejection> {
        let (x, in_x) = self.number(a)?;
        let (y, in_y) = self.number(b)?;
        Ok((x, y, self.space.and(&in_x, &in_y)?))
    }

    /// True where all are, false where the first that is not true is false.
    fn and(&mut self, parts: &[Expr]) -> Result<Truth, Rejection> {
        let Truth { mut yes, mut no } = self.certain(true);
        for &part in parts {
            let part = self.truth(part)?;
            no = self.space.or(&no, &self.space.and(&yes, &part.no)?)?;
            yes = self.space.and(&yes, &part.yes)?;
        }
        Ok(Truth { yes, no })
    }

    fn or(&mut self, parts: &[Expr]) -> Result<Truth, Rejection> {
        let Truth { mut yes, mut no } = self.certain(false);
        for &part in parts {
            let part = self.truth(part)?;
            yes = self.space.or(&yes, &self.space.and(&no, &part.yes)?)?;
            no = self.space.and(&no, &part.no)?;
        }
        Ok(Truth { yes, no })
    }

    fn ite(&mut self, condition: Expr, then: Expr, otherwise: Expr) -> Result<Value, Rejection> {
        let space = self.space;
        let condition = self.truth(condition)?;
        let choose = |then: &Set, otherwise: &Set| -> Result<Set, Rejection> {
            space.or(&space.and(&condition.yes, then)?, &space.and(&condition.no, otherwise)?)
        };
        match (self.value(then)?, self.value(otherwise)?) {
            (Value::Truth(a), Value::Truth(b)) => {
                Ok(Value::Truth(Truth { yes: choose(&a.yes, &b.yes)?, no: choose(&a.no, &b.no)? }))
            }
            (a, b) => {
                let ((x, in_x), (y, in_y)) = (self.as_number(a)?, self.as_number(b)?);
                let number = numbers::ite(space, &condition.yes, &x, &y)?;
                Ok(Value::Number { number, defined: choose(&in_x, &in_y)? })
            }
        }
    }

    fn compare(
        &mut self,
        a: Expr,
        b: Expr,
        holds: impl Fn(&Space<'_>, &Number, &Number) -> Result<Set, Rejection>,
    ) -> Result<Value, Rejection> {
        let (x, y, defined) = self.pair(a, b)?;
        let holds = holds(self.space, &x, &y)?;
        let no = self.space.without(&defined, &holds)?;
        Ok(Value::Truth(Truth { yes: self.space.and(&defined, &holds)?, no }))
    }

    fn quotient(&mut self, a: Expr, b: Expr, part: impl Fn((Number, Number)) -> Number) -> Result<Value, Rejection> {
        let (x, y, defined) = self.pair(a, b)?;
        let zero = numbers::equal(self.space, &y, &Number::constant(self.space, 0)?)?;
        let number = part(numbers::divide(self.space, &x, &y)?);
        Ok(Value::Number { number, defined: self.space.without(&defined, &zero)? })
    }

    fn cell(&mut self, family: FamilyId, index: Expr) -> Result<Value, Rejection> {
        let (space, model) = (self.space, self.model);
        let mut number = Number::constant(space, 0)?;
        let mut defined = space.none.clone();
        for (var, here) in self.cells(family, index)? {
            let (cell, in_cell) = self.variable_number(var)?;
            number = numbers::ite(space, &here, &cell, &number)?;
            defined = space.or(&defined, &space.and(&here, &in_cell)?)?;
        }
        let number = Value::Number { number, defined };
        let is_bool = model.families[family].len > 0 && model.family_domain(family) == Domain::Bool;
        if !is_bool {
            return Ok(number);
        }
        let (number, defined) = self.as_number(number)?;
        let zero = numbers::equal(space, &number, &Number::constant(space, 0)?)?;
        let no = space.and(&defined, &zero)?;
        Ok(Value::Truth(Truth { yes: space.without(&defined, &zero)?, no }))
    }

    /// Each variable of a family with the states in which the index picks it.
    pub fn cells(&mut self, family: FamilyId, index: Expr) -> Result<Vec<(VarId, Set)>, Rejection> {
        let (index, defined) = self.number(index)?;
        let mut cells = Vec::new();
        for i in 0..self.model.families[family].len {
            let here = numbers::equal(self.space, &index, &Number::constant(self.space, Raw::from(i))?)?;
            let here = self.space.and(&here, &defined)?;
            if !self.space.is_none(&here) {
                cells.push((self.model.families[family].var(i), here));
            }
        }
        Ok(cells)
    }

    /// Where the variable's value, or that of its definition, is one of its domain.
    pub fn in_domain(&mut self, var: VarId) -> Result<Set, Rejection> {
        let Column { lo, hi, .. } = self.columns[var];
        let (number, defined) = self.variable_number(var)?;
        self.space.and(&defined, &numbers::within(self.space, &number, lo, hi)?)
    }

    /// The state that some bits describe, definitions included.
    pub fn state(&self, bits: &[bool]) -> Vec<Raw> {
        let value = |column: &Column| {
            let offset = column.bits.iter().rev().fold(0u64, |sum, &bit| sum << 1 | u64::from(bits[bit as usize]));
            column.lo.wrapping_add_unsigned(offset)
        };
        let mut state: Vec<Raw> = self.columns.iter().map(value).collect();
        // Definitions may use each other; as many rounds as there are settle all of them.
        let defined: Vec<(VarId, Expr)> =
            self.definitions.enumerated().filter_map(|(var, expr)| Some((var, (*expr)?))).collect();
        for _ in 0..defined.len() {
            let before = state.clone();
            for &(var, expr) in &defined {
                let value =
                    crate::eval::eval(self.model, expr, &state).ok().and_then(|value| Raw::try_from(value).ok());
                state[var.index()] = value.unwrap_or(state[var.index()]);
            }
            if state == before {
                break;
            }
        }
        state
    }
}
