//! Finite sets of rows as nested decisions on intervals of values, one variable after the other, equal parts shared.

use lapidary_base::hash::Map;
use lapidary_base::{Interner, id};
use lapidary_ir::Raw;

use super::algebra::Row;

id! {
    pub struct DecisionId(u32);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// All rows.
    True,
    /// A choice by the value of one of the columns.
    Choice(usize, Vec<Arm>),
}

/// The values from `lo` to `hi` lead on; neighbouring arms lead to different parts, and what has no arm is not in the
/// set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arm {
    pub lo: Raw,
    pub hi: Raw,
    pub then: DecisionId,
}

pub struct Decisions {
    nodes: Interner<DecisionId, Node>,
    /// The least and the greatest value of every column.
    bounds: Vec<(Raw, Raw)>,
    /// Of no rows at all there is no decision.
    pub root: Option<DecisionId>,
}

impl Decisions {
    /// The decisions for rows that ascend; each has as many values as there are bounds, within them.
    pub fn new(rows: &[Row], bounds: Vec<(Raw, Raw)>) -> Self {
        let mut decisions = Self { nodes: Interner::new(), bounds, root: None };
        decisions.root = (!rows.is_empty()).then(|| decisions.build(rows, 0));
        decisions
    }

    pub fn node(&self, id: DecisionId) -> &Node {
        self.nodes.get(id)
    }

    fn build(&self, rows: &[Row], column: usize) -> DecisionId {
        if column == self.bounds.len() {
            return self.nodes.intern(Node::True);
        }
        let mut arms: Vec<Arm> = Vec::new();
        for part in rows.chunk_by(|a, b| a[column] == b[column]) {
            let (value, then) = (part[0][column], self.build(part, column + 1));
            match arms.last_mut() {
                Some(last) if last.then == then && last.hi + 1 == value => last.hi = value,
                _ => arms.push(Arm { lo: value, hi: value, then }),
            }
        }
        match arms[..] {
            [Arm { lo, hi, then }] if (lo, hi) == self.bounds[column] => then,
            _ => self.nodes.intern(Node::Choice(column, arms)),
        }
    }

    /// Values for every node from those of the parts it leads to, each computed once.
    pub fn fold<T: Clone>(
        &self,
        id: DecisionId,
        made: &mut Map<DecisionId, T>,
        make: &mut dyn FnMut(&Node, &[T]) -> T,
    ) -> T {
        if let Some(value) = made.get(&id) {
            return value.clone();
        }
        let node = self.node(id).clone();
        let parts: Vec<T> = match &node {
            Node::True => Vec::new(),
            Node::Choice(_, arms) => arms.iter().map(|arm| self.fold(arm.then, made, make)).collect(),
        };
        let value = make(&node, &parts);
        made.insert(id, value.clone());
        value
    }

    /// The intervals of all columns along every way to the end, in order; `None` past so many ways.
    pub fn boxes(&self, limit: usize) -> Option<Vec<Vec<(Raw, Raw)>>> {
        let mut found = Vec::new();
        let mut path = self.bounds.clone();
        match self.root {
            Some(root) => self.walk(root, &mut path, &mut found, limit).then_some(found),
            None => Some(found),
        }
    }

    fn walk(&self, id: DecisionId, path: &mut Vec<(Raw, Raw)>, found: &mut Vec<Vec<(Raw, Raw)>>, limit: usize) -> bool {
        match self.node(id) {
            Node::True => {
                found.push(path.clone());
                found.len() <= limit
            }
            Node::Choice(column, arms) => {
                let before = path[*column];
                let complete = arms.iter().all(|arm| {
                    path[*column] = (arm.lo, arm.hi);
                    self.walk(arm.then, path, found, limit)
                });
                path[*column] = before;
                complete
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[[Raw; 2]]) -> Vec<Row> {
        values.iter().map(|row| row.to_vec().into_boxed_slice()).collect()
    }

    #[test]
    fn neighbouring_values_with_equal_rest_are_one_interval() {
        let decisions = Decisions::new(&rows(&[[0, 1], [1, 1], [2, 0]]), vec![(0, 2), (0, 2)]);
        assert_eq!(decisions.boxes(9), Some(vec![vec![(0, 1), (1, 1)], vec![(2, 2), (0, 0)]]));
    }

    #[test]
    fn a_variable_that_does_not_matter_is_not_asked() {
        let decisions = Decisions::new(&rows(&[[0, 1], [1, 1]]), vec![(0, 1), (0, 2)]);
        let root = decisions.root.expect("there are rows");
        assert!(matches!(decisions.node(root), Node::Choice(1, arms) if arms.len() == 1));
        assert_eq!(decisions.boxes(9), Some(vec![vec![(0, 1), (1, 1)]]));
    }

    #[test]
    fn values_across_a_gap_stay_apart() {
        let decisions = Decisions::new(&rows(&[[0, 0], [2, 0]]), vec![(0, 2), (0, 0)]);
        assert_eq!(decisions.boxes(9), Some(vec![vec![(0, 0), (0, 0)], vec![(2, 2), (0, 0)]]));
        assert_eq!(decisions.boxes(1), None);
    }

    #[test]
    fn no_rows_have_no_decision() {
        let decisions = Decisions::new(&[], vec![(0, 1)]);
        assert!(decisions.root.is_none() && decisions.boxes(9) == Some(Vec::new()));
    }
}
