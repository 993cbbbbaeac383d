//! A solver in a process of its own, which is started once and speaks SMT-LIB 2.
//!
//! Commands are collected and sent with the next question. A question that takes too much time or memory ends the
//! process and is [`Sat::Unknown`]; the next one finds a new process that is told everything again. A solver that
//! crashes, refuses or answers anything but the answer is broken: [`Stop::NoAnswer`] with the reason, from then on.

mod child;
mod talk;

use std::time::Duration;

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Stop};
use lapidary_ir::{Expr, VarId};

use super::{Limits, command, words};
use crate::smtlib::{Functions, Script, Sexp, Unread, named_functions, value};
use crate::solver::{Cores, Sat, Solver, Values};
use crate::terms::{TermSort, Terms};
use talk::{Talk, Trouble};

/// What was answered last, as long as nothing was said since.
enum Last {
    Nothing,
    Yes,
    No,
}

struct Live<'c> {
    talk: Talk<'c>,
    script: Script,
}

pub struct Process<'c> {
    control: &'c Control,
    command: Vec<String>,
    limits: Limits,
    /// What was asserted, level by level: from this a new process is told where the old one was.
    levels: Vec<Vec<Expr>>,
    /// Absent after a question that cost too much.
    live: Option<Live<'c>>,
    last: Last,
    /// The assumptions of the last question, and the literals that stand for them.
    assumed: Vec<(Expr, String)>,
    broken: Option<Stop>,
}

impl<'c> Process<'c> {
    pub fn start(command: &[String], limits: Limits, control: &'c Control) -> Result<Self, Stop> {
        let program = command.first().ok_or_else(|| Stop::NoAnswer("the solver has no name".to_owned()))?;
        command::find(program).map_err(Stop::NoAnswer)?;
        control.check()?;
        let mut process = Self {
            control,
            command: command.to_vec(),
            limits,
            levels: vec![Vec::new()],
            live: None,
            last: Last::Nothing,
            assumed: Vec::new(),
            broken: None,
        };
        process.begin()?;
        Ok(process)
    }

    fn go_on(&self) -> Result<(), Stop> {
        match &self.broken {
            Some(stop) => Err(stop.clone()),
            None => Ok(()),
        }
    }

    /// A new process that knows nothing yet.
    fn begin(&mut self) -> Result<&mut Live<'c>, Stop> {
        let patience = self.patience().unwrap_or(Duration::ZERO);
        match Talk::start(&self.command, self.limits.memory, patience, self.control) {
            Ok(talk) => {
                let script = Script::new(talk.declarations);
                Ok(self.live.insert(Live { talk, script }))
            }
            Err(Trouble::Late) => Err(self.give_up("it does not even start to answer")),
            Err(Trouble::Memory(why) | Trouble::Broken(why)) => Err(self.give_up(&why)),
            Err(Trouble::Ended(stop)) => Err(self.stop(stop)),
        }
    }

    /// The process, up to date with what was asserted.
    fn live(&mut self, terms: &Terms<'_>) -> Result<&mut Live<'c>, Stop> {
        if self.live.is_none() {
            let levels = std::mem::take(&mut self.levels);
            let told = self.begin().and_then(|live| {
                for (at, level) in levels.iter().enumerate() {
                    if at > 0 {
                        live.script.push();
                    }
                    level.iter().try_for_each(|&formula| live.script.assert(terms, formula))?;
                }
                Ok(())
            });
            self.levels = levels;
            told?;
        }
        Ok(self.live.as_mut().expect("just begun"))
    }

    fn patience(&self) -> Option<Duration> {
        match self.limits.millis {
            0 => None,
            millis => Some(Duration::from_millis(millis)),
        }
    }

    fn stop(&mut self, stop: Stop) -> Stop {
        self.live = None;
        self.broken = Some(stop.clone());
        stop
    }

    fn give_up(&mut self, why: &str) -> Stop {
        let stop = Stop::NoAnswer(format!("the solver {} is of no use: {why}", words::brief(&self.command[0])));
        self.stop(stop)
    }

    fn too_late(&self) -> String {
        format!("no answer within {}", words::duration(self.limits.millis))
    }

    /// A question about the last answer.
    fn ask_further(&mut self, question: &str) -> Result<Sexp, Stop> {
        let patience = self.patience();
        let live = self.live.as_mut().ok_or_else(|| Stop::NoAnswer("the solver has nothing to show".to_owned()))?;
        let commands = live.script.take();
        match live.talk.ask(commands, question, patience) {
            Ok(answer) => Ok(answer),
            Err(Trouble::Late) => Err(self.give_up(&self.too_late())),
            Err(Trouble::Memory(why) | Trouble::Broken(why)) => Err(self.give_up(&why)),
            Err(Trouble::Ended(stop)) => Err(self.stop(stop)),
        }
    }

    fn question(&self) -> String {
        let mut seen: Set<&str> = Set::default();
        let literals: Vec<&str> =
            self.assumed.iter().map(|(_, name)| &**name).filter(|name| seen.insert(name)).collect();
        match literals.is_empty() {
            true => "(check-sat)".to_owned(),
            false => format!("(check-sat-assuming ({}))", literals.join(" ")),
        }
    }

    fn why_unknown(&mut self) -> Result<String, Stop> {
        let answer = self.ask_further("(get-info :reason-unknown)")?;
        Ok(match answer.list() {
            Some([_, Sexp::Atom(why) | Sexp::Text(why)]) if !why.is_empty() => words::brief(why),
            _ => "it does not say why".to_owned(),
        })
    }

    fn unexpected(&mut self, answer: &Sexp) -> Stop {
        self.give_up(&format!("it answered `{}`", words::brief(&answer.to_string())))
    }
}

impl Solver for Process<'_> {
    fn push(&mut self) -> Result<(), Stop> {
        self.go_on()?;
        self.last = Last::Nothing;
        self.levels.push(Vec::new());
        if let Some(live) = &mut self.live {
            live.script.push();
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<(), Stop> {
        self.go_on()?;
        self.last = Last::Nothing;
        if self.levels.len() == 1 {
            return Err(Stop::NoAnswer("a solver was to take back more than it was told".to_owned()));
        }
        self.levels.pop();
        if let Some(live) = &mut self.live {
            live.script.pop();
        }
        Ok(())
    }

    fn assert(&mut self, terms: &Terms<'_>, formula: Expr) -> Result<(), Stop> {
        self.go_on()?;
        self.last = Last::Nothing;
        if let Some(live) = &mut self.live {
            live.script.assert(terms, formula)?;
        }
        self.levels.last_mut().expect("there is a lowest level").push(formula);
        Ok(())
    }

    fn check(&mut self, terms: &Terms<'_>, assumptions: &[Expr]) -> Result<Sat, Stop> {
        self.go_on()?;
        self.last = Last::Nothing;
        self.assumed.clear();
        let live = self.live(terms)?;
        let mut assumed = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            assumed.push((assumption, live.script.assumption(terms, assumption)?));
        }
        let commands = live.script.take();
        self.assumed = assumed;
        let (question, patience) = (self.question(), self.patience());
        let talk = &mut self.live.as_mut().expect("asked above").talk;
        match talk.ask(commands, &question, patience) {
            Ok(answer) if answer.is("sat") => {
                self.last = Last::Yes;
                Ok(Sat::Yes)
            }
            Ok(answer) if answer.is("unsat") => {
                self.last = Last::No;
                Ok(Sat::No)
            }
            Ok(answer) if answer.is("unknown") => Ok(Sat::Unknown(self.why_unknown()?)),
            Ok(answer) => Err(self.unexpected(&answer)),
            Err(Trouble::Late) => {
                self.live = None;
                Ok(Sat::Unknown(self.too_late()))
            }
            Err(Trouble::Memory(why)) => {
                self.live = None;
                Ok(Sat::Unknown(why))
            }
            Err(Trouble::Broken(why)) => Err(self.give_up(&why)),
            Err(Trouble::Ended(stop)) => Err(self.stop(stop)),
        }
    }
}

impl Values for Process<'_> {
    fn values(&mut self, terms: &Terms<'_>, vars: &[VarId]) -> Result<Vec<i64>, Stop> {
        self.go_on()?;
        let (Last::Yes, Some(live)) = (&self.last, &self.live) else {
            return Err(Stop::NoAnswer("the solver has no model to show".to_owned()));
        };
        // What the solver was never told of may have any value.
        let known: Vec<VarId> = vars.iter().copied().filter(|&var| live.script.knows(var)).collect();
        let mut found: Map<VarId, i64> = Map::default();
        if !known.is_empty() {
            let names: Vec<String> = known.iter().map(|var| format!("v{}", var.0)).collect();
            let answer = self.ask_further(&format!("(get-value ({}))", names.join(" ")))?;
            let pairs = answer.list().filter(|pairs| pairs.len() == known.len());
            let Some(pairs) = pairs else { return Err(self.unexpected(&answer)) };
            // What names stand for is told only where there are some.
            let has_functions = !named_functions(&answer).is_empty();
            let definitions = if has_functions { self.ask_further("(get-model)")? } else { Sexp::List(Vec::new()) };
            let functions = Functions::of(definitions.list().unwrap_or_default());
            for (pair, (&var, name)) in pairs.iter().zip(known.iter().zip(&names)) {
                let value = match pair.list() {
                    Some([symbol, sexp]) if symbol.is(name) => {
                        value(terms, sexp, terms.sort(var), &functions, self.control)
                    }
                    _ => Err(Unread::Garbage),
                };
                match value {
                    Ok(value) => found.insert(var, value),
                    Err(Unread::Beyond) => {
                        return Err(Stop::Overflow(format!("the solver's value of {}", terms.name(var))));
                    }
                    Err(Unread::Garbage) => return Err(self.unexpected(pair)),
                    Err(Unread::Stopped(stop)) => return Err(stop),
                };
            }
        }
        let unknown = |var: &VarId| match terms.sort(*var) {
            TermSort::Bool | TermSort::Int => 0,
            TermSort::Bits(_) | TermSort::Array(_) => terms.domain(*var).first(terms.exprs().values()),
        };
        Ok(vars.iter().map(|var| found.get(var).copied().unwrap_or_else(|| unknown(var))).collect())
    }
}

impl Cores for Process<'_> {
    fn core(&mut self) -> Result<Vec<Expr>, Stop> {
        self.go_on()?;
        let (Last::No, Some(live)) = (&self.last, &self.live) else {
            return Err(Stop::NoAnswer("the solver has nobody to blame".to_owned()));
        };
        // All of them are a core, though not a small one.
        let all = self.assumed.iter().map(|&(assumption, _)| assumption);
        if self.assumed.is_empty() || !live.talk.has_cores {
            return Ok(all.collect());
        }
        let answer = self.ask_further("(get-unsat-assumptions)")?;
        let Some(blamed) = answer.list() else { return Err(self.unexpected(&answer)) };
        let blamed: Set<String> = blamed.iter().map(Sexp::to_string).collect();
        let core: Vec<Expr> =
            self.assumed.iter().filter(|(_, name)| blamed.contains(name)).map(|&(of, _)| of).collect();
        let n_known =
            self.assumed.iter().map(|(_, name)| name).filter(|name| blamed.contains(*name)).collect::<Set<_>>().len();
        match n_known == blamed.len() {
            true => Ok(core),
            false => Err(self.unexpected(&answer)),
        }
    }
}
