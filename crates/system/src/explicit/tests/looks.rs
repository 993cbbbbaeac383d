//! Long lists of rows take time wherever they are copied, sorted or compared; the limits are looked at all the while.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lapidary_base::{Control, Pace};
use lapidary_ir::{Domain, Model, Statement};

use super::{any, assign, command, system, var};
use crate::explicit::Listed;
use crate::successors::{Steps, Successors};

#[derive(Default)]
struct Counted(AtomicU64);

impl Pace for Counted {
    fn spend(&self, work: u64) -> Option<u64> {
        self.0.fetch_add(work, Ordering::Relaxed);
        None
    }

    fn pass(&self) {}
}

const N_ROWS: i64 = 1 << 16;

/// How often the limits are looked at in one step of a body that makes many rows and then does the same ten times.
fn n_looks(again: impl Fn(&Model) -> Statement) -> u64 {
    let mut model = Model::default();
    let x = model.vars.push(var("x", Domain::Range { lo: 0, hi: N_ROWS - 1 }));
    let body = [any(x)].into_iter().chain((0..10).map(|_| again(&model))).chain([assign(x, model.exprs.int(0))]);
    model.commands.push(command(Statement::Sequence(body.collect())));
    let counted = Arc::new(Counted::default());
    let mut steps = Steps::within(&Control::new().with_pace(counted.clone()));
    let system = system(&model);
    system.successors(Listed::plain(&system.pack(&[0])), &mut steps).expect("no limits");
    assert_eq!(steps.len(), 1);
    counted.0.load(Ordering::Relaxed)
}

#[test]
fn the_limits_are_looked_at_where_ways_meet() {
    // Copying all rows twice makes four looks, each time, putting them together two, and comparing them four.
    let found = n_looks(|_| Statement::Choice(vec![Statement::Skip, Statement::Skip]));
    assert!(found >= 100, "{found} looks");
}
