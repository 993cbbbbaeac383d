//! `lapidary certify`: the independent checker on its own.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Instant;

use lapidary_base::{Control, Stop, memory};
use lapidary_checker::{Backend, Claim, Means, Rejection};
use lapidary_driver::Loaded;
use lapidary_verdict::{Certificate, Checked, Reason, Verdict, certificate_file};
use serde_json::Value;

use crate::args::Certify;
use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::exit::Exit;
use crate::limits;
use crate::opening::open;
use crate::render::verdict::{certificate_words, is_reach};
use crate::units;

/// An invariant stands in the header and may be long; a file without any line end is not read as a whole.
const LONGEST_HEADER: u64 = 1 << 28;

pub fn run(args: &Certify, console: &mut Console) -> io::Result<Exit> {
    let start = Instant::now();
    let shown = args.certificate.display().to_string();
    let properties = match announced_properties(args) {
        Ok(properties) => properties,
        Err(error) => return refuse(console, &format!("cannot read {shown}: {error}")),
    };
    let request = args.reading.request_for(&args.model, properties, &args.specified);
    // From here on an interrupt is answered; it is seen when the certificate has been read.
    let control = control(args);
    let loaded = match open(console, &request, &control)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let file = File::open(&args.certificate).map_err(|error| error.to_string());
    let read = file.and_then(|mut file| certificate_file::read(&loaded.model, loaded.tree(), &mut file));
    let (header, certificate) = match read {
        Ok(read) => read,
        Err(why) => return refuse(console, &format!("{shown} is no certificate for {}: {why}", loaded.path)),
    };
    if header.model_sha256 != loaded.sha256 {
        console.warning(&format!("{} changed since the certificate was written", loaded.path))?;
    }
    let claims: Vec<Claim> = loaded.asked.iter().map(|&property| Claim::Decides(property)).collect();
    let solver = args.solver.as_ref().map_or_else(Backend::default, |solver| solver.backend.clone());
    let means = Means { jobs: limits::jobs(args.jobs), ..Means::new(&solver, &control) };
    match loaded.certify(&claims, &certificate, &means) {
        Ok(checked) => {
            console.out.text(&accepted(&loaded, &certificate, checked, start.elapsed().as_secs_f64()))?;
            Ok(Exit::Success)
        }
        Err(Rejection::Wrong(why)) => refuse(console, &format!("the certificate is not accepted: {why}")),
        Err(Rejection::Stopped(stop)) => {
            console.out.text(&unfinished(&loaded, &stop, start.elapsed().as_secs_f64()))?;
            stopped(&stop, console)
        }
    }
}

fn control(args: &Certify) -> Control {
    limits::with_memory(Control::new(), args.memory).with_timeout(args.timeout).with_cancel(limits::on_interrupt())
}

/// The properties that the certificate says it is about, as `-p` takes them. A file without a proper header announces
/// none; what is wrong with it is told when it is read as a whole.
fn announced_properties(args: &Certify) -> io::Result<Vec<String>> {
    let mut line = Vec::new();
    BufReader::new(File::open(&args.certificate)?).take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
    let header: Value = serde_json::from_slice(&line).unwrap_or(Value::Null);
    let names = header["properties"].as_array().into_iter().flatten();
    Ok(names.filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

fn refuse(console: &mut Console, message: &str) -> io::Result<Exit> {
    console.error(message)?;
    Ok(Exit::Input)
}

fn accepted(loaded: &Loaded, certificate: &Certificate, checked: Checked, seconds: f64) -> String {
    let mut text = String::new();
    let words = certificate_words(certificate, checked);
    for &id in &loaded.asked {
        let property = &loaded.model.properties[id];
        // What a certificate excludes is what a `reach` property asks for.
        let verdict = if is_reach(&property.kind) { Verdict::Violated } else { Verdict::Holds };
        text.push_str(&format!("verdict: {} = {}  {words}\n", property.name, verdict.name()));
    }
    text + &summary("the certificate is accepted", seconds)
}

/// A check that a limit or the user ended says nothing about the certificate, neither good nor bad.
fn unfinished(loaded: &Loaded, stop: &Stop, seconds: f64) -> String {
    let reason = Reason::Stopped(stop.clone());
    let mut text = String::new();
    for &id in &loaded.asked {
        let (name, verdict) = (&loaded.model.properties[id].name, Verdict::Unknown.name());
        text.push_str(&format!("verdict: {name} = {verdict}  reason={}\n", reason.code()));
    }
    text + &summary("the certificate was not checked to its end", seconds)
}

fn summary(what: &str, seconds: f64) -> String {
    let spent = units::seconds(seconds);
    let used = units::memory(memory::peak_resident().unwrap_or(0));
    format!("summary: {what}   {spent}, {used}\n")
}
