//! What abstractions say.

use puch::abstraction::boolean::{Program, lowered};
use puch::{Limits, Problem, Verdict};

/// Whether an assertion may fail on the abstraction.
pub fn may_fail(program: &Program) -> bool {
    let text = program.text();
    let lowered = lowered(&text, &["prog.c".into()]).unwrap_or_else(|wrong| panic!("{wrong:?}\n{}", text.text));
    let answers = Problem::of(lowered.spds).assertions().check(&Limits::default()).expect("it can be checked");
    match answers[0].verdict {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        ref other => panic!("{other:?}\n{}", text.text),
    }
}
