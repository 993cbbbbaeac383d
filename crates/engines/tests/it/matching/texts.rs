//! The models of the paper, written anew, and what a run of the engine on one of them says.

use lapidary_base::Control;
use lapidary_engines::matching::{Config, MatchingEngine};
use lapidary_engines::{Answer, Engine, Target, Task, goals};
use lapidary_frontends::gcl::{self, Options};
use lapidary_ir::{Expr, Model, PropertyKind, Subject};
use lapidary_text::Sources;

/// The ticket protocol; the display moves on by `step`.
pub fn ticket(n: usize, step: usize) -> String {
    format!(
        "const N = {n};
         var t, s : int = 0;
         process P(i : 1..N) {{
           control var pc : 0..2 = 0;
           var a : int = 0;
           draw:  pc = 0 -> pc := 1, a := t, t := t + 1;
           enter: pc = 1 & a <= s -> pc := 2;
           leave: pc = 2 -> pc := 0, s := s + {step};
         }}
         invariant mutex: (count i in 1..N: P[i].pc = 2) <= 1;"
    )
}

pub const RAX: &str = "
    var c1, c2, e1, e2, w1, w2 : int = 0;
    control var pc1, pc2 : 1..6 = 1;
    a1: pc1 = 1 -> c1 := 0, pc1 := 2;
    a2: pc1 = 2 & c1 = e1 -> pc1 := 3;
    a3: pc1 = 3 -> w1 := 1, pc1 := 4;
    a4: pc1 = 4 & w1 = 0 -> pc1 := 5;
    a5: pc1 = 2 & c1 != e1 -> pc1 := 5;
    a6: pc1 = 5 -> c1 := e1, pc1 := 6;
    a7: pc1 = 6 -> e2 := e2 + 1, w2 := 0, pc1 := 2;
    b1: pc2 = 1 -> c2 := 0, pc2 := 2;
    b2: pc2 = 2 -> e1 := e1 + 1, w1 := 0, pc2 := 3;
    b3: pc2 = 3 & c2 = e2 -> pc2 := 4;
    b4: pc2 = 4 -> w2 := 1, pc2 := 5;
    b5: pc2 = 5 & w2 = 0 -> pc2 := 6;
    b6: pc2 = 3 & c2 != e2 -> pc2 := 6;
    b7: pc2 = 6 -> c2 := e2, pc2 := 2;
    invariant all: true;
    invariant awake: !(pc1 = 4 & pc2 = 5 & w1 = 1 & w2 = 1);
    invariant e1_counts: e1 >= 0;
    invariant e2_counts: e2 >= 0;";

pub fn load(text: &str) -> Model {
    let mut sources = Sources::default();
    let source = sources.add("test.gcl", text);
    match gcl::load(&sources, source, &Options::default()) {
        (Some(model), _) => model,
        (None, diagnostics) => panic!("{diagnostics:?}"),
    }
}

/// The formula of an invariant.
pub fn formula(model: &Model, name: &str) -> Expr {
    let property = model.property(name).expect("a property");
    match model.properties[property].kind {
        PropertyKind::Invariant(formula) | PropertyKind::Reach(formula) => formula,
        _ => panic!("{name} has a formula"),
    }
}

/// Looks for a violation of an invariant.
pub fn ask(model: &Model, name: &str, config: Config) -> Answer {
    let target = Target::States(model.exprs.not(formula(model, name)));
    let subject = Subject::Model(model.clone());
    let task = Task { subject: &subject, goals: &goals(&[target]), sources: &Sources::default() };
    let engine = MatchingEngine { config };
    assert_eq!(engine.prepare(&task, &Control::new()).map(|_| ()), Ok(()));
    engine.run(&task, &Control::new()).pop().expect("one answer")
}

/// The numbers of all rounds under a name.
pub fn per_round(answer: &Answer, key: &str) -> Vec<u64> {
    let of = |round: &lapidary_verdict::Round| {
        round.counts.iter().find(|(name, _)| *name == key).map(|&(_, n)| n).expect("counted")
    };
    answer.stats.rounds.iter().map(of).collect()
}

/// The new predicates of all rounds, sorted within each.
pub fn new_predicates(answer: &Answer) -> Vec<Vec<String>> {
    let sorted = |round: &lapidary_verdict::Round| {
        let mut all = round.new_predicates.clone();
        all.sort();
        all
    };
    answer.stats.rounds.iter().map(sorted).collect()
}
