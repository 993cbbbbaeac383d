//! Parameters: constants where somebody sets them, otherwise variables that keep any value they begin with.

use std::fmt::Write;

use lapidary_ir::ComponentId;
use lapidary_ir::tree::VarKind;
use lapidary_text::{Diagnostic, Span};

use super::super::ast::{self, Name, Section, Step};
use super::super::check::Elaborator;
use super::super::codes;
use super::super::scope::{Declaration, Entry, Role, Shape, Visibility};
use super::super::value::{Constant, Key, Value};
use super::layout::{Builder, Setting, TooLarge};
use super::variables::has_integers;

/// A declared parameter and its domain.
pub struct Parameter<'n> {
    name: &'n Name,
    shape: Shape,
}

impl Builder<'_, '_> {
    /// Declares the parameters that have values; the others follow when the variables are there.
    pub fn parameters<'n>(&mut self, id: ComponentId, node: &'n ast::Node) -> Result<Vec<Parameter<'n>>, TooLarge> {
        let mut parameters = Vec::new();
        for section in &node.sections {
            let Section::Param(list) = section else { continue };
            for param in list {
                let mut elaborator = self.elaborator(id);
                let shape = elaborator.shape(&param.domain);
                let default = param.value.as_ref().map(|value| (elaborator.value(value), value.span));
                let default = default.as_ref().map(|(value, span)| (value, *span));
                let visibility = Visibility::among(&param.attributes).unwrap_or(Visibility::Parent);
                for name in &param.names {
                    let path = self.path(id, &name.text);
                    let entry = self.valued(id, &shape, &path, default);
                    let declaration = Declaration { entry, role: Role::Parameter, visibility, span: name.span };
                    self.declare(id, name, declaration);
                    parameters.push(Parameter { name, shape: shape.clone() });
                }
            }
        }
        Ok(parameters)
    }

    /// The values of a parameter, as far as they are set.
    fn valued(&mut self, id: ComponentId, shape: &Shape, path: &str, default: Option<(&Value, Span)>) -> Entry {
        match shape {
            Shape::Error => Entry::Error,
            Shape::Array(element, len) => {
                let inner = |builder: &mut Self, index: usize| {
                    let default = builder.part(id, default, &Key::Index(index));
                    builder.valued(id, element, &format!("{path}[{index}]"), default)
                };
                Entry::Array((0..*len).map(|index| inner(self, index)).collect())
            }
            Shape::Struct { fields, .. } => {
                let inner = |builder: &mut Self, field: &String, shape: &Shape| {
                    let default = builder.part(id, default, &Key::Field(field.clone()));
                    (field.clone(), builder.valued(id, shape, &format!("{path}.{field}"), default))
                };
                Entry::Struct(fields.iter().map(|(field, shape)| inner(self, field, shape)).collect())
            }
            Shape::Bool | Shape::Integer | Shape::Range { .. } | Shape::Enum(_) => {
                self.setting(id, shape, path, default)
            }
        }
    }

    fn part<'v>(&mut self, id: ComponentId, of: Option<(&'v Value, Span)>, key: &Key) -> Option<(&'v Value, Span)> {
        let (value, span) = of?;
        let found = match value {
            Value::Aggregate(elements) => elements.iter().find(|(found, _)| found == key).map(|(_, value)| value),
            Value::Bool(_) | Value::Int(..) | Value::Symbol(_) | Value::Error => None,
        };
        if found.is_none() && !matches!(value, Value::Error) {
            self.elaborator(id).different_shapes(span);
        }
        found.map(|value| (value, span))
    }

    fn setting(&mut self, id: ComponentId, shape: &Shape, path: &str, default: Option<(&Value, Span)>) -> Entry {
        let given = self.settings.get(path).map(|setting| (setting.value.clone(), setting.span));
        let mut elaborator = self.elaborator(id);
        let given = match (given, default) {
            (Some(given), _) => Some(given),
            (None, Some((value, span))) => match elaborator.as_constant(value, span, "the value of a parameter") {
                Some(constant) => Some((constant, span)),
                None => return Entry::Error,
            },
            (None, None) => None,
        };
        match given {
            Some((constant, span)) => match elaborator.fits(&constant, shape, span, codes::CONSTANT_VALUE) {
                Some(()) => Entry::Constant(constant),
                None => Entry::Error,
            },
            None => Entry::Unset,
        }
    }

    /// Makes variables of the parameters that nobody set.
    pub fn free_parameters(&mut self, id: ComponentId, parameters: &[Parameter]) -> Result<(), TooLarge> {
        for Parameter { name, shape } in parameters {
            let declaration = self.layout.scopes[id].names.get(&name.text);
            let Some(entry) = declaration.filter(|found| found.span == name.span).map(|found| found.entry.clone())
            else {
                continue;
            };
            let path = self.path(id, &name.text);
            let entry = self.free(id, entry, shape, path, name.span)?;
            if let Some(declaration) = self.layout.scopes[id].names.get_mut(&name.text) {
                declaration.entry = entry;
            }
        }
        Ok(())
    }

    fn free(
        &mut self,
        id: ComponentId,
        entry: Entry,
        shape: &Shape,
        path: String,
        span: Span,
    ) -> Result<Entry, TooLarge> {
        Ok(match (entry, shape) {
            (Entry::Unset, shape) if has_integers(shape) => {
                let message = format!("the parameter `{path}` ranges over all integers and has no value");
                let help = "give it a value or a range";
                self.elaborator(id).error(codes::PARAMETER_UNSET, message, (span, "needs a value"), help);
                Entry::Error
            }
            (Entry::Unset, shape) => {
                let free = self.scalars(shape, path, VarKind::State, span)?;
                if let Entry::Var(var) = free {
                    self.layout.parameters.push(var);
                }
                free
            }
            (Entry::Array(elements), Shape::Array(shape, _)) => {
                let inner = elements.into_iter().enumerate();
                let inner =
                    inner.map(|(index, element)| self.free(id, element, shape, format!("{path}[{index}]"), span));
                Entry::Array(inner.collect::<Result<_, _>>()?)
            }
            (Entry::Struct(entries), Shape::Struct { fields, .. }) => {
                let inner = entries.into_iter().zip(fields.iter()).map(|((field, entry), (_, shape))| {
                    let path = format!("{path}.{field}");
                    Ok((field, self.free(id, entry, shape, path, span)?))
                });
                Entry::Struct(inner.collect::<Result<_, _>>()?)
            }
            (other, _) => other,
        })
    }

    /// Notes the values that a component gives to parameters below it.
    pub fn settings(&mut self, id: ComponentId, node: &ast::Node) {
        for section in &node.sections {
            let Section::ParamSet(updates) = section else { continue };
            for update in updates {
                let mut elaborator = self.elaborator(id);
                let value = elaborator.value(&update.value);
                if let Some(name) = written(&mut elaborator, &update.path) {
                    let path = self.path(id, &name);
                    self.set(id, path, &value, update);
                }
            }
        }
    }

    fn set(&mut self, id: ComponentId, path: String, value: &Value, update: &ast::Update) {
        if let Value::Aggregate(elements) = value {
            for (key, value) in elements {
                let path = match key {
                    Key::Index(index) => format!("{path}[{index}]"),
                    Key::Field(field) => format!("{path}.{field}"),
                };
                self.set(id, path, value, update);
            }
            return;
        }
        let purpose = "the value of a parameter";
        let Some(value) = self.elaborator(id).as_constant(value, update.value.span, purpose) else { return };
        self.note(id, path, value, update);
    }

    fn note(&mut self, by: ComponentId, path: String, value: Constant, update: &ast::Update) {
        match self.settings.get(&path) {
            None => {
                self.settings.insert(path, Setting { by, value, span: update.value.span });
            }
            Some(first) if first.by == by => {
                let message = format!("the parameter `{path}` is set twice");
                let error = Diagnostic::error(codes::WRITTEN_TWICE, message, update.path.span, "set again here")
                    .with_label(first.span, "first value")
                    .with_help("leave one of them out");
                self.context.log.push(error);
            }
            // A node further up has set it already.
            Some(_) => {}
        }
    }
}

/// A path in the form that names of variables have. Whether there is a parameter is seen when all components are there.
fn written(elaborator: &mut Elaborator, path: &ast::Path) -> Option<String> {
    let mut name = path.first.text.clone();
    for step in &path.steps {
        let written = match step {
            Step::Field(field) => write!(name, ".{}", field.text),
            Step::Index(index) => write!(name, "[{}]", elaborator.integer(index, "an index that is written here")?),
        };
        written.expect("writing to a text does not fail");
    }
    Some(name)
}
