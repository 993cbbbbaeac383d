//! From expressions to register programs.
//!
//! Programs without branches are in single-assignment form: a register is written on at most one place of a path, so an
//! assignment inside a statement sequence only renames its variable for what follows. Where branches meet again, and in
//! loops, variables have fixed registers that assignments write, see [`fixed`].
//!
//! Expressions are written out as trees; those that would be too large as trees have their shared parts computed once,
//! see [`shared`].

mod fixed;
mod shared;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod word_tests;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;

use lapidary_base::hash::Map;
use lapidary_base::{Id, IdVec};
use lapidary_ir::passes::{Shapes, Widths};
use lapidary_ir::{Declarations, Domain, Expr, FamilyId, Node, Sort, VarId};

use crate::bytecode::{Label, Op, Program, Register};
pub use fixed::Homes;
use shared::Shared;

/// Registers above this are intermediate values; [`Pool::link`] moves them behind the constants.
const TEMPORARY: u32 = 1 << 31;

/// The registers that all programs of a system share: variables, then constants.
#[derive(Default)]
pub struct Pool {
    n_vars: u32,
    constants: Vec<i64>,
    by_value: Map<i64, Register>,
    n_temporaries: u32,
    /// Where the rounds of all loops are counted.
    counter: Option<Register>,
    shapes: Shapes,
    widths: Widths,
}

impl Pool {
    pub fn new(model: &Declarations) -> Self {
        Self { n_vars: u32::try_from(model.vars.len()).expect("ids fit in 32 bits"), ..Self::default() }
    }

    pub fn constant(&mut self, value: i64) -> Register {
        *self.by_value.entry(value).or_insert_with(|| {
            self.constants.push(value);
            Register(self.n_vars + self.constants.len() as u32 - 1)
        })
    }

    /// A register that keeps its value from program to program.
    pub fn counter(&mut self) -> Register {
        *self.counter.get_or_insert_with(|| {
            self.constants.push(0);
            Register(self.n_vars + self.constants.len() as u32 - 1)
        })
    }

    /// The value of a constant register.
    pub fn value(&self, register: Register) -> Option<i64> {
        if register.0 >= TEMPORARY {
            return None;
        }
        let index = register.0.checked_sub(self.n_vars)?;
        Some(self.constants[index as usize])
    }

    /// The register's final place, once all constants are known.
    pub fn link(&self, register: &mut Register) {
        if register.0 >= TEMPORARY {
            register.0 = register.0 - TEMPORARY + self.n_vars + self.constants.len() as u32;
        }
    }

    pub fn link_program(&self, program: &mut Program) {
        for op in &mut program.ops {
            for_each_register(op, |register| self.link(register));
        }
    }

    /// A register file with the constants in place.
    pub fn registers(&self) -> Vec<i64> {
        let mut registers = vec![0; self.n_vars as usize];
        registers.extend(&self.constants);
        registers.resize(registers.len() + self.n_temporaries as usize, 0);
        registers
    }
}

fn for_each_register(op: &mut Op, mut visit: impl FnMut(&mut Register)) {
    match op {
        Op::Jump(_) | Op::Accept | Op::Reject => {}
        Op::JumpTrue(a, _) | Op::JumpFalse(a, _) => visit(a),
        Op::Call { done: a, .. } | Op::Return(a) | Op::Forget { first: a, .. } | Op::Again { left: a, .. } => visit(a),
        Op::JumpEq(a, b, _) | Op::JumpNe(a, b, _) | Op::JumpLt(a, b, _) | Op::JumpLe(a, b, _) => {
            visit(a);
            visit(b);
        }
        Op::Copy { to, from: a } | Op::Neg { to, a } => {
            visit(to);
            visit(a);
        }
        Op::Add { to, a, b }
        | Op::Sub { to, a, b }
        | Op::Mul { to, a, b }
        | Op::Div { to, a, b }
        | Op::Mod { to, a, b }
        | Op::Word { to, a, b, .. } => {
            visit(to);
            visit(a);
            visit(b);
        }
        Op::Load { to: a, first, index, .. } | Op::Store { from: a, first, index, .. } => {
            visit(a);
            visit(first);
            visit(index);
        }
    }
}

/// Writes one program.
pub struct Compiler<'a> {
    pub model: &'a Declarations,
    pub pool: &'a mut Pool,
    ops: Vec<Op>,
    /// Where each label was bound; jumps carry label numbers until [`finish`](Self::finish).
    labels: IdVec<Label, Option<u32>>,
    n_temporaries: u32,
    /// Variables that were assigned on this path, and where their values are now.
    renamed: BTreeMap<VarId, Register>,
    /// Values that are computed where they are first needed, good until the next assignment.
    shared: Map<Expr, Shared>,
    /// The fixed registers, none while assignments rename.
    fixed: Option<Range<u32>>,
    /// Where the rounds of loops are counted, if there are any.
    left: Option<Register>,
    reject: Label,
}

impl<'a> Compiler<'a> {
    pub fn new(model: &'a Declarations, pool: &'a mut Pool) -> Self {
        let mut labels = IdVec::new();
        let reject = labels.push(None);
        let (ops, renamed, shared) = (Vec::new(), BTreeMap::new(), Map::default());
        Self { model, pool, ops, labels, n_temporaries: 0, renamed, shared, fixed: None, left: None, reject }
    }

    /// Where to jump to give up this path.
    pub fn reject(&self) -> Label {
        self.reject
    }

    pub fn emit(&mut self, op: Op) {
        self.ops.push(op);
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(None)
    }

    pub fn bind(&mut self, label: Label) {
        self.labels[label] = Some(u32::try_from(self.ops.len()).expect("programs are short"));
    }

    pub fn temporary(&mut self) -> Register {
        self.temporaries(1)
    }

    pub fn temporaries(&mut self, n: u32) -> Register {
        let first = self.next_temporary();
        self.n_temporaries += n;
        first
    }

    pub fn next_temporary(&self) -> Register {
        Register(TEMPORARY + self.n_temporaries)
    }

    fn rename(&mut self, var: VarId, register: Register) {
        self.shared.clear();
        self.renamed.insert(var, register);
    }

    pub fn var(&self, var: VarId) -> Register {
        self.renamed.get(&var).copied().unwrap_or_else(|| Register::new(var.index()))
    }

    /// Ends the program: whatever reaches this point is accepted.
    pub fn finish(mut self) -> Program {
        self.emit(Op::Accept);
        self.bind(self.reject);
        self.emit(Op::Reject);
        self.pool.n_temporaries = self.pool.n_temporaries.max(self.n_temporaries);
        let labels = self.labels;
        let place = |label: &mut Label| *label = Label(labels[*label].expect("every label is bound"));
        for op in &mut self.ops {
            match op {
                Op::JumpTrue(_, to) | Op::JumpFalse(_, to) | Op::Jump(to) => place(to),
                Op::Call { body: to, .. } | Op::Again { head: to, .. } => place(to),
                Op::JumpEq(_, _, to) | Op::JumpNe(_, _, to) | Op::JumpLt(_, _, to) | Op::JumpLe(_, _, to) => place(to),
                Op::Copy { .. } | Op::Load { .. } | Op::Store { .. } | Op::Accept | Op::Reject => {}
                Op::Return(_) | Op::Forget { .. } | Op::Word { .. } => {}
                Op::Add { .. } | Op::Sub { .. } | Op::Neg { .. } | Op::Mul { .. } | Op::Div { .. } | Op::Mod { .. } => {
                }
            }
        }
        Program { ops: self.ops }
    }

    /// Goes on only where the condition has the wanted value.
    pub fn require(&mut self, condition: Expr, wanted: bool) {
        self.share(condition);
        self.jump_if(condition, !wanted, self.reject);
    }

    /// The register that holds the expression's value from here on.
    pub fn value(&mut self, expr: Expr) -> Register {
        self.share(expr);
        self.part(expr)
    }

    /// Jumps to `to` when `condition` evaluates to `sense`, else falls through.
    fn jump_if(&mut self, condition: Expr, sense: bool, to: Label) {
        if let Some(value) = self.call(condition) {
            self.emit(if sense { Op::JumpTrue(value, to) } else { Op::JumpFalse(value, to) });
            return;
        }
        self.jump_plainly(condition, sense, to);
    }

    fn jump_plainly(&mut self, condition: Expr, sense: bool, to: Label) {
        let model = self.model;
        match model.exprs.node(condition) {
            Node::Bool(value) if *value == sense => self.emit(Op::Jump(to)),
            Node::Bool(_) => {}
            Node::Not(inner) => self.jump_if(*inner, !sense, to),
            Node::And(parts) => self.jump_junction(parts, false, sense, to),
            Node::Or(parts) => self.jump_junction(parts, true, sense, to),
            Node::Ite(test, then, otherwise) => {
                let (other, end) = (self.label(), self.label());
                self.jump_if(*test, false, other);
                self.jump_if(*then, sense, to);
                self.emit(Op::Jump(end));
                self.bind(other);
                self.jump_if(*otherwise, sense, to);
                self.bind(end);
            }
            Node::Eq(a, b) => {
                let (a, b) = (self.part(*a), self.part(*b));
                self.emit(if sense { Op::JumpEq(a, b, to) } else { Op::JumpNe(a, b, to) });
            }
            Node::Lt(a, b) => {
                let (a, b) = (self.part(*a), self.part(*b));
                self.emit(if sense { Op::JumpLt(a, b, to) } else { Op::JumpLe(b, a, to) });
            }
            Node::Le(a, b) => {
                let (a, b) = (self.part(*a), self.part(*b));
                self.emit(if sense { Op::JumpLe(a, b, to) } else { Op::JumpLt(b, a, to) });
            }
            Node::Var(_) | Node::Cell(..) | Node::Apply(..) => {
                let value = self.plainly(condition);
                self.emit(if sense { Op::JumpTrue(value, to) } else { Op::JumpFalse(value, to) });
            }
            Node::Int(_) | Node::Literal(..) | Node::Add(_) | Node::Neg(_) => unreachable!("conditions are Boolean"),
            Node::Mul(..) | Node::Div(..) | Node::Mod(..) => unreachable!("conditions are Boolean"),
            Node::Bits(..) | Node::Value(..) => unreachable!("conditions are Boolean"),
        }
    }

    /// `absorbing` is the value that decides the junction at once: false for And, true for Or.
    fn jump_junction(&mut self, parts: &[Expr], absorbing: bool, sense: bool, to: Label) {
        if sense == absorbing {
            parts.iter().for_each(|&part| self.jump_if(part, absorbing, to));
            return;
        }
        let (last, before) = parts.split_last().expect("junctions have parts");
        let decided = self.label();
        before.iter().for_each(|&part| self.jump_if(part, absorbing, decided));
        self.jump_if(*last, sense, to);
        self.bind(decided);
    }

    /// The register that holds the value of a part.
    fn part(&mut self, expr: Expr) -> Register {
        self.call(expr).unwrap_or_else(|| self.plainly(expr))
    }

    fn plainly(&mut self, expr: Expr) -> Register {
        let model = self.model;
        match model.exprs.node(expr) {
            Node::Bool(value) => self.pool.constant(i64::from(*value)),
            Node::Int(value) => self.pool.constant(*value),
            Node::Literal(_, number) => self.pool.constant(i64::from(*number)),
            Node::Bits(_, bits) => self.pool.constant(*bits),
            Node::Value(..) => unreachable!("arrays are refused beforehand"),
            Node::Apply(function, parts) => self.word(*function, parts),
            Node::Var(var) => self.var(*var),
            Node::Cell(family, index) => self.load(*family, *index),
            Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
                self.truth_value(expr)
            }
            Node::Ite(test, then, otherwise) => self.select(*test, *then, *otherwise),
            Node::Add(parts) => self.sum(parts),
            Node::Neg(a) => {
                let (to, a) = (self.temporary(), self.part(*a));
                self.emit(Op::Neg { to, a });
                to
            }
            Node::Mul(a, b) => self.binary(*a, *b, |to, a, b| Op::Mul { to, a, b }),
            Node::Div(a, b) => self.binary(*a, *b, |to, a, b| Op::Div { to, a, b }),
            Node::Mod(a, b) => self.binary(*a, *b, |to, a, b| Op::Mod { to, a, b }),
        }
    }

    fn binary(&mut self, a: Expr, b: Expr, op: impl Fn(Register, Register, Register) -> Op) -> Register {
        let (a, b) = (self.part(a), self.part(b));
        let to = self.temporary();
        self.emit(op(to, a, b));
        to
    }

    fn sum(&mut self, parts: &[Expr]) -> Register {
        let (first, rest) = parts.split_first().expect("sums have parts");
        let mut total = self.part(*first);
        for &part in rest {
            let to = self.temporary();
            let op = match self.model.exprs.node(part) {
                Node::Neg(inner) if !self.shared.contains_key(&part) => Op::Sub { to, a: total, b: self.part(*inner) },
                _ => Op::Add { to, a: total, b: self.part(part) },
            };
            self.emit(op);
            total = to;
        }
        total
    }

    fn truth_value(&mut self, expr: Expr) -> Register {
        let (to, yes, end) = (self.temporary(), self.label(), self.label());
        let (zero, one) = (self.pool.constant(0), self.pool.constant(1));
        self.jump_plainly(expr, true, yes);
        self.emit(Op::Copy { to, from: zero });
        self.emit(Op::Jump(end));
        self.bind(yes);
        self.emit(Op::Copy { to, from: one });
        self.bind(end);
        to
    }

    fn select(&mut self, test: Expr, then: Expr, otherwise: Expr) -> Register {
        let (to, other, end) = (self.temporary(), self.label(), self.label());
        self.jump_if(test, false, other);
        let from = self.part(then);
        self.emit(Op::Copy { to, from });
        self.emit(Op::Jump(end));
        self.bind(other);
        let from = self.part(otherwise);
        self.emit(Op::Copy { to, from });
        self.bind(end);
        to
    }

    fn load(&mut self, family: FamilyId, index: Expr) -> Register {
        let cells = &self.model.families[family];
        let constant = self.model.exprs.as_int(index).and_then(|index| u32::try_from(index).ok());
        if let Some(index) = constant.filter(|&index| index < cells.len) {
            return self.var(cells.var(index));
        }
        let len = cells.len;
        let index = self.part(index);
        let first = self.row(family);
        let to = self.temporary();
        self.emit(Op::Load { to, first, len, index });
        to
    }

    /// The first of the consecutive registers that hold a family's current values.
    fn row(&mut self, family: FamilyId) -> Register {
        let cells: Vec<VarId> = self.model.cells(family).collect();
        let first = self.var(cells[0]);
        let is_row = (first.0..).zip(&cells).all(|(register, &cell)| self.var(cell).0 == register);
        if is_row { first } else { self.copy_row(&cells) }
    }

    fn copy_row(&mut self, cells: &[VarId]) -> Register {
        let first = self.temporaries(u32::try_from(cells.len()).expect("families are short"));
        for (i, &cell) in cells.iter().enumerate() {
            let (to, from) = (Register(first.0 + i as u32), self.var(cell));
            self.emit(Op::Copy { to, from });
        }
        first
    }

    /// Rejects a value that is outside a domain; says nothing where it cannot be.
    pub fn require_domain(&mut self, domain: Domain, value: Register) {
        let Some((lo, hi)) = self.model.bounds(domain).filter(|_| domain.sort() == Sort::Int) else { return };
        if self.pool.value(value).is_some_and(|value| (lo..=hi).contains(&value)) {
            return;
        }
        let (lo, hi) = (self.pool.constant(lo), self.pool.constant(hi));
        self.emit(Op::JumpLt(value, lo, self.reject));
        self.emit(Op::JumpLt(hi, value, self.reject));
    }

    /// What this path assigned, and where it is now.
    pub fn renamed(&self) -> Vec<(VarId, Register)> {
        self.renamed.iter().map(|(&var, &register)| (var, register)).collect()
    }
}
