//! Checks a listed set of configurations against the tree itself: all initial ones are listed, no step leaves the list.

use lapidary_base::Control;
use lapidary_ir::Tree;
use lapidary_ir::model::Raw;
use lapidary_verdict::{Checked, Enumeration};

use super::scene::Scene;
use super::{Composition, Work, diagrams, why};
use crate::Rejection;
use crate::budget::{Budget, Sample};
use crate::index::Index;
use crate::layout::Codec;
use crate::members::Members;
use crate::threads;
use crate::words;

/// How many configurations are tried to learn what one costs.
const N_PROBES: usize = 1 << 6;
const STATES_PER_LOOK: usize = 1 << 6;
/// That takes about so many times ten microseconds.
const WORK_PER_LOOK: u64 = 320;

struct Inspection<'a> {
    composition: &'a Composition<'a>,
    codec: &'a Codec,
    members: &'a Members<'a>,
    index: &'a Index<'a>,
    control: &'a Control,
}

/// Does the list hold every reachable configuration, by the composition semantics of the tree? Its layout is that of
/// the tree's variables. Past the budget, whose units are events, vectors and assertions that are looked at, steps are
/// followed from a sample only.
pub fn certify_tree(
    tree: &Tree,
    listed: &Enumeration,
    budget: Budget,
    jobs: usize,
    control: &Control,
) -> Result<Checked, Rejection> {
    let composition = Composition::new(tree);
    let codec = Codec::new(&composition.model, &listed.layout)?;
    let members = Members::new(listed, codec.n_words())?;
    let index = Index::new(&members, codec.covered(), jobs.max(1), control)?;
    let inspection = Inspection { composition: &composition, codec: &codec, members: &members, index: &index, control };
    inspection.check_initial()?;
    let sample = inspection.choose_sample(budget)?;
    inspection.check_members(sample, jobs)?;
    Ok(sample.checked())
}

impl Inspection<'_> {
    fn check_initial(&self) -> Result<(), Rejection> {
        let mut packed = vec![0; self.codec.n_words()];
        for state in self.composition.initial(self.control)? {
            self.codec.encode(&state, &mut packed);
            if !self.index.contains(&packed) {
                let shown = words::state(&self.composition.model, &state);
                return Err(Rejection::Wrong(format!("the initial configuration ({shown}) is not listed")));
            }
        }
        Ok(())
    }

    fn choose_sample(&self, budget: Budget) -> Result<Sample, Rejection> {
        let n_states = self.members.len();
        let probes = (0..n_states).step_by(n_states.div_ceil(N_PROBES).max(1));
        let n_probes = probes.len() as u64;
        let mut units = 0u64;
        for number in probes {
            self.control.check()?;
            units = units.saturating_add(self.check_member(number)?);
        }
        Ok(Sample::within(budget, n_states, units.div_ceil(n_probes.max(1))))
    }

    fn check_members(&self, sample: Sample, jobs: usize) -> Result<(), Rejection> {
        let per_job = self.members.len().div_ceil(jobs.max(1)).max(1);
        let ranges =
            (0..self.members.len()).step_by(per_job).map(|from| from..(from + per_job).min(self.members.len()));
        let results = threads::side_by_side(ranges, |range| {
            for number in range.filter(|&number| sample.includes(number)) {
                if number % STATES_PER_LOOK == STATES_PER_LOOK - 1 {
                    self.control.spend(WORK_PER_LOOK)?;
                }
                self.check_member(number)?;
            }
            Ok(())
        });
        results.into_iter().find(|result: &Result<(), Rejection>| result.is_err()).unwrap_or(Ok(()))
    }

    /// What it cost to see that all successors are listed.
    fn check_member(&self, number: usize) -> Result<u64, Rejection> {
        let Composition { tree, model, .. } = self.composition;
        let mut values = vec![0; tree.vars.len()];
        if self.codec.decode(self.members.get(number), &mut values).is_err() {
            return Err(Rejection::Wrong(format!("state {number} is malformed")));
        }
        let mut scene = Scene::new(self.composition, &values, Work::before_diagrams(self.control));
        let successors = match self.composition.successors_in(&mut scene) {
            Err(Rejection::Stopped(_)) if scene.work.is_exhausted() => {
                let is_listed = |next: &[Raw]| self.is_listed(next);
                let found = diagrams::unwanted_successor(self.composition, &values, &is_listed, self.control)?;
                found.into_iter().collect()
            }
            other => other?,
        };
        let mut packed = vec![0; self.codec.n_words()];
        for (flat, next) in successors {
            self.codec.encode(&next, &mut packed);
            if !self.index.contains(&packed) {
                let (from, to) = (words::state(model, &values), words::state(model, &next));
                let flat = why::flat_event(tree, &flat);
                let why = format!("state {number} ({from}) leads by {flat} to ({to}), which is not listed");
                return Err(Rejection::Wrong(why));
            }
        }
        Ok(scene.work.spent())
    }

    fn is_listed(&self, state: &[Raw]) -> bool {
        let mut packed = vec![0; self.codec.n_words()];
        self.codec.encode(state, &mut packed);
        self.index.contains(&packed)
    }
}
