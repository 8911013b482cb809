//! Undefined behaviour of C, past which no run goes: where an abstraction has a run that gets there, "holds" says so.

use std::fmt;

use crate::c::program::Overflow;

/// Something undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// Signed arithmetic leaves its type; only where no run goes past that.
    Overflow,
    /// A quotient that does not fit its type.
    Quotient,
    /// A division by zero, or a shift out of range.
    Arithmetic,
    /// An array whose size varies has no element, or more than there can be.
    Length,
    /// An access through a pointer that is NULL, or points to no object of that kind, or to one that is no more; a call through such a
    /// pointer; `free` of what was not allocated, or was freed.
    Access,
    /// A call of the library that has no model is not given what it needs. Runs that are executed end there; abstractions know nothing of it.
    Library,
}

impl Undefined {
    /// Whether no run goes past it, where overflow means that.
    pub fn ends_runs(self, overflow: Overflow) -> bool {
        self != Undefined::Overflow || overflow != Overflow::Wrap
    }

    /// All kinds that abstractions know.
    pub const ALL: [Undefined; 5] =
        [Undefined::Overflow, Undefined::Quotient, Undefined::Arithmetic, Undefined::Length, Undefined::Access];

    /// Whether it is an error of the program.
    pub fn fails(self, overflow: Overflow) -> bool {
        match overflow {
            Overflow::Wrap | Overflow::Assume => false,
            Overflow::Check => true,
            Overflow::Fails => matches!(self, Undefined::Overflow | Undefined::Quotient),
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undefined::Overflow => "signed overflow",
            Undefined::Quotient => "a quotient that does not fit its type",
            Undefined::Arithmetic => "a division by zero or a shift out of range",
            Undefined::Length => "an array without elements, or with too many",
            Undefined::Access => "an access through NULL, out of bounds, or to what is no more",
            Undefined::Library => "a call of the library that is not given what it needs",
        })
    }
}
