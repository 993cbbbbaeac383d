//! The solvers there are: Z3 in this process, or any program that speaks SMT-LIB 2.

mod command;
#[cfg(feature = "z3")]
mod in_process;
mod process;
mod words;

use lapidary_base::{Control, Stop};

use crate::solver::FullSolver;

/// What a question counts for among the looks at the limits.
const QUESTION: u64 = 10;

/// What one question may cost; what it would cost more is [`Sat::Unknown`](crate::Sat::Unknown).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the in-process solver, in its own measure: the same on every machine. 0 is no limit. It does not count all
    /// that it does with products of variables; for these `millis` counts, too.
    pub work: u32,
    /// Milliseconds that a solver process may take for one question, and the in-process solver for one with products of
    /// variables. 0 is no limit.
    pub millis: u64,
    /// Bytes that a solver process may use, as address space. 0 is no limit.
    pub memory: u64,
}

const USUAL: Limits = Limits { work: 4_000_000, millis: 20_000, memory: 4 << 30 };

impl Default for Limits {
    fn default() -> Self {
        USUAL
    }
}

/// For small questions: linear ones take far less, and products of variables could take for ever.
const BRIEF: Limits = Limits { work: 100_000, millis: 5_000, memory: 0 };

/// Which solver is asked; opening one begins a fresh conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Z3 in this process.
    InProcess(Limits),
    /// A program and its arguments.
    Process(Vec<String>, Limits),
    /// None at all.
    Nothing,
}

/// The solver that comes with the program, if one was built in.
static BUILT_IN: Backend = match cfg!(feature = "z3") {
    true => Backend::InProcess(USUAL),
    false => Backend::Nothing,
};

impl Default for Backend {
    fn default() -> Self {
        BUILT_IN.clone()
    }
}

impl Backend {
    /// Z3 in this process, or nothing in a build without it.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Who it is, in one word: `cvc5`, whatever its folder and its arguments are.
    pub fn word(&self) -> String {
        match self {
            Self::InProcess(_) => "built-in".to_owned(),
            Self::Process(command, _) => command::word(command),
            Self::Nothing => "none".to_owned(),
        }
    }

    /// What `--solver` means.
    ///
    /// * Nothing: the default, Z3 in this process if it was built in.
    /// * `none`: no solver at all.
    /// * Anything else: the command line of a program that reads SMT-LIB 2 from its input and answers on its output. It
    ///   is split like a shell would (quotes and backslashes, but nothing is expanded), and the program must be there.
    ///   `z3`, `cvc5`, `mathsat`, `yices-smt2` and `opensmt` alone get the arguments that they need for that
    ///   (`z3 -in`, `cvc5 --lang smt2 --incremental`, ...).
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" => Ok(Self::default()),
            "none" => Ok(Self::Nothing),
            line => Ok(Self::Process(command::parse(line)?, Limits::default())),
        }
    }

    /// The same solver for many small questions, of which some may stay open.
    pub fn briefly(&self) -> Self {
        let brief = |limits: &Limits| Limits {
            work: if limits.work == 0 { BRIEF.work } else { limits.work.min(BRIEF.work) },
            millis: if limits.millis == 0 { BRIEF.millis } else { limits.millis.min(BRIEF.millis) },
            memory: limits.memory,
        };
        match self {
            Self::InProcess(limits) => Self::InProcess(brief(limits)),
            Self::Process(command, limits) => Self::Process(command.clone(), brief(limits)),
            Self::Nothing => Self::Nothing,
        }
    }

    /// The same solver for few large questions, which only the run's own limits end.
    pub fn patiently(&self) -> Self {
        let patient = |limits: &Limits| Limits { work: 0, millis: 0, ..*limits };
        match self {
            Self::InProcess(limits) => Self::InProcess(patient(limits)),
            Self::Process(command, limits) => Self::Process(command.clone(), patient(limits)),
            Self::Nothing => Self::Nothing,
        }
    }

    /// Is there a solver? If not, the text says what to do about it.
    pub fn available(&self) -> Result<(), String> {
        match self {
            Self::InProcess(_) if cfg!(feature = "z3") => Ok(()),
            Self::InProcess(_) => Err("this build is without Z3: name a solver with --solver".to_owned()),
            Self::Process(..) => Ok(()),
            Self::Nothing if cfg!(feature = "z3") => Err("no solver is to be used (--solver none)".to_owned()),
            Self::Nothing => Err("there is no solver: this build is without Z3, name one with --solver".to_owned()),
        }
    }

    pub fn open<'c>(&self, control: &'c Control) -> Result<Box<dyn FullSolver + 'c>, Stop> {
        self.available().map_err(Stop::NoAnswer)?;
        match self {
            #[cfg(feature = "z3")]
            Self::InProcess(limits) => Ok(Box::new(in_process::Z3::new(*limits, control))),
            Self::Process(command, limits) => Ok(Box::new(process::Process::start(command, *limits, control)?)),
            _ => Err(Stop::NoAnswer("there is no solver".to_owned())),
        }
    }
}
