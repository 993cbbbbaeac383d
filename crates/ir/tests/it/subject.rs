//! The model of a hierarchy: made when it is asked for, once, within limits, by one of several threads that may take turns.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use lapidary_base::{Control, IdVec, Pace, Stop};
use lapidary_frontends::altarica;
use lapidary_ir::passes::NoModel;
use lapidary_ir::tree::EPSILON;
use lapidary_ir::{Action, EventId, Hierarchy, Model, Subject};
use lapidary_text::Sources;

/// So many switches beside each other.
fn subject(n_components: usize) -> Subject {
    let names: Vec<String> = (0..n_components).map(|i| format!("a{i}")).collect();
    let text = format!(
        "node A state x : bool; event e; trans true |- e -> x := not x; init x := false; edon
         node Main sub {} : A; edon",
        names.join(", ")
    );
    hierarchy(text)
}

/// What the text declares as `Main`.
fn hierarchy(text: String) -> Subject {
    let mut sources = Sources::default();
    let source = sources.add("m.alt", text);
    let (document, diagnostics) = altarica::load(&sources, source);
    let document = document.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
    let (tree, diagnostics) = document.instantiate(&sources, "Main");
    let tree = tree.unwrap_or_else(|| panic!("{:?}", diagnostics.list));
    Subject::Tree(Hierarchy::new(Arc::new(tree), IdVec::new()))
}

#[test]
fn a_model_is_made_once_and_only_when_it_is_asked_for() {
    let subject = subject(3);
    assert!(subject.made_model().is_none());
    let first: *const Model = subject.model(&Control::new()).expect("a small one");
    assert!(std::ptr::eq(first, subject.model(&Control::new()).expect("a small one")));
    assert!(subject.made_model().is_some());
}

#[test]
fn a_limit_is_not_remembered() {
    let subject = subject(3);
    let late = Control::new().with_timeout(Some(Duration::ZERO));
    assert!(matches!(subject.model(&late), Err(NoModel::Stopped(Stop::Timeout))));
    assert!(subject.model(&Control::new()).is_ok());
}

/// A broadcast that any of so many components may hear: 2^n flat events.
fn broadcast(n_components: usize) -> Subject {
    let names = |suffix: &str| (0..n_components).map(|i| format!("a{i}{suffix}")).collect::<Vec<_>>().join(", ");
    hierarchy(format!(
        "node A state x : bool; event e; trans not x |- e -> x := true; init x := false; edon
         node Main sub {} : A; event tick; sync <tick, {}> >= 0; trans true |- tick -> ; edon",
        names(""),
        names(".e?")
    ))
}

#[test]
fn who_only_tells_of_a_flattening_pays_little_and_only_once() {
    let told = broadcast(8);
    assert!(told.affordable_model(&Control::new()).is_ok_and(|model| model.commands.len() == 257));
    let dear = broadcast(14);
    let budget = Err(NoModel::Stopped(Stop::Budget("work".to_owned())));
    assert_eq!(dear.affordable_model(&Control::new()).map(|_| ()), budget);
    let spent = Control::new().with_timeout(Some(Duration::ZERO));
    assert_eq!(dear.affordable_model(&spent).map(|_| ()), budget, "nothing is tried again");
    assert!(dear.made_model().is_none());
    assert!(dear.model(&Control::new()).is_ok(), "who needs it gets it");
    assert!(dear.affordable_model(&Control::new()).is_ok(), "what is there costs nothing");
}

/// Two that take turns: only the one whose turn it is runs.
struct Turns {
    whose: Mutex<usize>,
    changed: Condvar,
}

struct Turn {
    turns: Arc<Turns>,
    number: usize,
    left: AtomicU64,
}

impl Turns {
    fn give(&self, to: usize) {
        *self.whose.lock().expect("nobody panics with it") = to;
        self.changed.notify_all();
    }

    fn wait(&self, number: usize) {
        let whose = self.whose.lock().expect("nobody panics with it");
        // The other one may be gone, and then nobody passes the turn on.
        let waited = self.changed.wait_timeout_while(whose, Duration::from_secs(20), |whose| *whose != number);
        assert!(!waited.expect("nobody panics with it").1.timed_out(), "nobody gave the turn back");
    }
}

impl Pace for Turn {
    fn spend(&self, work: u64) -> Option<u64> {
        let spent = self.left.load(Ordering::Relaxed).saturating_add(work);
        self.left.store(spent.min(3), Ordering::Relaxed);
        spent.checked_sub(3).map(|_| 0)
    }

    fn pass(&self) {
        self.left.store(0, Ordering::Relaxed);
        self.turns.give(1 - self.number);
        self.turns.wait(self.number);
    }
}

/// Who waits for the flattening holds the turn that the one who makes it needs: it has to pass it on.
#[test]
fn who_waits_for_anothers_flattening_passes_its_turns_on() {
    let subject = subject(12);
    let turns = Arc::new(Turns { whose: Mutex::new(0), changed: Condvar::new() });
    let models: Vec<*const Model> = std::thread::scope(|scope| {
        let thread = |number: usize| {
            let (turns, subject) = (Arc::clone(&turns), &subject);
            scope.spawn(move || {
                turns.wait(number);
                let pace = Turn { turns: Arc::clone(&turns), number, left: AtomicU64::new(0) };
                let made = subject.model(&Control::new().with_pace(Arc::new(pace))).expect("no limits");
                turns.give(1 - number);
                std::ptr::from_ref(made) as usize
            })
        };
        let threads = [thread(0), thread(1)];
        threads.map(|thread| thread.join().expect("it ends") as *const Model).to_vec()
    });
    assert_eq!(models[0], models[1]);
}

/// Makes whoever works wait at its first turn until it is told to go on.
struct Held {
    went_on: Mutex<bool>,
    changed: Condvar,
}

impl Pace for Held {
    fn spend(&self, _: u64) -> Option<u64> {
        let went_on = *self.went_on.lock().expect("nobody panics with it");
        (!went_on).then_some(0)
    }

    fn pass(&self) {
        let went_on = self.went_on.lock().expect("nobody panics with it");
        let waited = self.changed.wait_timeout_while(went_on, Duration::from_secs(20), |went_on| !*went_on);
        drop(waited.expect("nobody panics with it"));
    }
}

/// How long this thread was on a processor.
fn busy() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a system that tells it");
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).expect("a number"))
}

#[test]
fn who_waits_for_anothers_flattening_sleeps_and_keeps_its_deadline() {
    let (subject, held) = (subject(12), Arc::new(Held { went_on: Mutex::new(false), changed: Condvar::new() }));
    std::thread::scope(|scope| {
        let pace = Arc::clone(&held);
        let maker = scope.spawn(|| subject.model(&Control::new().with_pace(pace)).is_ok());
        // The other one has to hold the flattening before this one asks for it.
        std::thread::sleep(Duration::from_millis(100));
        let (before, since) = (busy(), std::time::Instant::now());
        let late = subject.model(&Control::new().with_timeout(Some(Duration::from_millis(500))));
        let (work, waited) = (busy() - before, since.elapsed());
        *held.went_on.lock().expect("nobody panics with it") = true;
        held.changed.notify_all();
        assert!(matches!(late, Err(NoModel::Stopped(Stop::Timeout))), "the other one is not done");
        assert!(waited >= Duration::from_millis(500) && work < Duration::from_millis(50), "{work:?} of {waited:?}");
        assert!(maker.join().expect("it ends"));
    });
}

#[test]
fn who_can_do_without_anothers_flattening_waits_for_a_moment_and_asks_again_later() {
    let (subject, held) = (subject(12), Arc::new(Held { went_on: Mutex::new(false), changed: Condvar::new() }));
    std::thread::scope(|scope| {
        let pace = Arc::clone(&held);
        let maker = scope.spawn(|| subject.model(&Control::new().with_pace(pace)).is_ok());
        std::thread::sleep(Duration::from_millis(100));
        let without = subject.affordable_model(&Control::new()).map(|_| ());
        *held.went_on.lock().expect("nobody panics with it") = true;
        held.changed.notify_all();
        assert_eq!(without, Err(NoModel::Stopped(Stop::Budget("work".to_owned()))));
        assert!(maker.join().expect("it ends"));
    });
    assert!(subject.affordable_model(&Control::new()).is_ok());
}

/// Runs of large hierarchies have thousands of steps, each with its place.
#[test]
fn the_places_of_two_thousand_events_are_found_at_once() {
    let subject = subject(2000);
    let tree = subject.tree().expect("a tree");
    let since = std::time::Instant::now();
    let mut places = std::collections::BTreeSet::new();
    for busy in tree.components.ids().skip(1) {
        let flat = tree.components.ids().map(|id| if id == busy { EventId(1) } else { EPSILON }).collect();
        places.insert(subject.place(&Action::Vector(flat)).start);
    }
    assert_eq!(places.len(), 1, "all are the transition of the one node");
    assert!(since.elapsed() < Duration::from_secs(4), "{:?}", since.elapsed());
}
