//! `lapidary check`: models in, verdicts out.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lapidary_base::{Control, Sink, memory};
use lapidary_driver::events::{Commands, Fanout, model_loaded};
use lapidary_driver::{CheckRequest, Exit, Limits, Loaded, check};
use lapidary_verdict::Report;

use crate::answers::Answers;
use crate::args::{Check, Deny, EngineArgs, Format, TraceForm};
use crate::console::{Console, Palette};
use crate::event_file::{AbstractionFile, EventFile, IterationLines};
use crate::limits;
use crate::opening::{Unloaded, open};
use crate::outputs::{self, FileNames, Models, Output};
use crate::progress::{self, Progress};
use crate::render::next::Invocation;
use crate::render::report::{self, Detail};
use crate::solvers;
use crate::words::quoted;

/// What lasts from the first model to the last.
struct Batch<'a> {
    args: &'a Check,
    detail: Detail,
    models: Models,
    answers: Answers,
    cancel: Arc<AtomicBool>,
    progress: Option<Arc<Progress>>,
    events: Option<Arc<EventFile>>,
    graphs: Option<Arc<AbstractionFile>>,
    traces: Option<FileNames>,
    certificates: Option<FileNames>,
}

pub fn run(args: &Check, console: &mut Console) -> io::Result<Exit> {
    let as_one = args.reading.as_one.then(|| args.reading.misuse(&args.models)).flatten();
    if let Some(misuse) = check_request(args).misuse().or(as_one) {
        console.error(&misuse)?;
        return Ok(Exit::Usage);
    }
    if let Some(clash) = outputs::clash(&args.models, &output_files(args)) {
        console.error(&clash)?;
        return Ok(Exit::Usage);
    }
    let events = match args.output.events.as_deref().map(EventFile::create).transpose() {
        Ok(events) => events.map(Arc::new),
        Err(error) => {
            let path = args.output.events.as_deref().unwrap_or("".as_ref());
            console.error(&format!("cannot write {}: {error}", path.display()))?;
            return Ok(Exit::Input);
        }
    };
    let graphs = match args.cover.abstraction_print.as_deref().map(AbstractionFile::create).transpose() {
        Ok(graphs) => graphs.map(Arc::new),
        Err(error) => {
            let path = args.cover.abstraction_print.as_deref().unwrap_or("".as_ref());
            console.error(&format!("cannot write {}: {error}", path.display()))?;
            return Ok(Exit::Input);
        }
    };
    let mut batch = Batch::new(args, events, graphs);
    batch.answers.begin(console)?;
    let mut exit = Exit::Success;
    for files in models(args) {
        exit = exit.max(batch.model(files, console)?);
        if exit == Exit::Interrupted || console.out.is_closed() {
            break;
        }
    }
    exit = exit.max(batch.finish(console)?);
    exit = exit.max(batch.denied(console.n_warnings));
    batch.answers.end(exit, console)?;
    Ok(exit)
}

/// The files of each model.
fn models(args: &Check) -> impl Iterator<Item = &[String]> {
    args.models.chunks(if args.reading.as_one { args.models.len().max(1) } else { 1 })
}

fn check_request(args: &Check) -> CheckRequest {
    let engine = &args.engine;
    CheckRequest {
        engine: engine.engine,
        order: engine.order.search(engine.seed),
        direction: engine.direction.search(),
        cover: args.cover.options(),
        control: args.cover.control.clone(),
        solver: args.solver.options(),
        net: args.net.options(),
        shortest: engine.shortest,
        jobs: limits::jobs(engine.jobs),
        timeout_each: engine.timeout_each,
    }
}

/// The options that name files, and the files.
fn output_files(args: &Check) -> Vec<Output<'_>> {
    let options = [
        ("--trace-out", &args.output.trace_out),
        ("--certificate", &args.output.certificate),
        ("--events", &args.output.events),
        ("--cegar-abstraction-print", &args.cover.abstraction_print),
    ];
    options.into_iter().filter_map(|(option, path)| path.as_deref().map(|path| (option, path))).collect()
}

/// Names for an output that can be several files; none of them is a model or another output.
fn file_names(args: &Check, path: Option<&PathBuf>) -> Option<FileNames> {
    let models = args.models.iter().map(Path::new);
    let outputs = output_files(args);
    path.map(|path| FileNames::new(path.clone(), models.chain(outputs.iter().map(|(_, path)| *path))))
}

impl<'a> Batch<'a> {
    fn new(args: &'a Check, events: Option<Arc<EventFile>>, graphs: Option<Arc<AbstractionFile>>) -> Self {
        let detail = match (args.output.quiet, args.output.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        };
        Self {
            args,
            detail,
            models: if models(args).count() > 1 { Models::Several } else { Models::One },
            answers: Answers::new(args.output.format),
            cancel: limits::on_interrupt(),
            progress: progress::listener(args.output.progress, detail),
            events,
            graphs,
            traces: file_names(args, args.output.trace_out.as_ref()),
            certificates: file_names(args, args.output.certificate.as_ref()),
        }
    }

    fn model(&mut self, files: &[String], console: &mut Console) -> io::Result<Exit> {
        let mut request = self.args.reading.request_for(files, self.args.properties.clone(), &self.args.specified);
        request.predicates.clone_from(&self.args.cover.predicates);
        let (asked, control) = (check_request(self.args), self.control());
        let n_before = console.n_warnings;
        let loaded = match open(console, &request, &control)? {
            Ok(loaded) => loaded,
            Err(Unloaded { exit, error }) => {
                self.answers.failure(&request.path, &error, exit, &control, console)?;
                return Ok(exit);
            }
        };
        // Only now it is known what was read.
        if let Some(clash) = outputs::clash(&loaded.files, &output_files(self.args)) {
            console.error(&clash)?;
            self.answers.misuse(&request.path, &clash, &control, console)?;
            return Ok(Exit::Usage);
        }
        self.events.iter().for_each(|events| events.begin());
        self.graphs.iter().for_each(|graphs| graphs.begin());
        if let Some(complaint) = self.unmatched(&loaded, &asked) {
            console.error(&complaint)?;
            self.answers.misuse(&request.path, &complaint, &control, console)?;
            return Ok(Exit::Usage);
        }
        // A file of events tells how many commands there are, also where nobody else would ask.
        let commands = if self.events.is_some() { Commands::Counted } else { Commands::AsTheyAre };
        control.emit(&model_loaded(&loaded, commands, &control));
        let report = check(&loaded, &asked, &control);
        if let Some(progress) = &self.progress {
            progress.clear();
        }
        self.tell_problems(&loaded, &report, console)?;
        let (written, files) = self.write_files(&loaded, &report, &control, console)?;
        let exit = Exit::of_answer(&loaded, &report).max(files).max(self.denied(console.n_warnings - n_before));
        self.print(&loaded, &report, &written, &control, exit, console)?;
        Ok(exit)
    }

    /// How so many warnings end a command.
    fn denied(&self, n_warnings: usize) -> Exit {
        match self.args.output.deny {
            Some(Deny::Warnings) if n_warnings > 0 => Exit::Unknown,
            Some(Deny::Warnings) | None => Exit::Success,
        }
    }

    fn control(&self) -> Control {
        let mut sinks: Vec<Arc<dyn Sink>> = Vec::new();
        sinks.extend(self.progress.clone().map(|progress| progress as Arc<dyn Sink>));
        sinks.extend(self.events.clone().map(|events| events as Arc<dyn Sink>));
        sinks.extend(self.graphs.clone().map(|graphs| graphs as Arc<dyn Sink>));
        if self.args.cover.iteration_stats {
            sinks.push(Arc::new(IterationLines::default()));
        }
        let EngineArgs { timeout, memory, .. } = self.args.engine;
        Limits { timeout, memory }.control().with_cancel(Arc::clone(&self.cancel)).with_sink(Box::new(Fanout { sinks }))
    }

    fn unmatched(&self, loaded: &Loaded, asked: &CheckRequest) -> Option<String> {
        let (regex, why) = self.args.cover.control.as_ref().zip(asked.unmatched(loaded))?;
        Some(format!("--control {}: {why}", quoted(regex.as_str())))
    }

    /// Warnings and internal errors go to the error stream; the report has the rest.
    fn tell_problems(&self, loaded: &Loaded, report: &Report, console: &mut Console) -> io::Result<()> {
        for property in &report.properties {
            for warning in &property.warnings {
                let name = property.name(loaded.declared());
                console.warning(&format!("{name}: {warning}"))?;
            }
        }
        for error in &report.internal_errors {
            console.error(&format!("internal error: {error}"))?;
            console.err.line("  please report this with the model and the command line")?;
        }
        Ok(())
    }

    fn write_files(
        &mut self,
        loaded: &Loaded,
        report: &Report,
        control: &Control,
        console: &mut Console,
    ) -> io::Result<(Vec<Option<PathBuf>>, Exit)> {
        let (mut written, mut exit) = (Vec::new(), Exit::Success);
        if let Some(names) = &mut self.traces {
            match outputs::write_traces(names, loaded, report, self.models, control) {
                Ok(files) => written = files,
                Err(failure) => {
                    console.error(&failure.why)?;
                    exit = failure.exit;
                }
            }
        }
        if let Some(names) = &mut self.certificates
            && let Err(failure) = outputs::write_certificates(names, loaded, report, self.models, control)
        {
            console.error(&failure.why)?;
            exit = exit.max(failure.exit);
        }
        Ok((written, exit))
    }

    fn print(
        &mut self,
        loaded: &Loaded,
        report: &Report,
        written: &[Option<PathBuf>],
        control: &Control,
        exit: Exit,
        console: &mut Console,
    ) -> io::Result<()> {
        let invocation = self.invocation();
        let (trace, palette) = self.appearance(console);
        let options = report::Options {
            detail: self.detail,
            trace,
            width: console.width,
            palette,
            engine: self.args.engine.engine.name(),
            invocation: &invocation,
            written,
            seconds: control.start().elapsed().as_secs_f64(),
            memory: memory::peak_resident().unwrap_or(0),
        };
        // The header names the model, but quiet output has none.
        let is_text = self.args.output.format == Format::Text;
        if is_text && self.detail == Detail::Quiet && self.models == Models::Several {
            console.out.line(&format!("model: {}", loaded.title()))?;
        }
        self.answers.report(loaded, report, exit, &options, control, console)
    }

    /// In a document for programs traces are short, and nothing has a colour.
    fn appearance(&self, console: &Console) -> (TraceForm, Palette) {
        match (self.args.output.format, self.args.output.trace) {
            (Format::Text, trace) => (trace, console.out.palette),
            (Format::Json | Format::Junit | Format::Sarif, TraceForm::None) => (TraceForm::None, Palette::Plain),
            (Format::Json | Format::Junit | Format::Sarif, _) => (TraceForm::Diff, Palette::Plain),
        }
    }

    fn invocation(&self) -> Invocation {
        let EngineArgs { engine, order, direction, timeout, memory, .. } = self.args.engine;
        Invocation {
            reading: self.args.reading.clone(),
            specified: self.args.specified.clone(),
            engine,
            order,
            direction,
            cover: self.args.cover.clone(),
            solver: self.args.solver.clone(),
            net: self.args.net.clone(),
            timeout,
            memory,
            other_solver: solvers::installed(),
        }
    }

    /// What can only be said when all models are done.
    fn finish(&self, console: &mut Console) -> io::Result<Exit> {
        for (names, what) in [(&self.traces, "trace"), (&self.certificates, "certificate")] {
            if let Some(names) = names.as_ref().filter(|names| names.is_unused()) {
                console.warning(&format!("there is no {what} to write to {}", names.path().display()))?;
            }
        }
        if let Some(failure) = self.events.as_ref().and_then(|events| events.failure()) {
            console.error(&format!("the event file is incomplete: {failure}"))?;
            return Ok(Exit::Input);
        }
        if let Some(failure) = self.graphs.as_ref().and_then(|graphs| graphs.failure()) {
            console.error(&format!("the file of abstractions is incomplete: {failure}"))?;
            return Ok(Exit::Input);
        }
        Ok(Exit::Success)
    }
}
