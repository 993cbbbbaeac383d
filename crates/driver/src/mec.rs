//! A Mec 5 or Acheck session on real files. What is printed and written goes to a [`Desk`].

use std::sync::Arc;

use lapidary_base::{Control, memory};
use lapidary_mec::Models;
use lapidary_mec::acheck::Output;
use lapidary_mec::mec5::{Evidence, Host, Judgement, LoadFailure, Question, Session};
use lapidary_text::{Diagnostic, SourceId, Sources};

use crate::altarica::{AltaricaError, AltaricaModels};
use crate::files::Files;
use crate::judge;

/// Where the results of a session go, and what is wrong with its statements.
pub trait Desk: Output {
    fn report(&mut self, sources: &Sources, diagnostics: &[Diagnostic]);

    /// The session was given this file: results must not overwrite it.
    fn keep(&mut self, path: &str);
}

/// As much memory as there is when no limit is set, within reason.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// A session whose diagrams have room under a limit on the memory of the process.
pub fn session(limit: Option<u64>, threads: u32) -> Session {
    let available = memory::available().unwrap_or(DEFAULT_MEMORY);
    Session::new(limit.unwrap_or(u64::MAX).min(available).min(DEFAULT_MEMORY), threads)
}

/// The files of a session.
pub struct Workspace<D> {
    models: AltaricaModels,
    pub desk: D,
}

impl<D: Desk> Workspace<D> {
    pub fn new(files: &Arc<dyn Files>, desk: D) -> Self {
        Self { models: AltaricaModels::new(files), desk }
    }

    /// The nodes that were loaded so far.
    pub fn nodes(&self) -> Vec<String> {
        self.models.nodes()
    }

    pub fn sources(&self) -> &Sources {
        self.models.sources()
    }
}

impl<D: Desk> Host for Workspace<D> {
    fn obey(&mut self, control: &Control) {
        self.models.obey(control);
    }

    fn parts(&mut self) -> (&Sources, &dyn Models, &mut dyn Output) {
        (self.models.sources(), &self.models, &mut self.desk)
    }

    fn add_source(&mut self, name: &str, text: &str) -> SourceId {
        self.models.add_source(name, text)
    }

    fn read(&mut self, path: &str) -> Result<SourceId, String> {
        let source = self.models.read(path)?;
        self.desk.keep(path);
        Ok(source)
    }

    fn load(&mut self, path: &str) -> Result<(Vec<String>, Vec<Diagnostic>), LoadFailure> {
        let n_known = self.models.files().len();
        let loaded = self.models.load(path);
        // Also a model with mistakes is somebody's work, and so is what it includes.
        self.models.files()[n_known..].iter().for_each(|path| self.desk.keep(path));
        loaded.map_err(|error| match error {
            AltaricaError::Wrong(wrong) => LoadFailure::Wrong(wrong),
            AltaricaError::Stopped(stop) => LoadFailure::Stopped(stop),
            AltaricaError::Unreadable(message) => LoadFailure::Unreadable(message),
        })
    }

    fn judge(&mut self, question: &Question<'_>, evidence: &Evidence, control: &Control) -> Judgement {
        judge::judge(question, evidence, control)
    }

    fn report(&mut self, diagnostics: &[Diagnostic]) {
        self.desk.report(self.models.sources(), diagnostics);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use lapidary_mec::acheck::Mode;
    use lapidary_mec::mec5::Flow;

    use super::*;
    use crate::files::{Texts, disk};

    #[derive(Default)]
    struct Kept {
        text: String,
        files: Vec<String>,
        codes: Vec<&'static str>,
        kept: Vec<String>,
    }

    impl Output for Kept {
        fn text(&mut self, text: &str) {
            self.text.push_str(text);
        }

        fn file(&mut self, path: &str, _mode: Mode, _text: &str) -> io::Result<()> {
            self.files.push(path.to_owned());
            Ok(())
        }
    }

    impl Desk for Kept {
        fn report(&mut self, _sources: &Sources, diagnostics: &[Diagnostic]) {
            self.codes.extend(diagnostics.iter().map(|diagnostic| diagnostic.code));
        }

        fn keep(&mut self, path: &str) {
            self.kept.push(path.to_owned());
        }
    }

    #[test]
    fn a_session_reads_files_and_remembers_which() {
        let (model, script) = ("a.alt".to_owned(), "a.spe".to_owned());
        let sets = "with A do on := [x]; done with A do show(on) > '$NODENAME.res'; test(on, 5); done";
        let files: Arc<dyn Files> =
            Arc::new(Texts::new().with(&model, "node A state x : bool; edon").with(&script, sets));
        let mut workspace = Workspace::new(&files, Kept::default());
        let mut session = session(Some(1 << 28), 1);
        let text = format!(":ar-load {model}\n:source {script}\n:rel-cardinal A!c\n:source {script}.none\n:quit");
        let source = workspace.add_source("input", &text);
        assert_eq!(session.run(&mut workspace, source, &Control::new()), Flow::Quit);
        let Kept { text, files, codes, kept } = workspace.desk;
        assert_eq!((files, kept), (vec!["A.res".to_owned()], vec![model, script]));
        assert_eq!(codes, ["mec011"]);
        assert!(text.contains("[FAILED]") && text.ends_with("cardinal of A!c : 2\n"), "{text}");
        assert_eq!((session.outcome.n_failed_tests, session.outcome.n_errors), (1, 1));
    }

    #[test]
    fn what_is_not_made_for_want_of_time_is_given_up_not_wrong() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mec/tests/it/mec5");
        let run = |text: &str, control: &Control| {
            let mut workspace = Workspace::new(&disk(), Kept::default());
            let mut session = session(Some(1 << 28), 1);
            let source = workspace.add_source("input", &format!(":ar-load {folder}/stack.alt"));
            session.run(&mut workspace, source, &Control::new());
            let source = workspace.add_source("input", text);
            session.run(&mut workspace, source, control);
            (workspace.desk.codes, session.outcome.n_errors, session.outcome.n_stopped)
        };
        let late = Control::new().with_timeout(Some(std::time::Duration::ZERO));
        let load = format!(":ar-load {folder}/peterson.alt");
        for text in [&load, ":ar-info Stack3", "with Stack3 do on := [Top.isEmpty]; done", "R(s : Stack3!c) := true;"] {
            assert_eq!(run(text, &late), (vec!["mec030"], 0, 1), "{text}");
        }
    }

    /// A node, initial states, error states, and whether they are reached.
    const QUESTIONS: [(&str, &str, &str, bool); 10] = [
        ("Peterson", "Peterson!init(s)", "s.p = critical & s.q = critical", false),
        ("Peterson", "s.p != critical | s.q != critical", "s.p = critical & s.q = critical", true),
        ("Peterson", "true", "false", false),
        ("Careless", "Careless!init(s)", "s.p = critical & s.q = critical", true),
        ("Counter", "Counter!init(s)", "s.n = 7", false),
        ("Counter", "s.n = 1 & s.below = 0", "s.twice = 14 & s.below = 3", true),
        ("Counter", "s.n = 7 & ~s.on", "s.twice = 0", false),
        ("Both", "Both!init(s)", "s.a.twice = 2", false),
        ("Stack3", "Stack3!init(s)", "s.Top.object != no & s.Stack.Top.object = no", false),
        ("Stack3", "s.Top.object = a", "s.Stack.Stack.isEmpty & ~s.Top.isEmpty", true),
    ];

    #[test]
    fn what_refinement_finds_is_accepted_by_the_checker() {
        let settings = [
            "",
            ":set cegar-ce-analysis BACKWARD\n:set cegar-use-guards-as-predicates",
            ":set initial-certification\n:set split-certification\n:set feasibility-certification",
            ":set cegar-use-must-and-clo\n:set cegar-abstraction-refinement-algorithm SIGMA",
        ];
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mec/tests/it/mec5");
        for (node, initial, error, is_reached) in QUESTIONS {
            for setting in settings {
                let mut workspace = Workspace::new(&disk(), Kept::default());
                let mut session = session(Some(1 << 28), 1);
                let text = format!(
                    ":ar-load {folder}/peterson.alt\n:ar-load {folder}/stack.alt\nI(s : {node}!c) := {initial};
E(s : {node}!c) := {error};\n{setting}\n:ar-cegar-init {node} I E\n:ar-cegar-verify {node}"
                );
                let source = workspace.add_source("input", &text);
                session.run(&mut workspace, source, &Control::new());
                let said = &workspace.desk.text;
                let verdict = if is_reached {
                    "\nthe error states are reachable"
                } else {
                    "\nthe error states are not reachable"
                };
                assert!(
                    said.contains(verdict),
                    "{node}, {initial}, {error}, {setting}: {said} {:?}",
                    workspace.desk.codes
                );
                assert_eq!((&workspace.desk.codes[..], session.outcome.n_rejected), (&[][..], 0), "{said}");
            }
        }
    }
}
