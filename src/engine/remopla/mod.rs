//! Remopla, the input language of Moped 2, as symbolic pushdown systems.
//!
//! `text → tokens → tree (`[`ast`]`) → names of control resolved in place (`[`resolve`]`) → `[`Spds`]. The tree is dropped
//! before [`read`] returns. What is accepted is the grammar of Moped 2 (`irParse.y`), somewhat freed: modules can be used
//! before they are declared, statements can have several labels, `&`, `|` and `^` stand between Booleans, too, and a
//! program without `init` begins with `main`.
//!
//! # Steps
//! As Moped counts them. There is one for each statement that is executed, and none for a condition: a clause of an `if` or
//! `do` is chosen in the step that executes its first statement. So that statement has no place of its own: control is at
//! the `if`, then behind the statement. Where the first statement of a clause is labelled or itself an `if`, a `do` or a
//! rule, choosing the clause is a step of its own. `break` and `goto` are steps. A call is a step to the first statement
//! of the module; a return comes to the statement after the call and stores the result in the same step (Moped needs
//! another one for this). A module has its `}` as a last point if control can come there; a `void` module returns from it.
//!
//! # The system of a program
//! * The control location `q`; others are there if rules in the text name them. One frame for each module, in the order of
//!   the text: parameters, then locals.
//! * A struct is one variable for each field (`p.x`), an array of structs one array for each. A two-dimensional array
//!   is one array with indices from 0 on, row by row; a second index out of its range is an error in its own right.
//!   An `enum` is an integer, and always one of its members: at the start, at entry, after `undef`; storing anything else
//!   is an overflow. (Only rules in the text can get round that.)
//! * The symbols of a module are contiguous: `m/0` for its entry, then one for each statement that is not the first of a
//!   clause, numbered as statements are; `m/n$` for the hidden site to which a call returns whose result is stored: its
//!   silent rules store the registers `$r1`, … in the target; then the end. Statements outside of modules are `/n`; then come
//!   symbols that only rules mention, `@end` below the initial stack, `@fail` with a loop.
//! * The name of a module is the label of its entry, as in Moped.
//! * A rule in the text keeps nothing of itself, as in Moped: what its condition does not speak of is arbitrary afterwards.
//!
//! # Arithmetic
//! Integers are exact within an expression; what counts is the value that is stored. An overflow, an index out of range, a
//! division by zero (a shift by a negative amount or by more than 64, a bitwise operation on a negative number) blocks,
//! as in Moped. With [`Arithmetic::Check`] it leads to `@fail`, by a rule whose label says what went wrong: expressions are
//! then evaluated from left to right, and not past what decides `&&` and `||`. With [`Arithmetic::Wrap`] what is stored is
//! taken modulo 2^bits, and everything else still blocks. Conditions of rules in the text are relations, in all three.
//!
//! # What differs by dialect
//! With [`Dialect::Auto`] each of these places gets a warning.
//! * A `do` none of whose conditions holds blocks; for QLeak control goes on behind it.
//! * `break` leaves the innermost `do`; in the older tools the innermost `if` or `do`.
//! * `A i (0,3) a[i] = 0;` keeps other cells; in the older tools they become arbitrary.

mod lexer;

pub mod declarations;

pub mod ast;

mod shapes;

mod operator;

mod constant;

mod expression;

mod reference;

mod assignment;

mod statement;

mod rule;

mod types;

mod program;

mod parser;

pub mod flow;

pub mod resolve;

mod expand;

mod value;

mod store;

mod symbols;

mod registers;

mod step;

mod lower;

mod predicate;

mod outline;

pub use self::lexer::keywords;
pub use self::outline::outline;
pub use self::predicate::{Names, Predicate, predicate};

use spds_format::Spds;
use spds_format::diagnostic::Diagnostic;

use self::ast::Ast;
use self::parser::{Naming, Parser};
use self::resolve::Resolved;

/// Whose reading is taken where tools read the same text differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Moped's, or what the text plainly says where Moped does something else; with a warning at each such place.
    #[default]
    Auto,
    /// Moped 2's, also where it is not what the text plainly says.
    Moped,
    /// That of QLeak: Moped's, but that a `do` is left where none of its conditions holds.
    Qleak,
}

/// What happens where arithmetic leaves the range of a variable or has no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// The run is blocked, as in Moped.
    #[default]
    Block,
    /// It comes to `@fail`.
    Check,
    /// What is stored is taken modulo 2^bits; all else blocks.
    Wrap,
}

/// How to read a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose reading is taken where tools differ.
    pub dialect: Dialect,
    /// What overflows do.
    pub arithmetic: Arithmetic,
    /// The module to begin with, whatever `init` says.
    pub entry: Option<String>,
    /// Values of constants that replace those of the text, as if its `define` said so.
    pub defines: Vec<(String, u64)>,
}

/// A program as a system.
#[derive(Clone, Debug)]
pub struct Program {
    /// The system.
    pub spds: Spds,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
    /// Whether some operation in it can fail, reachable or not ([`Arithmetic::Check`]).
    pub has_asserts: bool,
    /// What it declares, for [`predicate()`].
    pub names: Names,
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
/// Time and memory are linear in the text with its quantifiers, copies of arrays and choices by `E` written out, but that
/// [`Arithmetic::Check`] repeats what comes before an operation in a chain of `&&` and `||`.
///
/// # Errors
/// All complaints about the text, warnings included, in the order of the text.
pub fn read(text: &str, file: &str, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let Source { ast, resolved, warnings } = parse(text, options)?;
    match lower::lower(&ast, &resolved, text, file, options) {
        Ok((spds, has_asserts)) => Ok(Program { spds, warnings, has_asserts, names: Names(ast.declarations) }),
        Err(mut complaints) => {
            warnings.into_iter().for_each(|warning| complaints.push(warning));
            Err(complaints.into_sorted())
        }
    }
}

/// Reads a program as far as the tree.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, options: &Options) -> Result<Source, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::global("a program of 4 GiB or more cannot be read")]);
    }
    let mut parser = Parser::new(text, options.dialect, Naming::Program);
    parser.given = options.defines.iter().cloned().collect();
    parser.program();
    if !parser.broken {
        let resolved = resolve::resolve(&mut parser, options.entry.as_deref());
        parser.complain_about_given();
        if let (Some(resolved), false) = (resolved, parser.complaints.refused()) {
            return Ok(Source { ast: parser.ast, resolved, warnings: parser.complaints.into_sorted() });
        }
    }
    Err(parser.complaints.into_sorted())
}
