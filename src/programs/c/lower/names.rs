//! Names that mean others: what an assembler calls something, `alias`, `weak`; and what is called before `main`.

use std::collections::{HashMap, HashSet};

use lang_c::ast;
use lang_c::span::{Node, Span};
use spds_format::Diagnostic;

use super::attributes::Asked;
use super::deferred::Deferred;
use super::scope::{Entity, Linked};
use super::{Lowered, Lowering, declared_name};
use crate::c::edit;
use crate::c::program::{Callee, ProcedureId, Program, StatementKind, VariableId};
use crate::c::types::{Type, TypeId};

/// What a name is called where files meet.
#[derive(Debug, Default)]
pub struct Symbols {
    /// By file: names that an assembler is to call something else.
    labels: Vec<HashMap<String, String>>,
    /// By file: what they are called, and what aliases are made of.
    targets: Vec<HashSet<String>>,
    /// Symbols that are aliases, and of what.
    aliases: HashMap<String, String>,
    /// Symbols that some file defines as procedures.
    defined: HashSet<String>,
}

/// A variable another definition of which wins.
#[derive(Clone, Debug)]
pub struct Weak {
    id: VariableId,
    /// Where that is said: the file, and the place in it.
    at: (usize, Span),
    /// Whether something else than a procedure has to do with it, or something may that comes before.
    is_anywhere: bool,
    /// What has to do with it: procedures, their files, and where in these.
    uses: Vec<(ProcedureId, usize, Span)>,
}

impl Symbols {
    /// Symbols that some file defines as procedures.
    pub fn defined(&self) -> &HashSet<String> {
        &self.defined
    }
}

/// A procedure that is called before the program begins.
#[derive(Clone, Copy, Debug)]
pub struct Constructor {
    /// Lower ones come first.
    pub priority: u32,
    /// The file and the byte at which it is defined, or declared.
    pub at: (usize, usize),
    /// Which.
    pub id: ProcedureId,
}

/// What the assembler is to call what a declarator declares.
pub fn label(declarator: &ast::Declarator) -> Option<String> {
    declarator.extensions.iter().find_map(|extension| match &extension.node {
        ast::Extension::AsmLabel(literal) => {
            Some(literal.node.iter().map(|part| part.trim_matches('"')).collect::<String>())
        }
        _ => None,
    })
}

impl Lowering<'_> {
    /// Finds out what names are called, of all files, before they are read.
    pub fn find_symbols(&mut self, trees: &[ast::TranslationUnit]) {
        for (unit, tree) in trees.iter().enumerate() {
            self.unit = unit;
            let (mut labels, mut aliases) = (HashMap::new(), Vec::new());
            let attributes = self.aliases();
            for node in &tree.0 {
                let ast::ExternalDeclaration::Declaration(declaration) = &node.node else { continue };
                for (index, declarator) in declaration.node.declarators.iter().enumerate() {
                    let declarator = &declarator.node.declarator;
                    let Some(name) = declared_name(&declarator.node) else { continue };
                    labels.extend(label(&declarator.node).map(|label| (name.clone(), label)));
                    aliases.extend(self.alias_of(declaration, index, &attributes).map(|of| (name, of)));
                }
            }
            let targets = labels.values().cloned().chain(aliases.iter().map(|(_, of)| of.clone()));
            self.symbols.targets.push(targets.collect());
            let called = |name: String| labels.get(&name).cloned().unwrap_or(name);
            self.symbols.aliases.extend(aliases.into_iter().map(|(name, of)| (called(name), of)));
            self.symbols.labels.push(labels);
        }
        let mut defined = HashSet::new();
        for (unit, tree) in trees.iter().enumerate() {
            self.unit = unit;
            for node in &tree.0 {
                let ast::ExternalDeclaration::FunctionDefinition(definition) = &node.node else { continue };
                let name = declared_name(&definition.node.declarator.node).unwrap_or_default();
                let symbol = self.symbols.labels[unit].get(&name).unwrap_or(&name);
                if self.symbols.aliases.contains_key(symbol) {
                    let message = format!("`{name}` is an alias elsewhere");
                    self.error(message, definition.node.declarator.span);
                }
                defined.insert(self.symbol(&name).to_owned());
            }
        }
        self.symbols.defined = defined;
    }

    /// What a name is called where files meet.
    pub fn symbol<'n>(&'n self, name: &'n str) -> &'n str {
        let label = self.symbols.labels.get(self.unit).and_then(|labels| labels.get(name));
        let mut symbol = label.map_or(name, String::as_str);
        // One that leads to itself is no program: then any symbol will do.
        for _ in 0..self.symbols.aliases.len() {
            match self.symbols.aliases.get(symbol) {
                Some(of) => symbol = of,
                None => break,
            }
        }
        symbol
    }

    /// The same of a procedure: names of what no file defines stay apart.
    pub fn procedure_symbol<'n>(&'n self, name: &'n str) -> &'n str {
        if self.is_defined(name) { self.symbol(name) } else { name }
    }

    /// Whether some file defines a procedure of this name.
    pub fn is_defined(&self, name: &str) -> bool {
        !self.in_model() && self.symbols.defined.contains(self.symbol(name))
    }

    /// Whether another name of the file is an alias of this one, so that it counts as shared even if it is `static`.
    pub fn has_alias(&self, name: &str) -> bool {
        self.symbols.targets.get(self.unit).is_some_and(|targets| targets.contains(name))
    }

    /// Complains about names for an assembler where they mean nothing to the rest of the program.
    pub fn check_label(&mut self, declarator: &Node<ast::Declarator>, register: bool) -> Lowered<()> {
        // What a local is in is no matter to those who do not look into registers.
        let Some(label) = label(&declarator.node).filter(|_| !register || self.body.is_none()) else { return Ok(()) };
        let labels = self.symbols.labels.get(self.unit);
        let name = declared_name(&declarator.node).unwrap_or_default();
        let known = labels.and_then(|labels| labels.get(&name)) == Some(&label);
        if register || !known {
            let what = format!("the name `{label}` for an assembler is not supported here");
            let complaint = Diagnostic::error(what, declarator.span.start..declarator.span.end);
            let why = if register { "a register has no place in the program" } else { "not what files share" };
            return Err(self.complain(complaint.with_label(why)));
        }
        Ok(())
    }

    /// The procedure that an expression is, before it becomes a pointer.
    pub fn procedure_named(&self, e: &Node<ast::Expression>) -> Option<ProcedureId> {
        match &e.node {
            ast::Expression::Identifier(name) => match self.entity(&name.node.name) {
                Some(Entity::Procedure(id)) => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    /// The procedure that stands for another name of one, if it is declared with another type: it can neither be called nor pointed to.
    pub fn differing(&mut self, id: ProcedureId, name: &str, ty: TypeId, span: Span) -> Option<ProcedureId> {
        let other = self.procedures[id.0 as usize].name.clone();
        if *other == *self.spelled(name) || self.known[id.0 as usize].ty == ty {
            return None;
        }
        let apart = self.new_procedure(name, ty, span);
        self.known[apart.0 as usize].differs = Some(other);
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(name.to_owned(), Entity::Procedure(apart));
        }
        Some(apart)
    }

    /// The same of variables; the length of an array may be known of one only.
    pub fn check_same_variable(&mut self, id: VariableId, name: &str, ty: TypeId, span: Span) -> Lowered<()> {
        let variable = &self.variables[id.0 as usize];
        let (known, other) = (variable.ty, variable.name.clone());
        let open = |ty: TypeId| matches!(self.types.get(ty), Type::Array(_, 0));
        if *other == *self.spelled(name) || known == ty || open(known) || open(ty) {
            return Ok(());
        }
        let message = format!("`{}` is another name of `{other}`, whose type differs", self.spelled(name));
        Err(self.error(message, span))
    }

    /// Notes what attributes say of a variable.
    pub fn note_asked_of_variable(&mut self, id: VariableId, asked: &Asked) {
        if asked.arbitrary {
            self.arbitrary.push(id);
        }
        if let Some(span) = asked.weak {
            let is_anywhere = self.mentioned.contains(&id);
            self.weak.push(Weak { id, at: (self.unit, span), is_anywhere, uses: Vec::new() });
        }
    }

    /// Notes what attributes say of a procedure.
    pub fn note_asked_of_procedure(&mut self, id: ProcedureId, asked: &Asked) {
        if let Some((priority, span)) = asked.constructor {
            self.constructors.retain(|constructor| constructor.id != id);
            self.constructors.push(Constructor { priority, at: (self.unit, span.start), id });
        }
        self.known[id.0 as usize].twice |= asked.twice;
        self.note_promised(id, &asked.promised, asked.noreturn);
        if asked.weak.is_some() {
            self.known[id.0 as usize].weak = true;
        }
    }

    /// Complains about procedures whose calls may come back twice, and names of procedures of other types, where the entry may reach
    /// that.
    pub fn check_call(&mut self, id: ProcedureId, span: Span) -> Lowered<()> {
        let (known, name) = (&self.known[id.0 as usize], &self.procedures[id.0 as usize].name);
        let message = match &known.differs {
            Some(other) => format!("`{name}` is another name of `{other}`, whose type differs"),
            None if known.twice => format!("calls of `{name}` may come back twice: that is not supported"),
            None => return Ok(()),
        };
        self.refuse_if_reached(message, span)
    }

    /// Complains about the address of a procedure that may not be there, or may come back twice.
    pub fn check_address(&mut self, id: ProcedureId, name: &str, span: Span) -> Lowered<()> {
        self.check_call(id, span)?;
        if self.known[id.0 as usize].weak && !self.is_defined(name) {
            let message = format!("`{name}` is weak and has no body: whether it is there is not known");
            return self.refuse_if_reached(message, span);
        }
        Ok(())
    }

    /// Notes that something has to do with a variable; of weak ones, which procedure.
    pub fn mention_variable(&mut self, id: VariableId, span: Span) {
        self.mentioned.insert(id);
        if let Some(weak) = self.weak.iter_mut().find(|weak| weak.id == id) {
            match &self.body {
                Some(body) => weak.uses.push((body.procedure, self.unit, span)),
                None => weak.is_anywhere = true,
            }
        }
    }

    /// Complains about weak variables that may not be there, or of which there may be two.
    pub fn check_weak_variables(&mut self) {
        for Weak { id, at: (unit, span), is_anywhere, uses } in std::mem::take(&mut self.weak) {
            self.unit = unit;
            let variable = &self.variables[id.0 as usize];
            let name = variable.name.clone();
            let defined = self.linked.values().any(|linked| *linked == Linked::Variable(id, true));
            if !defined && variable.address_taken {
                let message = format!("`{name}` is weak and defined nowhere: whether it is there is not known");
                if is_anywhere || uses.is_empty() {
                    self.error(message, span);
                    continue;
                }
                self.deferred.extend(uses.into_iter().map(|(procedure, unit, span)| {
                    let complaint = Diagnostic::error(message.clone(), span.start..span.end);
                    Deferred { procedure, unit, complaint }
                }));
            } else if defined && self.own_files() > 1 {
                self.error(format!("which definition of the weak variable `{name}` wins is not found out"), span);
            }
        }
    }

    /// The procedures to be called before the program begins, in order.
    pub fn first_calls(&mut self) -> Vec<ProcedureId> {
        let mut list = std::mem::take(&mut self.constructors);
        list.sort_by_key(|constructor| (constructor.priority, constructor.at));
        list.retain(|constructor| self.procedures[constructor.id.0 as usize].body.is_some());
        list.into_iter().map(|constructor| constructor.id).collect()
    }
}

/// Calls procedures where the program begins.
///
/// # Errors
/// Says in words why that is not possible.
pub fn call_first(program: &mut Program, list: &[ProcedureId]) -> Result<(), String> {
    if list.is_empty() {
        return Ok(());
    }
    let name = |id: ProcedureId| program.procedure(id).name.clone();
    if let Some(id) = list.iter().find(|id| !program.procedure(**id).formals.is_empty()) {
        return Err(format!("`{}` is called before `main`, and has parameters: that is not supported", name(*id)));
    }
    if crate::c::arguments::is_called(program) {
        let (first, main) = (name(list[0]), name(program.main));
        return Err(format!(
            "`{first}` is called before `{main}`, which the program calls again: that is not supported"
        ));
    }
    let main = program.main;
    let calls: Vec<StatementKind> = list
        .iter()
        .map(|id| {
            let result = program.procedure(*id).result;
            let to = (*program.types.get(result) != Type::Void).then(|| edit::local(program, main, ".first", result));
            StatementKind::Call(to, Callee::Procedure(*id), Vec::new())
        })
        .collect();
    edit::put_first(program, main, calls);
    Ok(())
}
