//! Engine `lazy`: lazy abstraction of nets (Dimitrova, Podelski: Is lazy abstraction a decision procedure for broadcast
//! protocols?, VMCAI 2008).
//!
//! [`search`] is the paper's procedure LA[BF], and LA[*] with other orders; [`answer`] makes runs and invariants of what
//! it returns. Regions are unions of boxes, predicates are atoms `place >= k`, so every operator of the paper is exact:
//! breadth-first it is a decision procedure for coverability in well-structured nets.

mod answer;
mod choose;
mod cover;
mod entry;
mod errors;
mod labels;
mod search;
mod tree;

use lapidary_base::Control;
use lapidary_ir::passes::cubes;
use lapidary_ir::{Declarations, Net};
use lapidary_system::boxes::{Cuboid, Region};

pub use self::choose::{Choose, InOrder, Open, Order};
pub use self::cover::Covering;
pub use self::entry::LAZY;
pub use self::search::{Ended, Limits, Refinement, Search};
pub use self::tree::{Mark, NodeId, Tree};
use crate::goal::of_each;
use crate::{Engine, Prepared, Refused, Target, Task, Unsupported, ready};

#[derive(Clone, Debug, Default)]
pub struct Config {
    pub order: Order,
    /// Which nodes may cover others; if it is not said, shallower ones breadth-first and all in other orders.
    pub covering: Option<Covering>,
    pub most_refinements: Option<u64>,
    /// For portfolios: give up after so many nodes.
    pub most_nodes: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct LazyEngine {
    pub config: Config,
}

impl Engine for LazyEngine {
    fn name(&self) -> &'static str {
        LAZY.name
    }

    fn prepare<'t>(&'t self, task: &'t Task<'t>, control: &Control) -> Result<Box<dyn Prepared + 't>, Refused> {
        let net = the_net(task)?;
        let declared = task.subject.declared();
        let errors = of_each(task.goals, control, |target| region(declared, net, target, control))?;
        Ok(ready(move |control, tell| {
            for (target, error) in errors.into_iter().enumerate() {
                task.announce(target, self.name(), control);
                tell(vec![(target, answer::answer(declared, net, error, &self.config, control))]);
            }
        }))
    }
}

fn the_net<'a>(task: &Task<'a>) -> Result<&'a Net, Unsupported> {
    task.subject
        .net()
        .ok_or_else(|| Unsupported { what: "it is for nets, and this model is none".to_owned(), span: None })
}

/// The markings of a target.
fn region(model: &Declarations, net: &Net, target: Target, control: &Control) -> Result<Region, Refused> {
    let unsupported = |what: String| Unsupported { what, span: None };
    let formula = match target {
        Target::States(formula) => formula,
        Target::Deadlocks => return Err(unsupported("it does not look for deadlocks".to_owned()).into()),
    };
    let cubes = cubes(&model.exprs, formula).map_err(|why| unsupported(format!("the target: {why}")))?;
    let cuboids = cubes.iter().map(|cube| Cuboid::of_cube(net.places.len(), cube)).collect::<Option<Vec<_>>>();
    let cuboids = cuboids.ok_or_else(|| unsupported("the target speaks of what is no place".to_owned()))?;
    Ok(Region::within(cuboids, control)?)
}
