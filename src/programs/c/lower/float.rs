//! Floating-point numbers: literals, the usual arithmetic conversions, operators (C11 §6.3.1.4 to §6.3.1.8, §6.5).
//!
//! While a program is read they are values as all others. What is decided by them is assigned to an intermediate integer at once, so that
//! no integer, no pointer and no condition has a floating-point number in it; who does not execute the program then takes that for
//! arbitrary ([`hide`]). Arguments and results are variables, for the same reason.

use lang_c::ast;
use lang_c::span::Span;

use super::unrepresented::FLOATING;
use super::{Lowered, Lowering, Value};
use crate::c::bodiless::builtins;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Term, Unary};
use crate::c::float::{self, Real};
use crate::c::mathematics::{self, Number};
use crate::c::program::{Program, Reason, ReasonId, StatementKind, Unrepresented};
use crate::c::types::{FloatKind, Type, TypeId};

impl Lowering<'_> {
    /// The floating type of an expression, if it has one.
    pub fn float(&self, e: ExpressionId) -> Option<FloatKind> {
        self.types.as_float(self.ty(e))
    }

    /// A literal.
    pub fn float_literal(&mut self, literal: &ast::Float, span: Span) -> Lowered<Value> {
        let kind = match literal.suffix.format {
            ast::FloatFormat::Float => FloatKind::Single,
            ast::FloatFormat::Double => FloatKind::Double,
            ast::FloatFormat::LongDouble => FloatKind::Extended,
            ast::FloatFormat::TS18661Format(ref format) => {
                let ty = self.interchanged(format, span)?;
                match self.types.as_float(ty) {
                    Some(kind) => kind,
                    None => return Ok(Value::Opaque(ty)),
                }
            }
        };
        let hexadecimal = literal.base == ast::FloatBase::Hexadecimal;
        let digits = if hexadecimal { format!("0x{}", literal.number) } else { literal.number.to_string() };
        match float::literal(kind, &digits) {
            Some(real) => {
                let number = self.float_constant(kind, real)?;
                if literal.suffix.imaginary { self.imaginary(number) } else { Ok(Value::Scalar(number)) }
            }
            None => Err(self.error("this number is not one of C", span)),
        }
    }

    fn float_constant(&mut self, kind: FloatKind, real: Real) -> Lowered<ExpressionId> {
        let ty = self.types.float(kind);
        match real {
            Real::Bits(bits) => Ok(self.terms.expression(ExpressionKind::Constant(bits), ty)),
            Real::Nan => self.unknown(ty, FLOATING),
        }
    }

    /// The number that a constant of a floating type is.
    fn float_number(&self, e: ExpressionId) -> Option<(FloatKind, Real)> {
        Some((self.float(e)?, Real::Bits(self.folded(e)?)))
    }

    /// A number converted to a type, of which one is a floating type.
    pub fn convert_float(&mut self, e: ExpressionId, ty: TypeId) -> Lowered<ExpressionId> {
        let (from, to) = (self.ty(e), self.types.get(ty).clone());
        if self.types.pointee(from).is_some() || !matches!(to, Type::Integer(_) | Type::Float(_)) {
            return Err(self.error("a floating-point number is no pointer", self.here));
        }
        let known = self.folded(e).map(Real::Bits);
        let bits = match (self.types.as_float(from), self.types.as_integer(from), &to, known) {
            (_, _, _, None) => None,
            (Some(from), _, Type::Float(to), Some(number)) => Some(float::converted(from, *to, number)),
            (Some(from), _, Type::Integer(to), Some(number)) => float::to_integer(from, *to, number).map(Real::Bits),
            (_, Some(from), Type::Float(to), Some(Real::Bits(bits))) => Some(float::from_integer(from, *to, bits)),
            _ => None,
        };
        if let Some(Real::Bits(bits)) = bits {
            return Ok(self.terms.expression(ExpressionKind::Constant(bits), ty));
        }
        let e = if self.types.as_float(from).is_none() && self.body.is_some() { self.settled(e)? } else { e };
        let converted = self.terms.expression(ExpressionKind::Convert(e), ty);
        if self.types.as_float(ty).is_some() { Ok(converted) } else { self.saved(converted) }
    }

    /// Whether one of two values is a floating-point number: the type in which both are computed.
    pub fn common_float(&self, a: ExpressionId, b: ExpressionId) -> Option<FloatKind> {
        self.float(a).max(self.float(b))
    }

    /// `a op b`, of which one is a floating-point number.
    pub fn floating(&mut self, op: Binary, a: ExpressionId, b: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        use Binary::{Add, Divide, Multiply, Subtract};
        let Some(kind) = self.common_float(a, b) else { return Ok(self.arithmetic(op, a, b)) };
        if !(op.is_truth() || matches!(op, Add | Subtract | Multiply | Divide)) {
            return Err(self.error("this operator needs integers", span));
        }
        let ty = self.types.float(kind);
        let (a, b) = (self.convert_float_to(a, ty)?, self.convert_float_to(b, ty)?);
        if let (Some((_, x)), Some((_, y))) = (self.float_number(a), self.float_number(b)) {
            if op.is_truth() {
                let holds = float::compared(op, kind, x, y).unwrap_or(false);
                return Ok(self.int_constant(i128::from(holds)));
            }
            if let Some(Real::Bits(bits)) = float::binary(op, kind, x, y) {
                return Ok(self.terms.expression(ExpressionKind::Constant(bits), ty));
            }
        }
        self.tell_evaluation(kind, span);
        if op.is_truth() {
            let int = self.types.int();
            let compared = self.terms.expression(ExpressionKind::Binary(op, a, b), int);
            return self.saved(compared);
        }
        Ok(self.terms.expression(ExpressionKind::Binary(op, a, b), ty))
    }

    /// Compilers for 32 bits may compute in a wider type (C11 §5.2.4.2.2: `FLT_EVAL_METHOD`).
    fn tell_evaluation(&mut self, kind: FloatKind, span: Span) {
        if self.types.model.pointer == 32 && kind != FloatKind::Extended && !self.told_evaluation {
            self.told_evaluation = true;
            let message = "floating-point numbers are computed in their own types (`FLT_EVAL_METHOD` 0), as `-msse2 -mfpmath=sse` does; \
                gcc for 32 bits computes in wider ones by itself";
            self.warning(message, span);
        }
    }

    fn convert_float_to(&mut self, e: ExpressionId, ty: TypeId) -> Lowered<ExpressionId> {
        if self.ty(e) == ty { Ok(e) } else { self.convert_float(e, ty) }
    }

    /// `-a`
    pub fn float_negated(&mut self, a: ExpressionId) -> ExpressionId {
        let ty = self.ty(a);
        if let Some((kind, number)) = self.float_number(a)
            && let Real::Bits(bits) = float::negated(kind, number)
        {
            return self.terms.expression(ExpressionKind::Constant(bits), ty);
        }
        self.terms.expression(ExpressionKind::Unary(Unary::Negate, a), ty)
    }

    /// A value as a condition: of a floating-point number whether it is not 0.
    pub fn truth(&mut self, e: ExpressionId) -> Lowered<ExpressionId> {
        if self.float(e).is_none() {
            return Ok(e);
        }
        let zero = self.constant(0, self.ty(e));
        self.floating(Binary::Unequal, e, zero, self.here)
    }

    /// A value as an argument or a result: a floating-point number in a variable.
    pub fn passed(&mut self, e: ExpressionId) -> Lowered<ExpressionId> {
        if self.float(e).is_none() {
            return Ok(e);
        }
        let to = self.intermediate(self.ty(e))?;
        self.emit(StatementKind::Assign(to, e))?;
        Ok(self.read(to))
    }

    /// What has no type to be converted to, as an argument (§6.5.2.2 p6).
    pub fn promoted_argument(&mut self, e: ExpressionId) -> Lowered<ExpressionId> {
        if self.float(e).is_some() && self.passing.generic {
            return Ok(e);
        }
        if self.float(e) == Some(FloatKind::Single) {
            let double = self.types.float(FloatKind::Double);
            return self.convert_float(e, double);
        }
        Ok(self.promote(e))
    }
}

impl Lowering<'_> {
    /// A call of a compiler's function of real numbers that is a constant where its arguments are: compilers compute it.
    pub fn constant_call(&mut self, node: &ast::CallExpression) -> Lowered<Option<ExpressionId>> {
        let Some(name) = self.callee_name(node).map(|name| name.node.name.clone()) else { return Ok(None) };
        let Some(plain) = name.strip_prefix("__builtin_").filter(|_| !self.is_defined(&name)) else { return Ok(None) };
        let quiet = match plain {
            "nan" => Some(FloatKind::Double),
            "nanf" => Some(FloatKind::Single),
            "nanl" => Some(FloatKind::Extended),
            _ => None,
        };
        if let (Some(kind), [argument]) = (quiet, &node.arguments[..])
            && let ast::Expression::StringLiteral(text) = &argument.node
            && text.node.iter().all(|piece| piece == "\"\"")
        {
            let ty = self.types.float(kind);
            return Ok(Some(self.terms.expression(ExpressionKind::Constant(float::quiet(kind)), ty)));
        }
        if self.body.is_some() && !node.arguments.is_empty() {
            return Ok(None);
        }
        let Some(signature) = builtins::signature(&name, &mut self.types) else { return Ok(None) };
        let mut numbers = Vec::with_capacity(node.arguments.len());
        for (at, argument) in node.arguments.iter().enumerate() {
            if !mathematics::is_known(&name) {
                return Ok(None);
            }
            let mut e = self.scalar(argument)?;
            if let Some(&ty) = signature.parameters.get(at).filter(|_| !signature.open) {
                e = self.convert(e, ty)?;
            }
            match (self.float_number(e), self.number(e)) {
                (Some((kind, real)), _) => numbers.push(Number::Real(kind, real)),
                (_, Some(number)) => numbers.push(Number::Integer(number)),
                _ => return Ok(None),
            }
        }
        let result = signature.result.unwrap_or_else(|| self.types.int());
        Ok(match mathematics::returned(&name, &numbers) {
            Some(Number::Real(kind, Real::Bits(bits))) if self.types.as_float(result) == Some(kind) => {
                Some(self.terms.expression(ExpressionKind::Constant(bits), result))
            }
            Some(Number::Integer(number)) if self.types.as_integer(result).is_some() => {
                Some(self.constant(number, result))
            }
            _ => None,
        })
    }
}

/// Whether an expression has a floating-point number in it.
fn is_floating(program: &Program, e: ExpressionId) -> bool {
    program.terms.postorder(Term::Expression(e)).into_iter().any(|term| match term {
        Term::Expression(e) => program.types.as_float(program.terms.get(e).ty).is_some(),
        Term::Lvalue(_) => false,
    })
}

/// Assignments that have floating-point numbers in them become what only who executes the program knows. Linear.
pub fn hide(program: &mut Program) {
    let mut bodies: Vec<_> = program.procedures.iter_mut().map(|procedure| procedure.body.take()).collect();
    for statement in bodies.iter_mut().flatten().flatten() {
        if let StatementKind::Assign(to, e) = statement.kind
            && is_floating(program, e)
        {
            let compares = matches!(program.terms.get(e).kind, ExpressionKind::Binary(op, ..) if op.is_truth());
            let what = if compares { "a comparison of floating-point values" } else { FLOATING };
            let reason = Reason { what: what.into(), place: statement.place };
            let reason = reason_of(program, reason);
            statement.kind = StatementKind::Havoc(to, reason, Some(e));
        }
    }
    for (procedure, body) in program.procedures.iter_mut().zip(bodies) {
        procedure.body = body;
    }
    hide_start(program);
}

/// The same of what global variables start with; what comes after it in the same union stays after it.
fn hide_start(program: &mut Program) {
    let mut hidden = std::collections::HashSet::new();
    for (to, e) in std::mem::take(&mut program.initial) {
        let variable = program.terms.variable_of(to);
        let union = variable.is_none() || program.terms.is_in_union(&program.types, to);
        let later = union && variable.is_some_and(|variable| hidden.contains(&variable));
        if !later && program.types.is_represented(program.terms.at(to).ty) {
            program.initial.push((to, e));
            continue;
        }
        hidden.extend(variable.filter(|_| union));
        let place = variable.map_or(program.procedure(program.main).place, |id| program.variable(id).place);
        let reason = reason_of(program, Reason { what: FLOATING.into(), place });
        program.unrepresented.push(Unrepresented { to, reason, exact: Some(e), unseen: false });
    }
}

fn reason_of(program: &mut Program, reason: Reason) -> ReasonId {
    // Those of one place come one after the other.
    let near = program.reasons.iter().rev().take(8).position(|other| *other == reason);
    let count = program.reasons.len();
    let at = near.map_or(count, |back| count - 1 - back);
    if near.is_none() {
        program.reasons.push(reason);
    }
    ReasonId(u32::try_from(at).expect("fewer reasons than bytes of source"))
}
