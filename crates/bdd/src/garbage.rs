//! Waiting for a collection of garbage, no longer than the limits allow.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use lapidary_base::Stop;
use oxidd::bcdd::BCDDManagerRef;
use oxidd::{Manager, ManagerRef};

use crate::space::Space;

/// A store with fewer nodes is swept in some milliseconds.
const FEW_NODES: usize = 1 << 18;

/// How long the limits are not looked at.
const PATIENCE: Duration = Duration::from_millis(20);

impl Space {
    /// Collects garbage, or waits until a collection that is under way has ended.
    ///
    /// Sweeping a large store takes seconds and cannot be stopped. Who is to stop meanwhile goes, and leaves the rest to
    /// a thread that ends by itself.
    pub fn collect_garbage(&self) -> Result<(), Stop> {
        self.watch.look()?;
        if self.nodes_in_use() < FEW_NODES {
            collect(&self.manager);
            return Ok(());
        }
        let (sender, ended) = mpsc::channel::<()>();
        let manager = self.manager.clone();
        let sweep = move || {
            collect(&manager);
            drop(sender);
        };
        if thread::Builder::new().name("garbage".to_owned()).spawn(sweep).is_err() {
            collect(&self.manager);
            return Ok(());
        }
        while ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            self.watch.glance()?;
        }
        Ok(())
    }
}

fn collect(manager: &BCDDManagerRef) {
    manager.with_manager_shared(|manager| {
        let before = manager.gc_count();
        while manager.gc() == 0 && manager.gc_count() == before {
            thread::sleep(Duration::from_micros(200));
        }
    });
}
