//! Events of engines that run beside each other: what follows a `property_start` is about that property, so the start is
//! told again whenever another engine has come between.

use std::sync::{Arc, Mutex, PoisonError};

use lapidary_base::{Control, Event, Sink};

/// Children of a control, one for each of the engines that run beside each other.
pub fn children(control: &Control, n: usize) -> Vec<Control> {
    let turn = Arc::new(Mutex::new(None));
    let child = |number: usize| {
        let child = control.child(n as u64);
        match control.sink() {
            Some(inner) => {
                child.with_sink(Box::new(Relay { inner, number, turn: Arc::clone(&turn), start: Mutex::new(None) }))
            }
            None => child,
        }
    };
    (0..n).map(child).collect()
}

struct Relay {
    inner: Arc<dyn Sink>,
    number: usize,
    /// Whose start was told last.
    turn: Arc<Mutex<Option<usize>>>,
    /// The last start of this engine.
    start: Mutex<Option<Event>>,
}

impl Sink for Relay {
    fn event(&self, event: &Event) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::PropertyStart { .. } => {
                *start = Some(event.clone());
                *turn = Some(self.number);
            }
            Event::Iteration(_) | Event::Abstraction { .. } | Event::Heartbeat { .. } => {
                if let Some(start) = start.as_ref().filter(|_| *turn != Some(self.number)) {
                    self.inner.event(start);
                    *turn = Some(self.number);
                }
            }
            Event::ModelLoaded { .. } | Event::Verdict { .. } | Event::Warning { .. } => {}
        }
        self.inner.event(event);
    }
}
