//! The abstract system: all components with their blocks, composed; and its runs.

use lapidary_base::{Control, Id, IdVec, Stop};
use lapidary_bdd::{Capacity, Column, Set};
use lapidary_ir::{ComponentId, EventId, Exprs, VarId};
use lapidary_system::symbolic::{Copies, Frame, Own, Piece, Symbolic};
use lapidary_verdict::State;

use super::cover::{Cover, numbers};
use super::local::{IDLE, Local};
use super::skeleton::{Role, skeleton};
use super::tally::Tally;
use super::target::Goal;
use crate::Target;
use crate::symbolic::{Chain, Rings, Way};

pub struct Product {
    pub system: Symbolic,
    exprs: Exprs,
    /// What can happen, with labels, and last doing nothing.
    moves: Vec<Piece>,
    /// The column of the label of every component.
    labels: Vec<Column>,
    initial: Set,
}

/// A run of the abstraction.
pub struct AbstractRun {
    /// The number of the block of every component, in every state.
    pub blocks: Vec<Vec<usize>>,
    /// The label of every component, in every step.
    pub labels: Vec<Vec<usize>>,
}

/// What the search of the abstraction ended with.
pub enum Found {
    Run(AbstractRun),
    /// With all combinations of blocks that are reached.
    Nothing(Set),
}

struct Blocks<'a> {
    frame: &'a Frame<'a>,
    covers: &'a [Cover],
    roles: &'a IdVec<ComponentId, Role>,
}

impl Own for Blocks<'_> {
    fn own(&mut self, id: ComponentId, event: EventId) -> Result<Option<Piece>, Stop> {
        match self.roles[id] {
            Role::Interface => Ok(Some(Piece::idle(&self.frame.space))),
            Role::Blocks(unit) => self.covers[unit].piece(self.frame, VarId::new(unit), event.index()),
        }
    }
}

impl Product {
    pub fn new(local: &Local<'_>, covers: &[Cover], capacity: Capacity, control: &Control) -> Result<Self, Stop> {
        let n_blocks: Vec<usize> = covers.iter().map(|cover| cover.blocks.len()).collect();
        let made = skeleton(local, &n_blocks, control)?;
        let frame = Frame::new(&made.tree, Copies { variables: 2, events: 1 }, capacity, control)?;
        let mut own = Blocks { frame: &frame, covers, roles: &made.roles };
        let mut moves = frame.pieces(&mut own, control)?;
        moves.retain(|piece| !frame.space.is_none(&piece.relation));
        let idle = frame.idle(&mut own)?;
        let unlabelled = moves.iter().map(|piece| frame.unlabelled(piece)).collect::<Result<Vec<Piece>, Stop>>()?;
        let still = frame.unlabelled(&idle)?;
        moves.push(idle);
        let mut labels = vec![Column(0); covers.len()];
        for (id, &role) in made.roles.enumerated() {
            if let Role::Blocks(unit) = role {
                labels[unit] = frame.events[id][0];
            }
        }
        let initial = initial(local, covers, &frame)?;
        let system = frame.finish(unlabelled, still)?;
        Ok(Self { system, exprs: made.tree.exprs, moves, labels, initial })
    }

    /// The combinations of blocks that are looked for.
    pub fn target(
        &self,
        local: &Local<'_>,
        covers: &[Cover],
        goal: Option<&Goal>,
        control: &Control,
    ) -> Result<Set, Stop> {
        match goal {
            Some(goal) => goal.of_blocks(local, covers, &self.system, control),
            None => self.system.deadlocks(control),
        }
    }

    /// A shortest run to the target, if there is one.
    pub fn search(&self, target: &Set, tally: &mut Tally, control: &Control) -> Result<Found, Stop> {
        let space = &self.system.space;
        let mut chain = Chain::new(&self.system, &self.initial);
        while !space.intersects(&chain.all, target)? {
            if !chain.pass(control)? {
                tally.nodes = tally.nodes.max(space.node_count(&chain.all)? as u64);
                return Ok(Found::Nothing(chain.all));
            }
        }
        tally.nodes = tally.nodes.max(space.node_count(&chain.all)? as u64);
        let mut rings = Rings::new(&self.system, &self.initial);
        while !space.intersects(rings.last(), target)? {
            assert!(rings.grow(Way::Post, control)?, "rings come to all that the chain came to");
        }
        let states = rings.states_to(&self.exprs, &IdVec::new(), target, rings.depth(), control)?;
        Ok(Found::Run(self.run(&states, control)?))
    }

    fn run(&self, states: &[State], control: &Control) -> Result<AbstractRun, Stop> {
        let mut labels = Vec::new();
        for pair in states.windows(2) {
            control.check()?;
            labels.push(self.labels(&pair[0], &pair[1])?);
        }
        let number = |&value: &i64| usize::try_from(value).expect("blocks have numbers from zero up");
        let blocks = states.iter().map(|state| state.iter().map(number).collect()).collect();
        Ok(AbstractRun { blocks, labels })
    }

    /// The labels of a step between two states, one in which few components do anything.
    fn labels(&self, from: &State, to: &State) -> Result<Vec<usize>, Stop> {
        let Symbolic { space, places, .. } = &self.system;
        let before = self.system.single(from)?;
        let mut found: Vec<Vec<usize>> = Vec::new();
        for piece in &self.moves {
            let keeps = |var: usize| piece.written.binary_search(&VarId::new(var)).is_ok() || from[var] == to[var];
            if !(0..from.len()).all(keeps) {
                continue;
            }
            let mut step = space.and(&piece.relation, &before)?;
            for &var in &piece.written {
                let column = places.column(var, 1).expect("numbers of blocks have columns");
                let value = usize::try_from(to[var.index()]).expect("blocks have numbers from zero up");
                step = space.and(&step, &numbers(space, column, &[value])?)?;
            }
            let values = space.pick(&step, &self.labels)?;
            found.extend(values.map(|values| values.into_iter().map(|value| value as usize).collect()));
        }
        let n_busy = |labels: &Vec<usize>| labels.iter().filter(|&&label| label != IDLE).count();
        let missing = || Stop::Incomplete("a step of the abstraction has no labels".to_owned());
        found.into_iter().min_by_key(n_busy).ok_or_else(missing)
    }
}

/// The combinations of blocks that meet the initial configurations of their components.
fn initial(local: &Local<'_>, covers: &[Cover], frame: &Frame<'_>) -> Result<Set, Stop> {
    let mut set = frame.configurations(0)?;
    for cover in covers {
        let column = frame.places.column(VarId::new(cover.unit), 0).expect("numbers of blocks have columns");
        let met = cover.meeting(&local.frame.space, &local.units[cover.unit].initial)?;
        set = frame.space.and(&set, &numbers(&frame.space, column, &met)?)?;
    }
    Ok(set)
}

/// The target as the loop needs it: deadlocks are found in the abstraction.
pub fn goal(local: &Local<'_>, target: Target, exprs: &Exprs, control: &Control) -> Result<Option<Goal>, Stop> {
    match target {
        Target::States(expr) => {
            let set = local.frame.places.encoder(&local.frame.space, exprs, &IdVec::new()).holds(expr)?;
            Goal::new(local, &set, control).map(Some)
        }
        Target::Deadlocks => Ok(None),
    }
}
