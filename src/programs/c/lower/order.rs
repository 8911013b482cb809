//! What an expression may change, and where C leaves the order of that open.

use std::collections::HashSet;

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::Lowering;
use crate::c::expression::{ExpressionId, ExpressionKind, Term};
use crate::c::program::Storage;

/// What the evaluation of an expression may change.
#[derive(Debug, Default)]
pub struct Effects {
    /// Variables that are assigned by name.
    names: HashSet<String>,
    /// Something is assigned through a pointer.
    memory: bool,
    /// Something is called, or executed.
    call: bool,
}

impl Effects {
    /// Nothing is changed.
    pub fn none(&self) -> bool {
        self.names.is_empty() && !self.memory && !self.call
    }

    fn target(&mut self, mut node: &ast::Expression) {
        loop {
            match node {
                ast::Expression::Identifier(name) => {
                    self.names.insert(name.node.name.clone());
                    return;
                }
                ast::Expression::Member(member) if member.node.operator.node == ast::MemberOperator::Direct => {
                    node = &member.node.expression.node;
                }
                ast::Expression::BinaryOperator(binary) if binary.node.operator.node == B::Index => {
                    // An array or a pointer: only types can tell.
                    self.memory = true;
                    node = &binary.node.lhs.node;
                }
                _ => return self.memory = true,
            }
        }
    }
}

/// What an expression may change. Linear in its size.
pub fn effects(node: &Node<ast::Expression>) -> Effects {
    let mut effects = Effects::default();
    effects.visit_expression(&node.node, &node.span);
    effects
}

/// The same of initialisers.
pub fn effects_of_items(items: &[Node<ast::InitializerListItem>]) -> Effects {
    let mut effects = Effects::default();
    items.iter().for_each(|item| effects.visit_initializer_list_item(&item.node, &item.span));
    effects
}

impl<'ast> Visit<'ast> for Effects {
    fn visit_expression(&mut self, node: &'ast ast::Expression, span: &'ast Span) {
        match node {
            ast::Expression::SizeOfVal(_) | ast::Expression::SizeOfTy(_) => return,
            ast::Expression::Call(_) | ast::Expression::Statement(_) => self.call = true,
            ast::Expression::UnaryOperator(unary) => {
                let op = &unary.node.operator.node;
                if matches!(op, U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement) {
                    self.target(&unary.node.operand.node);
                }
            }
            ast::Expression::BinaryOperator(binary) if assigns(&binary.node.operator.node) => {
                self.target(&binary.node.lhs.node);
            }
            _ => {}
        }
        visit::visit_expression(self, node, span);
    }
}

/// Whether an operator assigns to its left operand.
pub fn assigns(op: &B) -> bool {
    use B::{
        Assign, AssignBitwiseAnd, AssignBitwiseOr, AssignBitwiseXor, AssignDivide, AssignMinus, AssignModulo,
        AssignMultiply, AssignPlus, AssignShiftLeft, AssignShiftRight,
    };
    matches!(
        op,
        Assign
            | AssignBitwiseAnd
            | AssignBitwiseOr
            | AssignBitwiseXor
            | AssignDivide
            | AssignMinus
            | AssignModulo
            | AssignMultiply
            | AssignPlus
            | AssignShiftLeft
            | AssignShiftRight
    )
}

impl Lowering<'_> {
    /// Whether effects may change the value of an expression.
    pub fn affected(&self, e: ExpressionId, effects: &Effects) -> bool {
        self.terms.postorder(Term::Expression(e)).into_iter().any(|term| {
            let Term::Expression(part) = term else { return false };
            let ExpressionKind::Read(l) = self.terms.get(part).kind else { return false };
            let Some(id) = self.terms.variable_of(l) else { return true };
            let variable = &self.variables[id.0 as usize];
            let by_name = effects.names.iter().any(|name| *self.spelled(name) == *variable.name);
            let elsewhere = effects.call || effects.memory;
            let addressed = variable.address_taken
                || self.body.as_ref().is_some_and(|body| body.addressed.contains(&*variable.name));
            let local = matches!(variable.storage, Storage::Local(_));
            by_name || (elsewhere && (!local || addressed))
        })
    }

    /// Warns of a full expression in which a variable is written, and written or read elsewhere, without a sequence point
    /// between (C11 §6.5).
    pub fn warn_of_order(&mut self, node: &Node<ast::Expression>) {
        if effects(node).none() {
            return;
        }
        let mut conflicts = Vec::new();
        uses(node, &mut conflicts);
        conflicts.dedup_by(|a, b| a.0 == b.0);
        for (name, span) in conflicts {
            let shown = self.spelled(&name).to_owned();
            let message = format!("`{shown}` is changed and used here, and C leaves open in which order");
            self.warning(message, span);
        }
    }
}

/// Which variables an expression reads for its value, and writes.
#[derive(Default)]
struct Uses {
    reads: HashSet<String>,
    writes: HashSet<String>,
}

impl Uses {
    /// Both, without an order between them.
    fn beside(mut self, other: Uses, span: Span, conflicts: &mut Vec<(String, Span)>) -> Uses {
        let crossed = |a: &Uses, b: &Uses| -> Vec<String> {
            a.writes.iter().filter(|name| b.writes.contains(*name) || b.reads.contains(*name)).cloned().collect()
        };
        let mut names = crossed(&self, &other);
        names.extend(crossed(&other, &self));
        names.sort_unstable();
        names.dedup();
        conflicts.extend(names.into_iter().map(|name| (name, span)));
        self.join(other);
        self
    }

    fn join(&mut self, other: Uses) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
    }
}

/// The uses of an expression; conflicts in it are listed.
fn uses(node: &Node<ast::Expression>, conflicts: &mut Vec<(String, Span)>) -> Uses {
    let mut all = Uses::default();
    match &node.node {
        ast::Expression::Identifier(name) => {
            all.reads.insert(name.node.name.clone());
        }
        ast::Expression::UnaryOperator(unary) => {
            all = uses(&unary.node.operand, conflicts);
            let op = &unary.node.operator.node;
            if matches!(op, U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement) {
                all.writes.extend(name_of(&unary.node.operand));
            }
            if *op == U::Address {
                all.reads.clear();
            }
        }
        ast::Expression::BinaryOperator(binary) => {
            let (lhs, rhs) = (&binary.node.lhs, &binary.node.rhs);
            match &binary.node.operator.node {
                B::LogicalAnd | B::LogicalOr => {
                    all = uses(lhs, conflicts);
                    all.join(uses(rhs, conflicts));
                }
                op if assigns(op) => all = uses_of_assignment(lhs, rhs, node.span, conflicts),
                _ => all = uses(lhs, conflicts).beside(uses(rhs, conflicts), node.span, conflicts),
            }
        }
        ast::Expression::Call(call) => {
            for argument in &call.node.arguments {
                all = all.beside(uses(argument, conflicts), node.span, conflicts);
            }
        }
        ast::Expression::Conditional(conditional) => {
            all = uses(&conditional.node.condition, conflicts);
            all.join(uses(&conditional.node.then_expression, conflicts));
            all.join(uses(&conditional.node.else_expression, conflicts));
        }
        ast::Expression::Comma(list) => {
            for e in list.iter() {
                all.join(uses(e, conflicts));
            }
        }
        ast::Expression::Cast(cast) => all = uses(&cast.node.expression, conflicts),
        ast::Expression::Member(member) => all = uses(&member.node.expression, conflicts),
        _ => {}
    }
    all
}

/// The uses of an assignment to the left operand.
fn uses_of_assignment(
    lhs: &Node<ast::Expression>,
    rhs: &Node<ast::Expression>,
    span: Span,
    conflicts: &mut Vec<(String, Span)>,
) -> Uses {
    let target = name_of(lhs);
    let mut left = uses(lhs, conflicts);
    if let Some(target) = &target {
        left.reads.remove(target);
    }
    let right = uses(rhs, conflicts);
    if let Some(target) = &target
        && (right.writes.contains(target) || left.writes.contains(target))
    {
        conflicts.push((target.clone(), span));
    }
    let mut all = left.beside(right, span, conflicts);
    all.writes.extend(target);
    all
}

fn name_of(node: &Node<ast::Expression>) -> Option<String> {
    match &node.node {
        ast::Expression::Identifier(name) => Some(name.node.name.clone()),
        _ => None,
    }
}
