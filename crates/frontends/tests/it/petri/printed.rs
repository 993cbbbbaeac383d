//! What is written is read again and means the same.

use lapidary_frontends::petri::{Language, Loaded, print};
use lapidary_ir::{Net, Range, Transition};
use lapidary_reference::dice::Dice;
use lapidary_reference::nets::successors;

use super::{Input, corpus, good, good_text, initial, lines, properties};

lapidary_reference::with_corpus!(
    every_specification_is_the_same_when_written_again,
    plain_specifications_of_the_corpus_are_the_same_in_pnml_and_lola,
);

/// Take and put of a plain transition by names, with read guards as both.
fn arcs(net: &Net, transition: &Transition) -> String {
    let mut take: Vec<u64> = vec![0; net.places.len()];
    let mut put: Vec<i64> = vec![0; net.places.len()];
    for &(place, tokens) in &transition.take {
        take[place.0 as usize] = tokens;
    }
    for &(place, tokens) in &transition.put {
        put[place.0 as usize] = tokens;
    }
    for guard in &transition.guards {
        let more = guard.range.lo.saturating_sub(take[guard.place.0 as usize]);
        take[guard.place.0 as usize] += more;
        put[guard.place.0 as usize] += more as i64;
    }
    let names = net.places.iter().map(|place| &place.name);
    let both = names.zip(take.iter().zip(&put)).filter(|(_, (take, put))| **take > 0 || **put > 0);
    both.map(|(name, (take, put))| format!("{name}:{take}/{put}")).collect::<Vec<String>>().join(" ")
}

/// The plain net that was written is the first part of the one that was read.
fn check_plain(before: &Loaded, after: &Net, what: &str) {
    let n_ranges = before.net.initial.iter().filter(|range| range.hi != Some(range.lo)).count();
    let n_bounded = before.net.initial.iter().filter(|range| range.hi.is_some_and(|hi| hi > range.lo)).count();
    assert_eq!(after.places.len(), before.net.places.len() + n_bounded, "{what}");
    assert_eq!(after.transitions.len(), before.net.transitions.len() + n_ranges, "{what}");
    for (id, place) in before.net.places.enumerated() {
        assert_eq!(place.name, after.places[id].name, "{what}");
        assert_eq!(after.initial[id], Range::exactly(before.net.initial[id].lo), "{what}");
    }
    for (id, transition) in before.net.transitions.enumerated() {
        assert_eq!(arcs(&before.net, transition), arcs(after, &after.transitions[id]), "{what}");
    }
}

fn check_round_trips(loaded: &Loaded, what: &str) {
    let mcc = print::mcc(&loaded.net, &loaded.model, &loaded.combinations).expect("targets are conditions");
    let formulas = print::formulas(&loaded.net, &loaded.model, &loaded.combinations).expect("targets are conditions");
    let pnml = print::pnml(&loaded.net).expect("the net is plain");
    let read = good(Language::Pnml, &Input { text: &pnml, properties: vec![("p.xml", &mcc)], ..Input::default() });
    check_plain(loaded, &read.net, what);
    // `=` is written as two comparisons.
    if !formulas[0].1.contains(" = ") {
        assert_eq!(properties(&read), properties(loaded), "{what}");
    }
    let lola = print::lola(&loaded.net).expect("the net is plain");
    let files = vec![("target.formula", formulas[0].1.as_str())];
    let read = good(Language::Lola, &Input { text: &lola, properties: files, ..Input::default() });
    check_plain(loaded, &read.net, what);
    assert_eq!(properties(&read), properties(loaded), "{what}");
}

#[test]
fn plain_specifications_are_the_same_in_pnml_and_lola() {
    let text = "vars a b more_a rules a >= 2 -> a' = a - 1, b' = b + 3; a >= 2, b >= 1 -> ; true -> a' = a + 1;\
                init a in [1, 4], b >= 2, more_a = 7 target b >= 9, a >= 1 a >= 2";
    check_round_trips(&good_text(Language::Mist, text), "own");
}

fn plain_specifications_of_the_corpus_are_the_same_in_pnml_and_lola() {
    for path in corpus::files("mist", "spec") {
        let loaded = corpus::specification(&path);
        if loaded.net.is_plain() {
            check_round_trips(&loaded, &path.to_string_lossy());
        }
    }
}

fn every_specification_is_the_same_when_written_again() {
    for path in corpus::files("mist", "spec") {
        let loaded = corpus::specification(&path);
        let written = print::spec(&loaded.net, &loaded.model).expect("it was one");
        let again = good_text(Language::Mist, &written);
        assert_eq!(lines(&loaded.net), lines(&again.net), "{path:?}\n{written}");
        assert_eq!(initial(&loaded.net), initial(&again.net), "{path:?}");
        assert_eq!(print::spec(&again.net, &again.model), Ok(written), "{path:?}");
    }
}

#[test]
fn thread_systems_without_choices_are_specifications() {
    let text = "2 3\n0 0 -> 1 1\n1 0 -> 0 2 1 ~> 0\n0 2 +> 0 1\n0 1 ~> 0 0\n0|1,1";
    let loaded = good_text(Language::Tts, text);
    let written = print::spec(&loaded.net, &loaded.model).expect("nothing chooses");
    let again = good_text(Language::Mist, &written);
    let without_name = |net: &Net| -> Vec<String> {
        lines(net).iter().map(|line| line.split_once(':').expect("a name").1.to_owned()).collect()
    };
    assert_eq!(without_name(&loaded.net), without_name(&again.net), "{written}");
    assert_eq!(properties(&loaded), properties(&again));
}

#[test]
fn what_a_language_lacks_is_named() {
    let broadcast =
        good_text(Language::Mist, "vars a b rules true -> b' = b + a, a' = 0; init a = 1, b = 0 target b >= 1");
    let bounded = good_text(Language::Mist, "vars a b rules a = 0 -> b' = b + 1; init a = 1, b = 0 target b >= 1");
    for loaded in [&broadcast, &bounded] {
        assert_eq!(print::pnml(&loaded.net).expect_err("not plain").what, "transition `r1`");
        assert_eq!(print::lola(&loaded.net).expect_err("not plain").what, "transition `r1`");
    }
    let choice = good_text(Language::Tts, "1 3\n0 0 -> 0 1 0 ~> 1 0 ~> 2\n0|1,2");
    assert_eq!(print::spec(&choice.net, &choice.model).expect_err("a choice").why, "its tokens choose where they go");
}

#[test]
fn products_and_combinations_are_read_again() {
    let formula = "(EF 2 * p + q >= 3) AND ((AG p <= 4) OR EF q = 0) AND AG p < q";
    let input = Input { text: "PLACE p, q;", properties: vec![("f.formula", formula)], ..Input::default() };
    let loaded = good(Language::Lola, &input);
    let mcc = print::mcc(&loaded.net, &loaded.model, &loaded.combinations).expect("it can be written");
    let again =
        good(Language::Lola, &Input { text: "PLACE p, q;", properties: vec![("f.xml", &mcc)], ..Input::default() });
    assert_eq!(again.combinations.len(), 1);
    let parts = |loaded: &Loaded| super::properties(loaded)[0].matches("EF").count();
    assert_eq!((parts(&loaded), again.model.properties.len()), (2, loaded.model.properties.len()));
    let again = print::mcc(&again.net, &again.model, &again.combinations).expect("it can be written");
    let formulas =
        |text: &str| text.lines().filter(|line| line.contains("<formula>")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(formulas(&again), formulas(&mcc));
}

/// What a rule says, and the same rule as text.
struct Rule {
    guards: Vec<(usize, u64, Option<u64>)>,
    rows: Vec<(usize, Vec<usize>, i64)>,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl Rule {
    fn random(dice: &mut Dice) -> Self {
        let mut rule = Self { guards: Vec::new(), rows: Vec::new() };
        for place in 0..NAMES.len() {
            if dice.one_in(2) {
                let lo = dice.below(3);
                rule.guards.push((place, lo, dice.one_in(3).then(|| lo + dice.below(2))));
            }
            if dice.below(3) > 0 {
                let sources = (0..dice.below(4)).map(|_| dice.below(NAMES.len())).collect::<Vec<usize>>();
                let least = if sources.is_empty() { 0 } else { -2 };
                rule.rows.push((place, sources, least + dice.below(5)));
            }
        }
        rule
    }

    fn text(&self) -> String {
        let guard = |&(place, lo, hi): &(usize, u64, Option<u64>)| match hi {
            None => format!("{} >= {lo}", NAMES[place]),
            Some(hi) if hi == lo => format!("{} = {lo}", NAMES[place]),
            Some(hi) => format!("{} in [{lo}, {hi}]", NAMES[place]),
        };
        let guards: Vec<String> = self.guards.iter().map(guard).collect();
        let guards = if guards.is_empty() { "true".to_owned() } else { guards.join(", ") };
        let row = |(place, sources, constant): &(usize, Vec<usize>, i64)| {
            let sum: Vec<&str> = sources.iter().map(|&source| NAMES[source]).collect();
            let sign = if *constant < 0 { "-" } else { "+" };
            match sum.is_empty() {
                true => format!("{}' = {constant}", NAMES[*place]),
                false => format!("{}' = {} {sign} {}", NAMES[*place], sum.join(" + "), constant.abs()),
            }
        };
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        format!("{guards} -> {};", rows.join(", "))
    }

    fn fire(&self, marking: &[u64]) -> Option<Vec<u64>> {
        let holds = |&(place, lo, hi): &(usize, u64, Option<u64>)| Range { lo, hi }.contains(marking[place]);
        let mut after = marking.to_vec();
        for (place, sources, constant) in &self.rows {
            after[*place] = sources.iter().map(|&source| marking[source]).sum::<u64>().checked_add_signed(*constant)?;
        }
        self.guards.iter().all(holds).then_some(after)
    }
}

/// The marking after a transition without choices, if it may fire.
fn fire(transition: &Transition, marking: &[u64]) -> Option<Vec<u64>> {
    let after = successors(transition, marking);
    assert!(after.len() <= 1, "specifications have no choices");
    after.into_iter().next()
}

#[test]
fn transitions_do_what_the_rows_of_their_rules_say_and_so_do_written_ones() {
    let mut dice = Dice::new(7);
    for _ in 0..300 {
        let rule = Rule::random(&mut dice);
        let init = "a >= 0, b >= 0, c >= 0, d >= 0";
        let text = format!("vars a b c d rules {} init {init} target a >= 1", rule.text());
        let loaded =
            super::load("m", Language::Mist, &Input { text: &text, ..Input::default() }).0.expect("only warnings");
        let transition = &loaded.net.transitions.as_slice()[0];
        let again = print::spec(&loaded.net, &loaded.model).ok().map(|text| good_text(Language::Mist, &text));
        for _ in 0..40 {
            let marking: Vec<u64> = (0..4).map(|_| dice.below(4)).collect();
            let expected = rule.fire(&marking);
            assert_eq!(fire(transition, &marking), expected, "{text} at {marking:?}");
            if let Some(again) = &again {
                assert_eq!(fire(&again.net.transitions.as_slice()[0], &marking), expected, "{text} at {marking:?}");
            }
        }
    }
}
