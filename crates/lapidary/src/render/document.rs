//! A run read from an ITF document, without its model.

use lapidary_verdict::itf::Document;

use crate::render::run::{Action, Run};

pub struct DocumentRun {
    pub document: Document,
}

impl DocumentRun {
    /// Foreign documents may leave a variable out of some states.
    fn cell(&self, state: usize, variable: usize) -> Option<&str> {
        let name = &self.document.vars[variable];
        let values = &self.document.states[state];
        let in_place = values.get(variable).filter(|(found, _)| found == name);
        in_place.or_else(|| values.iter().find(|(found, _)| found == name)).map(|(_, value)| value.as_str())
    }
}

impl Run for DocumentRun {
    fn variables(&self) -> Vec<(usize, String)> {
        self.document.vars.iter().cloned().enumerate().collect()
    }

    fn n_states(&self) -> usize {
        self.document.states.len()
    }

    fn loop_start(&self) -> Option<usize> {
        self.document.loop_start
    }

    fn value(&self, state: usize, variable: usize) -> String {
        self.cell(state, variable).unwrap_or("(no value)").to_owned()
    }

    fn changes(&self, step: usize, variable: usize) -> bool {
        self.cell(step - 1, variable) != self.cell(step, variable)
    }

    fn action(&self, step: usize) -> Action {
        let label = self.document.actions.get(step - 1).filter(|label| !label.is_empty());
        Action { label: label.map_or("step", String::as_str).to_owned(), line: None, file: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_may_be_missing_and_actions_unknown() {
        let cell = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let document = Document {
            vars: vec!["x".to_owned(), "y".to_owned()],
            states: vec![vec![cell("x", "1"), cell("y", "2")], vec![cell("y", "2")]],
            ..Document::default()
        };
        let run = DocumentRun { document };
        assert_eq!((run.value(1, 0).as_str(), run.value(1, 1).as_str()), ("(no value)", "2"));
        assert!(run.changes(1, 0) && !run.changes(1, 1));
        assert_eq!(run.action(1).label, "step");
    }
}
