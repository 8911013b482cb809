//! Streams (C11 §7.21): those that are there from the beginning, what is written to them, and what the user says that is read from standard
//! input. Of all others nothing is known.

use super::around::{Input, Standard};
use super::memory::{Byte, Origin};
use super::step::Machine;
use super::{Doubt, End, Fault, Pointer, Value};
use crate::c::expression::ExpressionId;
use crate::c::library::contracts::plain;
use crate::c::library::shapes::Shape;
use crate::c::program::ReasonId;

/// What programs may look at in a stream, and behind that whether anything is known of it.
const SIZE: u64 = 1024;

/// Where that is: 0 if so.
const STATE: i64 = 1023;

/// Functions of which something is known here, beside printf's family.
const KNOWN: &str = "
    putchar putc fputc puts fputs fwrite fflush ferror fileno setvbuf fclose getchar getc fgetc ungetc fgets fread feof clearerr
";

/// Whether something is known of a function with streams where a program is executed.
pub(super) fn is_known(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    Shape::named(plain).is_some() || KNOWN.split_ascii_whitespace().any(|one| one == plain)
}

/// Whether a function says whether output succeeds, which it does in runs.
pub fn succeeds(name: &str) -> bool {
    let plain = plain(name);
    let prints = Shape::named(plain).is_some_and(|shape| shape.buffer.is_none());
    prints
        || matches!(plain, "putchar" | "putc" | "fputc" | "puts" | "fputs" | "fwrite" | "fflush" | "ferror" | "fclose")
}

/// Functions by which a program may come to standard input without a stream.
const BESIDE: &str = "
    scanf vscanf __isoc99_scanf __isoc99_vscanf __isoc23_scanf __isoc23_vscanf read readv getwchar wscanf vwscanf system popen dup2 dup3 close lseek fdopen freopen fork vfork getpass getw poll select ioctl fcntl
    mmap sendfile splice posix_spawn posix_spawnp
";

impl Machine<'_> {
    /// A stream that is there from the beginning, as a variable of that name has it.
    pub(super) fn make_stream(&mut self, name: &str, reason: ReasonId) -> Result<Pointer, End> {
        let which = match name {
            "stdin" => Standard::In,
            "stdout" => Standard::Out,
            _ => Standard::Error,
        };
        let object = self.memory.make(SIZE, Byte::Unrepresented(reason), Origin::Variable)?;
        self.mark_stream(object, true)?;
        self.streams.push((object, which));
        Ok(Pointer::Object { object, offset: 0 })
    }

    fn mark_stream(&mut self, object: u64, known: bool) -> Result<(), End> {
        let marked = self.memory.put_number((object, STATE), 1, u128::from(!known), true);
        marked.map_err(|fault| self.fault(fault))
    }

    /// The stream of the library's to which a value points.
    fn stream_at(&self, value: Value) -> Option<(u64, Standard)> {
        let Value::Pointer(Pointer::Object { object, offset: 0 }) = value else { return None };
        self.streams.iter().find(|(own, _)| *own == object).copied()
    }

    /// What the stream is called to which a pointer points.
    pub(super) fn stream_name(&self, pointer: Pointer) -> Option<&'static str> {
        self.stream_at(Value::Pointer(pointer)).map(|(_, which)| match which {
            Standard::In => "stdin",
            Standard::Out => "stdout",
            Standard::Error => "stderr",
        })
    }

    /// The stream that an argument is, if it is known that it is open.
    pub(super) fn stream(&mut self, argument: ExpressionId) -> Result<Option<Standard>, End> {
        let value = self.value(argument)?;
        if value == Value::Pointer(Pointer::NULL) {
            return Err(self.fault(Fault::Null));
        }
        Ok(match self.stream_at(value) {
            Some((object, which)) if self.memory.number(object, STATE, 1) == Ok(Some(0)) => Some(which),
            _ => None,
        })
    }

    /// Whether an argument is a stream to which can be written.
    pub(super) fn is_open_stream(&mut self, argument: ExpressionId) -> Result<bool, End> {
        Ok(matches!(self.stream(argument)?, Some(Standard::Out | Standard::Error)))
    }

    /// Whether nothing has happened to a stream.
    pub(super) fn is_known_stream(&self, wanted: Standard) -> bool {
        let mut own = self.streams.iter().filter(|(_, which)| *which == wanted);
        own.all(|(object, _)| self.memory.number(*object, STATE, 1) == Ok(Some(0)))
    }

    /// Somebody did with streams what is not known here.
    pub(super) fn lose_streams(&mut self, name: &str, arguments: &[ExpressionId]) -> Result<(), End> {
        for &argument in arguments {
            let value = self.value(argument)?;
            if let Some((object, which)) = self.stream_at(value) {
                self.mark_stream(object, false)?;
                if which == Standard::In {
                    self.input = None;
                }
            }
        }
        if BESIDE.split_ascii_whitespace().any(|one| one == name) {
            self.input = None;
        }
        Ok(())
    }

    /// Calls what reads or writes streams; what it returns, if that is known.
    pub(super) fn stdio(&mut self, name: &str, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let plain = plain.strip_suffix("_unlocked").unwrap_or(plain);
        let known = match Shape::named(plain) {
            Some(shape) if shape.buffer.is_none() && shape.stream.is_none() && !self.is_known_stream(Standard::Out) => {
                None
            }
            Some(shape) => return self.print(&shape, arguments),
            None => self.written(plain, arguments)?,
        };
        match known {
            Some(value) => Ok(Some(value)),
            None => self.read_in(plain, arguments),
        }
    }

    /// Functions that write, but printf.
    fn written(&mut self, name: &str, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        let number = |bits: u128| Ok(Some(Value::Bits(bits)));
        match (name, arguments) {
            ("putchar", &[byte]) if self.is_known_stream(Standard::Out) => self.low_byte(byte),
            ("putc" | "fputc" | "_IO_putc", &[byte, stream]) if self.is_open_stream(stream)? => self.low_byte(byte),
            ("puts", &[text]) if self.is_known_stream(Standard::Out) => {
                let text = self.text_of(text)?;
                Ok(text.map(|text| Value::Bits(text.len() as u128 + 1)))
            }
            ("fputs", &[text, stream]) => {
                let (text, open) = (self.text_of(text)?, self.is_open_stream(stream)?);
                Ok((text.is_some() && open).then_some(Value::Bits(1)))
            }
            ("fwrite", &[from, size, count, stream]) => {
                let (from, size, count) = (self.value(from)?, self.value(size)?, self.value(count)?);
                let (Value::Pointer(from), Value::Bits(size), Value::Bits(count)) = (from, size, count) else {
                    return Ok(None);
                };
                let bytes = u64::try_from(size.saturating_mul(count)).unwrap_or(u64::MAX);
                if bytes > 0 {
                    let (object, offset) = self.target_of(from)?;
                    self.memory.found(object, offset, bytes).map_err(|fault| self.fault(fault))?;
                }
                let open = self.is_open_stream(stream)?;
                Ok(open.then_some(Value::Bits(if bytes == 0 { 0 } else { count })))
            }
            ("fflush", &[stream]) => match self.value(stream)? {
                Value::Pointer(Pointer::NULL) => number(0),
                _ if self.is_open_stream(stream)? => number(0),
                _ => Ok(None),
            },
            ("ferror", &[stream]) if self.stream(stream)?.is_some() => number(0),
            ("fclose", &[stream]) if self.stream(stream)?.is_some() => {
                let value = self.value(stream)?;
                if let Some((object, which)) = self.stream_at(value) {
                    self.mark_stream(object, false)?;
                    if which == Standard::In {
                        self.input = None;
                    }
                }
                number(0)
            }
            ("fileno", &[stream]) => Ok(self.stream(stream)?.map(|which| Value::Bits(which as u128))),
            ("setvbuf", &[stream, buffer, ..]) if self.is_open_stream(stream)? => match self.value(buffer)? {
                Value::Pointer(Pointer::NULL) => number(0),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The value of `putc`.
    fn low_byte(&mut self, byte: ExpressionId) -> Result<Option<Value>, End> {
        Ok(match self.value(byte)? {
            Value::Bits(bits) => Some(Value::Bits(bits & 0xff)),
            _ => None,
        })
    }

    /// The text to which an argument points.
    pub(super) fn text_of(&mut self, argument: ExpressionId) -> Result<Option<Vec<u8>>, End> {
        match self.value(argument)? {
            Value::Pointer(Pointer::Arbitrary) => Ok(None),
            Value::Pointer(pointer) => self.text(pointer, usize::MAX),
            _ => Ok(None),
        }
    }

    /// Functions that read standard input, if it is known what is there.
    fn read_in(&mut self, name: &str, arguments: &[ExpressionId]) -> Result<Option<Value>, End> {
        if self.input.is_none() {
            return Ok(None);
        }
        let end = || Value::Bits(u128::from(u32::MAX));
        let from_stream = match (name, arguments) {
            ("getchar" | "gets", _) => self.is_known_stream(Standard::In).then_some(()),
            ("getc" | "fgetc" | "_IO_getc" | "feof" | "clearerr", &[stream])
            | ("ungetc", &[_, stream])
            | ("fgets", &[_, _, stream])
            | ("fread", &[_, _, _, stream]) => (self.stream(stream)? == Some(Standard::In)).then_some(()),
            _ => None,
        };
        let Some(mut input) = from_stream.and_then(|()| self.input.take()) else { return Ok(None) };
        let value = match (name, arguments) {
            ("getchar" | "getc" | "fgetc" | "_IO_getc", _) => {
                Ok(Some(input.next().map_or_else(end, |byte| Value::Bits(byte.into()))))
            }
            ("feof", _) => Ok(Some(Value::Bits(input.ended.into()))),
            ("clearerr", _) => {
                input.ended = false;
                Ok(Some(Value::Bits(0)))
            }
            ("ungetc", &[byte, _]) => match self.value(byte)? {
                Value::Bits(bits) if bits as u32 == u32::MAX => Ok(Some(end())),
                // One byte is promised (C11 §7.21.7.10).
                Value::Bits(bits) if input.pushed.is_empty() => {
                    input.pushed.push(bits as u8);
                    input.ended = false;
                    Ok(Some(Value::Bits(bits & 0xff)))
                }
                _ => return Ok(None),
            },
            ("fgets", &[to, size, _]) => self.line(&mut input, to, size),
            ("fread", &[to, size, count, _]) => self.block(&mut input, to, size, count),
            _ => return Ok(None),
        };
        self.input = Some(input);
        value
    }

    /// `fgets`
    fn line(&mut self, input: &mut Input, to: ExpressionId, size: ExpressionId) -> Result<Option<Value>, End> {
        let (to, size) = (self.value(to)?, self.value(size)?);
        let (Value::Pointer(pointer), Value::Bits(size)) = (self.known(to)?, self.known(size)?) else {
            return Err(End::Unknown(Doubt::Bytes));
        };
        let null = Ok(Some(Value::Pointer(Pointer::NULL)));
        let Some(most) = (size as u32 as i32).checked_sub(1).and_then(|most| usize::try_from(most).ok()) else {
            return null;
        };
        let mut line = Vec::new();
        while line.len() < most && line.last() != Some(&b'\n') {
            let Some(byte) = input.next() else { break };
            line.push(byte);
        }
        if line.is_empty() && most > 0 {
            return null;
        }
        line.push(0);
        self.put_bytes(pointer, &line)?;
        Ok(Some(to))
    }

    /// `fread`
    fn block(
        &mut self,
        input: &mut Input,
        to: ExpressionId,
        size: ExpressionId,
        count: ExpressionId,
    ) -> Result<Option<Value>, End> {
        let (to, size, count) = (self.value(to)?, self.value(size)?, self.value(count)?);
        let (Value::Pointer(pointer), Value::Bits(size), Value::Bits(count)) =
            (self.known(to)?, self.known(size)?, self.known(count)?)
        else {
            return Err(End::Unknown(Doubt::Bytes));
        };
        let wanted = size.saturating_mul(count);
        if wanted == 0 {
            return Ok(Some(Value::Bits(0)));
        }
        let mut block = Vec::new();
        while (block.len() as u128) < wanted {
            let Some(byte) = input.next() else { break };
            block.push(byte);
        }
        self.put_bytes(pointer, &block)?;
        Ok(Some(Value::Bits(block.len() as u128 / size)))
    }

    /// Writes bytes that are known.
    pub(super) fn put_bytes(&mut self, pointer: Pointer, bytes: &[u8]) -> Result<(), End> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (object, offset) = self.target_of(pointer)?;
        let bytes: Vec<Byte> = bytes.iter().copied().map(Byte::Bits).collect();
        self.memory.put(object, offset, &bytes, false).map_err(|fault| self.fault(fault))
    }
}
