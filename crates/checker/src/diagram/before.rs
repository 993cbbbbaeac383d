//! The states from which a statement can lead into a set, by going backwards through it.

use lapidary_base::hash::Map;
use lapidary_ir::{Assignment, Destination, Expr, Rhs, Statement, VarId};
use oxidd::VarNo;

use super::encode::Encoder;
use super::numbers::{self, Number};
use super::space::Set;
use crate::Rejection;
use crate::words;

/// The states from which some execution of the statement ends in `after`.
pub fn before(encoder: &mut Encoder<'_>, statement: &Statement, after: &Set) -> Result<Set, Rejection> {
    let space = encoder.space;
    if space.is_none(after) {
        return Ok(space.none.clone());
    }
    match statement {
        Statement::Skip => Ok(after.clone()),
        Statement::Assume(condition) => space.and(&encoder.truth(*condition)?.yes, after),
        Statement::Assign(list) => before_assign(encoder, list, after),
        Statement::Sequence(parts) => {
            parts.iter().rev().try_fold(after.clone(), |after, part| before(encoder, part, &after))
        }
        Statement::Choice(parts) => {
            let mut sources = space.none.clone();
            for part in parts {
                sources = space.or(&sources, &before(encoder, part, after)?)?;
            }
            Ok(sources)
        }
        Statement::While(condition, body) => before_loop(encoder, *condition, body, after),
        Statement::Scope(locals, body) => {
            let end = outside_scope(encoder, locals, after)?;
            let begin = before(encoder, body, &end)?;
            outside_scope(encoder, locals, &begin)
        }
        Statement::If(condition, then, otherwise) => {
            let condition = encoder.truth(*condition)?;
            let then = space.and(&condition.yes, &before(encoder, then, after)?)?;
            let otherwise = space.and(&condition.no, &before(encoder, otherwise, after)?)?;
            space.or(&then, &otherwise)
        }
    }
}

/// The states from which some number of turns, each while the condition is true, ends in `after` with the condition false:
/// the least set that contains those without a turn and is closed under one turn more. Executions that do not end never
/// come in.
fn before_loop(encoder: &mut Encoder<'_>, condition: Expr, body: &Statement, after: &Set) -> Result<Set, Rejection> {
    let space = encoder.space;
    let condition = encoder.truth(condition)?;
    let mut found = space.and(&condition.no, after)?;
    let mut new = found.clone();
    while !space.is_none(&new) {
        let earlier = space.and(&condition.yes, &before(encoder, body, &new)?)?;
        new = space.without(&earlier, &found)?;
        found = space.or(&found, &new)?;
    }
    Ok(found)
}

/// Where the set is reached once the local variables have the first values of their domains.
fn outside_scope(encoder: &mut Encoder<'_>, locals: &[VarId], after: &Set) -> Result<Set, Rejection> {
    let (model, space) = (encoder.model, encoder.space);
    let (mut bits, mut by) = (Vec::new(), Vec::new());
    for &local in locals {
        let column = &encoder.columns[local];
        // The first value is the least, and the bits of the least are not set.
        debug_assert_eq!(column.lo, model.first(model.vars[local].domain), "columns count from the first value");
        bits.extend(column.bits.iter().copied());
        by.extend(column.bits.iter().map(|_| space.none.clone()));
    }
    space.substitute(after, &bits, &by)
}

/// All at once. A cell that gets any value is looked at for each index apart, so that its variable is known.
fn before_assign(encoder: &mut Encoder<'_>, list: &[Assignment], after: &Set) -> Result<Set, Rejection> {
    let space = encoder.space;
    let chosen = list.iter().enumerate().find_map(|(i, assignment)| match (assignment.value, assignment.to) {
        (Rhs::Any, Destination::Cell(family, index)) => Some((i, family, index)),
        (Rhs::Any, Destination::Var(_)) | (Rhs::Expr(_), _) => None,
    });
    let Some((i, family, index)) = chosen else { return before_plain_assign(encoder, list, after) };
    let mut sources = space.none.clone();
    for (var, here) in encoder.cells(family, index)? {
        let mut list = list.to_vec();
        list[i].to = Destination::Var(var);
        let through = space.and(&here, &before_assign(encoder, &list, after)?)?;
        sources = space.or(&sources, &through)?;
    }
    Ok(sources)
}

/// What is written where, and the states from which the assignment is a step at all.
struct Writing {
    allowed: Set,
    /// For each variable where it was written, and its number there.
    written: Vec<(VarId, Set, Number)>,
    places: Map<VarId, usize>,
    chosen: Vec<VarId>,
}

fn before_plain_assign(encoder: &mut Encoder<'_>, list: &[Assignment], after: &Set) -> Result<Set, Rejection> {
    let space = encoder.space;
    let mut writing =
        Writing { allowed: space.all.clone(), written: Vec::new(), places: Map::default(), chosen: Vec::new() };
    for assignment in list {
        let value = match (assignment.value, assignment.to) {
            (Rhs::Expr(value), _) => value,
            (Rhs::Any, Destination::Var(var)) => {
                writing.choose(encoder, var)?;
                continue;
            }
            (Rhs::Any, Destination::Cell(..)) => unreachable!("cells that get any value were resolved"),
        };
        let (number, defined) = encoder.number(value)?;
        writing.allowed = space.and(&writing.allowed, &defined)?;
        let destinations = match (assignment.to, variable(encoder, assignment.to)) {
            (_, Some(var)) => vec![(var, space.all.clone())],
            (Destination::Cell(family, index), None) => encoder.cells(family, index)?,
            (Destination::Var(_), None) => unreachable!("a variable is one"),
        };
        let mut somewhere = space.none.clone();
        for (var, here) in destinations {
            somewhere = space.or(&somewhere, &here)?;
            writing.write(encoder, var, &here, &number)?;
        }
        writing.allowed = space.and(&writing.allowed, &somewhere)?;
    }
    writing.before(encoder, after)
}

fn variable(encoder: &Encoder<'_>, to: Destination) -> Option<VarId> {
    match to {
        Destination::Var(var) => Some(var),
        Destination::Cell(family, index) => {
            let index = words::constant(encoder.model, index).and_then(|index| u32::try_from(index).ok())?;
            let family = &encoder.model.families[family];
            (index < family.len).then(|| family.var(index))
        }
    }
}

impl Writing {
    fn choose(&mut self, encoder: &Encoder<'_>, var: VarId) -> Result<(), Rejection> {
        self.chosen.push(var);
        self.mark(encoder, var, &encoder.space.all.clone(), None)
    }

    /// Within the domain only, and nothing twice.
    fn write(&mut self, encoder: &Encoder<'_>, var: VarId, here: &Set, number: &Number) -> Result<(), Rejection> {
        let space = encoder.space;
        let column = &encoder.columns[var];
        let outside = space.without(here, &numbers::within(space, number, column.lo, column.hi)?)?;
        self.allowed = space.without(&self.allowed, &outside)?;
        self.mark(encoder, var, here, Some(number))
    }

    fn mark(&mut self, encoder: &Encoder<'_>, var: VarId, here: &Set, to: Option<&Number>) -> Result<(), Rejection> {
        let space = encoder.space;
        let number = match to {
            Some(number) => number.clone(),
            None => Number::constant(space, 0)?,
        };
        match self.places.get(&var) {
            None => {
                self.places.insert(var, self.written.len());
                self.written.push((var, here.clone(), number));
            }
            Some(&place) => {
                let (_, already, old) = &mut self.written[place];
                self.allowed = space.without(&self.allowed, &space.and(already, here)?)?;
                *old = numbers::ite(space, here, &number, old)?;
                *already = space.or(already, here)?;
            }
        }
        Ok(())
    }

    fn before(self, encoder: &mut Encoder<'_>, after: &Set) -> Result<Set, Rejection> {
        let space = encoder.space;
        let mut sources = after.clone();
        let chosen: Vec<VarId> =
            self.chosen.iter().copied().filter(|&var| encoder.definitions[var].is_none()).collect();
        for &var in &chosen {
            sources = space.and_exists(&sources, &encoder.in_domain(var)?, &encoder.columns[var].bits)?;
        }
        let (mut bits, mut by): (Vec<VarNo>, Vec<Set>) = (Vec::new(), Vec::new());
        // What is read through its definition is only ever given that value.
        let own = |var: &VarId| !self.chosen.contains(var) && encoder.definitions[*var].is_none();
        for (var, here, number) in self.written.iter().filter(|(var, ..)| own(var)) {
            let column = &encoder.columns[*var];
            let offset = numbers::subtract(space, number, &Number::constant(space, column.lo)?)?;
            for (&bit, new) in column.bits.iter().zip(offset.low_bits(column.bits.len())) {
                bits.push(bit);
                by.push(space.ite(here, &new, &space.bit(bit)?)?);
            }
        }
        let sources = space.substitute(&sources, &bits, &by)?;
        space.and(&self.allowed, &sources)
    }
}
