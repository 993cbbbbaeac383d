//! Controllers made by `project`: their guards, computed by hand, and that they do what they are made for.

use super::support::{Case, ENGINES};
use expect_test::expect;

const TANK: &str = "
node Tank
  state level : [0,3] : public; init level := 1;
  event inc, dec;
  trans level < 3 |- inc -> level := level + 1;
        level > 0 |- dec -> level := level - 1;
edon
";

const CONTROLLER: &str = "
node Free
  flow seen : [0,3];
  event inc, dec, wait;
  trans true |- inc, dec, wait -> ;
edon
";

fn system(controller: &str) -> String {
    format!(
        "node Sys sub T : Tank; C : {controller}; assert C.seen = T.level; sync <T.inc, C.inc>; <T.dec, C.dec>; edon\n"
    )
}

/// Stay at levels 1 and 2.
const SAFE: &str = "
  safe := [T.level > 0 and T.level < 3];
  win -= safe & src(rtgt(win));
  good := rsrc(win) & rtgt(win);
";

/// The text that a projection makes, the same through both engines.
fn made(model: &str, commands: &str) -> String {
    Case::new(model, &format!("with Sys do {commands} done")).printed()
}

#[test]
fn an_event_keeps_the_valuations_from_which_some_transition_has_it() {
    let text = made(
        &(TANK.to_owned() + CONTROLLER + &system("Free")),
        &format!("{SAFE} project(win, (good, empty_t), 'Safe', true, C);"),
    );
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Free'.
         */
        node Safe
         flow
          seen : [0, 3];
         event
          inc, dec, wait;
         trans
          seen=1 |- inc -> ;
          seen=2 |- dec -> ;
          1<=seen and seen<=2 |- wait -> ;
        edon
    "#]]
    .assert_eq(&text);
}

#[test]
fn guards_may_be_listed_valuation_by_valuation() {
    let text = made(
        &(TANK.to_owned() + CONTROLLER + &system("Free")),
        &format!("{SAFE} project(win, (good, empty_t), 'Safe', false, C);"),
    );
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Free'.
         */
        node Safe
         flow
          seen : [0, 3];
         event
          inc, dec, wait;
         trans
          (seen=1) |- inc -> ;
          (seen=2) |- dec -> ;
          (seen=1) or (seen=2) |- wait -> ;
        edon
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_node_that_is_made_takes_the_place_of_the_first() {
    let model = TANK.to_owned() + CONTROLLER + &system("Free");
    let free = "with Sys do bad := [T.level = 0 or T.level = 3]; show(bad, any_s); done";
    let printed = Case::new(&model, free).printed();
    assert!(printed.contains("bad = 2") && printed.contains("any_s = 4"), "{printed}");
    for simplify in ["true", "false"] {
        let controller = made(&model, &format!("{SAFE} project(win, (good, empty_t), 'Safe', {simplify}, C);"));
        let model = TANK.to_owned() + &controller + &system("Safe");
        let checked = Case::new(
            &model,
            "with Sys do test([T.level = 0 or T.level = 3], 0); test(any_s, 2); test(label C.inc, 1); done",
        )
        .printed();
        assert!(!checked.contains("FAILED"), "{checked}");
    }
}

/// A tank that may leak at every other step, against a controller that may fill it up at the others.
const GAME: &str = "
node Tank
  state level : [0,3] : public; turn : {env, ctl} : public; init level := 3, turn := env;
  event leak, calm, inc, wait;
  trans turn = env and level > 0 |- leak -> level := level - 1, turn := ctl;
        turn = env |- calm -> turn := ctl;
        turn = ctl and level < 3 |- inc -> level := level + 1, turn := env;
        turn = ctl |- wait -> turn := env;
edon
";

const PLAYER: &str = "
node Any
  flow seen : [0,3]; mine : bool;
  event inc, wait;
  trans mine |- inc -> ; true |- wait -> ;
edon
";

fn game(controller: &str) -> String {
    format!(
        "node Sys sub T : Tank; C : {controller}; assert C.seen = T.level; assert C.mine = (T.turn = ctl);
         sync <T.inc, C.inc>; <T.wait, C.wait>; edon\n"
    )
}

const STRATEGY: &str = "
  safe := [T.level > 0];
  ours := label C.inc | label C.wait;
  theirs := label T.leak | label T.calm;
  win -= (safe & (src(rtgt(win) & ours) | [T.turn = env])) - src(rtgt(any_s - win) & theirs);
  good := rsrc(win) & rtgt(win) & ours;
";

#[test]
fn a_game_is_won_by_what_is_made_of_its_greatest_fixpoint() {
    let model = GAME.to_owned() + PLAYER + &game("Any");
    // At the leak's turn two units are needed, at ours one: five of eight configurations.
    let sizes = made(&model, &format!("{STRATEGY} test(any_s, 8); test(win, 5); test(initial - win, 0);"));
    assert!(!sizes.contains("FAILED"), "{sizes}");
    let controller = made(&model, &format!("{STRATEGY} project(win, (good, empty_t), 'Winner', true, C);"));
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Any'.
         */
        node Winner
         flow
          seen : [0, 3];
          mine : bool;
         event
          inc, wait;
         trans
          mine and (mine and 1<=seen and seen<=2) |- inc -> ;
          mine and 2<=seen and seen<=3 |- wait -> ;
        edon
    "#]]
    .assert_eq(&controller);
    let controlled = GAME.to_owned() + &controller + &game("Winner");
    let checked = made(&controlled, "test([T.level = 0], 0); test(any_s, 5); test(src(any_t - self), 5);");
    assert!(!checked.contains("FAILED"), "{checked}");
}

#[test]
fn what_the_subnode_cannot_see_is_forgotten() {
    // Without its flow the controller cannot tell the levels apart: some level allows every event.
    let blind = "node Free event inc, dec, wait; trans true |- inc, dec, wait -> ; edon\n";
    let system = system("Free").replace("assert C.seen = T.level;", "");
    let text =
        made(&(TANK.to_owned() + blind + &system), &format!("{SAFE} project(win, (good, empty_t), 'Safe', true, C);"));
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Free'.
         */
        node Safe
         event
          inc, dec, wait;
         trans
          true |- inc -> ;
          true |- dec -> ;
          true |- wait -> ;
        edon
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_event_that_nothing_allows_loses_its_transitions() {
    let model = TANK.to_owned() + CONTROLLER + &system("Free");
    let text = made(&model, "project(any_s, (label C.inc, empty_t), 'Inc', true, C);");
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Free'.
         */
        node Inc
         flow
          seen : [0, 3];
         event
          inc, dec, wait;
         trans
          0<=seen and seen<=2 |- inc -> ;
        edon
    "#]]
    .assert_eq(&text);
}

#[test]
fn projecting_on_the_node_itself_restricts_its_own_transitions() {
    let text = made(&TANK.replace("Tank", "Sys"), "project(any_s, (rtgt([level > 0]), empty_t), 'High', true);");
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Sys'.
         */
        node High
         state
          level : [0, 3] : public;
         event
          inc, dec;
         init
          level := 1;
         trans
          level<3 and (0<=level and level<=2) |- inc -> level := level + 1;
          level>0 and (2<=level and level<=3) |- dec -> level := level - 1;
        edon
    "#]]
    .assert_eq(&text);
}

#[test]
fn guards_name_states_flows_literals_and_truth_values_of_the_subnode() {
    let model = "
node Part
  state m : {idle, busy, done'}; on : bool; k : [0,4]; init m := idle, on := false, k := 0;
  event go, stop;
  trans m = idle |- go -> m := busy; m = busy |- go -> m := done', on := true;
        k < 4 |- stop -> k := k + 1;
edon
node Sys sub S : Part; edon
";
    let text = made(
        model,
        "a := any_t & rsrc([S.m != done' and S.k != 2 and not S.on]); project(any_s, (a, empty_t), 'Less', true, S);",
    );
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Part'.
         */
        node Less
         state
          m : {idle, busy, done'};
          on : bool;
          k : [0, 4];
         event
          go, stop;
         init
          m := idle;
          on := false;
          k := 0;
         trans
          m=idle and ((0<=k and k<=1 or 3<=k and k<=4) and not on and (m=idle or m=busy)) |- go -> m := busy;
          m=busy and ((0<=k and k<=1 or 3<=k and k<=4) and not on and (m=idle or m=busy)) |- go -> m := done', on := true;
          k<4 and ((0<=k and k<=1 or k=3) and not on and (m=idle or m=busy)) |- stop -> k := k + 1;
        edon
    "#]].assert_eq(&text);
    let again = model.replace("node Sys sub S : Part", &format!("{text}\nnode Sys sub S : Less"));
    let checked = made(
        &again,
        "test(label S.go & rsrc([S.k = 2]), 0); test([S.k > 2], 0); test(label S.go, 4); test(label S.stop, 4);",
    );
    assert!(!checked.contains("FAILED"), "{checked}");
}

#[test]
fn names_that_need_quotes_get_them() {
    let model = "
node Part
  state 'a b' : [0,1]; init 'a b' := 0;
  event 'go on', back;
  trans 'a b' = 0 |- 'go on' -> 'a b' := 1; 'a b' = 1 |- back -> 'a b' := 0;
edon
node Sys sub S : Part; edon
";
    let text = made(model, "project(any_s, (any_t & rsrc([S.'a b' = 0]), empty_t), 'The rest', true, S);");
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Part'.
         */
        node 'The rest'
         state
          'a b' : [0, 1];
         event
          'go on', back;
         init
          'a b' := 0;
         trans
          'a b'=0 and ('a b'=0) |- 'go on' -> 'a b' := 1;
        edon
    "#]]
    .assert_eq(&text);
    let again = model.replace("node Sys sub S : Part", &format!("{text}\nnode Sys sub S : 'The rest'"));
    let checked = made(&again, "test(label S.'go on', 1); test(label S.back, 0);");
    assert!(!checked.contains("FAILED"), "{checked}");
}

#[test]
fn elements_of_event_arrays_are_known_by_the_values_of_their_indexes() {
    let model = "
const N = 2;
node Part
  state x : [0,2]; init x := 0;
  event set[N];
  trans true |- set[N - 2] -> x := 1; true |- set[N - 1] -> x := 2;
edon
node Sys sub S : Part; edon
";
    let text = made(model, "project(any_s, (label S.set[1], empty_t), 'One', true, S);");
    expect![[r#"
        /*
         * This node is the result of the projection of the node 'Sys'
         * on its subnode 'Part'.
         */
        node One
         state
          x : [0, 2];
         event
          set[N];
         init
          x := 0;
         trans
          true |- set[1] -> x := 2;
        edon
    "#]]
    .assert_eq(&text);
    let again = model.replace("node Sys sub S : Part", &format!("{text}\nnode Sys sub S : One"));
    let checked = made(&again, "test(any_s, 2); test(label S.set[1], 2);");
    assert!(!checked.contains("FAILED"), "{checked}");
    // A transition may be about the whole array; each element has its own condition.
    let whole =
        model.replace("true |- set[N - 2] -> x := 1; true |- set[N - 1] -> x := 2;", "x < 2 |- set -> x := x + 1;");
    let text = made(&whole, "project(any_s, (label S.set[1] & rsrc([S.x = 0]), empty_t), 'One', true, S);");
    assert!(text.contains("x<2 and (x=0) |- set[1] -> x := x + 1;\nedon"), "{text}");
}

#[test]
fn events_that_are_known_only_where_the_node_is_used_are_refused() {
    let model = "
node Part param p : [0,1]; state x : bool; init x := false; event set[2]; trans true |- set[p] -> x := true; edon
node Sys sub S : Part; param_set S.p := 1; edon
";
    let case = Case::new(model, "with Sys do project(any_s, (any_t, empty_t), 'One', true, S); done");
    assert!(case.refused().contains("error[ach043]"), "{}", case.refused());
}

#[test]
fn a_universal_projection_needs_all_transitions_with_the_event() {
    // From 1 an `e` may fail: only the existential projection lets it happen there.
    let model = "
node Part flow x : [0,2]; event e; trans true |- e -> ; edon
node World state x : [0,2] : public; init x := 0; event e, reset;
  trans x = 0 |- e -> x := 1; x = 1 |- e -> x := 0; x = 1 |- e -> x := 2; x = 2 |- reset -> x := 0; edon
node Sys sub S : Part; W : World; assert S.x = W.x; sync <S.e, W.e>; edon
";
    let good = "good := any_t - rtgt([W.x = 2]);";
    let some = made(model, &format!("{good} project(any_s, (good, empty_t), 'Some', true, S);"));
    assert!(some.contains("0<=x and x<=1 |- e -> ;"), "{some}");
    let every = made(model, &format!("{good} project(any_s, (empty_t, good), 'Every', true, S);"));
    assert!(every.contains("x=0 |- e -> ;"), "{every}");
}

#[test]
fn results_of_projections_are_written_to_files() {
    let model = TANK.to_owned() + CONTROLLER + &system("Free");
    let case = Case::new(
        &model,
        &format!("with Sys do {SAFE} project(win, (good, empty_t), 'Safe', true, C) > 'Safe.alt'; done"),
    );
    for engine in ENGINES {
        let (kept, result) = case.run(engine);
        assert!(result.is_ok() && kept.file("Safe.alt").contains("node Safe"));
    }
}
