//! Statements. What is known along the way unrolls loops, and makes divisions plain.

use std::collections::BTreeSet;

use lapidary_ir::{Assignment, Destination, Expr, Rhs, Statement, VarId};
use lapidary_text::Span;

use super::super::Order;
use super::super::limits::MAX_COPIES;
use super::super::typed::{self, For, StatementKind, SymbolId};
use super::known::{Fact, is_constant};
use super::{Lowered, Lowering};

impl Lowering<'_, '_> {
    pub(super) fn statement(&mut self, statement: &typed::Statement) -> Lowered<Statement> {
        self.spend(1, statement.span)?;
        match &statement.kind {
            StatementKind::Assign(symbol, value) | StatementKind::Begin(symbol, Some(value)) => {
                let (value, var) = (self.expr(value)?, self.var(*symbol));
                Ok(self.written(var, value))
            }
            StatementKind::Havoc(symbol) | StatementKind::Begin(symbol, None) => {
                let var = self.var(*symbol);
                self.known.set(var, None);
                Ok(assignment(var, Rhs::Any))
            }
            StatementKind::Assume(condition) => {
                let condition = self.expr(condition)?;
                self.learn(condition);
                Ok(Statement::Assume(condition))
            }
            StatementKind::Choice(branches) => {
                let n = branches.len();
                let branches = self.branches(n, |lowering, i| lowering.statement(&branches[i]))?;
                Ok(Statement::Choice(branches))
            }
            StatementKind::If(condition, sides) => self.branch(condition, sides),
            StatementKind::Ort(branches) => self.all_orders(branches, statement.span),
            StatementKind::Block(locals, statements) => {
                let body = self.each(statements)?;
                let locals: Vec<VarId> = locals.iter().map(|&local| self.var(local)).collect();
                self.known.forget(locals.iter().copied());
                Ok(scope(locals, sequence(body)))
            }
            StatementKind::For(repeated) => self.repetition(repeated, statement.span),
        }
    }

    fn each(&mut self, statements: &[typed::Statement]) -> Lowered<Vec<Statement>> {
        statements.iter().map(|statement| self.statement(statement)).collect()
    }

    fn written(&mut self, var: VarId, value: Expr) -> Statement {
        let fact = is_constant(&self.exprs, value).then_some(Fact::Value(value));
        self.known.set(var, fact);
        assignment(var, Rhs::Expr(value))
    }

    /// Lowers branches that begin alike.
    fn branches(
        &mut self,
        n: usize,
        mut lower: impl FnMut(&mut Self, usize) -> Lowered<Statement>,
    ) -> Lowered<Vec<Statement>> {
        let (mut lowered, mut changes) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for i in 0..n {
            let mark = self.known.mark();
            lowered.push(lower(self, i)?);
            changes.push(self.known.undo(mark));
        }
        let exprs = self.exprs.clone();
        self.known.join(&changes, &exprs);
        Ok(lowered)
    }

    fn branch(&mut self, condition: &typed::Expr, sides: &[typed::Statement; 2]) -> Lowered<Statement> {
        let condition = self.expr(condition)?;
        if let Some(value) = self.exprs.as_bool(condition) {
            return self.statement(&sides[usize::from(!value)]);
        }
        let branches = self.branches(2, |lowering, i| {
            let learned = if i == 0 { condition } else { lowering.exprs.not(condition) };
            lowering.learn(learned);
            lowering.statement(&sides[i])
        })?;
        let [then, otherwise]: [Statement; 2] = branches.try_into().expect("both sides were lowered");
        Ok(Statement::If(condition, Box::new(then), Box::new(otherwise)))
    }

    /// Every branch once. Two branches are written out in both orders; more of them take as many rounds, in each of which one
    /// that did not run yet does, so that there are not as many copies as orders.
    fn all_orders(&mut self, branches: &[typed::Statement], span: Span) -> Lowered<Statement> {
        match (self.order, branches) {
            (Order::Declared, _) | (Order::Every, [] | [_]) => Ok(sequence(self.each(branches)?)),
            (Order::Every, [one, other]) => {
                let orders = [[one, other], [other, one]];
                let orders = self.branches(2, |lowering, i| {
                    let [first, second] = orders[i];
                    Ok(Statement::Sequence(vec![lowering.statement(first)?, lowering.statement(second)?]))
                })?;
                Ok(Statement::Choice(orders))
            }
            (Order::Every, _) => self.rounds(branches, span),
        }
    }

    fn rounds(&mut self, branches: &[typed::Statement], span: Span) -> Lowered<Statement> {
        let n = branches.len();
        // A branch may run behind any of the others.
        let changed: BTreeSet<VarId> = self.writes(branches);
        self.known.forget(changed.iter().copied());
        let before = self.left;
        let lowered = self.branches(n, |lowering, i| lowering.statement(&branches[i]))?;
        self.known.forget(changed);
        self.spend((before - self.left + n as u64).saturating_mul(n as u64 - 1), span)?;
        let done = self.flags(span, n);
        let exprs = &self.exprs;
        let steps = done.iter().zip(lowered).map(|(&done, body)| {
            let is_open = Statement::Assume(exprs.not(exprs.var(done)));
            Statement::Sequence(vec![is_open, assignment(done, Rhs::Expr(exprs.bool(true))), body])
        });
        let round = Statement::Choice(steps.collect());
        Ok(scope(done.clone(), Statement::Sequence(vec![round; n])))
    }

    /// A loop whose bounds are known is written out; another one stays a loop, whose bounds are read once.
    fn repetition(&mut self, repeated: &For, span: Span) -> Lowered<Statement> {
        let For { counter, from, to, body } = repeated;
        let [from, to] = [self.expr(from)?, self.expr(to)?];
        if let (Some(from), Some(to)) = (self.exprs.as_int(from), self.exprs.as_int(to)) {
            let n = to.saturating_sub(from).max(0).unsigned_abs();
            if n.saturating_mul(self.n_copies) <= MAX_COPIES {
                return self.unrolled(*counter, from..to, body);
            }
        }
        let changed = self.writes(std::slice::from_ref(body));
        let index = self.var(*counter);
        let mut locals = vec![index];
        let mut begin = vec![Assignment { to: Destination::Var(index), value: Rhs::Expr(from) }];
        let mut end = to;
        if !is_constant(&self.exprs, to) {
            let bound = self.bound(*counter, span);
            locals.push(bound);
            begin.push(Assignment { to: Destination::Var(bound), value: Rhs::Expr(to) });
            end = self.exprs.var(bound);
        }
        self.known.forget(changed.iter().copied());
        let mark = self.known.mark();
        let body = self.statement(body)?;
        self.known.undo(mark);
        let index = self.exprs.var(index);
        let next = self.exprs.add([index, self.exprs.int(1)]);
        let body = Statement::Sequence(vec![body, assignment(locals[0], Rhs::Expr(next))]);
        let repeated = Statement::While(self.exprs.lt(index, end), Box::new(body));
        Ok(scope(locals, Statement::Sequence(vec![Statement::Assign(begin), repeated])))
    }

    fn unrolled(
        &mut self,
        counter: SymbolId,
        range: std::ops::Range<i64>,
        body: &typed::Statement,
    ) -> Lowered<Statement> {
        let outer = self.n_copies;
        self.n_copies *= range.end.saturating_sub(range.start).max(1).unsigned_abs();
        let mut copies = Vec::new();
        for i in range {
            self.counters.insert(counter, self.exprs.int(i));
            copies.push(self.statement(body)?);
        }
        self.counters.remove(&counter);
        self.n_copies = outer;
        Ok(sequence(copies))
    }

    /// The variables that statements may write.
    fn writes(&mut self, statements: &[typed::Statement]) -> BTreeSet<VarId> {
        let mut symbols = BTreeSet::new();
        statements.iter().for_each(|statement| written(statement, &mut symbols));
        symbols.into_iter().map(|symbol| self.var(symbol)).collect()
    }
}

/// The variables that a statement may write.
pub(super) fn written(statement: &typed::Statement, into: &mut BTreeSet<SymbolId>) {
    match &statement.kind {
        StatementKind::Assign(symbol, _) | StatementKind::Havoc(symbol) | StatementKind::Begin(symbol, _) => {
            into.insert(*symbol);
        }
        StatementKind::Assume(_) => {}
        StatementKind::Choice(parts) | StatementKind::Ort(parts) | StatementKind::Block(_, parts) => {
            parts.iter().for_each(|part| written(part, into));
        }
        StatementKind::If(_, sides) => sides.iter().for_each(|side| written(side, into)),
        StatementKind::For(repeated) => written(&repeated.body, into),
    }
}

pub(super) fn assignment(var: VarId, value: Rhs) -> Statement {
    Statement::Assign(vec![Assignment { to: Destination::Var(var), value }])
}

fn sequence(mut statements: Vec<Statement>) -> Statement {
    match statements.len() {
        0 => Statement::Skip,
        1 => statements.swap_remove(0),
        _ => Statement::Sequence(statements),
    }
}

fn scope(locals: Vec<VarId>, body: Statement) -> Statement {
    if locals.is_empty() { body } else { Statement::Scope(locals, Box::new(body)) }
}
