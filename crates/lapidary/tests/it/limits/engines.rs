//! Every engine on a model that it cannot decide soon.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::guarded::{ALL, AT_ONCE, Case, Folder, Limit, check_all};
use crate::support::example;

/// Very many states; a violation is far away, and no abstraction of single variables helps.
const BOUNDED: &str = "const N = 12; type R = 0..12;
var a : R[N] = 0;
up[i in 0..N-1]: a[i] < 12 -> a[i] := a[i] + 1;
turn[i in 0..N-1]: a[(i+1) mod N] mod 3 = 1 -> a[i] := (a[i] * a[(i+4) mod N] + 5) mod 13;
invariant p: (sum i in 0..N-1: a[i] * (i+2)) != 1078;
";

/// Rings of three places that run beside each other, and a target that needs a token which never comes.
fn rings(n: usize) -> String {
    let mut places = String::from("x");
    let (mut initial, mut target) = (String::from("x = 0"), String::from("x >= 1"));
    let mut rules = String::new();
    for i in 0..n {
        places.push_str(&format!(" a{i} b{i} c{i}"));
        initial.push_str(&format!(", a{i} = 1, b{i} = 0, c{i} = 0"));
        target.push_str(&format!(", b{i} >= 1"));
        for (from, to) in [("a", "b"), ("b", "c"), ("c", "a")] {
            rules.push_str(&format!("{from}{i} >= 1 -> {from}{i}' = {from}{i} - 1, {to}{i}' = {to}{i} + 1;\n"));
        }
    }
    // Every ring can give its token away for the one that is missing, but one is not enough.
    rules.push_str("x >= 2 -> x' = x - 1;\n");
    format!("vars {places}\nrules\n{rules}init {initial}\ntarget {target}\n")
}

/// Philosophers at a table. That neighbours never eat at once is clear to `backward`; `forward` lists what they may do.
fn philosophers(n: usize) -> String {
    let all = |what: &dyn Fn(usize) -> String, between: &str| (0..n).map(what).collect::<Vec<_>>().join(between);
    let places = all(&|i| format!("think{i}, left{i}, eat{i}, fork{i}"), ", ");
    let marking = all(&|i| format!("think{i}: 1, fork{i}: 1"), ", ");
    let transitions = all(
        &|i| {
            let j = (i + 1) % n;
            format!(
                "TRANSITION take{i} CONSUME think{i}: 1, fork{i}: 1; PRODUCE left{i}: 1;
TRANSITION dine{i} CONSUME left{i}: 1, fork{j}: 1; PRODUCE eat{i}: 1;
TRANSITION leave{i} CONSUME eat{i}: 1; PRODUCE think{i}: 1, fork{i}: 1, fork{j}: 1;"
            )
        },
        "\n",
    );
    format!("PLACE {places};\nMARKING {marking};\n{transitions}\n")
}

/// Counters that run beside each other, and a sum that many of them make.
fn counters(n: usize) -> String {
    let subs: Vec<String> = (0..n).map(|i| format!("c{i}")).collect();
    format!(
        "node Counter state x : [0,9]; init x := 0; event up, down;
  trans x < 9 |- up -> x := x + 1; x > 0 |- down -> x := x - 1; edon
node Main sub {} : Counter; edon
",
        subs.join(", ")
    )
}

/// So many runs end for want of memory, however busy the machine: with 30 MB, since few take 300 MB in two seconds.
const LEAST_WITHOUT_MEMORY: usize = 5;

fn every_engine(n_at_once: usize) {
    let folder = Folder::new("engines");
    let bounded = folder.file("bounded.gcl", BOUNDED);
    let net = folder.file("rings.spec", &rings(40));
    let table = folder.file("table.lola", &philosophers(1000));
    let tree = folder.file("counters.alt", &counters(12));
    let sum: Vec<String> = (0..12).map(|i| format!("{} * c{i}.x", i + 2)).collect();
    let sum = format!("{} != 691", sum.join(" + "));
    let bakery = example("bakery_unbounded.gcl");
    let mut cases: Vec<Case> = Vec::new();
    for limit in ALL.into_iter().chain([Limit::Little]) {
        for engine in ["explicit", "bdd", "cegar", "pcegar", "auto"] {
            cases.push((vec![&bounded, "--engine", engine], limit));
        }
        for engine in ["matching", "bmc", "kinduction", "auto"] {
            cases.push((vec![&bakery, "-D", "N=3", "--engine", engine], limit));
        }
        for engine in ["backward", "lazy", "auto"] {
            cases.push((vec![&net, "--pruning", "none", "--engine", engine], limit));
        }
        cases.push((vec![&table, "--engine", "forward", "-p", "AG (eat0 = 0 OR eat1 = 0)"], limit));
        cases.push((vec![&tree, "--engine", "hierarchical", "-p", &sum], limit));
    }
    let n_memory = check_all(&cases, n_at_once);
    assert!(n_memory >= LEAST_WITHOUT_MEMORY, "only {n_memory} runs came as far as their limit of memory");
}

#[test]
fn every_engine_ends_with_its_limit() {
    every_engine(AT_ONCE);
}

/// The same one by one, so that each comes as far as it can.
#[test]
#[ignore = "slow: the same, one by one"]
fn every_engine_ends_with_its_limit_by_itself() {
    every_engine(1);
}

/// Tells others to end, however this ends.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The same while others want the processors, too.
#[test]
#[ignore = "slow: the machine is kept busy"]
fn every_engine_ends_with_its_limit_under_load() {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let _done = Done(&done);
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        every_engine(1);
    });
}
