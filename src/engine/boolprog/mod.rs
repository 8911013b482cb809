//! Boolean programs, in every dialect, as symbolic pushdown systems.
//!
//! `text → tokens → tree (`[`ast`]`) → names resolved in place (`[`resolve`]`) → `[`Spds`]. The tree is dropped before
//! [`read`] returns. What is accepted is the union of the dialects (the Bebop paper, SLAM and Moped, SATABS and boppo, boom
//! and bp-reduce, BoPP's `.nbp`, Duet, WALi, Getafix's sequential programs); [`Dialect`] decides where two of them read the
//! same text differently.
//!
//! # The system of a program
//! * One control location, `run`. One frame per procedure, in the order of the text: parameters, then locals.
//! * The symbols of a procedure are contiguous: `proc/0`, `proc/1`, …, one per statement and evaluated test, in the order of
//!   the text, the first being its entry; then, if control can come there, its `end`. (It can if some statement goes on to
//!   it, whatever the values, or a label stands there.)
//! * A call whose results are stored in variables has a hidden return site `proc/n$`, whose only rule is silent: it stores
//!   the registers `$r1`, … in the targets and makes the registers arbitrary. Every other call, also one whose results are
//!   thrown away, returns directly to the next statement (what the registers then hold is never read).
//!   (If some name of the program begins with `$r`, the registers begin with more `$`.)
//!   There are as many registers as the widest procedure has results, of those whose results some call stores; a procedure
//!   whose results no call stores only pops.
//! * `enforce` at the head of a procedure is the invariant of all of its visible symbols, so also a condition on the start if
//!   it is the entry procedure's.
//! * `@end` below the entry procedure, `@fail` after a failed assertion, each with a loop. They are the last symbols.
//!
//! # What differs by dialect
//! Precedence of operators; `-` in names (SATABS); labels that begin with `ASYNC_` start a thread (SATABS, and `Auto`).

mod precedence;

mod lexer;

pub mod ast;

mod expression;

mod readings;

mod statement;

mod program;

mod parser;

pub mod resolve;

pub(crate) mod cursor;

mod flow;

mod lower;

mod predicate;

mod outline;

pub use self::lexer::keywords;
pub use self::outline::outline;
pub use self::predicate::{Predicate, predicate};

use spds_format::Spds;
use spds_format::diagnostic::Diagnostic;
use spds_format::model::Name;
use spds_format::reading::complaints::Complaints;

use self::ast::{Ast, StmtId};
use self::cursor::Cursor;
use self::lower::{Placing, Sources};
use self::parser::Parsed;
use self::resolve::Resolved;

/// Whose reading is taken where dialects read the same text differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SLAM's, with a warning at each place where others differ.
    #[default]
    Auto,
    /// SLAM's and Moped's.
    Slam,
    /// That of SATABS, boppo and boom.
    Satabs,
    /// BoPP's (`.nbp`), which differs from SLAM's in no reading, but has no threads by label.
    Bopp,
}

/// What an `assert` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Asserts {
    /// It goes to `@fail` when its condition may be false.
    #[default]
    Check,
    /// It blocks, as in Moped.
    Assume,
}

/// How to read a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose reading is taken where dialects differ.
    pub dialect: Dialect,
    /// What an `assert` does.
    pub asserts: Asserts,
    /// The procedure to begin with, if not `main`.
    pub entry: Option<String>,
}

/// A program as a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The system.
    pub spds: Spds,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
    /// Whether it contains an `assert` or an `abortif`, reachable or not.
    pub has_asserts: bool,
    /// For each symbol of the system the statement of the tree for which it stands: one for each statement and, after it, one where its
    /// call comes back to, if that has a symbol of its own. Ends have none.
    pub statements: Vec<Option<StmtId>>,
}

/// A program as a tree, with all names resolved.
#[derive(Clone, Debug)]
pub struct Source {
    /// The tree.
    pub ast: Ast,
    /// What resolution found out.
    pub resolved: Resolved,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a program; `file` is the name that places in the system refer to.
///
/// Time and memory are linear in the text (but for `constrain(c);`, which mentions every variable in scope, and `enforce`,
/// whose condition is repeated at every statement it speaks of).
///
/// # Errors
/// All complaints about the text, warnings included, in the order of the text.
pub fn read(text: &str, file: &str, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let source = parse(text, options)?;
    let mut cursor = Cursor::new(text);
    let sources = Sources { files: vec![file.into()], place: &mut |offset| Some(cursor.place(offset)) };
    Ok(lowered(source, sources, options))
}

/// The system of a tree that was put together in code. The offsets in it are those of a text in any language: places in the
/// system are there, in a file of that name. Names are resolved and checked as in a program that was read.
///
/// # Errors
/// All complaints about names and numbers, warnings included, in the order of their offsets.
///
/// # Panics
/// If an index in the tree leads nowhere, or an operator has too few operands.
pub fn lower(ast: Ast, text: &str, file: &str, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(text);
    lower_placed(ast, vec![file.into()], &mut |offset| Some(cursor.place(offset)), options)
}

/// The same where offsets are whatever tells the place, in one of these files.
///
/// # Errors
/// All complaints about names and numbers, warnings included, in the order of their offsets.
///
/// # Panics
/// If an index in the tree leads nowhere, or an operator has too few operands.
pub fn lower_placed(
    mut ast: Ast,
    files: Vec<Name>,
    place: &mut Placing<'_>,
    options: &Options,
) -> Result<Program, Vec<Diagnostic>> {
    let mut complaints = Complaints::default();
    match resolve::resolve(&mut ast, options.entry.as_deref().unwrap_or("main"), &mut complaints) {
        Some(resolved) => {
            let source = Source { ast, resolved, warnings: complaints.into_sorted() };
            Ok(lowered(source, Sources { files, place }, options))
        }
        None => Err(complaints.into_sorted()),
    }
}

fn lowered(source: Source, sources: Sources<'_>, options: &Options) -> Program {
    let Source { ast, resolved, warnings } = source;
    let has_asserts =
        ast.statements.iter().any(|s| matches!(s.kind, ast::StmtKind::Assert(_) | ast::StmtKind::AbortIf(_)));
    let (spds, statements) = lower::lower(&ast, &resolved, sources, options.asserts);
    Program { spds, warnings, has_asserts, statements }
}

/// Reads a program as far as the tree.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, options: &Options) -> Result<Source, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::global("a program of 4 GiB or more cannot be read")]);
    }
    let Parsed { mut ast, broken, mut complaints } = parser::parse(text, options.dialect);
    if let Some(threads) = ast.threads {
        let span = threads.start as usize..threads.end as usize;
        let words = &text[span.clone()];
        let message = if words.starts_with("ASYNC_") {
            format!("the label `{words}` starts a thread, and this is a checker of sequential programs")
        } else {
            format!("`{words}` belongs to programs with threads, and this is a checker of sequential programs")
        };
        complaints.push(Diagnostic::error(message, span));
    } else if !broken {
        let entry = options.entry.as_deref().unwrap_or("main");
        if let Some(resolved) = resolve::resolve(&mut ast, entry, &mut complaints) {
            return Ok(Source { ast, resolved, warnings: complaints.into_sorted() });
        }
    }
    Err(complaints.into_sorted())
}
