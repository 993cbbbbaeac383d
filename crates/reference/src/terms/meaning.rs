//! The value of an expression, by plain recursion.

use std::collections::BTreeMap;

use super::{Binary, Enumeration, Expr, Extension, Sort, Unary, Value, bits, numbers};

/// Variables and their values, the innermost last.
pub type Bound = Vec<(String, Value)>;

/// Why there is no answer here, although the languages may have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The divisor of a number is zero, for which any function is possible.
    DivisionByZero,
    /// A variable with infinitely many values is read before it is written.
    Unset,
    /// A number is out of all proportion.
    TooLarge,
    /// There are more states than the caller wants, or far more steps.
    TooManyStates,
}

/// Numbers beyond this are no matter of small models.
const GREATEST: i128 = 1_000_000_000_000;

/// The value of an expression under these variables. What cannot matter is not looked at, so that a division behind a
/// condition that is false is not a fault.
///
/// # Panics
///
/// If the expression is ill-typed.
pub fn value(expr: &Expr, bound: &Bound, enums: &[Enumeration]) -> Result<Value, Fault> {
    Eval { bound, enums }.value(expr)
}

struct Eval<'a> {
    bound: &'a Bound,
    enums: &'a [Enumeration],
}

impl Eval<'_> {
    fn value(&self, expr: &Expr) -> Result<Value, Fault> {
        match expr {
            Expr::Const(value) => Ok(value.clone()),
            Expr::Var(name) => self.variable(name),
            Expr::Unary(op, operand) => self.unary(*op, operand),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::If(condition, yes, no) => self.value(if self.truth(condition)? { yes } else { no }),
            Expr::Read(array, index) => {
                let (array, index) = (self.value(array)?, self.value(index)?);
                element(&array, &index)
            }
            Expr::Write(array, index, new) => self.written(array, index, new),
            Expr::Array { index, cells, default } => self.array(index, cells, default),
            Expr::Extract { of, until, from } => {
                let (_, bits) = self.bits(of)?;
                Ok(Value::Bits(until - from, bits::extract(bits, *until, *from)))
            }
            Expr::Extend(extension, of, to) => {
                let (width, bits) = self.bits(of)?;
                assert!(width <= *to, "{width} bits are extended to {to}");
                Ok(Value::Bits(
                    *to,
                    match extension {
                        Extension::Zeros => bits,
                        Extension::Signs => bits::sign_extended(width, bits, *to),
                    },
                ))
            }
        }
    }

    fn variable(&self, name: &str) -> Result<Value, Fault> {
        let found = self.bound.iter().rev().find(|(known, _)| known == name);
        match found.unwrap_or_else(|| panic!("there is no variable {name}")) {
            (_, Value::Unset) => Err(Fault::Unset),
            (_, value) => Ok(value.clone()),
        }
    }

    fn truth(&self, expr: &Expr) -> Result<bool, Fault> {
        match self.value(expr)? {
            Value::Bool(value) => Ok(value),
            other => panic!("{other:?} is no Boolean: {expr:?}"),
        }
    }

    fn number(&self, expr: &Expr) -> Result<i128, Fault> {
        match self.value(expr)? {
            Value::Int(value) => Ok(value),
            other => panic!("{other:?} is no number: {expr:?}"),
        }
    }

    fn bits(&self, expr: &Expr) -> Result<(u32, u128), Fault> {
        match self.value(expr)? {
            Value::Bits(width, bits) => Ok((width, bits)),
            other => panic!("{other:?} is no bit-vector: {expr:?}"),
        }
    }

    fn unary(&self, op: Unary, operand: &Expr) -> Result<Value, Fault> {
        Ok(match op {
            Unary::Not => Value::Bool(!self.truth(operand)?),
            Unary::Neg => Value::Int(-self.number(operand)?),
            Unary::Pos => Value::Int(self.number(operand)?),
            Unary::BitNot | Unary::BitNeg | Unary::BitPos => {
                let (width, bits) = self.bits(operand)?;
                Value::Bits(
                    width,
                    match op {
                        Unary::BitNot => bits::not(width, bits),
                        Unary::BitNeg => bits::neg(width, bits),
                        Unary::BitPos | Unary::Not | Unary::Neg | Unary::Pos => bits,
                    },
                )
            }
        })
    }

    fn binary(&self, op: Binary, left: &Expr, right: &Expr) -> Result<Value, Fault> {
        let truth = |value: bool| Ok(Value::Bool(value));
        match op {
            Binary::And => truth(self.truth(left)? && self.truth(right)?),
            Binary::Or => truth(self.truth(left)? || self.truth(right)?),
            Binary::Imply => truth(!self.truth(left)? || self.truth(right)?),
            Binary::Iff => truth(self.truth(left)? == self.truth(right)?),
            Binary::Xor => truth(self.truth(left)? != self.truth(right)?),
            Binary::Eq => truth(self.are_equal(left, right)?),
            Binary::Ne => truth(!self.are_equal(left, right)?),
            Binary::Lt => truth(self.number(left)? < self.number(right)?),
            Binary::Le => truth(self.number(left)? <= self.number(right)?),
            Binary::Gt => truth(self.number(left)? > self.number(right)?),
            Binary::Ge => truth(self.number(left)? >= self.number(right)?),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod | Binary::Rem => {
                arithmetic(op, self.number(left)?, self.number(right)?)
            }
            Binary::Bits(op) => {
                let (width, left, right) = self.alike(left, right)?;
                Ok(Value::Bits(width, op.apply(width, left, right)))
            }
            Binary::Order(order) => {
                let (width, left, right) = self.alike(left, right)?;
                truth(order.holds(width, left, right))
            }
            Binary::Concat => {
                let ((above, left), (below, right)) = (self.bits(left)?, self.bits(right)?);
                Ok(Value::Bits(above + below, bits::concat(left, below, right)))
            }
        }
    }

    fn are_equal(&self, left: &Expr, right: &Expr) -> Result<bool, Fault> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        let same = std::mem::discriminant(&left) == std::mem::discriminant(&right);
        assert!(same, "{left:?} and {right:?} are of one sort");
        Ok(left == right)
    }

    /// Two bit-vectors of one width.
    fn alike(&self, left: &Expr, right: &Expr) -> Result<(u32, u128, u128), Fault> {
        let ((width, left), (other, right)) = (self.bits(left)?, self.bits(right)?);
        assert_eq!(width, other, "operands have one width");
        Ok((width, left, right))
    }

    fn written(&self, array: &Expr, index: &Expr, new: &Expr) -> Result<Value, Fault> {
        let (array, index, new) = (self.value(array)?, self.value(index)?, self.value(new)?);
        let Value::Array(mut cells, default) = array else { panic!("{array:?} is no array") };
        if default.as_deref() == Some(&new) {
            cells.remove(&index);
        } else {
            cells.insert(index, new);
        }
        Ok(Value::Array(cells, default))
    }

    fn array(&self, index: &Sort, cells: &[(Expr, Expr)], default: &Expr) -> Result<Value, Fault> {
        let mut known = BTreeMap::new();
        for (index, element) in cells {
            let twice = known.insert(self.value(index)?, self.value(element)?);
            assert!(twice.is_none(), "what an index has that is given twice is not said");
        }
        let default = self.value(default)?;
        Ok(Value::array(index, known, default, self.enums).expect("indexes of arrays are few, or all numbers"))
    }
}

/// What an array has at an index.
fn element(array: &Value, index: &Value) -> Result<Value, Fault> {
    let Value::Array(cells, default) = array else { panic!("{array:?} is no array") };
    let found = cells.get(index).or(default.as_deref());
    Ok(found.unwrap_or_else(|| panic!("{index:?} is no index of {array:?}")).clone())
}

fn arithmetic(op: Binary, left: i128, right: i128) -> Result<Value, Fault> {
    let result = match op {
        Binary::Add => left + right,
        Binary::Sub => left - right,
        Binary::Mul => left * right,
        Binary::Div => numbers::division(left, right).ok_or(Fault::DivisionByZero)?.0,
        Binary::Mod => numbers::division(left, right).ok_or(Fault::DivisionByZero)?.1,
        Binary::Rem => numbers::remainder(left, right).ok_or(Fault::DivisionByZero)?,
        other => panic!("{other:?} is no operator of numbers"),
    };
    if result.abs() > GREATEST { Err(Fault::TooLarge) } else { Ok(Value::Int(result)) }
}
