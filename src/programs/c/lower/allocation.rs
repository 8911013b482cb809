//! Calls that make objects: `malloc`, `calloc`, `alloca` (C11 §7.22.3).

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering};
use crate::c::Malloc;
use crate::c::bodiless::Meaning;
use crate::c::expression::{Binary, ExpressionId, LvalueId};
use crate::c::program::{Room, StatementKind};
use crate::c::types::{Integer, TypeId};

impl Lowering<'_> {
    /// `malloc(…)`, behind casts, as a pointer of a type; `None` for every other expression.
    pub fn allocation(&mut self, node: &Node<ast::Expression>, ty: TypeId) -> Lowered<Option<ExpressionId>> {
        let ast::Expression::Call(call) = &node.node else { return Ok(None) };
        let special = self.special(&call.node);
        if self.types.pointee(ty).is_none() || !matches!(special, Some(Meaning::Allocate(_))) {
            return Ok(None);
        }
        self.body()?;
        self.unordered(node, |this| this.allocate(&call.node, ty, call.span)).map(Some)
    }

    /// The same for a call that is known to make an object.
    pub fn allocate(&mut self, node: &ast::CallExpression, ty: TypeId, span: Span) -> Lowered<ExpressionId> {
        let size_type = self.types.size_type();
        let mut sizes = Vec::new();
        let start = self.now();
        let mut fork = self.fork(false)?;
        for (index, e) in node.arguments.iter().enumerate() {
            self.beside(&mut fork)?;
            let size = self.scalar(e)?;
            let mut size = self.convert(size, size_type)?;
            for later in &node.arguments[index + 1..] {
                size = self.kept(size, later)?;
            }
            sizes.push(size);
        }
        self.join(fork)?;
        self.settle(start)?;
        let Some(Meaning::Allocate(room)) = self.special(node) else { return Err(super::Refused) };
        let wanted = if room == Room::Zeros { 2 } else { 1 };
        if sizes.len() != wanted {
            return Err(self.error("an object needs one size", span));
        }
        let pointee = self.types.pointee(ty).map(|to| self.types.fixed(to));
        let pointee = pointee.filter(|to| self.types.size(*to).is_some());
        let to = self.intermediate(ty)?;
        self.allocated(to, &sizes, pointee, room)?;
        Ok(self.read(to))
    }

    /// An object of a size, or of so many parts of a size each: NULL if that is more than a size can be (C11 §7.22.3.2).
    pub fn allocated(
        &mut self,
        to: LvalueId,
        sizes: &[ExpressionId],
        element: Option<TypeId>,
        room: Room,
    ) -> Lowered<()> {
        let lacks = room.may_lack() && self.options.malloc == Malloc::MayFail;
        let &[count, each] = sizes else {
            let &[size] = sizes else { return Err(super::Refused) };
            return self.emit(StatementKind::Allocate { to, size, element, room, lacks });
        };
        let size_type = self.types.size_type();
        let most = self.types.as_integer(size_type).map_or(0, Integer::mask);
        let size = self.binary(Binary::Multiply, count, each);
        let product = match (self.folded(count), self.folded(each)) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(count), Some(each)) => count.checked_mul(each),
            _ => None,
        };
        if product.is_some_and(|product| product <= most) {
            return self.emit(StatementKind::Allocate { to, size, element, room, lacks });
        }
        let (some, none, end) = self.three_marks()?;
        if self.folded(each).is_none() {
            let zero = self.constant(0, size_type);
            let divides = self.binary(Binary::Unequal, each, zero);
            let divided = self.body()?.mark();
            self.body()?.branch(divides, divided, some);
            self.body()?.place_mark(divided);
        }
        let most = self.constant(most as i128, size_type);
        let most = self.binary(Binary::Divide, most, each);
        let fits = self.binary(Binary::LessEqual, count, most);
        self.body()?.branch(fits, some, none);
        self.body()?.place_mark(none);
        let null = self.constant(0, self.terms.at(to).ty);
        self.emit(StatementKind::Assign(to, null))?;
        self.body()?.goto(end);
        self.body()?.place_mark(some);
        self.emit(StatementKind::Allocate { to, size, element, room, lacks })?;
        self.body()?.place_mark(end);
        Ok(())
    }
}
