//! Pieces of a transition relation: what is written, and how; what is not mentioned keeps its value.

use lapidary_base::Stop;
use lapidary_bdd::{Set, Space};
use lapidary_ir::VarId;

use super::places::Places;

#[derive(Clone)]
pub struct Piece {
    /// Ascending.
    pub written: Vec<VarId>,
    /// Over current columns and the next columns of what is written.
    pub relation: Set,
}

impl Piece {
    pub fn idle(space: &Space) -> Self {
        Self { written: Vec::new(), relation: space.all() }
    }

    /// Both happen; they write different variables.
    pub fn and(&self, other: &Self, space: &Space) -> Result<Self, Stop> {
        let mut written = [&self.written[..], &other.written[..]].concat();
        written.sort_unstable();
        debug_assert!(written.windows(2).all(|pair| pair[0] != pair[1]), "components write their own variables");
        Ok(Self { written, relation: space.and(&self.relation, &other.relation)? })
    }

    /// One of them happens.
    pub fn or(&self, other: &Self, space: &Space, places: &Places) -> Result<Self, Stop> {
        let mut written = [&self.written[..], &other.written[..]].concat();
        written.sort_unstable();
        written.dedup();
        let (left, right) = (self.widened(&written, space, places)?, other.widened(&written, space, places)?);
        Ok(Self { relation: space.or(&left, &right)?, written })
    }

    /// The relation when it has to speak of more variables: those it does not write keep their values.
    pub fn widened(&self, written: &[VarId], space: &Space, places: &Places) -> Result<Set, Stop> {
        let mut relation = self.relation.clone();
        for &var in written.iter().filter(|var| self.written.binary_search(var).is_err()) {
            if let Some(column) = places.column(var, 0) {
                let next = places.column(var, 1).expect("what has a current column has a next one");
                relation = space.and(&relation, &space.equal(column, next)?)?;
            }
        }
        Ok(relation)
    }
}

/// The union of pieces; `None` without any.
pub fn union(pieces: Vec<Piece>, space: &Space, places: &Places) -> Result<Option<Piece>, Stop> {
    let mut pieces = pieces.into_iter();
    let Some(mut all) = pieces.next() else { return Ok(None) };
    for piece in pieces {
        all = all.or(&piece, space, places)?;
    }
    Ok(Some(all))
}
