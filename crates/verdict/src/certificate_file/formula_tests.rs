//! Certificates with formulas there and back, and files that are refused.

use std::sync::Arc;

use expect_test::{Expect, expect};
use lapidary_ir::VarId;
use lapidary_text::Sources;

use super::*;
use crate::certificate::{Block, Blocks, Induction};

fn model() -> lapidary_ir::Model {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", "model m; var n : -1..5; var x : int; control var p : bool;");
    parse::parse(&sources, id).0.expect("a sound model")
}

fn written(model: &lapidary_ir::Model, certificate: &Certificate) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(model, None, "00", &["safe"], certificate, &mut bytes).unwrap();
    bytes
}

/// What is said about a file whose header was changed and whose lines were replaced.
fn refused(bytes: &[u8], change: impl FnOnce(&mut Value), lines: Option<&str>, expect: Expect) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let mut json: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    change(&mut json);
    let rest = lines.map_or(&bytes[end + 1..], str::as_bytes);
    let changed = [json.to_string().as_bytes(), b"\n", rest].concat();
    expect.assert_eq(&read(&model(), None, &mut &changed[..]).map(|_| ()).unwrap_err());
}

fn formula(model: &lapidary_ir::Model, text: &str) -> Formula {
    Formula::new(&model.exprs, parse::expr(model, text).unwrap())
}

fn blocks(model: &lapidary_ir::Model) -> Blocks {
    let block = |n, p, literals: &[(u32, bool)]| Block { control: vec![n, p], literals: literals.to_vec() };
    Blocks {
        control: vec![VarId(0), VarId(2)],
        predicates: vec![formula(model, "x = 0"), formula(model, "n < x | !p")],
        blocks: vec![block(-1, 0, &[(0, true), (1, false)]), block(5, 1, &[]), block(0, 1, &[(1, true)])],
    }
}

#[test]
fn blocks_are_a_line_each() {
    let model = model();
    let certificate = Certificate::Blocks(Arc::new(blocks(&model)));
    let bytes = written(&model, &certificate);
    expect![[r#"
        {"schema":"lapidary.certificate/1","kind":"blocks","model_sha256":"00","properties":["safe"],"control":["n","p"],"predicates":["x = 0","n < x | !p"],"blocks":3}
        -1 0 0:true 1:false
        5 1
        0 1 1:true
    "#]]
    .assert_eq(std::str::from_utf8(&bytes).unwrap());
    let (header, again) = read(&model, None, &mut &bytes[..]).unwrap();
    assert_eq!(header.kind, "blocks");
    let Certificate::Blocks(again) = again else { panic!("another kind came back") };
    assert_eq!(*again, blocks(&model));
    // Every file that is cut off somewhere gives an answer too.
    for end in 0..bytes.len() {
        assert!(read(&model, None, &mut &bytes[..end]).is_err(), "cut off at {end}");
    }
}

#[test]
fn blocks_without_variables_and_predicates_are_empty_lines() {
    let model = model();
    let nothing = Blocks { blocks: vec![Block::default(); 2], ..Blocks::default() };
    let bytes = written(&model, &Certificate::Blocks(Arc::new(nothing.clone())));
    let (_, again) = read(&model, None, &mut &bytes[..]).unwrap();
    assert!(matches!(again, Certificate::Blocks(again) if *again == nothing));
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    let model = model();
    let bytes = written(&model, &Certificate::Blocks(Arc::new(blocks(&model))));
    let header = |key: &'static str, value: Value, expect| refused(&bytes, |json| json[key] = value, None, expect);
    header("control", json!(1), expect!["the header has no list `control`"]);
    header("control", json!([1]), expect!["`control` are not all names"]);
    header("control", json!(["n", "z"]), expect!["the model has no variable `z`"]);
    header("control", json!(["n", "n"]), expect!["the variable `n` is listed twice"]);
    header("predicates", json!("p"), expect!["the header has no list `predicates`"]);
    header("predicates", json!([7]), expect!["`predicates` are not all texts"]);
    header("predicates", json!(["p", "n + 1"]), expect!["predicate 1: the expression is not boolean"]);
    header("predicates", json!(["p"]), expect!["block 0: there is no predicate number 1"]);
    header("blocks", json!(-1), expect!["there is no number `blocks` that fits in the header"]);
    header("blocks", json!(2), expect!["there are more bytes than the header announces"]);
    header("blocks", json!(u64::MAX), expect!["the file ends, or a line does, after 3 of 18446744073709551615 blocks"]);
    let lines = |lines: &str, expect| refused(&bytes, |json| json["blocks"] = json!(1), Some(lines), expect);
    lines("1\n", expect!["block 0: it has 1 values for 2 variables"]);
    lines("a 1\n", expect!["block 0: `a` is not a value"]);
    lines("1 9223372036854775808\n", expect!["block 0: `9223372036854775808` is not a value"]);
    lines("1 1 0\n", expect!["block 0: `0` is not a literal"]);
    lines("1 1 0:yes\n", expect!["block 0: `0:yes` is not a literal"]);
    lines("1 1 1:true 0:true\n", expect!["block 0: its literals are not in rising order"]);
    lines("1 1 0:true 0:false\n", expect!["block 0: its literals are not in rising order"]);
}

#[test]
fn inductions_are_text_in_the_header() {
    let model = model();
    let induction = Induction { k: 3, formula: formula(&model, "n < x | !p"), is_simple: true };
    let bytes = written(&model, &Certificate::Induction(induction.clone()));
    expect![[r#"
        {"schema":"lapidary.certificate/1","kind":"kinduction","model_sha256":"00","properties":["safe"],"k":3,"expression":"n < x | !p","simple":true}
    "#]]
    .assert_eq(std::str::from_utf8(&bytes).unwrap());
    let (header, again) = read(&model, None, &mut &bytes[..]).unwrap();
    assert_eq!(header.kind, "kinduction");
    assert!(matches!(again, Certificate::Induction(again) if again == induction));
    let header = |key: &'static str, value: Value, expect| refused(&bytes, |json| json[key] = value, None, expect);
    header("k", json!(0), expect!["`k` is 0, but must be at least 1"]);
    header("k", json!(1u64 << 32), expect!["there is no number `k` that fits in the header"]);
    header("expression", json!("n"), expect!["the expression is not boolean"]);
    header("simple", json!(1), expect!["there is no truth value `simple` in the header"]);
    refused(&bytes, |_| {}, Some("\n"), expect!["there are more bytes than the header announces"]);
}
