//! Conditions as decisions on other conditions, one after the other: what can share its parts and is data.

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision<T> {
    /// What is asked.
    pub test: T,
    /// Where it goes on if it is false.
    pub low: u32,
    /// Where it goes on if it is true.
    pub high: u32,
}

/// Decisions: 0 is false, 1 is true, from 2 on they are those of the list, each after those to which it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram<T> {
    /// The decisions.
    pub decisions: Vec<Decision<T>>,
    /// Where it begins.
    pub root: u32,
}

impl<T> Diagram<T> {
    /// A constant.
    pub fn constant(value: bool) -> Diagram<T> {
        Diagram { decisions: Vec::new(), root: u32::from(value) }
    }

    /// The same decisions on what the tests become.
    pub fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> Diagram<U> {
        let one =
            |decision: &Decision<T>| Decision { test: each(&decision.test), low: decision.low, high: decision.high };
        Diagram { decisions: self.decisions.iter().map(one).collect(), root: self.root }
    }
}
