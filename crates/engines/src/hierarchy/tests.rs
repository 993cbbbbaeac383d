//! Claims of the chapter, each on the smallest system that shows it.

use lapidary_base::Control;
use lapidary_bdd::Capacity;
use lapidary_frontends::altarica;
use lapidary_ir::{Subject, Tree};
use lapidary_text::{Sources, Span};

use super::cegar::{Covering, Loop};
use super::cover::{Cover, event_predicates, separated};
use super::local::Local;
use super::product::{Found, Product, goal};
use super::tally::Tally;
use super::{Analysis, Config, HierarchicalEngine, Refinement, answers};
use crate::goals;
use crate::{Engine, Outcome, Refused, Target, Task, Unsupported};

const CAPACITY: Capacity = Capacity { nodes: 1 << 16, cache: 1 << 14, threads: 1 };
const CONFIG: Config =
    Config { analysis: Analysis::Forward, refinement: Refinement::Direct, most_iterations: None, threads: 1 };

struct Case {
    subject: Subject,
    target: Target,
    sources: Sources,
}

impl Case {
    /// `formula` is what is looked for.
    fn new(text: &str, formula: &str) -> Self {
        let mut sources = Sources::default();
        let source = sources.add("case.alt", text);
        let (document, diagnostics) = altarica::load(&sources, source);
        let document = document.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let root = document.nodes().last().map(|name| (*name).to_owned()).expect("there is a node");
        let (tree, diagnostics) = document.instantiate(&sources, &root);
        let tree = tree.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let source = sources.add("formula", formula);
        let span = Span::new(source, 0, u32::try_from(formula.len()).unwrap());
        let target = document.formula(&tree, &sources, span).unwrap_or_else(|log| panic!("{log:?}"));
        Self { subject: Subject::from(tree), target: Target::States(target), sources }
    }

    fn tree(&self) -> &Tree {
        self.subject.tree().expect("a hierarchy")
    }

    fn with_task<T>(&self, ask: impl FnOnce(&Task<'_>) -> T) -> T {
        ask(&Task { subject: &self.subject, goals: &goals(&[self.target]), sources: &self.sources })
    }

    fn is_reached(&self, covering: Covering) -> bool {
        self.with_task(|task| {
            let control = Control::new();
            let mut found = None;
            answers(task, self.tree(), CONFIG, covering, CAPACITY, &[0], &control, &mut |told| {
                found = told.into_iter().next().map(|(_, answer)| answer.outcome);
            });
            match found.expect("one answer") {
                Outcome::Found(_) => true,
                Outcome::Excluded(_) => false,
                Outcome::Unknown(stop) => panic!("{stop}"),
            }
        })
    }
}

/// Figure 5.3: the inner node prefers `a`, which nobody above takes; at the outer one it would prefer nothing to `b`.
const INNER: &str = "
node Inner state q : [0,1]; init q := 0; event a, b; event b < a;
  trans q = 0 |- a -> q := 1; q = 0 |- b -> q := 1; edon
node Outer sub i : Inner; state done : bool; init done := false; event a, b;
  trans false |- a -> ; true |- b -> done := true;
  sync <a, i.a>; <b, i.b>; edon";

#[test]
fn priorities_cannot_be_moved_up_to_the_parent() {
    let moved = INNER
        .replace("event b < a;", "")
        .replace("done := false; event a, b;", "done := false; event a, b; event b < a;");
    assert_ne!(moved, INNER);
    assert!(!Case::new(INNER, "done").is_reached(Covering::Neat));
    assert!(Case::new(&moved, "done").is_reached(Covering::Neat));
}

/// Figure 5.10: one node, `a` below `b`, and only one of them can be fired from each state.
const TWO_WAYS: &str = "
node Only state q : [1,4]; init q := 1; event a, b; event a < b;
  trans q = 1 |- a -> q := 2; q = 3 |- b -> q := 4; edon";

#[test]
fn a_cover_that_is_not_neat_is_unsound_with_priorities() {
    let case = Case::new(TWO_WAYS, "q = 2");
    assert!(case.is_reached(Covering::Neat));
    // One and three are in one block, in which b is possible, so that a seems to be forbidden: a wrong answer.
    assert!(!case.is_reached(Covering::Plain));
    // Without the priority there is no difference.
    let free = Case::new(&TWO_WAYS.replace("event a < b;", ""), "q = 2");
    assert!(free.is_reached(Covering::Neat) && free.is_reached(Covering::Plain));
}

#[test]
fn a_neat_cover_tells_the_states_of_figure_5_10_apart() {
    let case = Case::new(TWO_WAYS, "q = 2");
    let control = Control::new();
    let local = Local::new(case.tree(), CAPACITY, &control).unwrap();
    let predicates = event_predicates(&local, 0).unwrap();
    let space = &local.frame.space;
    let blocks = separated(space, &local.units[0].configurations, &predicates, &control).unwrap();
    let columns = local.units[0].columns(&local.frame);
    let mut sizes: Vec<Option<u128>> =
        blocks.iter().map(|block| space.count(block, &columns).expect("no limit")).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [Some(1), Some(1), Some(2)]);
}

/// Figure 5.11: in `C` b wins over c, in `B` c wins over a, and the root takes a and b only.
///
/// From 1 leads b, from 2 leads a, from 3 lead a and c. Above, c of 3 beats a and is not taken itself, so that 3 is
/// stuck. In the cover {1,2,3}, {4,5}, {6,7}, b beats c, and a leads from the first block to the last: only 3 had that
/// step, and the system does not.
const NOT_A_COVER: &str = "
node C state q : [1,7]; init q := 3; event a, b, c; event c < b;
  trans q = 1 |- b -> q := 4; q = 2 |- a -> q := 5; q = 3 |- a -> q := 6; q = 3 |- c -> q := 7; edon
node B sub c : C; event a, b, c; event a < c; trans true |- a, b, c -> ;
  sync <a, c.a>; <b, c.b>; <c, c.c>; edon
node A sub b : B; event a, b, c; trans true |- a, b -> ; false |- c -> ;
  sync <a, b.a>; <b, b.b>; <c, b.c>; edon";

#[test]
fn equal_outgoing_actions_are_not_enough_for_a_cover_abstraction() {
    let case = Case::new(NOT_A_COVER, "b.c.q >= 6");
    assert!(!case.is_reached(Covering::Neat));
    let (control, mut tally) = (Control::new(), Tally::default());
    let local = Local::new(case.tree(), CAPACITY, &control).unwrap();
    let (space, places) = (&local.frame.space, &local.frame.places);
    let column = places.column(lapidary_ir::VarId(0), 0).unwrap();
    let range = |lo: u64, hi: u64| space.range(column, lo - 1, hi - 1).unwrap();
    let mut covers = Vec::new();
    for unit in 0..local.units.len() {
        let by = if unit == 2 { vec![range(1, 3), range(6, 7)] } else { Vec::new() };
        let blocks = separated(space, &local.units[unit].configurations, &by, &control).unwrap();
        covers.push(Cover::new(&local, unit, blocks, &mut tally, &control).unwrap());
    }
    assert_eq!(covers[2].blocks.len(), 3);
    let product = Product::new(&local, &covers, CAPACITY, &control).unwrap();
    let goal = goal(&local, case.target, &case.tree().exprs, &control).unwrap();
    let target = product.target(&local, &covers, goal.as_ref(), &control).unwrap();
    let found = product.search(&target, &mut tally, &control).unwrap();
    // Both have the actions a and b from the first block; but the abstraction has a step that no member has.
    assert!(matches!(found, Found::Run(run) if run.labels.len() == 1));
}

#[test]
fn a_target_over_two_components_is_split_by_cases() {
    let text = "node N state x : [0,3]; init x := 0; event e; trans x < 2 |- e -> x := x + 1; edon
        node R sub a, b : N; event e; trans true |- e -> ; sync <e, a.e, b.e>; edon";
    assert!(!Case::new(text, "a.x != b.x").is_reached(Covering::Neat));
    assert!(Case::new(text, "a.x + b.x = 4").is_reached(Covering::Neat));
    assert!(!Case::new(text, "a.x + b.x > 4").is_reached(Covering::Neat));
    let case = Case::new(text, "a.x = b.x and a.x < 2");
    let control = Control::new();
    let local = Local::new(case.tree(), CAPACITY, &control).unwrap();
    let goal = goal(&local, case.target, &case.tree().exprs, &control).unwrap().unwrap();
    let n_atoms: Vec<usize> = goal.atoms.iter().map(Vec::len).collect();
    assert_eq!(n_atoms, [0, 3, 3], "zero, one, and what makes no difference");
}

#[test]
fn flows_are_chosen_anew_with_every_step() {
    let text = "node N state x : bool; flow f : [0,3]; init x := false; assert x or f < 2; event e;
          trans f = 1 |- e -> x := true; edon
        node R sub n : N; state y : bool; init y := false; event e; trans true |- e -> y := true; edon";
    let case = Case::new(text, "n.f = 3 and not y");
    assert!(case.is_reached(Covering::Neat));
    assert!(!Case::new(text, "n.f = 3 and not n.x").is_reached(Covering::Neat));
}

#[test]
fn a_limit_leaves_the_answer_unknown_and_says_how_far_it_came() {
    let case = Case::new(TWO_WAYS, "q = 4");
    case.with_task(|task| {
        let control = Control::new().with_timeout(Some(std::time::Duration::ZERO));
        let found = HierarchicalEngine { config: CONFIG }.run(task, &control);
        assert!(matches!(found[0].outcome, Outcome::Unknown(lapidary_base::Stop::Timeout)));
        let local = Local::new(case.tree(), CAPACITY, &Control::new()).unwrap();
        let tally = Tally { lengths: vec![1, 2], ..Tally::default() };
        let (config, covering, capacity) = (CONFIG, Covering::Neat, CAPACITY);
        let mut one = Loop { task, local: &local, config, covering, capacity, control: &control, tally };
        assert!(one.decide(case.target).is_err());
        assert_eq!(one.tally.known().as_deref(), Some("within 1 step"));
    });
}

fn refusal(task: &Task<'_>) -> Option<Unsupported> {
    match (HierarchicalEngine { config: CONFIG }).prepare(task, &Control::new()) {
        Ok(_) => None,
        Err(Refused::Unsupported(refused)) => Some(refused),
        Err(Refused::Goals(refused)) => Some(refused[0].1.clone()),
        Err(Refused::Stop(stop)) => panic!("{stop}"),
    }
}

#[test]
fn a_hierarchy_that_is_one_component_is_refused_at_its_assertion() {
    let text = "node N flow f : bool; state x : bool; edon
        node R sub a, b : N; assert a.f = b.x; edon";
    let refused = |text: &str| Case::new(text, "true").with_task(refusal);
    let refusal = refused(text).expect("the root reads what is below");
    assert!(refusal.what.contains("an assertion of the root") && refusal.what.contains("pcegar"), "{}", refusal.what);
    assert!(refusal.span.is_some());
    assert!(refused(&text.replace("assert a.f = b.x;", "")).is_none());
    assert!(refused("node R state x : bool; edon").is_none(), "a single node is one component anyway");
    let below = "node M sub a : N; assert a.f; edon node T sub m : M; n : N; edon";
    let text = text.replace("node R", "node Unused");
    let case = Case::new(&format!("{text} {below}"), "true");
    let merged = super::merged(case.tree());
    assert_eq!(merged.len(), 1);
    assert_eq!(case.tree().components[merged[0].component].path, "m");
}

/// The values of such a function are variables of the root.
#[test]
fn a_hierarchy_that_shares_a_function_of_unknown_values_is_refused() {
    let text = "sig f : bool -> [0,3];
        node N state x : [0,3]; init x := 0; event e; trans x < f(true) |- e -> x := x + 1; edon
        node R sub a, b : N; edon";
    let case = Case::new(text, "a.x = 3");
    let merged = super::merged(case.tree());
    assert!(matches!(&merged[..], [one] if one.component.0 == 0 && one.reader.0 == 1), "{merged:?}");
    let refusal = case.with_task(refusal).expect("one component");
    assert!(refusal.what.starts_with("a guard of a reads variables of the root"), "{}", refusal.what);
    assert!(!Case::new(&text.replace("x < f(true)", "x < 2"), "a.x = 3").is_reached(Covering::Neat));
}
