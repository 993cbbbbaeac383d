//! A small hand-made model and reports about it, for tests.

use std::sync::Arc;
use std::time::Duration;

use lapidary_base::{Id, Stop};
use lapidary_driver::{Combinations, EngineChoice, Loaded};
use lapidary_ir::{
    Action, Assignment, Command, CommandId, Destination, Domain, EnumType, Expr, Life, Model, Property, PropertyId,
    PropertyKind, Rhs, Statement, Subject, Var, VarId,
};
use lapidary_text::{SourceId, Sources, Span};
use lapidary_verdict::{
    Certificate, Checked, Enumeration, Evidence, PropertyReport, Reason, Report, Round, Spread, State, Stats, Trace,
    Verdict,
};

use crate::args::{CoverArgs, Direction, NetArgs, Order, Reading, SolverArgs, Specified};
use crate::render::next::Invocation;

const TEXT: &str = "\
type Loc = { idle, want, crit };
var turn : 0..1 = 0;
request: p1 = idle -> p1 := want;
enter: p2 = idle -> p2 := crit, turn := 1;
invariant mutex: turn = 0;
reach full: turn = 1;
deadlock_free progress;
";

fn span(source: SourceId, text: &str) -> Span {
    let start = u32::try_from(TEXT.find(text).expect("the text is in the fixture")).expect("the fixture is short");
    Span::new(source, start, start + u32::try_from(text.len()).expect("the fixture is short"))
}

/// A check with nothing but a limit of time.
pub fn invocation() -> Invocation {
    Invocation {
        reading: Reading::default(),
        specified: Specified::default(),
        direction: Direction::Forward,
        cover: CoverArgs::default(),
        solver: SolverArgs::default(),
        net: NetArgs::default(),
        engine: EngineChoice::Auto,
        order: Order::Bfs,
        timeout: Some(Duration::from_secs(15)),
        memory: None,
        other_solver: None,
    }
}

/// Three variables, two commands, three properties.
pub fn loaded() -> Loaded {
    let mut sources = Sources::default();
    let source = sources.add("small.gcl", TEXT);
    let mut model = Model::named("small");
    model.n_processes = 2;
    let literals = ["idle", "want", "crit"].map(str::to_owned).to_vec();
    let location = Domain::Enum(model.enums.push(EnumType { name: "Loc".to_owned(), literals }));
    for (name, domain) in [("turn", Domain::Range { lo: 0, hi: 1 }), ("p1", location), ("p2", location)] {
        let control = name != "turn";
        model.vars.push(Var { name: name.to_owned(), domain, control, life: Life::State, span: span(source, "turn") });
    }
    let one = model.exprs.int(1);
    let [turn, p1, p2] = [0, 1, 2].map(VarId::new);
    let literal = |number| model.exprs.literal(Id::new(0), number);
    let (want, crit) = (literal(1), literal(2));
    model.commands.push(command("request", &[(p1, want)], span(source, "request")));
    model.commands.push(command("enter", &[(p2, crit), (turn, one)], span(source, "enter")));
    let is_one = model.exprs.eq(model.exprs.var(turn), one);
    let never = model.exprs.not(is_one);
    let properties = [
        ("mutex", PropertyKind::Invariant(never), "turn = 0"),
        ("full", PropertyKind::Reach(is_one), "turn = 1"),
        ("progress", PropertyKind::DeadlockFree, ""),
    ];
    for (name, kind, text) in properties {
        let span = span(source, name);
        model.properties.push(Property {
            name: name.to_owned(),
            kind,
            faults: Vec::new(),
            text: text.to_owned(),
            span,
        });
    }
    let asked = model.properties.ids().collect();
    Loaded {
        path: "small.gcl".to_owned(),
        further: Vec::new(),
        files: vec!["small.gcl".to_owned()],
        sha256: "0".repeat(64),
        sources,
        source,
        subject: Subject::Model(model),
        inputs: Vec::new(),
        evaluated: Vec::new(),
        asked,
        combinations: Combinations::default(),
        left_out: Vec::new(),
        predicates: Vec::new(),
        warnings: Vec::new(),
    }
}

fn command(label: &str, writes: &[(VarId, Expr)], span: Span) -> Command {
    let assignment = |&(var, value): &(VarId, Expr)| Assignment { to: Destination::Var(var), value: Rhs::Expr(value) };
    let body = Statement::Assign(writes.iter().map(assignment).collect());
    Command { label: label.to_owned(), body, faults: Vec::new(), is_idle: false, span }
}

/// Two steps, after which `turn` is 1.
pub fn trace() -> Trace {
    let states: Vec<State> = vec![Box::new([0, 0, 0]), Box::new([0, 1, 0]), Box::new([1, 1, 2])];
    Trace { states, actions: [0, 1].map(|number| Action::Command(CommandId::new(number))).to_vec(), loop_start: None }
}

pub fn property(number: usize, verdict: Verdict, evidence: Evidence) -> PropertyReport {
    let counts = vec![("states", 6_029_289), ("transitions", 54_000_000), ("depth", 73)];
    let stats = Stats {
        counts,
        spreads: Vec::new(),
        rounds: Vec::new(),
        search_seconds: 0.25,
        check_seconds: 0.05,
        search_memory: 14_000_000,
    };
    PropertyReport {
        property: PropertyId::new(number),
        whole: None,
        verdict,
        evidence,
        engine: "explicit",
        chosen_because: None,
        vacuous: None,
        explanation: None,
        known: None,
        warnings: Vec::new(),
        stats,
        seconds: 0.31,
        memory: 14_000_000,
    }
}

/// One property of every kind of answer: a counterexample, a witness, and nothing.
pub fn report() -> Report {
    let mut mutex = property(0, Verdict::Violated, Evidence::Trace(trace()));
    mutex.warnings.push("the command request is never enabled".to_owned());
    let full = property(1, Verdict::Holds, Evidence::Trace(trace()));
    let mut progress = property(2, Verdict::Unknown, Evidence::Nothing(Reason::Stopped(Stop::Timeout)));
    progress.known = Some("no violation within 29 steps".to_owned());
    Report { properties: vec![mutex, full, progress], ..Report::default() }
}

/// A proof by an engine that refines an abstraction.
pub fn refined() -> PropertyReport {
    let mut refined = property(0, Verdict::Holds, Evidence::Certificate(certificate(), Checked::Fully));
    refined.engine = "pcegar";
    refined.stats.counts = vec![("iterations", 3), ("cex_analysis", 31), ("certified_neg", 4), ("certified_pos", 2)];
    refined.stats.spreads = vec![("abstract_states", Spread::of(&[2, 5, 9])), ("cex_length", Spread::of(&[2, 3, 4]))];
    refined
}

/// A proof by an engine that reports its rounds.
pub fn matched() -> PropertyReport {
    let mut matched = property(0, Verdict::Holds, Evidence::Certificate(certificate(), Checked::Fully));
    matched.engine = "matching";
    let round = |[concrete, matched, queries, hits]: [u64; 4], new_predicates: &[&str]| Round {
        counts: vec![
            ("concrete_states", concrete),
            ("abstract_states", matched),
            ("queries", queries),
            ("cache_hits", hits),
        ],
        new_predicates: new_predicates.iter().map(|text| (*text).to_owned()).collect(),
    };
    matched.stats.counts = vec![("iterations", 2), ("predicates", 2), ("queries", 52), ("cache_hits", 25)];
    matched.stats.spreads = vec![("abstract_states", Spread::of(&[3, 7]))];
    matched.stats.rounds = vec![round([5, 3, 12, 4], &["turn < 1", "p1 = idle"]), round([19, 7, 40, 21], &[])];
    matched
}

fn certificate() -> Certificate {
    Certificate::Enumeration(Arc::new(Enumeration { n_states: 12, ..Enumeration::default() }))
}

/// Everything is proved; one certificate was checked on a sample only.
pub fn proved() -> Report {
    let certificate = certificate();
    let answer =
        |number, verdict, checked| property(number, verdict, Evidence::Certificate(certificate.clone(), checked));
    let properties = vec![
        answer(0, Verdict::Holds, Checked::Fully),
        answer(1, Verdict::Violated, Checked::Sample(12)),
        answer(2, Verdict::Holds, Checked::Fully),
    ];
    Report { properties, ..Report::default() }
}
