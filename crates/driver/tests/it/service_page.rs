//! The example of `docs/service.md`, so that it compiles and does what it says.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lapidary_base::{Event, Sink, Stop};
use lapidary_driver::files::{Files, Texts, disk};
use lapidary_driver::service::{Answer, Request, start};
use lapidary_driver::{Exit, Limits, LoadRequest};

struct Deaf;

impl Sink for Deaf {
    fn event(&self, _: &Event) {}
}

fn asked(text: &str, minute: Duration, observer: Arc<dyn Sink>) -> Result<Answer, Stop> {
    // What an editor has, over the files of the machine.
    let files: Arc<dyn Files> = Arc::new(Texts::over(disk()).with("lift.gcl", text));
    let load = LoadRequest { path: "lift.gcl".to_owned(), ..LoadRequest::default() };
    let limits = Limits { timeout: Some(minute), memory: None };
    let running = start(Request { load, limits, ..Request::default() }, files, Some(observer))?;
    let stop = running.interrupter(); // For any thread.
    let answer = running.wait();
    stop.interrupt();
    Ok(answer)
}

#[test]
fn the_example_is_answered() {
    let text = "var floor : 0..3 = 0;\nup: floor < 3 -> floor := floor + 1;\ninvariant inside: floor <= 3;\n";
    let answer = asked(text, Duration::from_secs(60), Arc::new(Deaf)).expect("there is room for a thread");
    assert_eq!(answer.exit, Exit::Success);
    assert!(answer.document.starts_with(br#"{"schema":"lapidary.result/1""#));
}

#[test]
fn the_page_has_lines_that_compile() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/service.md");
    let page = fs::read_to_string(page).expect("docs/service.md");
    let code = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let source = include_str!("service_page.rs");
    let here: Vec<&str> = source.lines().map(str::trim).collect();
    for line in code.lines().filter(|line| !line.is_empty()) {
        assert!(here.contains(&line), "no line here is: {line}");
    }
}
