//! Tuples of relations in words, in the order of their values.

use lapidary_base::Stop;
use lapidary_bdd::{Column, Set};

use super::evaluate::Stored;
use super::slots::Slots;
use super::types::{Leaf, Origin, TypeData, Types};

/// The first tuples, one text each.
pub fn tuples(slots: &mut Slots, types: &Types, relation: &Stored, limit: u64) -> Result<Vec<String>, Stop> {
    let columns = slots.parameters(types, &relation.signature)?;
    let mut listing = Listing { slots, columns: &columns, values: Vec::new(), found: Vec::new(), limit };
    listing.list(&relation.set)?;
    let found = listing.found;
    Ok(found.iter().map(|values| tuple(types, relation, values)).collect())
}

struct Listing<'a> {
    slots: &'a Slots,
    columns: &'a [Column],
    values: Vec<u64>,
    found: Vec<Vec<u64>>,
    limit: u64,
}

impl Listing<'_> {
    /// Column by column, so that nothing is looked at beyond the limit.
    fn list(&mut self, set: &Set) -> Result<(), Stop> {
        if self.slots.space.is_none(set) || self.found.len() as u64 >= self.limit {
            return Ok(());
        }
        let Some(&column) = self.columns.get(self.values.len()) else {
            self.found.push(self.values.clone());
            return Ok(());
        };
        for (lo, hi, part) in self.slots.space.cofactors(set, column)? {
            for value in lo..=hi {
                self.slots.space.poll()?;
                if self.found.len() as u64 >= self.limit || self.slots.space.is_none(&part) {
                    break;
                }
                self.values.push(value);
                self.list(&part)?;
                self.values.pop();
            }
        }
        Ok(())
    }
}

fn tuple(types: &Types, relation: &Stored, values: &[u64]) -> String {
    let mut rest = values;
    let mut parts = Vec::new();
    for &ty in &relation.signature {
        let data = types.get(ty);
        let (own, others) = rest.split_at(data.leaves.len());
        rest = others;
        parts.push(value(types, data, own));
    }
    format!("({})", parts.join(", "))
}

/// One value: `3`, `{Top.object = no}`, `<push, Top.push>`.
pub fn value(types: &Types, data: &TypeData, codes: &[u64]) -> String {
    let leaves = data.leaves.iter().zip(codes);
    match data.origin {
        Origin::Event(_) => {
            let happening = leaves.filter(|(_, code)| **code != 0);
            let name = |(leaf, code): (&Leaf, &u64)| {
                let event = types.show(&leaf.scalar, *code);
                if leaf.path.is_empty() { event } else { format!("{}.{event}", leaf.path) }
            };
            format!("<{}>", happening.map(name).collect::<Vec<_>>().join(", "))
        }
        Origin::Plain if matches!(&data.leaves[..], [only] if only.path.is_empty()) => {
            types.show(&data.leaves[0].scalar, codes[0])
        }
        Origin::Plain | Origin::Configuration(_) => {
            let part = |(leaf, code): (&Leaf, &u64)| format!("{} = {}", leaf.path, types.show(&leaf.scalar, *code));
            format!("{{{}}}", leaves.map(part).collect::<Vec<_>>().join(", "))
        }
    }
}
