//! Does the start lead to a state? From that state backwards through the statement, to all states in which it may begin.

use std::cell::Cell;

use lapidary_base::{Control, Id};
use lapidary_ir::Model;
use lapidary_ir::model::Raw;
use lapidary_verdict::{Child, Diagram};

use super::before;
use super::columns;
use super::definitions::Definitions;
use super::numbers;
use super::space::{self, Space};
use super::world::{Base, World};
use crate::Rejection;

/// All variables have finitely many values.
pub fn leads_to(model: &Model, state: &[Raw], control: &Control) -> Result<bool, Rejection> {
    let diagram = Diagram { order: Vec::new(), nodes: Vec::new(), root: Child::All };
    let definitions = Definitions::default();
    let (columns, n_bits) = columns(model, &diagram, &definitions);
    let is_end = Cell::new(false);
    space::attempts(n_bits, control, |space: &Space<'_>| {
        // Before the start the invariant need not be true.
        let base =
            Base { model, diagram: &diagram, conjuncts: &[], definitions: &definitions, columns: &columns, space };
        let mut world = World::new(&base, Vec::new())?;
        let mut end = world.within.clone();
        for var in model.vars.ids() {
            let (number, _) = world.encoder.variable_number(var)?;
            let value = state[var.index()];
            end = space.and(&end, &numbers::within(space, &number, value, value)?)?;
        }
        let mut begins = before::before(&mut world.encoder, &model.start, &end)?;
        begins = space.and(&begins, &world.within)?;
        for &part in &model.init {
            for conjunct in model.exprs.conjuncts(part) {
                begins = space.and(&begins, &world.encoder.truth(conjunct)?.yes)?;
            }
        }
        is_end.set(!space.is_none(&begins));
        Ok(())
    })?;
    Ok(is_end.get())
}

#[cfg(test)]
mod tests {
    use lapidary_reference::bodies::{self, Shape};
    use lapidary_reference::seeds;

    use super::*;

    #[test]
    fn going_backwards_finds_the_starts_that_trying_everything_finds() {
        let (mut n_ends, mut n_others) = (0, 0);
        for seed in seeds::of(70_000..70_300) {
            let model = bodies::model(seed, Shape::default());
            let initial = bodies::initial(&model);
            let all = bodies::states(&model);
            for state in all.iter().step_by(all.len() / 5 + 1).chain(initial.iter().take(3)) {
                let found = leads_to(&model, state, &Control::new()).expect("few nodes");
                let found = found && bodies::keeps_invariant(&model, state);
                assert_eq!(found, initial.contains(state), "seed {seed}, {state:?}");
                if found { n_ends += 1 } else { n_others += 1 }
            }
        }
        assert!(n_ends > seeds::least(200) && n_others > seeds::least(200), "{n_ends} {n_others}");
    }
}
