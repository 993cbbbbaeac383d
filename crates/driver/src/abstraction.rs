//! Abstractions of AltaRica nodes, written as AltaRica again: made, read back, and found to simulate.

mod covered;

use std::collections::BTreeSet;
use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_engines::symbolic::capacity;
use lapidary_frontends::altarica::{self, Document, print};
use lapidary_ir::tree::{EPSILON, ROOT};
use lapidary_ir::{EventId, Tree};
use lapidary_system::abstraction::{
    Abstraction, Decomposition, Local, Outside, Predicate, Refused, Simulation, decompose, simulates,
};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use crate::files::Files;
use crate::hierarchy;
use crate::languages::{self, Text};
use crate::load::{self, LoadError, LoadRequest, Refusal};
use crate::origins::{Origins, Shelf};
pub use covered::{Covered, CoveredError, covered};

/// Predicates that need not be written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The guards of the transitions.
    Guards,
    /// For every event, where it can be fired: they make the abstraction neat.
    Events,
}

/// How a relation is written with deterministic assignments; [`Decomposition`] says what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    Transitions,
    Flows,
}

#[derive(Clone, Debug)]
pub struct AbstractRequest {
    pub path: String,
    /// The files that the model goes on in, behind the first.
    pub further: Vec<String>,
    pub defines: Vec<(String, String)>,
    pub node: String,
    /// A name and a formula each.
    pub predicates: Vec<(String, String)>,
    pub families: Vec<Family>,
    pub writing: Writing,
}

/// An abstraction that was read back and found to simulate its node.
pub struct Abstracted {
    pub text: String,
    pub n_predicates: usize,
    pub n_transitions: usize,
    /// Whether the node is the predicate abstraction itself, and no coarser.
    pub is_exact: bool,
    /// What the model's text was read with, to render the warnings.
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
}

pub enum AbstractError {
    Load(LoadError),
    Stopped(Stop),
    /// What was written is not what it should be: a sentence.
    Internal(String),
}

/// Makes the abstraction of a node as a text, reads it back and checks that it simulates the node.
pub fn abstracted(
    request: &AbstractRequest,
    files: &Arc<dyn Files>,
    control: &Control,
) -> Result<Abstracted, AbstractError> {
    let asked = LoadRequest {
        path: request.path.clone(),
        further: request.further.clone(),
        node: Some(request.node.clone()),
        defines: request.defines.clone(),
        ..LoadRequest::default()
    };
    let mut files = Origins::new(files);
    let (mut sources, source, _) = load::begun(&asked, &mut files).map_err(AbstractError::Load)?;
    match make(&mut Shelf { sources: &mut sources, files: &mut files }, source, (request, &asked), control) {
        Ok(made) => {
            let Made { text, n_predicates, n_transitions, is_exact, warnings } = made;
            Ok(Abstracted { text, n_predicates, n_transitions, is_exact, sources, warnings })
        }
        Err(Trouble::Text(diagnostics)) => Err(AbstractError::Load(LoadError::Text { sources, diagnostics })),
        Err(Trouble::File(message)) => Err(AbstractError::Load(LoadError::File(message))),
        Err(Trouble::Stopped(stop)) => Err(AbstractError::Stopped(stop)),
        Err(Trouble::Internal(message)) => Err(AbstractError::Internal(message)),
    }
}

struct Made {
    text: String,
    n_predicates: usize,
    n_transitions: usize,
    is_exact: bool,
    warnings: Vec<Diagnostic>,
}

enum Trouble {
    Text(Vec<Diagnostic>),
    File(String),
    Stopped(Stop),
    Internal(String),
}

impl From<Vec<Diagnostic>> for Trouble {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Text(diagnostics)
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Text(diagnostics) => Self::Text(diagnostics),
            Refusal::File(message) => Self::File(message),
            Refusal::Stopped(stop) => Self::Stopped(stop),
        }
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

fn make(
    shelf: &mut Shelf<'_>,
    source: SourceId,
    (request, asked): (&AbstractRequest, &LoadRequest),
    control: &Control,
) -> Result<Made, Trouble> {
    let listed =
        languages::listed(&mut Text { sources: shelf.sources, source, files: shelf.files, request: asked, control })?;
    let (document, tree, warnings) = hierarchy::instantiated(shelf, &listed, asked, control)?;
    let place = tree.components[ROOT].span;
    let mut local = Local::new(&tree, ROOT, capacity(control, 1), control).map_err(|why| refusal(&tree, place, why))?;
    let chosen = predicates(&document, &tree, &local, shelf.sources, request)?;
    let (sets, meanings): (Vec<Predicate>, Vec<String>) = chosen.into_iter().unzip();
    let made = written_out(&mut local, (&sets, &meanings), request.writing, &request.node, control)?;
    Ok(Made { warnings, ..made })
}

/// The text of a component's abstraction, after it was read back and found to simulate the component.
fn written_out(
    local: &mut Local,
    (sets, meanings): (&[Predicate], &[String]),
    writing: Writing,
    node: &str,
    control: &Control,
) -> Result<Made, Trouble> {
    let how = match writing {
        Writing::Transitions => Decomposition::Transition,
        Writing::Flows => Decomposition::Flow,
    };
    let place = local.tree.components[ROOT].span;
    let made = decompose(local, sets, how, control).map_err(|why| refusal(&local.tree, place, why))?;
    let text = head(&local.tree, how, sets, meanings, &made) + &print::leaf(&made.tree, ROOT);
    let again = read_back(&text, node)?;
    let n_transitions = again.components[ROOT].transitions.len();
    match simulates(local, sets, &again, capacity(control, 1), control)? {
        Ok(Simulation { loose }) => {
            let (is_exact, warnings) = (loose.is_none(), Vec::new());
            Ok(Made { text, n_predicates: sets.len(), n_transitions, is_exact, warnings })
        }
        Err(why) => Err(Trouble::Internal(format!("the abstraction does not simulate {node}: {why}"))),
    }
}

/// The tree that the text stands for.
fn read_back(text: &str, node: &str) -> Result<Tree, Trouble> {
    let mut sources = Sources::default();
    let source = sources.add("the abstraction", text);
    let (document, diagnostics) = altarica::load(&sources, source);
    let wrong = |diagnostics: Vec<Diagnostic>| {
        let first = diagnostics.first().map_or_else(String::new, |found| format!(": {}", found.message));
        Trouble::Internal(format!("the abstraction cannot be read back{first}"))
    };
    let (document, _) = hierarchy::finished(document, diagnostics).map_err(wrong)?;
    let (tree, diagnostics) = document.instantiate(&sources, node);
    hierarchy::finished(tree, diagnostics).map(|(tree, _)| tree).map_err(wrong)
}

/// What the variables of the text mean.
fn head(tree: &Tree, how: Decomposition, predicates: &[Predicate], meanings: &[String], made: &Abstraction) -> String {
    let kind = match how {
        Decomposition::Transition => "transition decomposition",
        Decomposition::Flow => "flow decomposition",
    };
    let mut text = format!("// An abstraction of {}, by {kind}. What its variables say:\n", plain(&tree.name));
    for (predicate, meaning) in predicates.iter().zip(meanings) {
        text += &format!("//   {}: {meaning}\n", plain(&predicate.name));
    }
    let name = |event: EventId| plain(&tree.components[ROOT].events[event].name);
    for &(low, high) in &made.absorbed {
        text += &format!("// The transitions of {} heed that {} has priority.\n", name(low), name(high));
    }
    text
}

/// A text on one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The predicates asked for, each with what it means in words. Guards and event predicates that say nothing new are
/// left out.
fn predicates(
    document: &Document,
    tree: &Tree,
    local: &Local,
    sources: &mut Sources,
    request: &AbstractRequest,
) -> Result<Vec<(Predicate, String)>, Trouble> {
    let mut chosen: Vec<(Predicate, String)> = Vec::new();
    for (name, formula) in &request.predicates {
        chosen.push((written(document, tree, local, sources, &chosen, (name, formula))?, plain(formula)));
    }
    let families: BTreeSet<Family> = request.families.iter().copied().collect();
    for family in families {
        let candidates = match family {
            Family::Guards => guards(tree, local)?,
            Family::Events => events(local)?,
        };
        for (mut predicate, meaning) in candidates {
            let is_known = chosen.iter().any(|(known, _)| known.set == predicate.set);
            if !is_known && !local.is_constant(&predicate) {
                let wanted = predicate.name.clone();
                let names = std::iter::once(wanted.clone()).chain((2u32..).map(|number| format!("{wanted}_{number}")));
                let is_free = |name: &String| chosen.iter().all(|(known, _)| known.name != *name);
                predicate.name = names.into_iter().find(is_free).expect("there are more numbers than predicates");
                chosen.push((predicate, meaning));
            }
        }
    }
    Ok(chosen)
}

/// A predicate as it was typed.
fn written(
    document: &Document,
    tree: &Tree,
    local: &Local,
    sources: &mut Sources,
    before: &[(Predicate, String)],
    (name, formula): (&str, &str),
) -> Result<Predicate, Trouble> {
    let whole = |source: SourceId, text: &str| Span::new(source, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    let wrong_name = |sources: &mut Sources, why: &str, help: &str| {
        let span = whole(sources.add("--predicate", name), name);
        let error = Diagnostic::error("alt097", format!("a predicate cannot be called this: {why}"), span, "this name");
        Trouble::Text(vec![error.with_help(help)])
    };
    if before.iter().any(|(known, _)| known.name == name) {
        return Err(wrong_name(sources, "another one is", "give every predicate a name of its own"));
    }
    // One kind of quotes can stand within the other.
    if name.is_empty() || name.contains(['\n', '\r']) || (name.contains('\'') && name.contains('"')) {
        let help = "a name is anything on one line that does not hold both kinds of quotes";
        return Err(wrong_name(sources, "it could not be read back", help));
    }
    let span = whole(sources.add("--predicate", formula), formula);
    let expr = document.formula(tree, sources, span).map_err(|diagnostics| diagnostics.list)?;
    local.predicate(name, tree, ROOT, expr)?.ok_or_else(|| {
        let message = format!("`{name}` is about variables of subnodes");
        let error = Diagnostic::error("alt096", message, span, "not about the node alone");
        Trouble::Text(vec![error.with_help("a node is abstracted without its subnodes: use its own variables only")])
    })
}

fn guards(tree: &Tree, local: &Local) -> Result<Vec<(Predicate, String)>, Stop> {
    let component = &tree.components[ROOT];
    let mut found = Vec::new();
    for transition in &component.transitions {
        let event = &component.events[transition.event].name;
        let predicate = local.predicate(&format!("guard_{event}"), tree, ROOT, transition.guard)?;
        let predicate = predicate.expect("a detached component mentions its own variables only");
        found.push((predicate, format!("the guard of a transition of {}", plain(event))));
    }
    Ok(found)
}

fn events(local: &Local) -> Result<Vec<(Predicate, String)>, Stop> {
    let mut found = Vec::new();
    let events = &local.tree.components[ROOT].events;
    for event in events.ids().filter(|&event| event != EPSILON) {
        let name = &events[event].name;
        let meaning = format!("{} can be fired, priorities aside", plain(name));
        found.push((local.event_predicate(&format!("can_{name}"), event)?, meaning));
    }
    Ok(found)
}

fn refusal(tree: &Tree, place: Span, why: Refused) -> Trouble {
    match why {
        Refused::Stopped(stop) => Trouble::Stopped(stop),
        Refused::Outside(Outside { var, span }) => {
            let message = format!("`{}` cannot be abstracted alone", tree.name);
            let label = format!("this is about `{}` of a subnode", tree.vars[var].name);
            let error = Diagnostic::error("alt095", message, span, label);
            Trouble::Text(vec![
                error.with_help("only what speaks of the node's own variables can stand in its abstraction"),
            ])
        }
        Refused::TooLarge(what) => {
            let message = format!("the abstraction of `{}` is too large to be written: {what}", tree.name);
            let error = Diagnostic::error("alt098", message, place, "abstracted here");
            Trouble::Text(vec![error.with_help("use fewer predicates, or `--decomposition flow`")])
        }
    }
}
