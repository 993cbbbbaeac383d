//! Writes a node out with all its subnodes: first the names (`layout`), then what they do (`lower`).

mod bounds;
mod events;
mod initial;
mod layout;
mod lower;
mod params;
mod sync;
mod update;
mod variables;

use lapidary_text::{Diagnostic, Log, Sources, Span};

use super::ast;
use super::codes;
use super::globals::Globals;
use super::sizes::Budget;

pub use layout::layout;
pub use lower::{Extent, depth, lower, too_deep};

/// What every step needs.
pub struct Context<'a> {
    pub sources: &'a Sources,
    pub file: &'a ast::File,
    pub globals: &'a Globals,
    pub log: &'a mut Log,
    pub budget: &'a mut Budget,
}

impl<'a> Context<'a> {
    /// The node that is declared by an item of the file.
    pub fn node(&self, item: usize) -> &'a ast::Node {
        match &self.file.items[item] {
            ast::Item::Node(node) => node,
            ast::Item::Const(_) | ast::Item::Domain { .. } | ast::Item::Sort(_) => unreachable!("nodes are looked up"),
            ast::Item::Sig { .. } | ast::Item::Extern { .. } => unreachable!("nodes are looked up"),
        }
    }

    pub fn too_large(&mut self, what: &str, limit: usize, span: Span) {
        let message = format!("the model has more than {limit} {what}");
        let error = Diagnostic::error(codes::TOO_LARGE, message, span, "too many when it comes to this one");
        self.log.push(error.with_help("use smaller arrays or fewer subnodes"));
    }
}
