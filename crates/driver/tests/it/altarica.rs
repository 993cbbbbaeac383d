//! Verdicts on random hierarchies: every engine, in every direction, agrees with a search of the composed graph.

use crate::meanings::{Meaning, listed};
use lapidary_base::{Control, Id};
use lapidary_driver::cover::{Analysis, Heuristics};
use lapidary_driver::{
    CheckRequest, CoverOptions, EngineChoice, LoadRequest, Loaded, SearchDirection, SearchOrder, check, open_text,
};
use lapidary_engines::cover::{CEGAR, PCEGAR};
use lapidary_engines::reach::EXPLICIT;
use lapidary_engines::symbolic::BDD;
use lapidary_frontends::altarica;
use lapidary_ir::model::Var;
use lapidary_ir::{Domain, Expr, Tree};
use lapidary_reference::altarica::{Arithmetic, Named, Shape, Sort, condition, hierarchy};
use lapidary_reference::seeds;
use lapidary_system::evaluate::Scope;
use lapidary_text::{Sources, Span};
use lapidary_verdict::{Evidence, Verdict};

const N_HIERARCHIES: u64 = 120;
const N_CONDITIONS: u64 = 3;
const DEADLOCK_FREE: &str = "deadlock_free";
/// Small tables are made faster.
const MEMORY: u64 = 512 << 20;

const WAYS: [(EngineChoice, SearchOrder, SearchDirection); 5] = [
    (EngineChoice::Auto, SearchOrder::BreadthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&EXPLICIT), SearchOrder::BreadthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&EXPLICIT), SearchOrder::DepthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&BDD), SearchOrder::BreadthFirst, SearchDirection::Forward),
    (EngineChoice::Named(&BDD), SearchOrder::BreadthFirst, SearchDirection::Backward),
];

fn arithmetic(seed: u64) -> Arithmetic {
    if seed.is_multiple_of(2) { Arithmetic::Total } else { Arithmetic::Partial }
}

/// A tree of its own, so that nothing is shared with what is checked.
struct Brute {
    tree: Tree,
    meaning: Meaning,
    /// For every configuration the least number of steps to it.
    depths: Vec<usize>,
    formulas: Vec<(String, Expr)>,
}

impl Brute {
    fn new(seed: u64, text: &str, root: &str) -> Self {
        let mut sources = Sources::default();
        let source = sources.add("m.alt", text);
        let document = altarica::load(&sources, source).0.expect("random texts are correct");
        let tree = document.instantiate(&sources, root).0.expect("random texts are correct");
        let meaning = listed::composed(&tree);
        let depths = depths(&meaning);
        let mut formulas = Vec::new();
        for text in conditions(seed, &tree).chain(not_the_farthest(&tree, &meaning, &depths)) {
            let source = sources.add("-p", text.as_str());
            let span = Span::new(source, 0, u32::try_from(text.len()).unwrap());
            let expr = document.formula(&tree, &sources, span).expect("random conditions are correct");
            formulas.push((text, expr));
        }
        Self { tree, meaning, depths, formulas }
    }

    /// The least number of steps to a configuration in which the formula is not true.
    fn violated_after(&self, formula: Expr) -> Option<usize> {
        let is_true = |number: usize| {
            let state = &self.meaning.configurations[number];
            let family = |_| panic!("trees have no families");
            let read = |var: lapidary_ir::VarId| state[var.index()];
            let sort = |var: lapidary_ir::VarId| self.tree.vars[var].domain.sort();
            let (exprs, enums) = (&self.tree.exprs, &self.tree.enums);
            Scope { exprs, family: &family, read: &read, sort: &sort, enums }.value(formula) == Some(1)
        };
        (0..self.depths.len()).filter(|&number| !is_true(number)).map(|number| self.depths[number]).min()
    }

    fn stuck_after(&self) -> Option<usize> {
        self.meaning.deadlocks.iter().map(|&number| self.depths[number]).min()
    }
}

/// Random conditions over all variables, those of subcomponents included.
fn conditions(seed: u64, tree: &Tree) -> impl Iterator<Item = String> + use<> {
    let named = |var: &Var| Named { path: var.name.clone(), sort: sort(var.domain) };
    let vars: Vec<Named> = tree.vars.iter().map(named).collect();
    (0..N_CONDITIONS).map(move |number| condition(seed * N_CONDITIONS + number, &vars, arithmetic(seed)))
}

/// A condition that one of the configurations with the longest way to them violates, and no other configuration.
fn not_the_farthest(tree: &Tree, meaning: &Meaning, depths: &[usize]) -> Option<String> {
    let farthest = (0..depths.len()).max_by_key(|&number| depths[number])?;
    let value = |var: &Var, value: i64| match var.domain {
        Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither"),
        Domain::Bool => (value == 1).to_string(),
        Domain::Enum(of) => tree.enums[of].literals[usize::try_from(value).unwrap()].clone(),
        Domain::Range { .. } | Domain::Int => value.to_string(),
    };
    let values = tree.vars.iter().zip(&meaning.configurations[farthest]);
    let parts: Vec<String> = values.map(|(var, &at)| format!("{} != {}", var.name, value(var, at))).collect();
    (!parts.is_empty()).then(|| parts.join(" or "))
}

fn sort(domain: Domain) -> Sort {
    match domain {
        Domain::Bits(_) | Domain::Array(_) => unreachable!("AltaRica has neither"),
        Domain::Bool => Sort::Bool,
        Domain::Enum(_) => Sort::Colour,
        Domain::Range { hi, .. } => Sort::Int(i128::from(hi)),
        Domain::Int => panic!("all domains are finite"),
    }
}

fn depths(meaning: &Meaning) -> Vec<usize> {
    let mut depths = vec![usize::MAX; meaning.configurations.len()];
    let mut ring = meaning.initial.clone();
    let mut depth = 0;
    while !ring.is_empty() {
        ring.iter().for_each(|&state| depths[state] = depth);
        depth += 1;
        let leaves = |&&(from, _, _): &&(usize, _, usize)| depths[from] == depth - 1;
        let next = meaning.transitions.iter().filter(leaves).map(|&(_, _, to)| to);
        ring = next.filter(|&to| depths[to] == usize::MAX).collect();
    }
    depths
}

fn load(text: &str, root: &str, formulas: &[(String, Expr)]) -> Loaded {
    let names = formulas.iter().map(|(text, _)| text.clone());
    let request = LoadRequest {
        path: "m.alt".to_owned(),
        properties: names.chain([DEADLOCK_FREE.to_owned()]).collect(),
        node: Some(root.to_owned()),
        ..LoadRequest::default()
    };
    open_text(&request, text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{}\n{text}", error.render()))
}

/// Compares one report with what is expected of each property: the length of a shortest run that violates it.
fn compare(loaded: &Loaded, expected: &[(&str, Option<usize>)], request: &CheckRequest, what: &str) {
    let report = check(loaded, request, &Control::new().with_memory(Some(MEMORY)));
    assert_eq!(report.internal_errors, Vec::<String>::new(), "{what}");
    assert_eq!(report.properties.len(), expected.len(), "{what}");
    for (found, &(name, expected)) in report.properties.iter().zip(expected) {
        let what = format!("{name}, {request:?}, {what}");
        let verdict = if expected.is_some() { Verdict::Violated } else { Verdict::Holds };
        assert_eq!(found.verdict, verdict, "{:?} {what}", found.evidence);
        let Evidence::Trace(trace) = &found.evidence else { continue };
        let is_refining =
            request.engine == EngineChoice::Named(&CEGAR) || request.engine == EngineChoice::Named(&PCEGAR);
        if request.order == SearchOrder::BreadthFirst && !is_refining {
            assert_eq!(Some(trace.n_steps()), expected, "{what}");
        }
    }
}

fn part(seeds: impl Iterator<Item = u64>) {
    let (mut n_holding, mut n_violated, mut longest, mut n_stuck) = (0, 0, 0, 0);
    for seed in seeds {
        let made = hierarchy(seed, &Shape { n_nodes: 4, max_valuations: 400, arithmetic: arithmetic(seed) });
        let brute = Brute::new(seed, &made.text, &made.root);
        let mut loaded = load(&made.text, &made.root, &brute.formulas);
        let mut expected: Vec<(&str, Option<usize>)> = Vec::new();
        for (text, formula) in &brute.formulas {
            // Asking twice is asking once.
            if !expected.iter().any(|(known, _)| known == text) {
                expected.push((text, brute.violated_after(*formula)));
            }
        }
        expected.push((DEADLOCK_FREE, brute.stuck_after()));
        for (engine, order, direction) in WAYS {
            let request = CheckRequest { engine, order, direction, jobs: 1, ..CheckRequest::default() };
            compare(&loaded, &expected, &request, &format!("seed {seed}\n{}", made.text));
        }
        for engine in [EngineChoice::Named(&CEGAR), EngineChoice::Named(&PCEGAR)] {
            let analysis = if seed.is_multiple_of(2) { Analysis::Forward } else { Analysis::Backward };
            let cover = CoverOptions {
                heuristics: Heuristics { analysis, ..Heuristics::default() },
                ..CoverOptions::default()
            };
            let request = CheckRequest { engine, cover, ..CheckRequest::default() };
            compare(&loaded, &expected, &request, &format!("seed {seed}\n{}", made.text));
        }
        // Without its tree the flattened model is a model like any other.
        let model = loaded.subject.model(&Control::new()).expect("small trees are flattened").clone();
        loaded.subject = lapidary_ir::Subject::Model(model);
        for direction in [SearchDirection::Forward, SearchDirection::Backward] {
            let (engine, order) = (EngineChoice::Named(&BDD), SearchOrder::BreadthFirst);
            let request = CheckRequest { engine, order, direction, jobs: 1, ..CheckRequest::default() };
            compare(&loaded, &expected, &request, &format!("seed {seed}, flattened\n{}", made.text));
        }
        n_stuck += usize::from(brute.stuck_after().is_some());
        n_violated += expected.iter().filter(|(_, after)| after.is_some()).count();
        n_holding += expected.iter().filter(|(_, after)| after.is_none()).count();
        longest = expected.iter().filter_map(|&(_, after)| after).chain([longest]).max().unwrap();
    }
    assert!(
        n_holding >= seeds::least(80) && n_violated >= seeds::least(80),
        "{n_holding} hold, {n_violated} are violated"
    );
    assert!(n_stuck >= seeds::least(4) && longest >= seeds::least(4), "{n_stuck} deadlocks, {longest} steps");
}

#[test]
fn engines_agree_with_a_search_of_the_composed_graph_on_even_seeds() {
    part(seeds::of(0..N_HIERARCHIES).into_iter().filter(|seed| seed % 2 == 0));
}

#[test]
fn engines_agree_with_a_search_of_the_composed_graph_on_odd_seeds() {
    part(seeds::of(0..N_HIERARCHIES).into_iter().filter(|seed| seed % 2 == 1));
}

#[test]
fn formulas_that_look_alike_without_white_space_are_both_asked() {
    let text = "node N state 'a b', 'a  b' : [0,1]; init 'a b' := 0, 'a  b' := 1; edon";
    let properties = ["'a b' = 0", "'a  b' = 0", " 'a b' = 0 "].map(str::to_owned).to_vec();
    let request = LoadRequest { path: "m.alt".to_owned(), properties, ..LoadRequest::default() };
    let loaded = open_text(&request, text.into()).unwrap_or_else(|error| panic!("{}", error.render()));
    let request = CheckRequest {
        engine: EngineChoice::Auto,
        order: SearchOrder::BreadthFirst,
        direction: SearchDirection::Forward,
        jobs: 1,
        ..CheckRequest::default()
    };
    let report = check(&loaded, &request, &Control::new().with_memory(Some(MEMORY)));
    let verdicts: Vec<Verdict> = report.properties.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Violated]);
}

/// `not g` defines `g` by an expression that is nowhere in the text.
#[test]
fn flows_that_an_assertion_negates_are_read_as_what_they_are() {
    let text = "node Leaf state n : [0, 3] : public; flow g : bool : public; init n := 2; assert not g; edon
node Main sub x : Leaf; flow h : bool; edon";
    let engines = [
        EngineChoice::Named(&EXPLICIT),
        EngineChoice::Named(&BDD),
        EngineChoice::Named(&CEGAR),
        EngineChoice::Named(&PCEGAR),
    ];
    // One at a time: every formula adds expressions of its own.
    for (formula, expected) in [("h", Verdict::Violated), ("x.g", Verdict::Violated), ("x.n = 2", Verdict::Holds)] {
        for engine in engines {
            let properties = vec![formula.to_owned()];
            let request = LoadRequest { path: "m.alt".to_owned(), properties, ..LoadRequest::default() };
            let loaded = open_text(&request, text.into()).unwrap_or_else(|error| panic!("{}", error.render()));
            let request = CheckRequest { engine, ..CheckRequest::default() };
            let report = check(&loaded, &request, &Control::new().with_memory(Some(MEMORY)));
            assert_eq!(report.internal_errors, Vec::<String>::new(), "{formula}, {engine:?}");
            assert_eq!(report.properties[0].verdict, expected, "{formula}, {engine:?}");
        }
    }
}
