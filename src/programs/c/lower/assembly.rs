//! Inline assembly of GNU C: what it writes is not known, unless there are no instructions in it, which is how people keep compilers from
//! knowing a value. Then operands keep what is in them.
//!
//! Instructions of which is said that they touch memory, or of which nothing is said, are a call of a procedure that does something definite
//! that nobody knows here: to what the inputs and the variables of the files lead to, and it may end the program. It is taken on trust that
//! control goes on behind them, and that they call nothing else.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Value};
use crate::c::bodiless::{self, Does};
use crate::c::expression::{ExpressionId, LvalueId, LvalueKind};
use crate::c::program::{StatementKind, Storage, Variable, VariableId};
use crate::c::types::{Type, TypeId};
use crate::run::Trusted;

/// Why what comes out of instructions is not known.
const WRITES: &str = "what inline assembly writes";

/// A literal of several parts, without its quotes.
fn joined(literal: &Node<ast::StringLiteral>) -> String {
    literal.node.iter().map(|part| part.trim_matches('"')).collect()
}

impl Lowering<'_> {
    /// Inline assembly.
    pub fn assembly(&mut self, node: &ast::AsmStatement, span: Span) -> Lowered<()> {
        let extended = match node {
            ast::AsmStatement::GnuBasic(text) => {
                let empty = joined(text).trim().is_empty();
                return if empty { self.emit(StatementKind::Skip) } else { self.instructions(Vec::new(), span) };
            }
            ast::AsmStatement::GnuExtended(extended) => extended,
        };
        let memory = extended.clobbers.iter().any(|clobber| joined(clobber).contains("memory"));
        let empty = joined(&extended.template).trim().is_empty();
        let at_large = memory && !empty;
        let mut given = Vec::with_capacity(extended.inputs.len());
        let mut handed = Vec::new();
        for input in &extended.inputs {
            match at_large {
                true => {
                    handed.extend(self.handed_to_assembly(input)?);
                    given.push(None);
                }
                false => given.push(self.given_to_assembly(input, extended, empty)?),
            }
        }
        for (index, output) in extended.outputs.iter().enumerate() {
            let to = self.lvalue(&output.node.variable_name)?;
            let inputs = extended.inputs.iter().zip(&given);
            let mut same = inputs.filter(|(input, _)| stands_for(&input.node, index, &output.node));
            match same.next().and_then(|(_, value)| *value) {
                _ if empty && joined(&output.node.constraints).contains('+') => {}
                Some(value) if empty && self.fits_register(to, value) => {
                    let ty = self.terms.at(to).ty;
                    let value = self.convert(value, ty)?;
                    self.assign(to, value)?;
                }
                _ => {
                    let reason = self.reason(WRITES)?;
                    self.emit(StatementKind::Havoc(to, reason, None))?;
                }
            }
        }
        if at_large { self.instructions(handed, span) } else { self.emit(StatementKind::Skip) }
    }

    /// An input as what is handed to a procedure: its value, or where it is.
    fn handed_to_assembly(&mut self, input: &Node<ast::GnuAsmOperand>) -> Lowered<Option<ExpressionId>> {
        let node = &input.node.variable_name;
        match self.value(node)? {
            Value::Scalar(value) => self.saved(value).map(Some),
            Value::Record(there) => Ok(Some(self.address(there))),
            Value::Opaque(_) | Value::Void => Ok(None),
        }
    }

    /// Instructions that may do anything with memory.
    fn instructions(&mut self, handed: Vec<ExpressionId>, span: Span) -> Lowered<()> {
        let id = match self.assembler {
            Some(id) => id,
            None => {
                let void = self.types.void();
                let ty = self.types.intern(Type::Function(void, Vec::new().into(), true));
                let id = self.new_procedure("asm", ty, span);
                self.known[id.0 as usize].system = true;
                self.assembler = Some(id);
                let text = "inline assembly goes on behind itself, and calls nothing that it is not handed".into();
                self.unverified.push(Trusted { code: "assembly", text });
                id
            }
        };
        let caller = self.body()?.procedure;
        self.procedures[caller.0 as usize].outside.insert(id);
        let reason = self.reason(WRITES)?;
        self.unknown_call(id, Does::Leaves, None, handed, reason)
    }

    /// After all files are read: instructions get at all variables of the files.
    pub fn finish_assembly(&mut self) {
        let Some(id) = self.assembler else { return };
        // What the library may change at any time is not known anyway.
        let is_open = |at: usize, variable: &Variable| {
            let elsewhere = bodiless::library_variable(&variable.name)
                && self.declared_only.contains(&VariableId(u32::try_from(at).unwrap_or(u32::MAX)));
            variable.storage == Storage::Global && !variable.is_made_up && !elsewhere
        };
        let all = (0..).zip(&self.variables);
        let open: Vec<(usize, TypeId)> =
            all.filter(|(at, one)| is_open(*at, one)).map(|(at, one)| (at, one.ty)).collect();
        let mut places = Vec::with_capacity(open.len());
        for (at, ty) in open {
            let variable = VariableId(u32::try_from(at).expect("fewer variables than bytes of source"));
            let there = self.terms.lvalue(LvalueKind::Variable(variable), ty);
            places.push(self.address(there));
        }
        let bodies = self.procedures.iter_mut().filter_map(|procedure| procedure.body.as_mut());
        for statement in bodies.flatten() {
            if let StatementKind::External(_, called, handed, _) = &mut statement.kind
                && *called == id
            {
                handed.extend(&places);
            }
        }
    }

    /// The value of an input that an output stands for, as it is before anything is written; other inputs are evaluated only.
    fn given_to_assembly(
        &mut self,
        input: &Node<ast::GnuAsmOperand>,
        whole: &ast::GnuExtendedAsmStatement,
        empty: bool,
    ) -> Lowered<Option<ExpressionId>> {
        let node = &input.node.variable_name;
        let mut outputs = whole.outputs.iter().enumerate();
        let kept = empty && outputs.any(|(index, output)| stands_for(&input.node, index, &output.node));
        let ty = if kept { Some(self.type_of(node)?) } else { None };
        match ty.filter(|&ty| self.types.is_scalar(ty)) {
            Some(_) => {
                let value = self.scalar(node)?;
                self.saved(value).map(Some)
            }
            None => self.effects(node).map(|()| None),
        }
    }

    /// Whether what was in a register as this value is this object's afterwards: numbers are cut, nothing is made wider.
    fn fits_register(&self, to: LvalueId, value: ExpressionId) -> bool {
        let (to, from) = (self.terms.at(to).ty, self.ty(value));
        match (self.types.get(to), self.types.get(from)) {
            (Type::Integer(to), Type::Integer(from)) => to.width <= from.width,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Float(to), Type::Float(from)) => to == from,
            _ => false,
        }
    }
}

/// Whether an input is where an output is: its constraint is the output's number, or its name.
fn stands_for(input: &ast::GnuAsmOperand, index: usize, output: &ast::GnuAsmOperand) -> bool {
    let said = joined(&input.constraints);
    let name = output.symbolic_name.as_ref().map(|name| format!("[{}]", name.node.name));
    said.parse() == Ok(index) || Some(said) == name
}
