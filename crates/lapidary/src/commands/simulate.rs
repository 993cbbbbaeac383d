//! `lapidary simulate`: random steps, or steps chosen by hand.

use std::io::{self, BufReader, IsTerminal};

use lapidary_base::{Control, Stop};
use lapidary_driver::simulate::Simulation;
use lapidary_driver::{Exit, Loaded};

use crate::args::Simulate;
use crate::commands::interactive::{self, Echo, Input, Walk};
use crate::console::Console;
use crate::opening::open_model;
use crate::render::run::ModelRun;
use crate::render::trace::{self, Form};
use crate::units::counted;

pub fn run(args: &Simulate, console: &mut Console) -> io::Result<Exit> {
    let control = args.limits.control();
    let mut loaded = match open_model(console, &args.models, &args.reading, &control)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let pinned = lapidary_driver::nets::pin(&mut loaded);
    if !pinned.is_empty() {
        let tokens = pinned.iter().map(|(place, tokens)| format!("{place} = {tokens}")).collect::<Vec<_>>();
        console.warning(&format!("the walk begins with {}, where any number would do", tokens.join(", ")))?;
    }
    let simulation = match Simulation::new(&loaded.subject, &loaded.sources, &control) {
        Ok(Some(simulation)) => simulation,
        Ok(None) => {
            console.error(&format!("{} has no initial state: nothing can be simulated", loaded.path))?;
            return Ok(Exit::Input);
        }
        Err(stop) => return stopped(&stop, console),
    };
    if args.interactive {
        return by_hand(args, &loaded, simulation, &control, console);
    }
    random(args, &loaded, simulation, &control, console)
}

fn by_hand(
    args: &Simulate,
    loaded: &Loaded,
    simulation: Simulation<'_>,
    control: &Control,
    console: &mut Console,
) -> io::Result<Exit> {
    let echo = if io::stdin().is_terminal() { Echo::Terminal } else { Echo::Written };
    match Input::new(BufReader::new(io::stdin()), echo) {
        Ok(input) => Walk { loaded, simulation, control, seed: args.seed }.run(&input, console),
        Err(error) => interactive::unreadable(&error, console),
    }
}

/// However the walk ends, what was walked is shown.
fn random(
    args: &Simulate,
    loaded: &Loaded,
    mut simulation: Simulation<'_>,
    control: &Control,
    console: &mut Console,
) -> io::Result<Exit> {
    let begun = simulation.start_anywhere(args.seed, control);
    let ended = begun.and_then(|()| simulation.walk(args.seed, args.steps, control));
    let n_steps = simulation.trace.n_steps();
    console.out.line(&format!(
        "{}: {}, seed {}",
        loaded.title(),
        counted(n_steps, "random step", "random steps"),
        args.seed
    ))?;
    let run = ModelRun { loaded, trace: &simulation.trace };
    let (width, palette) = (console.width, console.out.palette);
    // The whole text of a walk that filled the memory would not fit either.
    let most_steps = if matches!(ended, Err(Stop::Memory(_))) { trace::MOST_STEPS } else { usize::MAX };
    let options = trace::Options { form: Form::Diff, width, palette, only: None, most_steps };
    console.out.text(&trace::render(&run, &options))?;
    match ended {
        Err(stop) => stopped(&stop, console),
        Ok(()) => {
            if n_steps < args.steps {
                console.out.line(&format!("no step is possible after {}", counted(n_steps, "step", "steps")))?;
            }
            Ok(Exit::Success)
        }
    }
}

/// A walk that cannot go on, most often because a number left the 64-bit range.
pub fn stopped(stop: &Stop, console: &mut Console) -> io::Result<Exit> {
    console.error(&stop.to_string())?;
    Ok(Exit::of_stop(stop))
}
