//! Files with very many places are read in a time that grows as they do, and a limit ends the reading.

use std::fmt::Write;
use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_frontends::petri::{Language, Options, load_within, print};
use lapidary_ir::passes::counters;
use lapidary_ir::{Property, PropertyKind};
use lapidary_reference::families::chain;
use lapidary_text::{SourceId, Sources, Span};

/// The chain in all languages; thread systems have two shared states beside.
fn texts(n: u32) -> [(Language, String); 4] {
    let net = chain(n);
    let mut model = counters(&net);
    let (name, span) = ("target".to_owned(), Span::new(SourceId(0), 0, 0));
    let first = model.exprs.var(lapidary_ir::VarId(0));
    let kind = PropertyKind::Invariant(model.exprs.not(model.exprs.le(model.exprs.int(2), first)));
    model.properties.push(Property { text: name.clone(), name, kind, faults: Vec::new(), span });
    let mut threads = format!("2 {n}\n");
    for i in 1..n {
        writeln!(threads, "{} {} -> {} {i}", (i + 1) % 2, i - 1, i % 2).expect("a string takes all");
    }
    [
        (Language::Mist, print::spec(&net, &model).expect("a plain net")),
        (Language::Lola, print::lola(&net).expect("a plain net")),
        (Language::Pnml, print::pnml(&net).expect("a plain net")),
        (Language::Tts, threads),
    ]
}

fn all_are_read(n: u32) {
    for (language, text) in texts(n) {
        let mut sources = Sources::default();
        let source = sources.add("chain", text);
        let (loaded, diagnostics) =
            load_within(&sources, source, language, &Options::default(), &Control::new()).expect("no limit");
        let loaded = loaded.unwrap_or_else(|| panic!("{language:?}: {:?}", diagnostics.list));
        assert!(loaded.net.places.len() >= n as usize, "{language:?}");
        assert_eq!(loaded.net.transitions.len(), n as usize - 1, "{language:?}");
    }
}

#[test]
fn three_thousand_places_are_read() {
    all_are_read(3_000);
}

#[test]
#[ignore = "slow: some seconds"]
fn a_hundred_thousand_places_are_read() {
    all_are_read(100_000);
}

#[test]
fn a_limit_ends_the_reading_and_is_no_mistake_of_the_text() {
    let control = Control::new().with_timeout(Some(Duration::ZERO));
    for (language, text) in texts(500) {
        let mut sources = Sources::default();
        let source = sources.add("chain", text);
        let stopped = load_within(&sources, source, language, &Options::default(), &control).err();
        assert_eq!(stopped, Some(Stop::Timeout), "{language:?}");
    }
}
