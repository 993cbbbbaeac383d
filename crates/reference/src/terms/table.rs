//! Rows of an operator table: an operator, operands, and what comes out of it here. Every row is a whole model, too.

use super::print::push;
use super::spacing::{BREAK, tidy};
use super::{Binary, Dialect, Expr, Printer, Sort, Value, sort_tokens, value};
use crate::dice::Dice;
use crate::terms::Enumeration;

/// Where a model has the operands of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// In the expression, so that it can be computed while it is read.
    Written,
    /// In variables that are assigned before.
    Stored,
}

/// What a model says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// That the result is what the table has: true.
    Equal,
    /// That it is not: false after at most two steps.
    Different,
}

/// An operator, what it is applied to, and what comes out.
#[derive(Clone, Debug)]
pub struct Row {
    dialect: Dialect,
    pub operator: String,
    /// As the language writes them.
    pub operands: Vec<String>,
    /// The operator with the operands.
    pub expression: String,
    pub result: String,
    parts: Vec<(Sort, Expr)>,
    shape: Shape,
    outcome: Expr,
}

/// What an expression is built with, where its shape is not enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Apply {
    Unary(super::Unary),
    Binary(Binary),
    Extract(u32, u32),
    Extend(super::Extension, u32),
}

/// How the operands become an expression, and with what.
pub(crate) type Shape = (fn(Vec<Expr>, Option<Apply>) -> Expr, Option<Apply>);

/// Operands are written with this enumeration.
pub(crate) fn colours() -> [Enumeration; 1] {
    [Enumeration { name: "Colour".to_owned(), literals: ["Red", "Green", "Blue"].map(str::to_owned).to_vec() }]
}

/// `first op`, `first op second`, `first[until:from]` or `first extended to`.
pub(crate) fn applied(mut operands: Vec<Expr>, apply: Option<Apply>) -> Expr {
    let first = operands.remove(0);
    match apply.expect("there is something to apply") {
        Apply::Unary(op) => Expr::unary(op, first),
        Apply::Binary(op) => Expr::binary(op, first, operands.remove(0)),
        Apply::Extract(until, from) => Expr::Extract { of: Box::new(first), until, from },
        Apply::Extend(extension, to) => Expr::Extend(extension, Box::new(first), to),
    }
}

impl Row {
    pub(crate) fn new(dialect: Dialect, operator: &str, parts: Vec<(Sort, Expr)>, shape: Shape) -> Row {
        let exprs: Vec<Expr> = parts.iter().map(|(_, expr)| expr.clone()).collect();
        let operands = exprs.iter().map(|expr| text(dialect, expr)).collect();
        let (build, apply) = shape;
        let expr = build(exprs, apply);
        let result = value(&expr, &Vec::new(), &colours()).expect("rows are without faults");
        let outcome = Expr::Const(result);
        let (expression, result) = (text(dialect, &expr), text(dialect, &outcome));
        Row { dialect, operator: operator.to_owned(), operands, expression, result, parts, shape, outcome }
    }

    /// A model that makes this claim.
    pub fn model(&self, operands: Operands, claim: Claim) -> String {
        let variables = (0..self.parts.len()).map(|at| Expr::Var(format!("operand{at}"))).collect();
        let written = self.parts.iter().map(|(_, expr)| expr.clone()).collect();
        let (parts, exprs): (&[(Sort, Expr)], Vec<Expr>) = match operands {
            Operands::Written => (&[], written),
            Operands::Stored => (&self.parts, variables),
        };
        let compared = |op| Expr::binary(op, (self.shape.0)(exprs.clone(), self.shape.1), self.outcome.clone());
        let (good, bad) = match claim {
            Claim::Equal => (compared(Binary::Eq), compared(Binary::Ne)),
            Claim::Different => (compared(Binary::Ne), compared(Binary::Eq)),
        };
        match self.dialect {
            Dialect::Cfa => automaton(parts, &good, &bad),
            Dialect::Xsts => system(parts, &good),
        }
    }
}

fn automaton(parts: &[(Sort, Expr)], good: &Expr, bad: &Expr) -> String {
    let mut out = Vec::new();
    push(&mut out, &["main", "process", "row", "{"]);
    for (at, (sort, _)) in parts.iter().enumerate() {
        push(&mut out, &[BREAK, "var", &format!("operand{at}"), ":"]);
        out.extend(sort_tokens(Dialect::Cfa, sort, &[]));
    }
    push(&mut out, &[BREAK, "init", "loc", "S", "loc", "T", "final", "loc", "F", "error", "loc", "E"]);
    push(&mut out, &[BREAK, "S", "->", "T", "{"]);
    for (at, (_, expr)) in parts.iter().enumerate() {
        push(&mut out, &[&format!("operand{at}"), ":="]);
        printer(Dialect::Cfa).whole(&mut out, expr);
    }
    push(&mut out, &["}"]);
    for (to, condition) in [("F", good), ("E", bad)] {
        push(&mut out, &[BREAK, "T", "->", to, "{", "assume"]);
        printer(Dialect::Cfa).whole(&mut out, condition);
        push(&mut out, &["}"]);
    }
    push(&mut out, &[BREAK, "}", BREAK]);
    tidy(&out)
}

fn system(parts: &[(Sort, Expr)], good: &Expr) -> String {
    let mut out = Vec::new();
    push(&mut out, &["type", "Colour", ":", "{", "Red", ",", "Green", ",", "Blue", "}"]);
    push(&mut out, &[BREAK, "var", "done", ":", "boolean", "=", "false"]);
    for (at, (sort, expr)) in parts.iter().enumerate() {
        push(&mut out, &[BREAK, "var", &format!("operand{at}"), ":"]);
        out.extend(sort_tokens(Dialect::Xsts, sort, &colours()));
        push(&mut out, &["="]);
        printer(Dialect::Xsts).whole(&mut out, expr);
    }
    push(&mut out, &[BREAK, "trans", "{", "done", ":=", "true", ";", "}", "init", "{", "}", "env", "{", "}"]);
    push(&mut out, &[BREAK, "prop", "{"]);
    printer(Dialect::Xsts).whole(&mut out, good);
    push(&mut out, &["}", BREAK]);
    tidy(&out)
}

fn printer(dialect: Dialect) -> Printer<'static> {
    static COLOURS: std::sync::LazyLock<[Enumeration; 1]> = std::sync::LazyLock::new(colours);
    Printer { dialect, enums: &*COLOURS, dice: Dice::new(5), generosity: 0 }
}

fn text(dialect: Dialect, expr: &Expr) -> String {
    let mut out = Vec::new();
    printer(dialect).whole(&mut out, expr);
    tidy(&out)
}

/// The rows that both languages have: of Booleans, of numbers and of arrays.
pub(crate) fn common(dialect: Dialect) -> Vec<Row> {
    let mut rows = Vec::new();
    let truths = [false, true].map(|value| (Sort::Bool, Expr::bool(value)));
    let numbers = [-7, -5, -3, -1, 0, 1, 2, 3, 5, 7].map(|value| (Sort::Int, Expr::int(value)));
    for op in [Binary::Iff, Binary::Imply, Binary::Or, Binary::Xor, Binary::And, Binary::Eq, Binary::Ne] {
        binary(&mut rows, dialect, op, &truths);
    }
    for op in [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge] {
        binary(&mut rows, dialect, op, &numbers[2..7]);
    }
    for op in [Binary::Add, Binary::Sub, Binary::Mul] {
        binary(&mut rows, dialect, op, &numbers[2..7]);
    }
    for op in [Binary::Div, Binary::Mod, Binary::Rem] {
        binary(&mut rows, dialect, op, &numbers);
    }
    let negation = match dialect {
        Dialect::Cfa => "not",
        Dialect::Xsts => "!",
    };
    unary(&mut rows, dialect, negation, super::Unary::Not, &truths);
    unary(&mut rows, dialect, "unary -", super::Unary::Neg, &numbers);
    unary(&mut rows, dialect, "unary +", super::Unary::Pos, &numbers);
    branches(&mut rows, dialect);
    arrays(&mut rows, dialect);
    rows
}

/// The operator on all pairs of operands but those that divide a number by zero.
pub(crate) fn binary(rows: &mut Vec<Row>, dialect: Dialect, op: Binary, operands: &[(Sort, Expr)]) {
    let is_zero = |expr: &Expr| matches!(op, Binary::Div | Binary::Mod | Binary::Rem) && *expr == Expr::int(0);
    for left in operands {
        for right in operands.iter().filter(|(_, right)| !is_zero(right)) {
            let parts = vec![left.clone(), right.clone()];
            let operator = super::print::sign(dialect, op);
            rows.push(Row::new(dialect, operator, parts, (applied, Some(Apply::Binary(op)))));
        }
    }
}

pub(crate) fn unary(
    rows: &mut Vec<Row>,
    dialect: Dialect,
    operator: &str,
    op: super::Unary,
    operands: &[(Sort, Expr)],
) {
    for operand in operands {
        rows.push(Row::new(dialect, operator, vec![operand.clone()], (applied, Some(Apply::Unary(op)))));
    }
}

fn branches(rows: &mut Vec<Row>, dialect: Dialect) {
    for condition in [false, true] {
        let parts = vec![(Sort::Bool, Expr::bool(condition)), (Sort::Int, Expr::int(2)), (Sort::Int, Expr::int(-3))];
        let build = |mut operands: Vec<Expr>, _| {
            let (no, yes) = (operands.pop().expect("three"), operands.pop().expect("three"));
            Expr::branch(operands.remove(0), yes, no)
        };
        rows.push(Row::new(dialect, "if", parts, (build, None)));
    }
}

fn arrays(rows: &mut Vec<Row>, dialect: Dialect) {
    let sort = Sort::array(Sort::Int, Sort::Int);
    let cells = vec![(Expr::int(0), Expr::int(4)), (Expr::int(-1), Expr::int(6))];
    let array = Expr::Array { index: Sort::Int, cells, default: Box::new(Expr::int(9)) };
    let read = |mut operands: Vec<Expr>, _| {
        let index = operands.pop().expect("two");
        Expr::read(operands.remove(0), index)
    };
    let written = |mut operands: Vec<Expr>, _| {
        let (element, index) = (operands.pop().expect("three"), operands.pop().expect("three"));
        Expr::read(Expr::write(operands.remove(0), index, element), Expr::int(0))
    };
    for index in [-2, -1, 0, 1] {
        let parts = vec![(sort.clone(), array.clone()), (Sort::Int, Expr::int(index))];
        rows.push(Row::new(dialect, "[]", parts.clone(), (read, None)));
        let parts = [parts, vec![(Sort::Int, Expr::int(5))]].concat();
        rows.push(Row::new(dialect, "[<-]", parts, (written, None)));
    }
    for (left, right) in [(0, 4), (0, 5), (2, 9), (3, 4)] {
        let other = Expr::write(array.clone(), Expr::int(left), Expr::int(right));
        let parts = vec![(sort.clone(), array.clone()), (sort.clone(), other)];
        rows.push(Row::new(
            dialect,
            super::print::sign(dialect, Binary::Eq),
            parts,
            (applied, Some(Apply::Binary(Binary::Eq))),
        ));
    }
}

/// A bit-vector with its sort.
pub(crate) fn bits(width: u32, bits: u128) -> (Sort, Expr) {
    (Sort::Bits(width), Expr::Const(Value::Bits(width, bits)))
}
