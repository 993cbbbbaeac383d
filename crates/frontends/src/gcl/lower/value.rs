//! What lowering an expression gives: its value where it has one, and the ways in which it has none.

use lapidary_base::hash::Map;
use lapidary_ir::{Expr, Fault};

use super::interval::Interval;
use super::{Lowered, Lowering};

/// `expr` has a value wherever no fault happens; conditions of faults have a value everywhere.
#[derive(Clone, Debug)]
pub struct Value {
    pub expr: Expr,
    pub faults: Vec<Fault>,
    /// Only told for integers.
    pub interval: Interval,
}

impl Value {
    pub fn condition(expr: Expr, faults: Vec<Fault>) -> Self {
        Self { expr, faults, interval: Interval::ALL }
    }
}

/// Whether the parts of a junction are evaluated while they are true or while they are false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Junction {
    And,
    Or,
}

/// A conjunction or disjunction that is being lowered from left to right.
pub struct Parts {
    junction: Junction,
    exprs: Vec<Expr>,
    /// What holds where the next part is evaluated, in an order in which it always has a value.
    pub context: Vec<Expr>,
    pub faults: Vec<Fault>,
}

impl Parts {
    pub fn new(junction: Junction) -> Self {
        Self { junction, exprs: Vec::new(), context: Vec::new(), faults: Vec::new() }
    }

    /// Adds a part. Returns whether it decides the whole, so that no further part is ever evaluated.
    pub fn push(&mut self, value: Value, lowering: &mut Lowering<'_, '_>) -> Lowered<bool> {
        // A fault that the context excludes already, as repeated parts of a quantifier do, adds nothing: without this
        // its condition would multiply with every level of nesting.
        let mut faults = value.faults;
        faults.retain(|fault| !self.context.contains(&lowering.exprs.not(fault.when)));
        let clear = lowering.no_faults(&faults);
        self.faults.extend(lowering.under(&self.context, faults)?);
        self.context.extend(clear);
        let goes_on = self.junction == Junction::And;
        lowering.facts.learn(&lowering.exprs, value.expr, goes_on);
        let exprs = &lowering.exprs;
        self.context.push(if goes_on { value.expr } else { exprs.not(value.expr) });
        self.exprs.push(value.expr);
        Ok(exprs.as_bool(value.expr) == Some(!goes_on))
    }

    pub fn finish(self, lowering: &Lowering<'_, '_>) -> Value {
        let expr = match self.junction {
            Junction::And => lowering.exprs.and(self.exprs),
            Junction::Or => lowering.exprs.or(self.exprs),
        };
        Value::condition(expr, self.faults)
    }
}

impl Lowering<'_, '_> {
    /// The conditions that none of these faults happens.
    pub fn no_faults(&self, faults: &[Fault]) -> Vec<Expr> {
        faults.iter().map(|fault| self.exprs.not(fault.when)).collect()
    }

    /// Faults of something that is evaluated only in a context.
    pub fn under(&mut self, context: &[Expr], faults: Vec<Fault>) -> Lowered<Vec<Fault>> {
        let mut kept = Vec::with_capacity(faults.len());
        for fault in faults {
            let when = self.exprs.and(context.iter().copied().chain([fault.when]));
            self.measure(when, fault.span)?;
            if self.exprs.as_bool(when) != Some(false) {
                kept.push(Fault { when, ..fault });
            }
        }
        Ok(kept)
    }

    /// A fault of an operation on a value: it presupposes that the value exists.
    pub fn fault(&mut self, of: &Value, when: Expr, what: String, span: lapidary_text::Span) -> Lowered<Option<Fault>> {
        let context = self.no_faults(&of.faults);
        Ok(self.under(&context, vec![Fault { when, what, span }])?.pop())
    }

    /// Faults that read alike are one: a quantifier repeats the same place of the text.
    pub fn merged(&mut self, faults: Vec<Fault>) -> Lowered<Vec<Fault>> {
        let mut groups: Vec<(Fault, Vec<Expr>)> = Vec::new();
        let mut known: Map<(lapidary_text::Span, String), usize> = Map::default();
        for fault in faults {
            let key = (fault.span, fault.what.clone());
            let position = *known.entry(key).or_insert(groups.len());
            match groups.get_mut(position) {
                Some((_, conditions)) => conditions.push(fault.when),
                None => groups.push((fault.clone(), vec![fault.when])),
            }
        }
        let mut merged = Vec::with_capacity(groups.len());
        for (fault, conditions) in groups {
            let when = self.exprs.or(conditions);
            self.measure(when, fault.span)?;
            merged.push(Fault { when, ..fault });
        }
        Ok(merged)
    }
}
