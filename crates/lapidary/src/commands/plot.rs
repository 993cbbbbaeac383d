//! `lapidary plot`: the curves of refinement loops, from event files to a figure.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

use lapidary_driver::Exit;

use crate::args::Plot;
use crate::console::Console;
use crate::curves::{self, Curve, Failure, Recording, Refinement};
use crate::outputs::identity;
use crate::render::figure::{self, Labelled};
use crate::units::counted;

const NOT_EVENTS: &str = "\n  help: a plot is made of what `lapidary check --events FILE` writes";
const NO_ITERATIONS: &str =
    "\n  help: engines that refine have them: lapidary check MODEL --engine cegar (or pcegar) --events FILE";

pub fn run(args: &Plot, console: &mut Console) -> io::Result<Exit> {
    if let Some(wrong) = wrong_output(args) {
        console.error(&wrong)?;
        return Ok(Exit::Usage);
    }
    let mut taken = Vec::new();
    for file in args.files() {
        match recording(file).and_then(|recording| choose(file, recording, args.property.as_deref())) {
            Ok(choice) => {
                tell(file, &choice, console)?;
                taken.push(choice.refinement);
            }
            Err(why) => return refuse(console, &why),
        }
    }
    let properties: BTreeSet<&str> = taken.iter().map(|refinement| refinement.property.as_str()).collect();
    if properties.len() > 1 {
        console.warning("the runs are about different properties; -p NAME takes the same one of both")?;
    }
    write(args, &taken, console)
}

fn refuse(console: &mut Console, message: &str) -> io::Result<Exit> {
    console.error(message)?;
    Ok(Exit::Input)
}

/// A mistake in the name of the figure is found before anything is read.
fn wrong_output(args: &Plot) -> Option<String> {
    if args.output.extension().is_none_or(|suffix| suffix != "svg") {
        return Some("the suffix of the output decides its format; there is: .svg".to_owned());
    }
    let figure = identity(&args.output);
    let overwritten = args.files().find(|file| identity(file) == figure)?;
    Some(format!("-o would overwrite the events in {}", overwritten.display()))
}

fn recording(file: &Path) -> Result<Recording, String> {
    let shown = file.display();
    let cannot = |error: io::Error| format!("cannot read {shown}: {error}");
    let opened = File::open(file).map_err(cannot)?;
    curves::read(BufReader::new(opened)).map_err(|failure| match failure {
        Failure::Read(error) => cannot(error),
        Failure::Line { line, column, why } => {
            let column = column.map(|column| format!(":{column}")).unwrap_or_default();
            format!("{shown}:{line}{column}: {why}{NOT_EVENTS}")
        }
    })
}

/// What is drawn of a file, and what could have been.
struct Choice {
    refinement: Refinement,
    /// Properties with iterations, each once, where none was named.
    offered: Vec<String>,
    /// How many searches there were for the chosen property.
    n_searches: usize,
    cut_off: Option<usize>,
}

fn choose(file: &Path, recording: Recording, name: Option<&str>) -> Result<Choice, String> {
    let Recording { refinements, cut_off } = recording;
    let shown = file.display();
    let mut properties: Vec<String> = Vec::new();
    for refinement in &refinements {
        if !properties.contains(&refinement.property) {
            properties.push(refinement.property.clone());
        }
    }
    let Some(wanted) = name.or(properties.first().map(String::as_str)).filter(|_| !properties.is_empty()) else {
        return Err(format!("there are no iterations in {shown}{NO_ITERATIONS}"));
    };
    let is_wanted = |refinement: &&Refinement| refinement.property == wanted;
    let n_searches = refinements.iter().filter(is_wanted).count();
    let Some(refinement) = refinements.iter().find(is_wanted).cloned() else {
        return Err(format!(
            "there are no iterations of `{wanted}` in {shown}; there are of: {}",
            properties.join(", ")
        ));
    };
    let offered = if name.is_none() { properties } else { Vec::new() };
    Ok(Choice { refinement, offered, n_searches, cut_off })
}

/// What was taken where there was a choice, and what was left out.
fn tell(file: &Path, choice: &Choice, console: &mut Console) -> io::Result<()> {
    let Choice { refinement, offered, n_searches, cut_off } = choice;
    let shown = file.display();
    let name = &refinement.property;
    if offered.len() > 1 {
        let all = offered.join(", ");
        console.err.line(&format!("note: {shown} has iterations of {all}; drawing `{name}` (-p NAME chooses)"))?;
    }
    if *n_searches > 1 {
        console.err.line(&format!("note: {shown} has {n_searches} searches for `{name}`; drawing the first"))?;
    }
    match cut_off {
        Some(line) => console.warning(&format!("{shown}:{line}: the last line is cut off and left out")),
        None => Ok(()),
    }
}

fn write(args: &Plot, taken: &[Refinement], console: &mut Console) -> io::Result<Exit> {
    let labels = labels(args, taken);
    let runs: Vec<Labelled<'_>> =
        taken.iter().zip(labels).map(|(refinement, label)| Labelled { label, refinement }).collect();
    let curves = args.curve.as_ref().map_or(&Curve::ALL[..], std::slice::from_ref);
    let svg = match figure::svg(&title(taken), &runs, curves) {
        Ok(svg) => svg,
        Err(why) => {
            console.error(&format!("the figure cannot be drawn: {why}"))?;
            return Ok(Exit::Internal);
        }
    };
    let shown = args.output.display();
    if let Err(error) = fs::write(&args.output, svg) {
        return refuse(console, &format!("cannot write {shown}: {error}"));
    }
    let counts: Vec<String> = runs
        .iter()
        .map(|run| format!("{} {}", run.label, counted(run.refinement.iterations.len(), "iteration", "iterations")))
        .collect();
    console.out.line(&format!("wrote {shown}: {}", counts.join(", ")))?;
    Ok(Exit::Success)
}

/// The engines where they tell the runs apart, otherwise the files.
fn labels(args: &Plot, taken: &[Refinement]) -> Vec<String> {
    let engines: BTreeSet<&str> = taken.iter().map(|refinement| refinement.engine.as_str()).collect();
    if engines.len() == taken.len() && !engines.contains("") {
        return taken.iter().map(|refinement| refinement.engine.clone()).collect();
    }
    args.files().map(|file| file.display().to_string()).collect()
}

/// The properties, each once.
fn title(taken: &[Refinement]) -> String {
    let mut names: Vec<&str> = taken.iter().map(|refinement| refinement.property.as_str()).collect();
    names.dedup();
    names.join(" / ")
}
