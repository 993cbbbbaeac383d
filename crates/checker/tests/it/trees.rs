//! Runs of trees: which are accepted, and in which words the others are not.

use expect_test::{Expect, expect};
use lapidary_base::{Control, IdVec, Stop};
use lapidary_checker::tree::Composition;
use lapidary_checker::{Budget, Rejection, certify_tree, replay_tree};
use lapidary_frontends::altarica;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{Action, FlatEvent, Tree, VarId};
use lapidary_text::Sources;
use lapidary_verdict::{Checked, Enumeration, Field, Layout, State, Trace};

fn tree(text: &str, node: &str) -> Tree {
    let mut sources = Sources::default();
    let id = sources.add("test.alt", text);
    let (document, diagnostics) = altarica::load(&sources, id);
    let document = document.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
    let (tree, diagnostics) = document.instantiate(&sources, node);
    tree.unwrap_or_else(|| panic!("{:?}", diagnostics.list))
}

/// `up, lift.up` as a flat event.
fn flat(tree: &Tree, names: &str) -> FlatEvent {
    let mut flat: FlatEvent = tree.components.iter().map(|_| EPSILON).collect();
    for name in names.split(", ").filter(|name| !name.is_empty()) {
        let (path, event) = name.rsplit_once('.').unwrap_or(("", name));
        let component = tree.component(path).expect("a component");
        flat[component] = tree.components[component].event(event).expect("an event");
    }
    flat
}

/// `x=1 c.y=0`: all others are zero.
fn state(tree: &Tree, values: &str) -> State {
    let mut state = vec![0; tree.vars.len()];
    for (name, value) in values.split(' ').filter_map(|word| word.split_once('=')) {
        let var = tree.vars.ids().find(|&var| tree.vars[var].name == name).expect("a variable");
        state[var.0 as usize] = value.parse().expect("a number");
    }
    state.into()
}

fn trace(events: &[FlatEvent], states: &[State]) -> Trace {
    Trace { states: states.to_vec(), actions: events.iter().cloned().map(Action::Vector).collect(), loop_start: None }
}

fn replay(tree: &Tree, events: &[&str], states: &[&str]) -> Result<(), Rejection> {
    let events: Vec<FlatEvent> = events.iter().map(|names| flat(tree, names)).collect();
    let states: Vec<State> = states.iter().map(|values| state(tree, values)).collect();
    replay_tree(tree, &trace(&events, &states), &Control::new())
}

fn rejects(tree: &Tree, events: &[&str], states: &[&str], why: Expect) {
    match replay(tree, events, states) {
        Ok(()) => why.assert_eq("accepted"),
        Err(found) => why.assert_eq(&found.to_string()),
    }
}

/// The flat events that can be fired, with where they lead.
fn steps(tree: &Tree, from: &str) -> Vec<String> {
    let composition = Composition::new(tree);
    let found = composition.successors(&state(tree, from), &Control::new()).unwrap();
    let shown = |(flat, next): (FlatEvent, State)| {
        let values = next.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        format!("{} -> {values}", tree.flat_event_name(&flat))
    };
    let mut shown: Vec<String> = found.into_iter().map(shown).collect();
    shown.sort();
    shown
}

const STACK: &str = "
node Stack1
  state object : {no, a, b}; flow isEmpty : bool; init object := no;
  assert isEmpty = (object = no);
  event push, pop;
  trans object = no |- push -> object := a; object = no |- push -> object := b; object != no |- pop -> object := no;
edon
node Stack2
  sub Top : Stack1; Stack : Stack1;
  event pushT < pushS; popT > popS;
  trans true |- pushT, pushS, popT, popS -> ;
  sync <pushT, Top.push>; <pushS, Stack.push>; <popT, Top.pop>; <popS, Stack.pop>;
edon";

#[test]
fn a_run_of_the_stack_is_accepted() {
    let tree = tree(STACK, "Stack2");
    let start = "Top.isEmpty=1 Stack.isEmpty=1";
    let one = "Stack.object=1 Top.isEmpty=1";
    let two = "Stack.object=1 Top.object=2";
    assert_eq!(replay(&tree, &["pushS, Stack.push", "pushT, Top.push"], &[start, one, two]), Ok(()));
    assert_eq!(replay(&tree, &[""], &[start, start]), Ok(()));
    assert_eq!(
        steps(&tree, start),
        [" -> 0 1 0 1", "<pushS, Stack.push> -> 0 1 1 0", "<pushS, Stack.push> -> 0 1 2 0"]
    );
}

#[test]
fn a_long_run_is_followed_within_the_limits_and_a_short_one_whatever_they_are() {
    let tree = tree(STACK, "Stack2");
    let start = state(&tree, "Top.isEmpty=1 Stack.isEmpty=1");
    let cancelled = Control::new();
    cancelled.cancel();
    let run = |n: usize| trace(&vec![flat(&tree, ""); n], &vec![start.clone(); n + 1]);
    let waits = |n: usize| replay_tree(&tree, &run(n), &cancelled);
    assert_eq!(waits(10), Ok(()));
    assert_eq!(waits(2000), Err(Rejection::Stopped(Stop::Interrupted)));
}

#[test]
fn wrong_steps_of_the_stack_are_explained() {
    let tree = tree(STACK, "Stack2");
    let start = "Top.isEmpty=1 Stack.isEmpty=1";
    let top = "Top.object=1 Stack.isEmpty=1";
    let one = "Stack.object=1 Top.isEmpty=1";
    rejects(
        &tree,
        &["pushT, Top.push"],
        &[start, top],
        expect![
            "step 1, <pushT, Top.push>: Stack2: priority: pushT is lower than pushS, which can be fired (vector <pushT, Top.push>)"
        ],
    );
    rejects(
        &tree,
        &["popS, Stack.pop"],
        &[start, start],
        expect!["step 1, <popS, Stack.pop>: Stack: no guard of Stack.pop is true (vector <Stack.pop>)"],
    );
    rejects(
        &tree,
        &["pushS, Top.push"],
        &[start, top],
        expect!["step 1, <pushS, Top.push>: Stack2: no vector allows <pushS, Top.push>"],
    );
    rejects(&tree, &["Top.push"], &[start, top], expect!["step 1, Top.push: Stack2: no vector allows Top.push"]);
    rejects(
        &tree,
        &["pushS, Stack.push"],
        &[start, start],
        expect![
            "step 1, <pushS, Stack.push>: none of its 2 ways leads to (Top.object=no Top.isEmpty=true Stack.object=no Stack.isEmpty=true)"
        ],
    );
    rejects(
        &tree,
        &["", "pushS, Stack.push"],
        &[start, start, top],
        expect![
            "step 2, <pushS, Stack.push>: none of its 2 ways leads to (Top.object=a Top.isEmpty=false Stack.object=no Stack.isEmpty=true)"
        ],
    );
    rejects(&tree, &[""], &[start, one], expect!["step 1, epsilon: leads elsewhere: Stack.object is a, expected no"]);
    rejects(&tree, &[], &[one], expect!["state 0: not initial: Stack.object is a, expected no"]);
    rejects(
        &tree,
        &[],
        &["Top.isEmpty=1"],
        expect!["state 0: not a configuration: assertion 1 of Stack is not satisfied"],
    );
    rejects(&tree, &[], &["Top.object=3"], expect!["state 0: Top.object is 3, outside {no, a, b}"]);
    rejects(&tree, &[""], &[start], expect!["the trace has 1 states and 1 actions, it needs one action less"]);
    let short = [IdVec::from(vec![EPSILON])];
    let states = [state(&tree, start), state(&tree, start)];
    let why = replay_tree(&tree, &trace(&short, &states), &Control::new()).unwrap_err();
    expect!["step 1: 1 events for 3 components"].assert_eq(&why.to_string());
}

#[test]
fn an_epsilon_lets_everything_hidden_below_it_run_at_the_same_time() {
    let text = "
        node A event a; state x : bool; trans x |- a -> x := not x; edon
        node B sub a : A; event b; state x : bool; trans x |- b -> x := not x; edon
        node C sub b : B; event c; state x : bool; trans x |- c -> x := not x; edon";
    let tree = tree(text, "C");
    // In the order of the variables: x, b.x, b.a.x.
    let expected = [" -> 1 1 1", "<c, b.a.a> -> 0 1 0", "b.a.a -> 1 1 0", "b.b -> 1 0 1", "c -> 0 1 1"];
    assert_eq!(steps(&tree, "x=1 b.x=1 b.a.x=1"), expected);
    rejects(&tree, &["c, b.b"], &["x=1 b.x=1", ""], expect!["step 1, <c, b.b>: C: no vector allows <c, b.b>"]);
    rejects(
        &tree,
        &["b.b, b.a.a"],
        &["b.x=1 b.a.x=1", ""],
        expect!["step 1, <b.b, b.a.a>: b: no vector allows <b.b, b.a.a>"],
    );
}

const BROADCAST: &str = "
node Lamp state on : bool; init on := false; event go; trans ~on |- go -> on := true; edon
node Hall
  sub l : Lamp[3]; event switch, other; trans true |- switch, other -> ;
  sync <switch, l[0].go?, l[1].go?, l[2].go?> COUNT;
edon";

#[test]
fn a_broadcast_takes_as_many_as_can_take_part() {
    let tree = tree(&BROADCAST.replace("COUNT", ""), "Hall");
    let all = "<switch, l[0].go, l[1].go, l[2].go> -> 1 1 1";
    assert_eq!(steps(&tree, ""), [" -> 0 0 0", all, "other -> 0 0 0"]);
    let two = "<switch, l[0].go, l[2].go> -> 1 1 1";
    assert_eq!(steps(&tree, "l[1].on=1"), [" -> 0 1 0", two, "other -> 0 1 0"]);
    assert_eq!(steps(&tree, "l[0].on=1 l[1].on=1 l[2].on=1"), [" -> 1 1 1", "other -> 1 1 1", "switch -> 1 1 1"]);
    rejects(
        &tree,
        &["switch, l[0].go"],
        &["", "l[0].on=1"],
        expect![
            "step 1, <switch, l[0].go>: Hall: broadcast: more of the optional events can take part (vector <switch, l[0].go?, l[1].go?, l[2].go?>)"
        ],
    );
    rejects(
        &tree,
        &["switch"],
        &["", ""],
        expect![
            "step 1, switch: Hall: broadcast: more of the optional events can take part (vector <switch, l[0].go?, l[1].go?, l[2].go?>)"
        ],
    );
}

#[test]
fn a_bound_on_a_broadcast_leaves_choices_out() {
    let tree = tree(&BROADCAST.replace("COUNT", "<= 1"), "Hall");
    let one = ["<switch, l[0].go> -> 1 0 0", "<switch, l[1].go> -> 0 1 0", "<switch, l[2].go> -> 0 0 1"];
    assert_eq!(steps(&tree, ""), [" -> 0 0 0", one[0], one[1], one[2], "other -> 0 0 0"]);
    rejects(
        &tree,
        &["switch, l[0].go, l[1].go"],
        &["", "l[0].on=1 l[1].on=1"],
        expect!["step 1, <switch, l[0].go, l[1].go>: Hall: no vector allows <switch, l[0].go, l[1].go>"],
    );
    let tree = self::tree(&BROADCAST.replace("COUNT", ">= 2"), "Hall");
    assert_eq!(steps(&tree, "l[0].on=1 l[1].on=1"), [" -> 1 1 0", "other -> 1 1 0"]);
}

/// `high` has priority in `P`, whose assertion forbids what it does once `limit` is reached; the parent forbids more.
const PRIORITY: &str = "
node P
  state n : [0,5]; m : [0,5]; flow f : [0,9]; init n := 0, m := 0;
  assert f = n + n; f <= 4;
  event high > low;
  trans true |- high -> n := n + 1; true |- low -> m := m + 1;
edon
node Q
  sub p : P; flow g : [0,9];
  assert g = p.f; g <= 2;
edon";

#[test]
fn priorities_look_at_the_flows_of_their_own_subtree_only() {
    let tree = tree(PRIORITY, "Q");
    let at = |n: i64| format!("p.n={n} p.f={} g={}", 2 * n, 2 * n);
    // Q would block the third value of n, but P does not know: high can be fired in P, so low cannot, and Q has neither.
    assert_eq!(steps(&tree, &at(0)), [" -> 0 0 0 0", "p.high -> 2 1 0 2"]);
    assert_eq!(steps(&tree, &at(1)), [" -> 2 1 0 2"]);
    let low = format!("{} p.m=1", at(1));
    rejects(
        &tree,
        &["p.high", "p.low"],
        &[&at(0), &at(1), &low],
        expect!["step 2, p.low: p: priority: p.low is lower than p.high, which can be fired (vector <p.low>)"],
    );
    let alone = self::tree(PRIORITY, "P");
    // Within P the assertion blocks high where f would be 6, and then low may go.
    assert_eq!(steps(&alone, "n=2 f=4"), [" -> 2 0 4", "low -> 2 1 4"]);
    let (zero, one, two) = ("", "n=1 f=2", "n=2 f=4");
    rejects(
        &alone,
        &["high", "high", "high"],
        &[zero, one, two, "n=3 f=6"],
        expect!["state 3: not a configuration: assertion 2 of P is not satisfied"],
    );
    rejects(
        &alone,
        &["high", "high", "high"],
        &[zero, one, two, two],
        expect!["step 3, high: P: no flows satisfy the assertions of P afterwards (vector <high>)"],
    );
}

#[test]
fn updates_that_leave_their_domain_are_explained() {
    let text = "node N state n : [0,1]; init n := 0; event up; trans true |- up -> n := n + 1; edon";
    let tree = tree(text, "N");
    rejects(
        &tree,
        &["up", "up"],
        &["", "n=1", "n=1"],
        expect!["step 2, up: N: up gives n the value 2, outside 0..1 (vector <up>)"],
    );
}

#[test]
fn free_flows_take_every_value_that_the_assertions_allow() {
    let text = "
        node N state s : bool; flow f, g : [0,2]; init s := false;
        assert f <= g; s => (f = g); event on; trans ~s |- on -> s := true; edon";
    let tree = tree(text, "N");
    let order: Vec<&str> = tree.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(order, ["s", "f", "g"]);
    assert_eq!(steps(&tree, "s=1 f=1 g=1"), [" -> 1 0 0", " -> 1 1 1", " -> 1 2 2"]);
    assert_eq!(steps(&tree, "f=0 g=1").len(), 6 + 3);
    assert_eq!(Composition::new(&tree).initial(&Control::new()).unwrap().len(), 6);
    assert_eq!(replay(&tree, &["on", ""], &["f=0 g=1", "s=1 f=2 g=2", "s=1"]), Ok(()));
    rejects(
        &tree,
        &["on"],
        &["f=0 g=1", "s=1 f=1 g=2"],
        expect!["state 1: not a configuration: assertion 2 of N is not satisfied"],
    );
}

#[test]
fn public_events_keep_their_name_above_and_can_be_synchronised_there() {
    let text = "
        node Button state lit : bool; init lit := false; event push : public; trans ~lit |- push -> lit := true; edon
        node Panel sub b : Button[2]; edon
        node House sub p : Panel; event ring, door; trans true |- ring, door -> ; sync <ring, p.b[0].push>; edon";
    let tree = tree(text, "House");
    let expected = [" -> 0 0", "<ring, p.b[0].push> -> 1 0", "door -> 0 0", "p.b[1].push -> 0 1"];
    assert_eq!(steps(&tree, ""), expected);
    rejects(
        &tree,
        &["p.b[0].push"],
        &["", "p.b[0].lit=1"],
        expect!["step 1, p.b[0].push: House: no vector allows p.b[0].push"],
    );
    rejects(
        &tree,
        &["p.b[0].push, p.b[1].push"],
        &["", "p.b[0].lit=1 p.b[1].lit=1"],
        expect!["step 1, <p.b[0].push, p.b[1].push>: p: no vector allows <p.b[0].push, p.b[1].push>"],
    );
    rejects(
        &tree,
        &["door, p.b[1].push"],
        &["", "p.b[1].lit=1"],
        expect!["step 1, <door, p.b[1].push>: House: no vector allows <door, p.b[1].push>"],
    );
}

fn listed(tree: &Tree, states: &[State]) -> Enumeration {
    let field = |var: usize| Field { word: u32::try_from(var).unwrap(), shift: 0, bits: 8, lo: 0 };
    let fields: IdVec<VarId, Field> = (0..tree.vars.len()).map(field).collect();
    let chunk = states.iter().flat_map(|state| state.iter().map(|&value| u64::try_from(value).unwrap())).collect();
    Enumeration { layout: Layout { words: tree.vars.len(), fields }, chunks: vec![chunk], n_states: states.len() }
}

#[test]
fn a_list_of_configurations_must_have_all_successors() {
    let tree = tree(STACK, "Stack2");
    let composition = Composition::new(&tree);
    let control = Control::new();
    let mut states = composition.initial(&control).unwrap();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        next += 1;
        for (_, to) in composition.successors(&state, &control).unwrap() {
            if !states.contains(&to) {
                states.push(to);
            }
        }
    }
    assert_eq!(states.len(), 7);
    let judge = |states: &[State], jobs| certify_tree(&tree, &listed(&tree, states), Budget::default(), jobs, &control);
    assert_eq!(judge(&states, 1), Ok(Checked::Fully));
    assert_eq!(judge(&states, 3), Ok(Checked::Fully));
    let without_first = judge(&states[1..], 1).unwrap_err().to_string();
    expect![
        "the initial configuration (Top.object=no Top.isEmpty=true Stack.object=no Stack.isEmpty=true) is not listed"
    ]
    .assert_eq(&without_first);
    let without_last = judge(&states[..6], 1).unwrap_err().to_string();
    expect!["state 2 (Top.object=no Top.isEmpty=true Stack.object=b Stack.isEmpty=false) leads by <pushT, Top.push> to (Top.object=b Top.isEmpty=false Stack.object=b Stack.isEmpty=false), which is not listed"].assert_eq(&without_last);
    assert_eq!(judge(&states[..6], 3).unwrap_err().to_string(), without_last);
}

#[test]
fn what_cannot_be_computed_is_neither_a_step_nor_none() {
    // The cube of b is even, but has more digits than the interpreter.
    let text = "node N
        state x : [0,1]; b : [0,4611686018427387904]; init x := 0, b := 4611686018427387904;
        event low < high;
        trans true |- low -> ; true |- high -> x := b * b * b mod 2;
    edon
    node F
        state b : [0,4611686018427387904]; flow f : [0,1]; init b := 4611686018427387904;
        assert f = b * b * b mod 2;
    edon";
    let is_overflow = |found: &Rejection| matches!(found, Rejection::Stopped(Stop::Overflow(_)));
    let priority = tree(text, "N");
    let big = "b=4611686018427387904";
    let found = replay(&priority, &["low"], &[big, big]).expect_err("high has priority and can be fired");
    assert!(is_overflow(&found), "{found}");
    let flow = tree(text, "F");
    let found = Composition::new(&flow).initial(&Control::new()).expect_err("there is an initial configuration");
    assert!(is_overflow(&found), "{found}");
}
