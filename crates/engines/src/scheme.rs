//! The refinement loop: explore an abstraction, look at what it found, refine, begin again.

use lapidary_base::{Control, Stop};

/// What exploring an abstraction found.
pub enum Explored<Candidate> {
    /// The target cannot be reached.
    Safe,
    /// It can be, for sure.
    Genuine,
    /// Perhaps, in this way.
    Candidate(Candidate),
}

/// What looking at a candidate led to.
pub enum Refined {
    /// It stands for a run.
    Genuine,
    /// It does not, and the abstraction is strictly finer now.
    Finer,
}

/// How a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Safe,
    Genuine,
    /// As many candidates as were allowed were looked at.
    Undecided,
}

/// A scheme owns its abstraction and changes it in place.
pub trait Scheme {
    type Candidate;
    fn explore(&mut self, control: &Control) -> Result<Explored<Self::Candidate>, Stop>;
    fn refine(&mut self, candidate: Self::Candidate, control: &Control) -> Result<Refined, Stop>;
}

/// Goes on until the scheme knows, or for so many candidates.
pub fn run(scheme: &mut impl Scheme, most: Option<u64>, control: &Control) -> Result<Ended, Stop> {
    let mut n = 0;
    loop {
        control.check()?;
        let candidate = match scheme.explore(control)? {
            Explored::Safe => return Ok(Ended::Safe),
            Explored::Genuine => return Ok(Ended::Genuine),
            Explored::Candidate(_) if most.is_some_and(|most| n >= most) => return Ok(Ended::Undecided),
            Explored::Candidate(candidate) => candidate,
        };
        n += 1;
        if let Refined::Genuine = scheme.refine(candidate, control)? {
            return Ok(Ended::Genuine);
        }
    }
}
