//! Expressions: every part gets the type that its place needs.

use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, ArrayLiteral, Compare, ExprKind};
use super::super::codes;
use super::super::typed::{Array, ArrayTy, Expr, Kind, Ty};
use super::{Checker, names};

impl<'a> Checker<'a, '_> {
    pub(super) fn condition(&mut self, expr: &'a ast::Expr<'a>) -> Expr {
        self.value(expr, Ty::Bool, "a condition")
    }

    /// An expression of this type; `what` needs it.
    pub(super) fn value(&mut self, expr: &'a ast::Expr<'a>, ty: Ty, what: &str) -> Expr {
        let value = self.expr(expr, Some(ty));
        self.fits(value, ty, what)
    }

    fn fits(&mut self, value: Expr, ty: Ty, what: &str) -> Expr {
        if value.ty == ty || value.ty == Ty::Error || ty == Ty::Error {
            return value;
        }
        let [needed, found] = [ty, value.ty].map(|ty| self.type_name(ty));
        let message = format!("{what} needs a value of type {needed}");
        let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message, value.span, format!("this is {found}"));
        let help = match (ty, value.ty) {
            (Ty::Bool, Ty::Int) => "compare it, as in `x != 0`",
            (Ty::Int, Ty::Bool) => "choose a number, as in `if x then 1 else 0`",
            (Ty::Enum(_), Ty::Enum(_)) => {
                "literals of one type are no literals of another, even if their names are alike"
            }
            _ => "give a value of this type",
        };
        self.log.push(diagnostic.with_help(help));
        names::error(value.span)
    }

    fn expr(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        let span = expr.span;
        let (kind, ty) = match &expr.kind {
            ExprKind::Error => return names::error(span),
            ExprKind::Name(text) => return self.named(ast::Name { text, span }, wanted),
            ExprKind::Array(literal) => return self.array(literal, span, wanted),
            ExprKind::Read(parts) => return self.read(parts, span),
            ExprKind::Write(parts) => return self.write(parts, span, wanted),
            ExprKind::If(parts) => return self.choice(parts, span, wanted),
            ExprKind::Bool(value) => (Kind::Bool(*value), Ty::Bool),
            ExprKind::Int(value) => (Kind::Int(*value), Ty::Int),
            ExprKind::Not(a) => (Kind::Not(Box::new(self.value(a, Ty::Bool, "`!`"))), Ty::Bool),
            ExprKind::Neg(a) => (Kind::Neg(Box::new(self.value(a, Ty::Int, "`-`"))), Ty::Int),
            ExprKind::And(parts) => (Kind::And(self.values(parts, Ty::Bool, "`&&`")), Ty::Bool),
            ExprKind::Or(parts) => (Kind::Or(self.values(parts, Ty::Bool, "`||`")), Ty::Bool),
            ExprKind::Junction(junction, sides) => {
                let word = match junction {
                    ast::Junction::Iff => "`iff`",
                    ast::Junction::Implies => "`=>`",
                    ast::Junction::Xor => "`xor`",
                };
                let sides = [&sides[0], &sides[1]].map(|side| self.value(side, Ty::Bool, word));
                (Kind::Junction(*junction, Box::new(sides)), Ty::Bool)
            }
            ExprKind::Compare(comparison, sides) => (self.comparison(*comparison, sides), Ty::Bool),
            ExprKind::Sum(parts) => {
                let parts = parts.iter().map(|(sign, part)| (*sign, self.value(part, Ty::Int, "a sum")));
                (Kind::Sum(parts.collect()), Ty::Int)
            }
            ExprKind::Product(first, rest) => {
                let first = Box::new(self.value(first, Ty::Int, "a product"));
                let rest = rest.iter().map(|(factor, part)| (*factor, self.value(part, Ty::Int, "a product")));
                (Kind::Product(first, rest.collect()), Ty::Int)
            }
        };
        Expr { kind, ty, span }
    }

    fn values(&mut self, parts: &'a [ast::Expr<'a>], ty: Ty, what: &str) -> Vec<Expr> {
        parts.iter().map(|part| self.value(part, ty, what)).collect()
    }

    fn comparison(&mut self, comparison: Compare, sides: &'a [ast::Expr<'a>; 2]) -> Kind {
        let sides = match comparison {
            Compare::Eq | Compare::Ne => self.equal(sides),
            Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge => {
                [&sides[0], &sides[1]].map(|side| self.value(side, Ty::Int, "an order"))
            }
        };
        Kind::Compare(comparison, Box::new(sides))
    }

    /// Two values of one type. The side that knows its type tells the other one.
    fn equal(&mut self, sides: &'a [ast::Expr<'a>; 2]) -> [Expr; 2] {
        let [left, right] = sides;
        if self.is_open_expr(left) {
            let right = self.expr(right, None);
            let left = self.value(left, right.ty, "this comparison");
            return [left, right];
        }
        let left = self.expr(left, None);
        let right = self.value(right, left.ty, "this comparison");
        [left, right]
    }

    /// Whether only its surroundings tell the type of an expression.
    fn is_open_expr(&self, expr: &ast::Expr<'_>) -> bool {
        let mut expr = expr;
        loop {
            match &expr.kind {
                ExprKind::Name(text) => return self.is_open(text),
                ExprKind::If(parts) => expr = &parts[1],
                ExprKind::Array(_) => return true,
                _ => return false,
            }
        }
    }

    fn choice(&mut self, parts: &'a [ast::Expr<'a>; 3], span: Span, wanted: Option<Ty>) -> Expr {
        let condition = self.value(&parts[0], Ty::Bool, "the condition of a choice");
        let then = self.expr(&parts[1], wanted);
        let otherwise =
            self.value(&parts[2], wanted.filter(|ty| *ty != Ty::Error).unwrap_or(then.ty), "this part of a choice");
        let ty = then.ty;
        let otherwise = self.fits(otherwise, ty, "this part of a choice");
        Expr { kind: Kind::If(Box::new([condition, then, otherwise])), ty, span }
    }

    fn array(&mut self, literal: &'a ArrayLiteral<'a>, span: Span, wanted: Option<Ty>) -> Expr {
        let wanted = match wanted {
            Some(Ty::Array(id)) => Some(self.arrays[id]),
            Some(Ty::Error | Ty::Bool | Ty::Int | Ty::Enum(_)) | None => None,
        };
        let mut index = literal.index.as_ref().map(|ty| self.ty(ty)).or(wanted.map(|array| array.index));
        let mut element = wanted.map(|array| array.element);
        let mut cells = Vec::with_capacity(literal.cells.len());
        for [key, value] in &literal.cells {
            let key = self.in_row(key, &mut index, "an index");
            cells.push([key, self.in_row(value, &mut element, "a cell")]);
        }
        let default = Box::new(self.in_row(&literal.default, &mut element, "a cell"));
        let array = Array { index: index.unwrap_or(Ty::Int), element: element.unwrap_or(Ty::Error) };
        match self.array_ty(array) {
            ty @ Ty::Array(id) => Expr { kind: Kind::Array(id, cells, default), ty, span },
            Ty::Error | Ty::Bool | Ty::Int | Ty::Enum(_) => names::error(span),
        }
    }

    /// A value of the type that is known by now; the first value tells it.
    fn in_row(&mut self, expr: &'a ast::Expr<'a>, ty: &mut Option<Ty>, what: &str) -> Expr {
        match *ty {
            Some(ty) => self.value(expr, ty, what),
            None => {
                let value = self.expr(expr, None);
                *ty = Some(value.ty);
                value
            }
        }
    }

    fn read(&mut self, parts: &'a [ast::Expr<'a>; 2], span: Span) -> Expr {
        let array = self.expr(&parts[0], None);
        let Some((id, of)) = self.array_of(&array) else { return names::error(span) };
        let index = self.value(&parts[1], of.index, "the index");
        Expr { kind: Kind::Select(id, Box::new([array, index])), ty: of.element, span }
    }

    fn write(&mut self, parts: &'a [ast::Expr<'a>; 3], span: Span, wanted: Option<Ty>) -> Expr {
        let array = self.expr(&parts[0], wanted);
        let Some((id, of)) = self.array_of(&array) else { return names::error(span) };
        let index = self.value(&parts[1], of.index, "the index");
        let value = self.value(&parts[2], of.element, "the cell");
        Expr { ty: array.ty, kind: Kind::Store(id, Box::new([array, index, value])), span }
    }

    /// The type of an array; something else is reported.
    pub(super) fn array_of(&mut self, array: &Expr) -> Option<(ArrayTy, Array)> {
        match array.ty {
            Ty::Array(id) => Some((id, self.arrays[id])),
            Ty::Error => None,
            Ty::Bool | Ty::Int | Ty::Enum(_) => {
                let label = format!("this is {}", self.type_name(array.ty));
                let diagnostic = Diagnostic::error(codes::NO_ARRAY, "only arrays have indexes", array.span, label);
                self.log.push(diagnostic.with_help("an array is declared as `var a : [integer] -> boolean`"));
                None
            }
        }
    }
}
