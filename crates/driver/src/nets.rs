//! Nets: the files with properties that stand beside them, and other formats to write them in.

use std::path::{Path, PathBuf};

use lapidary_ir::passes::place_var;
use lapidary_ir::{CountedNet, Expr, Exprs, Net, PlaceId, Subject, Tokens};
use lapidary_text::{SourceId, Sources};

use crate::languages::{LANGUAGES, PNML};
use crate::load::{LoadRequest, Loaded, Refusal};
use crate::origins::Origins;
use crate::{encoding, guess};

/// The files with properties: those that are named, or those that stand beside the net under a usual name.
pub(crate) fn beside(
    sources: &mut Sources,
    usual: fn(&Path) -> Vec<PathBuf>,
    files: &mut Origins,
    request: &LoadRequest,
) -> Result<Vec<SourceId>, Refusal> {
    let usual = || usual(Path::new(&request.path)).into_iter().map(|file| file.display().to_string());
    let named: Vec<String> = match request.formulas.is_empty() {
        true => usual().filter(|file| files.is_file(file)).collect(),
        false => request.formulas.clone(),
    };
    let mut found = Vec::new();
    for path in named {
        let text = encoding::old(files.read(&path).map_err(Refusal::File)?);
        // Under the name of its properties there may be the net itself once more.
        let is_net = guess::seems(&text).is_some_and(|seems| seems.kind == guess::Kind::Model(&PNML));
        if !(is_net && request.formulas.is_empty()) {
            found.push(sources.add(path, text));
        }
    }
    Ok(found)
}

/// To walk through a net one has to begin somewhere: the places whose initial number of tokens is open, and with how many a walk
/// begins there.
pub fn pinned(subject: &Subject) -> Vec<(PlaceId, Tokens)> {
    let Subject::Net(CountedNet { net, .. }) = subject else { return Vec::new() };
    let open = net.initial.enumerated().filter(|(_, range)| range.hi.is_none());
    open.map(|(place, range)| (place, range.lo.max(SOME))).collect()
}

/// What is true of the first state of a walk that begins so.
pub(crate) fn beginning(exprs: &Exprs, pinned: &[(PlaceId, Tokens)]) -> Vec<Expr> {
    let number = |tokens: Tokens| exprs.int(i64::try_from(tokens).unwrap_or(i64::MAX));
    pinned.iter().map(|&(place, tokens)| exprs.eq(exprs.var(place_var(place)), number(tokens))).collect()
}

/// Enough tokens for something to happen.
const SOME: Tokens = 3;

/// A file to write.
pub struct Written {
    pub path: PathBuf,
    pub text: String,
}

/// The net in the format that the suffix of the path tells, and its properties beside it; the reason if that cannot be.
/// `None` if the suffix is none of a net.
pub fn written(loaded: &Loaded, path: &Path) -> Option<Result<Vec<Written>, String>> {
    let suffix = path.extension()?.to_str()?;
    let write = LANGUAGES.into_iter().find(|language| language.suffix() == suffix)?.writes.net()?;
    let Subject::Net(CountedNet { net, model, .. }) = &loaded.subject else {
        return Some(Err(format!("{} is not a net, and .{suffix} is for nets", loaded.path)));
    };
    let files =
        write(&with_plain_names(net), model, &loaded.combinations.all).map_err(|unwritable| unwritable.to_string());
    let file = |(suffix, text): (&'static str, String)| Written { path: path.with_extension(suffix), text };
    // Without properties there is nothing to write beside the net.
    let n_files = if loaded.declared().properties.is_empty() { 1 } else { usize::MAX };
    Some(files.map(|files| files.into_iter().take(n_files).map(file).collect()))
}

/// Names of transitions may be whole sentences (`0 1 -> 1 2 1 ~> 0`), which other formats do not take.
fn with_plain_names(net: &Net) -> Net {
    let mut plain = net.clone();
    let mut taken: Vec<String> = Vec::new();
    for transition in plain.transitions.iter_mut() {
        let words =
            transition.name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let mut name = words.collect::<Vec<_>>().join("_");
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert_str(0, "t_");
        }
        while taken.contains(&name) {
            name.push('_');
        }
        taken.push(name.clone());
        transition.name = name;
    }
    plain
}

/// What kind of net it is: `transfers in 3 transitions, zero tests in 1`.
pub fn describe(net: &Net) -> String {
    let n_choices = net.transitions.iter().filter(|transition| has_choice(transition)).count();
    let n_bounded = net.transitions.iter().filter(|transition| transition.upper_bound().is_some()).count();
    let n_flows = net.transitions.iter().filter(|transition| !transition.flows.is_empty()).count();
    let mut words = Vec::new();
    if net.is_plain() {
        words.push("ordinary".to_owned());
    }
    let kinds = [(n_flows, "transfers, resets or copies"), (n_choices, "choices"), (n_bounded, "upper bounds")];
    words.extend(kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what} in {n}")));
    format!("a net: {}", words.join("; "))
}

fn has_choice(transition: &lapidary_ir::Transition) -> bool {
    transition.flows.iter().any(|flow| matches!(flow.to, lapidary_ir::Destinations::One(_)))
}
