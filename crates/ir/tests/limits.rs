//! What grows with a model ends with the limits of its run.

use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_ir::parse::parse_within;
use lapidary_ir::passes::{Halt, flatten_within};
use lapidary_text::Sources;

fn spent() -> Control {
    Control::new().with_timeout(Some(Duration::ZERO))
}

#[test]
fn a_text_is_not_read_when_the_time_is_up() {
    let mut sources = Sources::default();
    let source = sources.add("m.lir", "model m;\nvar x : bool;\n");
    assert_eq!(parse_within(&sources, source, &spent()).err(), Some(Stop::Timeout));
}

#[test]
fn a_tree_is_not_flattened_when_the_time_is_up() {
    let mut sources = Sources::default();
    let source = sources.add("m.alt", "node A state x : bool; event e; trans true |- e -> ; edon");
    let (document, _) = lapidary_frontends::altarica::load(&sources, source);
    let tree = document.expect("the node is fine").instantiate(&sources, "A").0.expect("a tree");
    assert_eq!(flatten_within(&tree, &spent()).err(), Some(Halt::Stopped(Stop::Timeout)));
}
