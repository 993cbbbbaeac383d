//! What a request may take. Time is its own; memory is that of the process, whoever else uses some of it.

use std::time::Duration;

use lapidary_base::{Control, memory};

/// Nothing but the machine ends a request that sets no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub timeout: Option<Duration>,
    /// Bytes of the whole process.
    pub memory: Option<u64>,
}

impl Limits {
    /// A run that begins now, within these limits.
    pub fn control(&self) -> Control {
        let control = match self.memory {
            Some(_) => Control::new().with_memory(self.memory),
            None => Control::new().with_system_memory(most_of_the_system()),
        };
        control.with_timeout(self.timeout)
    }
}

/// 80% of what is available, where the system tells.
pub fn system_memory() -> Option<u64> {
    memory::available().map(|bytes| bytes / 5 * 4)
}

/// The same beside what the process has already.
fn most_of_the_system() -> Option<u64> {
    Some(system_memory()?.saturating_add(memory::resident().unwrap_or(0)))
}
