//! The walk by hand: lists what can be done, reads what to do, over and over. Works on a pipe too.

use std::io::{self, BufRead};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use lapidary_base::{Control, Id, Stop};
use lapidary_driver::simulate::{Choice, Simulation};
use lapidary_driver::{Exit, Loaded};
use lapidary_ir::VarId;
use lapidary_verdict::{State, Trace};

use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::render::compact;
use crate::render::run::ModelRun;
use crate::render::trace::{self, Form};
use crate::units::counted;

// A line end after the opening quote would be joined to the first line, and take its indent away.
const HELP: &str = "  N        take step N of the list (just Enter: step 1)
  r N      take N random steps (r alone: one)
  u        undo the last step
  d        list the steps that are not possible, and why
  s        show the whole state
  t        show the trace so far
  h        this help
  q        quit
";

/// Initial states are listed up to this many; a model may have more than anybody can choose from.
const MOST_INITIAL: usize = 100;

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Take(usize),
    Random(usize),
    Undo,
    Disabled,
    State,
    Trace,
    Help,
    Quit,
    Unclear,
}

fn parse(line: &str) -> Request {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<usize>().ok();
    match words[..] {
        [] => Request::Take(1),
        ["r"] => Request::Random(1),
        ["r", count] => number(count).map_or(Request::Unclear, Request::Random),
        ["u"] => Request::Undo,
        ["d"] => Request::Disabled,
        ["s"] => Request::State,
        ["t"] => Request::Trace,
        ["h" | "?" | "help"] => Request::Help,
        ["q" | "quit" | "exit"] => Request::Quit,
        [word] => number(word).map_or(Request::Unclear, Request::Take),
        _ => Request::Unclear,
    }
}

/// A terminal shows what is typed; for a pipe it is written, so that transcripts read well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    Terminal,
    Written,
}

type Line = io::Result<Vec<u8>>;

/// How long a wait for a line overlooks an interrupt.
const POLL: Duration = Duration::from_millis(50);

/// Where the lines come from. A thread of its own reads them: a read that waits for the user sees no interrupt.
pub struct Input {
    lines: Receiver<Line>,
    echo: Echo,
}

impl Input {
    pub fn new(reader: impl BufRead + Send + 'static, echo: Echo) -> io::Result<Self> {
        // One line ahead is enough; what comes out of `yes` is not to be kept.
        let (sender, lines) = mpsc::sync_channel(1);
        thread::Builder::new().name("input".to_owned()).spawn(move || read_lines(reader, &sender))?;
        Ok(Self { lines, echo })
    }

    /// Asks for one line. The exit code where there is none: the input ended, nobody reads the answers, a limit was
    /// reached, or the user interrupted.
    fn ask(&self, prompt: &str, control: &Control, console: &mut Console) -> io::Result<Result<String, Exit>> {
        console.out.text(prompt)?;
        if console.out.is_closed() {
            return Ok(Err(Exit::Success));
        }
        let exit = match self.next(control) {
            Ok(Some(Ok(bytes))) => {
                // What is no UTF-8 is no command either, and is answered as such.
                let line = String::from_utf8_lossy(&bytes).into_owned();
                if self.echo == Echo::Written {
                    console.out.line(line.trim_end())?;
                }
                return Ok(Ok(line));
            }
            Ok(Some(Err(error))) => {
                console.out.text("\n")?;
                unreadable(&error, console)?
            }
            Ok(None) => {
                console.out.text("\n")?;
                Exit::Success
            }
            Err(stop) => {
                console.out.text("\n")?;
                stopped(&stop, console)?
            }
        };
        Ok(Err(exit))
    }

    /// The next line; `None` at the end of the input.
    fn next(&self, control: &Control) -> Result<Option<Line>, Stop> {
        loop {
            control.check()?;
            match self.lines.recv_timeout(POLL) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Sends line after line until the input ends or fails, or nobody wants more.
fn read_lines(mut reader: impl BufRead, lines: &SyncSender<Line>) {
    loop {
        let mut line = Vec::new();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {
                if lines.send(Ok(line)).is_err() {
                    return;
                }
            }
            Err(error) => {
                // Whoever asked may be gone already, and then does not miss the error.
                let _ = lines.send(Err(error));
                return;
            }
        }
    }
}

pub fn unreadable(error: &io::Error, console: &mut Console) -> io::Result<Exit> {
    console.error(&format!("cannot read the input: {error}"))?;
    Ok(Exit::Input)
}

/// All variables of a state, as items.
fn shown(loaded: &Loaded, state: &State) -> Vec<String> {
    let value = |id: VarId| {
        let var = &loaded.declared().vars[id];
        (var.name.clone(), loaded.declared().show(var.domain, state[id.index()]))
    };
    let kept = loaded.declared().vars.ids().filter(|&id| !loaded.declared().is_local(id));
    compact::items(&kept.map(value).collect::<Vec<_>>())
}

pub struct Walk<'a> {
    pub simulation: Simulation,
    pub control: &'a Control,
    /// Counts on with every random request, so that `r` twice does not repeat itself.
    pub seed: u64,
}

impl Walk<'_> {
    pub fn run(&mut self, input: &Input, console: &mut Console) -> io::Result<Exit> {
        let initial = match self.simulation.initial_states(MOST_INITIAL, self.control) {
            Ok(initial) => initial,
            Err(stop) => return stopped(&stop, console),
        };
        if initial.len() > 1 {
            match self.choose_initial(initial, input, console)? {
                Ok(chosen) => self.simulation.restart(chosen),
                Err(exit) => return Ok(exit),
            }
        }
        self.show_state(console)?;
        loop {
            let choices = match self.simulation.choices() {
                Ok(choices) => choices,
                Err(stop) => return stopped(&stop, console),
            };
            self.list(&choices, console)?;
            let line = match input.ask("> ", self.control, console)? {
                Ok(line) => line,
                Err(exit) => return Ok(exit),
            };
            if let Some(exit) = self.obey(parse(&line), choices, console)? {
                return Ok(exit);
            }
        }
    }

    /// The initial state to begin at, or the exit code when none is chosen.
    fn choose_initial(
        &self,
        mut initial: Vec<State>,
        input: &Input,
        console: &mut Console,
    ) -> io::Result<Result<State, Exit>> {
        let more = if initial.len() >= MOST_INITIAL { " or more" } else { "" };
        console.out.line(&format!("{} initial states{more}:", initial.len()))?;
        for (i, state) in initial.iter().enumerate() {
            console.out.line(&format!("{:>4}  {}", i + 1, shown(&self.simulation.loaded, state).join("  ")))?;
        }
        loop {
            let line = match input.ask("which? ", self.control, console)? {
                Ok(line) => line,
                Err(exit) => return Ok(Err(exit)),
            };
            match parse(&line) {
                Request::Take(number) if (1..=initial.len()).contains(&number) => {
                    return Ok(Ok(initial.swap_remove(number - 1)));
                }
                Request::Quit => return Ok(Err(Exit::Success)),
                _ => console.out.line(&format!("  a number from 1 to {}, or q to quit", initial.len()))?,
            }
        }
    }

    /// The exit code when the walk is over.
    fn obey(&mut self, request: Request, choices: Vec<Choice>, console: &mut Console) -> io::Result<Option<Exit>> {
        match request {
            Request::Take(number) => self.take(number, choices, console)?,
            Request::Random(count) => return self.take_random(count, console),
            Request::Undo => {
                let said = if self.simulation.undo() { "  one step back" } else { "  this is the initial state" };
                console.out.line(said)?;
            }
            Request::Disabled => self.show_disabled(console)?,
            Request::State => self.show_state(console)?,
            Request::Trace => self.show_trace(console)?,
            Request::Help => console.out.text(HELP)?,
            Request::Quit => return Ok(Some(Exit::Success)),
            Request::Unclear => console.out.line("  not understood; h for help")?,
        }
        Ok(None)
    }

    /// Shows the steps even if the walk is over.
    fn take_random(&mut self, count: usize, console: &mut Console) -> io::Result<Option<Exit>> {
        let before = self.simulation.trace().n_steps();
        let ended = self.simulation.walk(self.seed, count, self.control);
        self.seed = self.seed.wrapping_add(1);
        if matches!(ended, Err(Stop::Memory(_))) {
            // The whole text of a walk that filled the memory would not fit either.
            let n_taken = self.simulation.trace().n_steps() - before;
            console.out.line(&format!("  {}", counted(n_taken, "random step", "random steps")))?;
        } else {
            self.show_steps(before, console)?;
        }
        match ended {
            Ok(()) => Ok(None),
            Err(stop) => stopped(&stop, console).map(Some),
        }
    }

    fn take(&mut self, number: usize, choices: Vec<Choice>, console: &mut Console) -> io::Result<()> {
        let n_choices = choices.len();
        match number.checked_sub(1).and_then(|i| choices.into_iter().nth(i)) {
            Some(choice) => {
                let before = self.simulation.trace().n_steps();
                self.simulation.step(choice);
                self.show_steps(before, console)
            }
            None if n_choices == 0 => console.out.line("  no step is possible; u to undo, q to quit"),
            None => console.out.line(&format!("  a number from 1 to {n_choices}; h for help")),
        }
    }

    /// The steps that can be taken now, each with what it would change.
    fn list(&self, choices: &[Choice], console: &mut Console) -> io::Result<()> {
        if choices.is_empty() {
            return console.out.line("no step is possible here (u to undo, d to see why, q to quit)");
        }
        let label = |choice: &Choice| self.simulation.model().commands[choice.command].label.chars().count();
        let width = choices.iter().map(label).max().unwrap_or(0).min(32);
        for (i, choice) in choices.iter().enumerate() {
            let label = &self.simulation.model().commands[choice.command].label;
            let line = format!("{:>4}  {label:<width$}  {}", i + 1, self.changes(&choice.next));
            console.out.line(line.trim_end())?;
        }
        Ok(())
    }

    fn changes(&self, next: &State) -> String {
        let (model, now) = (self.simulation.loaded.declared(), self.simulation.state());
        let changed = model.vars.ids().filter(|id| now[id.index()] != next[id.index()]);
        let change = |id: VarId| {
            let (var, i) = (&model.vars[id], id.index());
            format!("{}: {} -> {}", var.name, model.show(var.domain, now[i]), model.show(var.domain, next[i]))
        };
        let changes: Vec<String> = changed.map(change).collect();
        if changes.is_empty() { "(nothing changes)".to_owned() } else { changes.join("   ") }
    }

    fn show_disabled(&self, console: &mut Console) -> io::Result<()> {
        let disabled = match self.simulation.disabled() {
            Ok(disabled) => disabled,
            Err(stop) => return console.out.line(&format!("  {stop}")),
        };
        if disabled.is_empty() {
            return console.out.line("  every command is possible");
        }
        let label = |command| self.simulation.model().commands[command].label.as_str();
        let width = disabled.iter().map(|one| label(one.command).chars().count()).max().unwrap_or(0).min(32);
        for one in disabled {
            console.out.line(&format!("   -  {:<width$}  {}", label(one.command), one.because))?;
        }
        Ok(())
    }

    fn show_state(&self, console: &mut Console) -> io::Result<()> {
        let trace = self.simulation.trace();
        let alone = Trace { states: vec![trace.last().clone()], actions: Vec::new(), loop_start: None };
        let run = ModelRun { loaded: &self.simulation.loaded, trace: &alone };
        let text = self.rendered(&run, console);
        // The renderer numbers and names the state as if it were the first.
        let title = match trace.n_steps() {
            0 => "(initial)".to_owned(),
            n_steps => format!("({})", counted(n_steps, "step", "steps")),
        };
        console.out.text(&text.replacen("   0  (initial)", &format!("      {title:<9}"), 1))
    }

    /// The steps after the first `before` ones.
    fn show_steps(&self, before: usize, console: &mut Console) -> io::Result<()> {
        let n_steps = self.simulation.trace().n_steps();
        if n_steps == before {
            return console.out.line("  no step was taken");
        }
        let run = ModelRun { loaded: &self.simulation.loaded, trace: self.simulation.trace() };
        let options = self.options(console);
        console.out.text(&trace::render_from(&run, &options, before + 1))
    }

    fn show_trace(&self, console: &mut Console) -> io::Result<()> {
        let run = ModelRun { loaded: &self.simulation.loaded, trace: self.simulation.trace() };
        let text = self.rendered(&run, console);
        console.out.text(&text)
    }

    fn rendered(&self, run: &ModelRun<'_>, console: &Console) -> String {
        trace::render(run, &self.options(console))
    }

    fn options(&self, console: &Console) -> trace::Options<'static> {
        let (width, palette) = (console.width, console.out.palette);
        trace::Options { form: Form::Diff, width, palette, only: None, most_steps: usize::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_generously() {
        let cases = [
            ("", Request::Take(1)),
            (" 3 \n", Request::Take(3)),
            ("r", Request::Random(1)),
            ("r 20", Request::Random(20)),
            ("r x", Request::Unclear),
            ("u", Request::Undo),
            ("?", Request::Help),
            ("q\n", Request::Quit),
            ("walk on", Request::Unclear),
        ];
        for (line, request) in cases {
            assert_eq!(parse(line), request, "{line:?}");
        }
    }
}
