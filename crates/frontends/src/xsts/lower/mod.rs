//! From the checked tree to a model: a variable tells which section comes next, and each branch of a section is a command.

mod array;
mod expr;
mod known;
mod layout;
mod life;
mod phase;
mod statement;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, IdVec};
use lapidary_ir::{
    Declarations, EnumId, EnumType, Expr, Exprs, Model, Property, PropertyId, PropertyKind, Statement, Var, VarId,
};
use lapidary_text::{Diagnostic, Log, SourceId, Sources, Span, quotation};

use super::ast::Factor;
use super::typed::{Asks, Program, SymbolId};
use super::{Order, codes, limits::MAX_NODES};
use known::Known;

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

struct Lowering<'a, 'l> {
    program: &'l Program<'a>,
    order: Order,
    log: &'l mut Log,
    exprs: Exprs,
    enums: IdVec<EnumId, EnumType>,
    vars: IdVec<VarId, Var>,
    /// The names of all variables.
    names: Set<String>,
    /// How often a name was wanted again.
    n_of_name: Map<String, usize>,
    var_of: Map<SymbolId, VarId>,
    /// The bounds of loops, by what counts their rounds.
    bounds: Map<SymbolId, VarId>,
    /// Which branches of an `ort` ran, by its place.
    flags: Map<Span, Vec<VarId>>,
    /// What counts the rounds of the loops that are being written out.
    counters: Map<SymbolId, Expr>,
    /// How many copies of the current statement the loops around it make.
    n_copies: u64,
    known: Known,
    /// What divisions by zero give, by the operator.
    unknown: Vec<(Factor, VarId)>,
    /// By expression; parts are made before the whole.
    measures: Vec<Measure>,
    /// What is left of [`MAX_NODES`], and whether somebody was told that nothing is.
    left: u64,
    is_used_up: bool,
}

/// Lowers a program without errors.
pub fn lower(
    sources: &Sources,
    source: SourceId,
    program: &Program<'_>,
    order: Order,
    log: &mut Log,
    control: &Control,
) -> Option<Model> {
    let mut lowering = Lowering::new(program, order, log);
    let phase = lowering.lay_out(source);
    let mut init = lowering.initial();
    let properties = lowering.properties(sources);
    let bodies = lowering.sections();
    if lowering.log.has_errors() || control.check().is_err() {
        return None;
    }
    let mut bodies = bodies?;
    lowering.fix_unread(&mut bodies, &properties, &mut init);
    let commands = lowering.commands(phase, bodies);
    init.push(lowering.exprs.eq(lowering.exprs.var(phase.var), lowering.exprs.literal(phase.of, 0)));
    let Lowering { exprs, enums, vars, .. } = lowering;
    let declared = Declarations {
        name: super::stem(&sources.get(source).name).to_owned(),
        n_processes: 0,
        exprs,
        enums,
        vars,
        families: IdVec::new(),
        init,
        start: Statement::Skip,
        invariant: Vec::new(),
        properties,
    };
    Some(Model { declared, commands })
}

impl<'a, 'l> Lowering<'a, 'l> {
    fn new(program: &'l Program<'a>, order: Order, log: &'l mut Log) -> Self {
        Self {
            program,
            order,
            log,
            exprs: Exprs::new(),
            enums: program.enums.clone(),
            vars: IdVec::new(),
            names: Set::default(),
            n_of_name: Map::default(),
            var_of: Map::default(),
            bounds: Map::default(),
            flags: Map::default(),
            counters: Map::default(),
            n_copies: 1,
            known: Known::default(),
            unknown: Vec::new(),
            measures: Vec::new(),
            left: MAX_NODES,
            is_used_up: false,
        }
    }

    /// That variables begin with their declared values.
    fn initial(&mut self) -> Vec<Expr> {
        let mut init = Vec::new();
        for (symbol, value) in &self.program.globals {
            let Some(value) = value else { continue };
            // What goes wrong is in the log; the others may show more.
            if let Ok(value) = self.expr(value) {
                let var = self.var(*symbol);
                init.push(self.exprs.eq(self.exprs.var(var), value));
            }
        }
        init
    }

    fn properties(&mut self, sources: &Sources) -> IdVec<PropertyId, Property> {
        let mut properties = IdVec::new();
        for property in &self.program.properties {
            let kind = match &property.is {
                Asks::Invariant(formula) => self.expr(formula).map(PropertyKind::Invariant),
                Asks::Reach(formula) => self.expr(formula).map(PropertyKind::Reach),
                Asks::DeadlockFree => Ok(PropertyKind::DeadlockFree),
                // Every engine refuses it, whatever it says, so that the others are still checked.
                Asks::Temporal => Ok(PropertyKind::Ltl(lapidary_ir::Ltl::State(self.exprs.bool(true)))),
            };
            let Ok(kind) = kind else { continue };
            let text = quotation::on_one_line(sources, property.span);
            let (name, faults, span) = (property.name.clone(), Vec::new(), property.span);
            properties.push(Property { name, kind, faults, text, span });
        }
        properties
    }

    /// Takes work from the budget.
    fn spend(&mut self, n_nodes: u64, span: Span) -> Lowered<()> {
        if !self.log.goes_on() {
            return Err(Aborted);
        }
        if let Some(left) = self.left.checked_sub(n_nodes) {
            self.left = left;
            return Ok(());
        }
        self.left = 0;
        if !std::mem::replace(&mut self.is_used_up, true) {
            self.too_large(span);
        }
        Err(Aborted)
    }

    fn too_large(&mut self, span: Span) {
        let message = format!("the model has more than {MAX_NODES} parts when loops and orders are written out");
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, message, span, "too large here");
        self.log.push(
            diagnostic
                .with_help("nest fewer loops, or fewer `ort` within each other; `--ort declared` takes one order"),
        );
    }
}

/// The statements of the three sections: what a branch does, without what tells which section comes next.
struct Bodies {
    init: Vec<Body>,
    env: Vec<Body>,
    trans: Vec<Body>,
}

struct Body {
    statement: Statement,
    span: Span,
}
