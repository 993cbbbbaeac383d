//! What names of relations mean: those that were defined, and those that every node has.

use std::collections::BTreeMap;

use lapidary_text::spelling::nearest;
use lapidary_text::{Diagnostic, Span};

use super::ast::Name;
use super::codes;
use super::resolve_type::{known_node, node_types};
use super::types::{TypeId, Types};
use crate::Models;

/// The parameters of a relation.
pub type Signature = Vec<TypeId>;

/// The relations that every node has, with what they are.
pub const NODE_RELATIONS: [(&str, &str); 5] = [
    ("c", "all configurations"),
    ("ev", "all events"),
    ("init", "the initial configurations"),
    ("reach", "the configurations that can be reached"),
    ("t", "the transitions: configuration, event, configuration"),
];

pub struct Environment<'a> {
    pub types: &'a mut Types,
    pub models: &'a dyn Models,
    /// The relations of the session by their names.
    pub signatures: &'a BTreeMap<String, Signature>,
}

/// A name of the form `N!t`, split.
pub fn of_node(name: &str) -> Option<(&str, &str)> {
    name.split_once('!')
}

impl Environment<'_> {
    pub fn signature(&mut self, name: &Name) -> Result<Signature, Vec<Diagnostic>> {
        if let Some((node, relation)) = of_node(&name.text) {
            return self.node_signature(node, relation, name.span);
        }
        if let Some(signature) = self.signatures.get(&name.text) {
            return Ok(signature.clone());
        }
        let message = format!("there is no relation {}", name.text);
        let known = self.signatures.keys().map(String::as_str);
        let help = match nearest(&name.text, known) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("define it with `{}(x : T) := ..;`; `:rel-list` lists what there is", name.text),
        };
        Err(vec![Diagnostic::error(codes::UNKNOWN_RELATION, message, name.span, "not defined").with_help(help)])
    }

    fn node_signature(&mut self, node: &str, relation: &str, span: Span) -> Result<Signature, Vec<Diagnostic>> {
        known_node(self.models, &Name { text: node.to_owned(), span })?;
        let (c, ev) = node_types(self.types, self.models, node)?;
        match relation {
            "c" | "init" | "reach" => Ok(vec![c]),
            "ev" => Ok(vec![ev]),
            "t" => Ok(vec![c, ev, c]),
            "sc" | "st" => {
                let message = format!("{node}!{relation} is not there yet");
                let help = "use the configurations and transitions that satisfy the assertions: `c`, `t`";
                Err(vec![Diagnostic::error(codes::NOT_YET, message, span, "planned").with_help(help)])
            }
            other => {
                let names = NODE_RELATIONS.map(|(name, _)| name).join(", ");
                let message = format!("a node has no relation {other}");
                let help = format!("its relations are {names}");
                Err(vec![Diagnostic::error(codes::UNKNOWN_RELATION, message, span, "not known").with_help(help)])
            }
        }
    }

    /// `R: (N!c) -> bool`; a relation without parameters is `R: bool`.
    pub fn describe(&self, name: &str, signature: &[TypeId]) -> String {
        describe(self.types, name, signature)
    }
}

pub fn describe(types: &Types, name: &str, signature: &[TypeId]) -> String {
    if signature.is_empty() {
        return format!("{name}: bool");
    }
    let parameters: Vec<&str> = signature.iter().map(|&ty| types.name(ty)).collect();
    format!("{name}: ({}) -> bool", parameters.join(", "))
}
