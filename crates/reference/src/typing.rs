//! Checks that random models are well-typed, in all branches, also those never evaluated.

use crate::ast::{
    Binary, Binder, Claim, Command, Expr, Initial, Model, Owner, Place, Process, Quantifier, Source, Type, Unary,
    Variable,
};
use crate::random::Shape;
use crate::random_expr::Kind;

struct Check<'a> {
    model: &'a Model,
    own: Option<&'a Process>,
    bound: Vec<&'a str>,
}

impl<'a> Check<'a> {
    fn expect(&mut self, expr: &'a Expr, kind: Kind) -> Kind {
        assert_eq!(self.kind(expr), kind, "{expr:?}");
        kind
    }

    fn kind(&mut self, expr: &'a Expr) -> Kind {
        match expr {
            Expr::Bool(_) => Kind::Bool,
            Expr::Int(_) => Kind::Int,
            Expr::Literal(id, literal) => {
                assert!(*literal < self.model.enums[id.0].literals.len());
                Kind::Enum(*id)
            }
            Expr::Const(id) => self.closed(&self.model.constants[id.0].value),
            Expr::Define(id) => self.closed(&self.model.defines[id.0].value),
            Expr::Bound(name) => {
                assert!(self.bound.contains(&name.as_str()), "{name} is bound");
                Kind::Int
            }
            Expr::Read(place) => self.place(place),
            Expr::Unary(Unary::Not, operand) => self.expect(operand, Kind::Bool),
            Expr::Unary(Unary::Neg | Unary::Abs, operand) => self.expect(operand, Kind::Int),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::If(condition, yes, no) => {
                self.expect(condition, Kind::Bool);
                let kind = self.kind(yes);
                self.expect(no, kind)
            }
            Expr::Quantified(quantifier, binder, body) => {
                self.bind(binder);
                let kind = match quantifier {
                    Quantifier::Sum => self.expect(body, Kind::Int),
                    Quantifier::Forall | Quantifier::Exists => self.expect(body, Kind::Bool),
                    Quantifier::Count => {
                        self.expect(body, Kind::Bool);
                        Kind::Int
                    }
                };
                self.bound.pop();
                kind
            }
        }
    }

    /// The kind of a constant or a define, which sees nothing of what is around its use.
    fn closed(&self, expr: &'a Expr) -> Kind {
        Check { model: self.model, own: None, bound: Vec::new() }.kind(expr)
    }

    fn bind(&mut self, binder: &'a Binder) {
        assert_eq!(self.closed(&binder.lo), Kind::Int);
        assert_eq!(self.closed(&binder.hi), Kind::Int);
        assert!(!self.bound.contains(&binder.name.as_str()), "{} shadows", binder.name);
        self.bound.push(&binder.name);
    }

    fn binary(&mut self, op: Binary, left: &'a Expr, right: &'a Expr) -> Kind {
        let (operands, result) = match op {
            Binary::Iff | Binary::Implies | Binary::Or | Binary::And => (Kind::Bool, Kind::Bool),
            Binary::Eq | Binary::Ne => (self.kind(left), Kind::Bool),
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => (Kind::Int, Kind::Bool),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod | Binary::Min | Binary::Max => {
                (Kind::Int, Kind::Int)
            }
        };
        self.expect(left, operands);
        self.expect(right, operands);
        result
    }

    fn place(&mut self, place: &'a Place) -> Kind {
        let variables = match &place.owner {
            Owner::Global => &self.model.variables,
            Owner::Own => &self.own.expect("own variables are inside a process").variables,
            Owner::Instance(id, index) => {
                let process = &self.model.processes[id.0];
                assert_eq!(process.param.is_some(), index.is_some());
                if let Some(index) = index {
                    self.expect(index, Kind::Int);
                }
                &process.variables
            }
        };
        let variable = &variables[place.variable.0];
        assert_eq!(variable.dims.len(), place.indexes.len());
        for index in &place.indexes {
            self.expect(index, Kind::Int);
        }
        kind_of(variable)
    }

    fn command(&mut self, command: &'a Command) {
        if let Some(index) = &command.index {
            self.bind(index);
        }
        self.expect(&command.guard, Kind::Bool);
        for update in &command.updates {
            let kind = self.place(&update.target);
            match &update.source {
                Source::Expr(expr) => {
                    self.expect(expr, kind);
                }
                Source::Input => {}
            }
        }
        if command.index.is_some() {
            self.bound.pop();
        }
    }

    fn variable(&mut self, variable: &'a Variable) {
        let kind = kind_of(variable);
        let values = match &variable.initial {
            Initial::Any => &[],
            Initial::Each(value) => std::slice::from_ref(value),
            Initial::List(values) => values.as_slice(),
        };
        for value in values {
            self.expect(value, kind);
        }
    }
}

fn kind_of(variable: &Variable) -> Kind {
    match &variable.ty {
        Type::Bool => Kind::Bool,
        Type::Int | Type::Range(..) => Kind::Int,
        Type::Enum(id) => Kind::Enum(*id),
    }
}

#[test]
fn random_models_are_well_typed() {
    for seed in 0..2000 {
        let model = Model::random(seed, &Shape::default());
        let mut check = Check { model: &model, own: None, bound: Vec::new() };
        model.variables.iter().for_each(|variable| check.variable(variable));
        model.commands.iter().for_each(|command| check.command(command));
        for condition in &model.inits {
            check.expect(condition, Kind::Bool);
        }
        for property in &model.properties {
            match &property.claim {
                Claim::Invariant(expr) | Claim::Reach(expr) => assert_eq!(check.kind(expr), Kind::Bool),
                Claim::DeadlockFree => {}
            }
        }
        for process in &model.processes {
            let bound = process.param.iter().map(|param| param.name.as_str()).collect();
            let mut check = Check { model: &model, own: Some(process), bound };
            process.variables.iter().for_each(|variable| check.variable(variable));
            process.commands.iter().for_each(|command| check.command(command));
        }
    }
}
