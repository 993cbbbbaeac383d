//! Reads printed texts back, to see that parentheses and white space keep the meaning.
//!
//! The parser follows the grammar of the language reference by recursive descent, one function per
//! binding strength, and yields expressions with all parentheses, to be compared with the tree.

use crate::ast::{Expr, Model, Owner, Place, Process, Unary};
use crate::dice::Dice;
use crate::print;
use crate::print_expr::{ExprPrinter, keyword, level, operator};
use crate::random::Shape;
use crate::spacing;

/// The tokens of a text, without comments.
fn lex(text: &str) -> Vec<String> {
    const SIGNS: [&str; 26] = [
        "<=>", "=>", "->", ":=", "..", "!=", "<=", ">=", "|", "&", "!", "=", "<", ">", "+", "-", "*", ":", ";", ",",
        ".", "(", ")", "[", "]", "{",
    ];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").expect("comments end").1;
        } else {
            let n = match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => sign.len(),
                None if first == '}' => 1,
                None if first.is_ascii_digit() => {
                    rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())
                }
                None => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            };
            assert!(n > 0, "no token starts here: {rest}");
            tokens.push(rest[..n].to_owned());
            rest = &rest[n..];
        }
        rest = rest.trim_start();
    }
    tokens
}

/// A parser of expressions.
struct Parser<'a> {
    tokens: &'a [String],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn take(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn expect(&mut self, token: &str) {
        assert_eq!(self.take(), token, "in {:?}", self.tokens);
    }

    fn whole(&mut self) -> String {
        self.at_level(level::IFF)
    }

    fn at_level(&mut self, own: u8) -> String {
        match own {
            level::IFF => self.left_chain(own, &["<=>"]),
            level::IMPLIES => {
                let left = self.at_level(own + 1);
                if self.peek() != "=>" {
                    return left;
                }
                self.take();
                format!("({left} => {})", self.at_level(own))
            }
            level::OR => self.left_chain(own, &["|"]),
            level::AND => self.left_chain(own, &["&"]),
            level::NOT => self.prefix(own, "!"),
            level::COMPARE => {
                let left = self.at_level(own + 1);
                if !["=", "!=", "<", "<=", ">", ">="].contains(&self.peek()) {
                    return left;
                }
                let sign = self.take();
                format!("({left} {sign} {})", self.at_level(own + 1))
            }
            level::ADD => self.left_chain(own, &["+", "-"]),
            level::MUL => self.left_chain(own, &["*", "div", "mod"]),
            level::NEG => self.prefix(own, "-"),
            _ => self.primary(),
        }
    }

    fn left_chain(&mut self, own: u8, signs: &[&str]) -> String {
        let mut left = self.at_level(own + 1);
        while signs.contains(&self.peek()) {
            let sign = self.take();
            left = format!("({left} {sign} {})", self.at_level(own + 1));
        }
        left
    }

    fn prefix(&mut self, own: u8, sign: &str) -> String {
        if self.peek() != sign {
            return self.at_level(own + 1);
        }
        self.take();
        format!("({sign}{})", self.at_level(own))
    }

    fn primary(&mut self) -> String {
        let token = self.take();
        match token.as_str() {
            "(" => {
                let inner = self.whole();
                self.expect(")");
                inner
            }
            "if" => {
                let condition = self.whole();
                self.expect("then");
                let yes = self.whole();
                self.expect("else");
                format!("(if {condition} then {yes} else {})", self.whole())
            }
            "forall" | "exists" | "sum" | "count" => {
                let name = self.take();
                self.expect("in");
                let lo = self.at_level(level::ADD);
                self.expect("..");
                let hi = self.at_level(level::ADD);
                self.expect(":");
                format!("({token} {name} in {lo}..{hi}: {})", self.whole())
            }
            "min" | "max" | "abs" => self.call(&token),
            _ => self.postfix(token),
        }
    }

    fn call(&mut self, name: &str) -> String {
        self.expect("(");
        let mut arguments = vec![self.whole()];
        if name != "abs" {
            self.expect(",");
            arguments.push(self.whole());
        }
        self.expect(")");
        format!("{name}({})", arguments.join(", "))
    }

    fn postfix(&mut self, mut name: String) -> String {
        loop {
            match self.peek() {
                "[" => {
                    self.take();
                    name = format!("{name}[{}]", self.whole());
                    self.expect("]");
                }
                "." => {
                    self.take();
                    name = format!("{name}.{}", self.take());
                }
                _ => return name,
            }
        }
    }
}

/// An expression with all parentheses.
fn full(model: &Model, own: Option<&Process>, expr: &Expr) -> String {
    let sub = |expr: &Expr| full(model, own, expr);
    match expr {
        Expr::Bool(value) => value.to_string(),
        Expr::Int(value) if *value < 0 => format!("(-{})", value.unsigned_abs()),
        Expr::Int(value) => value.to_string(),
        Expr::Literal(id, literal) => model.enums[id.0].literals[*literal].clone(),
        Expr::Const(id) => model.constants[id.0].name.clone(),
        Expr::Define(id) => model.defines[id.0].name.clone(),
        Expr::Bound(name) => name.clone(),
        Expr::Read(place) => full_place(model, own, place),
        Expr::Unary(Unary::Not, operand) => format!("(!{})", sub(operand)),
        Expr::Unary(Unary::Neg, operand) => format!("(-{})", sub(operand)),
        Expr::Unary(Unary::Abs, operand) => format!("abs({})", sub(operand)),
        Expr::Binary(op, left, right) => match operator(*op) {
            (sign, level::PRIMARY) => format!("{sign}({}, {})", sub(left), sub(right)),
            (sign, _) => format!("({} {sign} {})", sub(left), sub(right)),
        },
        Expr::If(condition, yes, no) => format!("(if {} then {} else {})", sub(condition), sub(yes), sub(no)),
        Expr::Quantified(quantifier, binder, body) => {
            let (lo, hi) = (sub(&binder.lo), sub(&binder.hi));
            format!("({} {} in {lo}..{hi}: {})", keyword(*quantifier), binder.name, sub(body))
        }
    }
}

fn full_place(model: &Model, own: Option<&Process>, place: &Place) -> String {
    let (mut text, variables) = match &place.owner {
        Owner::Global => (String::new(), &model.variables),
        Owner::Own => (String::new(), &own.expect("inside a process").variables),
        Owner::Instance(id, index) => {
            let process = &model.processes[id.0];
            let index = index.as_ref().map(|index| format!("[{}]", full(model, own, index)));
            (format!("{}{}.", process.name, index.unwrap_or_default()), &process.variables)
        }
    };
    text.push_str(&variables[place.variable.0].name);
    for index in &place.indexes {
        text.push_str(&format!("[{}]", full(model, own, index)));
    }
    text
}

#[test]
fn printed_guards_read_back_as_the_same_tree() {
    for seed in 0..2000 {
        let model = Model::random(seed, &Shape { depth: 5, ..Shape::default() });
        for (at, process) in model.processes.iter().enumerate() {
            for command in &process.commands {
                let own = Some(crate::ast::ProcessId(at));
                let generosity = [0, 30][usize::from(seed % 2 == 0)];
                let mut printer = ExprPrinter { model: &model, own, dice: Dice::new(seed), generosity };
                let mut tokens = Vec::new();
                printer.whole(&mut tokens, &command.guard);
                let mut parser = Parser { tokens: &tokens, at: 0 };
                assert_eq!(parser.whole(), full(&model, Some(process), &command.guard));
                assert_eq!(parser.at, tokens.len(), "in {tokens:?}");
            }
        }
    }
}

#[test]
fn spaced_texts_have_the_same_tokens() {
    for seed in 0..500 {
        let model = Model::random(seed, &Shape::default());
        let mut dice = Dice::new(seed);
        let tokens = print::tokens(&model, &mut dice);
        assert_eq!(lex(&spacing::join(&tokens, &mut dice)), tokens);
    }
}
