//! Structures, unions and enumerations (C11 §6.7.2): which members they have and which numbers.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::attributes::{Asked, Owner};
use super::levels::Levels;
use super::offsets::{Member, Shape, lay_out};
use super::scope::{Entity, Tag};
use super::{Lowered, Lowering, Value};
use crate::c::types::{Integer, Rank, Record, RecordId, Type, TypeId};

impl Lowering<'_> {
    /// The type that `struct` or `union` names, or defines.
    pub fn record(&mut self, node: &Node<ast::StructType>) -> Lowered<TypeId> {
        let union = node.node.kind.node == ast::StructKind::Union;
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        let id = match tag.and_then(|tag| self.tag(tag)) {
            Some((Tag::Record(id), innermost)) if innermost || node.node.declarations.is_none() => id,
            Some((Tag::Enumeration(_), true)) => {
                return Err(self.error("this tag is that of an enumeration", node.span));
            }
            _ => {
                let name = tag.map_or_else(|| format!(".{}", self.types.records.len()), str::to_owned);
                self.types.records.push(Record {
                    name: name.into(),
                    union,
                    fields: Vec::new(),
                    size: 0,
                    align: 1,
                    complete: false,
                });
                let id = RecordId(u32::try_from(self.types.records.len() - 1).expect("fewer than bytes of source"));
                if let Some(tag) = tag {
                    self.name_tag(tag, Tag::Record(id));
                }
                id
            }
        };
        if let Some(declarations) = &node.node.declarations {
            if self.types.records[id.0 as usize].complete {
                return Err(self.error("this structure is defined twice", node.span));
            }
            let asked = self.asked_of_list(node.span, Owner::Record)?;
            self.members(id, declarations, &asked, node.span)?;
        }
        Ok(self.types.intern(Type::Record(id)))
    }

    /// A value as a union, one of whose members has its type (GNU C): all other bytes are zero. Where unions are `transparent`, pointers
    /// are taken for members that are pointers. Nothing if there is no such member.
    pub fn as_union(&mut self, value: Value, ty: TypeId, transparent: bool, span: Span) -> Lowered<Option<Value>> {
        let Some(record) = self.types.as_record(ty).filter(|record| record.union) else { return Ok(None) };
        let members: Vec<TypeId> = record.fields.iter().map(|field| field.ty).collect();
        let (given, pointer) = match value {
            Value::Scalar(e) => (self.ty(e), self.types.pointee(self.ty(e)).is_some() || self.is_null(e)),
            Value::Record(l) => (self.terms.at(l).ty, false),
            Value::Opaque(ty) => (ty, false),
            Value::Void => return Ok(None),
        };
        let same = members.iter().position(|member| *member == given);
        let like = || members.iter().position(|member| self.types.pointee(*member).is_some());
        let Some(index) = same.or_else(|| if transparent && pointer { like() } else { None }) else { return Ok(None) };
        let own = self.intermediate(ty)?;
        self.zero(own)?;
        let member = self.field(own, index);
        self.store(member, value, span)?;
        Ok(Some(Value::Record(own)))
    }

    fn members(
        &mut self,
        id: RecordId,
        declarations: &[Node<ast::StructDeclaration>],
        asked: &Asked,
        span: Span,
    ) -> Lowered<()> {
        let (mut members, mut noted) = (Vec::new(), Vec::new());
        for declaration in declarations {
            match &declaration.node {
                ast::StructDeclaration::Field(field) => self.field_members(field, &mut members, &mut noted)?,
                ast::StructDeclaration::StaticAssert(assertion) => self.static_assert(assertion)?,
            }
        }
        let union = self.types.records[id.0 as usize].union;
        // What is valid at the closing brace counts.
        let limit = self.units[self.unit].prepared.packing.at(span.end.saturating_sub(1));
        let shape = Shape { union, packed: asked.packed, align: asked.align.unwrap_or(1), limit };
        let (fields, size, align) = lay_out(&mut self.types, members, shape);
        let record = &mut self.types.records[id.0 as usize];
        (record.fields, record.size, record.align, record.complete) = (fields, size, align, true);
        self.note_members(id, noted);
        Ok(())
    }

    /// The members that one declaration in a list declares.
    fn field_members<'d>(
        &mut self,
        field: &'d Node<ast::StructField>,
        members: &mut Vec<Member>,
        noted: &mut Vec<(&'d Node<ast::Declarator>, Levels)>,
    ) -> Lowered<()> {
        let (base, beside) = self.qualified(&field.node.specifiers, field.span)?;
        let levels = self.levels_within(&field.node.specifiers);
        let first = field.node.declarators.first().map(|first| first.span);
        if field.node.declarators.is_empty() && self.types.as_record(base).is_some() {
            let asked = self.asked_of_specifiers(field.span, None, Owner::Member)?;
            let member =
                Member { name: "".into(), ty: base, beside, bits: None, packed: asked.packed, align: asked.align };
            members.push(member);
        }
        for (index, node) in field.node.declarators.iter().enumerate() {
            let (name, ty) = match &node.node.declarator {
                None => (String::new(), base),
                Some(node) => {
                    let declared = self.declarator(node, base)?;
                    noted.push((node, levels.clone()));
                    (declared.name.map_or_else(String::new, |name| name.node.name.clone()), declared.ty)
                }
            };
            let beside = beside.filter(|_| self.is_of(ty, base));
            let shared = self.asked_of_specifiers(field.span, first, Owner::Member)?;
            let own = self.asked_of_declarator(node.node.declarator.as_ref(), node.span, index == 0, Owner::Member)?;
            let asked = shared.and(own);
            let ty = self.as_asked(ty, &asked)?;
            let bits = match &node.node.bit_width {
                None => None,
                Some(e) => Some(self.bit_width(e, ty)?),
            };
            if bits.is_none() && self.types.layout(ty).is_none() {
                let why = if self.types.varies(ty) { "a type whose size varies" } else { "an incomplete type" };
                let message = format!("the member `{}` has {why}", self.spelled(&name));
                return Err(self.error(message, node.span));
            }
            members.push(Member { name: name.into(), ty, beside, bits, packed: asked.packed, align: asked.align });
        }
        Ok(())
    }

    fn bit_width(&mut self, node: &Node<ast::Expression>, ty: TypeId) -> Lowered<u32> {
        let width = self.integer_constant(node)?;
        match (u32::try_from(width), self.types.as_integer(ty)) {
            (Ok(bits), Some(integer)) if bits <= integer.width => Ok(bits),
            _ => Err(self.error("no such bit-field is possible", node.span)),
        }
    }

    /// The type that `enum` names, or defines.
    pub fn enumeration(&mut self, node: &Node<ast::EnumType>) -> Lowered<TypeId> {
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        if node.node.enumerators.is_empty() {
            return match tag.and_then(|tag| self.tag(tag)) {
                Some((Tag::Enumeration(ty), _)) => Ok(ty),
                // Declared later: what compilers take for enumerations without negative constants.
                _ => Ok(self.types.integer(Rank::Int, false)),
            };
        }
        let mut next = 0i128;
        let mut numbers = Vec::new();
        let int = self.types.integer_of(Rank::Int, true);
        for enumerator in &node.node.enumerators {
            if let Some(e) = &enumerator.node.expression {
                next = self.integer_constant(e)?;
            }
            let ty = self.fitting(&[next], int);
            let ty = self.types.intern(Type::Integer(ty));
            self.name(&enumerator.node.identifier.node.name, Entity::Number(next, ty));
            numbers.push(next);
            next = next.saturating_add(1);
        }
        let asked = self.asked_of_list(node.span, Owner::Enumeration)?;
        let ty = self.enumerated(&numbers, asked.packed);
        let ty = self.types.intern(Type::Integer(ty));
        let ty = self.as_asked(ty, &asked)?;
        // Constants beyond `int` have the type of the enumeration.
        for (enumerator, number) in node.node.enumerators.iter().zip(numbers) {
            if !holds(int, number) {
                self.name(&enumerator.node.identifier.node.name, Entity::Number(number, ty));
            }
        }
        if let Some(tag) = tag {
            self.name_tag(tag, Tag::Enumeration(ty));
        }
        Ok(ty)
    }

    /// The type of an enumeration as gcc and clang choose it: unsigned unless a constant is negative, no narrower than
    /// `int` unless it is packed.
    fn enumerated(&self, numbers: &[i128], packed: bool) -> Integer {
        let signed = numbers.iter().any(|number| *number < 0);
        let ranks = [Rank::Char, Rank::Short, Rank::Int, Rank::Long, Rank::LongLong];
        let all = ranks.into_iter().skip(if packed { 0 } else { 2 }).map(|rank| self.types.integer_of(rank, signed));
        let mut fit = all.filter(|ty| numbers.iter().all(|number| holds(*ty, *number)));
        fit.next().unwrap_or_else(|| self.types.integer_of(Rank::LongLong, signed))
    }

    /// The first of the integer types from `int` on in which all numbers fit; the preferred one if it does.
    fn fitting(&self, numbers: &[i128], preferred: Integer) -> Integer {
        let int = [Rank::Int, Rank::Long, Rank::LongLong];
        let all = int.into_iter().flat_map(|rank| [true, false].map(|signed| self.types.integer_of(rank, signed)));
        let fits = |ty: &Integer| numbers.iter().all(|number| holds(*ty, *number));
        std::iter::once(preferred).chain(all).find(fits).unwrap_or(preferred)
    }
}

/// Whether a number is one of a type.
fn holds(ty: Integer, number: i128) -> bool {
    number >= ty.least() && number <= ty.number(ty.mask() >> u32::from(ty.signed))
}
