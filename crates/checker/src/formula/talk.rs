//! One conversation with a solver. The solver is opened when the first question needs it: what terms alone decide is
//! decided without one.

use lapidary_base::Stop;
use lapidary_ir::model::Raw;
use lapidary_ir::{Expr, Model, Node, VarId};
use lapidary_smt::{FullSolver, Sat, Terms};

use super::view::View;
use crate::Rejection;
use crate::certify::Means;
use crate::words;

pub struct Talk<'a> {
    pub terms: Terms<'a>,
    means: &'a Means<'a>,
    solver: Option<Box<dyn FullSolver + 'a>>,
    /// What holds, by levels.
    frames: Vec<Vec<Expr>>,
}

impl<'a> Talk<'a> {
    pub fn new(model: &'a Model, means: &'a Means<'a>) -> Self {
        Self { terms: Terms::new(model), means, solver: None, frames: vec![Vec::new()] }
    }

    pub fn push(&mut self) -> Result<(), Rejection> {
        self.frames.push(Vec::new());
        if let Some(solver) = &mut self.solver {
            solver.push()?;
        }
        Ok(())
    }

    pub fn pop(&mut self) -> Result<(), Rejection> {
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
        if self.solver.is_none() {
            let mut solver = self.means.solver.open(self.means.control)?;
            for (level, frame) in self.frames.iter().enumerate() {
                if level > 0 {
                    solver.push()?;
                }
                frame.iter().try_for_each(|&formula| solver.assert(&self.terms, formula))?;
            }
            self.solver = Some(solver);
        }
        let solver = self.solver.as_mut().expect("it was opened");
        match solver.check(&self.terms, &[])? {
            Sat::Yes => Ok(true),
            Sat::No => Ok(false),
            Sat::Unknown(why) => Err(stopped(format!("the solver gave up a question about the certificate: {why}"))),
        }
    }

    /// [`is_possible`](Self::is_possible) with these formulas for this question only; if so, the state of a view in an
    /// example.
    pub fn example(&mut self, with: &[Expr], view: &View<'_>) -> Result<Option<Vec<Raw>>, Rejection> {
        self.push()?;
        self.assert_all(with.iter().copied())?;
        let found = if self.is_possible()? { Some(self.state(view)?) } else { None };
        self.pop()?;
        Ok(found)
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
        let solver = self.solver.as_mut().ok_or_else(|| stopped("there is no solver to ask for values".to_owned()))?;
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
            state.push(value.ok_or_else(|| stopped(format!("the solver has no value of {}", model.vars[var].name)))?);
        }
        Ok(state)
    }
}

/// The check cannot go on, which says nothing about the certificate.
pub fn stopped(why: String) -> Rejection {
    Rejection::Stopped(Stop::Incomplete(why))
}
