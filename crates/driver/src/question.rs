//! From properties to goals: what an engine must find, or show to be out of reach.

use lapidary_engines::{Goal, Role, Target};
use lapidary_ir::{CountedNet, Expr, Exprs, Fault, PropertyId, PropertyKind, Subject};

/// What must be asked to decide a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Holds when the target cannot be reached.
    Never(Target),
    /// Holds when the goal is reached and the property errs nowhere.
    Eventually { goal: Target, errs: Option<Target> },
    /// No engine answers it yet.
    Temporal,
}

pub fn question(subject: &Subject, property: PropertyId) -> Question {
    let model = subject.declared();
    let property = &model.properties[property];
    let exprs = &model.exprs;
    match &property.kind {
        PropertyKind::Invariant(formula) => {
            let violated = conditions(&property.faults).chain([exprs.not(*formula)]);
            Question::Never(Target::States(exprs.or(violated)))
        }
        PropertyKind::Reach(formula) => {
            let fine = conditions(&property.faults).map(|when| exprs.not(when));
            let goal = Target::States(exprs.and(fine.chain([*formula])));
            let errs = exprs.or(conditions(&property.faults));
            let errs = (exprs.as_bool(errs) != Some(false)).then_some(Target::States(errs));
            Question::Eventually { goal, errs }
        }
        PropertyKind::DeadlockFree => Question::Never(Target::Deadlocks),
        PropertyKind::NoErrors => {
            // No step of a hierarchy errs: where it would, it is none.
            let commands = match subject {
                Subject::Model(model) | Subject::Net(CountedNet { model, .. }) => model.commands.as_slice(),
                Subject::Tree(_) => &[],
            };
            let faults = commands.iter().flat_map(|command| conditions(&command.faults));
            Question::Never(Target::States(exprs.or(faults)))
        }
        PropertyKind::Ltl(_) => Question::Temporal,
    }
}

fn conditions(faults: &[Fault]) -> impl Iterator<Item = Expr> {
    faults.iter().map(|fault| fault.when)
}

impl Question {
    /// The goals, in the order in which the answers are read.
    pub fn goals(&self, property: PropertyId) -> Vec<Goal> {
        match self {
            Self::Never(target) => vec![Goal::decides(property, *target)],
            Self::Eventually { goal, errs } => {
                let errs = errs.map(|target| Goal { property, role: Role::Errs, target });
                std::iter::once(Goal::decides(property, *goal)).chain(errs).collect()
            }
            Self::Temporal => Vec::new(),
        }
    }

    /// Nothing has to be searched: no state whatsoever is a target.
    pub fn is_trivial(&self, exprs: &Exprs) -> bool {
        match self {
            Self::Never(Target::States(expr)) => exprs.as_bool(*expr) == Some(false),
            Self::Never(Target::Deadlocks) | Self::Eventually { .. } | Self::Temporal => false,
        }
    }
}
