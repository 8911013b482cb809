//! A formula about a Boolean program: `cargo run --example ltl`.
//!
//! ```text
//! G (asked -> F answered): violated, by a run that goes round for ever
//!   3 steps, then again and again:
//!   line 8, depth 1: while (patient) do
//!   line 9, depth 1: skip;
//! F asked: holds
//! ```

use puch::{Format, Limits, Problem};

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
    let mut out = format!("{formula}: {}", answers[0].verdict.name());
    if let Some((run, cycle)) = answers[0].verdict.run().and_then(|run| Some((run, run.cycle?))) {
        out += &format!(", by a run that goes round for ever\n  {cycle} steps, then again and again:");
        for step in &run.steps[cycle..] {
            out += &format!("\n  line {}, depth {}: {}", step.line, step.depth, step.statement);
        }
    }
    out + "\n"
}
