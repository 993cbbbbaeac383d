//! State sets of an Acheck specification as properties: `--spec FILE --never NAME`.

use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_frontends::altarica::Document;
use lapidary_ir::{Expr, Property, PropertyKind, Tree};
use lapidary_mec::Models;
use lapidary_mec::acheck::{self, EngineChoice, Failure, Written};
use lapidary_text::{Diagnostic, Sources, Span};

use crate::altarica::{Made, Trees, Within};
use crate::encoding;
use crate::load::{LoadRequest, Refusal};
use crate::origins::Shelf;

pub struct Never {
    pub property: Property,
    pub written: Written,
}

/// One property for every set that must have no reachable configuration.
pub fn never(
    document: &Document,
    tree: &Arc<Tree>,
    shelf: &mut Shelf<'_>,
    request: &LoadRequest,
    control: &Control,
) -> Result<Vec<Never>, Refusal> {
    let Some(spec) = &request.spec else { return Ok(Vec::new()) };
    let bytes = shelf.files.read(spec).map_err(Refusal::File)?;
    let script = shelf.sources.add(spec, encoding::old(bytes));
    let sources: &Sources = shelf.sources;
    let models =
        Nodes { sources, document, root: Arc::clone(tree), others: Trees::default(), within: Within::new(control) };
    let property = |name: &String| {
        let set = acheck::state_set(sources, script, &models, &tree.name, name, EngineChoice::Diagrams, control);
        let set = set.map_err(refusal)?;
        let text = format!("no configuration is in {name}");
        let kind = PropertyKind::Invariant(tree.exprs.not(set.expr));
        let property = Property { name: name.clone(), kind, faults: Vec::new(), text, span: set.span };
        Ok(Never { property, written: set.written })
    };
    request.never.iter().map(property).collect()
}

fn refusal(failure: Failure) -> Refusal {
    match failure {
        Failure::Diagnostics(diagnostics) => Refusal::Text(diagnostics),
        Failure::Stop(stop) => Refusal::Stopped(stop),
    }
}

/// The nodes of one file; the tree that is to be checked is there already.
struct Nodes<'a> {
    sources: &'a Sources,
    document: &'a Document,
    root: Arc<Tree>,
    others: Trees,
    within: Within,
}

impl Models for Nodes<'_> {
    fn nodes(&self) -> Vec<String> {
        self.document.nodes().into_iter().map(str::to_owned).collect()
    }

    fn tree(&self, node: &str) -> Made {
        if node == self.root.name {
            return Ok(Arc::clone(&self.root));
        }
        let made = self.others.get(node, || self.within.instantiate(self.document, self.sources, node));
        self.within.keep(made)
    }

    fn formula(&self, tree: &Tree, span: Span) -> Result<Expr, Vec<Diagnostic>> {
        self.within.formula(self.document, tree, self.sources, span)
    }

    fn stopped(&self) -> Option<Stop> {
        self.within.stopped()
    }

    fn restricted(&self, node: &str, name: &str, condition: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        self.document.restricted(node, name, condition)
    }
}
