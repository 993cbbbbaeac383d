//! One execution path of a command: a program that decides and computes, and a patch that makes the next state.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Assignment, CommandId, Destination, Domain, Expr, FamilyId, Model, Node, Rhs, VarId};
use lapidary_text::Sources;
use lapidary_verdict::{Field, Layout};

use super::{Halt, Rules, TooMuch, dispatch};
use crate::bytecode::{Op, Overflow, Program, Register};
use crate::compile::{Compiler, Pool};
use crate::layout;
use crate::successors::Steps;
use lapidary_ir::passes::{self, Leaf};

/// More combinations of inputs than this in one step are not listed.
const MAX_INPUTS: u64 = 1 << 20;

/// So many combinations of inputs are tried between two looks at the limits.
const INPUTS_PER_LOOK: u32 = 1 << 12;

pub struct Rule {
    command: CommandId,
    /// Conjuncts `v = c` of the guard, as tests of whole words.
    tests: Vec<WordTest>,
    program: Program,
    /// Registers that take every value of a range, all combinations of them.
    inputs: Vec<(Register, i64, i64)>,
    patch: Patch,
    /// For overflows: the command and its place.
    name: String,
}

/// These bits of a word must have these values.
#[derive(Clone, Copy)]
struct WordTest {
    word: u32,
    mask: u64,
    value: u64,
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

/// Whether two executions of a command can lead from one state to the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executions {
    Distinct,
    Ambiguous,
}

/// What all commands of a model are compiled into.
pub struct Compilation<'a> {
    pub pool: &'a mut Pool,
    pub rules: &'a mut Rules,
    pub touched: &'a passes::Touched<'a>,
    pub control: &'a Control,
}

/// Appends the rules of a command.
pub fn rules(
    model: &Model,
    command: CommandId,
    layout: &Layout,
    sources: &Sources,
    into: &mut Compilation<'_>,
) -> Result<Executions, Halt> {
    let Some(paths) = passes::paths(&model.commands[command].body) else {
        let what = format!("command {} has more than {} execution paths", label(model, command), passes::MAX_PATHS);
        return Err(TooMuch { what, span: Some(model.commands[command].span) }.into());
    };
    let executions = executions(&paths);
    for path in paths {
        into.control.check()?;
        let asked = asked_value(model, &path);
        let compiler = Compiler::new(model, into.pool);
        let mut builder =
            Builder { model, command, layout, compiler, tests: Vec::new(), inputs: Vec::new(), cells: Vec::new() };
        builder.path(&path, asked.map(|(_, _, conjunct)| conjunct), into.touched.by(&path), into.control)?;
        let name = format!("in command {} ({})", label(model, command), sources.describe(model.commands[command].span));
        let rule = builder.finish(name).map(|rule| (asked.map(|(var, value, _)| (var, value)), rule));
        into.rules.extend(rule);
    }
    Ok(executions)
}

/// Several paths may meet; so may the values of an input that a later assignment overwrites.
fn executions(paths: &[Vec<Leaf<'_>>]) -> Executions {
    let has_input = |assignments: &[Assignment]| assignments.iter().any(|part| part.value == Rhs::Any);
    let overwrites = |path: &Vec<Leaf<'_>>| {
        let mut assigns = path.iter().filter_map(|leaf| match leaf {
            Leaf::Assign(assignments) => Some(*assignments),
            Leaf::Assume(_) | Leaf::Refute(_) => None,
        });
        assigns.any(has_input) && assigns.next().is_some()
    };
    match paths.len() > 1 || paths.iter().any(overwrites) {
        true => Executions::Ambiguous,
        false => Executions::Distinct,
    }
}

fn label(model: &Model, command: CommandId) -> &str {
    &model.commands[command].label
}

/// A conjunct `v = c` of the first assumption: the rule needs to be tried only where it is true.
fn asked_value(model: &Model, path: &[Leaf<'_>]) -> Option<(VarId, i64, Expr)> {
    let Some(Leaf::Assume(condition)) = path.first() else { return None };
    let conjuncts = model.exprs.conjuncts(*condition).into_iter();
    let fixed =
        conjuncts.filter_map(|conjunct| fixed_value(model, conjunct).map(|(var, value)| (var, value, conjunct)));
    // Two values are soon tested; a table pays where there are more.
    let is_choice = |var: VarId| dispatch::suits(model, var) && model.vars[var].domain != Domain::Bool;
    let all: Vec<_> = fixed.filter(|(var, ..)| is_choice(*var)).collect();
    let control = all.iter().find(|(var, ..)| model.vars[*var].control);
    control.or(all.first()).copied()
}

/// The variable and the value that a conjunct `v = c`, `v` or `!v` asks for.
fn fixed_value(model: &Model, conjunct: Expr) -> Option<(VarId, i64)> {
    let var = |expr: Expr| match model.exprs.node(expr) {
        Node::Var(var) => Some(*var),
        _ => None,
    };
    match model.exprs.node(conjunct) {
        Node::Var(var) => Some((*var, 1)),
        Node::Not(inner) => var(*inner).map(|var| (var, 0)),
        Node::Eq(a, b) => {
            let pair = |a, b| var(a).zip(constant(model.exprs.node(b)));
            pair(*a, *b).or_else(|| pair(*b, *a))
        }
        _ => None,
    }
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
    layout: &'a Layout,
    compiler: Compiler<'a>,
    tests: Vec<WordTest>,
    inputs: Vec<(Register, i64, i64)>,
    cells: Vec<(VarId, Register, Register)>,
}

impl Builder<'_> {
    fn path(
        &mut self,
        path: &[Leaf<'_>],
        known: Option<Expr>,
        touched: Vec<Expr>,
        control: &Control,
    ) -> Result<(), Halt> {
        for (i, leaf) in path.iter().enumerate() {
            control.check()?;
            match leaf {
                Leaf::Assume(condition) if i == 0 => self.assume_first(*condition, known),
                Leaf::Assume(condition) => self.compiler.require(*condition, true),
                Leaf::Refute(condition) => self.compiler.require(*condition, false),
                Leaf::Assign(assignments) => self.assign(assignments, i + 1 == path.len())?,
            }
        }
        // The rest of the invariant was true before, and nothing that it speaks of has changed.
        for part in touched {
            control.check()?;
            self.compiler.require(part, true);
        }
        Ok(())
    }

    /// The conjunct that the dispatch has already looked at is not tested again; others that fix a variable are
    /// tested on the packed state. These have a value everywhere, so testing them first changes nothing.
    fn assume_first(&mut self, condition: Expr, known: Option<Expr>) {
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
    fn finish(mut self, name: String) -> Option<Rule> {
        let mut patch = Patch { cells: std::mem::take(&mut self.cells), ..Patch::default() };
        for (var, register) in self.compiler.renamed() {
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
        let (command, tests, inputs) = (self.command, self.tests, self.inputs);
        Some(Rule { command, tests, program: self.compiler.finish(), inputs, patch, name })
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

/// A field's value in its place, zero around it.
fn constant_bits(field: Field, value: i64) -> u64 {
    let mut words = [0];
    layout::write(Field { word: 0, ..field }, &mut words, value);
    words[0]
}

impl Patch {
    fn set_constant(&mut self, field: Field, value: i64) {
        let (clear, set) = (layout::mask(field.bits) << field.shift, constant_bits(field, value));
        match self.constants.iter_mut().find(|(word, ..)| *word == field.word) {
            Some((_, all_clear, all_set)) => {
                *all_clear |= clear;
                *all_set |= set;
            }
            None => self.constants.push((field.word, clear, set)),
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
        if self.tests.iter().any(|test| state[test.word as usize] & test.mask != test.value) {
            return Ok(());
        }
        if self.inputs.is_empty() {
            return self.fire_once(state, layout, out);
        }
        self.inputs.iter().for_each(|&(register, lo, _)| out.registers[register.0 as usize] = lo);
        let mut n_fired = 0u32;
        loop {
            self.fire_once(state, layout, out)?;
            n_fired += 1;
            if n_fired.is_multiple_of(INPUTS_PER_LOOK)
                && let Some(control) = &out.control
            {
                control.check()?;
            }
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
