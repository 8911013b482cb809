//! puch checks programs with recursion.
//!
//! A [`Problem`] is a program or a system with questions about it: read from texts in one of the languages that [`Format`] lists, C
//! among them, or built in memory ([`spds_format::build`]). [`Problem::check`] answers them. Answers are data ([`Verdict`], with the
//! [`Run`] that shows it, step by step), and can be written with `serde`.
//!
//! ```
//! use puch::{Format, Limits, Problem, Verdict};
//!
//! let program = "decl held;
//!     void main() begin
//!       held := 0;
//!       work();
//!       DONE: skip;
//!     end
//!     void work() begin
//!       held := 1;
//!       if (*) then work(); fi
//!       held := 0;
//!     end";
//! let problem = Problem::read(program, Format::BooleanProgram)?.reach("main:DONE")?.ltl("G (main:DONE -> !held)")?;
//! let answers = problem.check(&Limits::default())?;
//!
//! // Can the label be reached, and by which run?
//! let Verdict::Reachable(run) = &answers[0].verdict else { panic!("it can") };
//! let last = run.steps.last().expect("runs have a beginning");
//! assert_eq!((last.line, &*last.procedure, last.to_string()), (5, "main", "skip;  held=0".to_owned()));
//! assert_eq!(answers[1].verdict, Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`systems`] has answers in the numbers of a system; whoever asks several questions, also after small changes of it, keeps a [`Session`]. [`sets`] are regular sets of
//! configurations, all that can be reached or from which some can be; [`dataflow`] says what is known at each statement, [`heights`] how high
//! the stack gets;
//! [`languages`] has the choices that readers offer, and the tree of Boolean programs for those who make them.
//!
//! The rooms of the house are private. The feature `internals` opens them, without promises, to tests and benches.
//!
//! Modules are listed in the order in which data flows; a module uses only those above it.

#![cfg_attr(not(feature = "internals"), allow(unused_imports, reason = "tests and benches look into rooms"))]

extern crate self as puch;

#[path = "."]
mod house {
    #[cfg(not(feature = "whole"))]
    pub use puch_engine::{
        answer, bdd, boolprog, certificate, certify, check, decisions, enumeration, evidence, exchange, explain,
        explicit, facts, flow, formula, heads, influence, json, limits, ltl, moped_pds, options, packed, pdaaal, pds,
        places, product, random, regular, regular_valuation, remopla, replay, run, saturation, session, source, stack,
        verdict, watched, witness,
    };

    #[cfg(all(feature = "c", not(feature = "whole")))]
    pub use puch_programs::{
        abstraction, analyses, bitvec, c, concretise, functions, interpreter, nullness, points_to, question,
        refinement, stack_usage, transition,
    };

    // All rooms as one crate, in which what nobody uses is noticed: `.ci/run` asks for it.
    #[cfg(feature = "whole")]
    #[path = "engine/lib.rs"]
    mod engine;

    #[cfg(feature = "whole")]
    #[path = "programs/lib.rs"]
    mod programs;

    #[cfg(feature = "whole")]
    pub use {engine::*, programs::*};

    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "forms of answers that only the command writes"))]
    pub mod report;

    #[cfg(any(feature = "cli", feature = "internals"))]
    pub mod picture;

    pub mod problem;

    #[cfg(feature = "c")]
    pub mod c_problem;

    pub mod api;

    #[cfg(feature = "cli")]
    pub(crate) mod cli;
}

#[cfg(feature = "internals")]
pub use house::*;

#[cfg(not(feature = "internals"))]
pub(crate) use house::*;

pub use spds_format;

pub use answer::{Answer, Binding, Harness, Invariant, LeftOut, Progress, Run, Step, Value, Verdict, Witness};
pub use api::{File, Language, Problem};
pub use check::CheckError;
pub use limits::{Limits, Reason};
pub use options::{Engine, Loops, Options, Order, Runs, Scc, Search, Switch, TraceWish};
pub use problem::{Asking, Format, Mistakes};
pub use run::{Input, Recurrent};
pub use systems::Session;
pub use verdict::Why;

/// Systems under questions, and answers in their own numbers: runs as configurations, calls that return folded.
pub mod systems {
    pub use crate::check::{Answer, CheckError, Outcome, Property, Stats, Target, Trace, Verdict, check};
    pub use crate::places::{Naming, PlaceError};
    pub use crate::problem::{Language, Problem};
    pub use crate::replay::Replayed;
    pub use crate::run::{Call, Config, Ending, Run, Step, Then, Values};
    pub use crate::session::Session;
}

/// Regular sets of configurations: what can be reached from one, from what one can be reached, and what is in it.
pub mod sets {
    pub use crate::enumeration::{Count, Counted, Pattern, Range, compare, count, list};
    pub use crate::exchange::{read, write};
    pub use crate::regular::{Answer, Direction, HeadCount, Outcome, Question, start};
}

/// What is known at each statement: with which values it is reached, or that it never is.
///
/// ```
/// use puch::Options;
/// use puch::dataflow::{Described, Known, Notation, Question, statements, written};
/// use puch::systems::Session;
///
/// let text = "spds 1 global x: u3; control p; symbol a; symbol b; symbol c; start <p, a> when x = 0;
///     rule <p, a> -> <p, a> when x < 4 { x' := x + 2 }; rule <p, a> -> <p, b> when x > 0; rule <p, b> -> <p, c> when x = 7;";
/// let spds = spds_format::parse(text).unwrap();
/// let session = Session::new(spds.clone(), Options::default());
/// let known = session.facts(&Question::Values(statements(&spds), 100)).facts.expect("no limit");
/// let Known::Reached { constants, formula: Described::As(formula) } = &known[1].known else { panic!("b is reached") };
/// assert!(constants.is_empty());
/// assert_eq!(written(&spds, Notation::System, known[1].target.symbol, formula), "x = 2 | x = 4");
/// assert_eq!(known[2].known, Known::Never);
/// ```
pub mod dataflow {
    pub use crate::facts::{Described, Fact, Facts, Known, Question, statements};
    pub use crate::formula::form::{Cell, Formula};
    pub use crate::report::expression::{Notation, written};
}

/// How high the stack of a system gets, exactly, with a chain of calls that is as deep.
///
/// ```
/// use puch::heights::{Verdict, height};
/// use puch::{Format, Options, Problem};
///
/// let program = "void main() begin f(1); end void f(more) begin if (more) then f(0); fi end";
/// let problem = Problem::read(program, Format::BooleanProgram)?;
/// let found = height(problem.system().expect("its text is one"), "main", None, &Options::default())?;
/// assert_eq!(found.height.verdict, Verdict::Bounded);
/// assert_eq!(found.height.frames.most, Some(3u8.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod heights {
    pub use crate::run::Input;
    pub use crate::stack::systems::{Found, height};
    pub use crate::stack::{
        Called, Callee, Calls, Expression, Height, Judged, Kept, Link, Range, Section, Sizes, Spot, Verdict, Why,
        Witness,
    };
}

/// C programs: proved right, or run until they fail.
#[cfg(feature = "c")]
pub mod c_programs {
    pub use crate::answer::{Binding, Value};
    pub use crate::c::program::Overflow;
    pub use crate::c::types::DataModel;
    pub use crate::c::{Options as Reading, Reading as Without, Undefined, Unit as File};
    pub use crate::c_problem::{
        Answer, Harness, Input, Invariant, LeftOut, Metadata, Options, PointerUse, Problem, Progress, Recurrent, Run,
        Step, Verdict, Witness,
    };
    pub use crate::verdict::Why;
}

/// Functions of C files by themselves: what can go wrong in them, whoever calls, and what callers have to establish so that nothing does.
#[cfg(feature = "c")]
pub mod c_functions {
    pub use crate::c::Defined;
    pub use crate::c_problem::functions::{Functions, Options};
    pub use crate::functions::{Answer, Class, Obligation};
    pub use crate::nullness::Kind;
}

/// What decides where texts can be read in several ways, and the tree of Boolean programs.
pub mod languages {
    /// Boolean programs.
    pub mod boolean_programs {
        pub use crate::boolprog::{Asserts, Dialect, Options, Program, ast, lower};
    }

    /// Remopla.
    pub mod remopla {
        pub use crate::remopla::{Arithmetic, Dialect, Options};
    }

    /// Texts of Moped 1.
    pub mod moped_pds {
        pub use crate::moped_pds::Options;
    }

    /// PDAAAL's systems.
    pub mod pdaaal {
        pub use crate::pdaaal::{Options, Starting};
    }
}

/// The command `puch`: reads the command line, answers on standard output.
#[cfg(feature = "cli")]
pub use cli::main as command;
