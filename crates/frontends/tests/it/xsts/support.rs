//! A small search over models, independent of any engine: it shows what a lowered model means.

use std::collections::BTreeSet;

use lapidary_base::Id;
use lapidary_frontends::xsts::{self, Loaded, Options, Order};
use lapidary_ir::{Destination, Domain, Expr, Life, Model, Node, PropertyKind, Rhs, Statement, VarId, validate};
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Sources};

pub type State = Vec<i64>;
pub type States = BTreeSet<State>;

/// Loads a text and a file of properties beside it, unless that is empty.
pub fn load_with(name: &str, text: &str, properties: &str, order: Order) -> (Option<Loaded>, Diagnostics, Sources) {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut options = Options { order, ..Options::default() };
    if !properties.is_empty() {
        options.properties.push(sources.add(name.replace(".xsts", ".prop"), properties));
    }
    let (loaded, diagnostics) = xsts::load(&sources, source, &options);
    (loaded, diagnostics, sources)
}

pub fn show(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n\n").collect()
}

/// A model that loads without a word.
pub fn load_ordered(text: &str, order: Order) -> Model {
    let (loaded, diagnostics, sources) = load_with("m.xsts", text, "", order);
    let shown = show(&diagnostics, &sources);
    assert_eq!(shown, "", "{text}");
    let model = loaded.expect("there are no errors").model;
    validate::validate(&model).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    model
}

pub fn load(text: &str) -> Model {
    load_ordered(text, Order::Every)
}

/// The codes of what is told of a text.
pub fn codes_of(text: &str) -> Vec<&'static str> {
    let (_, diagnostics, _) = load_with("m.xsts", text, "", Order::Every);
    diagnostics.list.iter().map(|diagnostic| diagnostic.code).collect()
}

fn var(model: &Model, name: &str) -> VarId {
    model.vars.ids().find(|&var| model.vars[var].name == name).unwrap_or_else(|| panic!("there is no {name}"))
}

/// The values that a variable has in some reachable state.
pub fn values(model: &Model, name: &str) -> Vec<i64> {
    let var = var(model, name);
    reached(model).iter().map(|state| state[var.index()]).collect::<BTreeSet<i64>>().into_iter().collect()
}

/// Whether the first property, an invariant, holds in all reachable states.
pub fn holds(text: &str) -> bool {
    let model = load(text);
    let PropertyKind::Invariant(formula) = model.properties.iter().next().expect("a property").kind else {
        panic!("{text}: no invariant")
    };
    reached(&model).iter().all(|state| eval(&model, state, formula) != 0)
}

/// All reachable states, which must not be many.
pub fn reached(model: &Model) -> States {
    let mut found = initial(model);
    let mut open: Vec<State> = found.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for command in &model.commands {
            for next in ends(model, &command.body, [state.clone()].into()) {
                if found.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        assert!(found.len() < 5000, "the models of these tests have few states");
    }
    found
}

/// Variables that no equation fixes take all their values.
pub fn initial(model: &Model) -> States {
    let mut states = vec![Vec::new()];
    for (id, var) in model.vars.enumerated() {
        let all = match (var.life, fixed(model, id)) {
            (Life::Local, _) => vec![0],
            (Life::State, Some(value)) => vec![value],
            (Life::State, None) => all_values(model, var.domain),
        };
        let extended = states.iter().flat_map(|state: &State| all.iter().map(|&value| [&state[..], &[value]].concat()));
        states = extended.collect();
    }
    states.retain(|state| model.init.iter().all(|&part| eval(model, state, part) != 0));
    states.into_iter().collect()
}

fn fixed(model: &Model, var: VarId) -> Option<i64> {
    let is_var = |expr: &Expr| *model.exprs.node(*expr) == Node::Var(var);
    model.init.iter().find_map(|&part| match model.exprs.node(part) {
        Node::Var(this) if *this == var => Some(1),
        Node::Not(inner) if is_var(inner) => Some(0),
        Node::Eq(a, b) if is_var(a) => match model.exprs.node(*b) {
            Node::Int(value) => Some(*value),
            Node::Literal(_, number) => Some(i64::from(*number)),
            _ => None,
        },
        _ => None,
    })
}

fn all_values(model: &Model, domain: Domain) -> Vec<i64> {
    let (lo, hi) = model.bounds(domain).expect("only finite domains have all their values tried");
    (lo..=hi).collect()
}

/// The states in which a statement ends.
pub fn ends(model: &Model, statement: &Statement, from: States) -> States {
    match statement {
        Statement::Skip => from,
        Statement::Assume(condition) => from.into_iter().filter(|state| eval(model, state, *condition) != 0).collect(),
        Statement::Assign(assignments) => {
            let mut found = States::new();
            for state in from {
                let mut ends = vec![state.clone()];
                for assignment in assignments {
                    let Destination::Var(to) = assignment.to else { panic!("there are no rows") };
                    let values = match assignment.value {
                        Rhs::Expr(value) => vec![eval(model, &state, value)],
                        Rhs::Any => all_values(model, model.vars[to].domain),
                    };
                    let with = |end: &State, value: i64| {
                        let mut end = end.clone();
                        end[to.index()] = value;
                        end
                    };
                    ends = ends.iter().flat_map(|end| values.iter().map(|&value| with(end, value))).collect();
                }
                found.extend(ends);
            }
            found
        }
        Statement::Sequence(parts) => parts.iter().fold(from, |states, part| ends(model, part, states)),
        Statement::Choice(parts) => parts.iter().flat_map(|part| ends(model, part, from.clone())).collect(),
        Statement::If(condition, then, otherwise) => {
            let (yes, no) = from.into_iter().partition(|state| eval(model, state, *condition) != 0);
            ends(model, then, yes).into_iter().chain(ends(model, otherwise, no)).collect()
        }
        Statement::While(condition, body) => {
            let (mut open, mut done) = (from, States::new());
            while !open.is_empty() {
                let (again, ready): (States, States) =
                    open.into_iter().partition(|state| eval(model, state, *condition) != 0);
                done.extend(ready);
                open = ends(model, body, again);
            }
            done
        }
        Statement::Scope(vars, body) => {
            let reset = |mut state: State| {
                vars.iter().for_each(|var| state[var.index()] = 0);
                state
            };
            ends(model, body, from.into_iter().map(reset).collect()).into_iter().map(reset).collect()
        }
    }
}

/// The value of an expression.
pub fn eval(model: &Model, state: &[i64], expr: Expr) -> i64 {
    let value = |part: Expr| eval(model, state, part);
    match model.exprs.node(expr) {
        Node::Bool(value) => i64::from(*value),
        Node::Int(value) => *value,
        Node::Literal(_, number) => i64::from(*number),
        Node::Var(var) => state[var.index()],
        Node::Not(a) => 1 - value(*a),
        Node::And(parts) => i64::from(parts.iter().all(|&part| value(part) != 0)),
        Node::Or(parts) => i64::from(parts.iter().any(|&part| value(part) != 0)),
        Node::Ite(a, b, c) => value(if value(*a) != 0 { *b } else { *c }),
        Node::Eq(a, b) => i64::from(value(*a) == value(*b)),
        Node::Lt(a, b) => i64::from(value(*a) < value(*b)),
        Node::Le(a, b) => i64::from(value(*a) <= value(*b)),
        Node::Add(parts) => parts.iter().map(|&part| value(part)).sum(),
        Node::Neg(a) => -value(*a),
        Node::Mul(a, b) => value(*a) * value(*b),
        Node::Div(a, b) => value(*a).div_euclid(value(*b)),
        Node::Mod(a, b) => value(*a).rem_euclid(value(*b)),
        Node::Cell(..) | Node::Bits(..) | Node::Value(..) | Node::Apply(..) => {
            panic!("the models of these tests have numbers only")
        }
    }
}
