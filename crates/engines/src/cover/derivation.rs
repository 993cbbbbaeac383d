//! Why all states of a block can be reached, or can reach the target; concrete runs are read off.

use std::rc::Rc;

use lapidary_base::{Control, Stop};
use lapidary_system::SetSystem;

use super::image::Images;

/// A chain of sets in which every member has a neighbour in the set before it: a predecessor if the chain comes from
/// the initial states, a successor if it comes from the target.
pub struct Derivation<S> {
    /// The states that are certified lie in the last one.
    sets: Vec<S>,
    /// Why the members of the first set are certified; without it they are initial, or in the target.
    from: Option<Rc<Derivation<S>>>,
}

impl<S: Clone + Eq> Derivation<S> {
    /// The members are initial, or in the target.
    pub fn given(set: S) -> Rc<Self> {
        Rc::new(Self { sets: vec![set], from: None })
    }

    pub fn along(sets: Vec<S>, from: Option<Rc<Self>>) -> Rc<Self> {
        Rc::new(Self { sets, from })
    }
}

/// Chains of derivations may be long; they are not taken down recursively.
impl<S> Drop for Derivation<S> {
    fn drop(&mut self) {
        let mut next = self.from.take();
        while let Some(mut owned) = next.and_then(Rc::into_inner) {
            next = owned.from.take();
        }
    }
}

/// Which neighbours a derivation leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the initial states, by predecessors.
    Back,
    /// To the target, by successors.
    On,
}

/// From a state that a derivation certifies to where the chain of derivations begins. The state itself comes first.
pub fn follow<Y: SetSystem>(
    images: &Images<'_, Y>,
    state: &Y::Set,
    derivation: &Rc<Derivation<Y::Set>>,
    way: Way,
    control: &Control,
) -> Result<Vec<Y::Set>, Stop> {
    let system = &images.system;
    let mut states = vec![state.clone()];
    let mut at = Some(derivation);
    while let Some(derivation) = at {
        for set in derivation.sets.iter().rev().skip(1) {
            let last = states.last().expect("the state itself is there");
            let near = match way {
                Way::Back => images.pre(last, control)?,
                Way::On => images.post(last, control)?,
            };
            let next = system.one(&system.and(&near, set)?)?;
            states.push(next.expect("members of a derivation have neighbours in the set before"));
        }
        at = derivation.from.as_ref();
    }
    Ok(states)
}

/// A path through sets, each of which is all that the one before leads to: read off from its end.
/// `way` is how the sets were made: [`Way::On`] by `post` from the first to the last.
pub fn through<Y: SetSystem>(
    images: &Images<'_, Y>,
    sets: &[Y::Set],
    end: &Y::Set,
    way: Way,
    control: &Control,
) -> Result<Vec<Y::Set>, Stop> {
    let back = match way {
        Way::On => Way::Back,
        Way::Back => Way::On,
    };
    let derivation = Derivation::along(sets.to_vec(), None);
    follow(images, end, &derivation, back, control)
}
