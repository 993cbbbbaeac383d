//! Types.

use lapidary_text::descent::{Descent, Failed, Nesting, Parsed};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::Type;
use super::super::codes;
use super::super::lexer::Kind;
use super::super::limits::MAX_WIDTH;
use super::Parser;

const TYPES: &str = "types are `bool`, `int`, `bv[8]` and arrays such as `[int] -> bool`";

impl Parser<'_, '_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(Self::any_type)
    }

    fn any_type(&mut self) -> Parsed<Type> {
        let start = self.cursor.span();
        let ty = match self.cursor.peek() {
            Some(Kind::Bool) => self.plain(Type::Bool),
            Some(Kind::Int) => self.plain(Type::Int),
            Some(Kind::Rat) => {
                self.unsupported("rational numbers are", start);
                self.plain(Type::Error)
            }
            Some(Kind::Bv) => match self.width()? {
                (0, _) => Type::Error,
                (width, _) => Type::Bits(width),
            },
            Some(Kind::Fp) => self.float_type()?,
            Some(Kind::LeftBracket) => {
                self.cursor.next();
                let index = self.ty()?;
                self.expect_end(Kind::RightBracket, start)?;
                self.expect_in(Kind::Arrow, "an array from numbers to conditions is `[int] -> bool`")?;
                let element = self.ty()?;
                match index {
                    Type::Array(_) => {
                        self.unsupported("arrays as indexes of arrays are", start);
                        Type::Error
                    }
                    Type::Error | Type::Bool | Type::Int | Type::Bits(_) => Type::Array(Box::new([index, element])),
                }
            }
            Some(Kind::LeftParen) => self.function_type()?,
            _ => {
                let diagnostic = self.expected("a type").with_help(TYPES);
                self.report(diagnostic);
                return Err(Failed);
            }
        };
        Ok(ty)
    }

    fn plain(&mut self, ty: Type) -> Type {
        self.cursor.next();
        ty
    }

    /// `bv[8]`: 8. A width that cannot be is reported, and is 0.
    pub(super) fn width(&mut self) -> Parsed<(u32, Span)> {
        self.expect_in(Kind::Bv, "bit-vectors of eight bits are `bv[8]`")?;
        let open = self.expect(Kind::LeftBracket)?;
        let (width, place) = self.small_number("a number of bits")?;
        self.expect_end(Kind::RightBracket, open)?;
        if (1..=MAX_WIDTH).contains(&width) {
            return Ok((width, place));
        }
        let message = format!("bit-vectors have 1 to {MAX_WIDTH} bits");
        self.log
            .push(Diagnostic::error(codes::WIDTH, message, place, "no such width").with_help("choose another width"));
        Ok((0, place))
    }

    fn float_type(&mut self) -> Parsed<Type> {
        let start = self.expect(Kind::Fp)?;
        let open = self.expect(Kind::LeftBracket)?;
        self.small_number("a number of bits")?;
        if self.cursor.eat(Kind::Colon).is_none() {
            self.expect(Kind::Comma)?;
        }
        self.small_number("a number of bits")?;
        self.expect_end(Kind::RightBracket, open)?;
        self.unsupported("floating-point numbers are", start);
        Ok(Type::Error)
    }

    fn function_type(&mut self) -> Parsed<Type> {
        let open = self.expect(Kind::LeftParen)?;
        if !self.cursor.at(Kind::RightParen) {
            self.several(Kind::Comma, Self::ty)?;
        }
        self.expect_end(Kind::RightParen, open)?;
        self.expect_in(Kind::Arrow, TYPES)?;
        self.ty()?;
        self.unsupported("functions are", open);
        Ok(Type::Error)
    }
}
