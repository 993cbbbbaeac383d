//! `lapidary simulate`: random steps, or steps chosen by hand.

use std::io::{self, BufReader, IsTerminal};

use lapidary_base::{Control, Stop};
use lapidary_driver::Exit;
use lapidary_driver::nets;
use lapidary_driver::simulate::{NoSimulation, Simulation};
use lapidary_ir::{PlaceId, Tokens};

use crate::args::Simulate;
use crate::commands::interactive::{self, Echo, Input, Walk};
use crate::console::Console;
use crate::opening::{open_model, tell};
use crate::render::run::ModelRun;
use crate::render::trace::{self, Form};
use crate::units::counted;

pub fn run(args: &Simulate, console: &mut Console) -> io::Result<Exit> {
    let control = args.limits.control();
    let loaded = match open_model(console, &args.models, &args.reading, &control)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let pinned = nets::pinned(&loaded.subject);
    if let Some(net) = loaded.subject.net().filter(|_| !pinned.is_empty()) {
        let begin = |&(place, tokens): &(PlaceId, Tokens)| format!("{} = {tokens}", net.places[place].name);
        let tokens = pinned.iter().map(begin).collect::<Vec<_>>();
        console.warning(&format!("the walk begins with {}, where any number would do", tokens.join(", ")))?;
    }
    let path = loaded.path.clone();
    let simulation = match Simulation::of(loaded, &control) {
        Ok(simulation) => simulation,
        Err(NoSimulation::NoInitialState) => {
            console.error(&format!("{path} has no initial state: nothing can be simulated"))?;
            return Ok(Exit::Input);
        }
        Err(NoSimulation::Unloaded(error)) => return tell(console, &error),
        Err(NoSimulation::Stopped(stop)) => return stopped(&stop, console),
    };
    if args.interactive {
        return by_hand(args, simulation, &control, console);
    }
    random(args, simulation, &control, console)
}

fn by_hand(args: &Simulate, simulation: Simulation, control: &Control, console: &mut Console) -> io::Result<Exit> {
    let echo = if io::stdin().is_terminal() { Echo::Terminal } else { Echo::Written };
    match Input::new(BufReader::new(io::stdin()), echo) {
        Ok(input) => Walk { simulation, control, seed: args.seed }.run(&input, console),
        Err(error) => interactive::unreadable(&error, console),
    }
}

/// However the walk ends, what was walked is shown.
fn random(args: &Simulate, mut simulation: Simulation, control: &Control, console: &mut Console) -> io::Result<Exit> {
    let begun = simulation.start_anywhere(args.seed, control);
    let ended = begun.and_then(|()| simulation.walk(args.seed, args.steps, control));
    let n_steps = simulation.trace().n_steps();
    console.out.line(&format!(
        "{}: {}, seed {}",
        simulation.loaded.title(),
        counted(n_steps, "random step", "random steps"),
        args.seed
    ))?;
    let run = ModelRun { loaded: &simulation.loaded, trace: simulation.trace() };
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
