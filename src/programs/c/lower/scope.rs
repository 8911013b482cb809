//! Which name means what: identifiers, tags, and what files share.

use std::collections::{HashMap, HashSet};

use lang_c::span::Span;

use super::levels::Levels;
use super::{Lowered, Lowering};
use crate::c::program::{ProcedureId, VariableId};
use crate::c::types::{RecordId, Type, TypeId};
use crate::c::vocabulary::{Meaning, Named};

/// What an identifier means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// An object.
    Variable(VariableId),
    /// An array whose length is known only when it is declared: the pointer to its first element, and its type.
    Dynamic(VariableId, TypeId),
    /// A procedure.
    Procedure(ProcedureId),
    /// A type.
    Type(TypeId),
    /// An enumeration constant.
    Number(i128, TypeId),
}

/// What a tag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// `struct`, `union`
    Record(RecordId),
    /// `enum`: its type.
    Enumeration(TypeId),
}

/// What files share by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    /// A variable, and whether it is defined somewhere.
    Variable(VariableId, bool),
    /// A procedure.
    Procedure(ProcedureId),
}

/// Which block of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub u32);

/// A block, or a file.
#[derive(Debug, Default)]
pub struct Scope {
    /// Which of all.
    pub id: ScopeId,
    /// What ceases to live where it ends, in the order of the declarations.
    pub locals: Vec<VariableId>,
    /// Identifiers.
    pub names: HashMap<String, Entity>,
    /// Tags.
    pub tags: HashMap<String, Tag>,
    /// Types that are volatile, or made of such.
    pub volatile: HashMap<String, Levels>,
    /// What names of types say beside their types, where it is something.
    pub beside: HashMap<String, Beside>,
    /// Procedures that are inside the block: what each names.
    pub inner: HashMap<String, HashSet<String>>,
}

/// What the name of a type says beside its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Its objects begin at multiples of so many bytes.
    pub align: Option<u64>,
    /// Control does not come back from procedures that are declared with it.
    pub noreturn: bool,
}

impl Lowering<'_> {
    /// What an identifier means here.
    pub fn entity(&self, name: &str) -> Option<Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    /// What the name of a type says beside its type.
    pub fn beside_type(&self, name: &str) -> Beside {
        let scope = self.scopes.iter().rev().find(|scope| scope.names.contains_key(name));
        scope.and_then(|scope| scope.beside.get(name)).copied().unwrap_or_default()
    }

    /// Gives an identifier the meaning of a type in the innermost scope.
    pub fn name_type(&mut self, name: &str, ty: TypeId, beside: Beside) {
        self.name(name, Entity::Type(ty));
        if let Some(scope) = self.scopes.last_mut() {
            scope.beside.insert(name.to_owned(), beside);
        }
    }

    /// What a tag means here, and whether that is said in the innermost scope.
    pub fn tag(&self, name: &str) -> Option<(Tag, bool)> {
        let scopes = self.scopes.iter().rev().enumerate();
        scopes.filter_map(|(out, scope)| scope.tags.get(name).map(|tag| (*tag, out == 0))).next()
    }

    /// Gives an identifier a meaning in the innermost scope.
    pub fn name(&mut self, name: &str, entity: Entity) {
        match entity {
            Entity::Type(ty) => self.note_word(name, Meaning::Type(ty)),
            Entity::Number(number, ty) => self.note_word(name, Meaning::Constant(number, ty)),
            _ => {}
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), entity);
        }
    }

    /// Gives a tag a meaning in the innermost scope.
    pub fn name_tag(&mut self, name: &str, tag: Tag) {
        let ty = match tag {
            Tag::Record(id) => self.types.intern(Type::Record(id)),
            Tag::Enumeration(ty) => ty,
        };
        self.note_word(name, Meaning::Tag(ty));
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name.to_owned(), tag);
        }
    }

    /// Notes a name for those who read what is written about the program. Those of the library's models are nobody's.
    fn note_word(&mut self, name: &str, meaning: Meaning) {
        if !self.in_model() {
            let scope = self.body.as_ref().map(|body| body.procedure);
            let name = self.spelled(name).into();
            self.vocabulary.add(Named { name, scope, meaning });
        }
    }

    /// Does something in a scope of its own, whose locals cease to live at its end.
    pub fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.blocks += 1;
        self.scopes.push(Scope { id: ScopeId(self.blocks), ..Scope::default() });
        let done = work(self);
        self.end_of_blocks(self.scopes.len() - 1);
        self.scopes.pop();
        done
    }

    /// Complains about a name that means nothing.
    pub fn unknown_name(&mut self, name: &str, span: Span) -> super::Refused {
        let mut names: Vec<String> = self.scopes.iter().flat_map(|scope| scope.names.keys().cloned()).collect();
        names.sort_unstable();
        let shown = self.spelled(name).to_owned();
        let mut complaint = spds_format::Diagnostic::error(format!("`{shown}` is not declared"), span.start..span.end);
        let guess = self.complaints[self.unit].guess(name, names.iter().map(String::as_str));
        if let Some(guess) = guess {
            complaint = complaint.with_help(guess);
        }
        self.complain(complaint)
    }
}
