//! The process of a solver and its three pipes, each with a thread of its own: whatever the process does, nobody waits
//! for it longer than he wants to.

use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

const CHUNK: usize = 1 << 16;
/// Chunks that may wait to be looked at; then the process has to.
const CHUNKS: usize = 16;
/// What is kept of what it complains about.
const COMPLAINT: usize = 4096;
/// How long a process that has ended may take to say its last words.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// `$1` is the limit in kilobytes. Where the system forbids to change it, a stricter one holds already.
const LIMITED: &str = r#"ulimit -v "$1" 2>/dev/null || :; shift; exec "$@""#;

/// Ended, with everything that it started, when dropped.
pub struct Child {
    process: process::Child,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    complaint: Arc<Mutex<Vec<u8>>>,
    /// Closed when no more complaints can come.
    complained: Receiver<()>,
    ended: Option<ExitStatus>,
}

pub enum Heard {
    Bytes(Vec<u8>),
    Nothing,
    /// There is nothing more to be heard.
    End,
}

impl Child {
    /// `memory` bytes of address space at most; 0 is no limit.
    pub fn start(command: &[String], memory: u64) -> io::Result<Self> {
        let mut command = match memory {
            0 => plain(command),
            _ => limited(command, memory),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that a script can be ended together with the solver that it started.
        #[cfg(unix)]
        command.process_group(0);
        let mut process = command.spawn()?;
        let stdin = process.stdin.take().expect("piped");
        let stdout = process.stdout.take().expect("piped");
        let stderr = process.stderr.take().expect("piped");
        let (input, lines) = mpsc::channel();
        let (heard, output) = mpsc::sync_channel(CHUNKS);
        let (over, complained) = mpsc::channel();
        let complaint = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&complaint);
        let child = Self { process, input, output, complaint, complained, ended: None };
        // The threads end with the pipes or with this value, which ends the process if one of them cannot start.
        let start = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().spawn(work);
        start(Box::new(move || write(stdin, &lines)))?;
        start(Box::new(move || read(stdout, &heard)))?;
        start(Box::new(move || {
            listen(stderr, &kept);
            drop::<Sender<()>>(over);
        }))?;
        Ok(child)
    }

    /// Never waits; whether anybody listens is seen by the answer.
    pub fn say(&self, text: String) {
        let _ = self.input.send(text);
    }

    pub fn hear(&self, patience: Duration) -> Heard {
        match self.output.recv_timeout(patience) {
            Ok(bytes) => Heard::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    /// Kills it if it still lives, and waits for it. A process that had ended by itself keeps its own status.
    pub fn end(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.kill_group();
            let _ = self.process.kill();
            self.ended = self.process.wait().ok();
        }
        self.ended
    }

    /// How it ended, and the first line of its complaints.
    pub fn obituary(&mut self) -> String {
        let how = match self.end() {
            #[cfg(unix)]
            Some(status) if status.signal() == Some(9) => "its output ended".to_owned(),
            Some(status) => format!("it ended ({status})"),
            None => "it ended".to_owned(),
        };
        match self.complaint() {
            Some(line) => format!("{how}: {line}"),
            None => how,
        }
    }

    pub fn complaint(&mut self) -> Option<String> {
        let _ = self.complained.recv_timeout(LAST_WORDS);
        let bytes = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.lines().map(str::trim).find(|line| !line.is_empty()).map(super::words::brief)
    }

    /// The number cannot belong to another group yet: nobody has waited for its leader.
    fn kill_group(&self) {
        if cfg!(unix) {
            let group = format!("-{}", self.process.id());
            let mut kill = Command::new("sh");
            kill.args(["-c", r#"kill -s KILL -- "$1""#, "sh", &group]);
            let _ = kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

fn plain(command: &[String]) -> Command {
    let mut plain = Command::new(&command[0]);
    plain.args(&command[1..]);
    plain
}

fn limited(command: &[String], memory: u64) -> Command {
    let kilobytes = memory.div_ceil(1024).to_string();
    let mut limited = Command::new("sh");
    limited.args(["-c", LIMITED, "sh", &kilobytes]).args(command);
    limited
}

fn write(mut stdin: impl Write, texts: &Receiver<String>) {
    while let Ok(text) = texts.recv() {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read(mut stdout: impl Read, heard: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match stdout.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) if heard.send(chunk[..length].to_vec()).is_err() => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Keeps the beginning and drops the rest.
fn listen(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = vec![0; COMPLAINT];
    loop {
        match stderr.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = COMPLAINT - kept.len();
                kept.extend_from_slice(&chunk[..length.min(room)]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
