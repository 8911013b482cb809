//! Expressions and places as terms: what an expression is worth where a trace is, and which cells an lvalue may designate, each with its condition.

use std::collections::HashMap;

use super::super::lost::{Lost, Part, Use};
use super::{Done, Places, Symbolic, Target, Value};
use crate::bitvec::Term;
use crate::c::expression::{self as c, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::VariableId;
use crate::c::types::{Type, TypeId};

/// The greatest number of elements of an array among which an index that is not known chooses.
const MAX_INDEXED_ELEMENTS: u64 = 64;

impl Symbolic<'_> {
    pub(super) fn places(&mut self, lvalue: LvalueId) -> Done<Places> {
        let mut places: HashMap<LvalueId, Places> = HashMap::new();
        self.walk(c::Term::Lvalue(lvalue), &mut HashMap::new(), &mut places)?;
        places.remove(&lvalue).ok_or(Lost::Missing(Part::Place))
    }

    pub(super) fn walk(
        &mut self,
        root: c::Term,
        known: &mut HashMap<ExpressionId, Value>,
        places: &mut HashMap<LvalueId, Places>,
    ) -> Done<()> {
        for term in self.program.terms.postorder(root) {
            match term {
                c::Term::Expression(id) => {
                    let value = self.computed(id, known, places)?;
                    known.insert(id, value);
                }
                c::Term::Lvalue(id) => {
                    let place = self.designated(id, known, places)?;
                    places.insert(id, place);
                }
            }
        }
        Ok(())
    }

    fn computed(
        &mut self,
        id: ExpressionId,
        known: &HashMap<ExpressionId, Value>,
        places: &HashMap<LvalueId, Places>,
    ) -> Done<Value> {
        let program = self.program;
        let c::Expression { kind, ty } = program.terms.get(id);
        let of = |id: &ExpressionId| known.get(id).cloned().ok_or(Lost::Missing(Part::Value));
        let at = |id: &LvalueId| places.get(id).cloned().ok_or(Lost::Missing(Part::Place));
        match kind {
            ExpressionKind::Constant(_) if program.types.pointee(*ty).is_some() => {
                let always = self.terms.truth(true);
                Ok(Value::Pointer(vec![(always, Target::Null)]))
            }
            ExpressionKind::Constant(bits) => {
                let width = self.width(*ty)?;
                Ok(Value::Number(self.terms.constant(*bits, width)))
            }
            ExpressionKind::Read(lvalue) => {
                let places = at(lvalue)?;
                self.read(&places, *ty)
            }
            ExpressionKind::AddressOf(lvalue) => {
                let list =
                    at(lvalue)?.into_iter().map(|(term, (object, offset, _))| (term, Target::Object(object, offset)));
                Ok(Value::Pointer(list.collect()))
            }
            ExpressionKind::Procedure(procedure) => {
                let always = self.terms.truth(true);
                Ok(Value::Pointer(vec![(always, Target::Procedure(*procedure))]))
            }
            ExpressionKind::Unary(operator, a) => {
                let value = of(a)?;
                self.unary(*operator, &value, *ty)
            }
            ExpressionKind::Binary(operator, a, b) => {
                let signed = program.types.as_integer(program.terms.get(*a).ty).is_some_and(|integer| integer.signed);
                let amount_signed =
                    program.types.as_integer(program.terms.get(*b).ty).is_some_and(|integer| integer.signed);
                let (a, b) = (of(a)?, of(b)?);
                self.binary(*operator, &a, &b, (signed, amount_signed), *ty)
            }
            ExpressionKind::Convert(a) => {
                let (value, from) = (of(a)?, program.terms.get(*a).ty);
                self.converted(value, from, *ty)
            }
            ExpressionKind::Offset(pointer, index) => {
                let size = program.types.pointee(*ty).and_then(|to| program.types.size(to)).unwrap_or(1);
                let distance = self.distance(&of(index)?, program.terms.get(*index).ty, size)?;
                moved(of(pointer)?, distance)
            }
            _ => Err(Lost::Pointer(Use::Distance)),
        }
    }

    /// How far into an array of so many elements an index leads, in bytes: each with its condition.
    fn indices(&mut self, index: &Value, ty: TypeId, size: u64, length: u64) -> Done<Vec<(Term, i64)>> {
        let number = match index {
            Value::Number(term)
                if self.terms.as_constant(*term).is_none() && (1..=MAX_INDEXED_ELEMENTS).contains(&length) =>
            {
                *term
            }
            _ => return Ok(vec![(self.terms.truth(true), self.distance(index, ty, size)?)]),
        };
        let width = self.terms.width(number);
        let mut all = Vec::new();
        for at in 0..length {
            let constant = self.terms.constant(u128::from(at), width);
            all.push((self.terms.eq(number, constant), i64::try_from(at * size).unwrap_or(i64::MAX)));
        }
        let terms: Vec<Term> = all.iter().map(|&(term, _)| term).collect();
        let valid = self.terms.any(&terms);
        self.conditions.push(valid);
        Ok(all)
    }

    /// So many elements in bytes, if that is known.
    fn distance(&mut self, index: &Value, ty: TypeId, size: u64) -> Done<i64> {
        let Value::Number(index) = index else { return Err(Lost::Pointer(Use::Operand)) };
        let known = self.terms.as_constant(*index).zip(self.program.types.as_integer(ty));
        let (bits, integer) = known.ok_or(Lost::Index)?;
        let number = i64::try_from(integer.number(bits)).ok();
        let bytes = number.and_then(|number| number.checked_mul(i64::try_from(size).ok()?));
        bytes.ok_or(Lost::LargeIndex)
    }

    pub(super) fn variable(&self, id: VariableId) -> Done<usize> {
        let own = self.frames.last().and_then(|frame| frame.objects.get(&id));
        own.or_else(|| self.globals.get(&id)).copied().ok_or(Lost::Missing(Part::Variable))
    }

    fn designated(
        &mut self,
        id: LvalueId,
        known: &HashMap<ExpressionId, Value>,
        places: &HashMap<LvalueId, Places>,
    ) -> Done<Places> {
        let program = self.program;
        let inner = |id: &LvalueId| places.get(id).cloned().ok_or(Lost::Missing(Part::Place));
        match &program.terms.at(id).kind {
            LvalueKind::Variable(variable) => {
                let object = self.variable(*variable)?;
                Ok(vec![(self.terms.truth(true), (object, 0, 0))])
            }
            LvalueKind::Deref(pointer) => {
                let Some(Value::Pointer(list)) = known.get(pointer) else {
                    return Err(Lost::Number(Use::Followed));
                };
                if self.strict && list.iter().any(|&(_, target)| target == Target::Arbitrary) {
                    return Err(Lost::ArbitraryPointer);
                }
                let mut there = Vec::new();
                for &(term, target) in list {
                    if let Target::Object(object, offset) = target {
                        there.push((term, (object, offset, 0)));
                    }
                }
                let terms: Vec<Term> = there.iter().map(|&(term, _)| term).collect();
                let valid = self.terms.any(&terms);
                self.conditions.push(valid);
                self.nowhere |= there.is_empty() && list.iter().all(|&(_, target)| target != Target::Arbitrary);
                Ok(there)
            }
            LvalueKind::Field(of, field) => {
                let record = program.types.as_record(program.terms.at(*of).ty);
                let field = record.and_then(|record| record.fields.get(*field as usize));
                let field = field.ok_or(Lost::Missing(Part::Member))?;
                let (further, bit) = (field.offset as i64, field.bit.unwrap_or(0));
                Ok(inner(of)?
                    .into_iter()
                    .map(|(term, (object, offset, _))| (term, (object, offset + further, bit)))
                    .collect())
            }
            LvalueKind::Element(of, index) => {
                let size = program.types.size(program.terms.at(id).ty).unwrap_or(1);
                let value = known.get(index).cloned().ok_or(Lost::Missing(Part::Value))?;
                let length = match program.types.get(program.terms.at(*of).ty) {
                    Type::Array(_, length) => *length,
                    _ => 0,
                };
                let mut there = Vec::new();
                for (chosen, further) in self.indices(&value, program.terms.get(*index).ty, size, length)? {
                    for (term, (object, offset, _)) in inner(of)? {
                        there.push((self.terms.and(chosen, term), (object, offset + further, 0)));
                    }
                }
                Ok(there)
            }
        }
    }
}

/// A pointer that is moved by so many bytes.
fn moved(pointer: Value, distance: i64) -> Done<Value> {
    let Value::Pointer(list) = pointer else { return Err(Lost::Number(Use::Operand)) };
    let further = |(term, target)| match target {
        Target::Object(object, offset) => (term, Target::Object(object, offset + distance)),
        other => (term, other),
    };
    Ok(Value::Pointer(list.into_iter().map(further).collect()))
}
