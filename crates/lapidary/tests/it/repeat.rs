//! The same command twice gives the same bytes, times and memory aside.

use crate::support::{example, run, without_measurements};

fn json_without_measurements(text: &str) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    for property in value["properties"].as_array_mut().expect("properties") {
        for key in ["time_s", "mem_bytes"] {
            property[key] = 0.into();
        }
        for key in ["search_s", "check_s", "search_mem_bytes"] {
            property["stats"][key] = 0.into();
        }
    }
    value
}

const EXAMPLES: [&str; 5] = ["burns.gcl", "peterson.gcl", "buffer.gcl", "philosophers.gcl", "lift.gcl"];

#[test]
fn text_output_repeats() {
    for name in EXAMPLES {
        for extra in [vec![], vec!["--engine", "explicit", "--order", "dfs"], vec!["-j", "1", "--trace", "full"]] {
            let path = example(name);
            let args: Vec<&str> = ["check", &path].into_iter().chain(extra).collect();
            let (first, second) = (run(&args), run(&args));
            assert_eq!(first.code, second.code, "{args:?}");
            let (first, second) = (without_measurements(&first.stdout), without_measurements(&second.stdout));
            assert_eq!(first, second, "{args:?}");
        }
    }
}

#[test]
fn json_output_repeats() {
    for name in EXAMPLES {
        let path = example(name);
        let args = ["check", &path, "--format", "json"];
        let (first, second) = (run(&args).stdout, run(&args).stdout);
        assert_eq!(json_without_measurements(&first), json_without_measurements(&second), "{name}");
    }
}

#[test]
fn random_simulations_repeat_for_a_seed_and_differ_between_seeds() {
    let path = example("philosophers.gcl");
    let walk = |seed: &str| run(&["simulate", &path, "--seed", seed, "--steps", "30"]).stdout;
    assert_eq!(walk("7"), walk("7"));
    assert_ne!(walk("7"), walk("8"));
}
