//! Bodies with few ways through them: one substitution for every way, and the union of their relations.

use std::collections::BTreeMap;

use lapidary_base::hash::{Map, Set as HashSet};
use lapidary_base::{Control, Stop};
use lapidary_bdd::{Encoder, Space};
use lapidary_ir::passes::{self, Leaf, Substitution, defined_with, substitute, variables, ways};
use lapidary_ir::{Assignment, Destination, Domain, Expr, Exprs, FamilyId, Model, Node, Rhs, Statement, VarId};

use super::piece::{Piece, union};
use super::places::{Places, Representation};

/// Bodies with more ways through them are composed statement by statement.
const MOST_WAYS: u64 = 64;

/// The rows that the invariant reads.
pub fn constrained_rows(model: &Model) -> Vec<FamilyId> {
    rows_of(model, &model.invariant)
}

/// Whether a body has few ways through it, all of which a substitution can follow: it reads no cells that it wrote and keeps
/// the values that it chooses. `constrained` are the rows that the invariant reads.
pub fn is_straight(model: &Model, body: &Statement, constrained: &[FamilyId], control: &Control) -> Result<bool, Stop> {
    if ways(body) > MOST_WAYS {
        return Ok(false);
    }
    let Some(paths) = passes::paths(body) else { return Ok(false) };
    for path in &paths {
        control.check()?;
        if reads_written_cells(model, path, constrained) || chooses_for_a_while(model, path) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The rows that these expressions index.
fn rows_of(model: &Model, parts: &[Expr]) -> Vec<FamilyId> {
    let mut read = Vec::new();
    parts.iter().for_each(|&part| families(&model.exprs, part, &mut read));
    read.sort_unstable();
    read.dedup();
    read
}

/// Substitution does not reach into cells: no path may read a row that it wrote before; `constrained` are the rows that
/// the invariant reads.
fn reads_written_cells(model: &Model, path: &[Leaf<'_>], constrained: &[FamilyId]) -> bool {
    let mut written: HashSet<VarId> = HashSet::default();
    for leaf in path {
        let mut read = Vec::new();
        match leaf {
            Leaf::Assume(condition) | Leaf::Refute(condition) => families(&model.exprs, *condition, &mut read),
            Leaf::Assign(assignments) => assignments.iter().for_each(|one| {
                if let Destination::Cell(_, index) = one.to {
                    families(&model.exprs, index, &mut read);
                }
                if let Rhs::Expr(value) = one.value {
                    families(&model.exprs, value, &mut read);
                }
            }),
        }
        if !written.is_empty() && read.iter().any(|&family| model.cells(family).any(|var| written.contains(&var))) {
            return true;
        }
        if let Leaf::Assign(assignments) = leaf {
            assignments.iter().for_each(|one| written.extend(destinations(model, one.to)));
        }
    }
    constrained.iter().any(|&family| model.cells(family).any(|var| written.contains(&var)))
}

/// The variables that a destination may mean.
fn destinations(model: &Model, to: Destination) -> Vec<VarId> {
    match to {
        Destination::Var(var) => vec![var],
        Destination::Cell(family, _) => model.cells(family).collect(),
    }
}

/// A chosen value is what the next column has, so it must last to the end of the path.
fn chooses_for_a_while(model: &Model, path: &[Leaf<'_>]) -> bool {
    let mut chosen: HashSet<VarId> = HashSet::default();
    for leaf in path {
        let Leaf::Assign(assignments) = leaf else { continue };
        if assignments.iter().any(|one| destinations(model, one.to).iter().any(|var| chosen.contains(var))) {
            return true;
        }
        let choices = assignments.iter().filter(|one| one.value == Rhs::Any);
        chosen.extend(choices.flat_map(|one| destinations(model, one.to)));
    }
    false
}

fn families(exprs: &Exprs, root: Expr, out: &mut Vec<FamilyId>) {
    let (mut seen, mut open) = (lapidary_base::hash::Set::default(), vec![root]);
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let Node::Cell(family, _) = exprs.node(expr) {
            out.push(*family);
        }
        exprs.for_each_part(expr, |part| open.push(part));
    }
}

/// Encodes straight bodies.
pub struct Straight<'a> {
    model: &'a Model,
    space: &'a Space,
    places: &'a Places,
    pub encoder: Encoder<'a>,
    defined: BTreeMap<VarId, Expr>,
}

/// The state of an execution: what is required of the state before, and the new values of what was written.
#[derive(Default)]
struct Execution {
    required: Vec<Expr>,
    values: BTreeMap<VarId, Expr>,
    /// What the variables that are written, and those defined by them, have in the end: over the next columns of what
    /// the path writes and the current ones of everything else.
    ahead: Map<VarId, Expr>,
}

impl<'a> Straight<'a> {
    pub fn new(model: &'a Model, space: &'a Space, places: &'a Places) -> Self {
        let encoder = places.encoder(space, &model.exprs, &model.families);
        let defined = places.definitions.iter().copied().collect();
        Self { model, space, places, encoder, defined }
    }

    /// The steps of a body that [`is_straight`]; `None` where there are none.
    pub fn piece(&mut self, body: &Statement) -> Result<Option<Piece>, Stop> {
        let paths = passes::paths(body).ok_or_else(|| Stop::Incomplete("a command has too many paths".to_owned()))?;
        let mut pieces = Vec::new();
        for path in paths {
            let piece = self.path(&path)?;
            if !self.space.is_none(&piece.relation) {
                pieces.push(piece);
            }
        }
        union(pieces, self.space, self.places)
    }

    fn path(&mut self, path: &[Leaf<'_>]) -> Result<Piece, Stop> {
        let exprs = &self.model.exprs;
        let mut execution = Execution { ahead: self.ahead(path)?, ..Execution::default() };
        for leaf in path {
            match leaf {
                Leaf::Assume(condition) => {
                    let condition = execution.now(exprs, *condition);
                    execution.required.push(condition);
                }
                Leaf::Refute(condition) => {
                    let condition = execution.now(exprs, *condition);
                    execution.required.push(exprs.not(condition));
                }
                Leaf::Assign(assignments) => self.assign(assignments, &mut execution),
            }
        }
        self.relation(&execution)
    }

    fn ahead(&self, path: &[Leaf<'_>]) -> Result<Map<VarId, Expr>, Stop> {
        let exprs = &self.model.exprs;
        let mut ahead: Map<VarId, Expr> = Map::default();
        for leaf in path {
            let Leaf::Assign(assignments) = leaf else { continue };
            let written = assignments.iter().flat_map(|one| destinations(self.model, one.to));
            ahead.extend(written.map(|var| (var, self.places.in_copy(exprs, exprs.var(var), 1))));
        }
        for &(var, definition) in &self.places.definitions {
            self.space.poll()?;
            let changes = variables(exprs, definition).iter().any(|read| ahead.contains_key(read));
            if changes || ahead.contains_key(&var) {
                let value = substitute(exprs, definition, &ahead);
                ahead.insert(var, value);
            }
        }
        Ok(ahead)
    }

    /// All right sides read the values before any is written.
    fn assign(&self, assignments: &[Assignment], execution: &mut Execution) {
        let (exprs, model) = (&self.model.exprs, self.model);
        let mut writes: BTreeMap<VarId, Expr> = BTreeMap::new();
        for (place, one) in assignments.iter().enumerate() {
            match one.to {
                Destination::Var(var) => {
                    let value = self.right_side(one.value, var, execution);
                    writes.insert(var, value);
                }
                Destination::Cell(family, index) => {
                    let index = execution.now(exprs, index);
                    let len = i64::from(model.families[family].len);
                    execution.required.push(exprs.le(exprs.int(0), index));
                    execution.required.push(exprs.lt(index, exprs.int(len)));
                    for (at, var) in model.cells(family).enumerate() {
                        let is_it = exprs.eq(index, exprs.int(i64::try_from(at).expect("families are short")));
                        let value = self.right_side(one.value, var, execution);
                        let before = writes.get(&var).copied().unwrap_or_else(|| execution.read(exprs, var));
                        writes.insert(var, exprs.ite(is_it, value, before));
                    }
                }
            }
            self.forbid_double_writes(&assignments[..place], one, execution);
        }
        for &var in writes.keys() {
            execution.required.extend(execution.values.get(&var).map(|&old| self.is_value(var, old)));
        }
        execution.values.extend(writes);
    }

    /// What is overwritten must have been a value of its variable all the same.
    fn is_value(&self, var: VarId, value: Expr) -> Expr {
        let (exprs, model) = (&self.model.exprs, self.model);
        let has_one = defined_with(exprs, value, &|family| model.families[family].len);
        match model.vars[var].domain {
            Domain::Range { lo, hi } => {
                exprs.and([has_one, exprs.le(exprs.int(lo), value), exprs.le(value, exprs.int(hi))])
            }
            Domain::Bool | Domain::Int | Domain::Enum(_) | Domain::Bits(_) | Domain::Array(_) => has_one,
        }
    }

    fn right_side(&self, value: Rhs, to: VarId, execution: &Execution) -> Expr {
        let exprs = &self.model.exprs;
        match value {
            Rhs::Expr(value) => execution.now(exprs, value),
            // The value is whatever the next column has, or what the invariant makes of the next columns.
            Rhs::Any => execution.ahead[&to],
        }
    }

    /// Executions that write one variable twice at once are no steps.
    fn forbid_double_writes(&self, before: &[Assignment], one: &Assignment, execution: &mut Execution) {
        let (exprs, model) = (&self.model.exprs, self.model);
        let spot = |to: Destination, execution: &Execution| match to {
            Destination::Var(var) => exprs.int(i64::from(var.0)),
            Destination::Cell(family, index) => {
                let first = exprs.int(i64::from(model.families[family].first.0));
                exprs.add([first, execution.now(exprs, index)])
            }
        };
        for other in before {
            let (a, b) = (spot(one.to, execution), spot(other.to, execution));
            execution.required.push(exprs.ne(a, b));
        }
    }

    fn relation(&mut self, execution: &Execution) -> Result<Piece, Stop> {
        let exprs = &self.model.exprs;
        let mut relation = self.space.all();
        for &condition in &execution.required {
            relation = self.space.and(&relation, &self.encoder.holds(condition)?)?;
            if self.space.is_none(&relation) {
                break;
            }
        }
        let mut written = Vec::new();
        for (&var, &value) in &execution.values {
            if let Representation::Columns { copies, lo } = &self.places.vars[var] {
                let equals = self.encoder.equals(value, copies[1], *lo)?;
                relation = self.space.and(&relation, &equals)?;
                written.push(var);
            }
        }
        // What the invariant determines must come out as determined.
        for &(var, definition) in &self.places.definitions {
            self.space.poll()?;
            let value = execution.read(exprs, var);
            let ahead = execution.now(exprs, definition);
            if value != ahead && (execution.values.contains_key(&var) || self.changes(execution, definition)) {
                let agree = exprs.eq(value, execution.ahead[&var]);
                relation = self.space.and(&relation, &self.encoder.holds(agree)?)?;
            }
        }
        Ok(Piece { written, relation })
    }

    /// Whether a definition may have another value after the execution.
    fn changes(&self, execution: &Execution, definition: Expr) -> bool {
        let mut open: Vec<VarId> = variables(&self.model.exprs, definition).into_iter().collect();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(var) = open.pop() {
            if !seen.insert(var) {
                continue;
            }
            if execution.values.contains_key(&var) {
                return true;
            }
            if let Some(&definition) = self.defined.get(&var) {
                open.extend(variables(&self.model.exprs, definition));
            }
        }
        false
    }
}

impl Execution {
    /// An expression over the current values, in terms of the state before.
    fn now(&self, exprs: &Exprs, expr: Expr) -> Expr {
        if self.values.is_empty() {
            return expr;
        }
        let values = self.values.iter().map(|(&var, &value)| (var, value)).collect();
        Substitution::new(values).apply(exprs, expr)
    }

    fn read(&self, exprs: &Exprs, var: VarId) -> Expr {
        self.values.get(&var).copied().unwrap_or_else(|| exprs.var(var))
    }
}
