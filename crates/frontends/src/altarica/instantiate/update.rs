//! Updates of transitions: own state variables get new values, all at once.

use lapidary_base::hash::Set;
use lapidary_ir::{ComponentId, Domain, Expr, VarId};
use lapidary_text::{Diagnostic, Span};

use super::super::ast::Update;
use super::super::check::{Elaborator, elements};
use super::super::codes;
use super::super::scope::{Entry, Role};
use super::super::value::Value;
use super::bounds::Bounds;
use super::lower::Lowering;

/// What one arm of a transition does.
#[derive(Default)]
pub struct Effect {
    pub assignments: Vec<(VarId, Expr)>,
    /// Under which symbols are in the enumerations of the variables that they are assigned to.
    pub conditions: Vec<Expr>,
}

impl Lowering<'_, '_> {
    /// None where something is wrong with them.
    pub fn updates(&mut self, id: ComponentId, guard: Option<Expr>, updates: &[Update]) -> Option<Effect> {
        let bounds = Bounds::under(guard, self.exprs, self.layout);
        let mut effect = Effect::default();
        let mut written: Set<VarId> = Set::default();
        let mut is_fine = true;
        for update in updates {
            let n_before = effect.assignments.len();
            is_fine &= self.update(id, update, &bounds, &mut effect).is_some();
            for &(var, _) in &effect.assignments[n_before..] {
                if !written.insert(var) {
                    let message = format!("`{}` is assigned twice at once", self.layout.vars[var].name);
                    let error =
                        Diagnostic::error(codes::WRITTEN_TWICE, message, update.path.span, "assigned again here");
                    self.context.log.push(error.with_help("leave one of the assignments out"));
                    is_fine = false;
                }
            }
        }
        is_fine.then_some(effect)
    }

    fn update(&mut self, id: ComponentId, update: &Update, bounds: &Bounds, effect: &mut Effect) -> Option<()> {
        let mut elaborator = self.elaborator(id);
        let value = elaborator.value(&update.value);
        let place = elaborator.place(&update.path)?;
        let name = elaborator.quote(update.path.span);
        let (message, help) = match place.declaration.role {
            Role::State if place.component == id => {
                return assign(&mut elaborator, place.entry, value, (update.value.span, bounds), effect);
            }
            Role::State => (
                format!("`{name}` is a variable of a subnode"),
                "only the subnode itself can assign it: synchronise with one of its events",
            ),
            role @ Role::Flow => (
                format!("`{name}` is {}", role.describe()),
                "transitions assign state variables only; flows follow from the assertions",
            ),
            role @ (Role::Parameter | Role::Subnode) => (
                format!("`{name}` is {}", role.describe()),
                "transitions assign state variables of their own node only",
            ),
        };
        let error = Diagnostic::error(codes::NOT_ASSIGNABLE, message, update.path.span, "cannot be assigned here")
            .with_label(place.declaration.span, "declared here");
        elaborator.log.push(error.with_help(help));
        None
    }
}

/// Assigns a value to a variable, or element by element to an array or struct.
fn assign(
    elaborator: &mut Elaborator,
    entry: &Entry,
    value: Value,
    (span, bounds): (Span, &Bounds),
    effect: &mut Effect,
) -> Option<()> {
    match (entry, value) {
        (_, Value::Error) | (Entry::Error, _) => None,
        (Entry::Var(var), value) => {
            let (value, condition) = scalar(elaborator, *var, value, (span, bounds))?;
            effect.assignments.push((*var, value));
            effect.conditions.extend(condition);
            Some(())
        }
        (entry, Value::Aggregate(values)) => {
            let parts = elements(entry).unwrap_or_default();
            let is_same = parts.len() == values.len() && parts.iter().zip(&values).all(|((a, _), (b, _))| a == b);
            if !is_same {
                elaborator.different_shapes(span);
                return None;
            }
            for ((_, part), (_, value)) in parts.into_iter().zip(values) {
                assign(elaborator, part, value, (span, bounds), effect)?;
            }
            Some(())
        }
        (_, value) => {
            elaborator.mismatch(span, "an array or a struct", &value);
            None
        }
    }
}

/// A value as one of the variable's sort, and the condition under which it is in the variable's enumeration.
fn scalar(
    elaborator: &mut Elaborator,
    var: VarId,
    value: Value,
    (span, bounds): (Span, &Bounds),
) -> Option<(Expr, Option<Expr>)> {
    match (elaborator.layout.vars[var].domain, value) {
        (Domain::Bool, Value::Bool(value)) | (Domain::Int, Value::Int(value, _)) => Some((value, None)),
        (Domain::Range { lo, hi }, Value::Int(value, _)) => {
            if let Some((least, most)) = bounds.of(value).filter(|&(least, most)| most < lo || least > hi) {
                let (message, label) = match least == most {
                    true => (format!("{least} is not in the domain [{lo}, {hi}]"), "not in the domain".to_owned()),
                    false => (
                        format!("this is never in the domain [{lo}, {hi}]"),
                        format!("where the guard holds, it lies between {least} and {most}"),
                    ),
                };
                let help = "a transition that would assign it can never be fired";
                elaborator.warning(codes::OUT_OF_DOMAIN, message, (span, &label), help);
            }
            Some((value, None))
        }
        (Domain::Enum(of), Value::Symbol(symbol)) => {
            let (value, condition) = elaborator.convert(&symbol, of, span)?;
            let is_always = elaborator.exprs.as_bool(condition) == Some(true);
            Some((value, (!is_always).then_some(condition)))
        }
        (domain, value) => {
            let needed = match domain {
                Domain::Bool => "a Boolean",
                Domain::Int | Domain::Range { .. } => "an integer",
                Domain::Enum(_) => "a symbol",
                Domain::Bits(_) | Domain::Array(_) => {
                    unreachable!("the language has neither bit-vectors nor arrays of this kind")
                }
            };
            elaborator.mismatch(span, needed, &value);
            None
        }
    }
}
