//! How much begins before a byte of a text: characters, or units of UTF-16, in constant time however long its lines are.

use std::marker::PhantomData;

/// What is counted.
pub trait Unit {
    /// How many begin with a byte; with one of ASCII it is one.
    fn begun(byte: u8) -> usize;
}

/// An index of a text.
#[derive(Clone, Debug)]
pub struct Counted<U> {
    /// How much begins before every [`STRIDE`]-th byte; empty if that is a byte each.
    before: Vec<usize>,
    unit: PhantomData<U>,
}

/// Bytes between two entries of the index.
const STRIDE: usize = 1024;

impl<U: Unit> Counted<U> {
    /// An index of a text. Linear in its length, once.
    pub fn new(text: &str) -> Self {
        let indexed = if text.is_ascii() { &[] } else { text.as_bytes() };
        let mut before = 0;
        let here = |chunk: &[u8]| {
            let here = before;
            before += begun::<U>(chunk);
            here
        };
        Counted { before: indexed.chunks(STRIDE).map(here).collect(), unit: PhantomData }
    }

    /// Whether bytes and what is counted are the same.
    pub fn is_plain(&self) -> bool {
        self.before.is_empty()
    }

    /// How much begins before a byte.
    pub fn before(&self, text: &str, byte: usize) -> usize {
        if self.is_plain() {
            return byte;
        }
        // The end of the text may be the beginning of a chunk that does not exist.
        let chunk = (byte / STRIDE).min(self.before.len() - 1);
        self.before[chunk] + begun::<U>(&text.as_bytes()[chunk * STRIDE..byte])
    }

    /// The beginning of a character at which so much has begun, or less by what begins in a chunk; not before the byte `least`.
    pub fn near(&self, text: &str, wanted: usize, least: usize) -> usize {
        let chunk = self.before.partition_point(|&before| before <= wanted).saturating_sub(1);
        let mut at = (chunk * STRIDE).max(least);
        // A chunk may begin inside a character.
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    }
}

fn begun<U: Unit>(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| U::begun(*byte)).sum()
}
