//! Places: the cell that is meant, and the indexes that may be out of bounds.

use lapidary_ir::{Domain, Expr, FamilyId, Fault, VarId};
use lapidary_text::{Span, quotation};

use super::super::typed::{Instance, Place};
use super::interval::Interval;
use super::layout::Dimension;
use super::value::Value;
use super::{Lowered, Lowering};

/// A cell as it is read or written.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    Fixed(VarId),
    /// Picked by an index, which counts from zero.
    Picked {
        family: FamilyId,
        index: Expr,
        interval: Interval,
    },
}

/// A lowered place. The cell makes sense wherever no fault happens.
pub struct Located {
    pub cell: Cell,
    pub domain: Domain,
    pub faults: Vec<Fault>,
}

impl Lowering<'_, '_> {
    pub fn read(&mut self, place: &Place) -> Lowered<Value> {
        let Located { cell, domain, faults } = self.locate(place)?;
        let expr = match cell {
            Cell::Fixed(var) => self.exprs.var(var),
            Cell::Picked { family, index, .. } => self.exprs.cell(family, index),
        };
        let interval = match domain {
            Domain::Range { lo, hi } => Interval::new(lo, hi),
            Domain::Bool | Domain::Int | Domain::Enum(_) | Domain::Bits(_) | Domain::Array(_) => Interval::ALL,
        };
        Ok(Value { expr, faults, interval: self.facts.narrow(expr, interval) })
    }

    pub fn locate(&mut self, place: &Place) -> Lowered<Located> {
        let cells = &self.layout.cells[place.variable];
        let (first, family, domain) = (cells.first, cells.family, cells.domain);
        let dimensions = cells.dimensions.clone();
        let coordinates = self.coordinates(place)?;
        let mut index = Value { expr: self.exprs.int(0), faults: Vec::new(), interval: Interval::new(0, 0) };
        for (&dimension, (coordinate, span)) in dimensions.iter().zip(coordinates) {
            self.bounds_fault(place, dimension, &coordinate, span, &mut index.faults)?;
            self.step(&mut index, dimension, &coordinate);
        }
        let cell = match (family, self.exprs.as_int(index.expr).and_then(|index| u32::try_from(index).ok())) {
            (None, _) => Cell::Fixed(first),
            (Some(_), Some(offset)) => Cell::Fixed(VarId(first.0 + offset)),
            (Some(family), None) => Cell::Picked { family, index: index.expr, interval: index.interval },
        };
        Ok(Located { cell, domain, faults: index.faults })
    }

    /// The indexes of a place: those of the instance, then those of the array.
    fn coordinates(&mut self, place: &Place) -> Lowered<Vec<(Value, Span)>> {
        let mut coordinates = Vec::new();
        match &place.instance {
            Instance::Only => {}
            Instance::Own => {
                let process = self.program.variables[place.variable].process;
                let n_params = process.map_or(0, |process| self.program.processes[process].params.len());
                for slot in 0..n_params {
                    coordinates.push((self.number(self.slots[slot]), place.span));
                }
            }
            Instance::At(indexes) => {
                for index in indexes {
                    coordinates.push((self.lower(index)?, index.span));
                }
            }
        }
        for index in &place.indexes {
            coordinates.push((self.lower(index)?, index.span));
        }
        Ok(coordinates)
    }

    /// Adds the faults of an index, its own and that it may be out of bounds.
    fn bounds_fault(
        &mut self,
        place: &Place,
        dimension: Dimension,
        coordinate: &Value,
        span: Span,
        faults: &mut Vec<Fault>,
    ) -> Lowered<()> {
        faults.extend(coordinate.faults.iter().cloned());
        let (lo, hi) = (dimension.lo, dimension.hi());
        let exprs = &self.exprs;
        let below = coordinate.interval.reaches_below(lo).then(|| exprs.lt(coordinate.expr, exprs.int(lo)));
        let above = coordinate.interval.reaches_above(hi).then(|| exprs.lt(exprs.int(hi), coordinate.expr));
        let outside = exprs.or(below.into_iter().chain(above));
        if exprs.as_bool(outside) == Some(false) {
            return Ok(());
        }
        let what = format!("index {} is outside {}", quotation::quote(self.sources, span), self.extent(place, span));
        faults.extend(self.fault(coordinate, outside, what, span)?);
        Ok(())
    }

    /// `flag[0..2]` or `P[0..1]`, whichever the index at `span` belongs to.
    fn extent(&self, place: &Place, span: Span) -> String {
        let variable = &self.program.variables[place.variable];
        let of_array = place.indexes.iter().any(|index| index.span == span);
        match variable.process.map(|process| &self.program.processes[process]) {
            Some(process) if !of_array => {
                let ranges = process.params.iter().map(|param| (param.lo, param.lo + i64::from(param.len) - 1));
                ranges.fold(process.name.text.to_owned(), |text, (lo, hi)| format!("{text}[{lo}..{hi}]"))
            }
            Some(_) | None => {
                let sizes = variable.sizes.iter();
                sizes.fold(variable.name.text.to_owned(), |text, size| format!("{text}[0..{}]", size - 1))
            }
        }
    }

    /// One more dimension: `index * len + (coordinate - lo)`.
    fn step(&self, index: &mut Value, dimension: Dimension, coordinate: &Value) {
        let exprs = &self.exprs;
        let (expr, interval) = match exprs.as_int(coordinate.expr) {
            // An index that is always outside is a fault, and then it does not matter which cell is meant.
            Some(value) if (dimension.lo..=dimension.hi()).contains(&value) => {
                let offset = value - dimension.lo;
                (exprs.int(offset), Interval::new(offset, offset))
            }
            Some(_) => (exprs.int(0), Interval::new(0, 0)),
            None => {
                let inside = coordinate.interval.intersect(Interval::new(dimension.lo, dimension.hi()));
                let shift = Interval::new(dimension.lo, dimension.lo).neg();
                (exprs.sub(coordinate.expr, exprs.int(dimension.lo)), inside.add(shift))
            }
        };
        let row = exprs.mul(index.expr, exprs.int(dimension.len.into()));
        index.expr = if exprs.as_int(index.expr) == Some(0) { expr } else { exprs.add([row, expr]) };
        let len = Interval::new(dimension.len.into(), dimension.len.into());
        index.interval = index.interval.combine(super::super::ast::Factor::Times, len).add(interval);
    }
}
