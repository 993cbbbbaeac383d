//! From tokens to definitions: one statement at a time, the first error of a statement ends it.

use lapidary_text::descent::{Descent, Nesting};
use lapidary_text::{Cursor, Diagnostic, Diagnostics, Span};

use super::ast::{Definition, Equation, Fixpoint, Name, Parameter, Type, TypeKind};
use super::codes;
use super::lexer::{Kind, tokens};

/// How deep formulas and types may be nested.
pub const MAX_DEPTH: usize = 200;

/// A statement that is not a command: equations, a block of them, or a domain. `span` is the place of `text`.
pub fn definition(text: &str, span: Span) -> (Option<Definition>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let cursor = tokens(text, span, &mut diagnostics);
    if diagnostics.has_errors() {
        return (None, diagnostics);
    }
    let mut parser = Parser { text, start: span.start, cursor, nesting: 0 };
    match parser.definition() {
        Ok(definition) => (Some(definition), diagnostics),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            (None, diagnostics)
        }
    }
}

pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

pub(super) struct Parser<'a> {
    text: &'a str,
    start: u32,
    pub cursor: Cursor<Kind>,
    nesting: usize,
}

impl Nesting for Parser<'_> {
    type Error = Box<Diagnostic>;

    const MAX_NESTING: usize = MAX_DEPTH;

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }

    fn too_deep(&mut self) -> Box<Diagnostic> {
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        let diagnostic = Diagnostic::error(codes::NESTING, message, self.cursor.span(), "here");
        Box::new(diagnostic.with_help("define parts of it as relations of their own"))
    }
}

impl Descent for Parser<'_> {
    type Kind = Kind;

    fn cursor(&mut self) -> &mut Cursor<Kind> {
        &mut self.cursor
    }

    fn unexpected(&mut self, expected: &str) -> Box<Diagnostic> {
        let span = self.cursor.span();
        let found = match self.at(span) {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        };
        Box::new(Diagnostic::error(codes::SYNTAX, format!("expected {expected}, found {found}"), span, "here"))
    }
}

impl Parser<'_> {
    fn definition(&mut self) -> Parsed<Definition> {
        let definition = match self.cursor.peek() {
            Some(Kind::Domain) => self.domain()?,
            Some(Kind::Begin) => self.block()?,
            _ => Definition::Equations(vec![self.equation()?]),
        };
        match definition {
            Definition::Equations(_) if self.cursor.at_end() => {}
            _ => {
                self.cursor.eat(Kind::Semicolon);
            }
        }
        if !self.cursor.at_end() {
            return Err(self.unexpected("the end of the statement"));
        }
        Ok(definition)
    }

    fn domain(&mut self) -> Parsed<Definition> {
        self.cursor.next();
        let name = self.name("the name of the domain")?;
        self.expect(Kind::Equal, "`=`")?;
        Ok(Definition::Domain(name, self.ty()?))
    }

    /// `begin R(x) += ..; S(y) -= ..; end`
    fn block(&mut self) -> Parsed<Definition> {
        self.cursor.next();
        let mut equations = Vec::new();
        while self.cursor.eat(Kind::End).is_none() {
            equations.push(self.equation()?);
            if self.cursor.eat(Kind::Semicolon).is_none() && !self.cursor.at(Kind::End) {
                return Err(self.unexpected("`;` or `end`"));
            }
        }
        match equations.is_empty() {
            true => {
                let span = self.cursor.previous_span();
                Err(Box::new(Diagnostic::error(codes::SYNTAX, "this block has no equation", span, "ends here")))
            }
            false => Ok(Definition::Equations(equations)),
        }
    }

    fn equation(&mut self) -> Parsed<Equation> {
        let mut name = self.name("the name of a relation, as in `R(x) := ..;`")?;
        if self.cursor.eat(Kind::Bang).is_some() {
            let relation = self.name("a relation of the node")?;
            name = Name { text: format!("{}!{}", name.text, relation.text), span: name.span.to(relation.span) };
        }
        let mut parameters = Vec::new();
        if self.cursor.eat(Kind::Open).is_some() {
            parameters = self.parameters(Kind::Close)?;
            self.expect(Kind::Close, "`,` or `)`")?;
        }
        let fixpoint = match self.cursor.peek() {
            Some(Kind::Becomes) => Fixpoint::None,
            Some(Kind::Least) => Fixpoint::Least,
            Some(Kind::Greatest) => Fixpoint::Greatest,
            _ => return Err(self.unexpected("`:=`, `+=` or `-=`")),
        };
        self.cursor.next();
        let body = self.expr()?;
        Ok(Equation { name, parameters, fixpoint, body })
    }

    /// At least one, up to a closing token that is not consumed.
    pub fn parameters(&mut self, close: Kind) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        if self.cursor.at(close) {
            return Err(self.unexpected("a variable"));
        }
        loop {
            let name = self.name("a variable")?;
            let ty = match self.cursor.eat(Kind::Colon) {
                Some(_) => Some(self.ty()?),
                None => None,
            };
            parameters.push(Parameter { name, ty });
            if self.cursor.eat(Kind::Comma).is_none() {
                return Ok(parameters);
            }
        }
    }

    pub fn ty(&mut self) -> Parsed<Type> {
        self.nested(|parser| {
            let mut ty = parser.plain_type()?;
            while parser.cursor.eat(Kind::OpenBracket).is_some() {
                let length = parser.number()?;
                let close = parser.expect(Kind::CloseBracket, "`]`")?;
                let span = ty.span.to(close);
                ty = parser.type_of(TypeKind::Array(Box::new(ty), length), span)?;
            }
            Ok(ty)
        })
    }

    fn plain_type(&mut self) -> Parsed<Type> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Some(Kind::Bool) => {
                self.cursor.next();
                TypeKind::Bool
            }
            Some(Kind::OpenBracket) => self.range()?,
            Some(Kind::OpenBrace) => self.enumeration()?,
            Some(Kind::Struct) => self.structure()?,
            Some(Kind::Name) => {
                let name = self.name("a type")?;
                match self.cursor.eat(Kind::Bang) {
                    Some(_) => TypeKind::OfNode(name, self.name("`c` or `ev`")?),
                    None => TypeKind::Named(name.text),
                }
            }
            _ => return Err(self.unexpected("a type: `N!c`, `N!ev`, `bool`, `[0,7]`, `{a, b}`")),
        };
        self.type_of(kind, start.to(self.cursor.previous_span()))
    }

    /// A type, unless it is nested too deep.
    fn type_of(&mut self, kind: TypeKind, span: Span) -> Parsed<Type> {
        let height = kind.height() + 1;
        if height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(Type { kind, span, height }) }
    }

    fn range(&mut self) -> Parsed<TypeKind> {
        self.cursor.next();
        let lo = self.number()?;
        self.expect(Kind::Comma, "`,`")?;
        let hi = self.number()?;
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(TypeKind::Range(lo, hi))
    }

    fn enumeration(&mut self) -> Parsed<TypeKind> {
        self.cursor.next();
        let literals = self.several(Kind::Comma, |parser| parser.name("a literal"))?;
        self.expect(Kind::CloseBrace, "`,` or `}`")?;
        Ok(TypeKind::Enum(literals))
    }

    /// `struct f, g : D; h : E; tcurts`
    fn structure(&mut self) -> Parsed<TypeKind> {
        self.cursor.next();
        let mut fields = Vec::new();
        while self.cursor.eat(Kind::Tcurts).is_none() {
            let mut names = vec![self.name("a field or `tcurts`")?];
            while self.cursor.eat(Kind::Comma).is_some() {
                names.push(self.name("a field")?);
            }
            self.expect(Kind::Colon, "`:`")?;
            let ty = self.ty()?;
            fields.extend(names.into_iter().map(|name| (name, ty.clone())));
            if self.cursor.eat(Kind::Semicolon).is_none() && !self.cursor.at(Kind::Tcurts) {
                return Err(self.unexpected("`;` or `tcurts`"));
            }
        }
        Ok(TypeKind::Struct(fields))
    }

    pub fn number(&mut self) -> Parsed<i64> {
        let sign = if self.cursor.eat(Kind::Minus).is_some() { "-" } else { "" };
        let span = self.cursor.span();
        if self.cursor.eat(Kind::Number).is_none() {
            return Err(self.unexpected("a number"));
        }
        let digits = format!("{sign}{}", self.at(span));
        digits.parse().map_err(|_| {
            let message = format!("{digits} does not fit in 64 bits");
            Box::new(Diagnostic::error(codes::NUMBER, message, span, "too large"))
        })
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.cursor.span();
        match self.cursor.eat(Kind::Name) {
            Some(_) => Ok(Name { text: bare(self.at(span)).to_owned(), span }),
            None => Err(self.unexpected(what)),
        }
    }

    pub fn at(&self, span: Span) -> &str {
        let (start, end) = (span.start.saturating_sub(self.start), span.end.saturating_sub(self.start));
        self.text.get(start as usize..end as usize).unwrap_or("")
    }
}

/// A name without its quotes. Only a name that begins with a quote ends with it as one of a pair.
fn bare(written: &str) -> &str {
    let quoted = written.strip_prefix(['\'', '"']);
    quoted.map_or(written, |rest| &rest[..rest.len() - 1])
}
