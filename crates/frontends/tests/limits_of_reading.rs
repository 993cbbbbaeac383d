//! Reading a text ends with the limits of its run.

use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_frontends::{altarica, gcl};
use lapidary_text::Sources;

fn spent() -> Control {
    Control::new().with_timeout(Some(Duration::ZERO))
}

#[test]
fn a_text_is_not_read_when_the_time_is_up() {
    let mut sources = Sources::default();
    let model = sources.add("m.gcl", "var x : 0..9 = 0; go[i in 0..99]: x < 9 -> x := x + 1; invariant p: x < 10;");
    let read = gcl::load_within(&sources, model, &gcl::Options::default(), &spent());
    assert_eq!(read.err(), Some(Stop::Timeout));
    let node = sources.add("m.alt", "node A state x : bool; init x := true; edon");
    assert_eq!(altarica::load_files(&sources, &[node], &[], &spent()).err(), Some(Stop::Timeout));
    let (document, _) = altarica::load_files(&sources, &[node], &[], &Control::new()).expect("there is no limit");
    let document = document.expect("the node is fine");
    assert_eq!(document.instantiate_within(&sources, "A", &spent()).err(), Some(Stop::Timeout));
}
