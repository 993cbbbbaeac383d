//! A `reach` property whose formula may err: that it is never reached needs evidence about its errors, too.

use lapidary_base::Control;
use lapidary_driver::{CheckRequest, EngineChoice, LoadRequest, check, open_text};
use lapidary_engines::induction::KINDUCTION;
use lapidary_engines::matching::MATCHING;
use lapidary_engines::reach::EXPLICIT;
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
