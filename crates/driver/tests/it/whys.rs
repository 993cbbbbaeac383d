//! Why a property is violated, and when it holds of nothing.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, check, open_text};
use lapidary_engines::cover::PCEGAR;
use lapidary_engines::induction::KINDUCTION;
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_verdict::{PropertyReport, Vacuity, Verdict};

fn answer(suffix: &str, text: &str, property: &str, engine: EngineChoice) -> PropertyReport {
    let (path, properties) = (format!("m.{suffix}"), vec![property.to_owned()]);
    let request = LoadRequest { path, properties, ..LoadRequest::default() };
    let loaded = open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
    let request = CheckRequest { engine, ..CheckRequest::default() };
    check(&loaded, &request, &Control::new()).properties.pop().expect("one answer")
}

fn violated(suffix: &str, text: &str, property: &str, expected: &str) {
    let found = answer(suffix, text, property, EngineChoice::Auto);
    assert_eq!(found.verdict, Verdict::Violated, "{property}");
    assert_eq!(found.explanation.as_deref(), Some(expected), "{property}");
}

const CROSSING: &str = "type Colour = { red, green };
    var n : 0..9 = 0;
    process Light(i : 0..2) {
      var colour : Colour = red;
      go: colour = red & n < 2 -> colour := green, n := n + 1;
    }
";

#[test]
fn the_conjunct_that_is_false_is_named() {
    let both = "!(Light[0].colour = green & Light[1].colour = green)";
    violated(
        "gcl",
        CROSSING,
        both,
        "!(Light[0].colour = green & Light[1].colour = green) is false: Light[0].colour = green, Light[1].colour = green",
    );
    violated("gcl", CROSSING, "n >= 0 & n < 2 & n < 9", "n < 2 is false: n = 2");
    violated(
        "gcl",
        CROSSING,
        "n = 2 => Light[0].colour = red",
        "n = 2 holds, but Light[0].colour = red is false: Light[0].colour = green",
    );
    violated(
        "gcl",
        CROSSING,
        "forall i in 0..2: Light[i].colour = red | n < 1",
        "Light[0].colour = red | n < 1 is false: Light[0].colour = green, n = 1",
    );
    violated("gcl", CROSSING, "!(n = 1 | n = 7)", "n = 1 is true");
}

#[test]
fn a_deadlock_tells_what_keeps_each_command() {
    violated(
        "gcl",
        CROSSING,
        "deadlock_free",
        "no command has a step:
  Light[0].go: Light[0].colour = red is false: Light[0].colour = green
  Light[1].go: Light[1].colour = red is false: Light[1].colour = green
  Light[2].go: n < 2 is false: n = 2
help: change one of these conditions; or, if it may end here, add a command that changes nothing here: \
`stay: n = 2 & Light[0].colour = green & Light[1].colour = green & Light[2].colour = red -> skip;`",
    );
    let many = "var x : 0..9 = 9;\nmove[j in 0..999]: x = j mod 9 -> x := 0;\nother: x < 0 -> skip;";
    violated(
        "gcl",
        many,
        "deadlock_free",
        "no command has a step:
  move[0]: x = 0 is false: x = 9
  move[1]: x = 1 is false: x = 9
  move[2]: x = 2 is false: x = 9
  ... and 997 more like move[0]
  other: x < 0 is false: x = 9
help: change one of these conditions; or, if it may end here, add a command that changes nothing here: \
`stay: x = 9 -> skip;`",
    );
    let net = "PLACE p, q;\nMARKING p: 1;\nTRANSITION t CONSUME p: 2; PRODUCE q: 1;\nTRANSITION u CONSUME p: 1, q: 1; PRODUCE ;";
    violated(
        "lola",
        net,
        "deadlock_free",
        "no transition can fire:
  t: p has 1 token, 2 are needed
  u: q has 0 tokens, 1 is needed
help: change one of these conditions; or, if it may end here, add a transition that puts back what it takes: \
`TRANSITION stay CONSUME p: 1; PRODUCE p: 1;`",
    );
    let alt = "node A state on : bool; n : [0, 3]; event up, off; trans on and n < 1 |- up -> n := n + 1; not on |- off -> ;\n\
               init on := true, n := 0; edon node B sub a : A; edon";
    violated(
        "alt",
        alt,
        "deadlock_free",
        "no event is possible:
  a.up: a.n < 1 is false: a.n = 1
  a.off: !a.on is false
help: change one of these conditions; or, if it may end here, give a node an event that changes nothing here: \
`event stay; trans CONDITION |- stay -> ;`",
    );
}

/// What keeps each of 16,384 events nobody would read, and to find it out takes longer than the answer.
#[test]
fn a_deadlock_of_very_many_events_tells_only_that_it_is_one() {
    let names = |suffix: &str| (0..14).map(|i| format!("a{i}{suffix}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "node A state x : bool; event e; trans not x |- e -> x := true; init x := false; edon
         node Main sub {} : A; state n : bool; init n := false; event tick; sync <tick, {}> >= 0;
         trans not n |- tick -> n := true; edon",
        names(""),
        names(".e?")
    );
    let found = answer("alt", &text, "deadlock_free", EngineChoice::Named(&BDD));
    assert_eq!(
        found.explanation.as_deref(),
        Some(
            "no event is possible; there are too many to say what keeps each of them
help: if it may end here, give a node an event that changes nothing here: `event stay; trans CONDITION |- stay -> ;`"
        )
    );
}

/// What is proposed for a model that may end is a step that the language has.
#[test]
fn the_step_in_place_that_is_proposed_works() {
    let models = [
        ("gcl", CROSSING.replace("n < 2", "n < 3")),
        ("gcl", "var x : 0..3 = 0;\nvar b : bool = true;\nup: x < 3 & b -> x := x + 1;\n".to_owned()),
        ("gcl", "go: false -> skip;\n".to_owned()),
        ("gcl", "var x : 0..1 = 0;\nstay: x = 0 -> x := 1;\n".to_owned()),
        ("lola", "PLACE p, q;\nMARKING p: 1;\nTRANSITION t CONSUME p: 1; PRODUCE q: 1;\n".to_owned()),
        ("lola", "PLACE p, q;\nMARKING p: 1;\nTRANSITION stay CONSUME p: 1; PRODUCE q: 1;\n".to_owned()),
        ("lola", "PLACE p;\nMARKING p: 1;\nTRANSITION t CONSUME p: 1; PRODUCE ;\n".to_owned()),
    ];
    for (suffix, text) in models {
        let found = answer(suffix, &text, "deadlock_free", EngineChoice::Named(&EXPLICIT));
        let explanation = found.explanation.expect("it is violated");
        let step = explanation.split('`').nth(1).unwrap_or("TRANSITION stay CONSUME ; PRODUCE ;");
        let again = answer(suffix, &format!("{text}{step}\n"), "deadlock_free", EngineChoice::Named(&EXPLICIT));
        assert_eq!(again.verdict, Verdict::Holds, "{explanation}\n{text}{step}");
    }
}

#[test]
fn a_goal_that_is_not_reached_gets_a_sentence() {
    let counter = "var x : 0..9 = 0;\nup: x < 4 -> x := x + 2;";
    let told = |engine| answer("gcl", counter, "reach x = 3", engine).explanation.unwrap_or_default();
    assert_eq!(told(EngineChoice::Named(&EXPLICIT)), "no reachable state satisfies it: 3 states were listed");
    for engine in [
        EngineChoice::Named(&BDD),
        EngineChoice::Named(&PCEGAR),
        EngineChoice::Named(&KINDUCTION),
        EngineChoice::Named(&MATCHING),
    ] {
        assert!(told(engine).starts_with("no reachable state satisfies it: "), "{engine:?}: {}", told(engine));
    }
    assert_eq!(answer("gcl", counter, "reach x = 4", EngineChoice::Named(&EXPLICIT)).explanation, None);
    assert_eq!(answer("gcl", counter, "x < 5", EngineChoice::Named(&EXPLICIT)).explanation, None);
}

#[test]
fn what_holds_of_nothing_is_vacuous() {
    let gcl = "var x : 0..3 = 0;\ninit x = 1;\nstep: true -> skip;";
    let alt = "node A flow f : bool; state x : [0, 3]; init x := 0; assert f and not f; edon";
    let begun = "node A flow f : bool; state x : [0, 3]; init x := 0; assert f and x = 1; edon";
    let cases = [
        ("gcl", gcl, Vacuity::NoInitialState),
        ("alt", alt, Vacuity::NoConfiguration),
        ("alt", begun, Vacuity::NoInitialState),
    ];
    for (suffix, text, vacuity) in cases {
        for engine in [
            EngineChoice::Auto,
            EngineChoice::Named(&EXPLICIT),
            EngineChoice::Named(&BDD),
            EngineChoice::Named(&PCEGAR),
        ] {
            let found = answer(suffix, text, "x = 2", engine);
            assert_eq!((found.verdict, found.vacuous), (Verdict::Holds, Some(vacuity)), "{suffix} {engine:?}");
            assert!(found.warnings.contains(&vacuity.to_string()), "{:?}", found.warnings);
            // A goal that nothing reaches is not reached: no success, so no false one.
            let found = answer(suffix, text, "reach x = 2", engine);
            assert_eq!((found.verdict, found.vacuous), (Verdict::Violated, None), "{suffix} {engine:?}");
            assert!(found.warnings.contains(&vacuity.to_string()), "{:?}", found.warnings);
        }
    }
    let fine = answer("gcl", "var x : 0..3 = 0;\nstep: true -> skip;", "x < 2", EngineChoice::Named(&EXPLICIT));
    assert_eq!((fine.verdict, fine.vacuous), (Verdict::Holds, None));
}
