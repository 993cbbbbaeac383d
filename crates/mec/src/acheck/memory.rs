//! What blocks leave for later ones: the definitions of their sets, as they were resolved.
//!
//! Sets themselves are not kept, since they belong to the engine and the limits under which they were computed: a later
//! block computes those that it needs anew.

use lapidary_base::hash;

use super::ast::Equation;
use super::resolve::Scope;
use super::typed::{Combined, Command, CommandKind, Definition, Projection, Set, Statement, States, Trans};

/// The definitions by node.
#[derive(Default)]
pub struct Memory {
    nodes: Vec<Known>,
}

struct Known {
    node: String,
    scope: Scope,
    /// In the order in which they were made; a name may have several.
    definitions: Vec<Definition>,
}

type Names = hash::Set<String>;

impl Memory {
    /// The sets that are known for a node.
    pub(super) fn scope(&self, node: &str) -> Scope {
        self.known(node).map(|known| known.scope.clone()).unwrap_or_default()
    }

    fn known(&self, node: &str) -> Option<&Known> {
        self.nodes.iter().find(|known| known.node == node)
    }

    /// Keeps what a statement that was run means for later ones.
    pub(super) fn note(&mut self, node: &str, statement: &Statement) {
        match statement {
            Statement::Definition(definition) => {
                let known = self.entry(node);
                known.scope.define(&definition.name, definition.body.sort());
                known.definitions.push(definition.clone());
            }
            Statement::Command(Command { kind: CommandKind::Remove(names), .. }) => {
                let known = self.entry(node);
                names.iter().for_each(|name| known.scope.remove(name));
            }
            Statement::Command(_) => {}
        }
    }

    fn entry(&mut self, node: &str) -> &mut Known {
        let place = self.nodes.iter().position(|known| known.node == node).unwrap_or_else(|| {
            self.nodes.push(Known { node: node.to_owned(), scope: Scope::default(), definitions: Vec::new() });
            self.nodes.len() - 1
        });
        &mut self.nodes[place]
    }

    /// The definitions that some statements rest on, in order.
    pub(super) fn needed<'s>(
        &self,
        node: &str,
        statements: impl Iterator<Item = &'s Statement>,
    ) -> impl Iterator<Item = &Definition> {
        let mut names = Names::default();
        statements.for_each(|statement| statement_uses(statement, &mut names));
        let definitions = self.known(node).map_or(&[][..], |known| &known.definitions);
        let mut needed = Vec::new();
        // The last definition of a name is what is meant after it, an earlier one only by what stands between them.
        for definition in definitions.iter().rev() {
            if names.remove(&definition.name) {
                set_uses(&definition.body, &mut names);
                needed.push(definition);
                match definition.kind {
                    Equation::Plain => {}
                    // Its name in its body is the set itself, not an older one.
                    Equation::Least | Equation::Greatest => {
                        names.remove(&definition.name);
                    }
                }
            }
        }
        needed.into_iter().rev()
    }
}

fn statement_uses(statement: &Statement, names: &mut Names) {
    let command = match statement {
        Statement::Definition(definition) => return set_uses(&definition.body, names),
        Statement::Command(command) => command,
    };
    match &command.kind {
        CommandKind::Show(shown) => shown.iter().for_each(|(_, set)| set_uses(set, names)),
        CommandKind::Test { set, .. } => set_uses(set, names),
        CommandKind::Dot(states, trans) => {
            states_use(states, names);
            trans_use(trans, names);
        }
        CommandKind::DotTrace(from, trans, to) => {
            states_use(from, names);
            trans_use(trans, names);
            states_use(to, names);
        }
        CommandKind::Project(Projection { states, existential, universal, .. }) => {
            states_use(states, names);
            trans_use(existential, names);
            trans_use(universal, names);
        }
        CommandKind::Modes | CommandKind::Quotient | CommandKind::Remove(_) | CommandKind::Events => {}
    }
}

fn set_uses(set: &Set, names: &mut Names) {
    match set {
        Set::States(states) => states_use(states, names),
        Set::Trans(trans) => trans_use(trans, names),
    }
}

fn states_use(states: &States, names: &mut Names) {
    match states {
        States::Any | States::Empty | States::Initial | States::Formula(_) => {}
        States::Named(name) => {
            names.insert(name.clone());
        }
        States::Sources(trans) | States::Targets(trans) => trans_use(trans, names),
        States::Reach(states, trans) | States::Coreach(states, trans) | States::Unavoidable(trans, states) => {
            states_use(states, names);
            trans_use(trans, names);
        }
        States::Pick(states) | States::Alike(_, states) => states_use(states, names),
        States::Combined(combined) => parts(combined, |part| states_use(part, names)),
    }
}

fn trans_use(trans: &Trans, names: &mut Names) {
    match trans {
        Trans::Any | Trans::Empty | Trans::Loops | Trans::EpsilonLoops | Trans::Epsilon => {}
        Trans::Label(_) | Trans::Ambiguous => {}
        Trans::Named(name) => {
            names.insert(name.clone());
        }
        Trans::From(states) | Trans::Into(states) => states_use(states, names),
        Trans::Trace(from, trans, to) => {
            states_use(from, names);
            trans_use(trans, names);
            states_use(to, names);
        }
        Trans::Cycles(some, others) => {
            trans_use(some, names);
            trans_use(others, names);
        }
        Trans::Combined(combined) => parts(combined, |part| trans_use(part, names)),
    }
}

fn parts<E>(combined: &Combined<E>, mut visit: impl FnMut(&E)) {
    match combined {
        Combined::Not(inner) => visit(inner),
        Combined::And(all) => all.iter().for_each(visit),
        Combined::Chain(first, rest) => {
            visit(first);
            rest.iter().for_each(|(_, part)| visit(part));
        }
    }
}

#[cfg(test)]
mod tests {
    use lapidary_text::{Sources, Span};

    use super::*;

    fn definition(name: &str, uses: &[&str]) -> Statement {
        let named = uses.iter().map(|name| States::Named((*name).to_owned())).collect();
        let body = Set::States(States::Combined(Combined::And(named)));
        let span = Span::new(Sources::default().add("s", ""), 0, 0);
        Statement::Definition(Definition { name: name.to_owned(), kind: Equation::Plain, body, span })
    }

    #[test]
    fn a_block_needs_what_its_names_meant_when_they_were_used() {
        let mut memory = Memory::default();
        for (name, uses) in
            [("a", &[][..]), ("b", &["a"]), ("unused", &["a"]), ("a", &["a", "b"]), ("b", &[]), ("c", &["a"])]
        {
            memory.note("N", &definition(name, uses));
        }
        let needed = |name: &str| -> Vec<usize> {
            let all = &memory.known("N").unwrap().definitions;
            let place = |one: &Definition| all.iter().position(|other| std::ptr::eq(one, other)).unwrap();
            memory.needed("N", [definition("new", &[name])].iter()).map(place).collect()
        };
        assert_eq!(needed("c"), [0, 1, 3, 5]);
        assert_eq!(needed("b"), [4]);
        assert_eq!(memory.scope("N").names, ["a", "b", "unused", "c"]);
        assert!(memory.scope("M").names.is_empty());
    }
}
