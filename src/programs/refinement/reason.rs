//! Why a question about a C program is open: as data, and in words.

use std::fmt;

use spds_format::Diagnostic;

use crate::c::Program;
use crate::c::program::StatementId;
use crate::check::CheckError;
use crate::concretise::Lost;
use crate::interpreter::Doubt;
use crate::limits;
use crate::verdict::Why;

/// Why it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit was met.
    Stopped(limits::Reason),
    /// A run depends on what the front end does not represent.
    Unrepresented {
        /// On what.
        what: Box<str>,
        /// Where that is.
        line: u32,
    },
    /// A run depends on what C leaves to the library.
    LeftOpen {
        /// What this procedure returns.
        name: Box<str>,
        /// Where it is called.
        line: u32,
    },
    /// Only runs in which C leaves open in which order something happens show it, and not that from left to right.
    Otherwise {
        /// What they do otherwise, in words.
        first: Option<Box<str>>,
        /// Whether they do more.
        more: bool,
    },
    /// The judge cannot tell how a run goes on.
    Run(Doubt),
    /// The judge sees the run go elsewhere than the trace.
    OtherRun,
    /// So many rounds did not decide it, and more were not granted.
    Rounds(usize),
    /// A trace is no run of the program; after so many rounds, if no more were granted.
    NoRun(Option<usize>),
    /// A trace is no run of the program, and nothing new can be learnt from it.
    NoPredicate,
    /// A trace could not be followed.
    Lost(Lost),
    /// A lasso of the abstraction can be followed, and nobody knows whether the program goes on with it for ever.
    NotRecurring,
    /// There is no such lasso, although there should be.
    NoLasso,
    /// At this line no state is known to recur, and nothing to decrease.
    NoMeasure(u32),
    /// The abstraction fails, and has no trace; if that is known, because of this.
    NoTrace(Option<Box<str>>),
    /// The trace is not shown, because of this.
    Omitted(Box<str>),
    /// The check of the abstraction ended with this.
    NoAnswer(Option<&'static str>),
    /// Something is wrong with puch.
    Defect(Defect),
}

/// What is wrong with puch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// What is known at a statement is wrong.
    Proof(Spot),
    /// A recurrent set was found, and the judge does not agree: it sees this.
    Recurrent(&'static str),
    /// The Boolean program that was made is none: the first mistake.
    Unreadable(Box<str>),
    /// A run of the Boolean program was rejected.
    Rejected(CheckError),
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its name.
    pub file: Box<str>,
    /// Counted from 1.
    pub line: u32,
}

/// Why what is known at each statement was not proved about the C program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It is not known, because a limit was met.
    Stopped(limits::Stop),
    /// Here something is called that may call the program back.
    CalledBack(Spot),
    /// Some implications were not decided.
    Open {
        /// So many.
        open: usize,
        /// Of so many.
        all: usize,
        /// The first of them.
        first: Spot,
    },
    /// It is known of another program.
    InPlace,
    /// It says nothing of what was asked.
    Endless,
    /// Each use of a pointer was excluded by itself.
    Apart,
}

impl Reason {
    /// What the judge cannot tell of a run of a program.
    pub(super) fn of_run(doubt: &Doubt, program: &Program) -> Reason {
        match doubt {
            Doubt::Unrepresented(reason) => {
                let reason = &program.reasons[reason.0 as usize];
                Reason::Unrepresented { what: (&*reason.what).into(), line: reason.place.line }
            }
            doubt => Reason::Run(doubt.clone()),
        }
    }

    /// The word by which scripts know it.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::Stopped(reason) => reason.kind(),
            Reason::Unrepresented { .. }
            | Reason::LeftOpen { .. }
            | Reason::Run(Doubt::Bytes | Doubt::Nan | Doubt::Float) => "havoc",
            Reason::Rounds(_) => "rounds",
            _ => limits::Reason::Abstraction.kind(),
        }
    }

    /// The limit that was met, if one was.
    pub fn stopped(&self) -> Option<limits::Reason> {
        match self {
            Reason::Stopped(reason) => Some(*reason),
            _ => None,
        }
    }
}

impl Spot {
    /// Where a statement of a program is.
    pub(super) fn of(program: &Program, at: StatementId) -> Spot {
        let place = program.statement(at).map(|statement| statement.place);
        let file = place.map_or("", |place| program.file(place));
        Spot { file: file.into(), line: place.map_or(0, |place| place.line) }
    }
}

impl From<&Reason> for Why {
    fn from(reason: &Reason) -> Why {
        Why { sentence: reason.to_string(), kind: reason.kind() }
    }
}

impl From<limits::Stop> for Reason {
    fn from(stop: limits::Stop) -> Reason {
        Reason::Stopped(stop.into())
    }
}

impl From<Lost> for Reason {
    fn from(lost: Lost) -> Reason {
        Reason::Lost(lost)
    }
}

impl From<Defect> for Reason {
    fn from(defect: Defect) -> Reason {
        Reason::Defect(defect)
    }
}

impl From<CheckError> for Reason {
    fn from(error: CheckError) -> Reason {
        Defect::Rejected(error).into()
    }
}

/// What is wrong with a Boolean program that was made.
impl From<Vec<Diagnostic>> for Reason {
    fn from(mistakes: Vec<Diagnostic>) -> Reason {
        let first = mistakes.first().map_or("", |mistake| &*mistake.message);
        Defect::Unreadable(first.into()).into()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(reason) => reason.fmt(f),
            Reason::Unrepresented { what, line } => write!(f, "depends on {what} (line {line})"),
            Reason::LeftOpen { name, line } => {
                write!(f, "depends on the result of `{name}` (line {line}), which C leaves open")
            }
            Reason::Otherwise { first, more } => {
                f.write_str(
                    "only another run than the one from left to right shows it, and C leaves open which one it is",
                )?;
                match first {
                    Some(first) => write!(f, ": it {first}{}", if *more { ", …" } else { "" }),
                    None => Ok(()),
                }
            }
            Reason::Run(doubt) => doubt.fmt(f),
            Reason::OtherRun => {
                f.write_str("the program does not follow the trace with the inputs that were found for it")
            }
            Reason::Rounds(1) => f.write_str("1 round did not decide it (--rounds)"),
            Reason::Rounds(count) => write!(f, "{count} rounds did not decide it (--rounds)"),
            Reason::NoRun(None) => f.write_str("its trace is no run of the program"),
            Reason::NoRun(Some(count)) => {
                write!(f, "its trace is no run of the program, after {count} rounds of refinement (--rounds)")
            }
            Reason::NoPredicate => f.write_str("its trace is no run of the program, and no new predicate shows it"),
            Reason::Lost(lost) => lost.fmt(f),
            Reason::NotRecurring => f.write_str("its abstraction goes round for ever, and no state is known to recur"),
            Reason::NoLasso => f.write_str("its abstraction goes round for ever, and there is no trace"),
            Reason::NoMeasure(line) => {
                write!(f, "no state is known to recur at line {line}, and no measure to decrease")
            }
            Reason::NoTrace(why) => {
                let why = why.as_deref().unwrap_or("none was found");
                write!(f, "the abstraction fails, but there is no trace: {why}")
            }
            Reason::Omitted(why) => f.write_str(why),
            Reason::NoAnswer(None) => f.write_str("there is no answer"),
            Reason::NoAnswer(Some(other)) => write!(f, "the check of the Boolean program ended with `{other}`"),
            Reason::Defect(defect) => defect.fmt(f),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Proof(at) => write!(f, "this is a defect of puch: its proof was found to be wrong at {at}"),
            Defect::Recurrent(what) => write!(f, "a recurrent set was found, and the judge {what}"),
            Defect::Unreadable(first) => write!(f, "the Boolean program cannot be read: {first}"),
            Defect::Rejected(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproved::Stopped(stop) => write!(f, "what holds at statements is not known: {stop}"),
            Unproved::CalledBack(at) => write!(f, "what may call the program back is called at {at}"),
            Unproved::Open { open, all, first } => {
                write!(f, "{open} of {all} implications were not decided, the first at {first}")
            }
            Unproved::InPlace => f.write_str("calls were made in place, and what shows it is about that program"),
            Unproved::Apart => f.write_str("each use of a pointer was excluded by itself"),
            Unproved::Endless => f.write_str("what goes on for ever is not said by what holds at statements"),
        }
    }
}
