//! What grows with a model ends with the limits of its run.

use std::time::Duration;

use lapidary_base::{Control, Stop};
use lapidary_ir::parse::{expr_within, parse, parse_within};
use lapidary_ir::passes::{NoModel, flatten_within};
use lapidary_ir::validate::{expression_within, problems_within};
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

/// Certificates have expressions of many megabytes in one line.
#[test]
fn a_long_expression_is_neither_read_nor_validated_to_its_end_when_the_time_is_up() {
    let mut sources = Sources::default();
    let source = sources.add("m.lir", "model m;\nvar x : int;\n");
    let model = parse(&sources, source).0.expect("a model");
    let long = (0..500).map(|i| format!("x < {i}")).collect::<Vec<_>>().join(" | ");
    assert_eq!(expr_within(&model, &long, &spent()), Err(Stop::Timeout));
    let (expr, sort) = expr_within(&model, &long, &Control::new()).expect("no limit").expect("an expression");
    assert_eq!(expression_within(&model, expr, &spent()), Err(Stop::Timeout));
    assert_eq!(expression_within(&model, expr, &Control::new()), Ok(Ok(sort)));
}

#[test]
fn a_model_is_not_validated_when_the_time_is_up() {
    let mut sources = Sources::default();
    let conditions: String = (0..500).map(|i| format!("init x < {i};\n")).collect();
    let source = sources.add("m.lir", format!("model m;\nvar x : int;\n{conditions}"));
    let model = parse(&sources, source).0.expect("a model");
    assert_eq!(problems_within(&model, &spent()), Err(Stop::Timeout));
    assert_eq!(problems_within(&model, &Control::new()), Ok(Vec::new()));
}

#[test]
fn a_tree_is_not_flattened_when_the_time_is_up() {
    let mut sources = Sources::default();
    let source = sources.add("m.alt", "node A state x : bool; event e; trans true |- e -> ; edon");
    let (document, _) = lapidary_frontends::altarica::load(&sources, source);
    let tree = document.expect("the node is fine").instantiate(&sources, "A").0.expect("a tree");
    assert_eq!(flatten_within(&tree, &spent()).err(), Some(NoModel::Stopped(Stop::Timeout)));
}
