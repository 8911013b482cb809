//! A formula about a Boolean program: `cargo run --example ltl`.
//!
//! ```text
//! G (asked -> F answered): violated, by a run that goes round for ever
//!   3 steps, then again and again:
//!   line 8, depth 1
//!   line 9, depth 1
//! F asked: holds
//! ```

use puch::{Format, Limits, Problem, Step, Verdict};

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
    ["G (asked -> F answered)", "F asked"].map(about).concat()
}

fn about(formula: &str) -> String {
    let problem = Problem::read(PROGRAM, Format::BooleanProgram).expect("the program is one");
    let problem = problem.ltl(formula).expect("the formula is one, and the program has these names");
    let answers = problem.check(&Limits::default()).expect("the judge accepts the run");
    match &answers[0].verdict {
        Verdict::Violated(Some(trace)) => {
            let line = |step: &Step| problem.system().symbol(step.config.symbol).place.map_or(0, |place| place.line);
            let cycle = trace.run.cycle.iter().flatten();
            let cycle: String = cycle.map(|step| format!("  line {}, depth {}\n", line(step), step.depth)).collect();
            let stem = trace.run.stem.len();
            format!(
                "{formula}: violated, by a run that goes round for ever\n  {stem} steps, then again and again:\n{cycle}"
            )
        }
        verdict => format!("{formula}: {}\n", verdict.name()),
    }
}
