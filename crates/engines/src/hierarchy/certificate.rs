//! Covers and the reached combinations of blocks in the form that the checker reads.

use std::sync::Arc;

use lapidary_base::Stop;
use lapidary_bdd::Set;
use lapidary_ir::VarId;
use lapidary_system::symbolic::Symbolic;
use lapidary_verdict::{Certificate, Child, Components, Cover as Written, Diagram};

use super::cover::Cover;
use super::local::Local;
use crate::symbolic::diagram;

/// `reached` with its system; nothing where some component has no configuration at all.
pub fn certificate(
    local: &Local<'_>,
    covers: &[Cover],
    reached: Option<(&Symbolic, &Set)>,
) -> Result<Certificate, Stop> {
    let mut written = Vec::new();
    for cover in covers {
        let unit = &local.units[cover.unit];
        let (space, places) = (&local.frame.space, &local.frame.places);
        let blocks = cover.blocks.iter().map(|block| diagram(space, places, &unit.vars, block));
        let blocks = blocks.collect::<Result<Vec<Diagram>, Stop>>()?;
        written.push(Written { component: unit.part.component, is_subtree: unit.part.is_subtree, blocks });
    }
    let reachable = match reached {
        Some((system, set)) => {
            let numbers: Vec<VarId> = (0..covers.len()).map(Components::number).collect();
            diagram(&system.space, &system.places, &numbers, set)?
        }
        None => Diagram { order: Vec::new(), nodes: Vec::new(), root: Child::None },
    };
    Ok(Certificate::Components(Arc::new(Components { covers: written, reachable })))
}
