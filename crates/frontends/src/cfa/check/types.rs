//! Types: of declarations, and what is said where one does not fit.

use lapidary_text::{Diagnostic, Span};

use super::super::ast::Type;
use super::super::codes;
use super::super::typed::{Expr, Ty};
use super::Checker;

impl Checker<'_, '_> {
    pub(super) fn ty(&mut self, ty: &Type) -> Ty {
        match ty {
            Type::Error => Ty::Error,
            Type::Bool => Ty::Bool,
            Type::Int => Ty::Int,
            Type::Bits(width) => Ty::Bits(*width),
            Type::Array(parts) => {
                let [index, element] = [self.ty(&parts[0]), self.ty(&parts[1])];
                if index == Ty::Error || element == Ty::Error { Ty::Error } else { self.arrays.of(index, element) }
            }
        }
    }

    pub(super) fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Error => "an error".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Int => "int".to_owned(),
            Ty::Bits(width) => format!("bv[{width}]"),
            Ty::Location => "a location".to_owned(),
            Ty::Array(array) => {
                let [index, element] = self.arrays.parts(array);
                format!("[{}] -> {}", self.type_name(index), self.type_name(element))
            }
        }
    }

    /// Something of another type than is needed.
    pub(super) fn mismatch(&mut self, wanted: Ty, found: &Expr) {
        let (wanted_name, found_name) = (self.type_name(wanted), self.type_name(found.ty));
        let message = format!("expected {wanted_name}, found {found_name}");
        let code =
            if let (Ty::Bits(_), Ty::Bits(_)) = (wanted, found.ty) { codes::WIDTH } else { codes::TYPE_MISMATCH };
        let diagnostic = Diagnostic::error(code, message, found.span, format!("this is {found_name}"));
        self.log.push(diagnostic.with_help(help(wanted, found.ty)));
    }

    /// Two things that should be of one type.
    pub(super) fn differ(&mut self, what: &str, sides: [&Expr; 2]) {
        let [left, right] = sides.map(|side| self.type_name(side.ty));
        let message = format!("{what} {left} and {right}");
        let code = match sides.map(|side| side.ty) {
            [Ty::Bits(_), Ty::Bits(_)] => codes::WIDTH,
            _ => codes::TYPE_MISMATCH,
        };
        let diagnostic = Diagnostic::error(code, message, sides[1].span, format!("this is {right}"));
        let diagnostic = diagnostic.with_label(sides[0].span, format!("this is {left}"));
        self.log.push(diagnostic.with_help(help(sides[0].ty, sides[1].ty)));
    }

    /// Something that is of no type that an operator takes.
    pub(super) fn no_such(&mut self, needed: &str, found: &Expr, help: &str) {
        let found_name = self.type_name(found.ty);
        let message = format!("expected {needed}, found {found_name}");
        let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message, found.span, format!("this is {found_name}"));
        self.log.push(diagnostic.with_help(help));
    }

    pub(super) fn bad_width(&mut self, message: String, span: Span, label: &str, help: String) {
        self.log.push(Diagnostic::error(codes::WIDTH, message, span, label).with_help(help));
    }
}

/// How something of one type becomes another.
fn help(wanted: Ty, found: Ty) -> String {
    match (wanted, found) {
        (Ty::Bool, Ty::Int) => "compare it with something: `x /= 0`".to_owned(),
        (Ty::Int, Ty::Bool) => "`if c then 1 else 0` makes a number of a condition".to_owned(),
        (Ty::Bits(width), Ty::Int) => format!("numbers of {width} bits are written `{width}'d5`"),
        (Ty::Int, Ty::Bits(_)) => "bit-vectors and integers do not mix: declare both as one of them".to_owned(),
        (Ty::Bits(wanted), Ty::Bits(found)) if wanted > found => {
            format!("`bv_zero_extend bv[{wanted}]` or `bv_sign_extend bv[{wanted}]` makes it longer")
        }
        (Ty::Bits(wanted), Ty::Bits(_)) => format!("`[{wanted}:0]` takes the lowest {wanted} bits of it"),
        (Ty::Bool, Ty::Bits(_)) => "compare it with something: `b = 4'd0`".to_owned(),
        (Ty::Location, _) | (_, Ty::Location) => "compare locations only: `location = L`".to_owned(),
        (Ty::Array(_), Ty::Array(_)) => "indexes and elements have to be of the same types".to_owned(),
        (Ty::Array(_), _) | (_, Ty::Array(_)) => "a cell is read by `a[i]`, and written by `a[i <- v]`".to_owned(),
        _ => "both have one type".to_owned(),
    }
}
