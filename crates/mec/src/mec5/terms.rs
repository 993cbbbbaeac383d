//! Terms as what they are worth where: every value with the set of places where it is taken.

use std::collections::BTreeMap;

use lapidary_bdd::{Column, Set};
use lapidary_text::Span;

use super::evaluate::{Evaluator, Failure};
use super::formula::{Arithmetic, Comparison, Term};
use super::types::TypeId;

/// Disjoint sets that together are everything within the types of the variables.
type Cases = BTreeMap<i64, Set>;

/// The most combinations of values that an operation looks at.
const MAX_COMBINATIONS: usize = 1 << 18;

impl Evaluator<'_> {
    pub fn compare(&mut self, comparison: Comparison, left: &Term, right: &Term, span: Span) -> Result<Set, Failure> {
        if let (Comparison::Equal, Term::Part(a), Term::Part(b)) = (comparison, left, right) {
            let (first, second) = (self.type_of(a.variable), self.type_of(b.variable));
            let scalar = |ty: TypeId, leaf: usize| &self.types.get(ty).leaves[leaf].scalar;
            if scalar(first, a.leaf) == scalar(second, b.leaf) {
                let (a, b) = (self.columns_of(a.variable)?[a.leaf], self.columns_of(b.variable)?[b.leaf]);
                return Ok(self.slots.space.equal(a, b)?);
            }
        }
        if let (Comparison::Equal, Term::Part(part), Term::Value(value)) = (comparison, left, right) {
            let scalar = &self.types.get(self.type_of(part.variable)).leaves[part.leaf].scalar;
            let Some(code) = scalar.code(*value) else { return Ok(self.slots.space.none()) };
            let column = self.columns_of(part.variable)?[part.leaf];
            return Ok(self.slots.space.value(column, code)?);
        }
        let (left, right) = (self.cases(left, span)?, self.cases(right, span)?);
        match comparison {
            Comparison::Equal => self.equal_cases(&left, &right),
            Comparison::Different => {
                let equal = self.equal_cases(&left, &right)?;
                Ok(self.slots.space.not(&equal)?)
            }
            Comparison::Less => self.ordered(&left, &right, |left, right| left < right),
            Comparison::AtMost => self.ordered(&left, &right, |left, right| left <= right),
            Comparison::Greater => self.ordered(&right, &left, |right, left| right < left),
            Comparison::AtLeast => self.ordered(&right, &left, |right, left| right <= left),
        }
    }

    fn equal_cases(&self, left: &Cases, right: &Cases) -> Result<Set, Failure> {
        let mut parts = Vec::new();
        for (value, set) in left {
            if let Some(other) = right.get(value) {
                parts.push(self.slots.space.and(set, other)?);
            }
        }
        Ok(self.slots.space.or_all(&parts)?)
    }

    /// Where the smaller side's value is below the larger one's: from the top down, with what is above so far.
    fn ordered(&self, small: &Cases, large: &Cases, is_below: fn(i64, i64) -> bool) -> Result<Set, Failure> {
        let mut parts = Vec::new();
        let mut above = self.slots.space.none();
        let mut rest = large.iter().rev().peekable();
        for (&value, set) in small.iter().rev() {
            while let Some((_, more)) = rest.next_if(|(other, _)| is_below(value, **other)) {
                above = self.slots.space.or(&above, more)?;
            }
            parts.push(self.slots.space.and(set, &above)?);
        }
        Ok(self.slots.space.or_all(&parts)?)
    }

    /// Where a column of a type's leaf has the value of a term.
    pub fn equals(&mut self, term: &Term, column: Column, ty: TypeId, leaf: usize, span: Span) -> Result<Set, Failure> {
        if let Some(other) = self.target(term, ty, leaf)? {
            return Ok(self.slots.space.equal(other, column)?);
        }
        let scalar = &self.types.get(ty).leaves[leaf].scalar;
        let mut parts = Vec::new();
        for (value, set) in self.cases(term, span)? {
            if let Some(code) = scalar.code(value) {
                let there = self.slots.space.value(column, code)?;
                parts.push(self.slots.space.and(&there, &set)?);
            }
        }
        Ok(self.slots.space.or_all(&parts)?)
    }

    fn cases(&mut self, term: &Term, span: Span) -> Result<Cases, Failure> {
        match term {
            Term::Value(value) => Ok(Cases::from([(*value, self.slots.space.all())])),
            Term::Part(part) => {
                let scalar = &self.types.get(self.type_of(part.variable)).leaves[part.leaf].scalar;
                if scalar.size() > MAX_COMBINATIONS as u64 {
                    return Err(Failure::TooLarge(span));
                }
                let column = self.columns_of(part.variable)?[part.leaf];
                let mut cases = Cases::new();
                for code in 0..scalar.size() {
                    cases.insert(scalar.value(code), self.slots.space.value(column, code)?);
                }
                Ok(cases)
            }
            Term::Negative(inner, at) => {
                let cases = self.cases(inner, *at)?;
                let negated = |(value, set): (i64, Set)| Some((value.checked_neg()?, set));
                cases.into_iter().map(negated).collect::<Option<_>>().ok_or(Failure::TooLarge(*at))
            }
            Term::Binary(operator, left, right, at) => {
                let (left, right) = (self.cases(left, *at)?, self.cases(right, *at)?);
                self.combined(*operator, &left, &right, *at)
            }
            Term::If(condition, yes, no) => {
                let condition = self.formula(condition)?;
                let otherwise = self.slots.space.not(&condition)?;
                let (yes, no) = (self.cases(yes, span)?, self.cases(no, span)?);
                let mut cases = Cases::new();
                for (guard, branch) in [(condition, yes), (otherwise, no)] {
                    for (value, set) in branch {
                        let set = self.slots.space.and(&guard, &set)?;
                        self.add(&mut cases, value, set)?;
                    }
                }
                Ok(cases)
            }
            Term::Truth(formula) => {
                let yes = self.formula(formula)?;
                let no = self.slots.space.not(&yes)?;
                Ok(Cases::from([(0, no), (1, yes)]))
            }
        }
    }

    fn combined(&self, operator: Arithmetic, left: &Cases, right: &Cases, at: Span) -> Result<Cases, Failure> {
        if left.len().saturating_mul(right.len()) > MAX_COMBINATIONS {
            return Err(Failure::TooLarge(at));
        }
        let mut cases = Cases::new();
        for (&a, one) in left {
            self.control.check()?;
            for (&b, other) in right {
                let value = match operator {
                    Arithmetic::Add => a.checked_add(b),
                    Arithmetic::Subtract => a.checked_sub(b),
                    Arithmetic::Multiply => a.checked_mul(b),
                };
                let set = self.slots.space.and(one, other)?;
                self.add(&mut cases, value.ok_or(Failure::TooLarge(at))?, set)?;
            }
        }
        Ok(cases)
    }

    fn add(&self, cases: &mut Cases, value: i64, set: Set) -> Result<(), Failure> {
        if self.slots.space.is_none(&set) {
            return Ok(());
        }
        let joined = match cases.get(&value) {
            Some(before) => self.slots.space.or(before, &set)?,
            None => set,
        };
        cases.insert(value, joined);
        Ok(())
    }
}
