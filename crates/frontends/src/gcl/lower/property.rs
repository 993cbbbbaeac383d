//! Properties: conditions on states, and temporal formulas over such conditions.

use lapidary_base::IdVec;
use lapidary_ir::{Fault, Ltl, Property, PropertyId, PropertyKind};
use lapidary_text::{SourceId, Span, quotation};

use super::super::ast::{self, Binary, Quantifier, Unary};
use super::super::check::NO_ERRORS;
use super::super::consts;
use super::super::limits::MAX_DEPTH;
use super::super::typed::{self, Expr, Kind};
use super::{Aborted, Lowered, Lowering};

/// A formula and its depth, which is limited since formulas are walked down.
struct Formula {
    ltl: Ltl,
    depth: u32,
}

type Two = fn(Box<Ltl>, Box<Ltl>) -> Ltl;

impl Lowering<'_, '_> {
    /// Those of the text, then `no_errors`, then those of the command line.
    pub fn properties(&mut self, source: SourceId) -> IdVec<PropertyId, Property> {
        let program = self.program;
        let mut properties = IdVec::new();
        for property in &program.properties {
            // A property that cannot be lowered was reported, and then there is no model.
            if let Ok(property) = self.instance(&[], |lowering| lowering.property(property)) {
                properties.push(property);
            }
        }
        properties.push(Property {
            name: NO_ERRORS.to_owned(),
            kind: PropertyKind::NoErrors,
            faults: Vec::new(),
            text: "no step errs".to_owned(),
            span: Span::new(source, 0, 0),
        });
        for formula in &program.formulas {
            if let Ok(property) = self.instance(&[], |lowering| lowering.property(formula)) {
                properties.push(property);
            }
        }
        properties
    }

    fn property(&mut self, property: &typed::Property<'_>) -> Lowered<Property> {
        let mut faults = Vec::new();
        let kind = match (&property.formula, property.kind) {
            (None, _) | (_, ast::PropertyKind::DeadlockFree) => PropertyKind::DeadlockFree,
            (Some(formula), ast::PropertyKind::Invariant) => {
                PropertyKind::Invariant(self.state_formula(formula, &mut faults)?)
            }
            (Some(formula), ast::PropertyKind::Reach) => PropertyKind::Reach(self.state_formula(formula, &mut faults)?),
            (Some(formula), ast::PropertyKind::Ltl) => PropertyKind::Ltl(self.formula(formula, &mut faults)?.ltl),
        };
        let text = property.formula.as_ref().map(|formula| quotation::on_one_line(self.sources, formula.span));
        Ok(Property {
            name: property.name.to_owned(),
            kind,
            faults: self.merged(faults)?,
            text: text.unwrap_or_default(),
            span: property.span,
        })
    }

    fn state_formula(&mut self, formula: &Expr, faults: &mut Vec<Fault>) -> Lowered<lapidary_ir::Expr> {
        let value = self.lower(formula)?;
        faults.extend(value.faults);
        Ok(value.expr)
    }

    /// A temporal formula. Parts without temporal operators become one condition on states.
    fn formula(&mut self, formula: &Expr, faults: &mut Vec<Fault>) -> Lowered<Formula> {
        if !formula.temporal {
            return Ok(Formula { ltl: Ltl::State(self.state_formula(formula, faults)?), depth: 1 });
        }
        self.spend(1, formula.span)?;
        match &formula.kind {
            Kind::Not(a) => self.one(Ltl::Not, a, faults),
            Kind::Temporal(Unary::Next, a) => self.one(Ltl::Next, a, faults),
            Kind::Temporal(Unary::Finally, a) => self.one(Ltl::Finally, a, faults),
            Kind::Temporal(Unary::Globally, a) => self.one(Ltl::Globally, a, faults),
            Kind::Temporal2(operator, sides) => {
                let (a, b) = (self.formula(&sides[0], faults)?, self.formula(&sides[1], faults)?);
                self.two(binary(*operator), a, b, formula.span)
            }
            Kind::And(parts) => self.many(Ltl::And, parts, formula, faults),
            Kind::Or(parts) => self.many(Ltl::Or, parts, formula, faults),
            Kind::Implies(parts) => {
                let parts = self.each(parts, faults)?;
                self.chained(parts.into_iter().rev(), |right, left| Ltl::Implies(left, right), formula.span)
            }
            Kind::Iff(parts) => {
                let parts = self.each(parts, faults)?;
                self.chained(parts.into_iter(), Ltl::Iff, formula.span)
            }
            Kind::Quantified(quantifier, range, body) => {
                let (lo, hi) = (self.constant_int(&range.lo)?, self.constant_int(&range.hi)?);
                self.quantified_formula(*quantifier, lo, hi, body, faults)
            }
            // No other expression may contain a temporal formula.
            Kind::Error | Kind::Constant(_) | Kind::Bound(_) | Kind::Define { .. } | Kind::Read(_) => Err(Aborted),
            Kind::Neg(_) | Kind::Compare(..) | Kind::Sum(_) | Kind::Product(..) => Err(Aborted),
            Kind::Min(_) | Kind::Max(_) | Kind::Abs(_) | Kind::If(_) => Err(Aborted),
        }
    }

    /// A chain of one operator, from the first part on.
    fn chained(&mut self, mut parts: impl Iterator<Item = Formula>, make: Two, span: Span) -> Lowered<Formula> {
        let mut whole = parts.next().ok_or(Aborted)?;
        for part in parts {
            whole = self.two(make, whole, part, span)?;
        }
        Ok(whole)
    }

    fn each(&mut self, parts: &[Expr], faults: &mut Vec<Fault>) -> Lowered<Vec<Formula>> {
        parts.iter().map(|part| self.formula(part, faults)).collect()
    }

    fn one(&mut self, make: fn(Box<Ltl>) -> Ltl, operand: &Expr, faults: &mut Vec<Fault>) -> Lowered<Formula> {
        let operand_formula = self.formula(operand, faults)?;
        let depth = self.deeper(operand_formula.depth, operand.span)?;
        Ok(Formula { ltl: make(Box::new(operand_formula.ltl)), depth })
    }

    fn two(&mut self, make: Two, a: Formula, b: Formula, span: Span) -> Lowered<Formula> {
        let depth = self.deeper(a.depth.max(b.depth), span)?;
        Ok(Formula { ltl: make(Box::new(a.ltl), Box::new(b.ltl)), depth })
    }

    fn deeper(&mut self, depth: u32, span: Span) -> Lowered<u32> {
        if depth >= MAX_DEPTH {
            self.log.push(consts::too_deep(span));
            return Err(Aborted);
        }
        Ok(depth + 1)
    }

    /// A conjunction or disjunction; neighbours that speak of one state are joined first.
    fn many(&mut self, make: Two, parts: &[Expr], whole: &Expr, faults: &mut Vec<Fault>) -> Lowered<Formula> {
        let mut formulas = Vec::new();
        for run in parts.chunk_by(|a, b| !a.temporal && !b.temporal) {
            match run {
                [only] => formulas.push(self.formula(only, faults)?),
                [first, .., last] => {
                    let parts = run.to_vec();
                    let kind = if matches!(whole.kind, Kind::And(_)) { Kind::And(parts) } else { Kind::Or(parts) };
                    let joined = Expr::new(kind, whole.ty, first.span.to(last.span));
                    formulas.push(self.formula(&joined, faults)?);
                }
                [] => {}
            }
        }
        self.balanced(make, formulas, whole.span)
    }

    fn quantified_formula(
        &mut self,
        quantifier: Quantifier,
        lo: i64,
        hi: i64,
        body: &Expr,
        faults: &mut Vec<Fault>,
    ) -> Lowered<Formula> {
        let (make, empty): (Two, bool) = match quantifier {
            Quantifier::Forall => (Ltl::And, true),
            Quantifier::Exists => (Ltl::Or, false),
            Quantifier::Sum | Quantifier::Count => return Err(Aborted),
        };
        let mut formulas = Vec::new();
        for i in lo..=hi {
            self.slots.push(i);
            let formula = self.formula(body, faults);
            self.slots.pop();
            formulas.push(formula?);
        }
        if formulas.is_empty() {
            return Ok(Formula { ltl: Ltl::State(self.exprs.bool(empty)), depth: 1 });
        }
        self.balanced(make, formulas, body.span)
    }

    /// Pairs neighbours again and again: a long list becomes a shallow tree.
    fn balanced(&mut self, make: Two, mut formulas: Vec<Formula>, span: Span) -> Lowered<Formula> {
        while formulas.len() > 1 {
            let mut paired = Vec::with_capacity(formulas.len().div_ceil(2));
            let mut rest = formulas.into_iter();
            while let Some(first) = rest.next() {
                paired.push(match rest.next() {
                    Some(second) => self.two(make, first, second, span)?,
                    None => first,
                });
            }
            formulas = paired;
        }
        formulas.pop().ok_or(Aborted)
    }
}

fn binary(operator: Binary) -> Two {
    match operator {
        Binary::Until => Ltl::Until,
        Binary::Release => Ltl::Release,
        Binary::WeakUntil => Ltl::WeakUntil,
        Binary::StrongRelease => Ltl::StrongRelease,
    }
}
