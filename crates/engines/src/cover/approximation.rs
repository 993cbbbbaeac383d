//! Certified approximations (Chucri 2012, sections 4.1 to 4.3): blocks of a cover, the transitions that they induce,
//! and which blocks are certified.

use std::collections::BTreeSet;
use std::rc::Rc;

use lapidary_base::{Control, Shared, Stop, id};
use lapidary_system::SetSystem;

use super::derivation::Derivation;
use super::image::Images;

id! {
    /// A block; numbers are not used again.
    pub struct BlockId(u32);
}

/// An abstract state: a set of concrete ones, never empty.
pub struct Block<S> {
    pub set: S,
    /// It has an initial state.
    pub is_initial: bool,
    /// It has a state of the target.
    pub is_final: bool,
    /// Ascending, like `preds`.
    pub succs: Vec<BlockId>,
    pub preds: Vec<BlockId>,
    /// Why all its states can be reached, if that is known.
    pub reached: Option<Rc<Derivation<S>>>,
    /// Why all its states can reach the target, if that is known.
    pub reaches: Option<Rc<Derivation<S>>>,
    /// What one step leads to, once computed.
    pub post: Option<S>,
    pub pre: Option<S>,
    /// Still part of the approximation. What reduction dropped stays only where the unpruned graph is kept beside.
    pub is_kernel: bool,
}

impl<S> Block<S> {
    pub fn is_certified(&self) -> bool {
        self.reached.is_some() || self.reaches.is_some()
    }

    /// A kernel path may begin here.
    pub fn is_start(&self) -> bool {
        self.is_initial || self.reached.is_some()
    }

    /// A kernel path may end here.
    pub fn is_end(&self) -> bool {
        self.is_final || self.reaches.is_some()
    }
}

/// A part of a block that is split, and what is known of it.
pub struct Part<S> {
    pub set: S,
    pub reached: Option<Rc<Derivation<S>>>,
    pub reaches: Option<Rc<Derivation<S>>>,
    pub post: Option<S>,
    pub pre: Option<S>,
}

impl<S> Part<S> {
    pub fn plain(set: S) -> Self {
        Self { set, reached: None, reaches: None, post: None, pre: None }
    }
}

/// The triple of blocks, those certified as reachable, and those certified as co-reachable.
pub struct Approximation<'s, Y: SetSystem> {
    pub images: Images<'s, Y>,
    pub target: Y::Set,
    pub blocks: Vec<Option<Block<Y::Set>>>,
    /// The numbers of the blocks that are there, ascending.
    alive: Vec<BlockId>,
    n_joined: usize,
    /// Transitions are found by `pre` where neither image is known.
    pub is_backward: bool,
    /// Keeps what reduction drops, and transitions that no kernel path takes.
    pub keeps_unpruned: bool,
    /// The union of all blocks that were dropped although they are abstractly reachable: the certificate in the end.
    pub given_up: Y::Set,
    /// How many pairs of blocks were tested for a transition after a split.
    pub n_tested: u64,
    pub n_pruned: u64,
}

impl<'s, Y: SetSystem> Approximation<'s, Y> {
    /// The cover's blocks without their transitions, which [`Self::connect`] adds.
    pub fn new(system: impl Into<Shared<'s, Y>>, cover: Vec<Y::Set>, target: Y::Set) -> Result<Self, Stop> {
        let system = system.into();
        let mut approximation = Self {
            images: Images::new(system.clone()),
            target,
            blocks: Vec::new(),
            alive: Vec::new(),
            n_joined: 0,
            is_backward: false,
            keeps_unpruned: false,
            given_up: system.none(),
            n_tested: 0,
            n_pruned: 0,
        };
        for set in cover.into_iter().filter(|set| !system.is_none(set)) {
            approximation.add(Part::plain(set))?;
        }
        Ok(approximation)
    }

    pub fn system(&self) -> Shared<'s, Y> {
        self.images.system.clone()
    }

    pub fn block(&self, id: BlockId) -> &Block<Y::Set> {
        self.blocks[id.0 as usize].as_ref().expect("only blocks that are there are named")
    }

    pub fn block_mut(&mut self, id: BlockId) -> &mut Block<Y::Set> {
        self.blocks[id.0 as usize].as_mut().expect("only blocks that are there are named")
    }

    /// All blocks, also those that were pruned but kept beside.
    pub fn kept(&self) -> impl Iterator<Item = (BlockId, &Block<Y::Set>)> {
        self.alive.iter().map(|&id| (id, self.block(id)))
    }

    /// The blocks of the approximation.
    pub fn kernel(&self) -> impl Iterator<Item = (BlockId, &Block<Y::Set>)> {
        self.kept().filter(|(_, block)| block.is_kernel)
    }

    /// How many transitions there are between blocks of the approximation.
    pub fn n_transitions(&self) -> usize {
        if !self.keeps_unpruned {
            return self.n_joined;
        }
        let inside = |id: &&BlockId| self.block(**id).is_kernel;
        self.kernel().map(|(_, block)| block.succs.iter().filter(inside).count()).sum()
    }

    fn add(&mut self, part: Part<Y::Set>) -> Result<BlockId, Stop> {
        let system = self.system();
        let Part { set, reached, reaches, post, pre } = part;
        debug_assert!(!system.is_none(&set), "blocks are never empty");
        let block = Block {
            is_initial: system.intersects(&set, &system.initial())?,
            is_final: system.intersects(&set, &self.target)?,
            succs: Vec::new(),
            preds: Vec::new(),
            reached,
            reaches,
            post,
            pre,
            is_kernel: true,
            set,
        };
        let id = BlockId(u32::try_from(self.blocks.len()).expect("there are fewer than 2^32 blocks"));
        self.blocks.push(Some(block));
        self.alive.push(id);
        Ok(id)
    }

    /// What one step from a block leads to.
    pub fn post(&mut self, id: BlockId, control: &Control) -> Result<Y::Set, Stop> {
        if let Some(post) = &self.block(id).post {
            return Ok(post.clone());
        }
        let post = self.images.post(&self.block(id).set, control)?;
        self.block_mut(id).post = Some(post.clone());
        Ok(post)
    }

    pub fn pre(&mut self, id: BlockId, control: &Control) -> Result<Y::Set, Stop> {
        if let Some(pre) = &self.block(id).pre {
            return Ok(pre.clone());
        }
        let pre = self.images.pre(&self.block(id).set, control)?;
        self.block_mut(id).pre = Some(pre.clone());
        Ok(pre)
    }

    /// Finds the transitions of the initial cover, as far as kernel paths may go: from the blocks where they begin.
    pub fn connect(&mut self, control: &Control) -> Result<(), Stop> {
        let index = Index::new(self)?;
        let mut open: Vec<BlockId> = self.kernel().filter(|(_, block)| block.is_start()).map(|(id, _)| id).collect();
        let mut seen: BTreeSet<BlockId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            if self.block(id).reaches.is_some() && !self.keeps_unpruned {
                continue;
            }
            let post = self.post(id, control)?;
            for next in index.meeting(self, &post)? {
                if self.block(next).reached.is_some() && !self.keeps_unpruned {
                    continue;
                }
                self.join(id, next);
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        Ok(())
    }

    /// Finds all transitions between all blocks, whether kernel paths go there or not.
    pub fn connect_everything(&mut self, control: &Control) -> Result<(), Stop> {
        let index = Index::new(self)?;
        let ids: Vec<BlockId> = self.kept().map(|(id, _)| id).collect();
        for id in ids {
            let post = self.post(id, control)?;
            for next in index.meeting(self, &post)? {
                self.join(id, next);
            }
        }
        Ok(())
    }

    fn join(&mut self, from: BlockId, to: BlockId) {
        self.n_joined += usize::from(insert(&mut self.block_mut(from).succs, to));
        insert(&mut self.block_mut(to).preds, from);
    }

    /// Takes a block out, with its transitions.
    pub fn remove(&mut self, id: BlockId) -> Block<Y::Set> {
        let block = self.blocks[id.0 as usize].take().expect("only blocks that are there are removed");
        self.alive.retain(|&other| other != id);
        self.n_joined -= block.succs.len();
        for &next in block.succs.iter().filter(|&&next| next != id) {
            remove(&mut self.block_mut(next).preds, id);
        }
        for &before in block.preds.iter().filter(|&&before| before != id) {
            remove(&mut self.block_mut(before).succs, id);
            self.n_joined -= 1;
        }
        block
    }

    /// Refinement (lines 15 to 19) with the transitions redistributed locally (Figure 6.3). `inherits` is lines 15
    /// and 16: what is certified of a block is certified of its parts.
    pub fn split(
        &mut self,
        id: BlockId,
        mut parts: Vec<Part<Y::Set>>,
        inherits: bool,
        control: &Control,
    ) -> Result<Vec<BlockId>, Stop> {
        debug_assert!(parts.iter().all(|part| part.set != self.block(id).set), "a split is strictly finer");
        let old = self.remove(id);
        let is_loop = old.succs.contains(&id);
        let mut ids = Vec::new();
        for part in &mut parts {
            if inherits && old.reached.is_some() {
                part.reached.clone_from(&old.reached);
            }
            if inherits && old.reaches.is_some() {
                part.reaches.clone_from(&old.reaches);
            }
        }
        for part in parts {
            let id = self.add(part)?;
            self.block_mut(id).is_kernel = old.is_kernel;
            ids.push(id);
        }
        for &part in &ids {
            for &before in old.preds.iter().filter(|&&before| before != id) {
                self.test(before, part, control)?;
            }
            for &next in old.succs.iter().filter(|&&next| next != id) {
                self.test(part, next, control)?;
            }
            if is_loop {
                for &other in &ids {
                    self.test(part, other, control)?;
                }
            }
        }
        Ok(ids)
    }

    /// Adds the transition from one block to another if there is one. What no kernel path takes is not even looked at:
    /// transitions out of what reaches the target, and into what is reached.
    fn test(&mut self, from: BlockId, to: BlockId, control: &Control) -> Result<(), Stop> {
        let is_useless = self.block(from).reaches.is_some() || self.block(to).reached.is_some();
        if is_useless && !self.keeps_unpruned {
            return Ok(());
        }
        let counts = !is_useless && self.block(from).is_kernel && self.block(to).is_kernel;
        self.n_tested += u64::from(counts);
        let by_pre = match (&self.block(from).post, &self.block(to).pre) {
            (Some(_), _) => false,
            (None, Some(_)) => true,
            (None, None) => self.is_backward,
        };
        let is_step = if by_pre {
            let pre = self.pre(to, control)?;
            self.system().intersects(&pre, &self.block(from).set)?
        } else {
            let post = self.post(from, control)?;
            self.system().intersects(&post, &self.block(to).set)?
        };
        if is_step {
            self.join(from, to);
        }
        Ok(())
    }
}

/// Into an ascending list; false if it was there.
fn insert(list: &mut Vec<BlockId>, id: BlockId) -> bool {
    match list.binary_search(&id) {
        Ok(_) => false,
        Err(place) => {
            list.insert(place, id);
            true
        }
    }
}

fn remove(list: &mut Vec<BlockId>, id: BlockId) {
    if let Ok(place) = list.binary_search(&id) {
        list.remove(place);
    }
}

/// A tree of unions of blocks: which blocks does a set meet?
struct Index<S> {
    /// The root is the first; a node's children are at `2n + 1` and `2n + 2`.
    unions: Vec<S>,
    leaves: Vec<BlockId>,
    /// The first leaf's place.
    first: usize,
}

impl<S: Clone + Eq> Index<S> {
    fn new<Y: SetSystem<Set = S>>(of: &Approximation<'_, Y>) -> Result<Self, Stop> {
        let system = of.system();
        let leaves: Vec<BlockId> = of.kept().map(|(id, _)| id).collect();
        let width = leaves.len().next_power_of_two();
        let first = width - 1;
        let mut unions = vec![system.none(); first + width];
        for (place, &id) in leaves.iter().enumerate() {
            unions[first + place] = of.block(id).set.clone();
        }
        for place in (0..first).rev() {
            unions[place] = system.or(&unions[2 * place + 1], &unions[2 * place + 2])?;
        }
        Ok(Self { unions, leaves, first })
    }

    fn meeting<Y: SetSystem<Set = S>>(&self, of: &Approximation<'_, Y>, set: &S) -> Result<Vec<BlockId>, Stop> {
        let system = of.system();
        let (mut found, mut open) = (Vec::new(), vec![0]);
        while let Some(place) = open.pop() {
            if !system.intersects(&self.unions[place], set)? {
                continue;
            }
            match place.checked_sub(self.first) {
                Some(leaf) => found.push(self.leaves[leaf]),
                None => open.extend([2 * place + 2, 2 * place + 1]),
            }
        }
        Ok(found)
    }
}
