//! From written definitions to typed ones; everything that is wrong is collected.

use std::collections::BTreeSet;

use lapidary_base::{Id, IdVec};
use lapidary_text::spelling::nearest;
use lapidary_text::{Diagnostic, Diagnostics, Span};

use super::ast::{self, Expr, ExprKind, Fixpoint, Name, Operator};
use super::codes;
use super::environment::{Environment, NODE_RELATIONS, of_node};
use super::formula::{Equation, Formula, Relation, System, Term, Variable, VariableData};
use super::infer::infer;
use super::resolve_type::twice;
use super::value::{Kind, Value};

/// How often negations surround an expression: recursion is sound under an even number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Positive,
    Negative,
    /// Both, as on either side of `<=>`.
    Mixed,
}

impl Polarity {
    fn flipped(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
            Self::Mixed => Self::Mixed,
        }
    }
}

pub(super) struct Checker<'e, 'a> {
    pub environment: &'e mut Environment<'a>,
    pub variables: IdVec<Variable, VariableData>,
    pub diagnostics: Diagnostics,
    equations: &'e [ast::Equation],
    parameters: Vec<Vec<Variable>>,
    scope: Vec<(String, Variable)>,
    /// How many variables were declared so far, in the order of [`infer`].
    n_declared: usize,
    polarity: Polarity,
    mentioned: Vec<String>,
    /// Uses of the equations that are not positive: sound only of those that need no fixpoint.
    suspects: Vec<(usize, Name, Polarity)>,
}

/// Checks equations that are defined together.
pub fn check(environment: &mut Environment<'_>, equations: &[ast::Equation]) -> (Option<System>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    names(equations, &mut diagnostics);
    let Some(variables) = infer(environment, equations, &mut diagnostics) else {
        return (None, diagnostics);
    };
    let mut checker = Checker {
        environment,
        variables,
        diagnostics,
        equations,
        parameters: Vec::new(),
        scope: Vec::new(),
        n_declared: 0,
        polarity: Polarity::Positive,
        mentioned: Vec::new(),
        suspects: Vec::new(),
    };
    let checked = checker.equations();
    let (diagnostics, mentioned, variables) = (checker.diagnostics, checker.mentioned, checker.variables);
    match checked {
        Some(equations) if !diagnostics.has_errors() => (Some(System { variables, equations, mentioned }), diagnostics),
        _ => (None, diagnostics),
    }
}

/// The names of relations must be free to be taken.
fn names(equations: &[ast::Equation], diagnostics: &mut Diagnostics) {
    for (i, equation) in equations.iter().enumerate() {
        let name = &equation.name;
        if of_node(&name.text).is_some() {
            let message = format!("{} belongs to the node", name.text);
            let diagnostic = Diagnostic::error(codes::RESERVED, message, name.span, "cannot be defined");
            let relations = NODE_RELATIONS.map(|(name, _)| name).join(", ");
            diagnostics.push(diagnostic.with_help(format!("take another name; nodes have {relations}")));
        }
        if let Some(first) = equations[..i].iter().find(|other| other.name.text == name.text) {
            diagnostics.push(twice("relation", name, &first.name));
        }
    }
}

impl Checker<'_, '_> {
    fn equations(&mut self) -> Option<Vec<Equation>> {
        for equation in self.equations {
            let parameters = self.declare(equation.parameters.len());
            self.parameters.push(parameters);
        }
        let mut checked = Vec::new();
        for (number, equation) in self.equations.iter().enumerate() {
            let names = equation.parameters.iter().map(|parameter| parameter.name.text.clone());
            self.scope = names.zip(self.parameters[number].iter().copied()).collect();
            let body = self.formula(&equation.body);
            checked.push(body.map(|body| Equation {
                name: equation.name.text.clone(),
                parameters: self.parameters[number].clone(),
                fixpoint: equation.fixpoint,
                body,
            }));
        }
        let checked: Vec<Equation> = checked.into_iter().collect::<Option<_>>()?;
        self.circular(&checked);
        self.monotone(&checked);
        Some(checked)
    }

    fn declare(&mut self, n: usize) -> Vec<Variable> {
        let first = self.n_declared;
        self.n_declared += n;
        (first..first + n).map(Variable::new).collect()
    }

    /// A plain definition must not need its own value.
    fn circular(&mut self, equations: &[Equation]) {
        for (number, equation) in equations.iter().enumerate() {
            let plain = |used: usize| equations[used].fixpoint == Fixpoint::None;
            if equation.fixpoint == Fixpoint::None && needed(equations, number, plain).contains(&number) {
                let name = &self.equations[number].name;
                let message = format!("{} is defined by itself", name.text);
                let help = "write `+=` for the least solution or `-=` for the greatest one";
                let diagnostic = Diagnostic::error(codes::RECURSIVE, message, name.span, "`:=` cannot be recursive");
                self.diagnostics.push(diagnostic.with_help(help));
            }
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Variable> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }

    pub fn with_polarity<T>(&mut self, polarity: Polarity, part: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.polarity, polarity);
        let result = part(self);
        self.polarity = before;
        result
    }

    pub fn mismatch(&mut self, message: String, span: Span, label: &str) {
        self.diagnostics.push(Diagnostic::error(codes::MISMATCH, message, span, label));
    }

    pub fn formula(&mut self, expr: &Expr) -> Option<Formula> {
        match self.value(expr)? {
            Value::Formula(formula) => Some(formula),
            other => {
                let what = self.describe(&other);
                self.mismatch(format!("expected a formula, found {what}"), expr.span, "not true or false");
                None
            }
        }
    }

    pub fn value(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Bool(value) => Some(Value::Formula(Formula::Constant(*value))),
            ExprKind::Int(value) => Some(Value::Scalar(Term::Value(*value), Kind::Int)),
            ExprKind::Name(name) => self.name(name, expr),
            ExprKind::Field(..) | ExprKind::Index(..) => self.place_value(expr),
            ExprKind::Apply(name, arguments) => self.application(name, arguments).map(Value::Formula),
            ExprKind::Vector(events) => Some(Value::Vector(events.clone(), expr.span)),
            ExprKind::Not(inner) => {
                let inner = self.with_polarity(self.polarity.flipped(), |checker| checker.formula(inner))?;
                Some(Value::Formula(Formula::Not(Box::new(inner))))
            }
            ExprKind::Negative(inner) => {
                let inner = self.integer(inner)?;
                Some(Value::Scalar(Term::Negative(Box::new(inner), expr.span), Kind::Int))
            }
            ExprKind::And(parts) => self.parts(parts).map(|parts| Value::Formula(Formula::And(parts))),
            ExprKind::Or(parts) => self.parts(parts).map(|parts| Value::Formula(Formula::Or(parts))),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, expr.span),
            ExprKind::If(condition, yes, no) => self.conditional(condition, yes, no, expr.span),
            ExprKind::Quantified(quantifier, variables, body) => {
                let ids = self.declare(variables.len());
                let before = self.scope.len();
                self.scope.extend(variables.iter().map(|one| one.name.text.clone()).zip(ids.iter().copied()));
                let body = self.formula(body);
                self.scope.truncate(before);
                Some(Value::Formula(Formula::Quantified(*quantifier, ids, Box::new(body?))))
            }
        }
    }

    /// All parts are looked at, also after one that is wrong.
    fn parts(&mut self, parts: &[Expr]) -> Option<Vec<Formula>> {
        let parts: Vec<Option<Formula>> = parts.iter().map(|part| self.formula(part)).collect();
        parts.into_iter().collect()
    }

    fn name(&mut self, name: &str, expr: &Expr) -> Option<Value> {
        if self.lookup(name).is_some() {
            return self.place_value(expr);
        }
        let written = Name { text: name.to_owned(), span: expr.span };
        let is_equation = self.equations.iter().any(|equation| equation.name.text == name);
        if is_equation || self.environment.signatures.contains_key(name) {
            return self.application(&written, &[]).map(Value::Formula);
        }
        if let Some(symbol) = self.environment.types.find_symbol(name) {
            return Some(Value::Scalar(Term::Value(i64::from(symbol.0)), Kind::Enum(vec![symbol])));
        }
        let in_scope = self.scope.iter().map(|(name, _)| name.as_str());
        let relations = self.environment.signatures.keys().map(String::as_str);
        let near = nearest(name, in_scope.chain(relations).chain(self.environment.types.all_symbols()));
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no {name}"), expr.span, "not known");
        diagnostic = match near {
            Some(near) => diagnostic.with_help(format!("did you mean {near}?")),
            None => diagnostic.with_help("names are variables, relations, and literals of enumerations"),
        };
        self.diagnostics.push(diagnostic);
        None
    }

    fn application(&mut self, name: &Name, arguments: &[Expr]) -> Option<Formula> {
        let number = self.equations.iter().position(|equation| equation.name.text == name.text);
        let signature = match number {
            Some(number) => self.parameters[number].iter().map(|&one| self.variables[one].ty).collect(),
            None => match self.environment.signature(name) {
                Ok(signature) => signature,
                Err(mut wrong) => {
                    self.diagnostics.list.append(&mut wrong);
                    return None;
                }
            },
        };
        if signature.len() != arguments.len() {
            let (wanted, found) = (signature.len(), arguments.len());
            let message = format!("{} has {wanted} parameters, not {found}", name.text);
            let help = format!("its type is {}", self.environment.describe(&name.text, &signature));
            let diagnostic = Diagnostic::error(codes::ARITY, message, name.span, "wrong number of arguments");
            self.diagnostics.push(diagnostic.with_help(help));
            return None;
        }
        let relation = match number {
            Some(number) => {
                if self.polarity != Polarity::Positive {
                    self.suspects.push((number, name.clone(), self.polarity));
                }
                Relation::Equation(number)
            }
            None => {
                let is_nodes = of_node(&name.text).is_some();
                if is_nodes && !self.mentioned.contains(&name.text) {
                    self.mentioned.push(name.text.clone());
                }
                Relation::Stored(name.text.clone())
            }
        };
        let pairs: Vec<(&Expr, _)> = arguments.iter().zip(signature).collect();
        let terms = self.with_polarity(Polarity::Mixed, |checker| {
            pairs.into_iter().map(|(argument, ty)| checker.argument(argument, ty)).collect::<Vec<_>>()
        });
        Some(Formula::Apply(relation, terms.into_iter().collect::<Option<_>>()?, name.span))
    }

    /// While fixpoints are solved, what needs them may only be used positively.
    fn monotone(&mut self, equations: &[Equation]) {
        for (number, name, polarity) in std::mem::take(&mut self.suspects) {
            let mut all = needed(equations, number, |_| true);
            all.insert(number);
            if all.iter().all(|&used| equations[used].fixpoint == Fixpoint::None) {
                continue;
            }
            let label = match polarity {
                Polarity::Positive => unreachable!("positive uses are no suspects"),
                Polarity::Negative => "under an odd number of negations",
                Polarity::Mixed => "where its value and its negation both count",
            };
            let message = format!("{} is used negatively while it is being solved", name.text);
            let diagnostic = Diagnostic::error(codes::NOT_MONOTONE, message, name.span, label);
            let help = "a recursive relation may only be used positively: then a least and a greatest solution exist";
            self.diagnostics.push(diagnostic.with_help(help));
        }
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr, span: Span) -> Option<Value> {
        match operator {
            Operator::Implies => {
                let left = self.with_polarity(self.polarity.flipped(), |checker| checker.formula(left));
                let right = self.formula(right);
                let parts = vec![Formula::Not(Box::new(left?)), right?];
                Some(Value::Formula(Formula::Or(parts)))
            }
            Operator::Equivalent => self.with_polarity(Polarity::Mixed, |checker| {
                let (left, right) = (checker.formula(left), checker.formula(right));
                Some(Value::Formula(Formula::Iff(Box::new(left?), Box::new(right?))))
            }),
            Operator::Equal
            | Operator::Different
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast => {
                let compare = |checker: &mut Self| checker.comparison(operator, left, right, span);
                self.with_polarity(Polarity::Mixed, compare).map(Value::Formula)
            }
            Operator::Add | Operator::Subtract | Operator::Multiply => self.arithmetic(operator, left, right, span),
        }
    }

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr, span: Span) -> Option<Value> {
        let condition = self.with_polarity(Polarity::Mixed, |checker| checker.formula(condition));
        let (yes, no) = (self.value(yes), self.value(no));
        let condition = Box::new(condition?);
        match (yes?, no?) {
            (Value::Formula(yes), Value::Formula(no)) => {
                Some(Value::Formula(Formula::If(condition, Box::new(yes), Box::new(no))))
            }
            (Value::Scalar(yes, one), Value::Scalar(no, other)) => {
                let kind = self.joined(one, other, span)?;
                Some(Value::Scalar(Term::If(condition, Box::new(yes), Box::new(no)), kind))
            }
            (yes, no) => {
                let (yes, no) = (self.describe(&yes), self.describe(&no));
                self.mismatch(format!("the two cases are {yes} and {no}"), span, "cannot be chosen between");
                None
            }
        }
    }
}

/// The equations that one needs, directly or through others that are followed.
fn needed(equations: &[Equation], number: usize, follow: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![number];
    while let Some(next) = pending.pop() {
        let mut used = Vec::new();
        equations[next].body.equations(&mut used);
        pending.extend(used.into_iter().filter(|&used| follow(used) && seen.insert(used)));
    }
    seen
}
