//! The components of a tree with their variables and events, parents before their subcomponents.

use lapidary_base::IdVec;
use lapidary_base::hash::Map;
use lapidary_ir::tree::{Component, Event, ROOT, VarKind};
use lapidary_ir::{ComponentId, Exprs};
use lapidary_text::Diagnostic;
use lapidary_text::Span;

use super::super::applied;
use super::super::ast::{self, Name, Section};
use super::super::check::{Elaborator, Reader};
use super::super::codes;
use super::super::names::Names;
use super::super::scope::{Declaration, Entry, Layout, Role, Scope, Visibility};
use super::super::sizes::{MAX_COMPONENTS, MAX_LEVELS};
use super::super::value::Constant;
use super::Context;

/// The value that a node gives to a parameter below it.
pub struct Setting {
    pub by: ComponentId,
    pub value: Constant,
    pub span: Span,
}

pub struct Builder<'c, 'a> {
    pub context: &'c mut Context<'a>,
    pub layout: Layout,
    /// For constants only: nothing of it stays.
    pub exprs: Exprs,
    /// By the path of the parameter from the root. Outer nodes come first and win.
    pub settings: Map<String, Setting>,
    pub n_events: usize,
}

/// Something does not fit a limit; it was reported, or is one of the whole run.
pub struct TooLarge;

/// Lays out the tree below a node, given by its item. None if it is too large.
pub fn layout(context: &mut Context, item: usize) -> Option<Layout> {
    let layout = Layout::default();
    let mut builder = Builder { context, layout, exprs: Exprs::new(), settings: Map::default(), n_events: 0 };
    let node = builder.context.node(item);
    let root = Position { item, name: String::new(), parent: None, n_levels: 0, span: node.name.span };
    builder.component(root).ok()?;
    Some(builder.layout)
}

/// Where a component goes.
struct Position {
    item: usize,
    name: String,
    parent: Option<ComponentId>,
    n_levels: usize,
    span: Span,
}

impl<'c, 'a> Builder<'c, 'a> {
    pub fn elaborator(&mut self, here: ComponentId) -> Elaborator<'_> {
        Elaborator {
            sources: self.context.sources,
            globals: self.context.globals,
            layout: &self.layout,
            exprs: &self.exprs,
            log: self.context.log,
            budget: self.context.budget,
            here: Some(here),
            item: self.layout.scopes[here].item,
            reader: Reader::Node,
        }
    }

    /// A name of a component as seen from the root.
    pub fn path(&self, component: ComponentId, name: &str) -> String {
        match self.layout.components[component].path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        }
    }

    fn component(&mut self, position: Position) -> Result<ComponentId, TooLarge> {
        let node = self.context.node(position.item);
        if self.context.budget.patience.ends() {
            return Err(TooLarge);
        }
        if self.layout.components.len() >= MAX_COMPONENTS {
            self.context.too_large("components", MAX_COMPONENTS, position.span);
            return Err(TooLarge);
        }
        if position.n_levels > MAX_LEVELS {
            self.context.too_large("levels of components", MAX_LEVELS, position.span);
            return Err(TooLarge);
        }
        let n_levels = position.n_levels;
        let id = self.begin(position, node);
        let parameters = self.parameters(id, node)?;
        self.variables(id, node)?;
        self.free_parameters(id, &parameters)?;
        if id == ROOT {
            self.tables(id, node)?;
        }
        self.layout.components[id].vars.1 = self.layout.vars.len() as u32;
        self.events(id, node)?;
        self.settings(id, node);
        self.subs(id, node, n_levels)?;
        self.layout.components[id].end = self.layout.components.len() as u32;
        Ok(id)
    }

    fn begin(&mut self, position: Position, node: &ast::Node) -> ComponentId {
        let externs = node.sections.iter().filter_map(|section| match section {
            Section::Extern { text, .. } => Some(text.clone()),
            Section::State(_) | Section::Flow(_) | Section::Event(_) | Section::Sub(_) | Section::Init(_) => None,
            Section::Assert(_) | Section::Trans(_) | Section::Sync(_) | Section::Param(_) => None,
            Section::ParamSet(_) => None,
        });
        let first = self.layout.vars.len() as u32;
        let mut events = IdVec::default();
        events.push(Event { name: String::new(), is_public: false, span: node.name.span });
        let path = position.parent.map_or(String::new(), |parent| self.path(parent, &position.name));
        let id = self.layout.components.push(Component {
            name: position.name,
            path,
            node: node.name.text.clone(),
            parent: position.parent,
            subs: Vec::new(),
            end: 0,
            vars: (first, first),
            events,
            priorities: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
            vectors: Vec::new(),
            lifted: Vec::new(),
            externs: externs.collect(),
            span: position.span,
        });
        self.layout.scopes.push(Scope { item: position.item, names: Names::default(), events: Names::default() });
        if let Some(parent) = position.parent {
            self.layout.components[parent].subs.push(id);
        }
        id
    }

    /// Declares a variable, parameter or subnode; a second one of the same name is an error.
    pub fn declare(&mut self, component: ComponentId, name: &Name, declaration: Declaration) {
        if let Err(first) = self.layout.scopes[component].names.insert(&name.text, declaration) {
            let message = format!("`{}` is declared twice in one node", name.text);
            let error = Diagnostic::error(codes::DUPLICATE, message, name.span, "declared again here")
                .with_label(first.span, format!("already {} here", first.role.describe()))
                .with_help("rename one of them");
            self.context.log.push(error);
        }
    }

    fn subs(&mut self, id: ComponentId, node: &ast::Node, n_levels: usize) -> Result<(), TooLarge> {
        for section in &node.sections {
            let Section::Sub(list) = section else { continue };
            for subs in list {
                let item = self.find_node(id, &subs.node);
                let mut elaborator = self.elaborator(id);
                let sizes: Option<Vec<usize>> = subs.sizes.iter().map(|size| elaborator.size(size)).collect();
                for name in &subs.names {
                    let entry = match (item, &sizes) {
                        (Some(item), Some(sizes)) => {
                            let position = Position {
                                item,
                                name: name.text.clone(),
                                parent: Some(id),
                                n_levels: n_levels + 1,
                                span: name.span,
                            };
                            self.array(&position, sizes)?
                        }
                        _ => Entry::Error,
                    };
                    let visibility = Visibility::Parent;
                    self.declare(id, name, Declaration { entry, role: Role::Subnode, visibility, span: name.span });
                }
            }
        }
        Ok(())
    }

    /// Subnodes `V[i][j]` of `Valve[2][3]`: as with domains the last size is that of the first index.
    fn array(&mut self, position: &Position, sizes: &[usize]) -> Result<Entry, TooLarge> {
        let Some((&len, inner)) = sizes.split_last() else {
            let Position { item, ref name, parent, n_levels, span } = *position;
            let position = Position { item, name: name.clone(), parent, n_levels, span };
            return self.component(position).map(Entry::Component);
        };
        let mut elements = Vec::new();
        for index in 0..len {
            let Position { item, ref name, parent, n_levels, span } = *position;
            let position = Position { item, name: format!("{name}[{index}]"), parent, n_levels, span };
            elements.push(self.array(&position, inner)?);
        }
        Ok(Entry::Array(elements))
    }

    fn find_node(&mut self, id: ComponentId, name: &Name) -> Option<usize> {
        let globals = self.context.globals;
        let mut elaborator = self.elaborator(id);
        let Some(declared) = globals.nodes.get(&name.text) else {
            let help = elaborator.did_you_mean(&name.text, globals.nodes.keys(), "declare it further up in the file");
            let message = format!("the node `{}` is not declared", name.text);
            elaborator.error(codes::UNKNOWN_NAME, message, (name.span, "no node of this name"), help);
            return None;
        };
        if declared.item >= elaborator.item {
            elaborator.used_before("the node", &name.text, name.span, declared.span);
            return None;
        }
        Some(declared.item)
    }

    /// The functions that the tree applies, as variables of the root.
    fn tables(&mut self, root: ComponentId, node: &ast::Node) -> Result<(), TooLarge> {
        let mut nodes: Names<&ast::Node> = Names::default();
        let mut todo = vec![node];
        let mut functions: Vec<&str> = Vec::new();
        while let Some(node) = todo.pop() {
            if nodes.insert(&node.name.text, node).is_err() {
                continue;
            }
            functions.extend(applied::functions(node));
            let known = applied::subnodes(node).filter_map(|name| self.context.globals.nodes.get(name));
            todo.extend(known.map(|declared| self.context.node(declared.item)));
        }
        // In the order of their declarations, not of their uses.
        let globals = self.context.globals;
        let mut used: Names<()> = Names::default();
        for name in functions {
            let _ = used.insert(name, ());
        }
        for (name, declared) in globals.signatures.iter() {
            if let (Some(signature), Some(())) = (&declared.content, used.get(name)) {
                self.table(root, name, signature, declared.span)?;
            }
        }
        Ok(())
    }

    pub fn kind(role: Role) -> VarKind {
        match role {
            Role::Flow => VarKind::Flow,
            Role::State | Role::Parameter | Role::Subnode => VarKind::State,
        }
    }
}
