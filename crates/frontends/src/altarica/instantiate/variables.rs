//! Variables: arrays and structs are written out as scalars, `a[0]`, `p.x`, `m[1][0]`.

use lapidary_ir::tree::VarKind;
use lapidary_ir::{ComponentId, Domain, Life, Var, VarId};
use lapidary_text::Span;

use super::super::ast::{self, Section};
use super::super::codes;
use super::super::globals::Signature;
use super::super::scope::{Declaration, Entry, Role, Shape, Table, Visibility};
use super::super::sizes::MAX_VARS;
use super::layout::{Builder, TooLarge};

impl Builder<'_, '_> {
    /// The states and flows of a component, in the order of their declarations.
    pub fn variables(&mut self, id: ComponentId, node: &ast::Node) -> Result<(), TooLarge> {
        for section in &node.sections {
            let (list, role) = match section {
                Section::State(list) => (list, Role::State),
                Section::Flow(list) => (list, Role::Flow),
                Section::Event(_) | Section::Sub(_) | Section::Init(_) | Section::Assert(_) => continue,
                Section::Trans(_) | Section::Sync(_) | Section::Param(_) | Section::ParamSet(_) => continue,
                Section::Extern { .. } => continue,
            };
            for variables in list {
                let shape = self.finite(id, &variables.domain);
                // States are private by default, flows belong to the interface.
                let default = if role == Role::State { Visibility::Private } else { Visibility::Parent };
                let visibility = Visibility::among(&variables.attributes).unwrap_or(default);
                for name in &variables.names {
                    let path = self.path(id, &name.text);
                    let entry = self.scalars(&shape, path, Self::kind(role), name.span)?;
                    self.declare(id, name, Declaration { entry, role, visibility, span: name.span });
                }
            }
        }
        Ok(())
    }

    /// A domain for variables: all integers are too many.
    fn finite(&mut self, id: ComponentId, domain: &ast::Domain) -> Shape {
        let mut elaborator = self.elaborator(id);
        let shape = elaborator.shape(domain);
        if !has_integers(&shape) {
            return shape;
        }
        let help = "give it a range, for example `[0, 10]`";
        let message = "a variable cannot range over all integers";
        elaborator.error(codes::INTEGER_VARIABLE, message, (domain.span, "not finite"), help);
        Shape::Error
    }

    /// The variables of a shape, in order.
    pub fn scalars(&mut self, shape: &Shape, name: String, kind: VarKind, span: Span) -> Result<Entry, TooLarge> {
        let domain = match shape {
            Shape::Bool => Domain::Bool,
            Shape::Range { lo, hi } => Domain::Range { lo: *lo, hi: *hi },
            Shape::Enum(symbols) => {
                let globals = self.context.globals;
                let declared = globals.enum_names.get(symbols).map_or("", String::as_str);
                Domain::Enum(self.layout.enums.of(symbols, declared))
            }
            Shape::Array(element, len) => {
                let elements = (0..*len).map(|index| self.scalars(element, format!("{name}[{index}]"), kind, span));
                return Ok(Entry::Array(elements.collect::<Result<_, _>>()?));
            }
            Shape::Struct { fields, .. } => {
                let fields = fields.iter().map(|(field, shape)| {
                    Ok((field.clone(), self.scalars(shape, format!("{name}.{field}"), kind, span)?))
                });
                return Ok(Entry::Struct(fields.collect::<Result<_, _>>()?));
            }
            Shape::Integer | Shape::Error => return Ok(Entry::Error),
        };
        self.scalar(name, domain, kind, span).map(Entry::Var)
    }

    fn scalar(&mut self, name: String, domain: Domain, kind: VarKind, span: Span) -> Result<VarId, TooLarge> {
        if self.layout.vars.len() >= MAX_VARS {
            self.context.too_large("variables", MAX_VARS, span);
            return Err(TooLarge);
        }
        self.layout.kinds.push(kind);
        Ok(self.layout.vars.push(Var { name, domain, control: false, life: Life::State, span }))
    }

    /// The values of a function as variables `f[v1][v2]`, the last argument changing fastest.
    pub fn table(&mut self, root: ComponentId, name: &str, of: &Signature, span: Span) -> Result<(), TooLarge> {
        let first = self.layout.vars.next_id();
        let mut names = vec![self.path(root, name)];
        for argument in &of.arguments {
            let values: Vec<String> = match argument {
                Shape::Bool => vec!["false".to_owned(), "true".to_owned()],
                Shape::Range { lo, hi } => (*lo..=*hi).map(|value| value.to_string()).collect(),
                Shape::Enum(symbols) => symbols.iter().map(|symbol| symbol.to_string()).collect(),
                Shape::Integer | Shape::Array(..) | Shape::Struct { .. } | Shape::Error => Vec::new(),
            };
            let longer = |name: &String| values.iter().map(move |value| format!("{name}[{value}]")).collect::<Vec<_>>();
            names = names.iter().flat_map(longer).collect();
        }
        for name in names {
            self.scalars(&of.result, name, VarKind::State, span)?;
        }
        let table = Table { first, arguments: of.arguments.clone() };
        let _ = self.layout.tables.insert(name, table);
        Ok(())
    }
}

pub fn has_integers(shape: &Shape) -> bool {
    match shape {
        Shape::Integer => true,
        Shape::Bool | Shape::Range { .. } | Shape::Enum(_) | Shape::Error => false,
        Shape::Array(element, _) => has_integers(element),
        Shape::Struct { fields, .. } => fields.iter().any(|(_, field)| has_integers(field)),
    }
}
