//! A C program, proved and run until it fails: `cargo run --example c_program`.
//!
//! ```text
//! assertions: holds
//! DEAR: reachable
//!   line 4: `nondet` gives 100
//!   line 4, depth 0: pieces = nondet();  pieces=100
//!   line 4, depth 0: if (pieces < 0 || pieces > 1000)
//!   line 5, depth 0: if (price(pieces) < 0)
//!   line 2, depth 1: return pieces < 100 ? 8 * pieces : 9 * pieces;
//!   line 5, depth 0: if (price(pieces) < 0)
//!   line 6, depth 0: if (price(pieces) == 900)
//!   line 2, depth 1: return pieces < 100 ? 8 * pieces : 9 * pieces;
//!   line 6, depth 0: if (price(pieces) == 900)
//!   line 7, depth 0: return 1;
//! ```

use puch::{Format, Limits, Problem};

const PROGRAM: &str = "int nondet(void); void reach_error(void);
int price(int pieces) { return pieces < 100 ? 8 * pieces : 9 * pieces; }
int main(void) {
  int pieces = nondet(); if (pieces < 0 || pieces > 1000) return 0;
  if (price(pieces) < 0) reach_error();
  if (price(pieces) == 900)
    DEAR: return 1;
  return 0;
}
";

fn main() {
    print!("{}", report());
}

/// What the program prints.
pub fn report() -> String {
    let problem = Problem::read(PROGRAM, Format::C).expect("the program is one").assertions();
    let problem = problem.reach("DEAR").expect("there is such a label");
    let answers = problem.check(&Limits::default()).expect("the judge accepts what is found");
    let mut out = String::new();
    for (asked, answer) in ["assertions", "DEAR"].iter().zip(&answers) {
        out += &format!("{asked}: {}\n", answer.verdict.name());
        let Some(run) = answer.verdict.run() else { continue };
        for input in &run.inputs {
            let from = input.from.as_deref().unwrap_or("nobody");
            out += &format!("  line {}: `{from}` gives {}\n", input.line, input.value);
        }
        for step in &run.steps {
            out += &format!("  line {}, depth {}: {step}\n", step.line, step.depth);
        }
    }
    out
}
