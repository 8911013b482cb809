//! What literals are: of which type a number is, and which characters stand between quotes (C11 §6.4.4, §6.4.5).

use super::types::{Rank, TypeId, Types};

/// The first type in which a number fits (C11 §6.4.4.1 p5), of those that its suffix allows: not below a rank, and unsigned ones only, or
/// signed ones only where the number is decimal. None where no type is wide enough.
pub fn integer_type(types: &mut Types, number: u128, least: Rank, unsigned: bool, decimal: bool) -> Option<TypeId> {
    for rank in [Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128].into_iter().filter(|&rank| rank >= least) {
        for signed in [true, false] {
            let allowed = if signed { !unsigned } else { unsigned || !decimal };
            let room = types.integer_of(rank, signed).width - u32::from(signed);
            if allowed && (room >= 127 || number >> room == 0) {
                return Some(types.integer(rank, signed));
            }
        }
    }
    None
}

/// The value and the type of a character between its quotes; none where that is no character of C. Characters of one literal are digits to
/// the base 256, as compilers have it; a single one is a `char`, whose value is that of an `int`.
pub fn character(types: &mut Types, text: &str) -> Option<(i128, TypeId)> {
    let prefix = prefix_of(text);
    let (wide, units) = characters(text, is_wide(prefix))?;
    let number = match (&units[..], wide) {
        ([], _) => return None,
        (&[unit], false) => i128::from(unit as u8 as i8),
        (&[unit], true) => i128::from(unit),
        (several, _) => several.iter().fold(0i128, |sum, unit| (sum << 8 | i128::from(*unit)) & 0xffff_ffff),
    };
    let ty = if wide { character_type(types, prefix) } else { types.int() };
    Some((number, ty))
}

/// The type of the elements of a text with a prefix (§6.4.5 p6).
pub fn character_type(types: &mut Types, prefix: &str) -> TypeId {
    match prefix {
        "L" => types.int(),
        "U" => types.integer(Rank::Int, false),
        "u" => types.integer(Rank::Short, false),
        _ => types.integer(Rank::Char, true),
    }
}

/// What stands before the quotes of a literal.
pub fn prefix_of(literal: &str) -> &str {
    literal.find(['"', '\'']).map_or("", |open| &literal[..open])
}

/// Whether a text with this prefix has characters of more than a byte.
pub fn is_wide(prefix: &str) -> bool {
    matches!(prefix, "L" | "u" | "U")
}

/// A character in UTF-16: one unit or two.
pub fn in_sixteen_bits(unit: u64) -> [Option<u64>; 2] {
    match unit.checked_sub(0x1_0000) {
        None => [Some(unit), None],
        Some(rest) => [Some(0xd800 + (rest >> 10)), Some(0xdc00 + (rest & 0x3ff))],
    }
}

/// In which base an escape has how many digits at most, if it is a number.
fn numeric(escape: char) -> Option<(u32, usize)> {
    match escape {
        '0'..='7' => Some((8, 3)),
        'x' => Some((16, usize::MAX)),
        'u' => Some((16, 4)),
        'U' => Some((16, 8)),
        _ => None,
    }
}

/// What an escape is that is no number.
fn simple(escape: char) -> u64 {
    match escape {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        other => u64::from(u32::from(other)),
    }
}

/// The characters between the quotes of a literal, escapes resolved, and whether they are wide, as they are in a text that is wide.
pub fn characters(literal: &str, wide: bool) -> Option<(bool, Vec<u64>)> {
    let open = literal.find(['"', '\''])?;
    let inside = literal.get(open + 1..literal.len().checked_sub(1)?)?;
    let mut units = Vec::new();
    let mut rest = inside.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            if wide {
                units.push(u64::from(u32::from(character)));
            } else {
                units.extend(character.to_string().bytes().map(u64::from));
            }
            continue;
        }
        let escape = rest.next()?;
        let Some((radix, longest)) = numeric(escape) else {
            units.push(simple(escape));
            continue;
        };
        let mut number = if radix == 8 { u64::from(escape.to_digit(8)?) } else { 0 };
        let mut digits = usize::from(radix == 8);
        while digits < longest
            && let Some(digit) = rest.peek().and_then(|next| next.to_digit(radix))
        {
            number = number.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
            digits += 1;
            rest.next();
        }
        if wide || escape == 'x' || radix == 8 {
            units.push(if wide { number } else { number & 0xff });
        } else {
            let character = char::from_u32(u32::try_from(number).ok()?)?;
            units.extend(character.to_string().bytes().map(u64::from));
        }
    }
    Some((wide, units))
}
