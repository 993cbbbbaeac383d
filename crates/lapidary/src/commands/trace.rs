//! `lapidary trace`: shows a trace from a file, or replays it on a model.

use std::fs;
use std::io;
use std::sync::Arc;

use lapidary_base::Control;
use lapidary_checker::Rejection;
use lapidary_driver::files::{Files, Once, disk};
use lapidary_driver::runs::{self, NoTrace};
use lapidary_driver::{Exit, Loaded};
use lapidary_verdict::{Trace, Verdict, itf};
use regex_lite::Regex;
use serde_json::Value;

use crate::args::TraceArgs;
use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::opening::open_model_of;
use crate::render::document::DocumentRun;
use crate::render::run::{ModelRun, Run};
use crate::render::trace::{self, Form};
use crate::units::counted;

pub fn run(args: &TraceArgs, console: &mut Console) -> io::Result<Exit> {
    let shown = args.file.display().to_string();
    let only = match args.vars.as_deref().map(Regex::new).transpose() {
        Ok(only) => only,
        Err(error) => {
            console.error(&format!("--vars is not a regular expression: {error}"))?;
            return Ok(Exit::Usage);
        }
    };
    let text = match fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => return refuse(console, &format!("cannot read {shown}: {error}")),
    };
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => return refuse(console, &format!("{shown} is not JSON: {error}")),
    };
    match &args.replay[..] {
        [_, ..] => on_model(args, &value, only.as_ref(), console),
        [] => match itf::document(&value) {
            Ok(document) => {
                show(args, &DocumentRun { document }, only.as_ref(), console)?;
                Ok(Exit::Success)
            }
            Err(why) => refuse(console, &format!("{shown} is not a trace: {why}")),
        },
    }
}

fn refuse(console: &mut Console, message: &str) -> io::Result<Exit> {
    console.error(message)?;
    Ok(Exit::Input)
}

fn show(args: &TraceArgs, run: &dyn Run, only: Option<&Regex>, console: &mut Console) -> io::Result<()> {
    let lasso =
        run.loop_start().map(|start| format!(", then a loop of {}", run.n_states() - start)).unwrap_or_default();
    let n_steps = run.n_states().saturating_sub(1);
    console.out.line(&format!("{}: {}{lasso}", args.file.display(), counted(n_steps, "step", "steps")))?;
    let form = if args.full { Form::Full } else { Form::Diff };
    let (width, palette) = (console.width, console.out.palette);
    console.out.text(&trace::render(run, &trace::Options { form, width, palette, only, most_steps: usize::MAX }))
}

fn on_model(args: &TraceArgs, value: &Value, only: Option<&Regex>, console: &mut Console) -> io::Result<Exit> {
    let control = args.limits.control();
    // The model is opened again where the trace is about a formula: it is still the same one.
    let files: Arc<dyn Files> = Arc::new(Once::new(disk()));
    let loaded = match open_model_of(&files, console, &args.replay, &args.reading, &control)? {
        Ok(loaded) => with_property(loaded, args, value, &files, &control),
        Err(exit) => return Ok(exit),
    };
    let trace = match runs::read(&loaded, value, &control) {
        Ok(trace) => trace,
        Err(NoTrace::Stopped(stop)) => return stopped(&stop, console),
        Err(NoTrace::Wrong(why)) => {
            return refuse(console, &format!("{} does not fit {}: {why}", args.file.display(), loaded.title()));
        }
    };
    show(args, &ModelRun { loaded: &loaded, trace: &trace }, only, console)?;
    if let Some(name) = value["#meta"]["property"].as_str().filter(|name| loaded.declared().property(name).is_none()) {
        console.warning(&format!("`{name}` is no property of the model; only the steps were checked"))?;
    }
    let (claim, result) = replayed(&loaded, value, &trace, &control);
    match result {
        Ok(()) => {
            console.out.line(&format!("replayed=yes{claim}"))?;
            Ok(Exit::Success)
        }
        Err(Rejection::Wrong(why)) => refuse(console, &format!("the trace is not accepted: {why}")),
        Err(Rejection::Stopped(stop)) => stopped(&stop, console),
    }
}

/// A trace for a formula of the command line names the formula: it is read again as one, where that is possible.
fn with_property(loaded: Loaded, args: &TraceArgs, value: &Value, files: &Arc<dyn Files>, control: &Control) -> Loaded {
    let named = value["#meta"]["property"].as_str();
    let Some(formula) = named.filter(|name| loaded.declared().property(name).is_none()) else { return loaded };
    let read = |formula: &str| {
        let request = args.reading.request_for(&args.replay, vec![formula.to_owned()], &args.specified);
        lapidary_driver::open_within(&request, files, control).ok()
    };
    read(formula).or_else(|| whole(formula).and_then(read)).unwrap_or(loaded)
}

/// The name of what a property is a part of: `safe` for `safe[2]`.
fn whole(name: &str) -> Option<&str> {
    let (whole, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(whole)
}

/// What the trace claims to show, in words, and whether it does. A trace that names no property of the model only has
/// to be a run.
fn replayed(loaded: &Loaded, value: &Value, trace: &Trace, control: &Control) -> (String, Result<(), Rejection>) {
    let text = |key: &str| value["#meta"][key].as_str();
    let Some(id) = text("property").and_then(|name| loaded.declared().property(name)) else {
        return (String::new(), lapidary_checker::replay_run(&loaded.subject, trace, control));
    };
    let property = &loaded.declared().properties[id];
    let verdict = match text("verdict") {
        Some("holds") => Verdict::Holds,
        Some("violated") => Verdict::Violated,
        // Without a word, a run shows that a `reach` property holds, or that another is violated.
        Some(_) | None if property.kind.is_reach() => Verdict::Holds,
        Some(_) | None => Verdict::Violated,
    };
    let name = &property.name;
    let claim = match verdict {
        // A run shows that the goal is reached; that evaluating it errs nowhere takes a certificate.
        Verdict::Holds if !property.faults.is_empty() => format!("  {name} is reached (it may err elsewhere)"),
        Verdict::Holds | Verdict::Violated | Verdict::Unknown => format!("  {name} = {}", verdict.name()),
    };
    (claim, lapidary_checker::replay(&loaded.subject, id, verdict, trace, control))
}
