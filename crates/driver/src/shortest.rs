//! What `--shortest` means: only engines whose counterexamples and witnesses are shortest may answer.
//!
//! An engine that is named must be one of them (`misuse`); of a portfolio the others are left out (`admits`). An engine
//! that can search in several ways chooses one that finds shortest runs (`Making::shortest`).

use lapidary_engines::options::SearchOrder;
use lapidary_engines::register::{Finds, OptionGroup, understanding};

use crate::request::{CheckRequest, EngineChoice};

/// May an engine whose runs are like this answer?
pub(crate) fn admits(request: &CheckRequest, finds: Finds) -> bool {
    match finds {
        Finds::ShortestRun => true,
        Finds::SomeRun => !request.shortest,
    }
}

/// Why this engine and this order are not what was asked for.
pub fn misuse(engine: EngineChoice, order: SearchOrder, shortest: bool) -> Option<String> {
    if shortest && order == SearchOrder::DepthFirst {
        return Some(
            "--shortest needs --order bfs: a depth-first search finds some run, not a shortest one".to_owned(),
        );
    }
    let understands = |group| engine.entry().is_some_and(|entry| entry.understands(group));
    if matches!(order, SearchOrder::Random(_)) && !understands(OptionGroup::RandomOrder) {
        let names: Vec<&str> = understanding(OptionGroup::RandomOrder).collect();
        return Some(format!("--order random is for --engine {}", names.join(", ")));
    }
    let some_run = engine.entry().filter(|entry| shortest && entry.finds == Finds::SomeRun)?;
    Some(format!("--shortest needs another engine: {} finds some run, not a shortest one", some_run.name))
}
