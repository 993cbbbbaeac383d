//! Steps are triples of a state, a command and a state: a command that reaches a state twice has one step to it.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use lapidary_base::hash::{FixedState, Table};
use lapidary_base::{Control, Id, Stop};

use super::code::Looks;
use crate::successors::Steps;

/// So few are compared each with each.
const FEW: usize = 8;

/// For more than this the limits are asked first whether there is room for a table, and for so many bytes each.
const MANY: usize = 1 << 16;
const BYTES_EACH: usize = 20;

/// Where the ones are that were kept.
enum Kept {
    /// They are looked through.
    Few,
    /// By their hashes. There is room for all, because a table that grows cannot be stopped.
    Table(Table<usize>),
}

impl Kept {
    fn new(most: usize, control: Option<&Control>) -> Result<Self, Stop> {
        if most <= FEW {
            return Ok(Self::Few);
        }
        if let Some(control) = control.filter(|_| most > MANY) {
            control.reserve((most * BYTES_EACH) as u64)?;
        }
        Ok(Self::Table(Table::with_capacity(most)))
    }

    /// Whether the same was kept already, at one of these places; if not, it is at the end of them from now on.
    fn is_known(&mut self, key: impl Hash, kept: Range<usize>, is_same: impl Fn(usize) -> bool) -> bool {
        let end = kept.end;
        match self {
            Self::Few => kept.into_iter().any(is_same),
            Self::Table(table) => {
                let hash = FixedState.hash_one(key);
                let is_known = table.find(hash, |&place| is_same(place)).is_some();
                if !is_known {
                    table.insert_unique(hash, end, |_| unreachable!("there is room for all"));
                }
                is_known
            }
        }
    }
}

/// Removes from the steps behind `start` those of ambiguous commands that are there already; the others keep their
/// order.
pub fn remove(is_ambiguous: &[bool], words: usize, start: usize, steps: &mut Steps) -> Result<(), Stop> {
    let Steps { actions, states, control, .. } = steps;
    let n_asked = actions[start..].iter().filter(|action| is_ambiguous[action.index()]).count();
    if n_asked < 2 {
        return Ok(());
    }
    let mut looks = Looks::new(control.as_ref());
    let mut kept = Kept::new(n_asked, looks.control)?;
    let mut end = start;
    for step in start..actions.len() {
        looks.add(words)?;
        let (action, state) = (actions[step], &states[step * words..(step + 1) * words]);
        let is_same = |i: usize| actions[i] == action && states[i * words..(i + 1) * words] == *state;
        if is_ambiguous[action.index()] && kept.is_known((action, state), start..end, is_same) {
            continue;
        }
        if end < step {
            actions[end] = action;
            states.copy_within(step * words..(step + 1) * words, end * words);
        }
        end += 1;
    }
    actions.truncate(end);
    states.truncate(end * words);
    Ok(())
}

/// Removes rows that are there already; the others keep their order.
pub fn rows(width: usize, rows: &mut Vec<i64>, looks: &mut Looks<'_>) -> Result<(), Stop> {
    let n_rows = rows.len() / width;
    if n_rows < 2 {
        return Ok(());
    }
    let mut kept = Kept::new(n_rows, looks.control)?;
    let mut end = 0;
    for i in 0..n_rows {
        looks.add(width)?;
        let row = &rows[i * width..(i + 1) * width];
        if kept.is_known(row, 0..end, |j| rows[j * width..(j + 1) * width] == *row) {
            continue;
        }
        if end < i {
            rows.copy_within(i * width..(i + 1) * width, end * width);
        }
        end += 1;
    }
    rows.truncate(end * width);
    Ok(())
}

/// Rows that were followed again although they were met before, more than which none is.
const MOST_AGAIN: usize = 1 << 16;

/// The rows that were at the head of a loop, round after round.
#[derive(Default)]
pub struct Heads {
    rows: Vec<i64>,
    /// With the hashes, so that rows are not looked at when the table grows.
    places: Table<(u64, usize)>,
    n_rounds: usize,
    n_again: usize,
}

impl Heads {
    /// The rows of the next round. Those that were met before are left out as soon as it is clear that they need not be
    /// followed again.
    ///
    /// They never need to be, for what they lead to. But executions with more rounds come first, so where all executions
    /// end, the last time that a row is met decides about the order. Where there were more rounds than rows, one of these has
    /// led to itself, and there is no last time. That is seen late where there are very many, so after much work in vain
    /// it is the first time that counts.
    pub fn arrive(&mut self, width: usize, rows: &mut Vec<i64>, looks: &mut Looks<'_>) -> Result<(), Stop> {
        self.n_rounds += 1;
        let mut new = Vec::new();
        for row in rows.chunks_exact(width) {
            looks.add(width)?;
            if self.is_new(row) {
                new.extend_from_slice(row);
            }
        }
        self.n_again += (rows.len() - new.len()) / width;
        if self.n_rounds > self.places.len() || self.n_again > MOST_AGAIN {
            *rows = new;
        }
        Ok(())
    }

    fn is_new(&mut self, row: &[i64]) -> bool {
        let hash = FixedState.hash_one(row);
        let (width, place) = (row.len(), self.places.len());
        let is_same = |&(other, at): &(u64, usize)| other == hash && self.rows[at * width..(at + 1) * width] == *row;
        if self.places.find(hash, is_same).is_some() {
            return false;
        }
        self.places.insert_unique(hash, (hash, place), |&(hash, _)| hash);
        self.rows.extend_from_slice(row);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lapidary_ir::CommandId;

    #[test]
    fn the_first_of_equal_steps_stays_where_it_is() {
        let mut steps = Steps::new();
        for (command, state) in [(1, 9), (0, 5), (1, 5), (0, 5), (1, 7), (1, 5), (1, 9)] {
            steps.actions.push(CommandId(command));
            steps.states.extend([state, 1]);
        }
        remove(&[false, true], 2, 1, &mut steps).expect("no limits");
        let left: Vec<(u32, u64)> =
            steps.actions.iter().zip(steps.states.chunks(2)).map(|(action, state)| (action.0, state[0])).collect();
        assert_eq!(left, [(1, 9), (0, 5), (1, 5), (0, 5), (1, 7), (1, 9)]);
    }

    #[test]
    fn the_first_of_equal_rows_stays_where_it_is_whether_they_are_few_or_many() {
        for n in [2i64, 5, 8, 9, 40] {
            let mut found: Vec<i64> = (0..n).flat_map(|i| [(i * i) % 7, 1]).collect();
            rows(2, &mut found, &mut Looks::new(None)).expect("no limits");
            let mut expected: Vec<i64> = Vec::new();
            (0..n).map(|i| (i * i) % 7).for_each(|x| {
                if !expected.contains(&x) {
                    expected.push(x)
                }
            });
            assert_eq!(found, expected.into_iter().flat_map(|x| [x, 1]).collect::<Vec<_>>(), "{n} rows");
        }
    }

    #[test]
    fn comparing_a_long_list_is_stopped() {
        let control = Control::new();
        control.cancel();
        let mut found: Vec<i64> = (0..1 << 17).collect();
        assert_eq!(rows(1, &mut found, &mut Looks::new(Some(&control))), Err(Stop::Interrupted));
        assert_eq!(Heads::default().arrive(1, &mut found, &mut Looks::new(Some(&control))), Err(Stop::Interrupted));
        let mut steps = Steps::within(&control);
        for state in 0..1 << 17 {
            steps.actions.push(CommandId(0));
            steps.states.push(state);
        }
        assert_eq!(remove(&[true], 1, 0, &mut steps), Err(Stop::Interrupted));
    }
}
