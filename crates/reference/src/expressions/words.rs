//! What functions on bit-vectors and arrays mean: bit by bit where that is plainest, and as SMT-LIB has it.

use lapidary_ir::{ArrayId, Expr, Function, Sort};

use super::Meaning;

/// The unsigned number that a bit-vector of at most 64 bits stands for, whatever number a variable has for it.
fn unsigned(width: u32, raw: i128) -> i128 {
    raw.rem_euclid(1 << width)
}

fn signed(width: u32, raw: i128) -> i128 {
    let value = unsigned(width, raw);
    if value < 1 << (width - 1) { value } else { value - (1 << width) }
}

/// As variables have it: those of 64 bits are negative where their highest bit is set.
fn raw(width: u32, value: i128) -> i128 {
    let value = unsigned(width, value);
    if width == 64 { signed(width, value) } else { value }
}

impl Meaning<'_> {
    pub(super) fn function(&self, function: Function, parts: &[Expr]) -> Option<i128> {
        let values = self.exprs.values();
        let short = |value: i128| i64::try_from(value).expect("values of sorts are numbers of 64 bits");
        let part = |i: usize| self.value(parts[i]);
        let whole = match self.sort(parts[0]) {
            Sort::Bits(width) => return self.bits(function, width, parts),
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Array(_) => part(0)?,
        };
        Some(i128::from(match function {
            Function::Select(_) => values.array_value(short(whole)).at(short(part(1)?)),
            Function::Store(id) => values.store(self.n_indexes(id), short(whole), short(part(1)?), short(part(2)?)),
            _ => values.fill(short(whole)),
        }))
    }

    fn n_indexes(&self, id: ArrayId) -> Option<u64> {
        self.exprs.values().n_values(self.exprs.array_type(id).index, self.n_literals)
    }

    fn sort(&self, expr: Expr) -> Sort {
        let first = |family| (self.cell)(family, 0).map_or(Sort::Int, |var| (self.sort)(var));
        self.exprs.sort(expr, self.sort, first)
    }

    fn bits(&self, function: Function, width: u32, parts: &[Expr]) -> Option<i128> {
        if let Function::Fill(_) = function {
            return Some(i128::from(self.exprs.values().fill(self.value(parts[0])? as i64)));
        }
        let second = parts.get(1).unwrap_or(&parts[0]);
        let Sort::Bits(other) = self.sort(*second) else { unreachable!("these take bit-vectors") };
        let (a, b) = (self.value(parts[0])?, self.value(*second)?);
        let (x, y) = (unsigned(width, a), unsigned(other, b));
        let by_bit = |of: &dyn Fn(bool, bool) -> bool| {
            let bit = |value: i128, i: u32| value >> i & 1 == 1;
            (0..width).map(|i| i128::from(of(bit(x, i), bit(y, i))) << i).sum::<i128>()
        };
        let value = match function {
            Function::BitNot => by_bit(&|x, _| !x),
            Function::BitNeg => -x,
            Function::BitAnd => by_bit(&|x, y| x && y),
            Function::BitOr => by_bit(&|x, y| x || y),
            Function::BitXor => by_bit(&|x, y| x != y),
            Function::BitAdd => x + y,
            Function::BitMul => (x as u128).wrapping_mul(y as u128) as i128,
            Function::BitUdiv if y == 0 => -1,
            Function::BitUdiv => x / y,
            Function::BitUrem if y == 0 => x,
            Function::BitUrem => x % y,
            Function::BitShl => (0..y.min(i128::from(width))).fold(x, |x, _| unsigned(width, 2 * x)),
            Function::BitLshr => (0..y.min(i128::from(width))).fold(x, |x, _| x / 2),
            Function::BitAshr => (0..y.min(i128::from(width))).fold(signed(width, x), |x, _| x.div_euclid(2)),
            Function::Ult => return Some(i128::from(x < y)),
            Function::Ule => return Some(i128::from(x <= y)),
            Function::Slt => return Some(i128::from(signed(width, x) < signed(other, y))),
            Function::Sle => return Some(i128::from(signed(width, x) <= signed(other, y))),
            Function::Concat(whole) => return Some(raw(whole, x * (1 << other) + y)),
            Function::Extract { high, low } => return Some(raw(high - low + 1, x / (1 << low))),
            Function::ZeroExtend(to) => return Some(raw(to, x)),
            Function::SignExtend(to) => return Some(raw(to, signed(width, x))),
            Function::Select(_) | Function::Store(_) | Function::Fill(_) => unreachable!("these are about arrays"),
        };
        Some(raw(width, value))
    }
}
