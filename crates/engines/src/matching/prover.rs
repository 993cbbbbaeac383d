//! Validity questions: cached, tried on known counterexamples, and asked together where that decides the same.

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_ir::{Expr, VarId};
use lapidary_smt::{Backend, FullSolver, Sat, Terms};

use super::space::Space;

/// At most so many counterexamples are kept for one set of hypotheses.
const MAX_KEPT: usize = 32;

pub struct Prover<'c> {
    solver: Box<dyn FullSolver + 'c>,
    /// Every conjunct is a question of its own, after the question whether it is a tautology.
    is_plain: bool,
    most_queries: Option<u64>,
    /// Hypotheses by what they are.
    hypotheses: Map<Vec<Expr>, u32>,
    /// Whether hypotheses imply a formula.
    cache: Map<(u32, Expr), bool>,
    /// States that satisfy hypotheses, and that refuted something.
    refuting: Map<u32, Vec<Values>>,
    pub queries: u64,
    pub cache_hits: u64,
}

/// Values of the variables, then of inputs.
struct Values {
    state: Vec<i64>,
    inputs: Vec<(VarId, i64)>,
}

/// The hypotheses of tautologies.
const NOTHING: u32 = 0;

impl<'c> Prover<'c> {
    /// `always` is taken for granted in all questions.
    pub fn new(
        backend: &Backend,
        space: &Space<'_>,
        is_plain: bool,
        most_queries: Option<u64>,
        control: &'c Control,
    ) -> Result<Self, Stop> {
        let mut solver = backend.briefly().open(control)?;
        for &part in &space.always {
            solver.assert(&space.terms, part)?;
        }
        let hypotheses = [(Vec::new(), NOTHING)].into_iter().collect();
        Ok(Self {
            solver,
            is_plain,
            most_queries,
            hypotheses,
            cache: Map::default(),
            refuting: Map::default(),
            queries: 0,
            cache_hits: 0,
        })
    }

    /// Which of the formulas do the hypotheses imply? What the solver cannot decide counts as not implied.
    pub fn implied(&mut self, space: &Space<'_>, given: &[Expr], formulas: &[Expr]) -> Result<Vec<bool>, Stop> {
        let next = self.hypotheses.len() as u32;
        let id = match self.hypotheses.get(given) {
            Some(&id) => id,
            None => *self.hypotheses.entry(given.to_vec()).or_insert(next),
        };
        let mut answers = Vec::with_capacity(formulas.len());
        let mut open: Vec<Expr> = Vec::new();
        for &formula in formulas {
            let known = match space.exprs().as_bool(formula) {
                Some(value) => Some(value),
                None if given.contains(&formula) => Some(true),
                None => self.known(space, id, formula),
            };
            if known.is_none() && !open.contains(&formula) {
                open.push(formula);
            }
            answers.push(known);
        }
        self.decide(space, id, given, &open)?;
        let settled = |(known, formula): (Option<bool>, &Expr)| known.unwrap_or_else(|| self.cache[&(id, *formula)]);
        Ok(answers.into_iter().zip(formulas).map(settled).collect())
    }

    fn known(&mut self, space: &Space<'_>, id: u32, formula: Expr) -> Option<bool> {
        if let Some(&known) = self.cache.get(&(id, formula)) {
            self.cache_hits += 1;
            return Some(known);
        }
        if self.is_plain {
            return None;
        }
        let refutes = |values: &Values| space.value(formula, &values.state, &values.inputs) == Some(0);
        if self.refuting.get(&id).is_some_and(|kept| kept.iter().any(refutes)) {
            self.cache_hits += 1;
            self.cache.insert((id, formula), false);
            return Some(false);
        }
        None
    }

    fn decide(&mut self, space: &Space<'_>, id: u32, given: &[Expr], open: &[Expr]) -> Result<(), Stop> {
        if open.is_empty() {
            return Ok(());
        }
        if self.is_plain {
            return self.one_by_one(space, id, given, open);
        }
        self.solver.push()?;
        for &part in given {
            self.solver.assert(&space.terms, part)?;
        }
        let decided = self.together(space, id, open);
        self.solver.pop()?;
        decided
    }

    /// All at once: if some are not implied, the counterexample says which ones, and the others are asked again. This
    /// decides the same as asking one by one.
    fn together(&mut self, space: &Space<'_>, id: u32, open: &[Expr]) -> Result<(), Stop> {
        let exprs = space.exprs();
        let mut open = open.to_vec();
        while !open.is_empty() {
            let some_fails = exprs.or(open.iter().map(|&formula| exprs.not(formula)));
            match self.ask(&space.terms, some_fails)? {
                Sat::No => {
                    open.drain(..).for_each(|formula| _ = self.cache.insert((id, formula), true));
                }
                Sat::Yes => match self.refuted(space, id, &open) {
                    Some(refuted) => {
                        open.retain(|formula| !refuted.contains(formula));
                        refuted.into_iter().for_each(|formula| _ = self.cache.insert((id, formula), false));
                    }
                    None => return self.alone(space, id, &open),
                },
                Sat::Unknown(_) => return self.alone(space, id, &open),
            }
        }
        Ok(())
    }

    /// Each by itself; the hypotheses are asserted.
    fn alone(&mut self, space: &Space<'_>, id: u32, open: &[Expr]) -> Result<(), Stop> {
        for &formula in open {
            let answer = self.ask(&space.terms, space.exprs().not(formula))?;
            self.cache.insert((id, formula), answer == Sat::No);
        }
        Ok(())
    }

    /// As the paper has it: first whether the formula is a tautology, then whether it follows.
    fn one_by_one(&mut self, space: &Space<'_>, id: u32, given: &[Expr], open: &[Expr]) -> Result<(), Stop> {
        for &formula in open {
            let refuted = space.exprs().not(formula);
            let is_tautology = match self.cache.get(&(NOTHING, formula)) {
                Some(&known) => known,
                None => {
                    let answer = self.ask(&space.terms, refuted)?;
                    *self.cache.entry((NOTHING, formula)).or_insert(answer == Sat::No)
                }
            };
            let follows = is_tautology || {
                self.solver.push()?;
                for &part in given {
                    self.solver.assert(&space.terms, part)?;
                }
                let answer = self.ask(&space.terms, refuted);
                self.solver.pop()?;
                answer? == Sat::No
            };
            self.cache.insert((id, formula), follows);
        }
        Ok(())
    }

    /// The formulas that the solver's model refutes; `None` where it cannot be told of any.
    fn refuted(&mut self, space: &Space<'_>, id: u32, open: &[Expr]) -> Option<Vec<Expr>> {
        let all: Vec<VarId> = space.data.iter().chain(&space.inputs).copied().collect();
        let found = self.solver.values(&space.terms, &all).ok()?;
        let mut state = vec![0; space.model().vars.len()];
        for (&var, &value) in space.data.iter().zip(&found) {
            state[lapidary_base::Id::index(var)] = value;
        }
        let inputs = space.inputs.iter().copied().zip(found[space.data.len()..].iter().copied()).collect();
        let values = Values { state, inputs };
        let fails = |&formula: &Expr| space.value(formula, &values.state, &values.inputs) == Some(0);
        let refuted: Vec<Expr> = open.iter().copied().filter(fails).collect();
        if refuted.is_empty() {
            return None;
        }
        let kept = self.refuting.entry(id).or_default();
        if kept.len() < MAX_KEPT {
            kept.push(values);
        }
        Some(refuted)
    }

    fn ask(&mut self, terms: &Terms<'_>, formula: Expr) -> Result<Sat, Stop> {
        self.count()?;
        self.solver.check(terms, &[formula])
    }

    /// Values of the inputs with which some state that satisfies the hypotheses breaks the formula; `None` where the solver
    /// finds none.
    pub fn breaking(
        &mut self,
        space: &Space<'_>,
        given: &[Expr],
        formula: Expr,
        inputs: &[VarId],
    ) -> Result<Option<Vec<(VarId, i64)>>, Stop> {
        self.solver.push()?;
        for &part in given {
            self.solver.assert(&space.terms, part)?;
        }
        let sat = self.ask(&space.terms, space.exprs().not(formula));
        let values = match &sat {
            Ok(Sat::Yes) => Some(self.solver.values(&space.terms, inputs)),
            Ok(Sat::No | Sat::Unknown(_)) | Err(_) => None,
        };
        self.solver.pop()?;
        sat?;
        match values {
            Some(Ok(values)) => Ok(Some(inputs.iter().copied().zip(values).collect())),
            // Numbers that are too long help nobody.
            Some(Err(Stop::Overflow(_))) | None => Ok(None),
            Some(Err(stop)) => Err(stop),
        }
    }

    /// States or inputs that satisfy all conjuncts, one after the other: after each, `next` says what to exclude. True if
    /// there are no more, false if the solver gave up or `next` did.
    pub fn each_model(
        &mut self,
        terms: &Terms<'_>,
        conjuncts: &[Expr],
        vars: &[VarId],
        next: &mut dyn FnMut(Vec<i64>) -> Result<Option<Expr>, Stop>,
    ) -> Result<bool, Stop> {
        self.solver.push()?;
        for &part in conjuncts {
            self.solver.assert(terms, part)?;
        }
        let complete = loop {
            self.count()?;
            match self.solver.check(terms, &[])? {
                Sat::No => break true,
                Sat::Unknown(_) => break false,
                Sat::Yes => {}
            }
            let found = self.solver.values(terms, vars)?;
            match next(found)? {
                Some(rest) => self.solver.assert(terms, rest)?,
                None => break false,
            }
        };
        self.solver.pop()?;
        Ok(complete)
    }

    fn count(&mut self) -> Result<(), Stop> {
        self.queries += 1;
        match self.most_queries {
            Some(most) if self.queries > most => Err(Stop::Budget(format!("{most} questions"))),
            _ => Ok(()),
        }
    }
}
