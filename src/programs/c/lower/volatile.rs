//! `volatile` (C11 §6.7.3): what else may change an object. Types are interned without it; what is declared with it is kept beside them,
//! and whether an lvalue is volatile is found out from what it is made of.
//!
//! An object that the program defines is memory like any other. What has no definition in any file, or lies at an address that is
//! written as a number, belongs to the machine: each read of it is an input. Where a pointer leads to something volatile, that may be
//! either; unless nothing of the machine's can be meant, what is read is not known.

use std::collections::{HashMap, HashSet};

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::levels::{Level, Levels, Made, Said};
use super::scope::Entity;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::prepare::DEDUCED;
use crate::c::program::{InputKind, Label, ProcedureId, ReasonId, StatementKind, Storage, VariableId};
use crate::c::types::{RecordId, Type, TypeId};

/// What is known of volatile objects while files are read.
#[derive(Debug, Default)]
pub struct Volatile {
    /// Variables that are, or lead to something that is.
    variables: HashMap<VariableId, Levels>,
    members: HashMap<(RecordId, u32), Levels>,
    procedures: HashMap<ProcedureId, Levels>,
    /// Names that some file defines; those of internal linkage with the file.
    defined: HashSet<(String, Option<usize>)>,
    /// Pointers that were made of numbers.
    numbered: HashSet<LvalueId>,
    /// Reads through pointers: what is known of them is decided in the end.
    through: HashSet<LvalueId>,
    /// Whether a pointer may lead to what is the machine's.
    machine: bool,
}

/// A word of a list of specifiers that says something of the type.
enum Word<'n> {
    Qualifier(&'n Node<ast::TypeQualifier>),
    Specifier(&'n Node<ast::TypeSpecifier>),
}

/// How what is volatile is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Memory,
    Input,
    Through,
}

impl Lowering<'_> {
    /// Notes which objects the files define.
    pub fn note_definitions(&mut self, trees: &[ast::TranslationUnit]) {
        for (unit, tree) in trees.iter().enumerate() {
            for node in &tree.0 {
                let ast::ExternalDeclaration::Declaration(declaration) = &node.node else { continue };
                let said = |wanted: ast::StorageClassSpecifier| {
                    declaration.node.specifiers.iter().any(|specifier| match &specifier.node {
                        ast::DeclarationSpecifier::StorageClass(class) => class.node == wanted,
                        _ => false,
                    })
                };
                let within = said(ast::StorageClassSpecifier::Static).then_some(unit);
                for declarator in &declaration.node.declarators {
                    let defines = declarator.node.initializer.is_some() || !said(ast::StorageClassSpecifier::Extern);
                    if defines && let Some(name) = super::declared_name(&declarator.node.declarator.node) {
                        self.volatile.defined.insert((name, within));
                    }
                }
            }
        }
    }

    /// What specifiers say.
    pub fn levels(&mut self, list: &[Node<ast::DeclarationSpecifier>]) -> Levels {
        self.levels_of_words(list.iter().filter_map(|node| match &node.node {
            ast::DeclarationSpecifier::TypeQualifier(qualifier) => Some(Word::Qualifier(qualifier)),
            ast::DeclarationSpecifier::TypeSpecifier(specifier) => Some(Word::Specifier(specifier)),
            _ => None,
        }))
    }

    /// The same in type names and among members.
    pub fn levels_within(&mut self, list: &[Node<ast::SpecifierQualifier>]) -> Levels {
        self.levels_of_words(list.iter().filter_map(|node| match &node.node {
            ast::SpecifierQualifier::TypeQualifier(qualifier) => Some(Word::Qualifier(qualifier)),
            ast::SpecifierQualifier::TypeSpecifier(specifier) => Some(Word::Specifier(specifier)),
            ast::SpecifierQualifier::Extension(_) => None,
        }))
    }

    fn levels_of_words<'n>(&mut self, words: impl Iterator<Item = Word<'n>>) -> Levels {
        let (mut levels, mut said, mut is_char) = (Levels::plain(), Said::NOTHING, false);
        for word in words {
            match word {
                Word::Qualifier(qualifier) => said |= said_by(qualifier),
                Word::Specifier(specifier) => {
                    said.signed |= specifier.node == ast::TypeSpecifier::Signed;
                    is_char |= specifier.node == ast::TypeSpecifier::Char;
                    self.specified(specifier, &mut levels);
                }
            }
        }
        said.signed &= is_char;
        levels.qualified(said)
    }

    fn specified(&mut self, node: &Node<ast::TypeSpecifier>, levels: &mut Levels) {
        match &node.node {
            ast::TypeSpecifier::TypedefName(name) => {
                let known = self.scopes.iter().rev().find(|scope| scope.names.contains_key(&name.node.name));
                if let Some(known) = known.and_then(|scope| scope.volatile.get(&name.node.name)) {
                    *levels = known.clone();
                } else if name.node.name == DEDUCED.0 {
                    *levels = Levels::unclear();
                }
            }
            ast::TypeSpecifier::Atomic(name) => *levels = self.levels_of_name(name),
            ast::TypeSpecifier::TypeOf(of) => match &of.node {
                ast::TypeOf::Type(name) => *levels = self.levels_of_name(name),
                ast::TypeOf::Expression(e) => {
                    *levels = Levels::unclear();
                    if let ast::Expression::Identifier(name) = &e.node
                        && let Some(Entity::Variable(id)) = self.entity(&name.node.name)
                    {
                        *levels = self.volatile.variables.get(&id).cloned().unwrap_or_else(Levels::plain);
                    }
                }
            },
            _ => {}
        }
    }

    /// What a type name says.
    pub fn levels_of_name(&mut self, node: &Node<ast::TypeName>) -> Levels {
        let base = self.levels_within(&node.node.specifiers);
        match &node.node.declarator {
            Some(declarator) => declared(declarator, base),
            None => base,
        }
    }

    /// Members are declared, and laid out.
    pub fn note_members(&mut self, id: RecordId, members: Vec<(&Node<ast::Declarator>, Levels)>) {
        for (declarator, base) in members {
            let (levels, name) = (declared(declarator, base), super::declared_name(&declarator.node));
            let fields = &self.types.records[id.0 as usize].fields;
            let at = fields.iter().position(|field| Some(&*field.name) == name.as_deref());
            let Some(Ok(at)) = at.map(u32::try_from) else { continue };
            if levels.anywhere() {
                self.volatile.members.insert((id, at), levels.clone());
            }
            self.spelled.member((id, at), levels);
        }
    }

    /// A variable is declared. One that the program defines is remarked on.
    fn note_variable(&mut self, id: VariableId, name: &str, levels: Levels, span: Span) {
        self.spelled.variable(id, &levels);
        let external = self.is_external(id, name);
        self.volatile.machine |= external && levels.anywhere();
        if !levels.anywhere() || self.volatile.variables.contains_key(&id) {
            return;
        }
        if levels.here() && !external {
            let shown = self.spelled(name).to_owned();
            self.warning(format!("`{shown}` is volatile: it is taken as memory that nobody else changes"), span);
        }
        self.volatile.variables.insert(id, levels);
    }
}

impl Lowering<'_> {
    /// Parameters are variables.
    pub fn note_formals(&mut self, parameters: &[Node<ast::ParameterDeclaration>], begins: bool) {
        for parameter in parameters {
            let Some(declarator) = &parameter.node.declarator else { continue };
            let base = self.levels(&parameter.node.specifiers);
            self.note_formal(declarator, base, begins);
        }
    }

    /// One of them; the program may begin with its procedure.
    pub fn note_formal(&mut self, declarator: &Node<ast::Declarator>, base: Levels, begins: bool) {
        let mut levels = declared(declarator, base);
        let Some(name) = super::declared_name(&declarator.node) else { return };
        let Some(Entity::Variable(id)) = self.entity(&name) else { return };
        match levels.0.first().map(|level| level.made) {
            Some(Made::Array) => levels = levels.inner().made(Made::Pointer, Said::NOTHING),
            Some(Made::Function) => levels = levels.made(Made::Pointer, Said::NOTHING),
            _ => {}
        }
        if levels.inner().anywhere() {
            self.volatile.machine |= begins;
            self.entries.extend(self.body.as_ref().map(|body| body.procedure));
        }
        self.note_variable(id, &name, levels, declarator.span);
    }

    /// A name is declared: what is volatile about it is kept.
    pub fn note_declared(&mut self, declarator: &Node<ast::Declarator>, base: &Levels) {
        let Some(name) = super::declared_name(&declarator.node) else { return };
        let levels = declared(declarator, base.clone());
        match self.entity(&name) {
            Some(Entity::Variable(id)) => self.note_variable(id, &name, levels, declarator.span),
            Some(Entity::Dynamic(id, _)) => {
                self.note_variable(id, &name, levels.made(Made::Pointer, Said::NOTHING), declarator.span);
            }
            Some(Entity::Procedure(id)) => {
                self.spelled.procedure(id, &levels);
                if levels.anywhere() {
                    self.volatile.procedures.insert(id, levels);
                }
            }
            Some(Entity::Type(_)) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.volatile.insert(name, levels);
                }
            }
            _ => {}
        }
    }

    /// Whether a variable has no definition in any file.
    fn is_external(&self, id: VariableId, name: &str) -> bool {
        let defined = [None, Some(self.unit)].map(|within| self.volatile.defined.contains(&(name.to_owned(), within)));
        let global = self.variables[id.0 as usize].storage == Storage::Global;
        global && !defined[0] && !defined[1]
    }

    /// A number became a pointer.
    pub fn note_numbered(&mut self, pointer: ExpressionId, constant: bool) {
        self.volatile.machine = true;
        if let (true, ExpressionKind::Read(l)) = (constant, &self.terms.get(pointer).kind) {
            self.volatile.numbered.insert(*l);
        }
    }

    /// A pointer converted by a cast leads to what the cast says.
    pub fn led_by(&mut self, value: Value, name: &Node<ast::TypeName>) -> Lowered<Value> {
        let Value::Scalar(e) = value else { return Ok(value) };
        if self.body.is_none() || self.types.pointee(self.ty(e)).is_none() {
            return Ok(value);
        }
        let levels = self.levels_of_name(name);
        if !levels.inner().anywhere() || self.is_null(e) || self.is_address(e) {
            return Ok(value);
        }
        let mut root = e;
        while let ExpressionKind::Convert(of) | ExpressionKind::Offset(of, _) = self.terms.get(root).kind {
            root = of;
        }
        if matches!(self.terms.get(root).kind, ExpressionKind::Read(l) if self.volatile.numbered.contains(&l)) {
            self.lead(root, levels);
            return Ok(value);
        }
        let to = self.intermediate(self.ty(e))?;
        self.emit(StatementKind::Assign(to, e))?;
        let e = self.read(to);
        self.lead(e, levels);
        Ok(Value::Scalar(e))
    }

    /// What an intermediate pointer leads to.
    fn lead(&mut self, pointer: ExpressionId, levels: Levels) {
        if let ExpressionKind::Read(l) = self.terms.get(pointer).kind
            && let LvalueKind::Variable(id) = self.terms.at(l).kind
        {
            self.volatile.variables.insert(id, levels);
        }
    }

    /// A pointer leads to a variable.
    pub fn leads_to(&mut self, pointer: VariableId, variable: VariableId) {
        if let Some(levels) = self.volatile.variables.get(&variable).cloned() {
            self.volatile.variables.insert(pointer, levels.made(Made::Pointer, Said::NOTHING));
        }
    }

    /// An intermediate value leads where these pointers do.
    pub fn led_as(&mut self, to: LvalueId, pointers: &[ExpressionId]) {
        let found = pointers.iter().map(|e| self.led(*e)).find(Levels::anywhere);
        if let (Some(levels), LvalueKind::Variable(id)) = (found, self.terms.at(to).kind.clone()) {
            self.volatile.variables.insert(id, levels.made(Made::Pointer, Said::NOTHING));
        }
    }

    /// What a call has returned; a procedure without a body may lead anywhere.
    pub fn returned_by(&mut self, id: ProcedureId, value: Value) {
        let Value::Scalar(e) = value else { return };
        if self.types.pointee(self.ty(e)).is_none() {
            return;
        }
        self.volatile.machine |= !self.is_defined(&self.procedures[id.0 as usize].name.clone());
        if let Some(levels) = self.volatile.procedures.get(&id) {
            let levels = levels.returned();
            if let ExpressionKind::Read(l) = self.terms.get(e).kind
                && let LvalueKind::Variable(variable) = self.terms.at(l).kind
            {
                self.volatile.variables.entry(variable).or_insert(levels);
            }
        }
    }

    /// Whether a pointer is the address of something that is known.
    fn is_address(&self, mut e: ExpressionId) -> bool {
        loop {
            match self.terms.get(e).kind {
                ExpressionKind::AddressOf(_) => return true,
                ExpressionKind::Convert(of) | ExpressionKind::Offset(of, _) => e = of,
                _ => return false,
            }
        }
    }

    /// Of what a pointer leads to.
    fn led(&self, mut e: ExpressionId) -> Levels {
        loop {
            match self.terms.get(e).kind {
                ExpressionKind::Read(l) => return self.of(l).inner(),
                ExpressionKind::AddressOf(l) => return self.of(l),
                ExpressionKind::Convert(of) | ExpressionKind::Offset(of, _)
                    if self.types.pointee(self.ty(of)).is_some() =>
                {
                    e = of;
                }
                _ => return Levels::plain(),
            }
        }
    }

    /// Of an lvalue.
    fn of(&self, l: LvalueId) -> Levels {
        match self.terms.at(l).kind {
            LvalueKind::Variable(id) => {
                self.volatile.variables.get(&id).cloned().unwrap_or_else(|| self.shape(self.terms.at(l).ty))
            }
            LvalueKind::Deref(pointer) => self.led(pointer),
            LvalueKind::Element(of, _) => self.of(of).inner(),
            LvalueKind::Field(of, index) => {
                let whole = Said { volatile: self.of(of).here(), ..Said::NOTHING };
                let member = match self.types.get(self.terms.at(of).ty) {
                    Type::Record(record) => self.volatile.members.get(&(*record, index)).cloned(),
                    _ => None,
                };
                member.unwrap_or_else(|| self.shape(self.terms.at(l).ty)).qualified(whole)
            }
        }
    }

    /// A type of which nothing is said.
    pub fn shape(&self, mut ty: TypeId) -> Levels {
        let mut levels = Vec::new();
        loop {
            let (made, next) = match *self.types.get(ty) {
                Type::Pointer(to) => (Made::Pointer, Some(to)),
                Type::Array(of, _) | Type::Variable(of, _) => (Made::Array, Some(of)),
                Type::Function(result, ..) => (Made::Function, Some(result)),
                _ => (Made::Not, None),
            };
            levels.push(Level { made, said: Said::NOTHING });
            match next {
                Some(next) => ty = next,
                None => return Levels(levels),
            }
        }
    }

    fn reading(&self, l: LvalueId) -> Reading {
        let known = &self.volatile;
        if known.variables.is_empty() && known.members.is_empty() || !self.of(l).here() {
            return Reading::Memory;
        }
        let mut root = l;
        loop {
            let mut pointer = match self.terms.at(root).kind {
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => {
                    root = of;
                    continue;
                }
                LvalueKind::Variable(id) => {
                    let name = &*self.variables[id.0 as usize].name;
                    return if self.is_external(id, name) { Reading::Input } else { Reading::Memory };
                }
                LvalueKind::Deref(pointer) => pointer,
            };
            while let ExpressionKind::Convert(of) | ExpressionKind::Offset(of, _) = self.terms.get(pointer).kind {
                pointer = of;
            }
            match self.terms.get(pointer).kind {
                ExpressionKind::AddressOf(l) => root = l,
                ExpressionKind::Read(l) if known.numbered.contains(&l) => return Reading::Input,
                _ => return Reading::Through,
            }
        }
    }

    /// What a scalar lvalue holds now. What is volatile and the machine's is another value each time.
    pub fn current(&mut self, l: LvalueId) -> Lowered<ExpressionId> {
        let reading = if self.body.is_some() { self.reading(l) } else { Reading::Memory };
        if reading == Reading::Memory {
            return Ok(self.read(l));
        }
        let (to, value) = (self.intermediate(self.terms.at(l).ty)?, self.read(l));
        if reading == Reading::Input {
            self.reached(l)?;
            let text = self.units[self.unit].prepared.text.get(self.here.start..self.here.end).unwrap_or("");
            let text: Vec<&str> = text.split_whitespace().collect();
            self.emit(StatementKind::Input(to, InputKind::Volatile(text.join(" ").into())))?;
        } else {
            self.emit(StatementKind::Assign(to, value))?;
            self.emit(StatementKind::Havoc(to, UNDECIDED, None))?;
            self.volatile.through.insert(to);
        }
        self.led_as(to, &[value]);
        Ok(self.read(to))
    }

    /// What an lvalue is found by is evaluated.
    fn reached(&mut self, mut l: LvalueId) -> Lowered<()> {
        loop {
            match self.terms.at(l).kind {
                LvalueKind::Variable(_) => return Ok(()),
                LvalueKind::Deref(pointer) => return self.evaluated(pointer),
                LvalueKind::Field(of, _) => l = of,
                LvalueKind::Element(of, index) => {
                    self.evaluated(index)?;
                    l = of;
                }
            }
        }
    }

    /// Something is stored that is the machine's, and nobody reads.
    pub fn stored_outside(&mut self, l: LvalueId, e: ExpressionId) -> Lowered<()> {
        self.reached(l)?;
        self.evaluated(e)
    }

    /// Whether what is stored is the machine's, and nobody reads it.
    pub fn is_stored_outside(&self, l: LvalueId) -> bool {
        !self.volatile.numbered.is_empty()
            && self.body.is_some()
            && self.reading(l) == Reading::Input
            && !matches!(self.root(l), LvalueKind::Variable(_))
    }

    fn root(&self, mut l: LvalueId) -> LvalueKind {
        loop {
            match &self.terms.at(l).kind {
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => l = *of,
                kind => return kind.clone(),
            }
        }
    }

    /// What was read through pointers is memory if there is nothing else in the program, and not known otherwise.
    pub fn decide_volatile(&mut self) {
        let through = std::mem::take(&mut self.volatile.through);
        if through.is_empty() {
            return;
        }
        for index in 0..self.procedures.len() {
            let Some(mut body) = self.procedures[index].body.take() else { continue };
            for (at, statement) in (0..).zip(&mut body) {
                if let StatementKind::Havoc(to, reason, _) = &mut statement.kind
                    && through.contains(to)
                {
                    if self.volatile.machine {
                        *reason = self.reason_at("what is volatile where a pointer leads", statement.place);
                    } else {
                        statement.kind = StatementKind::Goto(Label(at + 1));
                    }
                }
            }
            self.procedures[index].body = Some(body);
        }
    }
}

/// Stands for a reason that is given in the end.
const UNDECIDED: ReasonId = ReasonId(u32::MAX);

/// What a qualifier says.
fn said_by(qualifier: &Node<ast::TypeQualifier>) -> Said {
    Said {
        volatile: qualifier.node == ast::TypeQualifier::Volatile,
        constant: qualifier.node == ast::TypeQualifier::Const,
        restricted: qualifier.node == ast::TypeQualifier::Restrict,
        ..Said::NOTHING
    }
}

/// What a declarator makes of a type.
fn declared(node: &Node<ast::Declarator>, base: Levels) -> Levels {
    let (mut node, mut levels) = (node, base);
    loop {
        let suffixes = node.node.derived.iter().position(|part| {
            !matches!(part.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
        });
        let (pointers, suffixes) = node.node.derived.split_at(suffixes.unwrap_or(node.node.derived.len()));
        for part in pointers.iter().chain(suffixes.iter().rev()) {
            levels = match &part.node {
                ast::DerivedDeclarator::Pointer(qualifiers) | ast::DerivedDeclarator::Block(qualifiers) => {
                    let mut said = Said::NOTHING;
                    for qualifier in qualifiers {
                        if let ast::PointerQualifier::TypeQualifier(qualifier) = &qualifier.node {
                            said |= said_by(qualifier);
                        }
                    }
                    levels.made(Made::Pointer, said)
                }
                ast::DerivedDeclarator::Array(_) => levels.made(Made::Array, Said::NOTHING),
                ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_) => {
                    levels.made(Made::Function, Said::NOTHING)
                }
            };
        }
        match &node.node.kind.node {
            ast::DeclaratorKind::Declarator(inner) => node = inner,
            _ => return levels,
        }
    }
}
