//! Where the variables of a system stand in its diagrams.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::hash::Map;
use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_bdd::{Binding, Capacity, Column, ColumnSpec, Encoder, Space};
use lapidary_ir::passes::{substitute, variables};
use lapidary_ir::{Domain, EnumId, EnumType, Expr, Exprs, Sort, Var, VarId};
use lapidary_verdict::State;

use super::Families;
use crate::evaluate::Scope;

#[derive(Clone, Debug)]
pub enum Representation {
    /// One column per copy: the current one, the next one, and so on. Its value 0 stands for the number `lo`.
    Columns { copies: Vec<Column>, lo: i64 },
    /// The invariant determines it: its definition in every copy. The one column is not used by sets of
    /// configurations; it is there for those who ask what a part of the invariant alone allows.
    Defined { by: Vec<Expr>, column: Column, lo: i64 },
}

/// The variables of one system. In expressions over several copies, the variable `v` of copy `k` has the number
/// `v + k * n`, where `n` is the number of variables.
#[derive(Clone, Debug)]
pub struct Places {
    pub vars: IdVec<VarId, Representation>,
    /// The defined variables in the order in which they can be computed.
    pub definitions: Vec<(VarId, Expr)>,
    sizes: IdVec<VarId, u64>,
    sorts: IdVec<VarId, Sort>,
    enums: IdVec<EnumId, EnumType>,
    passages: BTreeMap<VarId, Passage>,
}

/// Where the value of a variable stands while a body is executed statement by statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The value now; for a variable with columns, its next one.
    pub now: Column,
    /// The value that an assignment gives, until it is the value now.
    pub coming: Column,
}

/// What a diagram's order is about: a variable, or something else that needs columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    Var(VarId),
    /// With its size and how many copies it needs.
    Other {
        name: String,
        size: u64,
        copies: usize,
    },
}

/// The number of values of a domain and the least of them; `None` if there are infinitely many.
fn extent(domain: Domain, enums: &IdVec<EnumId, EnumType>) -> Option<(u64, i64)> {
    let (lo, hi) = domain.bounds(enums)?;
    let size = u64::try_from(hi.checked_sub(lo)?).ok()?.checked_add(1)?;
    Some((size, lo))
}

/// What [`Places::new`] needs to know of a system.
pub struct Request<'a> {
    pub vars: &'a IdVec<VarId, Var>,
    pub enums: &'a IdVec<EnumId, EnumType>,
    pub exprs: &'a Exprs,
    pub definitions: Vec<(VarId, Expr)>,
    pub order: &'a [Spot],
    /// At least two: current and next.
    pub copies: usize,
    /// The variables whose values change in the middle of a step: they get a [`Passage`].
    pub passing: &'a BTreeSet<VarId>,
}

impl Places {
    /// Lays out a space; also returns the columns of the other spots, in their order.
    pub fn new(
        request: Request<'_>,
        capacity: Capacity,
        control: &Control,
    ) -> Result<(Space, Self, Vec<Vec<Column>>), Stop> {
        let Request { vars, enums, exprs, definitions, order, copies, passing } = request;
        let by: Map<VarId, Expr> = definitions.iter().copied().collect();
        let bounds = |var: VarId| {
            let infinite = || Stop::Incomplete(format!("{} has no finite domain", vars[var].name));
            extent(vars[var].domain, enums).ok_or_else(infinite)
        };
        let (mut groups, mut first) = (Vec::new(), 0);
        let mut columns: Map<VarId, u32> = Map::default();
        let mut others = Vec::new();
        for spot in order {
            let (name, size, n) = match spot {
                Spot::Var(var) => {
                    columns.insert(*var, first);
                    let n = match (by.contains_key(var), passing.contains(var)) {
                        (true, false) => 1,
                        (true, true) => 3,
                        (false, false) => copies,
                        (false, true) => copies + 1,
                    };
                    (vars[*var].name.clone(), bounds(*var)?.0, n)
                }
                Spot::Other { name, size, copies } => {
                    others.push((first..first + to_u32(*copies)).map(Column).collect());
                    (name.clone(), *size, *copies)
                }
            };
            groups.push((0..n).map(|copy| ColumnSpec { name: format!("{name}#{copy}"), size }).collect());
            first += to_u32(n);
        }
        let space = Space::new(capacity.for_levels(lapidary_bdd::n_levels(&groups)), &groups, control)?;
        let (mut places, mut sizes) = (IdVec::new(), IdVec::new());
        let mut passages = BTreeMap::new();
        for var in vars.ids() {
            space.poll()?;
            let (size, lo) = bounds(var)?;
            let column = columns[&var];
            if passing.contains(&var) {
                let coming = column + if by.contains_key(&var) { 2 } else { to_u32(copies) };
                passages.insert(var, Passage { now: Column(column + 1), coming: Column(coming) });
            }
            places.push(match by.get(&var) {
                Some(&expr) => {
                    let by = (0..copies).map(|copy| shifted(exprs, expr, copy, vars.len())).collect();
                    Representation::Defined { by, column: Column(column), lo }
                }
                None => Representation::Columns { copies: (column..column + to_u32(copies)).map(Column).collect(), lo },
            });
            sizes.push(size);
        }
        let (sorts, enums) = (vars.iter().map(|var| var.domain.sort()).collect(), enums.clone());
        Ok((space, Self { vars: places, definitions, sizes, sorts, enums, passages }, others))
    }

    /// The column of a copy of a variable; `None` if the variable is defined by others.
    pub fn column(&self, var: VarId, copy: usize) -> Option<Column> {
        match &self.vars[var] {
            Representation::Columns { copies, .. } => Some(copies[copy]),
            Representation::Defined { .. } => None,
        }
    }

    /// Where the value of a variable stands that was asked for as passing.
    pub fn passage(&self, var: VarId) -> Passage {
        self.passages[&var]
    }

    pub fn lo(&self, var: VarId) -> i64 {
        match &self.vars[var] {
            Representation::Columns { lo, .. } | Representation::Defined { lo, .. } => *lo,
        }
    }

    pub fn size(&self, var: VarId) -> u64 {
        self.sizes[var]
    }

    /// The variables that are not defined by others.
    pub fn essential(&self) -> impl Iterator<Item = VarId> + '_ {
        self.vars.ids().filter(|&var| matches!(self.vars[var], Representation::Columns { .. }))
    }

    /// The columns of one copy, in the order of the variables.
    pub fn columns(&self, copy: usize) -> Vec<Column> {
        self.essential().filter_map(|var| self.column(var, copy)).collect()
    }

    /// How expressions read the variables.
    pub fn bind(&self, var: VarId) -> Binding {
        let (copy, var) = (var.index() / self.vars.len(), VarId::new(var.index() % self.vars.len()));
        match &self.vars[var] {
            Representation::Columns { copies, lo } => Binding::Column { column: copies[copy], lo: *lo },
            Representation::Defined { by, .. } => Binding::Defined(by[copy]),
        }
    }

    pub fn encoder<'a>(&'a self, space: &'a Space, exprs: &'a Exprs, families: Families<'a>) -> Encoder<'a> {
        let family = |id| {
            let family: &lapidary_ir::Family = &families[id];
            (family.first, family.len)
        };
        Encoder::new(space, exprs, family, |var| self.bind(var))
    }

    /// An expression with its variables read from another copy.
    pub fn in_copy(&self, exprs: &Exprs, expr: Expr, copy: usize) -> Expr {
        shifted(exprs, expr, copy, self.vars.len())
    }

    /// The values of all variables from those of the columns of copy 0.
    pub fn restore(&self, exprs: &Exprs, families: Families<'_>, values: &[u64]) -> State {
        let mut state = vec![0i64; self.vars.len()];
        for (var, &value) in self.essential().zip(values) {
            let offset = i64::try_from(value).expect("domains have 64-bit numbers");
            state[var.index()] = self.lo(var) + offset;
        }
        for &(var, expr) in &self.definitions {
            let (family, read) = (|id| families[id].clone(), |var: VarId| state[var.index()]);
            let sort = |var: VarId| self.sorts[var];
            let scope = Scope { exprs, family: &family, read: &read, sort: &sort, enums: &self.enums };
            let value = scope.value(expr);
            state[var.index()] = value.expect("definitions have a value in every configuration");
        }
        state.into()
    }

    /// The columns of copy 0 with their values in a state.
    pub fn values_of(&self, state: &State) -> Vec<(Column, u64)> {
        let value = |var: VarId| u64::try_from(state[var.index()] - self.lo(var)).expect("values lie in their domains");
        self.essential().filter_map(|var| self.column(var, 0).map(|column| (column, value(var)))).collect()
    }
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).expect("columns fit in 32 bits")
}

fn shifted(exprs: &Exprs, expr: Expr, copy: usize, n_vars: usize) -> Expr {
    if copy == 0 {
        return expr;
    }
    let in_copy = |var: VarId| (var, exprs.var(VarId::new(var.index() + copy * n_vars)));
    let map: Map<VarId, Expr> = variables(exprs, expr).into_iter().map(in_copy).collect();
    substitute(exprs, expr, &map)
}
