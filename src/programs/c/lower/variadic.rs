//! Arguments beyond those that are declared (C11 §7.16), and arguments that are no scalars and do not consist of them: unions, lists of
//! arguments.
//!
//! A procedure with `...` has one formal more, which points to the place where its caller has put those arguments, 16 bytes each; a list
//! of arguments begins with a pointer to the next of them. Only who executes the program follows it: to all others an argument is a value
//! that is not represented, as is what an object holds that is passed by where a copy of it is.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Value};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{ProcedureId, StatementKind, VariableId};
use crate::c::types::{Type, TypeId};

/// Bytes that an argument takes.
const SLOT: u64 = 16;

/// Why an argument is not known.
const BEYOND: &str = "an argument beyond those that are declared";

impl Lowering<'_> {
    /// `SLOT` bytes.
    fn slot(&mut self) -> TypeId {
        self.types.intern(Type::Opaque(SLOT))
    }

    /// Whether a call of a type is given more arguments than are declared.
    pub fn is_variadic(&self, function: TypeId) -> bool {
        matches!(self.types.get(function), Type::Function(_, parameters, true) if !parameters.is_empty())
    }

    /// Whether the program begins with a procedure: nobody has put its arguments anywhere.
    fn begins(&self, id: ProcedureId) -> bool {
        self.options.main.as_deref().unwrap_or("main") == &*self.procedures[id.0 as usize].name
    }

    /// The formal by which a procedure gets those arguments.
    pub fn variadic_formal(&mut self, id: ProcedureId, function: TypeId, span: Span) -> Lowered<()> {
        if !self.is_variadic(function) {
            return Ok(());
        }
        self.entries.insert(id);
        if self.begins(id) {
            return Ok(());
        }
        let slot = self.slot();
        let ty = self.types.pointer(slot);
        let formal = self.formal(id, ".arguments", true, ty, span);
        self.variadic.insert(id);
        self.body()?.beyond = Some(self.terms.lvalue(LvalueKind::Variable(formal), ty));
        Ok(())
    }

    /// A call that was made without knowing that there are such arguments does not say where they are.
    pub fn without_prototype(&mut self, formals: &[VariableId], arguments: &mut Vec<ExpressionId>) {
        let Some((last, fixed)) = formals.split_last() else { return };
        let ty = self.variables[last.0 as usize].ty;
        if arguments.get(fixed.len()).is_none_or(|e| self.ty(*e) != ty) && arguments.len() >= fixed.len() {
            arguments.truncate(fixed.len());
            let nowhere = self.constant(0, ty);
            arguments.push(nowhere);
        }
    }

    /// An object as one of another type.
    pub fn seen_as(&mut self, l: LvalueId, ty: TypeId) -> LvalueId {
        let pointer = self.types.pointer(ty);
        let address = self.address(l);
        let address = self.terms.expression(ExpressionKind::Convert(address), pointer);
        self.deref(address)
    }

    fn exactly(&mut self, to: LvalueId, e: Option<ExpressionId>) -> Lowered<()> {
        let reason = self.reason(BEYOND)?;
        self.emit(StatementKind::Havoc(to, reason, e))
    }

    /// Where a caller has put its arguments.
    pub fn put_beyond(&mut self, extras: &[ExpressionId]) -> Lowered<ExpressionId> {
        let slot = self.slot();
        let array = self.types.intern(Type::Array(slot, extras.len().max(1) as u64));
        let area = self.intermediate(array)?;
        self.at_once(|this| {
            for (index, &e) in (0..).zip(extras) {
                let (place, ty) = (this.element(area, slot, index), this.ty(e));
                let place = this.seen_as(place, ty);
                this.exactly(place, Some(e))?;
            }
            Ok(())
        })?;
        Ok(self.decayed(area))
    }

    /// A pointer to a copy of an object, as an argument.
    pub fn copied_argument(&mut self, l: LvalueId) -> Lowered<ExpressionId> {
        let ty = self.terms.at(l).ty;
        let own = self.intermediate(ty)?;
        self.at_once(|this| match this.types.get(ty) {
            Type::Record(_) => this.copy(own, l),
            _ => {
                let whole = this.read(l);
                this.exactly(own, Some(whole))
            }
        })?;
        Ok(self.address(own))
    }

    /// A pointer to an object of which nothing is known, as an argument.
    pub fn unknown_argument(&mut self, ty: TypeId) -> Lowered<ExpressionId> {
        let own = self.intermediate(ty)?;
        self.exactly(own, None)?;
        Ok(self.address(own))
    }

    /// The library has taken arguments from a list: what it is after that is not known (C11 §7.16 p3).
    pub fn used_list(&mut self, node: Option<&Node<ast::Expression>>) -> Lowered<()> {
        match node.map(|node| (node, &node.node)) {
            Some((node, ast::Expression::Identifier(_) | ast::Expression::Member(_))) => self.moves_arguments(node),
            Some((node, ast::Expression::UnaryOperator(unary)))
                if unary.node.operator.node == ast::UnaryOperator::Indirection =>
            {
                self.moves_arguments(node)
            }
            _ => Ok(()),
        }
    }

    /// A list of arguments as an argument of a procedure of the program, or of the library.
    pub fn list_argument(
        &mut self,
        node: &Node<ast::Expression>,
        parameter: Option<TypeId>,
    ) -> Lowered<Option<ExpressionId>> {
        let is_list = parameter.is_some_and(|ty| matches!(self.types.get(ty), Type::Opaque(_)));
        let named = match &node.node {
            ast::Expression::Identifier(_) | ast::Expression::Member(_) => true,
            ast::Expression::UnaryOperator(unary) => unary.node.operator.node == ast::UnaryOperator::Indirection,
            _ => false,
        };
        if !self.passing.by_copy || !is_list || !named {
            return Ok(None);
        }
        let l = self.lvalue(node)?;
        if Some(self.terms.at(l).ty) != parameter {
            return Ok(None);
        }
        self.copied_argument(l).map(Some)
    }

    /// A parameter that comes as a pointer to a copy of it.
    pub fn copied_parameter(&mut self, id: ProcedureId, name: &str, whole: LvalueId, span: Span) -> Lowered<()> {
        let ty = self.terms.at(whole).ty;
        let what = "a structure with overlapping or very many members";
        if self.begins(id) {
            return self.store_unknown(whole, what);
        }
        let pointer = self.types.pointer(ty);
        let formal = self.formal(id, &format!(".{name}"), true, pointer, span);
        let formal = self.terms.lvalue(LvalueKind::Variable(formal), pointer);
        let formal = self.read(formal);
        let there = self.deref(formal);
        let value = self.read(there);
        let reason = self.reason(what)?;
        self.emit(StatementKind::Havoc(whole, reason, Some(value)))
    }

    /// The pointer to the next argument, in a list.
    fn next_beyond(&mut self, list: LvalueId) -> LvalueId {
        let slot = self.slot();
        let pointer = self.types.pointer(slot);
        self.seen_as(list, pointer)
    }

    /// Whether an object is a list of arguments.
    fn is_list(&self, l: LvalueId) -> bool {
        let size = self.types.size(self.terms.at(l).ty);
        matches!(self.types.get(self.terms.at(l).ty), Type::Opaque(_))
            && size >= Some(u64::from(self.types.model.pointer / 8))
    }

    /// `va_start(list, last)`, `va_copy(list, from)`: whether it is one of these, and it is known what they do.
    pub fn begins_list(&mut self, name: &str, arguments: &[Node<ast::Expression>]) -> Lowered<bool> {
        let value = match (name, self.body()?.beyond, arguments) {
            ("__builtin_va_start", Some(area), [_, ..]) => Some(area),
            ("__builtin_va_copy", _, [_, from]) => {
                let from = self.lvalue(from)?;
                self.is_list(from).then(|| self.next_beyond(from))
            }
            _ => return Ok(false),
        };
        let list = self.lvalue(&arguments[0])?;
        self.exactly(list, None)?;
        if let Some(value) = value.filter(|_| self.is_list(list)) {
            let (next, value) = (self.next_beyond(list), self.read(value));
            self.exactly(next, Some(value))?;
        }
        Ok(true)
    }

    /// `va_arg(list, type)`
    pub fn next_argument(&mut self, list: &Node<ast::Expression>, ty: TypeId) -> Lowered<Value> {
        let list = self.lvalue(list)?;
        let scalar = self.types.is_scalar(ty);
        if !self.is_list(list) || !scalar && self.types.as_record(ty).is_none() {
            if matches!(self.types.get(self.terms.at(list).ty), Type::Opaque(_)) {
                self.exactly(list, None)?;
            }
            return self.unrepresented(ty, BEYOND);
        }
        let next = self.next_beyond(list);
        let slot = self.read(next);
        let stored = if scalar { ty } else { self.types.pointer(ty) };
        let pointer = self.types.pointer(stored);
        let there = self.terms.expression(ExpressionKind::Convert(slot), pointer);
        let there = self.deref(there);
        let mut value = self.read(there);
        if !scalar {
            let copy = self.deref(value);
            value = self.read(copy);
        }
        let to = self.intermediate(ty)?;
        self.at_once(|this| {
            this.exactly(to, Some(value))?;
            let one = this.int_constant(1);
            let after = this.offset(slot, one);
            this.exactly(next, Some(after))
        })?;
        Ok(self.content(to))
    }
}
