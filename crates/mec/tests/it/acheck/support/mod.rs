//! Models for the tests of Acheck: AltaRica texts through the real front end, and an output that keeps everything.

pub mod scripts;

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_frontends::altarica::{self, Document};
use lapidary_ir::{Expr, Tree};
use lapidary_mec::Models;
use lapidary_mec::acheck::{self, EngineChoice, Failure, Mode, Output, Summary};
use lapidary_reference::surroundings;
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

pub const ENGINES: [EngineChoice; 2] = [EngineChoice::Explicit, EngineChoice::Diagrams];

/// A model text and a specification, both loaded.
pub struct Case {
    pub sources: Sources,
    pub document: Document,
    pub script: SourceId,
}

impl Case {
    pub fn new(model: &str, script: &str) -> Self {
        let mut sources = Sources::default();
        let source = sources.add("model.alt", model);
        let script = sources.add("spec.spe", script);
        let (document, diagnostics) = altarica::load(&sources, source);
        let shown = rendered(&sources, &diagnostics.list);
        Self { document: document.unwrap_or_else(|| panic!("the model is wrong:\n{shown}")), sources, script }
    }

    pub fn run(&self, engine: EngineChoice) -> (Kept, Result<Summary, Failure>) {
        let mut kept = Kept::default();
        let models = Loaded { case: self, trees: RefCell::default() };
        let result = acheck::run(&self.sources, self.script, &models, engine, &mut kept, &Control::new());
        (kept, result)
    }

    /// What the specification prints without redirections, through both engines.
    pub fn printed(&self) -> String {
        let texts = ENGINES.map(|engine| {
            let (kept, result) = self.run(engine);
            if let Err(failure) = result {
                panic!("{}", self.failure(failure));
            }
            kept.text
        });
        assert_eq!(texts[0], texts[1], "the engines differ");
        texts[0].clone()
    }

    /// The diagnostics that a wrong specification gives.
    pub fn refused(&self) -> String {
        match self.run(EngineChoice::Explicit) {
            (_, Ok(_)) => panic!("nothing is wrong"),
            (_, Err(failure)) => self.failure(failure),
        }
    }

    pub fn failure(&self, failure: Failure) -> String {
        match failure {
            Failure::Diagnostics(list) => rendered(&self.sources, &list),
            Failure::Stop(stop) => stop.to_string(),
        }
    }

    pub fn state_set(&self, node: &str, name: &str, engine: EngineChoice) -> Result<(Arc<Tree>, Expr), Failure> {
        let models = Loaded { case: self, trees: RefCell::default() };
        let control = Control::new();
        let set = acheck::state_set(&self.sources, self.script, &models, node, name, engine, &control)?;
        Ok((models.tree(node).expect("the node exists"), set.expr))
    }
}

pub fn rendered(sources: &Sources, list: &[Diagnostic]) -> String {
    list.iter().map(|diagnostic| render(diagnostic, sources, Style::Plain) + "\n").collect()
}

struct Loaded<'a> {
    case: &'a Case,
    trees: RefCell<Vec<Arc<Tree>>>,
}

impl Models for Loaded<'_> {
    fn nodes(&self) -> Vec<String> {
        self.case.document.nodes().into_iter().map(str::to_owned).collect()
    }

    fn tree(&self, node: &str) -> Result<Arc<Tree>, Vec<Diagnostic>> {
        let mut trees = self.trees.borrow_mut();
        if let Some(known) = trees.iter().find(|tree| tree.name == node) {
            return Ok(known.clone());
        }
        let (tree, diagnostics) = self.case.document.instantiate(&self.case.sources, node);
        let tree = Arc::new(tree.ok_or(diagnostics.list)?);
        trees.push(tree.clone());
        Ok(tree)
    }

    fn formula(&self, tree: &Tree, span: Span) -> Result<Expr, Vec<Diagnostic>> {
        self.case.document.formula(tree, &self.case.sources, span).map_err(|diagnostics| diagnostics.list)
    }

    fn stopped(&self) -> Option<Stop> {
        None
    }

    fn restricted(&self, node: &str, name: &str, condition: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        self.case.document.restricted(node, name, condition)
    }
}

#[derive(Default)]
pub struct Kept {
    pub text: String,
    pub files: Vec<(String, String)>,
}

impl Kept {
    pub fn file(&self, path: &str) -> &str {
        let found = self.files.iter().find(|(known, _)| known == path);
        &found.unwrap_or_else(|| panic!("no file {path}")).1
    }
}

impl Output for Kept {
    fn text(&mut self, text: &str) {
        self.text += text;
    }

    fn file(&mut self, path: &str, mode: Mode, text: &str) -> io::Result<()> {
        if path.starts_with("forbidden") {
            return Err(io::Error::other("it is forbidden"));
        }
        let known = self.files.iter().position(|(known, _)| known == path);
        match (known, mode) {
            (Some(place), Mode::Append) => self.files[place].1 += text,
            (Some(place), Mode::Replace) => self.files[place].1 = text.to_owned(),
            (None, Mode::Append | Mode::Replace) => self.files.push((path.to_owned(), text.to_owned())),
        }
        Ok(())
    }
}

/// A file of the collection of models next to the project.
pub fn corpus(path: &str) -> String {
    surroundings::corpus_text(&format!("altarica/{path}"))
}

pub fn corpus_folder() -> PathBuf {
    surroundings::corpus("altarica")
}
