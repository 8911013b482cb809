//! Models of the C library ([`crate::c::library`]): they are read behind the program's own files, and called in the place of what they stand
//! for.

use std::collections::{HashMap, HashSet};

use lang_c::ast;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::scope::{Entity, Scope};
use super::{Lowered, Lowering, Value, declared_name};
use crate::c::bodiless::{self, Meaning};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::library::{self, Model};
use crate::c::program::{Callee, InputKind, ProcedureId, StatementKind};
use crate::c::types::{Type, TypeId};

/// Names that may be anybody's: only with the types that they have there they are the library's.
const ANYBODYS: [&str; 2] = ["index", "rindex"];

/// The models that a program may need.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// How many files are the program's own; the others are models.
    own: usize,
    /// The procedure of each, by its name.
    procedures: HashMap<&'static str, ProcedureId>,
    /// Those that are called.
    wanted: HashSet<ProcedureId>,
    /// Calls of whose result only the sign is looked at, or whether it is 0: where they stand in which file.
    signs: HashSet<(usize, usize, usize)>,
}

/// The models that a program may need, and that they need themselves: of each name that it calls, or declares and mentions.
pub fn candidates(trees: &[ast::TranslationUnit]) -> Vec<Model> {
    let mut mentioned = Mentioned::default();
    trees.iter().for_each(|tree| mentioned.visit_translation_unit(tree));
    let Mentioned { called, named, declared } = mentioned;
    let names = called.iter().chain(named.intersection(&declared));
    let last = names.clone().any(|name| library::is_last_error(name)).then_some(library::LAST_ERROR);
    let names: Vec<&str> = names.map(String::as_str).filter(|name| library::has_model(name)).collect();
    let checked = names.iter().any(|name| super::copies::is_copy(name)).then_some(super::copies::APART);
    library::needed(names.iter().copied().chain(checked).chain(last))
}

/// Names in a program.
#[derive(Default)]
struct Mentioned {
    /// Of what is called.
    called: HashSet<String>,
    /// In expressions.
    named: HashSet<String>,
    /// Of what files declare.
    declared: HashSet<String>,
}

impl<'ast> Visit<'ast> for Mentioned {
    fn visit_external_declaration(&mut self, node: &'ast ast::ExternalDeclaration, span: &'ast Span) {
        if let ast::ExternalDeclaration::Declaration(declaration) = node {
            let declarators = declaration.node.declarators.iter();
            self.declared.extend(declarators.filter_map(|one| declared_name(&one.node.declarator.node)));
        }
        visit::visit_external_declaration(self, node, span);
    }

    fn visit_expression(&mut self, node: &'ast ast::Expression, span: &'ast Span) {
        match node {
            ast::Expression::Identifier(name) => {
                self.named.insert(name.node.name.clone());
            }
            ast::Expression::Call(call) => {
                if let ast::Expression::Identifier(name) = &call.node.callee.node {
                    self.called.insert(name.node.name.clone());
                }
            }
            _ => {}
        }
        visit::visit_expression(self, node, span);
    }
}

impl Lowering<'_> {
    /// Whether the file that is being read is a model.
    pub fn in_model(&self) -> bool {
        self.unit >= self.models.own
    }

    /// How many files the program has itself.
    pub fn own_files(&self) -> usize {
        self.models.own
    }

    /// Makes the models known by their types; the first trees are those of the program's own files.
    pub fn declare_models(&mut self, trees: &[ast::TranslationUnit], own: usize) {
        self.models = Models { own, ..Models::default() };
        for (unit, tree) in trees.iter().enumerate().skip(own) {
            self.unit = unit;
            self.scopes = vec![Scope::default()];
            for node in &tree.0 {
                self.here = node.span;
                let _ = match &node.node {
                    ast::ExternalDeclaration::FunctionDefinition(definition) => self.declare_model(definition),
                    other => self.external_declaration(other),
                };
            }
            self.scopes.clear();
        }
    }

    fn declare_model(&mut self, node: &Node<ast::FunctionDefinition>) -> Lowered<()> {
        let name = declared_name(&node.node.declarator.node).unwrap_or_default();
        let Some((header, known)) = library::find(&name) else { return Ok(()) };
        let (said, base) = self.specifiers(&node.node.specifiers, node.span)?;
        let declared = self.declarator(&node.node.declarator, base)?;
        let id = self.procedure(&name, said, &declared, node.span, &super::attributes::Asked::default())?;
        self.procedures[id.0 as usize].name = library::procedure_name(header, known).into();
        self.models.procedures.insert(known, id);
        Ok(())
    }

    /// Reads the models that are called, each before those that it may need.
    pub fn lower_models(&mut self, trees: &[ast::TranslationUnit]) {
        for index in 0..self.known.len() {
            let name = self.procedures[index].name.clone();
            let known = self.known[index].taken.is_some() && self.procedures[index].body.is_none();
            if known && self.meaning_of_name(&name, self.known[index].system) == Meaning::Model {
                self.want(&name);
            }
        }
        for (unit, tree) in trees.iter().enumerate().skip(self.models.own) {
            let defined = tree.0.iter().find_map(|node| match &node.node {
                ast::ExternalDeclaration::FunctionDefinition(node) => declared_name(&node.node.declarator.node),
                _ => None,
            });
            let id = defined.and_then(|name| self.models.procedures.get(name.as_str()).copied());
            if id.is_some_and(|id| self.models.wanted.contains(&id)) {
                self.unit = unit;
                self.read_file(tree);
            }
        }
    }

    fn want(&mut self, name: &str) -> Option<ProcedureId> {
        let (_, known) = library::find(name)?;
        let id = *self.models.procedures.get(known)?;
        self.models.wanted.insert(id);
        Some(id)
    }

    /// Whether the program may need the model of this name.
    pub fn has_model_of(&self, name: &str) -> bool {
        self.models.procedures.contains_key(name)
    }

    /// The type of the first parameter of a model.
    pub fn first_parameter(&self, name: &str) -> Option<TypeId> {
        self.known[self.models.procedures.get(name)?.0 as usize].parameters.first().copied()
    }

    /// Whether a procedure is a model.
    pub fn is_model(&self, id: ProcedureId) -> bool {
        library::modelled(&self.procedures[id.0 as usize].name).is_some()
    }

    /// What a call of a procedure of this name means that the program does not define, as far as its name says; models belong to no program
    /// that declares the procedure with another type.
    pub fn meaning_of_name(&self, name: &str, system: bool) -> Meaning {
        if self.in_model() {
            match name {
                "__unspecified" => return Meaning::Unspecified,
                _ if library::find(name).is_some() => return Meaning::Model,
                _ => {}
            }
        }
        let is_asked = self.options.undefined.named.contains_key(name);
        if ANYBODYS.contains(&name) && !is_asked && self.linked.contains_key(name) && self.fits_model(name) {
            return Meaning::Model;
        }
        match bodiless::meaning(name, system, &self.options.undefined) {
            Meaning::Model if !self.fits_model(name) => Meaning::Unknown(bodiless::declared(name)),
            meaning => meaning,
        }
    }

    /// Whether the procedure of this name, as it is declared, is the one of the library.
    fn fits_model(&self, name: &str) -> bool {
        let Some(model) = library::find(name).and_then(|(_, known)| self.models.procedures.get(known)) else {
            return false;
        };
        let declared = match (self.entity(name), self.linked.get(name).copied()) {
            (Some(Entity::Procedure(id)), _) | (_, Some(super::scope::Linked::Procedure(id))) => id,
            _ => return true,
        };
        let (known, model) = (&self.known[declared.0 as usize], &self.known[model.0 as usize]);
        let (Type::Function(result, ..), Type::Function(of_model, ..)) =
            (self.types.get(known.ty), self.types.get(model.ty))
        else {
            return false;
        };
        let same = |a: TypeId, b: TypeId| {
            a == b
                || match (self.types.as_integer(a), self.types.as_integer(b)) {
                    (Some(a), Some(b)) => (a.width, a.signed) == (b.width, b.signed),
                    _ => self.types.pointee(a).is_some() && self.types.pointee(b).is_some(),
                }
        };
        let parameters = known.parameters.iter().zip(&model.parameters).all(|(a, b)| same(*a, *b));
        same(*result, *of_model) && (!known.prototype || parameters && known.parameters.len() == model.parameters.len())
    }

    /// A call of a model; `sign` is whether only the sign of its result, or whether it is 0, is looked at.
    pub fn model_call(
        &mut self,
        node: &Node<ast::CallExpression>,
        name: &Node<ast::Identifier>,
        to: Option<LvalueId>,
        sign: bool,
    ) -> Lowered<Value> {
        let plain = name.node.name.clone();
        let normal = library::normal_form(&plain).filter(|_| sign);
        let Some(model) = self.want(normal.map_or(plain.as_str(), |(_, normal)| normal)) else {
            return Err(self.error(format!("`{plain}` is not supported"), node.span));
        };
        let wanted = self.known[model.0 as usize].clone();
        let declared = if self.in_model() { model } else { self.declared(&plain, name.span)? };
        let known = self.known[declared.0 as usize].clone();
        let given = self.arguments(&node.node.arguments, &known.parameters, known.prototype, false, node.span)?;
        let result = self.result_of(declared);
        if let Some(value) = self.moved_as_objects(&plain, &given, node.span)? {
            return Ok(value);
        }
        let value = self.call_model(model, &wanted.parameters, given, to, node.span)?;
        match value {
            Value::Scalar(e) if self.types.is_scalar(result) => Ok(Value::Scalar(self.convert(e, result)?)),
            value => Ok(value),
        }
    }

    fn call_model(
        &mut self,
        model: ProcedureId,
        parameters: &[TypeId],
        given: Vec<ExpressionId>,
        to: Option<LvalueId>,
        span: Span,
    ) -> Lowered<Value> {
        if given.len() < parameters.len() {
            let message = format!("{} arguments where {} are needed", given.len(), parameters.len());
            return Err(self.error(message, span));
        }
        let mut arguments = Vec::with_capacity(parameters.len());
        for (e, ty) in given.into_iter().zip(parameters) {
            arguments.push(self.convert(e, *ty)?);
        }
        let result = self.result_of(model);
        self.finish_call(Callee::Procedure(model), arguments, result, Some(model), to)
    }

    /// The same with values that are already there, of the procedure of a name.
    pub fn model_called_with(&mut self, name: &str, given: Vec<ExpressionId>) -> Lowered<Value> {
        let span = self.here;
        let Some(model) = self.want(name) else { return Err(super::Refused) };
        let parameters = self.known[model.0 as usize].parameters.clone();
        self.call_model(model, &parameters, given, None, span)
    }

    /// The pointer of which this is the operand of `*`. Where the number of the last error is nobody may keep, since all that is called may write
    /// there; who looks there at once may.
    pub fn followed(&mut self, node: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        if let ast::Expression::Call(call) = &node.node
            && let Some(name) = self.callee_name(&call.node).map(|name| name.node.name.clone())
            && library::is_last_error(&name)
            && self.special(&call.node) == Some(Meaning::Unsupported)
            && self.is_place_of_last_error(&name)
            && let Value::Scalar(pointer) = self.model_called_with(library::LAST_ERROR, Vec::new())?
        {
            return Ok(pointer);
        }
        self.scalar(node)
    }

    /// What macros of `<ctype.h>` look at, if this is the operand of `*` in them: the table itself, so that no pointer has to be read.
    pub fn classes(&mut self, node: &Node<ast::Expression>) -> Lowered<Option<Value>> {
        let ast::Expression::Call(call) = &node.node else { return Ok(None) };
        let is_meant = self.callee_name(&call.node).is_some_and(|name| name.node.name == library::CLASSES_AT)
            && self.special(&call.node) == Some(Meaning::Model)
            && call.node.arguments.is_empty();
        if is_meant { self.model_called_with(library::CLASSES, Vec::new()).map(Some) } else { Ok(None) }
    }

    /// Whether a procedure returns what the one of the library does that says where the number of the last error is.
    fn is_place_of_last_error(&self, name: &str) -> bool {
        let (Some(Entity::Procedure(id)), Some(model)) =
            (self.entity(name), self.models.procedures.get(library::LAST_ERROR))
        else {
            return false;
        };
        self.result_of(id) == self.result_of(*model)
    }

    /// The procedure that a name is declared as, or known as.
    pub fn declared(&mut self, name: &str, span: Span) -> Lowered<ProcedureId> {
        match self.entity(name) {
            Some(Entity::Procedure(id)) => Ok(id),
            _ => self.implicit(name, span),
        }
    }

    /// What a procedure returns.
    pub fn result_of(&self, id: ProcedureId) -> TypeId {
        match self.types.get(self.known[id.0 as usize].ty) {
            Type::Function(result, ..) => *result,
            _ => self.procedures[id.0 as usize].result,
        }
    }

    /// It matters only whether an expression is 0.
    pub fn look_at_truth(&mut self, node: &Node<ast::Expression>) {
        if let ast::Expression::Call(call) = &node.node {
            self.models.signs.insert((self.unit, call.span.start, call.span.end));
        }
    }

    /// The operands of a comparison: of a call that is compared with 0 only that matters.
    pub fn look_at_sign(&mut self, node: &ast::BinaryOperatorExpression) {
        use ast::BinaryOperator::{Equals, Greater, GreaterOrEqual, Less, LessOrEqual, NotEquals};
        let equality = matches!(node.operator.node, Equals | NotEquals);
        if !equality && !matches!(node.operator.node, Less | LessOrEqual | Greater | GreaterOrEqual) {
            return;
        }
        for (call, other) in [(&node.lhs, &node.rhs), (&node.rhs, &node.lhs)] {
            let ast::Expression::Call(direct) = &call.node else { continue };
            let ast::Expression::Identifier(name) = &direct.node.callee.node else { continue };
            let signed = library::normal_form(&name.node.name).is_some_and(|(header, _)| header == "<string.h>");
            if is_zero(&other.node) && (equality || signed) {
                self.look_at_truth(call);
            }
        }
    }

    /// Whether only the sign of what a call returns matters, or whether it is 0.
    pub fn is_sign_looked_at(&self, span: Span) -> bool {
        self.models.signs.contains(&(self.unit, span.start, span.end))
    }

    /// Within a model: a value that C leaves open.
    pub fn unspecified(&mut self) -> Lowered<Value> {
        let Some(body) = &self.body else { return Err(super::Refused) };
        let name = &self.procedures[body.procedure.0 as usize].name;
        let name = library::modelled(name).unwrap_or(name).trim_start_matches('_').into();
        let int = self.types.int();
        let to = self.intermediate(int)?;
        self.emit(StatementKind::Input(to, InputKind::Unspecified(name)))?;
        Ok(Value::Scalar(self.read(to)))
    }
}

/// Whether an expression is written as 0.
fn is_zero(node: &ast::Expression) -> bool {
    match node {
        ast::Expression::Constant(constant) => match &constant.node {
            ast::Constant::Integer(integer) => integer.number.bytes().all(|digit| digit == b'0'),
            _ => false,
        },
        _ => false,
    }
}
