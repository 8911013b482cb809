//! What calls of procedures that the program does not define may mean, as data; which of them means what is said in [`super::bodiless`].

use std::fmt;

use serde::Serialize;

use super::expression::ExpressionId;

/// Why a program is wrong where control gets to a [`super::program::StatementKind::Fail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// `assert(e)`, `__assert_fail`.
    Assertion,
    /// `reach_error()`, `__VERIFIER_error()`.
    Error,
    /// The label `ERROR`, in programs that have none of the others.
    ErrorLabel,
    /// Something is used, and that goes wrong, in programs with that question (`question`).
    Used(Kind),
    /// A condition of a contract does not hold, in programs into which contracts are written (`functions`).
    Contract(ExpressionId),
    /// What another question asks about.
    Asked,
}

/// What can go wrong where something is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A pointer is NULL (C11 §6.5.3.2 p4).
    Null,
    /// An index is none of its array, whose length its type says (C11 §6.5.6 p8); or an array gets no such length.
    Bounds,
    /// The divisor is 0 (C11 §6.5.5 p5).
    Division,
    /// The right operand of a shift is negative, or not less than the width (C11 §6.5.7 p3).
    Shift,
    /// The result of signed arithmetic is none of its type (C11 §6.5 p5).
    Overflow,
    /// An assertion fails, or an error is reached.
    Assert,
    /// An object is accessed that was freed (C11 §6.2.4 p2, §7.22.3 p1).
    UseAfterFree,
    /// What is freed was freed before (C11 §7.22.3.3 p2).
    DoubleFree,
    /// A local is read that has no value yet (C11 §6.3.2.1 p2).
    Uninitialised,
    /// A condition of a contract does not hold.
    Contract,
}

impl Kind {
    /// All that one can ask about; contracts are where there are some.
    pub const ALL: [Kind; 9] = [
        Kind::Null,
        Kind::Bounds,
        Kind::Division,
        Kind::Shift,
        Kind::Overflow,
        Kind::Assert,
        Kind::UseAfterFree,
        Kind::DoubleFree,
        Kind::Uninitialised,
    ];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bounds => "bounds",
            Kind::Division => "division",
            Kind::Shift => "shift",
            Kind::Overflow => "overflow",
            Kind::Assert => "assert",
            Kind::UseAfterFree => "use-after-free",
            Kind::DoubleFree => "double-free",
            Kind::Uninitialised => "uninitialised",
            Kind::Contract => "contract",
        }
    }

    /// What happens where it does, in words.
    pub fn told(self) -> &'static str {
        match self {
            Kind::Null => "the pointer is NULL",
            Kind::Bounds => "the index is none of the array's",
            Kind::Division => "the divisor is 0",
            Kind::Shift => "the shift is negative or too wide",
            Kind::Overflow => "the result does not fit its type",
            Kind::Assert => "the assertion fails",
            Kind::UseAfterFree => "the object was freed",
            Kind::DoubleFree => "it was freed before",
            Kind::Uninitialised => "it has no value yet",
            Kind::Contract => "a contract is broken",
        }
    }
}

/// Where an arbitrary value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// A procedure without a body returns it: its name.
    Returned(Box<str>),
    /// It is read from the machine: the text that reads it.
    Volatile(Box<str>),
    /// An allocation returns it: the name of the procedure. It is NULL or an object, of which nothing else is asked.
    Allocated(Box<str>),
    /// It is none of the program's: it chooses between the orders of evaluation that C allows.
    Order,
    /// It is none of the program's: a procedure of the library chooses what C leaves open; its name.
    Unspecified(Box<str>),
    /// It is none of the program's: the question that was written into it chooses.
    Choice,
}

impl InputKind {
    /// The procedure that returns it.
    pub fn procedure(&self) -> Option<&str> {
        match self {
            InputKind::Returned(name) => Some(name),
            _ => None,
        }
    }
}

/// What it is, as reports call it; a procedure by its name.
impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputKind::Returned(name) | InputKind::Allocated(name) => f.write_str(name),
            InputKind::Volatile(text) => write!(f, "volatile {text}"),
            InputKind::Order => f.write_str(".order"),
            InputKind::Unspecified(name) => write!(f, ".{name}"),
            InputKind::Choice => f.write_str(".choice"),
        }
    }
}

/// Whether allocations may fail (C11 §7.22.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Malloc {
    /// They may return NULL.
    #[default]
    MayFail,
    /// They never do.
    Succeeds,
}

/// How long an object lives that is allocated, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Room {
    /// Until it is freed; arbitrary contents (`malloc`).
    Heap,
    /// Until it is freed; zeros (`calloc`).
    Zeros,
    /// As long as the frame, or until a variable that holds where it is [ceases to live](super::program::StatementKind::Dead): an array
    /// whose size varies, and `alloca`. Arbitrary contents; there is always room for it.
    Frame,
}

impl Room {
    /// Whether it may be that there is none.
    pub fn may_lack(self) -> bool {
        self != Room::Frame
    }
}

/// What a call of a procedure means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The program is wrong if it is called; also where the program gives it a body.
    Fail(Failure),
    /// `assert(e)` that no macro has replaced.
    Assert,
    /// `__VERIFIER_assume(e)`
    Assume,
    /// `static_assert(e)` that no macro has replaced.
    Static,
    /// The program ends.
    Exit,
    /// An object of as many bytes; of zeros as many as the product of two arguments.
    Allocate(Room),
    /// `free(p)`
    Free,
    /// It has no effect on what is represented; its result is not represented.
    Idle,
    /// The same, unless the format tells it to write: the argument with this index.
    Print(usize),
    /// A procedure of our own is called in its place ([`super::library`]).
    Model,
    /// The front end says what it does ([`super::bodiless::operations`]).
    Operation,
    /// Within such a procedure: any value that C leaves open.
    Unspecified,
    /// The value of its first argument.
    First,
    /// The value of its first argument without its sign.
    Absolute,
    /// Never reached.
    Unreachable,
    /// Its arguments are not evaluated, and its result is not represented.
    Unevaluated,
    /// All that it may do is real.
    Input,
    /// It does something definite that is not known here.
    Unknown(Does),
    /// It cannot be represented at all.
    Unsupported,
    /// The user does not want it.
    Refused,
}

/// What a procedure of the library does to what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It writes nothing that the program owns, and calls nothing.
    Reads,
    /// It may write all that its arguments lead to, and call procedures among that.
    Writes,
    /// The same, and it may not return: the program may end there, or for ever.
    Leaves,
    /// The same, and the object that its first argument points to may be no more.
    Frees,
}
