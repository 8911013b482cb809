//! Which of the types that a type is made from are volatile.

/// How one type is made from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It is not.
    Not,
    /// `*`
    Pointer,
    /// `[]`
    Array,
    /// `()`
    Function,
}

/// A type, and whether what is of it is volatile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How it is made from the next.
    pub made: Made,
    /// Whether what is of it is volatile.
    pub volatile: bool,
}

/// The same of all types that a type is made from, itself first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(pub Vec<Level>);

impl Levels {
    /// Of a type that is made from no other.
    pub fn plain() -> Levels {
        Levels(vec![Level { made: Made::Not, volatile: false }])
    }

    /// A type made from this one.
    pub fn made(mut self, made: Made, volatile: bool) -> Levels {
        self.0.insert(0, Level { made, volatile });
        self
    }

    /// The same type with the qualifier, or as it is.
    pub fn qualified(mut self, volatile: bool) -> Levels {
        if let Some(level) = self.0.first_mut() {
            level.volatile |= volatile;
        }
        self
    }

    /// Whether an object of the type is.
    pub fn here(&self) -> bool {
        self.0
            .iter()
            .scan(true, |inside, level| {
                let own = *inside && level.volatile;
                *inside = *inside && level.made == Made::Array;
                Some(own)
            })
            .any(|volatile| volatile)
    }

    /// Whether anything is.
    pub fn anywhere(&self) -> bool {
        self.0.iter().any(|level| level.volatile)
    }

    /// Of the elements of an array, of what a pointer leads to.
    pub fn inner(&self) -> Levels {
        let whole = self.0.first().is_some_and(|level| level.made == Made::Array && level.volatile);
        Levels(self.0.get(1..).unwrap_or(&[]).to_vec()).qualified(whole)
    }

    /// Of what a function, or one that a pointer leads to, returns.
    pub fn returned(&self) -> Levels {
        let at = self.0.iter().position(|level| level.made == Made::Function).map_or(self.0.len(), |at| at + 1);
        Levels(self.0.get(at..).unwrap_or(&[]).to_vec())
    }
}
