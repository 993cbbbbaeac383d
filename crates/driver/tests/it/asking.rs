//! What is asked is asked in the same words in every language, and a misspelt name finds its like.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, LoadRequest, Loaded, check, open_text};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Verdict};

fn load(suffix: &str, text: &str, properties: &[&str]) -> Result<Loaded, String> {
    let properties = properties.iter().map(|&text| text.to_owned()).collect();
    let request = LoadRequest { path: format!("m.{suffix}"), properties, ..LoadRequest::default() };
    open_text(&request, text.as_bytes().to_vec()).map_err(|error| error.render())
}

fn answers(suffix: &str, text: &str, properties: &[&str]) -> Vec<PropertyReport> {
    let loaded = load(suffix, text, properties).unwrap_or_else(|error| panic!("{error}"));
    check(&loaded, &CheckRequest::default(), &Control::new()).properties
}

/// A counter from 0 to 2 that then stops, in several languages: the suffix, the text, and `x` as formulas name it.
const COUNTERS: [(&str, &str); 6] = [
    ("gcl", "var x : 0..3 = 0;\nup: x < 2 -> x := x + 1;\n"),
    ("alt", "node A state x : [0, 3]; event up; trans x < 2 |- up -> x := x + 1; init x := 0; edon\n"),
    (
        "spec",
        "vars\n x rest\nrules\n rest >= 1 -> rest' = rest - 1, x' = x + 1;\ninit\n x = 0, rest = 2\ntarget\n x >= 9\n",
    ),
    ("lola", "PLACE x, rest;\nMARKING rest: 2;\nTRANSITION up CONSUME rest: 1; PRODUCE x: 1;\n"),
    (
        "pnml",
        "<pnml><net id='n' type='ptnet'><place id='x'/><place id='rest'><initialMarking><text>2</text>\
         </initialMarking></place><transition id='up'/><arc id='a' source='rest' target='up'/>\
         <arc id='b' source='up' target='x'/></net></pnml>",
    ),
    ("lir", "model m;\nvar x : 0..3;\ninit x = 0;\ncommand up: { assume x < 2; x := x + 1; }\n"),
];

#[test]
fn the_words_of_p_mean_the_same_in_every_language() {
    let asked = [
        "x <= 2",
        "invariant x <= 1",
        "invariant: x <= 2",
        "reach x = 2",
        "reach: x = 3",
        "reach\n  x = 1",
        "deadlock_free",
        "ltl x = 0",
    ];
    const HOLDS: Verdict = Verdict::Holds;
    const VIOLATED: Verdict = Verdict::Violated;
    let expected = [HOLDS, VIOLATED, HOLDS, HOLDS, VIOLATED, HOLDS, VIOLATED, Verdict::Unknown];
    for (suffix, text) in COUNTERS {
        let found = answers(suffix, text, &asked);
        let verdicts: Vec<Verdict> = found.iter().map(|one| one.verdict).collect();
        assert_eq!(verdicts, expected, "{suffix}");
        let Evidence::Nothing(reason) = &found[7].evidence else { panic!("{suffix}: nobody checks it") };
        assert!(matches!(reason, Reason::Unsupported(_)), "{suffix}: {reason}");
    }
}

#[test]
fn what_was_asked_can_be_asked_again() {
    for (suffix, text) in COUNTERS {
        let loaded =
            load(suffix, text, &["x <= 2", "reach:  x = 1", "invariant x  <= 2"]).unwrap_or_else(|e| panic!("{e}"));
        let arguments: Vec<String> = loaded.asked.iter().map(|&id| loaded.argument(id)).collect();
        assert_eq!(arguments, ["x <= 2", "reach x = 1", "invariant x <= 2"], "{suffix}");
        let names: Vec<&str> = loaded.asked.iter().map(|&id| loaded.declared().properties[id].name.as_str()).collect();
        assert_eq!(names, ["x <= 2", "reach: x = 1", "invariant x <= 2"], "{suffix}");
    }
}

#[test]
fn an_operator_and_a_word_before_a_formula_are_one_too_many() {
    let (suffix, text) = COUNTERS[3];
    assert!(load(suffix, text, &["EF x = 2", "AG x <= 2"]).is_ok());
    for formula in ["reach EF x = 2", "invariant EF x = 2", "reach: AG x = 2"] {
        let said = load(suffix, text, &[formula]).err().expect("it is refused");
        assert!(said.contains("said twice"), "{said}");
    }
}

#[test]
fn a_property_whose_name_is_the_text_wins() {
    let text = "PLACE reach;\nMARKING reach: 1;\n";
    assert_eq!(answers("lola", text, &["reach = 1"])[0].verdict, Verdict::Holds);
    let text = "node A state reach : bool; init reach := false; edon";
    assert_eq!(answers("alt", text, &["reach", "not reach"])[0].verdict, Verdict::Violated);
    let text = "var x : 0..1 = 0;\ninvariant low: x = 0;";
    assert_eq!(answers("gcl", text, &["low"])[0].verdict, Verdict::Holds);
}

#[test]
fn misspelt_names_find_their_like() {
    let gcl = "var turn : 0..1 = 0;\nprocess P(i : 0..1) { var waiting : bool = false; go: true -> waiting := true; }\n\
               invariant mutex: turn = 0;";
    let alt = "node Valve state open : bool; event go; trans true |- go -> open := true; init open := false; edon\n\
               node Tank sub valve : Valve; edon\nnode Main sub tank : Tank; edon";
    let told = [
        ("gcl", gcl, "mutx", "did you mean the property `mutex`?"),
        ("gcl", gcl, "trun = 0", "did you mean `turn`?"),
        ("gcl", gcl, "P[0].waitng", "did you mean `P[0].waiting`?"),
        ("gcl", gcl, "waitng", "did you mean `P[i].waiting`?"),
        ("alt", alt, "tank.vale.open", "did you mean `tank.valve.open`?"),
        ("alt", alt, "tnk.valve.open", "did you mean `tank.valve.open`?"),
        ("alt", alt, "tank.valve.opn", "did you mean `tank.valve.open`?"),
        ("alt", alt, "valve.open", "did you mean `tank.valve.open`?"),
        ("lola", COUNTERS[3].1, "rst = 0", "perhaps `rest` is meant"),
        ("lir", COUNTERS[5].1, "rest", "formulas are written as in the file itself"),
    ];
    for (suffix, text, formula, help) in told {
        let said = load(suffix, text, &[formula]).err().unwrap_or_else(|| panic!("{formula} is no formula"));
        assert!(said.contains(help), "{formula}: {said}");
    }
    let request = LoadRequest { path: "m.alt".to_owned(), node: Some("Tnak".to_owned()), ..LoadRequest::default() };
    let said = open_text(&request, alt.as_bytes().to_vec()).err().expect("there is no such node").render();
    assert!(said.contains("did you mean `Tank`?"), "{said}");
}
