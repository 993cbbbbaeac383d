//! A session in memory: files are a table, results are collected.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use lapidary_base::{Control, Stop};
use lapidary_frontends::altarica::{Document, load};
use lapidary_ir::{Expr, Tree};
use lapidary_mec::Models;
use lapidary_mec::acheck::{Mode, Output};
use lapidary_mec::mec5::{Evidence, Flow, Host, Judgement, LoadFailure, Question, Session};
use lapidary_system::composition;
use lapidary_text::diagnostic::{Style, render};
use lapidary_text::{Diagnostic, SourceId, Sources, Span};
use lapidary_verdict::Diagram;

#[derive(Default)]
struct Collected {
    text: String,
}

impl Output for Collected {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// There is no folder `nowhere`.
    fn file(&mut self, path: &str, _mode: Mode, text: &str) -> io::Result<()> {
        if path.starts_with("nowhere/") {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.text.push_str(&format!("[{path}]\n{text}"));
        Ok(())
    }
}

#[derive(Default)]
struct Loaded {
    documents: Vec<Document>,
    trees: Mutex<BTreeMap<String, Arc<Tree>>>,
    sources: Sources,
}

impl Models for Loaded {
    fn nodes(&self) -> Vec<String> {
        self.documents.iter().flat_map(Document::nodes).map(str::to_owned).collect()
    }

    fn tree(&self, node: &str) -> Result<Arc<Tree>, Vec<Diagnostic>> {
        let mut trees = self.trees.lock().unwrap();
        if let Some(tree) = trees.get(node) {
            return Ok(Arc::clone(tree));
        }
        let document = self.documents.iter().find(|document| document.nodes().contains(&node)).expect("a known node");
        let (tree, diagnostics) = document.instantiate(&self.sources, node);
        let tree = Arc::new(tree.ok_or(diagnostics.list)?);
        trees.insert(node.to_owned(), Arc::clone(&tree));
        Ok(tree)
    }

    fn formula(&self, tree: &Tree, span: Span) -> Result<Expr, Vec<Diagnostic>> {
        let made = |document: &&Document| document.nodes().contains(&tree.name.as_str());
        let document = self.documents.iter().find(made).expect("a tree of a known node");
        document.formula(tree, &self.sources, span).map_err(|diagnostics| diagnostics.list)
    }

    fn stopped(&self) -> Option<Stop> {
        None
    }

    fn restricted(&self, node: &str, name: &str, condition: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        self.documents.iter().find_map(|document| document.restricted(node, name, condition))
    }
}

#[derive(Default)]
struct Memory {
    files: BTreeMap<String, String>,
    models: Loaded,
    output: Collected,
    /// What is said of all evidence; accepted without it.
    rejects: Option<String>,
}

impl Host for Memory {
    fn obey(&mut self, _control: &Control) {}

    fn parts(&mut self) -> (&Sources, &dyn Models, &mut dyn Output) {
        (&self.models.sources, &self.models, &mut self.output)
    }

    fn add_source(&mut self, name: &str, text: &str) -> SourceId {
        self.models.sources.add(name, text)
    }

    fn read(&mut self, path: &str) -> Result<SourceId, String> {
        let text = self.files.get(path).cloned().ok_or_else(|| format!("cannot read {path}: not there"))?;
        Ok(self.models.sources.add(path, text))
    }

    fn load(&mut self, path: &str) -> Result<(Vec<String>, Vec<Diagnostic>), LoadFailure> {
        let missing = || LoadFailure::Unreadable(format!("cannot read {path}: not there"));
        let text = self.files.get(path).cloned().ok_or_else(missing)?;
        let source = self.models.sources.add(path, text);
        let (document, diagnostics) = load(&self.models.sources, source);
        let document = document.ok_or(LoadFailure::Wrong(diagnostics.list.clone()))?;
        let nodes = document.nodes().into_iter().map(str::to_owned).collect();
        self.models.documents.push(document);
        Ok((nodes, diagnostics.list))
    }

    fn judge(&mut self, question: &Question<'_>, evidence: &Evidence, _control: &Control) -> Judgement {
        if let Some(why) = &self.rejects {
            return Judgement::Rejected(why.clone());
        }
        if let Evidence::Run { events, states } = evidence {
            assert_eq!(states.len(), events.len() + 1);
            assert!(question.initial.contains(&states[0]), "{states:?}");
            assert!(states.last().is_some_and(|last| question.error.contains(last)), "{states:?}");
        }
        match evidence {
            Evidence::Run { .. } => Judgement::Accepted,
            Evidence::Inductive(set) => match is_inductive(question, set) {
                true => Judgement::Accepted,
                false => Judgement::Rejected("the set that was found is not inductive".to_owned()),
            },
        }
    }

    fn report(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let text = render(diagnostic, &self.models.sources, Style::Plain);
            self.output.text.push_str(&format!("{text}\n"));
        }
    }
}

/// By listing all configurations.
fn is_inductive(question: &Question<'_>, set: &Diagram) -> bool {
    let graph = composition::explore_all(question.tree, &Control::new()).expect("small nodes");
    let is_member = |number: u32| set.contains(graph.state(number as usize));
    let closed = graph.transitions.iter().all(|&(from, _, to)| !is_member(from) || is_member(to));
    let ends = graph.states().all(|state| {
        let is_member = set.contains(state);
        (is_member || !question.initial.contains(state)) && !(is_member && question.error.contains(state))
    });
    closed && ends
}

/// A session with its files.
pub struct Shell {
    host: Memory,
    pub session: Session,
    control: Control,
}

impl Shell {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let host = Memory { files, ..Memory::default() };
        Self { host, session: Session::new(1 << 28, 1), control: Control::new() }
    }

    /// The same session under other limits.
    pub fn with_control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// The same session with a host that rejects all evidence.
    pub fn rejecting(mut self, why: &str) -> Self {
        self.host.rejects = Some(why.to_owned());
        self
    }

    /// What is printed for some statements.
    pub fn say(&mut self, text: &str) -> String {
        self.flow(text);
        std::mem::take(&mut self.host.output.text)
    }

    /// Whether the session goes on after some statements.
    pub fn flow(&mut self, text: &str) -> Flow {
        let source = self.host.add_source("input", text);
        self.session.run(&mut self.host, source, &self.control)
    }

    /// Statements in which nothing is wrong.
    pub fn define(&mut self, text: &str) {
        let before = self.session.outcome;
        let printed = self.say(text);
        assert_eq!(self.session.outcome, before, "{text}\n{printed}");
    }

    pub fn cardinal(&mut self, relation: &str) -> u128 {
        let printed = self.say(&format!(":rel-cardinal {relation}"));
        let count = printed.strip_prefix(&format!("cardinal of {relation} : ")).unwrap_or_else(|| panic!("{printed}"));
        count.trim_end().parse().expect("a number")
    }

    /// All tuples, one after the other.
    pub fn tuples(&mut self, relation: &str) -> Vec<String> {
        let printed = self.say(&format!(":rel-print {relation} 1000000"));
        printed.lines().map(str::to_owned).collect()
    }

    /// The codes of what is wrong with some statements.
    pub fn codes(&mut self, text: &str) -> Vec<String> {
        codes(&self.say(text))
    }

    pub fn tree(&self, node: &str) -> Arc<Tree> {
        self.host.models.tree(node).unwrap_or_else(|_| panic!("{node} is wrong"))
    }
}

/// The codes of the diagnostics in a printed text, in order.
pub fn codes(printed: &str) -> Vec<String> {
    let codes = printed.lines().filter_map(|line| {
        let rest = line.strip_prefix("error[").or_else(|| line.strip_prefix("warning["))?;
        Some(rest.split(']').next()?.to_owned())
    });
    codes.collect()
}
