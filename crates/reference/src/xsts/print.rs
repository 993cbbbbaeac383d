//! Prints a system as `.xsts` text, differently for each seed: parentheses, braces, short literals, white space, comments.

use super::{Role, Statement, Variable, Xsts};
use crate::dice::Dice;
use crate::terms::spacing::{BREAK, join, tidy};
use crate::terms::{Dialect, Printer, parentheses, sort_tokens};

impl Xsts {
    /// The text without the property.
    pub fn body(&self, seed: u64) -> String {
        let mut dice = Dice::new(seed ^ 0x626f_6479);
        let mut text = Text::new(self, &mut dice);
        text.types();
        self.variables.iter().for_each(|variable| text.variable(variable));
        for (word, set) in [("trans", &self.trans), ("init", &self.init), ("env", &self.env)] {
            text.set(word, set);
        }
        join(&text.out, &mut dice)
    }

    /// The property alone, in one line.
    pub fn condition(&self) -> String {
        let mut text = Text::new(self, &mut Dice::new(0));
        text.terms.generosity = 0;
        text.terms.whole(&mut text.out, &self.property);
        tidy(&text.out)
    }

    /// The property as a `.prop` file has it.
    pub fn property(&self, seed: u64) -> String {
        let mut dice = Dice::new(seed ^ 0x7072_6f70);
        let mut text = Text::new(self, &mut dice);
        text.push(&["prop", "{"]);
        text.terms.whole(&mut text.out, &self.property);
        text.push(&["}"]);
        join(&text.out, &mut dice)
    }
}

struct Text<'a> {
    model: &'a Xsts,
    terms: Printer<'a>,
    out: Vec<String>,
}

impl<'a> Text<'a> {
    fn new(model: &'a Xsts, dice: &mut Dice) -> Self {
        let generosity = parentheses(dice);
        let dice = Dice::new(dice.roll());
        Text {
            model,
            terms: Printer { dialect: Dialect::Xsts, enums: &model.enums, dice, generosity },
            out: Vec::new(),
        }
    }

    fn push(&mut self, tokens: &[&str]) {
        self.out.extend(tokens.iter().map(|&token| token.to_owned()));
    }

    fn types(&mut self) {
        for enumeration in &self.model.enums {
            self.push(&[BREAK, "type", &enumeration.name, ":", "{"]);
            for (at, literal) in enumeration.literals.iter().enumerate() {
                if at > 0 {
                    self.push(&[","]);
                }
                self.push(&[literal]);
            }
            self.push(&["}"]);
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.push(&[BREAK]);
        match variable.role {
            Role::Plain => {}
            Role::Control => self.push(&["ctrl"]),
        }
        self.push(&["var", &variable.name, ":"]);
        self.out.extend(sort_tokens(Dialect::Xsts, &variable.sort, &self.model.enums));
        if let Some(initial) = &variable.initial {
            self.push(&["="]);
            self.terms.known(&mut self.out, initial);
        }
    }

    fn set(&mut self, word: &str, set: &[Statement]) {
        self.push(&[BREAK, word]);
        for (at, statement) in set.iter().enumerate() {
            if at > 0 {
                self.push(&["or"]);
            }
            self.part(statement);
        }
    }

    /// A branch or a body: a block, or a statement that cannot take what follows for its own.
    fn part(&mut self, statement: &Statement) {
        match statement {
            Statement::Block(inner) => match inner.as_slice() {
                [only] if is_simple(only) && self.terms.dice.percent(30) => self.statement(only),
                inner => self.block(inner),
            },
            other if is_simple(other) && self.terms.dice.percent(70) => self.statement(other),
            other => self.block(std::slice::from_ref(other)),
        }
    }

    /// A part with nothing behind it but the end of a block, so that it may be an `if` or a loop without braces.
    fn last_part(&mut self, statement: &Statement) {
        let only = match statement {
            Statement::Block(inner) if inner.len() == 1 => &inner[0],
            other => other,
        };
        match only {
            Statement::If(..) | Statement::For(..) if self.terms.dice.percent(50) => self.statement(only),
            _ => self.part(statement),
        }
    }

    fn block(&mut self, inner: &[Statement]) {
        self.push(&["{"]);
        for (at, statement) in inner.iter().enumerate() {
            self.push(&[BREAK]);
            // What follows would be one more branch.
            let takes_more = matches!(statement, Statement::Ort(_)) && at + 1 < inner.len();
            if takes_more {
                self.block(std::slice::from_ref(statement));
            } else {
                self.statement(statement);
            }
        }
        self.push(&[BREAK, "}"]);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Local { name, sort, initial } => {
                self.push(&["local", "var", name, ":"]);
                self.out.extend(sort_tokens(Dialect::Xsts, sort, &self.model.enums));
                if let Some(initial) = initial {
                    self.push(&["="]);
                    self.terms.known(&mut self.out, initial);
                }
                self.push(&[";"]);
            }
            Statement::Assign(name, value) => {
                self.push(&[name, ":="]);
                self.terms.known(&mut self.out, value);
                self.push(&[";"]);
            }
            Statement::Write(name, index, value) => {
                self.push(&[name, "["]);
                self.terms.whole(&mut self.out, index);
                self.push(&["]", ":="]);
                self.terms.whole(&mut self.out, value);
                self.push(&[";"]);
            }
            Statement::Havoc(name) => self.push(&["havoc", name, ";"]),
            Statement::Assume(condition) => {
                self.push(&["assume"]);
                self.terms.whole(&mut self.out, condition);
                self.push(&[";"]);
            }
            Statement::Block(inner) => self.block(inner),
            Statement::Choice(_) | Statement::If(..) | Statement::Ort(_) | Statement::For(..) => {
                self.compound(statement)
            }
        }
    }

    fn compound(&mut self, statement: &Statement) {
        match statement {
            Statement::Choice(branches) => {
                self.push(&["choice"]);
                for (at, branch) in branches.iter().enumerate() {
                    if at > 0 {
                        self.push(&["or"]);
                    }
                    self.part(branch);
                }
            }
            Statement::Ort(branches) => {
                self.push(&["ort"]);
                branches.iter().for_each(|branch| self.part(branch));
            }
            Statement::If(condition, yes, no) => {
                self.push(&["if", "("]);
                self.terms.whole(&mut self.out, condition);
                self.push(&[")"]);
                self.part(yes);
                if let Some(no) = no {
                    self.push(&["else"]);
                    self.last_part(no);
                }
            }
            Statement::For(name, from, to, body) => {
                self.push(&["for", name, "from"]);
                self.terms.whole(&mut self.out, from);
                self.push(&["to"]);
                self.terms.whole(&mut self.out, to);
                self.push(&["do"]);
                self.last_part(body);
            }
            other => self.statement(other),
        }
    }
}

/// Ends with a semicolon of its own, and declares nothing.
fn is_simple(statement: &Statement) -> bool {
    match statement {
        Statement::Assign(..) | Statement::Write(..) | Statement::Havoc(_) | Statement::Assume(_) => true,
        Statement::Local { .. } | Statement::Choice(_) | Statement::If(..) | Statement::Ort(_) => false,
        Statement::Block(_) | Statement::For(..) => false,
    }
}
