//! A system built in code, and a question about a place: `cargo run --example reachability`.
//!
//! `descend` calls itself until its counter is 0 and then sets a global; each level counts up what it finds on the way back.
//! Can `main` see 3?
//!
//! ```text
//! main:three: reachable
//!   main:call  found=0
//!     descend:entry  found=0 n=2
//!       descend:entry  found=0 n=1
//!         descend:entry  found=0 n=0
//!         descend:exit  found=1 n=0
//!       descend:exit  found=1 n=1
//!     descend:exit  found=2 n=2
//!   main:back  found=3
//!   main:three  found=3
//! ```

use puch::spds_format::Spds;
use puch::spds_format::build::{Builder, rule};
use puch::spds_format::expr::{Binary, Expr, Time};
use puch::spds_format::model::{Stack, Type, Var};
use puch::{Limits, Problem, Run, Step, Then};

fn main() {
    print!("{}", report());
}

/// What the program prints.
pub fn report() -> String {
    let problem = Problem::of(system()).reach("three").expect("there is this label");
    let answers = problem.check(&Limits::default()).expect("the judge accepts what the search finds");
    let (spds, verdict) = (problem.system(), &answers[0].verdict);
    let run = verdict.trace().map_or_else(String::new, |trace| spelled(spds, &trace.run, &trace.run.stem, 1));
    format!("main:three: {}\n{run}", verdict.name())
}

/// The system. The symbol asked for has a label.
fn system() -> Spds {
    let mut b = Builder::new();
    let p = b.control("run");
    let found = b.global("found", Type::unsigned(2));
    let descend = b.frame("descend", [("n", Type::unsigned(2))]);
    let n = Var::Local(0);
    let [call, back, three] = ["main:call", "main:back", "main:three"].map(|name| b.symbol(name, None));
    b.label(three, "three");
    let [entry, exit] = ["descend:entry", "descend:exit"].map(|name| b.symbol(name, Some(descend)));

    let read = |var| Expr::read(var, Time::Before);
    let is = |var, value| read(var).binary(Binary::Eq, &Expr::number(value));
    let plus_one = read(found).binary(Binary::Add, &Expr::number(1));
    // main begins with found = 0 and calls descend with 2.
    b.rule(rule(p, call, p, Stack::Push(entry, back)).set(n, Expr::number(2)));
    b.rule(rule(p, back, p, Stack::Swap(three)).when(is(found, 3)));
    // descend(n): if n = 0 then found := 1, else descend(n - 1); on the way back found := found + 1.
    b.rule(rule(p, entry, p, Stack::Swap(exit)).when(is(n, 0)).set(found, Expr::number(1)));
    let less = read(n).binary(Binary::Sub, &Expr::number(1));
    b.rule(rule(p, entry, p, Stack::Push(entry, exit)).when(is(n, 0).not()).set(n, less));
    b.rule(rule(p, exit, p, Stack::Pop).when(is(n, 0)));
    b.rule(rule(p, exit, p, Stack::Pop).when(is(n, 0).not()).set(found, plus_one));
    b.start(p, [call], Some(is(found, 0)));
    b.finish().expect("the system is well-formed")
}

/// A line for each configuration, indented by its depth. A run is folded: a call that returns stands beside the run, once
/// however often it is made, and is unfolded here.
fn spelled(spds: &Spds, run: &Run, steps: &[Step], depth: u32) -> String {
    let mut text = String::new();
    for step in steps {
        let config = &step.config;
        let globals = spds.globals.iter().zip(config.globals.iter());
        let locals = spds.locals(config.symbol).iter().zip(config.locals.iter());
        let values = globals.chain(locals).map(|(variable, value)| format!("{}={value}", variable.name));
        let indent = "  ".repeat((depth + step.depth) as usize);
        let name = &spds.symbol(config.symbol).name;
        text += &format!("{indent}{name}  {}\n", values.collect::<Vec<_>>().join(" "));
        if let Then::Call(call) = step.then {
            text += &spelled(spds, run, &run.calls[call].steps, depth + step.depth + 1);
        }
    }
    text
}
