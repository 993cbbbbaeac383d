//! The reachable states of the peer families, as two other tools count them.

use lapidary_reference::surroundings::corpus_text;

use crate::support::{example, run};

lapidary_reference::with_corpus!(the_table_of_the_corpus_is_the_table_of_this_test,);

/// Model of the table, our file, its constants, and the property that the peers check.
const FAMILIES: [(&str, &str, &[&str], &str); 10] = [
    ("burns_3", "burns.gcl", &["N=3"], "mutex"),
    ("burns_4", "burns.gcl", &["N=4"], "mutex"),
    ("peterson_3", "peterson.gcl", &["N=3"], "mutex"),
    ("peterson_4", "peterson.gcl", &["N=4"], "mutex"),
    ("lamport_3", "lamport.gcl", &["N=3"], "mutex"),
    ("lamport_4", "lamport.gcl", &["N=4"], "mutex"),
    ("bakery_3_4", "bakery.gcl", &["N=3", "MAX=4"], "mutex"),
    ("ticket_4_5", "ticket.gcl", &["N=4", "M=5"], "mutex"),
    ("lift_5", "lift.gcl", &["FLOORS=5"], "doors"),
    ("lift_8", "lift.gcl", &["FLOORS=8"], "doors"),
];

/// The published counts, repeated here so that the test also runs where the table is absent.
const COUNTS: [u64; 10] = [377, 5_021, 1_131, 52_512, 8_756, 246_300, 21_520, 11_286, 58_857, 6_029_289];

fn count(file: &str, constants: &[&str], property: &str) -> u64 {
    let path = example(file);
    let mut args = vec!["check", &path, "--engine", "explicit", "-p", property, "--format", "json"];
    args.extend(constants.iter().flat_map(|constant| ["-D", constant]));
    let found = run(&args);
    assert_eq!(found.code, Some(0), "{args:?}\n{}", found.stderr);
    let report: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!(report["properties"][0]["verdict"], "holds", "{args:?}");
    report["properties"][0]["stats"]["states"].as_u64().expect("a count")
}

fn compare(wanted: impl Fn(u64) -> bool) {
    for ((name, file, constants, property), expected) in FAMILIES.into_iter().zip(COUNTS) {
        if wanted(expected) {
            assert_eq!(count(file, constants, property), expected, "{name}");
        }
    }
}

#[test]
fn the_counts_of_the_peer_families_come_out_exactly() {
    compare(|n_states| n_states < 1_000_000);
}

#[test]
#[ignore = "slow: millions of states"]
fn the_counts_of_the_largest_family_come_out_exactly() {
    compare(|n_states| n_states >= 1_000_000);
}

fn the_table_of_the_corpus_is_the_table_of_this_test() {
    let table = corpus_text("peers/COUNTS.csv");
    let rows = table.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        Some((cells.next()?.to_owned(), cells.next()?.parse().ok()?))
    });
    let ours: Vec<(String, u64)> = FAMILIES.iter().zip(COUNTS).map(|(row, count)| (row.0.to_owned(), count)).collect();
    assert_eq!(rows.collect::<Vec<(String, u64)>>(), ours);
}
