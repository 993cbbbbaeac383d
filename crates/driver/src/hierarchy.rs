//! Models that are trees of components.

use std::sync::Arc;

use lapidary_base::{Control, Id, IdVec};
use lapidary_checker::eval;
use lapidary_frontends::altarica::{self, Document};
use lapidary_frontends::asked::{Asked, Wording};
use lapidary_ir::model::Raw;
use lapidary_ir::passes::defined;
use lapidary_ir::tree::{EPSILON, ROOT, Transition};
use lapidary_ir::{Action, Expr, Hierarchy, Property, PropertyId, PropertyKind, Subject, Tree, VarId};
use lapidary_mec::acheck::Written;
use lapidary_text::{Diagnostic, Diagnostics, SourceId, Sources, Span, spelling};

use crate::asking;
use crate::load::{LoadRequest, Loaded, Refusal, formula_name};
use crate::origins::Shelf;
use crate::project::Listed;
use crate::specification;

/// An `.alt` file that was read.
pub(crate) struct Read {
    pub subject: Subject,
    /// The flows of the root that are declared to be inputs.
    pub inputs: Vec<String>,
    /// The properties about sets that a specification language computed.
    pub evaluated: Vec<PropertyId>,
    pub asked: Vec<PropertyId>,
    pub predicates: Vec<Expr>,
    pub warnings: Vec<Diagnostic>,
}

/// Reads and instantiates; the properties are those asked for.
pub(crate) fn load(
    shelf: &mut Shelf<'_>,
    listed: &Listed,
    request: &LoadRequest,
    control: &Control,
) -> Result<Read, Refusal> {
    let (document, tree, warnings) = instantiated(shelf, listed, request, control)?;
    let source = tree.components[ROOT].span.source;
    let tree = Arc::new(tree);
    let mut found = Vec::new();
    // A trace or a certificate names the sets it was made for as it names formulas.
    for text in request.properties.iter().filter(|text| !request.never.contains(text)) {
        found.push(property(&document, &tree, shelf.sources, source, text)?);
    }
    let mut evaluated: Vec<String> = Vec::new();
    for never in specification::never(&document, &tree, shelf, request, control)? {
        evaluated.extend((never.written == Written::Evaluated).then(|| never.property.name.clone()));
        found.push(never.property);
    }
    let mut properties: IdVec<PropertyId, Property> = IdVec::new();
    let mut asked = Vec::new();
    for property in found {
        // Two formulas may look alike once white space is gone: only the same question is asked once.
        let is_same = |other: &Property| other.name == property.name && other.kind == property.kind;
        let known = properties.ids().find(|&id| is_same(&properties[id]));
        let id = known.unwrap_or_else(|| properties.push(property));
        if !asked.contains(&id) {
            asked.push(id);
        }
    }
    let mut predicates = Vec::new();
    for text in &request.predicates {
        predicates.push(formula(&document, &tree, shelf.sources, "--predicate", text)?.0);
    }
    let evaluated = asked.iter().copied().filter(|&id| evaluated.contains(&properties[id].name)).collect();
    let inputs = document.inputs(&tree.name);
    let subject = Subject::Tree(Hierarchy::new(tree, properties));
    Ok(Read { subject, inputs, evaluated, asked, predicates, warnings })
}

/// The declarations of a text, the tree of the node asked for, and what there is to warn of.
pub(crate) fn instantiated(
    shelf: &mut Shelf<'_>,
    listed: &Listed,
    request: &LoadRequest,
    control: &Control,
) -> Result<(Document, Tree, Vec<Diagnostic>), Refusal> {
    let define = |(name, value): &(String, String)| {
        (name.clone(), shelf.sources.add_option(format!("-D {name}"), value.as_str()))
    };
    let defines: Vec<(String, SourceId)> = request.defines.iter().map(define).collect();
    let (document, diagnostics) = altarica::read_files(shelf, &listed.texts, &defines, control)?;
    let (document, mut warnings) = finished(document, diagnostics)?;
    let node = root(&document, shelf.sources, listed, request)?;
    let (tree, diagnostics) = document.instantiate_within(shelf.sources, &node, control)?;
    let (tree, more) = finished(tree, diagnostics)?;
    warnings.extend(more);
    Ok((document, tree, warnings))
}

pub(crate) fn finished<T>(value: Option<T>, diagnostics: Diagnostics) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
    match value {
        Some(value) if !diagnostics.has_errors() => Ok((value, diagnostics.list)),
        _ => Err(diagnostics.list),
    }
}

/// The node asked for, or the one that a project names, or the last one that is declared.
fn root(
    document: &Document,
    sources: &Sources,
    listed: &Listed,
    request: &LoadRequest,
) -> Result<String, Vec<Diagnostic>> {
    let nodes = document.nodes();
    let first = listed.texts[0];
    let whole = Span::new(first, 0, u32::try_from(sources.get(first).text.len()).unwrap_or(u32::MAX).min(1));
    let (these, files) = match listed.texts[..] {
        [_] => ("this file", "the file declares"),
        _ => ("this file and those behind it", "the files declare"),
    };
    let named = listed.root.as_ref().map(|(node, span)| (node, *span, "named here".to_owned()));
    let asked = request.node.as_ref().map(|node| (node, whole, format!("looked for in {these}")));
    match asked.or(named) {
        Some((node, ..)) if nodes.contains(&node.as_str()) => Ok(node.clone()),
        Some((node, span, label)) => {
            let message = format!("there is no node `{node}`");
            let diagnostic = Diagnostic::error("alt090", message, span, label);
            Err(vec![diagnostic.with_help(match spelling::similar(node, nodes.iter().copied()) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("the nodes are {}", nodes.join(", ")),
            })])
        }
        None => nodes.last().map(|node| (*node).to_owned()).ok_or_else(|| {
            let message = format!("{files} no node");
            let diagnostic = Diagnostic::error("alt091", message, whole, "nothing to check here");
            vec![diagnostic.with_help("a model is a `node ... edon`; the last one is the root")]
        }),
    }
}

fn property(
    document: &Document,
    tree: &Tree,
    sources: &mut Sources,
    source: SourceId,
    text: &str,
) -> Result<Property, Vec<Diagnostic>> {
    let name = formula_name(text);
    let (wording, text) = asking::read(text);
    let make = match wording {
        Wording::DeadlockFree => {
            let span = Span::new(source, 0, 0);
            let text = "some event other than epsilon is possible".to_owned();
            return Ok(Property { name, kind: PropertyKind::DeadlockFree, faults: Vec::new(), text, span });
        }
        Wording::Ltl => {
            let asked = Asked { name, wording, source: sources.add_option("-p", text) };
            return Ok(asked.unread(sources, tree.exprs.bool(true)));
        }
        Wording::Plain | Wording::Invariant => PropertyKind::Invariant,
        Wording::Reach => PropertyKind::Reach,
    };
    let (expr, span) = formula(document, tree, sources, "-p", text)?;
    let kind = make(total(tree, expr));
    Ok(Property { name, kind, faults: Vec::new(), text: formula_name(text), span })
}

/// A formula that was given with an option, and its place.
fn formula(
    document: &Document,
    tree: &Tree,
    sources: &mut Sources,
    option: &str,
    text: &str,
) -> Result<(Expr, Span), Vec<Diagnostic>> {
    let source = sources.add_option(option, text);
    let span = Span::new(source, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    let expr = document.formula(tree, sources, span).map_err(|diagnostics| diagnostics.list)?;
    Ok((expr, span))
}

/// Where an expression has no value, it does not hold.
pub(crate) fn total(tree: &Tree, expr: Expr) -> Expr {
    tree.exprs.and([defined(&tree.exprs, expr), expr])
}

impl Loaded {
    /// Is this a flow of a hierarchy's root, or a part of one, that is declared to be an input?
    pub fn is_input(&self, var: VarId) -> bool {
        let Some(tree) = self.subject.tree() else { return false };
        let name = &tree.vars[var].name;
        tree.components[ROOT].own_vars().any(|own| own == var)
            && self.inputs.iter().any(|input| name.split(['[', '.']).next() == Some(input))
    }

    /// Where the text says what a step does: the command, or of an event with several transitions the one that was taken.
    pub fn place_of_step(&self, action: &Action, from: &[Raw], to: &[Raw]) -> Span {
        let span = self.subject.place(action);
        let (Some(tree), Action::Vector(flat)) = (self.subject.tree(), action) else { return span };
        // The place of a synchronisation, or of a transition that is the only one, says enough.
        let of_event = tree
            .components
            .enumerated()
            .find(|(id, component)| flat[*id] != EPSILON && component.events[flat[*id]].span == span);
        let Some((id, component)) = of_event else { return span };
        let value = |expr: Expr| eval::eval(self.declared(), expr, from).ok();
        let is_taken = |transition: &&Transition| {
            let becomes = |&(var, new): &(VarId, Expr)| value(new) == Some(i128::from(to[var.index()]));
            transition.event == flat[id] && value(transition.guard) == Some(1) && transition.updates.iter().all(becomes)
        };
        component.transitions.iter().find(is_taken).map_or(span, |transition| transition.span)
    }
}
