//! A formula about a Boolean program: `cargo run --example ltl`.
//!
//! ```text
//! G (asked -> F answered): violated, by a run that goes round for ever
//!   3 steps, then again and again:
//!   line 8, depth 1
//!   line 9, depth 1
//! F asked: holds
//! ```

use std::sync::Arc;

use puch::boolprog;
use puch::check::{Options, Property, Verdict, check};
use puch::ltl::atoms::{Context, Symbols, resolve};
use puch::ltl::{Passes, Reading, Violations, parse};
use spds_format::Spds;

const PROGRAM: &str = "decl asked, answered;
void main() begin
  asked, answered := 0, 0;
  asked := 1;
  wait(*);
end
void wait(patient) begin
  while (patient) do
    skip;
  od
  answered := 1;
end
";

fn main() {
    print!("{}", report());
}

/// What the program prints.
pub fn report() -> String {
    let program = boolprog::read(PROGRAM, "asking.bp", &boolprog::Options::default()).expect("the program is one");
    ["G (asked -> F answered)", "F asked"].map(|formula| about(&program.spds, formula)).concat()
}

fn about(spds: &Spds, formula: &str) -> String {
    // What an unqualified condition means, the language of the program says.
    let condition = |text: &str| {
        let predicate = boolprog::predicate(text, spds, boolprog::Options::default().dialect)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let context = Context { spds, text: formula, symbols: Symbols::Hidden, condition: &condition };
    let (ltl, _) = parse(formula, &Reading::default()).expect("the formula is one");
    let (meanings, _) = resolve(ltl.formulas.propositions(), &context).expect("the program has these names");
    let options = Options::default();
    let violations = Violations::of(ltl, meanings, &Passes::default(), &options.limits).expect("no limit is set");
    let outcome = check(spds, &[Property::Ltl(Arc::new(violations))], &options).expect("the judge accepts the run");
    let answer = &outcome.answers[0];
    match &answer.verdict {
        Verdict::Violated(Some(trace)) => {
            let cycle = trace.run.cycle.iter().flatten();
            let place = |step: &puch::run::Step| spds.symbol(step.config.symbol).place.map_or(0, |place| place.line);
            let cycle: String = cycle.map(|step| format!("  line {}, depth {}\n", place(step), step.depth)).collect();
            let stem = trace.run.stem.len();
            format!(
                "{formula}: violated, by a run that goes round for ever\n  {stem} steps, then again and again:\n{cycle}"
            )
        }
        verdict => format!("{formula}: {}\n", verdict.name()),
    }
}
