//! Recordings written by hand.

use super::*;

fn start(name: &str, engine: &str) -> String {
    format!(
        "{{\"v\":1,\"event\":\"property_start\",\"t_ms\":0,\"mem\":0,\"name\":\"{name}\",\"engine\":\"{engine}\"}}\n"
    )
}

/// `certified_neg` is ten times, `certified_pos` a hundred times the iteration.
fn iteration(i: u64, abs_states: u64, cex_len: u64) -> String {
    format!(
        "{{\"v\":1,\"event\":\"iteration\",\"t_ms\":0,\"mem\":0,\"i\":{i},\"abs_states\":{abs_states},\"abs_trans\":0,\
         \"certified_pos\":{},\"certified_neg\":{},\"pruned\":0,\"cex_len\":{cex_len},\"predicates\":0,\"refiner\":\"post\"}}\n",
        100 * i,
        10 * i
    )
}

fn whole(text: &str) -> Vec<Refinement> {
    let Recording { refinements, cut_off } = read(text.as_bytes()).expect("a recording");
    assert_eq!(cut_off, None);
    refinements
}

fn shape(refinements: &[Refinement]) -> Vec<(&str, &str, usize)> {
    let of = |r: &Refinement| r.iterations.len();
    refinements.iter().map(|r| (r.property.as_str(), r.engine.as_str(), of(r))).collect()
}

#[test]
fn iterations_belong_to_the_start_before_them() {
    let text = [
        start("trivial", "bdd"),
        start("mutex", "cegar"),
        iteration(1, 2, 2),
        "{\"v\":1,\"event\":\"from_a_later_version\",\"t_ms\":0,\"mem\":0}\n\n".to_owned(),
        iteration(2, 3, 2),
        start("live", "pcegar"),
        iteration(1, 2, 1),
    ];
    assert_eq!(shape(&whole(&text.concat())), [("mutex", "cegar", 2), ("live", "pcegar", 1)]);
}

#[test]
fn a_search_that_counts_from_the_beginning_is_another_one() {
    let text = [start("full", "cegar"), iteration(1, 2, 2), iteration(2, 3, 2), iteration(1, 5, 1)].concat();
    assert_eq!(shape(&whole(&text)), [("full", "cegar", 2), ("full", "cegar", 1)]);
    assert_eq!(shape(&whole(&iteration(1, 2, 2))), [("", "", 1)]);
    assert_eq!(whole(&start("mutex", "explicit")), []);
    assert_eq!(whole(""), []);
}

#[test]
fn a_curve_has_a_point_for_every_iteration() {
    let text = [start("mutex", "pcegar"), iteration(1, 2, 7), iteration(2, 4, 8), iteration(3, 3, 9)].concat();
    let refinement = &whole(&text)[0];
    let points = |curve: Curve| curve.lines(refinement).into_iter().map(|line| line.points).collect::<Vec<_>>();
    assert_eq!(points(Curve::States), [[(1, 2), (2, 4), (3, 3)]]);
    assert_eq!(points(Curve::Length), [[(1, 7), (2, 8), (3, 9)]]);
    assert_eq!(points(Curve::Certified), [[(1, 10), (2, 20), (3, 30)], [(1, 100), (2, 200), (3, 300)]]);
    let sides: Vec<_> = Curve::Certified.lines(refinement).iter().map(|line| line.side).collect();
    assert_eq!(sides, [Some(Side::Reachable), Some(Side::CoReachable)]);
}

fn broken_line(text: &[u8]) -> Option<usize> {
    match read(text) {
        Ok(_) => None,
        Err(Failure::Line { line, .. }) => Some(line),
        Err(Failure::Read(error)) => panic!("{error}"),
    }
}

#[test]
fn a_broken_line_is_named_by_its_number() {
    let good = start("mutex", "cegar");
    assert_eq!(broken_line(format!("{good}\n{{\"v\":1}}\n{good}").as_bytes()), Some(3));
    assert_eq!(broken_line(b"gcl"), Some(1));
    assert_eq!(broken_line(b"\xff\xfe\n"), Some(1));
    assert_eq!(broken_line("7".repeat(3 << 20).as_bytes()), Some(1));
    assert!(read(std::io::BufReader::new(std::io::repeat(b'['))).is_err());
}

#[test]
fn a_last_line_that_is_cut_off_is_left_out() {
    let text = [start("mutex", "cegar"), iteration(1, 2, 2), iteration(2, 3, 2)].concat();
    for missing in 2..60 {
        let recording = read(&text.as_bytes()[..text.len() - missing]).expect("the rest is whole");
        assert_eq!(recording.cut_off, Some(3), "{missing} bytes are missing");
        assert_eq!(shape(&recording.refinements), [("mutex", "cegar", 1)]);
    }
    // All but the newline is there.
    assert_eq!(shape(&whole(&text[..text.len() - 1])), [("mutex", "cegar", 2)]);
}

/// Any byte may be wrong: then the line is named, or the file means something else, but reading ends.
#[test]
fn damaged_files_are_read_or_refused() {
    let text = [start("mutex", "cegar"), iteration(1, 2, 2), iteration(2, 3, 2), start("live", "cegar")].concat();
    let (mut n_refused, mut n_read) = (0, 0);
    for at in 0..text.len() {
        for byte in [0, b'"', b'\n', b'}', b'9', 0xff] {
            let mut damaged = text.clone().into_bytes();
            damaged[at] = byte;
            let number = 1 + text[..at].matches('\n').count();
            match broken_line(&damaged) {
                // A lost newline spoils the line in which the next one now stands.
                Some(line) => assert!(line == number || line == number + 1, "byte {at}: {line}"),
                None => n_read += 1,
            }
            n_refused += usize::from(broken_line(&damaged).is_some());
        }
    }
    assert!(n_refused > 1000 && n_read > 50, "{n_refused} refused, {n_read} read");
}
