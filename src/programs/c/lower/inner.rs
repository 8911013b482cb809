//! Procedures inside procedures (GNU C). One gets pointers to the locals of the procedures around it that it may name, as further
//! formals before its own; whoever calls it passes them. Where its address is taken they are put into global variables, from which a
//! procedure of its own takes them when it is called: as long as one frame of the outer procedure is alive, and else the pointer is not
//! known.

use std::collections::{BTreeMap, HashMap, HashSet};

use lang_c::ast;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::attributes::Asked;
use super::body::Body;
use super::declarator::Declared;
use super::promises::Promise;
use super::scope::Entity;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::inner::BODY;
use crate::c::program::{Callee, ProcedureId, StatementKind, Storage, Variable, VariableId};
use crate::c::types::{Type, TypeId};

/// The inner procedures of a program.
#[derive(Debug, Default)]
pub struct Inner {
    known: BTreeMap<ProcedureId, Closure>,
    /// By procedure: which of its formals points to a local of another.
    links: HashMap<(ProcedureId, VariableId), VariableId>,
    /// How many frames of a procedure are alive, of those of which it matters.
    frames: HashMap<ProcedureId, VariableId>,
}

/// What an inner procedure reaches.
#[derive(Clone, Debug)]
struct Closure {
    /// The procedure in which it is.
    outer: ProcedureId,
    /// The locals that it may name, in order.
    captured: Vec<VariableId>,
    /// What stands for it where its address is taken, and where that finds pointers to the locals.
    by_address: Option<(ProcedureId, Vec<VariableId>)>,
}

/// What the inner procedures of a body name.
#[derive(Debug, Default)]
pub struct Survey {
    /// Names of inner procedures.
    procedures: HashSet<String>,
    /// What they name.
    pub named: HashSet<String>,
    /// Names that are used otherwise than to call them.
    used: HashSet<String>,
}

/// The declaration of an inner procedure, and its body.
pub type Definition<'n> = (&'n Node<ast::Declaration>, &'n Node<ast::Statement>);

/// The body that belongs to the declaration with which items begin, if they are an inner procedure.
pub fn definition(items: &[Node<ast::BlockItem>]) -> Option<Definition<'_>> {
    let [declaration, body, ..] = items else { return None };
    let ast::BlockItem::Declaration(declaration) = &declaration.node else { return None };
    let ast::BlockItem::Statement(body) = &body.node else { return None };
    let ast::Statement::Labeled(labelled) = &body.node else { return None };
    let ast::Label::Identifier(label) = &labelled.node.label.node else { return None };
    (label.node.name == BODY).then_some((declaration, &*labelled.node.statement))
}

/// All names in a statement.
#[derive(Default)]
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_identifier(&mut self, name: &'ast ast::Identifier, _: &'ast Span) {
        self.0.insert(name.name.clone());
    }
}

/// The inner procedures of some items: what each names.
pub fn of_items(items: &[Node<ast::BlockItem>]) -> HashMap<String, HashSet<String>> {
    let mut all = HashMap::new();
    for at in 0..items.len() {
        let Some((declaration, body)) = definition(&items[at..]) else { continue };
        let declarator = declaration.node.declarators.first();
        let Some(name) = declarator.and_then(|one| super::declared_name(&one.node.declarator.node)) else { continue };
        let mut names = Names::default();
        names.visit_declaration(&declaration.node, &declaration.span);
        names.visit_statement(&body.node, &body.span);
        for own in declarator.into_iter().flat_map(|one| parameters(&one.node.declarator.node)) {
            names.0.remove(&own);
        }
        all.insert(name, names.0);
    }
    all
}

/// The names of the parameters of what a declarator declares.
fn parameters(mut declarator: &ast::Declarator) -> Vec<String> {
    while let ast::DeclaratorKind::Declarator(inner) = &declarator.kind.node {
        declarator = &inner.node;
    }
    let suffix = declarator.derived.iter().find(|part| !matches!(part.node, ast::DerivedDeclarator::Pointer(_)));
    let Some(ast::DerivedDeclarator::Function(function)) = suffix.map(|suffix| &suffix.node) else { return Vec::new() };
    let declarators = function.node.parameters.iter().filter_map(|parameter| parameter.node.declarator.as_ref());
    declarators.filter_map(|declarator| super::declared_name(&declarator.node)).collect()
}

impl<'ast> Visit<'ast> for Survey {
    fn visit_statement(&mut self, statement: &'ast ast::Statement, span: &'ast Span) {
        if let ast::Statement::Compound(items) = statement {
            for (name, named) in of_items(items) {
                self.procedures.insert(name);
                self.named.extend(named);
            }
        }
        visit::visit_statement(self, statement, span);
    }

    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast Span) {
        if let ast::Expression::Identifier(_) = call.callee.node {
            call.arguments.iter().for_each(|argument| self.visit_expression(&argument.node, &argument.span));
        } else {
            visit::visit_call_expression(self, call, span);
        }
    }

    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast Span) {
        if let ast::Expression::Identifier(name) = e {
            self.used.insert(name.node.name.clone());
        }
        visit::visit_expression(self, e, span);
    }
}

impl Survey {
    /// Of the body of a procedure.
    pub fn of(body: &Node<ast::Statement>) -> Survey {
        let mut survey = Survey::default();
        survey.visit_statement(&body.node, &body.span);
        survey
    }

    /// Whether the address of an inner procedure may be taken.
    fn takes_addresses(&self) -> bool {
        self.procedures.iter().any(|name| self.used.contains(name))
    }
}

impl Lowering<'_> {
    /// Whether a procedure is inside another.
    pub fn is_inner(&self, id: ProcedureId) -> bool {
        self.inner.known.contains_key(&id)
    }

    /// The items of a block. What is wrong in one leaves the others alone.
    pub fn items(&mut self, items: &[Node<ast::BlockItem>]) -> Lowered<()> {
        self.note_inner(items);
        let (mut done, mut rest) = (Ok(()), items);
        while let Some((item, after)) = rest.split_first() {
            (done, rest) = match definition(rest) {
                Some(definition) => (self.inner_procedure(definition).and(done), &after[1..]),
                None => (self.item(item).and(done), after),
            };
        }
        done
    }

    /// Notes which inner procedures a block has that is about to be read.
    pub fn note_inner(&mut self, items: &[Node<ast::BlockItem>]) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.inner = of_items(items);
        }
    }

    /// Whether the innermost block has an inner procedure of a name.
    pub fn has_inner(&self, name: &str) -> bool {
        self.body.is_some() && self.scopes.last().is_some_and(|scope| scope.inner.contains_key(name))
    }

    /// An inner procedure with its body.
    pub fn inner_procedure(&mut self, (declaration, body): Definition<'_>) -> Lowered<()> {
        let place = self.place(declaration.span);
        self.body()?.place = place;
        if self.is_noted() {
            return Err(self.error("a procedure inside an expression whose order is open is not supported", body.span));
        }
        self.declaration(declaration)?;
        let Some(declarator) = declaration.node.declarators.first() else { return Err(super::Refused) };
        let node = &declarator.node.declarator;
        let name = super::declared_name(&node.node).unwrap_or_default();
        let Some(Entity::Procedure(id)) = self.entity(&name) else {
            return Err(self.error("this is no procedure", declarator.span));
        };
        let (_, base) = self.specifiers(&declaration.node.specifiers, declaration.span)?;
        let declared = self.declarator(node, base)?;
        self.beside_body(|this| {
            this.define(id, &declared, &[], body, Span::span(declaration.span.start, body.span.end))
        })?;
        self.check_own_locals(id, node.span)
    }

    /// Does some work on another procedure than that whose body is being made.
    fn beside_body<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (body, labels) = (self.body.take(), self.taken.aside());
        let passing = std::mem::take(&mut self.passing);
        let done = self.in_no_unit(work);
        (self.body, self.passing) = (body, passing);
        self.taken.resume(labels);
        done
    }

    /// The inner procedure that a declaration in a block declares.
    pub fn declare_inner(
        &mut self,
        name: &str,
        declared: &Declared<'_>,
        span: Span,
        asked: &Asked,
    ) -> Lowered<ProcedureId> {
        if let Some(Entity::Procedure(id)) = self.scopes.last().and_then(|scope| scope.names.get(name)).copied() {
            return Ok(id);
        }
        if asked.promised.iter().any(Promise::is_condition) {
            return Err(self.error("a contract of a procedure inside a procedure is not supported", span));
        }
        let outer = self.body()?.procedure;
        let (parameters, prototype) = self.parameters_of(declared)?;
        let id = self.new_procedure(name, declared.ty, span);
        let shown = format!("{}.{}", self.procedures[outer.0 as usize].name, self.spelled(name));
        self.procedures[id.0 as usize].name = shown.into();
        let known = &mut self.known[id.0 as usize];
        (known.parameters, known.prototype, known.noreturn) = (parameters, prototype, asked.noreturn);
        let captured = self.captured(name);
        self.inner.known.insert(id, Closure { outer, captured, by_address: None });
        Ok(id)
    }

    /// The locals around that an inner procedure may name, and the inner procedures that it names.
    fn captured(&mut self, name: &str) -> Vec<VariableId> {
        let (mut met, mut open) = (HashSet::new(), vec![name.to_owned()]);
        while let Some(name) = open.pop() {
            if !met.insert(name.clone()) {
                continue;
            }
            let mut scopes = self.scopes.iter().rev();
            let scope = scopes.find(|scope| scope.names.contains_key(&name) || scope.inner.contains_key(&name));
            // Of one that is declared already it is known what it captures, which may be hidden here.
            let ahead = scope.filter(|scope| !scope.names.contains_key(&name));
            open.extend(ahead.into_iter().flat_map(|scope| scope.inner[&name].iter().cloned()));
        }
        let mut captured = Vec::new();
        for name in met {
            let (id, ty) = match self.entity(&name) {
                Some(Entity::Variable(id)) => (id, self.variables[id.0 as usize].ty),
                Some(Entity::Dynamic(id, ty)) => (id, ty),
                Some(Entity::Procedure(id)) => {
                    captured.extend(self.inner.known.get(&id).into_iter().flat_map(|inner| &inner.captured));
                    continue;
                }
                _ => continue,
            };
            if matches!(self.variables[id.0 as usize].storage, Storage::Local(_)) {
                captured.push(id);
                self.lengths_of(ty, &mut captured);
            }
        }
        captured.sort_unstable();
        captured.dedup();
        captured
    }

    /// The locals that hold the lengths in a type.
    fn lengths_of(&self, mut ty: TypeId, list: &mut Vec<VariableId>) {
        loop {
            ty = match *self.types.get(ty) {
                Type::Pointer(to) | Type::Array(to, _) => to,
                Type::Variable(element, length) => {
                    list.extend(length);
                    element
                }
                _ => return,
            };
        }
    }

    /// A variable: a local of a procedure around this one is where a formal points.
    pub fn around(&mut self, id: VariableId, ty: TypeId) -> LvalueId {
        let procedure = self.body.as_ref().map(|body| body.procedure);
        let link = procedure.and_then(|procedure| self.inner.links.get(&(procedure, id)).copied());
        let Some(link) = link else { return self.terms.lvalue(LvalueKind::Variable(id), ty) };
        let pointer = self.variables[link.0 as usize].ty;
        let link = self.terms.lvalue(LvalueKind::Variable(link), pointer);
        let link = self.read(link);
        self.deref(link)
    }

    /// The formals by which an inner procedure gets where those locals are.
    pub fn link_formals(&mut self, id: ProcedureId, span: Span) {
        let captured = self.inner.known.get(&id).map(|inner| inner.captured.clone()).unwrap_or_default();
        for local in captured {
            let (name, ty) =
                (format!(".{}", self.variables[local.0 as usize].name), self.variables[local.0 as usize].ty);
            let pointer = self.types.pointer(ty);
            let formal = self.formal(id, &name, true, pointer, span);
            self.leads_to(formal, local);
            self.inner.links.insert((id, local), formal);
        }
    }

    /// What those formals get from a caller, before all other arguments.
    pub fn links(&mut self, id: ProcedureId) -> Vec<ExpressionId> {
        let captured = self.inner.known.get(&id).map(|inner| inner.captured.clone()).unwrap_or_default();
        let mut links = Vec::with_capacity(captured.len());
        for local in captured {
            let l = self.around(local, self.variables[local.0 as usize].ty);
            links.push(self.address(l));
        }
        links
    }

    /// A procedure names no local of another, but where formals point.
    fn check_own_locals(&mut self, id: ProcedureId, span: Span) -> Lowered<()> {
        let body = self.procedures[id.0 as usize].body.iter().flatten();
        let mut terms = body.flat_map(|statement| statement.kind.terms()).flat_map(|term| self.terms.postorder(term));
        let foreign = terms.any(|term| match term {
            Term::Lvalue(l) => match self.terms.at(l).kind {
                LvalueKind::Variable(variable) => {
                    matches!(self.variables[variable.0 as usize].storage, Storage::Local(of) if of != id)
                }
                _ => false,
            },
            Term::Expression(_) => false,
        });
        drop(terms);
        match foreign {
            true => Err(self.error("this procedure uses what is around it in a way that is not supported", span)),
            false => Ok(()),
        }
    }
}

impl Lowering<'_> {
    fn hidden(&mut self, name: String, ty: TypeId, span: Span) -> VariableId {
        let (name, place) = (name.into(), self.place(span));
        self.variable(Variable { name, is_made_up: true, ty, storage: Storage::Global, place, address_taken: false })
    }

    /// Counts the frames of a procedure that are alive, if that may matter.
    pub fn count_frames(&mut self, id: ProcedureId, survey: &Survey, span: Span) -> Lowered<()> {
        if !survey.takes_addresses() {
            return Ok(());
        }
        let ty = self.types.size_type();
        let counter = self.hidden(format!(".frames of {}", self.procedures[id.0 as usize].name), ty, span);
        self.inner.frames.insert(id, counter);
        let counter = self.terms.lvalue(LvalueKind::Variable(counter), ty);
        let (now, one) = (self.read(counter), self.constant(1, ty));
        let (more, less) = (self.binary(Binary::Add, now, one), self.binary(Binary::Subtract, now, one));
        self.emit(StatementKind::Assign(counter, more))?;
        self.body()?.at_return = Some(StatementKind::Assign(counter, less));
        Ok(())
    }

    /// The address of an inner procedure.
    pub fn inner_address(&mut self, id: ProcedureId, span: Span) -> Lowered<Value> {
        let Some(closure) = self.inner.known.get(&id).cloned() else { return Err(super::Refused) };
        let ty = self.known[id.0 as usize].ty;
        let pointer = self.types.pointer(ty);
        if closure.captured.is_empty() {
            return Ok(Value::Scalar(self.terms.expression(ExpressionKind::Procedure(id), pointer)));
        }
        let to = self.intermediate(pointer)?;
        let Some(counter) = self.inner.frames.get(&closure.outer).copied() else {
            return Err(self.error("the address of this procedure is taken in a way that is not supported", span));
        };
        let (by_address, globals) = self.by_address(id, span);
        let counter_type = self.variables[counter.0 as usize].ty;
        let counter = self.terms.lvalue(LvalueKind::Variable(counter), counter_type);
        let (now, one) = (self.read(counter), self.constant(1, counter_type));
        let alone = self.binary(Binary::Equal, now, one);
        let links = self.links(id);
        let (yes, no, end) = {
            let body = self.body()?;
            (body.mark(), body.mark(), body.mark())
        };
        let body = self.body()?;
        body.branch(alone, yes, no);
        body.place_mark(yes);
        for (global, link) in globals.into_iter().zip(links) {
            let global = self.terms.lvalue(LvalueKind::Variable(global), self.variables[global.0 as usize].ty);
            self.emit(StatementKind::Assign(global, link))?;
        }
        let address = self.terms.expression(ExpressionKind::Procedure(by_address), pointer);
        self.emit(StatementKind::Assign(to, address))?;
        let body = self.body()?;
        body.goto(end);
        body.place_mark(no);
        let reason = self.reason("the address of a procedure inside one of which several frames are alive")?;
        self.emit(StatementKind::Havoc(to, reason, None))?;
        self.body()?.place_mark(end);
        Ok(Value::Scalar(self.read(to)))
    }

    /// What stands for an inner procedure where its address is taken, and the global variables with pointers to locals.
    fn by_address(&mut self, id: ProcedureId, span: Span) -> (ProcedureId, Vec<VariableId>) {
        let Some(closure) = self.inner.known.get(&id).cloned() else { return (id, Vec::new()) };
        if let Some(known) = closure.by_address {
            return known;
        }
        let name = format!("{} by address", self.procedures[id.0 as usize].name);
        let globals: Vec<VariableId> = (closure.captured.iter())
            .map(|local| {
                let local = &self.variables[local.0 as usize];
                let (name, ty) = (format!(".{name}.{}", local.name), local.ty);
                let pointer = self.types.pointer(ty);
                self.hidden(name, pointer, span)
            })
            .collect();
        let stands = self.new_procedure(&name, self.known[id.0 as usize].ty, span);
        self.known[stands.0 as usize] = self.known[id.0 as usize].clone();
        let known = (stands, globals);
        self.inner.known.entry(id).and_modify(|closure| closure.by_address = Some(known.clone()));
        known
    }

    /// Makes what stands for inner procedures, now that all is known of them.
    pub fn finish_inner(&mut self) {
        for (id, closure) in self.inner.known.clone() {
            if let Some((stands, globals)) = closure.by_address
                && self.procedures[id.0 as usize].body.is_some()
            {
                self.finish_by_address(id, stands, &globals);
            }
        }
    }

    fn finish_by_address(&mut self, id: ProcedureId, stands: ProcedureId, globals: &[VariableId]) {
        let own = self.procedures[id.0 as usize].clone();
        let mut arguments: Vec<ExpressionId> = Vec::with_capacity(own.formals.len());
        for (at, formal) in own.formals.iter().enumerate() {
            let variable = match globals.get(at) {
                Some(global) => *global,
                None => {
                    let copy = self.variables[formal.0 as usize].clone();
                    let copy =
                        self.variable(Variable { storage: Storage::Local(stands), address_taken: false, ..copy });
                    self.procedures[stands.0 as usize].formals.push(copy);
                    copy
                }
            };
            let l = self.terms.lvalue(LvalueKind::Variable(variable), self.variables[variable.0 as usize].ty);
            arguments.push(self.read(l));
        }
        if self.variadic.contains(&id) {
            self.variadic.insert(stands);
        }
        let void = self.types.void();
        let mut body = Body::made(stands, own.result, own.place);
        let result = (own.result != void).then(|| {
            let variable = Variable {
                name: ".1".into(),
                is_made_up: true,
                ty: own.result,
                storage: Storage::Local(stands),
                place: own.place,
                address_taken: false,
            };
            let variable = self.variable(variable);
            body.locals.push(variable);
            self.terms.lvalue(LvalueKind::Variable(variable), own.result)
        });
        body.emit(StatementKind::Call(result, Callee::Procedure(id), arguments));
        let value = result.map(|result| self.read(result));
        body.emit(StatementKind::Return(value));
        let procedure = &mut self.procedures[stands.0 as usize];
        (procedure.result, procedure.result_in, procedure.place) = (own.result, own.result_in, own.place);
        procedure.locals = body.locals.clone();
        procedure.body = Some(body.finish(|_| false));
    }
}
