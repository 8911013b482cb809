//! What is in tables: variables that are declared `const`, which nobody may write (C11 §6.7.3, paragraph 6), and that start with values that are known.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::range::Range;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Program, VariableId};
use crate::c::types::Type;

/// What all scalars at a place are: in a variable, and in these members of it, whatever elements they are in.
#[derive(Default)]
struct Scalars {
    /// Between what numbers are.
    range: Option<Range>,
    /// Whether no pointer is NULL, and no number 0.
    is_there: bool,
    /// Those that are mentioned.
    mentioned: Vec<LvalueId>,
}

/// Those of a program.
#[derive(Default)]
pub struct Tables {
    /// Where variables begin among all.
    variables: FxHashMap<VariableId, usize>,
    /// Where members of what is at a place are.
    members: FxHashMap<(usize, u32), usize>,
    all: Vec<Scalars>,
}

impl Tables {
    /// Linear in what variables start with.
    pub fn of(program: &Program) -> Tables {
        let mut open: HashSet<VariableId> =
            program.external.iter().copied().chain(program.unknown.iter().map(|(id, _)| *id)).collect();
        open.extend(program.unrepresented.iter().filter_map(|one| program.terms.variable_of(one.to)));
        let mut tables = Tables::default();
        for (to, value) in &program.initial {
            let Some(variable) = program.terms.variable_of(*to).filter(|id| program.constant.contains(id)) else {
                continue;
            };
            let Some(at) = tables.place(program, *to).filter(|_| !open.contains(&variable)) else {
                open.insert(variable);
                continue;
            };
            let (range, is_there) = known(program, *to, *value);
            let scalars = &mut tables.all[at];
            if scalars.mentioned.is_empty() {
                (scalars.range, scalars.is_there) = (range, is_there);
            }
            scalars.range = scalars.range.zip(range).map(|(old, new)| old.joined(new));
            scalars.is_there &= is_there;
            scalars.mentioned.push(*to);
        }
        tables.variables.retain(|variable, _| !open.contains(variable));
        for scalars in &mut tables.all {
            let mut mentioned = std::mem::take(&mut scalars.mentioned);
            mentioned.sort_unstable();
            mentioned.dedup();
            let count = mentioned.first().and_then(|first| count(program, *first));
            if count != Some(mentioned.len() as u64) {
                // What is not mentioned starts as zero.
                scalars.is_there = false;
                scalars.range = scalars.range.map(|range| range.joined(Range { least: 0, most: 0 }));
            }
        }
        tables
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
        self.all.get(self.known_place(program, lvalue)?)
    }

    fn known_place(&self, program: &Program, lvalue: LvalueId) -> Option<usize> {
        match program.terms.at(lvalue).kind {
            LvalueKind::Variable(id) => self.variables.get(&id).copied(),
            LvalueKind::Element(of, _) => self.known_place(program, of),
            LvalueKind::Field(of, member) => self.members.get(&(self.known_place(program, of)?, member)).copied(),
            LvalueKind::Deref(_) => None,
        }
    }

    /// Where it is, if nothing else shares its bytes.
    fn place(&mut self, program: &Program, lvalue: LvalueId) -> Option<usize> {
        let next = self.all.len();
        let at = match program.terms.at(lvalue).kind {
            LvalueKind::Variable(id) => *self.variables.entry(id).or_insert(next),
            LvalueKind::Element(of, _) => return self.place(program, of),
            LvalueKind::Field(of, member) => {
                if program.types.as_record(program.terms.at(of).ty)?.union {
                    return None;
                }
                let of = self.place(program, of)?;
                let next = self.all.len();
                *self.members.entry((of, member)).or_insert(next)
            }
            LvalueKind::Deref(_) => return None,
        };
        if at == self.all.len() {
            self.all.push(Scalars::default());
        }
        Some(at)
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
        (ExpressionKind::AddressOf(of), None) => (None, program.terms.variable_of(*of).is_some()),
        _ => (None, false),
    }
}

/// How many scalars there are where this one is, whatever elements they are in.
fn count(program: &Program, mut lvalue: LvalueId) -> Option<u64> {
    let mut count = 1_u64;
    loop {
        match program.terms.at(lvalue).kind {
            LvalueKind::Variable(_) => return Some(count),
            LvalueKind::Field(of, _) => lvalue = of,
            LvalueKind::Element(of, _) => {
                let Type::Array(_, length) = program.types.get(program.terms.at(of).ty) else { return None };
                count = count.checked_mul(*length)?;
                lvalue = of;
            }
            LvalueKind::Deref(_) => return None,
        }
    }
}
