//! A node under construction: variables with names that nothing else has, and the events of the one it stands for.

use lapidary_ir::tree::{Assertion, EPSILON, EventId, ROOT, Transition, VarKind};
use lapidary_ir::{Domain, EnumId, EnumType, Expr, Exprs, Life, Tree, Var, VarId};
use lapidary_text::Span;

use super::detach::leaf;
use super::local::Local;

pub(super) struct Draft<'a> {
    local: &'a Local,
    /// Those of the node; its tree has none before it is finished.
    pub exprs: &'a Exprs,
    pub tree: Tree,
    assertions: Vec<Assertion>,
    transitions: Vec<Transition>,
    span: Span,
}

impl<'a> Draft<'a> {
    pub fn new(local: &'a Local, exprs: &'a Exprs) -> Self {
        let span = local.tree.components[ROOT].span;
        let tree = Tree { name: local.tree.name.clone(), ..Tree::default() };
        Self { local, exprs, tree, assertions: Vec::new(), transitions: Vec::new(), span }
    }

    pub fn variable(&mut self, name: String, domain: Domain, kind: VarKind) -> VarId {
        self.tree.kinds.push(kind);
        self.tree.vars.push(Var { name, domain, control: false, life: Life::State, span: self.span })
    }

    /// Literals with fresh names, for a variable that is declared next.
    pub fn enumeration(&mut self, wanted: &[String], variable: &str) -> EnumId {
        let mut taken: Vec<String> = vec![variable.to_owned()];
        for name in wanted {
            taken.push(self.fresh(name, &taken));
        }
        let literals = taken.split_off(1);
        self.tree.enums.push(EnumType { name: String::new(), literals })
    }

    /// A name that no variable, no literal and none of the others has: the wanted one, or with a number.
    pub fn fresh(&self, wanted: &str, others: &[String]) -> String {
        let is_taken = |name: &str| {
            let literals = self.tree.enums.iter().flat_map(|known| &known.literals);
            self.tree.vars.iter().any(|var| var.name == name) || literals.chain(others).any(|other| other == name)
        };
        let numbered = (2u32..).map(|number| format!("{wanted}_{number}"));
        let candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates.into_iter().find(|name| !is_taken(name)).expect("there are more numbers than names")
    }

    pub fn assertion(&mut self, expr: Expr) {
        if self.exprs.as_bool(expr) != Some(true) {
            self.assertions.push(Assertion { expr, span: self.span });
        }
    }

    pub fn transition(&mut self, guard: Expr, event: EventId, updates: Vec<(VarId, Expr)>) {
        self.transitions.push(Transition { guard, event, updates, span: self.span });
    }

    pub fn n_transitions(&self) -> usize {
        self.transitions.len()
    }

    /// The events that can be fired.
    pub fn events(&self) -> Vec<EventId> {
        self.local.tree.components[ROOT].events.ids().filter(|&event| event != EPSILON).collect()
    }

    pub fn event_name(&self, event: EventId) -> String {
        self.local.tree.components[ROOT].events[event].name.clone()
    }

    pub fn finish(self, priorities: Vec<(EventId, EventId)>) -> Tree {
        let Self { local, mut tree, assertions, transitions, span, .. } = self;
        let component = &local.tree.components[ROOT];
        let mut root = leaf(&component.node, component.events.clone(), tree.vars.len(), span);
        root.priorities = priorities;
        root.assertions = assertions;
        root.transitions = transitions;
        tree.components.push(root);
        tree
    }
}
