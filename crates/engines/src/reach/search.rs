//! Reachability over listed states: take a waiting state, list its steps, store what is not covered.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use lapidary_base::{Control, Event, Stop};
use lapidary_ir::CommandId;
use lapidary_system::successors::Element;
use lapidary_system::{Steps, Successors};

use super::Config;
use super::passed::{Batch, NO_PARENT, Node, Passed, Stored};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Finds shortest runs.
    #[default]
    BreadthFirst,
    /// Goes deep at once; runs may be long.
    DepthFirst,
}

/// What is done between two looks at the limits takes about this many times ten microseconds, and more where states are large.
const UNITS_PER_LOOK: u64 = 48;
const UNITS_PER_LOOK_AND_WORD: u64 = 16;

/// How many states are expanded before their successors are looked up together.
const BATCH_STATES: usize = 32;
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

pub struct Search<'a, S: Successors> {
    pub(super) system: &'a S,
    pub(super) control: &'a Control,
    pub passed: Passed<S::Lat>,
    order: Order,
    most_states: u64,
    queue: Queue,
    pub(super) steps: Steps<Element<S>>,
    /// Working memory for testing targets.
    scratch: Steps<Element<S>>,
    batch: Batch,
    /// For each expanded state of the batch: the state, its depth, and where its steps end.
    expanded: Vec<(Node, u64, usize)>,
    /// Targets not met yet, and those among them that are deadlocks.
    open: Vec<usize>,
    open_deadlocks: Vec<usize>,
    pub hits: Vec<Hit>,
    pub counts: Counts,
    /// Breadth-first: the distance of the states that are being expanded; those nearer all were.
    pub level: Option<u64>,
    pub fired: Vec<bool>,
    /// Commands whose steps only wait.
    is_idle: Vec<bool>,
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

/// The states that wait for expansion, breadth-first: node numbers are in order of discovery, so they are an interval.
/// `level_end` closes the current distance.
#[derive(Default)]
struct Queue {
    next: u32,
    level_end: u32,
}

impl<'a, S: Successors> Search<'a, S> {
    pub fn new(system: &'a S, config: Config, is_idle: Vec<bool>, control: &'a Control) -> Self {
        Self {
            system,
            control,
            passed: Passed::new(system.words(), system.all_ones_is_free()),
            order: config.order,
            most_states: config.most_states.unwrap_or(u64::MAX),
            queue: Queue::default(),
            steps: Steps::within(control),
            scratch: Steps::new(),
            batch: Batch::default(),
            expanded: Vec::new(),
            open: Vec::new(),
            open_deadlocks: Vec::new(),
            hits: Vec::new(),
            counts: Counts::default(),
            level: None,
            units_per_look: UNITS_PER_LOOK + UNITS_PER_LOOK_AND_WORD * system.words() as u64,
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

    /// Searches until all targets are met or all states are expanded. `met` hears of targets that were met while others
    /// are still looked for.
    pub fn run(&mut self, targets: Vec<usize>, deadlocks: Vec<usize>, met: &mut dyn FnMut(&Self)) -> Result<(), Stop> {
        self.open = targets;
        self.open_deadlocks = deadlocks;
        let (system, control) = (self.system, self.control);
        system.initial(control, &mut |state, element| {
            let hash = super::passed::hash(state);
            let Some(node) = self.store(hash, state, &element, NO_PARENT, 0)? else { return Ok(()) };
            if self.counts.states.is_multiple_of(4096) {
                self.check_budget()?;
                control.spend(self.units_per_look)?;
            }
            match self.order {
                Order::BreadthFirst => Ok(()),
                Order::DepthFirst => self.dive(node, met),
            }
        })?;
        while !self.is_decided() && self.expand_batch()? {
            self.store_batch()?;
            self.tell(met);
        }
        Ok(())
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

    /// Stores a state and tests the targets on it; `None` if it was covered.
    pub(super) fn store(
        &mut self,
        hash: u64,
        state: &[u64],
        element: &Element<S>,
        parent: Node,
        depth: u64,
    ) -> Result<Option<Node>, Stop> {
        let stored = self.passed.insert(self.system.lattice(), hash, state, element, parent, self.control)?;
        let Stored::New(node) = stored else { return Ok(None) };
        self.counts.states += 1;
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
        self.system.hits(state, element, &mut self.open, &mut hit, &mut self.scratch)?;
        self.n_tested += 1;
        let counts = self.counts;
        self.hits.extend(hit.into_iter().map(|target| Hit { target, node, counts }));
        Ok(Some(node))
    }

    /// Appends the steps from a state to the buffer.
    pub(super) fn expand(&mut self, node: Node) -> Result<(), Stop> {
        let before = self.steps.len();
        self.system.successors(self.passed.state(node), self.passed.element(node), &mut self.steps)?;
        self.n_listed += 1;
        if self.steps.actions[before..].iter().all(|action| self.is_idle[action.0 as usize]) {
            let counts = self.counts;
            self.hits.extend(self.open_deadlocks.drain(..).map(|target| Hit { target, node, counts }));
        }
        Ok(())
    }

    /// Lists the steps of the next waiting states; false when none is left.
    fn expand_batch(&mut self) -> Result<bool, Stop> {
        self.steps.clear();
        self.expanded.clear();
        while self.expanded.len() < BATCH_STATES {
            let Some((node, depth)) = self.next_waiting() else { break };
            self.expand(node)?;
            self.expanded.push((node, depth, self.steps.len()));
            if self.expanded.len() as u64 >= self.states_per_look {
                break;
            }
            // A step with many inputs fills a batch alone.
            if self.steps.len() > BATCH_STATES * 16 {
                break;
            }
        }
        self.report_progress(self.expanded.len() as u64)?;
        Ok(!self.expanded.is_empty())
    }

    fn next_waiting(&mut self) -> Option<(Node, u64)> {
        let Queue { next, level_end } = &mut self.queue;
        if self.order == Order::DepthFirst {
            return None;
        }
        if *next == *level_end {
            // A batch ends with its level: the next level is known only when this one is stored.
            if !self.expanded.is_empty() || self.passed.len() == *level_end as usize {
                return None;
            }
            self.level = Some(self.level.map_or(0, |level| level + 1));
            *level_end = self.passed.len() as u32;
        }
        *next += 1;
        Some((Node(*next - 1), self.level.expect("a level was begun")))
    }

    /// Stores the successors of the batch in order; stops as soon as everything is decided.
    fn store_batch(&mut self) -> Result<(), Stop> {
        let steps = std::mem::take(&mut self.steps);
        let mut batch = std::mem::take(&mut self.batch);
        let result = self.store_steps(&steps, &mut batch);
        self.batch = batch;
        self.steps = steps;
        result
    }

    fn store_steps(&mut self, steps: &Steps<Element<S>>, batch: &mut Batch) -> Result<(), Stop> {
        let words = self.system.words();
        let mut origin = 0;
        for start in (0..steps.len()).step_by(STEPS_PER_LOOK) {
            if start > 0 {
                self.control.spend(self.units_per_look)?;
            }
            let end = (start + STEPS_PER_LOOK).min(steps.len());
            let (states, elements) = (&steps.states[start * words..end * words], &steps.elements[start..end]);
            self.passed.glance(self.system.lattice(), batch, states, elements);
            for k in start..end {
                while self.expanded[origin].2 <= k {
                    origin += 1;
                }
                self.count_step(steps.actions[k]);
                if batch.covered[k - start] {
                    continue;
                }
                let (parent, depth, _) = self.expanded[origin];
                let state = &steps.states[k * words..(k + 1) * words];
                self.store(batch.hashes[k - start], state, &steps.elements[k], parent, depth + 1)?;
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
        if before / self.states_per_look != self.n_expanded / self.states_per_look || self.steps.len() > 4096 {
            self.control.spend(self.units_per_look)?;
        }
        self.check_budget()?;
        if before / HEARTBEAT_STATES != self.n_expanded / HEARTBEAT_STATES {
            let Counts { states, transitions, depth } = self.counts;
            let frontier = states - self.n_expanded;
            self.control.emit(&Event::Heartbeat { states, transitions, frontier, depth });
        }
        Ok(())
    }

    fn check_budget(&self) -> Result<(), Stop> {
        if self.counts.states < self.most_states {
            return Ok(());
        }
        Err(Stop::Budget(format!("{} states", self.most_states)))
    }

    /// The nodes from an initial state to `node`, and the command of each step.
    pub fn path(&self, node: Node) -> Result<(Vec<Node>, Vec<CommandId>), Stop> {
        let mut nodes: Vec<Node> = std::iter::successors(Some(node), |&node| self.passed.parent(node)).collect();
        nodes.reverse();
        let mut steps = Steps::within(&self.control.with_grace());
        let mut actions = Vec::with_capacity(nodes.len() - 1);
        for pair in nodes.windows(2) {
            self.look_late()?;
            steps.clear();
            self.system.successors(self.passed.state(pair[0]), self.passed.element(pair[0]), &mut steps)?;
            let wanted = self.passed.state(pair[1]);
            let found = steps.states.chunks_exact(self.system.words()).position(|state| state == wanted);
            actions.push(steps.actions[found.expect("a parent has a step to its child")]);
        }
        Ok((nodes, actions))
    }

    /// What was found is told also when the search has ended for a limit, if that takes but a moment. Nobody's turn is
    /// waited for: how long this takes must not decide who is next.
    fn look_late(&self) -> Result<(), Stop> {
        let Err(stop) = self.control.look() else { return Ok(()) };
        if self.late.get_or_init(Instant::now).elapsed() <= MOMENT { Ok(()) } else { Err(stop) }
    }
}
