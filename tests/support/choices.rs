//! Random ways to go about a check, which never change an answer, as text too.

use fastrand::Rng;
use puch::limits::Limits;
use puch::options::{Engine, LiveRanges, Loops, Options, Order, Runs, Scc, Search, Switch, TraceWish};

use super::pick;

/// The defaults, but for memory: an engine that takes what it might need at the start takes little.
pub fn limited(runs: Runs) -> Options {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    Options { limits, runs, ..Options::default() }
}

/// The defaults, and random choices.
pub fn some(rng: &mut Rng, runs: Runs, count: usize) -> Vec<Options> {
    std::iter::once(limited(runs)).chain((1..count).map(|_| random(rng, runs))).collect()
}

/// For each choice a random value of those listed, and back and forth between choices and text.
macro_rules! choices {
    ($($field:ident: $($value:expr),+;)*) => {
        /// Random choices.
        pub fn random(rng: &mut Rng, runs: Runs) -> Options {
            Options { $($field: *pick(rng, &[$($value),+]),)* ..limited(runs) }
        }

        /// Choices as text.
        pub fn written(options: &Options) -> String {
            let all = [$(format!("{}={:?}", stringify!($field), options.$field),)* format!("runs={:?}", options.runs)];
            all.join(" ")
        }

        /// The choices of a text that was written so.
        pub fn read(text: &str) -> Option<Options> {
            let mut options = limited(Runs::default());
            for pair in text.split_whitespace() {
                let (name, value) = pair.split_once('=')?;
                match name {
                    $(stringify!($field) => options.$field = named(&[$($value),+], value)?,)*
                    "runs" => options.runs = named(&[Runs::Maximal, Runs::Infinite, Runs::Stutter], value)?,
                    _ => return None,
                }
            }
            Some(options)
        }
    };
}

choices! {
    engine: Engine::Biodivine, Engine::Biodivine, Engine::Auto, Engine::Shared;
    order: Order::Force, Order::Declared, Order::Apart, Order::Together, Order::GlobalsFirst, Order::Sifted;
    trace: TraceWish::None, TraceWish::Any, TraceWish::Shortest;
    search: Search::Post, Search::Auto, Search::Pre;
    scc: Scc::Auto, Scc::Hull, Scc::Closure, Scc::Squaring, Scc::Lockstep;
    loops: Loops::Auto, Loops::Step, Loops::Square;
    modref: Switch::On, Switch::Off;
    live: LiveRanges::Auto, LiveRanges::Influence, LiveRanges::Influence, LiveRanges::Off, LiveRanges::Plain;
    blocks: Switch::On, Switch::Off;
    alike: Switch::On, Switch::Off;
    slice: Switch::On, Switch::Off;
    one_way: Switch::On, Switch::Off;
    strength: Switch::On, Switch::Off;
    leap_after: 10_000, 10_000, 0;
    look_after: 1 << 17, 0, 1 << 10;
}

fn named<T: Copy + std::fmt::Debug>(all: &[T], name: &str) -> Option<T> {
    all.iter().copied().find(|value| format!("{value:?}") == name)
}
