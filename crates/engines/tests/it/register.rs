//! The table of engines: rows that are told apart, that make what they name, and that people can read about.

use std::fs;
use std::path::Path;

use lapidary_engines::options::{CoverOptions, Making, NetOptions, SearchOrder, SolverOptions};
use lapidary_engines::register::{OptionGroup, Shape, made_for, named, understanding};
use lapidary_engines::symbolic::Direction;
use lapidary_engines::{Begins, ENGINES, Engine, PLANNED};

fn made(name: &str, direction: Direction) -> Box<dyn Engine> {
    let making = Making {
        order: SearchOrder::BreadthFirst,
        direction,
        cover: &CoverOptions::default(),
        solver: &SolverOptions::default(),
        net: NetOptions::default(),
        shortest: false,
        threads: 1,
        predicates: &[],
        control: None,
        budget: None,
        exchange: None,
    };
    (named(name).expect("a row").make)(&making)
}

#[test]
fn every_name_finds_its_own_row_and_makes_its_own_engine() {
    for entry in ENGINES {
        assert_eq!(named(entry.name), Some(entry), "two engines are called {}", entry.name);
        assert_eq!(made(entry.name, Direction::Forward).name(), entry.name);
        assert!(!PLANNED.contains(&entry.name), "{} is there", entry.name);
        assert_ne!(entry.instead, Some(entry), "{} gave up", entry.name);
    }
    assert!(PLANNED.iter().all(|name| named(name).is_none()));
}

#[test]
fn every_engine_has_a_page_that_shows_how_to_ask_it() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines");
    for entry in ENGINES {
        let page = fs::read_to_string(pages.join(format!("{}.md", entry.name))).unwrap_or_default();
        assert!(page.contains(&format!("--engine {}", entry.name)), "docs/engines/{}.md", entry.name);
    }
}

#[test]
fn shares_of_a_portfolio_are_work() {
    for entry in ENGINES {
        let share = entry.share;
        assert!(share.slice > 0 && share.first >= share.slice, "{}", entry.name);
        assert!(share.budget.first > 0 && share.budget.at(2) >= share.budget.at(1), "{}", entry.name);
    }
}

#[test]
fn only_who_is_told_to_begins_at_the_goals() {
    let backwards =
        |entry: &&&lapidary_engines::register::Entry| made(entry.name, Direction::Backward).begins() == Begins::AtGoals;
    let names: Vec<&str> = ENGINES.iter().filter(backwards).map(|entry| entry.name).collect();
    assert_eq!(names, understanding(OptionGroup::Direction).collect::<Vec<_>>());
    assert!(ENGINES.iter().all(|entry| made(entry.name, Direction::Forward).begins() == Begins::AtInitialStates));
}

#[test]
fn every_engine_is_made_for_one_shape() {
    let shapes = [Shape::Everything, Shape::Nets, Shape::Hierarchies];
    assert_eq!(shapes.into_iter().map(|shape| made_for(shape).len()).sum::<usize>(), ENGINES.len());
    let nets: Vec<&str> = made_for(Shape::Nets).iter().map(|entry| entry.name).collect();
    assert_eq!(nets, ["backward", "forward", "lazy"]);
}
