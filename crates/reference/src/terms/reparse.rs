//! Reads printed expressions back, to see that parentheses and white space keep the meaning.
//!
//! The parser follows the published grammars by recursive descent and yields expressions with all parentheses, to be compared
//! with the tree.

use super::spacing::join;
use super::{Binary, Dialect, Expr, Extension, Printer, Unary, Value, parentheses, print};
use crate::cfa::{self, Cfa};
use crate::dice::Dice;
use crate::xsts::{self, Xsts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    /// `a + b + c` is `(a + b) + c`.
    Left,
    /// `a => b => c` is `a => (b => c)`.
    Right,
    /// `a = b = c` is nothing.
    Never,
}

/// Operators of two operands, loosest first; a negation stands above those of the number.
const LEVELS: [(&str, Chain); 14] = [
    ("iff", Chain::Right),
    ("imply =>", Chain::Right),
    ("or ||", Chain::Left),
    ("xor", Chain::Right),
    ("and &&", Chain::Left),
    ("= /= == !=", Chain::Never),
    ("< <= > >= bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge", Chain::Never),
    ("bvor", Chain::Never),
    ("bvxor", Chain::Never),
    ("bvand", Chain::Never),
    ("bvshl bvashr bvlshr bvrol bvror", Chain::Never),
    ("+ - bvadd bvsub", Chain::Left),
    ("* / mod % rem bvmul bvudiv bvsdiv bvsmod bvurem bvsrem", Chain::Left),
    ("++", Chain::Left),
];

const EQUALITY: usize = 5;

pub(crate) struct Parser {
    tokens: Vec<String>,
    at: usize,
}

/// The tokens of a text, without comments.
fn lex(text: &str) -> Vec<String> {
    const SIGNS: [&str; 30] = [
        ":=", "<-", "<=", ">=", "/=", "=>", "==", "!=", "&&", "||", "++", "->", "<", ">", "=", "!", "+", "-", "*", "/",
        "%", ":", ",", "(", ")", "[", "]", "{", "}", ";",
    ];
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_$.'".contains(letter);
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").expect("comments end").1;
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
            let mut n = sign.unwrap_or_else(|| rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()));
            // A signed number of bits.
            if rest[..n].ends_with("'d") {
                n += 1 + rest[n + 1..].find(|letter| !is_word(letter)).unwrap_or(rest.len() - n - 1);
            }
            assert!(n > 0, "no token starts here: {rest}");
            tokens.push(rest[..n].to_owned());
            rest = &rest[n..];
        }
        rest = rest.trim_start();
    }
    tokens
}

impl Parser {
    pub(crate) fn new(text: &str) -> Parser {
        Parser { tokens: lex(text), at: 0 }
    }

    pub(crate) fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    pub(crate) fn take(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    pub(crate) fn expect(&mut self, token: &str) {
        assert_eq!(self.take(), token, "{:?}", &self.tokens[..self.at]);
    }

    pub(crate) fn whole(&mut self) -> String {
        if self.peek() != "if" {
            return self.level(0);
        }
        self.expect("if");
        let condition = self.whole();
        self.expect("then");
        let yes = self.whole();
        self.expect("else");
        format!("(if {condition} {yes} {})", self.whole())
    }

    fn level(&mut self, level: usize) -> String {
        if level == EQUALITY && ["not", "!"].contains(&self.peek()) {
            self.take();
            return format!("(not {})", self.operation(EQUALITY));
        }
        self.operation(level)
    }

    fn operation(&mut self, level: usize) -> String {
        let Some((words, chain)) = LEVELS.get(level) else { return self.extension() };
        let mut left = self.level(level + 1);
        while words.split(' ').any(|word| word == self.peek()) {
            let sign = self.take();
            let right = self.level(if *chain == Chain::Right { level } else { level + 1 });
            left = format!("({left} {sign} {right})");
            if *chain == Chain::Never {
                break;
            }
        }
        left
    }

    fn extension(&mut self) -> String {
        let of = self.unary();
        let word = self.peek().to_owned();
        if !word.ends_with("_extend") {
            return of;
        }
        self.take();
        self.expect("bv");
        self.expect("[");
        let to = self.take();
        self.expect("]");
        format!("({of} {word} {to})")
    }

    fn unary(&mut self) -> String {
        if ["+", "-", "bvneg", "bvpos"].contains(&self.peek()) {
            let sign = self.take();
            return format!("({sign} {})", self.unary());
        }
        self.bit_not()
    }

    fn bit_not(&mut self) -> String {
        if self.peek() == "bvnot" {
            self.take();
            return format!("(bvnot {})", self.bit_not());
        }
        self.access()
    }

    fn access(&mut self) -> String {
        let mut of = self.primary();
        while self.peek() == "[" {
            self.expect("[");
            if self.tokens[self.at + 1] == ":" {
                let (until, _, from) = (self.take(), self.take(), self.take());
                of = format!("({of} [{until}:{from}])");
            } else {
                let index = self.whole();
                of = if self.peek() == "<-" {
                    self.expect("<-");
                    format!("({of} [{index} <- {}])", self.whole())
                } else {
                    format!("({of} [{index}])")
                };
            }
            self.expect("]");
        }
        of
    }

    fn primary(&mut self) -> String {
        match self.take().as_str() {
            "(" => {
                let inner = self.whole();
                self.expect(")");
                inner
            }
            "[" => self.array(),
            token => {
                assert!(
                    token.starts_with(|letter: char| letter.is_ascii_alphanumeric() || "_$".contains(letter)),
                    "{token}"
                );
                atom(token)
            }
        }
    }

    fn array(&mut self) -> String {
        let mut cells = String::new();
        while self.peek() != "default" && self.peek() != "<" {
            let index = self.whole();
            self.expect("<-");
            cells += &format!("{index} <- {}, ", self.whole());
            self.expect(",");
        }
        if self.peek() == "<" {
            while self.take() != ">" {}
        }
        self.expect("default");
        self.expect("<-");
        let default = self.whole();
        self.expect("]");
        format!("[{cells}{default}]")
    }
}

/// Bits by their number; names by their last part, which is all that a short literal has.
fn atom(token: &str) -> String {
    let Some((width, digits)) = token.split_once('\'') else {
        return token.rsplit('.').next().expect("names have parts").to_owned();
    };
    let width: u32 = width.parse().expect("a width");
    let (base, digits) = digits.split_at(1);
    let bits = match base {
        "b" => u128::from_str_radix(digits, 2).expect("binary"),
        "x" => u128::from_str_radix(digits, 16).expect("hexadecimal"),
        _ => digits.parse::<i128>().expect("decimal") as u128 & super::bits::ones(width),
    };
    format!("{width}'{bits}")
}

pub(crate) fn full(dialect: Dialect, expr: &Expr) -> String {
    let full = |expr: &Expr| full(dialect, expr);
    match expr {
        Expr::Const(Value::Bits(width, bits)) => format!("{width}'{bits}"),
        Expr::Const(Value::Literal(id, literal)) => format!("literal {id} {literal}"),
        Expr::Const(Value::Int(number)) if *number < 0 => format!("(- {})", -number),
        Expr::Const(value) => value.text(&[]),
        Expr::Var(name) => atom(name),
        Expr::Unary(op, operand) => {
            let word = match op {
                Unary::Not => "not",
                Unary::Neg => "-",
                Unary::Pos => "+",
                Unary::BitNot => "bvnot",
                Unary::BitNeg => "bvneg",
                Unary::BitPos => "bvpos",
            };
            format!("({word} {})", full(operand))
        }
        Expr::Binary(op, left, right) => {
            let sign = if *op == Binary::Concat { "++" } else { print::sign(dialect, *op) };
            format!("({} {sign} {})", full(left), full(right))
        }
        Expr::If(condition, yes, no) => format!("(if {} {} {})", full(condition), full(yes), full(no)),
        Expr::Read(array, index) => format!("({} [{}])", full(array), full(index)),
        Expr::Write(array, index, value) => format!("({} [{} <- {}])", full(array), full(index), full(value)),
        Expr::Array { cells, default, .. } => {
            let cells: String =
                cells.iter().map(|(index, cell)| format!("{} <- {}, ", full(index), full(cell))).collect();
            format!("[{cells}{}]", full(default))
        }
        Expr::Extract { of, until, from } => format!("({} [{until}:{from}])", full(of)),
        Expr::Extend(Extension::Zeros, of, to) => format!("({} bv_zero_extend {to})", full(of)),
        Expr::Extend(Extension::Signs, of, to) => format!("({} bv_sign_extend {to})", full(of)),
    }
}

/// With literals by the name that the parser finds.
pub(crate) fn named(mut text: String, system: &Xsts) -> String {
    for (id, enumeration) in system.enums.iter().enumerate() {
        for (at, literal) in enumeration.literals.iter().enumerate() {
            text = text.replace(&format!("literal {id} {at}"), literal);
        }
    }
    text
}

fn of_automaton(cfa: &Cfa) -> Vec<Expr> {
    let statements = cfa.main.edges.iter().flat_map(|edge| &edge.statements);
    let expr = |statement: &cfa::Statement| match statement {
        cfa::Statement::Assign(_, expr) | cfa::Statement::Assume(expr) => Some(expr.clone()),
        cfa::Statement::Havoc(_) => None,
    };
    statements.filter_map(expr).collect()
}

fn of_statement(statement: &xsts::Statement, out: &mut Vec<Expr>) {
    use xsts::Statement;
    match statement {
        Statement::Local { initial, .. } => out.extend(initial.clone()),
        Statement::Assign(_, expr) | Statement::Assume(expr) => out.push(expr.clone()),
        Statement::Write(_, index, element) => out.extend([index.clone(), element.clone()]),
        Statement::Havoc(_) => {}
        Statement::Choice(inner) | Statement::Ort(inner) | Statement::Block(inner) => {
            inner.iter().for_each(|statement| of_statement(statement, out));
        }
        Statement::If(condition, yes, no) => {
            out.push(condition.clone());
            [Some(yes), no.as_ref()].into_iter().flatten().for_each(|part| of_statement(part, out));
        }
        Statement::For(_, from, to, body) => {
            out.extend([from.clone(), to.clone()]);
            of_statement(body, out);
        }
    }
}

/// The expression as it is read, after it was printed in a random way.
fn read(mut printer: Printer<'_>, expr: &Expr) -> String {
    let mut out = Vec::new();
    printer.whole(&mut out, expr);
    let text = join(&out, &mut printer.dice);
    let mut parser = Parser::new(&text);
    let found = parser.whole();
    assert_eq!(parser.at, parser.tokens.len(), "{text}");
    found
}

#[test]
fn expressions_of_automata_are_read_as_they_were_meant() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        for expr in of_automaton(&cfa::random(&mut dice)) {
            let (generosity, own) = (parentheses(&mut dice), Dice::new(dice.roll()));
            let printer = Printer { dialect: Dialect::Cfa, enums: &[], dice: own, generosity };
            assert_eq!(read(printer, &expr), full(Dialect::Cfa, &expr));
        }
    }
}

#[test]
fn expressions_of_systems_are_read_as_they_were_meant() {
    for seed in 0..120 {
        let mut dice = Dice::new(seed);
        let system = xsts::random(&mut dice);
        let mut exprs = vec![system.property.clone()];
        [&system.trans, &system.init, &system.env]
            .into_iter()
            .flatten()
            .for_each(|part| of_statement(part, &mut exprs));
        for expr in exprs {
            let (generosity, own) = (parentheses(&mut dice), Dice::new(dice.roll()));
            let printer = Printer { dialect: Dialect::Xsts, enums: &system.enums, dice: own, generosity };
            assert_eq!(read(printer, &expr), named(full(Dialect::Xsts, &expr), &system));
        }
    }
}
