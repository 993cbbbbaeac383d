//! Figures of refinements made by hand.

use lapidary_base::event::Iteration;

use super::*;

fn refinement(n: u64) -> Refinement {
    let iteration = |i| Iteration { i, abs_states: i + 1, cex_len: 2, certified_neg: i, ..Iteration::default() };
    Refinement {
        property: "mutex".to_owned(),
        engine: "cegar".to_owned(),
        iterations: (1..=n).map(iteration).collect(),
    }
}

fn drawn(labels: &[&str], refinements: &[Refinement], curves: &[Curve]) -> String {
    let labelled = |(label, refinement): (&&str, _)| Labelled { label: (*label).to_owned(), refinement };
    let runs: Vec<Labelled<'_>> = labels.iter().zip(refinements).map(labelled).collect();
    svg("mutex", &runs, curves).expect("figures can be drawn")
}

/// Of the polylines with this colour, the numbers of points. Those with two are in the legend.
fn points(svg: &str, [ink, other]: [RGBColor; 2]) -> Vec<usize> {
    let stroke = |RGBColor(r, g, b)| format!("stroke=\"#{r:02X}{g:02X}{b:02X}\"");
    let is_ink = |line: &&str| line.contains(&stroke(ink)) || line.contains(&stroke(other));
    let lines = svg.lines().filter(|line| line.starts_with("<polyline ")).filter(is_ink);
    let lists = lines.filter_map(|line| line.split("points=\"").nth(1)?.split('"').next());
    lists.map(|list| list.split_whitespace().count()).filter(|&count| count != 2).collect()
}

#[test]
fn every_run_has_a_line_with_all_its_points_in_every_panel() {
    let svg = drawn(&["cegar", "pcegar"], &[refinement(110), refinement(7)], &Curve::ALL);
    assert_eq!(points(&svg, INKS[0]), [110; 4]);
    assert_eq!(points(&svg, INKS[1]), [7; 4]);
    for text in ["mutex", "cegar", "pcegar", "iteration", "cegar, reachable side", "pcegar, co-reachable side"] {
        assert!(svg.lines().any(|line| line == text), "{text} is missing");
    }
    for curve in Curve::ALL {
        assert_eq!(svg.lines().filter(|line| *line == curve.title()).count(), 1);
    }
}

#[test]
fn one_curve_is_one_panel() {
    for (curve, n_lines) in [(Curve::States, 1), (Curve::Length, 1), (Curve::Certified, 2)] {
        let svg = drawn(&["cegar"], &[refinement(9)], &[curve]);
        assert_eq!(points(&svg, INKS[0]), vec![9; n_lines]);
        assert!(points(&svg, INKS[1]).is_empty());
        assert!(svg.contains(curve.title()));
    }
}

#[test]
fn the_same_runs_give_the_same_bytes() {
    let figure = || drawn(&["a", "b"], &[refinement(20), refinement(30)], &Curve::ALL);
    assert_eq!(figure(), figure());
}

#[test]
fn extreme_numbers_have_room() {
    let most = u64::MAX;
    let iteration = |i, n| Iteration { i, abs_states: n, cex_len: n, certified_neg: n, ..Iteration::default() };
    for iterations in [
        vec![iteration(most, most)],
        vec![iteration(0, 0)],
        vec![iteration(0, 0), iteration(most, most)],
        vec![iteration(most - 1, most), iteration(most, 0), iteration(most, 1)],
    ] {
        let n = iterations.len();
        let svg = drawn(&["x"], &[Refinement { iterations, ..Refinement::default() }], &[Curve::States]);
        assert!(n == 2 || points(&svg, INKS[0]) == [n], "{n} points");
    }
}

#[test]
fn names_are_texts_of_xml() {
    let svg = drawn(&["<a & \"b\">\0\u{ffff}"], &[refinement(3)], &[Curve::States]);
    assert!(svg.contains("&lt;a &amp; &quot;b&quot;&gt;\u{fffd}\u{fffd}"), "{svg}");
    let long = drawn(&[&"\u{e9}".repeat(9000)], &[refinement(3)], &[Curve::States]);
    assert!(long.contains(&format!("\n{}...\n", "\u{e9}".repeat(LONGEST_LABEL))));
}
