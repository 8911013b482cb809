//! Moped 1's format for symbolic pushdown systems (`.pds`), read into the model and written from it.
//!
//! The notation is that of Moped 1.0, after Esparza and Schwoon, *A BDD-based model checker for recursive programs* (CAV
//! 2001): variables of Booleans and integers, `local` blocks that give variables to stack symbols, one start, and rules
//! `p <m> --> q <m' m''> "label" (relation)` whose relations read `x` before the step, `x'` after it, and `x''` below the new
//! top of the stack.
//!
//! `text → tree → names resolved, quantifiers written out → relations taken apart → `[`Spds`].
//!
//! # The system of a text
//! * Control locations and stack symbols keep their names, in the order in which the start and the rules use them. A symbol's
//!   place is that of the first rule that begins with it.
//! * One frame per `local` block, named as the block is, or else as its first symbol.
//! * A relation in `.pds` has no implicit frame, the model has one. So what a relation keeps (`x' = x`) is left out where the
//!   model keeps it anyway, and what a relation does not speak of is made arbitrary (`x' := *`), with a warning, because
//!   a forgotten `x' = x` is the commonest mistake in these texts. `x' = x'` says that it is meant.
//! * Propositions of a symbol (`atoms SYMBOL name, …`) are its labels. A symbol may stand in `atoms` only.
//!
//! # Where terms have no value
//! A comparison with such a term (1/x where x is 0, a cell outside of its array) is false by itself, as in Moped: under `!`
//! it is true. In the model it would be neither, so the condition is written out where that makes a difference.
//!
//! # Where Moped is more silent
//! Unknown names are errors here, and there are warnings where `==`, which binds least of all operators, is written as if it
//! bound as `=` does, and where a brace, which begins a comment, seems to be meant as a bracket.
//!
//! ```
//! use puch_engine::moped_pds::{Options, read, write};
//!
//! let text = "global int x(3); (p (x=0) <a>) p <a> --> p <a> (x<5 & x'=x+1) p <a> --> p <> ";
//! let system = read(text, "count.pds", &Options::default()).unwrap();
//! assert_eq!(system.spds.rules.len(), 2);
//! // The second rule has no relation: anything may be afterwards.
//! assert_eq!(system.warnings.len(), 1);
//! let (again, _) = write(&system.spds).unwrap();
//! assert!(again.contains("p <a> --> p <a>"));
//! ```

mod constant;

mod expression;

mod identifiers;

mod lexer;

mod lower;

mod outline;

mod parser;

mod partial;

mod predicate;

mod relation;

mod resolve;

mod targets;

mod term;

mod tree;

mod write;

pub use self::outline::outline;
pub use self::parser::keywords;
pub use self::predicate::{Predicate, predicate};
pub use self::write::write;

use spds_format::Spds;
use spds_format::diagnostic::Diagnostic;

use self::parser::{Names, Parser};

/// How to read a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Constants with their values, which count more than what the text defines (Moped's `-D`).
    pub defines: Vec<(String, u64)>,
}

/// A text as a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The system.
    pub spds: Spds,
    /// The constants that the text and the options define, by name: propositions may use them.
    pub defines: Vec<(String, u64)>,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a text; `file` is the name that places in the system refer to.
///
/// Time and memory are linear in the text with its quantifiers written out, plus, for each rule, the number of its variables.
///
/// # Errors
/// All complaints about the text, warnings included, in the order of the text.
pub fn read(text: &str, file: &str, options: &Options) -> Result<System, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::global("a text of 4 GiB or more cannot be read")]);
    }
    let mut parser = Parser::new(text, Names::OfRules, options.defines.iter().cloned().collect());
    parser.statements(&options.defines);
    let Parser { cursor: tokens, tree, mut complaints, broken, defines, .. } = parser;
    if !broken && let Some(spds) = lower::lower(&tree, &tokens, file, &mut complaints) {
        let mut defines: Vec<(String, u64)> = defines.into_iter().collect();
        defines.sort_unstable();
        return Ok(System { spds, defines, warnings: complaints.into_sorted() });
    }
    Err(complaints.into_sorted())
}
