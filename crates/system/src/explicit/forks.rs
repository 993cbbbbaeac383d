//! A way with choices and inputs between its branches: a block of parts, each of which takes a list of rows to another one.
//!
//! A row holds the values of all variables that were written so far, so rows that are equal have the same future, and one
//! of them is enough. The order of a list is that of the executions: of two choices the later one decides first.

use std::collections::BTreeSet;
use std::ops::Range;

use lapidary_base::Control;
use lapidary_ir::{Assignment, CommandId, Destination, Expr, Model, Rhs, Statement, VarId};
use lapidary_verdict::Layout;

use super::Halt;
use super::body::{flat, has_fork, n_decisions, written};
use super::builder::{Builder, MAX_DECISIONS, Whose, are_few, bounds_of_input};
use super::code::Code;
use super::rule::{Kind, Rule, WordTest};
use crate::bytecode::{Op, Register};
use crate::compile::{Compiler, Pool};

/// What happens to a list of rows.
pub enum Part {
    /// Each row is changed, or dropped where the code rejects; then they are ordered by their ranks, if there are any.
    Run { code: Code, rank: Option<Register> },
    /// One place of the row takes every value of a range.
    Input { place: usize, lo: i64, hi: i64 },
    /// Each row goes all ways.
    Choice(Vec<Block>),
    /// Each row goes one way, or none where the test rejects.
    If { test: Test, then: Block, otherwise: Block },
    /// Each row goes through the block as long as the condition is true.
    While { test: Test, block: Block },
}

pub type Block = Vec<Part>;

/// Code that leaves the truth value of a condition in a register.
pub struct Test {
    pub code: Code,
    pub truth: Register,
}

pub struct Forks {
    pub block: Block,
    /// What is executed for each row in the end.
    pub tail: Code,
    /// The first register of the row.
    first: Register,
    width: usize,
}

impl Forks {
    /// The registers that a row is loaded into.
    pub fn row(&self) -> Range<usize> {
        self.first.0 as usize..self.first.0 as usize + self.width
    }

    pub fn link(&mut self, pool: &Pool) {
        pool.link(&mut self.first);
        self.tail.link(pool);
        link(&mut self.block, pool);
    }
}

fn link(block: &mut Block, pool: &Pool) {
    for part in block {
        match part {
            Part::Run { code, rank } => {
                code.link(pool);
                rank.iter_mut().for_each(|rank| pool.link(rank));
            }
            Part::Input { .. } => {}
            Part::Choice(branches) => branches.iter_mut().for_each(|branch| link(branch, pool)),
            Part::If { test, then, otherwise } => {
                test.link(pool);
                link(then, pool);
                link(otherwise, pool);
            }
            Part::While { test, block } => {
                test.link(pool);
                link(block, pool);
            }
        }
    }
}

impl Test {
    fn link(&mut self, pool: &Pool) {
        self.code.link(pool);
        pool.link(&mut self.truth);
    }
}

/// What waits to become code.
enum Item<'a> {
    Statement(&'a Statement),
    /// A scope begins or ends.
    Reset(&'a [VarId]),
    /// An assignment whose inputs were chosen before.
    Assign(&'a [Assignment]),
}

/// Writes the blocks of one way.
pub struct Forking<'a> {
    pub model: &'a Model,
    pub whose: Whose<'a>,
    pub layout: &'a Layout,
    pub control: &'a Control,
    pub pool: &'a mut Pool,
    /// What is written before and in the last choice: the row begins with these.
    vars: BTreeSet<VarId>,
    /// Behind them is room for the inputs of one assignment.
    n_inputs: usize,
    waiting: Vec<Item<'a>>,
    /// The branchings in what waits.
    n_decisions: u32,
    lists: Lists,
}

/// How many rows may arrive at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lists {
    One,
    Several,
}

impl<'a> Forking<'a> {
    pub fn new(
        whose: Whose<'a>,
        (model, layout): (&'a Model, &'a Layout),
        pool: &'a mut Pool,
        control: &'a Control,
    ) -> Self {
        let (vars, waiting) = (BTreeSet::new(), Vec::new());
        Self { model, whose, layout, control, pool, vars, n_inputs: 0, waiting, n_decisions: 0, lists: Lists::One }
    }

    /// The rule of the way, behind the conjunct that the dispatch has looked at. What comes behind the last choice is
    /// executed once for each row, and what is written only there is not in the rows.
    pub fn rule(
        mut self,
        command: CommandId,
        way: &[&'a Statement],
        known: Option<Expr>,
        touched: Vec<Expr>,
    ) -> Result<Option<Rule>, Halt> {
        let (first, rest) = match way.split_first() {
            Some((Statement::Assume(condition), rest)) => (Some(*condition), rest),
            Some(_) | None => (None, way),
        };
        let last = rest.iter().rposition(|part| has_fork(part) || n_decisions(part) > 0);
        let (middle, tail) = rest.split_at(last.map_or(0, |last| last + 1));
        self.vars = written(self.model, middle);
        // A row is never empty, so that lists of them have a length.
        let least = usize::from(self.vars.is_empty());
        self.n_inputs = middle.iter().map(|part| most_inputs(part)).fold(least, usize::max);
        let mut block = Vec::new();
        self.parts(middle, &mut block)?;
        self.flush(&mut block)?;
        let (tests, code, first) = self.opening(first, known);
        let width = self.vars.len() + self.n_inputs;
        let Some(behind) = self.tail(command, tail, touched)? else { return Ok(None) };
        let kind = Kind::Forks(Forks { block, first, width, tail: behind.code });
        Ok(Some(Rule { tests, code, kind, ..behind }))
    }

    /// The code that makes the first row, and where it is.
    fn opening(&mut self, condition: Option<Expr>, known: Option<Expr>) -> (Vec<WordTest>, Code, Register) {
        let mut builder = Builder::new(self.whose, self.layout, self.control, Compiler::new(self.model, self.pool));
        let first = builder.compiler.next_temporary();
        let homes = builder.compiler.reserve(&self.vars);
        let inputs = room(&mut builder.compiler, self.n_inputs);
        if let Some(condition) = condition {
            builder.assume_first(condition, known);
        }
        builder.compiler.fix(homes);
        let from = builder.compiler.pool.constant(0);
        inputs.into_iter().for_each(|to| builder.compiler.emit(Op::Copy { to, from }));
        (builder.tests, Code::new(builder.compiler), first)
    }

    /// What is executed for each row in the end; none if that never ends well.
    fn tail(&mut self, command: CommandId, tail: &[&Statement], touched: Vec<Expr>) -> Result<Option<Rule>, Halt> {
        let mut compiler = Compiler::new(self.model, self.pool);
        let homes = compiler.reserve(&self.vars);
        room(&mut compiler, self.n_inputs);
        compiler.find(homes);
        let mut builder = Builder::new(self.whose, self.layout, self.control, compiler);
        builder.rest(tail)?;
        builder.require(touched)?;
        Ok(builder.finish(command))
    }

    fn parts(&mut self, way: &[&'a Statement], block: &mut Block) -> Result<(), Halt> {
        for &part in way {
            self.control.check()?;
            if self.waits(part, block)? {
                continue;
            }
            match part {
                Statement::Skip | Statement::Assume(_) => unreachable!("these have no choices"),
                Statement::Sequence(_) => self.parts(&flat(part), block)?,
                Statement::Assign(assignments) => self.inputs(assignments, block)?,
                Statement::Choice(branches) => {
                    self.flush(block)?;
                    let before = self.lists;
                    let mut blocks = Vec::with_capacity(branches.len());
                    for branch in branches {
                        self.lists = before;
                        blocks.push(self.block(branch)?);
                    }
                    self.lists = Lists::Several;
                    block.push(Part::Choice(blocks));
                }
                Statement::If(condition, then, otherwise) => {
                    self.flush(block)?;
                    let (test, before) = (self.test(*condition), self.lists);
                    let then = self.block(then)?;
                    let after = std::mem::replace(&mut self.lists, before);
                    let otherwise = self.block(otherwise)?;
                    self.lists = if after == Lists::Several { after } else { self.lists };
                    block.push(Part::If { test, then, otherwise });
                }
                Statement::While(condition, inner) => {
                    self.flush(block)?;
                    self.lists = Lists::Several;
                    let test = self.test(*condition);
                    block.push(Part::While { test, block: self.block(inner)? });
                }
                Statement::Scope(locals, inner) => {
                    self.waiting.push(Item::Reset(locals));
                    self.parts(&flat(inner), block)?;
                    self.waiting.push(Item::Reset(locals));
                }
            }
        }
        Ok(())
    }

    /// Whether the statement becomes code as it is. Where several rows arrive, its branchings decide about their order.
    fn waits(&mut self, part: &'a Statement, block: &mut Block) -> Result<bool, Halt> {
        if has_fork(part) {
            return Ok(false);
        }
        let n_decisions = n_decisions(part);
        if self.lists == Lists::Several {
            if n_decisions > MAX_DECISIONS {
                return Ok(false);
            }
            if self.n_decisions + n_decisions > MAX_DECISIONS {
                self.flush(block)?;
            }
            self.n_decisions += n_decisions;
        }
        self.waiting.push(Item::Statement(part));
        Ok(true)
    }

    fn block(&mut self, statement: &'a Statement) -> Result<Block, Halt> {
        let mut block = Vec::new();
        self.parts(&flat(statement), &mut block)?;
        self.flush(&mut block)?;
        Ok(block)
    }

    fn inputs(&mut self, assignments: &'a [Assignment], block: &mut Block) -> Result<(), Halt> {
        self.flush(block)?;
        let inputs = assignments.iter().filter(|assignment| assignment.value == Rhs::Any);
        let domains = inputs.map(|assignment| match assignment.to {
            Destination::Var(var) => self.model.vars[var].domain,
            Destination::Cell(family, _) => self.model.family_domain(family),
        });
        let ranges: Result<Vec<(i64, i64)>, _> =
            domains.map(|domain| bounds_of_input(self.model, self.whose, domain)).collect();
        let ranges = ranges?;
        are_few(ranges.iter().copied(), self.whose)?;
        let places = self.vars.len()..;
        block.extend(places.zip(ranges).map(|(place, (lo, hi))| Part::Input { place, lo, hi }));
        self.waiting.push(Item::Assign(assignments));
        self.lists = Lists::Several;
        Ok(())
    }

    /// A compiler that finds the row in its registers, and where that has room for inputs.
    fn compiler(&mut self) -> (Compiler<'_>, Vec<Register>) {
        let mut compiler = Compiler::new(self.model, self.pool);
        let homes = compiler.reserve(&self.vars);
        let inputs = room(&mut compiler, self.n_inputs);
        compiler.go_on(homes);
        (compiler, inputs)
    }

    fn test(&mut self, condition: Expr) -> Test {
        let (mut compiler, _) = self.compiler();
        let truth = compiler.value(condition);
        Test { code: Code::new(compiler), truth }
    }

    /// Makes one program of what waits.
    fn flush(&mut self, block: &mut Block) -> Result<(), Halt> {
        let waiting = std::mem::take(&mut self.waiting);
        let n_decisions = std::mem::take(&mut self.n_decisions);
        if waiting.is_empty() {
            return Ok(());
        }
        let (whose, layout, control) = (self.whose, self.layout, self.control);
        let (compiler, places) = self.compiler();
        let mut builder = Builder::new(whose, layout, control, compiler);
        let rank = (n_decisions > 0).then(|| builder.rank());
        for item in waiting {
            match item {
                Item::Statement(statement) => builder.statement(statement)?,
                Item::Reset(locals) => builder.reset(locals),
                Item::Assign(assignments) => {
                    builder.assign_given(assignments, &places[..n_inputs(assignments)])?;
                }
            }
        }
        block.push(Part::Run { code: Code::new(builder.compiler), rank });
        Ok(())
    }
}

/// The registers of the inputs, behind those of the variables.
fn room(compiler: &mut Compiler<'_>, n_inputs: usize) -> Vec<Register> {
    let first = compiler.temporaries(u32::try_from(n_inputs).expect("ids fit in 32 bits"));
    (first.0..).take(n_inputs).map(Register).collect()
}

fn n_inputs(assignments: &[Assignment]) -> usize {
    assignments.iter().filter(|assignment| assignment.value == Rhs::Any).count()
}

/// The most inputs of one assignment within.
fn most_inputs(statement: &Statement) -> usize {
    let most = |parts: &[Statement]| parts.iter().map(most_inputs).max().unwrap_or(0);
    match statement {
        Statement::Skip | Statement::Assume(_) => 0,
        Statement::Assign(assignments) => n_inputs(assignments),
        Statement::Sequence(parts) | Statement::Choice(parts) => most(parts),
        Statement::If(_, then, otherwise) => most_inputs(then).max(most_inputs(otherwise)),
        Statement::While(_, inner) | Statement::Scope(_, inner) => most_inputs(inner),
    }
}
