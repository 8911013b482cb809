//! What functions of a C library ask of their callers, and what fails although they do: `cargo run --example functions`.
//!
//! ```text
//! slot: holds
//!   callers establish n >= 0
//!   callers establish n < 16
//! swap: holds
//!   callers establish a != NULL
//!   callers establish b != NULL
//! last: violated
//!   line 2: the index is none of the array's: `slots[n]`
//!     line 4: last(…)  count=17  slots[0]=0  slots[1]=0  slots[2]=0  slots[3]=0
//!     line 4: if (count > 0): yes
//!     line 4: if (count < 18): yes
//!     line 4: .1 = slot(count - 1)
//!     line 2: slots[n]: the index is none of the array's
//! ```

use puch::c_functions::{Class, Functions, Options};

const LIBRARY: &str = "static int slots[16];
int slot(int n) { return slots[n]; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int last(int count) { return count > 0 && count < 18 ? slot(count - 1) : 0; }
";

fn main() {
    print!("{}", report());
}

/// What the program prints.
pub fn report() -> String {
    let functions =
        Functions::read(LIBRARY).expect("the text is C").contracts("contracts", "last: requires count > 16");
    let options = Options::default();
    let mut out = String::new();
    for (function, answer) in functions.answers(&options) {
        let answer = answer.expect("the contracts can be read");
        out += &format!("{}: {}\n", function.name, answer.verdict.name());
        for obligation in &answer.obligations {
            out += &format!("  callers establish {}\n", obligation.condition);
        }
        for (one, _) in answer.uses.iter().filter(|(_, class)| *class == Class::Fails) {
            out += &format!("  line {}: {}: `{}`\n", one.line, one.kind.told(), one.pointer);
            for step in one.verdict.run().iter().flat_map(|run| &run.steps) {
                out += &format!("    line {}: {step}\n", step.line);
            }
        }
    }
    out
}
