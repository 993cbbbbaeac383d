//! The traps of control flow automata, computed by hand.

use lapidary_reference::brute::Verdict;
use lapidary_reference::cfa::{self, Case, Cfa, Edge, Exploration, Location, Process, Role, Statement, Variable};
use lapidary_reference::terms::{Binary, BitOp, BitOrder, Expr, Fault, Sort, Unary};

fn variables(list: &[(&str, Sort)]) -> Vec<Variable> {
    list.iter().map(|(name, sort)| Variable { name: (*name).to_owned(), sort: sort.clone() }).collect()
}

fn edge(from: usize, to: usize, statements: Vec<Statement>) -> Edge {
    Edge { from, to, statements }
}

/// Locations `S`, which is initial, `T`, and the error location `E`.
fn process(list: &[(&str, Sort)], edges: Vec<Edge>) -> Process {
    let locations = [("S", Role::Init), ("T", Role::Plain), ("E", Role::Error)];
    let locations = locations.map(|(name, role)| Location { name: name.to_owned(), role }).to_vec();
    Process { name: "p".to_owned(), variables: variables(list), locations, edges }
}

fn automaton(list: &[(&str, Sort)], edges: Vec<Edge>) -> Cfa {
    Cfa { main: process(list, edges), ..Cfa::default() }
}

fn explored(cfa: &Cfa) -> Exploration {
    cfa::explore(cfa, 1000).expect("the automaton is small")
}

/// Whether a condition is true once these are assigned.
fn is_true(list: &[(&str, Sort, Expr)], condition: Expr) -> bool {
    let sorts: Vec<(&str, Sort)> = list.iter().map(|(name, sort, _)| (*name, sort.clone())).collect();
    let mut statements: Vec<Statement> = list.iter().map(|(name, _, value)| assign(name, value.clone())).collect();
    statements.push(Statement::Assume(condition));
    explored(&automaton(&sorts, vec![edge(0, 2, statements)])).violation.is_some()
}

fn x() -> Expr {
    Expr::var("x")
}

fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign(name.to_owned(), value)
}

fn equal(left: Expr, right: Expr) -> Expr {
    Expr::binary(Binary::Eq, left, right)
}

#[test]
fn variables_start_with_any_value() {
    let cfa =
        automaton(&[("x", Sort::Bits(2))], vec![edge(0, 2, vec![Statement::Assume(equal(x(), Expr::bits(2, 3)))])]);
    let found = explored(&cfa);
    assert_eq!((found.n_initial, found.states.len(), found.violation), (4, 5, Some(1)));
    assert!(found.states.contains(&("E".to_owned(), vec!["2'b11".to_owned()])));
}

#[test]
fn an_edge_is_one_step_however_many_statements_it_has() {
    let count = |by: i128| assign("x", Expr::binary(Binary::Add, x(), Expr::int(by)));
    let cfa = automaton(
        &[("x", Sort::Int)],
        vec![edge(0, 1, vec![assign("x", Expr::int(0)), count(1), count(2)]), edge(1, 2, vec![count(4), count(-4)])],
    );
    let found = explored(&cfa);
    assert_eq!(found.violation, Some(2));
    let rows = [("E", "3"), ("S", "any"), ("T", "3")].map(|(at, x)| (at.to_owned(), vec![x.to_owned()]));
    assert_eq!(found.states.into_iter().collect::<Vec<_>>(), rows);
}

#[test]
fn an_assumption_at_the_end_blocks_the_whole_edge() {
    let late = vec![assign("x", Expr::bool(true)), Statement::Assume(Expr::unary(Unary::Not, x()))];
    let found = explored(&automaton(&[("x", Sort::Bool)], vec![edge(0, 2, late)]));
    assert_eq!((found.states.len(), found.violation), (2, None));
}

#[test]
fn havoc_gives_every_value() {
    let edges =
        vec![edge(0, 1, vec![assign("x", Expr::bits(2, 0))]), edge(1, 1, vec![Statement::Havoc("x".to_owned())])];
    let found = explored(&automaton(&[("x", Sort::Bits(2))], edges));
    assert_eq!((found.states.len(), found.depth, found.violation), (8, 2, None));
}

#[test]
fn a_number_is_havocked_up_to_what_is_assumed_behind() {
    let within = |op, bound| Statement::Assume(Expr::binary(op, x(), Expr::int(bound)));
    let statements = vec![Statement::Havoc("x".to_owned()), within(Binary::Ge, -1), within(Binary::Lt, 2)];
    let found = explored(&automaton(&[("x", Sort::Int)], vec![edge(0, 1, statements)]));
    assert_eq!(found.states.len(), 1 + 3);
}

#[test]
fn only_the_main_process_runs() {
    let other = process(&[], vec![edge(0, 2, Vec::new())]);
    let cfa = Cfa { others: vec![other], ..automaton(&[], vec![edge(0, 1, Vec::new())]) };
    let found = explored(&cfa);
    assert_eq!((found.states.len(), found.violation), (2, None));
}

#[test]
fn names_of_the_process_hide_global_ones() {
    let edges = vec![edge(0, 2, vec![Statement::Assume(equal(x(), Expr::bits(1, 1)))])];
    let cfa = Cfa {
        globals: variables(&[("x", Sort::Bool), ("y", Sort::Bool)]),
        ..automaton(&[("x", Sort::Bits(1))], edges)
    };
    let found = explored(&cfa);
    assert_eq!((found.names, found.n_initial, found.violation), (vec!["y".to_owned(), "x".to_owned()], 4, Some(1)));
}

#[test]
fn what_is_read_before_it_is_written_and_a_division_by_zero_have_no_answer() {
    let at = |statements| cfa::explore(&automaton(&[("x", Sort::Int)], vec![edge(0, 1, statements)]), 1000);
    let positive = |value| Statement::Assume(Expr::binary(Binary::Gt, value, Expr::int(0)));
    assert_eq!(at(vec![positive(x())]), Err(Fault::Unset));
    let quotient = || Expr::binary(Binary::Div, Expr::int(1), Expr::int(0));
    assert_eq!(at(vec![positive(quotient())]), Err(Fault::DivisionByZero));
    let guarded = Expr::binary(Binary::And, Expr::bool(false), equal(quotient(), Expr::int(0)));
    assert_eq!(at(vec![Statement::Assume(guarded)]).expect("nobody looks at it").states.len(), 1);
    let square = || assign("x", Expr::binary(Binary::Mul, x(), x()));
    assert!(at(vec![assign("x", Expr::int(1_000_000)), square()]).is_ok());
    assert_eq!(at(vec![assign("x", Expr::int(1_000_000)), square(), square()]), Err(Fault::TooLarge));
}

#[test]
fn division_and_remainder_by_negative_numbers() {
    for (op, left, right, result) in [
        (Binary::Div, -5, 3, -2),
        (Binary::Div, -5, -3, 2),
        (Binary::Mod, -5, 3, 1),
        (Binary::Mod, 5, -3, 2),
        (Binary::Rem, 5, -3, -2),
        (Binary::Rem, -5, 3, 1),
        (Binary::Rem, -5, -3, -1),
    ] {
        let applied = Expr::binary(op, x(), Expr::int(right));
        assert!(
            is_true(&[("x", Sort::Int, Expr::int(left))], equal(applied, Expr::int(result))),
            "{left} {op:?} {right}"
        );
    }
}

#[test]
fn bit_vectors_wrap_and_have_two_orders() {
    let at = |bits| [("x", Sort::Bits(4), Expr::bits(4, bits))];
    let one = || Expr::bits(4, 1);
    let more = Expr::binary(Binary::Bits(BitOp::Add), x(), one());
    assert!(is_true(&at(15), equal(more, Expr::bits(4, 0))));
    assert!(is_true(&at(8), Expr::binary(Binary::Order(BitOrder::Slt), x(), one())));
    assert!(!is_true(&at(8), Expr::binary(Binary::Order(BitOrder::Ult), x(), one())));
}

#[test]
fn arrays_are_equal_if_all_their_elements_are() {
    let array = |index, cells, default| Expr::Array { index, cells, default: Box::new(default) };
    let sort = Sort::array(Sort::Bool, Sort::Bool);
    let (yes, no) = (|| Expr::bool(true), || Expr::bool(false));
    let written = array(Sort::Bool, vec![(no(), yes()), (yes(), yes())], no());
    let plain = array(Sort::Bool, Vec::new(), yes());
    assert!(is_true(&[("x", sort, written)], equal(x(), plain)));

    // Over all numbers the default is a part of the array.
    let sort = Sort::array(Sort::Int, Sort::Int);
    let zeros = || array(Sort::Int, Vec::new(), Expr::int(0));
    let there_and_back = Expr::write(Expr::write(x(), Expr::int(-7), Expr::int(1)), Expr::int(-7), Expr::int(0));
    assert!(is_true(&[("x", sort.clone(), zeros())], equal(there_and_back, zeros())));
    assert!(!is_true(&[("x", sort, zeros())], equal(x(), array(Sort::Int, Vec::new(), Expr::int(1)))));
}

#[test]
fn bounds_on_states_are_kept() {
    let cfa = automaton(&[("x", Sort::Bits(4))], Vec::new());
    assert_eq!(cfa::explore(&cfa, 15), Err(Fault::TooManyStates));
    assert_eq!(cfa::explore(&cfa, 16).map(|found| found.states.len()), Ok(16));
}

#[test]
fn texts_are_what_was_meant() {
    let not_equal = Expr::unary(Unary::Not, equal(x(), Expr::int(-1)));
    let edges = vec![
        edge(0, 1, vec![assign("x", Expr::int(0)), Statement::Havoc("b".to_owned())]),
        edge(1, 2, vec![Statement::Assume(not_equal)]),
        edge(1, 1, Vec::new()),
    ];
    let globals = variables(&[("b", Sort::Bool)]);
    let cfa = Cfa { globals, ..automaton(&[("x", Sort::Int)], edges) };
    let expected = "var b : bool\nmain process p {\nvar x : int\ninit loc S\nloc T\nerror loc E\nS -> T {\nx := 0\nhavoc b\n}\n\
        T -> E { assume not x = - 1 }\nT -> T\n}\n";
    assert!((0..400).any(|seed| cfa.to_cfa(seed) == expected));
    assert_eq!(cfa.to_cfa(7), cfa.to_cfa(7));
    let case = Case::of(cfa, 100, 7).expect("small");
    assert_eq!((case.verdict, case.shortest, case.n_states), (Verdict::Violated, Some(2), 6));
}
