//! The shell on a terminal: asks, runs, tells, until the user leaves.

use std::io;

use lapidary_driver::Exit;
use lapidary_mec::mec5::{Flow, Vocabulary};

use super::Run;
use super::editor::{Editor, Read};
use super::pending::Pending;

const PROMPT: &str = "mec> ";
const CONTINUATION: &str = "...> ";

/// What other shells understand without the colon.
const BARE_COMMANDS: [(&str, &str); 4] = [("help", ":help"), ("?", ":help"), ("quit", ":quit"), ("exit", ":quit")];

/// A shell is left, not failed: whatever was wrong has been told and perhaps mended.
pub fn run(run: &mut Run<'_>) -> io::Result<Exit> {
    let mut editor = match Editor::open() {
        Ok(editor) => editor,
        Err(message) => {
            run.workspace.desk.console.error(&format!("cannot use the terminal: {message}"))?;
            return Ok(Exit::Input);
        }
    };
    run.workspace
        .desk
        .console
        .out
        .line("Mec 5 and Acheck: `:help` lists the commands, Tab completes, Ctrl-D leaves")?;
    run.workspace.desk.watch(run.interrupts.flag());
    let mut pending = Pending::default();
    loop {
        let relations = run.session.relation_names().map(str::to_owned).collect();
        editor.know(Vocabulary { relations, nodes: run.workspace.nodes() }, pending.text());
        let prompt = if pending.text().is_empty() { PROMPT } else { CONTINUATION };
        run.interrupts.wait();
        let read = editor.read(prompt);
        run.interrupts.begin();
        match read {
            Read::Line(line) => {
                if obey(run, &mut editor, &mut pending, &line)? == Flow::Quit {
                    return Ok(Exit::Success);
                }
            }
            // The line is gone, and the statement with it.
            Read::Interrupted => pending.clear(),
            Read::End => return Ok(Exit::Success),
            Read::Failed(message) => {
                run.workspace.desk.console.error(&format!("cannot read the terminal: {message}"))?;
                return Ok(Exit::Input);
            }
        }
    }
}

fn obey(run: &mut Run<'_>, editor: &mut Editor, pending: &mut Pending, line: &str) -> io::Result<Flow> {
    let line = if pending.text().is_empty() { with_colon(line) } else { line };
    let Some(text) = pending.push(line) else { return Ok(Flow::Continue) };
    // Whoever looks at an error looks at what was just typed: its lines count from one.
    pending.clear();
    if text.trim().is_empty() {
        return Ok(Flow::Continue);
    }
    editor.remember(&text);
    let flow = run.text("input", &text)?;
    // An interrupt ends the computation, not the session.
    Ok(if run.interrupts.is_set() { Flow::Continue } else { flow })
}

/// The command that a lone word stands for, else the line itself.
fn with_colon(line: &str) -> &str {
    let meant = BARE_COMMANDS.iter().find(|(word, _)| *word == line.trim());
    meant.map_or(line, |(_, command)| command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_other_shells_are_understood_where_they_stand_alone() {
        assert_eq!(with_colon(" quit "), ":quit");
        assert_eq!(with_colon("?"), ":help");
        assert_eq!(with_colon("quit := true;"), "quit := true;");
    }
}
