//! Evaluates constant expressions: checked arithmetic in 64 bits, whatever goes wrong is reported where it does.

use lapidary_base::IdVec;
use lapidary_text::{Diagnostic, Log, Sources, Span, quotation};

use super::ast::{Compare, Factor, Quantifier, Sign};
use super::codes;
use super::limits::{Budget, Exhausted, MAX_DEPTH, MAX_NODES};
use super::typed::{Constant, DefineId, Expr, Kind, Progress};

/// What an evaluation needs besides the expression.
pub struct Evaluator<'a> {
    pub sources: &'a Sources,
    pub log: &'a mut Log,
    pub budget: &'a mut Budget,
    pub defines: &'a IdVec<DefineId, Progress<Expr>>,
    /// The values of the names in scope.
    pub slots: Vec<i64>,
    pub depth: u32,
}

impl Evaluator<'_> {
    /// The value, or `None` where there is none; the reason is then in the log.
    pub fn value(&mut self, expr: &Expr) -> Option<Constant> {
        spend(self.budget, self.log, 1, expr.span)?;
        if self.depth >= MAX_DEPTH {
            self.log.push(too_deep(expr.span));
            return None;
        }
        self.depth += 1;
        let value = self.node(expr);
        self.depth -= 1;
        value
    }

    pub fn int(&mut self, expr: &Expr) -> Option<i64> {
        match self.value(expr)? {
            Constant::Int(value) => Some(value),
            Constant::Bool(_) | Constant::Literal(..) => None,
        }
    }

    fn bool(&mut self, expr: &Expr) -> Option<bool> {
        match self.value(expr)? {
            Constant::Bool(value) => Some(value),
            Constant::Int(_) | Constant::Literal(..) => None,
        }
    }

    fn node(&mut self, expr: &Expr) -> Option<Constant> {
        let truth = |value| Some(Constant::Bool(value));
        match &expr.kind {
            // Variables and temporal operators are reported when the expression is checked.
            Kind::Error | Kind::Read(_) | Kind::Temporal(..) | Kind::Temporal2(..) => None,
            Kind::Constant(value) => Some(*value),
            Kind::Bound(slot) => self.slots.get(slot.0 as usize).copied().map(Constant::Int),
            Kind::Define { id, n_slots } => {
                let body = self.defines[*id].done()?;
                let inner = self.slots.split_off((*n_slots).min(self.slots.len()));
                let value = self.value(body);
                self.slots.extend(inner);
                value
            }
            Kind::Not(a) => truth(!self.bool(a)?),
            Kind::And(parts) => truth(!self.some(parts, false)?),
            Kind::Or(parts) => truth(self.some(parts, true)?),
            Kind::Implies(parts) => self.implication(parts),
            Kind::Iff(parts) => {
                let mut result = true;
                for part in parts {
                    result = result == self.bool(part)?;
                }
                truth(result)
            }
            Kind::Compare(operator, sides) => self.comparison(*operator, sides),
            Kind::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                if self.bool(condition)? { self.value(then) } else { self.value(otherwise) }
            }
            Kind::Quantified(quantifier, range, body) => {
                let (lo, hi) = (self.int(&range.lo)?, self.int(&range.hi)?);
                self.quantified(*quantifier, lo, hi, body)
            }
            Kind::Neg(a) => {
                let value = self.int(a)?.checked_neg();
                self.fits(value, expr.span).map(Constant::Int)
            }
            Kind::Abs(a) => {
                let value = self.int(a)?.checked_abs();
                self.fits(value, expr.span).map(Constant::Int)
            }
            Kind::Min(sides) => Some(Constant::Int(self.int(&sides[0])?.min(self.int(&sides[1])?))),
            Kind::Max(sides) => Some(Constant::Int(self.int(&sides[0])?.max(self.int(&sides[1])?))),
            Kind::Sum(parts) => self.sum(parts, expr.span).map(Constant::Int),
            Kind::Product(first, rest) => self.product(first, rest).map(Constant::Int),
        }
    }

    /// Whether some part has this value; parts after the first are not looked at.
    fn some(&mut self, parts: &[Expr], value: bool) -> Option<bool> {
        for part in parts {
            if self.bool(part)? == value {
                return Some(true);
            }
        }
        Some(false)
    }

    fn implication(&mut self, parts: &[Expr]) -> Option<Constant> {
        let (last, premises) = parts.split_last()?;
        let refuted = self.some(premises, false)?;
        Some(Constant::Bool(refuted || self.bool(last)?))
    }

    fn comparison(&mut self, operator: Compare, [a, b]: &[Expr; 2]) -> Option<Constant> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        let order = match (left, right) {
            (Constant::Int(x), Constant::Int(y)) => x.cmp(&y),
            // Only equality is asked of other values.
            _ if left == right => std::cmp::Ordering::Equal,
            _ => std::cmp::Ordering::Less,
        };
        Some(Constant::Bool(match operator {
            Compare::Eq => order.is_eq(),
            Compare::Ne => order.is_ne(),
            Compare::Lt => order.is_lt(),
            Compare::Le => order.is_le(),
            Compare::Gt => order.is_gt(),
            Compare::Ge => order.is_ge(),
        }))
    }

    fn quantified(&mut self, quantifier: Quantifier, lo: i64, hi: i64, body: &Expr) -> Option<Constant> {
        let mut total = 0i64;
        for i in lo..=hi {
            self.slots.push(i);
            let value = self.value(body);
            self.slots.pop();
            match (quantifier, value?) {
                (Quantifier::Forall, Constant::Bool(false)) => return Some(Constant::Bool(false)),
                (Quantifier::Exists, Constant::Bool(true)) => return Some(Constant::Bool(true)),
                (Quantifier::Sum, Constant::Int(value)) => total = self.fits(total.checked_add(value), body.span)?,
                (Quantifier::Count, Constant::Bool(true)) => total += 1,
                (_, Constant::Bool(_) | Constant::Int(_) | Constant::Literal(..)) => {}
            }
        }
        Some(match quantifier {
            Quantifier::Forall => Constant::Bool(true),
            Quantifier::Exists => Constant::Bool(false),
            Quantifier::Sum | Quantifier::Count => Constant::Int(total),
        })
    }

    fn sum(&mut self, parts: &[(Sign, Expr)], span: Span) -> Option<i64> {
        let mut total = 0i64;
        for (sign, part) in parts {
            let value = self.int(part)?;
            let sum = match sign {
                Sign::Plus => total.checked_add(value),
                Sign::Minus => total.checked_sub(value),
            };
            total = self.fits(sum, span)?;
        }
        Some(total)
    }

    fn product(&mut self, first: &Expr, rest: &[(Factor, Expr)]) -> Option<i64> {
        let mut result = self.int(first)?;
        for (factor, part) in rest {
            let value = self.int(part)?;
            result = self.factor(result, *factor, value, first.span.to(part.span))?;
        }
        Some(result)
    }

    fn factor(&mut self, left: i64, factor: Factor, right: i64, span: Span) -> Option<i64> {
        let result = match factor {
            Factor::Times => left.checked_mul(right),
            Factor::Div | Factor::Mod if right == 0 => {
                self.log.push(zero_division(&quotation::quote(self.sources, span), span));
                return None;
            }
            Factor::Div => left.checked_div_euclid(right),
            // The only remainder that the machine refuses is that of the least number by -1.
            Factor::Mod => Some(left.checked_rem_euclid(right).unwrap_or(0)),
        };
        self.fits(result, span)
    }

    fn fits(&mut self, value: Option<i64>, span: Span) -> Option<i64> {
        if value.is_none() {
            let message = format!("the constant {} does not fit 64 bits", quotation::quote(self.sources, span));
            let label = format!("constants go from {} to {}", i64::MIN, i64::MAX);
            let diagnostic = Diagnostic::error(codes::OVERFLOW, message, span, label);
            self.log.push(diagnostic.with_help("use smaller numbers"));
        }
        value
    }
}

fn zero_division(text: &str, span: Span) -> Diagnostic {
    let message = format!("the constant {text} divides by zero");
    Diagnostic::error(codes::ZERO_DIVISION, message, span, "the right operand is 0")
        .with_help("divide by something else, or look first: `if n = 0 then 0 else m div n`")
}

/// Takes from the budget; the first time that nothing is left is reported.
pub fn spend(budget: &mut Budget, log: &mut Log, n_nodes: u64, span: Span) -> Option<()> {
    match budget.take(n_nodes) {
        Ok(()) => return Some(()),
        Err(Exhausted::Now) => log.push(too_many_nodes(span)),
        Err(Exhausted::Before) => {}
    }
    None
}

pub fn too_many_nodes(span: Span) -> Diagnostic {
    let message =
        format!("more than {MAX_NODES} operations once quantifiers, definitions and instances are written out");
    Diagnostic::error(codes::TOO_LARGE, message, span, "the limit is reached here")
        .with_help("make ranges smaller, for example with `-D`")
}

pub fn too_deep(span: Span) -> Diagnostic {
    let message = format!("with all definitions put in, this is nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error(codes::TOO_DEEP, message, span, "too deep here")
        .with_help("shorten the chain of definitions, or declare the ones that are used before their users")
}
