//! A system built in code, and a question about a place: `cargo run --example reachability`.
//!
//! `main` takes a lock and takes it again. Can `lock` find it taken?
//!
//! ```text
//! error: reachable
//!   depth 0: main:first  held=0
//!   depth 1: lock:entry  held=0
//!   depth 0: main:again  held=1
//!   depth 1: lock:entry  held=1
//!   depth 1: lock:error  held=1
//! ```

use puch::spds_format::Spds;
use puch::spds_format::build::{Builder, rule};
use puch::spds_format::expr::{Binary, Expr, Time};
use puch::spds_format::model::{Stack, Type};
use puch::{Limits, Problem};

fn main() {
    print!("{}", report());
}

/// What the program prints.
pub fn report() -> String {
    let problem = Problem::of(system()).reach("error").expect("there is this label");
    let answers = problem.check(&Limits::default()).expect("the judge accepts what the search finds");
    let mut out = format!("error: {}\n", answers[0].verdict.name());
    for step in answers[0].verdict.run().iter().flat_map(|run| &run.steps) {
        out += &format!("  depth {}: {step}\n", step.depth);
    }
    out
}

/// The system. The symbol asked for has a label.
fn system() -> Spds {
    let mut b = Builder::new();
    let p = b.control("run");
    let held = b.global("held", Type::unsigned(1));
    let [first, again, done] = ["main:first", "main:again", "main:done"].map(|name| b.symbol(name, None));
    let [entry, error] = ["lock:entry", "lock:error"].map(|name| b.symbol(name, None));
    b.label(error, "error");
    let is = |value| Expr::read(held, Time::Before).binary(Binary::Eq, &Expr::number(value));
    b.rule(rule(p, first, p, Stack::Push(entry, again)));
    b.rule(rule(p, again, p, Stack::Push(entry, done)));
    b.rule(rule(p, entry, p, Stack::Pop).when(is(0)).set(held, Expr::number(1)));
    b.rule(rule(p, entry, p, Stack::Swap(error)).when(is(1)));
    b.start(p, [first], Some(is(0)));
    b.finish().expect("the system is well-formed")
}
