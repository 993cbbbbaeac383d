//! Functions on bit-vectors, which are the numbers from zero to all ones here.

use lapidary_base::Stop;
use lapidary_ir::expr::Expr;
use lapidary_ir::function::Function;
use lapidary_ir::passes::Width;
use lapidary_ir::value::WORD_BITS;

use super::number::{Arithmetic, Number};
use super::{Binding, Encoder};
use crate::space::Set;

/// Who encodes refuses these beforehand.
pub(super) fn unfit() -> Stop {
    Stop::Incomplete("diagrams have neither arrays nor bit-vectors of more than 64 bits".to_owned())
}

/// What becomes of a bit that is not within a shifted vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    Left,
    /// With this bit from above.
    Right(Fill),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Zeros,
    Signs,
}

impl Encoder<'_> {
    /// Defined where all parts are.
    pub(super) fn function(&mut self, function: Function, parts: &[Expr]) -> Result<Number, Stop> {
        if let Function::Select(_) | Function::Store(_) | Function::Fill(_) = function {
            return Err(unfit());
        }
        let (width, arithmetic) = (self.width(parts[0]), self.arithmetic());
        let other = parts.get(1).map_or(width, |&part| self.width(part));
        let whole = match function {
            Function::Concat(whole) | Function::ZeroExtend(whole) | Function::SignExtend(whole) => whole,
            _ => width.max(other),
        };
        if whole > WORD_BITS {
            return Err(unfit());
        }
        let a = self.number(parts[0])?;
        let b = parts.get(1).map_or_else(|| Ok(a.clone()), |&part| self.number(part))?;
        let defined = arithmetic.both_defined(&a, &b)?;
        let (x, y) = (vector(&a, width), vector(&b, other));
        let bits = match arithmetic.word(function, &x, &y)? {
            Outcome::Vector(bits) => bits,
            Outcome::Truth(yes) => return Ok(arithmetic.truth(yes, defined)),
        };
        Ok(arithmetic.unsigned(bits, defined))
    }

    /// How many bits an expression has: variables that are bit-vectors have a level for each.
    fn width(&mut self, expr: Expr) -> u32 {
        let Self { widths, exprs, bind, families, space, .. } = self;
        let var = |var| match bind(var) {
            Binding::Column { column, .. } => Width::Bits(space.bits(column).len() as u32),
            Binding::Defined(definition) => Width::Of(definition),
        };
        widths.of(exprs, expr, var, |family| families(family).0)
    }
}

enum Outcome {
    Vector(Vec<Set>),
    Truth(Set),
}

/// The bits of a number that is not negative, as many as are asked for.
fn vector(number: &Number, width: u32) -> Vec<Set> {
    (0..width as usize).map(|weight| number.bit(weight).clone()).collect()
}

impl Arithmetic<'_> {
    /// The number that these bits stand for.
    fn unsigned(self, mut bits: Vec<Set>, defined: Set) -> Number {
        let hi = (1i128 << bits.len()) - 1;
        bits.push(self.space.none());
        self.number(bits, defined, 0, hi)
    }

    fn whole(self, bits: &[Set]) -> Number {
        self.unsigned(bits.to_vec(), self.space.all())
    }

    /// The number if the highest bit counts negatively.
    fn signed(self, bits: &[Set]) -> Number {
        let limit = 1i128 << (bits.len() - 1);
        self.number(bits.to_vec(), self.space.all(), -limit, limit - 1)
    }

    fn word(self, function: Function, x: &[Set], y: &[Set]) -> Result<Outcome, Stop> {
        let (space, width) = (self.space, x.len());
        Ok(Outcome::Vector(match function {
            Function::BitNot => self.inverted(x)?,
            Function::BitNeg => self.sum(&self.inverted(x)?, &[space.none()], space.all(), width)?,
            Function::BitAnd => pairs(x, y, |x, y| space.and(x, y))?,
            Function::BitOr => pairs(x, y, |x, y| space.or(x, y))?,
            Function::BitXor => pairs(x, y, |x, y| space.xor(x, y))?,
            Function::BitAdd => self.sum(x, y, space.none(), width)?,
            Function::BitMul => self.product(x, y)?,
            Function::BitUdiv => self.divided(x, y)?.0,
            Function::BitUrem => self.divided(x, y)?.1,
            Function::BitShl => self.shifted(x, y, Shift::Left)?,
            Function::BitLshr => self.shifted(x, y, Shift::Right(Fill::Zeros))?,
            Function::BitAshr => self.shifted(x, y, Shift::Right(Fill::Signs))?,
            Function::Ult => return self.less(&self.whole(x), &self.whole(y)).map(Outcome::Truth),
            Function::Ule => return self.not_less(&self.whole(y), &self.whole(x)).map(Outcome::Truth),
            Function::Slt => return self.less(&self.signed(x), &self.signed(y)).map(Outcome::Truth),
            Function::Sle => return self.not_less(&self.signed(y), &self.signed(x)).map(Outcome::Truth),
            Function::Concat(_) => y.iter().chain(x).cloned().collect(),
            Function::Extract { high, low } => x[low as usize..=high as usize].to_vec(),
            Function::ZeroExtend(to) => resized(x, to, &space.none()),
            Function::SignExtend(to) => resized(x, to, &x[width - 1]),
            Function::Select(_) | Function::Store(_) | Function::Fill(_) => return Err(unfit()),
        }))
    }

    fn not_less(self, a: &Number, b: &Number) -> Result<Set, Stop> {
        self.space.not(&self.less(a, b)?)
    }

    fn inverted(self, x: &[Set]) -> Result<Vec<Set>, Stop> {
        x.iter().map(|bit| self.space.not(bit)).collect()
    }

    /// Shift and add, without what leaves the width.
    fn product(self, x: &[Set], y: &[Set]) -> Result<Vec<Set>, Stop> {
        let (space, width) = (self.space, x.len());
        let mut total = vec![space.none(); width];
        for (weight, bit) in y.iter().enumerate().filter(|(_, bit)| !space.is_none(bit)) {
            let mut shifted = vec![space.none(); weight];
            for part in &x[..width - weight] {
                shifted.push(space.and(part, bit)?);
            }
            total = self.sum(&total, &shifted, space.none(), width)?;
        }
        Ok(total)
    }

    /// Quotient and remainder; by zero all ones and the dividend.
    fn divided(self, x: &[Set], y: &[Set]) -> Result<(Vec<Set>, Vec<Set>), Stop> {
        let (space, width) = (self.space, x.len() as u32);
        let by_zero = self.equal(&self.whole(y), &self.constant(0))?;
        let all_ones = vec![space.all(); x.len()];
        if by_zero == space.all() {
            return Ok((all_ones, x.to_vec()));
        }
        let (quotient, rest) = self.divide_unsigned(&self.whole(x), &self.whole(y))?;
        let pick = |a: &Set, b: &Set| space.ite(&by_zero, a, b);
        let quotient = pairs(&all_ones, &vector(&quotient, width), pick)?;
        Ok((quotient, pairs(x, &vector(&rest, width), pick)?))
    }

    /// By each bit of the distance in turn. Those whose weight is the width or more leave nothing of the vector.
    fn shifted(self, x: &[Set], by: &[Set], shift: Shift) -> Result<Vec<Set>, Stop> {
        let (space, width) = (self.space, x.len());
        let fill = match shift {
            Shift::Left | Shift::Right(Fill::Zeros) => space.none(),
            Shift::Right(Fill::Signs) => x[width - 1].clone(),
        };
        let mut bits = x.to_vec();
        for (weight, bit) in by.iter().enumerate().filter(|(_, bit)| !space.is_none(bit)) {
            let places = u32::try_from(weight).ok().and_then(|weight| 1usize.checked_shl(weight)).unwrap_or(width);
            let from = |i: usize| match shift {
                Shift::Left => i.checked_sub(places),
                Shift::Right(_) => i.checked_add(places).filter(|&from| from < width),
            };
            let moved: Vec<Set> = (0..width).map(|i| from(i).map_or(&fill, |from| &bits[from]).clone()).collect();
            bits = pairs(&moved, &bits, |moved, kept| space.ite(bit, moved, kept))?;
        }
        Ok(bits)
    }
}

fn pairs(x: &[Set], y: &[Set], of: impl Fn(&Set, &Set) -> Result<Set, Stop>) -> Result<Vec<Set>, Stop> {
    x.iter().zip(y).map(|(x, y)| of(x, y)).collect()
}

fn resized(x: &[Set], to: u32, with: &Set) -> Vec<Set> {
    let mut bits = x.to_vec();
    bits.resize(to as usize, with.clone());
    bits
}
