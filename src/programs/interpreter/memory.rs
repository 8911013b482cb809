//! Memory: objects of bytes, each of which is a number, a part of a pointer, arbitrary, or unknown.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::chunk::Plain;
use super::object::{Object, PAGE};
use super::{Doubt, End, Fault, Pointer, Value};

pub use super::chunk::Byte;
pub use super::object::Origin;

/// All objects that live.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The first ones, as they are wherever these are from, but for those that are among the others.
    first: Rc<Vec<Object>>,
    objects: FxHashMap<u64, Object>,
    /// Those that were freed.
    freed: FxHashSet<u64>,
    made: u64,
    /// Bytes of the machine that are taken, about.
    used: u64,
    /// More than this are not to be.
    most: u64,
}

/// Larger objects than this exist on no machine.
const MAX_OBJECT_BYTES: u64 = 1 << 47;

/// Bytes of the machine that an object takes beside its own, while the table of objects grows, too.
const ENTRY: u64 = 256;

/// So many bytes are filled or copied before it is looked at what they take.
const BLOCK: u64 = 1 << 16;

/// Why bytes are not read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// That is undefined.
    Fault(Fault),
    /// It would take more memory than is granted.
    Memory,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Fault(fault)
    }
}

impl Memory {
    /// No object, and so much room on the machine.
    pub fn new(most: u64) -> Memory {
        Memory {
            first: Rc::default(),
            objects: FxHashMap::default(),
            freed: FxHashSet::default(),
            made: 0,
            used: 0,
            most,
        }
    }

    /// The same, of which copies cost little, and so does what is not written in them. Linear, if no object has ended.
    pub fn shared(mut self) -> Memory {
        if self.first.is_empty() && self.objects.len() as u64 == self.made {
            let objects = std::mem::take(&mut self.objects);
            let mut objects: Vec<(u64, Object)> = objects.into_iter().collect();
            objects.sort_unstable_by_key(|(number, _)| *number);
            self.first = Rc::new(objects.into_iter().map(|(_, object)| object).collect());
        }
        self
    }

    /// A copy that may take so much room on the machine.
    pub fn with_room(&self, most: u64) -> Memory {
        Memory { most, ..self.clone() }
    }

    /// The first object that has this number, if there are such.
    fn original(&self, object: u64) -> Option<&Object> {
        self.first.get(usize::try_from(object.checked_sub(1)?).ok()?)
    }

    fn object_mut(&mut self, object: u64) -> Option<&mut Object> {
        if !self.first.is_empty() && !self.objects.contains_key(&object) {
            let original = self.original(object)?.clone();
            self.objects.insert(object, original);
        }
        self.objects.get_mut(&object)
    }

    /// Something beside objects takes so many bytes of the machine.
    pub fn claim(&mut self, bytes: u64) {
        self.used = self.used.saturating_add(bytes);
    }

    /// It does not any more.
    pub fn release(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
    }

    /// Whether more is taken than is granted.
    pub fn is_full(&self) -> bool {
        self.used > self.most
    }

    /// A new object; its number.
    pub fn make(&mut self, size: u64, fill: Byte, origin: Origin) -> Result<u64, End> {
        self.claim(ENTRY);
        if size > MAX_OBJECT_BYTES || self.is_full() {
            return Err(End::Unknown(Doubt::Memory));
        }
        self.made += 1;
        let fill = Plain::of(fill).unwrap_or(Plain::Unknown);
        self.objects.insert(self.made, Object::new(size, fill, origin));
        Ok(self.made)
    }

    /// An object is no more.
    pub fn end(&mut self, object: u64) {
        if self.original(object).is_some() {
            // Those that others have share nothing any more.
            for (number, original) in (1..).zip(std::mem::take(&mut self.first).iter()) {
                self.objects.entry(number).or_insert_with(|| original.clone());
            }
        }
        if let Some(gone) = self.objects.remove(&object) {
            self.release(gone.room() + ENTRY);
            // Nothing else ends what was allocated.
            if gone.origin == Origin::Allocated {
                self.freed.insert(object);
            }
        }
    }

    /// All bytes of an object become this.
    pub fn fill(&mut self, object: u64, fill: Byte) {
        if let Some(found) = self.object_mut(object) {
            let grown = found.fill(0, found.size(), Plain::of(fill).unwrap_or(Plain::Unknown));
            self.used = self.used.saturating_add_signed(grown);
        }
    }

    /// A local is declared: all of it is arbitrary, in this life of it.
    pub fn declare(&mut self, object: u64, life: u32) {
        self.fill(object, Byte::Arbitrary);
        if let Some(found) = self.object_mut(object) {
            found.life = life;
        }
    }

    /// An object; none if it is no more.
    pub fn object(&self, object: u64) -> Option<&Object> {
        self.objects.get(&object).or_else(|| self.original(object))
    }

    /// Whether a pointer leads into an object that was freed.
    pub fn is_freed(&self, pointer: Pointer) -> bool {
        matches!(pointer, Pointer::Object { object, .. } if self.freed.contains(&object))
    }

    /// All objects that were allocated.
    pub fn allocated(&self) -> impl Iterator<Item = u64> {
        let first = (1..).zip(self.first.iter()).filter(|(number, _)| !self.objects.contains_key(number));
        let others = self.objects.iter().map(|(number, object)| (*number, object));
        first.chain(others).filter(|(_, object)| object.origin == Origin::Allocated).map(|(number, _)| number)
    }

    /// `free`
    pub fn free(&mut self, pointer: Pointer) -> Result<(), Fault> {
        match pointer {
            Pointer::NULL => Ok(()),
            Pointer::Object { object, offset: 0 } => match self.object(object) {
                Some(Object { origin: Origin::Allocated, .. }) => {
                    self.end(object);
                    Ok(())
                }
                None => Err(Fault::Dead),
                Some(_) => Err(Fault::BadFree),
            },
            _ => Err(Fault::BadFree),
        }
    }

    /// The object that has so many bytes at a pointer, and where in it.
    pub fn found(&self, object: u64, offset: i64, count: u64) -> Result<(&Object, u64), Fault> {
        if object == 0 {
            return Err(Fault::Null);
        }
        let found = self.object(object).ok_or(Fault::Dead)?;
        Ok((found, inside(found, offset, count)?))
    }

    /// The same to be written; `start` is whether the program has not yet begun, so that constants get their values.
    fn found_mut(&mut self, object: u64, offset: i64, count: u64, start: bool) -> Result<(&mut Object, u64), Fault> {
        if object == 0 {
            return Err(Fault::Null);
        }
        let found = self.object_mut(object).ok_or(Fault::Dead)?;
        let from = inside(found, offset, count)?;
        if found.origin == Origin::Constant && !start {
            return Err(Fault::Constant);
        }
        Ok((found, from))
    }

    /// The bytes at a pointer.
    pub fn at(&self, object: u64, offset: i64, out: &mut [Byte]) -> Result<(), Fault> {
        let (found, from) = self.found(object, offset, out.len() as u64)?;
        found.read(from, out);
        Ok(())
    }

    /// The number at a pointer, if the bytes there plainly are one. There are 16 at most.
    pub fn number(&self, object: u64, offset: i64, count: usize) -> Result<Option<u128>, Fault> {
        let (found, from) = self.found(object, offset, count as u64)?;
        Ok(found.number(from, count))
    }

    /// Writes bytes at a pointer; for `start` see [`Memory::found_mut`].
    pub fn put(&mut self, object: u64, offset: i64, new: &[Byte], start: bool) -> Result<(), Fault> {
        let (found, from) = self.found_mut(object, offset, new.len() as u64, start)?;
        let grown = found.write(from, new);
        self.used = self.used.saturating_add_signed(grown);
        Ok(())
    }

    /// Writes a number at a pointer.
    pub fn put_number(&mut self, at: (u64, i64), count: usize, bits: u128, start: bool) -> Result<(), Fault> {
        let (found, from) = self.found_mut(at.0, at.1, count as u64, start)?;
        let grown = found.put(from, count, bits);
        self.used = self.used.saturating_add_signed(grown);
        Ok(())
    }

    /// So many bytes at a pointer become this.
    pub fn fill_part(&mut self, at: (u64, i64), count: u64, fill: Byte, start: bool) -> Result<(), Refusal> {
        let fill = Plain::of(fill).unwrap_or(Plain::Unknown);
        let (mut used, most) = (self.used, self.most);
        let (found, from) = self.found_mut(at.0, at.1, count, start)?;
        if count == found.size() {
            self.fill(at.0, fill.byte());
            return Ok(());
        }
        let (mut at, end) = (from, from + count);
        while at < end && used <= most {
            match found.same(at) {
                Some((same, plain)) if plain == fill => at = at.saturating_add(same),
                _ => {
                    let count = BLOCK.min(end - at);
                    used = used.saturating_add_signed(found.fill(at, count, fill));
                    at += count;
                }
            }
        }
        self.used = used;
        if self.is_full() { Err(Refusal::Memory) } else { Ok(()) }
    }

    /// Copies bytes as `memmove` does. What is arbitrary is not decided, so the copy, which is the same, is not known: it may be padding
    /// that nobody reads.
    pub fn copy(&mut self, to: (u64, i64), from: (u64, i64), count: u64) -> Result<(), Refusal> {
        self.found(from.0, from.1, count)?;
        self.found_mut(to.0, to.1, count, false)?;
        let mut buffer = [Byte::Unknown; PAGE as usize];
        let backwards = to.0 == from.0 && to.1 > from.1;
        let mut done = 0;
        while done < count {
            let now = PAGE.min(count - done);
            let first = if backwards { count - done - now } else { done } as i64;
            let (source, target) = ((from.0, from.1 + first), (to.0, to.1 + first));
            let (found, at) = self.found(source.0, source.1, now)?;
            match found.same(at).filter(|_| !backwards) {
                Some((same, plain)) => {
                    let same = same.min(count - done);
                    self.fill_part(target, same, copied(plain.byte()), false)?;
                    done += same;
                }
                None => {
                    let bytes = &mut buffer[..now as usize];
                    found.read(at, bytes);
                    bytes.iter_mut().for_each(|byte| *byte = copied(*byte));
                    self.put(target.0, target.1, bytes, false)?;
                    done += now;
                }
            }
            if self.is_full() {
                return Err(Refusal::Memory);
            }
        }
        Ok(())
    }

    /// How many bytes there are before the first that is 0.
    pub fn length(&self, object: u64, offset: i64) -> Result<Value, Fault> {
        let mut count = 0u64;
        loop {
            let at = offset.saturating_add_unsigned(count);
            let (found, from) = self.found(object, at, 1)?;
            match found.same(from) {
                Some((same, Plain::Bits(1..))) => count += same,
                _ => {
                    let mut byte = [Byte::Unknown];
                    found.read(from, &mut byte);
                    match number(&byte) {
                        Value::Bits(0) => return Ok(Value::Bits(u128::from(count))),
                        Value::Bits(_) => count += 1,
                        other => return Ok(other),
                    }
                }
            }
        }
    }
}

/// A byte that was copied.
fn copied(byte: Byte) -> Byte {
    match byte {
        Byte::Arbitrary | Byte::Partly(..) => Byte::Unknown,
        known => known,
    }
}

/// Where in an object so many bytes are.
fn inside(object: &Object, offset: i64, count: u64) -> Result<u64, Fault> {
    let from = u64::try_from(offset).map_err(|_| Fault::OutOfBounds)?;
    match from.checked_add(count) {
        Some(end) if end <= object.size() => Ok(from),
        _ => Err(Fault::OutOfBounds),
    }
}

/// What bytes are as a number, lowest first; none of them is arbitrary.
pub fn number(bytes: &[Byte]) -> Value {
    let mut bits = 0u128;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            Byte::Bits(byte) => bits |= u128::from(*byte) << (8 * index as u32),
            Byte::Unrepresented(reason) => return Value::Unrepresented(*reason),
            Byte::Nan(..) => return Value::Payload,
            Byte::Pointer(..) | Byte::Unknown | Byte::Arbitrary | Byte::Partly(..) => return Value::Bytes,
        }
    }
    Value::Bits(bits)
}

/// Which bits of each byte a field has that begins at a bit and is so wide.
pub fn masks(bit: u32, width: u32, bytes: usize) -> impl Iterator<Item = u8> {
    let all = (if width >= 128 { u128::MAX } else { (1 << width) - 1 }) << bit;
    (0..bytes).map(move |index| (all >> (8 * index as u32)) as u8)
}

/// Writes a field into the bytes around it.
pub fn field(bytes: &mut [Byte], bit: u32, width: u32, value: Value) {
    let count = bytes.len();
    for ((index, byte), mask) in (0u32..).zip(bytes).zip(masks(bit, width, count)).filter(|(_, mask)| *mask != 0) {
        let new = match value {
            Value::Bits(bits) => ((bits << bit) >> (8 * index)) as u8 & mask,
            Value::Unrepresented(reason) => {
                *byte = Byte::Unrepresented(reason);
                continue;
            }
            Value::Pointer(_) | Value::Bytes | Value::Part(..) | Value::Nan | Value::Payload | Value::Float => {
                *byte = Byte::Unknown;
                continue;
            }
        };
        let (old, known) = match *byte {
            Byte::Bits(old) => (old, 0xff),
            Byte::Partly(old, known) => (old, known),
            Byte::Arbitrary => (0, 0),
            // What is around it stays unknown, and so does it.
            _ if mask != 0xff => continue,
            _ => (0, 0),
        };
        let (bits, known) = (old & !mask | new, known | mask);
        *byte = if known == 0xff { Byte::Bits(bits) } else { Byte::Partly(bits, known) };
    }
}

/// What bytes are as a pointer; none of them is arbitrary.
pub fn pointer(bytes: &[Byte]) -> Value {
    if let Some(Byte::Pointer(pointer, 0)) = bytes.first() {
        let whole = (0u8..).zip(bytes).all(|(index, byte)| *byte == Byte::Pointer(*pointer, index));
        return if whole { Value::Pointer(*pointer) } else { Value::Bytes };
    }
    match number(bytes) {
        Value::Bits(0) => Value::Pointer(Pointer::NULL),
        Value::Bits(_) => Value::Bytes,
        other => other,
    }
}

/// A value as bytes.
pub fn bytes(value: Value, out: &mut [Byte]) {
    let count = u8::try_from(out.len()).unwrap_or(u8::MAX);
    for (index, byte) in (0u8..).zip(out.iter_mut()) {
        *byte = match value {
            Value::Bits(bits) => Byte::Bits((bits >> (8 * u32::from(index))) as u8),
            Value::Pointer(Pointer::NULL) => Byte::Bits(0),
            Value::Pointer(pointer) => Byte::Pointer(pointer, index),
            Value::Unrepresented(reason) => Byte::Unrepresented(reason),
            Value::Part(pointer, at) if count == 1 => Byte::Pointer(pointer, at),
            Value::Nan => Byte::Nan(index, count),
            Value::Bytes | Value::Part(..) | Value::Payload | Value::Float => Byte::Unknown,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// All bytes of an object.
    fn spelled(memory: &Memory, object: u64) -> Vec<Byte> {
        let size = memory.object(object).map_or(0, Object::size);
        let mut bytes = vec![Byte::Unknown; size as usize];
        memory.at(object, 0, &mut bytes).expect("it lives");
        bytes
    }

    #[test]
    fn copies_are_what_they_are_byte_by_byte() {
        let mut state = 3;
        for round in 0..300 {
            let mut memory = Memory::new(u64::MAX);
            let size = [40, 256, 700, 1500][round % 4];
            let made: Vec<u64> = [Byte::Arbitrary, Byte::Bits(0)]
                .map(|fill| memory.make(size, fill, Origin::Variable).expect("there is room"))
                .to_vec();
            for _ in 0..30 {
                let mut next = |below: u64| random::next(&mut state) % below;
                let (a, b) = (made[next(2) as usize], made[next(2) as usize]);
                let count = 1 + next(size / 2);
                let (from, to) = (next(size - count + 1), next(size - count + 1));
                let number = next(1 << 40);
                if next(3) == 0 {
                    memory.put_number((a, to as i64), 1, u128::from(number), false).expect("it is inside");
                    continue;
                }
                let mut expected = spelled(&memory, b);
                let source = spelled(&memory, a)[from as usize..(from + count) as usize].to_vec();
                let moved: Vec<Byte> = source.into_iter().map(copied).collect();
                expected[to as usize..(to + count) as usize].copy_from_slice(&moved);
                memory.copy((b, to as i64), (a, from as i64), count).expect("it is inside");
                assert_eq!(spelled(&memory, b), expected, "{count} bytes from {from} to {to}");
            }
        }
    }

    #[test]
    fn what_takes_more_than_is_granted_is_refused_in_time() {
        let mut memory = Memory::new(1 << 20);
        let object = memory.make(1 << 46, Byte::Bits(0), Origin::Allocated).expect("nothing is written");
        assert_eq!(memory.fill_part((object, 1), (1 << 46) - 1, Byte::Bits(7), false), Err(Refusal::Memory));
        assert!(memory.is_full());
        memory.end(object);
        assert!(!memory.is_full(), "what is no more takes nothing");
        assert_eq!(memory.used, 0);
    }

    #[test]
    fn the_length_of_a_text_is_where_the_first_zero_is() {
        let mut memory = Memory::new(1 << 30);
        let object = memory.make(1 << 30, Byte::Bits(b'a'), Origin::Allocated).expect("nothing is written");
        memory.put_number((object, (1 << 29) + 5), 1, 0, false).expect("it is inside");
        assert_eq!(memory.length(object, 7), Ok(Value::Bits((1 << 29) - 2)));
        assert_eq!(memory.length(object, 1 << 30), Err(Fault::OutOfBounds));
    }
}
