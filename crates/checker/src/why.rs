//! Why a state violates an invariant, and why nothing can happen in it: in the words of the source, no longer than people read.

use lapidary_base::Id;
use lapidary_base::hash::{Map, Set};
use lapidary_ir::model::Raw;
use lapidary_ir::net::{Net, Transition, TransitionId};
use lapidary_ir::{Command, CommandId, Declarations, Destinations, Domain, Expr, Model, Node, PlaceId, VarId, print};

use crate::eval;
use crate::explain::{failing_conjunct, responsible_fault};
use crate::words;

/// So many letters of a condition are shown.
const MOST_LETTERS: usize = 160;
/// So many values of the variables that it speaks about.
const MOST_VALUES: usize = 8;
/// So far down is looked for the part that is to blame: each level evaluates what is below it again.
const DEEPEST: usize = 64;
/// So many nodes of a condition are looked at for its variables.
const MOST_NODES: usize = 10_000;
/// So many groups of commands are listed, and of each so many.
const MOST_GROUPS: usize = 12;
const MOST_ALIKE: usize = 3;

/// How the things are called that have no step.
#[derive(Clone, Copy)]
pub enum Steps<'a> {
    Commands,
    /// Of a hierarchy.
    Events,
    Transitions(&'a Net),
}

/// `pc = crit holds, but x < 3 is false: pc = crit, x = 4`, of the part of a false formula that is to blame. Where that is all
/// of it, the words of the source are better, if they are known.
pub fn false_part(model: &Declarations, formula: Expr, source: Option<&str>, state: &[Raw]) -> String {
    let Blamed { given, part } = blamed(model, formula, state);
    let whole = source.filter(|_| part == formula);
    let is = match eval::truth(model, part, state) {
        Ok(true) => "is true",
        Ok(false) => "is false",
        Err(_) => "has no value",
    };
    let holds = if given.len() == 1 { "holds" } else { "hold" };
    let but = match &given[..] {
        [] => String::new(),
        given => {
            let given: Vec<String> = given.iter().map(|&part| shown(model, part)).collect();
            format!("{} {holds}, but ", given.join(" and "))
        }
    };
    let all: Vec<Expr> = given.iter().copied().chain([part]).collect();
    let said = whole.map_or_else(|| shown(model, part), cut);
    format!("{but}{said} {is}{}", values_of(model, &all, state))
}

/// What makes a formula false.
struct Blamed {
    /// The conditions under which it matters.
    given: Vec<Expr>,
    part: Expr,
}

/// So many conditions are told.
const MOST_GIVEN: usize = 3;

/// The innermost part that makes a formula false. Of a conjunction, and of a disjunction that should not hold, one part is
/// enough. `a -> b` matters where `a` holds, and then `b` is to blame. Of others all parts matter.
fn blamed(model: &Declarations, formula: Expr, state: &[Raw]) -> Blamed {
    let (mut expr, mut wanted) = (formula, true);
    // A negation is shown with what it negates.
    let mut blamed = Blamed { given: Vec::new(), part: expr };
    for _ in 0..DEEPEST {
        let is_to_blame = |part: &&Expr| eval::truth(model, **part, state) != Ok(wanted);
        let next = match (model.exprs.node(expr), wanted) {
            (Node::And(parts), true) | (Node::Or(parts), false) => parts.iter().find(is_to_blame).copied(),
            (Node::Or(parts), true) => match premises(model, parts) {
                Some((premises, last)) if blamed.given.len() + premises.len() <= MOST_GIVEN => {
                    blamed.given.extend(premises);
                    Some(last)
                }
                Some(_) | None => None,
            },
            (Node::Not(inner), _) => {
                (expr, wanted) = (*inner, !wanted);
                continue;
            }
            _ => None,
        };
        let Some(next) = next else { break };
        expr = next;
        blamed.part = expr;
    }
    blamed
}

/// The premises and the conclusion of `a -> b -> c`, which is `!a | !b | c`.
fn premises(model: &Declarations, parts: &[Expr]) -> Option<(Vec<Expr>, Expr)> {
    let (&last, before) = parts.split_last()?;
    let premise = |&part: &Expr| match model.exprs.node(part) {
        Node::Not(inner) => Some(*inner),
        _ => None,
    };
    Some((before.iter().map(premise).collect::<Option<Vec<_>>>()?, last))
}

fn shown(model: &Declarations, expr: Expr) -> String {
    cut(&print::show(model, expr))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// `: x = 3, pc = idle`; nothing where the conditions themselves name the values, as `x`, `!x` and a true `x = 3` do.
fn values_of(model: &Declarations, exprs: &[Expr], state: &[Raw]) -> String {
    let names_value = |&expr: &Expr| match words::required_value(model, expr) {
        Some((var, value)) => state[var.index()] == value || model.vars[var].domain == Domain::Bool,
        None => false,
    };
    let open: Vec<Expr> = exprs.iter().copied().filter(|expr| !names_value(expr)).collect();
    let (vars, n_more) = variables(model, &open, state);
    if vars.is_empty() {
        return String::new();
    }
    let value = |&var: &VarId| format!("{} = {}", model.vars[var].name, words::value(model, var, state[var.index()]));
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!(": {}{more}", vars.iter().map(value).collect::<Vec<_>>().join(", "))
}

/// The first variables that the values of expressions depend on here, and how many there are beside.
fn variables(model: &Declarations, exprs: &[Expr], state: &[Raw]) -> (Vec<VarId>, usize) {
    let (mut found, mut seen) = (Vec::new(), Set::default());
    let mut open: Vec<Expr> = exprs.iter().rev().copied().collect();
    let (mut known, mut n_more, mut n_left) = (Set::default(), 0, MOST_NODES);
    while let Some(expr) = open.pop().filter(|_| n_left > 0) {
        n_left -= 1;
        if !seen.insert(expr) {
            continue;
        }
        let var = match model.exprs.node(expr) {
            Node::Var(var) => Some(*var),
            Node::Cell(family, index) => {
                let family = &model.families[*family];
                let index = eval::eval(model, *index, state).ok().and_then(|index| u32::try_from(index).ok());
                index.filter(|&index| index < family.len).map(|index| family.var(index))
            }
            _ => None,
        };
        if let Some(var) = var.filter(|&var| known.insert(var)) {
            if found.len() < MOST_VALUES { found.push(var) } else { n_more += 1 }
        }
        let place = open.len();
        model.exprs.for_each_part(expr, |part| open.push(part));
        open[place..].reverse();
    }
    (found, n_more)
}

/// What is said of a state without steps: a sentence, then a line for each of the first commands.
pub fn blocked(model: &Model, steps: Steps<'_>, state: &[Raw]) -> Vec<String> {
    let (noun, head) = match steps {
        Steps::Commands => ("commands", "no command has a step"),
        Steps::Events => ("events", "no event is possible"),
        Steps::Transitions(_) => ("transitions", "no transition can fire"),
    };
    let groups = groups(model);
    if groups.is_empty() {
        return vec![format!("{head}: there is none")];
    }
    let mut lines = vec![format!("{head}:")];
    for (first, size) in groups.iter().take(MOST_GROUPS) {
        lines.extend(first.iter().map(|&id| format!("  {}", hindrance(model, steps, id, state))));
        if *size > first.len() {
            lines.push(format!("  ... and {} more like {}", size - first.len(), model.commands[first[0]].label));
        }
    }
    let n_left: usize = groups.iter().skip(MOST_GROUPS).map(|(_, size)| size).sum();
    if n_left > 0 {
        lines.push(format!("  ... and {n_left} more {noun}"));
    }
    lines
}

/// Instances of one source command, idle ones apart: the first of them, and how many they are.
fn groups(model: &Model) -> Vec<(Vec<CommandId>, usize)> {
    let mut groups: Vec<(Vec<CommandId>, usize)> = Vec::new();
    let mut places: Map<_, usize> = Map::default();
    for (id, command) in model.commands.enumerated().filter(|(_, command)| !command.is_idle) {
        let place = *places.entry(command.span).or_insert(groups.len());
        if place == groups.len() {
            groups.push((Vec::new(), 0));
        }
        let (first, size) = &mut groups[place];
        *size += 1;
        if first.len() < MOST_ALIKE {
            first.push(id);
        }
    }
    groups
}

/// `P[0].enter: turn = 0 is false: turn = 1`
fn hindrance(model: &Model, steps: Steps<'_>, id: CommandId, state: &[Raw]) -> String {
    let Command { label, .. } = &model.commands[id];
    if let Steps::Transitions(net) = steps
        && let Some(why) = lack(net, TransitionId(id.0), state)
    {
        return format!("{label}: {why}");
    }
    if let Some(fault) = responsible_fault(model, id, state) {
        return format!("{label}: it would err, {}", fault.what);
    }
    match failing_conjunct(model, id, state) {
        Some(part) => format!("{label}: {}", false_part(model, part, None, state)),
        None => format!("{label}: what it would assign is not allowed"),
    }
}

/// The first place that keeps a transition from firing.
fn lack(net: &Net, id: TransitionId, state: &[Raw]) -> Option<String> {
    let transition = net.transitions.get(id)?;
    let has = |place: PlaceId| u64::try_from(state[place.index()]).unwrap_or(0);
    let told = |place: PlaceId, needed: String| {
        let tokens = if has(place) == 1 { "token" } else { "tokens" };
        Some(format!("{} has {} {tokens}, {needed}", net.places[place].name, has(place)))
    };
    for guard in &transition.guards {
        if has(guard.place) < guard.range.lo {
            return told(guard.place, format!("{} needed", counted(guard.range.lo)));
        }
        if let Some(hi) = guard.range.hi.filter(|&hi| has(guard.place) > hi) {
            return told(guard.place, format!("at most {hi} allowed"));
        }
    }
    let lacking = transition.take.iter().find(|&&(place, tokens)| has(place) < tokens);
    if let Some(&(place, tokens)) = lacking {
        return told(place, format!("{} needed", counted(tokens)));
    }
    let is_short =
        |&&(place, tokens): &&(PlaceId, i64)| tokens < 0 && arrives(transition, place, &has) < tokens.unsigned_abs();
    let (place, _) = transition.put.iter().find(is_short)?;
    Some(format!("too few tokens come to {}", net.places[*place].name))
}

/// `1 is`, `2 are`
fn counted(tokens: u64) -> String {
    if tokens == 1 { "1 is".to_owned() } else { format!("{tokens} are") }
}

/// How many tokens are in a place before any are put, as long as none of them has a choice.
fn arrives(transition: &Transition, place: PlaceId, has: &dyn Fn(PlaceId) -> u64) -> u64 {
    let left = |from: PlaceId| {
        let taken = transition.take.iter().find(|&&(taken, _)| taken == from).map_or(0, |&(_, tokens)| tokens);
        has(from).saturating_sub(taken)
    };
    let stays = transition.flows.iter().all(|flow| flow.from != place);
    let mut sum = if stays { left(place) } else { 0 };
    for flow in &transition.flows {
        match &flow.to {
            Destinations::All(to) => {
                let times = to.iter().filter(|&&(to, _)| to == place).map(|&(_, times)| times);
                times.for_each(|times| sum = sum.saturating_add(times.saturating_mul(left(flow.from))));
            }
            Destinations::One(to) => {
                if to.contains(&place) {
                    sum = sum.saturating_add(left(flow.from));
                }
            }
        }
    }
    sum
}
