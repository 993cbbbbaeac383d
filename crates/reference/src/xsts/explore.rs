//! The reachable states of a system, breadth first; statements by plain recursion.

use std::collections::BTreeSet;

use super::{Exploration, Order, Phase, Statement, Xsts};
use crate::terms::{Bound, Expr, Fault, Sort, Value, WINDOW, start, value, values};

/// What runs next, and what the variables have.
pub(super) type State = (Phase, Bound);

/// Explores a system with at most so many states. A number that is havocked stays within [`WINDOW`]; whoever wants more says
/// so with an `assume` behind.
///
/// # Panics
///
/// If the system is ill-typed.
pub fn explore(model: &Xsts, order: Order, most: usize) -> Result<Exploration, Fault> {
    let levels = levels(model, order, most)?;
    let text = |(phase, bound): &State| {
        (*phase, bound.iter().map(|(_, value)| value.text(&model.enums)).collect::<Vec<String>>())
    };
    let mut violation = None;
    for (depth, level) in levels.iter().enumerate() {
        for (_, bound) in level {
            if !holds(model, &model.property, bound)? {
                violation.get_or_insert(depth);
            }
        }
    }
    Ok(Exploration {
        names: model.variables.iter().map(|variable| variable.name.clone()).collect(),
        states: levels.iter().flatten().map(text).collect(),
        n_initial: levels.first().map_or(0, Vec::len),
        depth: levels.len().saturating_sub(1),
        violation,
    })
}

pub(super) fn holds(model: &Xsts, condition: &Expr, bound: &Bound) -> Result<bool, Fault> {
    match value(condition, bound, &model.enums)? {
        Value::Bool(value) => Ok(value),
        other => panic!("{other:?} is no condition"),
    }
}

/// A search with more steps than this for each state that it may have ends as one with too many states does.
const STEPS_PER_STATE: usize = 50;

/// The states by the number of steps that they need.
pub(super) fn levels(model: &Xsts, order: Order, most: usize) -> Result<Vec<Vec<State>>, Fault> {
    let mut level: Vec<State> = initial(model, most)?.into_iter().map(|bound| (Phase::Init, bound)).collect();
    let mut known: BTreeSet<State> = level.iter().cloned().collect();
    let mut levels = Vec::new();
    let mut n_steps = 0;
    let run = Run { model, order };
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            for successor in run.successors(state)? {
                n_steps += 1;
                if known.insert(successor.clone()) {
                    next.push(successor);
                }
            }
            if known.len() > most || n_steps > STEPS_PER_STATE * most {
                return Err(Fault::TooManyStates);
            }
        }
        levels.push(std::mem::replace(&mut level, next));
    }
    Ok(levels)
}

fn initial(model: &Xsts, most: usize) -> Result<Vec<Bound>, Fault> {
    let mut bounds: Vec<Bound> = vec![Vec::new()];
    for variable in &model.variables {
        let all = match &variable.initial {
            Some(initial) => vec![value(initial, &Vec::new(), &model.enums)?],
            None => start(&variable.sort, &model.enums),
        };
        bounds = bounds.iter().flat_map(|bound| all.iter().map(|value| with(bound, &variable.name, value))).collect();
        if bounds.len() > most {
            return Err(Fault::TooManyStates);
        }
    }
    Ok(bounds)
}

fn with(bound: &Bound, name: &str, value: &Value) -> Bound {
    bound.iter().cloned().chain([(name.to_owned(), value.clone())]).collect()
}

struct Run<'a> {
    model: &'a Xsts,
    order: Order,
}

impl Run<'_> {
    fn successors(&self, (phase, bound): &State) -> Result<Vec<State>, Fault> {
        let (set, next) = match phase {
            Phase::Init => (&self.model.init, Phase::Env),
            Phase::Env => (&self.model.env, Phase::Trans),
            Phase::Trans => (&self.model.trans, Phase::Env),
        };
        let mut found = Vec::new();
        for statement in set {
            found.extend(self.scope(statement, bound.clone())?.into_iter().map(|bound| (next, bound)));
        }
        Ok(found)
    }

    /// A statement with what it declares forgotten behind it.
    fn scope(&self, statement: &Statement, bound: Bound) -> Result<Vec<Bound>, Fault> {
        let n_known = bound.len();
        let mut ways = self.run(statement, bound)?;
        ways.iter_mut().for_each(|way| way.truncate(n_known));
        // Where ways meet again one is enough.
        Ok(ways.into_iter().collect::<BTreeSet<Bound>>().into_iter().collect())
    }

    /// All ways that a statement can go; none where it is blocked.
    fn run(&self, statement: &Statement, bound: Bound) -> Result<Vec<Bound>, Fault> {
        match statement {
            Statement::Local { name, sort, initial } => {
                let all = match initial {
                    Some(initial) => vec![self.value(initial, &bound)?],
                    None => start(sort, &self.model.enums),
                };
                Ok(all.iter().map(|value| with(&bound, name, value)).collect())
            }
            Statement::Assign(name, expr) => Ok(vec![set(&bound, name, self.value(expr, &bound)?)]),
            Statement::Write(name, index, element) => {
                let written = Expr::write(Expr::var(name), index.clone(), element.clone());
                self.run(&Statement::Assign(name.clone(), written), bound)
            }
            Statement::Havoc(name) => {
                Ok(self.any(&bound, name).into_iter().map(|new| set(&bound, name, new)).collect())
            }
            Statement::Assume(condition) => {
                Ok(if holds(self.model, condition, &bound)? { vec![bound] } else { Vec::new() })
            }
            Statement::Choice(branches) => self.one(branches, &bound),
            Statement::If(condition, yes, no) => match (holds(self.model, condition, &bound)?, no) {
                (true, _) => self.scope(yes, bound),
                (false, Some(no)) => self.scope(no, bound),
                (false, None) => Ok(vec![bound]),
            },
            Statement::Ort(branches) => self.all(branches, bound),
            Statement::Block(inner) => self.block(inner, bound),
            Statement::For(name, from, to, body) => self.repeat(name, from, to, body, bound),
        }
    }

    fn one(&self, branches: &[Statement], bound: &Bound) -> Result<Vec<Bound>, Fault> {
        let mut ways = Vec::new();
        for branch in branches {
            ways.extend(self.scope(branch, bound.clone())?);
        }
        Ok(ways)
    }

    fn block(&self, inner: &[Statement], bound: Bound) -> Result<Vec<Bound>, Fault> {
        let n_known = bound.len();
        let mut ways = vec![bound];
        for statement in inner {
            let mut next = BTreeSet::new();
            for way in ways {
                next.extend(self.run(statement, way)?);
            }
            ways = next.into_iter().collect();
        }
        ways.iter_mut().for_each(|way| way.truncate(n_known));
        Ok(ways)
    }

    /// Every branch may be the first one; what is left comes behind it.
    fn all(&self, branches: &[Statement], bound: Bound) -> Result<Vec<Bound>, Fault> {
        if branches.is_empty() {
            return Ok(vec![bound]);
        }
        let n_first = match self.order {
            Order::Every => branches.len(),
            Order::Declared => 1,
        };
        let mut ways = Vec::new();
        for first in 0..n_first {
            let mut rest = branches.to_vec();
            let branch = rest.remove(first);
            for way in self.scope(&branch, bound.clone())? {
                ways.extend(self.all(&rest, way)?);
            }
        }
        Ok(ways)
    }

    fn repeat(&self, name: &str, from: &Expr, to: &Expr, body: &Statement, bound: Bound) -> Result<Vec<Bound>, Fault> {
        let (Value::Int(from), Value::Int(to)) = (self.value(from, &bound)?, self.value(to, &bound)?) else {
            panic!("loops count numbers");
        };
        let n_known = bound.len();
        let mut ways = vec![bound];
        for number in from..to {
            let mut next = BTreeSet::new();
            for way in ways {
                for mut after in self.scope(body, with(&way, name, &Value::Int(number)))? {
                    after.truncate(n_known);
                    next.insert(after);
                }
            }
            ways = next.into_iter().collect();
        }
        Ok(ways)
    }

    fn value(&self, expr: &Expr, bound: &Bound) -> Result<Value, Fault> {
        value(expr, bound, &self.model.enums)
    }

    /// All values of the sort of the variable. What it has tells the sort, unless that is a number.
    fn any(&self, bound: &Bound, name: &str) -> Vec<Value> {
        let (_, now) = bound.iter().rev().find(|(known, _)| known == name).expect("variables are declared");
        match now {
            Value::Int(_) | Value::Unset => (-WINDOW..=WINDOW).map(Value::Int).collect(),
            Value::Bool(_) => values(&Sort::Bool, &[]).expect("few"),
            Value::Literal(id, _) => values(&Sort::Enum(*id), &self.model.enums).expect("few"),
            Value::Bits(width, _) => values(&Sort::Bits(*width), &[]).expect("what is havocked has few values"),
            Value::Array(..) => panic!("{name}: arrays are not havocked here"),
        }
    }
}

/// With a new value of the innermost variable of this name.
fn set(bound: &Bound, name: &str, new: Value) -> Bound {
    let mut bound = bound.clone();
    let found = bound.iter_mut().rev().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("there is no variable {name}")).1 = new;
    bound
}
