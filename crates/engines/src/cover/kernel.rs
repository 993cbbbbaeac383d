//! What certified pairs are good for (Chucri 2012, sections 4.2 and 4.3.1): closure under must transitions, the
//! condition W, kernel paths and the reduction to kernel states.

use std::collections::VecDeque;

use lapidary_base::{Control, Stop};
use lapidary_system::SetSystem;

use super::approximation::{Approximation, Block, BlockId};
use super::derivation::Derivation;

/// Why a certified approximation has a run (Proposition 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// A block with an initial state reaches the target with all its states.
    Initial(BlockId),
    /// A block with a state of the target is reached with all its states.
    Final(BlockId),
    /// A block is certified on both sides.
    Both(BlockId),
    /// A transition leads from what is reached to what reaches the target.
    Step(BlockId, BlockId),
}

/// How the graph of blocks is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchAlgorithm {
    #[default]
    Bfs,
    Dfs,
}

impl<Y: SetSystem> Approximation<'_, Y> {
    /// Certifies the blocks that lie within the initial states or within the target.
    pub fn certify_initially(&mut self, ids: &[BlockId]) -> Result<(), Stop> {
        let system = self.system();
        for &id in ids {
            let set = self.block(id).set.clone();
            if self.block(id).reached.is_none() && system.is_subset(&set, &system.initial())? {
                self.block_mut(id).reached = Some(Derivation::given(set.clone()));
            }
            if self.block(id).reaches.is_none() && system.is_subset(&set, &self.target)? {
                self.block_mut(id).reaches = Some(Derivation::given(set));
            }
        }
        Ok(())
    }

    /// Definition 4.6.
    pub fn close(&mut self, control: &Control) -> Result<(), Stop> {
        let ids: Vec<BlockId> = self.kernel().map(|(id, _)| id).collect();
        self.certify_initially(&ids)?;
        self.close_reached(control)?;
        self.close_reaching(control)
    }

    fn close_reached(&mut self, control: &Control) -> Result<(), Stop> {
        let mut open: Vec<BlockId> =
            self.kernel().filter(|(_, block)| block.reached.is_some()).map(|(id, _)| id).collect();
        while let Some(id) = open.pop() {
            for next in self.kernel_neighbours(&self.block(id).succs) {
                if self.block(next).reached.is_none() && self.must_reached(id, next, control)? {
                    let sets = vec![self.block(id).set.clone(), self.block(next).set.clone()];
                    let from = self.block(id).reached.clone();
                    self.block_mut(next).reached = Some(Derivation::along(sets, from));
                    open.push(next);
                }
            }
        }
        Ok(())
    }

    fn close_reaching(&mut self, control: &Control) -> Result<(), Stop> {
        let mut open: Vec<BlockId> =
            self.kernel().filter(|(_, block)| block.reaches.is_some()).map(|(id, _)| id).collect();
        while let Some(id) = open.pop() {
            for before in self.kernel_neighbours(&self.block(id).preds) {
                if self.block(before).reaches.is_none() && self.must_reach(before, id, control)? {
                    let sets = vec![self.block(id).set.clone(), self.block(before).set.clone()];
                    let from = self.block(id).reaches.clone();
                    self.block_mut(before).reaches = Some(Derivation::along(sets, from));
                    open.push(before);
                }
            }
        }
        Ok(())
    }

    fn kernel_neighbours(&self, ids: &[BlockId]) -> Vec<BlockId> {
        ids.iter().copied().filter(|&id| self.block(id).is_kernel).collect()
    }

    /// Is every state of `to` a successor of some state of `from`?
    pub fn must_reached(&mut self, from: BlockId, to: BlockId, control: &Control) -> Result<bool, Stop> {
        let post = self.post(from, control)?;
        self.system().is_subset(&self.block(to).set, &post)
    }

    /// Is every state of `from` a predecessor of some state of `to`?
    pub fn must_reach(&mut self, from: BlockId, to: BlockId, control: &Control) -> Result<bool, Stop> {
        let pre = self.pre(to, control)?;
        self.system().is_subset(&self.block(from).set, &pre)
    }

    /// The condition W of Proposition 4.2.
    pub fn witness(&self) -> Option<Witness> {
        for (id, block) in self.kernel() {
            if block.is_initial && block.reaches.is_some() {
                return Some(Witness::Initial(id));
            }
            if block.is_final && block.reached.is_some() {
                return Some(Witness::Final(id));
            }
            if block.reached.is_some() && block.reaches.is_some() {
                return Some(Witness::Both(id));
            }
            if block.reached.is_some() {
                let reaches = |next: &&BlockId| self.block(**next).is_kernel && self.block(**next).reaches.is_some();
                if let Some(&next) = block.succs.iter().find(reaches) {
                    return Some(Witness::Step(id, next));
                }
            }
        }
        None
    }

    /// Definition 4.5: drops all that is on no kernel path.
    pub fn reduce(&mut self, control: &Control) -> Result<(), Stop> {
        let is_in = |block: &Block<Y::Set>| block.is_kernel;
        let (a, b) = (self.ahead(true, is_in), self.behind(true, is_in));
        let ids: Vec<BlockId> = self.kernel().map(|(id, _)| id).collect();
        for id in ids.into_iter().filter(|id| !(a.contains(*id) && b.contains(*id))) {
            control.check()?;
            if a.contains(id) {
                self.given_up = self.system().or(&self.given_up, &self.block(id).set)?;
            }
            self.n_pruned += 1;
            match self.keeps_unpruned {
                true => self.block_mut(id).is_kernel = false,
                false => drop(self.remove(id)),
            }
        }
        if self.keeps_unpruned {
            self.reduce_beside(control)?;
        }
        Ok(())
    }

    /// The classical reduction of the unpruned graph: what is not reachable or not co-reachable in it.
    fn reduce_beside(&mut self, control: &Control) -> Result<(), Stop> {
        let (a, b) = (self.ahead(false, |_| true), self.behind(false, |_| true));
        let ids: Vec<BlockId> = self.kept().map(|(id, _)| id).collect();
        for id in ids.into_iter().filter(|id| !(a.contains(*id) && b.contains(*id))) {
            control.check()?;
            debug_assert!(!self.block(id).is_kernel, "kernel states are on abstract runs");
            self.remove(id);
        }
        Ok(())
    }

    /// A: the blocks that can be reached from where kernel paths begin, without going through what reaches the target.
    /// Without `certified`, certification does not count.
    fn ahead(&self, certified: bool, is_in: impl Fn(&Block<Y::Set>) -> bool) -> Marks {
        let starts = |block: &Block<Y::Set>| if certified { block.is_start() } else { block.is_initial };
        let stops = |block: &Block<Y::Set>| certified && block.reaches.is_some();
        self.flood(is_in, starts, stops, |block| &block.succs)
    }

    /// B: the blocks that can reach where kernel paths end, without passing through what is reached.
    fn behind(&self, certified: bool, is_in: impl Fn(&Block<Y::Set>) -> bool) -> Marks {
        let ends = |block: &Block<Y::Set>| if certified { block.is_end() } else { block.is_final };
        let stops = |block: &Block<Y::Set>| certified && block.reached.is_some();
        self.flood(is_in, ends, stops, |block| &block.preds)
    }

    /// What neighbours lead to from the blocks where it begins, going on from no block that stops it.
    fn flood(
        &self,
        is_in: impl Fn(&Block<Y::Set>) -> bool,
        begins: impl Fn(&Block<Y::Set>) -> bool,
        stops: impl Fn(&Block<Y::Set>) -> bool,
        neighbours: impl Fn(&Block<Y::Set>) -> &[BlockId],
    ) -> Marks {
        let first = self.kept().filter(|(_, block)| is_in(block) && begins(block));
        let mut open: Vec<BlockId> = first.map(|(id, _)| id).collect();
        let mut found = Marks::new(self.blocks.len(), &open);
        while let Some(id) = open.pop() {
            let block = self.block(id);
            if stops(block) {
                continue;
            }
            for &next in neighbours(block).iter().filter(|&&next| is_in(self.block(next))) {
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    /// A kernel path (Definition 4.3); breadth-first it is a shortest one.
    pub fn kernel_path(&self, how: SearchAlgorithm) -> Option<Vec<BlockId>> {
        let starts = self.kernel().filter(|(_, block)| block.is_start()).map(|(id, _)| id);
        let inside = |id: BlockId| self.block(id).is_kernel && !self.block(id).is_certified();
        self.path(how, starts.collect(), |block| block.is_end(), inside, |id| self.block(id).is_kernel)
    }

    /// A run of the unpruned graph, as `cegar` would pick it.
    pub fn run_beside(&self, how: SearchAlgorithm) -> Option<Vec<BlockId>> {
        let starts = self.kept().filter(|(_, block)| block.is_initial).map(|(id, _)| id);
        self.path(how, starts.collect(), |block| block.is_final, |_| true, |_| true)
    }

    /// A path from a start to an end; whatever is between is `inside`, also where depth-first search comes to a start
    /// from another one: what leads on from there begins there.
    fn path(
        &self,
        how: SearchAlgorithm,
        starts: Vec<BlockId>,
        is_end: impl Fn(&Block<Y::Set>) -> bool,
        inside: impl Fn(BlockId) -> bool,
        is_there: impl Fn(BlockId) -> bool,
    ) -> Option<Vec<BlockId>> {
        let mut came: Vec<Option<Option<BlockId>>> = vec![None; self.blocks.len()];
        let is_start = Marks::new(self.blocks.len(), &starts);
        let mut open: VecDeque<(BlockId, Option<BlockId>)> = starts.into_iter().map(|id| (id, None)).collect();
        while let Some((id, before)) = match how {
            SearchAlgorithm::Bfs => open.pop_front(),
            SearchAlgorithm::Dfs => open.pop_back(),
        } {
            if came[id.0 as usize].is_some() {
                continue;
            }
            came[id.0 as usize] = Some(before);
            if is_end(self.block(id)) {
                return Some(back(&came, id));
            }
            if !is_start.contains(id) && !inside(id) {
                continue;
            }
            let begins = |next: BlockId| is_start.contains(next) && !inside(next);
            let fresh = |next: &&BlockId| is_there(**next) && came[next.0 as usize].is_none() && !begins(**next);
            open.extend(self.block(id).succs.iter().filter(fresh).map(|&next| (next, Some(id))));
        }
        None
    }

    /// The factor of a run of the unpruned graph that is a kernel path, if there is one (section 4.4.1).
    pub fn factor(&self, run: &[BlockId]) -> Option<Vec<BlockId>> {
        let is_reached = |id: &BlockId| self.block(*id).is_kernel && self.block(*id).reached.is_some();
        let first = run.iter().rposition(is_reached).unwrap_or(0);
        let reaches = |id: &BlockId| self.block(*id).is_kernel && self.block(*id).reaches.is_some();
        let last = run[first..].iter().position(reaches).map_or(run.len() - 1, |place| first + place);
        let factor = &run[first..=last];
        factor.iter().all(|&id| self.block(id).is_kernel).then(|| factor.to_vec())
    }
}

fn back(came: &[Option<Option<BlockId>>], end: BlockId) -> Vec<BlockId> {
    let mut path = vec![end];
    while let Some(Some(before)) = came[path[path.len() - 1].0 as usize] {
        path.push(before);
    }
    path.reverse();
    path
}

/// A set of blocks.
struct Marks(Vec<bool>);

impl Marks {
    fn new(n: usize, of: &[BlockId]) -> Self {
        let mut marks = Self(vec![false; n]);
        of.iter().for_each(|&id| marks.0[id.0 as usize] = true);
        marks
    }

    fn contains(&self, id: BlockId) -> bool {
        self.0[id.0 as usize]
    }

    /// False if it was there.
    fn insert(&mut self, id: BlockId) -> bool {
        !std::mem::replace(&mut self.0[id.0 as usize], true)
    }
}
