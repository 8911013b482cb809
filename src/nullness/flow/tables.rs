//! What is in tables: variables that are declared `const`, which nobody may write (C11 §6.7.3, paragraph 6), and that start with values that are known.

use std::collections::{HashMap, HashSet};

use super::numbers::Range;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Program, VariableId};
use crate::c::types::{Type, TypeId};

/// Scalars of a variable, whatever elements they are in: the members in which they are, from the outside.
type Place = (VariableId, Vec<u32>);

/// What all scalars at a place are.
struct Scalars {
    /// Between what numbers are.
    range: Option<Range>,
    /// Whether no pointer is NULL, and no number 0.
    is_there: bool,
    /// Those that are mentioned.
    mentioned: HashSet<LvalueId>,
}

/// Those of a program.
pub struct Tables {
    all: HashMap<Place, Scalars>,
}

impl Tables {
    /// Linear in what variables start with.
    pub fn of(program: &Program) -> Tables {
        let mut open: HashSet<VariableId> =
            program.external.iter().copied().chain(program.unknown.iter().map(|(id, _)| *id)).collect();
        open.extend(program.unrepresented.iter().filter_map(|one| root(program, one.to)));
        let mut all: HashMap<Place, Scalars> = HashMap::new();
        for (to, value) in &program.initial {
            let Some(variable) = root(program, *to).filter(|id| program.constant.contains(id)) else { continue };
            let Some(place) = place(program, *to).filter(|_| !open.contains(&variable)) else {
                open.insert(variable);
                continue;
            };
            let (range, is_there) = known(program, *to, *value);
            let scalars = all.entry(place).or_insert_with(|| Scalars { range, is_there, mentioned: HashSet::new() });
            scalars.range = scalars.range.zip(range).map(|(old, new)| old.joined(new));
            scalars.is_there &= is_there;
            scalars.mentioned.insert(*to);
        }
        all.retain(|(variable, _), _| !open.contains(variable));
        for ((variable, members), scalars) in &mut all {
            let count = count(program, program.variable(*variable).ty, members);
            if count != Some(scalars.mentioned.len() as u64) {
                // What is not mentioned starts as zero.
                scalars.is_there = false;
                scalars.range = scalars.range.map(|range| range.joined(Range { least: 0, most: 0 }));
            }
            scalars.mentioned = HashSet::new();
        }
        Tables { all }
    }

    /// Between what the numbers are that may be read there, if it is in a table.
    pub fn range(&self, program: &Program, lvalue: LvalueId) -> Option<Range> {
        self.at(program, lvalue)?.range
    }

    /// Whether what is read there is in a table in which no pointer is NULL, and no number 0.
    pub fn is_there(&self, program: &Program, lvalue: LvalueId) -> bool {
        self.at(program, lvalue).is_some_and(|scalars| scalars.is_there)
    }

    fn at(&self, program: &Program, lvalue: LvalueId) -> Option<&Scalars> {
        if self.all.is_empty() {
            return None;
        }
        self.all.get(&place(program, lvalue)?)
    }
}

/// The variable in which it is.
fn root(program: &Program, mut lvalue: LvalueId) -> Option<VariableId> {
    loop {
        match program.terms.at(lvalue).kind {
            LvalueKind::Variable(id) => return Some(id),
            LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
            LvalueKind::Deref(_) => return None,
        }
    }
}

/// Where it is, if nothing else shares its bytes.
fn place(program: &Program, mut lvalue: LvalueId) -> Option<Place> {
    let mut members = Vec::new();
    loop {
        match program.terms.at(lvalue).kind {
            LvalueKind::Variable(id) => {
                members.reverse();
                return Some((id, members));
            }
            LvalueKind::Element(of, _) => lvalue = of,
            LvalueKind::Field(of, member) => {
                let record = program.types.as_record(program.terms.at(of).ty)?;
                if record.union {
                    return None;
                }
                members.push(member);
                lvalue = of;
            }
            LvalueKind::Deref(_) => return None,
        }
    }
}

/// The range of a number, and whether it, or a pointer, is there.
fn known(program: &Program, to: LvalueId, value: ExpressionId) -> (Option<Range>, bool) {
    let ty = program.terms.at(to).ty;
    match (&program.terms.get(value).kind, program.types.as_integer(ty)) {
        (ExpressionKind::Constant(bits), Some(integer)) => {
            let number = integer.number(*bits & integer.mask());
            (Some(Range { least: number, most: number }), number != 0)
        }
        (ExpressionKind::Procedure(_), None) => (None, true),
        (ExpressionKind::AddressOf(of), None) => (None, root(program, *of).is_some()),
        _ => (None, false),
    }
}

/// How many scalars of a type are in these members of members; none if that is not one scalar in each element.
fn count(program: &Program, mut ty: TypeId, members: &[u32]) -> Option<u64> {
    let (mut count, mut members) = (1_u64, members.iter());
    loop {
        match program.types.get(ty) {
            Type::Array(element, length) => {
                count = count.checked_mul(*length)?;
                ty = *element;
            }
            Type::Record(record) => {
                let record = &program.types.records[record.0 as usize];
                ty = record.fields.get(*members.next()? as usize)?.ty;
            }
            _ => return Some(count),
        }
    }
}
