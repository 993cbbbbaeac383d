//! Is there a run along an abstract path? (Chucri 2012, Figures 6.1 and 6.2), and how its failure state is split.

use lapidary_base::{Control, Stop};
use lapidary_system::SetSystem;

use super::approximation::{Approximation, BlockId, Part};
use super::derivation::Derivation;

/// From which end a path is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Analysis {
    #[default]
    Forward,
    Backward,
}

/// How the failure state is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refinement {
    /// Into what the analysis came to, and the rest.
    #[default]
    Direct,
    /// Into what has a neighbour in the next block, and the rest.
    Sigma,
}

impl Analysis {
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

impl Refinement {
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Sigma => "sigma",
        }
    }
}

/// An abstract path and what the analysis came to in its blocks.
pub struct Analysed<S> {
    /// In the order of the path; backwards, the last ones of the path.
    pub sets: Vec<S>,
    /// The place of the failure state, if the path is spurious.
    pub failure: Option<Failure<S>>,
}

impl<S> Analysed<S> {
    /// How many images the analysis took.
    pub fn n_images(&self) -> u64 {
        let failed_on_the_way = self.failure.as_ref().is_some_and(|failure| failure.wanted.is_none());
        self.sets.len() as u64 - u64::from(!failed_on_the_way)
    }
}

pub struct Failure<S> {
    pub place: usize,
    /// The image, in the direction of the analysis, of what it came to in the failure state.
    image: Option<S>,
    /// Which states of the failure state could go on in the direction of the analysis: the initial ones or those of
    /// the target, where it failed at the end of the path.
    wanted: Option<S>,
}

impl<Y: SetSystem> Approximation<'_, Y> {
    /// A certified block at an end of the path counts with all its states.
    pub fn analyse(
        &mut self,
        path: &[BlockId],
        analysis: Analysis,
        control: &Control,
    ) -> Result<Analysed<Y::Set>, Stop> {
        match analysis {
            Analysis::Forward => self.follow_on(path, control),
            Analysis::Backward => {
                let mut analysed = self.follow_back(path, control)?;
                analysed.sets.reverse();
                Ok(analysed)
            }
        }
    }

    fn follow_on(&mut self, path: &[BlockId], control: &Control) -> Result<Analysed<Y::Set>, Stop> {
        let system = self.system();
        let (first, last) = (self.block(path[0]), self.block(path[path.len() - 1]));
        let (from_all, to_all) = (first.reached.is_some(), last.reaches.is_some());
        let start = if from_all { first.set.clone() } else { system.and(&first.set, &system.initial())? };
        let mut sets = vec![start];
        for place in 1..path.len() {
            let post = self.image_of(path[place - 1], &sets[place - 1], Analysis::Forward, control)?;
            let next = system.and(&post, &self.block(path[place]).set)?;
            if system.is_none(&next) {
                let failure = Failure { place: place - 1, image: Some(post), wanted: None };
                return Ok(Analysed { sets, failure: Some(failure) });
            }
            sets.push(next);
        }
        let place = path.len() - 1;
        if !to_all {
            let end = system.and(&sets[place], &self.target)?;
            if system.is_none(&end) {
                let failure = Failure { place, image: None, wanted: Some(self.target.clone()) };
                return Ok(Analysed { sets, failure: Some(failure) });
            }
            sets[place] = end;
        }
        Ok(Analysed { sets, failure: None })
    }

    fn follow_back(&mut self, path: &[BlockId], control: &Control) -> Result<Analysed<Y::Set>, Stop> {
        let system = self.system();
        let (first, last) = (self.block(path[0]), self.block(path[path.len() - 1]));
        let (from_all, to_all) = (first.reached.is_some(), last.reaches.is_some());
        let start = if to_all { last.set.clone() } else { system.and(&last.set, &self.target)? };
        let mut sets = vec![start];
        for place in (0..path.len() - 1).rev() {
            let came = sets.last().expect("the start is there");
            let pre = self.image_of(path[place + 1], came, Analysis::Backward, control)?;
            let next = system.and(&pre, &self.block(path[place]).set)?;
            if system.is_none(&next) {
                let failure = Failure { place: place + 1, image: Some(pre), wanted: None };
                return Ok(Analysed { sets, failure: Some(failure) });
            }
            sets.push(next);
        }
        if !from_all {
            let came = sets.last_mut().expect("the start is there");
            let end = system.and(came, &system.initial())?;
            if system.is_none(&end) {
                let failure = Failure { place: 0, image: None, wanted: Some(system.initial()) };
                return Ok(Analysed { sets, failure: Some(failure) });
            }
            *came = end;
        }
        Ok(Analysed { sets, failure: None })
    }

    /// The image of a part of a block; that of the whole block is computed once.
    fn image_of(&mut self, id: BlockId, part: &Y::Set, analysis: Analysis, control: &Control) -> Result<Y::Set, Stop> {
        let is_whole = self.block(id).set == *part;
        match analysis {
            Analysis::Forward if is_whole => self.post(id, control),
            Analysis::Forward => self.images.post(part, control),
            Analysis::Backward if is_whole => self.pre(id, control),
            Analysis::Backward => self.images.pre(part, control),
        }
    }

    /// Feasibility certification (section 6.2.5): the blocks of which the analysis came to every state.
    pub fn certify_by_path(&mut self, path: &[BlockId], analysed: &Analysed<Y::Set>, analysis: Analysis) {
        let n_sets = analysed.sets.len();
        for step in 1..n_sets {
            let place = match analysis {
                Analysis::Forward => step,
                Analysis::Backward => path.len() - 1 - step,
            };
            let id = path[place];
            let is_known = match analysis {
                Analysis::Forward => self.block(id).reached.is_some(),
                Analysis::Backward => self.block(id).reaches.is_some(),
            };
            let set = match analysis {
                Analysis::Forward => &analysed.sets[place],
                Analysis::Backward => &analysed.sets[n_sets - 1 - step],
            };
            if is_known || *set != self.block(id).set {
                continue;
            }
            let derivation = self.along(path, analysed, analysis, place);
            match analysis {
                Analysis::Forward => self.block_mut(id).reached = Some(derivation),
                Analysis::Backward => self.block_mut(id).reaches = Some(derivation),
            }
        }
    }

    /// Why what the analysis came to at a place is certified.
    pub fn along(
        &self,
        path: &[BlockId],
        analysed: &Analysed<Y::Set>,
        analysis: Analysis,
        place: usize,
    ) -> std::rc::Rc<Derivation<Y::Set>> {
        match analysis {
            Analysis::Forward => {
                let from = self.block(path[0]).reached.clone();
                Derivation::along(analysed.sets[..=place].to_vec(), from)
            }
            Analysis::Backward => {
                let skipped = path.len() - analysed.sets.len();
                let mut sets = analysed.sets[place - skipped..].to_vec();
                sets.reverse();
                Derivation::along(sets, self.block(path[path.len() - 1]).reaches.clone())
            }
        }
    }

    /// The parts of the failure state (section 6.2.4); with `certifies` (split certification) the direct one is
    /// certified on the side where the analysis began.
    pub fn parts(
        &mut self,
        path: &[BlockId],
        analysed: &Analysed<Y::Set>,
        (analysis, refinement): (Analysis, Refinement),
        certifies: bool,
        control: &Control,
    ) -> Result<Vec<Part<Y::Set>>, Stop> {
        let system = self.system();
        let failure = analysed.failure.as_ref().expect("only spurious paths are refined");
        let place = failure.place;
        let whole = self.block(path[place]).set.clone();
        let skipped = match analysis {
            Analysis::Forward => 0,
            Analysis::Backward => path.len() - analysed.sets.len(),
        };
        let part = match refinement {
            Refinement::Direct => {
                let mut part = Part::plain(analysed.sets[place - skipped].clone());
                let derivation = certifies.then(|| self.along(path, analysed, analysis, place));
                match analysis {
                    Analysis::Forward => (part.reached, part.post) = (derivation, failure.image.clone()),
                    Analysis::Backward => (part.reaches, part.pre) = (derivation, failure.image.clone()),
                }
                part
            }
            Refinement::Sigma => {
                let near = match (&failure.wanted, analysis) {
                    (Some(wanted), _) => wanted.clone(),
                    (None, Analysis::Forward) => self.pre(path[place + 1], control)?,
                    (None, Analysis::Backward) => self.post(path[place - 1], control)?,
                };
                Part::plain(system.and(&near, &whole)?)
            }
        };
        let rest = Part::plain(system.minus(&whole, &part.set)?);
        Ok(vec![part, rest])
    }
}
