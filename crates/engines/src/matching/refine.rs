//! REFINEMENTSEARCH of the paper: search, add what was missing, search again.

use std::sync::Arc;
use std::time::Instant;

use lapidary_base::event::Iteration;
use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Event, Id, Stop, memory};
use lapidary_ir::passes::{substitute, variables};
use lapidary_ir::{CommandId, Expr, Statement, VarId, print};
use lapidary_smt::Backend;
use lapidary_smt::encode::{AtomTable, Path, Shape, Totals};
use lapidary_system::Halt;
use lapidary_system::compile::Pool;
use lapidary_system::fit;
use lapidary_system::initial::{self, Initial};
use lapidary_verdict::{Block, Blocks, Certificate, Formula, Spread, State, Stats, Trace};

use super::predicates::Predicates;
use super::prover::Prover;
use super::search::{Inexact, Missing, Round, Search};
use super::space::Space;
use super::{Config, Inputs};
use crate::scheme::{self, Ended, Explored, Refined, Scheme};
use crate::{Answer, Known, Outcome, Task};

/// With more initial states than this the solver chooses among them.
const MAX_INITIAL: usize = 1 << 12;
/// More values than this are not tried to find them, if there is a solver.
const MAX_INITIAL_TRIED: u64 = 1 << 20;
/// How far from zero inputs are tried at first.
const FIRST_WINDOW: i64 = 8;
const LAST_WINDOW: i64 = 1 << 15;

pub struct Refinement<'a, 'c> {
    space: Space<'a>,
    config: &'a Config,
    predicates: Predicates,
    table: AtomTable,
    prover: Option<Prover<'c>>,
    /// All of them, if they can be listed.
    initial: Option<Vec<State>>,
    window: i64,
    /// In how many rounds without progress a transition was inexact.
    inexact: Map<Inexact, u32>,
    /// The most abstract states of a round, and the least number of inexact transitions since then.
    best: (usize, usize),
    /// Runs found so far, by target.
    found: Vec<Option<Trace>>,
    rounds: Vec<lapidary_verdict::Round>,
    last: Round,
    abstract_states: Vec<u64>,
    n_transitions: u64,
}

/// What a round left to be done.
pub struct Lost {
    missing: Vec<Missing>,
    inexact: Vec<Inexact>,
    needs_more_inputs: bool,
}

impl<'a, 'c> Refinement<'a, 'c> {
    fn new(space: Space<'a>, config: &'a Config, control: &'c Control) -> Result<Self, Stop> {
        let prover = match &config.backend {
            Backend::Nothing => None,
            backend => Some(Prover::new(backend, &space, config.is_plain, config.most_work, control)?),
        };
        let most = if prover.is_some() { MAX_INITIAL_TRIED } else { u64::MAX };
        let initial = listed(&space, most, control)?;
        let found = space.targets.iter().map(|_| None).collect();
        let mut made = Self {
            space,
            config,
            predicates: Predicates::default(),
            table: AtomTable::default(),
            prover,
            initial,
            window: FIRST_WINDOW,
            inexact: Map::default(),
            best: (0, 0),
            found,
            rounds: Vec::new(),
            last: Round::default(),
            abstract_states: Vec::new(),
            n_transitions: 0,
        };
        made.begin(control);
        Ok(made)
    }

    /// The atoms of guards and targets that read data alone, and the predicates that were given.
    fn begin(&mut self, control: &Control) {
        let mut totals = Totals::new(&self.space.terms);
        let (merged, straight): (Vec<&Path>, Vec<&Path>) =
            self.space.encoding.paths.iter().partition(|path| path.shape == Shape::Merged);
        let guards = |paths: Vec<&Path>| -> Vec<Expr> {
            paths.into_iter().flat_map(|path| path.guard.iter().copied()).collect()
        };
        let (merged, straight) = (guards(merged), guards(straight));
        for formula in straight.into_iter().chain(self.space.targets.clone()) {
            self.begin_with(formula);
        }
        // What merged ways demand behind their choices is found missing where it is.
        for formula in merged {
            let atoms = self.table.without_choices(&self.space.terms, formula);
            self.add_data(atoms);
        }
        for &formula in &self.config.predicates {
            let left_out = self.begin_with(self.space.exprs().and(totals.is(formula, true)));
            for atom in left_out {
                let atom = print::show_among(self.space.model(), self.space.exprs(), atom);
                let message = format!("predicate {atom} reads a control variable, which is never abstracted: left out");
                control.emit(&Event::Warning { message });
            }
        }
    }

    /// Adds the atoms of a formula that read data alone, and returns the others.
    fn begin_with(&mut self, formula: Expr) -> Vec<Expr> {
        let atoms = self.table.of_formula(&self.space.terms, formula);
        self.add_data(atoms)
    }

    /// Adds those of the atoms that read data alone, and returns the others.
    fn add_data(&mut self, atoms: Vec<Expr>) -> Vec<Expr> {
        let exprs = self.space.exprs();
        let is_data = |atom: &Expr| variables(exprs, *atom).iter().all(|var| self.space.data.contains(var));
        let (data, others): (Vec<Expr>, Vec<Expr>) = atoms.into_iter().partition(is_data);
        for atom in data.into_iter().filter_map(|atom| self.at_rest(atom)).collect::<Vec<_>>() {
            self.predicates.add(exprs, atom, None);
        }
        others
    }

    /// One answer per target of the space.
    pub fn answers(
        space: Space<'a>,
        task: &Task<'_>,
        config: &'a Config,
        start: Instant,
        control: &'c Control,
    ) -> Vec<Answer> {
        let n_targets = space.targets.len();
        let mut made = match Refinement::new(space, config, control) {
            Ok(made) => made,
            Err(stop) => return nothing(n_targets, stop, start),
        };
        let most = config.most_iterations.map(|most| most.saturating_sub(1));
        let ended = scheme::run(&mut made, most, control);
        let stats = made.stats(start);
        let certificate = matches!(ended, Ok(Ended::Safe)).then(|| made.certificate());
        let never_enabled = if certificate.is_some() { made.never_enabled() } else { Vec::new() };
        let known = made.known();
        let stop = match ended {
            Ok(Ended::Safe | Ended::Genuine) => None,
            Ok(Ended::Undecided) => Some(made.undecided()),
            Err(stop) => Some(stop),
        };
        let answer = |found: Option<Trace>| {
            let outcome = match (found, &certificate, &stop) {
                (Some(trace), _, _) => Outcome::Found(task.in_shape(trace)),
                (None, Some(certificate), _) => Outcome::Excluded(certificate.clone()),
                (None, None, Some(stop)) => Outcome::Unknown(stop.clone()),
                (None, None, None) => unreachable!("a loop that ended safely has a certificate"),
            };
            let known = matches!(outcome, Outcome::Unknown(_)).then(|| Known::from(known.clone()));
            Answer { outcome, stats: stats.clone(), known, never_enabled: never_enabled.clone() }
        };
        std::mem::take(&mut made.found).into_iter().map(answer).collect()
    }

    fn certificate(&mut self) -> Certificate {
        let mut blocks = Vec::with_capacity(self.last.visited.len());
        for visited in &self.last.visited {
            let active = self.predicates.active(&self.space, visited.at);
            let literal = |(i, &number): (usize, &u32)| (number, visited.block[i / 64] >> (i % 64) & 1 == 1);
            let literals = active.iter().enumerate().map(literal).collect();
            let control = self.space.location(visited.at).values.to_vec();
            blocks.push(Block { control, literals });
        }
        let predicates = Formula::all(self.space.exprs(), &self.predicates.atoms());
        let control = self.space.control.clone();
        Certificate::Blocks(Arc::new(Blocks { control, predicates, blocks }))
    }

    fn never_enabled(&self) -> Vec<CommandId> {
        self.space.model().commands.ids().filter(|&command| !self.last.is_enabled[command.index()]).collect()
    }

    /// Why there is no answer after as many rounds as were allowed.
    fn undecided(&self) -> Stop {
        let n = self.rounds.len();
        let latest = self.rounds.last().map_or(&[][..], |round| &round.new_predicates);
        let still = match latest {
            [] => String::new(),
            [only] => format!("; the last one still found {only} missing"),
            [first, ..] => format!("; the last one still found {} predicates missing, such as {first}", latest.len()),
        };
        let looks = if self.looks_divergent() { ": it looks divergent" } else { "" };
        Stop::Incomplete(format!("no answer after {n} iterations{still}{looks}"))
    }

    /// The same number of predicates is missing for several rounds, and no more states are met.
    fn looks_divergent(&self) -> bool {
        let tail = self.rounds.len().saturating_sub(3);
        let [a, b, c] = &self.rounds[tail..] else { return false };
        let alike = |x: &lapidary_verdict::Round, y: &lapidary_verdict::Round| {
            x.counts[..2] == y.counts[..2] && x.new_predicates.len() == y.new_predicates.len()
        };
        alike(a, b) && alike(b, c) || b.counts[1].1 > a.counts[1].1 && c.counts[1].1 > b.counts[1].1
    }

    fn known(&self) -> String {
        let states = self.last.concrete_states;
        let n_rounds = self.rounds.len();
        let rounds = if n_rounds == 1 { "round" } else { "rounds" };
        format!("among {states} concrete states ({n_rounds} {rounds})")
    }

    fn stats(&self, start: Instant) -> Stats {
        let (queries, hits) = self.prover.as_ref().map_or((0, 0), |prover| (prover.queries, prover.cache_hits));
        Stats {
            counts: vec![
                ("iterations", self.rounds.len() as u64),
                ("states", self.last.visited.len() as u64),
                ("transitions", self.n_transitions),
                ("predicates", self.predicates.len() as u64),
                ("queries", queries),
                ("cache_hits", hits),
            ],
            spreads: vec![("abstract_states", Spread::of(&self.abstract_states))],
            rounds: self.rounds.clone(),
            search_seconds: start.elapsed().as_secs_f64(),
            check_seconds: 0.0,
            search_memory: memory::peak_resident().unwrap_or(0),
        }
    }

    /// Adds what a round found missing; false if that changes nothing.
    fn add(&mut self, missing: &[Missing]) -> bool {
        let exprs = self.space.exprs();
        let mut is_finer = false;
        for Missing { atom, at } in missing {
            if let Some(atom) = self.at_rest(*atom) {
                is_finer |= self.predicates.add(exprs, atom, at.as_ref());
            }
        }
        is_finer
    }

    /// An atom of states: local variables have their first values in all of them. None if that decides it.
    fn at_rest(&self, atom: Expr) -> Option<Expr> {
        let (exprs, model) = (self.space.exprs(), self.space.model());
        let is_local = |var: &VarId| model.vars.get(*var).is_some() && model.is_local(*var);
        let locals = variables(exprs, atom).into_iter().filter(is_local);
        let first = |var: VarId| {
            let domain = model.vars[var].domain;
            (var, self.space.terms.constant(domain, model.first(domain)))
        };
        let resting: Map<VarId, Expr> = locals.map(first).collect();
        let atom = if resting.is_empty() { atom } else { substitute(exprs, atom, &resting) };
        (!variables(exprs, atom).is_empty()).then_some(atom)
    }

    /// A round that met more abstract states than any before, or fewer inexact transitions among as many, is on its way.
    /// A finite system has only finitely many such rounds, and in every other round some transition is counted. The counts
    /// are kept where others are inexact in between, so one of its finitely many transitions is due at last; its state is
    /// alone in its block from then on. This keeps Corollary 1.
    fn makes_progress(&mut self, inexact: &[Inexact]) -> bool {
        let (n_states, n_inexact) = (self.last.visited.len(), inexact.len());
        let (most, least) = self.best;
        let is_progress = n_states > most || n_inexact < least;
        self.best = if n_states > most { (n_states, n_inexact) } else { (most, least.min(n_inexact)) };
        is_progress
    }

    /// The values of a state's data, as predicates (section 6.1).
    fn concretised(&mut self, state: &State) -> Vec<Missing> {
        let exprs = self.space.exprs();
        let equal = |&var: &lapidary_ir::VarId| {
            let constant = self.space.terms.constant(self.space.terms.domain(var), state[var.index()]);
            exprs.eq(exprs.var(var), constant)
        };
        let equations = exprs.and(self.space.data.iter().map(equal));
        let atoms = self.table.of_formula(&self.space.terms, equations);
        atoms.into_iter().map(|atom| Missing { atom, at: None }).collect()
    }
}

impl Scheme for Refinement<'_, '_> {
    type Candidate = Lost;

    fn explore(&mut self, control: &Control) -> Result<Explored<Lost>, Stop> {
        let before = self.prover.as_ref().map_or((0, 0), |prover| (prover.queries, prover.cache_hits));
        let mut search = Search::new(
            &mut self.space,
            &mut self.predicates,
            &mut self.table,
            self.prover.as_mut(),
            self.config,
            self.window,
            control,
        );
        search.wanted = self.found.iter().map(Option::is_none).collect();
        let (mut round, stopped) = search.run(self.initial.as_deref());
        let after = self.prover.as_ref().map_or((0, 0), |prover| (prover.queries, prover.cache_hits));
        self.n_transitions += round.transitions;
        self.abstract_states.push(round.visited.len() as u64);
        let show = |missing: &Missing| print::show_among(self.space.model(), self.space.exprs(), missing.atom);
        self.rounds.push(lapidary_verdict::Round {
            counts: vec![
                ("concrete_states", round.concrete_states),
                ("abstract_states", round.visited.len() as u64),
                ("queries", after.0 - before.0),
                ("cache_hits", after.1 - before.1),
            ],
            new_predicates: round.missing.iter().map(show).collect(),
        });
        control.emit(&Event::Iteration(Iteration {
            i: self.rounds.len() as u64,
            abs_states: round.visited.len() as u64,
            abs_trans: round.transitions,
            predicates: self.predicates.len() as u64,
            refiner: "exactness".to_owned(),
            ..Iteration::default()
        }));
        for (known, found) in self.found.iter_mut().zip(&mut round.found) {
            if known.is_none() {
                *known = found.take();
            }
        }
        let missing = std::mem::take(&mut round.missing);
        let inexact = std::mem::take(&mut round.inexact);
        let needs_more_inputs = round.needs_more_inputs;
        self.last = round;
        if self.found.iter().all(Option::is_some) {
            return Ok(Explored::Genuine);
        }
        match stopped {
            Some(stop) => Err(stop),
            None if inexact.is_empty() && self.prover.is_some() => Ok(Explored::Safe),
            None => Ok(Explored::Candidate(Lost { missing, inexact, needs_more_inputs })),
        }
    }

    fn refine(&mut self, lost: Lost, _control: &Control) -> Result<Refined, Stop> {
        let mut is_finer = self.add(&lost.missing);
        let tries = self.config.inputs == Inputs::Enumerate || self.prover.is_none();
        if tries && lost.needs_more_inputs && self.window < LAST_WINDOW {
            self.window *= 2;
            is_finer = true;
        }
        let is_progress = self.makes_progress(&lost.inexact);
        let (mut to_concretise, mut seen): (Vec<State>, Set<State>) = (Vec::new(), Set::default());
        let limit = self.config.concretise.filter(|_| self.prover.is_some());
        for transition in lost.inexact {
            let Some(most) = limit else { break };
            let state = transition.0.clone();
            let n_rounds = match is_progress {
                true => self.inexact.get(&transition).copied().unwrap_or(0),
                false => {
                    let n_rounds = self.inexact.entry(transition).or_default();
                    *n_rounds += 1;
                    *n_rounds
                }
            };
            if (n_rounds >= most || !is_finer) && seen.insert(state.clone()) {
                to_concretise.push(state);
            }
        }
        for state in to_concretise {
            let equations = self.concretised(&state);
            is_finer |= self.add(&equations);
        }
        match is_finer {
            true => Ok(Refined::Finer),
            false if self.prover.is_none() => {
                let why = "without a solver nothing can be proved, and no further predicates were found";
                Err(Stop::NoAnswer(why.to_owned()))
            }
            false => {
                Err(Stop::Incomplete("no further predicates were found, but the abstraction is not exact".to_owned()))
            }
        }
    }
}

/// The initial states, where they are not too many.
fn listed(space: &Space<'_>, most: u64, control: &Control) -> Result<Option<Vec<State>>, Stop> {
    let model = space.model();
    // The solver finds what a statement leads to.
    if model.start != Statement::Skip {
        return Ok(None);
    }
    let mut pool = Pool::new(model);
    // Arrays and wide bit-vectors have no place in registers, and the solver lists their values.
    let fit = fit::words(model, &[], control);
    let mut initial = match fit.and_then(|()| Initial::new(model, &mut pool, control)) {
        Ok(initial) => initial,
        Err(Halt::TooMuch(_)) => return Ok(None),
        Err(Halt::Stopped(stop)) => return Err(stop),
    };
    initial.link(&pool);
    let mut registers = pool.registers();
    let mut states: Vec<State> = Vec::new();
    let too_many = Stop::Incomplete(String::new());
    let listed = initial::enumerate_within(most, &initial, &mut registers, control, &mut |values| {
        if states.len() >= MAX_INITIAL {
            return Err(too_many.clone());
        }
        states.push(values[..model.vars.len()].into());
        Ok(())
    });
    match listed {
        Ok(true) => Ok(Some(states)),
        Ok(false) => Ok(None),
        Err(stop) if stop == too_many => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// No answer for any target.
pub fn nothing(n_targets: usize, stop: Stop, start: Instant) -> Vec<Answer> {
    let stats = Stats { search_seconds: start.elapsed().as_secs_f64(), ..Stats::default() };
    let answer = || Answer {
        outcome: Outcome::Unknown(stop.clone()),
        stats: stats.clone(),
        known: None,
        never_enabled: Vec::new(),
    };
    (0..n_targets).map(|_| answer()).collect()
}
