//! Inline assembly of GNU C: what it writes is not known, unless there are no instructions in it, which is how people keep compilers from
//! knowing a value. Then operands keep what is in them.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Refused};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::StatementKind;
use crate::c::types::Type;

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
                return if empty { self.emit(StatementKind::Skip) } else { Err(self.refuse_assembly(span)) };
            }
            ast::AsmStatement::GnuExtended(extended) => extended,
        };
        let memory = extended.clobbers.iter().any(|clobber| joined(clobber).contains("memory"));
        let empty = joined(&extended.template).trim().is_empty();
        if memory && !empty {
            return Err(self.refuse_assembly(span));
        }
        let mut given = Vec::with_capacity(extended.inputs.len());
        for input in &extended.inputs {
            given.push(self.given_to_assembly(input, extended, empty)?);
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
                    let reason = self.reason("what inline assembly writes")?;
                    self.emit(StatementKind::Havoc(to, reason, None))?;
                }
            }
        }
        self.emit(StatementKind::Skip)
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

    fn refuse_assembly(&mut self, span: Span) -> Refused {
        self.error("what this assembly does is not known", span)
    }
}

/// Whether an input is where an output is: its constraint is the output's number, or its name.
fn stands_for(input: &ast::GnuAsmOperand, index: usize, output: &ast::GnuAsmOperand) -> bool {
    let said = joined(&input.constraints);
    let name = output.symbolic_name.as_ref().map(|name| format!("[{}]", name.node.name));
    said.parse() == Ok(index) || Some(said) == name
}
