//! From written types to types.

use lapidary_text::Diagnostic;

use super::ast::{Name, Type, TypeKind};
use super::codes;
use super::types::{Leaf, MAX_LEAVES, Origin, Scalar, TypeData, TypeId, Types, join};
use crate::Models;

/// The most values of one scalar.
const MAX_VALUES: u64 = 1 << 20;

type Resolved = Result<TypeId, Vec<Diagnostic>>;

pub fn resolve(types: &mut Types, models: &dyn Models, ty: &Type) -> Resolved {
    let id = match &ty.kind {
        TypeKind::Bool => types.scalar(Scalar::Bool),
        TypeKind::Range(lo, hi) => range(types, ty, *lo, *hi)?,
        TypeKind::Enum(literals) => enumeration(types, literals)?,
        TypeKind::Struct(fields) => structure(types, models, ty, fields)?,
        TypeKind::Array(of, length) => array(types, models, ty, of, *length)?,
        TypeKind::Named(name) => named(types, models, ty, name)?,
        TypeKind::OfNode(node, kind) => of_node(types, models, node, kind)?,
    };
    Ok(id)
}

fn range(types: &mut Types, ty: &Type, lo: i64, hi: i64) -> Resolved {
    let empty = |message: String, label: &str| vec![Diagnostic::error(codes::EMPTY_TYPE, message, ty.span, label)];
    if lo > hi {
        return Err(empty(format!("[{lo}, {hi}] has no value"), "the first bound is the larger one"));
    }
    let scalar = Scalar::Range { lo, hi };
    if scalar.size() > MAX_VALUES {
        return Err(empty(format!("[{lo}, {hi}] has more than {MAX_VALUES} values"), "too large"));
    }
    Ok(types.scalar(scalar))
}

fn enumeration(types: &mut Types, literals: &[Name]) -> Resolved {
    for (i, literal) in literals.iter().enumerate() {
        if let Some(first) = literals[..i].iter().find(|other| other.text == literal.text) {
            return Err(vec![twice("literal", literal, first)]);
        }
    }
    let symbols = literals.iter().map(|literal| types.symbol(&literal.text)).collect();
    Ok(types.scalar(Scalar::Enum(symbols)))
}

fn structure(types: &mut Types, models: &dyn Models, ty: &Type, fields: &[(Name, Type)]) -> Resolved {
    let (mut leaves, mut names) = (Vec::new(), Vec::new());
    for (i, (field, of)) in fields.iter().enumerate() {
        if let Some((first, _)) = fields[..i].iter().find(|(other, _)| other.text == field.text) {
            return Err(vec![twice("field", field, first)]);
        }
        let of = plain(types, models, of)?;
        names.push(format!("{} : {};", field.text, types.name(of)));
        extend(&mut leaves, &field.text, types.get(of), ty)?;
    }
    if leaves.is_empty() {
        let message = "a structure needs a field";
        return Err(vec![Diagnostic::error(codes::EMPTY_TYPE, message, ty.span, "has no field")]);
    }
    let name = format!("struct {} tcurts", names.join(" "));
    Ok(types.add(TypeData { name, leaves, origin: Origin::Plain }))
}

fn array(types: &mut Types, models: &dyn Models, ty: &Type, of: &Type, length: i64) -> Resolved {
    if length < 1 {
        let message = format!("an array of {length} elements has no value");
        return Err(vec![Diagnostic::error(codes::EMPTY_TYPE, message, ty.span, "needs at least one")]);
    }
    let of = plain(types, models, of)?;
    let mut leaves = Vec::new();
    for index in 0..length {
        extend(&mut leaves, &format!("[{index}]"), types.get(of), ty)?;
    }
    let name = format!("{}[{length}]", types.name(of));
    Ok(types.add(TypeData { name, leaves, origin: Origin::Plain }))
}

/// Parts of structures and arrays have no values but those of their leaves, which those of nodes do not say.
fn plain(types: &mut Types, models: &dyn Models, ty: &Type) -> Resolved {
    let id = resolve(types, models, ty)?;
    match types.get(id).origin {
        Origin::Plain => Ok(id),
        Origin::Configuration(_) | Origin::Event(_) => {
            let message = format!("{} cannot be a part of another type", types.name(id));
            let diagnostic = Diagnostic::error(codes::MISMATCH, message, ty.span, "this is a node's");
            Err(vec![diagnostic.with_help("use one variable for each part")])
        }
    }
}

fn extend(leaves: &mut Vec<Leaf>, step: &str, of: &TypeData, ty: &Type) -> Result<(), Vec<Diagnostic>> {
    if leaves.len() + of.leaves.len() > MAX_LEAVES {
        let message = format!("this type has more than {MAX_LEAVES} parts");
        return Err(vec![Diagnostic::error(codes::EMPTY_TYPE, message, ty.span, "too large")]);
    }
    let below = |leaf: &Leaf| Leaf { path: join(step, &leaf.path), scalar: leaf.scalar.clone() };
    leaves.extend(of.leaves.iter().map(below));
    Ok(())
}

fn named(types: &mut Types, models: &dyn Models, ty: &Type, name: &str) -> Resolved {
    if let Some(id) = types.domain(name) {
        return Ok(id);
    }
    let help = match models.nodes().iter().any(|node| node == name) {
        true => format!("{name} is a node: its configurations are `{name}!c`, its events `{name}!ev`"),
        false => format!("declare it with `domain {name} = [0,7];`, or write the type itself"),
    };
    let message = format!("there is no type {name}");
    Err(vec![Diagnostic::error(codes::UNKNOWN_TYPE, message, ty.span, "not declared").with_help(help)])
}

fn of_node(types: &mut Types, models: &dyn Models, node: &Name, kind: &Name) -> Resolved {
    known_node(models, node)?;
    match kind.text.as_str() {
        "c" | "ev" => {}
        other => {
            let message = format!("a node has no type {other}");
            let diagnostic = Diagnostic::error(codes::UNKNOWN_TYPE, message, kind.span, "neither `c` nor `ev`");
            let name = &node.text;
            return Err(vec![diagnostic.with_help(format!("configurations are `{name}!c`, events `{name}!ev`"))]);
        }
    }
    let (configuration, event) = node_types(types, models, &node.text)?;
    Ok(if kind.text == "c" { configuration } else { event })
}

pub fn known_node(models: &dyn Models, node: &Name) -> Result<(), Vec<Diagnostic>> {
    let nodes = models.nodes();
    if nodes.contains(&node.text) {
        return Ok(());
    }
    let help = match nodes.is_empty() {
        true => "load a model with `:ar-load file.alt`".to_owned(),
        false => format!("the nodes are {}", nodes.join(", ")),
    };
    let message = format!("there is no node {}", node.text);
    Err(vec![Diagnostic::error(codes::UNKNOWN_NODE, message, node.span, "not loaded").with_help(help)])
}

/// The types of the configurations and of the events of a node.
pub fn node_types(types: &mut Types, models: &dyn Models, node: &str) -> Result<(TypeId, TypeId), Vec<Diagnostic>> {
    if let (Some(c), Some(ev)) = (types.find(&format!("{node}!c")), types.find(&format!("{node}!ev"))) {
        return Ok((c, ev));
    }
    let tree = models.tree(node)?;
    Ok((types.configuration(node, &tree), types.event(node, &tree)))
}

pub fn twice(what: &str, again: &Name, first: &Name) -> Diagnostic {
    let message = format!("the {what} {} is declared twice", again.text);
    Diagnostic::error(codes::TWICE, message, again.span, "again here").with_label(first.span, "first here")
}
