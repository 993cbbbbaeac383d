//! Random expressions of a wanted kind.
//!
//! Products have constants and cells as factors only, so that numbers stay small.

use crate::ast::{Binary, ConstId, EnumId, Expr, Owner, Place, Quantifier, Unary};
use crate::random::Maker;
use crate::random_place::{Fact, Scope};

/// What an expression evaluates to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    Enum(EnumId),
}

/// Whether the type of an enumeration literal is plain from the place where it stands, so that
/// one shared with another enumeration may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    Plain,
    Obscure,
}

const COMPARISONS: [Binary; 8] =
    [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge, Binary::Eq, Binary::Le];

impl Maker<'_> {
    /// A random Boolean expression.
    pub(crate) fn condition(&mut self, scope: &Scope, depth: usize) -> Expr {
        if depth == 0 {
            return self.atom(scope, 0);
        }
        let less = depth - 1;
        match self.dice.below(16) {
            0 => Expr::unary(Unary::Not, self.condition(scope, less)),
            1 | 2 => self.connect(Binary::And, scope, less),
            3 | 4 => self.connect(Binary::Or, scope, less),
            5 => self.connect(Binary::Implies, scope, less),
            6 => self.connect(Binary::Iff, scope, less),
            7 => {
                let op = if self.dice.percent(50) { Binary::Eq } else { Binary::Ne };
                self.connect(op, scope, less)
            }
            8 | 9 => self.comparison(scope, less),
            10 => {
                let condition = self.condition(scope, less);
                let yes = self.condition(scope, less);
                Expr::branch(condition, yes, self.condition(scope, less))
            }
            11 | 12 => {
                let quantifier = if self.dice.percent(50) { Quantifier::Forall } else { Quantifier::Exists };
                self.quantified(quantifier, scope, less)
            }
            13 => self.shielded(scope, less),
            _ => self.atom(scope, less),
        }
    }

    fn connect(&mut self, op: Binary, scope: &Scope, depth: usize) -> Expr {
        let left = self.condition(scope, depth);
        Expr::binary(op, left, self.condition(scope, depth))
    }

    fn comparison(&mut self, scope: &Scope, depth: usize) -> Expr {
        let op = COMPARISONS[self.dice.below(COMPARISONS.len())];
        let left = self.number(scope, depth);
        Expr::binary(op, left, self.number(scope, depth))
    }

    /// A short condition: a Boolean cell, name or constant, or a cell against a value.
    pub(crate) fn atom(&mut self, scope: &Scope, depth: usize) -> Expr {
        match self.dice.below(12) {
            0 => Expr::Bool(self.dice.percent(50)),
            1 => self.flag(scope),
            2..=4 => self.read(scope, depth, Kind::Bool).unwrap_or_else(|| self.flag(scope)),
            5..=7 => self.choice(scope, depth).unwrap_or_else(|| self.against(scope, depth)),
            _ => self.against(scope, depth),
        }
    }

    /// A Boolean define or constant.
    fn flag(&mut self, scope: &Scope) -> Expr {
        let usable = &self.defines[..scope.n_defines];
        let defines: Vec<Expr> =
            usable.iter().filter(|(_, kind)| *kind == Kind::Bool).map(|(id, _)| Expr::Define(*id)).collect();
        if !defines.is_empty() && self.dice.percent(80) {
            return defines[self.dice.below(defines.len())].clone();
        }
        match self.model.constants.last() {
            Some(last) if matches!(last.value, Expr::Bool(_)) => Expr::Const(ConstId(self.model.constants.len() - 1)),
            _ => Expr::Bool(self.dice.percent(70)),
        }
    }

    /// A comparison of a number with one that it is likely to be near.
    fn against(&mut self, scope: &Scope, depth: usize) -> Expr {
        let op = COMPARISONS[self.dice.below(COMPARISONS.len())];
        if self.shape.is_unbounded && self.dice.percent(50) {
            return self.relation(scope);
        }
        let left = self.leaf(scope, depth);
        let value = self.dice.between(-1, 3);
        Expr::binary(op, left, self.constant(value))
    }

    /// A comparison of an enumeration cell with another one or with a literal.
    fn choice(&mut self, scope: &Scope, depth: usize) -> Option<Expr> {
        let id = EnumId(self.dice.below(self.model.enums.len().max(1)));
        let left = self.read(scope, depth, Kind::Enum(id))?;
        let right = self.option(scope, depth, id, Sight::Plain);
        let op = if self.dice.percent(70) { Binary::Eq } else { Binary::Ne };
        // The other operand decides about a shared literal on either side.
        Some(if self.dice.percent(75) { Expr::binary(op, left, right) } else { Expr::binary(op, right, left) })
    }

    /// An expression of an enumeration.
    pub(crate) fn option(&mut self, scope: &Scope, depth: usize, id: EnumId, sight: Sight) -> Expr {
        if depth > 0 && self.dice.percent(15) {
            let condition = self.condition(scope, depth - 1);
            let yes = self.option(scope, depth - 1, id, Sight::Obscure);
            return Expr::branch(condition, yes, self.option(scope, depth - 1, id, Sight::Obscure));
        }
        if self.dice.percent(25)
            && let Some(cell) = self.read(scope, depth, Kind::Enum(id))
        {
            return cell;
        }
        let usable: Vec<usize> = (0..self.model.enums[id.0].literals.len())
            .filter(|&literal| sight == Sight::Plain || !self.is_shared(id, literal))
            .collect();
        if usable.is_empty() {
            return self.read(scope, 1, Kind::Enum(id)).expect("an enumeration in use has a variable");
        }
        Expr::Literal(id, usable[self.dice.below(usable.len())])
    }

    fn is_shared(&self, EnumId(id): EnumId, literal: usize) -> bool {
        let name = &self.model.enums[id].literals[literal];
        let others = self.model.enums.iter().enumerate().filter(|(other, _)| *other != id);
        others.into_iter().any(|(_, enumeration)| enumeration.literals.contains(name))
    }

    /// A condition that reads a cell or divides only after testing that it may.
    fn shielded(&mut self, scope: &Scope, depth: usize) -> Expr {
        let arrays = self.candidates(|fact| fact.dims.len() == 1 && fact.owner.is_none() && fact.kind == Kind::Int);
        let number = self.number(scope, depth);
        let (test, use_of) = if arrays.is_empty() || self.dice.percent(40) {
            let divisor = self.leaf(scope, depth);
            let op = if self.dice.percent(50) { Binary::Div } else { Binary::Mod };
            (Expr::binary(Binary::Ne, divisor.clone(), Expr::Int(0)), Expr::binary(op, number, divisor))
        } else {
            let Fact { variable, dims, .. } = self.facts[arrays[self.dice.below(arrays.len())]].clone();
            let size = self.constant(dims[0]);
            let low = Expr::binary(Binary::Ge, number.clone(), Expr::Int(0));
            let high = Expr::binary(Binary::Lt, number.clone(), size);
            let owner = Owner::Global;
            let cell = Expr::Read(Place { owner, variable, indexes: vec![number] });
            (Expr::binary(Binary::And, low, high), cell)
        };
        let value = self.dice.between(0, 2);
        let then = Expr::binary(Binary::Le, use_of, self.constant(value));
        match self.dice.below(4) {
            0 => Expr::binary(Binary::Implies, test, then),
            1 => Expr::binary(Binary::Or, Expr::unary(Unary::Not, test), then),
            2 => Expr::branch(test, then, Expr::Bool(self.dice.percent(50))),
            _ => Expr::binary(Binary::And, test, then),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, scope: &Scope, depth: usize) -> Expr {
        let lo = self.dice.between(-1, 1);
        let (lo, hi) = match self.dice.below(4) {
            _ if self.dice.percent(self.shape.empty_ranges) => (lo, lo - 1),
            0 => (lo, lo + self.dice.between(0, 2)),
            // The range of an array or of a process, most often.
            _ => self.likely_range(),
        };
        let (name, inner) = scope.inside(lo, hi);
        let binder = self.binder(&name, lo, hi);
        let body = match quantifier {
            Quantifier::Sum => self.number(&inner, depth),
            Quantifier::Forall | Quantifier::Exists | Quantifier::Count => self.condition(&inner, depth),
        };
        Expr::quantified(quantifier, binder, body)
    }

    /// The range of some array or of some process's parameter.
    pub(crate) fn likely_range(&mut self) -> (i128, i128) {
        let dims = self.facts.iter().flat_map(|fact| &fact.dims).map(|dim| (0, dim - 1));
        let ranges: Vec<(i128, i128)> = dims.chain(self.instances.iter().copied().flatten()).collect();
        if ranges.is_empty() { (0, 2) } else { ranges[self.dice.below(ranges.len())] }
    }

    /// A random expression for a number.
    pub(crate) fn number(&mut self, scope: &Scope, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf(scope, 0);
        }
        let less = depth - 1;
        match self.dice.below(16) {
            0 | 1 => self.compute(Binary::Add, scope, less),
            2 | 3 => self.compute(Binary::Sub, scope, less),
            4 if self.shape.is_unbounded => self.multiple(scope),
            4 => {
                let left = self.factor(scope);
                Expr::binary(Binary::Mul, left, self.factor(scope))
            }
            6 if self.shape.is_unbounded => self.compute(Binary::Add, scope, less),
            5 | 6 => self.quotient(scope, less),
            7 => Expr::unary(Unary::Neg, self.number(scope, less)),
            8 => Expr::unary(Unary::Abs, self.number(scope, less)),
            9 => self.compute(Binary::Min, scope, less),
            10 => self.compute(Binary::Max, scope, less),
            11 => {
                let condition = self.condition(scope, less);
                let yes = self.number(scope, less);
                Expr::branch(condition, yes, self.number(scope, less))
            }
            12 => self.quantified(Quantifier::Sum, scope, less),
            13 => self.quantified(Quantifier::Count, scope, less),
            _ => self.leaf(scope, less),
        }
    }

    fn compute(&mut self, op: Binary, scope: &Scope, depth: usize) -> Expr {
        let left = self.number(scope, depth);
        Expr::binary(op, left, self.number(scope, depth))
    }

    fn quotient(&mut self, scope: &Scope, depth: usize) -> Expr {
        let left = self.number(scope, depth);
        let right = if self.dice.percent(scope.risk * 4) {
            self.number(scope, depth)
        } else {
            let value = [-3, -2, -1, 1, 2, 2, 3][self.dice.below(7)];
            self.constant(value)
        };
        Expr::binary(if self.dice.percent(50) { Binary::Div } else { Binary::Mod }, left, right)
    }

    /// A number without any operator: a cell, a name or a literal.
    pub(crate) fn leaf(&mut self, scope: &Scope, depth: usize) -> Expr {
        let usable = &self.defines[..scope.n_defines];
        let defines: Vec<Expr> =
            usable.iter().filter(|(_, kind)| *kind == Kind::Int).map(|(id, _)| Expr::Define(*id)).collect();
        if !defines.is_empty() && self.dice.percent(15) {
            return defines[self.dice.below(defines.len())].clone();
        }
        if self.dice.percent(75)
            && let Some(cell) = self.read(scope, depth, Kind::Int)
        {
            return cell;
        }
        self.factor(scope)
    }

    /// A simple cell, a bound name or a constant.
    fn factor(&mut self, scope: &Scope) -> Expr {
        match self.dice.below(4) {
            0 | 1 if !scope.bound.is_empty() => Expr::Bound(scope.bound[self.dice.below(scope.bound.len())].0.clone()),
            0..=2 if self.dice.percent(60) => {
                let value = self.dice.between(-2, 4);
                self.read(scope, 0, Kind::Int).unwrap_or(Expr::Int(value))
            }
            _ => {
                let value = self.dice.between(-2, 4);
                self.constant(value)
            }
        }
    }
}
