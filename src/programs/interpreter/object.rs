//! An object: bytes in pages, of which only those are kept that were written.

use std::collections::BTreeMap;

use super::chunk::{Byte, Chunk, Plain};

/// How many bytes a page has; a smaller object is one.
pub const PAGE: u64 = 256;

/// Bytes of the machine that a page takes beside its bytes.
const ENTRY: u64 = 64;

/// Bytes of the machine that the list of pages takes as soon as there is one.
const LIST: u64 = 512;

/// How an object came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A variable.
    Variable,
    /// A literal: nobody may write to it.
    Constant,
    /// `malloc`
    Allocated,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    size: u64,
    /// How it came to be.
    pub origin: Origin,
    /// If it is a local: how many have been declared by the same declaration before.
    pub life: u32,
    kept: Kept,
}

#[derive(Clone, Debug)]
enum Kept {
    /// Nothing is larger than this, and most things are smaller.
    Page(Chunk),
    /// Those pages that are not all this.
    Pages(Plain, BTreeMap<u64, Chunk>),
}

/// Bytes of an object that are alike, or not.
#[derive(Clone, Copy, Debug)]
pub enum Run<'o> {
    /// So many, which all are this.
    Uniform(u64, Plain),
    /// So many, of a page.
    Mixed(usize, &'o Chunk),
}

impl Object {
    /// All its bytes are the same.
    pub fn new(size: u64, fill: Plain, origin: Origin) -> Object {
        let kept = if size <= PAGE { Kept::Page(Chunk::Uniform(fill)) } else { Kept::Pages(fill, BTreeMap::new()) };
        Object { size, origin, life: 0, kept }
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many bytes of the machine its own take.
    pub fn room(&self) -> u64 {
        match &self.kept {
            Kept::Page(chunk) => chunk.room(),
            Kept::Pages(_, pages) => listed(pages),
        }
    }

    /// How many bytes a page has.
    fn length(&self, page: u64) -> usize {
        (self.size - page * PAGE).min(PAGE) as usize
    }

    /// Copies bytes that it has.
    pub fn read(&self, from: u64, out: &mut [Byte]) {
        match &self.kept {
            Kept::Page(chunk) => chunk.read(from as usize, out),
            Kept::Pages(fill, pages) => {
                let mut rest = out;
                for (page, at, count) in pieces(from, rest.len() as u64) {
                    let (now, later) = rest.split_at_mut(count);
                    match pages.get(&page) {
                        Some(chunk) => chunk.read(at, now),
                        None => now.fill(fill.byte()),
                    }
                    rest = later;
                }
            }
        }
    }

    /// Bytes that it has as a number, if they are one and lie in one page.
    pub fn number(&self, from: u64, count: usize) -> Option<u128> {
        match &self.kept {
            Kept::Page(chunk) => chunk.number(from as usize, count),
            Kept::Pages(fill, pages) => {
                let (page, at) = (from / PAGE, (from % PAGE) as usize);
                if at + count > PAGE as usize {
                    return None;
                }
                match pages.get(&page) {
                    Some(chunk) => chunk.number(at, count),
                    None => Chunk::Uniform(*fill).number(at, count),
                }
            }
        }
    }

    /// Changes bytes that it has, page by page: the chunk, its length, from where on, and which of them. How many bytes of the machine
    /// more it takes after that, or less.
    fn change(&mut self, from: u64, count: u64, change: &mut dyn FnMut(&mut Chunk, usize, usize, usize)) -> i64 {
        let (size, mut grown) = (self.size, 0);
        match &mut self.kept {
            Kept::Page(chunk) => {
                let before = chunk.room();
                change(chunk, size as usize, from as usize, count as usize);
                grown += chunk.room() as i64 - before as i64;
            }
            Kept::Pages(fill, pages) => {
                for (page, at, count) in pieces(from, count) {
                    let length = (size - page * PAGE).min(PAGE) as usize;
                    let none = pages.is_empty();
                    let chunk = pages.entry(page).or_insert_with(|| {
                        grown += (ENTRY + if none { LIST } else { 0 }) as i64;
                        Chunk::Uniform(*fill)
                    });
                    let before = chunk.room();
                    change(chunk, length, at, count);
                    grown += chunk.room() as i64 - before as i64;
                    if matches!(chunk, Chunk::Uniform(plain) if plain == fill) {
                        pages.remove(&page);
                        grown -= (ENTRY + if pages.is_empty() { LIST } else { 0 }) as i64;
                    }
                }
            }
        }
        grown
    }

    /// Writes bytes; see [`Object::change`].
    pub fn write(&mut self, from: u64, new: &[Byte]) -> i64 {
        let mut rest = new;
        self.change(from, new.len() as u64, &mut |chunk, length, at, count| {
            let (now, later) = rest.split_at(count);
            chunk.write(length, at, now);
            rest = later;
        })
    }

    /// Writes a number, lowest byte first; see [`Object::change`].
    pub fn put(&mut self, from: u64, count: usize, mut bits: u128) -> i64 {
        if let Kept::Page(chunk @ (Chunk::Numbers(..) | Chunk::Bytes(_))) = &mut self.kept {
            chunk.put(self.size as usize, from as usize, count, bits);
            return 0;
        }
        self.change(from, count as u64, &mut |chunk, length, at, count| {
            chunk.put(length, at, count, bits);
            bits = bits.checked_shr(8 * count as u32).unwrap_or(0);
        })
    }

    /// So many bytes become this; see [`Object::change`].
    pub fn fill(&mut self, from: u64, count: u64, fill: Plain) -> i64 {
        if let Kept::Pages(all, pages) = &mut self.kept
            && count == self.size
        {
            let gone = listed(pages);
            pages.clear();
            *all = fill;
            return -(gone as i64);
        }
        self.change(from, count, &mut |chunk, length, at, count| chunk.fill(length, at, count, fill))
    }

    /// How many bytes from one on are plainly the same, and what; none if they have to be looked at one by one.
    pub fn same(&self, from: u64) -> Option<(u64, Plain)> {
        match &self.kept {
            Kept::Page(Chunk::Uniform(plain)) => Some((self.size - from, *plain)),
            Kept::Page(_) => None,
            Kept::Pages(fill, pages) => match pages.range(from / PAGE..).next() {
                None => Some((self.size - from, *fill)),
                Some((&page, _)) if page > from / PAGE => Some((page * PAGE - from, *fill)),
                Some((&page, Chunk::Uniform(plain))) => Some((((page + 1) * PAGE).min(self.size) - from, *plain)),
                Some(_) => None,
            },
        }
    }

    /// All its bytes in order. Equal bytes give equal runs, however they came to be there.
    pub fn runs(&self, tell: &mut dyn FnMut(Run<'_>)) {
        let (fill, pages) = match &self.kept {
            Kept::Page(chunk) => return tell(Run::Mixed(self.size as usize, chunk)),
            Kept::Pages(fill, pages) => (*fill, pages),
        };
        let (mut at, mut open) = (0, Open { count: 0, plain: fill });
        for (&page, chunk) in pages {
            open.further(page * PAGE - at, fill, tell);
            let length = self.length(page);
            match chunk.uniform(length) {
                Some(plain) => open.further(length as u64, plain, tell),
                None => {
                    open.end(tell);
                    tell(Run::Mixed(length, chunk));
                }
            }
            at = page * PAGE + length as u64;
        }
        open.further(self.size - at, fill, tell);
        open.end(tell);
    }
}

/// Bytes that are alike, of which there may be more.
struct Open {
    count: u64,
    plain: Plain,
}

impl Open {
    fn further(&mut self, count: u64, plain: Plain, tell: &mut dyn FnMut(Run<'_>)) {
        if count > 0 && plain != self.plain {
            self.end(tell);
            self.plain = plain;
        }
        self.count += count;
    }

    fn end(&mut self, tell: &mut dyn FnMut(Run<'_>)) {
        if self.count > 0 {
            tell(Run::Uniform(self.count, self.plain));
        }
        self.count = 0;
    }
}

/// Bytes of the machine that pages take.
fn listed(pages: &BTreeMap<u64, Chunk>) -> u64 {
    let pages_own: u64 = pages.values().map(|chunk| chunk.room() + ENTRY).sum();
    pages_own + if pages.is_empty() { 0 } else { LIST }
}

/// The pages that so many bytes lie in: where in each, and how many.
fn pieces(from: u64, count: u64) -> impl Iterator<Item = (u64, usize, usize)> {
    let (mut at, end) = (from, from + count);
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let (page, begin) = (at / PAGE, at % PAGE);
            let count = (PAGE - begin).min(end - at);
            at += count;
            (page, begin as usize, count as usize)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::program::ReasonId;
    use crate::interpreter::Pointer;
    use crate::random;

    /// Any byte, numbers most often.
    fn byte(state: &mut u64) -> Byte {
        match random::next(state) % 12 {
            0 => Byte::Arbitrary,
            1 => Byte::Unknown,
            2 => Byte::Unrepresented(ReasonId(1)),
            3 => Byte::Pointer(Pointer::Arbitrary, 3),
            4 => Byte::Partly(5, 7),
            other => Byte::Bits(other as u8),
        }
    }

    fn plain(state: &mut u64) -> Plain {
        Plain::of(byte(state)).unwrap_or(Plain::Bits(0))
    }

    /// All bytes as its runs have them.
    fn spelled(object: &Object) -> Vec<Byte> {
        let mut bytes = Vec::new();
        object.runs(&mut |run| match run {
            Run::Uniform(count, plain) => bytes.extend((0..count).map(|_| plain.byte())),
            Run::Mixed(count, chunk) => bytes.extend((0..count).map(|at| chunk.byte(at))),
        });
        bytes
    }

    #[test]
    fn objects_are_what_lists_of_bytes_are() {
        let mut state = 7;
        for round in 0..200 {
            let size = [1, 4, 8, 255, 256, 257, 600, 1024, 1500][round % 9];
            let first = plain(&mut state);
            let mut object = Object::new(size, first, Origin::Variable);
            let mut bytes = vec![first.byte(); size as usize];
            let mut room = object.room() as i64;
            for _ in 0..60 {
                let from = random::next(&mut state) % size;
                let count = 1 + random::next(&mut state) % (size - from).min(if round % 2 == 0 { 16 } else { size });
                let part = from as usize..(from + count) as usize;
                match random::next(&mut state) % 4 {
                    0 => {
                        let fill = plain(&mut state);
                        room += object.fill(from, count, fill);
                        bytes[part].fill(fill.byte());
                    }
                    1 => {
                        let count = count.min(16);
                        let number = u128::from(random::next(&mut state)) << 3;
                        room += object.put(from, count as usize, number);
                        for (at, byte) in bytes[part].iter_mut().take(count as usize).enumerate() {
                            *byte = Byte::Bits((number >> (8 * at)) as u8);
                        }
                    }
                    2 => {
                        let new: Vec<Byte> = (0..count).map(|_| byte(&mut state)).collect();
                        room += object.write(from, &new);
                        bytes[part].copy_from_slice(&new);
                    }
                    _ => {
                        room += object.fill(0, size, first);
                        bytes.fill(first.byte());
                    }
                }
                assert_eq!(room, object.room() as i64, "what it takes is what it said");
                assert_eq!(spelled(&object), bytes);
                let mut read = vec![Byte::Unknown; (size - from) as usize];
                object.read(from, &mut read);
                assert_eq!(read, bytes[from as usize..]);
                if let Some((same, plain)) = object.same(from) {
                    assert!(bytes[from as usize..][..same as usize].iter().all(|byte| *byte == plain.byte()));
                }
                if let Some(number) = object.number(from, count.min(16) as usize) {
                    let own = (0..count.min(16)).map(|at| Byte::Bits((number >> (8 * at)) as u8));
                    assert!(own.eq(bytes[from as usize..].iter().copied().take(count.min(16) as usize)));
                }
            }
        }
    }

    #[test]
    fn equal_bytes_have_equal_runs() {
        let runs = |object: &Object| {
            let mut told = Vec::new();
            object.runs(&mut |run| {
                told.push(match run {
                    Run::Uniform(count, plain) => (count, vec![plain.byte()]),
                    Run::Mixed(count, chunk) => (count as u64, (0..count).map(|at| chunk.byte(at)).collect()),
                });
            });
            told
        };
        let zero = Object::new(5000, Plain::Bits(0), Origin::Variable);
        let mut written = zero.clone();
        written.put(700, 4, 9);
        written.put(2000, 4, 0);
        assert_ne!(runs(&written), runs(&zero));
        written.put(700, 4, 0);
        assert_eq!(runs(&written), runs(&zero));
        let mut filled = Object::new(5000, Plain::Arbitrary, Origin::Variable);
        for page in (0..5000).step_by(100) {
            filled.fill(page, 100, Plain::Bits(0));
        }
        assert_eq!(runs(&filled), runs(&zero));
    }
}
