//! Nets: MIST specifications, thread transition systems, PNML and LoLA. All become an `ir::Net`, and a model of it.
//!
//! Text to a tree or to arcs (one module per language), to a net; then properties are read, which speak of its places.
//! Whatever the input, loading ends with a net or with diagnostics that name places in it.

mod arcs;
pub mod codes;
mod formula;
mod lexer;
pub mod limits;
mod lola;
mod mist;
mod paths;
mod pnml;
pub mod print;
mod properties;
mod reader;
mod tts;

use lapidary_base::{Control, Stop};
use lapidary_ir::{Combination, Model, Net, Sum, passes};
use lapidary_text::{Diagnostic, Diagnostics, Log, SourceId, Sources, Span};

use crate::asked::{Asked, Wording};
use properties::{Names, Posed, Pushed, Scope, Target};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.spec`
    Mist,
    /// `.tts`, thread transition systems as bfc reads them
    Tts,
    Pnml,
    Lola,
}

/// What the command line adds to the text of a net.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Properties that are asked for beside those of the texts.
    pub formulas: Vec<Asked>,
    /// Files with properties beside the net: targets of thread systems, LoLA formulas, or properties of the Model
    /// Checking Contest, which are told apart by what they begin with.
    pub properties: Vec<SourceId>,
    /// Initial states of a thread transition system: `0|0`, `0/0`, `1|0,1/2`.
    pub initial: Option<SourceId>,
}

/// A net, and the model `passes::counters` of it, with the properties.
pub struct Loaded {
    pub net: Net,
    /// What bounds the places whose variables have finite domains.
    pub sums: Vec<Sum>,
    pub model: Model,
    /// Properties that are made of properties of the model.
    pub combinations: Vec<Combination>,
    /// The names of properties that are left out, which warnings tell.
    pub left_out: Vec<String>,
}

/// Reads a net without any limits.
pub fn load(
    sources: &Sources,
    source: SourceId,
    language: Language,
    options: &Options,
) -> (Option<Loaded>, Diagnostics) {
    load_within(sources, source, language, options, &Control::new()).expect("there are no limits")
}

/// Reads a net. With an error among the diagnostics there is none; warnings come with one. The properties are those of
/// the text, then those of the files in order, then the formulas of the options.
pub fn load_within(
    sources: &Sources,
    source: SourceId,
    language: Language,
    options: &Options,
    control: &Control,
) -> Result<(Option<Loaded>, Diagnostics), Stop> {
    let mut document = Document::open(sources, source, language, options, control)?;
    document.ask(sources, &options.formulas)?;
    Ok(document.finish())
}

/// A net that was read, of which more can be asked.
pub struct Document {
    /// Nothing after errors in the text of the net itself.
    made: Option<Made>,
    pushed: Pushed,
    /// The names of properties, and where they stand.
    names: Names,
    log: Log,
}

struct Made {
    net: Net,
    sums: Vec<Sum>,
    model: Model,
}

impl Document {
    /// Reads a net with the properties of its text and of files, without formulas.
    pub fn open(
        sources: &Sources,
        source: SourceId,
        language: Language,
        options: &Options,
        control: &Control,
    ) -> Result<Self, Stop> {
        let mut log = Log::within(control);
        let Texts { net, targets, tasks } = net(sources, source, language, options, &mut log);
        log.stopped()?;
        let (mut pushed, mut names) = (Pushed::default(), Names::default());
        if log.has_errors() {
            return Ok(Self { made: None, pushed, names, log });
        }
        debug_assert_eq!(net.validate(), Ok(()));
        let sums = passes::sums(&net, control)?;
        let mut model = passes::counters_within(&net, &sums, control)?;
        let scope = Scope::new(&net, &model.exprs);
        let mut asked: Vec<Posed> = scope.targets(&targets).into_iter().map(Posed::One).collect();
        asked.extend(tasks.into_iter().flat_map(|tasks| lola::asked(sources, tasks, &scope, &mut log)));
        asked.extend(properties_of_files(sources, language, options, &scope, &mut log));
        drop(scope);
        properties::push(&mut model, asked, &mut names, &mut pushed, &mut log);
        log.stopped()?;
        Ok(Self { made: Some(Made { net, sums, model }), pushed, names, log })
    }

    pub fn has_errors(&self) -> bool {
        self.log.has_errors()
    }

    /// Whether something that can be asked has this name, or has it and is left out.
    pub fn is_name(&self, text: &str) -> bool {
        let is_property = |made: &Made| made.model.property(text).is_some();
        self.made.as_ref().is_some_and(is_property)
            || self.pushed.combinations.iter().any(|several| several.name == text)
            || self.pushed.left_out.iter().any(|name| name == text)
    }

    /// The properties so far, and what is made of several.
    pub fn asked(&self) -> Option<(&Model, &[Combination])> {
        self.made.as_ref().map(|made| (&made.model, &self.pushed.combinations[..]))
    }

    /// Reads formulas behind all that was asked before.
    pub fn ask(&mut self, sources: &Sources, formulas: &[Asked]) -> Result<(), Stop> {
        let Self { made, pushed, names, log } = self;
        if let (Some(Made { net, model, .. }), false) = (made, formulas.is_empty()) {
            let scope = Scope::new(net, &model.exprs);
            let asked = formulas.iter().flat_map(|one| posed(sources, one, &scope, log)).collect();
            drop(scope);
            properties::push(model, asked, names, pushed, log);
        }
        log.stopped()
    }

    /// What came of all.
    pub fn finish(self) -> (Option<Loaded>, Diagnostics) {
        let Pushed { combinations, left_out } = self.pushed;
        let made = self.made.filter(|_| !self.log.has_errors());
        let loaded = made.map(|Made { net, sums, model }| Loaded { net, sums, model, combinations, left_out });
        (loaded, self.log.finish(codes::TOO_MANY))
    }
}

/// Whether a file holds a target of a thread system: other files begin with a word or a bracket.
fn is_target(sources: &Sources, source: SourceId, language: Language) -> bool {
    let text = &sources.get(source).text;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let is_target = |line: &str| line.starts_with(|first: char| first.is_ascii_digit()) && line.contains('|');
    language == Language::Tts && lines.next().is_none_or(is_target)
}

/// A net, and what its own text asks.
struct Texts {
    net: Net,
    targets: Vec<Target>,
    /// Where in the text of a LoLA net the questions are.
    tasks: Option<Span>,
}

fn net(sources: &Sources, source: SourceId, language: Language, options: &Options, log: &mut Log) -> Texts {
    if let (Some(initial), Language::Mist | Language::Pnml | Language::Lola) = (options.initial, language) {
        let span = properties::whole(sources, initial);
        log.push(
            Diagnostic::error(
                codes::NO_INITIAL,
                "only thread transition systems take initial states",
                span,
                "not used",
            )
            .with_help("nets of other languages say themselves how they begin"),
        );
    }
    let with_targets = |(net, targets)| Texts { net, targets, tasks: None };
    match language {
        Language::Mist => with_targets(mist::load(sources, source, log)),
        Language::Tts => {
            let files = options.properties.iter().copied();
            let targets: Vec<SourceId> = files.filter(|&file| is_target(sources, file, language)).collect();
            with_targets(tts::load(sources, source, &targets, options.initial, log))
        }
        Language::Pnml => with_targets((pnml::load(sources, source, log), Vec::new())),
        Language::Lola => {
            let (net, tasks) = lola::load(sources, source, log);
            Texts { net, targets: Vec::new(), tasks }
        }
    }
}

fn properties_of_files(
    sources: &Sources,
    language: Language,
    options: &Options,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Vec<Posed> {
    let mut asked = Vec::new();
    for &file in options.properties.iter().filter(|&&file| !is_target(sources, file, language)) {
        asked.extend(match pnml::mcc::is_xml(&sources.get(file).text) {
            true => pnml::mcc::file(sources, file, scope, log),
            false => lola::file(sources, file, scope, log),
        });
    }
    asked
}

fn posed(sources: &Sources, one: &Asked, scope: &Scope<'_>, log: &mut Log) -> Vec<Posed> {
    match one.wording {
        Wording::Plain | Wording::Invariant | Wording::Reach => formula::single(sources, one, scope, log),
        Wording::DeadlockFree => vec![Posed::One(one.deadlock_free(sources, "some transition can always fire"))],
        Wording::Ltl => vec![Posed::One(one.unread(sources, scope.exprs.bool(true)))],
    }
}
