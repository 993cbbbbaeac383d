//! One execution path of a command: a program that decides and computes, and a patch that makes the next state.

use lapidary_base::{Id, Stop};
use lapidary_ir::{Assignment, CommandId, Destination, Expr, FamilyId, Model, Node, Rhs, VarId};
use lapidary_text::Sources;
use lapidary_verdict::{Field, Layout};

use super::{Rules, TooMuch, dispatch};
use crate::bytecode::{Op, Overflow, Program, Register};
use crate::compile::{Compiler, Pool};
use crate::layout;
use crate::paths::{self, Leaf};
use crate::successors::Steps;

/// More combinations of inputs than this in one step are not listed.
const MAX_INPUTS: u64 = 1 << 20;

pub struct Rule {
    command: CommandId,
    program: Program,
    /// Registers that take every value of a range, all combinations of them.
    inputs: Vec<(Register, i64, i64)>,
    patch: Patch,
    /// For overflows: the command and its place.
    name: String,
}

/// What changes in the packed state.
#[derive(Default)]
struct Patch {
    /// Word, bits to clear, bits to set: everything that is constant.
    constants: Vec<(u32, u64, u64)>,
    fields: Vec<(Field, Register)>,
    /// The field of the variable at an index behind a first one gets a value.
    cells: Vec<(VarId, Register, Register)>,
}

/// Appends the rules of a command.
pub fn rules(
    model: &Model,
    command: CommandId,
    layout: &Layout,
    sources: &Sources,
    pool: &mut Pool,
    out: &mut Rules,
) -> Result<(), TooMuch> {
    let Some(paths) = paths::paths(&model.commands[command].body) else {
        let what = format!("command {} has more than {} execution paths", label(model, command), paths::MAX_PATHS);
        return Err(TooMuch { what, span: Some(model.commands[command].span) });
    };
    for path in paths {
        let asked = asked_value(model, &path);
        let mut builder =
            Builder { model, command, compiler: Compiler::new(model, pool), inputs: Vec::new(), cells: Vec::new() };
        builder.path(&path, asked.map(|(_, _, conjunct)| conjunct))?;
        let name = format!("in command {} ({})", label(model, command), sources.describe(model.commands[command].span));
        let rule = builder.finish(layout, name).map(|rule| (asked.map(|(var, value, _)| (var, value)), rule));
        out.extend(rule);
    }
    Ok(())
}

fn label(model: &Model, command: CommandId) -> &str {
    &model.commands[command].label
}

/// A conjunct `v = c` of the first assumption: the rule needs to be tried only where it is true.
fn asked_value(model: &Model, path: &[Leaf<'_>]) -> Option<(VarId, i64, Expr)> {
    let Some(Leaf::Assume(condition)) = path.first() else { return None };
    let equalities = model.exprs.conjuncts(*condition).into_iter().filter_map(|conjunct| {
        let Node::Eq(a, b) = model.exprs.node(conjunct) else { return None };
        let (var, value) = match (model.exprs.node(*a), model.exprs.node(*b)) {
            (Node::Var(var), value) | (value, Node::Var(var)) => (*var, constant(value)?),
            _ => return None,
        };
        dispatch::suits(model, var).then_some((var, value, conjunct))
    });
    let all: Vec<_> = equalities.collect();
    let control = all.iter().find(|(var, ..)| model.vars[*var].control);
    control.or(all.first()).copied()
}

fn constant(node: &Node) -> Option<i64> {
    match node {
        Node::Int(value) => Some(*value),
        Node::Literal(_, number) => Some(i64::from(*number)),
        _ => None,
    }
}

struct Builder<'a> {
    model: &'a Model,
    command: CommandId,
    compiler: Compiler<'a>,
    inputs: Vec<(Register, i64, i64)>,
    cells: Vec<(VarId, Register, Register)>,
}

impl Builder<'_> {
    fn path(&mut self, path: &[Leaf<'_>], known: Option<Expr>) -> Result<(), TooMuch> {
        for (i, leaf) in path.iter().enumerate() {
            match leaf {
                Leaf::Assume(condition) if i == 0 => self.assume_first(*condition, known),
                Leaf::Assume(condition) => self.compiler.require(*condition, true),
                Leaf::Refute(condition) => self.compiler.require(*condition, false),
                Leaf::Assign(assignments) => self.assign(assignments, i + 1 == path.len())?,
            }
        }
        for &invariant in &self.model.invariant {
            self.compiler.require(invariant, true);
        }
        Ok(())
    }

    /// The conjunct that the dispatch has already looked at is not tested again.
    fn assume_first(&mut self, condition: Expr, known: Option<Expr>) {
        for conjunct in self.model.exprs.conjuncts(condition) {
            if Some(conjunct) != known {
                self.compiler.require(conjunct, true);
            }
        }
    }

    fn assign(&mut self, assignments: &[Assignment], is_last: bool) -> Result<(), TooMuch> {
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
        let in_place = is_last && self.model.invariant.is_empty();
        for (to, index, value) in writes {
            match (to, index) {
                (Destination::Cell(family, _), Some(index)) if in_place => {
                    self.cells.push((self.model.families[family].first, index, value));
                }
                (Destination::Cell(family, _), Some(index)) => self.compiler.store(family, index, value),
                (Destination::Cell(..), None) => unreachable!("cells have an index"),
                (Destination::Var(var), _) => self.compiler.rename(var, value),
            }
        }
        Ok(())
    }

    fn domain(&self, to: Destination) -> lapidary_ir::Domain {
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
            Rhs::Any => {
                let register = self.compiler.temporary();
                let (lo, hi) = self.model.bounds(domain).ok_or_else(|| self.too_many("an unbounded input"))?;
                self.inputs.push((register, lo, hi));
                let combinations = self.inputs.iter().try_fold(1u64, |product, &(_, lo, hi)| {
                    product.checked_mul(hi.checked_sub(lo)?.checked_add(1)? as u64)
                });
                match combinations {
                    Some(product) if product <= MAX_INPUTS => Ok(register),
                    _ => Err(self.too_many("more than a million combinations of inputs")),
                }
            }
        }
    }

    fn too_many(&self, what: &str) -> TooMuch {
        let what = format!("command {} has {what}", label(self.model, self.command));
        TooMuch { what, span: Some(self.model.commands[self.command].span) }
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
    fn forbid_double_writes(&mut self, writes: &[(Destination, Option<Register>, Register)]) {
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

    /// `None` for a path that can never be taken, because it writes a constant outside its variable's domain.
    fn finish(self, layout: &Layout, name: String) -> Option<Rule> {
        let mut patch = Patch { cells: self.cells, ..Patch::default() };
        for (var, register) in self.compiler.renamed() {
            let field = layout.fields[var];
            match self.compiler.pool.value(register) {
                Some(value) => {
                    let bounds = self.model.bounds(self.model.vars[var].domain);
                    if bounds.is_some_and(|(lo, hi)| !(lo..=hi).contains(&value)) {
                        return None;
                    }
                    patch.set_constant(field, value);
                }
                None => patch.fields.push((field, register)),
            }
        }
        Some(Rule { command: self.command, program: self.compiler.finish(), inputs: self.inputs, patch, name })
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

impl Patch {
    fn set_constant(&mut self, field: Field, value: i64) {
        let clear = layout::mask(field.bits) << field.shift;
        let mut words = [0u64; 1];
        layout::write(Field { word: 0, ..field }, &mut words, value);
        match self.constants.iter_mut().find(|(word, ..)| *word == field.word) {
            Some((_, all_clear, all_set)) => {
                *all_clear |= clear;
                *all_set |= words[0];
            }
            None => self.constants.push((field.word, clear, words[0])),
        }
    }

    #[inline]
    fn apply(&self, layout: &Layout, registers: &[i64], next: &mut [u64]) {
        for &(word, clear, set) in &self.constants {
            let word = &mut next[word as usize];
            *word = (*word & !clear) | set;
        }
        for &(field, register) in &self.fields {
            layout::write(field, next, registers[register.0 as usize]);
        }
        for &(first, index, value) in &self.cells {
            let var = VarId(first.0 + registers[index.0 as usize] as u32);
            layout::write(layout.fields[var], next, registers[value.0 as usize]);
        }
    }
}

impl Rule {
    pub fn link(&mut self, pool: &Pool) {
        pool.link_program(&mut self.program);
        self.inputs.iter_mut().for_each(|(register, ..)| pool.link(register));
        self.patch.fields.iter_mut().for_each(|(_, register)| pool.link(register));
        for (_, index, value) in &mut self.patch.cells {
            pool.link(index);
            pool.link(value);
        }
    }

    /// Appends the steps of this rule from a state whose variables are in the registers.
    #[inline]
    pub fn fire(&self, state: &[u64], layout: &Layout, out: &mut Steps<()>) -> Result<(), Stop> {
        if self.inputs.is_empty() {
            return self.fire_once(state, layout, out);
        }
        self.inputs.iter().for_each(|&(register, lo, _)| out.registers[register.0 as usize] = lo);
        loop {
            self.fire_once(state, layout, out)?;
            // The next combination of inputs, the last one counting fastest.
            let step = self.inputs.iter().rev().find(|&&(register, lo, hi)| {
                let value = &mut out.registers[register.0 as usize];
                let carries = *value == hi;
                *value = if carries { lo } else { *value + 1 };
                !carries
            });
            if step.is_none() {
                return Ok(());
            }
        }
    }

    #[inline]
    fn fire_once(&self, state: &[u64], layout: &Layout, out: &mut Steps<()>) -> Result<(), Stop> {
        match self.program.run(&mut out.registers) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(Overflow) => return Err(Stop::Overflow(self.name.clone())),
        }
        let start = out.states.len();
        out.states.extend_from_slice(state);
        self.patch.apply(layout, &out.registers, &mut out.states[start..]);
        out.actions.push(self.command);
        out.elements.push(());
        Ok(())
    }
}
