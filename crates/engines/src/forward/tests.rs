//! The subtle steps of the search, each on a net of its own.

use lapidary_base::{Control, Id, Stop};
use lapidary_ir::{Net, Place, PlaceId, Range, Tokens, Transition, TransitionId};
use lapidary_text::{SourceId, Span};

use super::goals::{Goal, Goals};
use super::label::{Count, OMEGA};
use super::pump::{Item, PumpId};
use super::search::{Found, Search};
use super::unroll::unroll;

fn petri(initial: &[Range], transitions: &[(&[Tokens], &[i64])]) -> Net {
    let span = Span::new(SourceId(0), 0, 0);
    let transition = |&(take, put): &(&[Tokens], &[i64])| Transition {
        name: "t".to_owned(),
        guards: Vec::new(),
        take: (0..take.len()).filter(|&i| take[i] > 0).map(|i| (PlaceId::new(i), take[i])).collect(),
        flows: Vec::new(),
        put: (0..put.len()).filter(|&i| put[i] > 0).map(|i| (PlaceId::new(i), put[i])).collect(),
        span,
    };
    Net {
        name: "test".to_owned(),
        places: (0..initial.len()).map(|i| Place { name: format!("p{i}"), span }).collect(),
        transitions: transitions.iter().map(transition).collect(),
        initial: initial.iter().copied().collect(),
    }
}

fn exactly(tokens: &[Tokens]) -> Vec<Range> {
    tokens.iter().map(|&tokens| Range::exactly(tokens)).collect()
}

/// Searches for a goal; the transitions of the run if there is one, otherwise the greatest labels.
fn search(net: &Net, goal: &[Tokens]) -> Result<Vec<TransitionId>, Vec<Vec<Count>>> {
    let control = Control::new();
    let goals = Goals::new(&[goal.into()], None).expect("small numbers");
    let mut search = Search::new(net, goals, u64::MAX, &control).expect("small numbers");
    match search.run().expect("no limits") {
        Found::Goal(node, Goal::Target(0)) => {
            let unrolled = unroll(&search, net, node, goal, goal.len(), &control).expect("short runs");
            Ok(unrolled.1.iter().map(|step| step.transition).collect())
        }
        Found::Closed => {
            let mut rows: Vec<Vec<Count>> = search.maximal.rows().map(|(_, row)| row.to_vec()).collect();
            rows.sort_unstable();
            Err(rows)
        }
        other => panic!("{other:?}"),
    }
}

fn n_fired(run: &[TransitionId], transition: u32) -> usize {
    run.iter().filter(|&&fired| fired == TransitionId(transition)).count()
}

#[test]
fn a_pump_that_lives_on_another_one_is_unrolled_with_it() {
    // The first transition fills the second place as long as one likes, the second one moves three of them on.
    let net = petri(&exactly(&[1, 0, 0]), &[(&[1], &[1, 1, 0]), (&[0, 3, 0], &[0, 0, 1])]);
    let run = search(&net, &[0, 0, 50]).expect("it can be covered");
    assert_eq!((n_fired(&run, 0), n_fired(&run, 1)), (150, 50));
}

#[test]
fn a_pump_inside_a_pump_is_unrolled_in_every_round() {
    // A round goes to the second place, makes tokens there one by one, pays three of them for one of the last place, and
    // loses its way back unless it pays.
    let net = petri(
        &exactly(&[1, 0, 0, 0]),
        &[(&[1, 0, 0, 0], &[0, 1, 0, 0]), (&[0, 1, 0, 0], &[0, 1, 1, 0]), (&[0, 1, 3, 0], &[1, 0, 0, 1])],
    );
    let control = Control::new();
    let goals = Goals::new(&[vec![0, 0, 0, 1_000_000].into()], None).expect("small numbers");
    let mut search_all = Search::new(&net, goals, u64::MAX, &control).expect("small numbers");
    let Ok(Found::Goal(..)) = search_all.run() else { panic!("the last place has no bound") };
    let nested = |id: u32| search_all.pumps.get(PumpId(id)).word.iter().any(|item| matches!(item, Item::Pump(_)));
    assert!((0..2).any(nested));
    let run = search(&net, &[1, 0, 0, 20]).expect("it can be covered");
    assert_eq!((n_fired(&run, 0), n_fired(&run, 1), n_fired(&run, 2)), (20, 60, 20));
}

#[test]
fn places_with_any_number_of_tokens_are_omega_from_the_start() {
    let net = petri(&[Range::at_least(2), Range::exactly(0)], &[(&[2, 0], &[0, 1])]);
    assert_eq!(search(&net, &[0, 7]).map(|run| run.len()), Ok(7));
    let only_one = petri(&[Range::at_least(2), Range::exactly(1), Range::exactly(0)], &[(&[2, 1, 0], &[0, 0, 1])]);
    assert_eq!(search(&only_one, &[0, 0, 2]), Err(vec![vec![OMEGA, 0, 1], vec![OMEGA, 1, 0]]));
}

#[test]
fn the_search_ends_with_the_first_marking_above_the_target() {
    // Both branches are infinitely long; the one to the target is three steps long.
    let net =
        petri(&exactly(&[3, 0, 0]), &[(&[1, 0, 0], &[0, 1, 0]), (&[0, 0, 1], &[0, 0, 2]), (&[0, 3, 0], &[0, 0, 1])]);
    let control = Control::new();
    let goals = Goals::new(&[vec![0, 3, 0].into()], None).expect("small numbers");
    let mut search = Search::new(&net, goals, u64::MAX, &control).expect("small numbers");
    assert!(matches!(search.run(), Ok(Found::Goal(..))));
    assert_eq!(search.counts.states, 4);
}

#[test]
fn a_budget_is_named() {
    let net = petri(&exactly(&[9, 0]), &[(&[1, 0], &[0, 1])]);
    let control = Control::new();
    let goals = Goals::new(&[vec![0, 10].into()], None).expect("small numbers");
    let mut search = Search::new(&net, goals, 3, &control).expect("small numbers");
    assert_eq!(search.run(), Err(Stop::Budget("3 markings".to_owned())));
}
