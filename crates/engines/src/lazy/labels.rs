//! The labels of nodes, each kept once: most nodes of a tree share theirs with many others.

use lapidary_base::hash::Map;
use lapidary_base::{IdVec, id};
use lapidary_system::boxes::{Region, Thresholds};

id! {
    pub struct RegionId(u32);
    pub struct PrecisionId(u32);
}

pub struct Labels {
    pub regions: IdVec<RegionId, Region>,
    /// Does the region meet the unsafe markings?
    pub is_error: IdVec<RegionId, bool>,
    pub precisions: IdVec<PrecisionId, Thresholds>,
    region_ids: Map<Region, RegionId>,
    precision_ids: Map<Thresholds, PrecisionId>,
    error: Region,
}

impl Labels {
    pub fn new(error: Region) -> Self {
        Self {
            regions: IdVec::default(),
            is_error: IdVec::default(),
            precisions: IdVec::default(),
            region_ids: Map::default(),
            precision_ids: Map::default(),
            error,
        }
    }

    pub fn region(&mut self, region: Region) -> RegionId {
        if let Some(&id) = self.region_ids.get(&region) {
            return id;
        }
        self.is_error.push(region.meets(&self.error));
        let id = self.regions.push(region.clone());
        self.region_ids.insert(region, id);
        id
    }

    pub fn precision(&mut self, thresholds: Thresholds) -> PrecisionId {
        if let Some(&id) = self.precision_ids.get(&thresholds) {
            return id;
        }
        let id = self.precisions.push(thresholds.clone());
        self.precision_ids.insert(thresholds, id);
        id
    }
}
