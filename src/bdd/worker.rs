//! A thread for operations that cannot be stopped.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::Builder;
use std::time::Instant;

use super::budget::Budget;
use crate::limits::Stop;

/// Bytes of stack, and for each level of recursion.
const STACK: (usize, usize) = (4 << 20, 4 << 10);

type Job = Box<dyn FnOnce() + Send>;

/// A thread that runs one operation after the other. It ends after the last of them when this is dropped.
pub(super) struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    /// A thread with a stack for operations on so many levels, if there can be one.
    pub(super) fn new(levels: u32) -> Option<Worker> {
        let (jobs, received): (Sender<Job>, Receiver<Job>) = channel();
        let stack = STACK.0 + STACK.1 * levels as usize;
        let run = move || received.into_iter().for_each(|job| job());
        Builder::new().name("bdd".to_owned()).stack_size(stack).spawn(run).ok()?;
        Some(Worker { jobs })
    }

    /// Waits for an operation, but not beyond the deadline. After that it goes on by itself, for nothing.
    pub(super) fn run<T: Send + 'static>(
        &self,
        budget: &Budget,
        operation: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stop> {
        let (done, result) = sync_channel(1);
        // Nobody may be waiting any more: then the result is dropped.
        let job = Box::new(move || drop(done.send(operation())));
        self.jobs.send(job).expect("the worker ends with its sender");
        let died = "an operation of the BDD library panicked";
        match budget.deadline() {
            None => Ok(result.recv().expect(died)),
            Some(deadline) => match result.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(result) => Ok(result),
                Err(RecvTimeoutError::Timeout) => Err(Stop::Timeout),
                Err(RecvTimeoutError::Disconnected) => panic!("{died}"),
            },
        }
    }
}
