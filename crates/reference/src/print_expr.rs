//! Prints expressions as tokens, with as few parentheses as the grammar needs and some more.

use crate::ast::{Binary, Binder, Expr, Model, Owner, Place, ProcessId, Quantifier, Unary, VarId};
use crate::dice::Dice;

/// Whether an operator may follow an expression. If not, an `if` or a quantifier may stand there
/// without parentheses, since its last part reaches as far right as it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Open,
    Followed,
}

/// The binding strengths of the grammar, loosest first.
pub(crate) mod level {
    pub(crate) const IFF: u8 = 0;
    pub(crate) const IMPLIES: u8 = 1;
    pub(crate) const OR: u8 = 2;
    pub(crate) const AND: u8 = 3;
    pub(crate) const NOT: u8 = 4;
    pub(crate) const COMPARE: u8 = 5;
    pub(crate) const ADD: u8 = 6;
    pub(crate) const MUL: u8 = 7;
    pub(crate) const NEG: u8 = 8;
    pub(crate) const PRIMARY: u8 = 9;
}

/// An expression printer: what it prints inside, and how generous it is with parentheses.
pub(crate) struct ExprPrinter<'a> {
    pub(crate) model: &'a Model,
    /// The process whose variables are written without a prefix.
    pub(crate) own: Option<ProcessId>,
    pub(crate) dice: Dice,
    /// The chance in percent of parentheses that are not needed.
    pub(crate) generosity: u32,
}

impl ExprPrinter<'_> {
    /// Prints a whole expression, after which no operator can follow.
    pub(crate) fn whole(&mut self, out: &mut Vec<String>, expr: &Expr) {
        self.expr(out, expr, level::IFF, End::Open);
    }

    /// Prints a bound of a range or an array size: a sum that something follows.
    pub(crate) fn bound(&mut self, out: &mut Vec<String>, expr: &Expr) {
        self.expr(out, expr, level::ADD, End::Followed);
    }

    pub(crate) fn binder(&mut self, out: &mut Vec<String>, binder: &Binder, between: &str) {
        push(out, &[&binder.name, between]);
        self.bound(out, &binder.lo);
        push(out, &[".."]);
        self.bound(out, &binder.hi);
    }

    fn expr(&mut self, out: &mut Vec<String>, expr: &Expr, loosest: u8, end: End) {
        let greedy = matches!(expr, Expr::If(..) | Expr::Quantified(..));
        let needed = strength(expr) < loosest || (greedy && end == End::Followed);
        if needed || self.dice.percent(self.generosity) {
            push(out, &["("]);
            self.bare(out, expr, End::Open);
            push(out, &[")"]);
        } else {
            self.bare(out, expr, end);
        }
    }

    fn bare(&mut self, out: &mut Vec<String>, expr: &Expr, end: End) {
        match expr {
            Expr::Bool(value) => out.push(value.to_string()),
            Expr::Int(value) => {
                if *value < 0 {
                    push(out, &["-"]);
                }
                out.push(value.unsigned_abs().to_string());
            }
            Expr::Literal(id, literal) => push(out, &[&self.model.enums[id.0].literals[*literal]]),
            Expr::Const(id) => push(out, &[&self.model.constants[id.0].name]),
            Expr::Define(id) => push(out, &[&self.model.defines[id.0].name]),
            Expr::Bound(name) => push(out, &[name]),
            Expr::Read(place) => self.place(out, place),
            Expr::Unary(op, operand) => self.unary(out, *op, operand, end),
            Expr::Binary(op, left, right) => self.binary(out, *op, left, right, end),
            Expr::If(condition, yes, no) => {
                push(out, &["if"]);
                self.whole(out, condition);
                push(out, &["then"]);
                self.whole(out, yes);
                push(out, &["else"]);
                self.expr(out, no, level::IFF, end);
            }
            Expr::Quantified(quantifier, binder, body) => {
                push(out, &[keyword(*quantifier)]);
                self.binder(out, binder, "in");
                push(out, &[":"]);
                self.expr(out, body, level::IFF, end);
            }
        }
    }

    fn unary(&mut self, out: &mut Vec<String>, op: Unary, operand: &Expr, end: End) {
        match op {
            Unary::Not => {
                push(out, &["!"]);
                self.expr(out, operand, level::NOT, end);
            }
            Unary::Neg => {
                push(out, &["-"]);
                self.expr(out, operand, level::NEG, end);
            }
            Unary::Abs => {
                push(out, &["abs", "("]);
                self.whole(out, operand);
                push(out, &[")"]);
            }
        }
    }

    fn binary(&mut self, out: &mut Vec<String>, op: Binary, left: &Expr, right: &Expr, end: End) {
        let (sign, own) = operator(op);
        if own == level::PRIMARY {
            push(out, &[sign, "("]);
            self.whole(out, left);
            push(out, &[","]);
            self.whole(out, right);
            push(out, &[")"]);
            return;
        }
        // Comparisons do not chain, `=>` chains to the right, all others to the left.
        let (first, second) = match own {
            level::COMPARE => (own + 1, own + 1),
            level::IMPLIES => (own + 1, own),
            _ => (own, own + 1),
        };
        self.expr(out, left, first, End::Followed);
        push(out, &[sign]);
        self.expr(out, right, second, end);
    }

    /// Prints a cell, as it is read or written.
    pub(crate) fn place(&mut self, out: &mut Vec<String>, place: &Place) {
        let VarId(variable) = place.variable;
        let declared = match &place.owner {
            Owner::Global => &self.model.variables,
            Owner::Own => &self.model.processes[self.own.expect("own variables are used inside a process").0].variables,
            Owner::Instance(process, index) => {
                let process = &self.model.processes[process.0];
                push(out, &[&process.name]);
                if let Some(index) = index {
                    push(out, &["["]);
                    self.whole(out, index);
                    push(out, &["]"]);
                }
                push(out, &["."]);
                &process.variables
            }
        };
        push(out, &[&declared[variable].name]);
        for index in &place.indexes {
            push(out, &["["]);
            self.whole(out, index);
            push(out, &["]"]);
        }
    }
}

pub(crate) fn push(out: &mut Vec<String>, tokens: &[&str]) {
    out.extend(tokens.iter().map(|&token| token.to_owned()));
}

/// How strongly the outermost operator of an expression binds.
fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::Int(value) if *value < 0 => level::NEG,
        Expr::Unary(Unary::Not, _) => level::NOT,
        Expr::Unary(Unary::Neg, _) => level::NEG,
        Expr::Binary(op, ..) => operator(*op).1,
        Expr::Bool(_)
        | Expr::Int(_)
        | Expr::Literal(..)
        | Expr::Const(_)
        | Expr::Define(_)
        | Expr::Bound(_)
        | Expr::Read(_)
        | Expr::Unary(Unary::Abs, _)
        | Expr::If(..)
        | Expr::Quantified(..) => level::PRIMARY,
    }
}

/// The token of an operator and how strongly it binds.
pub(crate) fn operator(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Iff => ("<=>", level::IFF),
        Binary::Implies => ("=>", level::IMPLIES),
        Binary::Or => ("|", level::OR),
        Binary::And => ("&", level::AND),
        Binary::Eq => ("=", level::COMPARE),
        Binary::Ne => ("!=", level::COMPARE),
        Binary::Lt => ("<", level::COMPARE),
        Binary::Le => ("<=", level::COMPARE),
        Binary::Gt => (">", level::COMPARE),
        Binary::Ge => (">=", level::COMPARE),
        Binary::Add => ("+", level::ADD),
        Binary::Sub => ("-", level::ADD),
        Binary::Mul => ("*", level::MUL),
        Binary::Div => ("div", level::MUL),
        Binary::Mod => ("mod", level::MUL),
        Binary::Min => ("min", level::PRIMARY),
        Binary::Max => ("max", level::PRIMARY),
    }
}

pub(crate) fn keyword(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Forall => "forall",
        Quantifier::Exists => "exists",
        Quantifier::Sum => "sum",
        Quantifier::Count => "count",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expr: &Expr, expected: &str) {
        let model = Model::default();
        let mut out = Vec::new();
        ExprPrinter { model: &model, own: None, dice: Dice::new(0), generosity: 0 }.whole(&mut out, expr);
        assert_eq!(out.join(" "), expected);
    }

    fn bound(name: &str) -> Expr {
        Expr::Bound(name.to_owned())
    }

    fn sum(body: Expr) -> Expr {
        let binder = Binder { name: "i".to_owned(), lo: Expr::Int(0), hi: Expr::Int(1) };
        Expr::quantified(Quantifier::Sum, binder, body)
    }

    #[test]
    fn parentheses_are_where_the_grammar_needs_them() {
        let equal = Expr::binary(Binary::Eq, bound("a"), bound("b"));
        check(&Expr::unary(Unary::Not, equal.clone()), "! a = b");
        check(&Expr::binary(Binary::Eq, equal.clone(), bound("c")), "( a = b ) = c");
        let modulo = Expr::binary(Binary::Mod, Expr::Int(3), Expr::Int(2));
        check(&Expr::binary(Binary::Mod, Expr::Int(-3), Expr::Int(2)), "- 3 mod 2");
        check(&Expr::unary(Unary::Neg, modulo), "- ( 3 mod 2 )");
        let implies = Expr::binary(Binary::Implies, bound("a"), bound("b"));
        check(&Expr::binary(Binary::Implies, bound("c"), implies.clone()), "c => a => b");
        check(&Expr::binary(Binary::Implies, implies, bound("c")), "( a => b ) => c");
        let minus = Expr::binary(Binary::Sub, bound("a"), bound("b"));
        check(&Expr::binary(Binary::Sub, minus.clone(), bound("c")), "a - b - c");
        check(&Expr::binary(Binary::Sub, bound("c"), minus), "c - ( a - b )");
    }

    #[test]
    fn quantifiers_and_branches_reach_as_far_right_as_they_can() {
        let total = sum(bound("i"));
        check(&Expr::binary(Binary::Add, total.clone(), Expr::Int(1)), "( sum i in 0 .. 1 : i ) + 1");
        check(&Expr::binary(Binary::Add, Expr::Int(1), total.clone()), "1 + sum i in 0 .. 1 : i");
        let more = Expr::binary(Binary::Add, bound("i"), Expr::Int(1));
        check(&sum(more), "sum i in 0 .. 1 : i + 1");
        let branch = Expr::branch(bound("c"), Expr::Int(1), total);
        check(&branch, "if c then 1 else sum i in 0 .. 1 : i");
        check(&Expr::binary(Binary::Mul, branch, Expr::Int(2)), "( if c then 1 else sum i in 0 .. 1 : i ) * 2");
    }
}
