//! Cells of memory: what is in them, where it is not known which of several is meant.

use super::super::lost::{Lost, Use};
use super::{Done, Fill, Places, Symbolic, Target, Value};
use crate::bitvec::Term;
use crate::c::expression::LvalueId;
use crate::c::types::{Type, TypeId};

impl Symbolic<'_> {
    /// What is in one of these cells.
    pub(super) fn read(&mut self, places: &Places, ty: TypeId) -> Done<Value> {
        let mut value: Option<Value> = None;
        for &(term, cell) in places {
            let there = self.cell(cell, ty)?;
            value = Some(match value {
                None => there,
                Some(other) => self.either(term, there, other)?,
            });
        }
        match value {
            None if self.nowhere => self.some_value(ty),
            value => value.ok_or(Lost::ArbitraryPointer),
        }
    }

    fn cell(&mut self, cell: (usize, i64, u32), ty: TypeId) -> Done<Value> {
        if let Some(value) = self.cells.get(&cell) {
            let fits = match value {
                Value::Number(term) => self.width(ty).is_ok_and(|width| width == self.terms.width(*term)),
                Value::Pointer(_) => matches!(self.program.types.get(ty), Type::Pointer(_)),
            };
            return if fits { Ok(value.clone()) } else { Err(Lost::ReadAs) };
        }
        if self.strict && self.overlaps(cell, ty) {
            return Err(Lost::ReadAs);
        }
        let value = match (self.objects[cell.0], self.program.types.pointee(ty)) {
            (Fill::Arbitrary, _) => self.input(ty)?,
            (Fill::Unknown, _) => self.some_value(ty)?,
            (Fill::Zero, Some(_)) => Value::Pointer(vec![(self.terms.truth(true), Target::Null)]),
            (Fill::Zero, None) => {
                let width = self.width(ty)?;
                Value::Number(self.terms.constant(0, width))
            }
        };
        self.cells.insert(cell, value.clone());
        Ok(value)
    }

    /// The first where a condition holds, the second elsewhere.
    pub(super) fn either(&mut self, condition: Term, yes: Value, no: Value) -> Done<Value> {
        if let Some(value) = self.terms.as_constant(condition) {
            return Ok(if value == 1 { yes } else { no });
        }
        match (yes, no) {
            (Value::Number(yes), Value::Number(no)) => Ok(Value::Number(self.terms.ite(condition, yes, no))),
            (Value::Pointer(yes), Value::Pointer(no)) => {
                let not = self.terms.not(condition);
                let mut list: Vec<(Term, Target)> = Vec::new();
                for (side, part) in [(condition, yes), (not, no)] {
                    for (term, target) in part {
                        let term = self.terms.and(side, term);
                        match list.iter_mut().find(|(_, other)| *other == target) {
                            Some((other, _)) => *other = self.terms.or(*other, term),
                            None => list.push((term, target)),
                        }
                    }
                }
                list.retain(|&(term, _)| self.terms.as_constant(term) != Some(0));
                Ok(Value::Pointer(list))
            }
            _ => Err(Lost::Pointer(Use::Joined)),
        }
    }

    /// Puts a value into one of the cells that an lvalue designates.
    pub(super) fn write(&mut self, to: LvalueId, value: Value) -> Done<()> {
        let ty = self.program.terms.at(to).ty;
        let places = self.places(to)?;
        if places.is_empty() {
            if self.nowhere {
                return Ok(());
            }
            return Err(Lost::ArbitraryPointer);
        }
        if self.strict && places.iter().any(|&(_, cell)| self.overlaps(cell, ty)) {
            return Err(Lost::WrittenAs);
        }
        if !self.strict && self.program.types.is_opaque(ty) {
            self.blur(&places, ty);
        }
        for (term, cell) in places {
            let new = match self.terms.as_constant(term) {
                Some(1) => value.clone(),
                _ => {
                    let old = self.cell(cell, ty)?;
                    self.either(term, value.clone(), old)?
                }
            };
            self.cells.insert(cell, new);
        }
        Ok(())
    }

    /// Of the numbers across which a value that is not represented lies nothing is known any more.
    fn blur(&mut self, places: &Places, ty: TypeId) {
        let mut keys: Vec<(usize, i64, u32)> = self.cells.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let Some(Value::Number(term)) = self.cells.get(&key) else { continue };
            let width = self.terms.width(*term);
            if places.iter().any(|&(_, cell)| self.meets(cell, ty, key, i64::from(width))) {
                let fresh = self.fresh(width);
                self.cells.insert(key, Value::Number(fresh));
            }
        }
    }

    /// Whether a value of a type, and another that begins elsewhere, share a bit.
    fn meets(&self, cell: (usize, i64, u32), ty: TypeId, other: (usize, i64, u32), other_width: i64) -> bool {
        let width = match self.program.types.as_integer(ty) {
            Some(integer) => i64::from(integer.width),
            None => 8 * self.program.types.size(ty).unwrap_or(1) as i64,
        };
        let begin = |(_, offset, bit): (usize, i64, u32)| 8 * offset + i64::from(bit);
        let (first, second) = (begin(cell), begin(other));
        cell.0 == other.0 && first != second && first < second + other_width && second < first + width
    }

    /// Whether a value of this type would lie across others.
    fn overlaps(&self, cell: (usize, i64, u32), ty: TypeId) -> bool {
        self.cells.iter().any(|(&other, value)| {
            let width = match value {
                Value::Number(term) => i64::from(self.terms.width(*term)),
                Value::Pointer(_) => 64,
            };
            self.meets(cell, ty, other, width)
        })
    }
}
