//! What a file means: one of the shapes, and what all of them have.
//!
//! Who needs variables, expressions, properties or the names of steps asks the subject. Who needs commands asks for the model,
//! which of a tree is its flattening: made when it is first asked for, and once.

use std::sync::{Arc, Mutex, OnceLock, TryLockError};
use std::time::Duration;

use lapidary_base::{Control, IdVec, Stop};
use lapidary_text::Span;

use crate::action::Action;
use crate::model::{CommandId, Declarations, Model};
use crate::net::{Net, Sum};
use crate::passes::{Flat, NoModel, TooLarge, declarations, flatten_within, place};
use crate::property::{Property, PropertyId};
use crate::tree::Tree;

pub enum Subject {
    Model(Model),
    Tree(Hierarchy),
    Net(CountedNet),
}

/// A net, and the model that counts its tokens: places are variables, transitions are commands.
pub struct CountedNet {
    pub net: Net,
    /// What bounds the places whose variables have finite domains.
    pub sums: Vec<Sum>,
    pub model: Model,
}

/// A tree of components, and its flattening once somebody has asked for it.
pub struct Hierarchy {
    pub tree: Arc<Tree>,
    /// With the expressions of the tree.
    declared: Declarations,
    /// Too large is remembered, a limit that was reached is not.
    flat: OnceLock<Result<Box<Flat>, TooLarge>>,
    /// What its numbers may cost was not enough for it.
    is_dear: OnceLock<()>,
    /// Held by whoever makes the flattening.
    making: Mutex<()>,
}

/// So much work may a flattening be that is made only to be told of, its numbers or what keeps each of its events: that of some
/// thousand flat events, and a fraction of a second.
pub const TO_BE_TOLD_OF: u64 = 1 << 15;

/// Who waits for another thread's flattening looks at it again after so much work, which is more than a turn has: where threads take
/// turns, the other one needs its own.
const TURN: u64 = 10_000;
/// Where nobody takes turns, it sleeps for so long between two looks.
const NAP: Duration = Duration::from_millis(2);
/// The work that another one does meanwhile.
const NAP_WORK: u64 = 200;

impl Hierarchy {
    pub fn new(tree: Arc<Tree>, properties: IdVec<PropertyId, Property>) -> Self {
        let declared = Declarations { properties, ..declarations(&tree) };
        Self { tree, declared, flat: OnceLock::new(), is_dear: OnceLock::new(), making: Mutex::new(()) }
    }

    /// The flattening. Safe from several threads, of which one makes it.
    pub fn flat(&self, control: &Control) -> Result<&Flat, NoModel> {
        loop {
            if let Some(known) = self.flat.get() {
                return known.as_deref().map_err(|refused| NoModel::TooLarge(refused.clone()));
            }
            match self.making.try_lock() {
                Ok(_making) if self.flat.get().is_some() => {}
                Ok(_making) => self.make(control)?,
                // Whoever panicked while making it has made nothing.
                Err(TryLockError::Poisoned(_)) => self.make(control)?,
                Err(TryLockError::WouldBlock) => {
                    if control.takes_turns() {
                        control.spend(TURN)?;
                    } else {
                        control.spend(NAP_WORK)?;
                        std::thread::sleep(NAP);
                    }
                }
            }
        }
    }

    /// The flattening for somebody who can do without: if it is there, or is made with little work.
    fn affordable(&self, control: &Control) -> Result<&Flat, NoModel> {
        let control = &control.with_allowance(TO_BE_TOLD_OF);
        if self.flat.get().is_none() {
            if self.is_dear.get().is_some() {
                return Err(NoModel::Stopped(Stop::Budget("work".to_owned())));
            }
            // Where another thread makes it, it is worth a short wait, of which nothing is remembered.
            if let Ok(_making) = self.making.try_lock()
                && self.flat.get().is_none()
            {
                self.make(control).inspect_err(|why| self.remember(why))?;
            }
        }
        self.flat(control)
    }

    /// What its numbers may cost is asked once.
    fn remember(&self, why: &NoModel) {
        if matches!(why, NoModel::Stopped(Stop::Budget(_))) {
            self.is_dear.get_or_init(|| ());
        }
    }

    /// The flattening if it was made, to be spoilt in tests.
    #[doc(hidden)]
    pub fn flat_mut(&mut self) -> Option<&mut Flat> {
        self.flat.get_mut()?.as_deref_mut().ok()
    }

    fn make(&self, control: &Control) -> Result<(), NoModel> {
        let made = match flatten_within(&self.tree, control) {
            Ok(mut flat) => {
                flat.model.properties = self.declared.properties.clone();
                Ok(Box::new(flat))
            }
            Err(NoModel::TooLarge(refused)) => Err(refused),
            Err(stopped @ NoModel::Stopped(_)) => return Err(stopped),
        };
        // Two that come here after a panic make the same.
        self.flat.get_or_init(|| made);
        Ok(())
    }
}

impl Subject {
    /// Variables, expressions, initial condition, invariant and properties.
    pub fn declared(&self) -> &Declarations {
        match self {
            Self::Model(model) => model,
            Self::Tree(hierarchy) => &hierarchy.declared,
            Self::Net(counted) => &counted.model,
        }
    }

    /// The same, to add properties before anything is asked.
    pub fn declared_mut(&mut self) -> &mut Declarations {
        match self {
            Self::Model(model) => model,
            Self::Tree(hierarchy) => &mut hierarchy.declared,
            Self::Net(counted) => &mut counted.model,
        }
    }

    /// The same subject over an arena of its own, for who makes expressions for a while: they are gone with it, and this one has
    /// none of them. A flattening that was made is not taken along: its expressions need not be in the arena.
    pub fn apart(&self) -> Self {
        match self {
            Self::Model(model) => Self::Model(model.apart()),
            Self::Tree(hierarchy) => {
                let properties = hierarchy.declared.properties.clone();
                Self::Tree(Hierarchy::new(Arc::new(hierarchy.tree.apart()), properties))
            }
            Self::Net(CountedNet { net, sums, model }) => {
                Self::Net(CountedNet { net: net.clone(), sums: sums.clone(), model: model.apart() })
            }
        }
    }

    /// The subject with commands: the model itself, a net's counters, a tree's flattening.
    pub fn model(&self, control: &Control) -> Result<&Model, NoModel> {
        match self {
            Self::Model(model) => Ok(model),
            Self::Tree(hierarchy) => hierarchy.flat(control).map(|flat| &flat.model),
            Self::Net(counted) => Ok(&counted.model),
        }
    }

    /// The same for somebody who only tells of it: a tree whose flattening is not there, and is more than a little work, gives
    /// [`Stop::Budget`], every time.
    pub fn affordable_model(&self, control: &Control) -> Result<&Model, NoModel> {
        match self {
            Self::Tree(hierarchy) => hierarchy.affordable(control).map(|flat| &flat.model),
            Self::Model(_) | Self::Net(_) => self.model(control),
        }
    }

    /// The same if it is there already.
    pub fn made_model(&self) -> Option<&Model> {
        match self {
            Self::Model(model) => Some(model),
            Self::Tree(hierarchy) => hierarchy.flat.get()?.as_ref().ok().map(|flat| &flat.model),
            Self::Net(counted) => Some(&counted.model),
        }
    }

    pub fn tree(&self) -> Option<&Tree> {
        match self {
            Self::Tree(hierarchy) => Some(&hierarchy.tree),
            Self::Model(_) | Self::Net(_) => None,
        }
    }

    pub fn net(&self) -> Option<&Net> {
        match self {
            Self::Net(counted) => Some(&counted.net),
            Self::Model(_) | Self::Tree(_) => None,
        }
    }

    /// What a command of [`Subject::model`] means in the source's shape.
    pub fn action(&self, command: CommandId) -> Action {
        match self {
            Self::Model(_) | Self::Net(_) => Action::Command(command),
            Self::Tree(hierarchy) => {
                let flat = hierarchy.flat.get().and_then(|flat| flat.as_ref().ok());
                Action::Vector(flat.expect("a command of a tree is one of its flattening").events[command].clone())
            }
        }
    }

    /// The command that a step is in [`Subject::model`]; of a tree it is known only once the flattening was made.
    pub fn command(&self, action: &Action) -> Option<CommandId> {
        match (self, action) {
            (_, Action::Command(command)) => Some(*command),
            (Self::Tree(hierarchy), Action::Vector(flat)) => hierarchy.flat.get()?.as_ref().ok()?.command(flat),
            (Self::Model(_) | Self::Net(_), Action::Vector(_)) => None,
        }
    }

    /// Where the source says what a step does: its command, or the synchronisation or the event of a tree.
    pub fn place(&self, action: &Action) -> Span {
        match (self, action) {
            (Self::Model(model) | Self::Net(CountedNet { model, .. }), Action::Command(command)) => {
                model.commands[*command].span
            }
            (Self::Tree(hierarchy), Action::Vector(flat)) => place(&hierarchy.tree, flat),
            (Self::Model(_) | Self::Net(_), Action::Vector(_)) | (Self::Tree(_), Action::Command(_)) => {
                unreachable!("a step has the shape of its subject")
            }
        }
    }

    /// A step as traces show it.
    pub fn label(&self, action: &Action) -> String {
        match (self, action) {
            (Self::Model(model) | Self::Net(CountedNet { model, .. }), Action::Command(command)) => {
                model.commands[*command].label.clone()
            }
            (Self::Tree(hierarchy), Action::Vector(flat)) => hierarchy.tree.label(flat),
            (Self::Model(_) | Self::Net(_), Action::Vector(_)) | (Self::Tree(_), Action::Command(_)) => {
                unreachable!("a step has the shape of its subject")
            }
        }
    }
}

impl From<Model> for Subject {
    fn from(model: Model) -> Self {
        Self::Model(model)
    }
}

impl From<Tree> for Subject {
    /// With the properties that the tree has.
    fn from(tree: Tree) -> Self {
        let properties = tree.properties.clone();
        Self::Tree(Hierarchy::new(Arc::new(tree), properties))
    }
}
