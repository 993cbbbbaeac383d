//! Paths and cycles, computed with the operations that every engine has.

use lapidary_base::{Control, Stop};

use super::algebra::{Algebra, Operation};

/// One shortest path from the first states to the last ones, as the set of its transitions; none if there is no path or
/// the sets meet. Of all shortest paths it is the one whose last state is least, then the one before it, and so on.
pub fn trace<A: Algebra>(
    algebra: &A,
    from: &A::States,
    trans: &A::Trans,
    to: &A::States,
    control: &Control,
) -> Result<A::Trans, Stop> {
    let mut layers = vec![from.clone()];
    let mut seen = from.clone();
    loop {
        control.check()?;
        let last = &layers[layers.len() - 1];
        if algebra.no_states(last) {
            return Ok(algebra.empty_trans());
        }
        let met = algebra.states(Operation::And, last, to)?;
        if !algebra.no_states(&met) {
            return backwards(algebra, &layers, trans, algebra.least_state(&met)?, control);
        }
        let next = algebra.states(Operation::Minus, &algebra.image(last, trans)?, &seen)?;
        seen = algebra.states(Operation::Or, &seen, &next)?;
        layers.push(next);
    }
}

fn backwards<A: Algebra>(
    algebra: &A,
    layers: &[A::States],
    trans: &A::Trans,
    mut state: A::States,
    control: &Control,
) -> Result<A::Trans, Stop> {
    let mut path = algebra.empty_trans();
    for layer in layers[..layers.len() - 1].iter().rev() {
        control.check()?;
        let entering = algebra.trans(Operation::And, trans, &algebra.into(&state)?)?;
        let before = algebra.states(Operation::And, layer, &algebra.sources(&entering)?)?;
        let before = algebra.least_state(&before)?;
        let steps = algebra.trans(Operation::And, &entering, &algebra.from(&before)?)?;
        path = algebra.trans(Operation::Or, &path, &algebra.least_trans(&steps)?)?;
        state = before;
    }
    Ok(path)
}

/// The states from which every maximal path of the transitions meets the set: the least X that contains the set and
/// every state that has a transition, all of whose transitions lead into X.
pub fn unavoidable<A: Algebra>(
    algebra: &A,
    trans: &A::Trans,
    set: &A::States,
    control: &Control,
) -> Result<A::States, Stop> {
    let able = algebra.sources(trans)?;
    let mut found = set.clone();
    loop {
        control.check()?;
        let outside = algebra.states(Operation::Minus, &algebra.any_states(), &found)?;
        let escaping = algebra.preimage(&outside, trans)?;
        let forced = algebra.states(Operation::Minus, &able, &escaping)?;
        let new = algebra.states(Operation::Minus, &forced, &found)?;
        if algebra.no_states(&new) {
            return Ok(found);
        }
        found = algebra.states(Operation::Or, &found, &new)?;
    }
}

/// The transitions of the set that lie on a cycle of it.
pub fn on_cycles<A: Algebra>(algebra: &A, trans: &A::Trans, control: &Control) -> Result<A::Trans, Stop> {
    let loops = algebra.trans(Operation::And, trans, &algebra.loops()?)?;
    let mut found = loops.clone();
    let mut rest = algebra.trans(Operation::Minus, trans, &loops)?;
    loop {
        rest = trimmed(algebra, rest, control)?;
        if algebra.no_trans(&rest) {
            return Ok(found);
        }
        // What is reached from a state and leads back to it is its strongly connected component.
        let pivot = algebra.least_state(&algebra.sources(&rest)?)?;
        let ahead = algebra.reach(&pivot, &rest)?;
        let behind = algebra.coreach(&pivot, &rest)?;
        let component = algebra.states(Operation::And, &ahead, &behind)?;
        let (leaving, entering) = (algebra.from(&component)?, algebra.into(&component)?);
        let inner = algebra.trans(Operation::And, &algebra.trans(Operation::And, &rest, &leaving)?, &entering)?;
        found = algebra.trans(Operation::Or, &found, &inner)?;
        rest = algebra.trans(Operation::Minus, &rest, &leaving)?;
        rest = algebra.trans(Operation::Minus, &rest, &entering)?;
    }
}

/// Drops transitions that nothing leads to or that lead nowhere, until there are none: they are on no cycle.
fn trimmed<A: Algebra>(algebra: &A, mut trans: A::Trans, control: &Control) -> Result<A::Trans, Stop> {
    loop {
        control.check()?;
        let inner = algebra.states(Operation::And, &algebra.sources(&trans)?, &algebra.targets(&trans)?)?;
        let within = algebra.trans(Operation::And, &algebra.from(&inner)?, &algebra.into(&inner)?)?;
        let outside = algebra.trans(Operation::Minus, &trans, &within)?;
        if algebra.no_trans(&outside) {
            return Ok(trans);
        }
        trans = algebra.trans(Operation::And, &trans, &within)?;
    }
}
