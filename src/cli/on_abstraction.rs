//! Questions about C programs that are decided on one abstraction, without refinement: what is refused, and what an answer says then.

use std::path::Path;

use anyhow::bail;
use puch::check::Verdict;
use puch::limits::Reason;

use super::args::PropertyTyped;
use super::choices::FormatName;

/// Why a file of properties is refused.
pub fn only_refined(file: &Path) -> String {
    let file = file.display();
    format!("`--property {file}` is about C programs of which predicates are to be found, without `--rounds 0`")
}

/// What is known of a C program where its abstraction has a run.
pub const ONLY_ON_THE_ABSTRACTION: Verdict = Verdict::Unknown(Reason::Abstraction);

/// Of C programs assertions and places are decided, on an abstraction.
pub fn refuse_on_abstractions(typed: &[PropertyTyped], assume: Option<&str>, format: FormatName) -> anyhow::Result<()> {
    let decided = |typed: &&PropertyTyped| matches!(typed, PropertyTyped::Assertions | PropertyTyped::Reach(_));
    if let Some(PropertyTyped::File(file)) = typed.iter().find(|typed| matches!(typed, PropertyTyped::File(_))) {
        bail!("{}", only_refined(file));
    }
    if let Some(other) = typed.iter().find(|typed| !decided(typed)) {
        let what = match other {
            PropertyTyped::Termination => "--termination",
            PropertyTyped::Failures(_) => "--check",
            _ => "formulas",
        };
        bail!("of C programs `--assertions` and `--reach` are decided on an abstraction, not {what}");
    }
    if assume.is_some() || format == FormatName::Bebop {
        bail!(
            "{}",
            match assume {
                Some(_) => "`--assume` goes with C programs of which predicates are to be found, without `--rounds 0`",
                None => "`--format bebop` is not about C programs",
            }
        );
    }
    Ok(())
}
