//! printf and its family (C11 §7.21.6): the bytes that it writes, and how many, where these are known.

use super::location::moved;
use super::memory::{self, Byte, Refusal};
use super::step::Machine;
use super::{Doubt, End, Fault, Pointer, Value};
use crate::c::expression::ExpressionId;
use crate::c::format::{Conversion, Count, Kind, Length, Piece, Taken, pieces};
use crate::c::library::shapes::Shape;
use crate::c::printed::{self, Printed};
use crate::c::program::Overflow;
use crate::c::types::{FloatKind, Integer};

/// Longer texts than this are not made.
const LONGEST: usize = 1 << 24;

/// Bytes that an argument takes in a list of them.
const SLOT: i64 = 16;

/// Arguments that are taken one after the other.
pub(super) enum Arguments<'a> {
    /// They stand in the call.
    Given(std::slice::Iter<'a, ExpressionId>),
    /// They lie somewhere, [`SLOT`] bytes each.
    Listed(Pointer),
}

/// What is made of a format.
struct Text {
    /// Its bytes, as far as they are known.
    bytes: Vec<u8>,
    /// Whether all of them are.
    known: bool,
    /// Texts that were read: the object, from where, to where.
    read: Vec<(u64, i64, i64)>,
    /// Whether it is not known what is taken from now on.
    stopped: bool,
}

impl Machine<'_> {
    /// Calls one of them; what it returns, if that is known. What it writes is not known otherwise.
    pub(super) fn print(&mut self, shape: &Shape, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        let Some(&format) = arguments.get(shape.format) else { return Ok(None) };
        let mut known = true;
        if let Some(&stream) = shape.stream.and_then(|at| arguments.get(at)) {
            known &= self.is_open_stream(stream)?;
        }
        let target = match shape.buffer.map(|at| arguments.get(at)) {
            Some(Some(&buffer)) => Some(self.value(buffer)?),
            Some(None) => return Ok(None),
            None => None,
        };
        let (mut most, mut checked) = (u64::MAX, u64::MAX);
        for at in [shape.size, shape.checked].into_iter().flatten() {
            match arguments.get(at).map(|&size| self.value(size)).transpose()? {
                Some(Value::Bits(size)) if shape.size == Some(at) => most = size as u64,
                Some(Value::Bits(size)) => checked = size as u64,
                _ => known = false,
            }
        }
        // What is checked ends the program otherwise.
        if shape.size.is_some() && most > checked {
            return Err(self.fault(Fault::OutOfBounds));
        }
        let format = self.value(format)?;
        let text = match format {
            Value::Pointer(pointer) => self.text(pointer, usize::MAX)?,
            _ => None,
        };
        let mut rest = match shape.list {
            false => Arguments::Given(arguments[shape.format + 1..].iter()),
            true => match arguments.get(shape.format + 1).map(|&list| self.list(list)).transpose()?.flatten() {
                Some(next) => Arguments::Listed(next),
                None => return self.lost(target),
            },
        };
        let Some(text) = text else { return self.lost(target) };
        let mut made = self.formatted(&text, &mut rest)?;
        if !made.known || !known {
            return self.lost(target);
        }
        let length = made.bytes.len();
        if let Some(target) = target {
            if let Value::Pointer(Pointer::Object { object, offset }) = format {
                made.read.push((object, offset, offset.saturating_add_unsigned(text.len() as u64 + 1)));
            }
            if shape.size.is_none() && length as u64 >= checked {
                return Err(self.fault(Fault::OutOfBounds));
            }
            self.put_text(target, made, most)?;
        }
        Ok(Some(Value::Bits(length as u128)))
    }

    /// It is not known what is written.
    fn lost(&self, target: Option<Value>) -> Result<Option<Value>, End> {
        match target {
            // What cannot be followed may be anything of the program's.
            Some(Value::Pointer(Pointer::Object { .. })) | None => Ok(None),
            Some(Value::Pointer(Pointer::Procedure(_))) => Err(self.fault(Fault::OutOfBounds)),
            Some(Value::Pointer(Pointer::Arbitrary)) => Err(End::Unknown(Doubt::ArbitraryPointer)),
            Some(other) => Err(End::Unknown(other.doubt().unwrap_or(Doubt::Bytes))),
        }
    }

    /// Writes a text and a 0 behind it, of which so many bytes at most.
    fn put_text(&mut self, target: Value, made: Text, most: u64) -> Result<(), End> {
        let Value::Pointer(pointer) = self.known(target)? else { return Err(End::Unknown(Doubt::Bytes)) };
        let length = (made.bytes.len() as u64).saturating_add(1).min(most);
        if length == 0 {
            return Ok(());
        }
        let (object, offset) = self.target_of(pointer)?;
        let end = offset.saturating_add_unsigned(length);
        // C11 §7.21.6.5: what overlaps is undefined.
        if made.read.iter().any(|&(other, from, to)| other == object && from < end && offset < to) {
            return Err(self.fault(Fault::OutOfBounds));
        }
        let kept = made.bytes.iter().take(length as usize - 1).copied().chain([0]);
        let bytes: Vec<Byte> = kept.map(Byte::Bits).collect();
        self.memory.put(object, offset, &bytes, false).map_err(|fault| self.refused(Refusal::Fault(fault)))
    }

    /// Where a pointer leads that is followed.
    pub(super) fn target_of(&self, pointer: Pointer) -> Result<(u64, i64), End> {
        match pointer {
            Pointer::Object { object, offset } => Ok((object, offset)),
            Pointer::Procedure(_) => Err(self.fault(Fault::OutOfBounds)),
            Pointer::Arbitrary => Err(End::Unknown(Doubt::ArbitraryPointer)),
        }
    }

    /// The bytes before the first that is 0, so many at most; none if one of them is not known.
    pub(super) fn text(&mut self, pointer: Pointer, most: usize) -> Result<Option<Vec<u8>>, End> {
        let (object, offset) = self.target_of(pointer)?;
        let mut text = Vec::new();
        if object == 0 {
            return Err(self.fault(Fault::Null));
        }
        while text.len() < most {
            let mut byte = [Byte::Unknown];
            let at = offset.saturating_add_unsigned(text.len() as u64);
            self.memory.at(object, at, &mut byte).map_err(|fault| self.fault(fault))?;
            match byte[0] {
                Byte::Bits(0) => break,
                Byte::Bits(byte) if text.len() < LONGEST => text.push(byte),
                _ => return Ok(None),
            }
        }
        Ok(Some(text))
    }

    /// Where the next argument of a list lies, by a pointer to the list.
    pub(super) fn list(&mut self, list: ExpressionId) -> Result<Option<Pointer>, End> {
        let Value::Pointer(pointer) = self.value(list)? else { return Ok(None) };
        let (object, offset) = self.target_of(pointer)?;
        let size = (self.program.types.model.pointer / 8) as usize;
        let mut bytes = vec![Byte::Unknown; size];
        self.memory.at(object, offset, &mut bytes).map_err(|fault| self.fault(fault))?;
        Ok(match memory::pointer(&bytes) {
            Value::Pointer(next @ Pointer::Object { object: 1.., .. }) => Some(next),
            _ => None,
        })
    }

    /// The next argument, if it is known.
    pub(super) fn take(&mut self, from: &mut Arguments<'_>, taken: Taken) -> Result<Option<Value>, End> {
        let value = match from {
            Arguments::Given(rest) => {
                let Some(&argument) = rest.next() else { return Err(self.fault(Fault::Format)) };
                let ty = self.program.terms.get(argument).ty;
                let fits = taken.is_of(&self.program.types, ty);
                let value = self.value(argument)?;
                if !fits {
                    return self.unfit();
                }
                value
            }
            Arguments::Listed(next) => {
                let (object, offset) = self.target_of(*next)?;
                *next = moved(*next, i128::from(SLOT));
                let count = match taken {
                    Taken::Integer(width) => width / 8,
                    Taken::Real(kind) => kind.width() / 8,
                    Taken::Pointer => self.program.types.model.pointer / 8,
                };
                let mut bytes = vec![Byte::Unknown; count as usize];
                if self.memory.at(object, offset, &mut bytes).is_err() {
                    return Err(self.fault(Fault::Format));
                }
                match taken {
                    Taken::Pointer => memory::pointer(&bytes),
                    _ => memory::number(&bytes),
                }
            }
        };
        Ok(match (value, taken) {
            (Value::Bits(_), Taken::Integer(_) | Taken::Real(_)) | (Value::Pointer(_), Taken::Pointer) => Some(value),
            _ => None,
        })
    }

    /// An argument is of another type: that is undefined, but compiled programs go on.
    fn unfit(&self) -> Result<Option<Value>, End> {
        if self.options.overflow == Overflow::Check { Err(self.fault(Fault::Format)) } else { Ok(None) }
    }

    /// A width or a precision, if it is known.
    fn counted(&mut self, count: Count, from: &mut Arguments<'_>) -> Result<Option<i64>, End> {
        Ok(match count {
            Count::Number(number) => i64::try_from(number).ok(),
            Count::Argument => match self.take(from, Taken::Integer(32))? {
                Some(Value::Bits(bits)) => Some(i64::from(bits as u32 as i32)),
                _ => None,
            },
        })
    }

    /// What a format makes of its arguments.
    fn formatted(&mut self, format: &[u8], from: &mut Arguments<'_>) -> Result<Text, End> {
        let mut made = Text { bytes: Vec::new(), known: true, read: Vec::new(), stopped: false };
        for piece in pieces(format, Kind::Print) {
            match piece {
                Piece::Byte(byte) => made.bytes.push(byte),
                Piece::Conversion(Conversion { letter: b'%', .. }) => made.bytes.push(b'%'),
                Piece::Conversion(conversion) => self.convert_one(conversion, from, &mut made)?,
                Piece::Unknown => made.known = false,
            }
            made.known &= made.bytes.len() <= LONGEST;
            if made.stopped || made.bytes.len() > LONGEST {
                break;
            }
        }
        made.known &= !made.stopped;
        Ok(made)
    }

    fn convert_one(
        &mut self,
        mut conversion: Conversion,
        from: &mut Arguments<'_>,
        made: &mut Text,
    ) -> Result<(), End> {
        let (mut width, mut precision) = (Some(0), None);
        if let Some(count) = conversion.width {
            width = self.counted(count, from)?;
            conversion.left |= width.is_some_and(|width| width < 0);
        }
        let mut known = true;
        if let Some(count) = conversion.precision {
            precision = self.counted(count, from)?;
            known = precision.is_some();
        }
        let precision = precision.and_then(|precision| usize::try_from(precision).ok());
        let width = width.map(|width| width.unsigned_abs() as usize);
        known &= width.is_some_and(|width| width <= LONGEST) && precision.is_none_or(|precision| precision <= LONGEST);
        made.stopped = conversion.printed(self.program.types.model).is_none();
        if made.stopped {
            return Ok(());
        }
        let text = match conversion.letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => self.integer_text(&conversion, precision, from)?,
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                self.real_text(&conversion, precision, from, known)?
            }
            b'c' => {
                let taken = self.take(from, Taken::Integer(32))?;
                taken.and_then(|value| if let Value::Bits(bits) = value { Some(plain(vec![bits as u8])) } else { None })
            }
            b's' => match self.take(from, Taken::Pointer)? {
                Some(Value::Pointer(pointer @ Pointer::Object { object, offset })) if known => {
                    let text = self.text(pointer, precision.unwrap_or(usize::MAX))?;
                    let length = text.as_ref().map_or(0, Vec::len);
                    let end = length + usize::from(precision.is_none_or(|precision| length < precision));
                    made.read.push((object, offset, offset.saturating_add_unsigned(end as u64)));
                    text.map(plain)
                }
                Some(Value::Pointer(pointer @ Pointer::Procedure(_))) => self.target_of(pointer).map(|_| None)?,
                _ => None,
            },
            b'p' => match self.take(from, Taken::Pointer)? {
                Some(Value::Pointer(Pointer::NULL)) => Some(plain(b"(nil)".to_vec())),
                _ => None,
            },
            b'n' => return self.count_to(&conversion, from, made),
            _ => None,
        };
        match (text, width) {
            (Some(text), Some(width)) if known => made.bytes.extend(text.within(width, &conversion)),
            _ => made.known = false,
        }
        Ok(())
    }

    /// The bits of an integer of a length.
    pub(super) fn bits_of(&self, length: Length) -> Option<(u32, u32)> {
        length.bits(self.program.types.model)
    }

    fn integer_text(
        &mut self,
        conversion: &Conversion,
        precision: Option<usize>,
        from: &mut Arguments<'_>,
    ) -> Result<Option<Printed>, End> {
        let Some((passed, width)) = self.bits_of(conversion.length) else { return Ok(None) };
        let Some(Value::Bits(bits)) = self.take(from, Taken::Integer(passed))? else { return Ok(None) };
        let signed = matches!(conversion.letter, b'd' | b'i');
        let integer = Integer { rank: crate::c::types::Rank::Int, signed, width };
        Ok(Some(printed::integer(integer.number(bits & integer.mask()), conversion, precision)))
    }

    fn real_text(
        &mut self,
        conversion: &Conversion,
        precision: Option<usize>,
        from: &mut Arguments<'_>,
        known: bool,
    ) -> Result<Option<Printed>, End> {
        let kind = match conversion.length {
            Length::Plain | Length::Long => FloatKind::Double,
            Length::LongDouble => FloatKind::Extended,
            _ => return Ok(None),
        };
        Ok(match self.take(from, Taken::Real(kind))? {
            Some(Value::Bits(bits)) if known && crate::c::float::is_value(kind, bits) => {
                Some(printed::real(kind, bits, conversion, precision))
            }
            _ => None,
        })
    }

    /// `%n`
    fn count_to(&mut self, conversion: &Conversion, from: &mut Arguments<'_>, made: &mut Text) -> Result<(), End> {
        let (to, bits) = (self.take(from, Taken::Pointer)?, self.bits_of(conversion.length));
        let (Some(Value::Pointer(pointer)), Some((_, width))) = (to, bits) else {
            made.known = false;
            return Ok(());
        };
        let at = self.target_of(pointer)?;
        if at.0 == 0 {
            return Err(self.fault(Fault::Null));
        }
        if made.known {
            let count = made.bytes.len() as u128 & ((1 << width) - 1);
            let written = self.memory.put_number(at, width as usize / 8, count, false);
            return written.map_err(|fault| self.fault(fault));
        }
        let written = self.memory.fill_part(at, u64::from(width / 8), Byte::Unknown, false);
        written.map_err(|refusal| self.refused(refusal))
    }
}

/// A text that zeros do not fill up.
fn plain(digits: Vec<u8>) -> Printed {
    Printed { front: Vec::new(), digits, fills: false }
}
