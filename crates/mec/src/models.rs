//! How this crate gets at models without knowing a front end.

use std::sync::Arc;

use lapidary_base::Stop;
use lapidary_ir::{Expr, Tree};
use lapidary_text::{Diagnostic, Span};

/// The nodes that were loaded. Everything is asked for by the name of a node.
///
/// Trees and formulas are made within the limits of a run. Where one of them ends that, there is no tree or formula, and
/// nothing is wrong with it either: [`Models::stopped`] says what it was.
pub trait Models {
    /// The declared nodes, in order.
    fn nodes(&self) -> Vec<String>;

    /// The tree with this node as its root; always the same one for the same name.
    fn tree(&self, node: &str) -> Result<Arc<Tree>, Vec<Diagnostic>>;

    /// A Boolean expression in AltaRica's syntax, over paths as seen from the tree's root. The span is its place in
    /// some source that whoever implements this can read.
    fn formula(&self, tree: &Tree, span: Span) -> Result<Expr, Vec<Diagnostic>>;

    /// The limit that was reached while a tree or a formula was made.
    fn stopped(&self) -> Option<Stop>;

    /// The text of the node `node` under the name `name`, its transitions' guards strengthened: every arm's guard is
    /// conjoined with the condition (AltaRica text) that `condition` gives for its event's name (`e`, `e[1]`); events
    /// whose condition is `None` lose their transitions.
    fn restricted(&self, node: &str, name: &str, condition: &dyn Fn(&str) -> Option<String>) -> Option<String>;
}
