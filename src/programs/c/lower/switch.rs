//! `switch`: a chain of comparisons in front of its body, which falls through from case to case (C11 §6.8.4.2).

use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};

use super::body::Mark;
use super::{Lowered, Lowering};
use crate::c::expression::{Binary, ExpressionId};
use crate::c::types::Type;

/// The labels of one switch, in the order of the text.
#[derive(Default)]
struct Cases<'ast> {
    list: Vec<&'ast Node<ast::Label>>,
}

impl<'ast> Visit<'ast> for Cases<'ast> {
    fn visit_labeled_statement(&mut self, node: &'ast ast::LabeledStatement, span: &'ast lang_c::span::Span) {
        if !matches!(node.label.node, ast::Label::Identifier(_)) {
            self.list.push(&node.label);
        }
        visit::visit_labeled_statement(self, node, span);
    }

    // Labels in it are its own.
    fn visit_switch_statement(&mut self, _: &'ast ast::SwitchStatement, _: &'ast lang_c::span::Span) {}

    // No label of this switch is in an expression.
    fn visit_expression(&mut self, _: &'ast ast::Expression, _: &'ast lang_c::span::Span) {}
}

impl Lowering<'_> {
    /// A switch.
    pub fn switch(&mut self, node: &ast::SwitchStatement) -> Lowered<()> {
        self.warn_of_order(&node.expression);
        let value = self.scalar(&node.expression)?;
        if self.types.as_integer(self.ty(value)).is_none() {
            return Err(self.error("a switch needs a number", node.expression.span));
        }
        let value = self.promote(value);
        let mut cases = Cases::default();
        cases.visit_statement(&node.statement.node, &node.statement.span);
        let end = self.body()?.mark();
        let mut default = end;
        let mut met = std::collections::HashSet::new();
        if cases.list.iter().all(|label| matches!(label.node, ast::Label::Default)) {
            self.evaluated(value)?;
        }
        for label in cases.list {
            let mark = self.body()?.mark();
            self.body()?.cases.insert(label.span.start, mark);
            match &label.node {
                ast::Label::Case(e) => {
                    let (low, low_number) = self.case_constant(e, value)?;
                    if !met.insert(low_number) {
                        return Err(self.error("this case was there before", e.span));
                    }
                    let equal = self.binary(Binary::Equal, value, low);
                    self.test(equal, mark)?;
                }
                ast::Label::CaseRange(range) => {
                    let (low, _) = self.case_constant(&range.node.low, value)?;
                    let (high, _) = self.case_constant(&range.node.high, value)?;
                    let (from, to) =
                        (self.binary(Binary::GreaterEqual, value, low), self.binary(Binary::LessEqual, value, high));
                    let (upper, next) = {
                        let body = self.body()?;
                        (body.mark(), body.mark())
                    };
                    self.decided(from, upper, next)?;
                    self.body()?.place_mark(upper);
                    self.decided(to, mark, next)?;
                    self.body()?.place_mark(next);
                }
                _ => default = mark,
            }
        }
        self.body()?.goto(default);
        let scopes = self.scopes.len();
        self.body()?.breaks.push((end, scopes));
        let done = self.scoped(|this| this.statement(&node.statement));
        let body = self.body()?;
        body.breaks.pop();
        body.place_mark(end);
        done
    }

    fn case_constant(&mut self, e: &Node<ast::Expression>, value: ExpressionId) -> Lowered<(ExpressionId, i128)> {
        let number = self.integer_constant(e)?;
        let ty = self.ty(value);
        let constant = self.constant(number, ty);
        let number = self.number(constant).unwrap_or(number);
        debug_assert!(matches!(self.types.get(ty), Type::Integer(_)));
        Ok((constant, number))
    }

    /// Goes to a case if a comparison holds.
    fn test(&mut self, e: ExpressionId, case: Mark) -> Lowered<()> {
        let next = self.body()?.mark();
        self.decided(e, case, next)?;
        self.body()?.place_mark(next);
        Ok(())
    }

    fn decided(&mut self, e: ExpressionId, yes: Mark, no: Mark) -> Lowered<()> {
        match self.folded(e) {
            Some(bits) => self.body()?.goto(if bits != 0 { yes } else { no }),
            None => self.body()?.branch(e, yes, no),
        }
        Ok(())
    }

    /// A `case` or `default` in the body.
    pub fn case(&mut self, label: &Node<ast::Label>) -> Lowered<()> {
        let body = self.body()?;
        match body.cases.get(&label.span.start).copied() {
            Some(mark) => {
                body.place_mark(mark);
                Ok(())
            }
            None => Err(self.error("a case outside of a switch", label.span)),
        }
    }
}
