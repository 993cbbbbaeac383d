//! Runs, invariants and numbers from a search.

use std::time::Instant;

use lapidary_base::{Control, Id, Stop, memory};
use lapidary_ir::passes::place_var;
use lapidary_ir::{Action, CommandId, Declarations, Exprs, Net, PlaceId, Tokens, TransitionId};
use lapidary_system::boxes::{Cuboid, INFINITE, Interval, Region};
use lapidary_verdict::{Certificate, Formula, Round, Spread, State, Stats, Trace};

use super::Config;
use super::choose::{InOrder, Order};
use super::cover::Covering;
use super::search::{Ended, Limits, Search};
use crate::words::counted;
use crate::{Answer, Known, Outcome, Prospects};

/// So many refinements in a row with ever greater constants or ever deeper pivot nodes look divergent.
const N_GROWING: usize = 5;

pub fn answer(model: &Declarations, net: &Net, error: Region, config: &Config, control: &Control) -> Answer {
    let start = Instant::now();
    let covering = config.covering.unwrap_or(match config.order {
        Order::BreadthFirst => Covering::Shallower,
        Order::DepthFirst | Order::Random(_) => Covering::Any,
    });
    let limits = Limits { most_refinements: config.most_refinements, most_nodes: config.most_nodes };
    let mut search = Search::new(net, error, covering, limits, control);
    let outcome = outcome(model, &mut search, config.order, control).unwrap_or_else(Outcome::Unknown);
    let known = matches!(outcome, Outcome::Unknown(_)).then(|| known(&search));
    let stats = stats(net, &search, &outcome, start);
    Answer { outcome, stats, known, never_enabled: Vec::new() }
}

fn outcome(model: &Declarations, search: &mut Search<'_>, order: Order, control: &Control) -> Result<Outcome, Stop> {
    match search.run(&mut InOrder::new(order))? {
        Ended::Correct(reach) => {
            let reach = reach.without_redundant(control)?;
            Ok(Outcome::Excluded(Certificate::Invariant(formula(&reach))))
        }
        Ended::NotCorrect(actions) => {
            let markings = markings(search, &actions, control)?;
            // Behind the places there may be variables for choices, which are zero in every state.
            let state = |marking: Box<[Tokens]>| -> State {
                let zeros = std::iter::repeat_n(0, model.vars.len() - marking.len());
                marking.iter().map(|&tokens| tokens as i64).chain(zeros).collect()
            };
            let states = markings.into_iter().map(state).collect();
            let actions = actions.iter().map(|action| Action::Command(CommandId::new(action.index()))).collect();
            Ok(Outcome::Found(Trace { states, actions, loop_start: None }))
        }
    }
}

/// A run with these labels: from a least initial marking of the whole trace's error region, always into that of the rest.
fn markings(search: &mut Search<'_>, trace: &[TransitionId], control: &Control) -> Result<Vec<Box<[Tokens]>>, Stop> {
    let errors = search.error_regions(trace)?;
    let start = search.initial().and(&search.errors.regions[errors[0]].region);
    let size = |cuboid: &&Cuboid| cuboid.intervals.iter().map(|interval| u128::from(interval.lo)).sum::<u128>();
    let first = start.cuboids().iter().min_by_key(size).expect("without a pivot node the root meets its error region");
    let mut markings = vec![first.least()];
    for (&transition, &error) in trace.iter().zip(&errors[1..]) {
        let last = markings.last().expect("the first marking is there");
        let next = search.steps()[transition].step_into(last, &search.errors.regions[error].region, control)?;
        markings.push(next.expect("from an error region the trace goes on into the next"));
    }
    Ok(markings)
}

/// A region as a formula about the model's variables. Those that are no places are set before any command reads them.
fn formula(region: &Region) -> Formula {
    let exprs = &Exprs::new();
    let number = |tokens: Tokens| exprs.int(i64::try_from(tokens).expect("bounds of boxes fit in 63 bits"));
    let within = |(place, Interval { lo, hi }): (PlaceId, Interval)| {
        let value = exprs.var(place_var(place));
        if lo == hi {
            return vec![exprs.eq(value, number(lo))];
        }
        let at_least = (lo > 0).then(|| exprs.le(number(lo), value));
        let at_most = (hi != INFINITE).then(|| exprs.le(value, number(hi)));
        at_least.into_iter().chain(at_most).collect()
    };
    let root = exprs.or(region.cuboids().iter().map(|cuboid| exprs.and(cuboid.bounds().flat_map(within))));
    Formula::new(exprs, root)
}

/// What was seen until the search ended without an answer.
fn known(search: &Search<'_>) -> Known {
    let n = search.refinements.len();
    let recent = &search.refinements[n.saturating_sub(N_GROWING)..];
    let grows = |numbers: Vec<u64>| numbers.len() == N_GROWING && numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let greatest = recent.iter().map(|round| round.atoms.iter().map(|atom| atom.1).max().unwrap_or(0)).collect();
    let depths = recent.iter().map(|round| round.pivot.len() as u64).collect();
    let (prospects, looks) = if grows(greatest) {
        (Prospects::Bad, ": constants grow, it looks divergent")
    } else if grows(depths) {
        (Prospects::Bad, ": pivot nodes get deeper, it looks divergent")
    } else {
        (Prospects::Open, "")
    };
    Known { text: format!("within {}{looks}", counted(n as u64, "abstract counterexample")), prospects }
}

fn stats(net: &Net, search: &Search<'_>, outcome: &Outcome, start: Instant) -> Stats {
    let mut sizes: Vec<u64> = search.refinements.iter().map(|round| round.n_nodes).collect();
    let mut lengths: Vec<u64> =
        search.refinements.iter().map(|round| (round.pivot.len() + round.error.len()) as u64).collect();
    match outcome {
        Outcome::Found(trace) => {
            sizes.push(search.tree.n_nodes);
            lengths.push(trace.actions.len() as u64);
        }
        Outcome::Excluded(_) => sizes.push(search.tree.n_nodes),
        Outcome::Unknown(_) => {}
    }
    let show = |&(place, number): &(PlaceId, Tokens)| format!("{} >= {number}", net.places[place].name);
    let rounds = search.refinements.iter().map(|round| Round {
        counts: vec![
            ("abstract_states", round.n_nodes),
            ("cex_length", (round.pivot.len() + round.error.len()) as u64),
        ],
        new_predicates: round.atoms.iter().map(show).collect(),
    });
    Stats {
        counts: vec![
            ("iterations", sizes.len() as u64),
            ("states", search.tree.nodes.len() as u64),
            ("transition_analysis", search.n_posts),
            ("cex_analysis", search.errors.n_computed()),
            ("predicates", search.atoms.count() as u64),
        ],
        spreads: vec![("abstract_states", Spread::of(&sizes)), ("cex_length", Spread::of(&lengths))],
        rounds: rounds.collect(),
        search_seconds: start.elapsed().as_secs_f64(),
        check_seconds: 0.0,
        search_memory: memory::peak_resident().unwrap_or(0),
    }
}
