//! Domains: what values a variable or constant can have.

use std::sync::Arc;

use lapidary_base::hash::Set;
use lapidary_text::Diagnostic;

use super::super::ast::{self, DomainKind, Name};
use super::super::codes;
use super::super::scope::Shape;
use super::super::sizes::{MAX_DIMENSIONS, MAX_SYMBOLS, MAX_VARS};
use super::super::value::Symbol;
use super::Elaborator;

impl Elaborator<'_> {
    pub fn shape(&mut self, domain: &ast::Domain) -> Shape {
        match &domain.kind {
            DomainKind::Bool => Shape::Bool,
            DomainKind::Integer => Shape::Integer,
            DomainKind::Range(lo, hi) => {
                let lo = self.integer(lo, "the bound of a range");
                let hi = self.integer(hi, "the bound of a range");
                self.range(lo, hi, domain).unwrap_or(Shape::Error)
            }
            DomainKind::Enumeration(names) => self.enumeration(names, domain),
            DomainKind::Struct(fields) => self.structure(fields, domain),
            DomainKind::Named(name) => self.named(name).unwrap_or(Shape::Error),
            DomainKind::Array(element, size) => {
                let element = self.shape(element);
                match self.size(size) {
                    Some(len) if element != Shape::Error => self.limited(Shape::Array(Arc::new(element), len), domain),
                    _ => Shape::Error,
                }
            }
            DomainKind::Error => Shape::Error,
        }
    }

    fn range(&mut self, lo: Option<i64>, hi: Option<i64>, domain: &ast::Domain) -> Option<Shape> {
        let (lo, hi) = (lo?, hi?);
        if lo > hi {
            let message = format!("the range [{lo}, {hi}] has no values");
            self.error(codes::EMPTY_RANGE, message, (domain.span, "empty"), "write the smaller bound first");
            return None;
        }
        Some(Shape::Range { lo, hi })
    }

    fn enumeration(&mut self, names: &[Name], domain: &ast::Domain) -> Shape {
        if names.len() > MAX_SYMBOLS {
            let message = format!("an enumeration of {} symbols is too large", names.len());
            let help = format!("use at most {MAX_SYMBOLS} symbols, or a range of integers");
            self.error(codes::TOO_LARGE, message, (domain.span, "too many symbols"), help);
            return Shape::Error;
        }
        let mut seen: Set<&str> = Set::default();
        for name in names {
            if !seen.insert(&name.text) {
                let message = format!("`{}` stands twice in one enumeration", name.text);
                self.error(codes::DUPLICATE_SYMBOL, message, (name.span, "again here"), "leave one of them out");
                return Shape::Error;
            }
        }
        Shape::Enum(names.iter().map(|name| Symbol::from(name.text.as_str())).collect())
    }

    fn structure(&mut self, fields: &[(Name, ast::Domain)], domain: &ast::Domain) -> Shape {
        let mut seen: Set<&str> = Set::default();
        let mut shapes = Vec::new();
        for (name, field) in fields {
            if !seen.insert(&name.text) {
                let message = format!("the field `{}` is declared twice", name.text);
                self.error(codes::DUPLICATE, message, (name.span, "again here"), "rename one of them");
            }
            shapes.push((name.text.clone(), self.shape(field)));
        }
        if shapes.is_empty() || seen.len() < fields.len() || shapes.iter().any(|(_, shape)| *shape == Shape::Error) {
            return Shape::Error;
        }
        let n_scalars = shapes.iter().fold(0usize, |n, (_, field)| n.saturating_add(field.n_scalars()));
        self.limited(Shape::Struct { fields: shapes.into(), n_scalars }, domain)
    }

    fn named(&mut self, name: &Name) -> Option<Shape> {
        let globals = self.globals;
        let Some(declared) = globals.domains.get(&name.text) else {
            let help = self.did_you_mean(&name.text, globals.domains.keys(), "declare it: `domain D = [0, 3];`");
            let message = format!("the domain `{}` is not declared", name.text);
            self.error(codes::UNKNOWN_NAME, message, (name.span, "not a domain or sort"), help);
            return None;
        };
        if declared.item >= self.item {
            self.used_before("the domain", &name.text, name.span, declared.span);
            return None;
        }
        if matches!(&declared.content, Shape::Enum(symbols) if symbols.is_empty()) {
            let message = format!("the sort `{}` has no constants", name.text);
            let help = format!("declare its values: `const c : {};`", name.text);
            let error = Diagnostic::error(codes::EMPTY_SORT, message, name.span, "has no values");
            self.log.push(error.with_label(declared.span, "declared here").with_help(help));
            return None;
        }
        Some(declared.content.clone())
    }

    /// The size of an array: of variables, subnodes or events.
    pub fn size(&mut self, size: &ast::Expr) -> Option<usize> {
        let value = self.integer(size, "the size of an array")?;
        if value <= 0 {
            let message = format!("an array of size {value} has no elements");
            self.error(codes::SIZE, message, (size.span, "too small"), "sizes start at 1");
            return None;
        }
        match usize::try_from(value).ok().filter(|&value| value <= MAX_VARS) {
            Some(len) => Some(len),
            None => {
                let message = format!("an array of {value} elements is too large");
                let help = format!("a model has at most {MAX_VARS} variables and components");
                self.error(codes::TOO_LARGE, message, (size.span, "too large"), help);
                None
            }
        }
    }

    /// The shape, unless it is too large.
    fn limited(&mut self, shape: Shape, domain: &ast::Domain) -> Shape {
        let (n_scalars, n_levels) = (shape.n_scalars(), shape.n_levels());
        if n_scalars <= MAX_VARS && n_levels <= MAX_DIMENSIONS {
            return shape;
        }
        let (message, help) = match n_scalars > MAX_VARS {
            true => (
                format!("a domain of {n_scalars} values at once is too large"),
                format!("a model has at most {MAX_VARS} variables"),
            ),
            false => (
                format!("arrays and structs are nested {n_levels} levels deep"),
                format!("use at most {MAX_DIMENSIONS} levels"),
            ),
        };
        self.error(codes::TOO_LARGE, message, (domain.span, "too large"), help);
        Shape::Error
    }
}
