//! Bit-vectors and arrays: sorts, constants and functions, as [`crate::print`] writes them.

use lapidary_text::Span;
use lapidary_text::descent::{Nesting, Parsed};

use crate::expr::{Expr, Node};
use crate::function::{Function, MAX_WIDTH};
use crate::model::Raw;
use crate::parse::Parser;
use crate::parse::lexer::Kind;
use crate::types::{ArrayId, ArrayType, Domain, Sort};
use crate::value::{WORD_BITS, words_of_decimal};

const WORDS: &str = "`@bits[8]`, `@value`, or a function such as `@bvadd`";

impl Parser<'_> {
    pub(super) fn sort(&mut self) -> Parsed<Sort> {
        self.nested(|parser| {
            let (word, numbers, span) = parser.head()?;
            match (word.as_str(), &numbers[..]) {
                ("bits", &[width]) => parser.width(width, span).map(Sort::Bits),
                ("array", []) => Ok(Sort::Array(parser.array()?)),
                _ => parser.fail(
                    "ir006",
                    format!("there is no sort `@{word}`"),
                    span,
                    "`@bits[8]` or `@array(int -> bool)`",
                ),
            }
        })
    }

    fn width(&mut self, width: u32, span: Span) -> Parsed<u32> {
        match (1..=MAX_WIDTH).contains(&width) {
            true => Ok(width),
            false => self.fail("ir003", format!("bit-vectors have 1 to {MAX_WIDTH} bits"), span, "not so many"),
        }
    }

    /// `(int -> bool)`
    fn array(&mut self) -> Parsed<ArrayId> {
        self.sign("(")?;
        let index = self.scalar_or_array()?;
        self.sign("->")?;
        let element = self.scalar_or_array()?;
        self.sign(")")?;
        Ok(self.exprs.array(index, element))
    }

    fn scalar_or_array(&mut self) -> Parsed<Sort> {
        let span = self.cursor.span();
        match self.domain()? {
            Domain::Range { .. } => self.fail("ir008", "ranges are no sorts of arrays", span, "say `int`"),
            domain => Ok(domain.sort()),
        }
    }

    /// What follows the `@`: a word, and the numbers in its brackets.
    fn head(&mut self) -> Parsed<(String, Vec<u32>, Span)> {
        let Some(span) = self.cursor.eat(Kind::Function) else { return self.expected(WORDS) };
        let text = &self.sources.text(span)[1..];
        let (word, rest) = text.split_once('[').unwrap_or((text, ""));
        let numbers: Result<Vec<u32>, _> =
            rest.strip_suffix(']').map_or(Ok(Vec::new()), |rest| rest.split(',').map(str::parse).collect());
        let word = word.to_owned();
        match numbers {
            Ok(numbers) => Ok((word, numbers, span)),
            Err(_) => self.fail("ir003", "the numbers in the brackets do not fit", span, "numbers of bits stand there"),
        }
    }

    pub(super) fn function(&mut self) -> Parsed<Expr> {
        let (word, numbers, span) = self.head()?;
        if let ("bits", &[width]) = (word.as_str(), &numbers[..]) {
            let width = self.width(width, span)?;
            self.sign("(")?;
            let value = self.bits(width)?;
            self.sign(")")?;
            return self.make(Node::Bits(width, value));
        }
        if word == "value" {
            let id = self.array()?;
            let value = self.array_constant(id)?;
            return self.make(Node::Value(id, value));
        }
        let function = match (word.as_str(), &numbers[..]) {
            ("extract", &[high, low]) => Function::Extract { high, low },
            ("concat", &[width]) => Function::Concat(self.width(width, span)?),
            ("zero_extend", &[width]) => Function::ZeroExtend(self.width(width, span)?),
            ("sign_extend", &[width]) => Function::SignExtend(self.width(width, span)?),
            ("select", []) => Function::Select(self.array()?),
            ("store", []) => Function::Store(self.array()?),
            ("fill", []) => Function::Fill(self.array()?),
            (word, []) if Function::PLAIN.iter().any(|function| function.word() == word) => {
                *Function::PLAIN.iter().find(|function| function.word() == word).expect("one was found")
            }
            _ => return self.fail("ir006", format!("there is no function `@{word}` like this"), span, "unknown"),
        };
        self.sign("(")?;
        let mut parts = vec![self.expr()?];
        while self.eat_sign(",") {
            parts.push(self.expr()?);
        }
        self.sign(")")?;
        if parts.len() != function.n_parts() {
            let message = format!("`@{word}` takes {} parts, not {}", function.n_parts(), parts.len());
            return self.fail("ir008", message, span, "this function");
        }
        self.make(Node::Apply(function, parts.into()))
    }

    fn bits(&mut self, width: u32) -> Parsed<Raw> {
        let Some(span) = self.cursor.eat(Kind::Int) else { return self.expected("the value of a bit-vector") };
        let n_words = width.div_ceil(WORD_BITS) as usize;
        let digits = self.sources.text(span);
        let words = words_of_decimal(digits, n_words).filter(|_| digits.len() <= width as usize + 1);
        let values = self.exprs.values();
        match words.filter(|words| values.words(width, values.bits(width, words)) == *words) {
            Some(words) => Ok(values.bits(width, &words)),
            None => self.fail("ir003", format!("the number does not fit {width} bits"), span, "too large"),
        }
    }

    /// A constant of this sort.
    fn constant(&mut self, of: Sort) -> Parsed<Raw> {
        match of {
            Sort::Bool => match self.eat_reserved("true") {
                true => Ok(1),
                false => self.reserved("false").map(|()| 0),
            },
            Sort::Int => match self.eat_sign("-") {
                true => self.negative(),
                false => self.natural(),
            },
            Sort::Bits(width) => self.bits(width),
            Sort::Array(id) => self.nested(|parser| parser.array_constant(id)),
            Sort::Enum(id) => {
                let (reference, span) = self.reference("an enumeration")?;
                let found = self.known(self.scope.enumeration(&reference), span)?;
                self.sign("::")?;
                let literal = self.name("a literal")?;
                let number = self.known(self.scope.literal(found, &literal), span)?;
                match found == id {
                    true => Ok(Raw::from(number)),
                    false => self.fail("ir008", "the literal is of another enumeration", span, "not of this one"),
                }
            }
        }
    }

    /// `(false; 0: true, 3: true)`
    fn array_constant(&mut self, id: ArrayId) -> Parsed<Raw> {
        let ArrayType { index, element } = self.exprs.array_type(id);
        self.sign("(")?;
        let default = self.constant(element)?;
        let mut entries = Vec::new();
        if self.eat_sign(";") {
            loop {
                let at = self.constant(index)?;
                self.sign(":")?;
                entries.push((at, self.constant(element)?));
                if !self.eat_sign(",") {
                    break;
                }
            }
        }
        self.sign(")")?;
        let values = self.exprs.values();
        let n_indexes = values.n_values(index, &|id| self.scope.n_literals(id));
        Ok(values.listed(n_indexes, default, entries))
    }
}
