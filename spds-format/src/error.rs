//! What can be wrong with a model, and which part of it.

use std::fmt;

use crate::expr::Time;
use crate::lexis::{short, shown, write_name};
use crate::model::{FrameId, Name, SymbolId};
use crate::scope::ValueKind;

/// A part of a model. Indices are those of the model's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelPart {
    /// A source file.
    File(usize),
    /// A global variable.
    Global(usize),
    /// A frame.
    Frame(FrameId),
    /// A variable of a frame.
    Local(FrameId, usize),
    /// A control location.
    Control(usize),
    /// A stack symbol.
    Symbol(SymbolId),
    /// A rule.
    Rule(usize),
    /// The start.
    Start,
    /// A named proposition.
    Atom(usize),
    /// The symbol that is on top when the program has terminated.
    End,
    /// The symbol that is on top when an assertion has failed.
    Fail,
    /// The model as a whole.
    Model,
}

/// Where in a part. Operations are numbered as in [`crate::expr::Expr::ops`], updates as in the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// The part as a whole.
    Whole,
    /// An operation of a rule's guard.
    Guard(usize),
    /// What an update assigns to.
    Target(usize),
    /// An operation of an update's index.
    Index(usize, usize),
    /// An operation of an update's value.
    Value(usize, usize),
    /// An operation of a rule's `with`.
    With(usize),
    /// An operation of an invariant.
    Invariant(usize),
    /// An operation of the condition of a start or of an atom.
    Condition(usize),
}

/// What is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The name is taken by an earlier one of the same list.
    Duplicate {
        /// The name.
        name: Name,
        /// The index of the earlier one.
        first: usize,
    },
    /// An index into a list of the model that is not that long.
    Missing {
        /// What is in the list.
        what: &'static str,
        /// The index.
        index: u32,
    },
    /// There is no control location.
    NoControl,
    /// An integer type of no bits, or of more than 64.
    Bits(u8),
    /// The first index of an array is above the last.
    EmptyArray,
    /// An array of more than 2^32 − 1 cells.
    HugeArray,
    /// Line or column zero.
    NoPlace,
    /// A start without any stack symbol.
    EmptyStart,
    /// A value of a time that the expression cannot speak of.
    WrongTime {
        /// The variable's name.
        name: Name,
        /// The time.
        time: Time,
    },
    /// A global in a saved frame.
    SavedGlobal(Name),
    /// An assignment to a value before the step.
    AssignsBefore(Name),
    /// An array where a value is needed.
    NoIndex(Name),
    /// An index behind a variable that is no array.
    NotAnArray(Name),
    /// An array as a whole can only be assigned `*`.
    WholeArray(Name),
    /// A value of the other kind is needed.
    WrongKind {
        /// What it is for.
        what: &'static str,
        /// The kind that is needed.
        needed: ValueKind,
    },
    /// A Boolean and an integer where both must be of one kind.
    MixedKinds(&'static str),
    /// `*` where an integer is computed.
    AnyInteger,
    /// `*` in an atom.
    AnyInAtom,
    /// A silent rule that is not a swap.
    SilentNotSwap,
    /// A head with silent and other rules.
    MixedSilence {
        /// The index of the first rule of the head, which is of the other sort.
        first: usize,
    },
    /// Silent rules that lead back to where they begin.
    SilentCycle {
        /// The indices of the rules of the cycle, this one first.
        rules: Vec<usize>,
    },
    /// `end` and `fail` are the same symbol.
    EndIsFail,
    /// `end` or `fail` has no loop under a control location.
    NoLoop {
        /// The symbol's name.
        symbol: Name,
        /// The control location's name.
        control: Name,
    },
    /// A rule leaves `end` or `fail`, or does something there.
    NotALoop(Name),
}

/// What keeps a model from being valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// Which part.
    pub part: ModelPart,
    /// Where in it.
    pub spot: Spot,
    /// What is wrong.
    pub problem: Problem,
}

impl ModelError {
    /// What the user can do about it.
    pub fn help(&self) -> Option<String> {
        let name = match &self.problem {
            Problem::WrongTime { name, .. }
            | Problem::SavedGlobal(name)
            | Problem::AssignsBefore(name)
            | Problem::NoIndex(name) => short(name),
            _ => "".into(),
        };
        let text = match (&self.problem, self.spot) {
            (Problem::WrongTime { time: Time::After, .. }, Spot::Guard(_)) => {
                format!("constrain `{name}'` in `with`, or write `{name}`")
            }
            (Problem::WrongTime { .. }, Spot::With(_) | Spot::Target(_)) => {
                format!("only a rule with two symbols on the right saves a frame; `{name}'` is the value after it")
            }
            (Problem::WrongTime { .. }, Spot::Index(..) | Spot::Value(..)) => {
                format!("write `{name}`, or relate the values in `with`")
            }
            (Problem::WrongTime { .. }, _) => format!("write `{name}`"),
            (Problem::SavedGlobal(_), _) => format!("a call saves locals only; write `{name}'`"),
            (Problem::AssignsBefore(_), _) => format!("write `{name}'`"),
            (Problem::NoIndex(_), _) => format!("name a cell: `{name}[0]`"),
            (Problem::WholeArray(_), _) => "assign cell by cell".into(),
            (Problem::WrongKind { needed: ValueKind::Boolean, .. }, _) => "compare the integer with something".into(),
            (Problem::WrongKind { needed: ValueKind::Integer, .. }, _) => {
                "an integer from a Boolean `b` is `b ? 1 : 0`".into()
            }
            (Problem::MixedKinds("an operator"), _) => {
                "comparisons bind tighter than `&`, `^` and `|`; parentheses may be missing".into()
            }
            (Problem::AnyInteger, _) => "`x' := *` alone assigns any value; its range can be narrowed in `with`".into(),
            (Problem::NoControl, _) => "declare one, for example `control p;`".into(),
            (Problem::NoLoop { symbol, control }, _) => {
                let head = format!("<{}, {}>", written(control), written(symbol));
                format!("add `rule {head} -> {head};`")
            }
            _ => return None,
        };
        Some(text)
    }
}

/// A name as the notation writes it.
fn written(name: &str) -> String {
    let mut text = String::new();
    write_name(&mut text, &short(name)).expect("a string takes everything");
    text
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Duplicate { name, .. } => write!(f, "{} is declared twice", shown(name)),
            Problem::Missing { what, index } => write!(f, "there is no {what} number {index}"),
            Problem::NoControl => f.write_str("there is no control location"),
            Problem::Bits(bits) => write!(f, "an integer has 1 to 64 bits, not {bits}"),
            Problem::EmptyArray => f.write_str("the first index of an array is above its last"),
            Problem::HugeArray => f.write_str("the array has too many cells"),
            Problem::NoPlace => f.write_str("lines and columns count from 1"),
            Problem::EmptyStart => f.write_str("the start has no stack symbol"),
            Problem::WrongTime { name, time: Time::Saved } => {
                write!(f, "`{}''` stands for the value that a call saves; there is none here", short(name))
            }
            Problem::WrongTime { name, .. } => {
                write!(f, "`{}'` stands for the value after the rule; it cannot be used here", short(name))
            }
            Problem::SavedGlobal(name) => write!(f, "{} is a global: a call does not save it", shown(name)),
            Problem::AssignsBefore(name) => write!(f, "{} before the step cannot be assigned", shown(name)),
            Problem::NoIndex(name) => write!(f, "{} is an array: it has no value without an index", shown(name)),
            Problem::NotAnArray(name) => write!(f, "{} is not an array", shown(name)),
            Problem::WholeArray(name) => write!(f, "the array {} as a whole can only be assigned `*`", shown(name)),
            Problem::WrongKind { what, needed: ValueKind::Boolean } => {
                write!(f, "{what} must be a Boolean, not an integer")
            }
            Problem::WrongKind { what, needed: ValueKind::Integer } => {
                write!(f, "{what} must be an integer, not a Boolean")
            }
            Problem::MixedKinds("an operator") => {
                f.write_str("the operands must be two Booleans or two integers, not one of each")
            }
            Problem::MixedKinds(what) => write!(f, "{what} must be two Booleans or two integers, not one of each"),
            Problem::AnyInteger => f.write_str("`*` cannot be part of an integer expression"),
            Problem::AnyInAtom => f.write_str("a proposition cannot contain `*`"),
            Problem::SilentNotSwap => f.write_str("a silent rule must have one symbol on the right"),
            Problem::MixedSilence { .. } => f.write_str("some rules of this left side are silent and some are not"),
            Problem::SilentCycle { rules } if rules.len() == 1 => {
                f.write_str("this silent rule leads back to its left side")
            }
            Problem::SilentCycle { .. } => f.write_str("silent rules lead back to this left side"),
            Problem::EndIsFail => f.write_str("`end` and `fail` are the same symbol"),
            Problem::NoLoop { symbol, control } => {
                write!(f, "{} has no loop under the control location {}", shown(symbol), shown(control))
            }
            Problem::NotALoop(name) => {
                write!(f, "a rule of {} must lead back to the same place and do nothing", shown(name))
            }
        }
    }
}

impl fmt::Display for ModelPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelPart::File(i) => write!(f, "files[{i}]"),
            ModelPart::Global(i) => write!(f, "globals[{i}]"),
            ModelPart::Frame(i) => write!(f, "frames[{}]", i.0),
            ModelPart::Local(frame, i) => write!(f, "frames[{}].variables[{i}]", frame.0),
            ModelPart::Control(i) => write!(f, "controls[{i}]"),
            ModelPart::Symbol(i) => write!(f, "symbols[{}]", i.0),
            ModelPart::Rule(i) => write!(f, "rules[{i}]"),
            ModelPart::Start => f.write_str("start"),
            ModelPart::Atom(i) => write!(f, "atoms[{i}]"),
            ModelPart::End => f.write_str("end"),
            ModelPart::Fail => f.write_str("fail"),
            ModelPart::Model => f.write_str("the model"),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Whole => Ok(()),
            Spot::Guard(op) => write!(f, ".guard, operation {op}"),
            Spot::Target(update) => write!(f, ".updates[{update}]"),
            Spot::Index(update, op) => write!(f, ".updates[{update}].index, operation {op}"),
            Spot::Value(update, op) => write!(f, ".updates[{update}].value, operation {op}"),
            Spot::With(op) => write!(f, ".with, operation {op}"),
            Spot::Invariant(op) => write!(f, ".invariant, operation {op}"),
            Spot::Condition(op) => write!(f, ".condition, operation {op}"),
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.part, self.spot, self.problem)
    }
}

impl std::error::Error for ModelError {}
