//! Sets that move from one space to another.

use lapidary_base::Stop;

use crate::decision::Child;
use crate::space::{Column, Set, Space};

impl Space {
    /// A set of another space in terms of this one: the first column of a pair is one of the other space, the second
    /// takes its place here. The pairs contain the set's support.
    pub fn transfer(&self, other: &Self, set: &Set, pairs: &[(Column, Column)]) -> Result<Set, Stop> {
        let order: Vec<Column> = pairs.iter().map(|&(from, _)| from).collect();
        let decision = other.multi_valued(set, &order)?;
        let mut sets: Vec<Set> = Vec::with_capacity(decision.nodes.len());
        let known = |sets: &[Set], child: Child| match child {
            Child::None => self.none(),
            Child::All => self.all(),
            Child::Node(index) => sets[index].clone(),
        };
        for node in &decision.nodes {
            let pair = pairs.iter().find(|(from, _)| *from == node.column);
            let &(_, column) = pair.expect("the decision is over the given columns");
            let mut branches = Vec::new();
            for &(lo, hi, child) in &node.children {
                branches.push(self.and(&self.range(column, lo, hi)?, &known(&sets, child))?);
            }
            sets.push(self.or_all(&branches)?);
        }
        Ok(known(&sets, decision.root))
    }
}

#[cfg(test)]
mod tests {
    use lapidary_base::Control;

    use super::*;
    use crate::{Capacity, ColumnSpec};

    fn space(sizes: &[u64]) -> Space {
        let spec = |&size: &u64| vec![ColumnSpec { name: "x".to_owned(), size }];
        let groups: Vec<Vec<ColumnSpec>> = sizes.iter().map(spec).collect();
        Space::new(Capacity { nodes: 1 << 12, cache: 1 << 10, threads: 1 }, &groups, &Control::new())
            .expect("a small space")
    }

    #[test]
    fn a_set_means_the_same_in_the_other_space() {
        let (from, to) = (space(&[5, 2, 3]), space(&[3, 7, 5, 2]));
        let pairs = [(Column(0), Column(2)), (Column(1), Column(3)), (Column(2), Column(0))];
        let both = |space: &Space, five: Column, two: Column, three: Column| -> Result<Set, Stop> {
            let left = space.and(&space.range(five, 1, 3)?, &space.value(two, 1)?)?;
            let right = space.and(&space.value(five, 4)?, &space.value(three, 2)?)?;
            space.or(&left, &right)
        };
        let set = both(&from, Column(0), Column(1), Column(2)).expect("a small set");
        let moved = to.transfer(&from, &set, &pairs).expect("a small set");
        let domains = [Column(0), Column(2), Column(3)].map(|column| to.domain(column).expect("a small set"));
        let within = |set: &Set| to.and(set, &to.and_all(&domains)?);
        let again = both(&to, Column(2), Column(3), Column(0)).expect("a small set");
        assert!(within(&moved) == within(&again));
        assert!(!to.is_none(&moved));
    }
}
