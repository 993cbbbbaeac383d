//! A cover of one component (Chucri 2012, section 5.2.1): blocks that together are all its configurations, and the steps
//! between blocks, which exist where some of their members have them.

use lapidary_base::{Control, Stop};
use lapidary_bdd::{Column, Set, Space};
use lapidary_ir::VarId;
use lapidary_system::symbolic::{Frame, Piece};

use super::local::{IDLE, Local};
use super::tally::Tally;

/// The blocks of a component are disjoint and not empty.
#[derive(Clone)]
pub struct Cover {
    pub unit: usize,
    pub blocks: Vec<Set>,
    /// By label and block: where the members lead.
    images: Vec<Vec<Set>>,
    /// By label and block: the blocks that the image meets, ascending.
    next: Vec<Vec<Vec<usize>>>,
}

/// The coarsest partition of a set that separates what is inside of each of these sets from what is outside.
pub fn separated(space: &Space, whole: &Set, by: &[Set], control: &Control) -> Result<Vec<Set>, Stop> {
    let mut blocks: Vec<Set> = [whole.clone()].into_iter().filter(|set| !space.is_none(set)).collect();
    for set in by {
        control.check()?;
        let mut finer = Vec::new();
        for block in blocks {
            let (inside, outside) = (space.and(&block, set)?, space.minus(&block, set)?);
            finer.extend([inside, outside].into_iter().filter(|part| !space.is_none(part)));
        }
        blocks = finer;
    }
    Ok(blocks)
}

/// The event predicates of a component (section 5.4.3): for every label, where some step bears it.
pub fn event_predicates(local: &Local<'_>, unit: usize) -> Result<Vec<Set>, Stop> {
    let configurations = &local.units[unit].configurations;
    (IDLE + 1..local.units[unit].n_labels()).map(|label| local.pre(unit, label, configurations)).collect()
}

impl Cover {
    pub fn new(
        local: &Local<'_>,
        unit: usize,
        blocks: Vec<Set>,
        tally: &mut Tally,
        control: &Control,
    ) -> Result<Self, Stop> {
        let (n_labels, n_blocks) = (local.units[unit].n_labels(), blocks.len());
        let none = vec![local.frame.space.none(); n_blocks];
        let mut cover =
            Self { unit, blocks, images: vec![none; n_labels], next: vec![vec![Vec::new(); n_blocks]; n_labels] };
        let all: Vec<usize> = (0..n_blocks).collect();
        for label in 0..n_labels {
            for block in 0..n_blocks {
                control.check()?;
                cover.aim(local, label, block, &all, tally)?;
            }
        }
        Ok(cover)
    }

    /// Finds the steps of a block anew, which lead to some of these blocks.
    fn aim(
        &mut self,
        local: &Local<'_>,
        label: usize,
        block: usize,
        at: &[usize],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        let image = local.post(self.unit, label, &self.blocks[block])?;
        let mut met = Vec::new();
        if !local.frame.space.is_none(&image) {
            for &to in at {
                tally.tests += 1;
                if local.frame.space.intersects(&image, &self.blocks[to])? {
                    met.push(to);
                }
            }
        }
        self.images[label][block] = image;
        self.next[label][block] = met;
        Ok(())
    }

    /// Splits a block: what is in the set keeps its number, the rest becomes the last block. Only steps from and to the
    /// block are looked at.
    pub fn split(&mut self, local: &Local<'_>, block: usize, by: &Set, tally: &mut Tally) -> Result<(), Stop> {
        let space = &local.frame.space;
        let (inside, outside) = (space.and(&self.blocks[block], by)?, space.minus(&self.blocks[block], by)?);
        debug_assert!(!space.is_none(&inside) && !space.is_none(&outside), "a refinement is strictly finer");
        let rest = self.blocks.len();
        self.blocks[block] = inside;
        self.blocks.push(outside);
        for label in 0..self.next.len() {
            self.images[label].push(space.none());
            self.next[label].push(Vec::new());
            let mut before = self.next[label][block].clone();
            if before.contains(&block) {
                before.push(rest);
            }
            self.aim(local, label, block, &before, tally)?;
            self.aim(local, label, rest, &before, tally)?;
            for from in (0..rest).filter(|&from| from != block) {
                self.divert(local, label, from, (block, rest), tally)?;
            }
        }
        Ok(())
    }

    /// Sees to which parts of a block that was split the steps of another one lead.
    fn divert(
        &mut self,
        local: &Local<'_>,
        label: usize,
        from: usize,
        (block, rest): (usize, usize),
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        let Some(place) = self.next[label][from].iter().position(|&to| to == block) else { return Ok(()) };
        tally.tests += 2;
        let image = &self.images[label][from];
        let meets = |to: usize| local.frame.space.intersects(image, &self.blocks[to]);
        let (inside, outside) = (meets(block)?, meets(rest)?);
        if !inside {
            self.next[label][from].remove(place);
        }
        if outside {
            self.next[label][from].push(rest);
        }
        Ok(())
    }

    /// The steps between blocks, of all labels.
    pub fn n_steps(&self) -> usize {
        self.next.iter().flatten().map(Vec::len).sum()
    }

    /// The blocks that meet a set.
    pub fn meeting(&self, space: &Space, set: &Set) -> Result<Vec<usize>, Stop> {
        let mut met = Vec::new();
        for (block, members) in self.blocks.iter().enumerate() {
            if space.intersects(members, set)? {
                met.push(block);
            }
        }
        Ok(met)
    }

    /// The steps of a label in the space of an abstract system, where `var` is the number of the block. `None` where
    /// there are none. A label that keeps all blocks does not write the variable.
    pub fn piece(&self, frame: &Frame<'_>, var: VarId, label: usize) -> Result<Option<Piece>, Stop> {
        let (space, next) = (&frame.space, &self.next[label]);
        let column = |copy| frame.places.column(var, copy).expect("numbers of blocks have columns");
        let able: Vec<usize> = (0..next.len()).filter(|&block| !next[block].is_empty()).collect();
        if able.is_empty() {
            return Ok(None);
        }
        if next.iter().enumerate().all(|(block, to)| to.iter().all(|&to| to == block)) {
            let relation = if able.len() == next.len() { space.all() } else { numbers(space, column(0), &able)? };
            return Ok(Some(Piece { written: Vec::new(), relation }));
        }
        let mut steps = Vec::new();
        for &block in &able {
            let from = numbers(space, column(0), &[block])?;
            steps.push(space.and(&from, &numbers(space, column(1), &next[block])?)?);
        }
        Ok(Some(Piece { written: vec![var], relation: space.or_all(&steps)? }))
    }
}

/// Where a column has one of these values.
pub fn numbers(space: &Space, column: Column, values: &[usize]) -> Result<Set, Stop> {
    let sets = values.iter().map(|&value| space.value(column, value as u64));
    space.or_all(&sets.collect::<Result<Vec<Set>, Stop>>()?)
}
