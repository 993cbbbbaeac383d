//! Expressions as text, with as few parentheses as the grammar allows.
//!
//! One writer serves two forms. The exact form is read back to the very same nodes. The form of the source is for
//! people: it writes values and cells as the model's source does and leaves out what would be too long to read.

use std::fmt::Write;

use lapidary_base::Id;

use crate::expr::{Expr, Exprs, Node};
use crate::function::Function;
use crate::model::{Declarations, FamilyId, Raw, VarId};
use crate::operator::{Operator, Row, Strength};
use crate::print::names::{Names, name};
use crate::print::sharing::Sharing;
use crate::print::words;
use crate::types::{EnumId, Sort};

pub enum Form<'a> {
    Exact(&'a Names, &'a Sharing),
    /// With the number of nodes and of nesting levels that may still be written.
    Source {
        left: usize,
        depth: usize,
    },
}

pub struct Writer<'a> {
    model: &'a Declarations,
    /// Those of the model, or others over its variables.
    exprs: &'a Exprs,
    form: Form<'a>,
    n_exprs: usize,
    out: String,
}

impl<'a> Writer<'a> {
    pub fn new(model: &'a Declarations, exprs: &'a Exprs, form: Form<'a>) -> Self {
        Self { model, exprs, form, n_exprs: exprs.len(), out: String::new() }
    }

    /// The text of an expression, also if that expression has a name.
    pub fn definition(mut self, expr: Expr) -> String {
        self.bare(expr);
        self.out
    }

    /// The text of an expression, or its name.
    pub fn text(mut self, expr: Expr) -> String {
        self.write(expr, Strength::Whole);
        self.out
    }

    fn write(&mut self, expr: Expr, least: Strength) {
        if let Form::Source { left, depth } = &mut self.form {
            if *left == 0 || *depth == 0 || expr.index() >= self.n_exprs {
                self.out.push_str("...");
                return;
            }
            *left -= 1;
            *depth -= 1;
        }
        if let Some(number) = self.number(expr) {
            self.put(format_args!("${number}"));
        } else if self.strength(expr) < least {
            self.out.push('(');
            self.bare(expr);
            self.out.push(')');
        } else {
            self.bare(expr);
        }
        if let Form::Source { depth, .. } = &mut self.form {
            *depth += 1;
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("strings take all text");
    }

    fn number(&self, expr: Expr) -> Option<u32> {
        match self.form {
            Form::Exact(_, sharing) => sharing.number(expr),
            Form::Source { .. } => None,
        }
    }

    /// The node of an expression that is written out in place. A named one is an atom, whatever it stands for.
    fn open(&self, expr: Expr) -> Option<&'a Node> {
        (expr.index() < self.n_exprs && self.number(expr).is_none()).then(|| self.exprs.node(expr))
    }

    fn strength(&self, expr: Expr) -> Strength {
        match self.exprs.node(expr) {
            Node::Int(value) if *value < 0 => Strength::Unary,
            Node::Not(inner) if self.opposite(*inner).is_some() => Strength::Comparison,
            node => node.operator().map_or(Strength::Atom, |operator| operator.row().strength),
        }
    }

    /// A comparison whose negation is written as a comparison too, with the sign of that.
    fn opposite(&self, expr: Expr) -> Option<(Expr, &'static str, Expr)> {
        match (self.open(expr)?, &self.form) {
            (Node::Eq(a, b), _) => Some((*a, "!=", *b)),
            (Node::Lt(a, b), Form::Source { .. }) => Some((*a, ">=", *b)),
            (Node::Le(a, b), Form::Source { .. }) => Some((*a, ">", *b)),
            _ => None,
        }
    }

    fn bare(&mut self, expr: Expr) {
        let node = self.exprs.node(expr);
        match node {
            Node::Bool(value) => self.put(format_args!("{value}")),
            Node::Int(value) => self.put(format_args!("{value}")),
            Node::Literal(of, number) => self.literal(*of, *number),
            Node::Var(id) => self.var(*id),
            Node::Cell(family, index) => self.cell(*family, *index),
            Node::Not(inner) => match self.opposite(*inner) {
                Some((a, sign, b)) => self.binary(a, sign, b, Operator::Eq.row().parts),
                None => self.prefix("!", *inner, Strength::Atom),
            },
            Node::Ite(condition, then, otherwise) => {
                self.prefix("if ", *condition, Strength::Whole);
                self.prefix(" then ", *then, Strength::Whole);
                self.prefix(" else ", *otherwise, Strength::Whole);
            }
            Node::Bits(width, value) => self.constant(Sort::Bits(*width), *value),
            Node::Value(id, value) => self.constant(Sort::Array(*id), *value),
            Node::Apply(function, parts) => self.function(*function, parts),
            Node::Add(parts) if parts.len() < 2 => self.call("sum", parts),
            Node::Add(parts) => self.sum(parts),
            Node::Neg(inner) => self.negative("-", *inner, Strength::Atom),
            _ => self.plain(node.operator().expect("nodes without an operator stand above").row(), expr),
        }
    }

    /// An operator with its sign between the parts.
    fn plain(&mut self, row: Row, expr: Expr) {
        let mut parts = Vec::new();
        self.exprs.for_each_part(expr, |part| parts.push(part));
        match parts[..] {
            [a, b] => self.binary(a, row.sign, b, row.parts),
            _ => self.list(&parts, row),
        }
    }

    fn constant(&mut self, of: Sort, value: Raw) {
        let text = match (&self.form, of) {
            (Form::Exact(names, _), _) => {
                let literals = |id: EnumId, number: Raw| {
                    let literals = &self.model.enums.get(id)?.literals;
                    literals.get(usize::try_from(number).ok()?).cloned()
                };
                let text = words::constant(names, self.exprs, &literals, of, value);
                match of {
                    Sort::Array(id) => format!("@value{}{text}", words::array(names, self.exprs, id)),
                    _ => format!("{}({text})", words::sort(names, self.exprs, of)),
                }
            }
            (Form::Source { .. }, _) => of.domain().show(&self.model.enums, self.exprs.values(), value),
        };
        self.out.push_str(&text);
    }

    /// For people arrays are written as most languages do, and what else there is like a call.
    fn function(&mut self, function: Function, parts: &[Expr]) {
        let source = matches!(self.form, Form::Source { .. });
        match (function, parts) {
            (Function::Select(_), &[array, index]) if source => {
                self.write(array, Strength::Atom);
                self.between("[", &[index], "]");
            }
            (Function::Store(_), &[array, index, element]) if source => {
                self.write(array, Strength::Atom);
                self.prefix("[", index, Strength::Whole);
                self.between(" <- ", &[element], "]");
            }
            (Function::Fill(_), _) if source => self.between("[else: ", parts, "]"),
            (Function::Extract { high, low }, &[of]) if source => {
                self.write(of, Strength::Atom);
                self.put(format_args!("[{high}:{low}]"));
            }
            _ => {
                let head = match &self.form {
                    Form::Exact(names, _) => words::head(names, self.exprs, function),
                    Form::Source { .. } => function.word().to_owned(),
                };
                self.out.push_str(&head);
                self.between("(", parts, ")");
            }
        }
    }

    fn between(&mut self, before: &str, parts: &[Expr], after: &str) {
        self.out.push_str(before);
        for (i, &part) in parts.iter().enumerate() {
            self.prefix(if i == 0 { "" } else { ", " }, part, Strength::Whole);
        }
        self.out.push_str(after);
    }

    fn prefix(&mut self, sign: &str, inner: Expr, least: Strength) {
        self.out.push_str(sign);
        self.write(inner, least);
    }

    fn binary(&mut self, a: Expr, sign: &str, b: Expr, (left, right): (Strength, Strength)) {
        self.write(a, left);
        self.put(format_args!(" {sign} "));
        self.write(b, right);
    }

    fn list(&mut self, parts: &[Expr], row: Row) {
        if parts.len() < 2 {
            return self.call(row.word, parts);
        }
        for (i, &part) in parts.iter().enumerate() {
            if i > 0 {
                self.put(format_args!(" {} ", row.sign));
            }
            self.write(part, row.parts.1);
        }
    }

    /// Fewer than two parts are no expression; they are written like a call, so that a message can show them.
    fn call(&mut self, word: &str, parts: &[Expr]) {
        self.put(format_args!("{word}("));
        parts.iter().for_each(|&part| self.write(part, Strength::Whole));
        self.out.push(')');
    }

    /// `a - b` stands for a sum with the negative of b, `a - 3` for one with the constant -3.
    fn sum(&mut self, parts: &[Expr]) {
        for (i, &part) in parts.iter().enumerate() {
            match self.open(part) {
                _ if i == 0 => self.write(part, Strength::Product),
                Some(Node::Int(value)) if *value < 0 => self.put(format_args!(" - {}", value.unsigned_abs())),
                Some(Node::Neg(inner)) => self.negative(" - ", *inner, Strength::Product),
                Some(_) | None => self.prefix(" + ", part, Strength::Product),
            }
        }
    }

    /// The negative of a constant needs parentheses, since a minus before a number belongs to the number.
    fn negative(&mut self, sign: &str, inner: Expr, least: Strength) {
        match self.open(inner) {
            Some(Node::Int(value)) => self.put(format_args!("{sign}({value})")),
            Some(_) | None => self.prefix(sign, inner, least),
        }
    }

    fn literal(&mut self, of: EnumId, number: u32) {
        let literal = self.model.enums.get(of).and_then(|of| of.literals.get(number as usize));
        match (&self.form, literal) {
            (Form::Exact(names, _), Some(literal)) => {
                let text = format!("{}::{}", names.enumeration(of), name(literal));
                self.out.push_str(&text);
            }
            (Form::Source { .. }, Some(literal)) => self.out.push_str(literal),
            (_, None) => self.put(format_args!("#{}::#{number}", of.0)),
        }
    }

    fn var(&mut self, id: VarId) {
        match (&self.form, self.model.vars.get(id)) {
            (Form::Exact(names, _), Some(_)) => self.out.push_str(names.var(id)),
            (Form::Source { .. }, Some(var)) => self.out.push_str(&var.name),
            (_, None) => self.put(format_args!("#{}", id.0)),
        }
    }

    fn cell(&mut self, id: FamilyId, index: Expr) {
        let (before, after) = match (&self.form, self.model.families.get(id)) {
            (Form::Exact(names, _), Some(_)) => (format!("{}(", names.family(id)), ")".to_owned()),
            (Form::Source { .. }, Some(family)) => around_index(&family.name),
            (_, None) => (format!("#{}(", id.0), ")".to_owned()),
        };
        self.prefix(&before, index, Strength::Whole);
        self.out.push_str(&after);
    }
}

/// What stands before and after the index of a cell: the first `[_]` of `P[_].pc` is where it goes.
fn around_index(family: &str) -> (String, String) {
    match family.split_once("[_]") {
        Some((before, after)) => (format!("{before}["), format!("]{after}")),
        None => (format!("{family}["), "]".to_owned()),
    }
}
