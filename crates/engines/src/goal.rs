//! What is asked of an engine: goals, each of a property.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Event, Id};
use lapidary_ir::{Action, Expr, Model, PropertyId, Subject};
use lapidary_smt::Terms;
use lapidary_smt::encode::Encoding;
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

/// States that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The states that satisfy an expression, which has a value in every state.
    States(Expr),
    /// The states without a step of a command that is not idle.
    Deadlocks,
}

impl Target {
    /// The states as a term.
    pub(crate) fn encoded(
        self,
        encoding: &Encoding,
        terms: &Terms<'_>,
        control: &Control,
    ) -> Result<Expr, lapidary_smt::encode::Halt> {
        match self {
            Self::States(formula) => Ok(encoding.states(terms, formula)),
            Self::Deadlocks => encoding.deadlocks_within(terms, control),
        }
    }
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

/// What an engine makes of each goal. Where it does not take some of them, it says of each why.
pub(crate) fn of_each<T>(
    goals: &[Goal],
    control: &Control,
    mut of: impl FnMut(Target) -> Result<T, Refused>,
) -> Result<Vec<T>, Refused> {
    let (mut made, mut refused) = (Vec::with_capacity(goals.len()), Vec::new());
    for (number, goal) in goals.iter().enumerate() {
        control.check()?;
        match of(goal.target) {
            Ok(one) => made.push(one),
            Err(Refused::Unsupported(why)) => refused.push((number, why)),
            Err(other @ (Refused::Goals(_) | Refused::Stop(_))) => return Err(other),
        }
    }
    if refused.is_empty() { Ok(made) } else { Err(Refused::Goals(refused)) }
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
