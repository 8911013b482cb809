//! The outer grammar: constants, types, variables, modules with their heads.

use spds_format::Diagnostic;
use spds_format::model::{Name, Scalar};

use super::ast::*;
use super::declarations::{Dims, Entry, Leaf, Scope, Struct};
use super::lexer::{Key, Kind};
use super::parser::{Broken, Parser};
use super::statement::{Block, Opener};

/// Arrays have at most so many cells.
const LARGEST: u64 = 1 << 24;

/// A forward declaration.
pub(super) struct Forward {
    name: Name,
    at: u32,
    results: Vec<Leaf>,
    parameters: Vec<Vec<Leaf>>,
}

/// A type as it stands before the name of a variable.
#[derive(Clone)]
struct Type {
    scalar: Scalar,
    members: Option<u64>,
    structure: Option<u32>,
    /// `int`: its bits may follow.
    sized: bool,
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn program(&mut self) {
        self.ast.controls.push("q".into());
        loop {
            let begun = self.token.kind;
            let outcome = match begun {
                Kind::Eof => break,
                Kind::Key(Key::Define) => self.define(),
                Kind::Key(Key::Bool | Key::Int | Key::Struct | Key::Enum) => self.global(),
                Kind::Name if self.is_sign() => self.global(),
                Kind::Key(Key::Shared) => self.shared(),
                Kind::Key(Key::Init) => self.init(),
                Kind::Key(Key::Module) => self.module(),
                Kind::CloseBrace => self.unexpected("a module or a statement"),
                _ if self.nothing_yet() && !self.begins_statement() => {
                    self.no_program();
                    break;
                }
                _ => {
                    self.outside();
                    Ok(())
                }
            };
            if outcome == Err(Broken) {
                self.broken = true;
                self.skip_to_declaration(begun);
            }
        }
    }

    fn nothing_yet(&self) -> bool {
        let ast = &self.ast;
        ast.items.is_empty()
            && ast.declarations.globals.is_empty()
            && ast.declarations.constants.is_empty()
            && !self.complaints.refused()
    }

    fn begins_statement(&self) -> bool {
        match self.token.kind {
            Kind::Key(key) => !matches!(key, Key::Void | Key::True | Key::False | Key::Undef),
            Kind::Name => matches!(
                self.ahead.kind,
                Kind::Colon | Kind::Assign | Kind::Less | Kind::Open | Kind::OpenBracket | Kind::Dot
            ),
            _ => false,
        }
    }

    fn no_program(&mut self) {
        let found = self.described();
        let complaint = Diagnostic::error("this does not look like a Remopla program", self.span())
            .with_label(format!("expected a declaration or a module, found {found}"))
            .with_help("a Remopla program is made of `int x(3);` and `module void main() { … }`");
        self.complaints.push(complaint);
        self.broken = true;
    }

    /// Behind the end of what has a mistake in it, or at a word with which something else begins.
    fn skip_to_declaration(&mut self, begun: Kind) {
        let is_module = begun == Kind::Key(Key::Module);
        let mut depth = 0u32;
        loop {
            match self.token.kind {
                Kind::Eof | Kind::Key(Key::Define | Key::Init | Key::Module | Key::Shared) => return,
                Kind::Key(Key::Bool | Key::Int | Key::Struct | Key::Enum) if begun == Kind::Key(Key::Define) => return,
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 0 || is_module && depth == 1 => return self.bump(),
                Kind::CloseBrace => depth -= 1,
                Kind::Semicolon if depth == 0 => return self.bump(),
                _ => {}
            }
            self.bump();
        }
    }

    /// Statements outside of modules, as many as follow each other.
    fn outside(&mut self) {
        let start = self.ast.statements.len() as u32;
        let before = self.token.start;
        self.blocks.push(Block::new(Opener::Body, before));
        while !self.at_declaration() && self.statement() {}
        self.close_all();
        self.blocks.clear();
        let piece = Piece { start, end: self.ast.statements.len() as u32 };
        if !piece.is_empty() {
            self.ast.items.push(Item::Outside(piece));
        }
    }

    fn at_declaration(&self) -> bool {
        let begins = matches!(
            self.token.kind,
            Kind::Key(Key::Define | Key::Bool | Key::Int | Key::Struct | Key::Enum | Key::Shared | Key::Init)
        );
        self.blocks.len() == 1 && (begins || self.is_sign())
    }

    /// `signed int`, `unsigned int`
    fn is_sign(&self) -> bool {
        self.ahead.kind == Kind::Key(Key::Int) && matches!(self.text_of(self.token), "signed" | "unsigned")
    }

    // ---- constants and types

    fn define(&mut self) -> Result<(), Broken> {
        self.bump();
        let at = self.token.start;
        let word = self.token;
        match word.kind {
            Kind::Key(Key::DefaultIntBits | Key::DefaultSignedIntBits) => self.bump(),
            _ => drop(self.name("the name of a constant")?),
        }
        if self.token.kind == Kind::Assign {
            let complaint = Diagnostic::error("expected a constant, found `=`", self.span())
                .with_help("a constant is written `define N 3`");
            self.complaints.push(complaint);
            return Err(Broken);
        }
        let value = self.constant("a constant")?;
        let name = self.text_of(word);
        let value = self.given.get(name).copied().unwrap_or(value);
        self.defined.insert(name.to_owned());
        match word.kind {
            Kind::Key(Key::DefaultIntBits) => self.default_bits = Some(value),
            Kind::Key(_) => {}
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

    fn declare_constant(&mut self, name: &str, value: u64, at: u32) {
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
            let complaint = Diagnostic::error("types are declared outside of modules", self.span());
            let at = self.ast.modules[module as usize].at as usize;
            let length = self.ast.modules[module as usize].name.len();
            self.complaints.push(complaint.with_related(at..at + length, "this module"));
        }
        self.expect(Kind::OpenBrace, "`{` and the members")?;
        let mut count = 0;
        loop {
            let (name, at) = self.name("the name of a member")?;
            self.declare_constant(name, count, at);
            count += 1;
            if !self.take(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::CloseBrace, "`,` or `}` after a member")?;
        Ok(count)
    }

    /// Fields in braces.
    fn fields(&mut self) -> Result<u32, Broken> {
        if self.module.is_some() {
            self.complaints.error("types are declared outside of modules", self.span());
        }
        self.expect(Kind::OpenBrace, "`{` and the fields")?;
        let mut fields: Vec<Leaf> = Vec::new();
        if self.token.kind == Kind::CloseBrace {
            return self.unexpected("a field");
        }
        while !self.take(Kind::CloseBrace) {
            let ty = self.ty()?;
            loop {
                let (name, at) = self.name("the name of a field")?;
                let span = at as usize..at as usize + name.len();
                if ty.structure.is_some() {
                    self.complaints.error("a struct cannot stand inside a struct", span.clone());
                }
                if fields.iter().any(|field| &*field.name == name) {
                    self.complaints.error(format!("there are two fields `{name}`"), span);
                }
                let dims = self.dims()?;
                let scalar = self.sized(&ty, at)?;
                fields.push(Leaf { name: name.into(), scalar, members: ty.members, dims });
                if !self.take(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::Semicolon, "`,` or `;` after a field")?;
        }
        self.ast.declarations.structs.push(Struct { fields });
        Ok(self.ast.declarations.structs.len() as u32 - 1)
    }

    /// A type, as it stands before names: `bool`, `int`, `enum …`, `struct …`.
    fn ty(&mut self) -> Result<Type, Broken> {
        let plain = Type { scalar: Scalar::Bool, members: None, structure: None, sized: false };
        if self.is_sign() {
            if self.text_of(self.token) == "signed" {
                let complaint = Diagnostic::error("signed integers are not known", self.span())
                    .with_help("Moped refuses them, too; integers are 0 … 2^bits - 1");
                self.complaints.push(complaint);
            }
            self.bump();
        }
        match self.token.kind {
            Kind::Key(Key::Bool) => {
                self.bump();
                Ok(plain)
            }
            Kind::Key(Key::Int) => {
                self.bump();
                Ok(Type { sized: true, ..plain })
            }
            Kind::Key(Key::Enum) => {
                self.bump();
                let name = if self.token.kind == Kind::Name { Some(self.name("a name")?) } else { None };
                let mut new = name;
                let members = match name {
                    Some((name, at)) if self.token.kind != Kind::OpenBrace => {
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
                let bits = (64 - members.saturating_sub(1).leading_zeros()).max(1);
                Ok(Type { scalar: Scalar::Unsigned(bits as u8), members: Some(members), ..plain })
            }
            Kind::Key(Key::Struct) => {
                self.bump();
                let name = if self.token.kind == Kind::Name { Some(self.name("a name")?) } else { None };
                let mut new = name;
                let structure = match name {
                    Some((name, at)) if self.token.kind != Kind::OpenBrace => {
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
                Ok(Type { structure: Some(structure), ..plain })
            }
            _ => self.unexpected("a type"),
        }
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
    fn dims(&mut self) -> Result<Dims, Broken> {
        let begin = self.token.start as usize;
        let mut dims = Dims::default();
        let mut count = 0;
        while self.token.kind == Kind::OpenBracket {
            let open = self.token.start as usize;
            self.bump();
            let mut low = self.constant("the size of an array")?;
            let mut high = low.wrapping_sub(1);
            if self.take(Kind::Comma) {
                high = self.constant("the last index")?;
            } else {
                low = 0;
            }
            self.expect(Kind::CloseBracket, "`]` after the size of an array")?;
            let span = open..self.previous_end as usize;
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
                    product.checked_mul(u64::from(last - first) + 1).filter(|cells| *cells <= LARGEST)
                })
                .is_none()
        {
            self.complaints.error(format!("an array has at most {LARGEST} cells"), begin..self.previous_end as usize);
            dims = Dims([Some((0, 0)), None]);
        }
        Ok(dims)
    }

    /// The scalar type, with the bits that may follow the name at that place.
    fn sized(&mut self, ty: &Type, at: u32) -> Result<Scalar, Broken> {
        if self.token.kind == Kind::Open {
            let open = self.token.start as usize;
            self.bump();
            let bits = self.constant("the number of bits")?;
            self.expect(Kind::Close, "`)` after the number of bits")?;
            let span = open..self.previous_end as usize;
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
                let span = at as usize..self.previous_end.max(at + 1) as usize;
                Ok(self.bits(bits, span))
            }
            None => {
                let span = at as usize..self.previous_end.max(at + 1) as usize;
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

    // ---- variables

    fn global(&mut self) -> Result<(), Broken> {
        let ty = self.ty()?;
        let declares_type = ty.members.is_some() || ty.structure.is_some();
        if !declares_type || self.token.kind != Kind::Semicolon {
            loop {
                self.variable_of(&ty)?;
                if !self.take(Kind::Comma) {
                    break;
                }
            }
        }
        self.expect(Kind::Semicolon, "`,` or `;` after a declared variable")
    }

    fn shared(&mut self) -> Result<(), Broken> {
        let message = "`shared` belongs to programs with threads, and this is a checker of sequential programs";
        self.complaints.error(message, self.span());
        self.bump();
        self.global()
    }

    /// One variable: of the present module, or global.
    fn variable_of(&mut self, ty: &Type) -> Result<Entry, Broken> {
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

    fn init(&mut self) -> Result<(), Broken> {
        let word = self.span();
        self.bump();
        if !self.ast.init.is_empty() {
            self.complaints.error("there can be one `init`", word);
        }
        loop {
            let (name, at) = self.name("the name of a module")?;
            self.ast.init.push(Init { name: name.into(), at: Some(at), point: Point::Module(0) });
            if self.token.kind != Kind::Name {
                break;
            }
        }
        self.expect(Kind::Semicolon, "`;` after the initial stack")
    }

    // ---- modules

    /// A module, or its forward declaration.
    fn module(&mut self) -> Result<(), Broken> {
        self.bump();
        let mut ty = None;
        let mut dims = Dims::default();
        let mut scalar = Scalar::Bool;
        if !self.take(Kind::Key(Key::Void)) {
            let at = self.token.start;
            let found = self.ty()?;
            dims = self.dims()?;
            scalar = self.sized(&found, at)?;
            ty = Some(found);
        }
        let results: Vec<Leaf> = match &ty {
            None => Vec::new(),
            Some(Type { structure: None, members, .. }) => {
                vec![Leaf { name: "".into(), scalar, members: *members, dims }]
            }
            Some(Type { structure: Some(structure), .. }) => {
                let fields = self.ast.declarations.structs[*structure as usize].fields.iter();
                let own = |field: &Leaf| if dims.count() > 0 { dims } else { field.dims };
                fields.map(|field| Leaf { dims: own(field), ..field.clone() }).collect()
            }
        };
        let (name, at) = self.name("the name of a module")?;
        // Variables of a forward declaration are declared as those of a module, and forgotten.
        let number = self.ast.modules.len() as u32;
        let start = self.ast.declarations.locals.len() as u32;
        self.ast.declarations.modules.push((name.into(), Piece { start, end: start }, Scope::default()));
        let statements = self.ast.statements.len() as u32;
        self.ast.modules.push(Module {
            name: name.into(),
            at,
            results,
            parameters: Vec::new(),
            statements: Piece { start: statements, end: statements },
            body: None,
            end: at,
        });
        self.module = Some(number);
        let outcome = self.parameters();
        if outcome.is_ok() && self.take(Kind::Semicolon) {
            self.forget_module();
            return Ok(());
        }
        let outcome = outcome.and_then(|()| self.body());
        self.module = None;
        if outcome.is_ok() {
            self.ast.items.push(Item::Module(number));
        }
        outcome
    }

    fn parameters(&mut self) -> Result<(), Broken> {
        self.expect(Kind::Open, "`(` after the name of a module")?;
        if self.take(Kind::Close) {
            return Ok(());
        }
        loop {
            let ty = self.ty()?;
            let Entry { first, leaves, .. } = self.variable_of(&ty)?;
            if let Some(module) = self.ast.modules.last_mut() {
                module.parameters.push(Parameter { first, leaves });
            }
            if !self.take(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Close, "`,` or `)` after a parameter")
    }

    /// Makes the last module a forward declaration.
    fn forget_module(&mut self) {
        let declarations = &mut self.ast.declarations;
        if let (Some(module), Some((name, piece, _))) = (self.ast.modules.pop(), declarations.modules.pop()) {
            let leaves = declarations.locals.split_off(piece.range().start);
            let of = |parameter: &Parameter| {
                leaves[parameter.first as usize..(parameter.first + parameter.leaves) as usize].to_vec()
            };
            let parameters = module.parameters.iter().map(of).collect();
            self.forwards.push(Forward { name, at: module.at, results: module.results, parameters });
        }
        self.module = None;
    }

    fn body(&mut self) -> Result<(), Broken> {
        let open = self.token.start;
        self.expect(Kind::OpenBrace, "`{` and the body of the module")?;
        while matches!(self.token.kind, Kind::Key(Key::Bool | Key::Int | Key::Enum | Key::Struct)) || self.is_sign() {
            let ty = self.ty()?;
            loop {
                self.variable_of(&ty)?;
                if !self.take(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::Semicolon, "`,` or `;` after a declared variable")?;
        }
        let start = self.ast.statements.len();
        self.blocks.push(Block::new(Opener::Body, open));
        while self.statement() {}
        self.close_all();
        self.blocks.clear();
        let end = self.token.start;
        let piece = Piece { start: start as u32, end: self.ast.statements.len() as u32 };
        if let Some(module) = self.ast.modules.last_mut() {
            (module.statements, module.end) = (piece, end);
            module.body = (!piece.is_empty()).then(|| StmtId::new(start));
        }
        if self.token.kind != Kind::CloseBrace {
            let message = format!("expected a statement or `}}`, found {}", self.described());
            let opened = open as usize..open as usize + 1;
            let complaint = Diagnostic::error(message, self.span()).with_related(opened, "opened here");
            self.complain_about_token(complaint);
            self.broken = true;
            return Ok(());
        }
        self.bump();
        Ok(())
    }

    /// Complains about forward declarations that say something else than the module.
    pub(super) fn compare_forwards(&mut self) {
        for forward in std::mem::take(&mut self.forwards) {
            let span = forward.at as usize..forward.at as usize + forward.name.len();
            let Some((number, module)) = (0..).zip(&self.ast.modules).find(|(_, module)| module.name == forward.name)
            else {
                let message = format!("the module `{}` is declared, but has no body", forward.name);
                self.complaints.error(message, span);
                continue;
            };
            let locals = self.ast.declarations.locals(number);
            let of = |parameter: &Parameter| {
                locals[parameter.first as usize..(parameter.first + parameter.leaves) as usize].to_vec()
            };
            let same = |one: &[Leaf], other: &[Leaf]| {
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(other)
                        .all(|(a, b)| (a.scalar, a.members, a.dims) == (b.scalar, b.members, b.dims))
            };
            let parameters: Vec<Vec<Leaf>> = module.parameters.iter().map(of).collect();
            let agree = same(&forward.results, &module.results)
                && parameters.len() == forward.parameters.len()
                && parameters.iter().zip(&forward.parameters).all(|(one, other)| same(one, other));
            if !agree {
                let there = module.at as usize..module.at as usize + module.name.len();
                let message = format!("this declaration of `{}` says something else than the module", forward.name);
                self.complaints.push(Diagnostic::error(message, span).with_related(there, "the module"));
            }
        }
    }
}
