//! The rounds of a refinement as a small table, for `-v`.

use lapidary_verdict::{Round, Stats};

/// More rounds than this are cut in the middle; JSON has them all.
const MOST_ROUNDS: usize = 20;

const PREDICATES: &str = "new predicates";

/// One row a round under the names of its counts, within `width` columns; nothing where a method has no rounds.
pub fn table(stats: &Stats, margin: usize, width: usize) -> String {
    let Some(first) = stats.rounds.first() else { return String::new() };
    let names: Vec<&str> = first.counts.iter().map(|&(name, _)| name).collect();
    let head = ["round".to_owned()].into_iter().chain(names.iter().map(|name| name.replace('_', " "))).collect();
    let mut rows: Vec<(Vec<String>, String)> = vec![(head, PREDICATES.to_owned())];
    let numbered = stats.rounds.iter().enumerate().map(|(i, round)| row(i + 1, &names, round));
    let n_left_out = stats.rounds.len().saturating_sub(MOST_ROUNDS);
    let kept = (MOST_ROUNDS / 2, MOST_ROUNDS / 2 + n_left_out);
    rows.extend(numbered.enumerate().filter(|(i, _)| *i < kept.0 || *i >= kept.1).map(|(_, row)| row));
    let columns = 0..=names.len();
    let widths: Vec<usize> =
        columns.map(|column| rows.iter().map(|(cells, _)| cells[column].len()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (i, (cells, predicates)) in rows.iter().enumerate() {
        if n_left_out > 0 && i == kept.0 + 1 {
            text += &format!("{}... {n_left_out} rounds between, see --format json\n", " ".repeat(margin));
        }
        let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        let line = format!("{}{}  {predicates}", " ".repeat(margin), cells.join("  "));
        text += &format!("{}\n", cut(line.trim_end(), width));
    }
    text
}

fn row(number: usize, names: &[&str], round: &Round) -> (Vec<String>, String) {
    let count = |name: &&str| {
        let found = round.counts.iter().find(|(key, _)| key == name);
        found.map_or_else(String::new, |(_, count)| count.to_string())
    };
    let cells = [number.to_string()].into_iter().chain(names.iter().map(count)).collect();
    (cells, round.new_predicates.join(", "))
}

/// A line that is too long ends in dots.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(3)).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::render::fixture;

    #[test]
    fn every_round_is_a_row_and_long_rows_are_cut() {
        expect![[r#"
            round  concrete states  abstract states  queries  cache hits  new predicates
                1                5                3       12           4  turn < 1, p1 = idle
                2               19                7       40          21
        "#]]
        .assert_eq(&table(&fixture::matched().stats, 0, 100));
        let narrow = table(&fixture::matched().stats, 2, 80);
        assert!(narrow.lines().all(|line| line.len() <= 80) && narrow.contains("p1 ..."), "{narrow}");
        assert_eq!(table(&fixture::refined().stats, 2, 100), "");
    }

    #[test]
    fn many_rounds_are_cut_in_the_middle() {
        let round = |n| Round { counts: vec![("queries", n)], new_predicates: Vec::new() };
        let stats = Stats { rounds: (1..=30).map(round).collect(), ..Stats::default() };
        let text = table(&stats, 0, 100);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MOST_ROUNDS + 2);
        assert_eq!(lines[10..13], ["   10       10", "... 10 rounds between, see --format json", "   21       21"]);
    }
}
