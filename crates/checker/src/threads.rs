//! Work that is split over threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// The results of all tasks in the order of the tasks, each computed on a thread of its own. A single task needs none, and
/// what finds no thread, because the system lets none start, is computed here.
pub fn side_by_side<A: Send, T: Send>(tasks: impl Iterator<Item = A>, run: impl Fn(A) -> T + Sync) -> Vec<T> {
    let tasks: Vec<Mutex<Option<A>>> = tasks.map(|task| Mutex::new(Some(task))).collect();
    let take = |task: &Mutex<Option<A>>| {
        let task = task.lock().unwrap_or_else(PoisonError::into_inner).take();
        run(task.expect("every task is taken once"))
    };
    let Some((last, others)) = tasks.split_last() else { return Vec::new() };
    let take = &take;
    thread::scope(|scope| {
        let start = |task| thread::Builder::new().spawn_scoped(scope, move || take(task));
        let workers: Vec<_> = others.iter().map(|task| (task, start(task))).collect();
        let last = take(last);
        let results = workers.into_iter().map(|(task, worker)| match worker {
            Ok(worker) => worker.join().expect("a check does not panic"),
            Err(_) => take(task),
        });
        results.collect::<Vec<_>>().into_iter().chain([last]).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        for n in 0..4 {
            let expected: Vec<i32> = (0..n).map(|i| 10 * i).collect();
            assert_eq!(side_by_side(0..n, |i| 10 * i), expected);
        }
    }
}
