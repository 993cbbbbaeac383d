//! Induction steps: after `k` states that avoid a target, is the next one bound to avoid it too?

use lapidary_base::Stop;
use lapidary_base::hash::Set;
use lapidary_ir::{Domain, Expr};
use lapidary_smt::encode::Unrolling;
use lapidary_smt::{FullSolver, Sat};
use lapidary_verdict::{Formula, Induction};

use super::Work;
use super::candidates::Lemmas;

/// Runs of `k` steps from any configuration.
pub struct StepCase<'c> {
    unrolling: Unrolling,
    solver: Box<dyn FullSolver + 'c>,
    /// Assumed where states are to differ.
    simple: Expr,
    /// The pairs of states that differ where `simple` is assumed.
    pairs: Set<(usize, usize)>,
    /// Formulas that hold in every reachable state.
    lemmas: Option<Lemmas<'c>>,
    /// What is assumed where a lemma is used.
    flags: Vec<Expr>,
}

impl<'c> StepCase<'c> {
    pub fn new(work: &mut Work<'_, 'c>) -> Result<Self, Stop> {
        let mut unrolling = Unrolling::new(&mut work.formulas.terms);
        let mut solver = work.open()?;
        for &part in &work.formulas.encoding.always {
            let part = unrolling.at_step(&work.formulas.terms, 0, part);
            solver.assert(&work.formulas.terms, part)?;
        }
        let simple = work.formulas.terms.fresh("simple", Domain::Bool);
        let simple = work.formulas.terms.exprs().var(simple);
        Ok(Self { unrolling, solver, simple, pairs: Set::default(), lemmas: None, flags: Vec::new() })
    }

    pub fn k(&self) -> u32 {
        u32::try_from(self.unrolling.n_steps()).unwrap_or(u32::MAX)
    }

    pub fn grow(&mut self, work: &mut Work<'_, '_>) -> Result<(), Stop> {
        let formulas = self.unrolling.step(&mut work.formulas.terms, &work.formulas.encoding, work.control)?;
        work.assert(&mut *self.solver, formulas)?;
        self.recall(work, self.unrolling.n_steps())
    }

    pub fn n_lemmas(&self) -> usize {
        self.flags.len()
    }

    pub fn adopt(&mut self, work: &mut Work<'_, '_>, lemmas: Lemmas<'c>) -> Result<(), Stop> {
        for i in 0..lemmas.list.len() {
            let flag = work.formulas.terms.fresh(format!("lemma{i}"), Domain::Bool);
            self.flags.push(work.formulas.terms.exprs().var(flag));
        }
        self.lemmas = Some(lemmas);
        (0..=self.unrolling.n_steps()).try_for_each(|step| self.recall(work, step))
    }

    /// The lemmas about one of the states, each where it is used.
    fn recall(&mut self, work: &Work<'_, '_>, step: usize) -> Result<(), Stop> {
        let Some(lemmas) = &self.lemmas else { return Ok(()) };
        for (&lemma, &flag) in lemmas.list.iter().zip(&self.flags) {
            let here = self.unrolling.at_step(&work.formulas.terms, step, lemma);
            work.assert(&mut *self.solver, [work.formulas.terms.exprs().implies(flag, here)])?;
        }
        Ok(())
    }

    /// The induction step for avoiding a target, if it succeeds. States are told apart only as far as need be.
    pub fn proof(&mut self, work: &mut Work<'_, '_>, target: usize) -> Result<Option<Induction>, Stop> {
        let exprs = &work.formulas.terms.exprs().clone();
        let (k, goal) = (self.unrolling.n_steps(), work.formulas.goals[target]);
        let avoided = exprs.not(goal);
        let mut assumptions: Vec<Expr> =
            (0..k).map(|i| self.unrolling.at_step(&work.formulas.terms, i, avoided)).collect();
        assumptions.push(self.unrolling.at_step(&work.formulas.terms, k, goal));
        assumptions.push(self.simple);
        assumptions.extend(&self.flags);
        loop {
            match work.ask(&mut *self.solver, &assumptions)? {
                Sat::No => break,
                Sat::Unknown(_) => return Ok(None),
                Sat::Yes if !self.tell_apart(work, k)? => return Ok(None),
                Sat::Yes => {}
            }
        }
        let core = self.solver.core()?;
        let used = (0..self.flags.len()).filter(|&i| core.contains(&self.flags[i])).collect();
        let lemmas = match &mut self.lemmas {
            Some(lemmas) => lemmas.closure(work, used)?,
            None => Vec::new(),
        };
        let formula = exprs.and(std::iter::once(avoided).chain(lemmas));
        let formula = Formula::new(exprs, formula);
        Ok(Some(Induction { k: self.k(), formula, is_simple: core.contains(&self.simple) }))
    }

    /// Asserts that states differ which are the same in the run that the solver has found; none are, if that is false.
    fn tell_apart(&mut self, work: &Work<'_, '_>, k: usize) -> Result<bool, Stop> {
        let run = self.unrolling.run(&work.formulas.terms, &work.formulas.encoding, &mut *self.solver, k);
        let run = match run {
            Ok(run) => Some(run),
            Err(Stop::Overflow(_)) => None,
            Err(stop) => return Err(stop),
        };
        let is_same = |a: usize, b: usize| run.as_ref().is_none_or(|run| run.states[a] == run.states[b]);
        let mut is_new = false;
        for b in 1..=k {
            for a in 0..b {
                if is_same(a, b) && self.pairs.insert((a, b)) {
                    is_new = true;
                    let differ = self.unrolling.differ(&work.formulas.terms, a, b);
                    work.assert(&mut *self.solver, [work.formulas.terms.exprs().implies(self.simple, differ)])?;
                }
            }
        }
        Ok(is_new)
    }
}
