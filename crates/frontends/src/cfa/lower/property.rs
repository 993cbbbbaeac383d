//! Properties: that the error location is not reached, and what the command line asks.

use lapidary_base::IdVec;
use lapidary_ir::{Property, PropertyId, PropertyKind};
use lapidary_text::{Sources, quotation};

use super::super::ERROR_UNREACHABLE;
use super::super::typed::Formula;
use super::{Aborted, Lowered, Lowering};
use crate::asked::Wording;

impl Lowering<'_, '_> {
    /// `error_unreachable`, if some location is one of errors, then those of the command line.
    pub(super) fn properties(&mut self, sources: &Sources) -> IdVec<PropertyId, Property> {
        let program = self.program;
        let mut properties: IdVec<PropertyId, Property> = IdVec::new();
        if let Some(error) = program.error {
            let name = program.locations[error];
            properties.push(Property {
                name: ERROR_UNREACHABLE.to_owned(),
                kind: PropertyKind::Invariant(self.exprs.not(self.at(error))),
                faults: Vec::new(),
                text: format!("{} is not reachable", name.text),
                span: name.span,
            });
        }
        for formula in &program.formulas {
            // A property that cannot be lowered was reported, and then there is no model.
            if let Ok(property) = self.property(sources, formula) {
                properties.push(property);
            }
        }
        properties
    }

    fn property(&mut self, sources: &Sources, formula: &Formula<'_>) -> Lowered<Property> {
        let Formula { asked, formula } = formula;
        let kind = match (asked.wording, formula) {
            (Wording::DeadlockFree, _) => return Ok(asked.deadlock_free(sources, "some edge can always be taken")),
            (Wording::Ltl, _) => return Ok(asked.unread(sources, self.exprs.bool(true))),
            (Wording::Plain | Wording::Invariant, Some(formula)) => PropertyKind::Invariant(self.lower(formula)?),
            (Wording::Reach, Some(formula)) => PropertyKind::Reach(self.lower(formula)?),
            (Wording::Plain | Wording::Invariant | Wording::Reach, None) => return Err(Aborted),
        };
        let span = asked.span(sources);
        let text = quotation::on_one_line(sources, span);
        Ok(Property { name: asked.name.clone(), kind, faults: Vec::new(), text, span })
    }
}
