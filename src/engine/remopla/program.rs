//! The outer grammar: constants, types, variables, modules with their heads.

use nom::sequence::terminated;
use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::model::{Name, Scalar};
use spds_format::reading::grammar::{by, listed, read, separated, token};
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::declarations::{Dims, Entry, Leaf, Scope};
use super::lexer::{Key, TokenKind};
use super::parser::Parser;
use super::statement::{Block, Opener};
use super::types::Type;

/// A forward declaration.
pub(super) struct Forward {
    name: Name,
    at: u32,
    results: Vec<Leaf>,
    parameters: Vec<Vec<Leaf>>,
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn program(&mut self) {
        self.ast.controls.push("q".into());
        loop {
            let begun = self.cursor.kind();
            let outcome = match begun {
                TokenKind::Eof => break,
                TokenKind::Key(Key::Define) => self.define(),
                TokenKind::Key(Key::Bool | Key::Int | Key::Struct | Key::Enum) => self.global(),
                TokenKind::Name if self.is_sign() => self.global(),
                TokenKind::Key(Key::Shared) => self.shared(),
                TokenKind::Key(Key::Init) => self.init(),
                TokenKind::Key(Key::Module) => self.module(),
                TokenKind::CloseBrace => self.unexpected("a module or a statement"),
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
        match self.cursor.kind() {
            TokenKind::Key(key) => !matches!(key, Key::Void | Key::True | Key::False | Key::Undef),
            TokenKind::Name => matches!(
                self.cursor.ahead.kind,
                TokenKind::Colon
                    | TokenKind::Assign
                    | TokenKind::Less
                    | TokenKind::Open
                    | TokenKind::OpenBracket
                    | TokenKind::Dot
            ),
            _ => false,
        }
    }

    fn no_program(&mut self) {
        let found = self.cursor.described();
        let complaint = Diagnostic::error("this does not look like a Remopla program", self.cursor.span())
            .with_label(format!("expected a declaration or a module, found {found}"))
            .with_help("a Remopla program is made of `int x(3);` and `module void main() { … }`");
        self.complaints.push(complaint);
        self.broken = true;
    }

    /// Behind the end of what has a mistake in it, or at a word with which something else begins.
    fn skip_to_declaration(&mut self, begun: TokenKind) {
        let is_module = begun == TokenKind::Key(Key::Module);
        let mut depth = 0u32;
        loop {
            match self.cursor.kind() {
                TokenKind::Eof | TokenKind::Key(Key::Define | Key::Init | Key::Module | Key::Shared) => return,
                TokenKind::Key(Key::Bool | Key::Int | Key::Struct | Key::Enum)
                    if begun == TokenKind::Key(Key::Define) =>
                {
                    return;
                }
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace if depth == 0 || is_module && depth == 1 => return self.bump(),
                TokenKind::CloseBrace => depth -= 1,
                TokenKind::Semicolon if depth == 0 => return self.bump(),
                _ => {}
            }
            self.bump();
        }
    }

    /// Statements outside of modules, as many as follow each other.
    fn outside(&mut self) {
        let start = self.ast.statements.len() as u32;
        let before = self.cursor.start();
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
            self.cursor.kind(),
            TokenKind::Key(Key::Define | Key::Bool | Key::Int | Key::Struct | Key::Enum | Key::Shared | Key::Init)
        );
        self.blocks.len() == 1 && (begins || self.is_sign())
    }

    /// `signed int`, `unsigned int`
    pub(super) fn is_sign(&self) -> bool {
        self.cursor.ahead.kind == TokenKind::Key(Key::Int) && matches!(self.cursor.word(), "signed" | "unsigned")
    }

    // ---- variables

    fn global(&mut self) -> Result<(), Broken> {
        let ty = self.ty()?;
        let declares_type = ty.members.is_some() || ty.structure.is_some();
        if declares_type && self.take(TokenKind::Semicolon) { Ok(()) } else { self.variables(&ty) }
    }

    /// `x, y;`
    fn variables(&mut self, ty: &Type) -> Result<(), Broken> {
        let variable = by(|parser: &mut Self| parser.variable_of(ty).map(drop));
        let end = token(TokenKind::Semicolon, "`,` or `;` after a declared variable");
        read(self, terminated(separated(TokenKind::Comma, variable), end))
    }

    fn shared(&mut self) -> Result<(), Broken> {
        let message = "`shared` belongs to programs with threads, and this is a checker of sequential programs";
        self.complaints.error(message, self.cursor.span());
        self.bump();
        self.global()
    }

    fn init(&mut self) -> Result<(), Broken> {
        let word = self.cursor.span();
        self.bump();
        if !self.ast.init.is_empty() {
            self.complaints.error("there can be one `init`", word);
        }
        loop {
            let (name, at) = self.name("the name of a module")?;
            self.ast.init.push(Init { name: name.into(), at: Some(at), point: Point::Module(0) });
            if self.cursor.kind() != TokenKind::Name {
                break;
            }
        }
        self.expect(TokenKind::Semicolon, "`;` after the initial stack")
    }

    // ---- modules

    /// A module, or its forward declaration.
    fn module(&mut self) -> Result<(), Broken> {
        self.bump();
        let mut ty = None;
        let mut dims = Dims::default();
        let mut scalar = Scalar::Bool;
        if !self.take(TokenKind::Key(Key::Void)) {
            let at = self.cursor.start();
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
        if outcome.is_ok() && self.take(TokenKind::Semicolon) {
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
        let open = (TokenKind::Open, "`(` after the name of a module");
        let close = (TokenKind::Close, "`,` or `)` after a parameter");
        read(self, listed(open, (TokenKind::Comma, by(Self::parameter)), close))
    }

    fn parameter(&mut self) -> Result<(), Broken> {
        let ty = self.ty()?;
        let Entry { first, leaves, .. } = self.variable_of(&ty)?;
        if let Some(module) = self.ast.modules.last_mut() {
            module.parameters.push(Parameter { first, leaves });
        }
        Ok(())
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
        let open = self.cursor.start();
        self.expect(TokenKind::OpenBrace, "`{` and the body of the module")?;
        while matches!(self.cursor.kind(), TokenKind::Key(Key::Bool | Key::Int | Key::Enum | Key::Struct))
            || self.is_sign()
        {
            let ty = self.ty()?;
            self.variables(&ty)?;
        }
        let start = self.ast.statements.len();
        self.blocks.push(Block::new(Opener::Body, open));
        while self.statement() {}
        self.close_all();
        self.blocks.clear();
        let end = self.cursor.start();
        let piece = Piece { start: start as u32, end: self.ast.statements.len() as u32 };
        if let Some(module) = self.ast.modules.last_mut() {
            (module.statements, module.end) = (piece, end);
            module.body = (!piece.is_empty()).then(|| StmtId::new(start));
        }
        if self.cursor.kind() != TokenKind::CloseBrace {
            let message = format!("expected a statement or `}}`, found {}", self.cursor.described());
            let opened = open as usize..open as usize + 1;
            let complaint = Diagnostic::error(message, self.cursor.span()).with_related(opened, "opened here");
            self.complain_about_token(complaint);
            self.broken = true;
            return Ok(());
        }
        self.bump();
        Ok(())
    }

    /// Complains about forward declarations that say something else than the module.
    pub(super) fn compare_forwards(&mut self) {
        let named: FxHashMap<Name, usize> =
            self.ast.modules.iter().enumerate().map(|(number, module)| (module.name.clone(), number)).collect();
        for forward in std::mem::take(&mut self.forwards) {
            let span = forward.at as usize..forward.at as usize + forward.name.len();
            let Some(&number) = named.get(&forward.name) else {
                let message = format!("the module `{}` is declared, but has no body", forward.name);
                self.complaints.error(message, span);
                continue;
            };
            let module = &self.ast.modules[number];
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
