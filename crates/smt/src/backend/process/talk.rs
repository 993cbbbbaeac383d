//! One conversation in step: commands go out in a bundle, and every answer is the answer to its own question.
//!
//! The solver confirms each command (`:print-success`), and each bundle stands between two `echo` of a number that was not
//! used before. Anything else, before or behind, is garbage.

use std::time::{Duration, Instant};

use lapidary_base::{Control, Stop};

use super::super::{QUESTION, words};
use super::child::{Child, Heard};
use crate::smtlib::{Declarations, Reader, Sexp};

/// What is kept of the answer to one question.
const MAX_ANSWER: usize = 64 << 20;
/// How often the control is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// What a start may take at least, whatever a question may.
const START: Duration = Duration::from_secs(10);

/// Products of variables may occur. The last is for solvers that know nothing else.
const LOGICS: [&str; 3] = ["ALL", "QF_NIA", "QF_LIA"];

/// Why there is no answer.
pub enum Trouble {
    /// The limit of a question was reached.
    Late,
    /// The limit on the memory was.
    Memory(String),
    /// The run is to end.
    Ended(Stop),
    /// The solver is of no use; the text says why.
    Broken(String),
}

/// Does `echo` confirm itself with a `success` of its own? Some solvers do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Echo {
    Plain,
    Confirmed,
}

pub struct Talk<'c> {
    control: &'c Control,
    child: Child,
    reader: Reader,
    echo: Echo,
    n_questions: u64,
    memory: u64,
    pub declarations: Declarations,
    pub has_cores: bool,
}

impl<'c> Talk<'c> {
    /// Starts the solver and agrees with it on the logic.
    pub fn start(command: &[String], memory: u64, patience: Duration, control: &'c Control) -> Result<Self, Trouble> {
        let mut refusal = String::new();
        for logic in LOGICS {
            let child = Child::start(command, memory).map_err(|error| Trouble::Broken(error.to_string()))?;
            let mut talk = Self {
                control,
                child,
                reader: Reader::new(MAX_ANSWER),
                echo: Echo::Plain,
                n_questions: 0,
                memory,
                declarations: Declarations::Scoped,
                has_cores: false,
            };
            match talk.greet(logic, patience.max(START))? {
                reply if reply.is("success") => return Ok(talk),
                reply => refusal = format!("it refused the logic {logic}: {}", words::brief(&reply.to_string())),
            }
        }
        Err(Trouble::Broken(refusal))
    }

    /// The answer to `set-logic`.
    fn greet(&mut self, logic: &str, patience: Duration) -> Result<Sexp, Trouble> {
        let deadline = Instant::now().checked_add(patience);
        let options = ["print-success", "produce-models", "produce-unsat-assumptions", "global-declarations"];
        let mut text = String::new();
        for option in options {
            text.push_str(&format!("(set-option :{option} true)\n"));
        }
        self.child.say(format!("{text}(set-logic {logic})\n(echo \"greeting\")\n(echo \"again\")\n"));
        let mut accepted = [false; 4];
        for (at, option) in options.iter().enumerate() {
            let reply = self.next(deadline)?;
            accepted[at] = reply.is("success");
            if at < 2 && !accepted[at] {
                return Err(self.garbage(&reply, &format!("`success` (option {option})")));
            }
        }
        let [_, _, has_cores, global] = accepted;
        self.has_cores = has_cores;
        self.declarations = if global { Declarations::Global } else { Declarations::Scoped };
        let logic = self.next(deadline)?;
        if !logic.is("success") {
            return Ok(logic);
        }
        self.expect_echo("greeting", "an echo", deadline)?;
        let mut second = self.next(deadline)?;
        if second.is("success") {
            self.echo = Echo::Confirmed;
            second = self.next(deadline)?;
        }
        match is_text(&second, "again") {
            true => self.confirm_echo(deadline)?,
            false => return Err(self.garbage(&second, "an echo")),
        }
        Ok(logic)
    }

    /// Says `commands`, all of which must succeed, and then a question.
    pub fn ask(
        &mut self,
        (commands, n_commands): (String, usize),
        question: &str,
        patience: Option<Duration>,
    ) -> Result<Sexp, Trouble> {
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        self.control.spend(QUESTION).map_err(Trouble::Ended)?;
        self.reader.renew();
        if !self.reader.is_idle() {
            return Err(Trouble::Broken("it answered what nobody had asked".to_owned()));
        }
        self.n_questions += 1;
        let number = self.n_questions;
        let begin = format!("question-{number}");
        let end = format!("answer-{number}");
        self.child.say(format!("(echo \"{begin}\")\n{commands}{question}\n(echo \"{end}\")\n"));
        self.expect_echo(&begin, "the beginning of its answer", deadline)?;
        for _ in 0..n_commands {
            let reply = self.next(deadline)?;
            if !reply.is("success") {
                return Err(self.garbage(&reply, "`success`"));
            }
            self.reader.renew();
        }
        let answer = self.next(deadline)?;
        if is_error(&answer) || answer.is("unsupported") || is_text(&answer, &end) {
            return Err(self.garbage(&answer, "an answer"));
        }
        self.expect_echo(&end, "the end of its answer", deadline)?;
        Ok(answer)
    }

    fn expect_echo(&mut self, text: &str, what: &str, deadline: Option<Instant>) -> Result<(), Trouble> {
        let reply = self.next(deadline)?;
        match is_text(&reply, text) {
            true => self.confirm_echo(deadline),
            false => Err(self.garbage(&reply, what)),
        }
    }

    fn confirm_echo(&mut self, deadline: Option<Instant>) -> Result<(), Trouble> {
        if self.echo == Echo::Plain {
            return Ok(());
        }
        let reply = self.next(deadline)?;
        match reply.is("success") {
            true => Ok(()),
            false => Err(self.garbage(&reply, "`success`")),
        }
    }

    /// The next expression that it says.
    fn next(&mut self, deadline: Option<Instant>) -> Result<Sexp, Trouble> {
        loop {
            if let Some(sexp) = self.reader.take() {
                return Ok(sexp);
            }
            let patience = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return Err(Trouble::Late),
                Some(left) => left.min(LOOK),
                None => LOOK,
            };
            match self.child.hear(patience) {
                Heard::Bytes(bytes) => {
                    let fed = self.reader.feed(&bytes);
                    fed.map_err(|what| Trouble::Broken(format!("it answered with {what}")))?;
                }
                Heard::Nothing => {}
                Heard::End => return Err(self.died()),
            }
            self.control.look().map_err(Trouble::Ended)?;
        }
    }

    fn died(&mut self) -> Trouble {
        let how = self.child.obituary();
        match words::is_about_memory(&how) {
            true => Trouble::Memory(self.memory_words()),
            false => Trouble::Broken(how),
        }
    }

    fn garbage(&mut self, reply: &Sexp, expected: &str) -> Trouble {
        let text = reply.to_string();
        if is_error(reply) && words::is_about_memory(&text) {
            return Trouble::Memory(self.memory_words());
        }
        self.child.end();
        let complaint = self.child.complaint().map_or_else(String::new, |line| format!(" ({line})"));
        Trouble::Broken(format!("it answered `{}` instead of {expected}{complaint}", words::brief(&text)))
    }

    fn memory_words(&self) -> String {
        match self.memory {
            0 => "it ran out of memory".to_owned(),
            bytes => format!("it ran out of memory (limit {} MiB)", bytes >> 20),
        }
    }
}

/// The contents of an echo, which some solvers write without quotes.
fn is_text(sexp: &Sexp, expected: &str) -> bool {
    match sexp {
        Sexp::Text(text) | Sexp::Atom(text) => text == expected,
        Sexp::List(_) => false,
    }
}

pub fn is_error(sexp: &Sexp) -> bool {
    sexp.list().and_then(<[Sexp]>::first).is_some_and(|head| head.is("error"))
}
