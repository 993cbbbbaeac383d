//! Functions that are known by their signature only: a table of variables that never change.

use lapidary_ir::{Expr, VarId};
use lapidary_text::Span;

use super::super::ast::{self, Name};
use super::super::codes;
use super::super::scope::{Shape, Table};
use super::super::value::{Bounds, Symbolic, Value};
use super::Elaborator;

/// One way an argument can turn out: the condition for it, unless it is the only one that is left.
struct Argument {
    conditions: Vec<Expr>,
    /// Under this condition none of them is true.
    outside: Option<Expr>,
}

impl<'a> Elaborator<'a> {
    pub(super) fn apply(&mut self, name: &Name, arguments: &[ast::Expr], span: Span) -> Value {
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
        let Some(shapes) = self.signature(name) else { return Value::Error };
        if shapes.len() != arguments.len() {
            let message = format!("`{}` has {} arguments, not {}", name.text, shapes.len(), arguments.len());
            self.error(codes::APPLICATION, message, (span, "wrong number of arguments"), "look at its signature");
            return Value::Error;
        }
        let mut cases = Vec::new();
        for ((value, shape), argument) in values.into_iter().zip(shapes).zip(arguments) {
            match self.argument(value, shape, argument.span) {
                Some(case) => cases.push(case),
                None => return Value::Error,
            }
        }
        let Some(table) = self.layout.tables.get(&name.text) else {
            let message = format!("`{}` has no values here", name.text);
            let help = "a function that is declared by its signature only has values in trees whose nodes apply it";
            self.error(codes::NOT_CONSTANT, message, (span, "no value"), help);
            return Value::Error;
        };
        if self.spend(2 * table.arguments.iter().map(Shape::n_values).product::<usize>(), span).is_none() {
            return Value::Error;
        }
        let looked_up = self.look_up(table, &cases, 0, 0, span);
        let outside: Vec<Expr> = cases.iter().filter_map(|case| case.outside).collect();
        if outside.is_empty() {
            return looked_up;
        }
        let nothing = self.choose(self.nothing(), looked_up.clone(), looked_up.clone(), span);
        self.choose(self.exprs.or(outside), nothing, looked_up, span)
    }

    fn signature(&mut self, name: &Name) -> Option<&'a [Shape]> {
        let globals = self.globals;
        let Some(declared) = globals.signatures.get(&name.text) else {
            let help = self.did_you_mean(&name.text, globals.signatures.keys(), "declare it: `sig f : D -> E;`");
            let message = format!("the function `{}` is not declared", name.text);
            self.error(codes::UNKNOWN_NAME, message, (name.span, "no signature of this name"), help);
            return None;
        };
        if declared.item >= self.item {
            self.used_before("the function", &name.text, name.span, declared.span);
            return None;
        }
        declared.content.as_ref().map(|signature| &signature.arguments[..])
    }

    /// The conditions under which an argument is each value of its domain.
    fn argument(&mut self, value: Value, shape: &Shape, span: Span) -> Option<Argument> {
        match (value, shape) {
            (Value::Error, _) | (_, Shape::Error) => None,
            (Value::Bool(value), Shape::Bool) => {
                Some(Argument { conditions: vec![self.exprs.not(value), value], outside: None })
            }
            (Value::Int(value, Bounds(bounds)), Shape::Range { lo, hi }) => {
                let conditions = (*lo..=*hi).map(|number| self.exprs.eq(value, self.exprs.int(number))).collect();
                let (from, to) = (self.exprs.int(*lo), self.exprs.int(*hi));
                let outside = self.exprs.or([self.exprs.lt(value, from), self.exprs.lt(to, value)]);
                let always = bounds.is_some_and(|(least, most)| least >= i128::from(*lo) && most <= i128::from(*hi));
                Some(Argument { conditions, outside: (!always).then_some(outside) })
            }
            (Value::Symbol(value), Shape::Enum(symbols)) => {
                let mut conditions = Vec::new();
                for symbol in symbols.iter() {
                    conditions.push(self.is_symbol(&value, symbol));
                }
                let outside = self.exprs.not(self.exprs.or(conditions.iter().copied()));
                let always = self.always_one_of(&value, symbols);
                Some(Argument { conditions, outside: (!always).then_some(outside) })
            }
            (value, shape) => {
                let message = format!("this argument is one of {}, not {}", shape.show(), value.describe());
                let help = "give the function what its signature asks for";
                self.error(codes::TYPE_MISMATCH, message, (span, "of another type"), help);
                None
            }
        }
    }

    fn is_symbol(&self, value: &Symbolic, symbol: &super::super::value::Symbol) -> Expr {
        match value {
            Symbolic::Constant(constant) => self.exprs.bool(constant == symbol),
            Symbolic::Of(of, expr) => match self.layout.enums.number(*of, symbol) {
                Some(number) => self.exprs.eq(*expr, self.exprs.literal(*of, number)),
                None => self.exprs.bool(false),
            },
            Symbolic::Choice { condition, branches, .. } => {
                let (a, b) = (self.is_symbol(&branches.0, symbol), self.is_symbol(&branches.1, symbol));
                self.exprs.ite(*condition, a, b)
            }
        }
    }

    fn always_one_of(&self, value: &Symbolic, symbols: &[super::super::value::Symbol]) -> bool {
        match value {
            Symbolic::Constant(constant) => symbols.contains(constant),
            Symbolic::Of(of, _) => self.layout.enums.symbols(*of).iter().all(|symbol| symbols.contains(symbol)),
            Symbolic::Choice { branches, .. } => {
                self.always_one_of(&branches.0, symbols) && self.always_one_of(&branches.1, symbols)
            }
        }
    }

    /// The entry of the table for the arguments from `n_fixed` on; those before chose the row `row`.
    fn look_up(&mut self, table: &Table, cases: &[Argument], n_fixed: usize, row: usize, span: Span) -> Value {
        let Some(case) = cases.get(n_fixed) else {
            let place = u32::try_from(row).expect("tables are small");
            return self.var(VarId(table.first.0 + place));
        };
        let n_values = case.conditions.len();
        let mut result = self.look_up(table, cases, n_fixed + 1, row * n_values + n_values - 1, span);
        for (number, &condition) in case.conditions.iter().enumerate().rev().skip(1) {
            let chosen = self.look_up(table, cases, n_fixed + 1, row * n_values + number, span);
            result = self.choose(condition, chosen, result, span);
        }
        result
    }
}
