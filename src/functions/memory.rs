//! Memory that nobody knows: what was written is remembered, from the last write to the first, and what is below it is arbitrary.
//!
//! A read looks through writes that cannot hit it, is a choice by addresses where they may, and is a variable of terms where it comes to
//! arbitrary memory: the same for the same address and type. Two reads of one place by different addresses are two variables, which only
//! makes more possible than there is.

use std::collections::HashMap;
use std::rc::Rc;

use crate::bitvec::Term;
use crate::c::types::TypeId;

use super::machine::{From, Machine, Pointer, Value};

/// A memory: an index into [`Memories`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memory(u32);

/// What is arbitrary afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// All that a pointer may lead to.
    pub reached: bool,
    /// All globals.
    pub globals: bool,
    /// These objects.
    pub objects: Rc<[Term]>,
}

impl Changed {
    /// An object.
    pub fn object(object: Term) -> Changed {
        Changed { reached: false, globals: false, objects: [object].into() }
    }
}

/// How a memory came about.
#[derive(Clone, Debug)]
enum Step {
    /// It is arbitrary.
    Arbitrary(From),
    /// A value was written.
    Written { below: Memory, to: Pointer, bytes: u64, value: Value },
    /// Some became arbitrary.
    Changed { below: Memory, changed: Changed, from: From },
    /// It is one of two.
    Either { condition: Term, yes: Memory, no: Memory },
}

/// All memories of a function.
pub struct Memories {
    steps: Vec<Step>,
    read: HashMap<(Memory, Pointer, TypeId), Value>,
    arbitrary: HashMap<(Memory, Pointer, TypeId), Value>,
}

/// So many writes that may have hit are looked through for one read.
const DEEPEST: usize = 64;

impl Memories {
    /// The one at the entry.
    pub fn new() -> (Memories, Memory) {
        let steps = vec![Step::Arbitrary(From::Entry)];
        (Memories { steps, read: HashMap::new(), arbitrary: HashMap::new() }, Memory(0))
    }

    /// One of which nothing is known.
    pub fn anything(&mut self) -> Memory {
        self.push(Step::Arbitrary(From::Anywhere))
    }

    fn push(&mut self, step: Step) -> Memory {
        self.steps.push(step);
        Memory(u32::try_from(self.steps.len() - 1).unwrap_or(u32::MAX))
    }

    /// After a write of so many bytes.
    pub fn written(&mut self, below: Memory, to: Pointer, bytes: u64, value: Value) -> Memory {
        self.push(Step::Written { below, to, bytes, value })
    }

    /// After some of it became arbitrary.
    pub fn changed(&mut self, below: Memory, changed: Changed, from: From) -> Memory {
        self.push(Step::Changed { below, changed, from })
    }

    /// One of two.
    pub fn either(&mut self, condition: Term, yes: Memory, no: Memory) -> Memory {
        if yes == no { yes } else { self.push(Step::Either { condition, yes, no }) }
    }

    /// What a scalar of a type holds.
    pub fn read(&mut self, machine: &mut Machine<'_>, memory: Memory, at: Pointer, ty: TypeId) -> Value {
        self.within(machine, memory, (at, ty), DEEPEST)
    }

    fn within(
        &mut self,
        machine: &mut Machine<'_>,
        memory: Memory,
        (at, ty): (Pointer, TypeId),
        depth: usize,
    ) -> Value {
        // What no write can have hit is passed in a loop: memories are long.
        let mut here = memory;
        loop {
            if let Some(&value) = self.read.get(&(here, at, ty)) {
                return value;
            }
            match &self.steps[here.0 as usize] {
                Step::Written { below, to, .. } if !machine.may_be_same(to.object, at.object) => here = *below,
                Step::Written { below, to, bytes, .. } if to.object == at.object => {
                    let (below, bytes) = (*below, *bytes);
                    let size = machine.program.types.size(ty).unwrap_or(1);
                    let apart = machine.terms.sub(at.offset, to.offset);
                    match machine.terms.as_constant(apart) {
                        Some(apart) if apart >= u128::from(bytes) && apart <= (1 << 64) - u128::from(size) => here = below,
                        _ => break,
                    }
                }
                Step::Changed { below, changed, .. } if !hits(machine, changed, at) => here = *below,
                _ => break,
            }
        }
        let value = match (self.steps[here.0 as usize].clone(), depth) {
            (Step::Arbitrary(from) | Step::Changed { from, .. }, _) => self.unwritten(machine, here, (at, ty), from),
            (_, 0) => self.unwritten(machine, here, (at, ty), From::Anywhere),
            (Step::Written { below, to, bytes, value }, _) => {
                self.after(machine, (below, to, bytes, value), (at, ty), depth - 1)
            }
            (Step::Either { condition, yes, no }, _) => {
                let yes = self.within(machine, yes, (at, ty), depth - 1);
                let no = self.within(machine, no, (at, ty), depth - 1);
                machine.choice(condition, yes, no)
            }
        };
        self.read.insert((memory, at, ty), value);
        self.read.insert((here, at, ty), value);
        value
    }

    /// What is read after a write that may have hit.
    fn after(
        &mut self,
        machine: &mut Machine<'_>,
        (below, to, bytes, value): (Memory, Pointer, u64, Value),
        (at, ty): (Pointer, TypeId),
        depth: usize,
    ) -> Value {
        let size = machine.program.types.size(ty).unwrap_or(1);
        let fits = size == bytes
            && match value {
                Value::Number(term) => machine.width(ty) == Some(machine.terms.width(term)),
                Value::Pointer(_) => machine.program.types.pointee(ty).is_some(),
                Value::Opaque => machine.width(ty).is_none() && machine.program.types.pointee(ty).is_none(),
            };
        if fits && to == at {
            return value;
        }
        let other = machine.any(ty, From::Anywhere);
        let objects = machine.terms.ne(to.object, at.object);
        let (after, before) = (machine.terms.sub(at.offset, to.offset), machine.terms.sub(to.offset, at.offset));
        let (bytes, size) = (machine.terms.constant(bytes.into(), 64), machine.terms.constant(size.into(), 64));
        let (above, below_it) = (machine.terms.ule(bytes, after), machine.terms.ule(size, before));
        let offsets = machine.terms.and(above, below_it);
        let missed = machine.terms.or(objects, offsets);
        let rest = match machine.terms.as_constant(missed) {
            Some(0) => other,
            _ => self.within(machine, below, (at, ty), depth),
        };
        let unless = machine.choice(missed, rest, other);
        if !fits {
            return unless;
        }
        let hit = machine.same(to, at);
        machine.choice(hit, value, unless)
    }

    fn unwritten(&mut self, machine: &mut Machine<'_>, here: Memory, at: (Pointer, TypeId), from: From) -> Value {
        let key = (here, at.0, at.1);
        if let Some(&value) = self.arbitrary.get(&key) {
            return value;
        }
        let value = machine.any(at.1, from);
        self.arbitrary.insert(key, value);
        value
    }
}

/// Whether a change may be one of what is at a place.
fn hits(machine: &Machine<'_>, changed: &Changed, at: Pointer) -> bool {
    let is_reached = || machine.is_variable(at.object).is_none_or(|variable| machine.is_taken(variable));
    let is_global = || machine.is_variable(at.object).is_none_or(|variable| machine.program.is_global(variable));
    changed.reached && is_reached()
        || changed.globals && is_global()
        || changed.objects.iter().any(|&object| machine.may_be_same(object, at.object))
}
