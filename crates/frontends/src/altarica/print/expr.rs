//! Expressions with as few parentheses as they need.

use super::super::ast::{Binary, Expr, ExprKind, Extremum, Path, Step, Unary};
use super::super::limits::MAX_LEANING;
use super::name;

/// What binds stronger than every operator.
const STRONGEST: u8 = 8;
const UNARY: u8 = 7;
pub(super) const SUM: u8 = 5;
pub(super) const AND: u8 = 3;

pub fn expr(expr: &Expr) -> String {
    operand(expr, 0)
}

pub fn path(path: &Path) -> String {
    let mut text = name(&path.first);
    for step in &path.steps {
        match step {
            Step::Field(field) => {
                text.push('.');
                text += &name(field);
            }
            Step::Index(index) => text += &format!("[{}]", expr(index)),
        }
    }
    text
}

/// An expression where something at least so strong is needed.
pub(super) fn operand(expr: &Expr, weakest: u8) -> String {
    let text = bare(expr);
    if strength(expr) < weakest { format!("({text})") } else { text }
}

fn bare(whole: &Expr) -> String {
    match &whole.kind {
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Path(own) => path(own),
        ExprKind::Unary(Unary::Not, inner) => format!("not {}", operand(inner, UNARY)),
        ExprKind::Unary(Unary::Minus, inner) => match inner.kind {
            // Without parentheses this would be a negative number.
            ExprKind::Int(_) => format!("-({})", expr(inner)),
            _ => format!("-{}", operand(inner, UNARY)),
        },
        ExprKind::Binary(operator, left, right) => binary(*operator, left, right),
        ExprKind::If(condition, then, otherwise) => {
            format!("if {} then {} else {}", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::Case(branches, otherwise) => {
            let branches: String =
                branches.iter().map(|(condition, value)| format!("{} : {}, ", expr(condition), expr(value))).collect();
            format!("case {{ {branches}else {} }}", expr(otherwise))
        }
        ExprKind::Extremum(Extremum::Min, arguments) => format!("min({})", list(arguments)),
        ExprKind::Extremum(Extremum::Max, arguments) => format!("max({})", list(arguments)),
        ExprKind::Apply(function, arguments) => format!("{}({})", name(function), list(arguments)),
        ExprKind::Error => "?".to_owned(),
    }
}

fn list(arguments: &[Expr]) -> String {
    arguments.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn binary(operator: Binary, left: &Expr, right: &Expr) -> String {
    let strength = strength_of(operator);
    let (left_weakest, right_weakest) = match operator {
        Binary::Imply => (strength + 1, strength),
        _ => (strength, strength + 1),
    };
    let left = match is_cut(operator, left) {
        true => format!("({})", bare(left)),
        false => operand(left, left_weakest),
    };
    format!("{left}{}{}", symbol(operator), operand(right, right_weakest))
}

/// Whether parentheses keep the operands to the left from being read as one list that is long enough to be balanced.
fn is_cut(operator: Binary, left: &Expr) -> bool {
    let mut n_operands = 1;
    let mut part = left;
    while let ExprKind::Binary(its, inner, _) = &part.kind {
        if *its != operator {
            break;
        }
        n_operands += 1;
        part = inner;
    }
    n_operands > 1 && (n_operands - 1) % (MAX_LEANING - 1) == 0
}

fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(operator, _, _) => strength_of(*operator),
        ExprKind::Unary(_, _) => UNARY,
        // Its last part reaches as far as it can.
        ExprKind::If(_, _, _) => 0,
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Path(_)
        | ExprKind::Case(_, _)
        | ExprKind::Extremum(_, _)
        | ExprKind::Apply(_, _)
        | ExprKind::Error => STRONGEST,
    }
}

fn strength_of(operator: Binary) -> u8 {
    match operator {
        Binary::Imply => 1,
        Binary::Or => 2,
        Binary::And => AND,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 4,
        Binary::Add | Binary::Sub => SUM,
        Binary::Mul | Binary::Div | Binary::Mod => 6,
    }
}

fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Imply => " => ",
        Binary::Or => " or ",
        Binary::And => " and ",
        Binary::Eq => "=",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Add => " + ",
        Binary::Sub => " - ",
        Binary::Mul => " * ",
        Binary::Div => " / ",
        Binary::Mod => " mod ",
    }
}
