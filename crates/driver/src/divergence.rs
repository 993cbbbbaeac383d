//! Does a search that found no answer look as if it never would?

use lapidary_base::Stop;
use lapidary_engines::Prospects;
use lapidary_engines::register::{self, Progress};
use lapidary_verdict::{Evidence, Growth, PropertyReport, Reason, Stats};

use crate::request::EngineChoice;

/// What grows, in words, if a limit ended a search in which something grew from round to round.
pub fn divergence(report: &PropertyReport) -> Option<String> {
    match &report.evidence {
        Evidence::Nothing(Reason::Diverging(_)) => {}
        Evidence::Nothing(Reason::Stopped(stop)) => match stop {
            Stop::Timeout | Stop::Memory(_) | Stop::Interrupted => {}
            Stop::Incomplete(_) | Stop::NoAnswer(_) | Stop::Budget(_) => {}
            Stop::Overflow(_) | Stop::Solver(_) => return None,
        },
        Evidence::Nothing(Reason::Refused(_) | Reason::Unsupported(_)) => return None,
        Evidence::Trace(_) | Evidence::Certificate(..) => return None,
    }
    let grown = |key: &str, what: &str| {
        let spread = report.stats.spread(key)?;
        let Growth { from, rounds } = spread.growth?;
        Some(format!("{what} grew from {from} to {} in {rounds} rounds", spread.last.max(spread.maximum)))
    };
    let induction = || match register::named(report.engine)?.progress? {
        Progress::Counted { .. } => None,
        Progress::Parameter { counter, name, much } => {
            let value = report.stats.count(counter).filter(|&value| value >= much)?;
            Some(format!("no {name} up to {value} is enough"))
        }
    };
    let blocks = || grown("abstract_states", "blocks");
    grown("cex_length", "counterexamples").or_else(blocks).or_else(|| predicates(&report.stats)).or_else(induction)
}

/// So many rounds that all find predicates missing may go on for ever.
const MANY_ROUNDS: usize = 12;

fn predicates(stats: &Stats) -> Option<String> {
    let new: Vec<usize> = stats.rounds.iter().map(|round| round.new_predicates.len()).collect();
    let (rounds, third) = (new.len(), new.len() / 3);
    // The last round may have been interrupted before it found any.
    let is_endless = rounds >= MANY_ROUNDS && new[rounds - third..rounds - 1].iter().all(|&n| n > 0);
    let (first, all): (usize, usize) = (new[..third].iter().sum(), new.iter().sum());
    is_endless.then(|| format!("predicates grew from {first} to {all} in {rounds} rounds"))
}

/// What is known of such a search says so. An engine that was asked for and gave up by itself has no other reason.
pub fn told(report: &mut PropertyReport, choice: EngineChoice, prospects: Prospects) {
    let Some(what) = divergence(report) else { return };
    if let Evidence::Nothing(Reason::Stopped(Stop::Incomplete(why) | Stop::NoAnswer(why))) = &report.evidence
        && choice != EngineChoice::Auto
    {
        report.evidence = Evidence::Nothing(Reason::Diverging(why.clone()));
    }
    report.known = Some(match (report.known.take(), prospects) {
        // An engine that knows more of its own method has said so itself.
        (Some(known), Prospects::Bad) => known,
        (Some(known), Prospects::Open) => format!("{known}; looks divergent: {what}"),
        (None, _) => format!("looks divergent: {what}"),
    });
}
