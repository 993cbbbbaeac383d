//! Events of refinement in the words that people read: a line for each iteration, and the graphs of abstractions.

use lapidary_base::Event;
use lapidary_base::event::Iteration;

/// A line for each iteration, below the name of its property.
#[derive(Default)]
pub struct Iterations(Heading);

impl Iterations {
    /// What there is to read of an event, without the end of its last line.
    pub fn text(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::PropertyStart { name, .. } => {
                self.0.next(name);
                None
            }
            Event::Iteration(iteration) => {
                let name = self.0.take().map(|name| format!("{name}:\n")).unwrap_or_default();
                Some(format!("{name}{}", line(iteration)))
            }
            Event::ModelLoaded { .. }
            | Event::Abstraction { .. }
            | Event::Heartbeat { .. }
            | Event::Verdict { .. }
            | Event::Warning { .. } => None,
        }
    }
}

/// The graphs of abstractions for Graphviz, one after the other.
#[derive(Default)]
pub struct Graphs(Heading);

impl Graphs {
    /// What an event adds to them.
    pub fn text(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::PropertyStart { name, .. } => {
                self.0.next(name);
                None
            }
            Event::Abstraction { i, dot } => {
                let name = self.0.take().map(|name| format!("// {name}\n")).unwrap_or_default();
                Some(format!("{name}// iteration {i}\n{dot}"))
            }
            Event::ModelLoaded { .. }
            | Event::Iteration(_)
            | Event::Heartbeat { .. }
            | Event::Verdict { .. }
            | Event::Warning { .. } => None,
        }
    }
}

/// The property that iterations belong to, until it was named. Properties without any iteration are not named: all of
/// them are announced before the first one is looked at.
#[derive(Default)]
struct Heading(Option<String>);

impl Heading {
    fn next(&mut self, name: &str) {
        self.0 = Some(name.replace('\n', " "));
    }

    fn take(&mut self) -> Option<String> {
        self.0.take()
    }
}

fn line(iteration: &Iteration) -> String {
    let Iteration { i, abs_states, abs_trans, certified_pos, certified_neg, pruned, cex_len, refiner, .. } = iteration;
    let certified = format!("certified {certified_neg} reached and {certified_pos} reaching");
    format!(
        "  {i}: {abs_states} blocks, {abs_trans} transitions, {certified}, {pruned} pruned, \
         counterexample of {cex_len}, {refiner}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_is_named_once_and_only_where_it_has_abstractions() {
        let mut graphs = Graphs::default();
        let start = |name: &str| Event::PropertyStart { name: name.to_owned(), engine: "cegar".to_owned() };
        let graph = |i| Event::Abstraction { i, dot: "digraph {}\n".to_owned() };
        let events = ["a", "b\nc", "a", "b\nc"].map(start).into_iter().chain([graph(1), graph(2)]);
        let text: String = events.filter_map(|event| graphs.text(&event)).collect();
        assert_eq!(text, "// b c\n// iteration 1\ndigraph {}\n// iteration 2\ndigraph {}\n");
    }

    #[test]
    fn a_line_tells_what_an_iteration_counted() {
        let iteration = Iteration {
            i: 3,
            abs_states: 9,
            abs_trans: 20,
            certified_pos: 1,
            certified_neg: 2,
            pruned: 4,
            cex_len: 5,
            predicates: 0,
            refiner: "direct forward".to_owned(),
        };
        let expected = "  3: 9 blocks, 20 transitions, certified 2 reached and 1 reaching, 4 pruned, \
                        counterexample of 5, direct forward";
        assert_eq!(line(&iteration), expected);
    }
}
