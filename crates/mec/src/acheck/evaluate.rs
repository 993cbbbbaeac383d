//! Evaluates resolved expressions and definitions on one model, through any engine.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_text::Diagnostic;

use super::algebra::{Algebra, Operation};
use super::ast::{Equation, Link};
use super::codes;
use super::typed::{Combined, Definition, Set, States, Trans};
use super::walks;

/// Why an evaluation ended before its answer.
#[derive(Debug)]
pub enum Halt {
    Stop(Stop),
    Wrong(Box<Diagnostic>),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// The value of a definition.
pub enum Value<A: Algebra> {
    States(A::States),
    Trans(A::Trans),
}

impl<A: Algebra> Clone for Value<A> {
    fn clone(&self) -> Self {
        match self {
            Self::States(states) => Self::States(states.clone()),
            Self::Trans(trans) => Self::Trans(trans.clone()),
        }
    }
}

/// A model and the sets that were defined for it.
pub struct Session<'c, A: Algebra> {
    pub algebra: A,
    pub control: &'c Control,
    sets: Map<String, Value<A>>,
}

impl<'c, A: Algebra> Session<'c, A> {
    pub fn new(algebra: A, control: &'c Control) -> Self {
        Self { algebra, control, sets: Map::default() }
    }

    pub fn define(&mut self, definition: &Definition) -> Result<(), Halt> {
        let value = match (definition.kind, &definition.body) {
            (Equation::Plain, body) => self.value(body)?,
            (Equation::Least | Equation::Greatest, Set::States(body)) => self.fixpoint_of_states(definition, body)?,
            (Equation::Least | Equation::Greatest, Set::Trans(body)) => self.fixpoint_of_trans(definition, body)?,
        };
        self.sets.insert(definition.name.clone(), value);
        Ok(())
    }

    pub fn forget(&mut self, name: &str) {
        self.sets.remove(name);
    }

    pub fn value(&self, set: &Set) -> Result<Value<A>, Stop> {
        Ok(match set {
            Set::States(states) => Value::States(self.states(states)?),
            Set::Trans(trans) => Value::Trans(self.trans(trans)?),
        })
    }

    /// Kleene's iteration. A monotone body makes the approximations grow (or shrink) by itself.
    fn fixpoint_of_states(&mut self, definition: &Definition, body: &States) -> Result<Value<A>, Halt> {
        let mut current = match definition.kind {
            Equation::Greatest => self.algebra.any_states(),
            Equation::Plain | Equation::Least => self.algebra.empty_states(),
        };
        for round in 1u64.. {
            self.control.check()?;
            self.sets.insert(definition.name.clone(), Value::States(current.clone()));
            let next = self.states(body)?;
            let (less, more) = match definition.kind {
                Equation::Greatest => (&next, &current),
                Equation::Plain | Equation::Least => (&current, &next),
            };
            if !self.algebra.no_states(&self.algebra.states(Operation::Minus, less, more)?) {
                return Err(oscillation(definition, round));
            }
            if self.algebra.no_states(&self.algebra.states(Operation::Minus, more, less)?) {
                break;
            }
            current = next;
        }
        Ok(Value::States(current))
    }

    fn fixpoint_of_trans(&mut self, definition: &Definition, body: &Trans) -> Result<Value<A>, Halt> {
        let mut current = match definition.kind {
            Equation::Greatest => self.algebra.any_trans(),
            Equation::Plain | Equation::Least => self.algebra.empty_trans(),
        };
        for round in 1u64.. {
            self.control.check()?;
            self.sets.insert(definition.name.clone(), Value::Trans(current.clone()));
            let next = self.trans(body)?;
            let (less, more) = match definition.kind {
                Equation::Greatest => (&next, &current),
                Equation::Plain | Equation::Least => (&current, &next),
            };
            if !self.algebra.no_trans(&self.algebra.trans(Operation::Minus, less, more)?) {
                return Err(oscillation(definition, round));
            }
            if self.algebra.no_trans(&self.algebra.trans(Operation::Minus, more, less)?) {
                break;
            }
            current = next;
        }
        Ok(Value::Trans(current))
    }

    pub fn states(&self, set: &States) -> Result<A::States, Stop> {
        let algebra = &self.algebra;
        match set {
            States::Any => Ok(algebra.any_states()),
            States::Empty => Ok(algebra.empty_states()),
            States::Initial => Ok(algebra.initial()),
            States::Formula(formula) => algebra.satisfying(*formula),
            States::Named(name) => match self.sets.get(name) {
                Some(Value::States(states)) => Ok(states.clone()),
                Some(Value::Trans(_)) | None => unreachable!("names are defined before their uses, with their sort"),
            },
            States::Sources(trans) => algebra.sources(&self.trans(trans)?),
            States::Targets(trans) => algebra.targets(&self.trans(trans)?),
            States::Reach(states, trans) => algebra.reach(&self.states(states)?, &self.trans(trans)?),
            States::Coreach(states, trans) => algebra.coreach(&self.states(states)?, &self.trans(trans)?),
            States::Unavoidable(trans, states) => {
                walks::unavoidable(algebra, &self.trans(trans)?, &self.states(states)?, self.control)
            }
            States::Pick(states) => algebra.least_state(&self.states(states)?),
            States::Alike(kind, states) => algebra.alike(*kind, &self.states(states)?),
            States::Combined(combined) => {
                let all = || algebra.any_states();
                self.combined(combined, all, |part| self.states(part), |op, a, b| algebra.states(op, a, b))
            }
        }
    }

    pub fn trans(&self, set: &Trans) -> Result<A::Trans, Stop> {
        let algebra = &self.algebra;
        match set {
            Trans::Any => Ok(algebra.any_trans()),
            Trans::Empty => Ok(algebra.empty_trans()),
            Trans::Loops => algebra.loops(),
            Trans::EpsilonLoops => algebra.trans(Operation::And, &algebra.loops()?, &algebra.epsilon()?),
            Trans::Epsilon => algebra.epsilon(),
            Trans::Label(events) => algebra.labelled(events),
            Trans::Ambiguous => algebra.ambiguous(),
            Trans::Named(name) => match self.sets.get(name) {
                Some(Value::Trans(trans)) => Ok(trans.clone()),
                Some(Value::States(_)) | None => unreachable!("names are defined before their uses, with their sort"),
            },
            Trans::From(states) => algebra.from(&self.states(states)?),
            Trans::Into(states) => algebra.into(&self.states(states)?),
            Trans::Trace(from, trans, to) => {
                walks::trace(algebra, &self.states(from)?, &self.trans(trans)?, &self.states(to)?, self.control)
            }
            Trans::Cycles(wanted, through) => {
                let (wanted, through) = (self.trans(wanted)?, self.trans(through)?);
                let both = algebra.trans(Operation::Or, &wanted, &through)?;
                algebra.trans(Operation::And, &wanted, &walks::on_cycles(algebra, &both, self.control)?)
            }
            Trans::Combined(combined) => {
                let all = || algebra.any_trans();
                self.combined(combined, all, |part| self.trans(part), |op, a, b| algebra.trans(op, a, b))
            }
        }
    }

    fn combined<E, V>(
        &self,
        combined: &Combined<E>,
        all: impl Fn() -> V,
        value: impl Fn(&E) -> Result<V, Stop>,
        apply: impl Fn(Operation, &V, &V) -> Result<V, Stop>,
    ) -> Result<V, Stop> {
        match combined {
            Combined::Not(inner) => apply(Operation::Minus, &all(), &value(inner)?),
            Combined::And(parts) => {
                let mut sum = value(&parts[0])?;
                for part in &parts[1..] {
                    sum = apply(Operation::And, &sum, &value(part)?)?;
                }
                Ok(sum)
            }
            Combined::Chain(first, rest) => {
                let mut sum = value(first)?;
                for (link, part) in rest {
                    let operation = match link {
                        Link::Or => Operation::Or,
                        Link::Minus => Operation::Minus,
                    };
                    sum = apply(operation, &sum, &value(part)?)?;
                }
                Ok(sum)
            }
        }
    }
}

fn oscillation(definition: &Definition, round: u64) -> Halt {
    let (fails, needed) = match definition.kind {
        Equation::Greatest => ("gains", "shrink"),
        Equation::Plain | Equation::Least => ("loses", "grow"),
    };
    let message = format!("the fixpoint `{}` does not exist by iteration", definition.name);
    let label = format!("round {round} {fails} elements, but the approximations should only {needed}");
    let diagnostic = Diagnostic::error(codes::OSCILLATES, message, definition.span, label);
    Halt::Wrong(Box::new(diagnostic.with_help("use the name under an even number of `-` right sides and complements")))
}
