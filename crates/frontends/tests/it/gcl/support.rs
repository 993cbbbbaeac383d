//! A small explicit search over models, independent of any engine: it shows what a lowered model means.

use std::collections::{BTreeMap, VecDeque};

use lapidary_base::Id;
use lapidary_frontends::asked::{Asked, Wording};
use lapidary_frontends::gcl::{self, Options};
use lapidary_ir::{Command, Destination, Domain, Expr, Ltl, Model, Node, PropertyKind, Rhs, Statement, VarId};
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostics, Sources};

pub type State = Vec<i64>;

/// Loads a text with options such as `-D N=3` and `-p x < 2`.
pub fn load_with(name: &str, text: &str, options: &[(&str, &str)]) -> (Option<Model>, Diagnostics, Sources) {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut given = Options::default();
    for &(option, value) in options {
        match (option, value.split_once('=')) {
            ("-D", Some((constant, value))) => {
                given.defines.push((constant.to_owned(), sources.add(format!("-D {constant}"), value)));
            }
            ("-p", _) => given.formulas.push(Asked {
                name: value.to_owned(),
                wording: Wording::Plain,
                source: sources.add("-p", value),
            }),
            _ => panic!("unknown option {option} {value}"),
        }
    }
    let (model, diagnostics) = gcl::load(&sources, source, &given);
    (model, diagnostics, sources)
}

pub fn show(diagnostics: &Diagnostics, sources: &Sources) -> String {
    diagnostics.list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n\n").collect()
}

/// A model that loads without errors; its warnings are part of the result.
pub fn load(text: &str) -> (Model, String) {
    let (model, diagnostics, sources) = load_with("m.gcl", text, &[]);
    let shown = show(&diagnostics, &sources);
    (model.unwrap_or_else(|| panic!("{shown}")), shown)
}

/// The value of an expression; none where it has none.
pub fn eval(model: &Model, state: &[i64], expr: Expr) -> Option<i64> {
    let value = |part: Expr| eval(model, state, part);
    let truth = |part: Expr| Some(eval(model, state, part)? != 0);
    Some(match model.exprs.node(expr) {
        Node::Bool(value) => i64::from(*value),
        Node::Int(value) => *value,
        Node::Literal(_, number) => i64::from(*number),
        Node::Bits(..) | Node::Value(..) | Node::Apply(..) => panic!("guarded commands have neither"),
        Node::Var(var) => state[var.index()],
        Node::Cell(family, index) => {
            let family = &model.families[*family];
            let index = u32::try_from(value(*index)?).ok().filter(|&index| index < family.len)?;
            state[family.var(index).index()]
        }
        Node::Not(a) => i64::from(!truth(*a)?),
        Node::And(parts) => {
            for &part in parts {
                if !truth(part)? {
                    return Some(0);
                }
            }
            1
        }
        Node::Or(parts) => {
            for &part in parts {
                if truth(part)? {
                    return Some(1);
                }
            }
            0
        }
        Node::Ite(a, b, c) => return if truth(*a)? { value(*b) } else { value(*c) },
        Node::Eq(a, b) => i64::from(value(*a)? == value(*b)?),
        Node::Lt(a, b) => i64::from(value(*a)? < value(*b)?),
        Node::Le(a, b) => i64::from(value(*a)? <= value(*b)?),
        Node::Add(parts) => parts.iter().map(|&part| value(part)).sum::<Option<i64>>()?,
        Node::Neg(a) => -value(*a)?,
        Node::Mul(a, b) => value(*a)? * value(*b)?,
        Node::Div(a, b) => value(*a)?.checked_div_euclid(value(*b)?)?,
        Node::Mod(a, b) => value(*a)?.checked_rem_euclid(value(*b)?)?,
    })
}

/// The initial states: variables that the initial condition does not fix take all their values.
pub fn initial(model: &Model) -> Vec<State> {
    let mut fixed: BTreeMap<VarId, i64> = BTreeMap::new();
    for &conjunct in &model.init {
        match *model.exprs.node(conjunct) {
            Node::Var(var) => drop(fixed.insert(var, 1)),
            Node::Not(inner) => {
                if let Node::Var(var) = *model.exprs.node(inner) {
                    fixed.insert(var, 0);
                }
            }
            Node::Eq(a, b) => {
                if let (Node::Var(var), Node::Int(_) | Node::Literal(..)) = (model.exprs.node(a), model.exprs.node(b)) {
                    fixed.insert(*var, eval(model, &[], b).unwrap());
                }
            }
            _ => {}
        }
    }
    let mut states = vec![Vec::new()];
    for (id, var) in model.vars.enumerated() {
        let values: Vec<i64> = match (fixed.get(&id), model.bounds(var.domain)) {
            (Some(&value), _) => vec![value].into_iter().filter(|&value| in_domain(model, var.domain, value)).collect(),
            (None, Some((lo, hi))) => (lo..=hi).collect(),
            (None, None) => panic!("{} starts with any integer", var.name),
        };
        let extend = |state: &State| values.iter().map(|&value| [&state[..], &[value]].concat()).collect::<Vec<_>>();
        states = states.iter().flat_map(extend).collect();
    }
    states.retain(|state| model.init.iter().all(|&conjunct| eval(model, state, conjunct) == Some(1)));
    states
}

fn in_domain(model: &Model, domain: Domain, value: i64) -> bool {
    model.bounds(domain).is_none_or(|(lo, hi)| lo <= value && value <= hi)
}

/// The successors by one command. Panics where the body could go wrong: it never may.
pub fn fire(model: &Model, state: &State, command: &Command) -> Vec<State> {
    let Statement::Sequence(parts) = &command.body else { panic!("a body is a sequence") };
    let [Statement::Assume(assumption), update] = &parts[..] else { panic!("a body assumes, then writes") };
    let enabled = eval(model, state, *assumption).unwrap_or_else(|| panic!("{}: no value in {state:?}", command.label));
    if enabled == 0 {
        return Vec::new();
    }
    let assignments = match update {
        Statement::Skip => &[][..],
        Statement::Assign(assignments) => assignments,
        other => panic!("unexpected {other:?}"),
    };
    let mut written = Vec::new();
    let mut successors = vec![state.clone()];
    for assignment in assignments {
        let var = match assignment.to {
            Destination::Var(var) => var,
            Destination::Cell(family, index) => {
                model.families[family].var(u32::try_from(eval(model, state, index).unwrap()).unwrap())
            }
        };
        assert!(!written.contains(&var), "{}: two writes in {state:?}", command.label);
        written.push(var);
        let values: Vec<i64> = match assignment.value {
            Rhs::Expr(expr) => vec![eval(model, state, expr).unwrap()],
            Rhs::Any => model.bounds(model.vars[var].domain).map(|(lo, hi)| (lo..=hi).collect()).unwrap(),
        };
        assert!(values.iter().all(|&value| in_domain(model, model.vars[var].domain, value)), "{}", command.label);
        let with = |state: &State, value: i64| {
            let mut next = state.clone();
            next[var.index()] = value;
            next
        };
        successors = successors.iter().flat_map(|state| values.iter().map(|&value| with(state, value))).collect();
    }
    successors
}

/// What a search found out.
#[derive(Default)]
pub struct Search {
    pub states: BTreeMap<State, ()>,
    pub n_transitions: usize,
    pub has_deadlock: bool,
    /// Texts of the faults of commands that happen in reachable states, with the labels.
    pub faults: BTreeMap<String, usize>,
}

/// Visits all reachable states, up to a limit.
pub fn search(model: &Model, limit: usize) -> Search {
    let mut search = Search::default();
    let mut queue: VecDeque<State> = initial(model).into();
    search.states.extend(queue.iter().map(|state| (state.clone(), ())));
    while let Some(state) = queue.pop_front() {
        let mut has_step = false;
        for command in &model.commands {
            for fault in &command.faults {
                let happens = eval(model, &state, fault.when).unwrap_or_else(|| panic!("{}: {fault:?}", command.label));
                if happens != 0 {
                    *search.faults.entry(format!("{}: {}", command.label, fault.what)).or_default() += 1;
                }
            }
            for next in fire(model, &state, command) {
                has_step = true;
                search.n_transitions += 1;
                if search.states.len() < limit && search.states.insert(next.clone(), ()).is_none() {
                    queue.push_back(next);
                }
            }
        }
        search.has_deadlock |= !has_step;
    }
    search
}

/// `holds` or `violated` for a property that is not temporal.
pub fn verdict(model: &Model, search: &Search, name: &str) -> &'static str {
    let property = &model.properties[model.property(name).unwrap()];
    let goes_wrong = |state: &State| {
        property.faults.iter().any(|fault| eval(model, state, fault.when).expect("faults have a value") != 0)
    };
    let truth = |state: &State, expr| eval(model, state, expr).expect("where no fault happens, there is a value") != 0;
    let holds = match property.kind {
        PropertyKind::Invariant(expr) => search.states.keys().all(|state| !goes_wrong(state) && truth(state, expr)),
        PropertyKind::Reach(expr) => {
            !search.states.keys().any(goes_wrong) && search.states.keys().any(|state| truth(state, expr))
        }
        PropertyKind::DeadlockFree => !search.has_deadlock,
        PropertyKind::NoErrors => search.faults.is_empty(),
        PropertyKind::Ltl(_) => panic!("temporal properties are not for this search"),
    };
    if holds { "holds" } else { "violated" }
}

/// An expression in one line, fully bracketed.
pub fn print(model: &Model, expr: Expr) -> String {
    let p = |part: &Expr| print(model, *part);
    let join = |parts: &[Expr], operator: &str| format!("({})", parts.iter().map(p).collect::<Vec<_>>().join(operator));
    match model.exprs.node(expr) {
        Node::Bool(value) => value.to_string(),
        Node::Int(value) => value.to_string(),
        Node::Literal(of, number) => model.enums[*of].literals[*number as usize].clone(),
        Node::Bits(..) | Node::Value(..) | Node::Apply(..) => panic!("guarded commands have neither"),
        Node::Var(var) => model.vars[*var].name.clone(),
        Node::Cell(family, index) => format!("{}@{}", model.families[*family].name, p(index)),
        Node::Not(a) => format!("!{}", p(a)),
        Node::And(parts) => join(parts, " & "),
        Node::Or(parts) => join(parts, " | "),
        Node::Ite(a, b, c) => format!("({} ? {} : {})", p(a), p(b), p(c)),
        Node::Eq(a, b) => format!("({} = {})", p(a), p(b)),
        Node::Lt(a, b) => format!("({} < {})", p(a), p(b)),
        Node::Le(a, b) => format!("({} <= {})", p(a), p(b)),
        Node::Add(parts) => join(parts, " + "),
        Node::Neg(a) => format!("-{}", p(a)),
        Node::Mul(a, b) => format!("({} * {})", p(a), p(b)),
        Node::Div(a, b) => format!("({} div {})", p(a), p(b)),
        Node::Mod(a, b) => format!("({} mod {})", p(a), p(b)),
    }
}

pub fn print_ltl(model: &Model, ltl: &Ltl) -> String {
    let p = |part: &Ltl| print_ltl(model, part);
    match ltl {
        Ltl::State(expr) => print(model, *expr),
        Ltl::Not(a) => format!("!{}", p(a)),
        Ltl::And(a, b) => format!("[{} && {}]", p(a), p(b)),
        Ltl::Or(a, b) => format!("[{} || {}]", p(a), p(b)),
        Ltl::Implies(a, b) => format!("[{} => {}]", p(a), p(b)),
        Ltl::Iff(a, b) => format!("[{} <=> {}]", p(a), p(b)),
        Ltl::Next(a) => format!("X {}", p(a)),
        Ltl::Finally(a) => format!("F {}", p(a)),
        Ltl::Globally(a) => format!("G {}", p(a)),
        Ltl::Until(a, b) => format!("[{} U {}]", p(a), p(b)),
        Ltl::Release(a, b) => format!("[{} R {}]", p(a), p(b)),
        Ltl::WeakUntil(a, b) => format!("[{} W {}]", p(a), p(b)),
        Ltl::StrongRelease(a, b) => format!("[{} M {}]", p(a), p(b)),
    }
}
