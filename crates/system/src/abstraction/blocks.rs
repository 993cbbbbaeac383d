//! The predicate abstraction itself (Chucri 2012, section 5.4.2): `A_P`, `I_P` and `T_P` as sets over valuations of
//! the predicates. A block is the set of configurations that satisfy exactly the predicates of one valuation.

use lapidary_base::{Control, IdVec, Stop};
use lapidary_bdd::{Column, Set, Space};
use lapidary_ir::tree::{EPSILON, EventId};

use super::Predicate;
use super::local::{Bit, Local};

pub(super) struct Blocks {
    pub bits: Vec<Bit>,
    /// `A_P`, over the columns of now: the valuations whose block is not empty.
    pub possible: Set,
    /// `I_P`, over now.
    pub initial: Set,
    /// `T_P` for every event, over now and next. Priorities that are not `kept` are applied.
    pub steps: IdVec<EventId, Set>,
    /// Over now and next: what epsilon connects, directly or by way of other blocks.
    pub settled: Set,
    /// For every predicate, whether epsilon never changes it.
    pub steady: Vec<bool>,
    /// The priorities over which all configurations of a block agree: they can be judged on the blocks.
    pub kept: Vec<(EventId, EventId)>,
}

impl Blocks {
    pub fn new(local: &mut Local, predicates: &[Predicate], control: &Control) -> Result<Self, Stop> {
        let bits = local.bits(predicates.len())?;
        let projection = Projecting::new(local, &bits, predicates)?;
        let space = &local.space;
        let possible = projection.now(&local.configurations)?;
        let initial = projection.now(&local.initial)?;
        let kept = projection.kept(local)?;
        let mut steps = IdVec::new();
        for event in local.steps.ids() {
            control.check()?;
            let mut relation = local.steps[event].clone();
            for &(_, high) in local.priorities.iter().filter(|pair| pair.0 == event && !kept.contains(pair)) {
                relation = space.minus(&relation, &local.enabled(high)?)?;
            }
            steps.push(projection.step(&relation)?);
        }
        let settled = closure(space, &bits, &steps[EPSILON], control)?;
        let mut steady = Vec::new();
        for bit in &bits {
            steady.push(space.is_subset(&steps[EPSILON], &space.equal(bit.now, bit.next)?)?);
        }
        Ok(Self { bits, possible, initial, steps, settled, steady, kept })
    }

    pub fn now(&self) -> Vec<Column> {
        self.bits.iter().map(|bit| bit.now).collect()
    }

    pub fn next(&self) -> Vec<Column> {
        self.bits.iter().map(|bit| bit.next).collect()
    }

    /// Where one step of an event may end once epsilon moved on.
    pub fn then_settled(&self, space: &Space, relation: &Set) -> Result<Set, Stop> {
        compose(space, &self.bits, relation, &self.settled)
    }

    /// A set over now, and what epsilon makes of it.
    pub fn settle(&self, space: &Space, set: &Set) -> Result<Set, Stop> {
        let pairs: Vec<(Column, Column)> = self.bits.iter().map(|bit| (bit.next, bit.now)).collect();
        space.image(set, &self.settled, &space.projection(&self.now(), &pairs))
    }

    /// Where the priorities that the node keeps cut an event: there its guards need not hold.
    pub fn cut(&self, space: &Space, event: EventId) -> Result<Set, Stop> {
        let mut cut = space.none();
        for &(_, high) in self.kept.iter().filter(|(low, _)| *low == event) {
            cut = space.or(&cut, &self.enabled(space, high)?)?;
        }
        Ok(cut)
    }

    /// The valuations from which the event can be fired.
    pub fn enabled(&self, space: &Space, event: EventId) -> Result<Set, Stop> {
        space.exists(&self.steps[event], &space.cube(&self.next())?)
    }
}

/// First one relation, then the other; both over now and next.
fn compose(space: &Space, bits: &[Bit], first: &Set, then: &Set) -> Result<Set, Stop> {
    let pairs = |from: fn(&Bit) -> Column| bits.iter().map(|bit| (from(bit), bit.between)).collect::<Vec<_>>();
    let first = space.rename(first, &space.renaming(&pairs(|bit| bit.next)))?;
    let then = space.rename(then, &space.renaming(&pairs(|bit| bit.now)))?;
    let between: Vec<Column> = bits.iter().map(|bit| bit.between).collect();
    space.and_exists(&first, &then, &space.cube(&between)?)
}

/// The transitive closure of a reflexive relation.
fn closure(space: &Space, bits: &[Bit], relation: &Set, control: &Control) -> Result<Set, Stop> {
    let mut all = relation.clone();
    loop {
        control.check()?;
        let longer = compose(space, bits, &all, &all)?;
        if longer == all {
            return Ok(all);
        }
        all = longer;
    }
}

/// Existential projection on the predicates.
struct Projecting<'a> {
    space: &'a Space,
    /// `alpha`, of the current and of the next copy: the valuation is that of the configuration.
    alpha: [Set; 2],
    columns: [Vec<Column>; 2],
}

impl<'a> Projecting<'a> {
    fn new(local: &'a Local, bits: &[Bit], predicates: &[Predicate]) -> Result<Self, Stop> {
        let space = &local.space;
        let columns = [local.columns(0), local.columns(1)];
        let ahead: Vec<(Column, Column)> = columns[0].iter().copied().zip(columns[1].iter().copied()).collect();
        let ahead = space.renaming(&ahead);
        let mut alpha = [local.configurations.clone(), space.rename(&local.configurations, &ahead)?];
        for (bit, predicate) in bits.iter().zip(predicates) {
            let now = space.iff(&space.value(bit.now, 1)?, &predicate.set)?;
            let next = space.iff(&space.value(bit.next, 1)?, &space.rename(&predicate.set, &ahead)?)?;
            alpha = [space.and(&alpha[0], &now)?, space.and(&alpha[1], &next)?];
        }
        Ok(Self { space, alpha, columns })
    }

    fn now(&self, set: &Set) -> Result<Set, Stop> {
        self.space.and_exists(set, &self.alpha[0], &self.space.cube(&self.columns[0])?)
    }

    fn step(&self, relation: &Set) -> Result<Set, Stop> {
        let from = self.now(relation)?;
        self.space.and_exists(&from, &self.alpha[1], &self.space.cube(&self.columns[1])?)
    }

    /// A priority can be left to the blocks if no block has both configurations that can fire the higher event and
    /// configurations that cannot: otherwise the block would cut what some of its configurations may do.
    fn kept(&self, local: &Local) -> Result<Vec<(EventId, EventId)>, Stop> {
        let mut kept = Vec::new();
        for &(low, high) in &local.priorities {
            let able = local.enabled(high)?;
            let others = self.space.minus(&local.configurations, &able)?;
            if !self.space.intersects(&self.now(&able)?, &self.now(&others)?)? {
                kept.push((low, high));
            }
        }
        Ok(kept)
    }
}
