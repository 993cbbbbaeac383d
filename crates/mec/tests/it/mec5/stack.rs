//! The session of Chucri's thesis (2012, section 6.1.1) on its stack of three places, and more about nodes.

use super::support::Shell;

const STACK: &str = include_str!("stack.alt");

/// What is typed, and what is printed after it.
const SESSION: [(&str, &str); 10] = [
    (":ar-load ./Stack3.alt // Load", ""),
    ("configurations(s : Stack3!c) := true;", "configurations: (Stack3!c) -> bool\n"),
    (":rel-cardinal configurations", "cardinal of configurations : 27\n"),
    (":rel-cardinal Stack3!t", "cardinal of Stack3!t : 91\n"),
    (
        "PostStarOfInit(s:Stack3!c) += Stack3!init(s) |
                                <x>( PostStarOfInit(x) & <e>(Stack3!t(x,e,s)));",
        "Stack3!init: (Stack3!c) -> bool
Stack3!t: (Stack3!c, Stack3!ev, Stack3!c) -> bool
PostStarOfInit: (Stack3!c) -> bool\n",
    ),
    (":rel-cardinal PostStarOfInit", "cardinal of PostStarOfInit : 15\n"),
    (
        "Err(s : Stack3!c) := s.Top.object != no &
                          (s.Stack.Top.object = no & s.Stack.Stack.object = no);",
        "Err: (Stack3!c) -> bool\n",
    ),
    (":rel-cardinal Err", "cardinal of Err : 2\n"),
    ("ReachErr(s : Stack3!c) := PostStarOfInit(s) & Err(s);", "ReachErr: (Stack3!c) -> bool\n"),
    (":rel-cardinal ReachErr", "cardinal of ReachErr : 0\n"),
];

#[test]
fn the_session_of_the_thesis_runs_as_printed() {
    let mut shell = Shell::new(&[("./Stack3.alt", STACK)]);
    for (typed, printed) in SESSION {
        assert_eq!(shell.say(typed), printed, "after {typed}");
    }
}
