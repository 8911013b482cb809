//! scanf and its family (C11 §7.21.6), and texts as floating-point numbers (§7.22.1.3): what they read where the text is known. What C leaves
//! open there, or where libraries differ, is not known.

use super::around::{Input, Standard};
use super::printing::Arguments;
use super::step::Machine;
use super::{End, Pointer, Value};
use crate::c::expression::ExpressionId;
use crate::c::float;
use crate::c::format::{Conversion, Count, Kind, Length, Piece, Taken, pieces};
use crate::c::library::shapes::{From, scanning};
use crate::c::types::FloatKind;

/// Whether a function is one of them.
pub(super) fn is_known(name: &str) -> bool {
    scanning(name).is_some() || number_function(name).is_some()
}

/// Why reading ends before the format does.
enum Ended {
    /// There is no more text.
    Input,
    /// It is another one.
    Other,
    /// It is not known.
    Lost,
}

/// A text that is read byte by byte.
struct Reader {
    input: Input,
    /// How many bytes were read.
    read: u128,
}

impl Reader {
    fn peek(&mut self) -> Option<u8> {
        let byte = self.input.next()?;
        self.input.pushed.push(byte);
        Some(byte)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.input.next()?;
        self.read += 1;
        Some(byte)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.next();
        }
    }

    /// The longest text of such bytes, of which there may be so many.
    fn while_in(&mut self, most: usize, is: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < most && self.peek().is_some_and(&is) {
            text.extend(self.next());
        }
        text
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

impl Machine<'_> {
    /// Calls one of them, or what makes a number of a text; what it returns, if that is known.
    pub(super) fn scan(&mut self, name: &str, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        if let Some(kind) = number_function(name) {
            return self.text_as_number(kind, arguments);
        }
        let Some((from, list)) = scanning(name) else { return Ok(None) };
        let at = usize::from(from != From::Input);
        let (Some(&format), true) = (arguments.get(at), arguments.len() > at) else { return Ok(None) };
        let input = match from {
            From::Text => self.text_of(arguments[0])?.map(Input::of),
            From::Input => self.input.clone().filter(|_| self.is_known_stream(Standard::In)),
            From::Stream => match self.stream(arguments[0])? {
                Some(Standard::In) => self.input.clone(),
                _ => None,
            },
        };
        let (Some(input), Some(format)) = (input, self.text_of(format)?) else { return Ok(None) };
        let mut to = match (list, arguments.get(at + 1)) {
            (false, _) => Arguments::Given(arguments[at + 1..].iter()),
            (true, Some(&list)) => match self.list(list)? {
                Some(next) => Arguments::Listed(next),
                None => return Ok(None),
            },
            (true, None) => return Ok(None),
        };
        let mut reader = Reader { input, read: 0 };
        let mut done = 0u128;
        let mut ended = None;
        for piece in pieces(&format, Kind::Scan) {
            if let Err(why) = self.scan_piece(piece, &mut reader, &mut to, &mut done)? {
                ended = Some(why);
                break;
            }
        }
        if let Some(Ended::Lost) = ended {
            return Ok(None);
        }
        if from != From::Text {
            self.input = Some(reader.input);
        }
        let failed = done == 0 && matches!(ended, Some(Ended::Input));
        Ok(Some(Value::Bits(if failed { u128::from(u32::MAX) } else { done })))
    }

    fn scan_piece(
        &mut self,
        piece: Piece,
        reader: &mut Reader,
        to: &mut Arguments<'_>,
        done: &mut u128,
    ) -> Result<Result<(), Ended>, End> {
        let conversion = match piece {
            Piece::Byte(byte) if is_space(byte) => {
                reader.skip_space();
                return Ok(Ok(()));
            }
            Piece::Byte(byte) => return Ok(matched(reader, byte)),
            Piece::Unknown => return Ok(Err(Ended::Lost)),
            Piece::Conversion(conversion) => conversion,
        };
        if !matches!(conversion.letter, b'c' | b'[' | b'n') {
            reader.skip_space();
        }
        let most = match conversion.width {
            None => usize::MAX,
            Some(Count::Number(width @ 1..)) => width,
            Some(_) => return Ok(Err(Ended::Lost)),
        };
        match conversion.letter {
            b'%' => return Ok(matched(reader, b'%')),
            b'n' => {
                if let Some(pointer) = self.receiver(to, &conversion)? {
                    let Some((_, width)) = self.bits_of(conversion.length) else { return Ok(Err(Ended::Lost)) };
                    self.put_integer(pointer, width, reader.read)?;
                }
                return Ok(if conversion.suppressed { Err(Ended::Lost) } else { Ok(()) });
            }
            _ if reader.peek().is_none() => return Ok(Err(Ended::Input)),
            _ => {}
        }
        let found = match conversion.letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => self.scan_integer(reader, to, &conversion, most)?,
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => self.scan_real(reader, to, &conversion, most)?,
            b'c' | b's' | b'[' if conversion.length == Length::Plain => {
                self.scan_bytes(reader, to, &conversion, most)?
            }
            _ => Err(Ended::Lost),
        };
        *done += u128::from(found.is_ok() && !conversion.suppressed);
        Ok(found)
    }

    fn scan_integer(
        &mut self,
        reader: &mut Reader,
        to: &mut Arguments<'_>,
        conversion: &Conversion,
        most: usize,
    ) -> Result<Result<(), Ended>, End> {
        let number = match integer(reader, conversion, most) {
            Ok(number) => number,
            Err(why) => return Ok(Err(why)),
        };
        let Some((_, width)) = self.bits_of(conversion.length) else { return Ok(Err(Ended::Lost)) };
        let signed = matches!(conversion.letter, b'd' | b'i');
        let least = if signed { -(1i128 << (width - 1)) } else { 0 };
        let greatest = if signed { (1i128 << (width - 1)) - 1 } else { (1i128 << width) - 1 };
        if number < least || number > greatest {
            return Ok(Err(Ended::Lost));
        }
        if let Some(pointer) = self.receiver(to, conversion)? {
            self.put_integer(pointer, width, number as u128)?;
        }
        Ok(Ok(()))
    }

    fn scan_real(
        &mut self,
        reader: &mut Reader,
        to: &mut Arguments<'_>,
        conversion: &Conversion,
        most: usize,
    ) -> Result<Result<(), Ended>, End> {
        let kind = match conversion.length {
            Length::Plain => FloatKind::Single,
            Length::Long => FloatKind::Double,
            Length::LongDouble => FloatKind::Extended,
            _ => return Ok(Err(Ended::Lost)),
        };
        let bits = match real(reader, kind, most) {
            Ok(bits) => bits,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(pointer) = self.receiver(to, conversion)? {
            self.put_real(pointer, kind, bits)?;
        }
        Ok(Ok(()))
    }

    fn scan_bytes(
        &mut self,
        reader: &mut Reader,
        to: &mut Arguments<'_>,
        conversion: &Conversion,
        most: usize,
    ) -> Result<Result<(), Ended>, End> {
        let text = match conversion.letter {
            b'c' => {
                let wanted = if conversion.width.is_none() { 1 } else { most };
                let text = reader.while_in(wanted, |_| true);
                if text.len() < wanted {
                    return Ok(Err(Ended::Lost));
                }
                text
            }
            letter => {
                let mut text = match letter {
                    b's' => reader.while_in(most, |byte| !is_space(byte)),
                    _ => reader.while_in(most, |byte| conversion.set[usize::from(byte)]),
                };
                if text.is_empty() {
                    return Ok(Err(Ended::Other));
                }
                text.push(0);
                text
            }
        };
        if let Some(pointer) = self.receiver(to, conversion)? {
            self.put_bytes(pointer, &text)?;
        }
        Ok(Ok(()))
    }

    /// Where what is read goes, unless it goes nowhere.
    fn receiver(&mut self, to: &mut Arguments<'_>, conversion: &Conversion) -> Result<Option<Pointer>, End> {
        if conversion.suppressed {
            return Ok(None);
        }
        match self.take(to, Taken::Pointer)? {
            Some(Value::Pointer(pointer)) => Ok(Some(pointer)),
            // It is not known what is written to.
            _ => Err(End::Unknown(super::Doubt::Bytes)),
        }
    }

    fn put_integer(&mut self, pointer: Pointer, width: u32, number: u128) -> Result<(), End> {
        let bytes = number.to_le_bytes();
        self.put_bytes(pointer, &bytes[..width as usize / 8])
    }

    fn put_real(&mut self, pointer: Pointer, kind: FloatKind, bits: u128) -> Result<(), End> {
        self.put_bytes(pointer, &bits.to_le_bytes()[..kind.width() as usize / 8])
    }

    /// `strtod` and its like.
    fn text_as_number(&mut self, kind: FloatKind, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        let Some(&text) = arguments.first() else { return Ok(None) };
        let start = self.value(text)?;
        let (Some(bytes), Value::Pointer(Pointer::Object { object, offset })) = (self.text_of(text)?, start) else {
            return Ok(None);
        };
        let end = match arguments.get(1).map(|&end| self.value(end)).transpose()? {
            None | Some(Value::Pointer(Pointer::NULL)) => None,
            Some(Value::Pointer(pointer)) => Some(pointer),
            Some(_) => return Ok(None),
        };
        let spaces = bytes.iter().take_while(|byte| is_space(**byte)).count();
        let (number, length) = match prefix(&bytes[spaces..]) {
            Some(0) => (Some(0), 0),
            Some(length) => (float::decimal(kind, &bytes[spaces..spaces + length]), spaces + length),
            None => (None, 0),
        };
        let Some(bits) = number else { return Ok(None) };
        if let Some(end) = end {
            let mut out = vec![super::memory::Byte::Unknown; (self.program.types.model.pointer / 8) as usize];
            let there = Pointer::Object { object, offset: offset.saturating_add_unsigned(length as u64) };
            super::memory::bytes(Value::Pointer(there), &mut out);
            let (object, offset) = self.target_of(end)?;
            self.memory.put(object, offset, &out, false).map_err(|fault| self.fault(fault))?;
        }
        Ok(Some(Value::Bits(bits)))
    }
}

/// The type of the number that a function of the library makes of a text.
pub(super) fn number_function(name: &str) -> Option<FloatKind> {
    match name.strip_prefix("__builtin_").unwrap_or(name) {
        "strtod" | "atof" => Some(FloatKind::Double),
        "strtof" => Some(FloatKind::Single),
        "strtold" => Some(FloatKind::Extended),
        _ => None,
    }
}

fn matched(reader: &mut Reader, byte: u8) -> Result<(), Ended> {
    match reader.peek() {
        None => Err(Ended::Input),
        Some(found) if found == byte => {
            reader.next();
            Ok(())
        }
        Some(_) => Err(Ended::Other),
    }
}

/// The integer that comes next.
fn integer(reader: &mut Reader, conversion: &Conversion, most: usize) -> Result<i128, Ended> {
    let sign = reader.while_in(1.min(most), |byte| matches!(byte, b'+' | b'-'));
    let mut left = most.saturating_sub(sign.len());
    let mut base = match conversion.letter {
        b'o' => 8,
        b'x' | b'X' => 16,
        b'i' => 0,
        _ => 10,
    };
    let mut digits = Vec::new();
    if base == 0 || base == 16 {
        digits = reader.while_in(left.min(1), |byte| byte == b'0');
        left -= digits.len();
        let marked = !digits.is_empty() && left > 0;
        if marked && reader.peek().is_some_and(|byte| matches!(byte, b'x' | b'X' | b'b' | b'B')) {
            if base == 16 && reader.peek().is_some_and(|byte| matches!(byte, b'b' | b'B')) {
                // It is a digit.
            } else if reader.peek().is_some_and(|byte| matches!(byte, b'b' | b'B')) {
                return Err(Ended::Lost);
            } else {
                reader.next();
                left -= 1;
                base = 16;
                if left == 0 || !reader.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                    return Err(Ended::Lost);
                }
            }
        }
        if base == 0 {
            base = if digits.is_empty() { 10 } else { 8 };
        }
    }
    digits.extend(reader.while_in(left, |byte| char::from(byte).is_digit(base)));
    if digits.is_empty() {
        return Err(if reader.peek().is_none() && !sign.is_empty() { Ended::Lost } else { Ended::Other });
    }
    let text = String::from_utf8(digits).map_err(|_| Ended::Lost)?;
    let size = i128::from_str_radix(&text, base).map_err(|_| Ended::Lost)?;
    Ok(if sign == b"-" { -size } else { size })
}

/// The bits of the floating-point number that comes next, where it is written in decimal.
fn real(reader: &mut Reader, kind: FloatKind, most: usize) -> Result<u128, Ended> {
    let mut text = reader.while_in(most.min(1), |byte| matches!(byte, b'+' | b'-'));
    let digits = |reader: &mut Reader, text: &mut Vec<u8>| {
        let found = reader.while_in(most.saturating_sub(text.len()), |byte| byte.is_ascii_digit());
        text.extend(&found);
        found.len()
    };
    let mut count = digits(reader, &mut text);
    let point = reader.while_in(most.saturating_sub(text.len()).min(1), |byte| byte == b'.');
    text.extend(&point);
    if !point.is_empty() {
        count += digits(reader, &mut text);
    }
    if count == 0 {
        let open = point.is_empty() && reader.peek().is_some_and(|byte| !byte.is_ascii_alphabetic());
        return Err(if open && text.is_empty() { Ended::Other } else { Ended::Lost });
    }
    if text.len() < most && reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
        if !reader.peek().is_some_and(|byte| matches!(byte, b'e' | b'E')) {
            let hexadecimal = count == 1 && reader.peek().is_some_and(|byte| matches!(byte, b'x' | b'X'));
            if hexadecimal {
                return Err(Ended::Lost);
            }
        } else {
            text.extend(reader.next());
            text.extend(reader.while_in(most.saturating_sub(text.len()).min(1), |byte| matches!(byte, b'+' | b'-')));
            if digits(reader, &mut text) == 0 {
                return Err(Ended::Lost);
            }
        }
    }
    float::decimal(kind, &text).ok_or(Ended::Lost)
}

/// How long the number is with which a text begins, if it is written in decimal; none if it may be written otherwise.
fn prefix(text: &[u8]) -> Option<usize> {
    let sign = usize::from(text.first().is_some_and(|byte| matches!(byte, b'+' | b'-')));
    let rest = &text[sign..];
    let is = |at: usize, bytes: &[u8]| rest.get(at).is_some_and(|byte| bytes.contains(byte));
    if is(0, b"iInN") || is(0, b"0") && is(1, b"xX") {
        return None;
    }
    let digits = |from: usize| rest[from.min(rest.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let before = digits(0);
    let mut length = before;
    if is(before, b".") {
        let behind = digits(before + 1);
        if before + behind > 0 {
            length += 1 + behind;
        }
    }
    if length == 0 {
        return Some(0);
    }
    if is(length, b"eE") {
        let signed = usize::from(is(length + 1, b"+-"));
        let exponent = digits(length + 1 + signed);
        if exponent > 0 {
            length += 1 + signed + exponent;
        }
    }
    Some(sign + length)
}
