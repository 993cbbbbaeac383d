//! Reachability over listed states: take a waiting state, list its steps, store what is not covered.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use lapidary_base::{Control, Event, Stop};
use lapidary_ir::CommandId;
use lapidary_system::{Lattice, State, Steps, Successors};

use super::expand::{Expansion, Moves};
use super::store::{Batch, Edge, Node, Offered, Store};
use super::waiting::Waiting;

/// What is done between two looks at the limits takes about this many times ten microseconds, and more where states are large.
const UNITS_PER_LOOK: u64 = 48;
const UNITS_PER_LOOK_AND_WORD: u64 = 16;

/// How many states are expanded before their successors are looked up together.
pub(super) const BATCH_STATES: usize = 32;
/// A step with many inputs fills a batch alone.
const MOST_STEPS: usize = BATCH_STATES * 16;
const HEARTBEAT_STATES: u64 = 1 << 16;

/// What was counted up to some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    /// Breadth-first: the distance of the farthest state; depth-first: the longest path followed.
    pub depth: u64,
}

/// A target that was met: where, and what had been counted by then.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub target: usize,
    pub node: Node,
    pub counts: Counts,
}

/// Which states are taken first, where that is neither the first ones nor the last ones: those with the lowest rank.
pub type Rank<'a> = &'a dyn Fn(State<'_>) -> u64;

pub struct Search<'a, S: Successors, T: Store> {
    pub(super) system: &'a S,
    pub(super) control: &'a Control,
    pub store: T,
    pub(super) waiting: Waiting,
    rank: Option<Rank<'a>>,
    most_states: u64,
    pub(super) expansion: Expansion,
    /// Working memory for testing targets.
    scratch: Steps,
    batch: Batch,
    evicted: Vec<Node>,
    /// Targets not met yet, and those among them that are deadlocks.
    pub(super) open: Vec<usize>,
    pub(super) open_deadlocks: Vec<usize>,
    pub hits: Vec<Hit>,
    pub counts: Counts,
    /// How often stored elements grew by others.
    pub n_grown: u64,
    /// The same by node, as far as one grew.
    ages: Vec<u32>,
    /// Breadth-first: the distance of the states that are being expanded; those nearer all were.
    pub level: Option<u64>,
    pub fired: Vec<bool>,
    /// Commands whose steps only wait.
    pub(super) is_idle: Vec<bool>,
    /// States on which every open target was tested.
    pub n_tested: u64,
    /// States whose steps were all listed.
    pub n_listed: u64,
    n_expanded: u64,
    /// Of so many hits it was told that they were met.
    n_told: usize,
    /// When a limit was first seen while runs were told.
    late: OnceCell<Instant>,
    /// Targets that were tested since work was last told, where there are many.
    n_tests: usize,
    /// So many states are expanded between two looks at the limits.
    states_per_look: u64,
    units_per_look: u64,
}

/// How long runs may be told after a limit was reached, all of them together.
const MOMENT: Duration = Duration::from_millis(300);
/// Commands that are tried between two looks at the limits, and the states that are expanded at most.
const WORK_PER_LOOK: u64 = 1 << 18;
const MOST_STATES_PER_LOOK: u64 = 1024;
/// With more open targets than this, testing them is counted as work: so many tests are one unit.
const FEW_TARGETS: usize = 1 << 6;
const TESTS_PER_UNIT: usize = 1 << 10;
/// So many steps are looked up together at most, and then the limits are looked at: a state may have millions.
pub(super) const STEPS_PER_LOOK: usize = 1 << 12;

impl<'a, S: Successors, T: Store> Search<'a, S, T> {
    /// `is_idle` tells by action which ones only wait.
    pub fn new(system: &'a S, store: T, waiting: Waiting, is_idle: Vec<bool>, control: &'a Control) -> Self {
        assert!(T::IS_FIXED || !matches!(waiting, Waiting::Interval(_)), "nodes may go or grow");
        let words = system.words() + system.lattice().words();
        Self {
            system,
            control,
            store,
            waiting,
            rank: None,
            most_states: u64::MAX,
            expansion: Expansion::within(control),
            scratch: Steps::new(),
            batch: Batch::default(),
            evicted: Vec::new(),
            open: Vec::new(),
            open_deadlocks: Vec::new(),
            hits: Vec::new(),
            counts: Counts::default(),
            n_grown: 0,
            ages: Vec::new(),
            level: None,
            units_per_look: UNITS_PER_LOOK + UNITS_PER_LOOK_AND_WORD * words as u64,
            states_per_look: (WORK_PER_LOOK / is_idle.len().max(1) as u64).clamp(1, MOST_STATES_PER_LOOK),
            fired: vec![false; is_idle.len()],
            is_idle,
            n_tested: 0,
            n_listed: 0,
            n_expanded: 0,
            n_told: 0,
            late: OnceCell::new(),
            n_tests: 0,
        }
    }

    /// The states with the lowest rank come first.
    pub fn ranked(self, rank: Rank<'a>) -> Self {
        Self { waiting: Waiting::lowest(), rank: Some(rank), ..self }
    }

    /// Gives up when so many states were stored, or grew.
    pub fn with_most_states(self, most_states: Option<u64>) -> Self {
        Self { most_states: most_states.unwrap_or(u64::MAX), ..self }
    }

    /// Searches until all targets are met or all states are expanded. `met` hears of targets that were met while others
    /// are still looked for.
    ///
    /// Where the store lets elements cover others, targets must be such that what covers a state that meets one meets it
    /// too; deadlocks are not such, and are asked of exact stores only.
    pub fn run(&mut self, targets: Vec<usize>, deadlocks: Vec<usize>, met: &mut dyn FnMut(&Self)) -> Result<(), Stop> {
        self.start(targets, deadlocks, met)?;
        while self.advance(met)? {}
        Ok(())
    }

    /// Stores the initial states, and depth-first all that they lead to.
    pub(super) fn start(
        &mut self,
        targets: Vec<usize>,
        deadlocks: Vec<usize>,
        met: &mut dyn FnMut(&Self),
    ) -> Result<(), Stop> {
        assert!(deadlocks.is_empty() || self.store.is_exact(), "deadlocks are not upward closed");
        self.open = targets;
        self.open_deadlocks = deadlocks;
        let (system, control) = (self.system, self.control);
        system.initial(control, &mut |state| {
            let Some(node) = self.offer(self.store.hash(state), state, Edge::START, 0)? else { return Ok(()) };
            if self.counts.states.is_multiple_of(4096) {
                self.check_budget()?;
                control.spend(self.units_per_look)?;
            }
            match self.waiting {
                Waiting::Nobody => self.dive(node, met),
                Waiting::Interval(_) | Waiting::Fifo(..) | Waiting::Lowest(..) => Ok(()),
            }
        })
    }

    /// Expands the next states; false when there is nothing more to do.
    pub(super) fn advance(&mut self, met: &mut dyn FnMut(&Self)) -> Result<bool, Stop> {
        if self.is_decided() || !self.expand_batch()? {
            return Ok(false);
        }
        self.store_batch()?;
        self.tell(met);
        Ok(true)
    }

    /// What was met since the last time; what is met last is told with all the rest.
    pub(super) fn tell(&mut self, met: &mut dyn FnMut(&Self)) {
        if self.hits.len() > self.n_told && !self.is_decided() {
            self.n_told = self.hits.len();
            met(self);
        }
    }

    pub(super) fn is_decided(&self) -> bool {
        self.open.is_empty() && self.open_deadlocks.is_empty()
    }

    /// Offers a state to the store and tests the targets on what is new; `None` if it was covered.
    #[inline(always)]
    pub(super) fn offer(&mut self, hash: u64, state: State<'_>, edge: Edge, depth: u64) -> Result<Option<Node>, Stop> {
        match self.store.offer(hash, state, edge, &mut self.evicted, self.control)? {
            Offered::Covered(_) => Ok(None),
            Offered::New(node) => {
                self.counts.states += 1;
                self.put(node, state, depth)
            }
            Offered::Grew(node) => {
                self.n_grown += 1;
                self.ages.resize(self.ages.len().max(node.0 as usize + 1), 0);
                self.ages[node.0 as usize] += 1;
                // The search goes on with all that the node stands for now.
                let (discrete, element) = (state.discrete, self.store.state(node).element.to_vec());
                self.put(node, State { discrete, element: &element }, depth)
            }
        }
    }

    /// How often a node grew.
    pub(super) fn age(&self, node: Node) -> u32 {
        self.ages.get(node.0 as usize).copied().unwrap_or(0)
    }

    /// A node is to be expanded, for the first time or again.
    #[inline(always)]
    fn put(&mut self, node: Node, state: State<'_>, depth: u64) -> Result<Option<Node>, Stop> {
        for evicted in self.evicted.drain(..) {
            self.waiting.evict(evicted);
        }
        let rank = self.rank.map_or(0, |rank| rank(state));
        self.waiting.put(node, depth, rank);
        self.counts.depth = self.counts.depth.max(depth);
        if self.open.is_empty() {
            return Ok(Some(node));
        }
        if self.open.len() > FEW_TARGETS {
            self.n_tests += self.open.len();
            if self.n_tests >= TESTS_PER_UNIT {
                self.control.spend((self.n_tests / TESTS_PER_UNIT) as u64)?;
                self.n_tests %= TESTS_PER_UNIT;
            }
        }
        let mut hit = Vec::new();
        self.system.hits(state, &mut self.open, &mut hit, &mut self.scratch)?;
        self.n_tested += 1;
        let counts = self.counts;
        self.hits.extend(hit.into_iter().map(|target| Hit { target, node, counts }));
        Ok(Some(node))
    }

    /// Appends the steps from a node to the buffer.
    pub(super) fn expand(&mut self, node: Node, depth: u64) -> Result<(), Stop> {
        let moves = self.expansion.expand(self.system, &self.store, (node, depth), &self.is_idle)?;
        self.n_listed += 1;
        if moves == Moves::Idle {
            let counts = self.counts;
            self.hits.extend(self.open_deadlocks.drain(..).map(|target| Hit { target, node, counts }));
        }
        Ok(())
    }

    /// Lists the steps of the next waiting states; false when none is left.
    fn expand_batch(&mut self) -> Result<bool, Stop> {
        self.expansion.clear();
        let most_at_once = self.waiting.most_at_once(BATCH_STATES);
        while self.expansion.expanded.len() < most_at_once {
            let Some((node, depth)) = self.waiting.take(!self.expansion.expanded.is_empty()) else { break };
            if let Waiting::Interval(_) | Waiting::Fifo(..) = self.waiting {
                self.level = Some(depth);
            }
            self.store.take(node);
            self.expand(node, depth)?;
            if self.expansion.expanded.len() as u64 >= self.states_per_look {
                break;
            }
            if self.expansion.steps.len() > MOST_STEPS {
                break;
            }
        }
        let n_expanded = self.expansion.expanded.len() as u64;
        self.report_progress(n_expanded)?;
        Ok(n_expanded > 0)
    }

    /// Stores the successors of the batch in order; stops as soon as everything is decided.
    fn store_batch(&mut self) -> Result<(), Stop> {
        let expansion = std::mem::replace(&mut self.expansion, Expansion::empty());
        let mut batch = std::mem::take(&mut self.batch);
        let result = self.store_steps(&expansion, &mut batch);
        self.batch = batch;
        self.expansion = expansion;
        result
    }

    fn store_steps(&mut self, Expansion { steps, expanded }: &Expansion, batch: &mut Batch) -> Result<(), Stop> {
        let words = (self.system.words(), self.system.lattice().words());
        let mut origin = 0;
        for start in (0..steps.len()).step_by(STEPS_PER_LOOK) {
            if start > 0 {
                self.control.spend(self.units_per_look)?;
            }
            let end = (start + STEPS_PER_LOOK).min(steps.len());
            self.store.glance(batch, steps, start..end);
            for k in start..end {
                while expanded[origin].2 <= k {
                    origin += 1;
                }
                self.count_step(steps.actions[k]);
                if batch.covered[k - start] {
                    continue;
                }
                let (from, depth, _) = expanded[origin];
                let edge = Edge { from, action: steps.actions[k] };
                self.offer(batch.hashes[k - start], steps.state(k, words), edge, depth + 1)?;
                if self.is_decided() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    pub(super) fn count_step(&mut self, action: CommandId) {
        self.counts.transitions += 1;
        self.fired[action.0 as usize] = true;
    }

    /// Looks at the limits now and then, and tells how far the search is.
    pub(super) fn report_progress(&mut self, n_expanded: u64) -> Result<(), Stop> {
        let before = self.n_expanded;
        self.n_expanded += n_expanded;
        if before / self.states_per_look != self.n_expanded / self.states_per_look || self.expansion.steps.len() > 4096
        {
            self.control.spend(self.units_per_look)?;
        }
        self.check_budget()?;
        if before / HEARTBEAT_STATES != self.n_expanded / HEARTBEAT_STATES {
            let Counts { states, transitions, depth } = self.counts;
            // A state that grew is expanded again.
            let frontier = states.saturating_sub(self.n_expanded);
            self.control.emit(&Event::Heartbeat { states, transitions, frontier, depth });
        }
        Ok(())
    }

    /// With so many states a batch is full, and with more steps than this.
    pub(super) fn batch_limits(&self) -> (usize, usize) {
        (BATCH_STATES.min(self.states_per_look as usize), MOST_STEPS)
    }

    /// After so many more states it is told how far the search is.
    pub(super) fn n_until_told(&self) -> u64 {
        HEARTBEAT_STATES - self.n_expanded % HEARTBEAT_STATES
    }

    pub(super) fn has_budget(&self) -> bool {
        self.most_states < u64::MAX
    }

    fn check_budget(&self) -> Result<(), Stop> {
        if self.counts.states + self.n_grown < self.most_states {
            return Ok(());
        }
        Err(Stop::Budget(format!("{} states", self.most_states)))
    }

    /// What was found is told also when the search has ended for a limit, if that takes but a moment. Nobody's turn is
    /// waited for: how long this takes must not decide who is next.
    pub(super) fn look_late(&self) -> Result<(), Stop> {
        let Err(stop) = self.control.look() else { return Ok(()) };
        if self.late.get_or_init(Instant::now).elapsed() <= MOMENT { Ok(()) } else { Err(stop) }
    }
}
