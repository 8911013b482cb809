//! What callers have to owe so that something cannot fail: candidates, from what it is about and from conditions on the way to it.

use std::collections::HashMap;

use crate::bitvec::Term;
use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Term as Part, Unary};
use crate::c::program::ProcedureId;

use super::Kind;
use super::condition::{Condition, is_of_entry};
use super::machine::{Pointer, Value};
use super::state::State;
use super::values::{About, Values, World};
use super::walk::Use;

/// Expressions by what they are at the entry.
#[derive(Default)]
pub struct Names {
    /// By object, pointers.
    pointers: HashMap<Term, (ExpressionId, Pointer)>,
    /// By value, numbers.
    numbers: HashMap<Term, ExpressionId>,
}

/// So many numbers are tried as the length of an array.
const LENGTHS: usize = 8;

/// So many decisions on the way are tried.
const DECISIONS: usize = 4;

impl Names {
    /// Those of what was read in a function.
    pub fn of(world: &mut World<'_>, function: ProcedureId, entry: &State, read: &[ExpressionId]) -> Names {
        let program = world.machine.program;
        let mut names = Names::default();
        let mut met = std::collections::BTreeSet::new();
        for &root in read {
            for part in program.terms.postorder(Part::Expression(root)) {
                let Part::Expression(e) = part else { continue };
                if matches!(program.terms.get(e).kind, ExpressionKind::Read(_))
                    && met.insert(e)
                    && is_of_entry(program, function, e)
                {
                    names.add(world, entry, e);
                }
            }
        }
        names
    }

    fn add(&mut self, world: &mut World<'_>, entry: &State, e: ExpressionId) {
        match Values::new(world, entry).value(e) {
            Value::Number(term) if world.machine.terms.as_constant(term).is_none() => {
                self.numbers.entry(term).or_insert(e);
            }
            Value::Pointer(pointer) if world.machine.terms.as_constant(pointer.object).is_none() => {
                self.pointers.entry(pointer.object).or_insert((e, pointer));
            }
            _ => {}
        }
    }

    fn all_numbers(&self) -> Vec<ExpressionId> {
        let mut all: Vec<ExpressionId> = self.numbers.values().copied().collect();
        all.sort_unstable();
        all
    }

    /// Sets of conditions, each of which may exclude that a use fails, the simplest first.
    pub fn candidates(&self, world: &mut World<'_>, function: ProcedureId, one: &Use) -> Vec<Vec<Condition>> {
        let program = world.machine.program;
        let mut sets = Vec::new();
        match one.demand.about {
            About::Access(e, at, bytes) => self.access(world, (e, at, bytes), one.demand.kind, &mut sets),
            About::Index(e, length) => self.index(program, e, length, &mut sets),
            About::Operator(e) => self.operator(program, e, one.demand.kind, &mut sets),
            About::Owed(condition, values) => self.owed(world, condition, values, &mut sets),
            About::Variable(_) | About::Other => {}
        }
        for e in self.occurring(world, one.demand.term) {
            sets.extend(about_number(program, e, one.demand.kind));
        }
        sets.retain(|set| set.iter().all(|condition| condition.is_of_entry(program, function)));
        sets
    }

    /// Conditions under which control does not come to a use.
    pub fn avoiding(&self, program: &Program, function: ProcedureId, one: &Use) -> Vec<Vec<Condition>> {
        let decided = one.reach.iter().rev().filter_map(|literal| literal.decided);
        let own = decided.filter(|(e, _)| is_of_entry(program, function, *e)).take(DECISIONS);
        own.map(|(e, truth)| vec![Condition::Decided(e, !truth)]).collect()
    }

    /// Numbers of the entry that occur in a term.
    fn occurring(&self, world: &World<'_>, term: Term) -> Vec<ExpressionId> {
        let terms = &world.machine.terms;
        let variables = terms.variables(&[term]);
        let mut all: Vec<ExpressionId> = self
            .numbers
            .iter()
            .filter(|(number, _)| {
                let own = terms.variables(&[**number]);
                own.len() == 1 && own.iter().all(|variable| variables.contains(variable))
            })
            .map(|(_, e)| *e)
            .collect();
        all.sort_unstable();
        all.truncate(LENGTHS);
        all
    }

    fn access(
        &self,
        world: &mut World<'_>,
        (e, at, bytes): (ExpressionId, Pointer, u64),
        kind: Kind,
        sets: &mut Vec<Vec<Condition>>,
    ) {
        let known = self.pointers.get(&at.object).copied();
        match kind {
            Kind::Null => {
                sets.extend(known.map(|(pointer, _)| vec![Condition::NotNull(pointer)]));
                sets.push(vec![Condition::NotNull(e)]);
            }
            Kind::Bounds => {
                let Some((pointer, begins)) = known else { return };
                let program = world.machine.program;
                let element = world.machine.pointee_size(program.terms.get(pointer).ty).max(1);
                let delta = world.machine.terms.sub(at.offset, begins.offset);
                if let Some(delta) = world.machine.terms.as_constant(delta) {
                    let end = i128::from(delta as u64 as i64) + i128::from(bytes);
                    let whole = end % i128::from(element) == 0;
                    let (count, element) = if whole { (end / i128::from(element), element) } else { (end, 1) };
                    if let Ok(count) = i64::try_from(count) {
                        sets.push(vec![Condition::Room(pointer, None, count, element)]);
                    }
                    return;
                }
                self.lengths(program, pointer, element, sets);
            }
            _ => {}
        }
    }

    /// A pointer leads to as many elements as some number of the entry says.
    fn lengths(&self, program: &Program, pointer: ExpressionId, element: u64, sets: &mut Vec<Vec<Condition>>) {
        for count in self.all_numbers().into_iter().take(LENGTHS) {
            let signed = program.types.as_integer(program.terms.get(count).ty).is_some_and(|one| one.signed);
            for plus in [0, 1] {
                let room = Condition::Room(pointer, Some(count), plus, element);
                sets.push(vec![room]);
                if signed {
                    sets.push(vec![Condition::AtLeast(count, 0), room]);
                }
            }
        }
    }

    fn index(&self, program: &Program, e: ExpressionId, length: u64, sets: &mut Vec<Vec<Condition>>) {
        let most = i128::from(length) - 1;
        let within = |e: ExpressionId, most: i128| {
            let signed = program.types.as_integer(program.terms.get(e).ty).is_some_and(|one| one.signed);
            let mut set = vec![Condition::AtMost(e, most)];
            if signed {
                set.insert(0, Condition::AtLeast(e, 0));
            }
            set
        };
        // A conversion to a wider type is none of the condition's business.
        let e = match program.terms.get(e).kind {
            ExpressionKind::Convert(of) if program.types.as_integer(program.terms.get(of).ty).is_some() => of,
            _ => e,
        };
        sets.push(within(e, most));
        for number in self.all_numbers().into_iter().take(LENGTHS) {
            sets.push(vec![Condition::AtMost(number, most + 1)]);
            sets.push(within(number, most));
        }
    }

    fn operator(&self, program: &Program, e: ExpressionId, kind: Kind, sets: &mut Vec<Vec<Condition>>) {
        match program.terms.get(e).kind {
            ExpressionKind::Binary(Binary::Divide | Binary::Remainder, _, b) if kind == Kind::Division => {
                sets.push(vec![Condition::Differs(b, 0)]);
                if let ExpressionKind::Convert(of) = program.terms.get(b).kind {
                    sets.push(vec![Condition::Differs(of, 0)]);
                }
            }
            ExpressionKind::Binary(Binary::ShiftLeft | Binary::ShiftRight, a, b) => {
                let width = program.types.as_integer(program.terms.get(a).ty).map_or(0, |one| i128::from(one.width));
                sets.push(vec![Condition::AtLeast(b, 0), Condition::AtMost(b, width - 1)]);
                if let ExpressionKind::Constant(by) = program.terms.get(b).kind
                    && let Some(integer) = program.types.as_integer(program.terms.get(a).ty)
                {
                    let most = (integer.mask() >> 1) as i128 >> by.min(127);
                    sets.push(vec![Condition::AtLeast(a, 0), Condition::AtMost(a, most)]);
                }
                sets.push(vec![Condition::AtLeast(a, 0)]);
            }
            ExpressionKind::Binary(..) | ExpressionKind::Unary(Unary::Negate, _) => sets.push(vec![Condition::Fits(e)]),
            _ => {}
        }
    }

    /// What a callee demands, said of what the caller was given.
    fn owed(
        &self,
        world: &mut World<'_>,
        condition: Condition,
        [first, second]: [Option<Value>; 2],
        sets: &mut Vec<Vec<Condition>>,
    ) {
        let pointer = match first {
            Some(Value::Pointer(at)) => self.pointers.get(&at.object).map(|(e, begins)| (*e, *begins, at)),
            _ => None,
        };
        let number = |value: Option<Value>| match value {
            Some(Value::Number(term)) => self.numbers.get(&term).copied(),
            _ => None,
        };
        match condition {
            Condition::NotNull(_) => sets.extend(pointer.map(|(e, ..)| vec![Condition::NotNull(e)])),
            Condition::Room(_, count, plus, element) => {
                let Some((e, begins, at)) = pointer else { return };
                let program = world.machine.program;
                let own = world.machine.pointee_size(program.terms.get(e).ty).max(1);
                let delta = world.machine.terms.sub(at.offset, begins.offset);
                let delta = world.machine.terms.as_constant(delta).map(|delta| delta as u64 as i64);
                match (delta, count, number(second)) {
                    (Some(0), Some(_), Some(count)) => sets.push(vec![Condition::Room(e, Some(count), plus, element)]),
                    (Some(delta), None, _) => {
                        let bytes = i128::from(plus) * i128::from(element) + i128::from(delta);
                        sets.extend(i64::try_from(bytes).ok().map(|bytes| vec![Condition::Room(e, None, bytes, 1)]));
                    }
                    _ => {}
                }
                self.lengths(program, e, own, sets);
            }
            Condition::AtLeast(_, least) => sets.extend(number(first).map(|e| vec![Condition::AtLeast(e, least)])),
            Condition::AtMost(_, most) => sets.extend(number(first).map(|e| vec![Condition::AtMost(e, most)])),
            Condition::Differs(_, other) => sets.extend(number(first).map(|e| vec![Condition::Differs(e, other)])),
            Condition::Fits(_) | Condition::Decided(..) => {}
        }
    }
}

/// Bounds of a number that may be what is needed.
fn about_number(program: &Program, e: ExpressionId, kind: Kind) -> Vec<Vec<Condition>> {
    let Some(integer) = program.types.as_integer(program.terms.get(e).ty).filter(|one| one.width < 128) else {
        return Vec::new();
    };
    let (least, most) = (integer.least(), integer.number(integer.mask() >> u32::from(integer.signed)));
    match kind {
        Kind::Division => vec![vec![Condition::Differs(e, 0)], vec![Condition::AtLeast(e, 1)]],
        Kind::Overflow if integer.signed => vec![
            vec![Condition::AtMost(e, most - 1)],
            vec![Condition::AtLeast(e, least + 1)],
            vec![Condition::AtLeast(e, 0)],
            vec![Condition::AtMost(e, 0)],
        ],
        Kind::Shift => vec![vec![Condition::AtLeast(e, 0), Condition::AtMost(e, 31)], vec![Condition::AtLeast(e, 0)]],
        Kind::Bounds if integer.signed => vec![vec![Condition::AtLeast(e, 0)], vec![Condition::AtLeast(e, 1)]],
        Kind::Bounds => vec![vec![Condition::AtLeast(e, 1)]],
        _ => Vec::new(),
    }
}
