//! Reading constants, types and variables.

use nom::sequence::{delimited, pair, terminated};
use spds_format::Diagnostic;
use spds_format::model::Scalar;
use spds_format::reading::grammar::{after, by, next, read, separated, token};
use spds_format::reading::tokens::{Broken, Reader};

use super::declarations::{Dims, Entry, Leaf, Scope, Struct};
use super::lexer::{Key, TokenKind};
use super::parser::Parser;

/// Arrays have at most so many cells.
const MAX_CELLS: u64 = 1 << 16;

/// A type as it stands before the name of a variable.
#[derive(Clone)]
pub(super) struct Type {
    pub scalar: Scalar,
    pub members: Option<u64>,
    pub structure: Option<u32>,
    /// `int`: its bits may follow.
    pub sized: bool,
}

impl Parser<'_> {
    pub(super) fn define(&mut self) -> Result<(), Broken> {
        self.bump();
        let at = self.cursor.start();
        let word = self.cursor.token;
        match word.kind {
            TokenKind::Key(Key::DefaultIntBits | Key::DefaultSignedIntBits) => self.bump(),
            _ => drop(self.name("the name of a constant")?),
        }
        if self.cursor.kind() == TokenKind::Assign {
            let complaint = Diagnostic::error("expected a constant, found `=`", self.cursor.span())
                .with_help("a constant is written `define N 3`");
            self.complaints.push(complaint);
            return Err(Broken);
        }
        let value = self.constant("a constant")?;
        let name = self.cursor.text_of(word);
        let value = self.given.get(name).copied().unwrap_or(value);
        self.defined.insert(name.to_owned());
        match word.kind {
            TokenKind::Key(Key::DefaultIntBits) => self.default_bits = Some(value),
            TokenKind::Key(_) => {}
            _ => self.declare_constant(name, value, at),
        }
        Ok(())
    }

    /// Complains about values for constants that the text does not define.
    pub(super) fn complain_about_given(&mut self) {
        let mut unknown: Vec<String> =
            self.given.keys().filter(|name| !self.defined.contains(*name)).cloned().collect();
        unknown.sort_unstable();
        for name in unknown {
            self.complaints.push(Diagnostic::global(format!("this file has no `define {name}` to be replaced")));
        }
    }

    pub(super) fn declare_constant(&mut self, name: &str, value: u64, at: u32) {
        let span = at as usize..at as usize + name.len();
        let declarations = &mut self.ast.declarations;
        let first = declarations.constants.get(name).map(|(_, first)| *first);
        let variable = declarations.global_names.get(name).map(|entry| entry.at);
        if let Some(first) = first.or(variable) {
            self.complain_of_two(name, span, first);
        } else {
            declarations.constants.insert(name.into(), (value, at));
        }
    }

    fn complain_of_two(&mut self, name: &str, span: std::ops::Range<usize>, first: u32) {
        let first = first as usize..first as usize + name.len();
        let complaint =
            Diagnostic::error(format!("`{name}` is declared twice"), span).with_related(first, "first declared here");
        self.complaints.push(complaint);
    }

    /// Members in braces: their number.
    fn members(&mut self) -> Result<u64, Broken> {
        if let Some(module) = self.module {
            let complaint = Diagnostic::error("types are declared outside of modules", self.cursor.span());
            let at = self.ast.modules[module as usize].at as usize;
            let length = self.ast.modules[module as usize].name.len();
            self.complaints.push(complaint.with_related(at..at + length, "this module"));
        }
        let mut count = 0;
        let member = by(|parser: &mut Self| {
            let (name, at) = parser.name("the name of a member")?;
            parser.declare_constant(name, count, at);
            count += 1;
            Ok(())
        });
        let open = token(TokenKind::OpenBrace, "`{` and the members");
        let close = token(TokenKind::CloseBrace, "`,` or `}` after a member");
        read(self, delimited(open, separated(TokenKind::Comma, member), close))?;
        Ok(count)
    }

    /// Fields in braces.
    fn fields(&mut self) -> Result<u32, Broken> {
        if self.module.is_some() {
            self.complaints.error("types are declared outside of modules", self.cursor.span());
        }
        self.expect(TokenKind::OpenBrace, "`{` and the fields")?;
        let mut fields: Vec<Leaf> = Vec::new();
        if self.cursor.kind() == TokenKind::CloseBrace {
            return self.unexpected("a field");
        }
        while !self.take(TokenKind::CloseBrace) {
            let ty = self.ty()?;
            let field = by(|parser: &mut Self| parser.field(&ty, &mut fields));
            let end = token(TokenKind::Semicolon, "`,` or `;` after a field");
            read(self, terminated(separated(TokenKind::Comma, field), end))?;
        }
        self.ast.declarations.structs.push(Struct { fields });
        Ok(self.ast.declarations.structs.len() as u32 - 1)
    }

    fn field(&mut self, ty: &Type, fields: &mut Vec<Leaf>) -> Result<(), Broken> {
        let (name, at) = self.name("the name of a field")?;
        let span = at as usize..at as usize + name.len();
        if ty.structure.is_some() {
            self.complaints.error("a struct cannot stand inside a struct", span.clone());
        }
        if fields.iter().any(|field| &*field.name == name) {
            self.complaints.error(format!("there are two fields `{name}`"), span);
        }
        let dims = self.dims()?;
        let scalar = self.sized(ty, at)?;
        fields.push(Leaf { name: name.into(), scalar, members: ty.members, dims });
        Ok(())
    }

    /// A type, as it stands before names: `bool`, `int`, `enum …`, `struct …`.
    pub(super) fn ty(&mut self) -> Result<Type, Broken> {
        let plain = Type { scalar: Scalar::Bool, members: None, structure: None, sized: false };
        if self.is_sign() {
            if self.cursor.word() == "signed" {
                let complaint = Diagnostic::error("signed integers are not known", self.cursor.span())
                    .with_help("Moped refuses them, too; integers are 0 … 2^bits - 1");
                self.complaints.push(complaint);
            }
            self.bump();
        }
        match self.cursor.kind() {
            TokenKind::Key(Key::Bool) => {
                self.bump();
                Ok(plain)
            }
            TokenKind::Key(Key::Int) => {
                self.bump();
                Ok(Type { sized: true, ..plain })
            }
            TokenKind::Key(Key::Enum) => {
                self.bump();
                let members = self.enumeration()?;
                let bits = (64 - members.saturating_sub(1).leading_zeros()).max(1);
                Ok(Type { scalar: Scalar::Unsigned(bits as u8), members: Some(members), ..plain })
            }
            TokenKind::Key(Key::Struct) => {
                self.bump();
                let structure = self.structure()?;
                Ok(Type { structure: Some(structure), ..plain })
            }
            _ => self.unexpected("a type"),
        }
    }

    /// What follows `enum`: the number of the members, which stand there, or belong to the name.
    fn enumeration(&mut self) -> Result<u64, Broken> {
        let name = if self.cursor.kind() == TokenKind::Name { Some(self.name("a name")?) } else { None };
        let mut new = name;
        let members = match name {
            Some((name, at)) if self.cursor.kind() != TokenKind::OpenBrace => {
                new = None;
                match self.ast.declarations.enums.get(name) {
                    Some(members) => *members,
                    None => {
                        let span = at as usize..at as usize + name.len();
                        self.complaints.error(format!("there is no enum `{name}`"), span);
                        1
                    }
                }
            }
            _ => self.members()?,
        };
        if let Some((name, at)) = new {
            self.name_type(name, at, Err(members));
        }
        Ok(members)
    }

    /// What follows `struct`: one with these fields, or with that name.
    fn structure(&mut self) -> Result<u32, Broken> {
        let name = if self.cursor.kind() == TokenKind::Name { Some(self.name("a name")?) } else { None };
        let mut new = name;
        let structure = match name {
            Some((name, at)) if self.cursor.kind() != TokenKind::OpenBrace => {
                new = None;
                match self.ast.declarations.struct_names.get(name) {
                    Some(structure) => *structure,
                    None => {
                        let span = at as usize..at as usize + name.len();
                        self.complaints.error(format!("there is no struct `{name}`"), span);
                        self.ast.declarations.structs.push(Struct { fields: Vec::new() });
                        self.ast.declarations.structs.len() as u32 - 1
                    }
                }
            }
            _ => self.fields()?,
        };
        if let Some((name, at)) = new {
            self.name_type(name, at, Ok(structure));
        }
        Ok(structure)
    }

    /// Gives a type its name.
    fn name_type(&mut self, name: &str, at: u32, ty: Result<u32, u64>) {
        let declarations = &mut self.ast.declarations;
        let before = match ty {
            Ok(structure) => declarations.struct_names.insert(name.into(), structure).is_some(),
            Err(members) => declarations.enums.insert(name.into(), members).is_some(),
        };
        if before {
            let span = at as usize..at as usize + name.len();
            self.complaints.error(format!("there are two types `{name}`"), span);
        }
    }

    /// `[n]`, `[lo, hi]`, twice at most.
    pub(super) fn dims(&mut self) -> Result<Dims, Broken> {
        let begin = self.cursor.start() as usize;
        let mut dims = Dims::default();
        let mut count = 0;
        while self.cursor.kind() == TokenKind::OpenBracket {
            let open = self.cursor.start() as usize;
            let size = by(|parser: &mut Self| parser.constant("the size of an array"));
            let last = after(TokenKind::Comma, by(|parser: &mut Self| parser.constant("the last index")));
            let close = token(TokenKind::CloseBracket, "`]` after the size of an array");
            let (low, mut high) = match read(self, delimited(next(), pair(size, last), close))? {
                (low, Some(high)) => (low, high),
                (size, None) => (0, size.wrapping_sub(1)),
            };
            let span = open..self.cursor.previous_end as usize;
            if high == u64::MAX {
                self.complaints.error("an array has at least one cell", span.clone());
                high = low;
            } else if low > high {
                self.complaints.error("this range of indices is empty", span.clone());
                high = low;
            }
            let range = u32::try_from(low).ok().zip(u32::try_from(high).ok());
            if range.is_none() {
                self.complaints.error("indices are below 2^32", span.clone());
            }
            match dims.0.get_mut(count) {
                Some(place) => *place = Some(range.unwrap_or((0, 0))),
                None => self.complaints.error("arrays have at most two dimensions", span),
            }
            count += 1;
        }
        if count > 0
            && dims
                .0
                .iter()
                .flatten()
                .try_fold(1u64, |product, (first, last)| {
                    product.checked_mul(u64::from(last - first) + 1).filter(|cells| *cells <= MAX_CELLS)
                })
                .is_none()
        {
            self.complaints
                .error(format!("an array has at most {MAX_CELLS} cells"), begin..self.cursor.previous_end as usize);
            dims = Dims([Some((0, 0)), None]);
        }
        Ok(dims)
    }

    /// The scalar type, with the bits that may follow the name at that place.
    pub(super) fn sized(&mut self, ty: &Type, at: u32) -> Result<Scalar, Broken> {
        if self.cursor.kind() == TokenKind::Open {
            let open = self.cursor.start() as usize;
            let bits = by(|parser: &mut Self| parser.constant("the number of bits"));
            let close = token(TokenKind::Close, "`)` after the number of bits");
            let bits = read(self, delimited(next(), bits, close))?;
            let span = open..self.cursor.previous_end as usize;
            if !ty.sized {
                self.complaints.error("only an `int` has a number of bits", span);
                return Ok(ty.scalar);
            }
            return Ok(self.bits(bits, span));
        }
        if !ty.sized {
            return Ok(ty.scalar);
        }
        match self.default_bits {
            Some(bits) => {
                let span = at as usize..self.cursor.previous_end.max(at + 1) as usize;
                Ok(self.bits(bits, span))
            }
            None => {
                let span = at as usize..self.cursor.previous_end.max(at + 1) as usize;
                let complaint = Diagnostic::error("nothing says how many bits this integer has", span)
                    .with_help("write `int x(8)`, or `define DEFAULT_INT_BITS 8` first");
                self.complaints.push(complaint);
                Ok(Scalar::Unsigned(1))
            }
        }
    }

    fn bits(&mut self, bits: u64, span: std::ops::Range<usize>) -> Scalar {
        match u8::try_from(bits) {
            Ok(bits @ 1..=64) => Scalar::Unsigned(bits),
            _ => {
                self.complaints.error(format!("an integer has 1 to 64 bits, not {bits}"), span);
                Scalar::Unsigned(1)
            }
        }
    }

    /// One variable: of the present module, or global.
    pub(super) fn variable_of(&mut self, ty: &Type) -> Result<Entry, Broken> {
        let (name, at) = self.name("the name of a variable")?;
        let span = at as usize..at as usize + name.len();
        let dims = self.dims()?;
        let scalar = self.sized(ty, at)?;
        let new: Vec<Leaf> = match ty.structure {
            None => vec![Leaf { name: name.into(), scalar, members: ty.members, dims }],
            Some(structure) => {
                let fields = &self.ast.declarations.structs[structure as usize].fields;
                if dims.count() > 0 && fields.iter().any(|field| field.dims.count() > 0) {
                    let message = "there are no arrays of structs that have arrays";
                    self.complaints.error(message, span.clone());
                }
                let fields = &self.ast.declarations.structs[structure as usize].fields;
                let named = |field: &Leaf| Leaf {
                    name: format!("{name}.{}", field.name).into(),
                    dims: if dims.count() > 0 { dims } else { field.dims },
                    ..field.clone()
                };
                fields.iter().map(named).collect()
            }
        };
        let declarations = &mut self.ast.declarations;
        let (scope, leaves, base): (&mut Scope, _, u32) = match self.module {
            None => (&mut declarations.global_names, &mut declarations.globals, 0),
            Some(module) => {
                let (_, piece, scope) = &mut declarations.modules[module as usize];
                piece.end += new.len() as u32;
                (scope, &mut declarations.locals, piece.start)
            }
        };
        let entry =
            Entry { at, first: leaves.len() as u32 - base, leaves: new.len() as u32, structure: ty.structure, dims };
        let first = scope.get(name).map(|entry| entry.at);
        if first.is_none() {
            scope.insert(name.into(), entry);
        }
        leaves.extend(new);
        let constant = declarations.constants.get(name).map(|(_, at)| *at);
        if let Some(first) = first.or(constant) {
            self.complain_of_two(name, span, first);
        }
        Ok(entry)
    }
}
