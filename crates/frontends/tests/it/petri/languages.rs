//! What small texts of each language become.

use lapidary_frontends::petri::{Language, codes};

use super::{Input, good, good_text, initial, lines, load, properties};

#[test]
fn updates_become_what_is_taken_what_flows_and_what_is_put() {
    let rules = [
        ("a >= 1 -> a' = a - 1, b' = b + 2;", "r1: -a +2b"),
        ("a >= 3 -> a' = a - 1;", "r1: [a>=3] -a"),
        ("true -> a' = a - 2;", "r1: -2a"),
        ("true -> ;", "r1:"),
        ("a >= 0 -> a' = a, b' = b + 0;", "r1:"),
        ("a = 0 -> b' = b + 1;", "r1: [a=0] +b"),
        ("a in [1, 3], true -> a' = a - 1;", "r1: [a=1..3] -a"),
        ("a >= 1 -> b' = b + a, a' = 0;", "r1: [a>=1] {a->b}"),
        ("a >= 1 -> b' = b + a - 1, a' = 0, c' = c + 1;", "r1: -a {a->b} +c"),
        ("b >= 1 -> b' = b + a - 1, a' = 0;", "r1: -b {a->b}"),
        ("a >= 1, b >= 1 -> b' = b + a - 2, a' = 0;", "r1: -a -b {a->b}"),
        ("true -> b' = b + a - 1, a' = 0;", "r1: {a->b} --b"),
        ("true -> a' = 0;", "r1: {a->}"),
        ("a >= 2 -> a' = 1, b' = b + a + c - 1, c' = 0;", "r1: [a>=2] -a {a->b} {c->b} +a"),
        ("true -> b' = b + a;", "r1: {a->a+b}"),
        ("true -> a' = b, b' = a;", "r1: {a->b} {b->a}"),
        ("true -> a' = a + a;", "r1: {a->2a}"),
        ("a >= 1 -> a' = a + a - 1;", "r1: [a>=1] {a->2a} --a"),
        ("b >= 1 -> b' = b - 1, a' = c + 1, c' = 0;", "r1: -b {a->} {c->a} +a"),
    ];
    for (rule, expected) in rules {
        let text = format!("vars a b c rules {rule} init a >= 0, b >= 0, c >= 0 target a >= 1");
        let loaded = good_text(Language::Mist, &text);
        assert_eq!(lines(&loaded.net), [expected], "{rule}");
    }
}

#[test]
fn a_specification_has_ranges_at_first_and_one_property() {
    let text = "# a comment\nvars x y_1 # names\n z rules\n init z in [2, 4], x >= 1, y_1 = 0\n\
                target x >= 2, y_1 = 3 # first\n z >= 1 invariants x = 1, z = 2 y_1 = 1";
    let loaded = good_text(Language::Mist, text);
    assert_eq!(initial(&loaded.net), "x>=1 y_1=0 z=2..4");
    assert_eq!(properties(&loaded), ["target: AG (NOT ((x >= 2 AND y_1 = 3) OR z >= 1))"]);
    let property = loaded.model.properties.iter().next().expect("there is one");
    assert_eq!(property.text, "never x >= 2, y_1 = 3 z >= 1");
}

#[test]
fn threads_move_wait_appear_and_are_moved() {
    let steps = [
        ("0 0 -> 1 2", "0 0 -> 1 2: -l0 -s0 +l2 +s1"),
        ("0 0 -> 0 2", "0 0 -> 0 2: [s0>=1] -l0 +l2"),
        ("0 1 -> 1 1", "0 1 -> 1 1: [l1>=1] -s0 +s1"),
        ("0 1 -> 0 2 0 ~> 2", "0 1 -> 0 2 0 ~> 2: [s0>=1] -l1 {l0->l2} +l2"),
        ("0 0 -> 0 1 0 ~> 2", "0 0 -> 0 1 0 ~> 2: [s0>=1] -l0 {l0->l2} +l1"),
        ("0 0 -> 0 0 0 ~> 2", "0 0 -> 0 0 0 ~> 2: [s0>=1] -l0 {l0->l2} +l0"),
        ("0 0 -> 0 1 2 ~> 2", "0 0 -> 0 1 2 ~> 2: [s0>=1] -l0 +l1"),
        ("0 0 -> 0 1 2 ~> 2 2 ~> 0 1 ~> 0", "0 0 -> 0 1 2 ~> 2 2 ~> 0 1 ~> 0: [s0>=1] -l0 {l1->l0} {l2->l0|l2} +l1"),
        ("0 0 ~> 1 2", "0 0 ~> 1 2: -s0 {l0->l2} +s1"),
        ("0 0 ~> 1 0", "0 0 ~> 1 0: -s0 +s1"),
        ("0 0 +> 0 2", "0 0 +> 0 2: [l0>=1] [s0>=1] +l2"),
        ("0 0 +> 0 0", "0 0 +> 0 0: [l0>=1] [s0>=1] +l0"),
    ];
    for (step, expected) in steps {
        let loaded = good_text(Language::Tts, &format!("# states\n\n2 3\n{step} # why\n"));
        // Places are in the order of the states, so that shared ones come first.
        let mut words: Vec<String> = expected.split(": ").map(str::to_owned).collect();
        let mut found: Vec<String> = lines(&loaded.net)[0].split(": ").map(str::to_owned).collect();
        for words in [&mut words, &mut found] {
            let mut parts: Vec<&str> = words[1].split(' ').collect();
            parts.sort_unstable();
            words[1] = parts.join(" ");
        }
        assert_eq!(found, words, "{step}");
    }
    for idle in ["0 0 -> 0 0", "0 0 ~> 0 0", "0 1 -> 0 1 2 ~> 2"] {
        assert!(good_text(Language::Tts, &format!("2 3\n{idle}\n")).net.transitions.is_empty(), "{idle}");
    }
}

#[test]
fn steps_that_are_listed_twice_have_names_of_their_own() {
    let net = good_text(Language::Tts, "1 3\n0 0 -> 0 1\n0 0 -> 0 1").net;
    let names: Vec<&str> = net.transitions.iter().map(|transition| transition.name.as_str()).collect();
    assert_eq!(names, ["0 0 -> 0 1", "0 0 -> 0 1 (step 2)"]);
}

#[test]
fn only_states_that_occur_have_places() {
    let input = Input {
        text: "52429 524289\n0 0 -> 52428 524288\n",
        properties: vec![("m.prop", "52428|524288,524288,7\n")],
        ..Input::default()
    };
    let loaded = good(Language::Tts, &input);
    assert_eq!(initial(&loaded.net), "s0=1 s52428=0 l0>=0 l7=0 l524288=0");
    assert_eq!(properties(&loaded), ["target: AG (NOT (s52428 >= 1 AND l7 >= 1 AND l524288 >= 2))"]);
}

#[test]
fn a_target_may_stand_in_the_system_and_formulas_beside_it() {
    let input = Input {
        text: "1 2\n0 0 -> 0 1\n0|1,1",
        properties: vec![("m.prop", "0|0"), ("no_two.formula", "AG l1 <= 1")],
        formulas: vec!["EF FIREABLE(\"0 0 -> 0 1\")"],
        ..Input::default()
    };
    let expected = [
        "target: AG (NOT (s0 >= 1 AND l1 >= 2))",
        "target_2: AG (NOT (s0 >= 1 AND l0 >= 1))",
        "no_two: AG (l1 <= 1)",
        "EF FIREABLE(\"0 0 -> 0 1\"): EF (s0 >= 1 AND l0 >= 1)",
    ];
    assert_eq!(properties(&good(Language::Tts, &input)), expected);
}

#[test]
fn initial_states_are_bounded_unbounded_or_mixed() {
    let forms = [
        (None, "s0=1 l0>=0"),
        (Some("0|0"), "s0=1 l0=1"),
        (Some("0/0"), "s0=1 l0>=0"),
        (Some("1|0,1/2"), "s0=0 s1=1 l0=1 l1=1 l2>=0"),
        (Some("0|0,0/0,3"), "s0=1 l0>=2 l3>=0"),
        (Some("0|"), "s0=1 l0=0"),
        (Some("0BU0,4"), "s0=1 l0>=0 l4=1"),
    ];
    for (initial, expected) in forms {
        let loaded = good(Language::Tts, &Input { text: "2 5\n0 0 ~> 0 0", initial, ..Input::default() });
        assert_eq!(super::initial(&loaded.net), expected, "{initial:?}");
    }
}

const PNML: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
    <name><text>small</text></name>
    <page id="g1">
      <place id="p"><name><text>waiting</text></name><initialMarking><text> 3 </text></initialMarking></place>
      <transition id="t"><toolspecific tool="x" version="1"><place id="p"/></toolspecific></transition>
      <page id="g2">
        <place id="q"/>
        <referencePlace id="rp" ref="p"/>
        <referencePlace id="rrp" ref="rp"/>
        <referenceTransition id="rt" ref="t"/>
        <arc id="a1" source="rrp" target="rt"><inscription><text>2</text></inscription></arc>
        <arc id="a2" source="t" target="q"/>
        <arc id="a3" source="q" target="u"><type value="inhibitor"/><inscription><text>2</text></inscription></arc>
        <arc id="a4" source="p" target="u" type="test"/>
        <arc id="a5" source="p" target="u" type="reset"/>
        <arc id="a6" source="u" target="q"/>
        <arc id="a7" source="u" target="q"/>
      </page>
      <transition id="u"/>
    </page>
  </net>
</pnml>
"#;

#[test]
fn pages_are_flattened_references_followed_and_kinds_of_arcs_told_apart() {
    let loaded = good_text(Language::Pnml, PNML);
    assert_eq!(initial(&loaded.net), "p=3 q=0");
    assert_eq!(lines(&loaded.net), ["t: -2p +q", "u: [p>=1] [q=0..1] {p->} +2q"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_text() {
    assert_eq!(lines(&good_text(Language::Pnml, &format!("\u{feff}{PNML}")).net).len(), 2);
    assert_eq!(lines(&good_text(Language::Tts, "\u{feff}1 2\r\n0 0 -> 0 1\r\n").net).len(), 1);
}

#[test]
fn a_transition_that_is_read_and_inhibited_at_once_never_fires() {
    let arcs = r#"<arc source="p" target="t" type="read"/><arc source="p" target="t" type="inhibitor"/>"#;
    let text = format!(r#"<pnml><net id="n"><place id="p"/><transition id="t"/>{arcs}</net></pnml>"#);
    assert_eq!(lines(&good_text(Language::Pnml, &text).net), ["t: [p=0] -p +p"]);
}

#[test]
fn properties_of_the_contest_are_read_and_others_left_out() {
    let xml = r#"<property-set xmlns="http://mcc.lip6.fr/">
      <property><id>one</id><description>.</description><formula><exists-path><finally><conjunction>
        <integer-le><integer-constant>2</integer-constant><tokens-count><place>p</place><place>q</place></tokens-count></integer-le>
        <negation><is-fireable><transition>t</transition><transition>u</transition></is-fireable></negation>
      </conjunction></finally></exists-path></formula></property>
      <property><id>two</id><formula><all-paths><globally><disjunction><integer-le><tokens-count><place>p</place></tokens-count>
        <integer-sum><tokens-count><place>q</place></tokens-count><integer-constant>3</integer-constant></integer-sum></integer-le>
        <true/></disjunction></globally></all-paths></formula></property>
      <property><id>live</id><formula><all-paths><globally><negation><deadlock/></negation></globally></all-paths></formula></property>
      <property><id>nested</id><formula><all-paths><globally><exists-path><finally><true/></finally></exists-path></globally></all-paths></formula></property>
      <property><id>ltl</id><formula><all-paths><finally><true/></finally></all-paths></formula></property>
    </property-set>"#;
    let input = Input { text: PNML, properties: vec![("props.xml", xml)], ..Input::default() };
    let (loaded, diagnostics, _) = super::load("m.pnml", Language::Pnml, &input);
    let messages: Vec<&str> = diagnostics.list.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages, ["the property `nested` is left out", "the property `ltl` is left out"]);
    let loaded = loaded.expect("warnings only");
    let expected = [
        "one: EF (p + q >= 2 AND NOT (p >= 2 OR (p >= 1 AND q <= 1)))",
        "two: AG (p <= q + 3 OR TRUE)",
        "live: AG (NOT (DEADLOCK))",
    ];
    assert_eq!(properties(&loaded), expected);
    let texts: Vec<&str> = loaded.model.properties.iter().map(|property| property.text.as_str()).collect();
    assert_eq!(texts[0], "EF (2 <= p + q AND NOT (FIREABLE(t) OR FIREABLE(u)))");
}

/// What the initial marking says is answered while the file is read, and shown with the rest.
#[test]
fn a_condition_on_the_initial_marking_stays_in_the_text() {
    let count = |place: &str, number: u64| {
        format!(
            "<integer-eq><tokens-count><place>{place}</place></tokens-count><integer-constant>{number}</integer-constant></integer-eq>"
        )
    };
    let reach = |condition: String| format!("<exists-path><finally>{condition}</finally></exists-path>");
    let property = |joint: &str, number| {
        let formula = format!("<{joint}>{}{}</{joint}>", count("p", number), reach(count("q", 1)));
        let xml = format!("<property-set><property><id>x</id><formula>{formula}</formula></property></property-set>");
        let input = Input { text: PNML, properties: vec![("props.xml", &xml)], ..Input::default() };
        let loaded = super::load("m.pnml", Language::Pnml, &input).0.expect("a net");
        let [property] = loaded.model.properties.iter().collect::<Vec<_>>()[..] else { panic!("one property") };
        (properties(&loaded).remove(0), property.text.clone())
    };
    let asked = |joint: &str, number| property(joint, number).0.replace("x: ", "");
    assert_eq!(property("conjunction", 3).1, "(p = 3 AND EF q = 1)");
    assert_eq!(property("disjunction", 2).1, "(p = 2 OR EF q = 1)");
    assert_eq!(asked("conjunction", 3), "EF (q = 1)");
    assert_eq!(asked("disjunction", 2), "EF (q = 1)");
    // Here it decides alone.
    assert_eq!(property("disjunction", 3).1, "(p = 3 OR EF q = 1)");
    assert!(asked("disjunction", 3).contains("p = 3"), "{}", asked("disjunction", 3));
}

#[test]
fn lola_nets_have_safe_groups_fairness_comments_and_odd_names() {
    let text = "{ a net }\nPLACE SAFE 2: p.1, q-[2]; SAFE: r/\"x\"; s; // places\nMARKING p.1: 3, s, s: 2;\n\
                TRANSITION t STRONG FAIR CONSUME p.1: 2, p.1; PRODUCE q-[2], r/\"x\": 0;\n\
                TRANSITION u CONSUME ; PRODUCE s: 4;";
    let loaded = good_text(Language::Lola, text);
    assert_eq!(initial(&loaded.net), "p.1=3 q-[2]=0 r/\"x\"=0 s=3");
    assert_eq!(lines(&loaded.net), ["t: -3p.1 +q-[2]", "u: +4s"]);
}

#[test]
fn numbers_are_names_in_lola_nets() {
    let text = "PLACE 1; SAFE 2: 2; MARKING 1: 3; TRANSITION 7 CONSUME 1: 2; PRODUCE 2, 2; FORMULA EF FIREABLE(7)";
    let loaded = good_text(Language::Lola, text);
    assert_eq!(initial(&loaded.net), "1=3 2=0");
    assert_eq!(lines(&loaded.net), ["7: -21 +22"]);
    assert_eq!(properties(&loaded), ["formula: EF (\"1\" >= 2)"]);
    good_text(Language::Lola, "PLACE 1; MARKING; TRANSITION 2 CONSUME; PRODUCE;");
}

#[test]
fn what_is_asked_may_follow_a_lola_net() {
    let net = "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;";
    let tasks = [
        ("FORMULA EF q > 1", "formula: EF (q > 1)"),
        ("FORMULA ALLPATH ALWAYS (q <= 2) { really }", "formula: AG (q <= 2)"),
        ("ANALYSE TRANSITION t", "analyse: EF (p >= 1)"),
        ("ANALYSE TRANSITION t;", "analyse: EF (p >= 1)"),
        ("ANALYSE MARKING q: 1, q", "analyse: EF (p = 0 AND q = 2)"),
        ("ANALYSE MARKING", "analyse: EF (p = 0 AND q = 0)"),
    ];
    for (task, expected) in tasks {
        assert_eq!(properties(&good_text(Language::Lola, &format!("{net}\n{task}"))), [expected], "{task}");
        // In a file of its own it is named after the file.
        let input = Input { text: net, properties: vec![("a/b.task", task)], ..Input::default() };
        let expected = expected.replace("formula:", "b:").replace("analyse:", "b:");
        assert_eq!(properties(&good(Language::Lola, &input)), [expected], "{task}");
    }
    let several =
        format!("{net} ANALYSE TRANSITION t FORMULA EF q > 1; AG q > 1 FORMULA AG p > 1 ANALYSE MARKING p: 2");
    let names = ["analyse: EF (p >= 1)", "formula: EF (q > 1)", "formula_2: AG (q > 1)", "formula_3: AG (p > 1)"];
    let found = properties(&good_text(Language::Lola, &several));
    assert_eq!((&found[..4], found[4].as_str()), (&names.map(str::to_owned)[..], "analyse_2: EF (p = 2 AND q = 0)"));
}

#[test]
fn analyses_of_places_are_left_out_and_said_to_be() {
    let text = "PLACE p; MARKING; ANALYSE PLACE p ANALYSE MARKING p: 1";
    let (loaded, diagnostics, _) = load("m.lola", Language::Lola, &Input { text, ..Input::default() });
    assert_eq!(properties(&loaded.expect("a warning")), ["analyse: EF (p = 1)"]);
    assert_eq!(diagnostics.list.iter().map(|one| one.code).collect::<Vec<_>>(), [codes::LOLA_LEFT_OUT]);
}

#[test]
fn nets_of_tina_are_recognised() {
    for text in ["net n\ntr t p -> q", "# made by a tool\n\n  tr t [0,1] p -> q\n", "pl p (1)"] {
        let (_, diagnostics, _) = load("m.net", Language::Lola, &Input { text, ..Input::default() });
        assert_eq!(diagnostics.list.iter().map(|one| one.code).collect::<Vec<_>>(), [codes::LOLA_TINA], "{text}");
    }
}

#[test]
fn a_target_beyond_the_header_is_never_reached() {
    for (text, target) in [("2 3\n0 0 -> 1 1\n2|1", ""), ("2 3\n0 0 -> 1 1\n0|1,3", ""), ("2 3\n0 0 -> 1 1\n", "7|0\n")]
    {
        let properties = if target.is_empty() { Vec::new() } else { vec![("m.prop", target)] };
        let (loaded, diagnostics, _) = load("m.tts", Language::Tts, &Input { text, properties, ..Input::default() });
        assert_eq!(super::properties(&loaded.expect("a warning")), ["target: AG (TRUE)"], "{text}");
        assert_eq!(diagnostics.list.iter().map(|one| one.code).collect::<Vec<_>>(), [codes::TTS_BEYOND]);
    }
}

/// A property of the contest over the net below.
fn contest(formula: &str) -> Vec<String> {
    let net = "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;";
    let text = format!("<property-set><property><id>x</id><formula>{formula}</formula></property></property-set>");
    properties(&good(Language::Lola, &Input { text: net, properties: vec![("x.xml", &text)], ..Input::default() }))
}

#[test]
fn numbers_of_the_contest_are_added_subtracted_and_multiplied() {
    let (p, q) = ("<tokens-count><place>p</place></tokens-count>", "<tokens-count><place>q</place></tokens-count>");
    let constant = |number: i64| format!("<integer-constant>{number}</integer-constant>");
    let (two, three) = (constant(2), constant(3));
    let numbers = [
        (format!("<integer-product>{two}{p}</integer-product>"), "2 * p <= 3"),
        (format!("<integer-product>{p}{two}{}</integer-product>", constant(-1)), "2 * p + 3 >= 0"),
        (format!("<integer-difference>{p}{q}{q}</integer-difference>"), "p <= 2 * q + 3"),
        (
            format!("<integer-difference>{p}<integer-difference>{p}{q}</integer-difference></integer-difference>"),
            "q <= 3",
        ),
        (
            format!(
                "<integer-sum>{q}<integer-product>{two}<integer-difference>{p}{two}</integer-difference></integer-product></integer-sum>"
            ),
            "2 * p + q <= 7",
        ),
    ];
    for (number, expected) in numbers {
        let formula = format!("<exists-path><finally><integer-le>{number}{three}</integer-le></finally></exists-path>");
        assert_eq!(contest(&formula), [format!("x: EF ({expected})")], "{number}");
    }
}

#[test]
fn conditions_of_the_contest_without_a_path_speak_of_the_initial_marking() {
    let count = |place: &str, n: u64| {
        format!(
            "<integer-eq><tokens-count><place>{place}</place></tokens-count><integer-constant>{n}</integer-constant></integer-eq>"
        )
    };
    let reach = format!("<exists-path><finally>{}</finally></exists-path>", count("q", 2));
    let (yes, no) = (count("p", 2), count("p", 1));
    let join = |joint: &str, parts: &[&str]| format!("<{joint}>{}</{joint}>", parts.concat());
    // What is so in the initial marking is shown by a run without steps.
    assert_eq!(contest(&yes), ["x: EF (p = 2 AND q = 0 AND p = 2)"]);
    assert_eq!(contest(&no), ["x: AG (NOT (p = 2 AND q = 0) OR p = 1)"]);
    assert_eq!(
        contest(&join("negation", &[&join("disjunction", &[&no, &no])])),
        ["x: EF (p = 2 AND q = 0 AND NOT (p = 1 OR p = 1))"]
    );
    assert_eq!(contest(&join("conjunction", &[&yes, &reach])), ["x: EF (q = 2)"]);
    assert_eq!(contest(&join("disjunction", &[&no, &reach])), ["x: EF (q = 2)"]);
    assert_eq!(contest(&join("disjunction", &[&reach, &yes])), ["x: EF (p = 2 AND q = 0 AND p = 2)"]);
    assert_eq!(contest(&join("conjunction", &[&reach, &no])), ["x: AG (NOT (p = 2 AND q = 0) OR p = 1)"]);
}
