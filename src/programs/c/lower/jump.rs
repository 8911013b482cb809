//! Addresses of labels, and jumps to them (GNU C): each label whose address is taken in a procedure is an object that nobody writes to,
//! and a jump to where a pointer points asks for one after the other.

use std::collections::BTreeMap;

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::body::{Body, Dispatch, Mark};
use super::{Lowered, Lowering, Refused, Value};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId};
use crate::c::gnu;
use crate::c::program::{Label, StatementKind};
use crate::c::types::{Rank, TypeId};

/// The labels whose addresses are taken in the procedure being made.
#[derive(Debug, Default)]
pub struct Taken {
    /// The number of the procedure: labels of two procedures are two objects.
    number: u64,
    /// The greatest number that a procedure has.
    last: u64,
    labels: BTreeMap<String, (LvalueId, Span)>,
}

impl Taken {
    fn begin(&mut self) {
        self.last += 1;
        self.number = self.last;
    }

    /// Those of the procedure around another that begins.
    pub fn aside(&mut self) -> Taken {
        let (number, labels) = (self.number, std::mem::take(&mut self.labels));
        self.begin();
        Taken { number, last: self.last, labels }
    }

    /// The procedure around is gone on with.
    pub fn resume(&mut self, around: Taken) {
        *self = Taken { last: self.last, ..around };
    }
}

/// The argument of what stands for a computed jump, if an expression is that.
pub fn computed(node: &ast::Expression) -> Option<&Node<ast::Expression>> {
    let ast::Expression::Call(call) = node else { return None };
    let ast::Expression::Identifier(name) = &call.node.callee.node else { return None };
    call.node.arguments.first().filter(|_| name.node.name == gnu::JUMP)
}

/// Whether an expression computes a distance: what it points to is not known here.
fn is_sum(mut node: &ast::Expression) -> bool {
    while let ast::Expression::Cast(cast) = node {
        node = &cast.node.expression.node;
    }
    let ast::Expression::BinaryOperator(binary) = node else { return false };
    matches!(binary.node.operator.node, ast::BinaryOperator::Plus | ast::BinaryOperator::Minus)
}

impl Lowering<'_> {
    fn pointer_to_void(&mut self) -> TypeId {
        let void = self.types.void();
        self.types.pointer(void)
    }

    /// `&&label`
    pub fn label_address(&mut self, label: &str, span: Span) -> Lowered<Value> {
        let units = label.bytes().map(u64::from).chain([0]).collect();
        let char = self.types.integer(Rank::Char, true);
        let object = self.text_object(units, char, Some(1 << 63 | self.taken.number))?;
        self.taken.labels.entry(label.to_owned()).or_insert((object, span));
        self.address_of_label(object).map(Value::Scalar)
    }

    fn address_of_label(&mut self, object: LvalueId) -> Lowered<ExpressionId> {
        let Value::Scalar(address) = self.loaded(object)? else { return Err(Refused) };
        let pointer = self.pointer_to_void();
        self.convert(address, pointer)
    }

    /// `goto *e`
    pub fn computed_jump(&mut self, e: &Node<ast::Expression>) -> Lowered<()> {
        if is_sum(&e.node) {
            return Err(self.error("how far labels are from each other is not known", e.span));
        }
        let pointer = self.pointer_to_void();
        let value = self.scalar(e)?;
        let value = self.convert(value, pointer)?;
        let dispatch = match self.body()?.dispatch {
            Some(dispatch) => dispatch,
            None => {
                let dispatch = Dispatch { target: self.intermediate(pointer)?, mark: self.body()?.mark() };
                self.body()?.dispatch = Some(dispatch);
                dispatch
            }
        };
        self.emit(StatementKind::Assign(dispatch.target, value))?;
        self.jump(dispatch.mark)
    }

    /// Labels whose addresses are taken and that the procedure does not have.
    pub fn missing_labels(&self, body: &Body) -> Vec<(Span, String)> {
        let is_missing = |name: &String| body.names.get(name).is_none_or(|named| named.defined.is_none());
        let missing = self.taken.labels.iter().filter(|(name, _)| is_missing(name));
        missing.map(|(name, (_, span))| (*span, name.clone())).collect()
    }

    /// Where computed jumps lead, at the end of a procedure, which comes after all that control gets to otherwise. What is no address of
    /// a label is nothing to jump to.
    pub fn dispatch(&mut self) -> Lowered<()> {
        let labels = std::mem::take(&mut self.taken.labels);
        self.taken.begin();
        let body = self.body()?;
        let Some(Dispatch { mark, target }) = body.dispatch else { return Ok(()) };
        let marks: Vec<(Mark, LvalueId)> =
            labels.iter().filter_map(|(name, (object, _))| Some((body.names.get(name)?.mark, *object))).collect();
        body.lifetimes.one_of(Label(mark.0), marks.iter().map(|(mark, _)| Label(mark.0)));
        body.place_mark(mark);
        let int = self.types.int();
        for (to, object) in marks {
            let address = self.address_of_label(object)?;
            let target = self.read(target);
            let equal = self.terms.expression(ExpressionKind::Binary(Binary::Equal, target, address), int);
            let body = self.body()?;
            let next = body.mark();
            body.branch(equal, to, next);
            body.place_mark(next);
        }
        let zero = self.int_constant(0);
        self.emit(StatementKind::Assume(zero))?;
        self.emit(StatementKind::Exit(None))
    }
}
