//! Checks abstract blocks: they contain the initial states, no step leads out of them, and no state in them spoils a
//! claim.
//!
//! Whether all successors of a block are in blocks is asked with examples: the solver shows a successor, the interpreter
//! finds a block that it is in, and the solver is asked for a successor outside of the blocks found so far, until there
//! is none.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use lapidary_base::IdVec;
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, VarId};
use lapidary_verdict::Blocks;

use super::execution::{self, Ending, Move, Pool};
use super::members::{self, Members};
use super::objection::{self, nonsense};
use super::talk::Talk;
use super::target;
use super::view::View;
use super::word::Word;
use super::{check_defined, named, symbols};
use crate::Rejection;
use crate::certify::Claim;
use crate::threads::side_by_side;

/// Fewer groups of blocks than this are not worth another thread.
const GROUPS_PER_THREAD: usize = 16;

pub fn check(model: &Model, claims: &[Claim], blocks: &Blocks, word: &Word<'_>) -> Result<(), Rejection> {
    let members = &Members::new(model, blocks)?;
    check_initial(members, model, word)?;
    let groups: Vec<(&[Raw], &[usize])> =
        members.groups.iter().map(|(&control, group)| (control, &group[..])).collect();
    let n_threads = word.jobs.min(groups.len() / GROUPS_PER_THREAD).max(1);
    // The objection to the first group that has one is told, however many threads there are.
    let first_bad = AtomicUsize::new(usize::MAX);
    let work = |thread: usize| {
        let mut worker = Worker::new(members, model, claims, word);
        for (number, &(control, group)) in groups.iter().enumerate().skip(thread).step_by(n_threads) {
            if first_bad.load(Ordering::Relaxed) < number {
                break;
            }
            if let Err(rejection) = worker.group(control, group) {
                first_bad.fetch_min(number, Ordering::Relaxed);
                return Some((number, rejection));
            }
        }
        None
    };
    let found = side_by_side(0..n_threads, work).into_iter().flatten().min_by_key(|(number, _)| *number);
    found.map_or(Ok(()), |(_, rejection)| Err(rejection))
}

/// Every predicate has a value everywhere, and every initial state is in a block.
fn check_initial(members: &Members<'_>, model: &Model, word: &Word<'_>) -> Result<(), Rejection> {
    let mut talk = Talk::new(model, word);
    for (number, &predicate) in members.predicates.iter().enumerate() {
        check_defined(&mut talk, predicate, &members::predicate_name(number))?;
    }
    let mut view = View::new(model, BTreeMap::new());
    let conditions = execution::configuration(&talk.terms, &mut view);
    talk.assert_all(conditions)?;
    let initial = execution::initial(&mut talk.terms, &mut view, word.control)?;
    talk.assert_all(initial)?;
    let mut found = Vec::new();
    while talk.is_possible()? {
        let state = talk.state(&view)?;
        match members.find(&state)? {
            None => return Err(talk.object(objection::not_initially(model, &state))),
            Some(number) if found.contains(&number) => return Err(nonsense("an initial state")),
            Some(number) => {
                found.push(number);
                let inside = members.contains(&talk.terms, number, &mut view);
                talk.assert(model.exprs.not(inside))?;
            }
        }
    }
    Ok(())
}

/// A move from the blocks of a group, and the state after it with names.
struct Step<'a> {
    from: Move<'a>,
    after: View<'a>,
    conditions: Vec<Expr>,
}

/// Looks at groups of blocks, one after the other, in one conversation.
struct Worker<'a> {
    members: &'a Members<'a>,
    model: &'a Model,
    claims: &'a [Claim],
    talk: Talk<'a>,
    pool: Pool,
    names: IdVec<VarId, VarId>,
}

impl<'a> Worker<'a> {
    fn new(members: &'a Members<'a>, model: &'a Model, claims: &'a [Claim], word: &'a Word<'a>) -> Self {
        let mut talk = Talk::new(model, word);
        let names = symbols(&mut talk.terms, "'");
        Self { members, model, claims, talk, pool: Pool::default(), names }
    }

    /// Blocks with the same values of control variables: these are put in as constants, which decides most guards.
    fn group(&mut self, control: &[Raw], group: &[usize]) -> Result<(), Rejection> {
        let mut view = self.members.view(&self.talk.terms, control);
        let control = self.talk.control();
        let moves = execution::moves(&mut self.talk.terms, &mut self.pool, &view, Ending::InConditions, control)?;
        let mut suspects = Vec::with_capacity(self.claims.len());
        for &claim in self.claims {
            suspects.push((claim, target::spoils(&self.talk.terms, &mut view, &moves, claim, self.talk.control())?));
        }
        let mut steps: Vec<Step<'a>> = moves.into_iter().map(|from| self.step(from)).collect();
        self.talk.push()?;
        let conditions = execution::configuration(&self.talk.terms, &mut view);
        self.talk.assert_all(conditions)?;
        for &number in group {
            self.talk.push()?;
            let literals = self.members.literals(number, &mut view);
            self.talk.assert_all(literals)?;
            self.check_claims(number, &view, &suspects)?;
            for step in &mut steps {
                self.check_step(number, &view, step)?;
            }
            self.talk.pop()?;
        }
        self.talk.pop()
    }

    fn step(&self, from: Move<'a>) -> Step<'a> {
        let (after, equations) = named(&from, &self.names);
        let conditions = from.all_conditions(&self.talk.terms).into_iter().chain(equations).collect();
        Step { from, after, conditions }
    }

    fn check_claims(&mut self, number: usize, view: &View<'a>, suspects: &[(Claim, Expr)]) -> Result<(), Rejection> {
        for &(claim, spoils) in suspects {
            if let Some(state) = self.talk.example(&[spoils], view)? {
                let objection = match self.members.is_in(number, &state) {
                    true => objection::spoils(self.model, claim, &state),
                    false => nonsense("a state of a block"),
                };
                return Err(self.talk.object(objection));
            }
        }
        Ok(())
    }

    fn check_step(&mut self, number: usize, view: &View<'a>, step: &mut Step<'a>) -> Result<(), Rejection> {
        self.talk.push()?;
        self.talk.assert_all(step.conditions.iter().copied())?;
        let mut found = Vec::new();
        while self.talk.is_possible()? {
            let next = self.talk.state(&step.after)?;
            match self.members.find(&next)? {
                None => {
                    let state = self.talk.state(view)?;
                    let objection = match self.members.is_in(number, &state) {
                        true => objection::leaves(self.model, step.from.command, &state, &next),
                        false => nonsense("a state of a block"),
                    };
                    return Err(self.talk.object(objection));
                }
                Some(other) if found.contains(&other) => return Err(nonsense("a successor")),
                Some(other) => {
                    found.push(other);
                    let inside = self.members.contains(&self.talk.terms, other, &mut step.after);
                    self.talk.assert(self.model.exprs.not(inside))?;
                }
            }
        }
        self.talk.pop()
    }
}
