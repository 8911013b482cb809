//! Initialisers, and copies of structures: scalar by scalar (C11 §6.7.9).

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::designator::Parts;
use super::lanes::Kind;
use super::order::effects_of_items;
use super::unrepresented::FLOATING;
use super::zeros::MOST_ZEROS;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{ExpressionId, LvalueId, LvalueKind};
use crate::c::program::{StatementKind, Unrepresented};
use crate::c::types::{Type, TypeId};

/// Structures with more scalars than this are not copied one by one.
const MOST_SCALARS: usize = 1024;

/// The items of a list in braces that are not yet used up.
struct Items<'i> {
    list: &'i [Node<ast::InitializerListItem>],
    at: usize,
    /// The next item, if it was looked at.
    looked: Option<Looked>,
}

/// An item that was looked at, to know what it is for.
enum Looked {
    Value(Value),
    /// It is overridden.
    Nothing,
}

impl Lowering<'_> {
    /// The type of an object whose initialiser may say how long it is.
    pub fn initialised_type(&mut self, ty: TypeId, initializer: &Node<ast::Initializer>) -> Lowered<TypeId> {
        let Type::Array(element, 0) = *self.types.get(ty) else { return Ok(ty) };
        let length = match &initializer.node {
            ast::Initializer::Expression(e) => match text_of(e) {
                Some(parts) => self.string(parts, e.span)?.0.len() as u64,
                None => return Err(self.error("an array is initialised by a list in braces", e.span)),
            },
            ast::Initializer::List(items) => match &items[..] {
                [item]
                    if let Some(parts) = item_text(item)
                        && self.types.as_integer(element).is_some() =>
                {
                    self.string(parts, item.span)?.0.len() as u64
                }
                _ => self.list_length(element, items)?,
            },
        };
        Ok(self.types.intern(Type::Array(element, length)))
    }

    /// Whether an initialiser without braces is for an element as a whole: a string, a structure.
    pub fn is_whole(&mut self, initializer: &Node<ast::Initializer>, element: TypeId) -> bool {
        let ast::Initializer::Expression(e) = &initializer.node else { return true };
        match *self.types.get(element) {
            Type::Array(of, _) => text_of(e).is_some() && self.types.as_integer(of).is_some(),
            Type::Record(_) => self.type_of(e).is_ok_and(|ty| ty == element),
            _ => true,
        }
    }

    /// How many scalars an object has (of a union: the first member).
    pub fn scalars(&self, ty: TypeId) -> u64 {
        let (mut count, mut times) = (0u64, 1u64);
        let mut open = vec![(ty, 1u64)];
        while let Some((ty, factor)) = open.pop() {
            times = times.max(factor);
            match self.types.get(ty) {
                Type::Array(element, length) => open.push((*element, factor.saturating_mul(*length))),
                Type::Record(record) => {
                    let record = &self.types.records[record.0 as usize];
                    let members = if record.union { 1 } else { record.fields.len() };
                    open.extend(record.fields.iter().take(members).map(|field| (field.ty, factor)));
                }
                _ => count = count.saturating_add(factor),
            }
        }
        count
    }

    /// Gives an object its first value.
    pub fn initialise(&mut self, target: LvalueId, initializer: &Node<ast::Initializer>) -> Lowered<()> {
        let ty = self.terms.at(target).ty;
        match &initializer.node {
            ast::Initializer::Expression(e) if self.is_overridden(e)? => Ok(()),
            ast::Initializer::Expression(e) => {
                self.item_begins(e.span)?;
                if self.body.is_some() {
                    self.warn_of_order(e);
                }
                if let (Some(parts), Type::Array(..)) = (text_of(e), self.types.get(ty)) {
                    return self.initialise_text(target, parts, e.span);
                }
                if let (true, Some(to)) = (self.body.is_some() && self.types.is_scalar(ty), self.direct(e)) {
                    return self.call_into(to, target);
                }
                if self.is_zero_already(target, e) {
                    return Ok(());
                }
                let allocated = if self.body.is_some() { self.allocation(e, ty)? } else { None };
                let value = match allocated {
                    Some(site) => Value::Scalar(site),
                    None => self.value(e)?,
                };
                self.store(target, value, e.span)
            }
            ast::Initializer::List(items) => {
                self.note_overridden(ty, items)?;
                if self.body.is_some() && !self.is_complete(ty, items) {
                    self.zero(target)?;
                }
                self.unordered_list(target, initializer, |this| this.initialise_list(target, items, initializer.span))
            }
        }
    }

    /// Whether a list has a plain item for each scalar. The bytes of a union beyond its first member are set to zero, as gcc does.
    fn is_complete(&self, ty: TypeId, items: &[Node<ast::InitializerListItem>]) -> bool {
        let plain = items.iter().all(|item| {
            let expression = matches!(item.node.initializer.node, ast::Initializer::Expression(_));
            item.node.designation.is_empty() && expression && item_text(item).is_none()
        });
        plain && items.len() as u64 >= self.scalars(ty) && !self.has_longer_members(ty)
    }

    /// Whether the first member of a union in a type is not all of it.
    fn has_longer_members(&self, ty: TypeId) -> bool {
        self.types.has_part(ty, |part| {
            self.types.as_record(part).is_some_and(|record| {
                let first = record.fields.first().and_then(|field| self.types.size(field.ty)).unwrap_or(0);
                record.union && first < record.size
            })
        })
    }

    fn initialise_text(&mut self, target: LvalueId, parts: &[String], span: Span) -> Lowered<()> {
        let (units, _) = self.string(parts, span)?;
        let Type::Array(element, length) = *self.types.get(self.terms.at(target).ty) else { return Ok(()) };
        let count = if length == 0 { units.len() as u64 } else { length };
        if self.body.is_none() && self.types.is_scalar(element) {
            // Zeros are there already.
            for (index, unit) in (0..count).zip(units).filter(|(_, unit)| *unit != 0) {
                self.store_unit(target, element, index, unit)?;
            }
            return Ok(());
        }
        let padded = units.iter().copied().chain(std::iter::repeat(0));
        if count > MOST_ZEROS * 4 {
            self.zero(target)?;
            for (index, unit) in (0..count).zip(units) {
                self.store_unit(target, element, index, unit)?;
            }
            return Ok(());
        }
        for (index, unit) in (0..count).zip(padded) {
            self.store_unit(target, element, index, unit)?;
        }
        Ok(())
    }

    fn store_unit(&mut self, array: LvalueId, element: TypeId, index: u64, unit: u64) -> Lowered<()> {
        let to = self.element(array, element, index);
        let value = self.constant(i128::from(unit), element);
        self.assign(to, value)
    }

    /// `a[i]`
    pub fn element(&mut self, array: LvalueId, element: TypeId, index: u64) -> LvalueId {
        let index = self.int_constant(i128::from(index));
        self.terms.lvalue(LvalueKind::Element(array, index), element)
    }

    /// `l.f`
    pub fn field(&mut self, record: LvalueId, index: usize) -> LvalueId {
        let ty = match self.types.as_record(self.terms.at(record).ty) {
            Some(known) => known.fields[index].ty,
            None => self.types.int(),
        };
        self.terms.lvalue(LvalueKind::Field(record, u32::try_from(index).unwrap_or(u32::MAX)), ty)
    }

    fn initialise_list(
        &mut self,
        target: LvalueId,
        items: &[Node<ast::InitializerListItem>],
        span: Span,
    ) -> Lowered<()> {
        let ty = self.terms.at(target).ty;
        let complex = self.several(ty).is_some_and(|shape| shape.kind == Kind::Complex);
        match (self.types.get(ty).clone(), items) {
            (Type::Array(..), [item]) if item_text(item).is_some() && self.is_text(ty) => {
                self.initialise_text(target, item_text(item).unwrap_or(&[]), item.span)
            }
            (Type::Array(..) | Type::Record(_), _) if !complex => {
                let mut items = Items { list: items, at: 0, looked: None };
                self.fill(target, &mut items, true, false)?;
                match items.list.get(items.at) {
                    Some(item) => Err(self.error("there is nothing left to initialise with this", item.span)),
                    None => Ok(()),
                }
            }
            (_, [item]) => self.initialise(target, &item.node.initializer),
            (_, []) => {
                let zero = Value::Scalar(self.int_constant(0));
                self.store(target, zero, span)
            }
            _ => Err(self.error("a scalar has one initialiser", span)),
        }
    }

    /// Whether a type is an array of characters.
    fn is_text(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Array(element, _) if self.types.as_integer(*element).is_some())
    }

    /// Uses up items for the parts of an array or a record, in order; `braces` tells whether the items are its own, `again` whether an
    /// earlier item was for some of it.
    fn fill(&mut self, target: LvalueId, items: &mut Items<'_>, braces: bool, again: bool) -> Lowered<()> {
        let ty = self.terms.at(target).ty;
        let union = self.types.as_record(ty).is_some_and(|record| record.union);
        // Parts before `most` may have a value.
        let (mut index, mut most) = (0, 0);
        while let Some(item) = items.list.get(items.at) {
            let designation = &item.node.designation;
            if !designation.is_empty() && items.looked.is_none() {
                if !braces {
                    return Ok(());
                }
                let levels = self.designated_by(ty, item)?;
                let Some((parts, rest)) = levels.split_first() else { return Err(super::Refused) };
                let again = parts.from < most || union && items.at > 0;
                self.designate_each(target, *parts, rest, items, again)?;
                items.at += 1;
                let last = self.part(target, ty, parts.to);
                self.fill_after(last, rest, items)?;
                index = parts.to + 1;
                most = most.max(index);
                continue;
            }
            // An unnamed bit-field or what is beyond the end: not ours.
            if index >= self.parts(ty) {
                return Ok(());
            }
            let part = self.part(target, ty, index);
            self.fill_part(part, items, again || index < most)?;
            index += 1;
            most = most.max(index);
        }
        Ok(())
    }

    /// Items without designators go on after a designated part, in what it is a part of (§6.7.9 p17).
    fn fill_after(&mut self, whole: LvalueId, levels: &[Parts], items: &mut Items<'_>) -> Lowered<()> {
        let Some((parts, rest)) = levels.split_first() else { return Ok(()) };
        let ty = self.terms.at(whole).ty;
        let last = self.part(whole, ty, parts.to);
        self.fill_after(last, rest, items)?;
        for index in parts.to + 1..self.parts(ty) {
            if items.list.get(items.at).is_none_or(|item| !item.node.designation.is_empty()) {
                return Ok(());
            }
            let part = self.part(whole, ty, index);
            self.fill_part(part, items, true)?;
        }
        Ok(())
    }

    /// A part of an array or record by its number.
    fn part(&mut self, whole: LvalueId, ty: TypeId, index: u64) -> LvalueId {
        match *self.types.get(ty) {
            Type::Array(element, _) => self.element(whole, element, index),
            _ => self.field(whole, usize::try_from(index).unwrap_or(usize::MAX)),
        }
    }

    /// What a list in braces, or a text, does not mention of a part that has a value already is zero (§6.7.9 p19).
    fn forget(&mut self, part: LvalueId, initializer: &Node<ast::Initializer>, again: bool) -> Lowered<()> {
        let whole = match &initializer.node {
            ast::Initializer::List(_) => true,
            ast::Initializer::Expression(e) => text_of(e).is_some() && self.is_text(self.terms.at(part).ty),
        };
        if again && whole { self.zero(part) } else { Ok(()) }
    }

    fn fill_part(&mut self, part: LvalueId, items: &mut Items<'_>, again: bool) -> Lowered<()> {
        let ty = self.terms.at(part).ty;
        let item = &items.list[items.at];
        self.forget(part, &item.node.initializer, again)?;
        let e = match &item.node.initializer.node {
            ast::Initializer::List(inner) => {
                items.at += 1;
                return self.initialise_list(part, inner, item.span);
            }
            ast::Initializer::Expression(e) => e,
        };
        let complex = self.several(ty).is_some_and(|shape| shape.kind == Kind::Complex);
        let aggregate = !complex && matches!(self.types.get(ty), Type::Array(..) | Type::Record(_));
        if matches!(items.looked, Some(Looked::Nothing)) || self.is_overridden(e)? {
            if aggregate && !self.is_whole(&item.node.initializer, ty) {
                items.looked = Some(Looked::Nothing);
                return self.fill(part, items, false, again);
            }
            items.at += 1;
            items.looked = None;
            return Ok(());
        }
        if items.looked.is_none() {
            self.item_begins(e.span)?;
        }
        if let (Some(parts), true) = (text_of(e), self.is_text(ty)) {
            items.at += 1;
            items.looked = None;
            return self.initialise_text(part, parts, e.span);
        }
        let value = match items.looked.take() {
            Some(Looked::Value(value)) => value,
            Some(Looked::Nothing) => return Err(super::Refused),
            None if !again && self.is_zero_already(part, e) => {
                items.at += 1;
                return Ok(());
            }
            None => self.value(e)?,
        };
        if aggregate && !matches!(value, Value::Record(_)) {
            items.looked = Some(Looked::Value(value));
            return self.fill(part, items, false, again);
        }
        items.at += 1;
        self.store(part, value, e.span)
    }

    /// Initialises a designated part by the next item.
    fn designate(&mut self, target: LvalueId, levels: &[Parts], items: &Items<'_>, again: bool) -> Lowered<()> {
        if let Some((parts, rest)) = levels.split_first() {
            return self.designate_each(target, *parts, rest, items, again);
        }
        let initializer = &items.list[items.at].node.initializer;
        self.forget(target, initializer, again)?;
        match &initializer.node {
            ast::Initializer::List(inner) => self.initialise_list(target, inner, initializer.span),
            ast::Initializer::Expression(e) if again && self.is_zero_already(target, e) => {
                self.zero_unrepresented(target)
            }
            ast::Initializer::Expression(_) => self.initialise(target, initializer),
        }
    }

    /// The same for each of some parts. Where that has side effects it is evaluated once, as GNU C has it, and the others are copies.
    fn designate_each(
        &mut self,
        whole: LvalueId,
        parts: Parts,
        rest: &[Parts],
        items: &Items<'_>,
        again: bool,
    ) -> Lowered<()> {
        let ty = self.terms.at(whole).ty;
        let first = self.part(whole, ty, parts.from);
        self.designate(first, rest, items, again)?;
        let once = self.body.is_some() && !effects_of_items(&items.list[items.at..=items.at]).none();
        for at in parts.from + 1..=parts.to {
            let part = self.part(whole, ty, at);
            if once {
                self.repeat(part, first, rest)?;
            } else {
                self.designate(part, rest, items, again)?;
            }
        }
        Ok(())
    }

    /// Copies what was designated in one object to the same place in another.
    fn repeat(&mut self, to: LvalueId, from: LvalueId, levels: &[Parts]) -> Lowered<()> {
        let Some((parts, rest)) = levels.split_first() else { return self.copy(to, from) };
        let ty = self.terms.at(to).ty;
        for at in parts.from..=parts.to {
            let (to, from) = (self.part(to, ty, at), self.part(from, ty, at));
            self.repeat(to, from, rest)?;
        }
        Ok(())
    }

    /// The scalars of an object with the paths that lead to them; `None` if they are too many, or members overlap.
    pub fn leaves(&mut self, target: LvalueId) -> Lowered<Option<Vec<(LvalueId, String)>>> {
        let mut leaves = Vec::new();
        let mut open = vec![(target, String::new())];
        while let Some((part, path)) = open.pop() {
            if leaves.len() + open.len() > MOST_SCALARS {
                return Ok(None);
            }
            let ty = self.terms.at(part).ty;
            match self.types.get(ty).clone() {
                Type::Array(_, length) if length > MOST_SCALARS as u64 => return Ok(None),
                Type::Array(element, length) => {
                    let elements =
                        (0..length).rev().map(|at| (self.element(part, element, at), format!("{path}[{at}]")));
                    open.extend(elements.collect::<Vec<_>>());
                }
                Type::Record(record) => {
                    let record = &self.types.records[record.0 as usize];
                    let members: Vec<(Box<str>, TypeId)> =
                        record.fields.iter().map(|field| (field.name.clone(), field.ty)).collect();
                    let one_type = members.windows(2).all(|two| two[0].1 == two[1].1);
                    if record.union && !(one_type && members.iter().all(|(_, ty)| self.types.is_scalar(*ty))) {
                        return Ok(None);
                    }
                    let count = if record.union { members.len().min(1) } else { members.len() };
                    for (index, (name, _)) in members.iter().enumerate().take(count).rev() {
                        open.push((self.field(part, index), format!("{path}.{name}")));
                    }
                }
                Type::Integer(_) | Type::Pointer(_) | Type::Float(_) => leaves.push((part, path)),
                _ => {}
            }
        }
        Ok(Some(leaves))
    }

    /// `to = from` for structures.
    pub fn copy(&mut self, to: LvalueId, from: LvalueId) -> Lowered<()> {
        let (targets, sources) = (self.leaves(to)?, self.leaves(from)?);
        if sources.as_ref().is_none_or(Vec::is_empty) {
            self.accessed(from)?;
        }
        let (Some(targets), Some(sources)) = (targets, sources) else {
            let reason = self.reason("a copied structure with overlapping or very many members")?;
            let whole = self.read(from);
            return self.emit(StatementKind::Havoc(to, reason, Some(whole)));
        };
        for ((to, _), (from, _)) in targets.into_iter().zip(sources) {
            let value = self.current(from)?;
            self.assign(to, value)?;
        }
        self.store_unknown_parts(to)
    }

    /// `l = v` for a value of any type.
    pub fn store(&mut self, to: LvalueId, value: Value, span: Span) -> Lowered<()> {
        let ty = self.terms.at(to).ty;
        self.here = span;
        if self.several(ty).is_some() {
            return self.store_lanes(to, value, span);
        }
        let value = self.fitted(value, ty, span)?;
        match (self.types.get(ty).clone(), value) {
            (Type::Integer(_) | Type::Pointer(_) | Type::Float(_), Value::Scalar(e)) => {
                let e = self.convert(e, ty)?;
                self.assign(to, e)
            }
            (Type::Integer(_) | Type::Pointer(_) | Type::Float(_), Value::Opaque(_))
            | (Type::Opaque(_), Value::Scalar(_) | Value::Opaque(_)) => {
                self.dropped(value)?;
                self.store_unknown(to, FLOATING)
            }
            (Type::Record(a), Value::Record(from)) => match *self.types.get(self.terms.at(from).ty) {
                Type::Record(b) if a == b => self.copy(to, from),
                _ => Err(self.error("these structures have different types", span)),
            },
            (_, Value::Void) => Err(self.error("this has no value", span)),
            _ => {
                let message = format!("this cannot be assigned to an object of type `{}`", self.types.name(ty));
                Err(self.error(message, span))
            }
        }
    }

    /// `l = e` for scalars of one type: a statement, or outside of procedures part of the start.
    pub fn assign(&mut self, to: LvalueId, e: ExpressionId) -> Lowered<()> {
        if self.is_stored_outside(to) {
            return self.stored_outside(to, e);
        }
        if self.body.is_none() && self.is_numbered(e) {
            let reason = self.reason("an address that is a number")?;
            // What was said before of other members in these bytes is said at another place.
            let exact = (!self.is_in_union(to)).then_some(e);
            self.unrepresented.retain(|one| one.to != to);
            self.unrepresented.push(Unrepresented { to, reason, exact, unseen: false });
            return Ok(());
        }
        match &mut self.body {
            Some(body) => body.emit(StatementKind::Assign(to, e)),
            None => {
                self.unrepresented.retain(|one| one.to != to);
                self.initial.push((to, e));
            }
        }
        Ok(())
    }
}

/// The parts of a string literal.
pub fn text_of(e: &Node<ast::Expression>) -> Option<&[String]> {
    match &e.node {
        ast::Expression::StringLiteral(literal) => Some(&literal.node),
        _ => None,
    }
}

fn item_text(item: &Node<ast::InitializerListItem>) -> Option<&[String]> {
    match &item.node.initializer.node {
        ast::Initializer::Expression(e) if item.node.designation.is_empty() => text_of(e),
        _ => None,
    }
}
