//! From the checked tree to a model: instances, cells and quantifiers written out, run-time errors made conditions.
//!
//! The order of conditions carries meaning: a conjunction is evaluated from left to right, and a later part may
//! have a value only where the earlier ones are true.

mod command;
mod expr;
mod facts;
mod initial;
mod interval;
mod layout;
mod place;
mod property;
mod value;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Id, IdVec};
use lapidary_ir::{CommandId, Declarations, Expr, Exprs, Model, Statement};
use lapidary_text::{Log, SourceId, Sources, Span};

use super::consts::{self, Evaluator};
use super::limits::{Budget, MAX_LOWERED_DEPTH, MAX_NODES};
use super::typed::{self, DefineId, Program};
use facts::Facts;
use layout::Layout;
use value::Value;

/// Lowering cannot go on here; the reason is in the log.
#[derive(Clone, Copy, Debug)]
pub struct Aborted;

pub type Lowered<T> = Result<T, Aborted>;

/// How large an expression is when it is written out, and how deep.
#[derive(Clone, Copy)]
struct Measure {
    size: u64,
    depth: u32,
}

pub struct Lowering<'a, 'l> {
    sources: &'a Sources,
    program: &'l Program<'a>,
    log: &'l mut Log,
    budget: &'l mut Budget,
    pub exprs: Exprs,
    layout: Layout,
    /// The values of the parameters and bound names in scope.
    slots: Vec<i64>,
    depth: u32,
    pub facts: Facts,
    /// Definitions that were lowered, those of a process only while its instance lasts.
    global_defines: Map<DefineId, Value>,
    local_defines: Map<DefineId, Value>,
    /// By expression; parts are made before the whole.
    measures: Vec<Measure>,
    commands: IdVec<CommandId, lapidary_ir::Command>,
    /// The commands of the text that have an instance, and those that have one that may be enabled.
    instantiated: Set<Span>,
    enabled: Set<Span>,
}

/// Lowers a program without errors.
pub fn lower<'a>(
    sources: &'a Sources,
    source: SourceId,
    program: &Program<'a>,
    log: &mut Log,
    budget: &mut Budget,
) -> Option<Model> {
    let layout = layout::lay_out(program, log)?;
    let mut lowering = Lowering::new(sources, program, log, budget, layout);
    let init = lowering.init();
    lowering.all_commands();
    lowering.report_never_enabled();
    let properties = lowering.properties(source);
    if lowering.log.has_errors() {
        return None;
    }
    let Layout { vars, families, n_instances, .. } = lowering.layout;
    let declared = Declarations {
        name: stem(&sources.get(source).name).to_owned(),
        n_processes: n_instances,
        exprs: lowering.exprs,
        enums: program.enums.clone(),
        vars,
        families,
        init,
        start: Statement::Skip,
        invariant: Vec::new(),
        properties,
    };
    Some(Model { declared, commands: lowering.commands })
}

/// `peterson` for `examples/peterson.gcl`
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".gcl").unwrap_or(file)
}

impl<'a, 'l> Lowering<'a, 'l> {
    fn new(
        sources: &'a Sources,
        program: &'l Program<'a>,
        log: &'l mut Log,
        budget: &'l mut Budget,
        layout: Layout,
    ) -> Self {
        Self {
            sources,
            program,
            log,
            budget,
            exprs: Exprs::new(),
            layout,
            slots: Vec::new(),
            depth: 0,
            facts: Facts::default(),
            global_defines: Map::default(),
            local_defines: Map::default(),
            measures: Vec::new(),
            commands: IdVec::new(),
            instantiated: Set::default(),
            enabled: Set::default(),
        }
    }

    /// Works inside one instance of a process, or outside with no parameters.
    fn instance<T>(&mut self, params: &[i64], work: impl FnOnce(&mut Self) -> T) -> T {
        self.slots = params.to_vec();
        self.local_defines.clear();
        let result = work(self);
        self.slots.clear();
        result
    }

    /// The value of a constant expression, such as a bound.
    fn constant(&mut self, expr: &typed::Expr) -> Lowered<typed::Constant> {
        let mut evaluator = Evaluator {
            sources: self.sources,
            log: self.log,
            budget: self.budget,
            defines: &self.program.defines,
            slots: self.slots.clone(),
            depth: self.depth,
        };
        evaluator.value(expr).ok_or(Aborted)
    }

    fn constant_int(&mut self, expr: &typed::Expr) -> Lowered<i64> {
        match self.constant(expr)? {
            typed::Constant::Int(value) => Ok(value),
            typed::Constant::Bool(_) | typed::Constant::Literal(..) => Err(Aborted),
        }
    }

    /// Takes work from the budget.
    pub fn spend(&mut self, n_nodes: u64, span: Span) -> Lowered<()> {
        consts::spend(self.budget, self.log, n_nodes, span).ok_or(Aborted)
    }

    /// Takes new expressions from the budget, and refuses one that is too large or too deep.
    pub fn measure(&mut self, expr: Expr, span: Span) -> Lowered<()> {
        let known = self.measures.len();
        let mut n_parts = 0u64;
        for index in known..self.exprs.len() {
            let mut measure = Measure { size: 1, depth: 1 };
            self.exprs.for_each_part(Expr::new(index), |part| {
                let Measure { size, depth } = self.measures[part.index()];
                measure.size = measure.size.saturating_add(size);
                measure.depth = measure.depth.max(depth.saturating_add(1));
                n_parts += 1;
            });
            self.measures.push(measure);
            n_parts += 1;
        }
        let Measure { size, depth } = self.measures[expr.index()];
        self.spend(n_parts, span)?;
        if size > MAX_NODES {
            self.log.push(consts::too_many_nodes(span));
            return Err(Aborted);
        }
        if depth > MAX_LOWERED_DEPTH {
            self.log.push(consts::too_deep(span));
            return Err(Aborted);
        }
        Ok(())
    }
}
