//! Domains of variables and constants.

use lapidary_text::Span;
use lapidary_text::descent::{Failed, Parsed};

use super::super::ast::{Domain, DomainKind, Name};
use super::super::lexer::{self, Kind};
use super::super::limits::{MAX_DIMENSIONS, MAX_STRUCTURES};
use super::Parser;

/// A domain and how many tokens it would have if every field was declared for itself.
type Sized = (Domain, usize);

impl Parser<'_, '_> {
    pub(super) fn domain(&mut self) -> Parsed<Domain> {
        self.sized_domain(0).map(|(domain, _)| domain)
    }

    fn sized_domain(&mut self, depth: usize) -> Parsed<Sized> {
        let (start, before) = (self.cursor.span(), self.cursor.position());
        let (kind, mut size) = match self.cursor.peek() {
            Some(Kind::Struct) => self.structure(depth)?,
            _ => (self.simple_domain()?, 0),
        };
        let mut domain = self.finish_domain(start, kind);
        let mut n_dimensions = 0;
        while self.cursor.eat(Kind::LeftBracket).is_some() {
            n_dimensions += 1;
            if n_dimensions > MAX_DIMENSIONS {
                let message = format!("this array has more than {MAX_DIMENSIONS} dimensions");
                self.report_too_deep(message, self.cursor.previous_span());
                return Err(Failed);
            }
            let length = self.expr()?;
            self.expect(Kind::RightBracket)?;
            domain = self.finish_domain(start, DomainKind::Array(Box::new(domain), Box::new(length)));
        }
        size += self.cursor.position() - before;
        Ok((domain, size))
    }

    fn finish_domain(&self, start: Span, kind: DomainKind) -> Domain {
        Domain { kind, span: start.to(self.cursor.previous_span()) }
    }

    fn simple_domain(&mut self) -> Parsed<DomainKind> {
        match self.cursor.peek() {
            Some(Kind::Bool) => {
                self.cursor.next();
                Ok(DomainKind::Bool)
            }
            Some(Kind::Integer) => {
                self.cursor.next();
                Ok(DomainKind::Integer)
            }
            Some(Kind::LeftBracket) => {
                let open = self.expect(Kind::LeftBracket)?;
                let low = self.expr()?;
                if self.cursor.eat(Kind::Comma).is_none() {
                    return Err(self.unexpected_in("an operator or `,`", "a range is `[0, 3]`"));
                }
                let high = self.expr()?;
                self.expect_end(Kind::RightBracket, open)?;
                Ok(DomainKind::Range(Box::new(low), Box::new(high)))
            }
            Some(Kind::LeftBrace) => {
                self.cursor.next();
                let values = self.names("a value of the enumeration")?;
                if self.cursor.eat(Kind::RightBrace).is_none() {
                    return Err(self.unexpected_in("`,` or `}`", "an enumeration is `{red, green}`"));
                }
                Ok(DomainKind::Enumeration(values))
            }
            Some(Kind::Name) => Ok(DomainKind::Named(self.name("a domain")?)),
            _ => {
                let help = match self.cursor.peek() {
                    Some(Kind::Number) => "a range is `[0, 3]`",
                    _ => {
                        "domains are `bool`, `[low, high]`, `{a, b}`, `integer`, `struct ... tcurts` and names of domains"
                    }
                };
                let diagnostic = self.expected("a domain").with_help(help);
                self.report(diagnostic);
                Err(Failed)
            }
        }
    }

    /// `struct f, g : D; h : E tcurts`
    fn structure(&mut self, depth: usize) -> Parsed<(DomainKind, usize)> {
        let start = self.expect(Kind::Struct)?;
        if depth >= MAX_STRUCTURES {
            let message = format!("structures are nested more than {MAX_STRUCTURES} levels deep");
            self.report_too_deep(message, start);
            return self.skip_structure();
        }
        let mut fields: Vec<(Name, Domain)> = Vec::new();
        let mut size = 0;
        while self.cursor.eat(Kind::Tcurts).is_none() {
            let parsed = self.fields(depth, &mut fields);
            let Ok(added) = parsed else { return self.skip_structure() };
            size += added;
        }
        Ok((DomainKind::Struct(fields), size))
    }

    fn fields(&mut self, depth: usize, fields: &mut Vec<(Name, Domain)>) -> Parsed<usize> {
        let names = self.names("a field or `tcurts`")?;
        self.expect(Kind::Colon)?;
        let (domain, size) = self.sized_domain(depth + 1)?;
        self.copied(names.len() - 1, size + 1, names[0].span)?;
        let n_names = names.len();
        fields.extend(names.into_iter().map(|name| (name, domain.clone())));
        if self.cursor.eat(Kind::Semicolon).is_none() && !self.cursor.at(Kind::Tcurts) {
            return Err(self.unexpected_in("`;` or `tcurts`", "a structure is `struct x : bool; y : [0, 3] tcurts`"));
        }
        Ok(n_names.saturating_mul(size + 1))
    }

    /// Goes on behind the structure that is open, if its end can be seen.
    fn skip_structure(&mut self) -> Parsed<(DomainKind, usize)> {
        let mut n_open = 0usize;
        while let Some(kind) = self.cursor.peek().filter(|&kind| !lexer::ends_section(kind)) {
            self.cursor.next();
            match kind {
                Kind::Struct => n_open += 1,
                Kind::Tcurts if n_open == 0 => return Ok((DomainKind::Error, 0)),
                Kind::Tcurts => n_open -= 1,
                _ => {}
            }
        }
        Err(Failed)
    }
}
