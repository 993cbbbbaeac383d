//! Certificates there and back, and files that are refused.

use std::sync::Arc;

use expect_test::{Expect, expect};
use lapidary_base::IdVec;
use lapidary_ir::tree::Component;
use lapidary_ir::{ComponentId, Domain, Life, Var, VarId};
use lapidary_text::Sources;
use lapidary_text::{SourceId, Span};

use super::*;
use crate::{Child, Components, Cover, Covered, Diagram, DiagramNode, Enumeration, Field, Layout};

const MODEL: &str = "model m; var n : -1..5; var x : int; var p : bool; var one : 3..3;";

fn model() -> lapidary_ir::Model {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", MODEL);
    parse::parse(&sources, id).0.expect("a sound model")
}

fn states(n_states: usize) -> Certificate {
    let field = |word, shift, bits, lo| Field { word, shift, bits, lo };
    let fields = vec![field(0, 0, 3, -1), field(1, 0, 64, 0), field(0, 3, 1, 0), field(0, 4, 0, 3)].into();
    let layout = Layout { fields, words: 2 };
    let state = |i: usize| [i as u64 % 16, (i as u64).wrapping_neg()];
    let all: Vec<u64> = (0..n_states).flat_map(state).collect();
    // Chunks as an engine leaves them: of unequal sizes.
    let (first, rest) = all.split_at((n_states / 3) * 2);
    let chunks = vec![first.to_vec(), Vec::new(), rest.to_vec()];
    Certificate::Enumeration(Arc::new(Enumeration { layout, chunks, n_states }))
}

fn written(certificate: &Certificate) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&model(), None, "abc123", &["mutex", "safe"], certificate, &mut bytes).unwrap();
    bytes
}

#[test]
fn enumerations_come_back_with_their_layout_and_words() {
    for n_states in [0, 1, 3, 40_000, 100_000] {
        let certificate = states(n_states);
        let (header, again) = read(&model(), None, &mut &written(&certificate)[..]).unwrap();
        assert_eq!(header.properties, ["mutex", "safe"]);
        assert_eq!((header.kind.as_str(), header.model_sha256.as_str()), ("enumeration", "abc123"));
        let (Certificate::Enumeration(a), Certificate::Enumeration(b)) = (certificate, again) else { panic!() };
        assert_eq!((&a.layout, a.n_states, a.chunks.concat()), (&b.layout, b.n_states, b.chunks.concat()));
        assert!(b.chunks.iter().all(|chunk| chunk.len() % b.layout.words == 0));
    }
}

fn covering(n_states: usize) -> Certificate {
    let Certificate::Enumeration(states) = states(0) else { panic!("a list") };
    let row = |i: usize| [i as u64 % 16, 7, u64::MAX - i as u64, 1 << 63, 5];
    let chunks = vec![(0..n_states).flat_map(row).collect()];
    let listed = Enumeration { chunks, n_states, ..(*states).clone() };
    Certificate::Covered(Arc::new(Covered { listed, element_words: 3 }))
}

#[test]
fn states_with_elements_come_back_with_all_their_words() {
    for n_states in [0, 1, 40_000] {
        let certificate = covering(n_states);
        let (header, again) = read(&model(), None, &mut &written(&certificate)[..]).unwrap();
        assert_eq!(header.kind, "covered");
        let (Certificate::Covered(a), Certificate::Covered(b)) = (certificate, again) else { panic!() };
        let all = |covered: &Covered| (covered.element_words, covered.listed.n_states, covered.listed.chunks.concat());
        assert_eq!(all(&a), all(&b));
        assert!(b.listed.chunks.iter().all(|chunk| chunk.len() % 5 == 0));
    }
    let bytes = written(&covering(3));
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let refused = |key: &str, value: Value, body: &[u8]| {
        let mut json: Value = serde_json::from_slice(&bytes[..end]).unwrap();
        json[key] = value;
        let changed = [json.to_string().as_bytes(), b"\n", body].concat();
        read(&model(), None, &mut &changed[..]).map(|_| ()).unwrap_err()
    };
    let body = &bytes[end + 1..];
    expect!["the file ends after 2 of 3 states"].assert_eq(&refused("states", json!(3), &body[..body.len() - 1]));
    expect!["state 2 has bits that belong to no variable"].assert_eq(&refused("element_words", json!(2), body));
    expect!["the file ends after 0 of 3 states"].assert_eq(&refused("element_words", json!(1 << 20), body));
    expect!["1048577 words are not a size of elements"].assert_eq(&refused(
        "element_words",
        json!((1 << 20) + 1),
        body,
    ));
    expect!["state 0 has bits that belong to no variable"].assert_eq(&refused("states", json!(3), &[255; 120]));
}

#[test]
fn invariants_are_text_in_the_header() {
    let model = model();
    let formula = Formula::new(&model.exprs, parse::expr(&model, "p | n - 1 < x & !(!p)").unwrap());
    let n_exprs = model.exprs.len();
    let mut bytes = Vec::new();
    write(&model, None, "00", &["safe"], &Certificate::Invariant(formula.clone()), &mut bytes).unwrap();
    expect![[r#"
        {"schema":"lapidary.certificate/1","kind":"invariant","model_sha256":"00","properties":["safe"],"expression":"p | n - 1 < x & !(!p)"}
    "#]]
    .assert_eq(std::str::from_utf8(&bytes).unwrap());
    let (header, again) = read(&model, None, &mut &bytes[..]).unwrap();
    assert_eq!(header.kind, "invariant");
    assert!(matches!(again, Certificate::Invariant(read) if read == formula));
    assert_eq!(model.exprs.len(), n_exprs, "nothing was added to the model's");
}

/// What is said about three states whose header was changed.
fn refused(change: impl FnOnce(&mut Value), expect: Expect) {
    let bytes = written(&states(3));
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let mut json: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    change(&mut json);
    let changed = [json.to_string().as_bytes(), &bytes[end..]].concat();
    expect.assert_eq(&read(&model(), None, &mut &changed[..]).map(|_| ()).unwrap_err());
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let set = |key: &'static str, value: Value| move |json: &mut Value| json[key] = value;
    let field = |i: usize, key: &'static str, value: Value| move |json: &mut Value| json["variables"][i][key] = value;
    refused(set("schema", json!("x/2")), expect!["the schema is `x/2`, not `lapidary.certificate/1`"]);
    refused(
        set("kind", json!("magic")),
        expect![
            "certificates of kind `magic` are not known; the kinds are enumeration, invariant, diagram, components, covered, blocks, kinduction, basis, ideals"
        ],
    );
    refused(set("kind", json!("invariant")), expect!["there is no text `expression` in the header"]);
    refused(set("properties", json!([])), expect!["the header lists no property in `properties`: nothing is claimed"]);
    refused(set("properties", json!([1])), expect!["`properties` are not all names"]);
    refused(set("words", json!(0)), expect!["0 words are not a size of states with 4 variables"]);
    refused(set("words", json!(1)), expect!["`x`: there is no such word"]);
    refused(
        set("words", json!(1u64 << 62)),
        expect!["4611686018427387904 words are not a size of states with 4 variables"],
    );
    refused(set("states", json!(u64::MAX)), expect!["the file ends after 3 of 18446744073709551615 states"]);
    refused(set("states", json!(2)), expect!["there are more bytes than the header announces"]);
    refused(set("states", json!(-1)), expect!["there is no number `states` that fits in the header"]);
    refused(set("variables", json!([])), expect!["the variable `n` is not listed"]);
    refused(field(0, "name", json!("z")), expect!["the model has no variable `z`"]);
    refused(field(0, "name", json!("x")), expect!["the variable `x` is listed twice"]);
    refused(field(0, "bits", json!(65)), expect!["`n`: its bits do not lie within a word"]);
    refused(field(0, "shift", json!(62)), expect!["`n`: its bits do not lie within a word"]);
    refused(field(0, "shift", json!(1)), expect!["`p`: its bits belong to another variable too"]);
    refused(field(1, "lo", json!(1)), expect!["`x`: its bits do not lie within a word"]);
    refused(field(0, "lo", json!(i64::MAX)), expect!["`n`: its largest value does not fit 64 bits"]);
}

#[test]
fn files_that_end_early_or_carry_stray_bits_are_refused() {
    let bytes = written(&states(3));
    let wrong = |bytes: &[u8]| read(&model(), None, &mut &*bytes).map(|_| ()).unwrap_err();
    expect!["the file ends after 2 of 3 states"].assert_eq(&wrong(&bytes[..bytes.len() - 1]));
    expect!["the first line, which is the header, does not end"].assert_eq(&wrong(&bytes[..40]));
    expect!["the file is empty"].assert_eq(&wrong(b""));
    assert!(wrong(b"{\n").starts_with("the first line is not a JSON header: "));
    assert!(wrong(&[&b"[".repeat(100_000)[..], b"\n"].concat()).contains("recursion limit"));
    let mut stray = bytes.clone();
    let last_first_word = stray.len() - 16;
    stray[last_first_word + 7] = 1;
    expect!["state 2 has bits that belong to no variable"].assert_eq(&wrong(&stray));
    // Every file that is cut off somewhere gives an answer too.
    for end in 0..bytes.len() {
        wrong(&bytes[..end]);
    }
}

#[test]
fn invariants_must_be_boolean_expressions_of_the_model() {
    let wrong = |text: &str| {
        let json = json!({ "schema": SCHEMA, "kind": "invariant", "model_sha256": "", "properties": ["safe"], "expression": text });
        read(&model(), None, &mut format!("{json}\n").as_bytes()).map(|_| ()).unwrap_err()
    };
    expect!["the expression is not boolean"].assert_eq(&wrong("n + 1"));
    expect!["there are no variables called `z` before this line, at character 1 of the expression"]
        .assert_eq(&wrong("z = 1"));
    expect!["`p` is a boolean, but `1` is an integer, in `p = 1`"].assert_eq(&wrong("p = 1"));
}

/// A root without variables and a component `c` with `c.n : 0..3` below it.
fn tree() -> Tree {
    let span = Span::new(SourceId(0), 0, 0);
    let component = |path: &str, parent, subs, end, vars| Component {
        name: path.to_owned(),
        path: path.to_owned(),
        node: "N".to_owned(),
        parent,
        subs,
        end,
        vars,
        events: IdVec::new(),
        priorities: Vec::new(),
        assertions: Vec::new(),
        transitions: Vec::new(),
        vectors: Vec::new(),
        lifted: Vec::new(),
        externs: Vec::new(),
        span,
    };
    let root = component("", None, vec![ComponentId(1)], 2, (0, 0));
    let sub = component("c", Some(ComponentId(0)), Vec::new(), 2, (0, 1));
    let var =
        Var { name: "c.n".to_owned(), domain: Domain::Range { lo: 0, hi: 3 }, control: false, life: Life::State, span };
    Tree { components: vec![root, sub].into(), vars: vec![var].into(), ..Tree::default() }
}

fn flat() -> lapidary_ir::Model {
    lapidary_ir::Model {
        declared: Declarations { vars: tree().vars, ..Declarations::default() },
        ..lapidary_ir::Model::default()
    }
}

fn covers() -> Components {
    let asks = |var, edges: Vec<_>| Diagram {
        order: vec![VarId(var)],
        nodes: vec![DiagramNode { var: VarId(var), edges }],
        root: Child::Node(0),
    };
    let everything = Diagram { order: Vec::new(), nodes: Vec::new(), root: Child::All };
    let blocks = vec![asks(0, vec![(0, 1, Child::All)]), asks(0, vec![(2, 2, Child::All), (3, 3, Child::All)])];
    let root = Cover { component: ComponentId(0), is_subtree: false, blocks: vec![everything] };
    let sub = Cover { component: ComponentId(1), is_subtree: true, blocks };
    Components { covers: vec![root, sub], reachable: asks(1, vec![(0, 0, Child::All)]) }
}

fn covers_written() -> Vec<u8> {
    let mut bytes = Vec::new();
    let certificate = Certificate::Components(Arc::new(covers()));
    write(&flat(), Some(&tree()), "00", &["p"], &certificate, &mut bytes).unwrap();
    bytes
}

#[test]
fn covers_come_back_with_their_blocks() {
    let bytes = covers_written();
    expect![[r#"
        {"schema":"lapidary.certificate/1","kind":"components","model_sha256":"00","properties":["p"],"covers":[{"component":"","subtree":false,"blocks":[{"order":[],"root":"all","nodes":0}]},{"component":"c","subtree":true,"blocks":[{"order":["c.n"],"root":"0","nodes":1},{"order":["c.n"],"root":"0","nodes":1}]}],"reachable":{"order":["c"],"root":"0","nodes":1}}
        0 0 0..1:all
        0 0 2:all 3:all
        0 0 0:all
    "#]]
    .assert_eq(std::str::from_utf8(&bytes).unwrap());
    let (header, again) = read(&flat(), Some(&tree()), &mut &bytes[..]).unwrap();
    assert_eq!(header.kind, "components");
    let Certificate::Components(again) = again else { panic!("another kind came back") };
    assert_eq!(*again, covers());
}

#[test]
fn covers_that_do_not_fit_are_refused() {
    let bytes = covers_written();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let refused = |change: &dyn Fn(&mut Value), expect: Expect| {
        let mut json: Value = serde_json::from_slice(&bytes[..end]).unwrap();
        change(&mut json);
        let changed = [json.to_string().as_bytes(), &bytes[end..]].concat();
        expect.assert_eq(&read(&flat(), Some(&tree()), &mut &changed[..]).map(|_| ()).unwrap_err());
    };
    refused(&|json| json["covers"] = json!(1), expect!["the header has no list `covers`"]);
    refused(&|json| json["covers"][0] = json!(1), expect!["there is no text `component` in the header"]);
    refused(&|json| json["covers"][0]["component"] = json!("d"), expect!["the model has no component `d`"]);
    refused(&|json| json["covers"][0]["component"] = json!("c"), expect!["the component `c` has two covers"]);
    refused(&|json| json["covers"][1]["subtree"] = json!(1), expect!["the cover of `c` has no truth value `subtree`"]);
    refused(&|json| json["covers"][1]["blocks"] = json!({}), expect!["the cover of `c` has no list `blocks`"]);
    refused(
        &|json| json["covers"][1]["blocks"][0]["order"] = json!(["z"]),
        expect!["block 0 of `c`: the model has no variable `z`"],
    );
    refused(
        &|json| json["covers"][1]["blocks"][1]["nodes"] = json!(u64::MAX),
        expect!["block 1 of `c`: node 1: its line does not begin with its number"],
    );
    refused(&|json| json["reachable"] = Value::Null, expect!["reachable: the header has no list `order`"]);
    refused(
        &|json| json["reachable"]["nodes"] = json!(u64::MAX),
        expect!["reachable: the file ends, or a line does, after 1 of 18446744073709551615 nodes"],
    );
    refused(&|json| json["reachable"]["order"] = json!(["c.n"]), expect!["reachable: the model has no variable `c.n`"]);
    refused(
        &|json| drop(json["covers"][1]["blocks"].as_array_mut().unwrap().pop()),
        expect!["reachable: node 0: 2..2 is not a range of values of `c`"],
    );
    let flat_only = |bytes: &[u8]| read(&flat(), None, &mut &*bytes).map(|_| ()).unwrap_err();
    expect!["covers of components are about a hierarchy, and this model is flat"].assert_eq(&flat_only(&bytes));
    // Every file that is cut off somewhere gives an answer too.
    for end in 0..bytes.len() {
        assert!(read(&flat(), Some(&tree()), &mut &bytes[..end]).is_err(), "cut off at {end}");
    }
    let certificate = Certificate::Components(Arc::new(covers()));
    assert!(write(&flat(), None, "00", &[], &certificate, &mut Vec::new()).is_err());
}
