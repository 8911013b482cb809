//! What conditions are made of: relations, or the gates of a circuit. What rules and expressions mean is said once, for both.

use crate::bdd::{At, Bit, Column, Relation, Space};
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// Something that has conditions over columns.
pub(super) trait Logic {
    /// A condition. Equal ones mean the same; whether the same ones are equal is not promised.
    type Term: Clone + PartialEq;

    /// Always true.
    fn top(&self) -> Self::Term;
    /// Never true.
    fn bottom(&self) -> Self::Term;
    /// A column has this value.
    fn literal(&self, column: Column, value: bool) -> Result<Self::Term>;
    fn and(&self, a: &Self::Term, b: &Self::Term) -> Result<Self::Term>;
    fn not(&self, a: &Self::Term) -> Result<Self::Term>;

    /// Whether it is known to be never true.
    fn is_empty(&self, a: &Self::Term) -> bool {
        *a == self.bottom()
    }

    /// Whether it is known to be always true.
    fn is_full(&self, a: &Self::Term) -> bool {
        *a == self.top()
    }

    fn or(&self, a: &Self::Term, b: &Self::Term) -> Result<Self::Term> {
        self.not(&self.and(&self.not(a)?, &self.not(b)?)?)
    }

    fn and_not(&self, a: &Self::Term, b: &Self::Term) -> Result<Self::Term> {
        self.and(a, &self.not(b)?)
    }

    fn xor(&self, a: &Self::Term, b: &Self::Term) -> Result<Self::Term> {
        self.or(&self.and_not(a, b)?, &self.and_not(b, a)?)
    }

    fn iff(&self, a: &Self::Term, b: &Self::Term) -> Result<Self::Term> {
        self.not(&self.xor(a, b)?)
    }

    fn ite(&self, c: &Self::Term, a: &Self::Term, b: &Self::Term) -> Result<Self::Term> {
        self.or(&self.and(c, a)?, &self.and_not(b, c)?)
    }

    /// Bits have the same values in two copies.
    fn identity(&self, bits: impl IntoIterator<Item = Bit>, a: At, b: At) -> Result<Self::Term> {
        let mut all = self.top();
        for bit in bits {
            let [a, b] = [self.literal((bit, a), true)?, self.literal((bit, b), true)?];
            all = self.and(&all, &self.iff(&a, &b)?)?;
        }
        Ok(all)
    }
}

impl Logic for Space {
    type Term = Relation;

    fn top(&self) -> Relation {
        Space::top(self)
    }

    fn bottom(&self) -> Relation {
        Space::bottom(self)
    }

    fn literal(&self, column: Column, value: bool) -> Result<Relation> {
        Space::literal(self, column, value)
    }

    fn and(&self, a: &Relation, b: &Relation) -> Result<Relation> {
        Space::and(self, a, b)
    }

    fn not(&self, a: &Relation) -> Result<Relation> {
        Space::not(self, a)
    }

    fn is_empty(&self, a: &Relation) -> bool {
        Space::is_empty(self, a)
    }

    fn is_full(&self, a: &Relation) -> bool {
        Space::is_full(self, a)
    }

    fn or(&self, a: &Relation, b: &Relation) -> Result<Relation> {
        Space::or(self, a, b)
    }

    fn and_not(&self, a: &Relation, b: &Relation) -> Result<Relation> {
        Space::and_not(self, a, b)
    }

    fn xor(&self, a: &Relation, b: &Relation) -> Result<Relation> {
        Space::xor(self, a, b)
    }

    fn iff(&self, a: &Relation, b: &Relation) -> Result<Relation> {
        Space::iff(self, a, b)
    }

    fn ite(&self, c: &Relation, a: &Relation, b: &Relation) -> Result<Relation> {
        Space::ite(self, c, a, b)
    }

    fn identity(&self, bits: impl IntoIterator<Item = Bit>, a: At, b: At) -> Result<Relation> {
        Space::identity(self, bits, a, b)
    }
}
