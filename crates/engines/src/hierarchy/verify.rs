//! Is an abstract run feasible? (Chucri 2012, figure 5.8: component by component.) Where it is not, how is a block split?

use lapidary_base::Stop;
use lapidary_bdd::Set;

use super::cover::Cover;
use super::local::{IDLE, Local};
use super::product::AbstractRun;
use super::tally::Tally;
use super::{Analysis, Config, Refinement};

/// What a run looks like from one component.
pub struct Projection<'a> {
    cover: &'a Cover,
    blocks: Vec<usize>,
    labels: Vec<usize>,
}

pub enum Verified {
    /// By state: the members of its block that the run comes to from an initial one; forwards. Backwards: those from
    /// which it goes on to its end.
    Feasible(Vec<Set>),
    /// This block must be split into what is in the set and what is not.
    Spurious { block: usize, by: Set },
}

impl<'a> Projection<'a> {
    pub fn new(cover: &'a Cover, run: &AbstractRun) -> Self {
        let of = |tuple: &Vec<usize>| tuple[cover.unit];
        Self { cover, blocks: run.blocks.iter().map(of).collect(), labels: run.labels.iter().map(of).collect() }
    }

    pub fn verify(&self, local: &Local<'_>, config: Config, tally: &mut Tally) -> Result<Verified, Stop> {
        match config.analysis {
            Analysis::Forward => self.forward(local, config.refinement, tally),
            Analysis::Backward => self.backward(local, config.refinement, tally),
        }
    }

    fn block(&self, at: usize) -> &Set {
        &self.cover.blocks[self.blocks[at]]
    }

    /// Doing nothing where nothing can change.
    fn is_still(&self, local: &Local<'_>, step: usize) -> bool {
        self.labels[step] == IDLE && !local.units[self.cover.unit].idle_moves
    }

    pub fn forward(&self, local: &Local<'_>, refinement: Refinement, tally: &mut Tally) -> Result<Verified, Stop> {
        let (space, unit) = (&local.frame.space, self.cover.unit);
        let mut sets = vec![space.and(self.block(0), &local.units[unit].initial)?];
        for step in 0..self.labels.len() {
            if self.is_still(local, step) {
                sets.push(sets[step].clone());
                continue;
            }
            tally.images += 1;
            let after = local.post(unit, self.labels[step], &sets[step])?;
            let after = space.and(&after, self.block(step + 1))?;
            if space.is_none(&after) {
                let by = match refinement {
                    Refinement::Direct => sets[step].clone(),
                    Refinement::Sigma => local.pre(unit, self.labels[step], self.block(step + 1))?,
                };
                return Ok(Verified::Spurious { block: self.blocks[step], by });
            }
            sets.push(after);
        }
        Ok(Verified::Feasible(sets))
    }

    fn backward(&self, local: &Local<'_>, refinement: Refinement, tally: &mut Tally) -> Result<Verified, Stop> {
        let (space, unit) = (&local.frame.space, self.cover.unit);
        let last = self.labels.len();
        let mut sets = vec![self.block(last).clone()];
        for step in (0..last).rev() {
            let ahead = sets.last().expect("the last state has its set").clone();
            if self.is_still(local, step) {
                sets.push(ahead);
                continue;
            }
            tally.images += 1;
            let before = local.pre(unit, self.labels[step], &ahead)?;
            let before = space.and(&before, self.block(step))?;
            if space.is_none(&before) {
                let by = match refinement {
                    Refinement::Direct => ahead,
                    Refinement::Sigma => local.post(unit, self.labels[step], self.block(step))?,
                };
                return Ok(Verified::Spurious { block: self.blocks[step + 1], by });
            }
            sets.push(before);
        }
        let initial = &local.units[unit].initial;
        let first = sets.last().expect("the first state has its set");
        if !space.intersects(first, initial)? {
            let by = match refinement {
                Refinement::Direct => first.clone(),
                Refinement::Sigma => initial.clone(),
            };
            return Ok(Verified::Spurious { block: self.blocks[0], by });
        }
        sets.reverse();
        Ok(Verified::Feasible(sets))
    }

    /// The values of the component's variables along a run of it; `sets` are those of [`forward`](Self::forward).
    pub fn values(&self, local: &Local<'_>, sets: &[Set]) -> Result<Vec<Vec<u64>>, Stop> {
        let (space, unit) = (&local.frame.space, self.cover.unit);
        let columns = local.units[unit].columns(&local.frame);
        let pick = |set: &Set| Ok::<_, Stop>(space.pick(set, &columns)?.expect("a feasible run has members"));
        let single = |values: &[u64]| {
            let parts = columns.iter().zip(values).map(|(&column, &value)| space.value(column, value));
            space.and_all(&parts.collect::<Result<Vec<Set>, Stop>>()?)
        };
        let mut values: Vec<Vec<u64>> = vec![pick(&sets[sets.len() - 1])?];
        for step in (0..self.labels.len()).rev() {
            let ahead = values.last().expect("the last state is there");
            if self.is_still(local, step) {
                values.push(ahead.clone());
                continue;
            }
            let before = local.pre(unit, self.labels[step], &single(ahead)?)?;
            values.push(pick(&space.and(&before, &sets[step])?)?);
        }
        values.reverse();
        Ok(values)
    }
}
