//! Random cells, and indexes that are in bounds, or are likely to be.

use crate::ast::{Binary, Expr, Owner, Place, ProcessId, VarId};
use crate::random::Maker;
use crate::random_expr::Kind;

/// What is known about a variable.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) owner: Option<ProcessId>,
    pub(crate) variable: VarId,
    pub(crate) kind: Kind,
    /// Whether it is declared as `int`.
    pub(crate) is_int: bool,
    /// The least and the greatest value; positions of literals for enumerations.
    pub(crate) lo: i128,
    pub(crate) hi: i128,
    pub(crate) dims: Vec<i128>,
    /// Whether some command writes it.
    pub(crate) is_written: bool,
}

/// Where an expression stands.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The process around it.
    pub(crate) process: Option<ProcessId>,
    /// The bound names around it, all different, with their intervals.
    pub(crate) bound: Vec<(String, i128, i128)>,
    /// The chance in percent that something is left unguarded.
    pub(crate) risk: u32,
    /// How many of the defines may be used.
    pub(crate) n_defines: usize,
}

impl Scope {
    /// The scope inside one more binder, and the name it binds, which is new.
    pub(crate) fn inside(&self, lo: i128, hi: i128) -> (String, Scope) {
        const NAMES: [&str; 7] = ["i", "j", "k", "m", "n", "in_", "o"];
        let is_free = |name: &&str| self.bound.iter().all(|(bound, ..)| bound != name);
        let name = NAMES.into_iter().find(is_free).expect("binders nest less deeply than there are names");
        let mut inner = self.clone();
        inner.bound.push((name.to_owned(), lo, hi));
        (name.to_owned(), inner)
    }
}

impl Maker<'_> {
    /// The variables that satisfy a condition, by their positions.
    pub(crate) fn candidates(&self, wanted: impl Fn(&Fact) -> bool) -> Vec<usize> {
        (0..self.facts.len()).filter(|&at| wanted(&self.facts[at])).collect()
    }

    /// The value of a random cell of some kind.
    pub(crate) fn read(&mut self, scope: &Scope, depth: usize, kind: Kind) -> Option<Expr> {
        let candidates = self.candidates(|fact| fact.kind == kind && (depth > 0 || is_simple(fact, scope)));
        if candidates.is_empty() {
            return None;
        }
        let fact = self.facts[candidates[self.dice.below(candidates.len())]].clone();
        Some(Expr::Read(self.place(scope, depth, &fact)))
    }

    /// A random cell of a variable.
    pub(crate) fn place(&mut self, scope: &Scope, depth: usize, fact: &Fact) -> Place {
        let owner = match fact.owner {
            None => Owner::Global,
            Some(id) if scope.process == Some(id) && self.dice.percent(70) => Owner::Own,
            Some(id) => {
                let interval = self.instances[id.0];
                let index = interval.map(|(lo, hi)| Box::new(self.index(scope, depth.min(2), lo, hi)));
                Owner::Instance(id, index)
            }
        };
        let indexes = fact.dims.iter().map(|dim| self.index(scope, depth.min(2), 0, dim - 1)).collect();
        Place { owner, variable: fact.variable, indexes }
    }

    /// An index into `lo..=hi`, usually in bounds.
    fn index(&mut self, scope: &Scope, depth: usize, lo: i128, hi: i128) -> Expr {
        if self.dice.percent(scope.risk / 2) {
            return self.daring_index(scope, depth, hi);
        }
        let mut fitting: Vec<Expr> = Vec::new();
        for (name, least, greatest) in &scope.bound {
            if lo <= *least && *greatest <= hi {
                fitting.push(Expr::Bound(name.clone()));
            }
        }
        let is_kept = |fact: &Fact| !(fact.is_int && self.shape.is_unbounded);
        let is_within = |fact: &Fact| is_kept(fact) && lo <= fact.lo && fact.hi <= hi;
        let fits = |fact: &Fact| fact.kind == Kind::Int && is_simple(fact, scope) && is_within(fact);
        for at in self.candidates(fits) {
            fitting.push(Expr::Read(simple_place(&self.facts[at])));
        }
        match self.dice.below(6) {
            0 if depth > 0 => {
                let number = self.number(scope, depth - 1);
                self.reduced(number, lo, hi)
            }
            1 => {
                let value = self.dice.between(lo, hi);
                self.constant(value)
            }
            _ if fitting.is_empty() => {
                let value = self.dice.between(lo, hi);
                self.constant(value)
            }
            _ => fitting.swap_remove(self.dice.below(fitting.len())),
        }
    }

    /// An index that may be out of bounds.
    fn daring_index(&mut self, scope: &Scope, depth: usize, hi: i128) -> Expr {
        match self.dice.below(5) {
            0 => self.constant(hi + 1),
            1 | 2 if !scope.bound.is_empty() => {
                let (name, ..) = &scope.bound[self.dice.below(scope.bound.len())];
                let op = if self.dice.percent(50) { Binary::Add } else { Binary::Sub };
                Expr::binary(op, Expr::Bound(name.clone()), Expr::Int(1))
            }
            _ => self.number(scope, depth.saturating_sub(1)),
        }
    }

    /// A number brought into `lo..=hi`.
    pub(crate) fn reduced(&mut self, number: Expr, lo: i128, hi: i128) -> Expr {
        let n_values = self.constant(hi - lo + 1);
        let remainder = Expr::binary(Binary::Mod, number, n_values);
        if lo == 0 { remainder } else { Expr::binary(Binary::Add, remainder, self.constant(lo)) }
    }
}

/// Whether a variable can be used without any index.
fn is_simple(fact: &Fact, scope: &Scope) -> bool {
    fact.dims.is_empty() && (fact.owner.is_none() || fact.owner == scope.process)
}

fn simple_place(fact: &Fact) -> Place {
    let owner = if fact.owner.is_some() { Owner::Own } else { Owner::Global };
    Place { owner, variable: fact.variable, indexes: Vec::new() }
}
