//! Expressions. What is known of variables is put in for them, and divisions have a value whatever the divisor is.

use lapidary_ir::{Expr, passes};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{Compare, Factor, Junction, Sign};
use super::super::codes;
use super::super::limits::{MAX_LOWERED_DEPTH, MAX_NODES};
use super::super::typed::{self, Kind, SymbolId};
use super::{Aborted, Lowered, Lowering, Measure};

impl Lowering<'_, '_> {
    /// An expression that is neither too large nor too deep.
    pub(super) fn expr(&mut self, expr: &typed::Expr) -> Lowered<Expr> {
        let lowered = self.part(expr)?;
        self.measure(lowered, expr.span)?;
        Ok(lowered)
    }

    fn part(&mut self, expr: &typed::Expr) -> Lowered<Expr> {
        let exprs = self.exprs.clone();
        Ok(match &expr.kind {
            Kind::Error => return Err(Aborted),
            Kind::Bool(value) => exprs.bool(*value),
            Kind::Int(value) => exprs.int(*value),
            Kind::Literal(of, number) => exprs.literal(*of, *number),
            Kind::Read(symbol) => self.read(*symbol),
            Kind::Not(a) => exprs.not(self.part(a)?),
            Kind::Neg(a) => exprs.neg(self.part(a)?),
            Kind::And(parts) => exprs.and(self.conditions(parts, Truth::OfAll)?),
            Kind::Or(parts) => exprs.or(self.conditions(parts, Truth::OfSome)?),
            Kind::Junction(junction, sides) => return self.junction(*junction, sides),
            Kind::Compare(comparison, sides) => {
                let [a, b] = [self.part(&sides[0])?, self.part(&sides[1])?];
                match comparison {
                    Compare::Eq => exprs.eq(a, b),
                    Compare::Ne => exprs.ne(a, b),
                    Compare::Lt => exprs.lt(a, b),
                    Compare::Le => exprs.le(a, b),
                    Compare::Gt => exprs.lt(b, a),
                    Compare::Ge => exprs.le(b, a),
                }
            }
            Kind::Sum(parts) => {
                let mut signed = Vec::with_capacity(parts.len());
                for (sign, part) in parts {
                    let part = self.part(part)?;
                    signed.push(if *sign == Sign::Minus { exprs.neg(part) } else { part });
                }
                exprs.add(signed)
            }
            Kind::Product(first, rest) => return self.product(first, rest),
            Kind::If(parts) => return self.choice(parts),
            Kind::Array(ty, cells, default) => {
                let mut array = {
                    let default = self.part(default)?;
                    exprs.fill(self.array(*ty)?, default)
                };
                let of = self.array(*ty)?;
                for [key, value] in cells {
                    let [key, value] = [self.part(key)?, self.part(value)?];
                    array = exprs.store_in(of, array, key, value);
                }
                array
            }
            Kind::Select(ty, parts) => {
                let [array, index] = [self.part(&parts[0])?, self.part(&parts[1])?];
                exprs.select_of(self.array(*ty)?, array, index)
            }
            Kind::Store(ty, parts) => {
                let [array, index] = [self.part(&parts[0])?, self.part(&parts[1])?];
                let value = self.part(&parts[2])?;
                exprs.store_in(self.array(*ty)?, array, index, value)
            }
        })
    }

    fn read(&mut self, symbol: SymbolId) -> Expr {
        if let Some(&value) = self.counters.get(&symbol) {
            return value;
        }
        let var = self.var(symbol);
        self.known.value(var).unwrap_or_else(|| self.exprs.var(var))
    }

    /// Parts that are evaluated from left to right: a later one matters where the earlier ones leave it open.
    fn conditions(&mut self, parts: &[typed::Expr], truth: Truth) -> Lowered<Vec<Expr>> {
        let mark = self.known.mark();
        let mut lowered = Vec::with_capacity(parts.len());
        for part in parts {
            let condition = self.part(part)?;
            lowered.push(condition);
            self.learn(match truth {
                Truth::OfAll => condition,
                Truth::OfSome => self.exprs.not(condition),
            });
        }
        self.known.undo(mark);
        Ok(lowered)
    }

    pub(super) fn learn(&mut self, condition: Expr) {
        let exprs = self.exprs.clone();
        self.known.learn(condition, &exprs);
    }

    /// Within an expression something is known for a while.
    fn under(&mut self, condition: Expr, part: &typed::Expr) -> Lowered<Expr> {
        let mark = self.known.mark();
        self.learn(condition);
        let lowered = self.part(part);
        self.known.undo(mark);
        lowered
    }

    fn junction(&mut self, junction: Junction, sides: &[typed::Expr; 2]) -> Lowered<Expr> {
        let left = self.part(&sides[0])?;
        let right = match junction {
            Junction::Implies => self.under(left, &sides[1])?,
            Junction::Iff | Junction::Xor => self.part(&sides[1])?,
        };
        Ok(match junction {
            Junction::Implies => self.exprs.implies(left, right),
            Junction::Iff => self.exprs.eq(left, right),
            Junction::Xor => self.exprs.ne(left, right),
        })
    }

    fn choice(&mut self, parts: &[typed::Expr; 3]) -> Lowered<Expr> {
        let condition = self.part(&parts[0])?;
        let then = self.under(condition, &parts[1])?;
        let negated = self.exprs.not(condition);
        let otherwise = self.under(negated, &parts[2])?;
        Ok(self.exprs.ite(condition, then, otherwise))
    }

    fn product(&mut self, first: &typed::Expr, rest: &[(Factor, typed::Expr)]) -> Lowered<Expr> {
        let mut product = self.part(first)?;
        for (factor, part) in rest {
            let (span, part) = (part.span, self.part(part)?);
            product = match factor {
                Factor::Times => self.exprs.mul(product, part),
                Factor::Div | Factor::Mod | Factor::Rem => self.quotient(*factor, product, part, span)?,
            };
            self.measure(product, span)?;
        }
        Ok(product)
    }

    /// `a / b`, `a % b` or `a rem b`. Where the divisor is zero, the value is that of one unknown function of `a`.
    fn quotient(&mut self, factor: Factor, a: Expr, b: Expr, span: Span) -> Lowered<Expr> {
        let exprs = self.exprs.clone();
        let bounds = passes::interval(&exprs, b, &|_| None);
        let is_known = |var| self.known.is_not_zero(var);
        let is_apart = matches!(exprs.node(b), lapidary_ir::Node::Var(var) if is_known(*var));
        let value = match factor {
            Factor::Div | Factor::Times => exprs.div(a, b),
            Factor::Mod => exprs.modulo(a, b),
            // The sign of the divisor.
            Factor::Rem => {
                let rest = exprs.modulo(a, b);
                match bounds {
                    Some((lo, _)) if lo >= 0 => rest,
                    Some((_, hi)) if hi <= 0 => exprs.neg(rest),
                    Some(_) | None => exprs.ite(exprs.lt(b, exprs.int(0)), exprs.neg(rest), rest),
                }
            }
        };
        if is_apart || bounds.is_some_and(|(lo, hi)| lo > 0 || hi < 0) {
            return Ok(value);
        }
        let unknown = self.unknown_quotient(factor, a, span);
        Ok(exprs.ite(exprs.eq(b, exprs.int(0)), unknown, value))
    }

    /// Takes new expressions from the budget, and refuses one that is too large or too deep.
    fn measure(&mut self, expr: Expr, span: Span) -> Lowered<()> {
        use lapidary_base::Id;
        let known = self.measures.len();
        for index in known..self.exprs.len() {
            let mut measure = Measure { size: 1, depth: 1 };
            self.exprs.for_each_part(Expr::new(index), |part| {
                let Measure { size, depth } = self.measures[part.index()];
                measure.size = measure.size.saturating_add(size);
                measure.depth = measure.depth.max(depth.saturating_add(1));
            });
            self.measures.push(measure);
        }
        let Measure { size, depth } = self.measures[expr.index()];
        self.spend((self.measures.len() - known) as u64, span)?;
        if size > MAX_NODES {
            self.too_large(span);
            return Err(Aborted);
        }
        if depth > MAX_LOWERED_DEPTH {
            let message = format!("this expression is more than {MAX_LOWERED_DEPTH} levels deep");
            let diagnostic = Diagnostic::error(codes::TOO_DEEP, message, span, "too deep");
            self.log.push(diagnostic.with_help("give the value of a part to a local variable before"));
            return Err(Aborted);
        }
        Ok(())
    }
}

/// When a list of conditions is true.
#[derive(Clone, Copy)]
enum Truth {
    OfAll,
    OfSome,
}
