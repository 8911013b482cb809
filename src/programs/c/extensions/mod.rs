//! What C programs say beyond the language of the standard, and what each of it means for runs: attributes, pragmas, and
//! words that qualify.
//!
//! These are lists of what is allowed: what does not stand in them is refused where it stands, so that nothing is ignored
//! in silence. (Builtins, whose types compilers know, stand with the procedures that have no body.)
//!
//! Promises (`const`, `pure`, `malloc`, `restrict`, …) are neither used nor checked: a run that breaks one is a run like any other, as it
//! is in a program that is compiled without optimisation. Those about NULL (`nonnull`, `returns_nonnull`) are noted as contracts of
//! procedures, for who asks about procedures by themselves.

mod attributes;
mod pragmas;
mod words;

pub use attributes::attribute;
pub use pragmas::{Packing, Pragma, pragma};
pub use words::{function_specifier, qualifier};

/// What an attribute means for runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing: every run is the same without it.
    Idle,
    /// This, and it belongs to something that it has to be found at.
    Modelled(Modelled),
    /// Something that is not represented: why.
    Refused(&'static str),
}

/// Attributes whose meaning is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modelled {
    /// No padding before a member, or before those of a record; of an enumeration: the least type.
    Packed,
    /// Where objects begin: a multiple of so many bytes.
    Aligned,
    /// An integer type as wide as a machine's mode.
    Mode,
    /// So many bytes of numbers as one value.
    Vector,
    /// Control does not come back.
    Noreturn,
    /// Called before `main`.
    Constructor,
    /// Another name of what is defined elsewhere in the file.
    Alias,
    /// Another definition wins, and without any it is not there.
    Weak,
    /// A variable starts with any value: that before the program started.
    Arbitrary,
    /// A call may come back twice.
    Twice,
}
