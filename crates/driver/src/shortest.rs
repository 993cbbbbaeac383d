//! What `--shortest` means: only engines whose counterexamples and witnesses are shortest may answer.
//!
//! An engine that is named must be one of them (`misuse`); of a portfolio the others are left out (`admits`). An engine
//! that can search in several ways chooses one that finds shortest runs (`Making::shortest`).

use lapidary_engines::options::SearchOrder;
use lapidary_engines::register::Finds;

use crate::request::{CheckRequest, EngineChoice};

/// May an engine whose runs are like this answer?
pub(crate) fn admits(request: &CheckRequest, finds: Finds) -> bool {
    match finds {
        Finds::ShortestRun => true,
        Finds::SomeRun => !request.shortest,
    }
}

/// Why this engine, or this order, cannot give what is asked for.
pub fn misuse(engine: EngineChoice, order: SearchOrder) -> Option<String> {
    if order == SearchOrder::DepthFirst {
        return Some(
            "--shortest needs --order bfs: a depth-first search finds some run, not a shortest one".to_owned(),
        );
    }
    let some_run = engine.entry().filter(|entry| entry.finds == Finds::SomeRun)?;
    Some(format!("--shortest needs another engine: {} finds some run, not a shortest one", some_run.name))
}
