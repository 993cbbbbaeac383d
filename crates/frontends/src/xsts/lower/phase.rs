//! `init` once, then `env` and `trans` in turns.

use std::collections::BTreeSet;

use lapidary_base::{Id, IdVec};
use lapidary_ir::{Command, CommandId, Expr, Property, PropertyId, Rhs, Statement, VarId};

use super::super::typed::{Role, Section, SymbolId};
use super::known::{Fact, is_constant};
use super::layout::{PHASES, Phase};
use super::life::Living;
use super::statement::{assignment, written};
use super::{Bodies, Body, Lowering};

/// Rounds of the fixed point after which every variable counts as read.
const MAX_ROUNDS: usize = 20;

/// In which states something is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    AtStart,
    Always,
}

impl Lowering<'_, '_> {
    /// The branches of all sections.
    pub(super) fn sections(&mut self) -> Option<Bodies> {
        let program = self.program;
        let [at_start, always] = [When::AtStart, When::Always].map(|when| self.constants(when));
        let init = self.branches_of(&program.init, &at_start);
        let env = self.branches_of(&program.env, &always);
        let trans = self.branches_of(&program.trans, &always);
        Some(Bodies { init: init?, env: env?, trans: trans? })
    }

    fn branches_of(&mut self, section: &Section, known: &[(VarId, Expr)]) -> Option<Vec<Body>> {
        let mut lowered = Vec::with_capacity(section.branches.len());
        for branch in &section.branches {
            self.known.forget_all();
            for &(var, value) in known {
                self.known.set(var, Some(Fact::Value(value)));
            }
            // The other branches may show more of what is wrong.
            lowered.extend(self.statement(branch));
        }
        self.known.forget_all();
        let is_whole = lowered.len() == section.branches.len();
        let spans = section.branches.iter().map(|branch| branch.span);
        is_whole.then(|| lowered.into_iter().zip(spans).map(|(statement, span)| Body { statement, span }).collect())
    }

    /// The variables that begin with a constant, and keep it if that is asked.
    fn constants(&mut self, when: When) -> Vec<(VarId, Expr)> {
        let mut changed: BTreeSet<SymbolId> = BTreeSet::new();
        if when == When::Always {
            let sections = [&self.program.init, &self.program.env, &self.program.trans];
            let branches = sections.into_iter().flat_map(|section| &section.branches);
            branches.for_each(|branch| written(branch, &mut changed));
        }
        let mut constants = Vec::new();
        for (symbol, value) in &self.program.globals {
            let Some(value) = value.as_ref().filter(|_| !changed.contains(symbol)) else { continue };
            // What goes wrong was told with the initial values.
            let Ok(value) = self.expr(value) else { continue };
            if is_constant(&self.exprs, value) {
                constants.push((self.var(*symbol), value));
            }
        }
        constants
    }

    /// Gives fixed values to variables of the state that begin with any, where that value is never read: neither by a
    /// property, which looks at every state, nor before something else is surely written.
    pub(super) fn fix_unread(
        &mut self,
        bodies: &mut Bodies,
        properties: &IdVec<PropertyId, Property>,
        init: &mut Vec<Expr>,
    ) {
        let exprs = self.exprs.clone();
        let mut living = Living::new(&exprs, &self.vars);
        let asked = properties.iter().flat_map(|property| property.kind.exprs());
        asked.chain(init.iter().copied()).for_each(|expr| living.read(expr));
        let observed = living.take();
        let with_observed = |mut live: Vec<bool>| {
            live.iter_mut().zip(&observed).for_each(|(live, observed)| *live |= observed);
            live
        };
        let (mut before_env, mut before_trans) = (observed.clone(), observed.clone());
        let mut n_rounds = 0;
        loop {
            let trans = with_observed(living.before(&mut bodies.trans, &before_env));
            let env = with_observed(living.before(&mut bodies.env, &trans));
            let is_stable = (&env, &trans) == (&before_env, &before_trans);
            (before_env, before_trans) = (env, trans);
            n_rounds += 1;
            if is_stable {
                break;
            }
            if n_rounds == MAX_ROUNDS {
                before_env.fill(true);
                break;
            }
        }
        let before_init = with_observed(living.before(&mut bodies.init, &before_env));
        for (symbol, value) in &self.program.globals {
            let is_of_state = matches!(self.program.symbols[*symbol].is, Role::Global | Role::Control);
            let var = self.var_of[symbol];
            if value.is_none() && is_of_state && !before_init[var.index()] {
                init.push(exprs.eq(exprs.var(var), self.first_value(var)));
            }
        }
    }

    pub(super) fn commands(&mut self, phase: Phase, bodies: Bodies) -> IdVec<CommandId, Command> {
        let Bodies { init, env, trans } = bodies;
        let mut commands = IdVec::new();
        for (number, bodies, next) in [(0, init, 1), (1, env, 2), (2, trans, 1)] {
            let n = bodies.len();
            for (i, Body { statement, span }) in bodies.into_iter().enumerate() {
                let word = PHASES[number as usize];
                let label = if n == 1 { word.to_owned() } else { format!("{word}[{}]", i + 1) };
                let body = self.within(phase, number, next, statement);
                commands.push(Command { label, body, faults: Vec::new(), is_idle: false, span });
            }
        }
        commands
    }

    /// What happens only in one phase, and leads to another.
    fn within(&self, phase: Phase, number: u32, next: u32, statement: Statement) -> Statement {
        let exprs = &self.exprs;
        let is_here = exprs.eq(exprs.var(phase.var), exprs.literal(phase.of, number));
        let leave = assignment(phase.var, Rhs::Expr(exprs.literal(phase.of, next)));
        let mut whole = vec![Statement::Assume(is_here)];
        match statement {
            Statement::Sequence(parts) => whole.extend(parts),
            Statement::Skip => {}
            other => whole.push(other),
        }
        whole.push(leave);
        Statement::Sequence(whole)
    }
}
