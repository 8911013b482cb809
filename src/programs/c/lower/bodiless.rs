//! Calls of procedures without a body, and what stands for such a procedure where it is called through a pointer.

use lang_c::ast;
use lang_c::span::{Node, Span};
use spds_format::Diagnostic;

use super::body::Body;
use super::deferred::Deferred;
use super::scope::Entity;
use super::{Lowered, Lowering, Refused, Value};
use crate::c::Malloc;
use crate::c::bodiless::{self, Does, Meaning};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary};
use crate::c::program::{Effect, Failure, Foreign, InputKind, ProcedureId, ReasonId, Room, StatementKind, VariableId};
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// What a call of a procedure of this name with these arguments means that the program does not define.
    pub fn meaning(&self, name: &str, arguments: &[Node<ast::Expression>]) -> Meaning {
        let known = match self.entity(name) {
            Some(Entity::Procedure(id)) => Some(&self.known[id.0 as usize]),
            _ => None,
        };
        let system = known.is_some_and(|known| known.system);
        let result = known.and_then(|known| match self.types.get(known.ty) {
            Type::Function(result, ..) => Some(*result),
            _ => None,
        });
        match self.meaning_of_name(self.spelled(name), system) {
            // What is asked about is another error.
            Meaning::Fail(_) if self.options.called.is_some() => Meaning::Exit,
            Meaning::Print(at) => match arguments.get(at).map(|format| literal(&format.node)) {
                Some(Some(format)) if !bodiless::writes(&format) => Meaning::Unknown(Does::Reads),
                _ => Meaning::Unknown(Does::Writes),
            },
            meaning => self.as_declared(meaning, result),
        }
    }

    /// Whether it is asked whether a procedure of this name is called; compilers know some by two names.
    pub fn is_asked(&self, name: &str) -> bool {
        let called = self.options.called.as_deref();
        called.is_some_and(|called| name == called || name.strip_prefix("__builtin_") == Some(called))
    }

    /// How calls of a name fail, whether or not the procedure has a body.
    pub fn failing(&self, name: &str) -> Option<Failure> {
        match &self.options.called {
            Some(_) => self.is_asked(name).then_some(Failure::Error),
            None => bodiless::failing(name),
        }
    }

    /// What a procedure means that is declared with that result: one whose result has another type is another one.
    fn as_declared(&self, meaning: Meaning, result: Option<TypeId>) -> Meaning {
        let Some(result) = result else { return meaning };
        match meaning {
            Meaning::Allocate(_) if self.types.pointee(result).is_none() => Meaning::Unknown(Does::Writes),
            Meaning::Absolute if self.types.as_integer(result).is_none_or(|integer| !integer.signed) => {
                Meaning::Unknown(Does::Reads)
            }
            meaning => meaning,
        }
    }

    /// The result of operations whose type is that of what their first argument points to.
    pub fn result_of_first(&self, name: &str, result: TypeId, arguments: &[ExpressionId]) -> TypeId {
        let first = arguments.first().and_then(|first| self.types.pointee(self.ty(*first)));
        if self.by_first.contains(name) { first.unwrap_or(result) } else { result }
    }

    /// A call of a procedure without a body.
    pub fn bodiless_call(
        &mut self,
        id: ProcedureId,
        meaning: Meaning,
        arguments: Vec<ExpressionId>,
        result: TypeId,
        to: Option<LvalueId>,
    ) -> Lowered<Value> {
        let name = self.procedures[id.0 as usize].name.clone();
        let pointers = arguments.iter().any(|e| self.types.pointee(self.ty(*e)).is_some() && !self.is_null(*e));
        // What is known to return a value does so, whatever is said of it.
        let ends = self.known[id.0 as usize].noreturn && bodiless::ends(&name);
        if ends || !pointers && !matches!(meaning, Meaning::Unknown(_)) {
            // Nobody gets them.
            arguments.iter().try_for_each(|e| self.evaluated(*e))?;
        }
        if ends {
            let reason = self.reason(&format!("how `{name}` ends the program"))?;
            self.ends_somehow(reason)?;
            return self.nothing(result);
        }
        if meaning == Meaning::Refused {
            return Err(self.error(format!("`{name}` has no body"), self.here));
        }
        let scalar = self.types.is_scalar(result);
        let record = self.types.as_record(result).is_some();
        let to = match (scalar, record) {
            (true, _) => Some(self.receiver(result, to)?),
            (_, true) => Some(self.intermediate(result)?),
            _ => None,
        };
        match (meaning, to) {
            (Meaning::Unknown(does), _) => {
                let reason = self.reason(&format!("the result of `{name}`"))?;
                self.unknown_call(id, does, to, arguments, reason)?;
            }
            // Contracts are about calls.
            (_, Some(to)) if !pointers && !self.is_promised(id) => {
                self.emit(StatementKind::Input(to, InputKind::Returned(name)))?
            }
            (_, None) if !self.options.open && !arguments.iter().any(|e| self.types.pointee(self.ty(*e)).is_some()) => {
                self.emit(StatementKind::Skip)?
            }
            _ => self.emit(StatementKind::External(to, id, arguments, Effect::Any))?,
        }
        match to {
            Some(to) => Ok(self.content(to)),
            None => self.nothing(result),
        }
    }

    /// A call of a procedure that does something definite of which nothing is known.
    pub fn unknown_call(
        &mut self,
        id: ProcedureId,
        does: Does,
        to: Option<LvalueId>,
        mut arguments: Vec<ExpressionId>,
        reason: ReasonId,
    ) -> Lowered<()> {
        let effect = if does == Does::Reads { Effect::Reads(reason) } else { Effect::Unknown(reason) };
        let first = arguments.first().copied();
        if let (Does::Frees, Some(pointer)) = (does, first.filter(|e| self.types.pointee(self.ty(*e)).is_some())) {
            let name = &self.procedures[id.0 as usize].name;
            let known = name.strip_prefix("__builtin_").unwrap_or(name) == "realloc" && arguments.len() == 2;
            let never = self.int_constant(0);
            self.perhaps(reason, known.then_some(never), |this| this.emit(StatementKind::Free(pointer)))?;
            if known {
                // Who executes it frees the object himself, and asks whether it may fail.
                let lacks = self.options.malloc == Malloc::MayFail;
                arguments.push(self.int_constant(i128::from(lacks)));
            }
        }
        self.emit(StatementKind::External(to, id, arguments, effect))?;
        let name = &self.procedures[id.0 as usize].name;
        if let (Does::Reads, Some(buffer)) = (does, first.filter(|_| bodiless::prints_into_buffer(name))) {
            // Nothing else is written to.
            self.emit(StatementKind::External(None, id, vec![buffer], Effect::Unknown(reason)))?;
        }
        if does == Does::Leaves {
            self.perhaps(reason, None, |this| this.ends_somehow(reason))?;
        }
        Ok(())
    }

    /// What is done or not; `known` is what it depends on, to who executes the program.
    pub fn perhaps(
        &mut self,
        reason: ReasonId,
        known: Option<ExpressionId>,
        what: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let int = self.types.int();
        let some = self.intermediate(int)?;
        self.emit(StatementKind::Havoc(some, reason, known))?;
        let zero = self.int_constant(0);
        let some = self.read(some);
        let condition = self.binary(Binary::Unequal, some, zero);
        let body = self.body()?;
        let (yes, no) = (body.mark(), body.mark());
        body.branch(condition, yes, no);
        body.place_mark(yes);
        what(self)?;
        self.body()?.place_mark(no);
        Ok(())
    }

    /// `abs(e)` and its like: `e < 0 ? -e : e`.
    pub fn absolute(&mut self, e: &Node<ast::Expression>, node: &ast::CallExpression) -> Lowered<Value> {
        let ty = self.declared_result(node);
        let value = self.scalar(e)?;
        let value = self.convert(value, ty)?;
        Ok(Value::Scalar(self.without_sign(value)?))
    }

    /// An absolute value; that of the least number overflows.
    pub fn without_sign(&mut self, value: ExpressionId) -> Lowered<ExpressionId> {
        let ty = self.ty(value);
        let to = self.intermediate(ty)?;
        self.emit(StatementKind::Assign(to, value))?;
        let (value, zero) = (self.read(to), self.constant(0, ty));
        let int = self.types.int();
        let condition = self.terms.expression(ExpressionKind::Binary(Binary::Less, value, zero), int);
        let body = self.body()?;
        let (yes, no) = (body.mark(), body.mark());
        body.branch(condition, yes, no);
        body.place_mark(yes);
        let negative = self.terms.expression(ExpressionKind::Unary(Unary::Negate, value), ty);
        self.emit(StatementKind::Assign(to, negative))?;
        self.body()?.place_mark(no);
        Ok(self.read(to))
    }

    /// What is not known of variables of the library: those that are nowhere defined.
    fn unknown_variables(&mut self) -> Lowered<()> {
        for id in self.external.clone() {
            let name = self.variables[id.0 as usize].name.clone();
            let changes = bodiless::library_variable(&name) && !bodiless::is_stream(&name);
            let known = &self.variables[id.0 as usize];
            if changes && known.address_taken && self.types.is_scalar(known.ty) {
                let file = &self.files[known.place.file as usize];
                let message = format!(
                    "{file}:{}: a pointer to `{name}` is not supported: the library changes it",
                    known.place.line
                );
                self.complaints[0].push(Diagnostic::global(message));
            }
            if bodiless::library_variable(&name) || self.declared_by_system.contains(&id) {
                let reason = self.reason(&format!("the value of `{name}`"))?;
                self.unknown.push((id, reason));
            }
        }
        Ok(())
    }

    /// Whether the library may change a variable at any time.
    pub fn is_changed_elsewhere(&self, l: LvalueId) -> bool {
        let LvalueKind::Variable(id) = self.terms.at(l).kind else { return false };
        let name = &self.variables[id.0 as usize].name;
        self.declared_only.contains(&id) && bodiless::library_variable(name) && !bodiless::is_stream(name)
    }

    /// After all files are read: what is said of procedures and variables that are nowhere defined.
    pub fn finish_bodiless(&mut self) {
        // What was complained about is left out.
        let _ = self.unknown_variables();
        for index in 0..self.known.len() {
            let id = ProcedureId(u32::try_from(index).expect("fewer procedures than bytes of source"));
            let _ = self.mention(id);
            self.foreign(id);
        }
        self.contracted_bodies();
        for index in 0..self.known.len() {
            let id = ProcedureId(u32::try_from(index).expect("fewer procedures than bytes of source"));
            if let Some((unit, span)) = self.known[index].taken {
                self.unit = unit;
                self.here = span;
                let _ = self.stand_in(id, span);
            }
        }
        self.wanted_names();
    }

    /// What is known of a procedure that the program does not define.
    fn foreign(&mut self, id: ProcedureId) {
        let index = id.0 as usize;
        if self.procedures[index].body.is_some() || self.is_model(id) {
            return;
        }
        let known = &self.known[index];
        let name = &self.procedures[index].name;
        let result = match self.types.get(known.ty) {
            Type::Function(result, ..) => *result,
            _ => self.procedures[index].result,
        };
        let meaning = match self.meaning_of_name(name, known.system) {
            _ if known.noreturn && bodiless::ends(name) => Meaning::Exit,
            meaning => meaning,
        };
        let library = known.system || bodiless::is_linked(name);
        let taken = known.taken.is_some();
        self.procedures[index].foreign =
            Some(Foreign { meaning, result, library, effect: Effect::Any, taken, left_out: false });
    }

    /// A note if a procedure is called that is declared nowhere.
    fn mention(&mut self, id: ProcedureId) -> Lowered<()> {
        let index = id.0 as usize;
        let Some((unit, span)) = self.known[index].implicit else { return Ok(()) };
        if self.procedures[index].body.is_some() {
            return Ok(());
        }
        self.unit = unit;
        let name = self.procedures[index].name.clone();
        match self.meaning_of_name(&name, false) {
            Meaning::Input => self.warning(format!("`{name}` is declared nowhere: it may return any `int`"), span),
            Meaning::Unknown(_) if bodiless::library(&name).is_none() => {
                self.warning(format!("`{name}` is declared nowhere: it is taken to return an `int`"), span);
            }
            Meaning::Unknown(_) if !bodiless::is_builtin(&name) => {
                self.warning(format!("`{name}` is declared nowhere: it is taken as the one of the C library"), span);
            }
            // Errors were said where they are called, and what is known was never mentioned.
            _ => {}
        }
        Ok(())
    }

    /// Complains about names that were asked for and mean something else here.
    fn wanted_names(&mut self) {
        for name in self.options.undefined.named.keys() {
            let has_body = |name: &str| self.is_defined(name);
            let said = if bodiless::is_fixed(name) {
                format!("`--undefined`: `{name}` is what verifiers take it for, whatever is said of it")
            } else if has_body(name) {
                format!("`--undefined`: `{name}` has a body")
            } else if !self.procedures.iter().any(|procedure| *procedure.name == **name) {
                format!("`--undefined`: there is no procedure `{name}`")
            } else {
                continue;
            };
            self.complaints[0].push(Diagnostic::global(said));
        }
    }

    /// Where a procedure without a body may be called through a pointer, and means something else than to return an input: a body that
    /// does what a call by its name does.
    fn stand_in(&mut self, id: ProcedureId, span: Span) -> Lowered<()> {
        let index = id.0 as usize;
        let name = self.procedures[index].name.clone();
        let fails = self.failing(&name).map(Meaning::Fail);
        if self.procedures[index].body.is_some() && fails.is_none() {
            return Ok(());
        }
        let result = self.procedures[index].result;
        let meaning = self.procedures[index].foreign.as_ref().map_or(Meaning::Input, |foreign| foreign.meaning);
        let meaning = fails.unwrap_or_else(|| self.as_declared(meaning, Some(result)));
        let meaning = match meaning {
            Meaning::Fail(_) if fails.is_none() && self.options.called.is_some() => Meaning::Exit,
            Meaning::Unsupported => {
                let complaint = Diagnostic::error(format!("`{name}` is not supported"), span.start..span.end);
                self.deferred.push(Deferred { procedure: id, unit: self.unit, complaint });
                return Ok(());
            }
            Meaning::Refused => return Err(self.error(format!("`{name}` has no body"), span)),
            meaning => meaning,
        };
        let reason = self.reason(&format!("the result of `{name}`"))?;
        let effect = match meaning {
            Meaning::Input => return Ok(()),
            Meaning::Unknown(Does::Reads) => Effect::Reads(reason),
            Meaning::Unknown(Does::Writes) | Meaning::Print(_) => Effect::Unknown(reason),
            _ => return self.made_body(id, meaning, reason, span),
        };
        if let Some(foreign) = &mut self.procedures[index].foreign {
            foreign.effect = effect;
        }
        Ok(())
    }

    fn made_body(&mut self, id: ProcedureId, meaning: Meaning, reason: ReasonId, span: Span) -> Lowered<()> {
        let index = id.0 as usize;
        let (result, place) = (self.procedures[index].result, self.procedures[index].place);
        let mut formals = Vec::new();
        self.procedures[index].formals.clear();
        for (at, ty) in self.known[index].parameters.clone().into_iter().enumerate() {
            if self.types.is_scalar(ty) {
                formals.push(self.formal(id, &format!(".argument{}", at + 1), true, ty, span));
            }
        }
        self.body =
            Some(Body::new(id, result, place, std::collections::HashSet::new(), super::lifetime::Lifetimes::default()));
        let done = self.stand_in_body(meaning, &formals, result, reason);
        let body = self.body.take().ok_or(Refused)?;
        if let Err(refused) = done {
            let name = self.procedures[index].name.clone();
            self.error(format!("`{name}` is declared in a way in which it cannot be called through a pointer"), span);
            return Err(refused);
        }
        self.end(id, body, span)
    }

    /// The statements of a body that does what a call by its name does; refused if the parameters are not those that it needs.
    fn stand_in_body(
        &mut self,
        meaning: Meaning,
        formals: &[VariableId],
        result: TypeId,
        reason: ReasonId,
    ) -> Lowered<()> {
        let mut values = Vec::with_capacity(formals.len());
        for &formal in formals {
            let ty = self.variables[formal.0 as usize].ty;
            let formal = self.terms.lvalue(LvalueKind::Variable(formal), ty);
            values.push(self.read(formal));
        }
        let mut returned = self.stand_in_does(meaning, &values, result, reason)?;
        if returned.is_none() && self.types.is_scalar(result) && self.body()?.falls_through() {
            let to = self.intermediate(result)?;
            self.emit(StatementKind::Havoc(to, reason, None))?;
            returned = Some(self.read(to));
        }
        self.emit(StatementKind::Return(returned))
    }

    /// What a call with these values does; its result, if something is known of that.
    fn stand_in_does(
        &mut self,
        meaning: Meaning,
        values: &[ExpressionId],
        result: TypeId,
        reason: ReasonId,
    ) -> Lowered<Option<ExpressionId>> {
        match meaning {
            Meaning::Fail(failure) => self.emit(StatementKind::Fail(failure))?,
            Meaning::Exit => {
                let (code, int) = (self.integer_at(values, 0), self.types.int());
                let code = code.map(|code| self.convert_integer(code, int));
                let Some(body) = &self.body else { return Err(Refused) };
                let name = self.procedures[body.procedure.0 as usize].name.clone();
                self.ends(&name, code)?;
            }
            Meaning::Assert | Meaning::Assume => self.demand(meaning, *values.first().ok_or(Refused)?)?,
            Meaning::Unreachable => {
                let zero = self.int_constant(0);
                self.emit(StatementKind::Assume(zero))?;
            }
            Meaning::Absolute => {
                let value = self.integer_at(values, 0).ok_or(Refused)?;
                let value = self.convert_integer(value, result);
                return self.without_sign(value).map(Some);
            }
            Meaning::Model => {
                let Some(body) = &self.body else { return Err(Refused) };
                let name = self.procedures[body.procedure.0 as usize].name.clone();
                if let Value::Scalar(e) = self.model_called_with(&name, values.to_vec())? {
                    return self.convert(e, result).map(Some);
                }
            }
            Meaning::Free => {
                let pointer = values.first().copied().filter(|value| self.types.pointee(self.ty(*value)).is_some());
                self.emit(StatementKind::Free(pointer.ok_or(Refused)?))?;
            }
            Meaning::Allocate(room) => return self.stand_in_allocates(room, values, result).map(Some),
            // What is released or does not return is rare through pointers: all of it may be.
            Meaning::Unknown(does) => {
                let to = if self.types.is_scalar(result) { Some(self.intermediate(result)?) } else { None };
                let Some(body) = &self.body else { return Err(Refused) };
                let id = body.procedure;
                self.unknown_call(id, does, to, values.to_vec(), reason)?;
                return Ok(to.map(|to| self.read(to)));
            }
            _ => {}
        }
        Ok(None)
    }

    /// A new object of a size that these values tell: the pointer to it.
    fn stand_in_allocates(&mut self, room: Room, values: &[ExpressionId], result: TypeId) -> Lowered<ExpressionId> {
        let size_type = self.types.size_type();
        let mut sizes = Vec::new();
        for at in 0..=usize::from(room == Room::Zeros) {
            let factor = self.integer_at(values, at).ok_or(Refused)?;
            sizes.push(self.convert_integer(factor, size_type));
        }
        let to = self.intermediate(result)?;
        self.allocated(to, &sizes, None, room)?;
        Ok(self.read(to))
    }

    /// One of these values, if it is an integer.
    fn integer_at(&self, values: &[ExpressionId], at: usize) -> Option<ExpressionId> {
        values.get(at).copied().filter(|value| self.types.as_integer(self.ty(*value)).is_some())
    }

    /// `assert(value)` or `assume(value)`.
    fn demand(&mut self, meaning: Meaning, value: ExpressionId) -> Lowered<()> {
        let zero = self.constant(0, self.ty(value));
        let int = self.types.int();
        let condition = self.terms.expression(ExpressionKind::Binary(Binary::Unequal, value, zero), int);
        if meaning == Meaning::Assume {
            return self.emit(StatementKind::Assume(condition));
        }
        let body = self.body()?;
        let (fine, wrong) = (body.mark(), body.mark());
        body.branch(condition, fine, wrong);
        body.place_mark(wrong);
        body.emit(StatementKind::Fail(crate::c::program::Failure::Assertion));
        body.place_mark(fine);
        Ok(())
    }
}

/// The characters of a string literal as they are written, perhaps in brackets or cast.
fn literal(mut node: &ast::Expression) -> Option<String> {
    loop {
        match node {
            ast::Expression::StringLiteral(pieces) => {
                let inside = |piece: &String| {
                    let from = piece.find('"').map_or(0, |at| at + 1);
                    piece.get(from..piece.len().saturating_sub(1)).unwrap_or("").to_owned()
                };
                let wide = pieces.node.iter().any(|piece| !piece.starts_with('"'));
                return (!wide).then(|| pieces.node.iter().map(inside).collect());
            }
            ast::Expression::Cast(cast) => node = &cast.node.expression.node,
            _ => return None,
        }
    }
}
