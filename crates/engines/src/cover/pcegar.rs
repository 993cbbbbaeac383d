//! PCegar (Chucri 2012, section 4.4): prune, then refine. Without certification it is Cegar (section 4.1.2).

use lapidary_base::event::Iteration;
use lapidary_base::{Control, Event, Shared, Stop};
use lapidary_system::SetSystem;

use super::analysis::{Analysis, Refinement};
use super::approximation::{Approximation, Block, BlockId, Part};
use super::derivation::{Way, follow, through};
use super::dot::labelled;
use super::kernel::{SearchAlgorithm, Witness};
use crate::scheme::{Explored, Refined, Scheme};

/// How certified pairs are inferred (section 6.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certification {
    /// Blocks within the initial states or the target.
    pub initial: bool,
    /// What the direct refinement splits off.
    pub split: bool,
    /// Blocks of which the analysis of a path came to every state.
    pub feasibility: bool,
    /// Must transitions and closure.
    pub closure: bool,
}

impl Certification {
    /// Cegar.
    pub const NONE: Self = Self { initial: false, split: false, feasibility: false, closure: false };
    /// PCegar as in section 4.6: closure costs more than it gains there.
    pub const USUAL: Self = Self { initial: true, split: true, feasibility: true, closure: false };
}

/// Which kernel path is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The first one that the search finds.
    #[default]
    Kernel,
    /// A factor of the counterexample that `cegar` would pick, from an unpruned graph that is kept beside.
    Factor,
}

/// What may be changed between two iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heuristics {
    pub certification: Certification,
    pub search: SearchAlgorithm,
    pub analysis: Analysis,
    pub refinement: Refinement,
    pub pick: Pick,
}

impl Default for Heuristics {
    fn default() -> Self {
        Self {
            certification: Certification::USUAL,
            search: SearchAlgorithm::default(),
            analysis: Analysis::default(),
            refinement: Refinement::default(),
            pick: Pick::default(),
        }
    }
}

/// What the loop counts besides what its approximation does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of every iteration: how many blocks there were, and how many states the path has.
    pub abstract_states: Vec<u64>,
    pub cex_length: Vec<u64>,
    /// Images computed to look at paths.
    pub cex_analysis: u64,
    /// The most blocks that were certified as reached at a time, and as reaching the target.
    pub most_reached: u64,
    pub most_reaching: u64,
}

/// A split chosen by a test instead of the heuristics: the block, and a part of it.
pub type Chooser<'c, S> = dyn FnMut(&[(BlockId, S)]) -> Option<(BlockId, S)> + 'c;

/// What the states of a set have in common, line by line.
pub type Labeller<'c, S> = dyn Fn(&S) -> Vec<String> + 'c;

/// A block and its parts.
type Split<S> = (BlockId, Vec<Part<S>>);

/// The state of the loop; it can be stopped and taken up again, with other heuristics.
pub struct PCegar<'s, Y: SetSystem> {
    pub approximation: Approximation<'s, Y>,
    pub heuristics: Heuristics,
    pub counts: Counts,
    /// What the last iteration ended with, if it was a run.
    found: Option<Found<Y::Set>>,
    /// Lines 15 and 16; only tests leave them out.
    pub inherits: bool,
    /// The abstraction of every iteration is told of in an event.
    pub shows_abstractions: bool,
    /// What such an event says of a block beside its number.
    pub labels: Option<Box<Labeller<'s, Y::Set>>>,
    chooser: Option<Box<Chooser<'s, Y::Set>>>,
    is_connected: bool,
    /// Every block was looked at for being certified initially.
    is_certified: bool,
}

enum Found<S> {
    Witness(Witness),
    /// A feasible path and the sets along it, as the analysis made them.
    Path(Vec<BlockId>, Vec<S>, Analysis),
}

impl<'s, Y: SetSystem> PCegar<'s, Y> {
    pub fn new(
        system: impl Into<Shared<'s, Y>>,
        cover: Vec<Y::Set>,
        target: Y::Set,
        heuristics: Heuristics,
    ) -> Result<Self, Stop> {
        let mut approximation = Approximation::new(system, cover, target)?;
        approximation.keeps_unpruned = heuristics.pick == Pick::Factor;
        Ok(Self {
            approximation,
            heuristics,
            counts: Counts::default(),
            found: None,
            inherits: true,
            shows_abstractions: false,
            labels: None,
            chooser: None,
            is_connected: false,
            is_certified: false,
        })
    }

    /// Splits are chosen by a test.
    pub fn with_chooser(mut self, chooser: Box<Chooser<'s, Y::Set>>) -> Self {
        self.chooser = Some(chooser);
        self
    }

    /// Finds the transitions of the initial cover, once; the loop does so by itself when it begins.
    pub fn connect(&mut self, control: &Control) -> Result<(), Stop> {
        self.certify()?;
        if !self.is_connected {
            self.approximation.connect(control)?;
            self.is_connected = true;
        }
        Ok(())
    }

    /// Initial certification of what was made while it was off.
    fn certify(&mut self) -> Result<(), Stop> {
        if self.heuristics.certification.initial && !self.is_certified {
            let ids: Vec<BlockId> = self.approximation.kernel().map(|(id, _)| id).collect();
            self.approximation.certify_initially(&ids)?;
            self.is_certified = true;
        }
        Ok(())
    }

    /// Picks a kernel path, line 10.
    fn pick(&self) -> Vec<BlockId> {
        let search = self.heuristics.search;
        // The approximation is complete, so every run of the graph beside has a kernel path as a factor.
        let beside = match self.heuristics.pick {
            Pick::Factor => self.approximation.run_beside(search),
            Pick::Kernel => None,
        };
        let factor = beside.and_then(|run| self.approximation.factor(&run));
        factor.unwrap_or_else(|| self.approximation.kernel_path(search).expect("kernel states are on kernel paths"))
    }

    /// Keeps the most blocks that were certified at a time; returns how many are now.
    fn count_certified(&mut self) -> (u64, u64) {
        let n = |certified: fn(&Block<Y::Set>) -> bool| {
            self.approximation.kernel().filter(|(_, block)| certified(block)).count() as u64
        };
        let (reached, reaching) = (n(|block| block.reached.is_some()), n(|block| block.reaches.is_some()));
        self.counts.most_reached = self.counts.most_reached.max(reached);
        self.counts.most_reaching = self.counts.most_reaching.max(reaching);
        (reached, reaching)
    }

    /// Whether the last iteration ended with a feasible path.
    pub fn has_feasible_path(&self) -> bool {
        matches!(self.found, Some(Found::Path(..)))
    }

    fn report(&mut self, path: &[BlockId], control: &Control) {
        let (certified_neg, certified_pos) = self.count_certified();
        let approximation = &self.approximation;
        control.emit(&Event::Iteration(Iteration {
            i: self.counts.cex_length.len() as u64,
            abs_states: self.counts.abstract_states.last().copied().unwrap_or(0),
            abs_trans: approximation.n_transitions() as u64,
            certified_pos,
            certified_neg,
            pruned: approximation.n_pruned,
            cex_len: path.len() as u64,
            predicates: 0,
            refiner: self.heuristics.refiner(),
        }));
        if self.shows_abstractions {
            let lines = |set: &Y::Set| self.labels.as_ref().map(|label| label(set)).unwrap_or_default();
            let dot = labelled(approximation, &lines);
            control.emit(&Event::Abstraction { i: self.counts.cex_length.len() as u64, dot });
        }
    }

    /// A split that a test chose.
    fn chosen(&mut self, path: &[BlockId]) -> Result<Option<Split<Y::Set>>, Stop> {
        let Some(chooser) = &mut self.chooser else { return Ok(None) };
        let blocks: Vec<(BlockId, Y::Set)> =
            path.iter().map(|&id| (id, self.approximation.block(id).set.clone())).collect();
        let Some((id, part)) = chooser(&blocks) else { return Ok(None) };
        let rest = self.approximation.system().minus(&self.approximation.block(id).set, &part)?;
        Ok(Some((id, vec![Part::plain(part), Part::plain(rest)])))
    }

    /// A concrete run, as sets of one state each, after the loop found that there is one.
    pub fn run(&mut self, control: &Control) -> Result<Vec<Y::Set>, Stop> {
        let approximation = &self.approximation;
        let (system, images) = (approximation.system(), &approximation.images);
        let one = |set: &Y::Set| Ok::<_, Stop>(system.one(set)?.expect("there is a witness"));
        let (mut before, first, between, last, mut after);
        match self.found.as_ref().expect("the loop found a run") {
            Found::Path(path, sets, analysis) => {
                let states = match analysis {
                    Analysis::Forward => {
                        let end = one(&sets[sets.len() - 1])?;
                        let mut states = through(images, sets, &end, Way::On, control)?;
                        states.reverse();
                        states
                    }
                    Analysis::Backward => {
                        let reversed: Vec<Y::Set> = sets.iter().rev().cloned().collect();
                        through(images, &reversed, &one(&sets[0])?, Way::Back, control)?
                    }
                };
                first = approximation.block(path[0]).reached.clone();
                last = approximation.block(path[path.len() - 1]).reaches.clone();
                between = states;
            }
            Found::Witness(witness) => match *witness {
                Witness::Initial(id) => {
                    let block = approximation.block(id);
                    between = vec![one(&system.and(&block.set, &system.initial())?)?];
                    (first, last) = (None, block.reaches.clone());
                }
                Witness::Final(id) => {
                    let block = approximation.block(id);
                    between = vec![one(&system.and(&block.set, &approximation.target)?)?];
                    (first, last) = (block.reached.clone(), None);
                }
                Witness::Both(id) => {
                    let block = approximation.block(id);
                    between = vec![one(&block.set)?];
                    (first, last) = (block.reached.clone(), block.reaches.clone());
                }
                Witness::Step(from, to) => {
                    let (from, to) = (approximation.block(from), approximation.block(to));
                    let start = one(&system.and(&images.pre(&to.set, control)?, &from.set)?)?;
                    let end = one(&system.and(&images.post(&start, control)?, &to.set)?)?;
                    between = vec![start, end];
                    (first, last) = (from.reached.clone(), to.reaches.clone());
                }
            },
        }
        before = match &first {
            Some(derivation) => follow(images, &between[0], derivation, Way::Back, control)?,
            None => vec![between[0].clone()],
        };
        before.reverse();
        before.extend_from_slice(&between[1..]);
        if let Some(derivation) = &last {
            after = follow(images, &between[between.len() - 1], derivation, Way::On, control)?;
            before.extend(after.drain(1..));
        }
        Ok(before)
    }

    /// After the loop found that there is none: a set that contains the initial states, misses the target, and that no
    /// step leaves.
    pub fn certificate(&self, control: &Control) -> Result<Y::Set, Stop> {
        let set = self.approximation.given_up.clone();
        debug_assert!(self.is_inductive(&set, control)?, "what was given up is inductive");
        Ok(set)
    }

    fn is_inductive(&self, set: &Y::Set, control: &Control) -> Result<bool, Stop> {
        let system = self.approximation.system();
        let post = system.and(&self.approximation.images.post(set, control)?, &system.all())?;
        Ok(system.is_subset(&system.initial(), set)?
            && system.is_subset(&post, set)?
            && !system.intersects(set, &self.approximation.target)?)
    }
}

impl Heuristics {
    /// The names of section 6.2.
    pub fn refiner(&self) -> String {
        format!("{} {}", self.refinement.name(), self.analysis.name())
    }
}

impl<Y: SetSystem> Scheme for PCegar<'_, Y> {
    type Candidate = Vec<BlockId>;

    /// Lines 3 to 10.
    fn explore(&mut self, control: &Control) -> Result<Explored<Vec<BlockId>>, Stop> {
        self.connect(control)?;
        if self.heuristics.certification.closure {
            self.approximation.close(control)?;
        }
        if let Some(witness) = self.approximation.witness() {
            self.found = Some(Found::Witness(witness));
            self.count_certified();
            return Ok(Explored::Genuine);
        }
        self.approximation.reduce(control)?;
        if self.approximation.kernel().next().is_none() {
            return Ok(Explored::Safe);
        }
        Ok(Explored::Candidate(self.pick()))
    }

    /// Lines 11 to 19.
    fn refine(&mut self, path: Vec<BlockId>, control: &Control) -> Result<Refined, Stop> {
        let Heuristics { certification, analysis, refinement, .. } = self.heuristics;
        self.approximation.is_backward = analysis == Analysis::Backward;
        self.counts.abstract_states.push(self.approximation.kernel().count() as u64);
        self.counts.cex_length.push(path.len() as u64);
        self.report(&path, control);
        let analysed = self.approximation.analyse(&path, analysis, control)?;
        self.counts.cex_analysis += analysed.n_images();
        let Some(failure) = &analysed.failure else {
            self.found = Some(Found::Path(path, analysed.sets, analysis));
            return Ok(Refined::Genuine);
        };
        let id = path[failure.place];
        debug_assert!(!self.approximation.block(id).is_certified(), "the heuristics never split a certified block");
        let usual =
            (id, self.approximation.parts(&path, &analysed, (analysis, refinement), certification.split, control)?);
        if certification.feasibility {
            self.approximation.certify_by_path(&path, &analysed, analysis);
        }
        let (id, parts) = self.chosen(&path)?.unwrap_or(usual);
        let ids = self.approximation.split(id, parts, self.inherits, control)?;
        if certification.initial {
            self.approximation.certify_initially(&ids)?;
        }
        self.is_certified &= certification.initial;
        Ok(Refined::Finer)
    }
}
