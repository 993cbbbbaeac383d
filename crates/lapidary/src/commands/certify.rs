//! `lapidary certify`: the independent checker on its own.

use std::fs::File;
use std::io;
use std::time::Instant;

use lapidary_base::{Control, Stop, memory};
use lapidary_checker::{Backend, Claim, Means, Rejection};
use lapidary_driver::{Exit, Limits, Loaded, on_flattening_only};
use lapidary_verdict::certificate_file::{self, Unread};
use lapidary_verdict::{Certificate, Checked, Reason, Verdict};

use crate::args::Certify;
use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::limits;
use crate::opening::{Unloaded, open};
use crate::render::verdict::certificate_words;
use crate::units;

pub fn run(args: &Certify, console: &mut Console) -> io::Result<Exit> {
    let start = Instant::now();
    let Some((model, certificate)) = args.parts() else {
        console.error("a model and a certificate are needed: lapidary certify MODEL CERTIFICATE")?;
        return Ok(Exit::Usage);
    };
    if let Some(misuse) = args.reading.misuse(model) {
        console.error(&misuse)?;
        return Ok(Exit::Usage);
    }
    let shown = certificate.display().to_string();
    let control = control(args);
    let file = match File::open(certificate) {
        Ok(file) => file,
        Err(error) => return refuse(console, &format!("cannot read {shown}: {error}")),
    };
    // The header comes first: it says which properties the model is asked for.
    let opened = match certificate_file::open(file, &control) {
        Ok(opened) => opened,
        Err(Unread::Wrong(why)) => return refuse_file(console, &format!("{shown} is no certificate: {why}")),
        Err(Unread::Stopped(stop)) => return unread(&shown, &stop, start, console),
    };
    let header = opened.header.clone();
    // Names are shown, and those of a stranger are not to speak to the terminal.
    if header.properties.iter().any(|name| name.chars().any(char::is_control)) {
        return refuse_file(
            console,
            &format!("{shown} is no certificate: a property has a control character in its name"),
        );
    }
    let request = args.reading.request_for(model, header.properties.clone(), &args.specified);
    let loaded = match open(console, &request, &control)? {
        Ok(loaded) => loaded,
        Err(Unloaded { exit: Exit::Input | Exit::Unsupported, .. }) => {
            console.err.line(&format!("  {shown} is about {}", header.properties.join(", ")))?;
            return Ok(Exit::Input);
        }
        Err(Unloaded { exit, .. }) => return Ok(exit),
    };
    // Nobody can say what was proved of a property that cannot be read.
    if let Some(name) = loaded.left_out.first() {
        return refuse(console, &format!("the certificate is not accepted: it is about `{name}`, which is left out"));
    }
    let certificate = match opened.certificate(loaded.declared(), loaded.subject.tree()) {
        Ok(certificate) => certificate,
        Err(Unread::Wrong(why)) => {
            return refuse_file(console, &format!("{shown} is no certificate for {}: {why}", loaded.title()));
        }
        Err(Unread::Stopped(stop)) => return unread(&shown, &stop, start, console),
    };
    if header.model_sha256 != loaded.sha256 {
        let has = if loaded.files.len() > 1 { ", or a file that is read with it," } else { "" };
        console.warning(&format!("{}{has} changed since the certificate was written", loaded.path))?;
    }
    judge(args, &loaded, &certificate, &control, start, console)
}

fn judge(
    args: &Certify,
    loaded: &Loaded,
    certificate: &Certificate,
    control: &Control,
    start: Instant,
    console: &mut Console,
) -> io::Result<Exit> {
    let claims: Vec<Claim> = loaded.asked.iter().map(|&property| Claim::Decides(property)).collect();
    let named = args.solver.as_ref().map_or(Backend::built_in(), |solver| &solver.backend);
    let means = Means { jobs: limits::jobs(args.jobs), ..Means::of_run(named, control) };
    match lapidary_checker::certify(&loaded.subject, &claims, certificate, &means) {
        Ok(checked) => {
            if let Some(remark) = on_flattening_only(loaded, certificate) {
                console.warning(remark)?;
            }
            console.out.text(&accepted(loaded, certificate, &checked, start.elapsed().as_secs_f64()))?;
            Ok(Exit::Success)
        }
        // That a solver lies about it makes the certificate no better.
        Err(Rejection::Wrong(why) | Rejection::Stopped(Stop::Solver(why))) => {
            refuse(console, &format!("the certificate is not accepted: {why}"))
        }
        Err(Rejection::Stopped(stop)) => {
            console.out.text(&unfinished(loaded, &stop, start.elapsed().as_secs_f64()))?;
            stopped(&stop, console)
        }
    }
}

fn control(args: &Certify) -> Control {
    let limits = Limits { timeout: args.timeout, memory: args.memory };
    limits.control().with_cancel(limits::on_interrupt())
}

fn refuse(console: &mut Console, message: &str) -> io::Result<Exit> {
    console.error(message)?;
    Ok(Exit::Input)
}

/// What is wrong with a file, and where it is told how files look.
fn refuse_file(console: &mut Console, message: &str) -> io::Result<Exit> {
    console.error(message)?;
    console.err.line(
        "  help: `lapidary check MODEL --certificate FILE` writes certificates; docs/certificates.md describes them",
    )?;
    Ok(Exit::Input)
}

/// A limit was reached before the certificate was read to its end.
fn unread(shown: &str, stop: &Stop, start: Instant, console: &mut Console) -> io::Result<Exit> {
    console.out.text(&summary(&format!("{shown} was not read to its end"), start.elapsed().as_secs_f64()))?;
    stopped(stop, console)
}

fn accepted(loaded: &Loaded, certificate: &Certificate, checked: &Checked, seconds: f64) -> String {
    let mut text = String::new();
    let words = certificate_words(certificate, checked);
    for &id in &loaded.asked {
        let property = &loaded.declared().properties[id];
        // What a certificate excludes is what a `reach` property asks for.
        let verdict = if property.kind.is_reach() { Verdict::Violated } else { Verdict::Holds };
        text.push_str(&format!("verdict: {} = {}  {words}\n", property.name, verdict.name()));
    }
    let word = checked.on_word().map(|word| format!(" {word}")).unwrap_or_default();
    text + &summary(&format!("the certificate is accepted{word}"), seconds)
}

/// A check that a limit or the user ended says nothing about the certificate, neither good nor bad.
fn unfinished(loaded: &Loaded, stop: &Stop, seconds: f64) -> String {
    let reason = Reason::Stopped(stop.clone());
    let mut text = String::new();
    for &id in &loaded.asked {
        let (name, verdict) = (&loaded.declared().properties[id].name, Verdict::Unknown.name());
        text.push_str(&format!("verdict: {name} = {verdict}  reason={}\n", reason.code()));
    }
    text + &summary("the certificate was not checked to its end", seconds)
}

fn summary(what: &str, seconds: f64) -> String {
    let spent = units::seconds(seconds);
    let used = units::memory(memory::peak_resident().unwrap_or(0));
    format!("summary: {what}   {spent}, {used}\n")
}

#[cfg(test)]
mod tests;
