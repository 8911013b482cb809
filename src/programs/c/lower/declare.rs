//! Declarations: names of types, and objects; what files share.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::attributes::{Asked, Owner};
use super::declarator::{Declared, Said};
use super::names::label;
use super::scope::{Beside, Entity, Linked};
use super::{Lowered, Lowering};
use crate::c::expression::LvalueKind;
use crate::c::program::{StatementKind, Storage, Variable, VariableId};
use crate::c::types::{Type, TypeId};

/// What a formal is called that has no name.
pub const UNNAMED: &str = ".unnamed";

impl Lowering<'_> {
    /// A declaration, at any level.
    pub fn declaration(&mut self, node: &Node<ast::Declaration>) -> Lowered<()> {
        let (said, base) = self.specifiers(&node.node.specifiers, node.span)?;
        let levels = self.levels(&node.node.specifiers);
        for (index, declarator) in node.node.declarators.iter().enumerate() {
            self.here = declarator.span;
            // One that is wrong leaves the others alone.
            let base = self.deduced(base, &declarator.node);
            if base.and_then(|base| self.declare(said, base, node, index)).is_ok() {
                self.note_declared(&declarator.node.declarator, &levels);
            }
        }
        if node.node.declarators.is_empty() {
            // What compilers warn of and ignore: it belongs to nothing.
            self.asked_of_specifiers(node.span, None, Owner::Variable)?;
        }
        Ok(())
    }

    /// The type that specifiers give, which may be that of the initialiser.
    fn deduced(&mut self, base: TypeId, node: &ast::InitDeclarator) -> Lowered<TypeId> {
        match &node.initializer {
            _ if *self.types.get(base) != Type::DEDUCED => Ok(base),
            Some(Node { node: ast::Initializer::Expression(e), .. }) => {
                let ty = self.type_of(e)?;
                Ok(self.converted_type(ty))
            }
            _ => Err(self.error("`__auto_type` has the type of an initialiser", node.declarator.span)),
        }
    }

    /// One of the names that a declaration declares.
    fn declare(&mut self, said: Said, base: TypeId, whole: &Node<ast::Declaration>, index: usize) -> Lowered<()> {
        let Node { node, span } = &whole.node.declarators[index];
        let mut declared = self.declarator(&node.declarator, base)?;
        let Some(name) = declared.name else { return Err(self.error("a declaration without a name", *span)) };
        let text = name.node.name.as_str();
        let function = matches!(self.types.get(declared.ty), Type::Function(..));
        let owner = match (said.typedef, function) {
            (true, _) => Owner::Typedef,
            (false, true) => Owner::Procedure,
            (false, false) => Owner::Variable,
        };
        let first = whole.node.declarators[0].span;
        let shared = self.asked_of_specifiers(whole.span, Some(first), owner)?;
        let own = self.asked_of_declarator(Some(&node.declarator), node.declarator.span, index == 0, owner)?;
        let asked = shared.and(own);
        declared.ty = self.as_asked(declared.ty, &asked)?;
        self.check_label(&node.declarator, said.register)?;
        if said.typedef {
            let inherited = said.align.filter(|_| self.is_of(declared.ty, base));
            let noreturn = said.noreturn && function;
            let beside = Beside { align: asked.align.or(inherited), noreturn: noreturn || asked.noreturn };
            self.name_type(text, declared.ty, beside);
            return Ok(());
        }
        if function {
            let id = match self.has_inner(text) {
                true => self.declare_inner(text, &declared, name.span, &asked)?,
                false => self.procedure(text, said, &declared, name.span, &asked)?,
            };
            self.name(text, Entity::Procedure(id));
            return Ok(());
        }
        if self.body.is_none() || said.external {
            self.global(said, &declared, node.initializer.as_ref(), *span, &asked)?;
        } else if said.fixed || said.thread {
            self.static_local(&declared, node.initializer.as_ref(), *span, &asked)?;
        } else {
            self.local(&declared, node.initializer.as_ref(), *span)?;
            if node.initializer.is_none()
                && let (Some(_), Some(Entity::Variable(id))) = (label(&node.declarator.node), self.entity(text))
            {
                let register = self.terms.lvalue(LvalueKind::Variable(id), declared.ty);
                self.store_unknown(register, "what is in a register")?;
            }
        }
        self.note_alignment(text, asked.align.or(said.align));
        Ok(())
    }

    /// Notes the alignment that a variable has and its type has not; and that it may begin anywhere, if that is a smaller one.
    fn note_alignment(&mut self, name: &str, align: Option<u64>) {
        if let (Some(Entity::Variable(id)), Some(align)) = (self.entity(name), align) {
            self.alignments.insert(id, align);
            let natural = self.types.layout(self.variables[id.0 as usize].ty).map_or(1, |(_, natural)| natural);
            if align < natural {
                self.loose.insert(id);
            }
        }
    }

    /// Complains about objects whose size is not known.
    pub fn complete(&mut self, ty: TypeId, name: &str, span: Span) -> Lowered<()> {
        match self.types.size(ty) {
            Some(size) if size <= 1 << 40 => Ok(()),
            Some(_) => Err(self.error(format!("`{}` is too large", self.spelled(name)), span)),
            None => {
                let message = format!("`{}` has the incomplete type `{}`", self.spelled(name), self.types.name(ty));
                Err(self.error(message, span))
            }
        }
    }

    fn global(
        &mut self,
        said: Said,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
        span: Span,
        asked: &Asked,
    ) -> Lowered<()> {
        let name = declared.name.map_or("", |name| &name.node.name);
        self.constant_size(declared, span)?;
        let ty = self.declared_type(declared, initializer)?;
        let defines = initializer.is_some() || !said.external;
        let symbol = self.symbol(name).to_owned();
        let fixed = said.fixed && !self.has_alias(name);
        let known = self.known_variable(name, &symbol, fixed, span)?;
        let id = match known {
            Some(id) => {
                self.check_same_variable(id, name, ty, span)?;
                // A later declaration may know the length of an array.
                if matches!(self.types.get(self.variables[id.0 as usize].ty), Type::Array(_, 0)) {
                    self.variables[id.0 as usize].ty = ty;
                }
                id
            }
            None => {
                if !said.external || initializer.is_some() {
                    self.complete(ty, name, span)?;
                }
                self.new_global(name, ty, declared.name.map_or(span, |name| name.span))
            }
        };
        if defines {
            self.declared_only.remove(&id);
        } else if known.is_none() {
            self.declared_only.insert(id);
        }
        if self.units[self.unit].is_system(span.start) {
            self.declared_by_system.insert(id);
        }
        if !fixed {
            let before = matches!(self.linked.get(&symbol), Some(Linked::Variable(_, true)));
            self.linked.insert(symbol, Linked::Variable(id, before || defines));
        }
        self.name(name, Entity::Variable(id));
        self.note_asked_of_variable(id, asked);
        self.initialise_at_start(id, initializer)
    }

    /// The variable of a name that was declared before, in this file or in another one.
    fn known_variable(&mut self, name: &str, symbol: &str, fixed: bool, span: Span) -> Lowered<Option<VariableId>> {
        Ok(match (self.linked.get(symbol), fixed, self.scopes[0].names.get(name)) {
            (_, _, Some(Entity::Variable(id))) => Some(*id),
            (Some(Linked::Variable(id, _)), false, _) => Some(*id),
            (Some(Linked::Procedure(_)), false, _) => {
                return Err(self.error(format!("`{name}` is a procedure elsewhere"), span));
            }
            _ => None,
        })
    }

    fn new_global(&mut self, name: &str, ty: TypeId, span: Span) -> VariableId {
        let shown = self.spelled(name).into();
        let place = self.place(span);
        let array = matches!(self.types.get(ty), Type::Array(..));
        self.variable(Variable {
            name: shown,
            is_made_up: false,
            ty,
            storage: Storage::Global,
            place,
            address_taken: array,
        })
    }

    /// What lives as long as the program has a size that is known before.
    fn constant_size(&mut self, declared: &Declared<'_>, span: Span) -> Lowered<()> {
        if !self.types.varies(declared.ty) {
            return Ok(());
        }
        Err(self.error("the size of an object that lives as long as the program has to be constant", span))
    }

    /// The type of what is declared: the length of an array may be that of its initializer.
    fn declared_type(
        &mut self,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
    ) -> Lowered<TypeId> {
        match initializer {
            Some(initializer) => self.initialised_type(declared.ty, initializer),
            None => Ok(declared.ty),
        }
    }

    /// What lives as long as the program has its value before the program starts.
    fn initialise_at_start(&mut self, id: VariableId, initializer: Option<&Node<ast::Initializer>>) -> Lowered<()> {
        let Some(initializer) = initializer else { return Ok(()) };
        let ty = self.variables[id.0 as usize].ty;
        let target = self.terms.lvalue(LvalueKind::Variable(id), ty);
        let body = self.body.take();
        let done = self.initialise(target, initializer);
        self.body = body;
        done
    }

    fn static_local(
        &mut self,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
        span: Span,
        asked: &Asked,
    ) -> Lowered<()> {
        let name = declared.name.map_or("", |name| &name.node.name);
        self.constant_size(declared, span)?;
        let ty = self.declared_type(declared, initializer)?;
        self.complete(ty, name, span)?;
        let procedure = self.body()?.procedure;
        let storage = Storage::Static(procedure);
        let (shown, place) = (self.spelled(name).into(), self.place(span));
        let array = matches!(self.types.get(ty), Type::Array(..));
        let id = self.variable(Variable { name: shown, is_made_up: false, ty, storage, place, address_taken: array });
        self.name(name, Entity::Variable(id));
        self.note_asked_of_variable(id, asked);
        self.initialise_at_start(id, initializer)
    }

    fn local(
        &mut self,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
        span: Span,
    ) -> Lowered<()> {
        let name = declared.name.map_or("", |name| &name.node.name);
        if self.types.varies(declared.ty) {
            return match initializer {
                None => self.varying_object(declared, span),
                Some(list) => Err(self.error("an array whose size varies cannot be initialised", list.span)),
            };
        }
        let ty = self.declared_type(declared, initializer)?;
        self.complete(ty, name, span)?;
        let place = self.place(span);
        self.body()?.place = place;
        let id = self.local_variable(name, ty, span)?;
        self.name(name, Entity::Variable(id));
        self.emit(StatementKind::Declare(id))?;
        if let Some(initializer) = initializer {
            let target = self.terms.lvalue(LvalueKind::Variable(id), ty);
            self.initialise(target, initializer)?;
        }
        Ok(())
    }

    /// A local of the procedure being made.
    pub fn local_variable(&mut self, name: &str, ty: TypeId, span: Span) -> Lowered<VariableId> {
        let procedure = self.body()?.procedure;
        let (shown, place) = (self.spelled(name).into(), self.place(span));
        let array = matches!(self.types.get(ty), Type::Array(..));
        let storage = Storage::Local(procedure);
        let is_made_up = name == UNNAMED;
        let id = self.variable(Variable { name: shown, is_made_up, ty, storage, place, address_taken: array });
        self.body()?.locals.push(id);
        self.lives_here(id);
        Ok(id)
    }

    /// What files share, after all are read: variables that are nowhere defined start with any value; arguments of calls
    /// that were made before the procedure was known.
    pub fn link(&mut self) {
        let mut names: Vec<(&String, &Linked)> = self.linked.iter().collect();
        names.sort_unstable_by_key(|(name, _)| *name);
        let external = names.iter().filter_map(|(_, linked)| match linked {
            Linked::Variable(id, false) => Some(*id),
            _ => None,
        });
        self.external = external.chain(std::mem::take(&mut self.arbitrary)).collect();
        self.check_weak_variables();
        self.decide_volatile();
        self.finish_assembly();
        self.finish_bodiless();
        self.finish_inner();
        self.check_comparators();
        self.fit_calls();
    }
}
