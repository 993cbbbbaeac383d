//! Z3 in this process, through its library.

mod read;
mod translate;

use std::cell::Cell;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop, Whose};
use lapidary_ir::{Expr, Exprs, Function, Node, VarId};
use z3::ast::Bool;
use z3::{Context, Params, SatResult, StatisticsValue};

use super::words::brief;
use super::{Limits, QUESTION};
use crate::solver::{Cores, Sat, Solver, Values};
use crate::terms::Terms;
use read::{Reader, Unread};
use translate::{Ast, symbol, translate};

/// What a question that took long counts for among the looks at the limits, where Z3 does not say how much it did.
const HARD_QUESTION: u64 = 2_000;

/// What Z3 counts in so many units takes as long as what the engines that ask it do between two looks: about 0.1 ms.
const WORK_PER_LOOK: u64 = 10;

/// Questions that take more work than this (about 0.2 s of a hard one) are asked again under the eyes of a thread that
/// looks at the control. It is no limit on time, because a timer that expired once can make Z3 4.8.12 wait forever.
const BRIEF_WORK: u32 = 20_000;
const LOOK: Duration = Duration::from_millis(10);

/// So many terms are handed over between two looks at the control.
const TERMS_PER_LOOK: usize = 1 << 12;

pub struct Z3<'c> {
    control: &'c Control,
    solver: z3::Solver,
    limits: Limits,
    /// The limit that Z3 was told last: telling it costs more than a small question.
    work: Cell<Option<u32>>,
    /// Was there a product of variables, or a division by one?
    is_nonlinear: bool,
    /// What was translated; shared parts are translated once.
    asts: Map<Expr, Ast>,
    /// The assumptions of the last question.
    assumed: Vec<Expr>,
    /// Why nothing more is to be expected.
    broken: Option<Stop>,
}

impl<'c> Z3<'c> {
    pub fn new(limits: Limits, control: &'c Control) -> Self {
        let solver = z3::Solver::new();
        let mut params = Params::new();
        params.set_u32("random_seed", 0);
        // Otherwise an interrupt during a question ends that question alone, and nobody else hears of it.
        params.set_bool("ctrl_c", false);
        solver.set_params(&params);
        Self {
            control,
            solver,
            limits,
            work: Cell::new(None),
            is_nonlinear: false,
            asts: Map::default(),
            assumed: Vec::new(),
            broken: None,
        }
    }

    fn go_on(&self) -> Result<(), Stop> {
        match &self.broken {
            Some(stop) => Err(stop.clone()),
            None => Ok(()),
        }
    }

    fn ast(&mut self, terms: &Terms<'_>, root: Expr) -> Result<Ast, Stop> {
        let exprs = terms.exprs();
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            let waiting = stack.len();
            if !self.asts.contains_key(&expr) {
                exprs.for_each_part(expr, |part| {
                    if !self.asts.contains_key(&part) {
                        stack.push(part);
                    }
                });
            }
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            if !self.asts.contains_key(&expr) {
                self.is_nonlinear |= is_nonlinear(exprs, expr);
                let made = translate(terms, expr, &self.asts)?;
                self.asts.insert(expr, made);
                // A question may be so large that asking it takes longer than is left.
                if self.asts.len().is_multiple_of(TERMS_PER_LOOK) {
                    self.control.look()?;
                }
            }
        }
        Ok(self.asts[&root].clone())
    }

    /// Once briefly, then, if that was too brief, for as long as limit and control allow. Work on products of variables is
    /// hardly counted, so such questions are looked after from the beginning.
    fn ask(&self, assumptions: &[Bool]) -> Result<SatResult, Stop> {
        self.control.spend(QUESTION)?;
        if self.is_nonlinear {
            self.set_work(self.limits.work);
            return self.watched(assumptions, Some(self.limits.millis).filter(|&millis| millis > 0));
        }
        let is_all = self.limits.work > 0 && self.limits.work <= BRIEF_WORK;
        self.set_work(if is_all { self.limits.work } else { BRIEF_WORK });
        let answer = self.solver.check_assumptions(assumptions);
        if answer != SatResult::Unknown || is_all || !self.was_cut_short() {
            return Ok(answer);
        }
        self.control.spend(u64::from(BRIEF_WORK) / WORK_PER_LOOK)?;
        self.set_work(self.limits.work);
        self.watched(assumptions, None)
    }

    /// A thread interrupts the solver when the run is to end, or after so many milliseconds.
    fn watched(&self, assumptions: &[Bool], millis: Option<u64>) -> Result<SatResult, Stop> {
        let before = self.work_done();
        let context = Context::thread_local();
        let handle = context.handle();
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        // The watcher may be the only one who sees a limit: memory is not asked for at every look.
        let seen: &OnceLock<Stop> = &OnceLock::new();
        let answer = thread::scope(|scope| {
            let (control, start) = (self.control, Instant::now());
            let deadline = millis.and_then(|millis| start.checked_add(Duration::from_millis(millis)));
            let watch = move || {
                while let Err(std::sync::mpsc::RecvTimeoutError::Timeout) = waiting.recv_timeout(LOOK) {
                    if let Err(stop) = control.look() {
                        let _ = seen.set(stop);
                    }
                    if seen.get().is_some() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        handle.interrupt();
                    }
                }
            };
            // Without somebody who looks after it, a question might never end.
            let watcher = thread::Builder::new().spawn_scoped(scope, watch);
            let answer = watcher.map(|_| self.solver.check_assumptions(assumptions));
            drop(done);
            answer.map_err(|_| Stop::Memory(Whose::System))
        });
        match (seen.get(), &answer) {
            (Some(stop), Ok(SatResult::Unknown)) => return Err(stop.clone()),
            (_, _) => self.control.spend(match before.zip(self.work_done()) {
                Some((before, after)) => (after.saturating_sub(before) / WORK_PER_LOOK).max(QUESTION),
                None => HARD_QUESTION,
            })?,
        }
        answer
    }

    fn was_cut_short(&self) -> bool {
        let reason = self.solver.get_reason_unknown().unwrap_or_default();
        ["resource", "rlimit", "timeout", "canceled"].iter().any(|word| reason.contains(word))
    }

    /// 0 is no limit, for Z3 too.
    fn set_work(&self, work: u32) {
        if self.work.replace(Some(work)) == Some(work) {
            return;
        }
        let mut params = Params::new();
        params.set_u32("rlimit", work);
        self.solver.set_params(&params);
    }
}

/// Is it a product of variables or a division by one, of integers or bit-vectors?
fn is_nonlinear(exprs: &Exprs, expr: Expr) -> bool {
    let is_open = |part: Expr| exprs.raw(part).is_none();
    match exprs.node(expr) {
        Node::Mul(a, b) => is_open(*a) && is_open(*b),
        Node::Div(_, b) | Node::Mod(_, b) => is_open(*b),
        Node::Apply(Function::BitMul | Function::BitUdiv | Function::BitUrem, parts) => {
            parts.iter().all(|&part| is_open(part))
        }
        _ => false,
    }
}

impl Solver for Z3<'_> {
    fn push(&mut self) -> Result<(), Stop> {
        self.go_on()?;
        self.solver.push();
        Ok(())
    }

    fn pop(&mut self) -> Result<(), Stop> {
        self.go_on()?;
        self.solver.pop(1);
        Ok(())
    }

    fn assert(&mut self, terms: &Terms<'_>, formula: Expr) -> Result<(), Stop> {
        self.go_on()?;
        let ast = self.ast(terms, formula)?;
        self.solver.assert(ast.bool());
        Ok(())
    }

    fn check(&mut self, terms: &Terms<'_>, assumptions: &[Expr]) -> Result<Sat, Stop> {
        self.go_on()?;
        let mut asts = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            asts.push(self.ast(terms, assumption)?.bool().clone());
        }
        self.assumed = assumptions.to_vec();
        match self.ask(&asts) {
            Ok(SatResult::Sat) => Ok(Sat::Yes),
            Ok(SatResult::Unsat) => Ok(Sat::No),
            Ok(SatResult::Unknown) if self.was_cut_short() => {
                Ok(Sat::Unknown("it takes more work than one question may".to_owned()))
            }
            Ok(SatResult::Unknown) => {
                Ok(Sat::Unknown(self.solver.get_reason_unknown().unwrap_or_else(|| "it does not say why".to_owned())))
            }
            Err(stop) => {
                self.broken = Some(stop.clone());
                Err(stop)
            }
        }
    }

    /// What Z3 has counted, for all of its solvers in this thread.
    fn work_done(&self) -> Option<u64> {
        match self.solver.get_statistics().value("rlimit count")? {
            StatisticsValue::UInt(count) => Some(count.into()),
            StatisticsValue::Double(_) => None,
        }
    }
}

impl Values for Z3<'_> {
    fn values(&mut self, terms: &Terms<'_>, vars: &[VarId]) -> Result<Vec<i64>, Stop> {
        self.go_on()?;
        let model = self.solver.get_model();
        let model = model.ok_or_else(|| Stop::NoAnswer("the solver has no model to show".to_owned()))?;
        let reader = Reader { model: &model, terms, control: self.control };
        let value = |&var: &VarId| {
            let unknown = || Stop::NoAnswer(format!("the solver has no value of {}", terms.name(var)));
            let found = model.eval(&symbol(terms, var)?.any(), true).ok_or_else(unknown)?;
            reader.read(&found, terms.sort(var)).map_err(|unread| match unread {
                Unread::Beyond => Stop::Overflow(format!("the solver's value of {}", terms.name(var))),
                Unread::Strange(text) => Stop::NoAnswer(format!(
                    "the solver's value of {} cannot be read: {}",
                    terms.name(var),
                    brief(&text)
                )),
                Unread::Stopped(stop) => stop,
            })
        };
        vars.iter().map(value).collect()
    }
}

impl Cores for Z3<'_> {
    fn core(&mut self) -> Result<Vec<Expr>, Stop> {
        self.go_on()?;
        // Z3 leaves the constant out of its cores, as if the others were not needed.
        let is_false = |assumption: &&Expr| self.asts[*assumption].bool().as_bool() == Some(false);
        if let Some(&assumption) = self.assumed.iter().find(is_false) {
            return Ok(vec![assumption]);
        }
        let core = self.solver.get_unsat_core();
        let blamed = |assumption: &Expr| core.iter().any(|ast| ast == self.asts[assumption].bool());
        Ok(self.assumed.iter().copied().filter(blamed).collect())
    }
}

#[cfg(test)]
mod tests {
    use lapidary_ir::{Domain, Model};

    use super::*;
    use crate::Backend;

    #[test]
    fn answers_models_and_cores() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let (x, b) = (terms.fresh("x", Domain::Int), terms.fresh("b", Domain::Bool));
        let e = terms.exprs();
        let (vx, vb) = (e.var(x), e.var(b));
        let control = Control::new();
        let mut solver = Backend::default().open(&control).expect("a solver");
        solver.assert(&terms, e.implies(vb, e.lt(vx, e.int(3)))).expect("taken");
        solver.assert(&terms, e.le(e.int(2), vx)).expect("taken");
        assert_eq!(solver.check(&terms, &[vb]), Ok(Sat::Yes));
        assert_eq!(solver.values(&terms, &[x, b]), Ok(vec![2, 1]));
        let (less, odd) = (e.lt(vx, e.int(2)), e.eq(e.modulo(vx, e.int(2)), e.int(1)));
        assert_eq!(solver.check(&terms, &[odd, less]), Ok(Sat::No));
        assert_eq!(solver.core(), Ok(vec![less]));
        assert_eq!(solver.check(&terms, &[odd, vb]), Ok(Sat::No));
        solver.push().expect("pushed");
        solver.assert(&terms, e.not(vb)).expect("taken");
        assert_eq!(solver.check(&terms, &[odd]), Ok(Sat::Yes));
        solver.pop().expect("popped");
        assert_eq!(solver.check(&terms, &[vb]), Ok(Sat::Yes));
    }

    /// Fermat's last theorem for cubes, which Z3 does not decide: it ends with its limit, or with the deadline.
    fn hard(limits: Limits, control: &Control) -> Result<Sat, Stop> {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Domain::Int));
        let e = terms.exprs();
        let cube = |var: VarId| e.mul(e.var(var), e.mul(e.var(var), e.var(var)));
        let mut solver = Backend::InProcess(limits).open(control)?;
        for var in [x, y, z] {
            solver.assert(&terms, e.lt(e.int(1), e.var(var)))?;
        }
        solver.assert(&terms, e.eq(e.add([cube(x), cube(y)]), cube(z)))?;
        solver.check(&terms, &[])
    }

    #[test]
    fn a_hard_question_ends_with_its_limit() {
        let limits = Limits { work: 200_000, ..Limits::default() };
        assert!(matches!(hard(limits, &Control::new()), Ok(Sat::Unknown(_))));
    }

    #[test]
    fn a_hard_question_ends_with_the_deadline() {
        let control = Control::new().with_timeout(Some(Duration::from_millis(400)));
        assert_eq!(hard(Limits { work: 0, ..Limits::default() }, &control), Err(Stop::Timeout));
    }

    #[test]
    fn after_an_interrupt_the_same_thread_can_ask_again() {
        let control = Control::new().with_timeout(Some(Duration::from_millis(300)));
        assert_eq!(hard(Limits { work: 0, ..Limits::default() }, &control), Err(Stop::Timeout));
        // One that comes when the question is already answered.
        Context::thread_local().handle().interrupt();
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let x = terms.fresh("x", Domain::Int);
        let e = terms.exprs();
        let control = Control::new();
        let mut solver = Backend::default().open(&control).expect("a solver");
        solver.assert(&terms, e.eq(e.mul(e.var(x), e.int(3)), e.int(21))).expect("taken");
        assert_eq!(solver.check(&terms, &[]), Ok(Sat::Yes));
        assert_eq!(solver.values(&terms, &[x]), Ok(vec![7]));
    }

    /// Constants, and variables that are bound to them, so that the solver's rewriting and its arithmetic both speak.
    #[test]
    fn quotients_and_remainders_are_those_of_expressions() {
        let model = Model::default();
        let mut terms = Terms::within(&model);
        let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Domain::Int));
        let e = terms.exprs();
        let control = Control::new();
        let mut solver = Backend::default().open(&control).expect("a solver");
        for a in -7i64..=7 {
            for b in (-3i64..=3).filter(|&b| b != 0) {
                let bound = [e.eq(e.var(x), e.int(a)), e.eq(e.var(y), e.int(b))];
                for by in [e.int(b), e.var(y)] {
                    let right = e.and([
                        e.eq(e.div(e.var(x), by), e.int(a.div_euclid(b))),
                        e.eq(e.modulo(e.var(x), by), e.int(a.rem_euclid(b))),
                    ]);
                    let [p, q] = bound;
                    assert_eq!(solver.check(&terms, &[p, q, right]), Ok(Sat::Yes), "{a} by {b}");
                    assert_eq!(solver.check(&terms, &[p, q, e.not(right)]), Ok(Sat::No), "{a} by {b}");
                }
            }
        }
    }
}
