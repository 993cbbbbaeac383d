//! Certificates about nets there and back, and files that are refused.

use std::sync::Arc;

use expect_test::{Expect, expect};
use lapidary_ir::PlaceId;
use lapidary_text::Sources;

use super::*;
use crate::certificate::{Basis, Ideals};

const P: PlaceId = PlaceId(0);
const Q: PlaceId = PlaceId(1);
const R: PlaceId = PlaceId(2);

fn model(text: &str) -> lapidary_ir::Model {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", text);
    parse::parse(&sources, id).0.expect("a sound model")
}

fn places() -> lapidary_ir::Model {
    model("model m; var p : int; var q : int; var r : int;")
}

fn written(certificate: &Certificate) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&places(), None, "00", &["safe"], certificate, &mut bytes).unwrap();
    bytes
}

fn basis() -> Basis {
    Basis { minimal: vec![vec![(Q, 2)], vec![(P, 1), (R, u64::MAX)], vec![]], inequalities: vec![vec![(P, 3), (Q, 1)]] }
}

fn ideals() -> Ideals {
    Ideals { ideals: vec![vec![(P, None), (R, Some(1))], vec![], vec![(Q, Some(u64::MAX))]] }
}

/// What is said about a file whose header was changed and whose lines were replaced.
fn refused(bytes: &[u8], change: impl FnOnce(&mut Value), lines: Option<&str>, expect: Expect) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let mut json: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    change(&mut json);
    let rest = lines.map_or(&bytes[end + 1..], str::as_bytes);
    let changed = [json.to_string().as_bytes(), b"\n", rest].concat();
    expect.assert_eq(&read(&places(), None, &mut &changed[..]).map(|_| ()).unwrap_err());
}

#[test]
fn a_basis_is_a_line_for_each_marking_and_inequality() {
    let bytes = written(&Certificate::Basis(Arc::new(basis())));
    expect![[r#"
        {"schema":"lapidary.certificate/1","kind":"basis","model_sha256":"00","properties":["safe"],"places":["p","q","r"],"minimal":3,"inequalities":1}
        1:2
        0:1 2:18446744073709551615

        0:3 1:1
    "#]]
    .assert_eq(std::str::from_utf8(&bytes).unwrap());
    let (header, again) = read(&places(), None, &mut &bytes[..]).unwrap();
    assert_eq!(header.kind, "basis");
    let Certificate::Basis(again) = again else { panic!("another kind came back") };
    assert_eq!(*again, basis());
    for end in 0..bytes.len() {
        assert!(read(&places(), None, &mut &bytes[..end]).is_err(), "cut off at {end}");
    }
}

#[test]
fn ideals_are_a_line_each() {
    let bytes = written(&Certificate::Ideals(Arc::new(ideals())));
    expect![[r#"
        {"schema":"lapidary.certificate/1","kind":"ideals","model_sha256":"00","properties":["safe"],"places":["p","q","r"],"ideals":3}
        0:w 2:1

        1:18446744073709551615
    "#]]
    .assert_eq(std::str::from_utf8(&bytes).unwrap());
    let (header, again) = read(&places(), None, &mut &bytes[..]).unwrap();
    assert_eq!(header.kind, "ideals");
    let Certificate::Ideals(again) = again else { panic!("another kind came back") };
    assert_eq!(*again, ideals());
    for end in 0..bytes.len() {
        assert!(read(&places(), None, &mut &bytes[..end]).is_err(), "cut off at {end}");
    }
}

#[test]
fn nothing_is_written_and_read_too() {
    let bytes = written(&Certificate::Basis(Arc::default()));
    assert!(
        matches!(read(&places(), None, &mut &bytes[..]).unwrap().1, Certificate::Basis(b) if *b == Basis::default())
    );
    let bytes = written(&Certificate::Ideals(Arc::default()));
    assert!(
        matches!(read(&places(), None, &mut &bytes[..]).unwrap().1, Certificate::Ideals(i) if *i == Ideals::default())
    );
}

#[test]
fn places_are_known_by_their_names() {
    let bytes = written(&Certificate::Basis(Arc::new(basis())));
    // The same places in another order, as after a change of the model that is none to the net.
    let turned = model("model m; var r : int; var p : int; var q : int;");
    let (_, again) = read(&turned, None, &mut &bytes[..]).unwrap();
    let Certificate::Basis(again) = again else { panic!("another kind came back") };
    let expected = [vec![(PlaceId(2), 2)], vec![(PlaceId(0), u64::MAX), (PlaceId(1), 1)], vec![]];
    assert_eq!(again.minimal, expected);
    assert_eq!(again.inequalities, [vec![(PlaceId(1), 3), (PlaceId(2), 1)]]);
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let bytes = written(&Certificate::Basis(Arc::new(basis())));
    let header = |key: &'static str, value: Value, expect| refused(&bytes, |json| json[key] = value, None, expect);
    header("places", json!("p"), expect!["the header has no list `places`"]);
    header("places", json!(["p", 1]), expect!["`places` are not all names"]);
    header("places", json!(["p", "z"]), expect!["the model has no variable `z`"]);
    header("places", json!(["p", "q", "p"]), expect!["the variable `p` is listed twice"]);
    header("places", json!(["p", "q"]), expect!["line 3: there is no place number 2"]);
    header("minimal", json!(-1), expect!["there is no number `minimal` that fits in the header"]);
    header("minimal", json!(u64::MAX), expect!["the file ends, or a line does, after 4 of 18446744073709551615 lines"]);
    header("inequalities", json!("1"), expect!["there is no number `inequalities` that fits in the header"]);
    header("inequalities", json!(0), expect!["there are more bytes than the header announces"]);
    header("inequalities", json!(2), expect!["the file ends, or a line does, after 1 of 2 lines"]);
    header("kind", json!("ideals"), expect!["there is no number `ideals` that fits in the header"]);
    let bytes = written(&Certificate::Ideals(Arc::new(ideals())));
    refused(&bytes, |json| json["ideals"] = json!(2), None, expect!["there are more bytes than the header announces"]);
    refused(
        &bytes,
        |json| json["kind"] = json!("basis"),
        None,
        expect!["there is no number `minimal` that fits in the header"],
    );
}

#[test]
fn lines_that_do_not_fit_are_refused() {
    let bytes = written(&Certificate::Basis(Arc::new(basis())));
    let one = |json: &mut Value| (json["minimal"], json["inequalities"]) = (json!(1), json!(0));
    let lines = |lines: &str, expect| refused(&bytes, one, Some(lines), expect);
    lines("0\n", expect!["line 2: `0` is not a place with its tokens"]);
    lines("p:1\n", expect!["line 2: `p:1` is not a place with its tokens"]);
    lines("0:-1\n", expect!["line 2: `0:-1` is not a place with its tokens"]);
    lines("0:18446744073709551616\n", expect!["line 2: `0:18446744073709551616` is not a place with its tokens"]);
    lines("0:w\n", expect!["line 2: `w` is not a number here"]);
    lines("3:1\n", expect!["line 2: there is no place number 3"]);
    lines("0:1 1:1 0:1\n", expect!["line 2: a place is there twice"]);
    lines("0:1", expect!["the file ends, or a line does, after 0 of 1 lines"]);
    let two = |json: &mut Value| (json["minimal"], json["inequalities"]) = (json!(1), json!(1));
    refused(&bytes, two, Some("0:1\n0:x\n"), expect!["line 3: `0:x` is not a place with its tokens"]);
    let ideal = written(&Certificate::Ideals(Arc::new(Ideals { ideals: vec![vec![]] })));
    refused(&ideal, |_| {}, Some("0:any\n"), expect!["line 2: `0:any` is not a place with its tokens"]);
}
