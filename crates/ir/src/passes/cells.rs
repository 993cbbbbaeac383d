//! One variable for every cell of an array over few indexes, so that engines that know no arrays have them.
//!
//! Cells are called `a[false]`, `a[Red]`, `a[3]`, and `a[0][1]` where elements are such arrays themselves. What is said of an array
//! is said of its cells: an expression that is one is a tuple of expressions, all of which have a value in the states in which the
//! array has one, and in no others.

mod images;
mod places;

use lapidary_base::{Control, IdVec, Stop};

use crate::expr::Expr;
use crate::model::{Assignment, Declarations, Destination, Fault, Model, Rhs, Statement, VarId};
use crate::property::Property;
use crate::types::ArrayType;

use images::{Image, Images};
use places::Places;

/// Arrays with more cells than this are left, nested ones counted with all of theirs.
pub const MAX_CELLS: usize = 64;
/// Models that would get more cells are left as they are.
pub const MAX_ALL_CELLS: usize = 4096;
/// So are those whose expressions would be more than so many times as many, and so many more.
const MOST_TIMES: usize = 16;
const MOST_MORE: usize = 100_000;

/// The expressions would be too many.
struct TooMany;

/// Why a model stays as it is.
enum Left {
    TooMany,
    Stopped(Stop),
}

impl From<TooMany> for Left {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

impl From<Stop> for Left {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

/// The model with cells in place of arrays, or as it is if it has none that are small enough, or would get too large.
pub fn cells(model: Model, control: &Control) -> Result<Model, Stop> {
    cells_with(model, &[], control).map(|(model, _)| model)
}

/// The same, with expressions about it that are no part of it.
pub fn cells_with(model: Model, others: &[Expr], control: &Control) -> Result<(Model, Vec<Expr>), Stop> {
    let Some(places) = Places::of(&model) else { return Ok((model, others.to_vec())) };
    let rewriting = Rewriting { images: Images::new(&model, &places), model: &model, places: &places, control };
    match rewriting.model(others) {
        Ok(rewritten) => Ok(rewritten),
        Err(Left::TooMany) => Ok((model, others.to_vec())),
        Err(Left::Stopped(stop)) => Err(stop),
    }
}

struct Rewriting<'a> {
    images: Images<'a>,
    model: &'a Model,
    places: &'a Places,
    control: &'a Control,
}

impl Rewriting<'_> {
    fn model(mut self, others: &[Expr]) -> Result<(Model, Vec<Expr>), Left> {
        let old = self.model;
        let mut commands = IdVec::new();
        for command in &old.commands {
            let (body, faults) = (self.statement(&command.body)?, self.faults(&command.faults)?);
            let (label, is_idle, span) = (command.label.clone(), command.is_idle, command.span);
            commands.push(crate::model::Command { label, body, faults, is_idle, span });
        }
        let mut properties = IdVec::new();
        for property in &old.properties {
            properties.push(self.property(property)?);
        }
        let others = self.all(others)?;
        let declared = Declarations {
            name: old.name.clone(),
            n_processes: old.n_processes,
            enums: old.enums.clone(),
            init: self.all(&old.init)?,
            start: self.statement(&old.start)?,
            invariant: self.all(&old.invariant)?,
            properties,
            vars: self.places.vars.clone(),
            families: self.places.families.clone(),
            exprs: self.images.exprs.clone(),
        };
        Ok((Model { declared, commands }, others))
    }

    fn image(&mut self, expr: Expr) -> Result<Image, Left> {
        self.control.check()?;
        Ok(self.images.of(expr)?)
    }

    /// What is no small array.
    fn one(&mut self, expr: Expr) -> Result<Expr, Left> {
        let image = self.image(expr)?;
        Ok(self.images.whole(self.model, expr, &image))
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<Vec<Expr>, Left> {
        exprs.iter().map(|&expr| self.one(expr)).collect()
    }

    fn faults(&mut self, faults: &[Fault]) -> Result<Vec<Fault>, Left> {
        faults.iter().map(|fault| Ok(Fault { when: self.one(fault.when)?, ..fault.clone() })).collect()
    }

    fn property(&mut self, property: &Property) -> Result<Property, Left> {
        let mut left = Ok(());
        let kind = property.kind.mapped(&mut |expr| {
            self.one(expr).unwrap_or_else(|why| {
                left = Err(why);
                expr
            })
        });
        left?;
        Ok(Property { kind, faults: self.faults(&property.faults)?, ..property.clone() })
    }

    fn statement(&mut self, statement: &Statement) -> Result<Statement, Left> {
        let mut several = |list: &[Statement]| list.iter().map(|part| self.statement(part)).collect::<Result<_, _>>();
        Ok(match statement {
            Statement::Skip => Statement::Skip,
            Statement::Sequence(list) => Statement::Sequence(several(list)?),
            Statement::Choice(list) => Statement::Choice(several(list)?),
            Statement::Assume(condition) => Statement::Assume(self.one(*condition)?),
            Statement::Assign(list) => self.assign(list)?,
            Statement::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.statement(then)?, self.statement(otherwise)?);
                Statement::If(self.one(*condition)?, Box::new(then), Box::new(otherwise))
            }
            Statement::While(condition, body) => {
                let body = self.statement(body)?;
                Statement::While(self.one(*condition)?, Box::new(body))
            }
            Statement::Scope(locals, body) => {
                let locals = locals.iter().flat_map(|&local| self.places.cells(local)).collect();
                Statement::Scope(locals, Box::new(self.statement(body)?))
            }
        })
    }

    fn assign(&mut self, list: &[Assignment]) -> Result<Statement, Left> {
        let mut made = Vec::with_capacity(list.len());
        for assignment in list {
            let to = self.destinations(assignment.to)?;
            match assignment.value {
                Rhs::Any => made.extend(to.into_iter().map(|to| Assignment { to, value: Rhs::Any })),
                Rhs::Expr(expr) if self.places.is_split(self.model, assignment.to) => {
                    let values = self.image(expr)?.cells();
                    let pairs = to.into_iter().zip(values.iter());
                    made.extend(pairs.map(|(to, &value)| Assignment { to, value: Rhs::Expr(value) }));
                }
                Rhs::Expr(expr) => {
                    let value = Rhs::Expr(self.one(expr)?);
                    made.extend(to.into_iter().map(|to| Assignment { to, value }));
                }
            }
        }
        // Cells that keep their values need not be written, unless to exclude that an array is written twice.
        if list.iter().all(|one| matches!(one.to, Destination::Var(var) if n_writes(list, var) == 1)) {
            made.retain(|one| !self.keeps(one));
        }
        Ok(if made.is_empty() { Statement::Skip } else { Statement::Assign(made) })
    }

    fn keeps(&self, one: &Assignment) -> bool {
        match (one.to, one.value) {
            (Destination::Var(var), Rhs::Expr(value)) => {
                self.places.is_cell(var) && value == self.images.exprs.var(var)
            }
            (Destination::Var(_), Rhs::Any) | (Destination::Cell(..), _) => false,
        }
    }

    fn destinations(&mut self, to: Destination) -> Result<Vec<Destination>, Left> {
        Ok(match to {
            Destination::Var(var) => self.places.cells(var).map(Destination::Var).collect(),
            Destination::Cell(family, index) => {
                let index = self.one(index)?;
                self.places.rows(family).map(|row| Destination::Cell(row, index)).collect()
            }
        })
    }
}

fn n_writes(list: &[Assignment], var: VarId) -> usize {
    list.iter().filter(|one| one.to == Destination::Var(var)).count()
}

/// How many cells arrays of a type have, if they are few and their indexes are numbers from zero on.
fn n_cells(model: &Declarations, of: ArrayType) -> Option<usize> {
    let n = places::n_indexes(model, of)?;
    let each = places::width(model, of.element)?;
    n.checked_mul(each).filter(|&cells| cells <= MAX_CELLS)
}
