//! The `next:` line: a command that works as it is printed.

use std::path::Path;
use std::time::Duration;

use lapidary_base::Stop;
use lapidary_driver::register::{Entry, OptionGroup};
use lapidary_driver::{EngineChoice, Loaded, Prospects, divergence};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Verdict};

use crate::args::{CoverArgs, Direction, NetArgs, Order, Reading, SolverArgs, Specified};
use crate::render::report::unbounded;
use crate::units::{show_duration, show_size};
use crate::words::{TraceFormat, model_words, quoted};

/// Less than this is not worth a suggestion.
const LEAST_TIMEOUT: Duration = Duration::from_secs(1);
const LEAST_MEMORY: u64 = 64 << 20;
const LEAST_ITERATIONS: u64 = 10;
const LEAST_BOUND: u64 = 10;

/// What the user typed, as far as a repeated command needs it.
#[derive(Clone, Debug)]
pub struct Invocation {
    pub reading: Reading,
    pub specified: Specified,
    pub engine: EngineChoice,
    pub order: Order,
    pub direction: Direction,
    /// The options of the engines that refine.
    pub cover: CoverArgs,
    pub solver: SolverArgs,
    pub net: NetArgs,
    pub timeout: Option<Duration>,
    /// The limit that was asked for: the default one depends on the machine and is never printed.
    pub memory: Option<u64>,
    /// A solver that is installed here and could be asked instead of the one that is built in.
    pub other_solver: Option<&'static str>,
}

impl Invocation {
    /// `lapidary check MODEL -p PROPERTY -D N=3 --engine explicit --order dfs`
    fn check(&self, loaded: &Loaded, report: &PropertyReport) -> String {
        self.check_with(self.engine, loaded, report)
    }

    fn check_with(&self, engine: EngineChoice, loaded: &Loaded, report: &PropertyReport) -> String {
        let argument = loaded.argument(report.property);
        let (property, never) = match self.specified.never.contains(&argument) {
            true => (String::new(), vec![argument]),
            false => (format!(" -p {}", quoted(&argument)), Vec::new()),
        };
        let named = match engine {
            EngineChoice::Auto => String::new(),
            EngineChoice::Named(entry) => format!(" --engine {}", entry.name),
        };
        let order = match self.order {
            Order::Bfs => "",
            Order::Dfs => " --order dfs",
            Order::Random => " --order random",
        };
        let direction = match self.direction {
            Direction::Forward => "",
            Direction::Backward => " --direction backward",
        };
        let spec = self.specified.spec.iter().filter(|_| !never.is_empty());
        let spec: String = spec.map(|spec| format!(" --spec {}", quoted(spec))).collect();
        let never: String = never.iter().map(|never| format!(" --never {}", quoted(never))).collect();
        let reading = reading_words(&self.reading);
        let cover = if engine == self.engine { self.cover.words() } else { String::new() };
        let solver = if engine == self.engine { self.solver.words() } else { String::new() };
        let net = if engine == self.engine { self.net.words() } else { String::new() };
        let options = format!("{reading}{named}{order}{direction}{cover}{solver}{net}");
        format!("lapidary check {}{property}{spec}{never}{options}", model_words(&loaded.path, &loaded.further))
    }

    fn on_model(&self, command: &str, loaded: &Loaded) -> String {
        let model = model_words(&loaded.path, &loaded.further);
        format!("lapidary {command} {model}{}", reading_words(&self.reading))
    }
}

/// The options that a model was read with.
pub fn reading_words(reading: &Reading) -> String {
    // The files bring their own word for being one model.
    let Reading { defines, node, as_one: _, formulas, initial, ort, error_location } = reading;
    let defines = defines.iter().map(|(name, value)| format!(" -D {}", quoted(&format!("{name}={value}"))));
    let node = node.iter().map(|node| format!(" --node {}", quoted(node)));
    let formulas = formulas.iter().map(|file| format!(" --formula {}", quoted(file)));
    let initial = initial.iter().map(|states| format!(" --init {}", quoted(states)));
    let ort = ort.iter().map(|ort| format!(" --ort {}", ort.word()));
    let error = error_location.iter().map(|location| format!(" --errorloc {}", quoted(location)));
    defines.chain(node).chain(formulas).chain(initial).chain(ort).chain(error).collect()
}

/// A file name made of a property's name: its letters, digits and dashes, with one `_` for whatever is between them. It
/// starts with a letter or a digit, so that no command takes it for an option.
pub fn file_stem(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("_");
    let stem: String = joined.trim_start_matches(['-', '_']).chars().take(40).collect();
    if stem.is_empty() { "trace".to_owned() } else { stem }
}

/// `written`: the file that this property's trace went to.
pub fn next_command(
    invocation: &Invocation,
    loaded: &Loaded,
    report: &PropertyReport,
    written: Option<&Path>,
) -> Option<String> {
    match &report.evidence {
        // Nothing reaches the goal; a walk shows where it is given up.
        Evidence::Certificate(..) if report.verdict == Verdict::Violated => {
            Some(format!("{} -i", invocation.on_model("simulate", loaded)))
        }
        Evidence::Certificate(..) => None,
        Evidence::Trace(_) => Some(match written {
            Some(file) => show_file(file),
            None => {
                let name = &loaded.declared().properties[report.property].name;
                format!("{} --trace-out {}.itf.json", invocation.check(loaded, report), file_stem(name))
            }
        }),
        Evidence::Nothing(reason) => Some(after_unknown(invocation, loaded, report, reason)),
    }
}

fn show_file(file: &Path) -> String {
    let name = quoted(&file.display().to_string());
    match TraceFormat::of(file) {
        Some(TraceFormat::Dot) => format!("dot -Tsvg -O {name}"),
        Some(TraceFormat::Text) => format!("less {name}"),
        Some(TraceFormat::Itf) | None => format!("lapidary trace {name} --full"),
    }
}

fn after_unknown(invocation: &Invocation, loaded: &Loaded, report: &PropertyReport, reason: &Reason) -> String {
    let check = invocation.check(loaded, report);
    let gave_up = matches!(reason, Reason::Stopped(Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Budget(_)));
    let is_limit = gave_up || matches!(reason, Reason::Stopped(Stop::Timeout | Stop::Memory(_)));
    if is_limit && is_hopeless(invocation, loaded, report) {
        return after_divergence(invocation, loaded, report);
    }
    match reason {
        Reason::Stopped(Stop::Timeout) => {
            let longer = invocation.timeout.unwrap_or(Duration::from_secs(60)).saturating_mul(4).max(LEAST_TIMEOUT);
            format!("{check} --timeout {}", show_duration(longer))
        }
        Reason::Stopped(Stop::Memory(_)) => match invocation.memory {
            Some(limit) => format!("{check} --memory {}", show_size(limit.saturating_mul(2).max(LEAST_MEMORY))),
            // All the memory there is did not suffice; chance may still find a violation.
            None => format!("{} --steps 1000", invocation.on_model("simulate", loaded)),
        },
        Reason::Stopped(Stop::Interrupted) => check,
        // Bounding the integers is the cure, and `info` tells which variables have no bounds.
        Reason::Stopped(Stop::Overflow(_)) => invocation.on_model("info", loaded),
        Reason::Stopped(stop @ (Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Budget(_))) => {
            after_giving_up(invocation, loaded, report, stop)
        }
        Reason::Stopped(Stop::Solver(_)) => {
            let solver = SolverArgs { solver: None, ..invocation.solver.clone() };
            Invocation { solver, ..invocation.clone() }.check(loaded, report)
        }
        Reason::Refused(_) => format!("{} --engine auto", invocation.check_with(EngineChoice::Auto, loaded, report)),
        Reason::Unsupported(_) => invocation.on_model("info", loaded),
        Reason::Diverging(_) => after_divergence(invocation, loaded, report),
    }
}

/// Would the same engine hardly find an answer with more of anything: because what it refines only grows, or because it lists
/// states that may be infinitely many?
fn is_hopeless(invocation: &Invocation, loaded: &Loaded, report: &PropertyReport) -> bool {
    let is_endless = |entry: &Entry| entry.unbounded == Prospects::Bad && unbounded(loaded).is_some();
    divergence(report).is_some() || invocation.engine.entry().is_some_and(is_endless)
}

/// Not more of the same: all other engines that take the model; where they have been asked, chance.
fn after_divergence(invocation: &Invocation, loaded: &Loaded, report: &PropertyReport) -> String {
    match invocation.engine {
        EngineChoice::Auto => format!("{} --steps 1000", invocation.on_model("simulate", loaded)),
        EngineChoice::Named(_) => {
            format!("{} --engine auto", invocation.check_with(EngineChoice::Auto, loaded, report))
        }
    }
}

/// The method itself could not go on: with what it may, or which other one may.
fn after_giving_up(invocation: &Invocation, loaded: &Loaded, report: &PropertyReport, stop: &Stop) -> String {
    let check = invocation.check(loaded, report);
    let understands = |group| invocation.engine.entry().is_some_and(|entry| entry.understands(group));
    let asks = understands(OptionGroup::Solver);
    if let Some(most) = invocation.cover.max_iterations.filter(|&most| report.stats.count("iterations") >= Some(most)) {
        return format!("{check} --max-iterations {}", most.saturating_mul(4).max(LEAST_ITERATIONS));
    }
    if asks && invocation.solver.is_without() {
        let args = SolverArgs { solver: None, ..invocation.solver.clone() };
        return Invocation { solver: args, ..invocation.clone() }.check(loaded, report);
    }
    if asks
        && matches!(stop, Stop::NoAnswer(_))
        && invocation.solver.solver.is_none()
        && let Some(other) = invocation.other_solver
    {
        return format!("{check} --solver {}", quoted(other));
    }
    if let Some(bound) = invocation.solver.bound.filter(|_| understands(OptionGroup::Bound)) {
        return format!("{check} --bound {}", bound.saturating_mul(4).max(LEAST_BOUND));
    }
    match invocation.engine.entry().and_then(|entry| entry.instead) {
        Some(other) => invocation.check_with(EngineChoice::Named(other), loaded, report),
        None => invocation.on_model("simulate", loaded),
    }
}

#[cfg(test)]
mod tests {
    use lapidary_base::Whose;

    use super::*;
    use crate::render::fixture;

    fn named(name: &str) -> EngineChoice {
        EngineChoice::named(name).expect("there is such an engine")
    }

    #[test]
    fn names_of_formulas_make_usable_file_names() {
        assert_eq!(file_stem("mutex"), "mutex");
        assert_eq!(file_stem("second_goes"), "second_goes");
        assert_eq!(file_stem("x < 3 & y"), "x_3_y");
        assert_eq!(file_stem("<>"), "trace");
        assert_eq!(file_stem("-x <= 0"), "x_0");
        assert_eq!(file_stem("- - 1"), "1");
    }

    #[test]
    fn suggested_commands_keep_the_search_and_raise_the_limits() {
        let loaded = fixture::loaded();
        let next = |engine, timeout, memory, reason| {
            let invocation = Invocation {
                reading: Reading::default(),
                specified: Specified::default(),
                engine,
                order: Order::Dfs,
                direction: Direction::Forward,
                cover: CoverArgs::default(),
                solver: SolverArgs::default(),
                net: NetArgs::default(),
                timeout,
                memory,
                other_solver: None,
            };
            let report = fixture::property(0, Verdict::Unknown, Evidence::Nothing(reason));
            next_command(&invocation, &loaded, &report, None).unwrap()
        };
        let (check, auto, explicit) = ("lapidary check small.gcl -p mutex", EngineChoice::Auto, named("explicit"));
        let timeout = next(auto, Some(Duration::ZERO), None, Reason::Stopped(Stop::Timeout));
        assert_eq!(timeout, format!("{check} --order dfs --timeout 1s"));
        let memory = next(explicit, None, Some(1 << 20), Reason::Stopped(Stop::Memory(Whose::Limit)));
        assert_eq!(memory, format!("{check} --engine explicit --order dfs --memory 64M"));
        let refused = next(explicit, None, None, Reason::Refused("it has a clock".to_owned()));
        assert_eq!(refused, format!("{check} --order dfs --engine auto"));
    }

    #[test]
    fn who_lists_states_without_end_is_not_given_more_time() {
        let mut loaded = fixture::loaded();
        let first = loaded.declared().vars.ids().next().unwrap();
        loaded.subject.declared_mut().vars[first].domain = lapidary_ir::Domain::Int;
        let invocation = |engine| Invocation { engine, timeout: Some(Duration::from_secs(5)), ..fixture::invocation() };
        let report = fixture::property(0, Verdict::Unknown, Evidence::Nothing(Reason::Stopped(Stop::Timeout)));
        let next = |engine| next_command(&invocation(engine), &loaded, &report, None).unwrap();
        assert_eq!(next(named("explicit")), "lapidary check small.gcl -p mutex --engine auto");
        assert_eq!(next(EngineChoice::Auto), "lapidary check small.gcl -p mutex --timeout 20s");
    }

    #[test]
    fn a_method_that_gave_up_leads_to_what_may_help() {
        use clap::Parser;
        let loaded = fixture::loaded();
        let next = |words: &str, iterations: u64, why: &str| {
            let typed = ["lapidary", "check", "small.gcl"].into_iter().chain(words.split_whitespace());
            let crate::args::Command::Check(args) = crate::args::Cli::parse_from(typed).command else {
                panic!("it is a check")
            };
            let invocation = Invocation {
                reading: args.reading,
                specified: args.specified,
                engine: args.engine.engine,
                order: args.engine.order,
                direction: args.engine.direction,
                cover: args.cover,
                solver: args.solver,
                net: args.net,
                timeout: None,
                memory: None,
                other_solver: Some("cvc5"),
            };
            let stop = if why.contains("solver") { Stop::NoAnswer } else { Stop::Incomplete };
            let reason = Reason::Stopped(stop(why.to_owned()));
            let mut report = fixture::property(0, Verdict::Unknown, Evidence::Nothing(reason));
            report.stats.counts = vec![("iterations", iterations)];
            let command = next_command(&invocation, &loaded, &report, None).unwrap();
            command.replacen("lapidary check small.gcl -p mutex", "..", 1)
        };
        let told = [
            ("--engine matching --max-iterations 5", 5, "too many", ".. --engine matching --max-iterations 20"),
            ("--engine pcegar --max-iterations 5", 5, "too many", ".. --engine pcegar --max-iterations 20"),
            ("--engine matching --max-iterations 5", 3, "lost", ".. --engine kinduction"),
            ("--engine matching --solver none", 3, "no solver", ".. --engine matching"),
            ("--engine matching", 3, "the solver gave up", ".. --engine matching --solver cvc5"),
            ("--engine kinduction", 0, "lost", ".. --engine matching"),
            ("--engine kinduction --bound 20", 0, "the bound", ".. --engine kinduction --bound 80"),
            ("--engine bmc --bound 20", 0, "the bound", ".. --engine bmc --bound 80"),
            ("--engine auto", 0, "lost", "lapidary simulate small.gcl"),
            ("--engine backward", 0, "lost", ".. --engine lazy"),
        ];
        for (words, iterations, why, expected) in told {
            assert_eq!(next(words, iterations, why), expected, "{words}: {why}");
        }
    }

    #[test]
    fn what_only_grows_is_not_given_more_time() {
        use lapidary_verdict::Spread;
        let loaded = fixture::loaded();
        let next = |engine, blocks: &[u64]| {
            let invocation = Invocation {
                reading: Reading::default(),
                specified: Specified::default(),
                engine,
                order: Order::Bfs,
                direction: Direction::Forward,
                cover: CoverArgs::default(),
                solver: SolverArgs::default(),
                net: NetArgs::default(),
                timeout: Some(Duration::from_secs(5)),
                memory: None,
                other_solver: None,
            };
            let mut report = fixture::property(0, Verdict::Unknown, Evidence::Nothing(Reason::Stopped(Stop::Timeout)));
            report.stats.spreads = vec![("abstract_states", Spread::of(blocks))];
            next_command(&invocation, &loaded, &report, None).unwrap()
        };
        let (check, growing) = ("lapidary check small.gcl -p mutex", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(next(named("pcegar"), &growing), format!("{check} --engine auto"));
        assert_eq!(next(EngineChoice::Auto, &growing), "lapidary simulate small.gcl --steps 1000");
        assert_eq!(next(named("pcegar"), &[4; 10]), format!("{check} --engine pcegar --timeout 20s"));
    }
}
