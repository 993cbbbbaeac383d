//! Expressions as diagrams: a truth value or a bit vector for every valuation of the columns.
//!
//! Expressions are partial, and where they have no value is computed along: a truth has a set of valuations where it
//! is true and one where it is false. Truths and numbers mean something only where all columns have values of their
//! domains: whoever uses them conjoins the domains.

mod depth;
mod division;
mod number;
mod words;

use lapidary_base::Stop;
use lapidary_base::hash::Map;
use lapidary_ir::expr::{Expr, Exprs, Node};
use lapidary_ir::model::{FamilyId, VarId};
use lapidary_ir::passes::Widths;
use lapidary_ir::value::WORD_BITS;

use crate::space::{Column, Set, Space};
use number::Arithmetic;

pub use number::Number;

/// What a variable of the expressions stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The column's value plus `lo`; Booleans are zero and one, literals their numbers.
    Column { column: Column, lo: i64 },
    /// The value of another expression; definitions are not circular.
    Defined(Expr),
}

/// Where an expression is true and where it is false; elsewhere it has no value.
#[derive(Clone, PartialEq, Eq)]
pub struct Truth {
    pub yes: Set,
    pub no: Set,
}

/// Translates expressions, each one once.
pub struct Encoder<'a> {
    space: &'a Space,
    exprs: &'a Exprs,
    families: Box<dyn Fn(FamilyId) -> (VarId, u32) + 'a>,
    bind: Box<dyn Fn(VarId) -> Binding + 'a>,
    widths: Widths,
    truths: Map<Expr, Truth>,
    numbers: Map<Expr, Number>,
    /// How many translations are under way, each for the sake of the one before.
    depth: usize,
}

impl<'a> Encoder<'a> {
    /// `families` gives the first variable of a family and its length.
    pub fn new(
        space: &'a Space,
        exprs: &'a Exprs,
        families: impl Fn(FamilyId) -> (VarId, u32) + 'a,
        bind: impl Fn(VarId) -> Binding + 'a,
    ) -> Self {
        let (families, bind) = (Box::new(families), Box::new(bind));
        let (widths, truths, numbers) = (Widths::default(), Map::default(), Map::default());
        Self { space, exprs, families, bind, widths, truths, numbers, depth: 0 }
    }

    pub fn truth(&mut self, expr: Expr) -> Result<Truth, Stop> {
        if let Some(truth) = self.truths.get(&expr) {
            return Ok(truth.clone());
        }
        let known_as_number = self.numbers.contains_key(&expr);
        let truth = self.deeper(expr, if known_as_number { Self::number_as_truth } else { Self::new_truth })?;
        self.truths.insert(expr, truth.clone());
        Ok(truth)
    }

    /// Where the expression has a value and is true.
    pub fn holds(&mut self, expr: Expr) -> Result<Set, Stop> {
        Ok(self.truth(expr)?.yes)
    }

    /// The expression as a number: literals by their number, Booleans as zero and one.
    pub fn number(&mut self, expr: Expr) -> Result<Number, Stop> {
        if let Some(number) = self.numbers.get(&expr) {
            return Ok(number.clone());
        }
        let number = self.deeper(expr, Self::new_number)?;
        self.numbers.insert(expr, number.clone());
        Ok(number)
    }

    /// Where the expression has a value, and it is `lo` plus the column's value, which is in its domain.
    pub fn equals(&mut self, expr: Expr, column: Column, lo: i64) -> Result<Set, Stop> {
        let arithmetic = self.arithmetic();
        let number = self.number(expr)?;
        let same = arithmetic.equal(&number, &arithmetic.column(column, lo)?)?;
        let same = self.space.and(&same, &self.space.domain(column)?)?;
        self.space.and(&same, &number.defined)
    }

    /// Where the expression has a value between the bounds, both included.
    pub fn within(&mut self, expr: Expr, lo: i64, hi: i64) -> Result<Set, Stop> {
        let number = self.number(expr)?;
        let inside = self.between(&number, i128::from(lo), i128::from(hi))?;
        self.space.and(&inside, &number.defined)
    }

    fn arithmetic(&self) -> Arithmetic<'a> {
        Arithmetic { space: self.space }
    }

    fn between(&self, number: &Number, lo: i128, hi: i128) -> Result<Set, Stop> {
        let arithmetic = self.arithmetic();
        let below = arithmetic.less(number, &arithmetic.constant(lo))?;
        let above = arithmetic.less(&arithmetic.constant(hi), number)?;
        self.space.not(&self.space.or(&below, &above)?)
    }

    fn new_truth(&mut self, expr: Expr) -> Result<Truth, Stop> {
        let exprs = self.exprs;
        match exprs.node(expr) {
            Node::Bool(value) => self.total(if *value { self.space.all() } else { self.space.none() }),
            Node::Not(inner) => Ok(negated(self.truth(*inner)?)),
            Node::And(parts) => self.conjunction(parts, |part| part),
            Node::Or(parts) => Ok(negated(self.conjunction(parts, negated)?)),
            Node::Ite(condition, then, otherwise) => self.truth_choice(*condition, *then, *otherwise),
            Node::Eq(a, b) => self.equality(*a, *b),
            Node::Lt(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                let less = self.arithmetic().less(&a, &b)?;
                self.within_defined(less, &a, &b)
            }
            Node::Le(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                let greater = self.arithmetic().less(&b, &a)?;
                self.within_defined(self.space.not(&greater)?, &a, &b)
            }
            Node::Var(var) => match (self.bind)(*var) {
                Binding::Defined(definition) => self.truth(definition),
                Binding::Column { .. } => self.number_as_truth(expr),
            },
            Node::Cell(..) | Node::Int(_) | Node::Literal(..) | Node::Add(_) => self.number_as_truth(expr),
            Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => self.number_as_truth(expr),
            Node::Bits(..) | Node::Value(..) | Node::Apply(..) => self.number_as_truth(expr),
        }
    }

    /// A truth that has a value everywhere.
    fn total(&self, yes: Set) -> Result<Truth, Stop> {
        Ok(Truth { no: self.space.not(&yes)?, yes })
    }

    fn number_as_truth(&mut self, expr: Expr) -> Result<Truth, Stop> {
        let number = self.number(expr)?;
        let yes = self.arithmetic().equal(&number, &self.arithmetic().constant(1))?;
        Ok(Truth { yes: self.space.and(&number.defined, &yes)?, no: self.space.minus(&number.defined, &yes)? })
    }

    fn within_defined(&self, yes: Set, a: &Number, b: &Number) -> Result<Truth, Stop> {
        let defined = self.arithmetic().both_defined(a, b)?;
        Ok(Truth { yes: self.space.and(&defined, &yes)?, no: self.space.minus(&defined, &yes)? })
    }

    /// Later parts matter only where all earlier ones are true.
    fn conjunction(&mut self, parts: &[Expr], reading: fn(Truth) -> Truth) -> Result<Truth, Stop> {
        let mut sofar = self.total(self.space.all())?;
        for &part in parts {
            if self.space.is_none(&sofar.yes) {
                break;
            }
            let part = reading(self.truth(part)?);
            let yes = self.space.and(&sofar.yes, &part.yes)?;
            // What always has a value is false wherever it is not true, which costs nothing.
            let no = if self.is_total(&sofar)? && self.is_total(&part)? {
                self.space.not(&yes)?
            } else {
                self.space.or(&sofar.no, &self.space.and(&sofar.yes, &part.no)?)?
            };
            sofar = Truth { yes, no };
        }
        Ok(sofar)
    }

    fn is_total(&self, truth: &Truth) -> Result<bool, Stop> {
        Ok(self.space.not(&truth.yes)? == truth.no)
    }

    fn truth_choice(&mut self, condition: Expr, then: Expr, otherwise: Expr) -> Result<Truth, Stop> {
        let condition = self.truth(condition)?;
        if self.space.is_none(&condition.no) {
            let then = self.truth(then)?;
            return Ok(Truth {
                yes: self.space.and(&condition.yes, &then.yes)?,
                no: self.space.and(&condition.yes, &then.no)?,
            });
        }
        if self.space.is_none(&condition.yes) {
            let otherwise = self.truth(otherwise)?;
            let (yes, no) = (&otherwise.yes, &otherwise.no);
            return Ok(Truth { yes: self.space.and(&condition.no, yes)?, no: self.space.and(&condition.no, no)? });
        }
        let (then, otherwise) = (self.truth(then)?, self.truth(otherwise)?);
        Ok(Truth {
            yes: self.pick(&condition, &then.yes, &otherwise.yes)?,
            no: self.pick(&condition, &then.no, &otherwise.no)?,
        })
    }

    /// One set where the condition is true, the other where it is false, none where it has no value.
    fn pick(&self, condition: &Truth, then: &Set, otherwise: &Set) -> Result<Set, Stop> {
        let chosen = self.space.ite(&condition.yes, then, otherwise)?;
        self.space.and(&chosen, &self.space.or(&condition.yes, &condition.no)?)
    }

    fn equality(&mut self, a: Expr, b: Expr) -> Result<Truth, Stop> {
        if !self.is_boolean(a) && !self.is_boolean(b) {
            let (a, b) = (self.number(a)?, self.number(b)?);
            let same = self.arithmetic().equal(&a, &b)?;
            return self.within_defined(same, &a, &b);
        }
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        let both = self.space.and(&a.yes, &b.yes)?;
        let neither = self.space.and(&a.no, &b.no)?;
        let (only_a, only_b) = (self.space.and(&a.yes, &b.no)?, self.space.and(&a.no, &b.yes)?);
        Ok(Truth { yes: self.space.or(&both, &neither)?, no: self.space.or(&only_a, &only_b)? })
    }

    /// Whether the node itself says that it is a Boolean; variables and cells serve as numbers, too.
    fn is_boolean(&self, expr: Expr) -> bool {
        match self.exprs.node(expr) {
            Node::Bool(_) | Node::Not(_) | Node::And(_) | Node::Or(_) => true,
            Node::Eq(..) | Node::Lt(..) | Node::Le(..) => true,
            Node::Int(_) | Node::Literal(..) | Node::Var(_) | Node::Cell(..) | Node::Ite(..) => false,
            Node::Add(_) | Node::Neg(_) | Node::Mul(..) | Node::Div(..) | Node::Mod(..) => false,
            Node::Bits(..) | Node::Value(..) => false,
            Node::Apply(..) => false,
        }
    }

    fn new_number(&mut self, expr: Expr) -> Result<Number, Stop> {
        let (exprs, arithmetic) = (self.exprs, self.arithmetic());
        match exprs.node(expr) {
            Node::Bool(_) | Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
                let truth = self.truth(expr)?;
                let defined = self.space.or(&truth.yes, &truth.no)?;
                Ok(arithmetic.truth(truth.yes, defined))
            }
            Node::Int(value) => Ok(arithmetic.constant(i128::from(*value))),
            Node::Literal(_, number) => Ok(arithmetic.constant(i128::from(*number))),
            Node::Var(var) => self.variable(*var),
            Node::Cell(family, index) => self.cell(*family, *index),
            Node::Ite(condition, then, otherwise) => self.number_choice(*condition, *then, *otherwise),
            Node::Add(parts) => parts.iter().try_fold(arithmetic.constant(0), |sum, &part| {
                let part = self.number(part)?;
                arithmetic.add(&sum, &part)
            }),
            Node::Neg(inner) => arithmetic.negate(&self.number(*inner)?),
            Node::Mul(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                arithmetic.multiply(&a, &b)
            }
            Node::Div(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                Ok(arithmetic.divide(&a, &b)?.quotient)
            }
            Node::Mod(a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                Ok(arithmetic.divide(&a, &b)?.remainder)
            }
            Node::Bits(width, bits) if *width <= WORD_BITS => Ok(arithmetic.constant(i128::from(*bits as u64))),
            Node::Bits(..) | Node::Value(..) => Err(words::unfit()),
            Node::Apply(function, parts) => self.function(*function, parts),
        }
    }

    fn variable(&mut self, var: VarId) -> Result<Number, Stop> {
        match (self.bind)(var) {
            Binding::Column { column, lo } => self.arithmetic().column(column, lo),
            Binding::Defined(definition) => self.number(definition),
        }
    }

    fn number_choice(&mut self, condition: Expr, then: Expr, otherwise: Expr) -> Result<Number, Stop> {
        let condition = self.truth(condition)?;
        if self.space.is_none(&condition.no) {
            let then = self.number(then)?;
            return Ok(Number { defined: self.space.and(&condition.yes, &then.defined)?, ..then });
        }
        if self.space.is_none(&condition.yes) {
            let otherwise = self.number(otherwise)?;
            return Ok(Number { defined: self.space.and(&condition.no, &otherwise.defined)?, ..otherwise });
        }
        let (then, otherwise) = (self.number(then)?, self.number(otherwise)?);
        let defined = self.pick(&condition, &then.defined, &otherwise.defined)?;
        self.arithmetic().choose(&condition.yes, &then, &otherwise, defined)
    }

    /// A decision by the bits of the index, from the highest down; only where the index is in bounds.
    fn cell(&mut self, family: FamilyId, index: Expr) -> Result<Number, Stop> {
        let (first, len) = (self.families)(family);
        let index = self.number(index)?;
        let inside = self.between(&index, 0, i128::from(len) - 1)?;
        let inside = self.space.and(&inside, &index.defined)?;
        let (from, to) = (index.lo.max(0), index.hi.min(i128::from(len) - 1));
        if from > to || self.space.is_none(&inside) {
            return Ok(self.arithmetic().undefined());
        }
        let weight = (128 - to.leading_zeros()) as usize;
        let cells = Cells { first, index, from: from as u32, to: to as u32 };
        let chosen = self.chosen_cell(&cells, weight, 0)?.expect("some cell is in bounds");
        Ok(Number { defined: self.space.and(&chosen.defined, &inside)?, ..chosen })
    }

    /// The cell whose number begins with `base` and goes on as the index does below `weight`.
    fn chosen_cell(&mut self, cells: &Cells, weight: usize, base: u32) -> Result<Option<Number>, Stop> {
        let last = u64::from(base) + (1u64 << weight) - 1;
        if base > cells.to || last < u64::from(cells.from) {
            return Ok(None);
        }
        if weight == 0 {
            return self.variable(VarId(cells.first.0 + base)).map(Some);
        }
        let low = self.chosen_cell(cells, weight - 1, base)?;
        let high = self.chosen_cell(cells, weight - 1, base | 1 << (weight - 1))?;
        let (Some(low), Some(high)) = (low.clone(), high.clone()) else {
            return Ok(low.or(high));
        };
        let bit = cells.index.bit(weight - 1);
        let defined = self.space.ite(bit, &high.defined, &low.defined)?;
        self.arithmetic().choose(bit, &high, &low, defined).map(Some)
    }
}

fn negated(truth: Truth) -> Truth {
    Truth { yes: truth.no, no: truth.yes }
}

/// The cells of a family that an index may mean.
struct Cells {
    first: VarId,
    index: Number,
    from: u32,
    to: u32,
}
