//! Some bytes in a row, in as little room as they need: what nobody has written takes none, and numbers two bytes each.

use super::Pointer;
use crate::c::program::ReasonId;

/// A byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// A number.
    Bits(u8),
    /// A byte of a pointer, counted from the lowest.
    Pointer(Pointer, u8),
    /// A byte of a NaN that was computed, counted from the lowest, and how many it has.
    Nan(u8, u8),
    /// Only these bits are known, because a bit-field was written: the bits, and which.
    Partly(u8, u8),
    /// Nothing was written: any value, the same from the first time on that it is read.
    Arbitrary,
    /// The front end does not represent what was written.
    Unrepresented(ReasonId),
    /// A part of what is not known.
    Unknown,
}

/// A byte that can be all bytes of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// A number.
    Bits(u8),
    /// See [`Byte::Arbitrary`].
    Arbitrary,
    /// See [`Byte::Unrepresented`].
    Unrepresented(ReasonId),
    /// See [`Byte::Unknown`].
    Unknown,
}

impl Plain {
    /// A byte, unless what it is depends on where it is.
    pub fn of(byte: Byte) -> Option<Plain> {
        Some(match byte {
            Byte::Bits(bits) => Plain::Bits(bits),
            Byte::Arbitrary => Plain::Arbitrary,
            Byte::Unrepresented(reason) => Plain::Unrepresented(reason),
            Byte::Unknown => Plain::Unknown,
            Byte::Pointer(..) | Byte::Nan(..) | Byte::Partly(..) => return None,
        })
    }

    /// The same as a byte.
    pub fn byte(self) -> Byte {
        match self {
            Plain::Bits(bits) => Byte::Bits(bits),
            Plain::Arbitrary => Byte::Arbitrary,
            Plain::Unrepresented(reason) => Byte::Unrepresented(reason),
            Plain::Unknown => Byte::Unknown,
        }
    }
}

/// Bytes in a row. How many they are its owner knows, and passes on as `length`.
#[derive(Clone, Debug)]
pub enum Chunk {
    /// All are the same.
    Uniform(Plain),
    /// Numbers, and after them which of them were written (1) and which are still this (0).
    Numbers(Plain, Box<[u8]>),
    /// Anything.
    Bytes(Box<[Byte]>),
}

impl Chunk {
    /// How many bytes of the machine it takes, beside itself.
    pub fn room(&self) -> u64 {
        match self {
            Chunk::Uniform(_) => 0,
            Chunk::Numbers(_, cells) => cells.len() as u64 + 16,
            Chunk::Bytes(bytes) => (bytes.len() * size_of::<Byte>()) as u64 + 16,
        }
    }

    /// One of them.
    pub fn byte(&self, at: usize) -> Byte {
        match self {
            Chunk::Uniform(plain) => plain.byte(),
            Chunk::Numbers(plain, cells) => match cells[cells.len() / 2 + at] {
                0 => plain.byte(),
                _ => Byte::Bits(cells[at]),
            },
            Chunk::Bytes(bytes) => bytes[at],
        }
    }

    /// Those from one on.
    pub fn read(&self, from: usize, out: &mut [Byte]) {
        match self {
            Chunk::Uniform(plain) => out.fill(plain.byte()),
            Chunk::Numbers(..) => (from..).zip(out).for_each(|(at, byte)| *byte = self.byte(at)),
            Chunk::Bytes(bytes) => out.copy_from_slice(&bytes[from..from + out.len()]),
        }
    }

    /// Those from one on as a number, lowest first, if they are one. There are 16 at most.
    pub fn number(&self, from: usize, count: usize) -> Option<u128> {
        let mut bits = 0u128;
        match self {
            Chunk::Numbers(_, cells) => {
                let (numbers, written) = cells.split_at(cells.len() / 2);
                if written[from..from + count].contains(&0) {
                    return None;
                }
                for &number in numbers[from..from + count].iter().rev() {
                    bits = bits << 8 | u128::from(number);
                }
            }
            Chunk::Uniform(Plain::Bits(number)) => {
                for _ in 0..count {
                    bits = bits << 8 | u128::from(*number);
                }
            }
            Chunk::Uniform(_) => return None,
            Chunk::Bytes(bytes) => {
                for byte in bytes[from..from + count].iter().rev() {
                    let Byte::Bits(number) = byte else { return None };
                    bits = bits << 8 | u128::from(*number);
                }
            }
        }
        Some(bits)
    }

    /// Writes a number, lowest byte first.
    pub fn put(&mut self, length: usize, from: usize, count: usize, mut bits: u128) {
        if let Chunk::Uniform(plain) = *self {
            *self = Chunk::Numbers(plain, vec![0; 2 * length].into());
        }
        match self {
            Chunk::Numbers(_, cells) => {
                for at in from..from + count {
                    cells[at] = bits as u8;
                    cells[length + at] = 1;
                    bits >>= 8;
                }
            }
            Chunk::Bytes(bytes) => {
                for byte in &mut bytes[from..from + count] {
                    *byte = Byte::Bits(bits as u8);
                    bits >>= 8;
                }
            }
            Chunk::Uniform(_) => {}
        }
    }

    /// Writes bytes.
    pub fn write(&mut self, length: usize, from: usize, new: &[Byte]) {
        if !matches!(self, Chunk::Bytes(_)) && new.iter().all(|byte| matches!(byte, Byte::Bits(_))) {
            for (at, byte) in (from..).zip(new) {
                if let Byte::Bits(bits) = byte {
                    self.put(length, at, 1, u128::from(*bits));
                }
            }
            return;
        }
        self.spelled_out(length)[from..from + new.len()].copy_from_slice(new);
    }

    /// So many bytes from one on become this.
    pub fn fill(&mut self, length: usize, from: usize, count: usize, fill: Plain) {
        match self {
            // The place is kept for what is written next.
            Chunk::Numbers(plain, cells) if *plain == fill => {
                cells[length + from..length + from + count].fill(0);
                return;
            }
            Chunk::Uniform(plain) if *plain == fill => return,
            _ => {}
        }
        if count == length {
            *self = Chunk::Uniform(fill);
            return;
        }
        match (&mut *self, fill) {
            (Chunk::Uniform(_) | Chunk::Numbers(..), Plain::Bits(bits)) => {
                (from..from + count).for_each(|at| self.put(length, at, 1, u128::from(bits)));
            }
            _ => self.spelled_out(length)[from..from + count].fill(fill.byte()),
        }
    }

    fn spelled_out(&mut self, length: usize) -> &mut [Byte] {
        if !matches!(self, Chunk::Bytes(_)) {
            let mut bytes = vec![Byte::Unknown; length];
            self.read(0, &mut bytes);
            *self = Chunk::Bytes(bytes.into());
        }
        match self {
            Chunk::Bytes(bytes) => bytes,
            Chunk::Uniform(_) | Chunk::Numbers(..) => &mut [],
        }
    }

    /// What all of them are, if they are the same.
    pub fn uniform(&self, length: usize) -> Option<Plain> {
        if let Chunk::Uniform(plain) = self {
            return Some(*plain);
        }
        let first = self.byte(0);
        let same = (1..length).all(|at| self.byte(at) == first);
        Plain::of(first).filter(|_| same)
    }
}
