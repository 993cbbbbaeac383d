//! Traces there and back, and documents that are refused.

use expect_test::{Expect, expect};
use lapidary_ir::CommandId;
use lapidary_ir::parse::parse;
use lapidary_text::Sources;

use super::*;

const MODEL: &str = "model m; enum Loc { idle, crit } var big : int; var n : 0..3; var flag[0] : bool;
    var P[0].pc : Loc; command go: n := 1; command stop: skip; command go: n := 2;";

fn model() -> Subject {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", MODEL);
    Subject::Model(parse(&sources, id).0.expect("a sound model"))
}

fn command(number: u32) -> Action {
    Action::Command(CommandId(number))
}

fn trace(loop_start: Option<usize>) -> Trace {
    let states: Vec<Box<[Raw]>> = vec![
        [0, 0, 1, 0].into(),
        [i64::MIN, 2, 0, 1].into(),
        [(1 << 53) + 1, 2, 0, 1].into(),
        [-(1 << 53), 3, 0, 1].into(),
    ];
    let mut actions = vec![command(2), command(1), command(0)];
    actions.extend(loop_start.map(|_| command(2)));
    Trace { states, actions, loop_start }
}

/// The whole document at once, as a value.
fn to_json(model: &Subject, trace: &Trace, meta: &Meta<'_>) -> Value {
    let states: Vec<Value> = (0..trace.states.len()).map(|i| state(model, trace, i)).collect();
    let mut document = json!({ "#meta": head(model, trace, meta), "vars": names(model.declared()), "states": states });
    if let Some(start) = trace.loop_start {
        document["loop"] = json!(start);
    }
    document
}

const META: Meta<'static> = Meta { description: "a test", source: "m.lir", property: "p" };

#[test]
fn a_lasso_is_written_with_its_actions_and_its_loop() {
    let json = to_json(&model(), &trace(Some(1)), &META);
    expect![[r##"
        {
          "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": "a test",
            "source": "m.lir",
            "property": "p",
            "loop_action": {
              "action": "go",
              "command": 2
            }
          },
          "vars": [
            "big",
            "n",
            "flag[0]",
            "P[0].pc"
          ],
          "states": [
            {
              "#meta": {
                "index": 0
              },
              "big": 0,
              "n": 0,
              "flag[0]": true,
              "P[0].pc": "idle"
            },
            {
              "#meta": {
                "index": 1,
                "action": "go",
                "command": 2
              },
              "big": {
                "#bigint": "-9223372036854775808"
              },
              "n": 2,
              "flag[0]": false,
              "P[0].pc": "crit"
            },
            {
              "#meta": {
                "index": 2,
                "action": "stop",
                "command": 1
              },
              "big": {
                "#bigint": "9007199254740993"
              },
              "n": 2,
              "flag[0]": false,
              "P[0].pc": "crit"
            },
            {
              "#meta": {
                "index": 3,
                "action": "go",
                "command": 0
              },
              "big": -9007199254740992,
              "n": 3,
              "flag[0]": false,
              "P[0].pc": "crit"
            }
          ],
          "loop": 1
        }"##]]
    .assert_eq(&serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn traces_come_back_as_they_were() {
    for loop_start in [None, Some(0), Some(3)] {
        let trace = trace(loop_start);
        let text = to_json(&model(), &trace, &META).to_string();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(from_json(&model(), &value), Ok(trace));
    }
}

#[test]
fn steps_without_numbers_are_left_open() {
    let mut json = to_json(&model(), &trace(Some(0)), &META);
    json["states"][1]["#meta"] = json!({ "action": "go" });
    json["states"][2].as_object_mut().unwrap().shift_remove("#meta");
    json["#meta"] = json!({});
    let all = vec![command(0), command(1), command(2)];
    let run = run_from_json(&model(), &json).unwrap();
    let said = [vec![command(0), command(2)], all.clone(), vec![command(0)], all].map(Said::OneOf);
    assert_eq!(run.steps, said);
    assert_eq!(from_json(&model(), &json).unwrap_err(), "step 1 does not say which of 2 commands it takes");
}

fn refused(change: impl FnOnce(&mut Value), expect: Expect) {
    let mut json = to_json(&model(), &trace(Some(1)), &META);
    change(&mut json);
    expect.assert_eq(&from_json(&model(), &json).unwrap_err());
}

#[test]
fn what_does_not_fit_the_model_is_named() {
    let set = |i: usize, key: &'static str, value: Value| move |json: &mut Value| json["states"][i][key] = value;
    refused(set(1, "z", json!(1)), expect!["state 1 has a value for `z`, which is no variable of the model"]);
    refused(set(1, "n", json!(4)), expect!["state 1: `n` is 4, which is outside 0..3"]);
    refused(set(1, "n", json!(1.5)), expect!["state 1: `n` must be an integer, not 1.5"]);
    refused(set(1, "n", json!("1")), expect![[r#"state 1: `n` must be an integer, not "1""#]]);
    refused(
        set(0, "big", json!({"#bigint": "99999999999999999999"})),
        expect![[r##"state 0: `big` is {"#bigint":"99999999999999999999"}, not an integer of 64 bits"##]],
    );
    refused(set(2, "flag[0]", json!(0)), expect!["state 2: `flag[0]` must be true or false, not 0"]);
    refused(
        set(2, "P[0].pc", json!("wait")),
        expect!["state 2: `P[0].pc` is `wait`, which is no literal of its enumeration"],
    );
    refused(set(2, "P[0].pc", json!([])), expect!["state 2: `P[0].pc` must be a literal, not []"]);
    refused(set(2, "#meta", json!({"action": "leave"})), expect!["state 2: the model has no command `leave`"]);
    refused(
        set(2, "#meta", json!({"action": "go", "command": 1})),
        expect!["state 2: command number 1 is `stop` in this model, not `go`"],
    );
    refused(set(2, "#meta", json!({"command": 3})), expect!["state 2: the model has no command number 3"]);
    refused(set(2, "#meta", json!({"action": 3})), expect!["state 2: the action is not a text"]);
    refused(
        |json| drop(json["states"][3].as_object_mut().unwrap().shift_remove("n")),
        expect!["state 3 has no value for `n`"],
    );
    refused(|json| json["states"][1] = json!(3), expect!["state 1 is not an object"]);
    refused(|json| json["states"] = json!([]), expect!["`states` is empty"]);
    refused(|json| json["states"] = json!({}), expect!["`states` is not a list"]);
    refused(|json| json["loop"] = json!(4), expect!["`loop` is 4, not the number of one of the 4 states"]);
    refused(|json| json["loop"] = json!(-1), expect!["`loop` is -1, not the number of one of the 4 states"]);
    refused(|json| *json = json!(null), expect!["the document has no `states`"]);
}

#[test]
fn literals_of_other_tools_are_variants() {
    let mut json = to_json(&model(), &trace(None), &META);
    json["states"][0]["P[0].pc"] = json!({ "tag": "crit", "value": {} });
    assert_eq!(from_json(&model(), &json).unwrap().states[0][3], 1);
}

#[test]
fn documents_need_no_model() {
    let read = document(&to_json(&model(), &trace(Some(1)), &META)).unwrap();
    assert_eq!(read.vars, ["big", "n", "flag[0]", "P[0].pc"]);
    assert_eq!(read.actions, ["go", "stop", "go", "go"]);
    assert_eq!(read.loop_start, Some(1));
    assert!(read.meta.contains(&("property".to_owned(), "p".to_owned())));
    let values: Vec<&str> = read.states[1].iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["-9223372036854775808", "2", "false", "crit"]);
}

#[test]
fn documents_of_other_tools_are_shown_with_all_their_values() {
    let json = json!({ "states": [{ "#meta": { "index": 0 }, "a": { "#tup": [1, { "#bigint": "2" }] },
        "b": { "#set": ["x", true] }, "c": { "#map": [[1, "one"]] }, "d": { "tag": "Some", "value": 3 },
        "e": { "tag": "None", "value": { "#tup": [] } }, "f": { "x": [1, null] }, "g": { "#unserializable": "Int" } }] });
    let read = document(&json).unwrap();
    let shown: Vec<String> = read.states[0].iter().map(|(name, value)| format!("{name}={value}")).collect();
    expect!["a=(1, 2) b={x, true} c={1 -> one} d=Some(3) e=None f={x: [1, null]} g=Int"].assert_eq(&shown.join(" "));
    assert!(read.actions.is_empty() && read.meta.is_empty());
    assert_eq!(document(&json!({ "states": [{}], "vars": [3] })).unwrap_err(), "`vars` contains 3, which is no name");
}

#[test]
fn a_document_is_written_in_pieces_as_it_is_as_a_whole() {
    let model = model();
    let written = |trace: &Trace, layout| {
        let mut written = Vec::new();
        write(&model, trace, &head(&model, trace, &META), layout, &mut written).expect("memory can be written");
        String::from_utf8(written).expect("text")
    };
    let empty = Trace { states: Vec::new(), actions: Vec::new(), loop_start: None };
    for trace in [trace(None), trace(Some(1)), empty] {
        let whole = to_json(&model, &trace, &META);
        assert_eq!(written(&trace, Layout::Lines), format!("{whole:#}\n"));
        assert_eq!(written(&trace, Layout::OneLine), whole.to_string());
    }
}

#[test]
fn local_variables_are_not_written_and_are_filled_in() {
    let mut sources = Sources::default();
    let id = sources.add("m.lir", "model m; var x : 0..3; local var t : 2..4; var y : bool; command go: x := 1;");
    let model = Subject::Model(parse(&sources, id).0.expect("a sound model"));
    let states: Vec<Box<[Raw]>> = vec![[0, 2, 1].into(), [1, 2, 1].into()];
    let trace = Trace { states, actions: vec![command(0)], loop_start: None };
    let mut document = to_json(&model, &trace, &META);
    assert_eq!(document["vars"], json!(["x", "y"]));
    assert_eq!(document["states"][1].get("t"), None);
    assert_eq!(from_json(&model, &document), Ok(trace));
    document["states"][1]["t"] = json!(3);
    expect!["state 1 has a value for `t`, which is no variable of the model"]
        .assert_eq(&from_json(&model, &document).unwrap_err());
}
