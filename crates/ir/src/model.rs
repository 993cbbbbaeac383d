//! A model: variables, an initial condition, an invariant and commands. All guarded languages lower to this shape.

use std::ops::{Deref, DerefMut};

use lapidary_base::{Id, IdVec, id};
use lapidary_text::Span;

use crate::expr::{Expr, Exprs};
use crate::property::{Property, PropertyId};
use crate::types::{Domain, EnumId, EnumType, Sort};

id! {
    /// A scalar variable: a declared one, or one cell of an array.
    pub struct VarId(u32);
    /// A row of variables that an index picks from.
    pub struct FamilyId(u32);
    pub struct CommandId(u32);
}

/// A state assigns a number to every variable: false is 0 and true 1, a literal is its position in its enumeration.
pub type Raw = i64;

/// How long a variable keeps what is written to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    /// From step to step: it is part of every state.
    #[default]
    State,
    /// Within a [`Statement::Scope`] that lists it. In every state it has the first value of its domain.
    Local,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// As traces show it: `turn`, `flag[1]`, `P[0].pc`.
    pub name: String,
    pub domain: Domain,
    /// Abstractions keep control variables exact.
    pub control: bool,
    pub life: Life,
    pub span: Span,
}

/// The variables `first`, `first + 1`, ... under one name; all have the same domain and the same life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// With `_` for what the index picks: `flag[_]`, `P[_].pc`.
    pub name: String,
    pub first: VarId,
    pub len: u32,
}

impl Family {
    pub fn var(&self, index: u32) -> VarId {
        debug_assert!(index < self.len, "cell indexes are below the family's length");
        VarId(self.first.0 + index)
    }
}

/// What a step does. Executions in which an assumption fails, an evaluation has no value, a value is outside its
/// destination's domain or one assignment writes a variable twice are not steps, nor are those that do not end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Statement {
    #[default]
    Skip,
    Assume(Expr),
    /// All at once: right sides and indexes read the old values.
    Assign(Vec<Assignment>),
    Sequence(Vec<Statement>),
    /// Any one of them.
    Choice(Vec<Statement>),
    If(Expr, Box<Statement>, Box<Statement>),
    /// Again and again as long as the condition is true.
    While(Expr, Box<Statement>),
    /// These variables, all of them local, get the first values of their domains before the statement and again after it.
    Scope(Vec<VarId>, Box<Statement>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub to: Destination,
    pub value: Rhs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    Var(VarId),
    Cell(FamilyId, Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhs {
    Expr(Expr),
    /// Any value of the destination's domain.
    Any,
}

/// A way in which evaluating something of the source can go wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it happens: has a value in every state.
    pub when: Expr,
    /// In the words of the source: `index 3 - i is outside flag[0..2]`.
    pub what: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As traces show it: `P[0].request`, `move[3]`.
    pub label: String,
    pub body: Statement,
    /// Conditions under which this command would err; its body already excludes them.
    pub faults: Vec<Fault>,
    /// A step that only waits: a state with no other step is a deadlock.
    pub is_idle: bool,
    /// Instances of one source command share their span.
    pub span: Span,
}

/// What there is to speak about, whatever the steps are: variables, how states begin, what holds in all of them, and what is
/// asked. Every [`crate::Subject`] has them.
#[derive(Clone, Default)]
pub struct Declarations {
    pub name: String,
    /// Instances of processes, for the report only.
    pub n_processes: usize,
    pub exprs: Exprs,
    pub enums: IdVec<EnumId, EnumType>,
    pub vars: IdVec<VarId, Var>,
    pub families: IdVec<FamilyId, Family>,
    /// A state in which these have no value is not initial.
    pub init: Vec<Expr>,
    /// The initial states are those in which this ends when it begins where `init` is true; `Skip` leaves them as they are.
    pub start: Statement,
    /// Holds in every configuration; steps that would break it are not taken.
    pub invariant: Vec<Expr>,
    pub properties: IdVec<PropertyId, Property>,
}

/// Declarations, and commands for the steps. What is declared is read as if it were the model's own.
#[derive(Clone, Default)]
pub struct Model {
    pub declared: Declarations,
    pub commands: IdVec<CommandId, Command>,
}

impl Model {
    /// Nothing but a name.
    pub fn named(name: impl Into<String>) -> Self {
        let declared = Declarations { name: name.into(), ..Declarations::default() };
        Self { declared, commands: IdVec::new() }
    }

    /// The same model over an arena of its own: expressions that are made with it are gone with it, and this one has none of them.
    pub fn apart(&self) -> Self {
        let mut apart = self.clone();
        apart.exprs = self.exprs.above();
        apart
    }
}

impl Deref for Model {
    type Target = Declarations;

    fn deref(&self) -> &Declarations {
        &self.declared
    }
}

impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut Declarations {
        &mut self.declared
    }
}

impl Declarations {
    /// The same names over other expressions, and nothing that is made of those of before: for who reads or writes expressions that
    /// are kept apart from the model's.
    pub fn over(&self, exprs: &Exprs) -> Self {
        Self {
            name: self.name.clone(),
            n_processes: self.n_processes,
            exprs: exprs.clone(),
            enums: self.enums.clone(),
            vars: self.vars.clone(),
            families: self.families.clone(),
            ..Self::default()
        }
    }

    pub fn sort(&self, expr: Expr) -> Sort {
        self.exprs.sort(expr, |var| self.vars[var].domain.sort(), |family| self.family_domain(family).sort())
    }

    pub fn family_domain(&self, family: FamilyId) -> Domain {
        self.vars[self.families[family].first].domain
    }

    pub fn property(&self, name: &str) -> Option<PropertyId> {
        self.properties.ids().find(|&id| self.properties[id].name == name)
    }

    pub fn is_local(&self, var: VarId) -> bool {
        self.vars[var].life == Life::Local
    }

    /// The least and the greatest number of a finite domain.
    pub fn bounds(&self, domain: Domain) -> Option<(Raw, Raw)> {
        domain.bounds(&self.enums)
    }

    /// What a local variable has outside its scope.
    pub fn first(&self, domain: Domain) -> Raw {
        domain.first(self.exprs.values())
    }

    /// A domain in the words of the source.
    pub fn words(&self, domain: Domain) -> String {
        domain.words(&self.enums, self.exprs.values())
    }

    /// A value in the words of the source.
    pub fn show(&self, domain: Domain, value: Raw) -> String {
        domain.show(&self.enums, self.exprs.values(), value)
    }

    /// The variables of a family, in order of their indexes.
    pub fn cells(&self, family: FamilyId) -> impl Iterator<Item = VarId> + use<> {
        let Family { first, len, .. } = self.families[family];
        (0..len as usize).map(move |i| VarId::new(first.index() + i))
    }
}
