//! Effective types (C11 §6.5, paragraphs 6 and 7): an object is accessed as what it is, or as characters. Of memory of which nothing else is
//! known, the state in which a function by itself is entered, that says which accesses cannot be to the same bytes.
//!
//! Scalars of one size are not told apart by whether they are signed, nor pointers by what they point to: much code takes one for another.
//! Members of one structure that do not overlap are apart in whatever structures of that type they lie. Through unions, and as characters,
//! everything may be accessed.

use super::expression::{LvalueId, LvalueKind};
use super::program::Program;
use super::types::{Rank, Type, TypeId};

/// What an access says of the bytes that it is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    class: Class,
    part: Option<Part>,
}

/// Which scalars it may be to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Any.
    Any,
    /// Characters only.
    Character,
    /// Pointers.
    Pointer,
    /// Integers of so many bytes.
    Integer(u64),
    /// Floating-point numbers of so many bytes.
    Float(u64),
}

/// The bytes of a structure among which those are that are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Part {
    record: TypeId,
    begin: u64,
    end: u64,
}

impl Access {
    /// Of which nothing is known.
    pub const ANY: Access = Access { class: Class::Any, part: None };

    /// That to an lvalue, in a program in which objects are accessed as what they are. Linear in it.
    pub fn to(program: &Program, lvalue: LvalueId) -> Access {
        if !program.effective {
            return Access::ANY;
        }
        let class = Class::of(program, program.terms.at(lvalue).ty);
        let part = placed(program, lvalue).map(|(part, _)| part);
        Access { class: if program.terms.is_in_union(&program.types, lvalue) { Class::Any } else { class }, part }
    }

    /// The same if it is known to be to characters that are nothing else.
    pub fn of_characters(self) -> Access {
        Access { class: Class::Character, ..self }
    }

    /// Which scalars it may be to.
    pub fn class(self) -> Class {
        self.class
    }

    /// Whether it cannot be to bytes of another one.
    pub fn is_apart(self, other: Access) -> bool {
        let parts = self.part.zip(other.part).filter(|(own, other)| own.record == other.record);
        self.class.is_apart(other.class)
            || parts.is_some_and(|(own, other)| own.end <= other.begin || other.end <= own.begin)
    }
}

impl Class {
    /// That of a type.
    pub fn of(program: &Program, ty: TypeId) -> Class {
        let size = program.types.size(ty).unwrap_or(0);
        match program.types.get(ty) {
            Type::Pointer(_) => Class::Pointer,
            Type::Integer(integer) if integer.rank != Rank::Char => Class::Integer(size),
            Type::Float(_) => Class::Float(size),
            _ => Class::Any,
        }
    }

    /// Whether no scalar is of both.
    pub fn is_apart(self, other: Class) -> bool {
        self != Class::Any && other != Class::Any && self != other
    }
}

/// Whether a scalar of such an access can be in an object of a type. Linear in the type.
pub fn may_hold(program: &Program, ty: TypeId, class: Class) -> bool {
    program.types.has_part(ty, |part| match program.types.get(part) {
        Type::Array(..) => false,
        Type::Record(record) => program.types.records[record.0 as usize].union,
        // What a declared object of characters holds is characters.
        Type::Integer(integer) if integer.rank == Rank::Char && class != Class::Any => false,
        Type::Opaque(_) => true,
        _ => !Class::of(program, part).is_apart(class),
    })
}

/// In which part of the outermost structure it is, and whether that is where it begins rather than some array around it.
fn placed(program: &Program, lvalue: LvalueId) -> Option<(Part, bool)> {
    match program.terms.at(lvalue).kind {
        LvalueKind::Field(of, field) => {
            let record = program.terms.at(of).ty;
            let known = program.types.as_record(record)?;
            let is_last = known.fields.len() as u32 == field + 1;
            let field = known.fields.get(field as usize)?;
            let (around, is_exact) = placed(program, of).unwrap_or((Part { record, begin: 0, end: u64::MAX }, true));
            if !is_exact {
                return Some((around, false));
            }
            let begin = around.begin + field.offset;
            // The last array of an object may be longer than its type says.
            let is_open = matches!(program.types.get(field.ty), Type::Array(_, length) if is_last || *length <= 1);
            let size = if is_open { None } else { program.types.size(field.ty) };
            let end = size.map_or(u64::MAX, |size| begin + size);
            Some((Part { begin, end, ..around }, true))
        }
        LvalueKind::Element(of, _) => placed(program, of).map(|(part, _)| (part, false)),
        LvalueKind::Variable(_) | LvalueKind::Deref(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Class};
    use crate::c::program::{Program, StatementKind};
    use crate::c::{self, Unit};

    fn program(text: &str) -> Program {
        let options = c::Options { open: true, ..c::Options::default() };
        let unit = Unit { name: "a.c", text, preprocessed: None };
        let mut program = c::read(&[unit], &options).expect("it is C").program;
        program.effective = true;
        program
    }

    /// Whether what two first assignments are to is apart.
    fn are_apart(declarations: &str, first: &str, second: &str) -> bool {
        let text = format!("{declarations}\nvoid main(void) {{ {first}; {second}; }}");
        let program = program(&text);
        let body = program.procedure(program.main).body.iter().flatten();
        let to: Vec<_> = body
            .filter_map(|statement| match statement.kind {
                StatementKind::Assign(to, _) => Some(Access::to(&program, to)),
                _ => None,
            })
            .collect();
        assert_eq!(to.len(), 2, "{program}");
        assert_eq!(to[0].is_apart(to[1]), to[1].is_apart(to[0]));
        to[0].is_apart(to[1])
    }

    const TYPES: &str = "struct in { short a; short b; }; \
        struct s { struct s *next; int v; int w; char *name; struct in all[4]; struct in one; int last[2]; } *p, *q; \
        union u { int i; float f; } *u; int *i; float *f; char *c; short *h; struct s **pp; struct in *in; long *l;";

    #[test]
    fn numbers_and_pointers_are_apart_and_characters_are_not() {
        for (first, second, apart) in [
            ("p->next = q", "*i = 1", true),
            ("p->next = q", "*l = 1", true),
            ("p->next = q", "*pp = p", false),
            ("p->next = q", "*c = 1", false),
            ("p->name = 0", "*pp = p", false),
            ("*i = 1", "*h = 1", true),
            ("*i = 1", "*(unsigned *)f = 1", false),
            ("*i = 1", "p->v = 1", false),
            ("*i = 1", "u->i = 1", false),
            ("*h = 1", "u->i = 1", false),
            ("p->next = q", "u->i = 1", false),
        ] {
            assert_eq!(are_apart(TYPES, first, second), apart, "{first}; {second}");
        }
    }

    #[test]
    fn members_of_one_structure_are_apart_if_they_do_not_overlap() {
        for (first, second, apart) in [
            ("p->v = 1", "q->w = 1", true),
            ("p->v = 1", "q->v = 2", false),
            ("p->next = q", "q->name = 0", true),
            ("p->all[1].a = 1", "q->all[2].b = 1", false),
            ("p->all[1].a = 1", "q->one.b = 1", true),
            ("p->one.a = 1", "q->one.b = 1", true),
            ("p->one.a = 1", "in->b = 1", false),
            ("in->a = 1", "in->b = 1", true),
            ("p->last[7] = 1", "q->v = 1", true),
            ("p->last[0] = 1", "q->last[1] = 1", false),
            ("p[1].v = 1", "p->w = 1", true),
        ] {
            assert_eq!(are_apart(TYPES, first, second), apart, "{first}; {second}");
        }
    }

    #[test]
    fn where_nothing_is_said_everything_may_be_anywhere() {
        assert!(!Access::ANY.is_apart(Access::ANY));
        assert!(!Class::Any.is_apart(Class::Pointer));
    }
}
