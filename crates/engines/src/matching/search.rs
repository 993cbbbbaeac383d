//! Procedure aSEARCH of the paper: concrete states are executed, abstract states are stored and matched, and every
//! explored transition is checked for exactness.

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Event, Stop};
use lapidary_ir::{Action, CommandId, Expr, VarId};
use lapidary_smt::encode::{AtomTable, Normal, Shape};
use lapidary_verdict::{State, Trace};

use super::inputs::{self, Reached};
use super::literals::Spot;
use super::predicates::{Bits, Predicates, is_small};
use super::prover::Prover;
use super::space::{LocationId, Space, Tests};
use super::{Config, Inputs};

const HEARTBEAT: u64 = 1 << 12;
/// A round that found all it looked for visits at most this many states more: others might have no end.
const MAX_REST: usize = 1 << 10;

/// A visited state.
pub struct Visited {
    pub state: State,
    pub at: LocationId,
    pub block: Bits,
    parent: Option<(u32, CommandId)>,
    depth: u32,
}

/// A predicate that was found missing.
pub struct Missing {
    pub atom: Expr,
    /// Where it is missing, if predicates are local.
    pub at: Option<Tests>,
}

/// A transition that was not shown to be exact: the state, and the number of the path.
pub type Inexact = (State, usize);

/// What one round found.
#[derive(Default)]
pub struct Round {
    pub visited: Vec<Visited>,
    /// One more for every initial state that was taken and every transition that was fired.
    pub concrete_states: u64,
    pub transitions: u64,
    pub missing: Vec<Missing>,
    /// Each once.
    pub inexact: Vec<Inexact>,
    /// More values of inputs have to be tried.
    pub needs_more_inputs: bool,
    /// Runs to targets, by target.
    pub found: Vec<Option<Trace>>,
    pub is_enabled: Vec<bool>,
}

/// What must be implied by the block of a state.
pub struct Obligation {
    pub formula: Expr,
    /// The move in question; none for a target.
    pub step: Option<usize>,
}

pub struct Search<'s, 'a, 'c> {
    pub space: &'s mut Space<'a>,
    pub predicates: &'s mut Predicates,
    pub table: &'s mut AtomTable,
    /// Without one, nothing is checked and everything is taken for inexact.
    pub prover: Option<&'s mut Prover<'c>>,
    pub config: &'s Config,
    /// How far from zero inputs are tried.
    pub window: i64,
    pub control: &'s Control,
    pub round: Round,
    stored: Map<(LocationId, Bits), u32>,
    /// What is in the round's list of missing predicates.
    noted: Set<(Expr, Option<Tests>)>,
    /// Targets for which no run is known from earlier rounds.
    pub wanted: Vec<bool>,
}

impl<'s, 'a, 'c> Search<'s, 'a, 'c> {
    pub fn new(
        space: &'s mut Space<'a>,
        predicates: &'s mut Predicates,
        table: &'s mut AtomTable,
        prover: Option<&'s mut Prover<'c>>,
        config: &'s Config,
        window: i64,
        control: &'s Control,
    ) -> Self {
        let found = space.targets.iter().map(|_| None).collect();
        let wanted = vec![true; space.targets.len()];
        let is_enabled = vec![false; space.model().commands.len()];
        let round = Round { found, is_enabled, ..Round::default() };
        Self {
            space,
            predicates,
            table,
            prover,
            config,
            window,
            control,
            round,
            stored: Map::default(),
            noted: Set::default(),
            wanted,
        }
    }

    /// What the round found, and why it ended early if it did. `initial` lists the initial states, if they could be listed.
    pub fn run(mut self, initial: Option<&[State]>) -> (Round, Option<Stop>) {
        let stopped = self.search(initial).err();
        (self.round, stopped)
    }

    fn search(&mut self, initial: Option<&[State]>) -> Result<(), Stop> {
        match initial {
            Some(states) => {
                for state in states {
                    self.consider(state.clone(), None)?;
                }
            }
            None => inputs::initial(self)?,
        }
        let (mut next, mut rest) = (0, MAX_REST);
        while next < self.round.visited.len() && rest > 0 {
            self.beat(next)?;
            if self.found_all() {
                rest -= 1;
            }
            self.visit(next)?;
            next += 1;
        }
        Ok(())
    }

    fn found_all(&self) -> bool {
        self.wanted.iter().zip(&self.round.found).all(|(&wanted, found)| !wanted || found.is_some())
    }

    fn beat(&self, next: usize) -> Result<(), Stop> {
        self.control.check()?;
        if let Some(most) = self.config.most_work.filter(|&most| self.round.concrete_states > most) {
            return Err(Stop::Budget(format!("{most} states")));
        }
        if (next as u64 + 1).is_multiple_of(HEARTBEAT) {
            self.control.emit(&Event::Heartbeat {
                states: self.round.visited.len() as u64,
                transitions: self.round.transitions,
                frontier: (self.round.visited.len() - next) as u64,
                depth: u64::from(self.round.visited[next].depth),
            });
        }
        Ok(())
    }

    /// A state that was generated: a target, or something new, or matched. Returns its block.
    pub fn consider(&mut self, state: State, parent: Option<(u32, CommandId)>) -> Result<(LocationId, Bits), Stop> {
        self.round.concrete_states += 1;
        let at = self.space.location_of(&state);
        for i in 0..self.round.found.len() {
            if self.round.found[i].is_none() && self.space.holds(self.space.location(at).targets[i], &state, &[])? {
                self.round.found[i] = Some(self.trace(&state, parent));
            }
        }
        let block = self.predicates.abstraction(self.space, at, &state)?;
        let number = u32::try_from(self.round.visited.len()).expect("fewer than 2^32 states");
        let key = (at, block.clone());
        if !self.stored.contains_key(&key) {
            self.stored.insert(key, number);
            let depth = parent.map_or(0, |(of, _)| self.round.visited[of as usize].depth + 1);
            self.round.visited.push(Visited { state, at, block: block.clone(), parent, depth });
        }
        Ok((at, block))
    }

    fn trace(&self, last: &State, parent: Option<(u32, CommandId)>) -> Trace {
        let (mut states, mut actions) = (vec![last.clone()], Vec::new());
        let mut parent = parent;
        while let Some((of, command)) = parent {
            let visited = &self.round.visited[of as usize];
            states.push(visited.state.clone());
            actions.push(Action::Command(command));
            parent = visited.parent;
        }
        states.reverse();
        actions.reverse();
        Trace { states, actions, loop_start: None }
    }

    /// Executes every transition of a visited state and checks that the abstraction loses nothing.
    fn visit(&mut self, number: usize) -> Result<(), Stop> {
        let Visited { state, at, block, .. } = &self.round.visited[number];
        let (state, at, block) = (state.clone(), *at, block.clone());
        let mut obligations = Vec::new();
        for i in 0..self.space.location(at).targets.len() {
            let target = self.space.location(at).targets[i];
            let formula = self.as_it_is(target, &state)?;
            obligations.push(Obligation { formula, step: None });
        }
        for step in 0..self.space.location(at).moves.len() {
            if self.space.location(at).moves[step].inputs.is_empty() {
                self.fire(number as u32, &state, at, step, &mut obligations)?;
            } else {
                self.fire_open(number as u32, &state, at, step, &mut obligations)?;
            }
        }
        self.check(&state, at, &block, &obligations)
    }

    /// The formula or its negation, whichever is true in the state.
    fn as_it_is(&self, formula: Expr, state: &[i64]) -> Result<Expr, Stop> {
        match self.space.holds(formula, state, &[])? {
            true => Ok(formula),
            false => Ok(self.space.exprs().not(formula)),
        }
    }

    fn fire(
        &mut self,
        number: u32,
        state: &State,
        at: LocationId,
        step: usize,
        obligations: &mut Vec<Obligation>,
    ) -> Result<(), Stop> {
        let exprs = self.space.exprs();
        let taken = &self.space.location(at).moves[step];
        if !self.space.is_enabled(&taken.guard, state, &[])? {
            let formula = exprs.not(exprs.and(taken.guard.iter().copied()));
            obligations.push(Obligation { formula, step: Some(step) });
            return Ok(());
        }
        obligations.extend(taken.guard.iter().map(|&formula| Obligation { formula, step: Some(step) }));
        let (command, next) = (taken.command, self.space.successor(taken, state, &[])?);
        self.round.is_enabled[lapidary_base::Id::index(command)] = true;
        self.round.transitions += 1;
        let (to, bits) = self.consider(next, Some((number, command)))?;
        let after = self.block_after(at, step, to, &bits);
        obligations.extend(after.into_iter().map(|formula| Obligation { formula, step: Some(step) }));
        Ok(())
    }

    /// The conjuncts that lead a move into a block.
    pub fn block_after(&mut self, at: LocationId, step: usize, to: LocationId, bits: &Bits) -> Vec<Expr> {
        let exprs = &self.space.exprs().clone();
        let mut conjuncts = Vec::new();
        for i in 0..self.space.control.len() {
            let (var, value) = (self.space.control[i], self.space.location(to).values[i]);
            let constant = self.space.terms.constant(self.space.terms.domain(var), value);
            let stays = self.space.location(at).values[i];
            let update = self.space.location(at).moves[step].updates.iter().find(|(updated, _)| *updated == var);
            match update {
                Some(&(_, term)) => conjuncts.push(exprs.eq(term, constant)),
                None => debug_assert_eq!(stays, value, "a control variable that is not assigned stays"),
            }
        }
        let active: Vec<u32> = self.predicates.active(self.space, to).to_vec();
        for (i, number) in active.into_iter().enumerate() {
            let atom = self.predicates.atom(number);
            let after = self.space.location_mut(at).moves[step].after(exprs, atom);
            let is_true = bits[i / 64] >> (i % 64) & 1 == 1;
            let literal = match self.table.normal(&self.space.terms, after) {
                Normal::Constant(value) => exprs.bool(value == is_true),
                Normal::Literal(literal) if literal.is_positive == is_true => literal.atom,
                Normal::Literal(literal) => exprs.not(literal.atom),
            };
            conjuncts.push(literal);
        }
        conjuncts.retain(|&part| exprs.as_bool(part) != Some(true));
        conjuncts
    }

    /// A move with inputs: one successor for every block that it can reach from this state, and the obligation that
    /// nothing else can be reached from the others of its block.
    fn fire_open(
        &mut self,
        number: u32,
        state: &State,
        at: LocationId,
        step: usize,
        obligations: &mut Vec<Obligation>,
    ) -> Result<(), Stop> {
        let exprs = &self.space.exprs().clone();
        let Reached { blocks, command } = match (self.config.inputs, self.prover.is_some()) {
            (Inputs::Solver, true) => inputs::solved(self, number, state, at, step)?,
            (Inputs::Enumerate, _) | (_, false) => inputs::enumerated(self, number, state, at, step)?,
        };
        if !blocks.is_empty() {
            self.round.is_enabled[lapidary_base::Id::index(command)] = true;
        }
        let guard = exprs.and(self.space.location(at).moves[step].guard.iter().copied());
        let mut cases = vec![exprs.not(guard)];
        for (to, bits) in &blocks {
            let parts = self.block_after(at, step, *to, bits);
            cases.push(exprs.and(parts));
        }
        obligations.push(Obligation { formula: exprs.or(cases), step: Some(step) });
        Ok(())
    }

    /// The hypotheses that a block stands for.
    pub fn hypotheses(&mut self, at: LocationId, block: &Bits) -> Vec<Expr> {
        let exprs = self.space.exprs();
        let active: Vec<u32> = self.predicates.active(self.space, at).to_vec();
        let literal = |(i, number): (usize, u32)| {
            let atom = self.predicates.atom(number);
            if block[i / 64] >> (i % 64) & 1 == 1 { atom } else { exprs.not(atom) }
        };
        let mut given: Vec<Expr> = active.into_iter().enumerate().map(literal).collect();
        given.extend(&self.space.location(at).facts);
        given
    }

    fn check(&mut self, state: &State, at: LocationId, block: &Bits, obligations: &[Obligation]) -> Result<(), Stop> {
        let simplified = |obligation: &Obligation| self.table.simplified(&self.space.terms, obligation.formula);
        let formulas: Vec<Expr> = obligations.iter().map(simplified).collect();
        let given = self.hypotheses(at, block);
        let implied = match &mut self.prover {
            Some(prover) => prover.implied(self.space, &given, &formulas)?,
            None => vec![false; formulas.len()],
        };
        for (obligation, _) in obligations.iter().zip(implied).filter(|(_, implied)| !implied) {
            let exact_path = obligation.step.map(|step| self.space.location(at).moves[step].path);
            // A target that is not told apart is noted under a number that no path has.
            let transition = (state.clone(), exact_path.unwrap_or(usize::MAX));
            // The obligations of a path follow each other.
            if self.round.inexact.last() != Some(&transition) {
                self.round.inexact.push(transition);
            }
            let taken = obligation.step.map(|step| (step, &self.space.location(at).moves[step]));
            let atoms = match taken {
                Some((step, taken)) if !taken.inputs.is_empty() => {
                    inputs::separating(self, state, at, step, &given, obligation.formula)?
                }
                Some((_, taken)) if taken.shape == Shape::Merged => self.deciding(obligation.formula, state, &[])?,
                Some(_) | None => self.table.of_formula(&self.space.terms, obligation.formula),
            };
            self.note(at, obligation.step, &atoms);
            self.control.check()?;
            let n_missing = self.round.missing.len() as u64;
            if let Some(most) = self.config.most_work.filter(|&most| n_missing > most) {
                return Err(Stop::Budget(format!("{most} missing predicates")));
            }
        }
        Ok(())
    }

    /// The atoms that decide a formula about merged ways in a state, in their form.
    pub fn deciding(&mut self, formula: Expr, state: &State, inputs: &[(VarId, i64)]) -> Result<Vec<Expr>, Stop> {
        let atoms = Spot { space: self.space, state, inputs }.deciding(formula)?;
        Ok(self.table.of_formulas(&self.space.terms, &atoms))
    }

    fn note(&mut self, at: LocationId, step: Option<usize>, atoms: &[Expr]) {
        let location = self.space.location(at);
        let tests: Option<Tests> = self.config.is_local.then(|| match step {
            Some(step) => location.moves[step].tests.clone(),
            None => location.values.iter().copied().enumerate().collect(),
        });
        for &atom in atoms {
            let is_new = !self.predicates.is_active(atom, &location.values) && is_small(self.space.exprs(), atom);
            if is_new && self.noted.insert((atom, tests.clone())) {
                self.round.missing.push(Missing { atom, at: tests.clone() });
            }
        }
    }
}
