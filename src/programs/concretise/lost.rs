//! Why a trace, or a path, could not be followed in terms: nothing is known of it then.

use std::fmt;

/// Why it could not be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lost {
    /// The trace has no points: it was too long to be shown.
    TooLong,
    /// There is none.
    NoTrace,
    /// The path has no steps.
    NoSteps,
    /// The program comes to another failure.
    OtherFailure,
    /// The program does not come to the end of the trace.
    NotFollowed,
    /// The path goes where the program does not.
    OtherPath,
    /// The trace is silent about a branch.
    Branch,
    /// It should go on behind a statement behind which nothing goes on.
    Ends,
    /// The query was not decided.
    Undecided,
    /// The procedure that a pointer calls is one of several.
    Callee,
    /// The element of an array is one of too many.
    Index,
    /// The element lies beyond all objects.
    LargeIndex,
    /// A value of a type without numbers matters.
    NoNumber,
    /// A number stands where this should.
    Number(Use),
    /// A pointer stands where a number should.
    Pointer(Use),
    /// Something is followed of which nobody knows where it leads.
    ArbitraryPointer,
    /// An object is read with a type other than that with which it was written.
    ReadAs,
    /// An object is written with a type other than that which it has.
    WrittenAs,
    /// Something that should have been computed before was not.
    Missing(Part),
}

/// What a number or a pointer is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// It is called.
    Called,
    /// It is followed.
    Followed,
    /// It is an operand where the other kind is wanted.
    Operand,
    /// It is an operand of arithmetic.
    Arithmetic,
    /// Its distance from another one matters.
    Distance,
    /// Its order with another one matters.
    Order,
    /// Whether it equals another one matters.
    Equality,
    /// It is converted to the other kind.
    Converted,
    /// It is joined with one of the other kind.
    Joined,
}

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The value of an expression.
    Value,
    /// The place of an lvalue.
    Place,
    /// A variable.
    Variable,
    /// A member of a structure.
    Member,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lost::TooLong => "its trace is too long to be followed",
            Lost::NoTrace => "it has no trace",
            Lost::NoSteps => "it has no steps",
            Lost::OtherFailure => "its trace leads elsewhere",
            Lost::NotFollowed => "the program does not follow its trace",
            Lost::OtherPath => "its path leads elsewhere",
            Lost::Branch => "its trace does not say where the program branches",
            Lost::Ends => "its trace ends before",
            Lost::Undecided => "whether its trace is a run of the program was not found out",
            Lost::Callee => "which procedure is called depends on inputs",
            Lost::Index => "an index depends on inputs",
            Lost::LargeIndex => "an index is too large",
            Lost::NoNumber => "it depends on what is no number",
            Lost::Number(Use::Called) => "a number is called",
            Lost::Number(Use::Followed) => "a number is followed",
            Lost::Number(_) => "a number is used as a pointer",
            Lost::Pointer(Use::Arithmetic) => "arithmetic with a pointer",
            Lost::Pointer(Use::Distance) => "it depends on distances of pointers",
            Lost::Pointer(Use::Order) => "it depends on the order of pointers",
            Lost::Pointer(Use::Equality) => "it depends on whether arbitrary pointers are equal",
            Lost::Pointer(Use::Converted) => "it depends on a pointer as a number",
            Lost::Pointer(Use::Joined) => "a pointer may be a number",
            Lost::Pointer(_) => "a pointer is used as a number",
            Lost::ArbitraryPointer => "an arbitrary pointer is followed",
            Lost::ReadAs => "an object is read as another type",
            Lost::WrittenAs => "an object is written as another type",
            Lost::Missing(Part::Value) => "a value is missing",
            Lost::Missing(Part::Place) => "a place is missing",
            Lost::Missing(Part::Variable) => "a variable is missing",
            Lost::Missing(Part::Member) => "a member is missing",
        })
    }
}
