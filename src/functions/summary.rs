//! What is known of a function to those who call it.

use spds_format::model::Place;

use crate::bitvec::Term;
use crate::c::types::TypeId;

use super::Kind;
use super::condition::Condition;
use super::machine::{Machine, Value};

/// What callers owe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What has to hold when the function is called.
    pub condition: Condition,
    /// What may go wrong otherwise.
    pub kind: Kind,
    /// Where.
    pub place: Place,
}

/// What is known of a function, of all calls that keep its obligations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What callers owe.
    pub obligations: Vec<Obligation>,
    /// What may go wrong all the same: that is not known.
    pub open: Vec<Kind>,
    /// Whether it may return.
    pub returns: bool,
    /// Whether a pointer that it returns is NULL or leads to an element of its type.
    pub proper: bool,
    /// What else holds of its result.
    pub facts: Vec<Fact>,
    /// Whether all that it stores as pointers is NULL or leads to an element.
    pub keeps: bool,
}

/// Something that may hold of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// It is not NULL.
    Some,
    /// It is at least that.
    AtLeast(i128),
    /// It is at most that.
    AtMost(i128),
}

impl Fact {
    /// Those that are tried.
    pub const ALL: [Fact; 6] =
        [Fact::Some, Fact::AtLeast(0), Fact::AtLeast(-1), Fact::AtLeast(1), Fact::AtMost(0), Fact::AtMost(1)];

    /// Whether it holds of a value of a type.
    pub fn term(self, machine: &mut Machine<'_>, value: Value, ty: TypeId) -> Term {
        let signed = machine.program.types.as_integer(ty).is_some_and(|integer| integer.signed);
        match (self, value) {
            (Fact::Some, Value::Pointer(pointer)) => machine.is_some(pointer),
            (Fact::AtLeast(least), Value::Number(number)) if signed => {
                let least = machine.terms.constant(least as u128, machine.terms.width(number));
                machine.terms.sle(least, number)
            }
            (Fact::AtMost(most), Value::Number(number)) if signed || most >= 0 => {
                let most = machine.terms.constant(most as u128, machine.terms.width(number));
                if signed { machine.terms.sle(number, most) } else { machine.terms.ule(number, most) }
            }
            _ => machine.terms.truth(true),
        }
    }
}
