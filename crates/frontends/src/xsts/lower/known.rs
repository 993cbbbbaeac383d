//! What is known of variables along a path through a transition: constants, and that a value is not zero.
//!
//! A journal undoes what one branch learned before the next one is lowered, so branches cost what they change.

use lapidary_base::hash::Map;
use lapidary_ir::{Expr, Exprs, Node, VarId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A number, a truth value or a literal.
    Value(Expr),
    NotZero,
}

#[derive(Default)]
pub struct Known {
    facts: Map<VarId, Fact>,
    /// What was known before each change.
    journal: Vec<(VarId, Option<Fact>)>,
}

/// Where the journal stood.
#[derive(Clone, Copy)]
pub struct Mark(usize);

/// What a branch changed.
pub type Changes = Vec<(VarId, Option<Fact>)>;

impl Known {
    pub fn value(&self, var: VarId) -> Option<Expr> {
        match self.facts.get(&var) {
            Some(Fact::Value(value)) => Some(*value),
            Some(Fact::NotZero) | None => None,
        }
    }

    pub fn is_not_zero(&self, var: VarId) -> bool {
        self.facts.get(&var) == Some(&Fact::NotZero)
    }

    pub fn set(&mut self, var: VarId, fact: Option<Fact>) {
        let before = match fact {
            Some(fact) => self.facts.insert(var, fact),
            None => self.facts.remove(&var),
        };
        if before != fact {
            self.journal.push((var, before));
        }
    }

    pub fn forget(&mut self, vars: impl IntoIterator<Item = VarId>) {
        vars.into_iter().for_each(|var| self.set(var, None));
    }

    pub fn forget_all(&mut self) {
        self.facts.clear();
        self.journal.clear();
    }

    pub fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Takes back what was learned since then, and tells it.
    pub fn undo(&mut self, mark: Mark) -> Changes {
        let mut changed: Map<VarId, Option<Fact>> = Map::default();
        let mut order = Vec::new();
        for (var, before) in self.journal.split_off(mark.0).into_iter().rev() {
            let now = self.facts.get(&var).copied();
            changed.entry(var).or_insert_with(|| {
                order.push(var);
                now
            });
            match before {
                Some(fact) => drop(self.facts.insert(var, fact)),
                None => drop(self.facts.remove(&var)),
            }
        }
        order.into_iter().map(|var| (var, changed[&var])).collect()
    }

    /// What is known behind branches that all begin with what is known now.
    pub fn join(&mut self, branches: &[Changes], exprs: &Exprs) {
        let mut joined: Map<VarId, (usize, Option<Fact>)> = Map::default();
        let mut order = Vec::new();
        for &(var, fact) in branches.iter().flatten() {
            let (n, common) = joined.entry(var).or_insert_with(|| {
                order.push(var);
                (0, fact)
            });
            *n += 1;
            *common = both(*common, fact, exprs);
        }
        for var in order {
            let (n, common) = joined[&var];
            let unchanged = if n < branches.len() { self.facts.get(&var).copied() } else { common };
            self.set(var, both(common, unchanged, exprs));
        }
    }

    /// Learns from a condition that it is true.
    pub fn learn(&mut self, condition: Expr, exprs: &Exprs) {
        for part in exprs.conjuncts(condition) {
            if let Some((var, fact)) = told(part, exprs)
                && self.value(var).is_none()
            {
                self.set(var, Some(fact));
            }
        }
    }
}

/// What is true of both.
fn both(a: Option<Fact>, b: Option<Fact>, exprs: &Exprs) -> Option<Fact> {
    let is_not_zero = |fact| match fact {
        Fact::Value(value) => exprs.as_int(value).is_some_and(|value| value != 0),
        Fact::NotZero => true,
    };
    match (a?, b?) {
        (a, b) if a == b => Some(a),
        (a, b) => (is_not_zero(a) && is_not_zero(b)).then_some(Fact::NotZero),
    }
}

/// Whether an expression is a constant.
pub fn is_constant(exprs: &Exprs, expr: Expr) -> bool {
    matches!(exprs.node(expr), Node::Bool(_) | Node::Int(_) | Node::Literal(..))
}

/// What a condition tells of a variable.
fn told(condition: Expr, exprs: &Exprs) -> Option<(VarId, Fact)> {
    let var = |expr: Expr| if let Node::Var(var) = exprs.node(expr) { Some(*var) } else { None };
    let is_zero = |expr: Expr| exprs.as_int(expr) == Some(0);
    match *exprs.node(condition) {
        Node::Var(var) => Some((var, Fact::Value(exprs.bool(true)))),
        Node::Eq(a, b) => match (var(a), var(b)) {
            (Some(var), None) if is_constant(exprs, b) => Some((var, Fact::Value(b))),
            (None, Some(var)) if is_constant(exprs, a) => Some((var, Fact::Value(a))),
            _ => None,
        },
        Node::Not(inner) => match *exprs.node(inner) {
            Node::Var(var) => Some((var, Fact::Value(exprs.bool(false)))),
            Node::Eq(a, b) if is_zero(b) => Some((var(a)?, Fact::NotZero)),
            Node::Eq(a, b) if is_zero(a) => Some((var(b)?, Fact::NotZero)),
            Node::Lt(a, b) => apart(exprs, b, a, Bound::Included),
            Node::Le(a, b) => apart(exprs, b, a, Bound::Excluded),
            _ => None,
        },
        Node::Lt(a, b) => apart(exprs, a, b, Bound::Excluded),
        Node::Le(a, b) => apart(exprs, a, b, Bound::Included),
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Included,
    Excluded,
}

/// That a variable is not zero since it is less or greater than a constant.
fn apart(exprs: &Exprs, less: Expr, greater: Expr, bound: Bound) -> Option<(VarId, Fact)> {
    let is_excluded = bound == Bound::Excluded;
    let (var, is_apart) = match (exprs.node(less), exprs.node(greater)) {
        (Node::Int(n), Node::Var(var)) => (*var, *n > 0 || (is_excluded && *n == 0)),
        (Node::Var(var), Node::Int(n)) => (*var, *n < 0 || (is_excluded && *n == 0)),
        _ => return None,
    };
    is_apart.then_some((var, Fact::NotZero))
}
