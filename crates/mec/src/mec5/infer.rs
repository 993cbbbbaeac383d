//! The types of variables that are written without one.
//!
//! An argument of a relation has the type of the parameter; only where that says nothing, comparisons and the use as a
//! formula do. A variable that two relations would give different types has to be declared.

use lapidary_base::IdVec;
use lapidary_text::{Diagnostic, Diagnostics, Span};

use super::ast::{Equation, Expr, ExprKind, Name, Operator, Parameter};
use super::codes;
use super::environment::Environment;
use super::formula::{Variable, VariableData};
use super::place::{Place, place};
use super::resolve_type::{resolve, twice};
use super::types::{Scalar, TypeId, below};

/// A variable while its type is looked for.
struct Candidate {
    name: Name,
    declared: bool,
    /// With the place that gave it.
    ty: Option<(TypeId, Span)>,
}

#[derive(Clone)]
enum Side {
    Variable(Variable),
    Known(TypeId),
    /// A part of a variable.
    Part(Place),
}

struct Constraint {
    variable: Variable,
    other: Side,
    span: Span,
}

/// In which role an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Formula,
    Term,
}

struct Inference<'e, 'a> {
    environment: &'e mut Environment<'a>,
    equations: &'e [Equation],
    parameters: Vec<Vec<Variable>>,
    variables: IdVec<Variable, Candidate>,
    scope: Vec<(String, Variable)>,
    arguments: Vec<Constraint>,
    comparisons: Vec<Constraint>,
    diagnostics: Diagnostics,
}

/// The variables with their types: first the parameters of all equations, then the quantified ones, in the order in
/// which they are written. `None` if something is wrong.
pub fn infer(
    environment: &mut Environment<'_>,
    equations: &[Equation],
    diagnostics: &mut Diagnostics,
) -> Option<IdVec<Variable, VariableData>> {
    let mut inference = Inference {
        environment,
        equations,
        parameters: Vec::new(),
        variables: IdVec::new(),
        scope: Vec::new(),
        arguments: Vec::new(),
        comparisons: Vec::new(),
        diagnostics: Diagnostics::default(),
    };
    for equation in equations {
        let parameters = inference.declare(&equation.parameters);
        inference.parameters.push(parameters);
    }
    for (number, equation) in equations.iter().enumerate() {
        let names = equation.parameters.iter().map(|parameter| parameter.name.text.clone());
        inference.scope = names.zip(inference.parameters[number].iter().copied()).collect();
        inference.walk(&equation.body, Role::Formula);
    }
    if !inference.diagnostics.has_errors() {
        inference.solve();
    }
    let failed = inference.diagnostics.has_errors();
    let variables = inference.variables;
    diagnostics.list.append(&mut inference.diagnostics.list);
    if failed {
        return None;
    }
    let mut typed = IdVec::new();
    for id in variables.ids() {
        let ty = variables[id].ty.expect("what has no type is an error").0;
        typed.push(VariableData { name: variables[id].name.text.clone(), ty });
    }
    Some(typed)
}

impl Inference<'_, '_> {
    fn declare(&mut self, parameters: &[Parameter]) -> Vec<Variable> {
        for (i, parameter) in parameters.iter().enumerate() {
            if let Some(first) = parameters[..i].iter().find(|other| other.name.text == parameter.name.text) {
                self.diagnostics.push(twice("variable", &parameter.name, &first.name));
            }
        }
        let declare = |parameter: &Parameter| {
            let ty = parameter.ty.as_ref().and_then(|ty| {
                match resolve(self.environment.types, self.environment.models, ty) {
                    Ok(id) => Some((id, ty.span)),
                    Err(mut wrong) => {
                        self.diagnostics.list.append(&mut wrong);
                        None
                    }
                }
            });
            self.variables.push(Candidate { name: parameter.name.clone(), declared: parameter.ty.is_some(), ty })
        };
        parameters.iter().map(declare).collect()
    }

    fn walk(&mut self, expr: &Expr, role: Role) {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Vector(_) | ExprKind::Field(..) | ExprKind::Index(..) => {}
            ExprKind::Name(name) => {
                if let (Some(variable), Role::Formula) = (self.variable(name), role) {
                    let other = Side::Known(self.environment.types.scalar(Scalar::Bool));
                    self.comparisons.push(Constraint { variable, other, span: expr.span });
                }
            }
            ExprKind::Apply(name, arguments) => self.application(name, arguments),
            ExprKind::Not(inner) => self.walk(inner, Role::Formula),
            ExprKind::Negative(inner) => self.walk(inner, Role::Term),
            ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().for_each(|part| self.walk(part, Role::Formula)),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            ExprKind::If(condition, yes, no) => {
                self.walk(condition, Role::Formula);
                self.walk(yes, role);
                self.walk(no, role);
            }
            ExprKind::Quantified(_, variables, body) => {
                let ids = self.declare(variables);
                let before = self.scope.len();
                self.scope.extend(variables.iter().map(|variable| variable.name.text.clone()).zip(ids));
                self.walk(body, Role::Formula);
                self.scope.truncate(before);
            }
        }
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }

    fn application(&mut self, name: &Name, arguments: &[Expr]) {
        arguments.iter().for_each(|argument| self.walk(argument, Role::Term));
        let equation = self.equations.iter().position(|equation| equation.name.text == name.text);
        let targets: Vec<Side> = match equation {
            Some(number) => self.parameters[number].iter().copied().map(Side::Variable).collect(),
            None => match self.environment.signature(name) {
                Ok(signature) => signature.into_iter().map(Side::Known).collect(),
                // Its arguments have no types then, which would be no news.
                Err(mut wrong) => {
                    self.diagnostics.list.append(&mut wrong);
                    return;
                }
            },
        };
        for (argument, target) in arguments.iter().zip(targets) {
            self.argument(argument, target);
        }
    }

    fn argument(&mut self, argument: &Expr, target: Side) {
        let bare = match &argument.kind {
            ExprKind::Name(name) => self.variable(name),
            _ => None,
        };
        let (span, target) = (argument.span, target);
        match (bare, target) {
            (Some(variable), other) => self.arguments.push(Constraint { variable, other, span }),
            // A recursive use with a part of a variable tells the type of an undeclared parameter.
            (None, Side::Variable(variable)) => {
                if let Some(other) = self.side(argument) {
                    self.comparisons.push(Constraint { variable, other, span });
                }
            }
            (None, Side::Known(_) | Side::Part(_)) => {}
        }
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) {
        let role = match operator {
            Operator::Implies | Operator::Equivalent => Role::Formula,
            Operator::Equal
            | Operator::Different
            | Operator::Less
            | Operator::AtMost
            | Operator::Greater
            | Operator::AtLeast
            | Operator::Add
            | Operator::Subtract
            | Operator::Multiply => Role::Term,
        };
        self.walk(left, role);
        self.walk(right, role);
        if matches!(operator, Operator::Equal | Operator::Different) {
            let sides = (self.side(left), self.side(right));
            for (one, other, span) in [(&sides.0, &sides.1, left.span), (&sides.1, &sides.0, right.span)] {
                if let (Some(Side::Variable(variable)), Some(other)) = (one, other) {
                    self.comparisons.push(Constraint { variable: *variable, other: other.clone(), span });
                }
            }
        }
    }

    /// What an expression tells about the type of what it is compared with.
    fn side(&mut self, expr: &Expr) -> Option<Side> {
        match &expr.kind {
            ExprKind::Name(name) => self.variable(name).map(Side::Variable),
            ExprKind::Field(..) | ExprKind::Index(..) => {
                place(expr, &|name| self.variable(name)).ok().flatten().map(Side::Part)
            }
            ExprKind::Bool(_)
            | ExprKind::Apply(..)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Quantified(..) => Some(Side::Known(self.environment.types.scalar(Scalar::Bool))),
            ExprKind::If(_, yes, _) => self.side(yes),
            ExprKind::Int(_) | ExprKind::Vector(_) | ExprKind::Negative(_) | ExprKind::Binary(..) => None,
        }
    }

    fn solve(&mut self) {
        let arguments = std::mem::take(&mut self.arguments);
        let comparisons = std::mem::take(&mut self.comparisons);
        while self.spread(&arguments) {}
        self.conflicts(&arguments);
        while self.spread(&comparisons) {
            while self.spread(&arguments) {}
        }
        let unknown: Vec<Name> =
            self.variables.iter().filter(|one| one.ty.is_none()).map(|one| one.name.clone()).collect();
        for name in unknown {
            let message = format!("the type of {} is not known", name.text);
            let help = format!("write it, as in `{} : [0,7]`", name.text);
            let diagnostic = Diagnostic::error(codes::NOT_INFERRED, message, name.span, "no relation tells it");
            self.diagnostics.push(diagnostic.with_help(help));
        }
    }

    fn type_of(&mut self, side: &Side) -> Option<TypeId> {
        match side {
            Side::Known(ty) => Some(*ty),
            Side::Variable(variable) => self.variables[*variable].ty.map(|(ty, _)| ty),
            Side::Part(place) => {
                let (ty, _) = self.variables[place.variable].ty?;
                let leaves = &self.environment.types.get(ty).leaves;
                let mut inside = leaves.iter().filter(|leaf| below(&leaf.path, &place.prefix).is_some());
                let (only, more) = (inside.next()?, inside.next());
                let scalar = only.scalar.clone();
                match more.is_none() && only.path == place.prefix {
                    true => Some(self.environment.types.scalar(scalar)),
                    false => None,
                }
            }
        }
    }

    /// One round; says whether a type became known.
    fn spread(&mut self, constraints: &[Constraint]) -> bool {
        let mut changed = false;
        for Constraint { variable, other, span } in constraints {
            let (known, told) = (self.variables[*variable].ty, self.type_of(other));
            match (known, told, other) {
                (None, Some(ty), _) => self.variables[*variable].ty = Some((ty, *span)),
                (Some((ty, _)), None, Side::Variable(other)) => self.variables[*other].ty = Some((ty, *span)),
                (None, None, _) | (Some(_), Some(_), _) | (Some(_), None, Side::Known(_) | Side::Part(_)) => continue,
            }
            changed = true;
        }
        changed
    }

    fn conflicts(&mut self, constraints: &[Constraint]) {
        for Constraint { variable, other, span } in constraints {
            let (Some((ty, first)), Some(told)) = (self.variables[*variable].ty, self.type_of(other)) else { continue };
            let other_declared = match other {
                Side::Variable(other) => self.variables[*other].declared,
                Side::Known(_) | Side::Part(_) => true,
            };
            if ty == told || self.variables[*variable].declared && other_declared {
                continue;
            }
            let types = &self.environment.types;
            let name = &self.variables[*variable].name.text;
            let message = format!("{name} is used as {} and as {}", types.name(ty), types.name(told));
            let mut diagnostic = Diagnostic::error(codes::TWO_TYPES, message, *span, "one type here");
            if first != *span {
                diagnostic = diagnostic.with_label(first, "another one here");
            }
            self.diagnostics.push(diagnostic.with_help(format!("write the type of {name} where it is declared")));
        }
    }
}
