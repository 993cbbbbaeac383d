//! Lines that wait for the end of their statement.

use lapidary_mec::mec5::is_complete;

#[derive(Default)]
pub struct Pending {
    text: String,
    /// Lines that are done with.
    n_before: usize,
}

impl Pending {
    /// What waits.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds a line. All that waited, if it has its end now, with blank lines for what came before it: so every line
    /// keeps its number.
    pub fn push(&mut self, line: &str) -> Option<String> {
        let may_end = self.text.is_empty() || may_end_a_statement(line);
        self.text.push_str(line);
        if !line.ends_with('\n') {
            self.text.push('\n');
        }
        (may_end && is_complete(&self.text)).then(|| self.take())
    }

    /// All that waits, at the end of the input.
    pub fn finish(&mut self) -> Option<String> {
        (!self.text.trim().is_empty()).then(|| self.take())
    }

    /// Begins anew: numbers of lines too.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        let numbered = "\n".repeat(self.n_before) + text.trim_end();
        self.n_before += text.matches('\n').count();
        numbered
    }
}

/// Looking at all that waits for every line would take long for an endless statement.
fn may_end_a_statement(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    [";", ":", "end", "done", "*/"].iter().any(|end| line.contains(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(lines: &[&str]) -> (Vec<String>, String) {
        let mut pending = Pending::default();
        let texts = lines.iter().filter_map(|line| pending.push(line)).collect();
        (texts, pending.text().to_owned())
    }

    #[test]
    fn lines_wait_for_the_end_of_their_statement() {
        let (texts, rest) = cut(&["R(x) :=", "  true;\n", ":rel-list", "with N do", "  show(all);", "done"]);
        assert_eq!(
            texts,
            ["R(x) :=\n  true;", "\n\n:rel-list", "\n\n\nwith N do\n  show(all);\ndone"].map(str::to_owned)
        );
        assert_eq!(rest, "");
    }

    #[test]
    fn comments_and_blocks_wait_too() {
        assert_eq!(cut(&["/* a", "b */ :quit"]).0, ["/* a\nb */ :quit"]);
        assert_eq!(cut(&["begin A() += B();", "B() += A();", "end"]).0.len(), 1);
        assert_eq!(cut(&["with N do", ""]), (Vec::new(), "with N do\n\n".to_owned()));
    }

    #[test]
    fn a_command_ends_what_is_unfinished() {
        assert_eq!(cut(&["R(x) := true", ":rel-list"]).0, ["R(x) := true\n:rel-list"]);
    }

    #[test]
    fn at_the_end_only_what_is_not_blank_is_left() {
        let mut pending = Pending::default();
        assert_eq!(pending.push("R(x) :="), None);
        assert_eq!(pending.finish().as_deref(), Some("R(x) :="));
        assert_eq!(pending.finish(), None);
        assert_eq!(pending.push("\n").as_deref(), Some("\n"));
        pending.clear();
        assert_eq!(pending.push(":quit").as_deref(), Some(":quit"));
    }
}
