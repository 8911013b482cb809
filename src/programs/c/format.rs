//! Formats of printf and scanf (C11 §7.21.6.1, §7.21.6.2): what stands in them.

use super::types::{DataModel, FloatKind, TypeId, Types};

/// What a conversion takes from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// An integer of so many bits.
    Integer(u32),
    /// A floating-point number.
    Real(FloatKind),
    /// A pointer.
    Pointer,
}

impl Taken {
    /// Whether an argument of a type is one.
    pub fn is_of(self, types: &Types, ty: TypeId) -> bool {
        match self {
            Taken::Integer(width) => types.as_integer(ty).is_some_and(|integer| integer.width == width),
            Taken::Real(kind) => types.as_float(ty) == Some(kind),
            Taken::Pointer => types.pointee(ty).is_some(),
        }
    }
}

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A byte as it is.
    Byte(u8),
    /// What begins with `%`.
    Conversion(Conversion),
    /// The same, but C says nothing of it, or nobody here knows what it does.
    Unknown,
}

/// Width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// This number.
    Number(usize),
    /// The next argument.
    Argument,
}

/// How large the argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Nothing is said.
    Plain,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `l`
    Long,
    /// `ll`
    LongLong,
    /// `j`
    Max,
    /// `z`
    Size,
    /// `t`
    Difference,
    /// `L`
    LongDouble,
}

impl Length {
    /// The bits of an integer of that length, as it is passed, and as it is meant; none if there are no such integers.
    pub fn bits(self, model: DataModel) -> Option<(u32, u32)> {
        Some(match self {
            Length::Plain => (32, 32),
            Length::Char => (32, 8),
            Length::Short => (32, 16),
            Length::Long => (model.long, model.long),
            Length::LongLong | Length::Max => (64, 64),
            Length::Size | Length::Difference => (model.pointer, model.pointer),
            Length::LongDouble => return None,
        })
    }
}

/// What begins with `%` in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternative: bool,
    /// `0`
    pub zeros: bool,
    /// `*` of scanf.
    pub suppressed: bool,
    /// How wide at least, or for scanf at most.
    pub width: Option<Count>,
    /// How precise.
    pub precision: Option<Count>,
    /// How large the argument is.
    pub length: Length,
    /// The letter; `[` for sets.
    pub letter: u8,
    /// For `[`: which bytes are in the set.
    pub set: Vec<bool>,
}

impl Conversion {
    /// What it takes from the arguments of one of printf's family, but for width and precision; none if nobody here knows.
    pub fn printed(&self, model: DataModel) -> Option<Taken> {
        match self.letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                self.length.bits(model).map(|(passed, _)| Taken::Integer(passed))
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => match self.length {
                Length::Plain | Length::Long => Some(Taken::Real(FloatKind::Double)),
                Length::LongDouble => Some(Taken::Real(FloatKind::Extended)),
                _ => None,
            },
            b'n' => self.length.bits(model).map(|_| Taken::Pointer),
            b'c' if self.length == Length::Plain => Some(Taken::Integer(32)),
            b's' | b'p' if self.length == Length::Plain => Some(Taken::Pointer),
            _ => None,
        }
    }
}

/// Longer texts than this are not made of a `double` without a precision.
const LONGEST_REAL: u64 = 340;

impl Conversion {
    /// How many bytes one of printf's family makes at least, and at most, if that is known: of a text of so many.
    pub fn made(&self, model: DataModel, text: (u64, Option<u64>)) -> Option<(u64, Option<u64>)> {
        let precision = self.precision.map(|count| match count {
            Count::Number(number) => Some(number as u64),
            Count::Argument => None,
        });
        let (least, most) = match (self.printed(model)?, self.letter) {
            (_, b'n') => (0, Some(0)),
            (Taken::Pointer, b's') => match precision {
                None => text,
                Some(Some(limit)) => (text.0.min(limit), Some(text.1.map_or(limit, |most| most.min(limit)))),
                Some(None) => (0, text.1),
            },
            // C leaves open how pointers are written.
            (Taken::Pointer, _) => (0, None),
            (Taken::Integer(_), b'c') => (1, Some(1)),
            (Taken::Integer(_), letter) => {
                let (_, bits) = self.length.bits(model)?;
                let (digits, signs) = match letter {
                    b'o' => (bits / 3 + 1, u64::from(self.alternative)),
                    b'x' | b'X' => (bits / 4, if self.alternative { 2 } else { 0 }),
                    b'u' => (bits * 30_103 / 100_000 + 1, 0),
                    _ => (bits * 30_103 / 100_000 + 1, 1),
                };
                match precision {
                    None => (1, Some(u64::from(digits) + signs)),
                    Some(Some(number)) => (number, Some(u64::from(digits).max(number) + signs)),
                    Some(None) => (0, None),
                }
            }
            (Taken::Real(FloatKind::Extended), _) => (1, None),
            (Taken::Real(_), _) => match precision {
                None => (1, Some(LONGEST_REAL)),
                Some(number) => (1, number.map(|number| LONGEST_REAL + number)),
            },
        };
        Some(match self.width {
            None => (least, most),
            Some(Count::Number(width)) => (least.max(width as u64), most.map(|most| most.max(width as u64))),
            Some(Count::Argument) => (least, None),
        })
    }
}

/// For whom a format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// printf
    Print,
    /// scanf
    Scan,
}

/// The pieces of a format, in order. Linear.
pub fn pieces(format: &[u8], kind: Kind) -> Vec<Piece> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            list.push(Piece::Byte(byte));
            continue;
        }
        match conversion(format, &mut at, kind) {
            Some(found) => list.push(Piece::Conversion(found)),
            None => {
                list.push(Piece::Unknown);
                break;
            }
        }
    }
    list
}

fn conversion(format: &[u8], at: &mut usize, kind: Kind) -> Option<Conversion> {
    let mut one = Conversion {
        left: false,
        plus: false,
        space: false,
        alternative: false,
        zeros: false,
        suppressed: false,
        width: None,
        precision: None,
        length: Length::Plain,
        letter: 0,
        set: Vec::new(),
    };
    if kind == Kind::Scan && format.get(*at) == Some(&b'*') {
        one.suppressed = true;
        *at += 1;
    }
    while kind == Kind::Print
        && let Some(flag) = format.get(*at)
    {
        match flag {
            b'-' => one.left = true,
            b'+' => one.plus = true,
            b' ' => one.space = true,
            b'#' => one.alternative = true,
            b'0' => one.zeros = true,
            _ => break,
        }
        *at += 1;
    }
    one.width = count(format, at, kind)?;
    if kind == Kind::Print && format.get(*at) == Some(&b'.') {
        *at += 1;
        one.precision = Some(count(format, at, kind)?.unwrap_or(Count::Number(0)));
    }
    let lengths: [(&[u8], Length); 8] = [
        (b"hh", Length::Char),
        (b"h", Length::Short),
        (b"ll", Length::LongLong),
        (b"l", Length::Long),
        (b"j", Length::Max),
        (b"z", Length::Size),
        (b"t", Length::Difference),
        (b"L", Length::LongDouble),
    ];
    if let Some((word, length)) = lengths.iter().find(|(word, _)| format[*at..].starts_with(word)) {
        one.length = *length;
        *at += word.len();
    }
    one.letter = *format.get(*at)?;
    *at += 1;
    if one.letter == b'[' && kind == Kind::Scan {
        one.set = set(format, at)?;
    }
    Some(one)
}

/// A width or precision that may be there; none if it is no number that a format may have.
fn count(format: &[u8], at: &mut usize, kind: Kind) -> Option<Option<Count>> {
    if kind == Kind::Print && format.get(*at) == Some(&b'*') {
        *at += 1;
        // `*1$`
        return (!format.get(*at).is_some_and(u8::is_ascii_digit)).then_some(Some(Count::Argument));
    }
    let digits = format[*at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Some(None);
    }
    let text = std::str::from_utf8(&format[*at..*at + digits]).ok()?;
    *at += digits;
    let number = text.parse::<usize>().ok().filter(|number| *number < 1 << 31)?;
    Some(Some(Count::Number(number)))
}

/// What stands between `[` and `]`.
fn set(format: &[u8], at: &mut usize) -> Option<Vec<bool>> {
    let others = format.get(*at) == Some(&b'^');
    *at += usize::from(others);
    let (mut set, first) = (vec![others; 256], *at);
    loop {
        let byte = *format.get(*at)?;
        *at += 1;
        if byte == b']' && *at > first + 1 {
            return Some(set);
        }
        // C leaves it open what `-` means; it is a range everywhere.
        match (format.get(*at), format.get(*at + 1)) {
            (Some(b'-'), Some(&last)) if last != b']' => {
                *at += 2;
                set.iter_mut().take(usize::from(last) + 1).skip(usize::from(byte)).for_each(|member| *member = !others);
            }
            _ => set[usize::from(byte)] = !others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str, kind: Kind) -> Conversion {
        match &pieces(format.as_bytes(), kind)[..] {
            [Piece::Conversion(one)] => one.clone(),
            other => panic!("{format}: {other:?}"),
        }
    }

    #[test]
    fn conversions_have_flags_counts_and_lengths() {
        let found = one("%-+08.*lld", Kind::Print);
        assert!(found.left && found.plus && found.zeros && !found.space && !found.alternative);
        assert_eq!((found.width, found.precision), (Some(Count::Number(8)), Some(Count::Argument)));
        assert_eq!((found.length, found.letter), (Length::LongLong, b'd'));
        assert_eq!(one("%.f", Kind::Print).precision, Some(Count::Number(0)));
        assert!(one("%*5hhd", Kind::Scan).suppressed);
    }

    #[test]
    fn sets_have_members_ranges_and_others() {
        let of = |format| one(format, Kind::Scan).set;
        let members =
            |set: &[bool]| (0..=255u8).filter(|byte| set[usize::from(*byte)]).map(char::from).collect::<String>();
        assert_eq!(members(&of("%[a-c]")), "abc");
        assert_eq!(members(&of("%[]x]")), "]x");
        assert_eq!(members(&of("%[a-]")), "-a");
        assert_eq!(of("%[^a]").iter().filter(|member| **member).count(), 255);
    }

    #[test]
    fn what_is_no_conversion_ends_what_is_known() {
        assert_eq!(pieces(b"a%", Kind::Print), [Piece::Byte(b'a'), Piece::Unknown]);
        assert_eq!(pieces(b"%*1$d", Kind::Print), [Piece::Unknown]);
        assert_eq!(pieces(b"%[a", Kind::Scan), [Piece::Unknown]);
    }
}
