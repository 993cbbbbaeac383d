//! What an engine counted, in words: on a property's line, and below it with `-v`.

use lapidary_verdict::{Spread, Stats};

use crate::units;

/// `6029289 states, 54 M transitions, depth 73`, or `7 iterations, 9 blocks` where the blocks of an abstraction are
/// counted over the rounds of a refinement loop: what else such an engine counts stands below, see [`more`].
pub fn words(stats: &Stats) -> String {
    let Some(blocks) = blocks(stats) else {
        return stats.counts.iter().map(|&(key, count)| word(key, count)).collect::<Vec<_>>().join(", ");
    };
    let iterations = stats.count(ITERATIONS).map(|count| word(ITERATIONS, count));
    iterations.into_iter().chain([word("blocks", blocks)]).collect::<Vec<_>>().join(", ")
}

const ITERATIONS: &str = "iterations";

/// Of the last abstraction; where the proof ended by pruning all of it, of the largest one.
fn blocks(stats: &Stats) -> Option<u64> {
    let Spread { maximum, last, .. } = stats.spread("abstract_states")?;
    Some(if last == 0 { maximum } else { last })
}

fn word(key: &'static str, count: u64) -> String {
    match key {
        "states" => format!("{count} {}", noun(key, count)),
        "depth" => format!("depth {count}"),
        other => format!("{} {}", units::rough(count), noun(other, count)),
    }
}

/// The name of a statistic, which is a plural, as it follows a count.
fn noun(key: &str, count: u64) -> String {
    let words = key.replace('_', " ");
    match (count, words.strip_suffix("ies"), words.strip_suffix('s')) {
        (1, Some(stem), _) => format!("{stem}y"),
        // An analysis is no plural.
        (1, None, Some(one)) if !one.ends_with('i') => one.to_owned(),
        (_, _, _) => words,
    }
}

/// All counts of a refinement loop under their frozen names, in lines of at most `width` columns with a margin.
/// Nothing for other engines, whose line has shown everything.
pub fn more(stats: &Stats, margin: usize, width: usize) -> String {
    if blocks(stats).is_none() {
        return String::new();
    }
    let margin = " ".repeat(margin);
    let spreads = stats.spreads.iter().map(|(key, Spread { average, maximum, last, .. })| {
        format!("{margin}{key}: average {average:.1}, maximum {maximum}, final {last}\n")
    });
    let mut text: String = spreads.collect();
    let mut line = margin.clone();
    for (key, count) in &stats.counts {
        let item = format!("{key}={count}");
        if line.len() > margin.len() && line.len() + 1 + item.len() > width {
            text += &format!("{line}\n");
            line.clone_from(&margin);
        }
        line += if line.len() > margin.len() { " " } else { "" };
        line += &item;
    }
    if line.len() > margin.len() { text + &line + "\n" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refined(blocks: &[u64]) -> Stats {
        let counts = vec![("iterations", blocks.len() as u64), ("cex_analysis", 31), ("certified_neg", 4)];
        let spreads = vec![("abstract_states", Spread::of(blocks)), ("cex_length", Spread::of(&[2, 3, 3]))];
        Stats { counts, spreads, ..Stats::default() }
    }

    #[test]
    fn one_of_a_thing_is_not_several() {
        let counts = vec![("states", 1), ("transitions", 1), ("depth", 1), ("queries", 1), ("bdd_nodes", 2)];
        let stats = Stats { counts, ..Stats::default() };
        assert_eq!(words(&stats), "1 state, 1 transition, depth 1, 1 query, 2 bdd nodes");
        assert_eq!(words(&refined(&[1])), "1 iteration, 1 block");
    }

    #[test]
    fn a_refinement_loop_shows_its_last_blocks_or_the_most_where_none_is_left() {
        assert_eq!(words(&refined(&[2, 11, 9])), "3 iterations, 9 blocks");
        assert_eq!(words(&refined(&[2, 11, 0])), "3 iterations, 11 blocks");
        assert_eq!(words(&refined(&[])), "0 iterations, 0 blocks");
    }

    #[test]
    fn all_counts_of_a_refinement_loop_fit_the_width() {
        let spreads =
            "  abstract_states: average 7.3, maximum 11, final 9\n  cex_length: average 2.7, maximum 3, final 3\n";
        let stats = refined(&[2, 11, 9]);
        assert_eq!(more(&stats, 2, 80), format!("{spreads}  iterations=3 cex_analysis=31 certified_neg=4\n"));
        assert_eq!(more(&stats, 2, 30), format!("{spreads}  iterations=3 cex_analysis=31\n  certified_neg=4\n"));
        assert_eq!(more(&stats, 2, 29), format!("{spreads}  iterations=3\n  cex_analysis=31\n  certified_neg=4\n"));
        let other = Stats { counts: vec![("states", 7)], ..Stats::default() };
        assert_eq!(more(&other, 2, 80), "");
    }
}
