//! Bytes that are moved or set by the library, where it is plain that they are objects of one type as a whole: scalar by scalar, as
//! assignments are, so that nobody has to go round a loop over bytes of something else.
//!
//! That is what the library does only if both sides are said to be of the same type and the size is that of one object, or of a whole
//! array. Bytes that are of no scalar (padding, floating-point numbers) are taken along by a [`StatementKind::Havoc`] whose value is the
//! other object: who executes the program copies them, and nobody else knows them. All else is left to the model of the procedure.

use lang_c::span::Span;

use super::{Lowered, Lowering, Value};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{StatementKind, VariableId};
use crate::c::types::{Rank, Type, TypeId};

/// More scalars than this are left to the models.
const MAX_COPIED_SCALARS: u64 = 64;

/// Says that two objects of so many bytes share none unless they are the same; undefined otherwise.
pub const APART: &str = "__apart";

/// What is done with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// The second argument says where they come from; objects that overlap are undefined.
    Copy,
    /// The same, and they may overlap.
    Move,
    /// The second argument is the byte.
    Set,
}

/// What a procedure does.
#[derive(Clone, Copy, Debug)]
struct Moves {
    work: Work,
    /// What it returns is where the bytes end.
    end: bool,
}

/// Whether a procedure of this name may call [`APART`].
pub fn is_copy(name: &str) -> bool {
    work(name).is_some_and(|moves| moves.work == Work::Copy)
}

/// What the procedure of a name does, if it is one of these.
fn work(name: &str) -> Option<Moves> {
    let (work, end) = match name.strip_prefix("__builtin_").unwrap_or(name) {
        "memcpy" | "__memcpy_chk" => (Work::Copy, false),
        "mempcpy" | "__mempcpy_chk" => (Work::Copy, true),
        "memmove" | "__memmove_chk" => (Work::Move, false),
        "memset" | "__memset_chk" => (Work::Set, false),
        _ => return None,
    };
    Some(Moves { work, end })
}

/// Objects of one type that are one after the other in memory.
struct Objects {
    /// Where the first is.
    pointer: ExpressionId,
    /// Each of them.
    each: Vec<LvalueId>,
    /// All of them, if that is an lvalue.
    whole: Option<LvalueId>,
    /// The variable that they are in, and at which byte, if that is known.
    place: Option<(VariableId, u64)>,
}

/// How two objects of one size lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// They share no byte.
    Apart,
    /// They may be the same, but share no bytes otherwise unless an access is invalid.
    ApartOrSame,
    /// They share some.
    Overlapping,
    /// Nothing is known.
    Anyhow,
}

impl Lowering<'_> {
    /// A call of a procedure of the library that moves bytes, if it can be written as assignments.
    pub fn moved_as_objects(&mut self, name: &str, given: &[ExpressionId], span: Span) -> Lowered<Option<Value>> {
        let (Some(moves), &[to, second, size, ..]) = (work(name), given) else { return Ok(None) };
        let room = given.get(3).map(|room| self.folded(*room));
        let Some(size) = self.folded(size).and_then(|size| u64::try_from(size).ok()) else { return Ok(None) };
        if self.in_model() || room.is_some_and(|room| room.is_none_or(|room| room < u128::from(size))) {
            return Ok(None);
        }
        let outer = std::mem::replace(&mut self.here, span);
        let done = self.at_once(|this| match moves.work {
            Work::Set => this.set_as_objects(to, second, size),
            _ => this.copied_as_objects(moves.work, to, second, size),
        });
        self.here = outer;
        let Some(to) = done? else { return Ok(None) };
        let to = if moves.end { self.ended(to, size) } else { to };
        Ok(Some(Value::Scalar(to)))
    }

    /// Where so many bytes from there end.
    fn ended(&mut self, pointer: ExpressionId, size: u64) -> ExpressionId {
        let (char, size_type) = (self.types.integer(Rank::Char, true), self.types.size_type());
        let to_char = self.types.pointer(char);
        let (from, size) = (self.repointed(pointer, to_char), self.constant(i128::from(size), size_type));
        self.offset(from, size)
    }

    /// So many bytes are copied; where they went, or nothing if that is to be left to the model.
    fn copied_as_objects(
        &mut self,
        work: Work,
        to: ExpressionId,
        from: ExpressionId,
        size: u64,
    ) -> Lowered<Option<ExpressionId>> {
        let Some((ty, count)) = self.common_type(&[to, from], size) else { return Ok(None) };
        let (Some(target), Some(source)) = (self.objects(to, ty, count)?, self.objects(from, ty, count)?) else {
            return Ok(None);
        };
        let lie = self.lie(target.place, source.place, size);
        if work == Work::Copy && lie == Lie::Overlapping {
            return Ok(None);
        }
        let Some(targets) = self.all_leaves(&target)? else { return Ok(None) };
        let complete = self.bits_of(&targets) == 8 * size;
        let whole = self.is_all(&target) && self.is_all(&source);
        if !complete && !whole || targets.iter().any(|to| self.is_stored_outside(*to)) {
            return Ok(None);
        }
        let target = self.kept_objects(target, ty, count)?;
        let source = self.kept_objects(source, ty, count)?;
        if work == Work::Copy && lie == Lie::Anyhow {
            let size_type = self.types.size_type();
            let size = self.constant(i128::from(size), size_type);
            self.model_called_with(APART, vec![target.pointer, source.pointer, size])?;
        }
        let (Some(targets), Some(sources)) = (self.all_leaves(&target)?, self.all_leaves(&source)?) else {
            return Err(super::Refused);
        };
        let mut values = Vec::with_capacity(sources.len());
        for from in sources {
            let value = self.read(from);
            values.push(if lie == Lie::Apart { value } else { self.saved(value)? });
        }
        if let Some((to, from)) = target.whole.zip(source.whole).filter(|_| !complete) {
            if values.is_empty() {
                self.accessed(from)?;
            }
            let reason = self.reason("padding or floating-point numbers in a copied object")?;
            let bytes = self.read(from);
            self.emit(StatementKind::Havoc(to, reason, Some(bytes)))?;
        }
        for (to, value) in targets.into_iter().zip(values) {
            self.emit(StatementKind::Assign(to, value))?;
        }
        Ok(Some(target.pointer))
    }

    /// So many bytes are set; where, or nothing if that is to be left to the model.
    fn set_as_objects(&mut self, to: ExpressionId, byte: ExpressionId, size: u64) -> Lowered<Option<ExpressionId>> {
        let Some(byte) = self.folded(byte).map(|bits| bits as u8) else { return Ok(None) };
        let Some((ty, count)) = self.common_type(&[to], size) else { return Ok(None) };
        let Some(target) = self.objects(to, ty, count)? else { return Ok(None) };
        let Some(targets) = self.all_leaves(&target)? else { return Ok(None) };
        let complete = self.bits_of(&targets) == 8 * size;
        let numbers = targets.iter().all(|to| self.types.as_integer(self.terms.at(*to).ty).is_some());
        if byte != 0 && !(complete && numbers)
            || !complete && !self.is_all(&target)
            || targets.iter().any(|to| self.is_stored_outside(*to))
        {
            return Ok(None);
        }
        let target = self.kept_objects(target, ty, count)?;
        if let Some(whole) = target.whole.filter(|_| !complete) {
            let ty = self.terms.at(whole).ty;
            let zero = self.terms.expression(ExpressionKind::Constant(0), ty);
            let reason = self.reason("padding or floating-point numbers in an object that is set to zero")?;
            self.emit(StatementKind::Havoc(whole, reason, Some(zero)))?;
        }
        for to in self.all_leaves(&target)?.ok_or(super::Refused)? {
            let value = self.of_bytes(byte, to);
            self.emit(StatementKind::Assign(to, value))?;
        }
        Ok(Some(target.pointer))
    }

    /// The value of a scalar all of whose bytes are this.
    fn of_bytes(&mut self, byte: u8, scalar: LvalueId) -> ExpressionId {
        let ty = self.terms.at(scalar).ty;
        let bits = u128::from_le_bytes([byte; 16]) >> self.bit_of(scalar).map_or(0, |bit| bit % 8);
        match self.types.as_integer(ty) {
            Some(integer) => self.constant((bits & integer.mask()) as i128, ty),
            None => self.constant(0, ty),
        }
    }

    /// The type of what pointers point to, if it is one and the same, and how many objects of it have so many bytes; arrays of fixed size are
    /// taken apart.
    fn common_type(&self, pointers: &[ExpressionId], size: u64) -> Option<(TypeId, u64)> {
        let types = pointers.iter().map(|pointer| {
            let mut ty = self.types.pointee(self.ty(self.unconverted(*pointer)))?;
            while let Type::Array(element, _) = self.types.get(ty)
                && self.types.size(ty) == Some(size)
            {
                ty = *element;
            }
            Some(ty)
        });
        let mut types = types.collect::<Option<Vec<TypeId>>>()?.into_iter();
        let ty = types.next()?;
        let one = self.types.size(ty).filter(|one| *one > 0)?;
        let fits = types.all(|other| other == ty) && size > 0 && size.is_multiple_of(one) && !self.types.varies(ty);
        let few = (size / one).saturating_mul(self.scalars(ty)) <= MAX_COPIED_SCALARS;
        (fits && few).then_some((ty, size / one))
    }

    /// A pointer before it was converted to other types of pointers.
    fn unconverted(&self, mut pointer: ExpressionId) -> ExpressionId {
        while let ExpressionKind::Convert(from) = self.terms.get(pointer).kind
            && self.types.pointee(self.ty(from)).is_some()
        {
            pointer = from;
        }
        pointer
    }

    /// So many objects of a type from a pointer on; nothing if it is plain that there are fewer.
    fn objects(&mut self, pointer: ExpressionId, ty: TypeId, count: u64) -> Lowered<Option<Objects>> {
        let mut inner = self.unconverted(pointer);
        while let ExpressionKind::AddressOf(l) = self.terms.get(inner).kind
            && let Type::Array(element, _) = *self.types.get(self.terms.at(l).ty)
            && self.terms.at(l).ty != ty
        {
            let first = self.element(l, element, 0);
            inner = self.address(first);
        }
        if let ExpressionKind::AddressOf(l) = self.terms.get(inner).kind
            && let Some(place) = self.place_in(l)
        {
            if count == 1 {
                return Ok(Some(Objects { pointer, each: vec![l], whole: Some(l), place: Some(place) }));
            }
            let LvalueKind::Element(array, index) = self.terms.at(l).kind else { return Ok(None) };
            let (Type::Array(_, length), Some(first)) = (self.types.get(self.terms.at(array).ty), self.number(index))
            else {
                return Ok(None);
            };
            let (first, length) = (first as u64, *length);
            if length - first < count {
                return Ok(None);
            }
            let each = (first..first + count).map(|at| self.element(array, ty, at)).collect();
            let whole = (first == 0 && length == count).then_some(array);
            return Ok(Some(Objects { pointer, each, whole, place: Some(place) }));
        }
        let to_one = self.types.pointer(ty);
        let inner = self.repointed(inner, to_one);
        Ok(Some(self.objects_at(inner, ty, count)))
    }

    /// So many objects of a type where a pointer to one of them leads.
    fn objects_at(&mut self, pointer: ExpressionId, ty: TypeId, count: u64) -> Objects {
        if count == 1 {
            let one = self.deref(pointer);
            return Objects { pointer, each: vec![one], whole: Some(one), place: None };
        }
        let array = self.types.intern(Type::Array(ty, count));
        let to_array = self.types.pointer(array);
        let to_array = self.repointed(pointer, to_array);
        let whole = self.deref(to_array);
        let each = (0..count).map(|at| self.element(whole, ty, at)).collect();
        Objects { pointer, each, whole: Some(whole), place: None }
    }

    /// The same objects, whatever is stored in between.
    fn kept_objects(&mut self, objects: Objects, ty: TypeId, count: u64) -> Lowered<Objects> {
        if objects.place.is_some() {
            return Ok(objects);
        }
        let pointer = self.saved(objects.pointer)?;
        Ok(self.objects_at(pointer, ty, count))
    }

    /// The variable that an lvalue is a part of, and the byte at which it begins, if nothing has to be evaluated to know that.
    fn place_in(&self, mut l: LvalueId) -> Option<(VariableId, u64)> {
        let mut at = 0u64;
        loop {
            match self.terms.at(l).kind {
                LvalueKind::Variable(id) => return Some((id, at)),
                LvalueKind::Field(of, index) => {
                    let record = self.types.as_record(self.terms.at(of).ty)?;
                    at += record.fields.get(index as usize)?.offset;
                    l = of;
                }
                LvalueKind::Element(of, index) => {
                    let index = self.number(index)?;
                    let Type::Array(element, length) = *self.types.get(self.terms.at(of).ty) else { return None };
                    let index = u64::try_from(index).ok().filter(|index| *index < length)?;
                    at += index * self.types.size(element)?;
                    l = of;
                }
                LvalueKind::Deref(_) => return None,
            }
        }
    }

    fn lie(&self, a: Option<(VariableId, u64)>, b: Option<(VariableId, u64)>, size: u64) -> Lie {
        let is_whole = |(id, _): (VariableId, u64)| self.types.size(self.variables[id.0 as usize].ty) == Some(size);
        match (a, b) {
            (Some((x, _)), Some((y, _))) if x != y => Lie::Apart,
            (Some((_, from)), Some((_, to))) if from == to => Lie::ApartOrSame,
            (Some((_, from)), Some((_, to))) if from.abs_diff(to) >= size => Lie::Apart,
            (Some(_), Some(_)) => Lie::Overlapping,
            (Some(place), None) | (None, Some(place)) if is_whole(place) => Lie::ApartOrSame,
            _ => Lie::Anyhow,
        }
    }

    /// Whether objects are one lvalue whose bytes can be taken along as they are.
    fn is_all(&self, objects: &Objects) -> bool {
        objects.whole.is_some_and(|whole| !self.types.is_scalar(self.terms.at(whole).ty))
    }

    /// The scalars of objects that are copied as what they are: not floating-point numbers, whose bytes may be no number, and not truths,
    /// whose bytes may be more than 0 and 1. Nothing where members overlap.
    fn all_leaves(&mut self, objects: &Objects) -> Lowered<Option<Vec<LvalueId>>> {
        let mut all = Vec::new();
        for object in &objects.each {
            let Some(leaves) = self.leaves(*object)? else { return Ok(None) };
            all.extend(leaves.into_iter().map(|(leaf, _)| leaf));
        }
        all.retain(|leaf| match self.types.get(self.terms.at(*leaf).ty) {
            Type::Integer(integer) => integer.rank != Rank::Bool || self.bit_of(*leaf).is_some(),
            Type::Pointer(_) => true,
            _ => false,
        });
        Ok(Some(all))
    }

    /// The bit at which a bit-field begins.
    fn bit_of(&self, l: LvalueId) -> Option<u32> {
        let LvalueKind::Field(of, index) = self.terms.at(l).kind else { return None };
        self.types.as_record(self.terms.at(of).ty)?.fields.get(index as usize)?.bit
    }

    /// How many bits scalars have together.
    fn bits_of(&self, scalars: &[LvalueId]) -> u64 {
        let bits = scalars.iter().map(|scalar| {
            let ty = self.terms.at(*scalar).ty;
            match (self.bit_of(*scalar), self.types.as_integer(ty)) {
                (Some(_), Some(integer)) => u64::from(integer.width),
                _ => 8 * self.types.size(ty).unwrap_or(0),
            }
        });
        bits.sum()
    }
}
