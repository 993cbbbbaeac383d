//! What Lapidary promises beside Spin, row by row.

use crate::record::Record;

/// Enough for the six million states of the largest row; pan needs more.
const MAX_SEARCH_BYTES: u64 = 250_000_000;

/// Each promise that the row breaks, in words; a row that could not be measured breaks one.
pub fn broken(record: &Record) -> Vec<String> {
    let mut broken = Vec::new();
    if let Err(problem) = &record.reduced {
        broken.push(format!("Spin with reduction: {problem}"));
    }
    let (ours, spin) = match (&record.ours, &record.spin) {
        (Ok(ours), Ok(spin)) => (ours, spin),
        (ours, spin) => {
            broken.extend(ours.as_ref().err().map(|p| format!("lapidary: {p}")));
            broken.extend(spin.as_ref().err().map(|p| format!("Spin: {p}")));
            return broken;
        }
    };
    let more_memory = ours.search_bytes.is_some_and(|bytes| bytes > MAX_SEARCH_BYTES);
    let promises = [
        (ours.states != spin.states, "states differ"),
        // Spin counts the initial state as one transition.
        (ours.transitions + 1 != spin.transitions, "transitions differ"),
        (ours.total_s > spin.total_s, "file to verdict is slower"),
        (ours.search_s > spin.search_s, "search is slower"),
        (more_memory, "search needs more than 250 MB"),
    ];
    broken.extend(promises.into_iter().filter(|(is_broken, _)| *is_broken).map(|(_, words)| words.to_owned()));
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ours::OurRun;
    use crate::spin::SpinRun;

    fn record(search_s: f64, transitions: u64) -> Record {
        let spin = SpinRun { states: 34, transitions: 66, total_s: 1.0, search_s: 0.5, peak_bytes: 1000 };
        Record {
            model: "burns_2",
            ours: Ok(OurRun {
                states: 34,
                transitions,
                total_s: 0.75,
                search_s,
                check_s: None,
                peak_bytes: 2000,
                search_bytes: Some(900),
            }),
            reduced: Ok(spin.clone()),
            spin: Ok(spin),
        }
    }

    #[test]
    fn the_initial_state_is_no_transition_of_ours() {
        assert!(broken(&record(0.25, 65)).is_empty());
        assert_eq!(broken(&record(0.25, 66)), ["transitions differ"]);
    }

    #[test]
    fn a_slower_search_is_named() {
        assert_eq!(broken(&record(0.6, 65)), ["search is slower"]);
    }
}
