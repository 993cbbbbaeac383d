//! AltaRica models for the specification languages: files loaded one after the other, trees made when asked for.

use std::sync::{Arc, Mutex, PoisonError};

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_frontends::altarica::{Document, read_files};
use lapidary_ir::{Expr, Tree};
use lapidary_mec::Models;
use lapidary_text::{Diagnostic, SourceId, Sources, Span};

use crate::encoding;
use crate::files::Files;
use crate::languages::{self, PROJECT};
use crate::load::Refusal;
use crate::origins::{Origins, Shelf};
use crate::project;

pub(crate) type Made = Result<Arc<Tree>, Vec<Diagnostic>>;

/// Trees by the names of their nodes, each made once.
#[derive(Default)]
pub(crate) struct Trees(Mutex<Map<String, Made>>);

impl Trees {
    /// What a limit ended is made anew when it is asked for again.
    pub fn get(&self, node: &str, make: impl FnOnce() -> Result<Made, Stop>) -> Result<Made, Stop> {
        let mut trees = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = trees.get(node) {
            return Ok(made.clone());
        }
        let made = make()?;
        trees.insert(node.to_owned(), made.clone());
        Ok(made)
    }
}

/// The limits within which trees and formulas are made, and the one that was reached.
#[derive(Default)]
pub(crate) struct Within {
    control: Control,
    stop: Mutex<Option<Stop>>,
}

impl Within {
    pub fn new(control: &Control) -> Self {
        Self { control: control.clone(), stop: Mutex::default() }
    }

    pub fn stopped(&self) -> Option<Stop> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Where a limit was reached there is nothing wrong, and nothing made.
    pub fn keep<T>(&self, made: Result<Result<T, Vec<Diagnostic>>, Stop>) -> Result<T, Vec<Diagnostic>> {
        made.unwrap_or_else(|stop| {
            *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
            Err(Vec::new())
        })
    }

    /// The tree of a node of a document.
    pub fn instantiate(&self, document: &Document, sources: &Sources, node: &str) -> Result<Made, Stop> {
        let (tree, diagnostics) = document.instantiate_within(sources, node, &self.control)?;
        Ok(tree.map(Arc::new).ok_or(diagnostics.list))
    }

    pub fn formula(
        &self,
        document: &Document,
        tree: &Tree,
        sources: &Sources,
        span: Span,
    ) -> Result<Expr, Vec<Diagnostic>> {
        let made = document.formula_within(tree, sources, span, &self.control);
        self.keep(made.map(|(expr, diagnostics)| expr.ok_or(diagnostics.list)))
    }
}

/// The nodes of the files that were loaded, with the texts of a session.
pub struct AltaricaModels {
    sources: Sources,
    files: Origins,
    loaded: Vec<SourceId>,
    /// All files as one; each time one is loaded it is made anew.
    document: Option<Document>,
    trees: Trees,
    within: Within,
}

/// Why a file was not loaded.
pub enum AltaricaError {
    /// It cannot be read: a sentence.
    Unreadable(String),
    /// What is wrong with it, in terms of [`AltaricaModels::sources`].
    Wrong(Vec<Diagnostic>),
    /// A limit was reached; nothing is loaded.
    Stopped(Stop),
}

impl AltaricaModels {
    /// Nothing is loaded yet.
    pub fn new(files: &Arc<dyn Files>) -> Self {
        let (sources, loaded, document, trees, within) = Default::default();
        Self { sources, files: Origins::new(files), loaded, document, trees, within }
    }

    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The limits of all that is loaded and made from now on.
    pub fn obey(&mut self, control: &Control) {
        self.within = Within::new(control);
    }

    /// A text that is no model: a script, or a line that was typed.
    pub fn add_source(&mut self, name: &str, text: &str) -> SourceId {
        self.sources.add(name, text)
    }

    /// Reads a text that is no model.
    pub fn read(&mut self, path: &str) -> Result<SourceId, String> {
        let text = self.files.look_into(path).map(encoding::old)?;
        Ok(self.sources.add(path, text))
    }

    /// The files that models were read from, those among them that others include.
    pub fn files(&self) -> Vec<String> {
        self.files.names()
    }

    /// Loads a file, or all that a project lists; the names of the nodes, and warnings.
    pub fn load(&mut self, path: &str) -> Result<(Vec<String>, Vec<Diagnostic>), AltaricaError> {
        let known = self.files.text(path);
        if known.is_some_and(|known| self.loaded.contains(&known)) {
            return Err(AltaricaError::Unreadable(format!("{path} is loaded already; start anew to read it again")));
        }
        let n_before = self.sources.len();
        let loaded = self.load_file(path);
        if loaded.is_err() {
            // It may be repaired before it is loaded again.
            self.files.forget_from(n_before);
        }
        loaded
    }

    fn load_file(&mut self, path: &str) -> Result<(Vec<String>, Vec<Diagnostic>), AltaricaError> {
        let source = self.files.open(&mut self.sources, path).map_err(AltaricaError::Unreadable)?;
        if languages::of(path) != Some(&PROJECT) {
            return self.load_also(&[source]);
        }
        let listed = project::listed(&mut self.sources, source, &mut self.files, &self.within.control);
        let listed = listed.map_err(|refusal| match refusal {
            Refusal::Text(wrong) => AltaricaError::Wrong(wrong),
            Refusal::File(message) => AltaricaError::Unreadable(message),
            Refusal::Stopped(stop) => AltaricaError::Stopped(stop),
        })?;
        let new: Vec<SourceId> = listed.texts.into_iter().filter(|text| !self.loaded.contains(text)).collect();
        self.load_also(&new)
    }

    /// Loads a text; the path only names it. It may use what was loaded before.
    pub fn load_text(&mut self, path: &str, text: &str) -> Result<(Vec<String>, Vec<Diagnostic>), AltaricaError> {
        let source = self.sources.add(path, text);
        self.load_also(&[source])
    }

    fn load_also(&mut self, new: &[SourceId]) -> Result<(Vec<String>, Vec<Diagnostic>), AltaricaError> {
        let texts: Vec<SourceId> = self.loaded.iter().chain(new).copied().collect();
        let mut shelf = Shelf { sources: &mut self.sources, files: &mut self.files };
        let read = read_files(&mut shelf, &texts, &[], &self.within.control);
        let (document, diagnostics) = read.map_err(AltaricaError::Stopped)?;
        let first = new.iter().copied().min();
        let is_old = |found: &Diagnostic| found.labels.iter().all(|(span, _)| Some(span.source) < first);
        let Some(document) = document else { return Err(AltaricaError::Wrong(diagnostics.list)) };
        let warnings = diagnostics.list.into_iter().filter(|found| !is_old(found)).collect();
        let known = self.nodes();
        self.loaded = texts;
        self.document = Some(document);
        let nodes = self.nodes().into_iter().filter(|node| !known.contains(node)).collect();
        Ok((nodes, warnings))
    }
}

impl Models for AltaricaModels {
    fn nodes(&self) -> Vec<String> {
        self.document.iter().flat_map(|document| document.nodes()).map(str::to_owned).collect()
    }

    fn tree(&self, node: &str) -> Made {
        let made = self.trees.get(node, || match &self.document {
            Some(document) => self.within.instantiate(document, &self.sources, node),
            None => Ok(Err(Vec::new())),
        });
        self.within.keep(made)
    }

    fn formula(&self, tree: &Tree, span: Span) -> Result<Expr, Vec<Diagnostic>> {
        let Some(document) = &self.document else { return Err(Vec::new()) };
        self.within.formula(document, tree, &self.sources, span)
    }

    fn stopped(&self) -> Option<Stop> {
        self.within.stopped()
    }

    fn restricted(&self, node: &str, name: &str, condition: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        self.document.as_ref()?.restricted(node, name, condition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Texts;

    fn none() -> AltaricaModels {
        AltaricaModels::new(&(Arc::new(Texts::new()) as Arc<_>))
    }

    #[test]
    fn files_are_loaded_one_after_the_other_and_names_stay_unique() {
        let mut models = none();
        let node = |name: &str| format!("node {name} state x : bool; edon\n");
        assert!(models.load_text("a.alt", &node("A")).is_ok());
        assert!(models.load_text("b.alt", &node("B")).is_ok());
        assert!(matches!(models.load_text("c.alt", &node("A")), Err(AltaricaError::Wrong(_))));
        assert_eq!(models.nodes(), ["A", "B"]);
        let (new, _) = models.load_text("d.alt", "node C sub a : A; b : B; edon").ok().expect("other files are known");
        assert_eq!((new, models.tree("C").map(|tree| tree.components.len())), (vec!["C".to_owned()], Ok(3)));
        let tree = models.tree("B").expect("a tree");
        assert!(Arc::ptr_eq(&tree, &models.tree("B").expect("the same one")));
        let formula = models.add_source("f", "x = true");
        assert!(models.formula(&tree, Span::new(formula, 0, 8)).is_ok());
        assert!(models.formula(&tree, Span::new(formula, 4, 8)).is_ok());
        assert!(models.formula(&tree, Span::new(formula, 2, 8)).is_err());
    }

    /// Files that change while a session goes on.
    struct Edited(Mutex<Texts>);

    impl Files for Edited {
        fn read(&self, path: &str, most: u64) -> std::io::Result<Vec<u8>> {
            self.0.lock().expect("one thread").read(path, most)
        }

        fn identity(&self, path: &str) -> std::path::PathBuf {
            self.0.lock().expect("one thread").identity(path)
        }

        fn is_file(&self, path: &str) -> bool {
            self.0.lock().expect("one thread").is_file(path)
        }
    }

    #[test]
    fn files_bring_along_what_they_include_and_may_be_repaired() {
        let texts = Texts::new()
            .with("m/a.alt", "#pragma once\nnode A state x : bool; edon\n")
            .with("m/b.alt", "#include \"a.alt\"\nnode B sub a : A; oops\n")
            .with("m/c.alt", "#include \"a.alt\"\nnode C sub a : A; edon\n")
            .with("m/all.project", "c.alt\na.alt\n");
        let files = Arc::new(Edited(Mutex::new(texts)));
        let mut models = AltaricaModels::new(&(Arc::clone(&files) as Arc<_>));
        assert!(matches!(models.load("m/b.alt"), Err(AltaricaError::Wrong(_))));
        files.0.lock().expect("one thread").put("m/b.alt", "#include \"a.alt\"\nnode B sub a : A; edon\n");
        assert_eq!(models.load("m/b.alt").ok().expect("it was repaired").0, ["A", "B"]);
        assert_eq!(models.load("m/all.project").ok().expect("a is read once").0, ["C"]);
        assert!(matches!(models.load("m/c.alt"), Err(AltaricaError::Unreadable(_))));
        assert!(models.files().contains(&"m/a.alt".to_owned()), "what is included is kept from being overwritten");
    }

    #[test]
    fn models_are_loaded_and_made_within_the_limits() {
        let mut models = none();
        let late = Control::new().with_timeout(Some(std::time::Duration::ZERO));
        models.obey(&late);
        let loaded = models.load_text("a.alt", "node A state x : bool; edon");
        assert!(matches!(loaded, Err(AltaricaError::Stopped(Stop::Timeout))));
        models.obey(&Control::new());
        assert!(models.load_text("a.alt", "node A state x : bool; edon").is_ok());
        models.obey(&late);
        assert_eq!((models.tree("A").err(), models.stopped()), (Some(Vec::new()), Some(Stop::Timeout)));
        models.obey(&Control::new());
        let tree = models.tree("A").expect("what a limit ended is made when there is time");
        let formula = models.add_source("f", "x = true");
        let span = Span::new(formula, 0, 8);
        assert!(models.formula(&tree, span).is_ok() && models.stopped().is_none());
        models.obey(&late);
        assert_eq!((models.formula(&tree, span), models.stopped()), (Err(Vec::new()), Some(Stop::Timeout)));
    }

    #[test]
    fn what_is_wrong_names_its_place() {
        let mut models = none();
        let Err(AltaricaError::Wrong(wrong)) = models.load_text("a.alt", "node A state x : nowhere; edon") else {
            panic!("an unknown domain is an error")
        };
        assert_eq!(models.sources().describe(wrong[0].labels[0].0), "a.alt:1:18");
        assert!(models.nodes().is_empty());
        assert!(matches!(models.load("no/such/file.alt"), Err(AltaricaError::Unreadable(_))));
    }
}
