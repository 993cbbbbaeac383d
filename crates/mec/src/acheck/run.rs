//! Runs a specification: reads it, resolves all of it, then evaluates block by block and node by node.

use std::io;
use std::sync::Arc;

use lapidary_base::{Control, Stop};
use lapidary_ir::Tree;
use lapidary_text::{Diagnostic, Log, SourceId, Sources};

use super::algebra::Algebra;
use super::ast::{self, Mode, Redirection};
use super::codes;
use super::commands::{self, Outcome};
use super::evaluate::{Halt, Session};
use super::memory::Memory;
use super::parse;
use super::resolve::{self, Scope};
use super::typed::{Command, Statement};
use crate::Models;

/// How sets are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineChoice {
    Explicit,
    Diagrams,
}

/// Where results go: only the command line prints and writes files.
pub trait Output {
    fn text(&mut self, text: &str);
    fn file(&mut self, path: &str, mode: Mode, text: &str) -> io::Result<()>;
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many `test` commands did not pass.
    pub failed_tests: usize,
    pub passed_tests: usize,
}

#[derive(Debug)]
pub enum Failure {
    Diagnostics(Vec<Diagnostic>),
    Stop(Stop),
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stop(stop) => Self::Stop(stop),
            Halt::Wrong(diagnostic) => Self::Diagnostics(vec![*diagnostic]),
        }
    }
}

/// Opens a tree with the engine that was chosen, and goes on with it: engines are types, so each gets its own copy of
/// what follows.
macro_rules! with_engine {
    ($engine:expr, $control:expr, |$open:ident| $then:expr) => {
        match $engine {
            EngineChoice::Explicit => {
                let $open = |tree| $crate::acheck::explicit::open(tree, $control);
                $then
            }
            EngineChoice::Diagrams => {
                let $open = |tree| $crate::acheck::diagrams::open(tree, $control);
                $then
            }
        }
    };
}
pub(super) use with_engine;

/// What a specification asks of one node.
pub(super) struct Model {
    pub node: String,
    pub tree: Arc<Tree>,
    pub scope: Scope,
}

/// One block for one node.
pub(super) struct Task {
    /// Which of the models.
    pub model: usize,
    pub statements: Vec<Statement>,
}

#[derive(Default)]
pub(super) struct Plan {
    pub models: Vec<Model>,
    /// In the order in which they are run.
    pub tasks: Vec<Task>,
}

/// Runs a specification. Tests that fail are counted, not errors.
pub fn run(
    sources: &Sources,
    script: SourceId,
    models: &dyn Models,
    engine: EngineChoice,
    output: &mut dyn Output,
    control: &Control,
) -> Result<Summary, Failure> {
    let (mut memory, mut summary) = (Memory::default(), Summary::default());
    let past = Past { memory: &mut memory, summary: &mut summary };
    resume(past, sources, script, models, engine, output, control)?;
    Ok(summary)
}

/// What was before a specification: the sets of earlier ones, and how their tests went.
pub struct Past<'a> {
    pub memory: &'a mut Memory,
    pub summary: &'a mut Summary,
}

/// Runs a specification that may use the sets of earlier ones. Also what ended early leaves its sets and tests.
pub fn resume(
    past: Past<'_>,
    sources: &Sources,
    script: SourceId,
    models: &dyn Models,
    engine: EngineChoice,
    output: &mut dyn Output,
    control: &Control,
) -> Result<(), Failure> {
    let plan = plan(sources, script, models, past.memory)?;
    with_engine!(engine, control, |open| execute(past, &plan, models, output, control, open))
}

/// Reads and resolves all of a specification.
pub(super) fn plan(sources: &Sources, script: SourceId, models: &dyn Models, memory: &Memory) -> Result<Plan, Failure> {
    let mut log = Log::default();
    let blocks = parse::script(sources, script, &mut log);
    let mut plan = Plan::default();
    for block in &blocks {
        for node in &block.nodes {
            let Some(model) = open(&mut plan, models, memory, node, &mut log) else { continue };
            let Model { tree, scope, .. } = &mut plan.models[model];
            let statements = resolve::block(sources, models, tree, &block.statements, scope, &mut log);
            plan.tasks.push(Task { model, statements });
        }
    }
    match models.stopped() {
        Some(stop) => Err(Failure::Stop(stop)),
        None if log.is_empty() => Ok(plan),
        None => Err(Failure::Diagnostics(log.finish_by_place(codes::TOO_MANY).list)),
    }
}

/// The model of a node, asked for once.
fn open(plan: &mut Plan, models: &dyn Models, memory: &Memory, node: &ast::Name, log: &mut Log) -> Option<usize> {
    if let Some(known) = plan.models.iter().position(|model| model.node == node.text) {
        return Some(known);
    }
    let declared = models.nodes();
    if !declared.contains(&node.text) {
        let message = format!("there is no node `{}`", node.text);
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NODE, message, node.span, "not declared");
        if !declared.is_empty() {
            let shown: Vec<&str> = declared.iter().rev().take(6).map(String::as_str).collect();
            diagnostic = diagnostic.with_help(format!("there is `{}`", shown.join("`, `")));
        }
        log.push(diagnostic);
        return None;
    }
    match models.tree(&node.text) {
        Ok(tree) => {
            plan.models.push(Model { node: node.text.clone(), tree, scope: memory.scope(&node.text) });
            Some(plan.models.len() - 1)
        }
        Err(diagnostics) => {
            log.extend(diagnostics);
            None
        }
    }
}

fn execute<'c, A: Algebra>(
    past: Past<'_>,
    plan: &Plan,
    models: &dyn Models,
    output: &mut dyn Output,
    control: &'c Control,
    open: impl Fn(Arc<Tree>) -> Result<A, Stop>,
) -> Result<(), Failure> {
    let Past { memory, summary } = past;
    let mut sessions: Vec<Option<Session<'c, A>>> = plan.models.iter().map(|_| None).collect();
    for task in &plan.tasks {
        let model = &plan.models[task.model];
        let session = match &mut sessions[task.model] {
            Some(session) => session,
            closed => {
                let session = closed.insert(Session::new(open(model.tree.clone()).map_err(Failure::Stop)?, control));
                let tasks = plan.tasks.iter().filter(|other| other.model == task.model);
                for definition in memory.needed(&model.node, tasks.flat_map(|task| &task.statements)) {
                    session.define(definition)?;
                }
                session
            }
        };
        for statement in &task.statements {
            match statement {
                Statement::Definition(definition) => session.define(definition)?,
                Statement::Command(command) => {
                    let said = commands::run(session, models, &model.tree, command)?;
                    if let super::typed::CommandKind::Test { .. } = command.kind {
                        match said.outcome {
                            Outcome::Done => summary.passed_tests += 1,
                            Outcome::Failed => summary.failed_tests += 1,
                        }
                    }
                    deliver(output, command, &model.node, &said.text)?;
                }
            }
            memory.note(&model.node, statement);
        }
    }
    Ok(())
}

fn deliver(output: &mut dyn Output, command: &Command, node: &str, text: &str) -> Result<(), Failure> {
    let Some(Redirection { mode, path }) = &command.redirection else {
        output.text(text);
        return Ok(());
    };
    let file = path.text.replace("$NODENAME", node);
    output.file(&file, *mode, text).map_err(|error| {
        let message = format!("`{file}` cannot be written");
        let diagnostic = Diagnostic::error(codes::NOT_WRITTEN, message, path.span, error.to_string());
        Failure::Diagnostics(vec![diagnostic])
    })
}
