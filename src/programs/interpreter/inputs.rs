//! Where arbitrary values come from: a list, or a generator with a seed.

use crate::c::types::Integer;
use crate::random;

/// For what a value is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An integer of this type.
    Integer(Integer),
    /// A pointer: 0 is NULL, all else some pointer of which nothing is known.
    Pointer,
}

/// The arbitrary values of a run, in the order in which it asks for them.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// These; when they are used up, the run ends as unknown.
    List(std::collections::VecDeque<i128>),
    /// As many as are asked for, the same for the same seed; no allocation fails.
    Seeded(u64),
    /// The same, where some allocations fail.
    Scarce(u64),
    /// The same, near these numbers.
    Near(Near),
    /// These for inputs of the program itself; what C leaves open is evaluated in these orders, and then from left to right, and the library
    /// chooses like this.
    Ordered(Box<Inputs>, std::collections::VecDeque<i128>, Library),
}

/// What the library chooses where C leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Always this number.
    Always(i128),
    /// Any numbers, the same for the same seed.
    Seeded(u64),
}

/// How inputs are drawn near numbers that matter to a program.
#[derive(Clone, Debug)]
pub struct Near {
    state: u64,
    /// Of all, what is drawn most often in this run.
    mood: Mood,
    numbers: std::sync::Arc<[i128]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Mixed,
    /// Truth values.
    Truths,
    /// The ends of types.
    Ends,
    /// The numbers alone.
    Numbers,
    /// The first number again and again.
    First,
}

impl Near {
    fn next(&mut self, asked: Asked) -> i128 {
        if self.mood == Mood::First {
            return self.numbers.first().copied().unwrap_or(0);
        }
        let (kind, number) = (random::next(&mut self.state) % 16, random::next(&mut self.state));
        let one = self.numbers.get(number as usize % self.numbers.len().max(1)).copied();
        match (self.mood, kind) {
            (Mood::Truths, 2..) => i128::from(number % 2),
            (Mood::Numbers, 1..) | (_, 0..=3) => one.unwrap_or(0),
            (Mood::Mixed, 4..=7) => i128::from(number % 8),
            (Mood::Mixed, 8..=11) => i128::from(number % 200),
            _ => drawn(&mut self.state, asked),
        }
    }
}

impl Inputs {
    /// As many as are asked for, near these numbers: others for each seed.
    pub fn near(numbers: &std::sync::Arc<[i128]>, seed: u64) -> Self {
        let mood = [Mood::Mixed, Mood::Truths, Mood::Ends, Mood::Numbers][(seed % 4) as usize];
        Inputs::Near(Near { state: seed, mood, numbers: numbers.clone() })
    }

    /// The same number, as often as one is asked for.
    pub fn steady(number: i128) -> Self {
        Inputs::Near(Near { state: 1, mood: Mood::First, numbers: [number].into() })
    }

    /// These numbers.
    pub fn list(numbers: impl IntoIterator<Item = i128>) -> Self {
        Inputs::List(numbers.into_iter().collect())
    }

    /// The same for inputs of the program itself; what C leaves open is evaluated from left to right.
    pub fn left_to_right(self) -> Self {
        Inputs::Ordered(Box::new(self), std::collections::VecDeque::new(), Library::Always(0))
    }

    /// No inputs; what C leaves open is evaluated in these orders, and then from left to right.
    #[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
    pub fn ordered(orders: impl IntoIterator<Item = i128>) -> Self {
        Inputs::list([]).with_choices(orders, Library::Always(0))
    }

    /// The same for inputs of the program itself; what C leaves open is evaluated in these orders, and the library chooses like this.
    pub fn with_choices(self, orders: impl IntoIterator<Item = i128>, library: Library) -> Self {
        Inputs::Ordered(Box::new(self), orders.into_iter().collect(), library)
    }

    /// The next order of evaluation: 0 from left to right, as when nothing else is said, or one of so many others.
    pub fn order(&mut self, others: usize) -> i128 {
        let number = match self {
            Inputs::List(orders) | Inputs::Ordered(_, orders, _) => orders.pop_front().unwrap_or(0),
            Inputs::Seeded(state) | Inputs::Scarce(state) | Inputs::Near(Near { state, .. }) => {
                i128::from(random::next(state) % (others as u64 + 1))
            }
        };
        if (0..=others as i128).contains(&number) { number } else { 0 }
    }

    /// The next number that the library chooses where C leaves it open: 0 when nothing is said.
    pub fn unspecified(&mut self, ty: Integer) -> i128 {
        let number = match self {
            Inputs::List(numbers) => numbers.pop_front().unwrap_or(0),
            Inputs::Ordered(_, _, Library::Always(number)) => *number,
            Inputs::Seeded(state)
            | Inputs::Scarce(state)
            | Inputs::Near(Near { state, .. })
            | Inputs::Ordered(_, _, Library::Seeded(state)) => drawn(state, Asked::Integer(ty)),
        };
        ty.number(number as u128 & ty.mask())
    }

    /// Whether the next allocation gives an object: as when nothing else is said.
    pub fn allocation(&mut self) -> bool {
        match self {
            Inputs::List(list) => list.pop_front() != Some(0),
            Inputs::Seeded(_) => true,
            Inputs::Scarce(state) | Inputs::Near(Near { state, .. }) => !random::next(state).is_multiple_of(4),
            Inputs::Ordered(own, ..) => own.allocation(),
        }
    }

    /// The next value, modulo 2ʷ for integers.
    pub fn next(&mut self, asked: Asked) -> Option<i128> {
        let number = match self {
            Inputs::List(list) => list.pop_front()?,
            Inputs::Seeded(state) | Inputs::Scarce(state) => drawn(state, asked),
            Inputs::Near(near) => near.next(asked),
            Inputs::Ordered(own, ..) => return own.next(asked),
        };
        Some(match asked {
            Asked::Integer(ty) => ty.number(number as u128 & ty.mask()),
            Asked::Pointer => i128::from(number != 0),
        })
    }
}

/// Small numbers, the ends of the type, and any, about equally often.
fn drawn(state: &mut u64, asked: Asked) -> i128 {
    let mut next = || random::next(state);
    let Asked::Integer(ty) = asked else { return i128::from(next() % 2) };
    let most = (ty.mask() >> u32::from(ty.signed)) as i128;
    match next() % 8 {
        0..=2 => i128::from(next() % 16),
        3 => -i128::from(next() % 16),
        4 => most - i128::from(next() % 2),
        5 => ty.least().wrapping_add(i128::from(next() % 2)),
        6 => i128::from(next() % 256),
        _ => (u128::from(next()) << 64 | u128::from(next())) as i128,
    }
}
