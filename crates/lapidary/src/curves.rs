//! Curves over the iterations of a refinement loop, read from event files (figures 6.4 to 6.10 of Chucri 2012).

use std::fmt;
use std::io::{BufRead, Read};

use lapidary_base::Event;
use lapidary_base::event::Iteration;
use lapidary_driver::events;

/// No event is that long; an endless line must not fill the memory.
const LONGEST_LINE: u64 = 1 << 20;

/// The iterations of one search, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refinement {
    /// Empty, as is the engine, where the file does not say.
    pub property: String,
    pub engine: String,
    pub iterations: Vec<Iteration>,
}

/// All searches with iterations in one file.
#[derive(Debug, Default, PartialEq)]
pub struct Recording {
    pub refinements: Vec<Refinement>,
    /// The number of a last line that is not whole: the program that writes it is still at it, or was ended.
    pub cut_off: Option<usize>,
}

/// Why a file is no recording.
#[derive(Debug)]
pub enum Failure {
    Read(std::io::Error),
    Line { line: usize, column: Option<usize>, why: String },
}

/// Reads lines until the end or the first that is no event.
pub fn read(mut reader: impl BufRead) -> Result<Recording, Failure> {
    let mut recording = Recording::default();
    let mut current = Refinement::default();
    let mut n_events = 0_usize;
    for number in 1.. {
        let mut line = Vec::new();
        reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line).map_err(Failure::Read)?;
        if line.is_empty() {
            break;
        }
        let is_whole = line.ends_with(b"\n");
        if line.len() as u64 > LONGEST_LINE {
            let why = "this is not an event: the line is too long".to_owned();
            return Err(Failure::Line { line: number, column: None, why });
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match events::parse(line.trim_ascii_end()) {
            Ok(event) => {
                n_events += 1;
                take(event, &mut current, &mut recording.refinements);
            }
            Err(_) if !is_whole && n_events > 0 => recording.cut_off = Some(number),
            Err(events::Broken { column, why }) => return Err(Failure::Line { line: number, column, why }),
        }
    }
    finish(&mut current, &mut recording.refinements);
    Ok(recording)
}

fn take(event: Option<Event>, current: &mut Refinement, done: &mut Vec<Refinement>) {
    match event {
        Some(Event::PropertyStart { name, engine }) => {
            finish(current, done);
            (current.property, current.engine) = (name, engine);
        }
        Some(Event::Iteration(iteration)) => {
            // A property may take several searches, each of which counts from the beginning.
            if current.iterations.last().is_some_and(|last| last.i >= iteration.i) {
                finish(current, done);
            }
            current.iterations.push(iteration);
        }
        Some(
            Event::ModelLoaded { .. }
            | Event::Abstraction { .. }
            | Event::Heartbeat { .. }
            | Event::Verdict { .. }
            | Event::Warning { .. },
        )
        | None => {}
    }
}

/// Keeps what was collected, if there are iterations.
fn finish(current: &mut Refinement, done: &mut Vec<Refinement>) {
    let iterations = std::mem::take(&mut current.iterations);
    if !iterations.is_empty() {
        done.push(Refinement { iterations, ..current.clone() });
    }
}

/// What a panel shows: the number of abstract states, the length of the abstract counterexample, or the certified
/// abstract states of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Curve {
    States,
    Length,
    Certified,
}

impl Curve {
    pub const ALL: [Self; 3] = [Self::States, Self::Length, Self::Certified];

    pub fn title(self) -> &'static str {
        match self {
            Self::States => "abstract states",
            Self::Length => "length of the counterexample",
            Self::Certified => "certified states",
        }
    }

    /// The lines of a panel for one refinement.
    pub fn lines(self, refinement: &Refinement) -> Vec<Line> {
        let line = |side, value: fn(&Iteration) -> u64| Line {
            side,
            points: refinement.iterations.iter().map(|iteration| (iteration.i, value(iteration))).collect(),
        };
        match self {
            Self::States => vec![line(None, |iteration| iteration.abs_states)],
            Self::Length => vec![line(None, |iteration| iteration.cex_len)],
            Self::Certified => vec![
                line(Some(Side::Reachable), |iteration| iteration.certified_neg),
                line(Some(Side::CoReachable), |iteration| iteration.certified_pos),
            ],
        }
    }
}

/// From where states are certified: `certified_neg` and `certified_pos` of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Reachable,
    CoReachable,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reachable => "reachable side",
            Self::CoReachable => "co-reachable side",
        })
    }
}

/// Iterations and what was counted in each.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub side: Option<Side>,
    pub points: Vec<(u64, u64)>,
}

#[cfg(test)]
mod tests;
