//! Ranges of numbers, as they are before they are made fit a type.

use crate::c::expression::Binary;
use crate::c::types::Integer;

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub least: i128,
    pub most: i128,
}

impl Range {
    /// All numbers of a type.
    pub fn of(integer: Integer) -> Range {
        let most = if integer.signed { -(integer.least() + 1) } else { integer.mask() as i128 };
        Range { least: integer.least(), most }
    }

    /// Whether there is none that the other one does not have.
    pub fn is_in(self, other: Range) -> bool {
        other.least <= self.least && self.most <= other.most
    }

    /// Both.
    pub fn joined(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// What is in both.
    pub fn met(self, other: Range) -> Range {
        Range { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    /// The range of what is made of the ends of two ranges, if it is greatest and least there.
    pub fn corners(a: Range, b: Range, made: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        let all = [made(a.least, b.least), made(a.least, b.most), made(a.most, b.least), made(a.most, b.most)];
        let all = all.into_iter().collect::<Option<Vec<i128>>>()?;
        Some(Range { least: *all.iter().min()?, most: *all.iter().max()? })
    }
}

/// The range of what an operator makes of two; none if that is not known.
pub fn computed(op: Binary, a: Range, b: Range, integer: Integer) -> Option<Range> {
    let is_positive = a.least >= 0 && b.least >= 0;
    Some(match op {
        Binary::Add => Range { least: a.least + b.least, most: a.most + b.most },
        Binary::Subtract => Range { least: a.least - b.most, most: a.most - b.least },
        Binary::Multiply => Range::corners(a, b, i128::checked_mul)?,
        Binary::Divide if b.least >= 1 => Range::corners(a, b, i128::checked_div)?,
        Binary::Remainder if b.least >= 1 => {
            let most = b.most - 1;
            Range {
                least: if a.least >= 0 { 0 } else { a.least.max(-most) },
                most: if a.most <= 0 { 0 } else { a.most.min(most) },
            }
        }
        Binary::And if is_positive => Range { least: 0, most: a.most.min(b.most) },
        Binary::And if a.least >= 0 => Range { least: 0, most: a.most },
        Binary::And if b.least >= 0 => Range { least: 0, most: b.most },
        Binary::Or | Binary::Xor if is_positive => {
            let bits = 128 - a.most.max(b.most).leading_zeros();
            let least = if op == Binary::Or { a.least.max(b.least) } else { 0 };
            Range { least, most: (1 << bits) - 1 }
        }
        Binary::ShiftLeft if a.least >= 0 && b.least >= 0 && b.most < i128::from(integer.width) => {
            Range { least: a.least.checked_mul(1 << b.least)?, most: a.most.checked_mul(1 << b.most)? }
        }
        Binary::ShiftRight if b.least >= 0 && b.most < i128::from(integer.width) => {
            Range::corners(a, b, |a, b| Some(a >> b))?
        }
        Binary::Length => a,
        _ => return None,
    })
}
