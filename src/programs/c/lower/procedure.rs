//! Procedures: their declarations, their definitions, and their formals.

use std::collections::{BTreeSet, HashSet};

use lang_c::ast;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use spds_format::model::Place;

use super::attributes::{Asked, Owner};
use super::body::Body;
use super::declarator::{Declared, Lengths, Parameters, Said};
use super::declare::UNNAMED;
use super::inner::Survey;
use super::lifetime::Lifetimes;
use super::promises::Promised;
use super::scope::{Entity, Linked};
use super::{Known, Lowered, Lowering};
use crate::c::bodiless::{self, builtins};
use crate::c::expression::{ExpressionKind, LvalueKind};
use crate::c::library;
use crate::c::program::{Procedure, ProcedureId, StatementKind, Storage, Variable, VariableId};
use crate::c::types::{FloatKind, Type, TypeId};

/// A parameter: its name, if it has one, its type, and where it stands.
type Parameter<'d> = (Option<&'d Node<ast::Identifier>>, TypeId, Span);

impl Lowering<'_> {
    /// The procedure of a name, declared with a type.
    pub fn procedure(
        &mut self,
        name: &str,
        said: Said,
        declared: &Declared<'_>,
        span: Span,
        asked: &Asked,
    ) -> Lowered<ProcedureId> {
        let (parameters, prototype) = self.parameters_of(declared)?;
        let symbol = match self.in_model() && library::find(name).is_some() {
            true => format!("<{name}>"),
            false => self.procedure_symbol(name).to_owned(),
        };
        let fixed = said.fixed && !self.has_alias(name);
        let known = self.known_procedure(name, &symbol, fixed, span)?;
        let noreturn = said.noreturn || asked.noreturn;
        let system = self.units[self.unit].is_system(span.start);
        if let Some(id) = known {
            if let Some(other) = self.differing(id, name, declared.ty, span) {
                return Ok(other);
            }
            self.note_asked_of_procedure(id, asked);
            self.note_names(id, declared);
            let known = &mut self.known[id.0 as usize];
            known.noreturn |= noreturn;
            known.system |= system;
            known.implicit = None;
            if prototype && !known.prototype {
                (known.ty, known.parameters, known.prototype) = (declared.ty, parameters, true);
            }
            if let Some(scope) = self.scopes.first_mut() {
                scope.names.entry(name.to_owned()).or_insert(Entity::Procedure(id));
            }
            return Ok(id);
        }
        let id = self.new_procedure(name, declared.ty, span);
        let known = &mut self.known[id.0 as usize];
        (known.parameters, known.prototype, known.noreturn) = (parameters, prototype, noreturn);
        known.system = system;
        self.note_asked_of_procedure(id, asked);
        self.note_names(id, declared);
        if fixed {
            self.told_apart(id, name);
        } else {
            self.linked.insert(symbol, Linked::Procedure(id));
        }
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(name.to_owned(), Entity::Procedure(id));
        }
        Ok(id)
    }

    /// The procedure of a name that was declared before, in this file or in another one.
    fn known_procedure(&mut self, name: &str, symbol: &str, fixed: bool, span: Span) -> Lowered<Option<ProcedureId>> {
        let in_file = self.scopes.first().and_then(|scope| scope.names.get(name)).copied();
        Ok(match (in_file, self.linked.get(symbol)) {
            (Some(Entity::Procedure(id)), _) => Some(id),
            (_, Some(Linked::Procedure(id))) if !fixed => Some(*id),
            (_, Some(Linked::Variable(..))) if !fixed => {
                return Err(self.error(format!("`{name}` is a variable elsewhere"), span));
            }
            _ => None,
        })
    }

    /// Names a procedure of one file after that, too, if there is another one of its name.
    fn told_apart(&mut self, id: ProcedureId, name: &str) {
        if self.procedures[..id.0 as usize].iter().any(|other| *other.name == *name) {
            let file = &*self.units[self.unit].name;
            self.procedures[id.0 as usize].name = format!("{file}:{name}").into();
        }
    }

    /// Notes what parameters are called where a procedure is declared.
    fn note_names(&mut self, id: ProcedureId, declared: &Declared<'_>) {
        let Parameters::Prototype(list) = declared.parameters else { return };
        let name = |one: &Node<ast::ParameterDeclaration>| {
            one.node.declarator.as_ref().and_then(|declarator| super::declared_name(&declarator.node))
        };
        self.known[id.0 as usize].promised.named(list.iter().map(name).collect());
    }

    /// The types of the parameters of a declared procedure, and whether that is all of them.
    pub fn parameters_of(&mut self, declared: &Declared<'_>) -> Lowered<(Vec<TypeId>, bool)> {
        Ok(match declared.parameters {
            Parameters::Prototype(list) => {
                let void = self.types.void();
                let mut types = self.parameter_types(list)?;
                types.retain(|ty| *ty != void);
                (types, true)
            }
            Parameters::Names(_) | Parameters::None => match self.types.get(declared.ty) {
                Type::Function(_, types, _) => (types.to_vec(), !types.is_empty()),
                _ => (Vec::new(), false),
            },
        })
    }

    /// A procedure of which only its type is known.
    pub fn new_procedure(&mut self, name: &str, ty: TypeId, span: Span) -> ProcedureId {
        let result = match self.types.get(ty) {
            Type::Function(result, ..) => *result,
            _ => self.types.void(),
        };
        let result = if self.types.is_scalar(result) { result } else { self.types.void() };
        self.procedures.push(Procedure {
            name: self.spelled(name).into(),
            place: self.place(span),
            formals: Vec::new(),
            locals: Vec::new(),
            result,
            result_in: None,
            foreign: None,
            outside: BTreeSet::new(),
            internal: false,
            body: None,
        });
        self.known.push(Known {
            ty,
            parameters: Vec::new(),
            prototype: false,
            noreturn: false,
            promised: Promised::default(),
            implicit: None,
            system: false,
            taken: None,
            weak: false,
            twice: false,
            differs: None,
        });
        ProcedureId(u32::try_from(self.procedures.len() - 1).expect("fewer procedures than bytes of source"))
    }

    /// A procedure that is called without a declaration: compilers know the type of their own and of the library's; any other
    /// returns an `int` (C89).
    pub fn implicit(&mut self, name: &str, span: Span) -> Lowered<ProcedureId> {
        let symbol = self.procedure_symbol(name).to_owned();
        if let Some(Linked::Procedure(id)) = self.linked.get(&symbol) {
            return Ok(*id);
        }
        let builtin = bodiless::is_builtin(name);
        let signature = match bodiless::library(name) {
            Some(_) if builtin => builtins::signature(name, &mut self.types),
            Some(_) => builtins::signature(&format!("__builtin_{name}"), &mut self.types),
            None => None,
        };
        if builtin && signature.is_none() && !bodiless::is_fixed(name) {
            return Err(self.error(format!("`{name}` is not supported"), span));
        }
        let int = self.types.int();
        let (result, parameters, open) = match signature {
            Some(signature) => {
                if signature.result.is_none() {
                    self.by_first.insert(name.to_owned());
                }
                (signature.result.unwrap_or(int), signature.parameters, signature.open)
            }
            None => (int, Vec::new(), true),
        };
        let ty = self.types.intern(Type::Function(result, parameters.clone().into(), open));
        let id = self.new_procedure(name, ty, span);
        let known = &mut self.known[id.0 as usize];
        known.implicit = Some((self.unit, span));
        (known.prototype, known.parameters) = (!(open && parameters.is_empty()), parameters);
        self.linked.insert(symbol, Linked::Procedure(id));
        Ok(id)
    }

    /// A procedure with its body.
    pub fn definition(&mut self, node: &Node<ast::FunctionDefinition>) -> Lowered<()> {
        let (said, base) = self.specifiers(&node.node.specifiers, node.span)?;
        let mut declared = self.declarator(&node.node.declarator, base)?;
        let Some(name) = declared.name else { return Err(self.error("a procedure without a name", node.span)) };
        if !matches!(self.types.get(declared.ty), Type::Function(..)) {
            return Err(self.error("this is no procedure", name.span));
        }
        let shared = self.asked_of_specifiers(node.span, Some(node.node.declarator.span), Owner::Procedure)?;
        let declarator = &node.node.declarator;
        let own = self.asked_of_declarator(Some(declarator), declarator.span, true, Owner::Procedure)?;
        let asked = shared.and(own);
        declared.ty = self.as_asked(declared.ty, &asked)?;
        let internal = said.fixed && !self.has_alias(&name.node.name);
        let id = self.procedure(&name.node.name, said, &declared, name.span, &asked)?;
        if self.procedures[id.0 as usize].body.is_some() {
            let message = format!("`{}` is defined twice", self.spelled(&name.node.name));
            return Err(self.error(message, name.span));
        }
        let levels = self.levels(&node.node.specifiers);
        self.note_declared(&node.node.declarator, &levels);
        self.known[id.0 as usize].ty = declared.ty;
        self.procedures[id.0 as usize].place = self.place(name.span);
        self.procedures[id.0 as usize].internal = internal;
        let at = (self.unit, name.span.start);
        self.constructors.iter_mut().filter(|constructor| constructor.id == id).for_each(|one| one.at = at);
        if self.symbol(&name.node.name) == name.node.name && self.has_alias(&name.node.name) {
            // Its own name counts, not that under which it was met first.
            self.procedures[id.0 as usize].name = self.spelled(&name.node.name).into();
        }
        self.define(id, &declared, &node.node.declarations, &node.node.statement, node.span)
    }

    /// Gives a procedure its body. `span` is that of the whole definition.
    pub fn define(
        &mut self,
        id: ProcedureId,
        declared: &Declared<'_>,
        old: &[Node<ast::Declaration>],
        statement: &Node<ast::Statement>,
        span: Span,
    ) -> Lowered<()> {
        let Type::Function(result, ..) = *self.types.get(declared.ty) else { return Err(super::Refused) };
        let scalar = if self.types.is_scalar(result) { result } else { self.types.void() };
        self.procedures[id.0 as usize].result = scalar;
        if self.types.as_record(result).is_some() {
            self.result_variable(id, result);
        }
        let survey = Survey::of(statement);
        let mut addressed = Addressed::default();
        addressed.visit_statement(&statement.node, &statement.span);
        addressed.names.extend(survey.named.iter().cloned());
        let place = self.procedures[id.0 as usize].place;
        self.body = Some(Body::new(id, result, place, addressed.names, Lifetimes::new(self.scopes.len())));
        let done = self.scoped(|this| {
            this.link_formals(id, span);
            this.formals(id, declared, old)?;
            this.count_frames(id, &survey, span)?;
            this.statement(statement)
        });
        let body = self.body.take();
        done?;
        let Some(body) = body else { return Err(super::Refused) };
        self.end(id, body, span)
    }

    /// The global variable in which a procedure returns a structure.
    pub fn result_variable(&mut self, id: ProcedureId, ty: TypeId) -> VariableId {
        if let Some(variable) = self.procedures[id.0 as usize].result_in {
            return variable;
        }
        let procedure = &self.procedures[id.0 as usize];
        let (name, place) = (format!(".{}", procedure.name), procedure.place);
        let variable = self.result_of_type(ty, &name, place);
        self.procedures[id.0 as usize].result_in = Some(variable);
        variable
    }

    /// The variable in which structures of a type are returned, also by procedures that are called through pointers.
    pub fn result_of_type(&mut self, ty: TypeId, name: &str, place: Place) -> VariableId {
        if let Some(&variable) = self.results.get(&ty) {
            return variable;
        }
        let name = name.into();
        let variable = Variable { name, is_made_up: true, ty, storage: Storage::Global, place, address_taken: false };
        let variable = self.variable(variable);
        self.results.insert(ty, variable);
        variable
    }

    fn formals(&mut self, id: ProcedureId, declared: &Declared<'_>, old: &[Node<ast::Declaration>]) -> Lowered<()> {
        let mut types = Vec::new();
        match declared.parameters {
            Parameters::None => {}
            // The lengths in the type of one may speak of those before it.
            Parameters::Prototype(list) => {
                for one in list {
                    let (name, ty) =
                        self.with_lengths(Lengths::OfParameter, |this| this.parameter(&one.node, one.span))?;
                    self.parameter_object(id, (name, ty, one.span), &mut types)?;
                }
                if let Some(name) = declared.name {
                    self.variadic_formal(id, declared.ty, name.span)?;
                }
            }
            Parameters::Names(names) => {
                let named = self.with_lengths(Lengths::Forgotten, |this| this.old_formals(names, old))?;
                for one in named {
                    match self.types.as_float(one.1) {
                        Some(FloatKind::Single) => self.old_float(id, one, &mut types)?,
                        _ => self.parameter_object(id, one, &mut types)?,
                    }
                }
            }
        }
        let begins = self.options.main.as_deref() == Some(&*self.procedures[id.0 as usize].name);
        if let Parameters::Prototype(list) = declared.parameters {
            self.note_formals(list, begins);
        }
        for declaration in old {
            let levels = self.levels(&declaration.node.specifiers);
            for declarator in &declaration.node.declarators {
                self.note_formal(&declarator.node.declarator, levels.clone(), begins);
            }
        }
        let known = &mut self.known[id.0 as usize];
        known.parameters = types;
        // Calls of a procedure in the old style are checked against its definition all the same.
        known.prototype = true;
        Ok(())
    }

    /// A parameter as formals, and as a local if it is no scalar.
    fn parameter_object(
        &mut self,
        id: ProcedureId,
        (name, ty, span): Parameter<'_>,
        types: &mut Vec<TypeId>,
    ) -> Lowered<()> {
        if *self.types.get(ty) == Type::Void {
            return Ok(());
        }
        types.push(ty);
        let text = name.map_or(UNNAMED, |name| &name.node.name);
        if self.types.is_scalar(ty) {
            let formal = self.formal(id, text, name.is_none(), ty, span);
            self.name(text, Entity::Variable(formal));
            return Ok(());
        }
        self.complete(ty, text, span)?;
        let variable = self.local_variable(text, ty, span)?;
        self.name(text, Entity::Variable(variable));
        self.emit(StatementKind::Declare(variable))?;
        let whole = self.terms.lvalue(LvalueKind::Variable(variable), ty);
        self.here = span;
        let leaves = self.leaves(whole)?;
        match &leaves {
            Some(_) if matches!(self.types.get(ty), Type::Opaque(_)) => {
                return self.copied_parameter(id, text, whole, span);
            }
            Some(_) => self.store_unknown_parts(whole)?,
            None => return self.copied_parameter(id, text, whole, span),
        }
        for (leaf, path) in leaves.unwrap_or_default() {
            let ty = self.terms.at(leaf).ty;
            let formal = self.formal(id, &format!("{text}{path}"), name.is_none(), ty, span);
            let formal = self.terms.lvalue(LvalueKind::Variable(formal), ty);
            let value = self.read(formal);
            self.emit(StatementKind::Assign(leaf, value))?;
        }
        Ok(())
    }

    /// A `float` in the old style comes as a `double` (C11 §6.9.1 p10).
    fn old_float(&mut self, id: ProcedureId, (name, ty, span): Parameter<'_>, types: &mut Vec<TypeId>) -> Lowered<()> {
        let double = self.types.float(FloatKind::Double);
        types.push(double);
        let text = name.map_or(UNNAMED, |name| &name.node.name);
        let formal = self.formal(id, text, name.is_none(), double, span);
        let variable = self.local_variable(text, ty, span)?;
        self.name(text, Entity::Variable(variable));
        self.emit(StatementKind::Declare(variable))?;
        let formal = self.terms.lvalue(LvalueKind::Variable(formal), double);
        let own = self.terms.lvalue(LvalueKind::Variable(variable), ty);
        let value = self.read(formal);
        let value = self.convert(value, ty)?;
        self.emit(StatementKind::Assign(own, value))
    }

    pub fn formal(&mut self, id: ProcedureId, name: &str, is_made_up: bool, ty: TypeId, span: Span) -> VariableId {
        let (shown, place) = (self.spelled(name).into(), self.place(span));
        let formal = self.variable(Variable {
            name: shown,
            is_made_up,
            ty,
            storage: Storage::Local(id),
            place,
            address_taken: false,
        });
        self.procedures[id.0 as usize].formals.push(formal);
        formal
    }

    /// `int f(a, b) int a; char b; { … }`: what is not declared is an `int`.
    fn old_formals<'d>(
        &mut self,
        names: &'d [Node<ast::Identifier>],
        declarations: &[Node<ast::Declaration>],
    ) -> Lowered<Vec<Parameter<'d>>> {
        let mut types = std::collections::HashMap::new();
        for declaration in declarations {
            let (_, base) = self.specifiers(&declaration.node.specifiers, declaration.span)?;
            for declarator in &declaration.node.declarators {
                let declared = self.declarator(&declarator.node.declarator, base)?;
                let ty = self.adjusted(declared.ty);
                types.extend(declared.name.map(|name| (name.node.name.clone(), ty)));
            }
        }
        let int = self.types.int();
        let ty = |name: &Node<ast::Identifier>| types.get(&name.node.name).copied().unwrap_or(int);
        Ok(names.iter().map(|name| (Some(name), ty(name), name.span)).collect())
    }

    /// The end of a body: control may fall off it (§5.1.2.2.3, §6.9.1).
    pub fn end(&mut self, id: ProcedureId, mut body: Body, span: Span) -> Lowered<()> {
        let unknown = body.names.iter().filter(|(_, named)| named.defined.is_none());
        let mut unknown: Vec<(Span, String)> =
            unknown.filter_map(|(name, named)| Some((named.used?, name.clone()))).collect();
        unknown.extend(self.missing_labels(&body));
        unknown.sort_unstable_by_key(|(span, _)| span.start);
        for (used, name) in &unknown {
            let out =
                if self.is_inner(id) { ", and a jump out of one that is inside another is not supported" } else { "" };
            let message = format!("there is no label `{}` in this procedure{out}", self.spelled(name));
            self.error(message, *used);
        }
        if !unknown.is_empty() {
            return Err(super::Refused);
        }
        body.place = self.place(Span::span(span.end.saturating_sub(1), span.end));
        let result = self.procedures[id.0 as usize].result;
        let falls = body.falls_through();
        self.body = Some(body);
        let void = self.types.void();
        let value = if result == void {
            None
        } else if !falls || &*self.procedures[id.0 as usize].name == "main" {
            self.types.is_scalar(result).then(|| self.constant(0, result))
        } else {
            // What such a call is worth is not used by programs that have a meaning.
            let value = self.intermediate(result)?;
            let LvalueKind::Variable(variable) = self.terms.at(value).kind else { return Err(super::Refused) };
            self.emit(StatementKind::Declare(variable))?;
            Some(self.terms.expression(ExpressionKind::Read(value), result))
        };
        if falls {
            self.returns(value)?
        } else {
            self.emit(StatementKind::Return(value))?
        }
        self.dispatch()?;
        let Some(body) = self.body.take() else { return Err(super::Refused) };
        let procedure = &mut self.procedures[id.0 as usize];
        procedure.locals = body.locals.clone();
        procedure.body = Some(body.finish(|id| self.variables[id.0 as usize].address_taken));
        Ok(())
    }
}

/// Names to which `&` is applied.
#[derive(Default)]
struct Addressed {
    names: HashSet<String>,
}

impl<'ast> Visit<'ast> for Addressed {
    fn visit_unary_operator_expression(&mut self, node: &'ast ast::UnaryOperatorExpression, span: &'ast Span) {
        if node.operator.node == ast::UnaryOperator::Address {
            let mut inner = &node.operand.node;
            loop {
                match inner {
                    ast::Expression::Member(member) => inner = &member.node.expression.node,
                    ast::Expression::BinaryOperator(index) => inner = &index.node.lhs.node,
                    ast::Expression::Identifier(name) => {
                        self.names.insert(name.node.name.clone());
                        break;
                    }
                    _ => break,
                }
            }
        }
        visit::visit_unary_operator_expression(self, node, span);
    }
}
