//! From the checked tree to a model: one variable says where the process is, and each edge is a command.

mod divide;
mod edge;
mod expr;
mod measure;
mod property;

use lapidary_base::IdVec;
use lapidary_base::hash::Set;
use lapidary_ir::{Declarations, Domain, EnumId, EnumType, Expr, Exprs, Life, Model, Sort, Statement, Var, VarId};
use lapidary_text::{Log, SourceId, Sources, Span};

use super::live;
use super::typed::{LocationId, Owner, Program, Ty, VariableId};
use divide::ByZero;
use measure::Measures;

/// Lowering cannot go on here; the reason is in the log.
#[derive(Clone, Copy, Debug)]
pub struct Aborted;

pub type Lowered<T> = Result<T, Aborted>;

struct Lowering<'a, 'l> {
    program: &'l Program<'a>,
    log: &'l mut Log,
    exprs: Exprs,
    vars: IdVec<VarId, Var>,
    /// None for variables of processes that are never run.
    of: IdVec<VariableId, Option<VarId>>,
    here: VarId,
    by_zero: ByZero,
    measures: Measures,
}

/// The one enumeration: that of locations.
const LOCATIONS: EnumId = EnumId(0);

/// Lowers a program without errors.
pub fn lower(sources: &Sources, source: SourceId, program: &Program<'_>, log: &mut Log) -> Option<Model> {
    let mut lowering = Lowering::new(program, log);
    lowering.all_variables();
    let init = lowering.init();
    let commands = lowering.commands();
    let properties = lowering.properties(sources);
    if lowering.log.has_errors() {
        return None;
    }
    let literals = program.locations.iter().map(|location| location.text.to_owned()).collect();
    let declared = Declarations {
        name: stem(&sources.get(source).name).to_owned(),
        n_processes: 1,
        exprs: lowering.exprs,
        enums: [EnumType { name: String::new(), literals }].into_iter().collect(),
        vars: lowering.vars,
        families: IdVec::new(),
        init,
        start: Statement::Skip,
        invariant: Vec::new(),
        properties,
    };
    Some(Model { declared, commands })
}

/// `locking` for `models/locking.cfa`
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".cfa").or_else(|| file.strip_suffix(".theta")).unwrap_or(file)
}

impl<'a, 'l> Lowering<'a, 'l> {
    fn new(program: &'l Program<'a>, log: &'l mut Log) -> Self {
        let mut vars = IdVec::new();
        let here = vars.push(Var {
            name: program.here.clone(),
            domain: Domain::Enum(LOCATIONS),
            control: true,
            life: Life::State,
            span: program.locations[program.initial].span,
        });
        let (exprs, of) = (Exprs::new(), IdVec::new());
        let (by_zero, measures) = (ByZero::default(), Measures::default());
        Self { program, log, exprs, vars, of, here, by_zero, measures }
    }

    /// Variables keep their names, but for those outside of the process that are hidden by its own: nobody speaks of these.
    fn all_variables(&mut self) {
        let program = self.program;
        let own = program.variables.iter().filter(|variable| variable.owner == Owner::Main);
        let mut taken: Set<String> = own.map(|variable| variable.name.text.to_owned()).collect();
        taken.insert(program.here.clone());
        for variable in &program.variables {
            let name = match variable.owner {
                Owner::Other => {
                    self.of.push(None);
                    continue;
                }
                Owner::Main => variable.name.text.to_owned(),
                Owner::Model => free(variable.name.text, &taken),
            };
            taken.insert(name.clone());
            let domain = self.sort(variable.ty).domain();
            let var = self.variable(name, domain, variable.name.span);
            self.of.push(Some(var));
        }
    }

    fn variable(&mut self, name: String, domain: Domain, span: Span) -> VarId {
        self.vars.push(Var { name, domain, control: false, life: Life::State, span })
    }

    fn sort(&self, ty: Ty) -> Sort {
        match ty {
            Ty::Bool => Sort::Bool,
            Ty::Int => Sort::Int,
            Ty::Bits(width) => Sort::Bits(width),
            Ty::Location => Sort::Enum(LOCATIONS),
            Ty::Array(array) => {
                let [index, element] = self.program.arrays.parts(array).map(|part| self.sort(part));
                Sort::Array(self.exprs.array(index, element))
            }
            Ty::Error => unreachable!("a program has no errors"),
        }
    }

    /// The process is where it begins. Variables have any value, but those whose value does not matter have a fixed one: no search
    /// need go through all of them.
    fn init(&mut self) -> Vec<Expr> {
        let needed = live::at_start(self.program, self.log);
        let mut init = vec![self.at(self.program.initial)];
        for (&var, is_needed) in self.of.iter().zip(needed) {
            if let (Some(var), false) = (var, is_needed) {
                let domain = self.vars[var].domain;
                let value = domain.constant(&self.exprs, domain.first(self.exprs.values()));
                init.push(self.exprs.eq(self.exprs.var(var), value));
            }
        }
        init
    }

    /// That the process is there.
    fn at(&self, location: LocationId) -> Expr {
        self.exprs.eq(self.exprs.var(self.here), self.location(location))
    }

    fn location(&self, location: LocationId) -> Expr {
        self.exprs.literal(LOCATIONS, location.0)
    }
}

/// The name, or another one that nothing has.
fn free(name: &str, taken: &Set<String>) -> String {
    let numbered = (2..).map(|n: u32| format!("{name}_{n}"));
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    candidates.find(|name| !taken.contains(name)).expect("there are fewer variables than numbers")
}
