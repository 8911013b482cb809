//! Names of a program's text that are neither objects nor procedures: types, tags, and constants of enumerations. Statements do without
//! them; what people write about a program, predicates and formulas, is read with them.

use super::ids::ProcedureId;
use super::types::TypeId;

/// What a name of the text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// A name that `typedef` gives a type.
    Type(TypeId),
    /// A tag, behind `struct`, `union` or `enum`.
    Tag(TypeId),
    /// A constant of an enumeration: its value and its type.
    Constant(i128, TypeId),
}

/// A name of the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// As it is written.
    pub name: Box<str>,
    /// The procedure inside which it is declared; none for what is declared outside.
    pub scope: Option<ProcedureId>,
    /// What it means.
    pub meaning: Meaning,
}

/// The names of a text: of all files, each as often as it is declared with another meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    names: Vec<Named>,
}

impl Vocabulary {
    /// Adds a name.
    pub fn add(&mut self, named: Named) {
        self.names.push(named);
    }

    /// Takes out what is there several times. O(n log n).
    pub fn close(&mut self) {
        self.names.sort_by(|a, b| a.name.cmp(&b.name));
        let mut known = std::collections::HashSet::new();
        self.names.retain(|named| known.insert(named.clone()));
    }

    /// What a name may mean inside a procedure, or outside of all: the meanings that are declared there, else those that are declared
    /// outside. Several, in the order of the text, where blocks or files declare it differently. Logarithmic.
    pub fn meanings(&self, name: &str, scope: Option<ProcedureId>) -> Vec<Meaning> {
        let first = self.names.partition_point(|named| &*named.name < name);
        let all = || self.names[first..].iter().take_while(|named| &*named.name == name);
        let of = |scope| all().filter(move |named| named.scope == scope).map(|named| named.meaning);
        let inside: Vec<Meaning> = scope.map(|scope| of(Some(scope)).collect()).unwrap_or_default();
        if inside.is_empty() { of(None).collect() } else { inside }
    }

    /// The names that mean something inside a procedure, or outside of all.
    pub fn visible(&self, scope: Option<ProcedureId>) -> impl Iterator<Item = &str> {
        self.names.iter().filter(move |named| named.scope.is_none() || named.scope == scope).map(|named| &*named.name)
    }
}
