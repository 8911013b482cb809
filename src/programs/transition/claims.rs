//! What somebody has proved of all runs: sums of quantities that programs have names for, at places. And the same as terms, in a frame.

use crate::bitvec::Term;
use crate::bitvec::wide::Number;
use crate::c::program::{ProcedureId, StatementId, VariableId};

use super::{Frame, TransitionSystem};

/// A number that is known somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// What a variable holds.
    Now(VariableId),
    /// What it held when the frame began.
    Entered(VariableId),
    /// What is returned.
    Result,
    /// An index, which is any.
    Index,
    /// The element of an array there.
    Cell(VariableId),
}

/// Where something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Where {
    /// Before a statement, whenever it comes next.
    Before(StatementId),
    /// Whenever a procedure returns.
    Returned(ProcedureId),
}

/// Something about a sum of quantities with factors, which is meant over the integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// It is at most so much.
    AtMost(Vec<(Quantity, i128)>, i128),
    /// Divided by the first number it leaves the second one.
    Rest(Vec<(Quantity, i128)>, i128, i128),
}

/// That something holds somewhere, whatever a run does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Invariant {
    /// There.
    pub at: Where,
    /// Where all of these hold.
    pub when: Vec<Claim>,
    /// That this does.
    pub then: Claim,
}

impl TransitionSystem<'_> {
    /// What is claimed, in a frame: linear in it. None of what a frame does not tell (cells, rests, results), and of sums that are too wide.
    pub fn claimed(&mut self, frame: &Frame, invariant: &Invariant) -> Option<Term> {
        let mut some = vec![self.at_most(frame, &invariant.then)?];
        for claim in &invariant.when {
            let term = self.at_most(frame, claim)?;
            some.push(self.machine.terms.not(term));
        }
        Some(self.machine.terms.any(&some))
    }

    fn at_most(&mut self, frame: &Frame, claim: &Claim) -> Option<Term> {
        let Claim::AtMost(parts, by) = claim else { return None };
        let number = |&(quantity, factor): &(Quantity, i128)| Some((self.number(frame, quantity)?, factor));
        let parts = parts.iter().map(number).collect::<Option<Vec<_>>>()?;
        let (terms, constant) = (&mut self.machine.terms, by.checked_neg()?);
        let width = terms.exact_width(&parts, constant)?;
        let sum = terms.sum_of_width(&parts, constant, width);
        Some(terms.not_positive(sum))
    }

    fn number(&mut self, frame: &Frame, quantity: Quantity) -> Option<Number> {
        let (variable, memory) = match quantity {
            Quantity::Now(variable) => (variable, &frame.now),
            Quantity::Entered(variable) => (variable, &frame.entry),
            Quantity::Result | Quantity::Index | Quantity::Cell(_) => return None,
        };
        let program = self.program();
        let integer = program.types.as_integer(program.variable(variable).ty)?;
        let term = self.machine.content(memory, variable, 0)?;
        (u32::from(self.machine.terms.width(term)) == integer.width).then_some(Number { term, signed: integer.signed })
    }
}
