//! Soaking: the laws of the test suite on fresh random cases for as long as one likes.
//!
//! ```text
//! soak --minutes M [--seed S]      all laws for so long
//! soak --rounds N [--seed S]       so many cases
//! soak --replay FILE...            kept failures once more
//! soak --laws                      what the laws say
//! ```
//!
//! Seed and number of rounds determine everything that is asked and said but for times. A failure is made smaller and kept
//! in a file that `--replay` reads, below `target/soak-failures` or where `--out` says. `--only WORD` takes only laws whose names
//! contain the word. The exit code is 1 if something failed, 2 if the arguments make no sense.
//!
//! One *check* is one answer of puch (a verdict with its run, a set) compared with what something independent of its search
//! says. Texts given to readers are counted apart, as *readings*.

mod arguments;
#[path = "../../support/c_expressions.rs"]
mod c_expressions;
#[path = "../../support/c_shapes/mod.rs"]
#[allow(dead_code, reason = "tables are not told here")]
mod c_shapes;
#[path = "../../support/c_texts.rs"]
#[allow(dead_code, reason = "tests ask for more")]
mod c_texts;
mod case;
#[path = "../../ltl/cases.rs"]
mod cases;
mod certified;
#[path = "../../support/compiled.rs"]
#[allow(dead_code, reason = "what cannot be compiled is no failure here")]
mod compiled;
#[path = "../../ltl/lasso.rs"]
#[allow(dead_code, reason = "only words are needed here")]
mod lasso;
mod laws;
#[path = "../../support/may_fail.rs"]
mod may_fail;
#[path = "../../oracle/mod.rs"]
mod oracle;
#[path = "../../ltl/random.rs"]
mod random;
#[path = "../../readers/mod.rs"]
mod readers;
#[allow(dead_code, reason = "not all that is seen of a relation is told here")]
#[path = "../../moped_pds/relations.rs"]
mod relations;
#[path = "../../ltl/shared.rs"]
mod shared;
#[path = "../../support/small_programs.rs"]
mod small_programs;
mod soak;
#[path = "../../moped_pds/states.rs"]
mod states;
#[path = "../../support/mod.rs"]
mod support;
#[path = "../../support/told.rs"]
mod told;
#[path = "../../ltl/unfold.rs"]
mod unfold;
#[path = "../../ltl/verdicts.rs"]
mod verdicts;
mod watch;

use std::process::ExitCode;
use support::terms;

use arguments::{Arguments, Wanted};

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(complaint) => {
            eprintln!("{complaint}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    let fine = match &arguments.wanted {
        Wanted::Laws => {
            laws::all().iter().for_each(|law| println!("{:<24} {}", law.name, law.says));
            true
        }
        Wanted::Replay(files) => files.iter().filter(|file| !soak::replay(file)).count() == 0,
        Wanted::Rounds(_) | Wanted::Minutes(_) => soak::soak(&arguments),
    };
    ExitCode::from(u8::from(!fine))
}
