//! The gallery: every example has a property that holds and one that does not, and they are those its head promises.

use std::fs;
use std::path::{Path, PathBuf};

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, SearchDirection, SearchOrder, check, load};
use lapidary_verdict::Verdict::{Holds, Violated};
use lapidary_verdict::{Evidence, Verdict};

/// File, constants, and each property with its verdict and the length of its shortest run, where a run decides it.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, Verdict, Option<usize>)]);

#[rustfmt::skip]
const GALLERY: [Row; 33] = [
    ("peterson", &[], &[("mutex", Holds, None), ("progress", Holds, None), ("crowd", Holds, Some(9)), ("alone", Violated, Some(11))]),
    ("burns", &[], &[("mutex", Holds, None), ("progress", Holds, None), ("last_served", Holds, Some(7)), ("one_flag", Violated, Some(7))]),
    ("lamport", &[], &[("mutex", Holds, None), ("progress", Holds, None), ("overtaken", Holds, Some(11)), ("always_fast", Violated, Some(8))]),
    ("bakery", &[], &[("mutex", Holds, None), ("tie", Holds, Some(8)), ("progress", Violated, Some(35))]),
    ("bakery", &["MAX=2"], &[("progress", Violated, Some(17))]),
    ("ticket", &[], &[("mutex", Holds, None), ("progress", Holds, None), ("queue", Holds, Some(4)), ("same_ticket", Violated, None), ("small_first", Violated, Some(3))]),
    ("ticket", &["M=2"], &[("mutex", Violated, Some(5)), ("same_ticket", Holds, Some(3))]),
    ("dekker", &[], &[("mutex", Holds, None), ("progress", Holds, None), ("stepped_back", Holds, Some(6)), ("by_turn", Violated, Some(2))]),
    ("lift", &[], &[("doors", Holds, None), ("cabin", Holds, None), ("progress", Holds, None), ("top_served", Holds, Some(5)), ("two_doors", Violated, None), ("answered", Violated, Some(4))]),
    ("philosophers", &[], &[("neighbours", Holds, None), ("feast", Holds, Some(4)), ("progress", Violated, Some(5))]),
    ("philosophers", &["LEFTIES=1"], &[("progress", Holds, None)]),
    ("token_ring", &[], &[("some_token", Holds, None), ("progress", Holds, None), ("stable", Holds, Some(0)), ("one_token", Violated, Some(0))]),
    ("token_ring", &["FAULTS=0"], &[("one_token", Holds, None)]),
    ("buffer", &[], &[("fifo", Holds, None), ("brimful", Holds, Some(2)), ("progress", Violated, Some(23)), ("useful_sleep", Violated, Some(11))]),
    ("buffer", &["QUEUES=2"], &[("progress", Holds, None), ("useful_sleep", Holds, None)]),
    ("buffer", &["CAP=3"], &[("progress", Holds, None)]),
    ("rax", &[], &[("busy", Holds, Some(12)), ("progress", Violated, Some(7)), ("awake", Violated, Some(7))]),
    ("ticket_unbounded", &[], &[("mutex", Holds, None), ("queue", Holds, Some(4)), ("first", Violated, Some(3))]),
    ("ticket_unbounded", &["STEP=2"], &[("mutex", Violated, Some(7))]),
    ("bakery_unbounded", &[], &[("mutex", Holds, None), ("tie", Holds, Some(8)), ("small", Violated, Some(26))]),
    ("bakery_unbounded", &["TIES=0"], &[("mutex", Violated, Some(16))]),
    ("thermostat", &[], &[("off_when_hot", Holds, None), ("on_when_cold", Holds, None), ("still_on", Holds, Some(4)), ("on_below_20", Violated, Some(2))]),
    ("thermostat", &["HIGH=23"], &[("off_when_hot", Violated, Some(4)), ("on_when_cold", Holds, None)]),
    ("philosophers", &["N=8"], &[("progress", Violated, Some(8))]),
    ("tank", &[], &[("deadlock_free", Holds, None), ("0 < T.level and T.level < Top", Violated, Some(4))]),
    ("crossing", &[], &[("prop", Holds, None), ("!(train == near && barrier == up)", Violated, Some(3))]),
    ("traffic", &[], &[("error_unreachable", Holds, None), ("location /= Begin imply not (cars and walkers)", Holds, None), ("reach location = Walk", Holds, Some(5)), ("location = Clear imply timer /= 8'd0", Violated, Some(6))]),
    ("msi", &[], &[("target", Holds, None), ("EF shared >= 2", Holds, Some(2)), ("AG modified = 0", Violated, Some(1))]),
    ("lock", &[], &[("target", Holds, None), ("AG l2 = 0", Violated, Some(2))]),
    ("workshop", &[], &[("workshop", Holds, Some(14)), ("AG drilling + cutting <= 1", Holds, None), ("AG half <= 1", Violated, Some(5))]),
    ("semaphore", &[], &[("exclusion", Holds, None), ("two_inside", Violated, None), ("leaves", Holds, Some(1))]),
    ("loops", &[], &[("target", Holds, None), ("AG y = 0", Violated, Some(1))]),
    ("tank", &["Top=8"], &[("0 <= T.level and T.level <= 8", Holds, None)]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The model of this name, whatever its language.
fn file(name: &str) -> PathBuf {
    let files = ["gcl", "cfa", "alt", "xsts", "spec", "tts", "lola", "pnml"]
        .map(|suffix| folder().join(format!("{name}.{suffix}")));
    files.into_iter().find(|file| file.exists()).unwrap_or_else(|| panic!("there is no example {name}"))
}

#[test]
fn every_property_of_the_gallery_has_its_verdict() {
    for (name, constants, properties) in GALLERY {
        let split = |text: &&str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = LoadRequest {
            path: file(name).to_str().expect("plain paths").to_owned(),
            defines: constants.iter().filter_map(split).collect(),
            properties: properties.iter().map(|(property, ..)| (*property).to_owned()).collect(),
            ..LoadRequest::default()
        };
        let loaded = load(&request).unwrap_or_else(|error| panic!("{}", error.render()));
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        let request = CheckRequest {
            engine: EngineChoice::Auto,
            order: SearchOrder::BreadthFirst,
            direction: SearchDirection::Forward,
            jobs: 1,
            ..CheckRequest::default()
        };
        let report = check(&loaded, &request, &Control::new());
        for (found, (property, verdict, steps)) in report.properties.iter().zip(properties) {
            let run = match &found.evidence {
                Evidence::Trace(trace) => Some(trace.n_steps()),
                Evidence::Certificate(..) | Evidence::Nothing(_) => None,
            };
            assert_eq!((found.verdict, run), (*verdict, *steps), "{name} {constants:?}: {property}");
        }
    }
}

#[test]
fn every_example_has_a_property_that_holds_and_one_that_does_not() {
    for entry in fs::read_dir(folder()).expect("examples/") {
        let path = entry.expect("readable").path();
        if path
            .extension()
            .is_some_and(|suffix| ["spe", "prop", "formula", "xml"].iter().any(|beside| suffix == *beside))
        {
            continue;
        }
        let name = path.file_stem().and_then(|name| name.to_str()).expect("plain names");
        let (_, _, properties) =
            GALLERY.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("{name} is not listed"));
        for wanted in [Holds, Violated] {
            assert!(properties.iter().any(|(_, verdict, _)| *verdict == wanted), "{name}");
        }
    }
}
