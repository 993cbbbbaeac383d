//! Steps are triples of a state, a command and a state: a command that reaches a state twice has one step to it.

use lapidary_base::Id;

use crate::successors::Steps;

/// Removes from the steps behind `start` those of ambiguous commands that are there already; the others keep their
/// order.
pub fn remove(is_ambiguous: &[bool], words: usize, start: usize, steps: &mut Steps<()>) {
    let mut order: Vec<usize> =
        (start..steps.len()).filter(|&step| is_ambiguous[steps.actions[step].index()]).collect();
    if order.len() < 2 {
        return;
    }
    let key = |step: usize| (steps.actions[step], &steps.states[step * words..(step + 1) * words]);
    order.sort_unstable_by(|&a, &b| (key(a), a).cmp(&(key(b), b)));
    let mut repeated: Vec<usize> =
        order.windows(2).filter(|pair| key(pair[0]) == key(pair[1])).map(|pair| pair[1]).collect();
    if repeated.is_empty() {
        return;
    }
    repeated.sort_unstable();
    let mut end = repeated[0];
    for step in repeated[0]..steps.len() {
        if repeated.binary_search(&step).is_err() {
            steps.actions[end] = steps.actions[step];
            steps.states.copy_within(step * words..(step + 1) * words, end * words);
            end += 1;
        }
    }
    steps.actions.truncate(end);
    steps.elements.truncate(end);
    steps.states.truncate(end * words);
}

/// So few rows are compared each with each.
const FEW: usize = 8;

/// Removes rows that are there already; the others keep their order.
pub fn rows(width: usize, rows: &mut Vec<i64>) {
    let n_rows = rows.len() / width;
    let row = |i: usize| &rows[i * width..(i + 1) * width];
    let mut repeated: Vec<usize> = match n_rows {
        0 | 1 => return,
        2..=FEW => (1..n_rows).filter(|&i| (0..i).any(|j| row(i) == row(j))).collect(),
        _ => {
            let mut order: Vec<usize> = (0..n_rows).collect();
            order.sort_unstable_by(|&a, &b| (row(a), a).cmp(&(row(b), b)));
            order.windows(2).filter(|pair| row(pair[0]) == row(pair[1])).map(|pair| pair[1]).collect()
        }
    };
    repeated.sort_unstable();
    let Some(&first) = repeated.first() else { return };
    let mut end = first;
    for i in first..n_rows {
        if repeated.binary_search(&i).is_err() {
            rows.copy_within(i * width..(i + 1) * width, end * width);
            end += 1;
        }
    }
    rows.truncate(end * width);
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
            steps.elements.push(());
        }
        remove(&[false, true], 2, 1, &mut steps);
        let left: Vec<(u32, u64)> =
            steps.actions.iter().zip(steps.states.chunks(2)).map(|(action, state)| (action.0, state[0])).collect();
        assert_eq!(left, [(1, 9), (0, 5), (1, 5), (0, 5), (1, 7), (1, 9)]);
        assert_eq!(steps.elements.len(), 6);
    }

    #[test]
    fn the_first_of_equal_rows_stays_where_it_is_whether_they_are_few_or_many() {
        for n in [2i64, 5, 8, 9, 40] {
            let mut found: Vec<i64> = (0..n).flat_map(|i| [(i * i) % 7, 1]).collect();
            rows(2, &mut found);
            let mut expected: Vec<i64> = Vec::new();
            (0..n).map(|i| (i * i) % 7).for_each(|x| {
                if !expected.contains(&x) {
                    expected.push(x)
                }
            });
            assert_eq!(found, expected.into_iter().flat_map(|x| [x, 1]).collect::<Vec<_>>(), "{n} rows");
        }
    }
}
