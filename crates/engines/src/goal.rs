//! What is asked of an engine: goals, each of a property.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Event, Id};
use lapidary_ir::{Action, Model, PropertyId, Subject, Target};
use lapidary_verdict::Trace;

use crate::{Refused, Task};

/// What it means for a property that a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It decides: an invariant is violated there, a `reach` property has its witness.
    Decides,
    /// Evaluating the property errs there.
    Errs,
}

/// Can these states be reached? A property may have several goals, and one piece of evidence must do for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    pub property: PropertyId,
    pub role: Role,
    pub target: Target,
}

impl Goal {
    /// Reaching the target decides the property.
    pub fn decides(property: PropertyId, target: Target) -> Self {
        Self { property, role: Role::Decides, target }
    }
}

/// Each target as the goal of a property of its own, for who has targets and no properties.
pub fn goals(targets: &[Target]) -> Vec<Goal> {
    let numbered = targets.iter().enumerate();
    numbered.map(|(number, &target)| Goal::decides(PropertyId::new(number), target)).collect()
}

impl<'a> Task<'a> {
    /// The same goals of the same subject, which has an arena of its own now.
    pub(crate) fn of<'s>(&self, apart: &'s Subject) -> Task<'s>
    where
        'a: 's,
    {
        Task { subject: apart, goals: self.goals, sources: self.sources }
    }

    /// The commands, for engines that need them.
    pub(crate) fn model(&self, control: &Control) -> Result<&'a Model, Refused> {
        Ok(self.subject.model(control)?)
    }

    /// A run of the model in the shape of the subject.
    pub(crate) fn in_shape(&self, trace: Trace) -> Trace {
        let in_shape = |action| match (self.subject, action) {
            (Subject::Tree(_), Action::Command(command)) => self.subject.action(command),
            (Subject::Model(_) | Subject::Net(_) | Subject::Tree(_), action) => action,
        };
        Trace { actions: trace.actions.into_iter().map(in_shape).collect(), ..trace }
    }

    /// The goals of each property, in the order of their first ones.
    pub(crate) fn by_property(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut seen: Map<PropertyId, usize> = Map::default();
        for (number, goal) in self.goals.iter().enumerate() {
            let group = *seen.entry(goal.property).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(number);
        }
        groups
    }

    /// The name of the property that a goal is of.
    pub(crate) fn name(&self, goal: usize) -> &str {
        let properties = &self.subject.declared().properties;
        properties.get(self.goals[goal].property).map_or("", |property| &property.name)
    }

    /// Tells that a loop of its own begins for a goal: iterations belong to the property that was named last.
    pub(crate) fn announce(&self, goal: usize, engine: &str, control: &Control) {
        control.emit(&Event::PropertyStart { name: self.name(goal).to_owned(), engine: engine.to_owned() });
    }
}
