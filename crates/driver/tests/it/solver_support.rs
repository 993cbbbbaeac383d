//! Models for the engines that ask solvers, and the checks that every answer of theirs has to pass.

use std::time::Duration;

use lapidary_base::Control;
use lapidary_checker::{Claim, Means, Rejection, certify_model_claims, replay_model};
use lapidary_driver::{LoadRequest, Loaded, open_text};
use lapidary_engines::induction::{self, BmcEngine, InductionEngine};
use lapidary_engines::matching::{self, MatchingEngine};
use lapidary_engines::{Answer, Engine, Goal, Outcome, Target, Task};
use lapidary_ir::{Model, PropertyId, PropertyKind};
use lapidary_smt::Backend;
use lapidary_verdict::{Certificate, Verdict};

/// What a target is to its property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reaching it violates the property.
    Bad,
    /// A `reach` property is about reaching it.
    Goal,
    /// Evaluating a `reach` property errs there.
    Errs,
}

#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub property: PropertyId,
    pub role: Role,
}

/// A model and its targets, as the driver would ask for them.
pub struct Case {
    pub loaded: Loaded,
    pub asked: Vec<Asked>,
    goals: Vec<Goal>,
}

/// What an engine says about a target, once its evidence was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// After so many steps.
    Reached(usize),
    Unreachable,
    /// The evidence is neither accepted nor rejected.
    Unchecked {
        is_reached: bool,
    },
    Unknown(String),
}

impl Found {
    /// `Some(true)` if the target is reached, `Some(false)` if it never is.
    pub fn verdict(&self) -> Option<bool> {
        match self {
            Self::Reached(_) => Some(true),
            Self::Unreachable => Some(false),
            Self::Unchecked { .. } | Self::Unknown(_) => None,
        }
    }

    /// The same, also where the evidence could not be checked.
    pub fn claim(&self) -> Option<bool> {
        match self {
            Self::Unchecked { is_reached } => Some(*is_reached),
            _ => self.verdict(),
        }
    }
}

pub fn load(name: &str, text: &str, defines: &[(&str, &str)]) -> Case {
    let defines = defines.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let request = LoadRequest { path: name.to_owned(), defines, ..LoadRequest::default() };
    let loaded = open_text(&request, text.as_bytes().to_vec());
    let loaded = loaded.unwrap_or_else(|error| panic!("{name} does not load: {}\n{text}", error.render()));
    let mut case = Case { loaded, asked: Vec::new(), goals: Vec::new() };
    for property in case.loaded.declared().properties.ids() {
        for (role, target) in targets(&case.loaded, property) {
            case.asked.push(Asked { property, role });
            let of_engine = match role {
                Role::Bad | Role::Goal => lapidary_engines::Role::Decides,
                Role::Errs => lapidary_engines::Role::Errs,
            };
            case.goals.push(Goal { property, role: of_engine, target });
        }
    }
    case
}

fn targets(loaded: &Loaded, property: PropertyId) -> Vec<(Role, Target)> {
    let model = loaded.declared();
    let (exprs, property) = (&model.exprs, &model.properties[property]);
    let faults: Vec<_> = property.faults.iter().map(|fault| fault.when).collect();
    match &property.kind {
        PropertyKind::Invariant(formula) => {
            let violated = exprs.or(faults.into_iter().chain([exprs.not(*formula)]));
            vec![(Role::Bad, Target::States(violated))]
        }
        PropertyKind::Reach(formula) => {
            let fine = faults.iter().map(|&when| exprs.not(when)).chain([*formula]);
            let goal = (Role::Goal, Target::States(exprs.and(fine)));
            let errs = exprs.or(faults.iter().copied());
            let errs = (exprs.as_bool(errs) != Some(false)).then_some((Role::Errs, Target::States(errs)));
            std::iter::once(goal).chain(errs).collect()
        }
        PropertyKind::DeadlockFree => vec![(Role::Bad, Target::Deadlocks)],
        PropertyKind::NoErrors => {
            let faults =
                loaded.subject.made_model().expect("a model").commands.iter().flat_map(|command| &command.faults);
            vec![(Role::Bad, Target::States(exprs.or(faults.map(|fault| fault.when))))]
        }
        PropertyKind::Ltl(_) => Vec::new(),
    }
}

impl Case {
    pub fn name(&self, target: usize) -> &str {
        &self.loaded.declared().properties[self.asked[target].property].name
    }

    pub fn model(&self) -> &Model {
        self.loaded.subject.made_model().expect("a model")
    }

    pub fn run(&self, engine: &dyn Engine) -> Vec<Answer> {
        let task = Task { subject: &self.loaded.subject, goals: &self.goals, sources: &self.loaded.sources };
        assert_eq!(engine.prepare(&task, &Control::new()).map(|_| ()), Ok(()));
        let answers = engine.run(&task, &patience());
        assert_eq!(answers.len(), self.goals.len());
        answers
    }

    /// What is left of the answers when the checker, with this solver, has seen the evidence; the error is a rejection.
    pub fn check(&self, answers: &[Answer], solver: &Backend) -> Result<Vec<Found>, String> {
        (0..answers.len()).map(|target| self.found(answers, target, solver)).collect()
    }

    /// The same for one target.
    pub fn found(&self, answers: &[Answer], target: usize, solver: &Backend) -> Result<Found, String> {
        let Asked { property, role } = self.asked[target];
        let rejected = |why: &str| format!("{}, {role:?}: {why}", self.name(target));
        match &answers[target].outcome {
            Outcome::Unknown(stop) => Ok(Found::Unknown(stop.to_string())),
            Outcome::Found(trace) => {
                let verdict = if role == Role::Goal { Verdict::Holds } else { Verdict::Violated };
                match replay_model(self.model(), property, verdict, trace) {
                    Ok(()) => Ok(Found::Reached(trace.n_steps())),
                    Err(Rejection::Wrong(why)) => Err(rejected(&why)),
                    Err(Rejection::Stopped(_)) => Ok(Found::Unchecked { is_reached: true }),
                }
            }
            Outcome::Excluded(certificate) => {
                let claim = match role {
                    Role::Bad | Role::Goal => Claim::Decides(property),
                    Role::Errs => Claim::NeverErrs(property),
                };
                // Of a goal that is out of reach nothing follows where evaluating the property errs.
                if role == Role::Goal && self.errs(target).is_some_and(|errs| !is_unreachable(&answers[errs])) {
                    return Ok(Found::Unchecked { is_reached: false });
                }
                match self.certify(claim, certificate, solver) {
                    Ok(()) => Ok(Found::Unreachable),
                    Err(Rejection::Wrong(why)) => Err(rejected(&why)),
                    Err(Rejection::Stopped(_)) => Ok(Found::Unchecked { is_reached: false }),
                }
            }
        }
    }

    /// The target that is about the errors of the same property.
    fn errs(&self, goal: usize) -> Option<usize> {
        let property = self.asked[goal].property;
        self.asked.iter().position(|asked| asked.property == property && asked.role == Role::Errs)
    }

    fn certify(&self, claim: Claim, certificate: &Certificate, solver: &Backend) -> Result<(), Rejection> {
        let control = patience();
        let means = Means::new(solver, &control);
        certify_model_claims(self.model(), &[claim], certificate, &means).map(|_| ())
    }
}

/// Counts limit the work, but Z3 forgets to count in some questions about products and remainders of variables.
fn patience() -> Control {
    Control::new().with_timeout(Some(Duration::from_secs(15)))
}

fn is_unreachable(answer: &Answer) -> bool {
    matches!(answer.outcome, Outcome::Excluded(_))
}

/// Limits by counts only, so that answers are the same on every machine.
pub fn matching(backend: &Backend) -> matching::Config {
    let (most_iterations, most_work) = (Some(6), Some(60));
    matching::Config { backend: backend.clone(), most_iterations, most_work, ..matching::Config::default() }
}

pub fn induction(backend: &Backend, bound: u64) -> induction::Config {
    induction::Config { backend: backend.clone(), bound: Some(bound), most_queries: Some(100) }
}

/// All three engines with this solver.
pub fn engines(backend: &Backend) -> [Box<dyn Engine>; 3] {
    [
        Box::new(MatchingEngine { config: matching(backend) }),
        Box::new(BmcEngine { config: induction(backend, 8) }),
        Box::new(InductionEngine { config: induction(backend, 4) }),
    ]
}
