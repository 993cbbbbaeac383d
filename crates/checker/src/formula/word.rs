//! Whose word counts: the solver that is built in decides first, and the one that was named is asked where that one gives
//! up. Where somebody else than the built-in solver was believed, the answer says so.

use std::sync::OnceLock;

use lapidary_base::Control;
use lapidary_smt::Backend;
use lapidary_verdict::{Checked, OnWord};

use crate::certify::Means;

/// Of one check, shared by all conversations in it.
pub struct Word<'a> {
    first: &'a Backend,
    /// Asked where the first one gives up, and whether it agrees with what the first one objects.
    second: Option<&'a Backend>,
    pub control: &'a Control,
    pub jobs: usize,
    /// Set as soon as a solver that is not built in said that something is impossible: what it shows as possible is
    /// looked at by the interpreter, and no word is needed for that.
    believed: OnceLock<OnWord>,
}

impl<'a> Word<'a> {
    pub fn new(means: &Means<'a>) -> Self {
        let Means { jobs, solver, named, control, .. } = *means;
        Self { first: solver, second: named, control, jobs, believed: OnceLock::new() }
    }

    pub fn first(&self) -> &'a Backend {
        self.first
    }

    pub fn second(&self) -> Option<&'a Backend> {
        self.second
    }

    /// The first solver said that something is impossible.
    pub fn believe_first(&self) {
        let because = match Backend::built_in() {
            Backend::Nothing => "this build has no solver of its own",
            Backend::InProcess(_) | Backend::Process(..) => "no other solver was asked",
        };
        self.believe(self.first, because);
    }

    /// The second one did, where the first gave up.
    pub fn believe_second(&self, solver: &Backend) {
        self.believe(solver, "the built-in solver gave up");
    }

    fn believe(&self, solver: &Backend, because: &'static str) {
        match solver {
            Backend::Process(..) => {
                self.believed.get_or_init(|| OnWord { solver: solver.word(), because });
            }
            Backend::InProcess(_) | Backend::Nothing => {}
        }
    }

    /// How far the check went that ended without an objection.
    pub fn checked(self) -> Checked {
        self.believed.into_inner().map_or(Checked::Fully, Checked::OnWord)
    }
}
