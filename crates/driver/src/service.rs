//! The service: requests about models, each answered by a thread of its own, with the document that `check --format json` prints.
//!
//! A request shares nothing with others but what the operating system counts for a process. Whoever asks decides where
//! files are, hears of events while they happen, and may stop the answer at any time.

use std::any::Any;
use std::sync::Arc;
use std::thread::JoinHandle;

use lapidary_base::{Control, Interrupter, Sink, Stop, threads};
use lapidary_verdict::Report;

use crate::check::check;
use crate::events::{Commands, Fanout, model_loaded};
use crate::exit::Exit;
use crate::files::Files;
use crate::json;
use crate::limits::Limits;
use crate::load::{LoadError, LoadRequest, Loaded, load_within};
use crate::request::CheckRequest;

/// A model, what is asked about it, and what the answer may take.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub load: LoadRequest,
    pub check: CheckRequest,
    pub limits: Limits,
}

/// What came of a request.
pub struct Answer {
    pub outcome: Outcome,
    /// How the command line would end.
    pub exit: Exit,
    /// All of it as one JSON document on one line.
    pub document: Vec<u8>,
}

pub enum Outcome {
    Checked(Box<Checked>),
    /// There is no model to ask about.
    Unloaded(LoadError),
    /// Options that do not go together, or not with this model: a sentence.
    Misused(String),
    /// A bug of ours: what it said.
    Broken(String),
}

/// A model, and the answers about it.
pub struct Checked {
    pub loaded: Loaded,
    pub report: Report,
}

/// A request that is being answered. Who drops it does not wait for the answer, which then stops.
pub struct Running {
    path: String,
    interrupter: Interrupter,
    /// Taken by whoever waits.
    thread: Option<JoinHandle<Answer>>,
}

/// Begins to answer a request; it fails where the system has no room for another thread. `observer` hears of all events.
pub fn start(request: Request, files: Arc<dyn Files>, observer: Option<Arc<dyn Sink>>) -> Result<Running, Stop> {
    let mut control = request.limits.control();
    if let Some(observer) = observer {
        control = control.with_sink(Box::new(Fanout { sinks: vec![observer] }));
    }
    let (interrupter, path) = (control.interrupter(), request.load.path.clone());
    let thread = threads::deep("request", move || answer(&request, &files, &control))?;
    Ok(Running { path, interrupter, thread: Some(thread) })
}

impl Running {
    /// Who has it may stop the answer from any thread: what is known until then is told, as after Ctrl-C.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the answer.
    pub fn wait(mut self) -> Answer {
        let thread = self.thread.take().expect("only this takes it");
        thread.join().unwrap_or_else(|panicked| broken(&self.path, &message(&*panicked)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.interrupter.interrupt();
        }
    }
}

/// Answers a request on this thread, which needs a stack for deeply nested formulas (`lapidary_base::threads::deep`).
pub fn answer(request: &Request, files: &Arc<dyn Files>, control: &Control) -> Answer {
    let path = &request.load.path;
    if let Some(misuse) = request.check.misuse() {
        return misused(path, misuse);
    }
    let loaded = match load_within(&request.load, files, control) {
        Ok(loaded) => loaded,
        Err(error) => {
            let exit = Exit::of_load_error(&error);
            let document = written(|out| json::write_unloadable(path, &error, exit.code(), out));
            return Answer { outcome: Outcome::Unloaded(error), exit, document };
        }
    };
    if let Some(why) = request.check.unmatched(&loaded) {
        return misused(path, format!("--control: {why}"));
    }
    let commands = if control.sink().is_some() { Commands::Counted } else { Commands::AsTheyAre };
    control.emit(&model_loaded(&loaded, commands, control));
    let report = check(&loaded, &request.check, control);
    let exit = Exit::of_answer(&loaded, &report);
    let document = written(|out| json::write(&loaded, &report, exit.code(), control, out));
    Answer { outcome: Outcome::Checked(Box::new(Checked { loaded, report })), exit, document }
}

fn misused(path: &str, why: String) -> Answer {
    let document = written(|out| json::write_failure(path, ("usage", &why), Exit::Usage.code(), out));
    Answer { outcome: Outcome::Misused(why), exit: Exit::Usage, document }
}

fn broken(path: &str, why: &str) -> Answer {
    let message = format!("internal error: {why}");
    let document = written(|out| json::write_failure(path, ("internal", &message), Exit::Internal.code(), out));
    Answer { outcome: Outcome::Broken(message), exit: Exit::Internal, document }
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> Vec<u8> {
    let mut document = Vec::new();
    write(&mut document).expect("memory can be written");
    document
}

/// What a thread said that panicked.
fn message(panicked: &(dyn Any + Send)) -> String {
    let text = panicked.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panicked.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_of_ours_is_an_answer_too() {
        let thread = threads::deep("request", || -> Answer { panic!("broken invariant") }).expect("there is room");
        let running = Running { path: "m.gcl".to_owned(), interrupter: Interrupter::default(), thread: Some(thread) };
        let Answer { outcome, exit, document } = running.wait();
        assert!(matches!(outcome, Outcome::Broken(why) if why == "internal error: broken invariant"));
        let document = String::from_utf8(document).expect("JSON is UTF-8");
        assert!(document.contains(r#""code":"internal""#) && document.ends_with(r#""exit_code":70}"#), "{document}");
        assert_eq!(exit, Exit::Internal);
    }
}
