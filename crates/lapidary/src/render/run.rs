//! What there is to show of a run, whether it comes from a model's trace or from a file.

use lapidary_base::Id;
use lapidary_driver::Loaded;
use lapidary_ir::{Life, VarId};
use lapidary_text::{SourceId, Sources, Span};
use lapidary_verdict::Trace;

/// A step as a trace names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub label: String,
    /// The line of the command in its source.
    pub line: Option<usize>,
    /// That source, where it is not the model's first.
    pub file: Option<String>,
}

impl Action {
    /// `:12`, or `valve.alt:12` for a line of another file.
    pub fn place(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}", self.file.as_deref().unwrap_or_default())
    }
}

/// Of the command that stands there.
pub fn action(label: &str, sources: &Sources, span: Span) -> Action {
    let file = (span.source != SourceId(0)).then(|| sources.short_name(span.source).to_owned());
    Action { label: label.to_owned(), line: Some(sources.place(span).line), file }
}

/// States are numbered from 0; step `i` leads from state `i - 1` to state `i`. Values are asked for one by one, because
/// a long trace is never shown as a whole.
pub trait Run {
    /// The variables that are shown, by the numbers under which they are asked for.
    fn variables(&self) -> Vec<(usize, String)>;
    fn n_states(&self) -> usize;
    fn loop_start(&self) -> Option<usize>;
    fn value(&self, state: usize, variable: usize) -> String;
    /// Does step `step` change the variable?
    fn changes(&self, step: usize, variable: usize) -> bool;
    fn action(&self, step: usize) -> Action;
}

/// A trace told in the words of its model.
pub struct ModelRun<'a> {
    pub loaded: &'a Loaded,
    pub trace: &'a Trace,
}

impl Run for ModelRun<'_> {
    fn variables(&self) -> Vec<(usize, String)> {
        let kept = self.loaded.declared().vars.enumerated().filter(|(_, var)| var.life == Life::State);
        kept.map(|(id, var)| (id.index(), var.name.clone())).collect()
    }

    fn n_states(&self) -> usize {
        self.trace.states.len()
    }

    fn loop_start(&self) -> Option<usize> {
        self.trace.loop_start
    }

    fn value(&self, state: usize, variable: usize) -> String {
        let model = self.loaded.declared();
        let domain = model.vars[VarId::new(variable)].domain;
        model.show(domain, self.trace.states[state][variable])
    }

    fn changes(&self, step: usize, variable: usize) -> bool {
        self.trace.states[step - 1][variable] != self.trace.states[step][variable]
    }

    fn action(&self, step: usize) -> Action {
        let Trace { states, actions, .. } = self.trace;
        let (taken, loaded) = (&actions[step - 1], self.loaded);
        let place = loaded.place_of_step(taken, &states[step - 1], &states[step]);
        action(&loaded.subject.label(taken), &loaded.sources, place)
    }
}
