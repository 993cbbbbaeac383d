//! Which variables are surely written before they are read, backwards through statements.
//!
//! What a variable of a block has before it is written matters to nobody then, and what a variable of the state begins with
//! neither.

use lapidary_base::{Id, IdVec};
use lapidary_ir::{Assignment, Destination, Expr, Exprs, Life, Rhs, Statement, Var, VarId, passes};

use super::Body;

/// The variables whose values are read later on before they are written.
pub struct Living<'a> {
    exprs: &'a Exprs,
    vars: &'a IdVec<VarId, Var>,
    is_live: Vec<bool>,
    /// What changed, for branches to begin alike.
    journal: Vec<VarId>,
}

impl<'a> Living<'a> {
    pub fn new(exprs: &'a Exprs, vars: &'a IdVec<VarId, Var>) -> Self {
        Self { exprs, vars, is_live: vec![false; vars.len()], journal: Vec::new() }
    }

    pub fn read(&mut self, expr: Expr) {
        for var in passes::variables(self.exprs, expr) {
            self.set(var, true);
        }
    }

    /// Those that are live before one of the bodies, if these are behind all of them.
    pub fn before(&mut self, bodies: &mut [Body], behind: &[bool]) -> Vec<bool> {
        let mut all = vec![false; behind.len()];
        for body in bodies {
            self.is_live.copy_from_slice(behind);
            self.journal.clear();
            self.statement(&mut body.statement);
            all.iter_mut().zip(&self.is_live).for_each(|(all, is_live)| *all |= is_live);
        }
        all
    }

    pub fn take(&mut self) -> Vec<bool> {
        self.is_live.clone()
    }

    fn set(&mut self, var: VarId, is_live: bool) {
        if std::mem::replace(&mut self.is_live[var.index()], is_live) != is_live {
            self.journal.push(var);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => self.read(*condition),
            Statement::Assign(assignments) => {
                if self.is_idle(assignments) {
                    *statement = Statement::Skip;
                    return;
                }
                for assignment in assignments.iter() {
                    if let Destination::Var(var) = assignment.to {
                        self.set(var, false);
                    }
                }
                for assignment in assignments.iter() {
                    if let Rhs::Expr(value) = assignment.value {
                        self.read(value);
                    }
                }
            }
            Statement::Sequence(parts) => parts.iter_mut().rev().for_each(|part| self.statement(part)),
            Statement::Choice(parts) => self.branches(parts.iter_mut()),
            Statement::If(condition, then, otherwise) => {
                let condition = *condition;
                self.branches([&mut **then, &mut **otherwise].into_iter());
                self.read(condition);
            }
            Statement::While(condition, body) => {
                let condition = *condition;
                // Nothing that is read within may be taken for dead: the body comes once more.
                self.read_all(body);
                self.read(condition);
                let mark = self.journal.len();
                self.statement(body);
                self.undo(mark);
            }
            Statement::Scope(vars, body) => {
                self.statement(body);
                for &var in vars.iter() {
                    self.set(var, false);
                }
            }
        }
    }

    /// Whether any value is given to variables of blocks that nobody reads.
    fn is_idle(&self, assignments: &[Assignment]) -> bool {
        assignments.iter().all(|assignment| match (assignment.to, assignment.value) {
            (Destination::Var(var), Rhs::Any) => self.vars[var].life == Life::Local && !self.is_live[var.index()],
            (Destination::Var(_) | Destination::Cell(..), _) => false,
        })
    }

    /// Live is what is live before some branch.
    fn branches<'s>(&mut self, branches: impl ExactSizeIterator<Item = &'s mut Statement>) {
        let n = branches.len();
        // How many branches change a variable: it is enough that one makes it live, and all have to make it dead.
        let mut changed: Vec<(VarId, usize)> = Vec::new();
        let mut all = Vec::new();
        for branch in branches {
            let mark = self.journal.len();
            self.statement(branch);
            all.extend(self.undo(mark));
        }
        all.sort_unstable();
        for var in all {
            match changed.last_mut() {
                Some((last, count)) if *last == var => *count += 1,
                Some(_) | None => changed.push((var, 1)),
            }
        }
        for (var, count) in changed {
            let was_live = self.is_live[var.index()];
            self.set(var, !was_live || count < n);
        }
    }

    /// Takes changes back, and tells which variables were changed in the end.
    fn undo(&mut self, mark: usize) -> Vec<VarId> {
        let mut changed = self.journal.split_off(mark);
        changed.sort_unstable();
        // Each change is a turn: an even number of them is none.
        let mut odd: Vec<VarId> = Vec::new();
        for turns in changed.chunk_by(|a, b| a == b) {
            if turns.len() % 2 == 1 {
                let var = turns[0];
                self.is_live[var.index()] = !self.is_live[var.index()];
                odd.push(var);
            }
        }
        odd
    }

    fn read_all(&mut self, statement: &Statement) {
        match statement {
            Statement::Skip => {}
            Statement::Assume(condition) => self.read(*condition),
            Statement::Assign(assignments) => {
                for assignment in assignments {
                    if let Rhs::Expr(value) = assignment.value {
                        self.read(value);
                    }
                }
            }
            Statement::Sequence(parts) | Statement::Choice(parts) => parts.iter().for_each(|part| self.read_all(part)),
            Statement::If(condition, then, otherwise) => {
                self.read(*condition);
                self.read_all(then);
                self.read_all(otherwise);
            }
            Statement::While(condition, body) => {
                self.read(*condition);
                self.read_all(body);
            }
            Statement::Scope(_, body) => self.read_all(body),
        }
    }
}
