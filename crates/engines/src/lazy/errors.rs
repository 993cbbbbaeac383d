//! Error regions `pre(trace, unsafe)`, each computed once: abstract counterexamples end alike.

use lapidary_base::hash::Map;
use lapidary_base::{Control, IdVec, Stop, id};
use lapidary_ir::TransitionId;
use lapidary_system::boxes::{BoxStep, Region};

id! {
    pub struct ErrorId(u32);
}

pub struct ErrorRegion {
    pub region: Region,
    /// How long the trace is.
    pub length: u32,
}

pub struct Errors {
    pub regions: IdVec<ErrorId, ErrorRegion>,
    longer: Map<(ErrorId, TransitionId), ErrorId>,
}

impl Errors {
    /// The error region of the empty trace.
    pub const UNSAFE: ErrorId = ErrorId(0);

    pub fn new(error: Region) -> Self {
        let mut regions = IdVec::default();
        regions.push(ErrorRegion { region: error, length: 0 });
        Self { regions, longer: Map::default() }
    }

    /// The error region of the trace with one more label in front.
    pub fn pre(
        &mut self,
        of: ErrorId,
        transition: TransitionId,
        step: &BoxStep,
        control: &Control,
    ) -> Result<ErrorId, Stop> {
        if let Some(&known) = self.longer.get(&(of, transition)) {
            return Ok(known);
        }
        let ErrorRegion { region, length } = &self.regions[of];
        let (region, length) = (step.pre(region, control)?, length + 1);
        let id = self.regions.push(ErrorRegion { region, length });
        self.longer.insert((of, transition), id);
        Ok(id)
    }

    /// How many preimages were computed.
    pub fn n_computed(&self) -> u64 {
        self.regions.len() as u64 - 1
    }
}
