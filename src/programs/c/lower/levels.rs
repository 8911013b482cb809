//! What is said of each of the types that a type is made from: qualifiers, and whether `char` is `signed` by name.

use std::ops::BitOrAssign;

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

/// What is said of a type beside what it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// `volatile`
    pub volatile: bool,
    /// `const`
    pub constant: bool,
    /// `restrict`
    pub restricted: bool,
    /// `signed`, of a `char`.
    pub signed: bool,
    /// Something that is not known: the type is that of an expression.
    pub unclear: bool,
}

impl Said {
    /// Nothing.
    pub const NOTHING: Said =
        Said { volatile: false, constant: false, restricted: false, signed: false, unclear: false };
}

impl BitOrAssign for Said {
    fn bitor_assign(&mut self, other: Said) {
        self.volatile |= other.volatile;
        self.constant |= other.constant;
        self.restricted |= other.restricted;
        self.signed |= other.signed;
        self.unclear |= other.unclear;
    }
}

/// A type, and what is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How it is made from the next.
    pub made: Made,
    /// What is said of it.
    pub said: Said,
}

/// The same of all types that a type is made from, itself first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(pub Vec<Level>);

impl Levels {
    /// Of a type that is made from no other.
    pub fn plain() -> Levels {
        Levels(vec![Level { made: Made::Not, said: Said::NOTHING }])
    }

    /// A type made from this one.
    pub fn made(mut self, made: Made, said: Said) -> Levels {
        self.0.insert(0, Level { made, said });
        self
    }

    /// The same type, of which that is said, too.
    pub fn qualified(mut self, said: Said) -> Levels {
        if let Some(level) = self.0.first_mut() {
            level.said |= said;
        }
        self
    }

    /// The type of what is read from an object of the type: without qualifiers; an array or a function has become a pointer (§6.3.2.1).
    pub fn converted(self) -> Levels {
        match self.0.first().map(|level| level.made) {
            Some(Made::Array) => self.inner().made(Made::Pointer, Said::NOTHING),
            Some(Made::Function) => self.made(Made::Pointer, Said::NOTHING),
            _ => self.unqualified(),
        }
    }

    fn unqualified(mut self) -> Levels {
        if let Some(level) = self.0.first_mut() {
            level.said = Said { signed: level.said.signed, unclear: level.said.unclear, ..Said::NOTHING };
        }
        self
    }

    /// Whether an object of the type is volatile.
    pub fn here(&self) -> bool {
        self.0
            .iter()
            .scan(true, |inside, level| {
                let own = *inside && level.said.volatile;
                *inside = *inside && level.made == Made::Array;
                Some(own)
            })
            .any(|volatile| volatile)
    }

    /// Whether an object of the type is `const`: an array is if its elements are.
    pub fn constant(&self) -> bool {
        let mut own = self.0.iter().scan(true, |inside, level| {
            let reached = *inside;
            *inside = *inside && level.made == Made::Array;
            reached.then_some(level.said.constant)
        });
        own.any(|constant| constant)
    }

    /// Whether anything is volatile.
    pub fn anywhere(&self) -> bool {
        self.0.iter().any(|level| level.said.volatile)
    }

    /// Of the elements of an array, of what a pointer leads to.
    pub fn inner(&self) -> Levels {
        let whole = self.0.first().filter(|level| level.made == Made::Array).map(|level| level.said);
        Levels(self.0.get(1..).unwrap_or(&[]).to_vec()).qualified(whole.unwrap_or_default())
    }

    /// Of the type of an expression.
    pub fn unclear() -> Levels {
        Levels::plain().qualified(Said { unclear: true, ..Said::NOTHING })
    }

    /// Whether a type is made like the one of which that is said, and all is known of it.
    pub fn is_of(&self, shape: &Levels) -> bool {
        let alike = self.0.iter().zip(&shape.0).all(|(one, other)| one.made == other.made && !one.said.unclear);
        alike && self.0.len() == shape.0.len()
    }

    /// Whether anything is said at all.
    pub fn tell(&self) -> bool {
        self.0.iter().any(|level| level.said != Said::NOTHING)
    }

    /// Of what a function, or one that a pointer leads to, returns.
    pub fn returned(&self) -> Levels {
        let at = self.0.iter().position(|level| level.made == Made::Function).map_or(self.0.len(), |at| at + 1);
        Levels(self.0.get(at..).unwrap_or(&[]).to_vec())
    }
}
