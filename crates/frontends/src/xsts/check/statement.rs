//! Statements, and the scopes of local variables.

use super::super::ast::{self, StatementKind as Syntax, VarItem};
use super::super::typed::{Array, Expr, For, Kind, Role, Statement, StatementKind, SymbolId, Ty};
use super::{Checker, names};

impl<'a> Checker<'a, '_> {
    pub(super) fn statement(&mut self, statement: &'a ast::Statement<'a>) -> Statement {
        let span = statement.span;
        let kind = match &statement.kind {
            // A branch that only declares is a block of its own.
            Syntax::Local(_) => self.block(std::slice::from_ref(statement)),
            Syntax::Block(statements) => self.block(statements),
            Syntax::Assign { to, indexes, value } => self.assignment(*to, indexes, value),
            Syntax::Havoc(name) => match self.destination(*name) {
                Some(id) => StatementKind::Havoc(id),
                None => StatementKind::Block(Vec::new(), Vec::new()),
            },
            Syntax::Assume(condition) => StatementKind::Assume(self.condition(condition)),
            Syntax::Choice(branches) => StatementKind::Choice(self.statements(branches)),
            Syntax::Ort(branches) => StatementKind::Ort(self.statements(branches)),
            Syntax::If(branch) => {
                let condition = self.condition(&branch.condition);
                let then = self.statement(&branch.then);
                let otherwise = match &branch.otherwise {
                    Some(otherwise) => self.statement(otherwise),
                    None => Statement { kind: StatementKind::Block(Vec::new(), Vec::new()), span },
                };
                StatementKind::If(condition, Box::new([then, otherwise]))
            }
            Syntax::For(repeated) => self.repetition(repeated),
        };
        Statement { kind, span }
    }

    fn statements(&mut self, statements: &'a [ast::Statement<'a>]) -> Vec<Statement> {
        statements.iter().map(|statement| self.statement(statement)).collect()
    }

    /// A variable is in scope from the statement behind its declaration to the end of the block.
    fn block(&mut self, statements: &'a [ast::Statement<'a>]) -> StatementKind {
        let mut locals: Vec<SymbolId> = Vec::new();
        let mut checked = Vec::with_capacity(statements.len());
        for statement in statements {
            checked.push(match &statement.kind {
                Syntax::Local(item) => Statement { kind: self.local(item, &mut locals), span: statement.span },
                _ => self.statement(statement),
            });
        }
        for &local in &locals {
            self.leave(local);
        }
        StatementKind::Block(locals, checked)
    }

    fn local(&mut self, item: &'a VarItem<'a>, locals: &mut Vec<SymbolId>) -> StatementKind {
        let ty = self.ty(&item.ty);
        // The value may speak of an outer variable of the same name.
        let value = item.initial.as_ref().map(|value| self.value(value, ty, "the variable"));
        // Symbols are numbered in the order of the text: those of this block are younger than its first.
        let hidden = self.symbol(item.name.text);
        if let Some(first) = hidden.filter(|hidden| locals.binary_search(hidden).is_ok()) {
            self.duplicate(item.name, self.symbols[first].span);
        }
        let id = self.declare(item.name, ty, Role::Local);
        self.enter(id);
        locals.push(id);
        StatementKind::Begin(id, value)
    }

    fn enter(&mut self, id: SymbolId) {
        self.scope.entry(self.symbols[id].name).or_default().push(id);
    }

    fn leave(&mut self, id: SymbolId) {
        if let Some(meanings) = self.scope.get_mut(self.symbols[id].name) {
            meanings.pop();
        }
    }

    /// A cell is written by writing the whole array.
    fn assignment(
        &mut self,
        to: ast::Name<'a>,
        indexes: &'a [ast::Expr<'a>],
        value: &'a ast::Expr<'a>,
    ) -> StatementKind {
        let Some(id) = self.destination(to) else {
            self.value(value, Ty::Error, "");
            return StatementKind::Block(Vec::new(), Vec::new());
        };
        let read = Expr { kind: Kind::Read(id), ty: self.symbols[id].ty, span: to.span };
        let value = self.written(read, indexes, value);
        StatementKind::Assign(id, value)
    }

    /// What an array becomes when one cell of it, or of an array within it, is written.
    fn written(&mut self, array: Expr, indexes: &'a [ast::Expr<'a>], value: &'a ast::Expr<'a>) -> Expr {
        let Some((index, rest)) = indexes.split_first() else {
            return self.value(value, array.ty, "what is written");
        };
        let span = array.span.to(value.span);
        let Some((id, Array { index: index_ty, element })) = self.array_of(&array) else {
            self.value(value, Ty::Error, "");
            return names::error(span);
        };
        let index = self.value(index, index_ty, "the index");
        let cell = Kind::Select(id, Box::new([array.clone(), index.clone()]));
        let value = self.written(Expr { kind: cell, ty: element, span }, rest, value);
        Expr { ty: array.ty, kind: Kind::Store(id, Box::new([array, index, value])), span }
    }

    fn repetition(&mut self, repeated: &'a ast::For<'a>) -> StatementKind {
        let from = self.value(&repeated.from, Ty::Int, "the first bound");
        let to = self.value(&repeated.to, Ty::Int, "the second bound");
        let counter = self.declare(repeated.name, Ty::Int, Role::Counter);
        self.enter(counter);
        let body = self.statement(&repeated.body);
        self.leave(counter);
        StatementKind::For(Box::new(For { counter, from, to, body }))
    }
}
