//! Work that is split over threads.

use std::thread;

/// The results of all tasks in the order of the tasks, each computed on a thread of its own. A single task needs none.
pub fn side_by_side<A: Send, T: Send>(tasks: impl Iterator<Item = A>, run: impl Fn(A) -> T + Sync) -> Vec<T> {
    let mut tasks: Vec<A> = tasks.collect();
    let Some(last) = tasks.pop() else { return Vec::new() };
    thread::scope(|scope| {
        let run = &run;
        let workers: Vec<_> = tasks.into_iter().map(|task| scope.spawn(move || run(task))).collect();
        let last = run(last);
        let joined = workers.into_iter().map(|worker| worker.join().expect("a check does not panic"));
        joined.chain([last]).collect()
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
