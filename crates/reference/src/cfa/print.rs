//! Prints an automaton as `.cfa` text, differently for each seed: order of declarations, parentheses, white space, comments.

use super::{Cfa, Edge, Location, Process, Role, Statement, Variable};
use crate::dice::Dice;
use crate::terms::spacing::{BREAK, join};
use crate::terms::{Dialect, Printer, parentheses, sort_tokens};

impl Cfa {
    /// Equal seeds give equal texts.
    pub fn to_cfa(&self, seed: u64) -> String {
        let mut dice = Dice::new(seed ^ 0x7072_696e);
        let generosity = parentheses(&mut dice);
        let mut terms = Printer { dialect: Dialect::Cfa, enums: &[], dice: Dice::new(dice.roll()), generosity };
        let mut items: Vec<Vec<String>> = self.globals.iter().map(variable).collect();
        items.push([vec!["main".to_owned()], process(&mut terms, &self.main)].concat());
        items.extend(self.others.iter().map(|other| process(&mut terms, other)));
        if dice.percent(30) {
            dice.shuffle(&mut items);
        }
        join(&items.join(&BREAK.to_owned()), &mut dice)
    }
}

fn variable(variable: &Variable) -> Vec<String> {
    let mut tokens = ["var", &variable.name, ":"].map(str::to_owned).to_vec();
    tokens.extend(sort_tokens(Dialect::Cfa, &variable.sort, &[]));
    tokens
}

fn process(terms: &mut Printer<'_>, process: &Process) -> Vec<String> {
    let mut items: Vec<Vec<String>> = process.variables.iter().map(variable).collect();
    items.extend(process.locations.iter().map(location));
    items.extend(process.edges.iter().map(|each| edge(terms, process, each)));
    // Edges may come before the locations that they join.
    if terms.dice.percent(20) {
        terms.dice.shuffle(&mut items);
    }
    let mut tokens = ["process", &process.name].map(str::to_owned).to_vec();
    if terms.dice.percent(20) {
        tokens.extend(["(", ")"].map(str::to_owned));
    }
    tokens.push("{".to_owned());
    for item in items {
        tokens.push(BREAK.to_owned());
        tokens.extend(item);
    }
    tokens.extend([BREAK, "}"].map(str::to_owned));
    tokens
}

fn location(location: &Location) -> Vec<String> {
    let role = match location.role {
        Role::Plain => None,
        Role::Init => Some("init"),
        Role::Final => Some("final"),
        Role::Error => Some("error"),
    };
    role.into_iter().chain(["loc", &location.name]).map(str::to_owned).collect()
}

/// Without braces now and then where there is nothing in them.
fn edge(terms: &mut Printer<'_>, process: &Process, edge: &Edge) -> Vec<String> {
    let name = |at: usize| process.locations[at].name.clone();
    let mut tokens = vec![name(edge.from), "->".to_owned(), name(edge.to)];
    if edge.statements.is_empty() && terms.dice.percent(60) {
        return tokens;
    }
    tokens.push("{".to_owned());
    let is_long = edge.statements.len() > 1;
    for statement in &edge.statements {
        if is_long {
            tokens.push(BREAK.to_owned());
        }
        match statement {
            Statement::Assign(name, value) => {
                tokens.extend([name, ":="].map(str::to_owned));
                terms.whole(&mut tokens, value);
            }
            Statement::Havoc(name) => tokens.extend(["havoc", name].map(str::to_owned)),
            Statement::Assume(condition) => {
                tokens.push("assume".to_owned());
                terms.whole(&mut tokens, condition);
            }
        }
    }
    if is_long {
        tokens.push(BREAK.to_owned());
    }
    tokens.push("}".to_owned());
    tokens
}
