//! What engines and checker ask of a solver. A capability beyond yes or no is a subtrait.

use lapidary_base::Stop;
use lapidary_ir::{Expr, VarId};

use crate::terms::Terms;

/// Is there a model of what was asserted?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sat {
    Yes,
    No,
    /// The solver gave up; the text says why.
    Unknown(String),
}

/// One conversation. All terms that it is given belong to one [`Terms`].
///
/// A solver that crashed, was ended or spoke nonsense answers [`Stop`] with the reason from then on.
pub trait Solver {
    fn push(&mut self) -> Result<(), Stop>;
    fn pop(&mut self) -> Result<(), Stop>;
    fn assert(&mut self, terms: &Terms<'_>, formula: Expr) -> Result<(), Stop>;
    /// With the assumptions for this question only.
    fn check(&mut self, terms: &Terms<'_>, assumptions: &[Expr]) -> Result<Sat, Stop>;
    /// What was done so far, also in other conversations beside this one, in units that are the same on every machine; `None`
    /// where nobody counts.
    fn work_done(&self) -> Option<u64> {
        None
    }
}

/// Values of a model, as the numbers that states have.
pub trait Values: Solver {
    /// To be asked right after a [`Sat::Yes`]; what the model leaves open has some value.
    fn values(&mut self, terms: &Terms<'_>, vars: &[VarId]) -> Result<Vec<i64>, Stop>;
}

/// Which assumptions were to blame.
pub trait Cores: Solver {
    /// To be asked right after a [`Sat::No`]: assumptions of that question that cannot hold together with what was
    /// asserted, in the order in which they were given.
    fn core(&mut self) -> Result<Vec<Expr>, Stop>;
}

/// Everything that a backend offers.
pub trait FullSolver: Values + Cores {}

impl<S: Values + Cores> FullSolver for S {}
