//! Which nodes are covered: the regions of uncovered nodes, and questions about their union.

use std::collections::BTreeMap;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_system::boxes::{Cuboid, Region, is_covered};

use super::labels::{Labels, RegionId};

/// Which uncovered nodes may cover a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covering {
    /// Those of smaller depth, as in LA[BF].
    Shallower,
    /// Those of the same depth, too. Lemma 1 still holds, as its proof needs no more of a node that covers, and with it
    /// all that follows; but equal nodes of one depth are expanded once only.
    NotDeeper,
    /// All of them.
    Any,
}

pub struct Coverers {
    covering: Covering,
    /// How many uncovered nodes with this region there are in each depth.
    uncovered: BTreeMap<RegionId, BTreeMap<u32, u32>>,
    /// The regions that may cover nodes of a depth, as far as they were collected.
    collected: Option<(u32, Vec<RegionId>)>,
    /// Answers that hold as long as `collected` is what it is.
    answers: Map<RegionId, bool>,
}

impl Coverers {
    pub fn new(covering: Covering) -> Self {
        Self { covering, uncovered: BTreeMap::new(), collected: None, answers: Map::default() }
    }

    pub fn add(&mut self, region: RegionId, depth: u32) {
        let depths = self.uncovered.entry(region).or_default();
        let is_new = depths.is_empty();
        *depths.entry(depth).or_default() += 1;
        let Some((limit, collected)) = &mut self.collected else { return };
        match self.covering {
            Covering::Any if is_new => collected.push(region),
            Covering::Shallower if depth < *limit => self.forget(),
            Covering::NotDeeper if depth < *limit => self.forget(),
            Covering::NotDeeper if depth == *limit && is_new => collected.push(region),
            Covering::Any | Covering::Shallower | Covering::NotDeeper => {}
        }
    }

    pub fn remove(&mut self, region: RegionId, depth: u32) {
        let depths = self.uncovered.get_mut(&region).expect("uncovered nodes are counted");
        let n = depths.get_mut(&depth).expect("uncovered nodes are counted in their depth");
        *n -= 1;
        if *n == 0 {
            depths.remove(&depth);
        }
        if depths.is_empty() {
            self.uncovered.remove(&region);
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.collected = None;
        self.answers.clear();
    }

    /// Is the region of a node of this depth within the union of the regions that may cover it?
    pub fn covers(&mut self, region: RegionId, depth: u32, labels: &Labels, control: &Control) -> Result<bool, Stop> {
        if self.covering != Covering::Any && self.collected.as_ref().is_some_and(|&(limit, _)| limit != depth) {
            self.forget();
        }
        if let Some(&known) = self.answers.get(&region) {
            return Ok(known);
        }
        let may_cover = |depths: &BTreeMap<u32, u32>| match self.covering {
            Covering::Any => true,
            Covering::Shallower => depths.first_key_value().is_some_and(|(&first, _)| first < depth),
            Covering::NotDeeper => depths.first_key_value().is_some_and(|(&first, _)| first <= depth),
        };
        let answer = if self.uncovered.get(&region).is_some_and(may_cover) {
            true
        } else {
            let uncovered = &self.uncovered;
            let collect =
                || uncovered.iter().filter(|(_, depths)| may_cover(depths)).map(|(&region, _)| region).collect();
            let (_, collected) = self.collected.get_or_insert_with(|| (depth, collect()));
            let others: Vec<&Cuboid> = collected.iter().flat_map(|&other| labels.regions[other].cuboids()).collect();
            within(&labels.regions[region], &others, control)?
        };
        // Where nodes of the same depth may cover, what is not covered now may be covered by the next one.
        if answer || self.covering == Covering::Shallower {
            self.answers.insert(region, answer);
        }
        Ok(answer)
    }

    /// The formula Reach: all regions of uncovered nodes.
    pub fn reach(&self, labels: &Labels, control: &Control) -> Result<Region, Stop> {
        let regions = self.uncovered.keys().flat_map(|&region| labels.regions[region].cuboids());
        Region::within(regions.cloned().collect(), control)
    }
}

fn within(region: &Region, others: &[&Cuboid], control: &Control) -> Result<bool, Stop> {
    for cuboid in region.cuboids() {
        if !is_covered(cuboid, others, control)? {
            return Ok(false);
        }
    }
    Ok(true)
}
