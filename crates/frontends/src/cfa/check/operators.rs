//! Operators on numbers and bit-vectors: what they take and what they give.

use lapidary_text::Span;

use super::super::ast::{self, Binary, Extension, Sign};
use super::super::limits::MAX_WIDTH;
use super::super::typed::{Expr, Kind, Ty};
use super::Checker;
use super::expr::differ;

const BITS: &str = "this is an operator on bit-vectors: integers have `+`, `-`, `*`, `/`, `mod` and `rem`";

impl<'a> Checker<'a, '_> {
    /// Two bit-vectors of one width.
    pub(super) fn of_one_width(&mut self, a: &'a ast::Expr<'a>, b: &'a ast::Expr<'a>) -> [Expr; 2] {
        let sides = [a, b].map(|side| self.bits(side));
        if differ(sides[0].ty, sides[1].ty) {
            self.differ("the widths are different:", [&sides[0], &sides[1]]);
            return sides.map(|side| Expr::error(side.span));
        }
        sides
    }

    fn bits(&mut self, expr: &'a ast::Expr<'a>) -> Expr {
        let checked = self.expr(expr, None);
        match checked.ty {
            Ty::Bits(_) | Ty::Error => checked,
            Ty::Bool | Ty::Int | Ty::Array(_) | Ty::Location => {
                self.no_such("a bit-vector", &checked, BITS);
                Expr::error(checked.span)
            }
        }
    }

    /// A chain from the left: each operator takes what stands before it as a whole.
    pub(super) fn fold(&mut self, first: &'a ast::Expr<'a>, rest: &'a [(Binary, ast::Expr<'a>)], span: Span) -> Expr {
        let head = rest.first().map_or(Binary::Add, |(binary, _)| *binary);
        let first = self.operand(head, first);
        let mut ty = first.ty;
        let mut parts = Vec::with_capacity(rest.len());
        for (binary, part) in rest {
            let part = self.operand(*binary, part);
            ty = self.folded(*binary, ty, (&first, &part), span);
            parts.push((*binary, part));
        }
        if ty == Ty::Error {
            return Expr::error(span);
        }
        Expr { kind: Kind::Fold(Box::new(first), parts), ty, span }
    }

    fn operand(&mut self, binary: Binary, expr: &'a ast::Expr<'a>) -> Expr {
        match instead(binary) {
            None => self.bits(expr),
            Some(with_bits) => {
                let checked = self.expr(expr, None);
                self.number(checked, with_bits)
            }
        }
    }

    /// The type of what stands before an operator, the operator and one more operand.
    fn folded(&mut self, binary: Binary, before: Ty, (first, part): (&Expr, &Expr), span: Span) -> Ty {
        match (binary, before, part.ty) {
            (_, Ty::Error, _) | (_, _, Ty::Error) => Ty::Error,
            (Binary::Concat, Ty::Bits(a), Ty::Bits(b)) if a + b <= MAX_WIDTH => Ty::Bits(a + b),
            (Binary::Concat, Ty::Bits(a), Ty::Bits(b)) => {
                let message = format!("bit-vectors have at most {MAX_WIDTH} bits");
                self.bad_width(message, span, &format!("this has {}", a + b), "join fewer of them".to_owned());
                Ty::Error
            }
            (_, before, part_ty) if before == part_ty => before,
            _ => {
                let whole = Expr { ty: before, ..Expr::error(first.span.to(first.span)) };
                self.differ("the operands are", [&whole, part]);
                Ty::Error
            }
        }
    }

    pub(super) fn signed(&mut self, sign: Sign, a: &'a ast::Expr<'a>, span: Span) -> Expr {
        let operand = match sign {
            Sign::Plus | Sign::Minus => {
                let checked = self.expr(a, None);
                self.number(checked, "bit-vectors are negated by `bvneg`")
            }
            Sign::BitPlus | Sign::BitMinus | Sign::BitNot => self.bits(a),
        };
        let ty = operand.ty;
        Expr { kind: Kind::Sign(sign, Box::new(operand)), ty, span }
    }

    pub(super) fn extended(&mut self, extension: Extension, a: &'a ast::Expr<'a>, width: u32, span: Span) -> Expr {
        let operand = self.bits(a);
        match operand.ty {
            // A width of 0 was reported.
            Ty::Bits(_) if width == 0 => Expr::error(span),
            Ty::Bits(own) if own > width => {
                let message = format!("{own} bits cannot be extended to {width}");
                let help = format!("`[{width}:0]` takes the lowest {width} bits");
                self.bad_width(message, span, "this would be shorter", help);
                Expr::error(span)
            }
            Ty::Bits(_) => Expr { kind: Kind::Extend(extension, Box::new(operand)), ty: Ty::Bits(width), span },
            Ty::Error | Ty::Bool | Ty::Int | Ty::Array(_) | Ty::Location => Expr::error(span),
        }
    }

    /// The parser has made sure that there is a bit from `from` on and before `until`.
    pub(super) fn extracted(&mut self, of: &'a ast::Expr<'a>, until: u32, from: u32, span: Span) -> Expr {
        let operand = self.bits(of);
        let Ty::Bits(width) = operand.ty else { return Expr::error(span) };
        if until > width {
            let message = format!("there are only {width} bits");
            let help = format!("the whole of it is `[{width}:0]`: the first number is behind the highest bit");
            self.bad_width(message, span, "this goes beyond them", help);
            return Expr::error(span);
        }
        let kind = Kind::Extract { of: Box::new(operand), high: until - 1, low: from };
        Expr { kind, ty: Ty::Bits(until - from), span }
    }
}

/// What to write instead of an operator on integers where its operands are bit-vectors; none for one that takes these.
fn instead(binary: Binary) -> Option<&'static str> {
    match binary {
        Binary::Add => Some("bit-vectors are added by `bvadd`"),
        Binary::Sub => Some("bit-vectors are subtracted by `bvsub`"),
        Binary::Mul => Some("bit-vectors are multiplied by `bvmul`"),
        Binary::Div => Some("bit-vectors are divided by `bvudiv`, signed ones by `bvsdiv`"),
        Binary::Mod => Some("the rest of bit-vectors is `bvurem`, of signed ones `bvsmod`"),
        Binary::Rem => Some("the rest of bit-vectors is `bvurem`, of signed ones `bvsrem`"),
        Binary::Concat | Binary::BitAdd | Binary::BitSub | Binary::BitMul | Binary::BitUdiv | Binary::BitSdiv => None,
        Binary::BitUrem | Binary::BitSrem | Binary::BitSmod | Binary::BitOr | Binary::BitXor | Binary::BitAnd => None,
        Binary::BitShl | Binary::BitAshr | Binary::BitLshr | Binary::BitRol | Binary::BitRor => None,
    }
}
