//! The syntax tree as text again. What is printed is read as the same tree, wherever that has no errors.

mod expr;
mod leaf;
mod node;

use super::ast::{Const, Domain, DomainKind, File, Item, Name};
use super::lexer;

pub use expr::{expr, path};
pub use leaf::leaf;
pub use node::{node, restricted};

pub fn file(file: &File) -> String {
    file.items.iter().map(item).collect()
}

fn item(item: &Item) -> String {
    match item {
        Item::Const(constant) => const_item(constant),
        Item::Domain { name: own, domain: its } => format!("domain {} = {};\n", name(own), domain(its)),
        Item::Sort(sorts) => format!("sort {};\n", names(sorts)),
        Item::Sig { name: own, arguments, result } => {
            let arguments: Vec<String> = arguments.iter().map(domain).collect();
            format!("sig {} : {} -> {};\n", name(own), arguments.join(", "), domain(result))
        }
        Item::Node(own) => node(own),
        Item::Extern { text, .. } => format!("extern {text};\n"),
    }
}

fn const_item(constant: &Const) -> String {
    let domain = constant.domain.as_ref().map_or(String::new(), |its| format!(" : {}", domain(its)));
    let value = constant.value.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
    format!("const {}{domain}{value};\n", name(&constant.name))
}

/// A name, in quotes if it is read as something else without them.
fn name(name: &Name) -> String {
    quoted(&name.text)
}

fn quoted(text: &str) -> String {
    if lexer::is_plain_name(text) {
        return text.to_owned();
    }
    // A name that holds one kind of quotes was written in the other.
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}

fn names(list: &[Name]) -> String {
    list.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn domain(domain: &Domain) -> String {
    match &domain.kind {
        DomainKind::Bool => "bool".to_owned(),
        DomainKind::Integer => "integer".to_owned(),
        DomainKind::Range(low, high) => format!("[{}, {}]", expr(low), expr(high)),
        DomainKind::Enumeration(values) => format!("{{{}}}", names(values)),
        DomainKind::Struct(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(own, its)| format!("{} : {}; ", name(own), self::domain(its))).collect();
            format!("struct {}tcurts", fields.concat())
        }
        DomainKind::Named(own) => name(own),
        DomainKind::Array(cell, length) => format!("{}[{}]", self::domain(cell), expr(length)),
        DomainKind::Error => "?".to_owned(),
    }
}
