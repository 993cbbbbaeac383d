//! Covers as sets: blocks beside the configurations in them, and what components do as seen through their blocks.

use std::collections::BTreeSet;

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::{ComponentId, EventId, EventRef, Tree};
use lapidary_verdict::{Components, Cover};
use oxidd::VarNo;

use super::columns;
use super::compose::{Composer, Known, Local, Moves};
use super::concrete::{Concrete, When};
use super::form::{self, wrong};
use crate::Rejection;
use crate::diagram::encode::Encoder;
use crate::diagram::members;
use crate::diagram::numbers::{self, Number};
use crate::diagram::space::{Set, Space};
use crate::tree::why;
use crate::words;

/// One cover: the pairs of a block's number and a local configuration in the block.
pub struct Covered {
    now: Set,
    then: Set,
    /// The bits of its variables.
    vars_now: Set,
    vars_then: Set,
}

/// What is asked of the blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Neatness {
    /// Nothing: no event is ever blocked because of what this component can do.
    Free,
    /// All configurations of a block can do the same events.
    Events,
    /// And they agree on whether something can happen that is not seen from above.
    Everything,
}

pub struct Covers<'a> {
    pub tree: &'a Tree,
    pub space: &'a Space<'a>,
    pub components: &'a Components,
    pub concrete: Concrete<'a>,
    /// Over the numbers of blocks.
    pub now: Encoder<'a>,
    pub then: Encoder<'a>,
}

impl<'a> Covers<'a> {
    /// The blocks of a cover; all local configurations are in some block.
    pub fn covered(&mut self, number: usize) -> Result<Covered, Rejection> {
        let (space, cover) = (self.space, &self.components.covers[number]);
        let inside = self.inside(cover, When::Now)?;
        let now = space.and(&self.pairs(number, When::Now)?, &inside)?;
        let then = self.inside(cover, When::Then)?;
        let then = space.and(&self.pairs(number, When::Then)?, &then)?;
        let missed =
            space.without(&inside, &space.and_exists(&now, &space.all, &self.number_bits(number, When::Now))?)?;
        if let Some(bits) = space.pick(&missed) {
            let name = why::component(self.tree, cover.component);
            return wrong(format!("the configuration ({}) of {name} is in no block", self.shown(cover, &bits)));
        }
        let cube = |when| {
            let vars = form::vars(self.tree, cover).into_iter();
            space.cube(&vars.flat_map(|var| self.concrete.bits(var, when)).collect::<Vec<_>>())
        };
        Ok(Covered { now, then, vars_now: cube(When::Now)?, vars_then: cube(When::Then)? })
    }

    fn inside(&mut self, cover: &Cover, when: When) -> Result<Set, Rejection> {
        form::inner(self.tree, cover).try_fold(self.space.all.clone(), |inside, component| {
            self.space.and(&inside, &self.concrete.configurations(component, when)?)
        })
    }

    fn pairs(&mut self, number: usize, when: When) -> Result<Set, Rejection> {
        let space = self.space;
        let mut pairs = space.none.clone();
        for (block, diagram) in self.components.covers[number].blocks.iter().enumerate() {
            let members = members::members(self.concrete.at(when), diagram)?;
            let here = space.and(&self.is_block(number, block, when)?, &members)?;
            pairs = space.or(&pairs, &here)?;
        }
        Ok(pairs)
    }

    fn is_block(&mut self, number: usize, block: usize, when: When) -> Result<Set, Rejection> {
        let (found, _) = self.numbers(when).variable_number(Components::number(number))?;
        let block = Number::constant(self.space, Raw::try_from(block).unwrap_or(Raw::MAX))?;
        numbers::equal(self.space, &found, &block)
    }

    fn numbers(&mut self, when: When) -> &mut Encoder<'a> {
        match when {
            When::Now => &mut self.now,
            When::Then => &mut self.then,
        }
    }

    pub fn number_bits(&self, number: usize, when: When) -> Vec<VarNo> {
        let encoder = match when {
            When::Now => &self.now,
            When::Then => &self.then,
        };
        encoder.columns[Components::number(number)].bits.clone()
    }

    /// The combinations of `reachable` in which no block is empty.
    pub fn reachable(&mut self, covered: &[Covered], when: When) -> Result<Set, Rejection> {
        let (space, diagram) = (self.space, &self.components.reachable);
        let mut found = members::members(self.numbers(when), diagram)?;
        for one in covered {
            let (pairs, vars) = match when {
                When::Now => (&one.now, &one.vars_now),
                When::Then => (&one.then, &one.vars_then),
            };
            found = space.and(&found, &space.and_exists_in(pairs, &space.all, vars)?)?;
        }
        Ok(found)
    }

    /// The blocks with a local initial configuration.
    pub fn initial(&mut self, number: usize, covered: &Covered) -> Result<Set, Rejection> {
        let vars = form::vars(self.tree, &self.components.covers[number]);
        let start = self.concrete.initial(|var| vars.contains(&var))?;
        self.space.and_exists_in(&covered.now, &start, &covered.vars_now)
    }

    /// The blocks, beside numbers of others, that have a configuration in the set.
    pub fn through(&self, covered: &Covered, set: &Set) -> Result<Set, Rejection> {
        self.space.and_exists_in(set, &covered.now, &covered.vars_now)
    }

    /// The part of a set that lies within the blocks whose numbers it has.
    pub fn within(&self, covered: &Covered, set: &Set) -> Result<Set, Rejection> {
        self.space.and(set, &covered.now)
    }

    /// What the cover's component does, from block to block; its blocks are as neat as is asked.
    pub fn local(&mut self, number: usize, covered: &Covered, neatness: Neatness) -> Result<Local, Rejection> {
        let cover = &self.components.covers[number];
        let component = cover.component;
        let composer = self.concrete.composer();
        match cover.is_subtree {
            false => {
                let relations = self.concrete.relations(component, &self.space.all)?;
                for (event, relation) in relations.enumerated() {
                    let possible = self.space.and_exists_in(relation, &self.space.all, &covered.vars_then)?;
                    self.check_neat(number, covered, neatness, EventRef { component, event }, &possible)?;
                }
                let events = relations.iter().map(|relation| self.between_blocks(covered, relation));
                Ok(Local::Alone(events.collect::<Result<IdVec<EventId, Set>, _>>()?))
            }
            true => {
                let locals = self.concrete.locals(component)?;
                let known = composer.known(composer.steps(component, &locals)?)?;
                self.check_neat_labels(number, covered, neatness, &composer, &known)?;
                let label = |(&top, moves): (&EventRef, &Moves)| {
                    Ok((top, moves.map(|steps| self.between_blocks(covered, steps))?))
                };
                Ok(Local::Whole(known.iter().map(label).collect::<Result<Known, Rejection>>()?))
            }
        }
    }

    fn check_neat_labels(
        &mut self,
        number: usize,
        covered: &Covered,
        neatness: Neatness,
        composer: &Composer<'_>,
        known: &Known,
    ) -> Result<(), Rejection> {
        let component = self.components.covers[number].component;
        for (&top, moves) in known {
            let possible = composer.possible(component, &moves.any(self.space)?)?;
            self.check_neat(number, covered, neatness, top, &possible)?;
            if neatness == Neatness::Everything {
                let possible = composer.possible(component, &moves.busy)?;
                self.check_neat(number, covered, neatness, top, &possible)?;
            }
        }
        Ok(())
    }

    fn check_neat(
        &self,
        number: usize,
        covered: &Covered,
        neatness: Neatness,
        label: EventRef,
        possible: &Set,
    ) -> Result<(), Rejection> {
        if neatness == Neatness::Free {
            return Ok(());
        }
        let (space, cover) = (self.space, &self.components.covers[number]);
        let (can, cannot) = (space.and(&covered.now, possible)?, space.without(&covered.now, possible)?);
        let some = space.and_exists_in(&can, &space.all, &covered.vars_now)?;
        // Blocks beside configurations that cannot, while others of the same block can.
        let Some(bits) = space.pick(&space.and(&cannot, &some)?) else { return Ok(()) };
        let block = self.now.state(&bits)[number];
        let shown = self.shown(cover, &bits);
        let name = why::component(self.tree, cover.component);
        let label = match self.tree.components[label.component].events[label.event].name.is_empty() {
            true => "what it hides".to_owned(),
            false => self.tree.event_name(label),
        };
        wrong(format!("block {block} of {name} is not neat: {label} is possible in a part of it, but not in ({shown})"))
    }

    fn between_blocks(&self, covered: &Covered, steps: &Set) -> Result<Set, Rejection> {
        let from = self.space.and_exists_in(&covered.now, steps, &covered.vars_now)?;
        self.space.and_exists_in(&from, &covered.then, &covered.vars_then)
    }

    /// The composer of blocks.
    pub fn composer(&self) -> Composer<'a> {
        let mut next: IdVec<ComponentId, Vec<VarNo>> = self.tree.components.iter().map(|_| Vec::new()).collect();
        for (number, cover) in self.components.covers.iter().enumerate() {
            next[cover.component] = self.number_bits(number, When::Then);
        }
        Composer { tree: self.tree, space: self.space, next }
    }

    /// How neat each cover has to be. Events are blocked by priorities, and by choices of a vector with more optional
    /// parts; what decides is what the components below can do. Inside of a merged subtree all that is settled.
    pub fn neatness(&self, number: usize, alone: &BTreeSet<ComponentId>) -> Neatness {
        let cover = &self.components.covers[number];
        let mut above =
            std::iter::successors(Some(cover.component), |&component| self.tree.components[component].parent);
        match above.any(|component| alone.contains(&component) && columns::is_blocking(self.tree, component)) {
            true => Neatness::Events,
            false => Neatness::Free,
        }
    }

    fn shown(&self, cover: &Cover, bits: &[bool]) -> String {
        self.concrete.shown(bits, When::Now, form::vars(self.tree, cover).into_iter())
    }

    /// A combination of blocks: `lift=3 door=0`.
    pub fn combination(&self, bits: &[bool], when: When) -> String {
        let encoder = match when {
            When::Now => &self.now,
            When::Then => &self.then,
        };
        words::state(encoder.model, &encoder.state(bits))
    }
}
