//! Control-flow automata: what is known of the models of the corpus, by all engines that take them.

use std::time::Duration;

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, Exit, LoadRequest, check, load};
use lapidary_reference::surroundings::{corpus, corpus_text};
use lapidary_verdict::{Evidence, Verdict};

const LIMIT: Duration = Duration::from_secs(10);
const ENGINES: [&str; 6] = ["auto", "explicit", "bdd", "bmc", "kinduction", "matching"];

/// A row of a table of known results: the model, whether its error location is unreachable, and how long a trace is that leads to it,
/// where the table tells.
struct Row {
    model: String,
    is_safe: bool,
    most_steps: Option<usize>,
}

fn rows(folder: &str) -> Vec<Row> {
    let text = corpus_text(&format!("{folder}/expected.csv"));
    let row = |line: &str| {
        let mut cells = line.split(',').map(str::trim);
        let model = format!("{folder}/{}", cells.next()?);
        let is_safe = cells.next()? == "true";
        Some(Row { model, is_safe, most_steps: cells.next().and_then(|cell| cell.parse().ok()) })
    };
    text.lines().skip(1).filter_map(row).collect()
}

lapidary_reference::with_corpus!(no_engine_is_wrong_about_a_known_automaton_and_most_are_decided);

fn no_engine_is_wrong_about_a_known_automaton_and_most_are_decided() {
    let (mut n_supported, mut n_decided) = (0, 0);
    for Row { model, is_safe, most_steps } in rows("theta/cfa").into_iter().chain(rows("theta/plc")) {
        let path = corpus(&model).to_str().expect("plain paths").to_owned();
        let loaded = match load(&LoadRequest { path, ..LoadRequest::default() }) {
            Ok(loaded) => loaded,
            Err(error) => {
                assert_eq!(Exit::of_load_error(&error), Exit::Unsupported, "{model}: {}", error.render());
                continue;
            }
        };
        n_supported += 1;
        for engine in ENGINES {
            // The others only have to be right.
            let limit = if engine == "auto" { LIMIT } else { LIMIT / 5 };
            let request =
                CheckRequest { engine: EngineChoice::named(engine).expect("an engine"), ..CheckRequest::default() };
            let report = check(&loaded, &request, &Control::new().with_timeout(Some(limit)));
            assert_eq!(report.internal_errors, [""; 0], "{model} by {engine}");
            let found = &report.properties[0];
            if found.verdict == Verdict::Unknown {
                continue;
            }
            let expected = if is_safe { Verdict::Holds } else { Verdict::Violated };
            assert_eq!(found.verdict, expected, "{model} by {engine}");
            n_decided += usize::from(engine == "auto");
            if let (Evidence::Trace(run), Some(most_steps), "bmc" | "explicit") = (&found.evidence, most_steps, engine)
            {
                assert!(run.n_steps() <= most_steps, "{model} by {engine}");
            }
        }
    }
    assert!(n_supported >= 15 && n_decided * 5 >= n_supported * 4, "{n_decided} of {n_supported} are decided");
}
