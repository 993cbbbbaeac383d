//! How a run gets on: one line on the terminal that is drawn again and again, or plain lines now and then.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lapidary_base::event::Iteration;
use lapidary_base::{Event, Sink, memory};

use crate::args::Progress as Choice;
use crate::render::report::Detail;
use crate::units;

const PLAIN_INTERVAL: Duration = Duration::from_secs(3);
/// Short runs show no line at all, and no eye follows more than a few changes a second.
const LINE_INTERVAL: Duration = Duration::from_millis(150);

/// The listener that shows progress; `None` where nobody wants to see it.
pub fn listener(choice: Choice, detail: Detail) -> Option<Arc<Progress>> {
    let is_terminal = std::io::stderr().is_terminal();
    let display = match choice {
        Choice::None => return None,
        Choice::Auto if detail == Detail::Quiet || !is_terminal => return None,
        Choice::Auto => Display::Line(line()),
        Choice::Plain => Display::Plain,
    };
    let state = State { task: String::new(), last_shown: Instant::now() };
    Some(Arc::new(Progress { start: Instant::now(), display, state: Mutex::new(state) }))
}

fn line() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    // The template has no moving parts but its own, so it cannot be wrong; the default would do all the same.
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

pub struct Progress {
    start: Instant,
    display: Display,
    state: Mutex<State>,
}

enum Display {
    Line(ProgressBar),
    Plain,
}

struct State {
    /// `mutex (explicit)`
    task: String,
    last_shown: Instant,
}

impl Progress {
    /// Takes the line away, before results are printed.
    pub fn clear(&self) {
        match &self.display {
            Display::Line(bar) => bar.finish_and_clear(),
            Display::Plain => {}
        }
    }

    fn show(&self, state: &mut State, counts: &str) {
        let interval = match &self.display {
            Display::Line(_) => LINE_INTERVAL,
            Display::Plain => PLAIN_INTERVAL,
        };
        if state.last_shown.elapsed() < interval {
            return;
        }
        state.last_shown = Instant::now();
        let spent = units::seconds(self.start.elapsed().as_secs_f64());
        let used = units::memory(memory::resident().unwrap_or(0));
        let message = format!("{}: {spent}, {used}, {counts}", state.task);
        match &self.display {
            Display::Line(bar) => {
                bar.set_message(message);
                bar.tick();
            }
            // Whoever closed the error stream does not want progress.
            Display::Plain => drop(writeln!(std::io::stderr(), "progress: {message}")),
        }
    }

    /// A cleared line comes back with the next model.
    fn restart(&self, state: &mut State) {
        state.last_shown = Instant::now();
        match &self.display {
            Display::Line(bar) => bar.reset(),
            Display::Plain => {}
        }
    }
}

impl Sink for Progress {
    fn event(&self, event: &Event) {
        let Ok(mut state) = self.state.lock() else { return };
        match event {
            Event::PropertyStart { name, engine } => state.task = format!("{name} ({engine})"),
            Event::Heartbeat { states, transitions, frontier, depth } => {
                let (states, transitions) = (units::rough(*states), units::rough(*transitions));
                let frontier = units::rough(*frontier);
                let counts = format!("{states} states, {transitions} transitions, {frontier} to visit, depth {depth}");
                self.show(&mut state, &counts);
            }
            Event::Iteration(iteration) => self.show(&mut state, &iteration_words(iteration)),
            Event::ModelLoaded { .. } => self.restart(&mut state),
            Event::Verdict { .. } | Event::Warning { .. } | Event::Abstraction { .. } => {}
        }
    }
}

/// `iteration 7, 9 blocks, counterexample of length 4, 12 certified, 3 pruned`; what there is none of is left out.
fn iteration_words(iteration: &Iteration) -> String {
    let Iteration { i, abs_states, cex_len, pruned, .. } = iteration;
    let blocks = if *abs_states == 1 { "block" } else { "blocks" };
    let mut words =
        format!("iteration {i}, {} {blocks}, counterexample of length {cex_len}", units::rough(*abs_states));
    let certified = iteration.certified_neg.saturating_add(iteration.certified_pos);
    for (count, what) in [(certified, "certified"), (*pruned, "pruned"), (iteration.predicates, "predicates")] {
        if count > 0 {
            words += &format!(", {} {what}", units::rough(count));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_tells_what_it_has() {
        let first = Iteration { i: 1, abs_states: 1, cex_len: 2, ..Iteration::default() };
        assert_eq!(iteration_words(&first), "iteration 1, 1 block, counterexample of length 2");
        let (certified_neg, certified_pos) = (10, 2);
        let later =
            Iteration { i: 7, abs_states: 1_200_000, cex_len: 4, certified_neg, certified_pos, pruned: 3, ..first };
        let expected = "iteration 7, 1.2 M blocks, counterexample of length 4, 12 certified, 3 pruned";
        assert_eq!(iteration_words(&later), expected);
    }
}
