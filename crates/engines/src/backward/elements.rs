//! The elements of a backward search: their points one after the other, where each came from, and whether it still counts.

use lapidary_base::{Control, Stop};
use lapidary_ir::Tokens;
use lapidary_system::net::{Marking, NetPoints};
use lapidary_system::well_structured::Failed;

/// An element that is a target came from nowhere.
pub const NO_PARENT: u32 = u32::MAX;

/// Elements by number, in the order in which they were found. None is ever taken out: dominated ones may be on the way from
/// others to the target.
#[derive(Default)]
pub struct Elements {
    words: Vec<u64>,
    /// Where the words of each element end.
    ends: Vec<u32>,
    origins: Vec<Origin>,
    /// Not dominated.
    alive: Vec<bool>,
}

#[derive(Clone, Copy)]
pub struct Origin {
    /// The element that the action leads above, or [`NO_PARENT`].
    pub parent: u32,
    pub action: u32,
    /// Steps to the target.
    pub depth: u32,
}

/// Elements and their words are numbered with 32 bits.
fn too_many() -> Stop {
    Stop::Incomplete(format!("the minimal markings take more than {} words, which is all that are numbered", u32::MAX))
}

impl Elements {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn point(&self, element: u32) -> &[u64] {
        let start = if element == 0 { 0 } else { self.ends[element as usize - 1] };
        &self.words[start as usize..self.ends[element as usize] as usize]
    }

    pub fn origin(&self, element: u32) -> Origin {
        self.origins[element as usize]
    }

    pub fn is_alive(&self, element: u32) -> bool {
        self.alive[element as usize]
    }

    pub fn kill(&mut self, element: u32) {
        self.alive[element as usize] = false;
    }

    pub fn push(&mut self, point: &[u64], origin: Origin) -> Result<u32, Stop> {
        self.words.extend_from_slice(point);
        let end = u32::try_from(self.words.len()).map_err(|_| too_many())?;
        let number = u32::try_from(self.ends.len()).map_err(|_| too_many())?;
        self.ends.push(end);
        self.origins.push(origin);
        self.alive.push(true);
        Ok(number)
    }

    pub fn marking(&self, points: &impl NetPoints, element: u32) -> Marking {
        let mut marking: Marking = vec![0; points.n_places()].into();
        points.decode(self.point(element), &mut marking);
        marking
    }

    /// The same elements with points of another width.
    pub fn translate<P: NetPoints>(&mut self, from: &P, to: &P, control: &Control) -> Result<(), Failed> {
        let mut words = Vec::with_capacity(self.words.len() * 2);
        let mut ends = Vec::with_capacity(self.ends.len());
        let mut marking: Vec<Tokens> = vec![0; from.n_places()];
        for element in 0..self.ends.len() as u32 {
            control.check()?;
            from.decode(self.point(element), &mut marking);
            to.encode(&marking, &mut words)?;
            ends.push(u32::try_from(words.len()).map_err(|_| too_many())?);
        }
        (self.words, self.ends) = (words, ends);
        Ok(())
    }
}
