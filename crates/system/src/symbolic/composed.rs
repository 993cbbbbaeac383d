//! Bodies composed statement by statement: a relation between the state before and the values now grows with every
//! statement, and where branches meet again it is the union of theirs.
//!
//! Values now are read from the passages of the variables that the body may write; everything else still has its value
//! before. In expressions over both, the variable `v` is the value now, and `v + n` the value before, where `n` is the number
//! of variables; families are told apart in the same way.

use std::collections::{BTreeMap, BTreeSet};

use lapidary_base::hash::Map;
use lapidary_base::{Id, Stop};
use lapidary_bdd::{Binding, Column, Encoder, Projection, Set, Space, Truth};
use lapidary_ir::passes::{bottom_up, rebuilt};
use lapidary_ir::{Assignment, Destination, Expr, Exprs, FamilyId, Model, Node, Rhs, Statement, VarId};

use super::piece::Piece;
use super::places::{Passage, Places, Representation};

/// Composes one body.
pub struct Composed<'a> {
    model: &'a Model,
    space: &'a Space,
    places: &'a Places,
    /// What the body may write.
    written: BTreeSet<VarId>,
    /// What defined variables were before.
    before: Map<VarId, Expr>,
    /// Reads values now.
    encoder: Encoder<'a>,
}

/// A statement with its conditions and assignments encoded, so that a loop does so only once.
enum Encoded {
    /// The executions that are here go on.
    Within(Set),
    Assign {
        /// Where all is defined, in bounds, and written once.
        allowed: Set,
        /// What comes, by what is now.
        change: Set,
        /// Forgets what was, and what comes is now.
        settle: Projection,
    },
    Sequence(Vec<Encoded>),
    Choice(Vec<Encoded>),
    If(Truth, Box<Encoded>, Box<Encoded>),
    While(Truth, Box<Encoded>),
}

impl<'a> Composed<'a> {
    /// What may be `written` must have passages.
    pub fn new(model: &'a Model, space: &'a Space, places: &'a Places, written: BTreeSet<VarId>) -> Self {
        let definition = |&(var, by): &(VarId, Expr)| (var, before(model, by));
        let before: Map<VarId, Expr> = places.definitions.iter().map(definition).collect();
        let (read, defined) = (written.clone(), before.clone());
        let bind = move |var: VarId| {
            let (copy, var) = (var.index() / model.vars.len(), VarId::new(var.index() % model.vars.len()));
            match &places.vars[var] {
                Representation::Columns { lo, .. } | Representation::Defined { lo, .. }
                    if copy == 0 && read.contains(&var) =>
                {
                    Binding::Column { column: places.passage(var).now, lo: *lo }
                }
                Representation::Columns { copies, lo } => Binding::Column { column: copies[0], lo: *lo },
                Representation::Defined { .. } => Binding::Defined(defined[&var]),
            }
        };
        let family = |id: FamilyId| {
            let (copy, id) = (id.index() / model.families.len(), FamilyId::new(id.index() % model.families.len()));
            let family = &model.families[id];
            (VarId::new(family.first.index() + copy * model.vars.len()), family.len)
        };
        let encoder = Encoder::new(space, &model.exprs, family, bind);
        Self { model, space, places, written, before, encoder }
    }

    /// The steps of the body; `None` where there are none.
    pub fn piece(mut self, body: &Statement) -> Result<Option<Piece>, Stop> {
        let step = self.step(body)?;
        let started = self.unchanged()?;
        let ended = self.run(&step, started)?;
        let relation = self.as_determined(ended)?;
        let is_step = !self.space.is_none(&relation);
        Ok(is_step.then_some(Piece { written: self.essential(), relation }))
    }

    /// The configurations in which the body ends when it begins where all conditions are true. The invariant need not be true
    /// there: all that it determines must have passages, and is among what may be written.
    pub fn ends(mut self, body: &Statement, conditions: &[Expr]) -> Result<Set, Stop> {
        let step = self.step(body)?;
        let essential = self.essential();
        let kept = self.places.essential().filter(|var| !self.written.contains(var));
        let mut columns: Vec<Column> = kept.filter_map(|var| self.places.column(var, 0)).collect();
        columns.extend(self.written.iter().map(|&var| self.places.passage(var).now));
        let mut begun = self.space.all();
        for column in columns {
            begun = self.space.and(&begun, &self.space.domain(column)?)?;
        }
        for &condition in conditions {
            begun = self.space.and(&begun, &self.encoder.holds(condition)?)?;
        }
        let ended = self.run(&step, begun)?;
        let settled = self.as_determined(ended)?;
        let pair = |&var: &VarId| Some((self.places.passage(var).now, self.places.column(var, 0)?));
        let pairs: Vec<(Column, Column)> = essential.iter().filter_map(pair).collect();
        self.space.rename(&settled, &self.space.renaming(&pairs))
    }

    /// What may be written and is not determined.
    fn essential(&self) -> Vec<VarId> {
        self.written.iter().copied().filter(|&var| self.places.column(var, 0).is_some()).collect()
    }

    /// Nothing has happened yet: values now are those before.
    fn unchanged(&mut self) -> Result<Set, Stop> {
        let mut same = Vec::new();
        for &var in &self.written {
            let now = self.places.passage(var).now;
            same.push(match &self.places.vars[var] {
                Representation::Columns { copies, .. } => {
                    self.space.and(&self.space.equal(copies[0], now)?, &self.space.domain(now)?)?
                }
                Representation::Defined { lo, .. } => self.encoder.equals(self.before[&var], now, *lo)?,
            });
        }
        self.space.and_all(&same)
    }

    /// What the invariant determines must come out as determined, and is known from the rest then.
    fn as_determined(&mut self, relation: Set) -> Result<Set, Stop> {
        let exprs = &self.model.exprs;
        let mut relation = relation;
        for &(var, definition) in &self.places.definitions {
            self.space.poll()?;
            if self.written.contains(&var) || self.reads_written(definition) {
                let agree = self.encoder.holds(exprs.eq(exprs.var(var), definition))?;
                relation = self.space.and(&relation, &agree)?;
            }
        }
        let determined = self.written.iter().filter(|&&var| self.places.column(var, 0).is_none());
        let known: Vec<Column> = determined.map(|&var| self.places.passage(var).now).collect();
        self.space.exists(&relation, &self.space.cube(&known)?)
    }

    /// Whether the expression may have another value now than before. A defined variable that is not written has not.
    fn reads_written(&self, root: Expr) -> bool {
        let mut is_read = false;
        bottom_up(&self.model.exprs, root, &mut Map::default(), |expr, _| match self.model.exprs.node(expr) {
            Node::Var(var) => is_read |= self.written.contains(var),
            Node::Cell(family, _) => is_read |= self.model.cells(*family).any(|var| self.written.contains(&var)),
            _ => {}
        });
        is_read
    }

    fn step(&mut self, statement: &Statement) -> Result<Encoded, Stop> {
        self.space.poll()?;
        Ok(match statement {
            Statement::Skip => Encoded::Within(self.space.all()),
            Statement::Assume(condition) => Encoded::Within(self.encoder.holds(*condition)?),
            Statement::Assign(list) => self.assignment(list)?,
            Statement::Sequence(parts) => Encoded::Sequence(self.steps(parts)?),
            Statement::Choice(parts) => Encoded::Choice(self.steps(parts)?),
            Statement::If(condition, then, otherwise) => {
                let condition = self.encoder.truth(*condition)?;
                Encoded::If(condition, Box::new(self.step(then)?), Box::new(self.step(otherwise)?))
            }
            Statement::While(condition, body) => {
                Encoded::While(self.encoder.truth(*condition)?, Box::new(self.step(body)?))
            }
            Statement::Scope(locals, body) => {
                // What a local variable was is forgotten when it gets its first value again.
                let first: Vec<Assignment> = locals.iter().map(|&local| self.first(local)).collect();
                Encoded::Sequence(vec![self.assignment(&first)?, self.step(body)?, self.assignment(&first)?])
            }
        })
    }

    fn steps(&mut self, parts: &[Statement]) -> Result<Vec<Encoded>, Stop> {
        parts.iter().map(|part| self.step(part)).collect()
    }

    fn first(&self, local: VarId) -> Assignment {
        Assignment { to: Destination::Var(local), value: Rhs::Expr(first_value(self.model, local)) }
    }

    /// All right sides and indexes read the values now, before any is written.
    fn assignment(&mut self, list: &[Assignment]) -> Result<Encoded, Stop> {
        let mut allowed = self.space.all();
        let mut writes: BTreeMap<VarId, Vec<(Set, Rhs)>> = BTreeMap::new();
        for one in list {
            match one.to {
                Destination::Var(var) => writes.entry(var).or_default().push((self.space.all(), one.value)),
                Destination::Cell(family, index) => {
                    let len = i64::from(self.model.families[family].len);
                    allowed = self.space.and(&allowed, &self.encoder.within(index, 0, len - 1)?)?;
                    for (at, var) in (0..).zip(self.model.cells(family)) {
                        let here = self.encoder.within(index, at, at)?;
                        if !self.space.is_none(&here) {
                            writes.entry(var).or_default().push((here, one.value));
                        }
                    }
                }
            }
        }
        let (mut changes, mut past, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for (&var, values) in &writes {
            for (i, (here, _)) in values.iter().enumerate() {
                for (other, _) in &values[..i] {
                    // Executions that write one variable twice at once are no steps.
                    allowed = self.space.minus(&allowed, &self.space.and(here, other)?)?;
                }
            }
            changes.push(self.change(var, values)?);
            let Passage { now, coming } = self.places.passage(var);
            past.push(now);
            pairs.push((coming, now));
        }
        let settle = self.space.projection(&past, &pairs);
        Ok(Encoded::Assign { allowed, change: self.space.and_all(&changes)?, settle })
    }

    /// What a variable will be: one of the values where that is written, else what it is.
    fn change(&mut self, var: VarId, values: &[(Set, Rhs)]) -> Result<Set, Stop> {
        let Passage { now, coming } = self.places.passage(var);
        let mut change = self.space.equal(now, coming)?;
        for (here, value) in values {
            let written = match *value {
                Rhs::Expr(value) => self.encoder.equals(value, coming, self.places.lo(var))?,
                Rhs::Any => self.space.domain(coming)?,
            };
            change = self.space.ite(here, &written, &change)?;
        }
        Ok(change)
    }

    /// The relation after a statement, given the one before it.
    fn run(&self, step: &Encoded, relation: Set) -> Result<Set, Stop> {
        self.space.poll()?;
        if self.space.is_none(&relation) {
            return Ok(relation);
        }
        match step {
            Encoded::Within(set) => self.space.and(&relation, set),
            Encoded::Assign { allowed, change, settle } => {
                self.space.image(&self.space.and(&relation, allowed)?, change, settle)
            }
            Encoded::Sequence(parts) => parts.iter().try_fold(relation, |relation, part| self.run(part, relation)),
            Encoded::Choice(branches) => branches.iter().try_fold(self.space.none(), |all, branch| {
                let taken = self.run(branch, relation.clone())?;
                self.space.or(&all, &taken)
            }),
            Encoded::If(condition, then, otherwise) => {
                let yes = self.run(then, self.space.and(&relation, &condition.yes)?)?;
                let no = self.run(otherwise, self.space.and(&relation, &condition.no)?)?;
                self.space.or(&yes, &no)
            }
            Encoded::While(condition, body) => {
                let turned = self.turns(condition, body, relation)?;
                self.space.and(&turned, &condition.no)
            }
        }
    }

    /// The relation at the head of a loop, after any number of turns: its least fixed point. What never leaves the loop is
    /// left behind there.
    fn turns(&self, condition: &Truth, body: &Encoded, relation: Set) -> Result<Set, Stop> {
        let (mut all, mut latest) = (relation.clone(), relation);
        while !self.space.is_none(&latest) {
            let turned = self.run(body, self.space.and(&latest, &condition.yes)?)?;
            latest = self.space.minus(&turned, &all)?;
            all = self.space.or(&all, &latest)?;
        }
        Ok(all)
    }
}

/// What a local variable has outside its scope.
pub fn first_value(model: &Model, local: VarId) -> Expr {
    let domain = model.vars[local].domain;
    domain.constant(&model.exprs, model.first(domain))
}

/// An expression about values before, not now.
fn before(model: &Model, root: Expr) -> Expr {
    let exprs: &Exprs = &model.exprs;
    let mut images: Map<Expr, Expr> = Map::default();
    bottom_up(exprs, root, &mut images, |expr, images| match exprs.node(expr) {
        Node::Var(var) => exprs.var(VarId::new(var.index() + model.vars.len())),
        Node::Cell(family, index) => exprs.cell(FamilyId::new(family.index() + model.families.len()), images[index]),
        node => rebuilt(exprs, node, &|part| images[&part]),
    });
    images[&root]
}
