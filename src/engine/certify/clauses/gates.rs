//! Conditions as gates: conjunctions and negations over columns, each made once (and-inverter graphs: Kuehlmann & Krohm, DAC 1997).

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bdd::{At, Column};
use crate::certify::logic::Logic;
use crate::limits::{Limits, Stop};

type Result<T> = std::result::Result<T, Stop>;

/// The copy of the bits in which values are after a return.
pub(super) const RETURNED: u8 = 4;

/// That in which they are at the entry of a call, where they are those at a cut in the other one.
pub(super) const ELSEWHERE: u8 = 5;

/// The number of a copy.
pub(super) fn copy(at: At) -> u8 {
    match at {
        At::Now => 0,
        At::Next => 1,
        At::Entry => 2,
        At::Saved => 3,
    }
}

/// A bit in a copy.
pub(super) type Input = (u32, u8);

/// A condition: a gate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Wire(u32);

impl Wire {
    pub const FALSE: Wire = Wire(0);
    pub const TRUE: Wire = Wire(1);

    /// The gate.
    pub fn gate(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is the negation of the gate.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn of(gate: u32, negated: bool) -> Wire {
        Wire(gate << 1 | u32::from(negated))
    }

    pub fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

/// A gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gate {
    /// The first one, which is false.
    False,
    /// A bit in a copy.
    Input(Input),
    /// Two conditions at once.
    And(Wire, Wire),
}

/// What a gate takes, with the table in which it is found again.
const BYTES: u64 = 64;

/// After so many gates it is asked whether to go on.
const GATES_PER_STOP: usize = 1 << 10;

/// Gates, operands before those that use them.
pub(super) struct Gates {
    limits: Limits,
    list: RefCell<Vec<Gate>>,
    known: RefCell<FxHashMap<Gate, u32>>,
}

impl Gates {
    pub fn new(limits: &Limits) -> Gates {
        Gates { limits: *limits, list: RefCell::new(vec![Gate::False]), known: RefCell::default() }
    }

    fn made(&self, gate: Gate) -> Result<Wire> {
        if let Some(known) = self.known.borrow().get(&gate) {
            return Ok(Wire::of(*known, false));
        }
        let mut list = self.list.borrow_mut();
        let number = list.len();
        if number.is_multiple_of(GATES_PER_STOP) {
            self.limits.check()?;
        }
        if number as u64 >= (1 << 31) - 1 || self.limits.memory.is_some_and(|memory| number as u64 * BYTES > memory) {
            return Err(Stop::Memory);
        }
        list.push(gate);
        self.known.borrow_mut().insert(gate, number as u32);
        Ok(Wire::of(number as u32, false))
    }

    /// A gate by its number.
    pub fn gate(&self, number: u32) -> Gate {
        self.list.borrow()[number as usize]
    }

    /// A bit in a copy.
    pub fn input(&self, input: Input) -> Result<Wire> {
        self.made(Gate::Input(input))
    }

    /// The gates that these conditions are made of, ascending; those that the test knows are left out, with what they are made of.
    pub fn below(&self, wires: &[Wire], known: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut open: Vec<u32> = wires.iter().map(|wire| wire.gate()).collect();
        while let Some(gate) = open.pop() {
            if known(gate) || !seen.insert(gate) {
                continue;
            }
            if let Gate::And(a, b) = self.gate(gate) {
                open.extend([a.gate(), b.gate()]);
            }
        }
        let mut all: Vec<u32> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The bits that a condition looks at.
    pub fn inputs(&self, wire: Wire) -> Vec<Input> {
        let inputs = self.below(&[wire], |_| false).into_iter().filter_map(|gate| match self.gate(gate) {
            Gate::Input(input) => Some(input),
            _ => None,
        });
        inputs.collect()
    }

    /// The same condition about other columns.
    pub fn renamed(&self, wire: Wire, name: &dyn Fn(Input) -> Input) -> Result<Wire> {
        self.replaced(wire, &|input| self.input(name(input)))
    }

    /// The same condition about other conditions in place of columns.
    pub fn replaced(&self, wire: Wire, by: &dyn Fn(Input) -> Result<Wire>) -> Result<Wire> {
        let mut images: FxHashMap<u32, Wire> = FxHashMap::default();
        let image = |images: &FxHashMap<u32, Wire>, wire: Wire| {
            let image = images[&wire.gate()];
            if wire.is_negated() { image.not() } else { image }
        };
        for number in self.below(&[wire], |_| false) {
            let made = match self.gate(number) {
                Gate::False => Wire::FALSE,
                Gate::Input(input) => by(input)?,
                Gate::And(a, b) => self.both(image(&images, a), image(&images, b))?,
            };
            images.insert(number, made);
        }
        Ok(image(&images, wire))
    }

    /// Two conditions at once.
    pub fn both(&self, a: Wire, b: Wire) -> Result<Wire> {
        match (a, b) {
            _ if a == b => Ok(a),
            _ if a == b.not() => Ok(Wire::FALSE),
            (Wire::FALSE, _) | (_, Wire::FALSE) => Ok(Wire::FALSE),
            (Wire::TRUE, other) | (other, Wire::TRUE) => Ok(other),
            _ => self.made(Gate::And(a.min(b), a.max(b))),
        }
    }
}

impl Logic for Gates {
    type Term = Wire;

    fn top(&self) -> Wire {
        Wire::TRUE
    }

    fn bottom(&self) -> Wire {
        Wire::FALSE
    }

    fn literal(&self, (bit, at): Column, value: bool) -> Result<Wire> {
        let wire = self.input((bit.0, copy(at)))?;
        Ok(if value { wire } else { wire.not() })
    }

    fn and(&self, a: &Wire, b: &Wire) -> Result<Wire> {
        self.both(*a, *b)
    }

    fn not(&self, a: &Wire) -> Result<Wire> {
        Ok(a.not())
    }

    fn ite(&self, c: &Wire, a: &Wire, b: &Wire) -> Result<Wire> {
        if a == b {
            return Ok(*a);
        }
        self.or(&self.both(*c, *a)?, &self.both(c.not(), *b)?)
    }
}
