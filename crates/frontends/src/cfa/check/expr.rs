//! Types of expressions, from the operands up; only arrays without entries look at what is wanted.

use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, Compare, ExprKind};
use super::super::codes;
use super::super::limits::MAX_DEPTH;
use super::super::parse::too_deep;
use super::super::typed::{Expr, Kind, Ty};
use super::Checker;

impl<'a> Checker<'a, '_> {
    /// An expression of the wanted type.
    pub(super) fn fitting(&mut self, expr: &'a ast::Expr<'a>, wanted: Ty) -> Expr {
        let checked = self.expr(expr, Some(wanted));
        if differ(wanted, checked.ty) {
            self.mismatch(wanted, &checked);
            return Expr::error(expr.span);
        }
        checked
    }

    pub(super) fn expr(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        if self.depth >= MAX_DEPTH {
            self.log.push(too_deep(expr.span));
            return Expr::error(expr.span);
        }
        self.depth += 1;
        let checked = self.node(expr, wanted);
        self.depth -= 1;
        checked
    }

    fn node(&mut self, expr: &'a ast::Expr<'a>, wanted: Option<Ty>) -> Expr {
        let span = expr.span;
        let make = |kind, ty| Expr { kind, ty, span };
        match &expr.kind {
            ExprKind::Error => Expr::error(span),
            ExprKind::Bool(value) => make(Kind::Bool(*value), Ty::Bool),
            ExprKind::Int(value) => make(Kind::Int(*value), Ty::Int),
            ExprKind::Bits(bits) => make(Kind::Bits(bits.clone()), Ty::Bits(bits.width)),
            // Parentheses belong to the text of the expression.
            ExprKind::Name(name) => Expr { span, ..self.named(*name) },
            ExprKind::Not(a) => make(Kind::Not(Box::new(self.fitting(a, Ty::Bool))), Ty::Bool),
            ExprKind::Chain(logic, parts) => {
                let parts = parts.iter().map(|part| self.fitting(part, Ty::Bool)).collect();
                make(Kind::Chain(*logic, parts), Ty::Bool)
            }
            ExprKind::Compare(compare, parts) => self.comparison(*compare, &parts[0], &parts[1], span),
            ExprKind::Fold(first, rest) => self.fold(first, rest, span),
            ExprKind::Sign(sign, a) => self.signed(*sign, a, span),
            ExprKind::Extend(extension, a, width) => self.extended(*extension, a, *width, span),
            ExprKind::Extract { of, until, from } => self.extracted(of, *until, *from, span),
            ExprKind::If(parts) => self.conditional(parts, wanted, span),
            ExprKind::Read(parts) => self.read(&parts[0], &parts[1], span),
            ExprKind::Write(parts) => self.write(parts, wanted, span),
            ExprKind::Array(array) => self.array(array, wanted, span),
        }
    }

    fn comparison(&mut self, compare: Compare, a: &'a ast::Expr<'a>, b: &'a ast::Expr<'a>, span: Span) -> Expr {
        let sides = match compare {
            Compare::Eq | Compare::Ne => self.alike("these cannot be compared:", a, b, None),
            Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge => self.ordered(a, b),
            Compare::BitUlt | Compare::BitUle | Compare::BitUgt | Compare::BitUge => self.of_one_width(a, b),
            Compare::BitSlt | Compare::BitSle | Compare::BitSgt | Compare::BitSge => self.of_one_width(a, b),
        };
        Expr { kind: Kind::Compare(compare, Box::new(sides)), ty: Ty::Bool, span }
    }

    /// Two expressions of one type, which may be any; where one of them does not say which, the other does.
    pub(super) fn alike(
        &mut self,
        what: &str,
        a: &'a ast::Expr<'a>,
        b: &'a ast::Expr<'a>,
        wanted: Option<Ty>,
    ) -> [Expr; 2] {
        let is_open = |side: &ast::Expr<'_>| matches!(side.kind, ExprKind::Array(_));
        let sides = if is_open(a) && !is_open(b) {
            let right = self.expr(b, wanted);
            [self.expr(a, Some(right.ty)), right]
        } else {
            let left = self.expr(a, wanted);
            let ty = left.ty;
            [left, self.expr(b, Some(ty))]
        };
        if differ(sides[0].ty, sides[1].ty) {
            self.differ(what, [&sides[0], &sides[1]]);
            return sides.map(|side| Expr::error(side.span));
        }
        sides
    }

    fn ordered(&mut self, a: &'a ast::Expr<'a>, b: &'a ast::Expr<'a>) -> [Expr; 2] {
        [a, b].map(|side| {
            let checked = self.expr(side, None);
            self.number(checked, "unsigned bit-vectors are compared by `bvult`, signed ones by `bvslt`")
        })
    }

    /// An integer, or the complaint that it is none.
    pub(super) fn number(&mut self, checked: Expr, help_with_bits: &str) -> Expr {
        match checked.ty {
            Ty::Int | Ty::Error => checked,
            Ty::Bits(_) => {
                self.no_such("int", &checked, help_with_bits);
                Expr::error(checked.span)
            }
            Ty::Bool | Ty::Array(_) | Ty::Location => {
                self.mismatch(Ty::Int, &checked);
                Expr::error(checked.span)
            }
        }
    }

    fn conditional(&mut self, parts: &'a [ast::Expr<'a>; 3], wanted: Option<Ty>, span: Span) -> Expr {
        let condition = self.fitting(&parts[0], Ty::Bool);
        let [then, otherwise] = self.alike("the branches are", &parts[1], &parts[2], wanted);
        let ty = if then.ty == Ty::Error { otherwise.ty } else { then.ty };
        Expr { kind: Kind::If(Box::new([condition, then, otherwise])), ty, span }
    }

    fn read(&mut self, of: &'a ast::Expr<'a>, index: &'a ast::Expr<'a>, span: Span) -> Expr {
        let of = self.expr(of, None);
        let Some([index_ty, element]) = self.array_parts(&of) else {
            self.expr(index, None);
            return Expr::error(span);
        };
        let index = self.fitting(index, index_ty);
        Expr { kind: Kind::Read(Box::new([of, index])), ty: element, span }
    }

    fn write(&mut self, parts: &'a [ast::Expr<'a>; 3], wanted: Option<Ty>, span: Span) -> Expr {
        let of = self.expr(&parts[0], wanted);
        let Some([index, element]) = self.array_parts(&of) else {
            self.expr(&parts[1], None);
            self.expr(&parts[2], None);
            return Expr::error(span);
        };
        let (ty, index, value) = (of.ty, self.fitting(&parts[1], index), self.fitting(&parts[2], element));
        Expr { kind: Kind::Write(Box::new([of, index, value])), ty, span }
    }

    /// The types of index and element, or the complaint that this is no array.
    fn array_parts(&mut self, of: &Expr) -> Option<[Ty; 2]> {
        match of.ty {
            Ty::Array(array) => Some(self.arrays.parts(array)),
            Ty::Error => None,
            Ty::Bits(_) => {
                self.no_such(
                    "an array",
                    of,
                    "single bits are taken by `b[1:0]`, up to the one before the first number",
                );
                None
            }
            Ty::Bool | Ty::Int | Ty::Location => {
                self.no_such("an array", of, "only arrays have cells: `var a : [int] -> bool`");
                None
            }
        }
    }

    fn array(&mut self, array: &'a ast::Array<'a>, wanted: Option<Ty>, span: Span) -> Expr {
        let wanted = match wanted {
            Some(Ty::Array(array)) => Some(self.arrays.parts(array)),
            Some(Ty::Error | Ty::Bool | Ty::Int | Ty::Bits(_) | Ty::Location) | None => None,
        };
        let mut index = array.index.as_ref().map(|index| self.ty(index));
        let default = self.expr(&array.default, wanted.map(|[_, element]| element));
        let mut entries = Vec::new();
        for [at, value] in &array.entries {
            let at = match index {
                Some(ty) => self.fitting(at, ty),
                None => self.expr(at, wanted.map(|[index, _]| index)),
            };
            index = index.or(Some(at.ty));
            entries.push([at, self.fitting(value, default.ty)]);
        }
        let Some(index) = index.or(wanted.map(|[index, _]| index)) else {
            let message = "nothing says which indexes this array has";
            let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message, span, "an array without entries");
            self.log.push(diagnostic.with_help("write their type: `[<int>default <- 0]`"));
            return Expr::error(span);
        };
        if index == Ty::Error || default.ty == Ty::Error {
            return Expr::error(span);
        }
        if let Ty::Array(_) = index {
            let message = "arrays as indexes of arrays are not supported";
            self.log.push(Diagnostic::unsupported(codes::UNSUPPORTED, message, span, "not supported"));
            return Expr::error(span);
        }
        let ty = self.arrays.of(index, default.ty);
        Expr { kind: Kind::Array(entries, Box::new(default)), ty, span }
    }
}

/// Whether two types do not fit; an error fits everywhere.
pub(super) fn differ(a: Ty, b: Ty) -> bool {
    a != b && a != Ty::Error && b != Ty::Error
}
