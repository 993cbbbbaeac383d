//! Initial values and values of parameters: what a node says about itself and about the nodes below it.

use lapidary_ir::{ComponentId, Domain, Expr, VarId};
use lapidary_text::Diagnostic;

use super::super::ast::Update;
use super::super::check::{Elaborator, elements};
use super::super::codes;
use super::super::scope::{Entry, Role, Shape};
use super::super::value::{Constant, Value};
use super::lower::{Initial, Lowering};

impl Lowering<'_, '_> {
    /// `init x := e`; nodes further up come first and win.
    pub fn initial(&mut self, by: ComponentId, update: &Update) {
        let mut elaborator = self.elaborator(by);
        let value = elaborator.value(&update.value);
        let Some(place) = elaborator.place(&update.path) else { return };
        let role = place.declaration.role;
        if role != Role::State {
            let message = format!("`{}` is {}", elaborator.quote(update.path.span), role.describe());
            let help = match role {
                Role::Parameter => "give parameters their values with `param_set` or where they are declared",
                Role::Flow | Role::State => "only state variables begin with a value; flows follow from the assertions",
                Role::Subnode => "write `sub.x` for a variable of it",
            };
            let error = Diagnostic::error(codes::NOT_ASSIGNABLE, message, update.path.span, "cannot be initialised");
            elaborator.log.push(error.with_label(place.declaration.span, "declared here").with_help(help));
            return;
        }
        let mut values = Vec::new();
        if initialise(&mut elaborator, place.entry, &value, update, &mut values).is_none() {
            return;
        }
        for (var, value) in values {
            self.begin_with(by, var, value, update);
        }
    }

    fn begin_with(&mut self, by: ComponentId, var: VarId, value: Expr, update: &Update) {
        let slot = &mut self.init[var.0 as usize];
        match slot {
            None => *slot = Some(Initial { by, value, span: update.span }),
            Some(first) if first.by == by => {
                let message = format!("`{}` has two initial values", self.layout.vars[var].name);
                let error =
                    Diagnostic::error(codes::WRITTEN_TWICE, message, update.path.span, "initialised again here")
                        .with_label(first.span, "first initialised here");
                self.context.log.push(error.with_help("leave one of them out"));
            }
            Some(_) => {}
        }
    }

    /// `param_set sub.p := e` was used when `sub` was made; here it is seen whether there is such a parameter.
    pub fn setting(&mut self, by: ComponentId, update: &Update) {
        let mut elaborator = self.elaborator(by);
        let Some(place) = elaborator.place(&update.path) else { return };
        let name = elaborator.quote(update.path.span);
        let (message, help) = match place.declaration.role {
            Role::Parameter if place.component != by => return,
            Role::Parameter => (
                format!("`{name}` is a parameter of this node itself"),
                "write its value where it is declared: `param p : D = e;`",
            ),
            role => (format!("`{name}` is {}", role.describe()), "`param_set` gives values to parameters of subnodes"),
        };
        let error = Diagnostic::error(codes::NOT_ASSIGNABLE, message, update.path.span, "cannot be set here");
        elaborator.log.push(error.with_label(place.declaration.span, "declared here").with_help(help));
    }
}

/// The constants that the scalars of an entry begin with.
fn initialise(
    elaborator: &mut Elaborator,
    entry: &Entry,
    value: &Value,
    update: &Update,
    out: &mut Vec<(VarId, Expr)>,
) -> Option<()> {
    let span = update.value.span;
    match (entry, value) {
        (_, Value::Error) | (Entry::Error, _) => None,
        (Entry::Var(var), value) => {
            let constant = elaborator.as_constant(value, span, "an initial value")?;
            let domain = elaborator.layout.vars[*var].domain;
            elaborator.fits(&constant, &shape(elaborator, domain), span, codes::INITIAL_VALUE)?;
            out.push((*var, literal(elaborator, domain, &constant)));
            Some(())
        }
        (entry, Value::Aggregate(values)) => {
            let parts = elements(entry).unwrap_or_default();
            let is_same = parts.len() == values.len() && parts.iter().zip(values).all(|((a, _), (b, _))| a == b);
            if !is_same {
                elaborator.different_shapes(span);
                return None;
            }
            for ((_, part), (_, value)) in parts.into_iter().zip(values) {
                initialise(elaborator, part, value, update, out)?;
            }
            Some(())
        }
        (_, value) => {
            elaborator.mismatch(span, "an array or a struct", value);
            None
        }
    }
}

fn shape(elaborator: &Elaborator, domain: Domain) -> Shape {
    match domain {
        Domain::Bool => Shape::Bool,
        Domain::Int => Shape::Integer,
        Domain::Range { lo, hi } => Shape::Range { lo, hi },
        Domain::Enum(of) => Shape::Enum(elaborator.layout.enums.symbols(of).into()),
        Domain::Bits(_) | Domain::Array(_) => {
            unreachable!("the language has neither bit-vectors nor arrays of this kind")
        }
    }
}

fn literal(elaborator: &Elaborator, domain: Domain, constant: &Constant) -> Expr {
    match (constant, domain) {
        (Constant::Bool(value), _) => elaborator.exprs.bool(*value),
        (Constant::Int(value), _) => elaborator.exprs.int(*value),
        (Constant::Symbol(symbol), Domain::Enum(of)) => {
            let number = elaborator.layout.enums.number(of, symbol);
            elaborator.exprs.literal(of, number.expect("the symbol was found in the domain"))
        }
        (
            Constant::Symbol(_),
            Domain::Bool | Domain::Int | Domain::Range { .. } | Domain::Bits(_) | Domain::Array(_),
        ) => {
            unreachable!("the constant was found in the domain")
        }
    }
}
