//! Random systems with few states, about half of which violate their property.
//!
//! The property is chosen last, by the states that are known by then.

use super::explore::{explore, levels};
use super::statement::Statements;
use super::{MOST_STATES, Order, Role, Statement, Variable, Xsts};
use crate::dice::Dice;
use crate::terms::random::{Access, Fact, Maker, Wanted, goal};
use crate::terms::{Bound, Enumeration, Expr, Sort};

const VARIABLES: [&str; 12] =
    ["x", "in.ready", "$count", "_flag", "ortho", "form", "dot.x.y", "prop1", "iffy", "trueish", "to_", "Env"];
const LITERALS: [&str; 9] = ["__Inactive__", "Red", "Green", "A", "b", "$c", "idle", "busy", "Or"];

/// A system; equal dice give equal systems.
pub fn random(dice: &mut Dice) -> Xsts {
    // Drawn once, since one of them is found more easily.
    let wanted = dice.pick(&[Wanted::Reached, Wanted::Missed]);
    loop {
        if let Some(system) = attempt(dice, wanted) {
            return system;
        }
    }
}

/// None where chance made too many states, too few, or no property.
fn attempt(dice: &mut Dice, wanted: Wanted) -> Option<Xsts> {
    let enums = enums(dice);
    let facts = facts(dice, &enums);
    let variables = facts.iter().map(|fact| variable(dice, &enums, fact)).collect();
    let terms = Maker { dice, enums: &enums, scope: facts };
    let mut maker = Statements::new(terms);
    let (trans, init, env) = (trans(&mut maker), init(&mut maker), env(&mut maker));
    let mut terms = maker.terms;
    let mut model = Xsts { enums: enums.clone(), variables, trans, init, env, property: Expr::bool(true) };
    let levels = levels(&model, Order::Every, MOST_STATES).ok()?;
    let n_states: usize = levels.iter().map(Vec::len).sum();
    if levels.len() < 4 || n_states < 16 && terms.dice.percent(85) {
        return None;
    }
    let bounds: Vec<Vec<&Bound>> = levels.iter().map(|level| level.iter().map(|(_, bound)| bound).collect()).collect();
    model.property = goal(&mut terms, &bounds, wanted)?.negated();
    let found = explore(&model, Order::Every, MOST_STATES).ok()?;
    (found.violation.is_some() == (wanted == Wanted::Reached)).then_some(model)
}

/// Enumerations share literals now and then.
fn enums(dice: &mut Dice) -> Vec<Enumeration> {
    let mut unused = LITERALS.to_vec();
    dice.shuffle(&mut unused);
    let mut enums: Vec<Enumeration> = Vec::new();
    for at in 0..dice.below(3) {
        let mut literals: Vec<String> = unused.drain(..2 + dice.below(2_usize)).map(str::to_owned).collect();
        if at > 0 && dice.percent(60) {
            literals[0] = enums[0].literals[0].clone();
        }
        let name = format!("{}{at}", dice.pick(&["Mode", "Main.Region", "T_"]));
        enums.push(Enumeration { name, literals });
    }
    enums
}

fn facts(dice: &mut Dice, enums: &[Enumeration]) -> Vec<Fact> {
    let mut room = 1_usize << dice.between(4, 9_u32);
    let mut names = VARIABLES.to_vec();
    dice.shuffle(&mut names);
    let mut facts: Vec<Fact> = Vec::new();
    for name in names.drain(..2 + dice.below(5)) {
        let fact = fact(dice, enums, name);
        let n_values = fact.n_values(enums);
        if n_values <= room || facts.len() < 2 && n_values <= 16 {
            room = (room / n_values).max(1);
            facts.push(fact);
        }
    }
    facts
}

fn fact(dice: &mut Dice, enums: &[Enumeration], name: &str) -> Fact {
    let lo = dice.between(-2, 1);
    let mut hi = lo + dice.between(1, 5);
    let any_enum = |dice: &mut Dice| match enums.len() {
        0 => Sort::Bool,
        n => Sort::Enum(dice.below(n)),
    };
    let sort = match dice.below(12) {
        0..3 => Sort::Bool,
        3..6 => any_enum(dice),
        6..10 => Sort::Int,
        _ => {
            hi = lo + dice.between(1, 2);
            let index = if dice.percent(50) { Sort::Bool } else { any_enum(dice) };
            let element = if dice.percent(50) { Sort::Int } else { any_enum(dice) };
            Sort::array(index, element)
        }
    };
    Fact { name: name.to_owned(), sort, lo, hi, access: Access::Full }
}

/// Numbers start with one; others with any value now and then.
fn variable(dice: &mut Dice, enums: &[Enumeration], fact: &Fact) -> Variable {
    let is_any = fact.is_finite() && dice.percent(20);
    let role = if dice.percent(30) { Role::Control } else { Role::Plain };
    let mut maker = Maker { dice, enums, scope: Vec::new() };
    let initial = (!is_any).then(|| maker.constant(fact));
    Variable { name: fact.name.clone(), sort: fact.sort.clone(), role, initial }
}

fn trans(maker: &mut Statements<'_>) -> Vec<Statement> {
    (0..maker.terms.dice.pick(&[1, 2, 3, 3])).map(|_| some_block(maker, 2, &[1, 2, 2, 3])).collect()
}

fn init(maker: &mut Statements<'_>) -> Vec<Statement> {
    vec![some_block(maker, 1, &[0, 0, 1, 2])]
}

/// Often what sets inputs.
fn env(maker: &mut Statements<'_>) -> Vec<Statement> {
    let is_input = |fact: &&Fact| matches!(fact.sort, Sort::Bool | Sort::Enum(_));
    let inputs: Vec<Fact> = maker.terms.scope.iter().filter(is_input).cloned().collect();
    match maker.terms.dice.below(10) {
        0..5 if !inputs.is_empty() => {
            let input = maker.terms.dice.pick(&inputs);
            vec![Statement::Block(vec![Statement::Havoc(input.name)])]
        }
        0..8 => vec![Statement::Block(Vec::new())],
        8 => vec![some_block(maker, 1, &[1, 2])],
        _ => (0..2).map(|_| some_block(maker, 1, &[0, 1])).collect(),
    }
}

fn some_block(maker: &mut Statements<'_>, depth: u32, sizes: &[usize]) -> Statement {
    let n_statements = maker.terms.dice.pick(sizes);
    maker.block(depth, n_statements)
}
