//! From statements to the program of a rule, and to what it changes.

use lapidary_base::{Control, Id};
use lapidary_ir::{Assignment, Declarations, Destination, Domain, Expr, FamilyId, Rhs, Statement, VarId};
use lapidary_verdict::{Field, Layout};

use super::body::{is_straight, written};
use super::code::Code;
use super::guard::fixed_value;
use super::patch::{Patch, constant_bits};
use super::rule::{Kind, Rule, WordTest};
use super::{Halt, TooMuch};
use crate::bytecode::{Op, Register};
use crate::compile::Compiler;
use crate::layout;

/// More combinations of inputs than this in one assignment, or on one straight way, are not listed.
pub const MAX_INPUTS: u64 = 1 << 20;

/// Whose body it is.
#[derive(Clone, Copy)]
pub struct Whose<'a> {
    /// As refusals say it: `command go`.
    pub label: &'a str,
    /// The same with its place, as stops say it.
    pub name: &'a str,
    pub span: Option<lapidary_text::Span>,
}

impl Whose<'_> {
    pub fn too_many(&self, what: &str) -> TooMuch {
        TooMuch { what: format!("{} has {what}", self.label), span: self.span }
    }
}

/// Where an assignment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing reads what it writes.
    Last,
    Within,
}

pub struct Builder<'a> {
    model: &'a Declarations,
    whose: Whose<'a>,
    layout: &'a Layout,
    control: &'a Control,
    pub compiler: Compiler<'a>,
    pub tests: Vec<WordTest>,
    inputs: Vec<(Register, i64, i64)>,
    /// Inputs of the next assignment that were chosen before, the first one last.
    given: Vec<Register>,
    cells: Vec<(VarId, Register, Register)>,
    /// Where the decisions are written down, if somebody asks for them.
    decisions: Option<Decisions>,
}

/// A number that is less for the execution that comes first: a bit for each branching, set where the condition was false.
/// What is left last decides first, so the bits are in the order in which the branchings end.
#[derive(Clone, Copy)]
struct Decisions {
    rank: Register,
    n_bits: u32,
}

/// So many branchings have their bit in one rank.
pub const MAX_DECISIONS: u32 = 62;

impl<'a> Builder<'a> {
    pub fn new(whose: Whose<'a>, layout: &'a Layout, control: &'a Control, compiler: Compiler<'a>) -> Self {
        let (tests, inputs, given, cells) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let model = compiler.model;
        Self { model, whose, layout, control, compiler, tests, inputs, given, cells, decisions: None }
    }

    /// From here on decisions are written down; the register has the rank of the execution in the end.
    pub fn rank(&mut self) -> Register {
        let (rank, from) = (self.compiler.temporary(), self.compiler.pool.constant(0));
        self.compiler.emit(Op::Copy { to: rank, from });
        self.decisions = Some(Decisions { rank, n_bits: 0 });
        rank
    }

    /// A way without choices that one program takes, behind the conjunct that the dispatch has looked at.
    pub fn way(&mut self, way: &[&Statement], known: Option<Expr>) -> Result<(), Halt> {
        match way.split_first() {
            Some((Statement::Assume(condition), rest)) => {
                self.assume_first(*condition, known);
                self.rest(rest)
            }
            Some(_) | None => self.rest(way),
        }
    }

    /// What comes behind the first assumption, to the end of the way.
    pub fn rest(&mut self, way: &[&Statement]) -> Result<(), Halt> {
        for (i, part) in way.iter().enumerate() {
            self.control.check()?;
            if !self.compiler.is_fixed() && !is_straight(part) {
                let homes = self.compiler.reserve(&written(self.model, &way[i..]));
                self.compiler.fix(homes);
            }
            match part {
                Statement::Assign(assignments) if i + 1 == way.len() => self.assign(assignments, Place::Last)?,
                part => self.statement(part)?,
            }
        }
        Ok(())
    }

    /// Parts of the invariant. The rest of it was true before, and nothing that it speaks of has changed.
    pub fn require(&mut self, touched: Vec<Expr>) -> Result<(), Halt> {
        for part in touched {
            self.control.check()?;
            self.compiler.require(part, true);
        }
        Ok(())
    }

    pub fn statement(&mut self, statement: &Statement) -> Result<(), Halt> {
        self.control.check()?;
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => self.compiler.require(*condition, true),
            Statement::Assign(assignments) => self.assign(assignments, Place::Within)?,
            Statement::Sequence(parts) => parts.iter().try_for_each(|part| self.statement(part))?,
            Statement::Choice(branches) => match &branches[..] {
                [] => self.compiler.emit(Op::Jump(self.compiler.reject())),
                [only] => self.statement(only)?,
                _ => unreachable!("programs have no choices"),
            },
            Statement::If(condition, then, otherwise) => {
                let (other, end) = (self.compiler.label(), self.compiler.label());
                self.compiler.unless(*condition, other);
                self.statement(then)?;
                self.compiler.emit(Op::Jump(end));
                self.compiler.meet(other);
                self.statement(otherwise)?;
                self.note_refuted();
                self.compiler.meet(end);
            }
            Statement::While(condition, inner) => {
                let (head, end) = (self.compiler.head(), self.compiler.label());
                self.compiler.unless(*condition, end);
                let decisions = self.decisions.take();
                self.statement(inner)?;
                self.decisions = decisions;
                self.compiler.again(head);
                self.compiler.meet(end);
            }
            Statement::Scope(locals, inner) => {
                self.reset(locals);
                self.statement(inner)?;
                self.reset(locals);
            }
        }
        Ok(())
    }

    fn note_refuted(&mut self) {
        let Some(Decisions { rank, n_bits }) = &mut self.decisions else { return };
        let (rank, b) = (*rank, self.compiler.pool.constant(1 << *n_bits));
        *n_bits += 1;
        self.compiler.emit(Op::Add { to: rank, a: rank, b });
    }

    /// Gives local variables the values that they have where nobody uses them.
    pub fn reset(&mut self, locals: &[VarId]) {
        for &var in locals {
            let first = self.compiler.pool.constant(self.model.first(self.model.vars[var].domain));
            self.compiler.set(var, first);
        }
    }

    /// An assignment whose inputs are in these registers, which are cleared behind it.
    pub fn assign_given(&mut self, assignments: &[Assignment], inputs: &[Register]) -> Result<(), Halt> {
        self.given = inputs.iter().rev().copied().collect();
        self.assign(assignments, Place::Within)?;
        let from = self.compiler.pool.constant(0);
        inputs.iter().for_each(|&to| self.compiler.emit(Op::Copy { to, from }));
        Ok(())
    }

    /// The conjunct that the dispatch has already looked at is not tested again; others that fix a variable are
    /// tested on the packed state. These have a value everywhere, so testing them first changes nothing.
    pub fn assume_first(&mut self, condition: Expr, known: Option<Expr>) {
        for conjunct in self.model.exprs.conjuncts(condition) {
            if Some(conjunct) == known {
                continue;
            }
            match fixed_value(self.model, conjunct).filter(|&(var, value)| self.is_value(var, value)) {
                Some((var, value)) => self.test_word(self.layout.fields[var], value),
                None => self.compiler.require(conjunct, true),
            }
        }
    }

    fn is_value(&self, var: VarId, value: i64) -> bool {
        let bounds = self.model.bounds(self.model.vars[var].domain);
        bounds.is_none_or(|(lo, hi)| (lo..=hi).contains(&value))
    }

    fn test_word(&mut self, field: Field, value: i64) {
        let (mask, bits) = (layout::mask(field.bits) << field.shift, constant_bits(field, value));
        match self.tests.iter_mut().find(|test| test.word == field.word && (test.mask & mask) == 0) {
            Some(test) => {
                test.mask |= mask;
                test.value |= bits;
            }
            None => self.tests.push(WordTest { word: field.word, mask, value: bits }),
        }
    }

    fn assign(&mut self, assignments: &[Assignment], place: Place) -> Result<(), TooMuch> {
        let mut writes = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            let index = match assignment.to {
                Destination::Var(_) => None,
                Destination::Cell(family, index) => Some(self.index(family, index)),
            };
            writes.push((assignment.to, index, self.right_side(assignment)?));
        }
        self.forbid_double_writes(&writes);
        // The last assignment's cells are patched in place; before that, later reads must see them.
        let in_place = place == Place::Last && self.model.invariant.is_empty() && !self.compiler.is_fixed();
        if self.compiler.is_fixed() && writes.len() > 1 {
            self.keep_old_values(&mut writes);
        }
        for (to, index, value) in writes {
            match (to, index) {
                (Destination::Cell(family, _), Some(index)) if in_place => {
                    self.cells.push((self.model.families[family].first, index, value));
                }
                (Destination::Cell(family, _), Some(index)) => self.compiler.store(family, index, value),
                (Destination::Cell(..), None) => unreachable!("cells have an index"),
                (Destination::Var(var), _) => self.compiler.set(var, value),
            }
        }
        Ok(())
    }

    /// All writes happen at once: a value or an index that stands in a variable's register is read before that is written.
    fn keep_old_values(&mut self, writes: &mut [Write]) {
        for (_, index, value) in writes {
            index.iter_mut().for_each(|index| *index = self.compiler.steady(*index));
            *value = self.compiler.steady(*value);
        }
    }

    fn domain(&self, to: Destination) -> Domain {
        match to {
            Destination::Var(var) => self.model.vars[var].domain,
            Destination::Cell(family, _) => self.model.family_domain(family),
        }
    }

    fn right_side(&mut self, assignment: &Assignment) -> Result<Register, TooMuch> {
        let domain = self.domain(assignment.to);
        match assignment.value {
            Rhs::Expr(expr) => {
                let value = self.compiler.value(expr);
                self.compiler.require_domain(domain, value);
                Ok(value)
            }
            Rhs::Any => match self.given.pop() {
                Some(register) => Ok(register),
                None => self.input(domain),
            },
        }
    }

    fn input(&mut self, domain: Domain) -> Result<Register, TooMuch> {
        let register = self.compiler.temporary();
        let (lo, hi) = bounds_of_input(self.model, self.whose, domain)?;
        self.inputs.push((register, lo, hi));
        are_few(self.inputs.iter().map(|&(_, lo, hi)| (lo, hi)), self.whose)?;
        Ok(register)
    }

    fn index(&mut self, family: FamilyId, index: Expr) -> Register {
        let register = self.compiler.value(index);
        let len = i64::from(self.model.families[family].len);
        let (zero, len) = (self.compiler.pool.constant(0), self.compiler.pool.constant(len));
        let reject = self.compiler.reject();
        self.compiler.emit(Op::JumpLt(register, zero, reject));
        self.compiler.emit(Op::JumpLe(len, register, reject));
        register
    }

    /// Gives up where two writes of one assignment meet in one variable.
    fn forbid_double_writes(&mut self, writes: &[Write]) {
        let reject = self.compiler.reject();
        for (i, (first, first_index, _)) in writes.iter().enumerate() {
            for (second, second_index, _) in &writes[..i] {
                let (Some((row, a)), Some((other_row, b))) =
                    (self.spot(*first, *first_index), self.spot(*second, *second_index))
                else {
                    continue;
                };
                if row == other_row {
                    self.compiler.emit(Op::JumpEq(a, b, reject));
                } else if let Some((Destination::Var(var), Some(index), family)) = mixed(*first, a, *second, b) {
                    self.forbid_in_row(var, family, index);
                }
            }
        }
    }

    /// A destination as a row and a register with the place in it; a variable is a row of its own.
    fn spot(&mut self, to: Destination, index: Option<Register>) -> Option<(Result<FamilyId, VarId>, Register)> {
        match to {
            Destination::Var(var) => Some((Err(var), self.compiler.pool.constant(0))),
            Destination::Cell(family, _) => Some((Ok(family), index?)),
        }
    }

    fn forbid_in_row(&mut self, var: VarId, family: FamilyId, index: Register) {
        let cells = &self.model.families[family];
        let place = var.index().checked_sub(cells.first.index()).filter(|&place| place < cells.len as usize);
        if let Some(place) = place {
            let place = self.compiler.pool.constant(i64::try_from(place).expect("families are short"));
            let reject = self.compiler.reject();
            self.compiler.emit(Op::JumpEq(index, place, reject));
        }
    }

    /// `None` for a rule that can never fire, because it writes a constant outside its variable's domain.
    pub fn finish(mut self, command: lapidary_ir::CommandId) -> Option<Rule> {
        let mut patch = Patch { cells: std::mem::take(&mut self.cells), ..Patch::default() };
        let renamed = self.compiler.renamed().into_iter();
        for (var, register) in renamed.filter(|&(var, _)| !self.model.is_local(var)) {
            let field = self.layout.fields[var];
            match self.compiler.pool.value(register) {
                Some(value) => {
                    if !self.is_value(var, value) {
                        return None;
                    }
                    patch.set_constant(field, value);
                }
                None => patch.fields.push((field, register)),
            }
        }
        let kind = if self.inputs.is_empty() { Kind::Once } else { Kind::Inputs(self.inputs) };
        let (tests, name) = (self.tests, self.whose.name.to_owned());
        Some(Rule { command, tests, code: Code::new(self.compiler), kind, patch, name })
    }
}

/// A destination, its index and the value that it gets.
type Write = (Destination, Option<Register>, Register);

/// The values that an input takes.
pub fn bounds_of_input(model: &Declarations, whose: Whose<'_>, domain: Domain) -> Result<(i64, i64), TooMuch> {
    model.bounds(domain).ok_or_else(|| match domain {
        Domain::Bits(width) => whose.too_many(&format!("an input with 2^{width} values")),
        Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Enum(_) | Domain::Array(_) => {
            whose.too_many("an unbounded input")
        }
    })
}

/// Refuses more combinations of values than can be listed.
pub fn are_few(ranges: impl Iterator<Item = (i64, i64)>, whose: Whose<'_>) -> Result<(), TooMuch> {
    let mut ranges = ranges;
    let combinations =
        ranges.try_fold(1u64, |product, (lo, hi)| product.checked_mul(hi.checked_sub(lo)?.checked_add(1)? as u64));
    match combinations {
        Some(product) if product <= MAX_INPUTS => Ok(()),
        _ => Err(whose.too_many("more than a million combinations of inputs")),
    }
}

/// A single variable on one side and a cell on the other: the variable, the cell's index and its family.
fn mixed(
    first: Destination,
    a: Register,
    second: Destination,
    b: Register,
) -> Option<(Destination, Option<Register>, FamilyId)> {
    match (first, second) {
        (Destination::Var(_), Destination::Cell(family, _)) => Some((first, Some(b), family)),
        (Destination::Cell(family, _), Destination::Var(_)) => Some((second, Some(a), family)),
        _ => None,
    }
}
