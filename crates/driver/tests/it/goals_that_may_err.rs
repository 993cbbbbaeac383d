//! A `reach` property whose formula may err: that it is never reached needs evidence about its errors, too.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, check, open_text};
use lapidary_engines::induction::KINDUCTION;
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_verdict::Verdict;

/// The divisor is never zero and never grows past 7, which takes more than the formula itself to see.
const MODEL: &str = "
    var x : int = 1;
    var up : bool = true;
    grow:   up & x < 7 -> x := x + 1;
    turn:   x = 7 -> up := false;
    shrink: !up & x > 1 -> x := x - 1;
    again:  !up & x = 1 -> up := true;
    reach third: 21 div x = 9 & 21 mod x = 0;";

#[test]
fn every_engine_shows_that_nothing_errs() {
    use EngineChoice::{Auto, Named};
    for engine in [Auto, Named(&EXPLICIT), Named(&MATCHING), Named(&KINDUCTION)] {
        let properties = ["third", "no_errors"].map(str::to_owned).to_vec();
        let request = LoadRequest { path: "goal.gcl".to_owned(), properties, ..LoadRequest::default() };
        let loaded =
            open_text(&request, MODEL.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
        let request = CheckRequest { engine, ..CheckRequest::default() };
        let report = check(&loaded, &request, &Control::new());
        assert_eq!(report.internal_errors, Vec::<String>::new(), "{engine:?}");
        let verdicts: Vec<Verdict> = report.properties.iter().map(|found| found.verdict).collect();
        assert_eq!(verdicts, [Verdict::Violated, Verdict::Holds], "{engine:?}");
    }
}

/// The quotient has no value once `y` is 0, the cell none once `y` is 2, and nothing says so.
const PARTIAL: &str = "model partial;
    var x : 0..3; var y : 0..2; var f[0] : bool; var f[1] : bool;
    family f[_] from f[0] len 2;
    init x = 1 & y = 1; init !f[0] & !f[1];
    command down: { assume 0 < y; y := y - 1; }
    command up: { assume y < 2; y := y + 1; }
    property quotient: invariant x div y = 1 | x div y = 0;
    property covered: invariant y = 0 | x div y <= 1;
    property never: reach x div y = 3;
    property cell: invariant !f[_](y);";

#[test]
fn a_formula_of_a_model_file_errs_where_it_has_no_value() {
    use EngineChoice::{Auto, Named};
    use Verdict::{Holds, Violated};
    for engine in [Auto, Named(&EXPLICIT), Named(&BDD), Named(&MATCHING), Named(&KINDUCTION)] {
        let properties = ["quotient", "covered", "never", "cell", "reach f[_](y)"].map(str::to_owned).to_vec();
        let request = LoadRequest { path: "partial.lir".to_owned(), properties, ..LoadRequest::default() };
        let loaded =
            open_text(&request, PARTIAL.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}", error.render()));
        let request = CheckRequest { engine, ..CheckRequest::default() };
        let report = check(&loaded, &request, &Control::new());
        assert_eq!(report.internal_errors, Vec::<String>::new(), "{engine:?}");
        let verdicts: Vec<Verdict> = report.properties.iter().map(|found| found.verdict).collect();
        assert_eq!(verdicts, [Violated, Holds, Violated, Violated, Violated], "{engine:?}");
    }
}

/// What `x` was in the middle of the step no state of the run tells: 6 is guessed, the root of 5041 is not.
#[test]
fn a_value_that_no_state_tells_is_no_internal_error() {
    for (condition, expected) in [("5 < x", Verdict::Violated), ("0 < x & x * x = 5041", Verdict::Unknown)] {
        for engine in [&MATCHING, &KINDUCTION] {
            let text = format!(
                "model forgotten; var x : int; var y : 0..1; init x = 0 & y = 0;
                command go: {{ x := any; if {condition} then y := 1; else y := 0; x := 0; }}
                property low: invariant y = 0;"
            );
            let properties = vec!["low".to_owned()];
            let request = LoadRequest { path: "forgotten.lir".to_owned(), properties, ..LoadRequest::default() };
            let loaded = open_text(&request, text.into_bytes()).unwrap_or_else(|error| panic!("{}", error.render()));
            let request = CheckRequest { engine: EngineChoice::Named(engine), ..CheckRequest::default() };
            let report = check(&loaded, &request, &Control::new());
            assert_eq!(report.internal_errors, Vec::<String>::new(), "{condition}");
            assert_eq!(report.properties[0].verdict, expected, "{condition}");
        }
    }
}
