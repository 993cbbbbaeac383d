//! Random expressions, well-typed by construction, over variables whose numbers have bounds.
//!
//! Whatever is made for a variable stays within its bounds, so that few states can be reached; divisors are never zero.

use super::{Binary, BitOp, BitOrder, Bound, Enumeration, Expr, Extension, Sort, Unary, Value, value, values};
use crate::dice::Dice;

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) name: String,
    pub(crate) sort: Sort,
    /// The bounds of the number, or of those in the array.
    pub(crate) lo: i128,
    pub(crate) hi: i128,
    pub(crate) access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Full,
    /// Counters of loops, and what bounds them.
    ReadOnly,
}

impl Fact {
    /// How many values the variable can have.
    pub(crate) fn n_values(&self, enums: &[Enumeration]) -> usize {
        let n_numbers = usize::try_from(self.hi - self.lo + 1).expect("ranges are small");
        n_values(&self.sort, n_numbers, enums)
    }

    pub(crate) fn is_finite(&self) -> bool {
        match &self.sort {
            Sort::Int => false,
            Sort::Array(_, element) => **element != Sort::Int,
            Sort::Bool | Sort::Bits(_) | Sort::Enum(_) => true,
        }
    }
}

fn n_values(sort: &Sort, n_numbers: usize, enums: &[Enumeration]) -> usize {
    match sort {
        Sort::Bool => 2,
        Sort::Int => n_numbers,
        Sort::Bits(width) => 1 << width,
        Sort::Enum(id) => enums[*id].literals.len(),
        Sort::Array(index, element) => {
            let n_cells = n_values(index, n_numbers, enums) as u32;
            n_values(element, n_numbers, enums).saturating_pow(n_cells)
        }
    }
}

/// A maker of expressions over the variables in scope.
pub(crate) struct Maker<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) enums: &'a [Enumeration],
    pub(crate) scope: Vec<Fact>,
}

impl Maker<'_> {
    /// Something that the variable may be assigned.
    pub(crate) fn source(&mut self, fact: &Fact, depth: u32) -> Expr {
        match &fact.sort {
            Sort::Int => self.bounded(fact.lo, fact.hi, depth),
            Sort::Array(index, element) => self.array(index, element, fact, depth),
            other => self.expr(other, depth),
        }
    }

    /// Something for one cell of the array.
    pub(crate) fn element(&mut self, fact: &Fact, depth: u32) -> Expr {
        let Sort::Array(_, element) = &fact.sort else { panic!("{} is no array", fact.name) };
        match **element {
            Sort::Int => self.bounded(fact.lo, fact.hi, depth),
            ref other => self.expr(other, depth),
        }
    }

    /// A constant that the variable may have.
    pub(crate) fn constant(&mut self, fact: &Fact) -> Expr {
        let scope = std::mem::take(&mut self.scope);
        let made = self.source(fact, 0);
        self.scope = scope;
        made
    }

    pub(crate) fn condition(&mut self, depth: u32) -> Expr {
        self.expr(&Sort::Bool, depth)
    }

    pub(crate) fn expr(&mut self, sort: &Sort, depth: u32) -> Expr {
        if depth == 0 || self.dice.percent(15) {
            return self.leaf(sort);
        }
        if self.dice.percent(8) {
            let condition = self.condition(depth - 1);
            return Expr::branch(condition, self.expr(sort, depth - 1), self.expr(sort, depth - 1));
        }
        match sort {
            Sort::Bool => self.truth(depth),
            Sort::Int => self.number(depth),
            Sort::Bits(width) => self.bits(*width, depth),
            Sort::Enum(_) => self.leaf(sort),
            Sort::Array(..) => panic!("arrays are made for variables"),
        }
    }

    /// A variable, a cell, or a constant.
    fn leaf(&mut self, sort: &Sort) -> Expr {
        let is_cell = |fact: &&Fact| matches!(&fact.sort, Sort::Array(_, element) if **element == *sort);
        let fitting: Vec<Fact> =
            self.scope.iter().filter(|fact| fact.sort == *sort || is_cell(fact)).cloned().collect();
        if !fitting.is_empty() && self.dice.percent(75) {
            let fact = self.dice.pick(&fitting);
            return match &fact.sort {
                Sort::Array(index, _) => Expr::read(Expr::var(&fact.name), self.leaf(index)),
                _ => Expr::var(&fact.name),
            };
        }
        if *sort == Sort::Int {
            return Expr::int(self.dice.between(-2, 5));
        }
        let all = values(sort, self.enums).unwrap_or_else(|| panic!("{sort:?} has too many values"));
        Expr::Const(self.dice.pick(&all))
    }

    fn truth(&mut self, depth: u32) -> Expr {
        let connectives = [Binary::And, Binary::Or, Binary::And, Binary::Or, Binary::Xor, Binary::Iff, Binary::Imply];
        match self.dice.below(10) {
            0..4 => {
                let (op, left) = (self.dice.pick(&connectives), self.condition(depth - 1));
                Expr::binary(op, left, self.condition(depth - 1))
            }
            4 => Expr::unary(Unary::Not, self.condition(depth - 1)),
            _ => self.relation(depth),
        }
    }

    /// A comparison of what some variable has.
    pub(crate) fn relation(&mut self, depth: u32) -> Expr {
        let mut sorts: Vec<Sort> = self.scope.iter().map(|fact| fact.sort.clone()).collect();
        sorts.push(Sort::Int);
        let sort = self.dice.pick(&sorts);
        if let Sort::Array(index, element) = &sort {
            if self.dice.percent(25) {
                return self.equal_arrays(&sort);
            }
            let arrays: Vec<Fact> = self.scope.iter().filter(|fact| fact.sort == sort).cloned().collect();
            let array = self.dice.pick(&arrays);
            let cell = Expr::read(Expr::var(&array.name), self.expr(index, depth - 1));
            return Expr::binary(self.equality(), cell, self.expr(element, depth - 1));
        }
        let (left, right) = (self.expr(&sort, depth - 1), self.expr(&sort, depth - 1));
        let op = match sort {
            Sort::Int => self.dice.pick(&[Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge]),
            Sort::Bits(_) if self.dice.percent(50) => Binary::Order(self.dice.pick(&BitOrder::ALL)),
            _ => self.equality(),
        };
        Expr::binary(op, left, right)
    }

    fn equality(&mut self) -> Binary {
        self.dice.pick(&[Binary::Eq, Binary::Ne])
    }

    fn equal_arrays(&mut self, sort: &Sort) -> Expr {
        let arrays: Vec<Fact> = self.scope.iter().filter(|fact| fact.sort == *sort).cloned().collect();
        let (left, right) = (self.dice.pick(&arrays), self.dice.pick(&arrays));
        let right = if left.name == right.name { self.constant(&right) } else { Expr::var(&right.name) };
        Expr::binary(self.equality(), Expr::var(&left.name), right)
    }

    fn number(&mut self, depth: u32) -> Expr {
        let left = self.expr(&Sort::Int, depth - 1);
        match self.dice.below(10) {
            0..3 => Expr::binary(Binary::Add, left, self.expr(&Sort::Int, depth - 1)),
            3..5 => Expr::binary(Binary::Sub, left, self.expr(&Sort::Int, depth - 1)),
            5 => Expr::binary(Binary::Mul, left, self.expr(&Sort::Int, depth - 1)),
            6 => Expr::unary(self.dice.pick(&[Unary::Neg, Unary::Neg, Unary::Pos]), left),
            _ => {
                let op = self.dice.pick(&[Binary::Div, Binary::Mod, Binary::Rem]);
                Expr::binary(op, left, self.divisor(depth))
            }
        }
    }

    /// Never zero.
    fn divisor(&mut self, depth: u32) -> Expr {
        if self.dice.percent(80) {
            return Expr::int(self.dice.pick(&[-3, -2, 2, 3, 4]));
        }
        let rest = Expr::binary(Binary::Mod, self.expr(&Sort::Int, depth - 1), Expr::int(3));
        Expr::binary(Binary::Add, rest, Expr::int(1))
    }

    fn bits(&mut self, width: u32, depth: u32) -> Expr {
        let same = Sort::Bits(width);
        match self.dice.below(12) {
            0 => {
                Expr::unary(self.dice.pick(&[Unary::BitNot, Unary::BitNeg, Unary::BitPos]), self.expr(&same, depth - 1))
            }
            1 if width > 1 => {
                let low = self.dice.between(1, width - 1);
                let upper = self.expr(&Sort::Bits(width - low), depth - 1);
                Expr::binary(Binary::Concat, upper, self.expr(&Sort::Bits(low), depth - 1))
            }
            2 if width > 1 => {
                let from = self.dice.between(1, width - 1);
                let narrow = self.expr(&Sort::Bits(from), depth - 1);
                Expr::Extend(self.dice.pick(&[Extension::Zeros, Extension::Signs]), Box::new(narrow), width)
            }
            3 => {
                let (above, from) = (self.dice.below(2_u32), self.dice.below(2_u32));
                let of = self.expr(&Sort::Bits(width + above + from), depth - 1);
                Expr::Extract { of: Box::new(of), until: width + from, from }
            }
            _ => {
                let (op, left) = (self.dice.pick(&BitOp::ALL), self.expr(&same, depth - 1));
                Expr::binary(Binary::Bits(op), left, self.expr(&same, depth - 1))
            }
        }
    }

    /// A number that is never out of these bounds.
    pub(crate) fn bounded(&mut self, lo: i128, hi: i128, depth: u32) -> Expr {
        let fits = |fact: &&Fact| fact.sort == Sort::Int && lo <= fact.lo && fact.hi <= hi;
        let within: Vec<Fact> = self.scope.iter().filter(fits).cloned().collect();
        match self.dice.below(10) {
            _ if depth == 0 => Expr::int(self.dice.between(lo, hi)),
            0..2 if !within.is_empty() => Expr::var(&self.dice.pick(&within).name),
            2..5 if !within.is_empty() => {
                // Counts round.
                let name = self.dice.pick(&within).name;
                let more = Expr::binary(Binary::Add, Expr::var(&name), Expr::int(1));
                Expr::branch(Expr::binary(Binary::Lt, Expr::var(&name), Expr::int(hi)), more, Expr::int(lo))
            }
            5 => Expr::int(self.dice.between(lo, hi)),
            6 => {
                let condition = self.condition(depth - 1);
                Expr::branch(condition, self.bounded(lo, hi, depth - 1), self.bounded(lo, hi, depth - 1))
            }
            _ => {
                let rest = Expr::binary(Binary::Mod, self.expr(&Sort::Int, depth), Expr::int(hi - lo + 1));
                match lo {
                    0 => rest,
                    ..0 => Expr::binary(Binary::Sub, rest, Expr::int(-lo)),
                    _ => Expr::binary(Binary::Add, rest, Expr::int(lo)),
                }
            }
        }
    }

    /// Another array of this sort, a changed one, or one by its cells.
    fn array(&mut self, index: &Sort, element: &Sort, fact: &Fact, depth: u32) -> Expr {
        let fits = |other: &&Fact| other.sort == fact.sort && fact.lo <= other.lo && other.hi <= fact.hi;
        let others: Vec<Fact> = self.scope.iter().filter(fits).cloned().collect();
        if !others.is_empty() && self.dice.percent(50) {
            let other = Expr::var(&self.dice.pick(&others).name);
            let index = self.expr(index, depth.min(1));
            return Expr::write(other, index, self.element(fact, depth.min(1)));
        }
        let mut indexes = values(index, self.enums).expect("indexes are few");
        self.dice.shuffle(&mut indexes);
        indexes.truncate(self.dice.below(indexes.len() + 1));
        let cell = |maker: &mut Self| match *element {
            Sort::Int => maker.bounded(fact.lo, fact.hi, depth.min(1)),
            ref other => maker.expr(other, depth.min(1)),
        };
        let cells = indexes.into_iter().map(|index| (Expr::Const(index), cell(self))).collect();
        Expr::Array { index: index.clone(), cells, default: Box::new(cell(self)) }
    }
}

/// What a goal is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// True in some of the states, but not in the first ones.
    Reached,
    /// False in all of them, but not in all mixtures of two.
    Missed,
}

/// A condition on these states, which are given by their depth.
pub(crate) fn goal(maker: &mut Maker<'_>, levels: &[Vec<&Bound>], wanted: Wanted) -> Option<Expr> {
    let all: Vec<&Bound> = levels.iter().flatten().copied().collect();
    if all.is_empty() {
        return None;
    }
    let enums = maker.enums;
    let is_true = |goal: &Expr, bound: &Bound| value(goal, bound, enums).ok().map(|found| found == Value::Bool(true));
    for _ in 0..30 {
        let other = mixture(maker.dice, &all);
        // The later half of the states is farther away.
        let far = all[all.len() / 2 + maker.dice.below(all.len() - all.len() / 2)];
        let goal = match (maker.dice.below(2), wanted) {
            (0, _) => maker.condition(2),
            (_, Wanted::Reached) => values_of(maker, far),
            (_, Wanted::Missed) => values_of(maker, &other),
        };
        let first = all.iter().find_map(|bound| match is_true(&goal, bound) {
            Some(false) => None,
            found => Some((found, *bound)),
        });
        let is_good = match (wanted, first) {
            (_, Some((None, _))) => false,
            (Wanted::Reached, Some((_, at))) => !levels[0].contains(&at),
            (Wanted::Missed, None) => {
                is_true(&goal, &other) == Some(true)
                    || (0..20).any(|_| is_true(&goal, &mixture(maker.dice, &all)) == Some(true))
            }
            (Wanted::Reached, None) | (Wanted::Missed, Some(_)) => false,
        };
        if is_good {
            return Some(goal);
        }
    }
    None
}

/// Each variable with what it has in some state.
fn mixture(dice: &mut Dice, all: &[&Bound]) -> Bound {
    let value = |at: usize| dice.pick(all)[at].clone();
    (0..all[0].len()).map(value).collect()
}

/// That two or three of the variables have what they have here.
fn values_of(maker: &mut Maker<'_>, bound: &Bound) -> Expr {
    let is_plain = |(_, value): &&(String, Value)| !matches!(value, Value::Array(..) | Value::Unset);
    let mut plain: Vec<(String, Value)> = bound.iter().filter(is_plain).cloned().collect();
    maker.dice.shuffle(&mut plain);
    plain.truncate(2 + maker.dice.below(2_usize));
    let equal = |(name, value): (String, Value)| Expr::binary(Binary::Eq, Expr::Var(name), Expr::Const(value));
    let parts = plain.into_iter().map(equal);
    parts.reduce(|left, right| Expr::binary(Binary::And, left, right)).unwrap_or(Expr::bool(false))
}
