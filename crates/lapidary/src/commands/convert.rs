//! `lapidary convert`: a model in another format, or an abstraction of one of its nodes.

use std::fs;
use std::io;
use std::path::Path;

use lapidary_base::Control;
use lapidary_driver::abstraction::{
    AbstractError, AbstractRequest, CoveredError, Family, Writing, abstracted, covered,
};
use lapidary_driver::files::disk;
use lapidary_driver::horn;
use lapidary_driver::languages::{self, Reads};
use lapidary_driver::nets::{self, Written};
use lapidary_driver::{Exit, LoadRequest};
use lapidary_ir::passes::NoModel;
use lapidary_ir::print;
use lapidary_text::diagnostic::render;
use lapidary_verdict::{Certificate, certificate_file};

use crate::args::{AbstractArgs, Convert, Decomposed};
use crate::commands::simulate::stopped;
use crate::console::Console;
use crate::finished;
use crate::opening::{open_model, tell};
use crate::outputs;
use crate::units::counted;
use crate::words::listed;

pub fn run(args: &Convert, console: &mut Console) -> io::Result<Exit> {
    if let Some(node) = &args.abstraction.of {
        return write_abstraction(args, node, console);
    }
    if let (Some(certificate), Some(component)) = (&args.abstraction.cover, &args.abstraction.component) {
        return write_cover(args, certificate, component, console);
    }
    if args.abstraction.decomposition.is_some() {
        console.error("--decomposition tells how an abstraction is written: it needs --abstract or --cover")?;
        return Ok(Exit::Usage);
    }
    let suffix = args.output.extension().and_then(|suffix| suffix.to_str()).unwrap_or("");
    if suffix == horn::SUFFIX {
        return super::horn::write(args, console);
    }
    if args.property.is_some() {
        console.error("-p says what Horn clauses are about: it is for an output that ends in .smt2")?;
        return Ok(Exit::Usage);
    }
    let (models, nets) = languages::written();
    if !models.iter().chain(&nets).any(|known| known[1..] == *suffix) {
        let (models, nets) = (listed(&models), listed(&nets));
        let there_are = format!("{models}; for nets {nets}; .{} for Horn clauses; .alt with --abstract", horn::SUFFIX);
        console.error(&format!("the suffix of the output decides its format; there are: {there_are}"))?;
        return Ok(Exit::Usage);
    }
    let control = args.limits.control();
    let loaded = match open_model(console, &args.models, &args.reading, &control)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    if let Some(clash) = outputs::clash(&loaded.files, &[("--output", &args.output)]) {
        console.error(&clash)?;
        return Ok(Exit::Usage);
    }
    if let Some(files) = nets::written(&loaded, &args.output) {
        return write_net(files, console);
    }
    for several in &loaded.combinations.all {
        let parts = several.junction.words(loaded.declared());
        console.warning(&format!("{} cannot be written, but its parts are: {parts}", several.name))?;
    }
    match loaded.subject.model(&control) {
        Ok(model) => match print::model_within(model, &control) {
            Ok(text) => write_within(&args.output, &text, &control, console),
            Err(stop) => stopped(&stop, console),
        },
        Err(NoModel::Stopped(stop)) => stopped(&stop, console),
        Err(NoModel::TooLarge(refused)) => {
            console
                .error(&format!("{} is too large to be written as one model: it has {}", loaded.path, refused.what))?;
            Ok(Exit::Unsupported)
        }
    }
}

/// The net, and its properties in a file beside it where the format keeps them apart.
fn write_net(files: Result<Vec<Written>, String>, console: &mut Console) -> io::Result<Exit> {
    let files = match files {
        Ok(files) => files,
        Err(why) => {
            console.error(&why)?;
            return Ok(Exit::Input);
        }
    };
    for Written { path, text } in &files {
        let exit = write(path, text, console)?;
        if exit != Exit::Success {
            return Ok(exit);
        }
    }
    if let [_, beside] = &files[..] {
        console.out.line(&format!("the properties are in {}", beside.path.display()))?;
    }
    Ok(Exit::Success)
}

fn write(path: &Path, text: &str, console: &mut Console) -> io::Result<Exit> {
    match fs::write(path, text) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => {
            console.error(&format!("cannot write {}: {error}", path.display()))?;
            Ok(Exit::Input)
        }
    }
}

/// A text that may be long.
pub fn write_within(path: &Path, text: &str, control: &Control, console: &mut Console) -> io::Result<Exit> {
    // In pieces, between which the limits are looked at.
    let written =
        finished::write(path, control, |out| text.as_bytes().chunks(PIECE).try_for_each(|piece| out.write_all(piece)));
    match written {
        Ok(()) => Ok(Exit::Success),
        Err(failure) => {
            console.error(&failure.why)?;
            Ok(failure.exit)
        }
    }
}

const PIECE: usize = 1 << 16;

/// The component as a certificate's cover has it.
fn write_cover(args: &Convert, certificate: &Path, component: &str, console: &mut Console) -> io::Result<Exit> {
    if let Some(wrong) = misuse_of_output(args) {
        console.error(&wrong)?;
        return Ok(Exit::Usage);
    }
    let control = args.limits.control();
    let loaded = match open_model(console, &args.models, &args.reading, &control)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let shown = certificate.display();
    let file = fs::File::open(certificate).map_err(|error| error.to_string());
    let read = file.and_then(|mut file| certificate_file::read(loaded.declared(), loaded.subject.tree(), &mut file));
    let (components, tree) = match (read, loaded.subject.tree()) {
        (Ok((_, Certificate::Components(components))), Some(tree)) => (components, tree),
        (Ok((header, _)), _) => {
            console.error(&format!("{shown} has no covers: it is a certificate of kind {}", header.kind))?;
            return Ok(Exit::Input);
        }
        (Err(why), _) => {
            console.error(&format!("{shown} is no certificate for {}: {why}", loaded.path))?;
            return Ok(Exit::Input);
        }
    };
    let writing = args.abstraction.decomposition.map_or(Writing::Transitions, Decomposed::writing);
    let made = match covered(tree, &components, component, writing, &control) {
        Ok(made) => made,
        Err(CoveredError::Refused(why)) => {
            console.error(&why)?;
            return Ok(Exit::Input);
        }
        Err(CoveredError::Stopped(stop)) => {
            console.error(&format!("{}: {stop} while the abstraction was made", loaded.path))?;
            return Ok(Exit::of_stop(&stop));
        }
        Err(CoveredError::Internal(message)) => {
            console.error(&format!("internal error: {message}; nothing is written"))?;
            return Ok(Exit::Internal);
        }
    };
    let exit = write(&args.output, &made.text, console)?;
    if exit == Exit::Success {
        let blocks = counted(made.n_blocks, "block", "blocks");
        let transitions = counted(made.n_transitions, "transition", "transitions");
        let exactly = if made.is_exact { " exactly" } else { "" };
        let what = if component.is_empty() { &tree.name } else { component };
        console.out.line(&format!("written and read back: {blocks}, {transitions}; simulates {what}{exactly}"))?;
    }
    Ok(exit)
}

fn write_abstraction(args: &Convert, node: &str, console: &mut Console) -> io::Result<Exit> {
    if let Some(wrong) = misuse(args) {
        console.error(&wrong)?;
        return Ok(Exit::Usage);
    }
    let AbstractArgs { predicates, guards, events, decomposition, .. } = &args.abstraction;
    let LoadRequest { path, further, defines, .. } = args.reading.request(&args.models);
    let families = [(*guards, Family::Guards), (*events, Family::Events)];
    let request = AbstractRequest {
        path,
        further,
        defines,
        node: node.to_owned(),
        predicates: predicates.clone(),
        families: families.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, family)| family).collect(),
        writing: decomposition.map_or(Writing::Transitions, Decomposed::writing),
    };
    let made = match abstracted(&request, &disk(), &args.limits.control()) {
        Ok(made) => made,
        Err(AbstractError::Load(error)) => return tell(console, &error),
        Err(AbstractError::Stopped(stop)) => {
            console.error(&format!("{}: {stop} while the abstraction was made", request.path))?;
            return Ok(Exit::of_stop(&stop));
        }
        Err(AbstractError::Internal(message)) => {
            console.error(&format!("internal error: {message}; nothing is written"))?;
            return Ok(Exit::Internal);
        }
    };
    for warning in &made.warnings {
        let text = render(warning, &made.sources, console.err.palette.style());
        console.err.line(&text)?;
    }
    let exit = write(&args.output, &made.text, console)?;
    if exit == Exit::Success {
        let predicates = counted(made.n_predicates, "predicate", "predicates");
        let transitions = counted(made.n_transitions, "transition", "transitions");
        let exactly = if made.is_exact { " exactly" } else { "" };
        console.out.line(&format!("written and read back: {predicates}, {transitions}; simulates {node}{exactly}"))?;
    }
    Ok(exit)
}

/// What is wrong with the words themselves.
fn misuse(args: &Convert) -> Option<String> {
    if let Some(wrong) = misuse_of_output(args) {
        return Some(wrong);
    }
    let AbstractArgs { predicates, guards, events, .. } = &args.abstraction;
    let has_none = predicates.is_empty() && !guards && !events;
    has_none.then(|| "--abstract needs predicates: --predicate NAME=FORMULA, --guards or --events".to_owned())
}

fn misuse_of_output(args: &Convert) -> Option<String> {
    if let Some(misuse) = args.reading.misuse(&args.models) {
        return Some(misuse);
    }
    let has_nodes = |model: &String| languages::of(model).is_some_and(|language| language.reads(Reads::Node));
    let is_altarica = |path: &Path| path.extension().is_some_and(|suffix| suffix == "alt");
    if !is_altarica(&args.output) || !args.models.iter().all(has_nodes) {
        return Some("--abstract and --cover are for AltaRica: both the model and the output end in .alt".to_owned());
    }
    let output = fs::canonicalize(&args.output).ok();
    let is_output = |model: &String| output.is_some() && fs::canonicalize(model).ok() == output;
    args.models.iter().any(is_output).then(|| "the output would overwrite the model".to_owned())
}
