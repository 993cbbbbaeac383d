//! Expressions of a tree made ready for evaluation: a table of nodes, with the values of shared ones remembered.

use lapidary_base::hash::Map;
use lapidary_base::{Id, Stop, id};
use lapidary_ir::{Expr, Exprs, Node, Tree};

id! {
    /// An expression in the table.
    pub struct Code(u32);
}

enum Op {
    Constant(i64),
    Read(usize),
    Not(Code),
    And(Box<[Code]>),
    Or(Box<[Code]>),
    Ite(Code, Code, Code),
    Eq(Code, Code),
    Lt(Code, Code),
    Le(Code, Code),
    Add(Box<[Code]>),
    Neg(Code),
    Mul(Code, Code),
    Div(Code, Code),
    Mod(Code, Code),
}

/// Why there is no number.
enum Odd {
    /// The expression has no value.
    Undefined,
    /// It has one that does not fit 64 bits.
    Overflow,
}

pub struct Evaluator<'t> {
    exprs: &'t Exprs,
    ops: Vec<Op>,
    codes: Map<Expr, Code>,
    n_users: Vec<u32>,
    /// For nodes with several users: the evaluation that their value is of, and the value.
    shared: Vec<Option<(u64, i64)>>,
    /// Starts at one: values of evaluation zero are of none.
    n_evaluations: u64,
}

impl<'t> Evaluator<'t> {
    pub fn new(tree: &'t Tree) -> Self {
        let (ops, codes, n_users, shared) = (Vec::new(), Map::default(), Vec::new(), Vec::new());
        Self { exprs: &tree.exprs, ops, codes, n_users, shared, n_evaluations: 0 }
    }

    pub fn compile(&mut self, root: Expr) -> Code {
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            let waiting = stack.len();
            if !self.codes.contains_key(&expr) {
                self.exprs.for_each_part(expr, |part| {
                    if !self.codes.contains_key(&part) {
                        stack.push(part);
                    }
                });
            }
            if stack.len() == waiting {
                stack.pop();
                self.add(expr);
            }
        }
        self.codes[&root]
    }

    /// Adds an expression whose parts are there.
    fn add(&mut self, expr: Expr) {
        if self.codes.contains_key(&expr) {
            return;
        }
        let of = |part: &Expr| self.codes[part];
        let all = |parts: &[Expr]| parts.iter().map(of).collect();
        let op = match self.exprs.node(expr) {
            Node::Bool(value) => Op::Constant(i64::from(*value)),
            Node::Int(value) => Op::Constant(*value),
            Node::Literal(_, number) => Op::Constant(i64::from(*number)),
            Node::Var(var) => Op::Read(var.index()),
            Node::Cell(..) => unreachable!("expressions of trees have no cells"),
            Node::Bits(..) | Node::Value(..) | Node::Apply(..) => {
                unreachable!("no language with trees has bit-vectors or arrays")
            }
            Node::Not(a) => Op::Not(of(a)),
            Node::And(parts) => Op::And(all(parts)),
            Node::Or(parts) => Op::Or(all(parts)),
            Node::Ite(a, b, c) => Op::Ite(of(a), of(b), of(c)),
            Node::Eq(a, b) => Op::Eq(of(a), of(b)),
            Node::Lt(a, b) => Op::Lt(of(a), of(b)),
            Node::Le(a, b) => Op::Le(of(a), of(b)),
            Node::Add(parts) => Op::Add(all(parts)),
            Node::Neg(a) => Op::Neg(of(a)),
            Node::Mul(a, b) => Op::Mul(of(a), of(b)),
            Node::Div(a, b) => Op::Div(of(a), of(b)),
            Node::Mod(a, b) => Op::Mod(of(a), of(b)),
        };
        self.exprs.for_each_part(expr, |part| {
            let part = self.codes[&part].index();
            self.n_users[part] += 1;
            if self.n_users[part] == 2 && !matches!(self.ops[part], Op::Constant(_) | Op::Read(_)) {
                self.shared[part] = Some((0, 0));
            }
        });
        self.codes.insert(expr, Code::new(self.ops.len()));
        self.ops.push(op);
        self.n_users.push(0);
        self.shared.push(None);
    }

    /// The value under these values of the variables; none where the expression has none.
    pub fn value(&mut self, code: Code, state: &[i64]) -> Result<Option<i64>, Stop> {
        self.n_evaluations += 1;
        let Self { ops, shared, n_evaluations, .. } = self;
        match (Run { ops, shared, now: *n_evaluations, state }).value(code) {
            Ok(value) => Ok(Some(value)),
            Err(Odd::Undefined) => Ok(None),
            Err(Odd::Overflow) => Err(Stop::Overflow("in an expression of the model".to_owned())),
        }
    }

    /// Whether a condition has a value and is true.
    pub fn holds(&mut self, code: Code, state: &[i64]) -> Result<bool, Stop> {
        Ok(self.value(code, state)? == Some(1))
    }
}

/// One evaluation.
struct Run<'a> {
    ops: &'a [Op],
    shared: &'a mut [Option<(u64, i64)>],
    now: u64,
    state: &'a [i64],
}

impl Run<'_> {
    fn value(&mut self, code: Code) -> Result<i64, Odd> {
        match self.shared[code.index()] {
            Some((when, value)) if when == self.now => return Ok(value),
            None => return self.compute(code),
            Some(_) => {}
        }
        let value = self.compute(code)?;
        self.shared[code.index()] = Some((self.now, value));
        Ok(value)
    }

    fn compute(&mut self, code: Code) -> Result<i64, Odd> {
        let ops = self.ops;
        match &ops[code.index()] {
            Op::Constant(value) => Ok(*value),
            Op::Read(var) => Ok(self.state[*var]),
            Op::Not(a) => Ok(1 - self.value(*a)?),
            Op::And(parts) => self.junction(parts, 0),
            Op::Or(parts) => self.junction(parts, 1),
            Op::Ite(condition, then, otherwise) => match self.value(*condition)? {
                0 => self.value(*otherwise),
                _ => self.value(*then),
            },
            Op::Eq(a, b) => Ok(i64::from(self.value(*a)? == self.value(*b)?)),
            Op::Lt(a, b) => Ok(i64::from(self.value(*a)? < self.value(*b)?)),
            Op::Le(a, b) => Ok(i64::from(self.value(*a)? <= self.value(*b)?)),
            Op::Add(parts) => self.sum(parts),
            Op::Neg(a) => self.value(*a)?.checked_neg().ok_or(Odd::Overflow),
            Op::Mul(a, b) => self.value(*a)?.checked_mul(self.value(*b)?).ok_or(Odd::Overflow),
            Op::Div(a, b) => match (self.value(*a)?, self.value(*b)?) {
                (_, 0) => Err(Odd::Undefined),
                (a, b) => a.checked_div_euclid(b).ok_or(Odd::Overflow),
            },
            Op::Mod(a, b) => match (self.value(*a)?, self.value(*b)?) {
                (_, 0) => Err(Odd::Undefined),
                (a, b) => Ok(a.wrapping_rem_euclid(b)),
            },
        }
    }

    /// Sums are exact: parts may leave the 64 bits on the way if the whole does not.
    fn sum(&mut self, parts: &[Code]) -> Result<i64, Odd> {
        let mut sum = 0i128;
        for &part in parts {
            sum += i128::from(self.value(part)?);
        }
        i64::try_from(sum).map_err(|_| Odd::Overflow)
    }

    fn junction(&mut self, parts: &[Code], absorbing: i64) -> Result<i64, Odd> {
        for &part in parts {
            if self.value(part)? == absorbing {
                return Ok(absorbing);
            }
        }
        Ok(1 - absorbing)
    }
}
