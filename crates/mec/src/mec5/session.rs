//! A session: relations that were defined so far, and what runs statements.

use std::collections::BTreeMap;

use lapidary_base::{Control, Stop, Whose};
use lapidary_bdd::Capacity;
use lapidary_engines::symbolic::full;
use lapidary_text::log::cut;
use lapidary_text::{Diagnostic, SourceId, Span};

use super::ast::{Definition, Equation};
use super::cegar::Abstraction;
use super::environment::{Environment, Signature, describe, of_node};
use super::evaluate::{Failure, Stored, solve};
use super::formula::System;
use super::host::Host;
use super::options::Options;
use super::slots::Slots;
use super::split::{Kind, Statement, statements};
use super::types::{Origin, TypeId, Types};
use super::{check, codes, node, parse, resolve_type};
use crate::acheck;

/// How many diagnostics of a statement are shown: as many as models and Acheck give at most.
const MAX_SHOWN: usize = 21;

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub n_errors: usize,
    pub n_failed_tests: usize,
    /// A limit was reached.
    pub n_stopped: usize,
    /// Answers whose evidence was rejected: mistakes of this program.
    pub n_rejected: usize,
}

/// Whether a shell goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    Quit,
}

pub struct Session {
    pub types: Types,
    pub options: Options,
    pub outcome: Outcome,
    pub(super) signatures: BTreeMap<String, Signature>,
    relations: BTreeMap<String, Stored>,
    /// The sets of Acheck.
    sets: acheck::Memory,
    pub(super) slots: Option<Slots>,
    /// The limits of the statement that runs, or of the last one.
    limits: Control,
    pub(super) capacity: Capacity,
    /// Of the nodes that have one.
    pub(super) abstractions: BTreeMap<String, Abstraction>,
    /// How many scripts are being read from scripts.
    pub(super) n_nested: usize,
}

/// Why a statement has no result.
pub(super) enum Trouble {
    Wrong(Vec<Diagnostic>),
    Stopped(Stop, Span),
    /// Evidence was not accepted, for this reason.
    Rejected(String, Span),
}

impl From<Vec<Diagnostic>> for Trouble {
    fn from(wrong: Vec<Diagnostic>) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<Diagnostic> for Trouble {
    fn from(wrong: Diagnostic) -> Self {
        Self::Wrong(vec![wrong])
    }
}

impl Session {
    /// For a process that may use so many bytes.
    pub fn new(memory: u64, threads: u32) -> Self {
        // The semantics of a node are computed in a space of their own, beside that of the session.
        let capacity = Capacity::for_memory(memory / 2, threads);
        Self {
            types: Types::default(),
            options: Options::default(),
            outcome: Outcome::default(),
            signatures: BTreeMap::new(),
            relations: BTreeMap::new(),
            sets: acheck::Memory::default(),
            slots: None,
            limits: Control::new(),
            capacity,
            abstractions: BTreeMap::new(),
            n_nested: 0,
        }
    }

    /// Runs the statements of a text. An error ends its statement, not the session.
    pub fn run(&mut self, host: &mut dyn Host, source: SourceId, control: &Control) -> Flow {
        let text = host.parts().0.get(source).text.clone();
        for statement in statements(&text, source) {
            let flow = self.statement(host, &text, statement, control);
            // Whoever interrupts a statement does not want the ones after it either.
            if flow == Flow::Quit || control.is_cancelled() {
                return flow;
            }
        }
        Flow::Continue
    }

    /// Runs one of the [`statements`] of a text.
    pub fn statement(&mut self, host: &mut dyn Host, text: &str, statement: Statement, control: &Control) -> Flow {
        let words = &text[statement.span.start as usize..statement.span.end as usize];
        self.obey(control);
        host.obey(control);
        let result = match statement.kind {
            Kind::Command => self.command(host, words, statement.span, control),
            Kind::Definition => self.definition(host, words, statement, control).map(|()| Flow::Continue),
            Kind::Acheck => self.acheck(host, text, statement, control).map(|()| Flow::Continue),
        };
        result.unwrap_or_else(|trouble| {
            // What was not made because a limit was reached is not wrong.
            let trouble = match (trouble, host.parts().1.stopped()) {
                (Trouble::Wrong(_), Some(stop)) => Trouble::Stopped(stop, statement.span),
                (trouble, _) => trouble,
            };
            self.tell(host, trouble);
            Flow::Continue
        })
    }

    fn tell(&mut self, host: &mut dyn Host, trouble: Trouble) {
        match trouble {
            Trouble::Wrong(diagnostics) => {
                self.outcome.n_errors += 1;
                host.report(&cut(diagnostics, MAX_SHOWN, 0, codes::TOO_MANY));
            }
            Trouble::Stopped(stop, span) => {
                self.outcome.n_stopped += 1;
                let stop = if stop == Stop::Memory(Whose::Tables) { full(&self.limits) } else { stop };
                let diagnostic = Diagnostic::error(codes::STOPPED, stop.to_string(), span, "given up here");
                host.report(&[match stop {
                    Stop::Timeout => diagnostic.with_help("`--timeout` sets the limit, for every statement anew"),
                    Stop::Memory(_) => diagnostic.with_help("`--memory` sets the limit"),
                    Stop::Interrupted | Stop::Overflow(_) | Stop::Incomplete(_) | Stop::Budget(_) => diagnostic,
                    Stop::NoAnswer(_) | Stop::Solver(_) => diagnostic,
                }]);
            }
            Trouble::Rejected(why, span) => {
                self.outcome.n_rejected += 1;
                let message = format!("internal error: the answer is not shown by its evidence: {why}");
                let diagnostic = Diagnostic::error(codes::REJECTED, message, span, "no answer is given");
                host.report(&[diagnostic.with_help("this is a mistake of the program: please report it")]);
            }
        }
    }

    fn definition(
        &mut self,
        host: &mut dyn Host,
        text: &str,
        statement: Statement,
        control: &Control,
    ) -> Result<(), Trouble> {
        let (parsed, mut diagnostics) = parse::definition(text, statement.span);
        if !statement.is_complete && !diagnostics.has_errors() {
            let end = statement.span.start + u32::try_from(text.trim_end().len()).expect("spans count in 32 bits");
            let end = Span::new(statement.span.source, end, end);
            let wrong = Diagnostic::error(codes::UNFINISHED, "this statement has no end", end, "expected `;`");
            diagnostics.push(wrong);
        }
        let definition = parsed.filter(|_| !diagnostics.has_errors()).ok_or(Trouble::Wrong(diagnostics.list))?;
        match definition {
            Definition::Equations(equations) => self.equations(host, &equations, statement.span, control),
            Definition::Domain(name, ty) => {
                let (_, models, output) = host.parts();
                let id = resolve_type::resolve(&mut self.types, models, &ty)?;
                self.types.declare(&name.text, id);
                output.text(&format!("{} = {}\n", name.text, self.types.name(id)));
                Ok(())
            }
        }
    }

    fn equations(
        &mut self,
        host: &mut dyn Host,
        equations: &[Equation],
        span: Span,
        control: &Control,
    ) -> Result<(), Trouble> {
        let (_, models, _) = host.parts();
        let mut environment = Environment { types: &mut self.types, models, signatures: &self.signatures };
        let (system, diagnostics) = check::check(&mut environment, equations);
        let Some(system) = system else { return Err(Trouble::Wrong(diagnostics.list)) };
        if !diagnostics.list.is_empty() {
            host.report(&cut(diagnostics.list, MAX_SHOWN, 0, codes::TOO_MANY));
        }
        self.prepare(host, &system, span, control)?;
        let slots = self.slots.as_mut().expect("prepared");
        let relations = &self.relations;
        let stored = |name: &str| relations.get(name).cloned().expect("checked and prepared");
        let solved = solve(slots, &self.types, control, &stored, &system).map_err(|failure| failed(failure, span))?;
        let (_, _, output) = host.parts();
        for name in &system.mentioned {
            output.text(&format!("{}\n", describe(&self.types, name, &self.relations[name].signature)));
        }
        for (equation, relation) in system.equations.iter().zip(solved) {
            output.text(&format!("{}\n", describe(&self.types, &equation.name, &relation.signature)));
            self.signatures.insert(equation.name.clone(), relation.signature.clone());
            self.relations.insert(equation.name.clone(), relation);
        }
        Ok(())
    }

    /// Lays out what the equations need: nodes are computed when they are first used.
    fn prepare(&mut self, host: &mut dyn Host, system: &System, span: Span, control: &Control) -> Result<(), Trouble> {
        self.slots(span)?;
        let types: Vec<TypeId> = system.variables.iter().map(|variable| variable.ty).collect();
        for ty in types {
            let node = match &self.types.get(ty).origin {
                Origin::Plain => continue,
                Origin::Configuration(node) | Origin::Event(node) => node.clone(),
            };
            self.node(host, &node, span, control)?;
        }
        for name in &system.mentioned {
            self.stored(host, name, span, control)?;
        }
        Ok(())
    }

    /// What is kept from one statement to the next has the limits of the one that runs.
    fn obey(&mut self, control: &Control) {
        self.limits = control.clone();
        self.slots.iter().for_each(|slots| slots.space.obey(control));
        self.abstractions.values().for_each(|abstraction| abstraction.system.space.obey(control));
    }

    fn slots(&mut self, span: Span) -> Result<(), Trouble> {
        if self.slots.is_none() {
            self.slots = Some(Slots::new(self.capacity, &self.limits).map_err(|stop| Trouble::Stopped(stop, span))?);
        }
        Ok(())
    }

    /// The types and the diagrams, apart.
    pub(super) fn parts(&mut self, span: Span) -> Result<(&Types, &mut Slots), Trouble> {
        self.slots(span)?;
        Ok((&self.types, self.slots.as_mut().expect("just made")))
    }

    /// Computes the relations of a node, once.
    fn node(&mut self, host: &mut dyn Host, name: &str, span: Span, control: &Control) -> Result<(), Trouble> {
        if self.relations.contains_key(&format!("{name}!t")) {
            return Ok(());
        }
        let (_, models, _) = host.parts();
        let (configuration, event) = resolve_type::node_types(&mut self.types, models, name)?;
        let tree = models.tree(name)?;
        let capacity = self.capacity;
        self.slots(span)?;
        let slots = self.slots.as_mut().expect("just made");
        let of = node::NodeTypes { configuration, event };
        let found = node::relations(slots, &self.types, of, &tree, capacity, control);
        for (relation, stored) in found.map_err(|stop| Trouble::Stopped(stop, span))? {
            self.relations.insert(format!("{name}!{relation}"), stored);
        }
        Ok(())
    }

    /// A relation by its name, computed if it is a node's.
    pub(super) fn stored(
        &mut self,
        host: &mut dyn Host,
        name: &str,
        span: Span,
        control: &Control,
    ) -> Result<Stored, Trouble> {
        if let Some((node, relation)) = of_node(name) {
            self.node(host, node, span, control)?;
            if relation == "reach" && !self.relations.contains_key(name) {
                let slots = self.slots.as_mut().expect("nodes need slots");
                let of = |relation: &str| &self.relations[&format!("{node}!{relation}")];
                let reach = node::reach(slots, &self.types, of("init"), of("t"), control);
                self.relations.insert(name.to_owned(), reach.map_err(|stop| Trouble::Stopped(stop, span))?);
            }
        }
        Ok(self.relations.get(name).cloned().expect("signatures are of relations that are stored"))
    }

    /// The boundary to Acheck: the block as a text of its own, at the place where it stands.
    fn acheck(
        &mut self,
        host: &mut dyn Host,
        text: &str,
        statement: Statement,
        control: &Control,
    ) -> Result<(), Trouble> {
        let (start, end) = (statement.span.start as usize, statement.span.end as usize);
        let blank: String = text[..start].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        let name = host.parts().0.get(statement.span.source).name.clone();
        let script = host.add_source(&name, &format!("{blank}{}", &text[start..end]));
        let engine = match self.options.named("engine") {
            "explicit" => acheck::EngineChoice::Explicit,
            _ => acheck::EngineChoice::Diagrams,
        };
        let (sources, models, output) = host.parts();
        let mut summary = acheck::Summary::default();
        let past = acheck::Past { memory: &mut self.sets, summary: &mut summary };
        let result = acheck::resume(past, sources, script, models, engine, output, control);
        // A test that failed has failed, whatever ended the block after it.
        self.outcome.n_failed_tests += summary.failed_tests;
        result.map_err(|failure| match failure {
            acheck::Failure::Diagnostics(wrong) => Trouble::Wrong(wrong),
            acheck::Failure::Stop(stop) => Trouble::Stopped(stop, statement.span),
        })
    }

    /// The relations that were defined.
    pub fn relation_names(&self) -> impl Iterator<Item = &str> {
        self.signatures.keys().map(String::as_str)
    }
}

fn failed(failure: Failure, span: Span) -> Trouble {
    match failure {
        Failure::Stopped(stop) => Trouble::Stopped(stop, span),
        Failure::TooLarge(at) => {
            let message = "this computation has too many values, or too large ones";
            let diagnostic = Diagnostic::error(codes::TOO_LARGE, message, at, "too large");
            diagnostic.with_help("compare the parts one by one, or use smaller ranges").into()
        }
    }
}
