//! Sets of transitions in parts, so that no operation meets the whole relation.

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Set, Space};

use super::frame::Frame;

/// A set of transitions. All sets of one model have the same number of parts, and parts at different places have no
/// flat event in common: every transition has one place where it can be.
#[derive(Clone)]
pub struct Parts(Vec<Set>);

impl Parts {
    /// All transitions of a model, from relations that may overlap. Neighbours whose union is small are joined.
    pub fn new(
        space: &Space,
        relations: Vec<Set>,
        frame: &Frame,
        small: usize,
        control: &Control,
    ) -> Result<Self, Stop> {
        let mut parts: Vec<(Set, Set)> = Vec::new();
        let mut seen = space.none();
        for relation in relations {
            control.check()?;
            let events = space.exists(&relation, &frame.ends)?;
            let mut part = (events.clone(), relation);
            if space.intersects(&seen, &events)? {
                let mut apart = Vec::new();
                for other in parts {
                    match space.intersects(&other.0, &part.0)? {
                        true => part = (space.or(&other.0, &part.0)?, space.or(&other.1, &part.1)?),
                        false => apart.push(other),
                    }
                }
                parts = apart;
            }
            seen = space.or(&seen, &events)?;
            parts.push(part);
        }
        let relations = parts.into_iter().map(|(_, relation)| relation).filter(|relation| !space.is_none(relation));
        joined(space, relations.collect(), small, control).map(Self)
    }

    pub fn list(&self) -> &[Set] {
        &self.0
    }

    /// No transition of the same model.
    pub fn emptied(&self, space: &Space) -> Self {
        Self(vec![space.none(); self.0.len()])
    }

    /// What an operation makes of every part; of an empty one, an empty one.
    pub fn map(
        &self,
        space: &Space,
        control: &Control,
        operation: impl Fn(&Set) -> Result<Set, Stop>,
    ) -> Result<Self, Stop> {
        let mut made = Vec::with_capacity(self.0.len());
        for part in &self.0 {
            control.check()?;
            made.push(if space.is_none(part) { part.clone() } else { operation(part)? });
        }
        Ok(Self(made))
    }

    pub fn zip(
        &self,
        other: &Self,
        control: &Control,
        operation: impl Fn(&Set, &Set) -> Result<Set, Stop>,
    ) -> Result<Self, Stop> {
        debug_assert_eq!(self.0.len(), other.0.len(), "both sets are of the same model");
        let mut made = Vec::with_capacity(self.0.len());
        for (a, b) in self.0.iter().zip(&other.0) {
            control.check()?;
            made.push(operation(a, b)?);
        }
        Ok(Self(made))
    }
}

/// Joins neighbours as long as they have few nodes together.
fn joined(space: &Space, parts: Vec<Set>, small: usize, control: &Control) -> Result<Vec<Set>, Stop> {
    let mut list: Vec<(usize, Set)> = Vec::new();
    for part in parts {
        control.check()?;
        let size = space.node_count(&part)?;
        if let Some((before, last)) = list.last_mut()
            && *before + size <= small
        {
            *last = space.or(last, &part)?;
            *before = space.node_count(last)?;
            continue;
        }
        list.push((size, part));
    }
    Ok(list.into_iter().map(|(_, part)| part).collect())
}
