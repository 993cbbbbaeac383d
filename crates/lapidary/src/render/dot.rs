//! Runs as Graphviz graphs: a box a state, an arrow a step.

use std::io::{self, Write};

use crate::render::compact;
use crate::render::run::Run;

pub fn write(run: &dyn Run, title: &str, out: &mut dyn Write) -> io::Result<()> {
    let variables = run.variables();
    writeln!(out, "digraph trace {{\n  label={};\n  node [shape=box, fontname=\"monospace\"];", quoted(title))?;
    for state in 0..run.n_states() {
        let content = if state == 0 { whole(run, &variables) } else { changed(run, &variables, state) };
        writeln!(out, "  s{state} [label={}];", quoted(&format!("{state}\n{content}")))?;
    }
    for step in 1..run.n_states() {
        let label = run.action(step).label;
        writeln!(out, "  s{} -> s{step} [label={}];", step - 1, quoted(&label))?;
    }
    if let (Some(start), Some(last)) = (run.loop_start(), run.n_states().checked_sub(1)) {
        writeln!(out, "  s{last} -> s{start} [style=dashed];")?;
    }
    out.write_all(b"}\n")
}

fn whole(run: &dyn Run, variables: &[(usize, String)]) -> String {
    let state: Vec<_> = variables.iter().map(|(i, name)| (name.clone(), run.value(0, *i))).collect();
    compact::items(&state).join("\n")
}

fn changed(run: &dyn Run, variables: &[(usize, String)], state: usize) -> String {
    let changed = variables.iter().filter(|(variable, _)| run.changes(state, *variable));
    changed.map(|(variable, name)| format!("{name}={}", run.value(state, *variable))).collect::<Vec<_>>().join("\n")
}

/// A string of the dot language, its lines set to the left.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('"', "\\\"");
    if escaped.contains('\n') {
        return format!("\"{}\\l\"", escaped.replace('\n', "\\l"));
    }
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_line_ends_are_escaped() {
        assert_eq!(quoted("a\"b"), "\"a\\\"b\"");
        assert_eq!(quoted("1\nx=2"), "\"1\\lx=2\\l\"");
    }
}
