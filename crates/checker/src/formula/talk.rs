//! One conversation about a certificate. The solver is opened when the first question needs it: what terms alone decide
//! is decided without one. A question that it gives up goes to the solver that was named, which hears it whole.

use lapidary_base::{Control, Stop};
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, Node, VarId};
use lapidary_smt::{Backend, FullSolver, Sat, Terms};

use super::view::View;
use super::word::Word;
use crate::Rejection;
use crate::apply;
use crate::words;

pub struct Talk<'a> {
    pub terms: Terms<'a>,
    word: &'a Word<'a>,
    solver: Option<Box<dyn FullSolver + 'a>>,
    /// The solver that has an example where the first one gave up; until anything is said.
    second: Option<Box<dyn FullSolver + 'a>>,
    /// What holds, by levels.
    frames: Vec<Vec<Expr>>,
}

impl<'a> Talk<'a> {
    pub fn new(model: &'a Model, word: &'a Word<'a>) -> Self {
        Self { terms: Terms::within(model), word, solver: None, second: None, frames: vec![Vec::new()] }
    }

    /// The limits of the check.
    pub fn control(&self) -> &'a Control {
        self.word.control
    }

    pub fn push(&mut self) -> Result<(), Rejection> {
        self.second = None;
        self.frames.push(Vec::new());
        if let Some(solver) = &mut self.solver {
            solver.push()?;
        }
        Ok(())
    }

    pub fn pop(&mut self) -> Result<(), Rejection> {
        self.second = None;
        self.frames.pop();
        if let Some(solver) = &mut self.solver {
            solver.pop()?;
        }
        Ok(())
    }

    pub fn assert(&mut self, formula: Expr) -> Result<(), Rejection> {
        if self.terms.exprs().as_bool(formula) == Some(true) {
            return Ok(());
        }
        self.second = None;
        self.frames.last_mut().expect("a level for each push").push(formula);
        if let Some(solver) = &mut self.solver {
            solver.assert(&self.terms, formula)?;
        }
        Ok(())
    }

    pub fn assert_all(&mut self, formulas: impl IntoIterator<Item = Expr>) -> Result<(), Rejection> {
        formulas.into_iter().try_for_each(|formula| self.assert(formula))
    }

    /// Can everything that was asserted hold together?
    pub fn is_possible(&mut self) -> Result<bool, Rejection> {
        let e = self.terms.exprs();
        if self.frames.iter().flatten().any(|&formula| e.as_bool(formula) == Some(false)) {
            return Ok(false);
        }
        self.second = None;
        match self.ask_first()? {
            Sat::Yes => Ok(true),
            Sat::No => {
                self.word.believe_first();
                Ok(false)
            }
            Sat::Unknown(why) => self.ask_second(&why),
        }
    }

    fn ask_first(&mut self) -> Result<Sat, Stop> {
        if self.solver.is_none() {
            self.solver = Some(self.told(self.word.first())?);
        }
        let solver = self.solver.as_mut().expect("it was opened");
        solver.check(&self.terms, &[])
    }

    /// The first solver gave up; `why` says how.
    fn ask_second(&mut self, why: &str) -> Result<bool, Rejection> {
        let Some(named) = self.word.second() else {
            return Err(stopped(format!("the solver gave up a question about the certificate: {why}")));
        };
        let mut second = self.told(named)?;
        match second.check(&self.terms, &[])? {
            Sat::Yes => {
                self.second = Some(second);
                Ok(true)
            }
            Sat::No => {
                self.word.believe_second(named);
                Ok(false)
            }
            Sat::Unknown(again) => Err(stopped(format!(
                "the built-in solver gave up a question about the certificate ({why}), and so did {} ({again})",
                named.word()
            ))),
        }
    }

    /// A solver that was told everything.
    fn told(&self, backend: &Backend) -> Result<Box<dyn FullSolver + 'a>, Stop> {
        let mut solver = backend.open(self.word.control)?;
        for (level, frame) in self.frames.iter().enumerate() {
            if level > 0 {
                solver.push()?;
            }
            frame.iter().try_for_each(|&formula| solver.assert(&self.terms, formula))?;
        }
        Ok(solver)
    }

    /// What is to be said of the example that answered the last question. If it is a true objection, and the solver
    /// that was named denies of the very same question that there is an example, that one is caught lying.
    pub fn object(&mut self, objection: Rejection) -> Rejection {
        let (Rejection::Wrong(why), Some(named), None) = (&objection, self.word.second(), &self.second) else {
            return objection;
        };
        let denies = self.told(named).and_then(|mut solver| solver.check(&self.terms, &[]));
        match denies {
            Ok(Sat::No) => Rejection::Stopped(Stop::Solver(format!(
                "the solver {} lies: it answers unsat where the built-in solver finds that {why}",
                named.word()
            ))),
            Ok(Sat::Yes | Sat::Unknown(_)) | Err(_) => objection,
        }
    }

    /// Does the solver that was named say that all this can hold together, and the first one that it cannot?
    pub fn is_invented(&mut self) -> Result<bool, Rejection> {
        let Some(named) = self.word.second() else { return Ok(false) };
        if self.ask_first()? != Sat::No {
            return Ok(false);
        }
        let answer = self.told(named)?.check(&self.terms, &[])?;
        Ok(answer == Sat::Yes)
    }

    /// [`is_possible`](Self::is_possible) with these formulas for this question only; if so, the state of a view in an
    /// example, and the question stays, to be objected to.
    pub fn example(&mut self, with: &[Expr], view: &View<'_>) -> Result<Option<Vec<Raw>>, Rejection> {
        self.push()?;
        self.assert_all(with.iter().copied())?;
        if self.is_possible()? {
            return Ok(Some(self.state(view)?));
        }
        self.pop()?;
        Ok(None)
    }

    /// The state of a view in the example that the solver has. Values in views that are asked for are constants and
    /// symbols.
    pub fn state(&mut self, view: &View<'_>) -> Result<Vec<Raw>, Rejection> {
        let model = self.terms.model();
        let mut symbols: Vec<VarId> = Vec::new();
        for var in model.vars.ids() {
            if let Node::Var(symbol) = model.exprs.node(view.value(var)) {
                symbols.push(*symbol);
            }
        }
        let solver = self
            .second
            .as_mut()
            .or(self.solver.as_mut())
            .ok_or_else(|| stopped("there is no solver to ask for values".to_owned()))?;
        let found = solver.values(&self.terms, &symbols)?;
        if found.len() != symbols.len() {
            return Err(stopped("the solver does not give a value for every variable".to_owned()));
        }
        let mut found = found.into_iter();
        let mut state = Vec::with_capacity(model.vars.len());
        for var in model.vars.ids() {
            let value = match model.exprs.node(view.value(var)) {
                Node::Var(_) => found.next(),
                _ => words::constant(model, view.value(var)),
            };
            // What stands for a bit-vector or an array is looked up by everyone who reads it.
            let value = value.filter(|&value| apply::is_value(model, model.vars[var].domain, value));
            state.push(value.ok_or_else(|| stopped(format!("the solver has no value of {}", model.vars[var].name)))?);
        }
        Ok(state)
    }
}

/// The check cannot go on, which says nothing about the certificate.
pub fn stopped(why: String) -> Rejection {
    Rejection::Stopped(Stop::NoAnswer(why))
}
