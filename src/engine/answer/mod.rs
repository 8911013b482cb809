//! How questions are answered, and what is known of them, as data for whoever asks: one form for systems and C programs.

mod witness;

use std::fmt;

use serde::{Serialize, Serializer};

use crate::check;
use crate::run::{Input, Recurrent};
use crate::verdict::{self, Why};

pub use witness::{Metadata, Witness};

/// The verdict. Runs that are shown were walked by a judge that shares nothing with the search.
pub type Verdict = verdict::Verdict<Box<Run>, Why>;

/// What is known of one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// What should be known about it: that nothing was asked, that it is vacuous, where runs may do what is undefined.
    pub warnings: Vec<String>,
    /// What it takes on trust.
    pub not_verified: Vec<String>,
    /// Of a system: the run that shows it in the numbers of the system, calls that return folded.
    pub trace: Option<check::Trace>,
    /// Of a C program: how many abstractions were checked.
    pub rounds: usize,
    /// Of a C program: the predicates of the last one, as predicates are given.
    pub predicates: String,
    /// If that was wanted: what holds where loops turn and where functions begin, whenever a run comes there.
    pub invariants: Vec<Invariant>,
    /// If that was wanted and there is one: what other tools need to confirm the verdict.
    pub witness: Option<Witness>,
}

impl Answer {
    /// With nothing beside the verdict.
    pub fn new(verdict: Verdict) -> Answer {
        Answer {
            verdict,
            warnings: Vec::new(),
            not_verified: Vec::new(),
            trace: None,
            rounds: 0,
            predicates: String::new(),
            invariants: Vec::new(),
            witness: None,
        }
    }
}

/// What a round of refinement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which question, counted from 0.
    pub question: usize,
    /// Which round of it, counted from 1.
    pub round: usize,
    /// How many predicates its abstraction had.
    pub predicates: usize,
    /// Statements of the trace that was found in it; 0 if there is none.
    pub trace: usize,
}

/// A run, step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The arbitrary values for which it asks, in order.
    pub inputs: Vec<Input>,
    /// Its steps, in order; none if they are more than the options allow ([`crate::options::Options::trace_steps`]).
    pub steps: Vec<Step>,
    /// Of a run that goes on for ever: the first of the steps that are repeated.
    pub cycle: Option<usize>,
    /// Of one that goes on for ever and never comes back to a state: how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrent: Option<Recurrent>,
    /// Steps that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// What makes a compiled C program do the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<Harness>,
}

/// Steps of a run that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Before which of those that are.
    pub at: usize,
    /// How many.
    pub count: u64,
}

/// What a C program has to be compiled with to do the same as a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Harness {
    /// The functions and variables that the program does not define, in C.
    pub text: String,
    /// The names of files in which locals need values that nobody assigns, and what is to be compiled in place of these files.
    pub copies: Vec<(String, String)>,
}

/// A step of a run: the statement that is executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its file; empty where the system does not say from which text it is.
    pub file: String,
    /// Its line, counted from 1; 0 in that case.
    pub line: u32,
    /// Its column, counted from 1, in characters; 0 in that case.
    pub column: u32,
    /// Its procedure; empty if it is in none.
    pub procedure: String,
    /// How many frames are below.
    pub depth: u64,
    /// The statement; of a system without a text the name of the stack symbol.
    pub statement: String,
    /// In a C program the values that it assigns; in a system those of all variables in scope before it.
    pub values: Vec<Binding>,
}

/// The statement with its values, in a line.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.statement)?;
        self.values.iter().try_for_each(|Binding { name, value }| write!(f, "  {name}={value}"))
    }
}

/// A variable, or a part of one, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Binding {
    /// Its name; `::g` for a global that a local of the same name hides.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// A value in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A Boolean.
    Truth(bool),
    /// An integer.
    Number(i128),
    /// All cells of an array.
    Array(Vec<Value>),
    /// Anything else, in words: a pointer, a floating-point number, what is not known.
    Words(String),
}

/// In text: Booleans as 0 and 1, arrays in brackets.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Truth(truth) => write!(f, "{}", u8::from(*truth)),
            Value::Number(number) => write!(f, "{number}"),
            Value::Array(cells) => {
                f.write_str("[")?;
                for (index, cell) in cells.iter().enumerate() {
                    write!(f, "{}{cell}", if index == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Value::Words(words) => f.write_str(words),
        }
    }
}

/// As JSON has it; a number as a string where JSON's readers would round it to what they can hold.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Truth(truth) => serializer.serialize_bool(*truth),
            Value::Number(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_u64(number),
                _ => serializer.collect_str(number),
            },
            Value::Array(cells) => cells.serialize(serializer),
            Value::Words(words) => serializer.serialize_str(words),
        }
    }
}

/// What holds at a place whenever a run comes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invariant {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The procedure.
    pub procedure: String,
    /// Whether the place is a loop, before each of its turns; else it is the beginning of the procedure.
    pub of_loop: bool,
    /// A condition in C.
    pub condition: String,
}
