//! Types, ranges, binders and lists of initial values.

use lapidary_text::Span;
use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};

use super::super::ast::{BaseType, Binder, Enumeration, Initial, Name, Range, Type};
use super::super::lexer::Kind;
use super::{Brackets, Parser};

impl<'a> Parser<'a, '_> {
    /// A type; an enumeration is known by `name` where this is all that the declaration of the name says.
    pub(super) fn ty(&mut self, name: Option<&'a str>) -> Parsed<Type<'a>> {
        let start = self.cursor.span();
        let base = self.base_type(name)?;
        let mut sizes = Vec::new();
        while let Some(open) = self.cursor.eat(Kind::LeftBracket) {
            sizes.push(self.expr()?);
            self.expect_end(Kind::RightBracket, open)?;
        }
        Ok(Type { base, sizes, span: start.to(self.cursor.previous_span()) })
    }

    /// What stands for a type that was not understood.
    pub(super) fn broken_type(span: Span) -> Type<'a> {
        Type { base: BaseType::Error, sizes: Vec::new(), span }
    }

    fn base_type(&mut self, name: Option<&'a str>) -> Parsed<BaseType<'a>> {
        match self.cursor.peek() {
            Some(Kind::Bool) => {
                self.cursor.next();
                Ok(BaseType::Bool)
            }
            Some(Kind::Int) => {
                self.cursor.next();
                Ok(BaseType::Int)
            }
            Some(Kind::LeftBrace) => self.enumeration(name),
            Some(Kind::Name) if !self.bound_follows() => {
                let span = self.cursor.span();
                self.cursor.next();
                Ok(BaseType::Named(Name { text: self.slice(span), span }))
            }
            Some(kind) if super::starts_expression(kind) => {
                let outer = std::mem::replace(&mut self.brackets, Brackets::Size);
                let range = self.range();
                self.brackets = outer;
                Ok(BaseType::Range(Box::new(range?)))
            }
            _ => {
                let help = "types are `bool`, `int`, `0..3`, `{ red, green }`, a declared type, and arrays `bool[2]`";
                let diagnostic = self.expected("a type").with_help(help);
                self.report(diagnostic);
                Err(Failed)
            }
        }
    }

    /// Whether a name at the start of a type begins a bound of a range.
    fn bound_follows(&self) -> bool {
        use Kind::{Div, DotDot, LeftParen, Minus, Mod, Plus, Star};
        matches!(self.cursor.peek_at(1), Some(DotDot | Plus | Minus | Star | Div | Mod | LeftParen))
    }

    fn enumeration(&mut self, name: Option<&'a str>) -> Parsed<BaseType<'a>> {
        self.expect(Kind::LeftBrace)?;
        let mut literals = Vec::new();
        while let Ok(literal) = self.name("a literal of the enumeration") {
            literals.push(literal);
            if self.cursor.eat(Kind::Comma).is_some() {
                continue;
            }
            if self.cursor.eat(Kind::RightBrace).is_none() {
                let diagnostic = self.expected("`,` or `}`");
                self.report(diagnostic.with_help("an enumeration is `{ red, green }`"));
                break;
            }
            return Ok(BaseType::Enum(self.enums.push(Enumeration { name, literals })));
        }
        // The literals read so far are declared all the same: their uses are no further mistakes.
        while self.cursor.peek().is_some_and(|kind| !matches!(kind, Kind::RightBrace | Kind::Semicolon)) {
            self.cursor.next();
        }
        self.cursor.eat(Kind::RightBrace);
        self.enums.push(Enumeration { name, literals });
        Err(Failed)
    }

    pub(super) fn range(&mut self) -> Parsed<Range<'a>> {
        let lo = self.sum()?;
        self.expect_in(Kind::DotDot, "a range is `0..3`; its bounds are numbers or constants")?;
        let hi = self.sum()?;
        Ok(Range { lo, hi })
    }

    /// `i in lo..hi`
    pub(super) fn binder(&mut self) -> Parsed<Binder<'a>> {
        let name = self.name("a name for the values of the range")?;
        self.expect_in(Kind::In, "a name takes the values of a range: `i in 0..3`")?;
        let range = self.range()?;
        Ok(Binder { name, range })
    }

    /// One value, or a list with one entry per cell.
    pub(super) fn initial(&mut self) -> Parsed<Initial<'a>> {
        let Some(start) = self.cursor.eat(Kind::LeftBracket) else {
            return Ok(Initial::Value(self.expr()?));
        };
        let list = self.several(Kind::Comma, |parser| parser.nested(Self::initial))?;
        self.expect_end(Kind::RightBracket, start)?;
        Ok(Initial::List(list, start.to(self.cursor.previous_span())))
    }
}
