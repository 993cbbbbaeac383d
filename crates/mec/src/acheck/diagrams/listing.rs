//! Sets written out, in the order of the values.

use lapidary_base::hash::Map;
use lapidary_base::{Id, Stop};
use lapidary_bdd::{Column, Set};
use lapidary_ir::{EventId, Raw, VarId};

use super::super::algebra::{Algebra, FlatEvent, Listing, Row, Step, too_many};
use super::{Diagrams, NO_FAMILIES, Parts};

/// The values of columns.
type Values = Box<[u64]>;

impl Diagrams<'_> {
    /// Calls `visit` with the values of the columns in a set whose support lies within them, in some order.
    fn visit(&self, set: &Set, columns: &[Column], mut visit: impl FnMut(&[u64])) -> Result<(), Stop> {
        let mut n_visited = 0usize;
        self.space().for_each(set, columns, &mut |values| {
            n_visited += 1;
            if n_visited.is_multiple_of(4096) {
                self.control.check()?;
            }
            visit(values);
            Ok(())
        })
    }

    pub(super) fn listed(&self, states: &Set, trans: &Parts, limit: u64) -> Result<Listing, Stop> {
        let space = self.space();
        let ends = space.and(states, &self.in_next(states)?)?;
        let inner = self.each(trans, |part| space.and(part, &ends))?;
        let total = self.count_states(states)?.saturating_add(self.count_trans(&inner)?);
        if total > u128::from(limit) {
            return Err(too_many("states and transitions", limit));
        }
        let (states, place) = self.configurations(states)?;
        let events = self.flat_events(&inner, usize::MAX)?;
        let steps = self.steps(&inner, &place, &events)?;
        Ok(Listing { states, events, steps })
    }

    /// Transitions by the places of their ends and their events.
    fn steps(&self, set: &Parts, place: &Map<Values, usize>, events: &[FlatEvent]) -> Result<Vec<Step>, Stop> {
        let event: Map<&[EventId], usize> = events.iter().map(|event| event.as_slice()).zip(0..).collect();
        let mut steps = Vec::new();
        let mut flat: Vec<EventId> = Vec::new();
        for part in set.list() {
            self.visit(part, &self.frame.all, |values| {
                let (source, rest) = values.split_at(self.frame.current.len());
                let (labels, target) = rest.split_at(self.frame.events.len());
                flat.clear();
                flat.extend(labels.iter().map(|&label| event_id(label)));
                steps.push(Step { source: place[source], event: event[&flat[..]], target: place[target] });
            })?;
        }
        steps.sort_unstable();
        Ok(steps)
    }

    /// The configurations of a set in order, and where each is by the values of its columns.
    fn configurations(&self, set: &Set) -> Result<(Vec<Row>, Map<Values, usize>), Stop> {
        let places = &self.system.places;
        let mut found: Vec<(Row, Values)> = Vec::new();
        self.visit(set, &self.frame.current, |values| {
            found.push((places.restore(&self.tree.exprs, &NO_FAMILIES, values), values.into()));
        })?;
        found.sort_unstable();
        let (rows, values): (Vec<Row>, Vec<Values>) = found.into_iter().unzip();
        Ok((rows, values.into_iter().zip(0..).collect()))
    }

    pub(super) fn values(&self, set: &Set, vars: &[VarId], limit: usize) -> Result<Vec<Row>, Stop> {
        let projected = self.projected(set, vars)?;
        let columns: Vec<Column> = vars.iter().map(|&var| self.column(var)).collect();
        let count = self.space().count(&projected, &columns)?;
        if count.is_none_or(|count| count > limit as u128) {
            return Err(too_many("valuations", limit as u64));
        }
        let lo: Vec<Raw> = vars.iter().map(|&var| self.system.places.lo(var)).collect();
        let number = |(&value, lo): (&u64, &Raw)| lo + Raw::try_from(value).expect("domains have 64-bit numbers");
        let mut rows: Vec<Row> = Vec::new();
        self.visit(&projected, &columns, |values| rows.push(values.iter().zip(&lo).map(number).collect()))?;
        rows.sort_unstable();
        Ok(rows)
    }

    pub(super) fn flat_events(&self, set: &Parts, limit: usize) -> Result<Vec<FlatEvent>, Stop> {
        let labels = self.union(set, |part| self.space().exists(part, &self.frame.ends))?;
        let count = self.space().count(&labels, self.frame.events.as_slice())?;
        if count.is_none_or(|count| count > limit as u128) {
            return Err(too_many("events", limit as u64));
        }
        let mut events: Vec<FlatEvent> = Vec::new();
        self.visit(&labels, self.frame.events.as_slice(), |values| {
            events.push(values.iter().map(|&label| event_id(label)).collect());
        })?;
        events.sort_unstable_by(|a, b| a.as_slice().cmp(b.as_slice()));
        Ok(events)
    }
}

fn event_id(label: u64) -> EventId {
    EventId::new(usize::try_from(label).expect("events are few"))
}
