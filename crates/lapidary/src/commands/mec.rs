//! `lapidary mec`: Mec 5 and Acheck. Files and statements of the command line first, then a shell or a pipe.

mod editor;
mod pending;
mod printer;
mod shell;

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::time::Duration;

use lapidary_base::Control;
use lapidary_driver::Exit;
use lapidary_driver::files::disk;
use lapidary_driver::limits::{Limits, system_memory};
use lapidary_driver::mec::{Workspace, session};
use lapidary_mec::mec5::{Flow, Host, LoadFailure, Outcome, Session, statements};
use lapidary_text::SourceId;

use crate::args::Mec;
use crate::console::Console;
use crate::limits::{self, Interrupts};
use pending::Pending;
use printer::Printer;

/// More than this without the end of a statement is surely no script, and spans count in 32 bits.
const MAX_PENDING: usize = 1 << 28;

pub fn run(args: &Mec, console: &mut Console) -> io::Result<Exit> {
    if let Some(directory) = args.output_dir.as_deref().filter(|directory| !directory.is_dir()) {
        console.error(&format!("--output-dir: there is no directory {}", directory.display()))?;
        return Ok(Exit::Usage);
    }
    let memory = args.memory.or_else(system_memory);
    let jobs = u32::try_from(limits::jobs(args.jobs)).unwrap_or(1);
    let directory = args.output_dir.clone().unwrap_or_default();
    let mut run = Run {
        workspace: Workspace::new(&disk(), Printer::new(console, directory)),
        session: session(memory, jobs),
        timeout: args.timeout,
        memory: args.memory,
        interrupts: Interrupts::install(),
    };
    let is_batch = args.batch || !args.commands.is_empty() || args.files.iter().any(|file| !is_model(file));
    if run.arguments(args)? == Flow::Quit || is_batch {
        return Ok(run.exit());
    }
    if io::stdin().is_terminal() {
        return shell::run(&mut run);
    }
    run.pipe(io::stdin().lock())?;
    Ok(run.exit())
}

/// Any other file is a script.
fn is_model(file: &str) -> bool {
    let suffix = Path::new(file).extension();
    suffix.is_some_and(|suffix| ["alt", "project"].iter().any(|known| suffix.eq_ignore_ascii_case(known)))
}

/// A session with what it runs under.
struct Run<'a> {
    workspace: Workspace<Printer<'a>>,
    session: Session,
    timeout: Option<Duration>,
    memory: Option<u64>,
    interrupts: Interrupts,
}

impl Run<'_> {
    /// Whatever the command line says. Scripts are kept from being overwritten before the first of them is run.
    fn arguments(&mut self, args: &Mec) -> io::Result<Flow> {
        args.files.iter().for_each(|file| self.workspace.desk.protect(file));
        if let Some(engine) = args.engine {
            self.text("--engine", &format!(":set engine {}", engine.name()))?;
        }
        for file in &args.files {
            let flow = if is_model(file) { self.load(file)? } else { self.script(file)? };
            if flow == Flow::Quit {
                return Ok(flow);
            }
        }
        for text in &args.commands {
            if self.text("-c", text)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    fn load(&mut self, path: &str) -> io::Result<Flow> {
        let control = self.control();
        self.workspace.obey(&control);
        match self.workspace.load(path) {
            Ok((_, warnings)) => self.workspace.report(&warnings),
            Err(LoadFailure::Stopped(stop)) => {
                self.session.outcome.n_stopped += 1;
                self.workspace.desk.console.error(&format!("{path} was not loaded: {stop}"))?;
            }
            Err(LoadFailure::Wrong(wrong)) => {
                self.session.outcome.n_errors += 1;
                self.workspace.report(&wrong);
            }
            Err(LoadFailure::Unreadable(message)) => self.unreadable(&message)?,
        }
        self.workspace.desk.written()?;
        Ok(if self.interrupts.is_set() { Flow::Quit } else { Flow::Continue })
    }

    fn script(&mut self, path: &str) -> io::Result<Flow> {
        match self.workspace.read(path) {
            Ok(source) => self.source(source),
            Err(message) => self.unreadable(&message).map(|()| Flow::Continue),
        }
    }

    fn unreadable(&mut self, message: &str) -> io::Result<()> {
        self.session.outcome.n_errors += 1;
        self.workspace.desk.console.error(message)
    }

    fn text(&mut self, name: &str, text: &str) -> io::Result<Flow> {
        let source = self.workspace.add_source(name, text);
        self.source(source)
    }

    /// The limits of a statement, or of a file on the command line.
    fn control(&self) -> Control {
        let limits = Limits { timeout: self.timeout, memory: self.memory };
        limits.control().with_cancel(self.interrupts.flag())
    }

    /// Runs the statements of a text, each with all of the time. It is over also when it was interrupted, or when
    /// nobody reads the results.
    fn source(&mut self, source: SourceId) -> io::Result<Flow> {
        let text = self.workspace.sources().get(source).text.clone();
        for statement in statements(&text, source) {
            let control = self.control();
            let flow = self.session.statement(&mut self.workspace, &text, statement, &control);
            self.workspace.desk.written()?;
            if flow == Flow::Quit || self.interrupts.is_set() || self.workspace.desk.console.out.is_closed() {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    /// Statements from a pipe, run as soon as they have their end.
    fn pipe(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut pending = Pending::default();
        loop {
            let mut line = Vec::new();
            self.interrupts.wait();
            let n_read = input.read_until(b'\n', &mut line);
            self.interrupts.begin();
            let text = match n_read {
                Ok(0) => pending.finish(),
                Ok(_) => pending.push(&String::from_utf8_lossy(&line)),
                Err(error) => return self.unreadable(&format!("cannot read the input: {error}")),
            };
            if let Some(text) = text
                && self.text("<stdin>", &text)? == Flow::Quit
            {
                return Ok(());
            }
            if line.is_empty() {
                return Ok(());
            }
            if pending.text().len() > MAX_PENDING {
                return self.unreadable("the input is one statement of more than 256 MiB");
            }
        }
    }

    fn exit(&self) -> Exit {
        let interrupted = if self.interrupts.is_set() { Exit::Interrupted } else { Exit::Success };
        interrupted.max(exit_of(self.session.outcome))
    }
}

fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome { n_rejected: 1.., .. } => Exit::Internal,
        Outcome { n_errors: 1.., .. } => Exit::Input,
        Outcome { n_failed_tests: 1.., .. } => Exit::Violated,
        Outcome { n_stopped: 1.., .. } => Exit::Unknown,
        Outcome { n_errors: 0, n_failed_tests: 0, n_stopped: 0, n_rejected: 0 } => Exit::Success,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::tests::captured;

    #[test]
    fn the_worst_of_a_session_is_its_exit_code() {
        let exit = |n_errors, n_failed_tests, n_stopped| {
            exit_of(Outcome { n_errors, n_failed_tests, n_stopped, n_rejected: 0 })
        };
        assert_eq!(exit_of(Outcome { n_errors: 1, n_rejected: 1, ..Outcome::default() }), Exit::Internal);
        assert_eq!(exit(0, 0, 0), Exit::Success);
        assert_eq!(exit(0, 0, 2), Exit::Unknown);
        assert_eq!(exit(0, 1, 1), Exit::Violated);
        assert_eq!(exit(3, 1, 1), Exit::Input);
    }

    #[test]
    fn a_pipe_runs_what_has_its_end_and_tells_the_line_of_what_has_none() {
        let (mut console, out, err) = captured();
        let mut run = Run {
            workspace: Workspace::new(&disk(), Printer::new(&mut console, Default::default())),
            session: session(Some(1 << 28), 1),
            timeout: None,
            memory: None,
            interrupts: Interrupts::default(),
        };
        run.pipe(&b"R(x : bool) :=\n  x;\n:rel-cardinal R\nS(x) :="[..]).unwrap();
        assert_eq!(run.exit(), Exit::Input);
        assert_eq!(out.text(), "R: (bool) -> bool\ncardinal of R : 1\n");
        assert!(err.text().contains("<stdin>:4:"), "{}", err.text());
    }
}
