//! Random models about bit-vectors and arrays: whatever an engine answers, the checker accepts its evidence, and trying
//! everything says the same.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice};
use lapidary_engines::cover::{CEGAR, PCEGAR};
#[cfg(feature = "z3")]
use lapidary_engines::induction::{BMC, KINDUCTION};
#[cfg(feature = "z3")]
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_ir::print;
use lapidary_reference::bodies::words::{Arrays, words};
use lapidary_reference::seeds;
use lapidary_verdict::{Evidence, Reason, Verdict};

use crate::bodies::{decided_on, load};

/// Every other model has arrays, which are cells once it is read.
fn text(seed: u64) -> String {
    print::model(&words(seed, if seed.is_multiple_of(2) { Arrays::None } else { Arrays::Some }))
}

#[test]
fn listed_states_and_diagrams_answer_as_trying_everything_does() {
    let found = decided_on(0..400, text, &[EngineChoice::Named(&EXPLICIT), EngineChoice::Named(&BDD)]);
    assert!(found.iter().all(|&n| n > seeds::least(600)), "{found:?}");
}

#[test]
fn refinement_answers_as_trying_everything_does() {
    let found = decided_on(1_000..1_120, text, &[EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)]);
    assert!(found.iter().all(|&n| n > seeds::least(60)), "{found:?}");
}

#[cfg(feature = "z3")]
#[test]
fn solvers_answer_as_trying_everything_does() {
    let engines = [EngineChoice::Named(&BMC), EngineChoice::Named(&KINDUCTION), EngineChoice::Named(&MATCHING)];
    let found = decided_on(2_000..if seeds::are_all() { 2_160 } else { 2_048 }, text, &engines);
    assert!(found.iter().all(|&n| n > seeds::least(10)), "{found:?}");
}

/// What each of the two engines that list states says of a model with the property `p`.
fn refusals(declarations: &str, body: &str) -> [String; 2] {
    let text = format!("model m; {declarations} var q : bool;\ncommand go: {body};\nproperty p: invariant q;");
    [EngineChoice::Named(&EXPLICIT), EngineChoice::Named(&BDD)].map(|engine| {
        let loaded = load(&text);
        let report =
            lapidary_driver::check(&loaded, &CheckRequest { engine, ..CheckRequest::default() }, &Control::new());
        assert_eq!(report.internal_errors, Vec::<String>::new());
        match (&report.properties[0].verdict, &report.properties[0].evidence) {
            (Verdict::Unknown, Evidence::Nothing(Reason::Refused(why))) => why.clone(),
            (verdict, evidence) => panic!("{verdict:?} {evidence:?}"),
        }
    })
}

#[test]
fn what_does_not_fit_is_refused_by_name_and_place() {
    let both = |why: &str| [why.to_owned(), why.to_owned()];
    let taken = "engines bmc, kinduction and matching take it";
    assert_eq!(
        refusals("var a : @array(int -> bool);", "skip"),
        both(&format!("the array a has indexes without bound; {taken} (bodies.lir:1:10)"))
    );
    assert_eq!(
        refusals("var a : @array(@bits[7] -> bool);", "skip"),
        both(&format!("the array a has too many cells; {taken} (bodies.lir:1:10)"))
    );
    assert_eq!(
        refusals("var w : @bits[65];", "skip"),
        both(&format!("variable w has 65 bits; {taken} (bodies.lir:1:10)"))
    );
    assert_eq!(
        refusals("var w : @bits[3];", "w := @extract[2,0](@sign_extend[80](w))"),
        both(&format!("command go has a bit-vector of 80 bits; {taken} (bodies.lir:2:1)"))
    );
    assert_eq!(
        refusals("var w : @bits[64];", "skip"),
        [
            "variable w starts with any of 2^64 numbers (bodies.lir:1:10)".to_owned(),
            "variable w has 64 bits, which is too many for diagrams (bodies.lir:1:10)".to_owned(),
        ]
    );
}
