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
}
