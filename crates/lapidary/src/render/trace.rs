//! Runs as text: the initial state, then what each step changed (or all of every state).

use std::io::{self, Write};

use regex_lite::Regex;

use crate::console::{Ink, Palette};
use crate::render::compact;
use crate::render::run::Run;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// What changed.
    Diff,
    /// All of every state.
    Full,
}

pub struct Options<'a> {
    pub form: Form,
    pub width: usize,
    pub palette: Palette,
    /// Only variables whose name matches.
    pub only: Option<&'a Regex>,
    /// A longer run loses its middle.
    pub most_steps: usize,
}

/// Enough for any counterexample that a person reads; a depth-first search finds runs of a million steps.
pub const MOST_STEPS: usize = 400;

/// Labels beyond this width push their own line to the right instead of all lines.
const WIDEST_LABEL: usize = 32;

/// Columns are as wide as so many steps need; in a longer run a wider label pushes its own line.
const MOST_MEASURED: usize = 10_000;

/// The column of remarks such as where the loop starts.
const REMARK_COLUMN: usize = 60;

/// One line a step, longer ones wrapped; every line ends with a newline.
pub fn render(run: &dyn Run, options: &Options<'_>) -> String {
    text(|out| write(run, options, out))
}

/// The same, state by state.
pub fn write(run: &dyn Run, options: &Options<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_states(run, options, &shown_states(run.n_states(), options.most_steps), out)
}

/// Only the states from number `first` on.
pub fn render_from(run: &dyn Run, options: &Options<'_>, first: usize) -> String {
    text(|out| write_states(run, options, &(first..run.n_states()).collect::<Vec<_>>(), out))
}

fn text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("memory can be written");
    String::from_utf8(bytes).expect("only text is written")
}

fn write_states(run: &dyn Run, options: &Options<'_>, shown: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let renderer = Renderer::new(run, options, shown);
    let mut expected = shown.first().copied().unwrap_or(0);
    for &state in shown {
        if state > expected {
            writeln!(out, "      ... {} steps are not shown ...", state - expected)?;
        }
        out.write_all(renderer.state(state).as_bytes())?;
        expected = state + 1;
    }
    if let Some(start) = run.loop_start() {
        writeln!(out, "      back to {start}")?;
    }
    Ok(())
}

/// All states, or the first and the last ones of a very long run.
fn shown_states(n_states: usize, most_steps: usize) -> Vec<usize> {
    if n_states <= most_steps.saturating_add(1) {
        return (0..n_states).collect();
    }
    let half = most_steps / 2;
    (0..=half).chain(n_states - half..n_states).collect()
}

struct Renderer<'a> {
    run: &'a dyn Run,
    options: &'a Options<'a>,
    /// Names and numbers of the variables that are shown.
    variables: Vec<(usize, String)>,
    label_width: usize,
    line_width: usize,
}

impl<'a> Renderer<'a> {
    fn new(run: &'a dyn Run, options: &'a Options<'a>, shown: &[usize]) -> Self {
        let matches = |name: &String| options.only.is_none_or(|only| only.is_match(name));
        let variables = run.variables().into_iter().filter(|(_, name)| matches(name)).collect();
        let (mut label_width, mut line_width) = (0, 0);
        for &state in shown.iter().filter(|&&state| state > 0).take(MOST_MEASURED) {
            let action = run.action(state);
            label_width = label_width.max(action.label.chars().count());
            line_width = line_width.max(action.place().chars().count()).min(WIDEST_LABEL);
        }
        Self { run, options, variables, label_width: label_width.clamp("(initial)".len(), WIDEST_LABEL), line_width }
    }

    fn state(&self, state: usize) -> String {
        let head = if state == 0 { self.initial_head() } else { self.step_head(state) };
        let show_all = state == 0 || self.options.form == Form::Full;
        let (items, gap) = if show_all { (self.all(state), 2) } else { (self.changed(state), 3) };
        let remark = (self.run.loop_start() == Some(state)).then_some("<-- loop starts");
        self.wrapped(&head, &items, gap, remark)
    }

    fn initial_head(&self) -> String {
        format!("   0  {:<width$}", "(initial)", width = self.indent() - 6)
    }

    fn step_head(&self, step: usize) -> String {
        let action = self.run.action(step);
        let line = action.place();
        let (label_width, line_width) = (self.label_width, self.line_width);
        let columns = format!("{:<label_width$}  {line:<line_width$}", action.label);
        // A long label leaves no room, but what follows must not touch the line's number.
        let columns = format!("{}  ", columns.trim_end());
        format!("{step:>4}  {columns:<width$}", width = self.indent() - 6)
    }

    /// Where the items start.
    fn indent(&self) -> usize {
        let line_column = if self.line_width == 0 { 0 } else { 2 + self.line_width };
        6 + self.label_width + line_column + 4
    }

    fn all(&self, state: usize) -> Vec<String> {
        let value = |(variable, name): &(usize, String)| (name.clone(), self.run.value(state, *variable));
        compact::items(&self.variables.iter().map(value).collect::<Vec<_>>())
    }

    fn changed(&self, state: usize) -> Vec<String> {
        let changed = self.variables.iter().filter(|(variable, _)| self.run.changes(state, *variable));
        let item = |(variable, name): &(usize, String)| {
            let (old, new) = (self.run.value(state - 1, *variable), self.run.value(state, *variable));
            format!("{name}: {old} -> {}", self.options.palette.paint(Ink::Strong, &new))
        };
        let items: Vec<String> = changed.map(item).collect();
        if items.is_empty() && self.options.only.is_none() { vec!["(nothing changes)".to_owned()] } else { items }
    }

    /// Fills lines with items; those after the first start where the items of the first do.
    fn wrapped(&self, head: &str, items: &[String], gap: usize, remark: Option<&str>) -> String {
        let mut lines = vec![head.to_owned()];
        let mut used = head.chars().count();
        let mut at_start = true;
        for item in items {
            let item_width = visible_width(item);
            let before = if at_start { 0 } else { gap };
            if !at_start && used + before + item_width > self.options.width {
                lines.push(" ".repeat(self.indent()));
                used = self.indent();
                at_start = true;
            }
            let before = if at_start { 0 } else { gap };
            let line = lines.last_mut().expect("there is always a line to fill");
            line.push_str(&" ".repeat(before));
            line.push_str(item);
            used += before + item_width;
            at_start = false;
        }
        if let Some(remark) = remark {
            let line = lines.last_mut().expect("there is always a line to fill");
            line.push_str(&" ".repeat(REMARK_COLUMN.saturating_sub(used).max(3)));
            line.push_str(remark);
        }
        lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// How many columns a text takes: colour codes take none.
fn visible_width(text: &str) -> usize {
    let mut width = 0;
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => in_code = true,
            'm' if in_code => in_code = false,
            _ if in_code => {}
            _ => width += 1,
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::render::run::Action;

    /// A run as a table: per state the label that leads to it, its line, and the values.
    struct Table {
        variables: Vec<&'static str>,
        states: Vec<(&'static str, usize, Vec<&'static str>)>,
        loop_start: Option<usize>,
    }

    impl Run for Table {
        fn variables(&self) -> Vec<(usize, String)> {
            self.variables.iter().map(ToString::to_string).enumerate().collect()
        }
        fn n_states(&self) -> usize {
            self.states.len()
        }
        fn loop_start(&self) -> Option<usize> {
            self.loop_start
        }
        fn value(&self, state: usize, variable: usize) -> String {
            self.states[state].2[variable].to_owned()
        }
        fn changes(&self, step: usize, variable: usize) -> bool {
            self.states[step].2[variable] != self.states[step - 1].2[variable]
        }
        fn action(&self, step: usize) -> Action {
            Action { label: self.states[step].0.to_owned(), line: Some(self.states[step].1), file: None }
        }
    }

    fn two_processes() -> Table {
        Table {
            variables: vec!["turn", "p1", "p2"],
            states: vec![
                ("", 0, vec!["1", "idle", "idle"]),
                ("p1.request", 14, vec!["1", "want", "idle"]),
                ("p2.request", 14, vec!["2", "want", "want"]),
                ("p2.enter", 17, vec!["2", "want", "crit"]),
                ("p2.leave", 19, vec!["2", "want", "want"]),
                ("p1.stutter", 20, vec!["2", "want", "want"]),
            ],
            loop_start: Some(3),
        }
    }

    fn check(run: &Table, change: impl Fn(&mut Options<'_>), expected: Expect) {
        let mut options =
            Options { form: Form::Diff, width: 100, palette: Palette::Plain, only: None, most_steps: MOST_STEPS };
        change(&mut options);
        // The first line has no indentation, so that the expectation keeps that of the others.
        expected.assert_eq(&format!("trace:\n{}", render(run, &options)));
    }

    #[test]
    fn a_diff_shows_what_changed_and_where_the_loop_starts() {
        check(
            &two_processes(),
            |_| (),
            expect![[r#"
                trace:
                   0  (initial)          turn=1  p1=idle  p2=idle
                   1  p1.request  :14    p1: idle -> want
                   2  p2.request  :14    turn: 1 -> 2   p2: idle -> want
                   3  p2.enter    :17    p2: want -> crit                   <-- loop starts
                   4  p2.leave    :19    p2: crit -> want
                   5  p1.stutter  :20    (nothing changes)
                      back to 3
            "#]],
        );
    }

    #[test]
    fn the_full_form_shows_all_of_every_state() {
        check(
            &two_processes(),
            |options| options.form = Form::Full,
            expect![[r#"
                trace:
                   0  (initial)          turn=1  p1=idle  p2=idle
                   1  p1.request  :14    turn=1  p1=want  p2=idle
                   2  p2.request  :14    turn=2  p1=want  p2=want
                   3  p2.enter    :17    turn=2  p1=want  p2=crit           <-- loop starts
                   4  p2.leave    :19    turn=2  p1=want  p2=want
                   5  p1.stutter  :20    turn=2  p1=want  p2=want
                      back to 3
            "#]],
        );
    }

    #[test]
    fn long_states_are_wrapped_under_their_first_variable() {
        let names: Vec<&str> =
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my".split(' ').collect();
        let table = Table {
            variables: names.clone(),
            states: vec![("", 0, vec!["0"; 12]), ("go", 7, vec!["1"; 12])],
            loop_start: None,
        };
        check(
            &table,
            |options| options.width = 70,
            expect![[r#"
            trace:
               0  (initial)        alpha=0  beta=0  gamma=0  delta=0  epsilon=0
                                   zeta=0  eta=0  theta=0  iota=0  kappa=0
                                   lambda=0  my=0
               1  go         :7    alpha: 0 -> 1   beta: 0 -> 1   gamma: 0 -> 1
                                   delta: 0 -> 1   epsilon: 0 -> 1   zeta: 0 -> 1
                                   eta: 0 -> 1   theta: 0 -> 1   iota: 0 -> 1
                                   kappa: 0 -> 1   lambda: 0 -> 1   my: 0 -> 1
        "#]],
        );
    }

    #[test]
    fn the_middle_of_a_very_long_run_is_left_out() {
        let values = ["0", "1"];
        let state = |i: usize| ("tick", 1, vec![values[i % 2]]);
        let table = Table { variables: vec!["x"], states: (0..100).map(state).collect(), loop_start: None };
        check(
            &table,
            |options| options.most_steps = 4,
            expect![[r#"
            trace:
               0  (initial)        x=0
               1  tick       :1    x: 0 -> 1
               2  tick       :1    x: 1 -> 0
                  ... 95 steps are not shown ...
              98  tick       :1    x: 1 -> 0
              99  tick       :1    x: 0 -> 1
        "#]],
        );
    }

    #[test]
    fn only_the_chosen_variables_are_shown() {
        let only = Regex::new("^p1").unwrap();
        let run = two_processes();
        let options =
            Options { form: Form::Diff, width: 100, palette: Palette::Plain, only: Some(&only), most_steps: 9 };
        expect![[r#"
            trace:
               0  (initial)          p1=idle
               1  p1.request  :14    p1: idle -> want
               2  p2.request  :14
               3  p2.enter    :17                                       <-- loop starts
               4  p2.leave    :19
               5  p1.stutter  :20
                  back to 3
        "#]]
        .assert_eq(&format!("trace:\n{}", render(&run, &options)));
    }
}
