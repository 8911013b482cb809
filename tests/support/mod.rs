//! Seeded generators of systems and programs, and a shrinker.
//!
//! Randomness is `fastrand`: one small crate without dependencies. A seed gives the same value as long as `Cargo.lock`
//! and the generator stay as they are; failures are therefore printed and kept as text, never as a seed alone.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod automata;
pub mod choices;
pub mod copies;
pub mod heights;
pub mod influence;
pub mod judged;
pub mod programs;
pub mod rem_loops;
pub mod rem_programs;
pub mod rotations;
pub mod runs;
mod seeds;
pub mod shapes;
pub mod shared;
pub mod systems;
pub mod terms;
pub mod verdicts;

#[allow(unused_imports, reason = "not every test program draws seeds")]
pub use seeds::seeds;

/// What can be made smaller step by step.
pub trait Shrink: Clone {
    /// Somewhat smaller versions of it, the boldest first; all valid.
    fn smaller(&self) -> Vec<Self>;
}

/// Makes the value smaller as long as it still fails: greedily, until no smaller version does.
pub fn shrink<T: Shrink>(mut value: T, fails: impl Fn(&T) -> bool) -> T {
    while let Some(next) = value.smaller().into_iter().find(&fails) {
        value = next;
    }
    value
}

/// Picks an element.
pub fn pick<'a, T>(rng: &mut fastrand::Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(..all.len())]
}

/// True once in `n` times.
pub fn one_in(rng: &mut fastrand::Rng, n: u32) -> bool {
    rng.u32(..n) == 0
}

/// The sequential programs of other people, with their paths; `None`, with a note, if no one says where they are.
pub fn corpus() -> Option<Vec<(String, String)>> {
    let corpus = shared::folder("corpus")?;
    let read = |path: &str| std::fs::read_to_string(corpus.join(path)).expect("the file is there");
    let sequential = shared::index(&corpus).into_iter().filter(|row| row[3] == "no");
    let programs: Vec<(String, String)> = sequential.map(|row| (row[0].clone(), read(&row[0]))).collect();
    assert!(!programs.is_empty(), "the corpus has no sequential program");
    Some(programs)
}
