//! Expressions: values, the ways in which they go wrong, and an estimate of what they can be.

use lapidary_ir::Fault;
use lapidary_text::{Span, quotation};

use super::super::ast::{Compare, Factor, Quantifier, Sign};
use super::super::consts;
use super::super::limits::MAX_DEPTH;
use super::super::typed::{Constant, DefineId, Expr, Kind, Range};
use super::interval::Interval;
use super::value::{Junction, Parts, Value};
use super::{Aborted, Lowered, Lowering};

impl Lowering<'_, '_> {
    pub fn lower(&mut self, expr: &Expr) -> Lowered<Value> {
        self.spend(1, expr.span)?;
        if self.depth >= MAX_DEPTH {
            self.log.push(consts::too_deep(expr.span));
            return Err(Aborted);
        }
        self.depth += 1;
        let value = self.node(expr);
        self.depth -= 1;
        let value = value?;
        self.measure(value.expr, expr.span)?;
        Ok(value)
    }

    fn node(&mut self, expr: &Expr) -> Lowered<Value> {
        match &expr.kind {
            // Neither stands in an expression that was checked to be about one state.
            Kind::Error | Kind::Temporal(..) | Kind::Temporal2(..) => Err(Aborted),
            Kind::Constant(value) => Ok(self.literal(*value)),
            Kind::Bound(slot) => Ok(self.number(self.slots[slot.0 as usize])),
            Kind::Define { id, n_slots } => self.definition(*id, *n_slots, expr.span),
            Kind::Read(place) => self.read(place),
            Kind::Not(a) => {
                let a = self.lower(a)?;
                Ok(Value::condition(self.exprs.not(a.expr), a.faults))
            }
            Kind::And(parts) => self.junction(Junction::And, parts.iter()),
            Kind::Or(parts) => self.junction(Junction::Or, parts.iter()),
            Kind::Implies(parts) => self.implication(parts),
            Kind::Iff(parts) => self.equivalence(parts),
            Kind::Compare(operator, sides) => self.comparison(*operator, sides),
            Kind::Neg(a) => {
                let a = self.lower(a)?;
                Ok(Value { expr: self.exprs.neg(a.expr), interval: a.interval.neg(), faults: a.faults })
            }
            Kind::Abs(a) => {
                let a = self.lower(a)?;
                Ok(Value { expr: self.exprs.abs(a.expr), interval: a.interval.abs(), faults: a.faults })
            }
            Kind::Min(sides) => {
                let (a, b, faults) = self.both(sides)?;
                Ok(Value { expr: self.exprs.min(a.expr, b.expr), interval: a.interval.min(b.interval), faults })
            }
            Kind::Max(sides) => {
                let (a, b, faults) = self.both(sides)?;
                Ok(Value { expr: self.exprs.max(a.expr, b.expr), interval: a.interval.max(b.interval), faults })
            }
            Kind::Sum(parts) => self.sum(parts),
            Kind::Product(first, rest) => self.product(first, rest),
            Kind::If(parts) => self.conditional(parts),
            Kind::Quantified(quantifier, range, body) => self.quantified(*quantifier, range, body),
        }
    }

    pub fn literal(&self, value: Constant) -> Value {
        let expr = match value {
            Constant::Bool(value) => self.exprs.bool(value),
            Constant::Int(value) => return self.number(value),
            Constant::Literal(id, number) => self.exprs.literal(id, number),
        };
        Value::condition(expr, Vec::new())
    }

    pub fn number(&self, value: i64) -> Value {
        Value { expr: self.exprs.int(value), faults: Vec::new(), interval: Interval::new(value, value) }
    }

    /// A definition is lowered once, without what is known where it is first used.
    fn definition(&mut self, id: DefineId, n_slots: usize, span: Span) -> Lowered<Value> {
        let known = if n_slots == 0 { &self.global_defines } else { &self.local_defines };
        if let Some(value) = known.get(&id) {
            let value = value.clone();
            self.spend(value.faults.len() as u64, span)?;
            return Ok(value);
        }
        let program = self.program;
        let body = program.defines[id].done().ok_or(Aborted)?;
        let facts = std::mem::take(&mut self.facts);
        let inner = self.slots.split_off(n_slots.min(self.slots.len()));
        let value = self.lower(body);
        self.slots.extend(inner);
        self.facts = facts;
        let value = value?;
        let known = if n_slots == 0 { &mut self.global_defines } else { &mut self.local_defines };
        known.insert(id, value.clone());
        Ok(value)
    }

    fn junction<'e>(&mut self, junction: Junction, list: impl Iterator<Item = &'e Expr>) -> Lowered<Value> {
        let mark = self.facts.mark();
        let mut parts = Parts::new(junction);
        for part in list {
            let value = self.lower(part)?;
            if parts.push(value, self)? {
                break;
            }
        }
        self.facts.forget(mark);
        Ok(parts.finish(self))
    }

    /// `a => b => c` is `!a | !b | c`, evaluated alike.
    fn implication(&mut self, list: &[Expr]) -> Lowered<Value> {
        let mark = self.facts.mark();
        let mut parts = Parts::new(Junction::Or);
        for (i, part) in list.iter().enumerate() {
            let mut value = self.lower(part)?;
            if i + 1 < list.len() {
                value.expr = self.exprs.not(value.expr);
            }
            if parts.push(value, self)? {
                break;
            }
        }
        self.facts.forget(mark);
        Ok(parts.finish(self))
    }

    fn equivalence(&mut self, list: &[Expr]) -> Lowered<Value> {
        let mut whole = self.literal(Constant::Bool(true));
        for part in list {
            let value = self.lower(part)?;
            whole.expr = self.exprs.eq(whole.expr, value.expr);
            whole.faults.extend(value.faults);
        }
        Ok(whole)
    }

    /// Both operands, always evaluated.
    fn both(&mut self, [a, b]: &[Expr; 2]) -> Lowered<(Value, Value, Vec<Fault>)> {
        let (mut a, mut b) = (self.lower(a)?, self.lower(b)?);
        let mut faults = std::mem::take(&mut a.faults);
        faults.append(&mut b.faults);
        Ok((a, b, faults))
    }

    fn comparison(&mut self, operator: Compare, sides: &[Expr; 2]) -> Lowered<Value> {
        let (a, b, faults) = self.both(sides)?;
        let (exprs, a, b) = (&self.exprs, a.expr, b.expr);
        let expr = match operator {
            Compare::Eq => exprs.eq(a, b),
            Compare::Ne => exprs.ne(a, b),
            Compare::Lt => exprs.lt(a, b),
            Compare::Le => exprs.le(a, b),
            Compare::Gt => exprs.lt(b, a),
            Compare::Ge => exprs.le(b, a),
        };
        Ok(Value::condition(expr, faults))
    }

    fn sum(&mut self, list: &[(Sign, Expr)]) -> Lowered<Value> {
        let mut whole = self.number(0);
        let mut exprs = Vec::with_capacity(list.len());
        for (sign, part) in list {
            let value = self.lower(part)?;
            let (expr, interval) = match sign {
                Sign::Plus => (value.expr, value.interval),
                Sign::Minus => (self.exprs.neg(value.expr), value.interval.neg()),
            };
            exprs.push(expr);
            whole.interval = whole.interval.add(interval);
            whole.faults.extend(value.faults);
        }
        whole.expr = self.exprs.add(exprs);
        Ok(whole)
    }

    fn product(&mut self, first: &Expr, rest: &[(Factor, Expr)]) -> Lowered<Value> {
        let mut left = self.lower(first)?;
        for (factor, part) in rest {
            let right = self.lower(part)?;
            let span = first.span.to(part.span);
            let fault = self.zero_fault(*factor, &right, span)?;
            let exprs = &self.exprs;
            left.expr = match factor {
                Factor::Times => exprs.mul(left.expr, right.expr),
                // A fault says that this has no value; an expression that has one is kinder to engines.
                Factor::Div | Factor::Mod if exprs.as_int(right.expr) == Some(0) => exprs.int(0),
                Factor::Div => exprs.div(left.expr, right.expr),
                Factor::Mod => exprs.modulo(left.expr, right.expr),
            };
            left.interval = left.interval.combine(*factor, right.interval);
            left.faults.extend(right.faults);
            left.faults.extend(fault);
            // Long products are nested in the model.
            self.measure(left.expr, span)?;
        }
        Ok(left)
    }

    fn zero_fault(&mut self, factor: Factor, divisor: &Value, span: Span) -> Lowered<Option<Fault>> {
        if factor == Factor::Times || !divisor.interval.contains(0) {
            return Ok(None);
        }
        let is_zero = self.exprs.eq(divisor.expr, self.exprs.int(0));
        let what = format!("division by zero in {}", quotation::quote(self.sources, span));
        self.fault(divisor, is_zero, what, span)
    }

    fn conditional(&mut self, [condition, then, otherwise]: &[Expr; 3]) -> Lowered<Value> {
        let condition = self.lower(condition)?;
        match self.exprs.as_bool(condition.expr) {
            Some(true) if condition.faults.is_empty() => return self.lower(then),
            Some(false) if condition.faults.is_empty() => return self.lower(otherwise),
            _ => {}
        }
        let then = self.branch(&condition, true, then)?;
        let otherwise = self.branch(&condition, false, otherwise)?;
        let expr = self.exprs.ite(condition.expr, then.expr, otherwise.expr);
        let mut faults = condition.faults;
        faults.extend(then.faults);
        faults.extend(otherwise.faults);
        Ok(Value { expr, faults, interval: then.interval.join(otherwise.interval) })
    }

    fn branch(&mut self, condition: &Value, value: bool, branch: &Expr) -> Lowered<Value> {
        let mark = self.facts.mark();
        self.facts.learn(&self.exprs, condition.expr, value);
        let lowered = self.lower(branch);
        self.facts.forget(mark);
        let mut lowered = lowered?;
        let mut context = self.no_faults(&condition.faults);
        context.push(if value { condition.expr } else { self.exprs.not(condition.expr) });
        lowered.faults = self.under(&context, lowered.faults)?;
        Ok(lowered)
    }

    fn quantified(&mut self, quantifier: Quantifier, range: &Range, body: &Expr) -> Lowered<Value> {
        let (lo, hi) = (self.constant_int(&range.lo)?, self.constant_int(&range.hi)?);
        match quantifier {
            Quantifier::Forall => self.repeated_junction(Junction::And, lo, hi, body),
            Quantifier::Exists => self.repeated_junction(Junction::Or, lo, hi, body),
            Quantifier::Sum => self.repeated_sum(lo, hi, body, |_, value| value),
            Quantifier::Count => self.repeated_sum(lo, hi, body, |lowering, value| {
                let exprs = &lowering.exprs;
                let expr = exprs.ite(value.expr, exprs.int(1), exprs.int(0));
                let interval = exprs.as_int(expr).map_or(Interval::new(0, 1), |one| Interval::new(one, one));
                Value { expr, interval, ..value }
            }),
        }
    }

    fn repeated_junction(&mut self, junction: Junction, lo: i64, hi: i64, body: &Expr) -> Lowered<Value> {
        let mark = self.facts.mark();
        let mut parts = Parts::new(junction);
        for i in lo..=hi {
            let value = self.lower_with(i, body)?;
            if parts.push(value, self)? {
                break;
            }
        }
        self.facts.forget(mark);
        Ok(parts.finish(self))
    }

    fn repeated_sum(&mut self, lo: i64, hi: i64, body: &Expr, part: impl Fn(&Self, Value) -> Value) -> Lowered<Value> {
        let mut whole = self.number(0);
        let mut exprs = Vec::new();
        for i in lo..=hi {
            let value = self.lower_with(i, body)?;
            let value = part(self, value);
            exprs.push(value.expr);
            whole.interval = whole.interval.add(value.interval);
            whole.faults.extend(value.faults);
        }
        whole.expr = self.exprs.add(exprs);
        Ok(whole)
    }

    pub fn lower_with(&mut self, bound: i64, body: &Expr) -> Lowered<Value> {
        self.slots.push(bound);
        let value = self.lower(body);
        self.slots.pop();
        value
    }
}
