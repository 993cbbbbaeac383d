//! Random automata with few states, about half of which reach their error location.
//!
//! Numbers are assigned on every edge out of the initial location, to which nothing leads back then. The error location is
//! added last: its guard is chosen by the states that are known by then.

use super::explore::{explore, levels};
use super::{Cfa, Edge, Location, MOST_STATES, Process, Role, Statement, Variable};
use crate::dice::Dice;
use crate::terms::random::{Access, Fact, Maker, Wanted, goal};
use crate::terms::{Binary, Bound, Expr, Sort};

const VARIABLES: [&str; 12] =
    ["x", "y", "n_", "flag", "modulo", "initial", "notx", "_t", "bvx", "iffy", "Orb", "locked1"];
const LOCATIONS: [&str; 8] = ["Start", "L1", "loop", "errors", "l_2", "Q", "locs", "finally"];

/// An automaton; equal dice give equal automata.
pub fn random(dice: &mut Dice) -> Cfa {
    // Drawn once, since one of them is found more easily.
    let wanted = dice.pick(&[Wanted::Reached, Wanted::Missed]);
    loop {
        if let Some(cfa) = attempt(dice, wanted) {
            return cfa;
        }
    }
}

/// None where chance made too many states, too few, or no guard for the error location.
fn attempt(dice: &mut Dice, wanted: Wanted) -> Option<Cfa> {
    let facts = facts(dice);
    let mut cfa = declared(dice, &facts);
    let mut maker = Maker { dice, enums: &[], scope: facts };
    locations(&mut maker, &mut cfa.main);
    edges(&mut maker, &mut cfa.main);
    let levels = levels(&cfa, MOST_STATES / 2).ok()?;
    let n_states: usize = levels.iter().map(Vec::len).sum();
    if levels.len() < 3 || n_states < 10 && maker.dice.percent(90) {
        return None;
    }
    let place = maker.dice.pick(levels.last().expect("there are states")).0;
    let at = |(at, bound): &'_ (usize, Bound)| (*at == place).then(|| bound.clone());
    let here: Vec<Vec<Bound>> = levels.iter().map(|level| level.iter().filter_map(at).collect()).collect();
    if !here[0].is_empty() || cfa.main.locations[place].role != Role::Plain {
        return None;
    }
    // The guard is to be false for those that come here first, unless all come at once.
    let mut here: Vec<Vec<&Bound>> = here.iter().map(|level| level.iter().collect()).collect();
    here.retain(|level| !level.is_empty());
    if here.len() == 1 {
        here.insert(0, Vec::new());
    }
    let guard = goal(&mut maker, &here, wanted)?;
    add_error(&mut maker, &mut cfa.main, place, guard);
    let found = explore(&cfa, MOST_STATES).ok()?;
    (found.violation.is_some() == (wanted == Wanted::Reached)).then_some(cfa)
}

fn facts(dice: &mut Dice) -> Vec<Fact> {
    let mut room = 1_usize << dice.between(3, 7_u32);
    let mut names = VARIABLES.to_vec();
    dice.shuffle(&mut names);
    let mut facts: Vec<Fact> = Vec::new();
    for name in names.drain(..2 + dice.below(4)) {
        let fact = fact(dice, name);
        let n_values = fact.n_values(&[]);
        if n_values <= room || facts.len() < 2 && n_values <= 16 {
            room = (room / n_values).max(1);
            facts.push(fact);
        }
    }
    facts
}

fn fact(dice: &mut Dice, name: &str) -> Fact {
    let lo = dice.between(-2, 1);
    let (mut hi, mut width) = (lo + dice.between(1, 5), dice.between(1, 4_u32));
    let sort = match dice.below(12) {
        0..3 => Sort::Bool,
        3..6 => Sort::Bits(width),
        6..10 => Sort::Int,
        _ => {
            (hi, width) = (lo + dice.between(1, 2), dice.between(1, 2));
            if dice.percent(30) {
                Sort::array(Sort::Bits(2), Sort::Bool)
            } else {
                let index = dice.pick(&[Sort::Bool, Sort::Bits(1)]);
                Sort::array(index, dice.pick(&[Sort::Bool, Sort::Bits(width), Sort::Int]))
            }
        }
    };
    Fact { name: name.to_owned(), sort, lo, hi, access: Access::Full }
}

/// The variables somewhere, a hidden one now and then, and a process that never runs.
fn declared(dice: &mut Dice, facts: &[Fact]) -> Cfa {
    let mut cfa = Cfa::default();
    for fact in facts {
        let variable = Variable { name: fact.name.clone(), sort: fact.sort.clone() };
        if dice.percent(40) {
            cfa.globals.push(variable);
        } else {
            if dice.percent(6) {
                let sort = dice.pick(&[Sort::Bool, Sort::Int, Sort::Bits(3)]);
                cfa.globals.push(Variable { name: fact.name.clone(), sort });
            }
            cfa.main.variables.push(variable);
        }
    }
    cfa.main.name = dice.pick(&["main_", "P", "cfa"]).to_owned();
    if dice.percent(10) {
        let locations = vec![
            Location { name: "Start".to_owned(), role: Role::Init },
            Location { name: "Bad".to_owned(), role: Role::Error },
        ];
        let edges = vec![Edge { from: 0, to: 1, statements: Vec::new() }];
        cfa.others.push(Process { name: "other".to_owned(), variables: Vec::new(), locations, edges });
    }
    cfa
}

fn locations(maker: &mut Maker<'_>, process: &mut Process) {
    let n_locations = 3 + maker.dice.below(4_usize);
    let locations =
        LOCATIONS.iter().take(n_locations).map(|&name| Location { name: name.to_owned(), role: Role::Plain });
    process.locations.extend(locations);
    process.locations[0].role = Role::Init;
    if maker.dice.percent(40) {
        process.locations[n_locations - 1].role = Role::Final;
    }
}

/// A way to every location, and edges between some.
fn edges(maker: &mut Maker<'_>, process: &mut Process) {
    let n_locations = process.locations.len();
    let is_closed = process.locations[n_locations - 1].role == Role::Final;
    let must: Vec<Fact> = maker.scope.iter().filter(|fact| !fact.is_finite()).cloned().collect();
    for to in 1..n_locations {
        let from = if to == n_locations - 1 { maker.dice.below(to) } else { to - 1 };
        add(maker, process, &must, from, to, None);
    }
    for _ in 0..2 + maker.dice.below(n_locations + 1) {
        let from = maker.dice.below(n_locations - usize::from(is_closed));
        let least = usize::from(!must.is_empty());
        let to = least + maker.dice.below(n_locations - least);
        if maker.dice.percent(30) && from > 0 {
            // Two edges that share the states.
            let condition = maker.condition(2);
            let other = least + maker.dice.below(n_locations - least);
            add(maker, process, &must, from, to, Some(condition.clone()));
            add(maker, process, &must, from, other, Some(condition.negated()));
        } else {
            add(maker, process, &must, from, to, None);
        }
    }
}

fn add(maker: &mut Maker<'_>, process: &mut Process, must: &[Fact], from: usize, to: usize, condition: Option<Expr>) {
    let mut made = Vec::new();
    if from == 0 {
        for fact in must {
            made.push(Statement::Assign(fact.name.clone(), maker.constant(fact)));
        }
    }
    made.extend(condition.map(Statement::Assume));
    for _ in 0..maker.dice.pick(&[0, 1, 1, 1, 2, 2, 3]) {
        statements(maker, &mut made);
    }
    process.edges.push(Edge { from, to, statements: made });
}

fn statements(maker: &mut Maker<'_>, out: &mut Vec<Statement>) {
    let fact = maker.dice.pick(&maker.scope);
    let var = || Expr::var(&fact.name);
    match (maker.dice.below(10), &fact.sort) {
        (0..2, Sort::Int) => {
            let to = maker.dice.between(fact.lo, fact.hi);
            let within = [(Binary::Ge, fact.lo), (Binary::Le, to)];
            let [above, below] = within.map(|(op, bound)| Expr::binary(op, var(), Expr::int(bound)));
            out.push(Statement::Havoc(fact.name.clone()));
            out.push(Statement::Assume(Expr::binary(Binary::And, above, below)));
        }
        (0..2, _) if fact.is_finite() => out.push(Statement::Havoc(fact.name.clone())),
        (2..4, _) => out.push(Statement::Assume(maker.relation(2))),
        (4..6, Sort::Int) => {
            out.push(Statement::Assume(Expr::binary(Binary::Lt, var(), Expr::int(fact.hi))));
            out.push(Statement::Assign(fact.name.clone(), Expr::binary(Binary::Add, var(), Expr::int(1))));
        }
        (4..8, Sort::Array(index, _)) => {
            let index = maker.expr(index, 1);
            let written = Expr::write(var(), index, maker.element(&fact, 2));
            out.push(Statement::Assign(fact.name.clone(), written));
        }
        _ => out.push(Statement::Assign(fact.name.clone(), maker.source(&fact, 2))),
    }
}

/// The error location, and the edge to it; now and then also the one past it.
fn add_error(maker: &mut Maker<'_>, process: &mut Process, from: usize, guard: Expr) {
    let to = process.locations.len();
    process.locations.push(Location { name: "Error".to_owned(), role: Role::Error });
    if maker.dice.percent(50) {
        let past = to - 1;
        process.edges.push(Edge { from, to: past, statements: vec![Statement::Assume(guard.clone().negated())] });
    }
    process.edges.push(Edge { from, to, statements: vec![Statement::Assume(guard)] });
}

#[cfg(test)]
mod tests {
    use super::super::explore::visible;
    use super::*;

    #[test]
    fn what_is_visible_is_what_is_written_about() {
        for seed in 0..50 {
            let cfa = random(&mut Dice::new(seed));
            let names: Vec<String> = visible(&cfa).into_iter().map(|variable| variable.name).collect();
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            assert_eq!(names.len(), distinct.len());
        }
    }
}
