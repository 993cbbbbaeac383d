//! A file that was read and checked, and the trees and formulas that are made of it.

use std::sync::{Arc, Mutex, PoisonError};

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Stop};
use lapidary_ir::tree::ROOT;
use lapidary_ir::{Expr, Tree};
use lapidary_text::{Diagnostic, Diagnostics, Log, Severity, SourceId, Sources, Span, spelling};

use super::ast::{self, Item, Section};
use super::check::{Elaborator, Reader};
use super::globals::{self, Globals};
use super::instantiate::{self, Context, Extent};
use super::library::{Alone, Library, tell_origins};
use super::scope::Layout;
use super::sizes::{Budget, MAX_COMPONENTS, MAX_DEPTH};
use super::{applied, codes, elements, parse, print};

/// What matters only to somebody who asks for a node.
const UNASKED: &[&str] = &[codes::PARAMETER_UNSET, codes::TOO_LARGE];

/// After errors a name may be unknown for no fault of its own.
const UNSURE: &[&str] =
    &[codes::PARAMETER_UNSET, codes::TOO_LARGE, codes::UNKNOWN_NAME, codes::UNKNOWN_MEMBER, codes::UNKNOWN_EVENT];

/// A parsed and checked file, or several that are one model.
pub struct Document {
    source: SourceId,
    file: ast::File,
    globals: Globals,
    /// Where each text that was included is so for the first time.
    origins: Map<SourceId, Span>,
    /// Warnings that were given when the file was read: they are not given again.
    reported: Set<(&'static str, Span)>,
    /// The names of trees that were made, for formulas about them.
    layouts: Mutex<Map<String, Arc<Layout>>>,
}

/// Reads a file. Errors are among the diagnostics; with errors there is no document.
pub fn load(sources: &Sources, source: SourceId) -> (Option<Document>, Diagnostics) {
    load_with(sources, source, &[])
}

/// Reads a file in which some constants have other values: expressions that are whole sources.
pub fn load_with(
    sources: &Sources,
    source: SourceId,
    defines: &[(String, SourceId)],
) -> (Option<Document>, Diagnostics) {
    load_files(sources, &[source], defines, &Control::new()).unwrap_or_else(|_| unreachable!("there is no limit"))
}

/// Reads files one after the other as one text, within the limits of a run; none of them includes another.
pub fn load_files(
    sources: &Sources,
    files: &[SourceId],
    defines: &[(String, SourceId)],
    control: &Control,
) -> Result<(Option<Document>, Diagnostics), Stop> {
    read_files(&mut Alone(sources), files, defines, control)
}

/// Reads files one after the other as one text, with all that they include, within the limits of a run: what a file
/// declares or defines, those behind it can use.
pub fn read_files(
    library: &mut dyn Library,
    files: &[SourceId],
    defines: &[(String, SourceId)],
    control: &Control,
) -> Result<(Option<Document>, Diagnostics), Stop> {
    let mut log = Log::within(control);
    let mut budget = Budget::new(control);
    let parsed = parse::files(library, files, &mut log);
    log.stopped()?;
    // With half of what is included nothing else would make sense.
    let Some((mut file, origins)) = parsed else { return Ok((None, log.finish(codes::TOO_MANY))) };
    let sources = library.sources();
    let source = files.last().copied().unwrap_or(SourceId(0));
    for (name, value) in defines {
        define(sources, &mut file, name, *value, &mut log);
    }
    control.check()?;
    if log.has_errors() {
        log.ignore(UNSURE);
    }
    let globals = globals::declare(sources, &file, &mut log, &mut budget);
    budget.patience.finish()?;
    check_nodes(sources, &file, &globals, &mut log, control)?;
    let is_fine = !log.has_errors();
    let mut diagnostics = log.finish(codes::TOO_MANY);
    tell_origins(&mut diagnostics, &origins);
    let places = diagnostics.list.iter().filter_map(|found| Some((found.code, found.labels.first()?.0)));
    let reported = places.collect();
    let document = Document { source, file, globals, origins, reported, layouts: Mutex::default() };
    Ok((is_fine.then_some(document), diagnostics))
}

/// Gives a constant another value.
fn define(sources: &Sources, file: &mut ast::File, name: &str, value: SourceId, log: &mut Log) {
    let end = u32::try_from(sources.get(value).text.len()).unwrap_or(u32::MAX);
    let span = Span::new(value, 0, end);
    let value = parse::formula(sources, span, log);
    let mut names = Vec::new();
    for item in &mut file.items {
        let Item::Const(constant) = item else { continue };
        if constant.name.text == name {
            constant.value = Some(value);
            return;
        }
        names.push(constant.name.text.as_str());
    }
    let message = format!("the model has no constant `{name}`");
    let error = Diagnostic::error(codes::UNKNOWN_NAME, message, span, "the value given for it");
    log.push(match spelling::similar(name, names) {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error.with_help("only what a `const` declares can be given another value"),
    });
}

/// Instantiates the nodes that no other node uses. That they are too large or need values for their parameters matters
/// only to somebody who asks for them.
fn check_nodes(
    sources: &Sources,
    file: &ast::File,
    globals: &Globals,
    log: &mut Log,
    control: &Control,
) -> Result<(), Stop> {
    let nodes = file.items.iter().enumerate().filter_map(|(item, declaration)| match declaration {
        Item::Node(node) => Some((item, node)),
        Item::Const(_) | Item::Domain { .. } | Item::Sort(_) | Item::Sig { .. } | Item::Extern { .. } => None,
    });
    let used: Set<&str> = nodes.clone().flat_map(|(_, node)| applied::subnodes(node)).collect();
    // All of them together draw on one budget.
    let mut budget = Budget::new(control);
    let mut n_components = 0;
    log.ignore(if log.has_errors() { UNSURE } else { UNASKED });
    for (item, node) in nodes.filter(|(_, node)| !used.contains(node.name.text.as_str())) {
        let mut context = Context { sources, file, globals, log: &mut *log, budget: &mut budget };
        let layout = instantiate::layout(&mut context, item);
        if let Some(layout) = &layout {
            instantiate::lower(&mut context, layout, &node.name.text, Extent::EachNodeOnce);
        }
        n_components += layout.map_or(MAX_COMPONENTS, |layout| layout.components.len());
        if n_components >= MAX_COMPONENTS {
            break;
        }
    }
    log.ignore(&[]);
    budget.patience.finish()
}

impl Document {
    /// The names of the nodes, in the order of their declarations; the last one is the root unless another is asked for.
    pub fn nodes(&self) -> Vec<&str> {
        self.globals.nodes.keys().collect()
    }

    /// The flows of a node that are declared to be inputs.
    pub fn inputs(&self, node: &str) -> Vec<String> {
        let Some(Item::Node(node)) = self.globals.nodes.get(node).map(|declared| &self.file.items[declared.item])
        else {
            return Vec::new();
        };
        let flows = node.sections.iter().filter_map(|section| match section {
            Section::Flow(list) => Some(list),
            Section::State(_) | Section::Event(_) | Section::Init(_) | Section::Assert(_) | Section::Sub(_) => None,
            Section::Trans(_) | Section::Sync(_) | Section::Param(_) | Section::ParamSet(_) => None,
            Section::Extern { .. } => None,
        });
        let inputs = flows.flatten().filter(|flow| flow.attributes.iter().any(|label| label.text == "in"));
        inputs.flat_map(|flow| &flow.names).map(|name| name.text.clone()).collect()
    }

    /// Writes a node out with all its subnodes. None, with the reason among the diagnostics, if there is no such node, if
    /// it is too large, or if it needs the value of a parameter that has none.
    pub fn instantiate(&self, sources: &Sources, node: &str) -> (Option<Tree>, Diagnostics) {
        let made = self.instantiate_within(sources, node, &Control::new());
        made.unwrap_or_else(|_| unreachable!("there is no limit"))
    }

    /// The same within the limits of a run.
    pub fn instantiate_within(
        &self,
        sources: &Sources,
        node: &str,
        control: &Control,
    ) -> Result<(Option<Tree>, Diagnostics), Stop> {
        let mut log = Log::default();
        let mut budget = Budget::new(control);
        let tree = self.tree(sources, node, &mut log, &mut budget);
        budget.patience.finish()?;
        let tree = tree.filter(|_| !log.has_errors());
        let mut diagnostics = log.finish(codes::TOO_MANY);
        diagnostics.list.retain(|found| {
            let place = found.labels.first().map(|(span, _)| (found.code, *span));
            found.severity == Severity::Error || !place.is_some_and(|place| self.reported.contains(&place))
        });
        tell_origins(&mut diagnostics, &self.origins);
        Ok((tree, diagnostics))
    }

    fn tree(&self, sources: &Sources, node: &str, log: &mut Log, budget: &mut Budget) -> Option<Tree> {
        let Some(item) = self.globals.nodes.get(node).map(|declared| declared.item) else {
            log.push(self.unknown_node(node));
            return None;
        };
        let mut context = Context { sources, file: &self.file, globals: &self.globals, log, budget };
        let layout = instantiate::layout(&mut context, item)?;
        let tree = instantiate::lower(&mut context, &layout, node, Extent::Everything);
        if context.budget.patience.finish().is_err() {
            return None;
        }
        self.layouts().insert(node.to_owned(), Arc::new(layout));
        Some(tree)
    }

    fn unknown_node(&self, name: &str) -> Diagnostic {
        let last = self.globals.nodes.iter().last().map(|(_, declared)| declared.span);
        let place = last.unwrap_or(Span::new(self.source, 0, 0));
        let help = match spelling::similar(name, self.globals.nodes.keys()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "name one of its nodes; without a name the last one is taken".to_owned(),
        };
        let message = format!("the file declares no node `{name}`");
        Diagnostic::error(codes::UNKNOWN_NAME, message, place, "the last node of the file").with_help(help)
    }

    /// The names of the tree of a node; formulas ask for the same ones again and again.
    fn layout(&self, sources: &Sources, node: &str, budget: &mut Budget) -> Result<Arc<Layout>, Stop> {
        if let Some(known) = self.layouts().get(node) {
            return Ok(known.clone());
        }
        let item = self.globals.nodes.get(node).map(|declared| declared.item);
        let log = &mut Log::default();
        let mut context = Context { sources, file: &self.file, globals: &self.globals, log, budget };
        let layout = item.and_then(|item| instantiate::layout(&mut context, item));
        context.budget.patience.finish()?;
        let layout = Arc::new(layout.expect("the tree was made of a node of this document"));
        self.layouts().insert(node.to_owned(), layout.clone());
        Ok(layout)
    }

    fn layouts(&self) -> std::sync::MutexGuard<'_, Map<String, Arc<Layout>>> {
        self.layouts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A Boolean expression over paths as seen from the root of a tree that this document made. Whether variables are
    /// visible does not matter. Where a part of the formula has no value, neither has the expression.
    pub fn formula(&self, tree: &Tree, sources: &Sources, span: Span) -> Result<Expr, Diagnostics> {
        let made = self.formula_within(tree, sources, span, &Control::new());
        let (expr, diagnostics) = made.unwrap_or_else(|_| unreachable!("there is no limit"));
        expr.ok_or(diagnostics)
    }

    /// The same within the limits of a run.
    pub fn formula_within(
        &self,
        tree: &Tree,
        sources: &Sources,
        span: Span,
        control: &Control,
    ) -> Result<(Option<Expr>, Diagnostics), Stop> {
        let mut log = Log::default();
        let mut budget = Budget::new(control);
        let formula = parse::formula(sources, span, &mut log);
        let layout = self.layout(sources, &tree.name, &mut Budget::new(control))?;
        let mut elaborator = Elaborator {
            sources,
            globals: &self.globals,
            layout: &layout,
            exprs: &tree.exprs,
            log: &mut log,
            budget: &mut budget,
            here: Some(ROOT),
            item: usize::MAX,
            reader: Reader::Formula,
        };
        let truth = elaborator.truth(&formula);
        budget.patience.finish()?;
        if truth.is_some_and(|expr| instantiate::depth(&tree.exprs, expr, &mut Map::default()) > MAX_DEPTH) {
            log.push(instantiate::too_deep(span));
        }
        Ok((truth.filter(|_| !log.has_errors()), log.finish(codes::TOO_MANY)))
    }

    /// The text of a node under a new name whose transitions have additional conditions, asked for by the names of the
    /// events (`e`, `e[1]`). None if there is no such node, or if its events have names only where it is used.
    pub fn restricted(&self, node: &str, new_name: &str, condition: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        match &self.file.items[self.globals.nodes.get(node)?.item] {
            Item::Node(node) => {
                let node = elements::expanded(node, &self.globals)?;
                let by_name = |written: &str| condition(&elements::unquoted(written));
                Some(print::restricted(&node, new_name, &by_name))
            }
            Item::Const(_) | Item::Domain { .. } | Item::Sort(_) | Item::Sig { .. } | Item::Extern { .. } => None,
        }
    }
}
