//! Images under all transitions of a system.

use lapidary_base::{Control, Shared, Stop};
use lapidary_system::SetSystem;

pub struct Images<'s, Y> {
    pub system: Shared<'s, Y>,
}

impl<'s, Y: SetSystem> Images<'s, Y> {
    pub fn new(system: Shared<'s, Y>) -> Self {
        Self { system }
    }

    pub fn post(&self, set: &Y::Set, control: &Control) -> Result<Y::Set, Stop> {
        self.union(|action| self.system.post(action, set), control)
    }

    pub fn pre(&self, set: &Y::Set, control: &Control) -> Result<Y::Set, Stop> {
        self.union(|action| self.system.pre(action, set), control)
    }

    fn union(&self, image: impl Fn(usize) -> Result<Y::Set, Stop>, control: &Control) -> Result<Y::Set, Stop> {
        let mut all = self.system.none();
        for action in 0..self.system.n_actions() {
            control.check()?;
            all = self.system.or(&all, &image(action)?)?;
        }
        Ok(all)
    }
}
