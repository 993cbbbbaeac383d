//! Random expressions over named variables, fully parenthesised.

use super::{Arithmetic, Named, Sort};
use crate::dice::Dice;

pub(crate) struct Maker<'a> {
    pub dice: &'a mut Dice,
    pub vars: &'a [Named],
    pub arithmetic: Arithmetic,
}

const COLOURS: [&str; 3] = ["red", "green", "blue"];

impl Maker<'_> {
    pub(crate) fn of(&mut self, sort: Sort, depth: usize) -> String {
        match sort {
            Sort::Bool => self.truth(depth),
            Sort::Int(_) => self.number(depth),
            Sort::Colour => self.colour(depth),
        }
    }

    fn var(&mut self, is_wanted: impl Fn(Sort) -> bool) -> Option<String> {
        let fitting: Vec<&str> =
            self.vars.iter().filter(|var| is_wanted(var.sort)).map(|var| var.path.as_str()).collect();
        (!fitting.is_empty()).then(|| self.dice.pick(&fitting).to_owned())
    }

    pub(crate) fn truth(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.percent(20) {
            let var = self.var(|sort| sort == Sort::Bool);
            return var.unwrap_or_else(|| self.dice.pick(&["true", "true", "false"]).to_owned());
        }
        let deeper = depth - 1;
        match self.dice.below(9) {
            0 => format!("(not {})", self.truth(deeper)),
            1 => format!("({} and {})", self.truth(deeper), self.truth(deeper)),
            2 => format!("({} or {})", self.truth(deeper), self.truth(deeper)),
            3 => format!("({} => {})", self.truth(deeper), self.truth(deeper)),
            4 => format!("(if {} then {} else {})", self.truth(deeper), self.truth(deeper), self.truth(deeper)),
            5 => format!("({} = {})", self.colour(deeper), self.colour(deeper)),
            6 => format!("({} != {})", self.colour(deeper), self.colour(deeper)),
            _ => {
                let operator = self.dice.pick(&["=", "!=", "<", "<=", ">", ">="]).to_owned();
                format!("({} {operator} {})", self.number(deeper), self.number(deeper))
            }
        }
    }

    fn colour(&mut self, depth: usize) -> String {
        if depth > 1 && self.dice.percent(20) {
            return format!("({} ? {} : {})", self.truth(depth - 1), self.colour(depth - 1), self.colour(depth - 1));
        }
        let var = if self.dice.percent(60) { self.var(|sort| sort == Sort::Colour) } else { None };
        var.unwrap_or_else(|| self.dice.pick(&COLOURS).to_owned())
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.percent(30) {
            let var = if self.dice.percent(70) { self.var(|sort| matches!(sort, Sort::Int(_))) } else { None };
            return var.unwrap_or_else(|| self.dice.pick(&["0", "1", "2", "Top"]).to_owned());
        }
        let deeper = depth - 1;
        match self.dice.below(8) {
            0 | 1 => format!("({} + {})", self.number(deeper), self.number(deeper)),
            2 => format!("({} - {})", self.number(deeper), self.number(deeper)),
            3 => format!("min({}, {})", self.number(deeper), self.number(deeper)),
            4 => format!("max({}, {})", self.number(deeper), self.number(deeper)),
            5 => format!("({} ? {} : {})", self.truth(deeper), self.number(deeper), self.number(deeper)),
            6 if self.arithmetic == Arithmetic::Partial => {
                let operator = self.dice.pick(&["/", "mod"]).to_owned();
                format!("({} {operator} {})", self.number(deeper), self.number(deeper))
            }
            _ => {
                let (condition, a, b) = (self.truth(deeper), self.number(deeper), self.number(deeper));
                format!("case {{ {condition} : {a}, else {b} }}")
            }
        }
    }

    /// A value that stays in the domain most of the time.
    pub(crate) fn assigned(&mut self, sort: Sort, depth: usize) -> String {
        let value = self.of(sort, depth);
        match sort {
            Sort::Int(most) if self.dice.percent(70) => format!("min({most}, max(0, {value}))"),
            Sort::Bool | Sort::Int(_) | Sort::Colour => value,
        }
    }

    /// A constant of the domain, for a beginning.
    pub(crate) fn initial(&mut self, sort: Sort) -> String {
        match sort {
            Sort::Bool => self.dice.pick(&["true", "false"]).to_owned(),
            Sort::Int(most) => format!("min({most}, {})", self.dice.pick(&["0", "1", "2", "Top"])),
            Sort::Colour => self.dice.pick(&COLOURS).to_owned(),
        }
    }
}
