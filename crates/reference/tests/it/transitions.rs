//! Random automata and transition systems are varied enough to be worth checking engines with; rows of tables are whole models.

use std::collections::BTreeSet;

use lapidary_reference::brute::Verdict;
use lapidary_reference::terms::table::{Claim, Operands, Row};
use lapidary_reference::{cfa, seeds, xsts};

/// What there is to count of a case: text, verdict, states, shortest run.
type Seen = (String, Verdict, usize, Option<usize>);

fn automata() -> Vec<Seen> {
    let seen = |seed| {
        let case = cfa::case(seed);
        assert!(case.n_states <= cfa::MOST_STATES);
        (case.text, case.verdict, case.n_states, case.shortest)
    };
    seeds::of(0..800).into_iter().map(seen).collect()
}

fn systems() -> Vec<Seen> {
    let seen = |seed| {
        let case = xsts::case(seed);
        assert!(case.n_states <= xsts::MOST_STATES && case.n_valuations <= case.n_states);
        assert_eq!(case.text, case.model.to_xsts(seed));
        (case.text, case.verdict, case.n_states, case.shortest)
    };
    seeds::of(0..800).into_iter().map(seen).collect()
}

/// About half are violated, not all at once, and there are states enough.
fn check(all: &[Seen]) {
    let percent = |is: &dyn Fn(&Seen) -> bool| 100 * all.iter().filter(|seen| is(seen)).count() / all.len();
    let violated = percent(&|(_, verdict, ..)| *verdict == Verdict::Violated);
    assert!((35..=65).contains(&violated), "{violated} of 100 are violated");
    assert!(all.iter().all(|(_, verdict, _, shortest)| (*verdict == Verdict::Violated) == shortest.is_some()));
    assert!(percent(&|(.., shortest)| *shortest == Some(0)) <= 5);
    let far = percent(&|(.., shortest)| shortest.is_some_and(|shortest| shortest >= 4));
    assert!(far >= 5, "{far} of 100 are violated after 4 steps");
    let mean = all.iter().map(|(_, _, n_states, _)| n_states).sum::<usize>() / all.len();
    assert!((15..=400).contains(&mean), "{mean} states");
    let many = percent(&|(_, _, n_states, _)| *n_states >= 50);
    assert!(many >= 8, "{many} of 100 have 50 states");
}

/// How many texts in a hundred have this word at least.
fn check_words(all: &[Seen], words: &[(&str, usize)]) {
    for (word, least) in words {
        let n = all.iter().filter(|(text, ..)| text.contains(word)).count();
        assert!(100 * n >= least * all.len(), "{n} of {} have {word}", all.len());
    }
}

#[test]
fn automata_are_varied() {
    let all = automata();
    check(&all);
    let rare =
        ["bvsdiv", "bvrol", "bv_sign_extend", "bv_zero_extend", "++", "bvslt", "xor", "imply", "rem", "process other"];
    check_words(&all, &rare.map(|word| (word, 2)));
    check_words(&all, &[("havoc", 30), ("mod", 20), ("bv", 30), ("default", 3), ("<-", 5), ("final", 20), ("//", 20)]);
}

#[test]
fn systems_are_varied() {
    let all = systems();
    check(&all);
    check_words(&all, &["rem", "xor", "=>", "Main.Region", "default", "$count"].map(|word| (word, 2)));
    check_words(&all, &[("ort", 15), ("choice", 15), ("for ", 10), ("local", 20), ("havoc", 30), ("ctrl", 30)]);
    check_words(&all, &[("if", 20), ("type", 20), ("else", 10), ("<-", 3), ("//", 20)]);
}

#[test]
fn equal_seeds_give_equal_cases_and_other_seeds_others() {
    assert_eq!(cfa::case(5).text, cfa::case(5).text);
    assert_eq!(xsts::case(5).text, xsts::case(5).text);
    let texts: BTreeSet<String> = (0..20).flat_map(|seed| [cfa::case(seed).text, xsts::case(seed).text]).collect();
    assert_eq!(texts.len(), 40);
}

#[test]
fn damaged_texts_differ_and_repeat() {
    let texts: BTreeSet<String> = (0..60).flat_map(|seed| [cfa::damaged(seed), xsts::damaged(seed)]).collect();
    assert!(texts.len() >= 110, "{}", texts.len());
    assert_eq!(cfa::damaged(3), cfa::damaged(3));
    assert_eq!(xsts::damaged(3), xsts::damaged(3));
}

fn find<'r>(rows: &'r [Row], operator: &str, operands: &[&str]) -> &'r Row {
    let is_it = |row: &&Row| row.operator == operator && row.operands == operands;
    rows.iter().find(is_it).unwrap_or_else(|| panic!("there is a row for {operator} {operands:?}"))
}

#[test]
fn rows_have_the_results_that_the_notes_give() {
    let (automata, systems) = (cfa::tables(), xsts::tables());
    let rows = [("/", "-1"), ("mod", "2"), ("rem", "-2")];
    for (operator, result) in rows {
        let row = find(&automata, operator, &["5", "- 3"]);
        assert_eq!(row.result.replace(' ', ""), result, "{}", row.expression);
        let operator = if operator == "mod" { "%" } else { operator };
        assert_eq!(find(&systems, operator, &["5", "- 3"]).result.replace(' ', ""), result);
    }
    assert_eq!(find(&automata, "bvudiv", &["4'd3", "4'd0"]).result, "4'd15");
    assert_eq!(find(&automata, "bvsdiv", &["4'd8", "4'd0"]).result, "4'd1");
    assert_eq!(find(&automata, "bvshl", &["4'd3", "4'd8"]).result, "4'd0");
    assert_eq!(find(&systems, "==", &["Colour.Red", "Colour.Blue"]).result, "false");
}

#[test]
fn every_operator_has_rows() {
    let operators = |rows: Vec<Row>| rows.into_iter().map(|row| row.operator).collect::<BTreeSet<String>>();
    let (automata, systems) = (operators(cfa::tables()), operators(xsts::tables()));
    assert_eq!((automata.len(), systems.len()), (ALL.len() + 31, ALL.len()), "{automata:?} {systems:?}");
}

/// Those of `.xsts`.
const ALL: [&str; 23] = [
    "iff", "=>", "||", "xor", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "rem", "!", "if", "[]",
    "[<-]", "unary -", "unary +",
];

#[test]
fn rows_are_models() {
    let rows = cfa::tables();
    let row = find(&rows, "bvadd", &["4'd13", "4'd8"]);
    assert_eq!(
        row.model(Operands::Stored, Claim::Equal),
        "main process row {\nvar operand0 : bv [4]\nvar operand1 : bv [4]\ninit loc S loc T final loc F error loc E\n\
         S -> T { operand0 := 4'd13 operand1 := 4'd8 }\nT -> F { assume operand0 bvadd operand1 = 4'd5 }\n\
         T -> E { assume operand0 bvadd operand1 /= 4'd5 }\n}\n"
    );
    let rows = xsts::tables();
    let row = find(&rows, "rem", &["- 5", "- 3"]);
    assert_eq!(
        row.model(Operands::Written, Claim::Different),
        "type Colour : { Red, Green, Blue }\nvar done : boolean = false\ntrans { done := true; } init { } env { }\n\
         prop { - 5 rem - 3 != - 1 }\n"
    );
}
