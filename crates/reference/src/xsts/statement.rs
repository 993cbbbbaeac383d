//! Random statements: whatever they do, variables stay within their bounds.

use super::Statement;
use crate::dice::Dice;
use crate::terms::random::{Access, Fact, Maker};
use crate::terms::{Binary, Expr, Sort};

/// A maker of statements.
pub(super) struct Statements<'a> {
    pub(super) terms: Maker<'a>,
    /// How many names were made up.
    n_names: usize,
}

impl<'a> Statements<'a> {
    pub(super) fn new(terms: Maker<'a>) -> Self {
        Statements { terms, n_names: 0 }
    }

    fn dice(&mut self) -> &mut Dice {
        self.terms.dice
    }

    /// A block with about so many statements; what it declares is forgotten behind it.
    pub(super) fn block(&mut self, depth: u32, n_statements: usize) -> Statement {
        let scope = self.terms.scope.clone();
        let mut inner = Vec::new();
        for _ in 0..n_statements {
            self.statement(depth, &mut inner);
        }
        self.terms.scope = scope;
        Statement::Block(inner)
    }

    /// One or two statements.
    fn statement(&mut self, depth: u32, out: &mut Vec<Statement>) {
        let limit = if depth == 0 { 60 } else { 100 };
        match self.dice().below(limit) {
            0..10 => {
                let condition = self.terms.relation(2);
                out.push(Statement::Assume(condition));
            }
            10..18 => self.local(out),
            18..60 => self.simple(out),
            60..70 => {
                let branches = self.branches(depth);
                out.push(Statement::Choice(branches));
            }
            70..80 => out.push(self.branch(depth)),
            80..89 => {
                let branches = self.branches(depth);
                out.push(Statement::Ort(branches));
            }
            89..97 => self.repeat(depth, out),
            _ => out.push(self.block(depth - 1, 2)),
        }
    }

    /// A change of one variable.
    fn simple(&mut self, out: &mut Vec<Statement>) {
        let writable: Vec<Fact> = self.terms.scope.iter().filter(|fact| fact.access == Access::Full).cloned().collect();
        // A hidden variable may have been the last one.
        if writable.is_empty() {
            return;
        }
        let fact = self.dice().pick(&writable);
        let (name, var) = (fact.name.clone(), Expr::var(&fact.name));
        match (self.dice().below(10), &fact.sort) {
            (0..2, Sort::Bool | Sort::Enum(_)) => out.push(Statement::Havoc(name)),
            (0, Sort::Int) => {
                let to = self.dice().between(fact.lo, fact.hi);
                let below = Expr::binary(Binary::Le, var.clone(), Expr::int(to));
                let above = Expr::binary(Binary::Le, Expr::int(fact.lo), var);
                out.push(Statement::Havoc(name));
                out.push(Statement::Assume(Expr::binary(Binary::And, above, below)));
            }
            (1..5, Sort::Int) => {
                out.push(Statement::Assume(Expr::binary(Binary::Lt, var.clone(), Expr::int(fact.hi))));
                out.push(Statement::Assign(name, Expr::binary(Binary::Add, var, Expr::int(1))));
            }
            (0..7, Sort::Array(index, _)) => {
                let index = self.terms.expr(index, 1);
                let element = self.terms.element(&fact, 2);
                out.push(Statement::Write(name, index, element));
            }
            _ => {
                let value = self.terms.source(&fact, 2);
                out.push(Statement::Assign(name, value));
            }
        }
    }

    fn branches(&mut self, depth: u32) -> Vec<Statement> {
        (0..self.dice().pick(&[2, 2, 2, 3])).map(|_| self.body(depth)).collect()
    }

    fn body(&mut self, depth: u32) -> Statement {
        let n_statements = self.dice().pick(&[0, 1, 1, 1, 2, 2]);
        self.block(depth - 1, n_statements)
    }

    fn branch(&mut self, depth: u32) -> Statement {
        let (condition, yes) = (self.terms.relation(2), self.body(depth));
        let no = self.dice().percent(60).then(|| Box::new(self.body(depth)));
        Statement::If(condition, Box::new(yes), no)
    }

    /// A local variable: a new name, or one that hides that of a global variable from here on.
    fn local(&mut self, out: &mut Vec<Statement>) {
        let outer: Vec<Fact> = self.terms.scope.iter().filter(|fact| fact.access == Access::Full).cloned().collect();
        if outer.is_empty() {
            return;
        }
        let hides = self.dice().percent(20) && outer.len() > 2;
        let mut fact = self.dice().pick(&outer);
        // A hidden variable may be of another sort.
        fact.name = if hides { self.dice().pick(&outer).name } else { self.name("local") };
        // One block declares a name once.
        if out.iter().any(|before| matches!(before, Statement::Local { name, .. } if *name == fact.name)) {
            fact.name = self.name("local");
        }
        let is_any = matches!(fact.sort, Sort::Bool | Sort::Enum(_)) && self.dice().percent(40);
        // An initialiser that reads the name it hides would be read in two ways.
        self.terms.scope.retain(|other| other.name != fact.name);
        let initial = (!is_any).then(|| self.terms.source(&fact, 1));
        let name = fact.name.clone();
        match initial {
            Some(initial) if self.dice().percent(15) => {
                out.push(Statement::Local { name: name.clone(), sort: fact.sort.clone(), initial: None });
                out.push(Statement::Assign(name, initial));
            }
            initial => out.push(Statement::Local { name, sort: fact.sort.clone(), initial }),
        }
        self.terms.scope.push(fact);
    }

    fn name(&mut self, kind: &str) -> String {
        self.n_names += 1;
        format!("{kind}{}", self.n_names)
    }

    /// A loop whose bounds are numbers, or that of another loop, or a local variable that nobody writes.
    fn repeat(&mut self, depth: u32, out: &mut Vec<Statement>) {
        let from = self.dice().between(-1, 1);
        let to = from + self.dice().pick(&[0, 1, 2, 2, 3]);
        let (mut from_expr, mut to_expr) = (Expr::int(from), Expr::int(to));
        let (mut lo, mut hi) = (from, to);
        let is_counter = |fact: &&Fact| fact.access == Access::ReadOnly && fact.hi <= 3;
        let counters: Vec<Fact> = self.terms.scope.iter().filter(is_counter).cloned().collect();
        if !counters.is_empty() && self.dice().percent(50) {
            let counter = self.dice().pick(&counters);
            (from_expr, to_expr) = (Expr::int(-1), Expr::var(&counter.name));
            (lo, hi) = (-1, counter.hi);
        } else if self.dice().percent(30) {
            let name = self.name("bound");
            let initial = Some(Expr::int(to));
            out.push(Statement::Local { name: name.clone(), sort: Sort::Int, initial });
            to_expr = Expr::var(&name);
            self.terms.scope.push(Fact { name, sort: Sort::Int, lo: to, hi: to, access: Access::ReadOnly });
        }
        let name = self.name("i");
        let last = lo.max(hi - 1);
        let counter = Fact { name: name.clone(), sort: Sort::Int, lo, hi: last, access: Access::ReadOnly };
        let behind = self.terms.scope.clone();
        self.terms.scope.push(counter);
        let body = Box::new(self.body(depth));
        self.terms.scope = behind;
        out.push(Statement::For(name, from_expr, to_expr, body));
    }
}
