//! What there is to show of a run, whether it comes from a model's trace or from a file.

use lapidary_base::Id;
use lapidary_ir::{Model, VarId};
use lapidary_text::Sources;
use lapidary_verdict::Trace;

/// A step as a trace names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub label: String,
    /// The line of the command in its source.
    pub line: Option<usize>,
}

/// States are numbered from 0; step `i` leads from state `i - 1` to state `i`. Values are asked for one by one, because
/// a long trace is never shown as a whole.
pub trait Run {
    fn variables(&self) -> Vec<String>;
    fn n_states(&self) -> usize;
    fn loop_start(&self) -> Option<usize>;
    fn value(&self, state: usize, variable: usize) -> String;
    /// Does step `step` change the variable?
    fn changes(&self, step: usize, variable: usize) -> bool;
    fn action(&self, step: usize) -> Action;
}

/// A trace told in the words of its model.
pub struct ModelRun<'a> {
    pub model: &'a Model,
    pub sources: &'a Sources,
    pub trace: &'a Trace,
}

impl Run for ModelRun<'_> {
    fn variables(&self) -> Vec<String> {
        self.model.vars.iter().map(|var| var.name.clone()).collect()
    }

    fn n_states(&self) -> usize {
        self.trace.states.len()
    }

    fn loop_start(&self) -> Option<usize> {
        self.trace.loop_start
    }

    fn value(&self, state: usize, variable: usize) -> String {
        let domain = self.model.vars[VarId::new(variable)].domain;
        self.model.show(domain, self.trace.states[state][variable])
    }

    fn changes(&self, step: usize, variable: usize) -> bool {
        self.trace.states[step - 1][variable] != self.trace.states[step][variable]
    }

    fn action(&self, step: usize) -> Action {
        let command = &self.model.commands[self.trace.actions[step - 1]];
        Action { label: command.label.clone(), line: Some(self.sources.place(command.span).line) }
    }
}
