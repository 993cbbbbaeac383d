//! The limits of commands that are no check.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use lapidary_base::Control;
use lapidary_driver::Limits;

use crate::limits;
use crate::units::{parse_duration, parse_size};

#[derive(Debug, Default, Args)]
pub struct LimitArgs {
    /// Give up after this long: 500ms, 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,

    /// Give up when the process uses this much: 250M, 8G [default: 80% of what is available]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
}

impl LimitArgs {
    /// The control of a command that an interrupt ends, from now on.
    pub fn control(&self) -> Control {
        self.control_with(&limits::on_interrupt())
    }

    pub fn control_with(&self, interrupted: &Arc<AtomicBool>) -> Control {
        let limits = Limits { timeout: self.timeout, memory: self.memory };
        limits.control().with_cancel(Arc::clone(interrupted))
    }
}
