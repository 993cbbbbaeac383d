//! Writes expressions as tokens of either language, with as few parentheses as its grammar needs and some more.

use super::{Binary, BitOp, BitOrder, Enumeration, Expr, Extension, Sort, Unary, Value};
use crate::dice::Dice;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Cfa,
    Xsts,
}

/// How strong operators bind, loosest first. `.xsts` has fewer of them in the same order.
mod strength {
    pub(super) const BRANCH: u8 = 0;
    pub(super) const IFF: u8 = 1;
    pub(super) const IMPLY: u8 = 2;
    pub(super) const OR: u8 = 3;
    pub(super) const XOR: u8 = 4;
    pub(super) const AND: u8 = 5;
    pub(super) const NOT: u8 = 6;
    pub(super) const EQUALITY: u8 = 7;
    pub(super) const RELATION: u8 = 8;
    pub(super) const BIT_OR: u8 = 9;
    pub(super) const BIT_XOR: u8 = 10;
    pub(super) const BIT_AND: u8 = 11;
    pub(super) const SHIFT: u8 = 12;
    pub(super) const ADD: u8 = 13;
    pub(super) const MUL: u8 = 14;
    pub(super) const CONCAT: u8 = 15;
    pub(super) const EXTEND: u8 = 16;
    pub(super) const UNARY: u8 = 17;
    pub(super) const BIT_NOT: u8 = 18;
    pub(super) const ACCESS: u8 = 19;
    pub(super) const PRIMARY: u8 = 20;
}

/// Whether the literals of an enumeration may be written without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Full,
    /// What stands around tells the enumeration.
    Short,
}

/// What all parts of a text are written with.
pub(crate) struct Printer<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) enums: &'a [Enumeration],
    pub(crate) dice: Dice,
    /// The chance in percent of parentheses that are not needed, and of other ways to say the same.
    pub(crate) generosity: u32,
}

/// How generous a text is with parentheses that are not needed.
pub(crate) fn parentheses(dice: &mut Dice) -> u32 {
    dice.pick(&[0, 5, 25])
}

/// The sort as tokens.
pub(crate) fn sort_tokens(dialect: Dialect, sort: &Sort, enums: &[Enumeration]) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
    match (sort, dialect) {
        (Sort::Bool, Dialect::Cfa) => words(&["bool"]),
        (Sort::Bool, Dialect::Xsts) => words(&["boolean"]),
        (Sort::Int, Dialect::Cfa) => words(&["int"]),
        (Sort::Int, Dialect::Xsts) => words(&["integer"]),
        (Sort::Bits(width), _) => words(&["bv", "[", &width.to_string(), "]"]),
        (Sort::Enum(id), _) => words(&[&enums[*id].name]),
        (Sort::Array(index, element), _) => {
            let (index, element) = (sort_tokens(dialect, index, enums), sort_tokens(dialect, element, enums));
            [words(&["["]), index, words(&["]", "->"]), element].concat()
        }
    }
}

impl Printer<'_> {
    /// An expression where nothing follows that could belong to it.
    pub(crate) fn whole(&mut self, out: &mut Vec<String>, expr: &Expr) {
        self.expr(out, expr, strength::BRANCH);
    }

    /// The same, where the sort is known from what it is for.
    pub(crate) fn known(&mut self, out: &mut Vec<String>, expr: &Expr) {
        self.named(out, expr, strength::BRANCH, Names::Short);
    }

    fn named(&mut self, out: &mut Vec<String>, expr: &Expr, loosest: u8, names: Names) {
        match expr {
            Expr::Const(Value::Literal(id, literal)) if names == Names::Short && !self.dice.percent(30) => {
                out.push(self.enums[*id].literals[*literal].clone());
            }
            other => self.expr(out, other, loosest),
        }
    }

    fn expr(&mut self, out: &mut Vec<String>, expr: &Expr, loosest: u8) {
        if strength(expr) < loosest || self.dice.percent(self.generosity) {
            push(out, &["("]);
            self.bare(out, expr);
            push(out, &[")"]);
        } else {
            self.bare(out, expr);
        }
    }

    fn bare(&mut self, out: &mut Vec<String>, expr: &Expr) {
        match expr {
            Expr::Const(value) => self.constant(out, value),
            Expr::Var(name) => push(out, &[name]),
            Expr::Unary(op, operand) => {
                let (sign, inner) = prefix(self.dialect, *op);
                push(out, &[sign]);
                self.expr(out, operand, inner);
            }
            Expr::Binary(op, left, right) => self.binary(out, *op, left, right),
            Expr::If(condition, yes, no) => {
                for (word, part) in [("if", condition), ("then", yes), ("else", no)] {
                    push(out, &[word]);
                    self.whole(out, part);
                }
            }
            Expr::Read(array, index) => self.access(out, array, &[index], ""),
            Expr::Write(array, index, element) => self.access(out, array, &[index, element], "<-"),
            Expr::Array { index, cells, default } => self.array(out, index, cells, default),
            Expr::Extract { of, until, from } => {
                self.expr(out, of, strength::ACCESS);
                push(out, &["[", &until.to_string(), ":", &from.to_string(), "]"]);
            }
            Expr::Extend(extension, of, to) => {
                self.expr(out, of, strength::UNARY);
                let word = match extension {
                    Extension::Zeros => "bv_zero_extend",
                    Extension::Signs => "bv_sign_extend",
                };
                push(out, &[word, "bv", "[", &to.to_string(), "]"]);
            }
        }
    }

    fn constant(&mut self, out: &mut Vec<String>, value: &Value) {
        match value {
            Value::Bool(value) => out.push(value.to_string()),
            Value::Int(value) => {
                if *value < 0 {
                    push(out, &["-"]);
                }
                out.push(value.unsigned_abs().to_string());
            }
            Value::Bits(width, bits) => {
                let text = self.bits(*width, *bits);
                out.push(text);
            }
            Value::Literal(id, literal) => {
                out.push(format!("{}.{}", self.enums[*id].name, self.enums[*id].literals[*literal]));
            }
            Value::Array(..) | Value::Unset => panic!("there is no word for {value:?}"),
        }
    }

    /// In binary, in decimal with or without a sign, or in hexadecimal where that fits.
    fn bits(&mut self, width: u32, bits: u128) -> String {
        match self.dice.below(4) {
            0 => format!("{width}'d{bits}"),
            1 if width < 128 => format!("{width}'d{}", super::bits::signed(width, bits)),
            2 if width.is_multiple_of(4) => format!("{width}'x{bits:0digits$x}", digits = width as usize / 4),
            _ => format!("{width}'b{bits:0width$b}", width = width as usize),
        }
    }

    fn binary(&mut self, out: &mut Vec<String>, op: Binary, left: &Expr, right: &Expr) {
        let (sign, own) = infix(self.dialect, op);
        let (first, second) = match chains(op) {
            Chain::Left => (own, own + 1),
            Chain::Right => (own + 1, own),
            Chain::Not => (own + 1, own + 1),
        };
        // A side may be short if the other one has a name, which tells its sort.
        let tells = |side: &Expr| matches!(side, Expr::Var(_) | Expr::Read(..));
        let short = |other: &Expr| if own == strength::EQUALITY && tells(other) { Names::Short } else { Names::Full };
        self.named(out, left, first, short(right));
        push(out, &[sign]);
        self.named(out, right, second, short(left));
    }

    fn access(&mut self, out: &mut Vec<String>, array: &Expr, parts: &[&Expr], between: &str) {
        self.expr(out, array, strength::ACCESS);
        push(out, &["["]);
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                push(out, &[between]);
            }
            self.whole(out, part);
        }
        push(out, &["]"]);
    }

    fn array(&mut self, out: &mut Vec<String>, index: &Sort, cells: &[(Expr, Expr)], default: &Expr) {
        push(out, &["["]);
        for (at, element) in cells {
            self.whole(out, at);
            push(out, &["<-"]);
            self.whole(out, element);
            push(out, &[","]);
        }
        // Where there are indexes they tell their sort.
        if cells.is_empty() || self.dice.percent(self.generosity) {
            push(out, &["<"]);
            out.extend(sort_tokens(self.dialect, index, self.enums));
            push(out, &[">"]);
        }
        push(out, &["default", "<-"]);
        self.whole(out, default);
        push(out, &["]"]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    Left,
    Right,
    Not,
}

fn chains(op: Binary) -> Chain {
    match op {
        Binary::Iff | Binary::Imply | Binary::Xor => Chain::Right,
        Binary::Or | Binary::And | Binary::Add | Binary::Sub | Binary::Mul => Chain::Left,
        Binary::Div | Binary::Mod | Binary::Rem | Binary::Concat => Chain::Left,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Order(_) => Chain::Not,
        Binary::Bits(op) => match bit_strength(op) {
            strength::ADD | strength::MUL => Chain::Left,
            _ => Chain::Not,
        },
    }
}

fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::Const(Value::Int(value)) if *value < 0 => strength::UNARY,
        Expr::Const(_) | Expr::Var(_) | Expr::Array { .. } => strength::PRIMARY,
        Expr::Unary(Unary::Not, _) => strength::NOT,
        Expr::Unary(Unary::BitNot, _) => strength::BIT_NOT,
        Expr::Unary(Unary::Neg | Unary::Pos | Unary::BitNeg | Unary::BitPos, _) => strength::UNARY,
        Expr::Binary(op, ..) => binary_strength(*op),
        Expr::If(..) => strength::BRANCH,
        Expr::Read(..) | Expr::Write(..) | Expr::Extract { .. } => strength::ACCESS,
        Expr::Extend(..) => strength::EXTEND,
    }
}

fn binary_strength(op: Binary) -> u8 {
    match op {
        Binary::Iff => strength::IFF,
        Binary::Imply => strength::IMPLY,
        Binary::Or => strength::OR,
        Binary::Xor => strength::XOR,
        Binary::And => strength::AND,
        Binary::Eq | Binary::Ne => strength::EQUALITY,
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Order(_) => strength::RELATION,
        Binary::Add | Binary::Sub => strength::ADD,
        Binary::Mul | Binary::Div | Binary::Mod | Binary::Rem => strength::MUL,
        Binary::Bits(op) => bit_strength(op),
        Binary::Concat => strength::CONCAT,
    }
}

fn bit_strength(op: BitOp) -> u8 {
    match op {
        BitOp::Or => strength::BIT_OR,
        BitOp::Xor => strength::BIT_XOR,
        BitOp::And => strength::BIT_AND,
        BitOp::Shl | BitOp::Ashr | BitOp::Lshr | BitOp::Rol | BitOp::Ror => strength::SHIFT,
        BitOp::Add | BitOp::Sub => strength::ADD,
        BitOp::Mul | BitOp::Udiv | BitOp::Sdiv | BitOp::Smod | BitOp::Urem | BitOp::Srem => strength::MUL,
    }
}

/// The sign, and how strong its operand binds at least. A negation takes no other one without parentheses.
fn prefix(dialect: Dialect, op: Unary) -> (&'static str, u8) {
    match (op, dialect) {
        (Unary::Not, Dialect::Cfa) => ("not", strength::EQUALITY),
        (Unary::Not, Dialect::Xsts) => ("!", strength::EQUALITY),
        (Unary::Neg, _) => ("-", strength::UNARY),
        (Unary::Pos, _) => ("+", strength::UNARY),
        (Unary::BitNeg, _) => ("bvneg", strength::UNARY),
        (Unary::BitPos, _) => ("bvpos", strength::UNARY),
        (Unary::BitNot, _) => ("bvnot", strength::BIT_NOT),
    }
}

pub(crate) fn sign(dialect: Dialect, op: Binary) -> &'static str {
    infix(dialect, op).0
}

fn infix(dialect: Dialect, op: Binary) -> (&'static str, u8) {
    let words = match op {
        Binary::Iff => ["iff", "iff"],
        Binary::Imply => ["imply", "=>"],
        Binary::Or => ["or", "||"],
        Binary::Xor => ["xor", "xor"],
        Binary::And => ["and", "&&"],
        Binary::Eq => ["=", "=="],
        Binary::Ne => ["/=", "!="],
        Binary::Lt => ["<", "<"],
        Binary::Le => ["<=", "<="],
        Binary::Gt => [">", ">"],
        Binary::Ge => [">=", ">="],
        Binary::Add => ["+", "+"],
        Binary::Sub => ["-", "-"],
        Binary::Mul => ["*", "*"],
        Binary::Div => ["/", "/"],
        Binary::Mod => ["mod", "%"],
        Binary::Rem => ["rem", "rem"],
        Binary::Bits(op) => [op.word(); 2],
        Binary::Order(order) => [BitOrder::word(order); 2],
        Binary::Concat => ["++", "++"],
    };
    let word = match dialect {
        Dialect::Cfa => words[0],
        Dialect::Xsts => words[1],
    };
    (word, binary_strength(op))
}

pub(crate) fn push(out: &mut Vec<String>, tokens: &[&str]) {
    out.extend(tokens.iter().map(|&token| token.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(dialect: Dialect, expr: &Expr) -> String {
        let enums = [Enumeration { name: "T".to_owned(), literals: vec!["A".to_owned(), "B".to_owned()] }];
        let mut out = Vec::new();
        Printer { dialect, enums: &enums, dice: Dice::new(1), generosity: 0 }.whole(&mut out, expr);
        out.join(" ")
    }

    fn op(left: Expr, op: Binary, right: Expr) -> Expr {
        Expr::binary(op, left, right)
    }

    fn x() -> Expr {
        Expr::var("x")
    }

    #[test]
    fn a_negation_is_of_an_equality_and_of_nothing_looser() {
        let not = |operand| Expr::unary(Unary::Not, operand);
        let equality = || op(x(), Binary::Eq, Expr::int(1));
        assert_eq!(text(Dialect::Cfa, &not(equality())), "not x = 1");
        assert_eq!(text(Dialect::Xsts, &not(equality())), "! x == 1");
        assert_eq!(text(Dialect::Cfa, &op(not(x()), Binary::Eq, x())), "( not x ) = x");
        assert_eq!(text(Dialect::Cfa, &op(x(), Binary::Eq, not(x()))), "x = ( not x )");
        assert_eq!(text(Dialect::Xsts, &not(not(x()))), "! ( ! x )");
        assert_eq!(text(Dialect::Xsts, &op(not(x()), Binary::And, not(x()))), "! x && ! x");
        assert_eq!(text(Dialect::Cfa, &not(op(x(), Binary::Or, x()))), "not ( x or x )");
    }

    #[test]
    fn implications_lean_right_and_differences_left() {
        let imply = |left, right| op(left, Binary::Imply, right);
        assert_eq!(text(Dialect::Xsts, &imply(x(), imply(x(), x()))), "x => x => x");
        assert_eq!(text(Dialect::Cfa, &imply(imply(x(), x()), x())), "( x imply x ) imply x");
        let minus = |left, right| op(left, Binary::Sub, right);
        assert_eq!(text(Dialect::Cfa, &minus(minus(x(), x()), x())), "x - x - x");
        assert_eq!(text(Dialect::Cfa, &minus(x(), minus(x(), Expr::int(-2)))), "x - ( x - - 2 )");
        assert_eq!(text(Dialect::Xsts, &op(minus(x(), x()), Binary::Mod, x())), "( x - x ) % x");
    }

    #[test]
    fn bitwise_operators_do_not_chain_and_bind_looser_than_sums() {
        let bit = |left, bits, right| op(left, Binary::Bits(bits), right);
        assert_eq!(text(Dialect::Cfa, &bit(bit(x(), BitOp::Or, x()), BitOp::Or, x())), "( x bvor x ) bvor x");
        assert_eq!(text(Dialect::Cfa, &bit(bit(x(), BitOp::Add, x()), BitOp::Shl, x())), "x bvadd x bvshl x");
        assert_eq!(text(Dialect::Cfa, &bit(x(), BitOp::Add, bit(x(), BitOp::And, x()))), "x bvadd ( x bvand x )");
        let order = op(bit(x(), BitOp::Or, x()), Binary::Order(BitOrder::Slt), x());
        assert_eq!(text(Dialect::Cfa, &order), "x bvor x bvslt x");
        assert_eq!(
            text(Dialect::Cfa, &op(op(x(), Binary::Concat, x()), Binary::Concat, op(x(), Binary::Concat, x()))),
            "x ++ x ++ ( x ++ x )"
        );
    }

    #[test]
    fn extensions_extractions_and_accesses() {
        let low = Expr::Extract { of: Box::new(x()), until: 2, from: 0 };
        assert_eq!(text(Dialect::Cfa, &low), "x [ 2 : 0 ]");
        let wide = Expr::Extend(Extension::Signs, Box::new(Expr::unary(Unary::BitNeg, low)), 4);
        assert_eq!(text(Dialect::Cfa, &wide), "bvneg x [ 2 : 0 ] bv_sign_extend bv [ 4 ]");
        let again = Expr::Extend(Extension::Zeros, Box::new(wide.clone()), 5);
        assert!(
            text(Dialect::Cfa, &again).starts_with("( bvneg x"),
            "an extension is not extended without parentheses"
        );
        let negated = Expr::unary(Unary::BitNot, Expr::unary(Unary::BitNeg, x()));
        assert_eq!(text(Dialect::Cfa, &negated), "bvnot ( bvneg x )");
        let written = Expr::read(Expr::write(x(), Expr::int(1), Expr::bool(true)), Expr::int(2));
        assert_eq!(text(Dialect::Xsts, &written), "x [ 1 <- true ] [ 2 ]");
    }

    #[test]
    fn branches_reach_as_far_as_they_can() {
        let branch = || Expr::branch(x(), x(), x());
        assert_eq!(text(Dialect::Cfa, &Expr::branch(x(), branch(), branch())), BRANCHES);
        assert_eq!(text(Dialect::Xsts, &op(x(), Binary::Iff, branch())), "x iff ( if x then x else x )");
    }

    const BRANCHES: &str = "if x then if x then x else x else if x then x else x";

    #[test]
    fn literals_are_short_only_beside_what_has_a_sort() {
        let (a, b) = (Expr::Const(Value::Literal(0, 0)), Expr::Const(Value::Literal(0, 1)));
        assert_eq!(text(Dialect::Xsts, &op(a, Binary::Eq, b.clone())), "T.A == T.B");
        let enums = [Enumeration { name: "T".to_owned(), literals: vec!["A".to_owned(), "B".to_owned()] }];
        let texts = (0..20).map(|seed| {
            let mut out = Vec::new();
            Printer { dialect: Dialect::Xsts, enums: &enums, dice: Dice::new(seed), generosity: 0 }
                .whole(&mut out, &op(x(), Binary::Ne, b.clone()));
            out.join(" ")
        });
        let texts: std::collections::BTreeSet<String> = texts.collect();
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), ["x != B", "x != T.B"]);
    }

    #[test]
    fn arrays_tell_their_indexes() {
        let array = |cells| Expr::Array { index: Sort::Int, cells, default: Box::new(Expr::int(-1)) };
        assert_eq!(text(Dialect::Cfa, &array(Vec::new())), "[ < int > default <- - 1 ]");
        let one = vec![(Expr::int(1), Expr::int(0))];
        assert_eq!(text(Dialect::Xsts, &array(one)), "[ 1 <- 0 , default <- - 1 ]");
    }
}
