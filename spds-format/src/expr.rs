//! Expressions over the variables of a system, stored flat.
//!
//! An [`Expr`] is its own little arena: the operations in postorder, operands before their operator, the root last.
//! So dropping, cloning and comparing never recurse, however deep the source nested its parentheses, and evaluating it
//! is a loop over a stack.

use std::borrow::Borrow;
use std::sync::Arc;

use crate::model::Var;

/// Which moment of a step a variable is read at.
///
/// In the rule `<p,γ> -> <p',γ' γ''>`, `Before` means the globals and the locals of γ before the step (written `x`),
/// `After` the globals after it and the locals of γ' (written `x'`), and `Saved` the locals of γ'' (written `x''`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Time {
    /// `x`: before the step.
    Before,
    /// `x'`: after the step; locals are those of the new top symbol.
    After,
    /// `x''`: the locals saved below the new top symbol by a call; never a global.
    Saved,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// Negation of a Boolean.
    Not,
}

/// Operators with two operands.
///
/// Integers are mathematical integers: `x - y` may be negative inside an expression. What is *stored* must fit the
/// variable, or the step has no successor. A division by zero, a shift by a negative
/// amount, a shift to the left by more than 64, a bitwise operation on a
/// negative number and an array index out of range have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// Both (Booleans).
    And,
    /// One or both (Booleans).
    Or,
    /// Exactly one (Booleans); also "different".
    Xor,
    /// If the first then the second (Booleans).
    Implies,
    /// Both or none (Booleans); also "equal".
    Iff,
    /// Equality of integers.
    Eq,
    /// Difference of integers.
    Ne,
    /// Less (integers).
    Lt,
    /// Less or equal (integers).
    Le,
    /// Greater (integers).
    Gt,
    /// Greater or equal (integers).
    Ge,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded towards zero.
    Div,
    /// Remainder of that quotient.
    Rem,
    /// Shift to the left.
    Shl,
    /// Shift to the right.
    Shr,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
}

/// One operation of an expression in postorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// A truth value.
    Bool(bool),
    /// A number (no operand).
    Number(u64),
    /// `*`: an arbitrary Boolean, drawn afresh at each evaluation of this occurrence. Alone as the value of an update it
    /// stands for an arbitrary value of the variable's type (of every cell, for a whole array).
    /// It cannot stand anywhere below a comparison, an arithmetic operator, an index or an if-then-else on integers.
    Any,
    /// The value of a scalar variable.
    Read(Var, Time),
    /// The value of an array cell; its operand is the index.
    Cell(Var, Time),
    /// An operator with one operand.
    Unary(Unary),
    /// An operator with two operands, the left one pushed first.
    Binary(Binary),
    /// `c ? a : b` on Booleans or on integers; operands pushed in the order c, a, b.
    Ite,
    /// `schoose[a,b]`: true if a, else false if b, else arbitrary.
    Choose,
}

impl Op {
    /// How many operands it takes from the stack.
    pub fn arity(self) -> usize {
        match self {
            Op::Bool(_) | Op::Number(_) | Op::Any | Op::Read(..) => 0,
            Op::Cell(..) | Op::Unary(_) => 1,
            Op::Binary(_) | Op::Choose => 2,
            Op::Ite => 3,
        }
    }
}

/// An expression: operations in postorder. Never empty, and always exactly one tree. Cheap to clone: clones share it.
/// As large as a pointer, because systems have many rules and few different expressions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr(Arc<Box<[Op]>>);

impl Expr {
    /// The expression that `ops` spells in postorder, or `None` if they do not make up exactly one tree.
    pub fn from_postorder(ops: impl Into<Box<[Op]>>) -> Option<Expr> {
        let ops = ops.into();
        let mut depth = 0usize;
        for op in ops.iter() {
            depth = depth.checked_sub(op.arity())? + 1;
        }
        (depth == 1).then(|| Expr(Arc::new(ops)))
    }

    /// The operations, operands before operators.
    pub fn ops(&self) -> &[Op] {
        &self.0
    }

    /// The constant.
    pub fn constant(value: bool) -> Expr {
        Expr(Arc::new(Box::new([Op::Bool(value)])))
    }

    /// The number.
    pub fn number(value: u64) -> Expr {
        Expr(Arc::new(Box::new([Op::Number(value)])))
    }

    /// `*`.
    pub fn any() -> Expr {
        Expr(Arc::new(Box::new([Op::Any])))
    }

    /// The scalar variable at that time.
    pub fn read(var: Var, time: Time) -> Expr {
        Expr(Arc::new(Box::new([Op::Read(var, time)])))
    }

    /// The cell of an array at that time.
    pub fn cell(var: Var, time: Time, index: &Expr) -> Expr {
        Expr::apply(Op::Cell(var, time), &[index])
    }

    /// The negation.
    pub fn not(&self) -> Expr {
        Expr::apply(Op::Unary(Unary::Not), &[self])
    }

    /// `self op other`.
    pub fn binary(&self, op: Binary, other: &Expr) -> Expr {
        Expr::apply(Op::Binary(op), &[self, other])
    }

    /// `self & other`.
    pub fn and(&self, other: &Expr) -> Expr {
        self.binary(Binary::And, other)
    }

    /// The operation applied to those operands. Linear in their size; to build a large expression, push its operations
    /// into a vector and call [`Expr::from_postorder`] once.
    ///
    /// # Panics
    /// If their number is not the operation's arity.
    pub fn apply(op: Op, operands: &[&Expr]) -> Expr {
        assert_eq!(op.arity(), operands.len(), "an operation takes as many operands as its arity says");
        let mut ops: Vec<Op> = operands.iter().flat_map(|e| e.0.iter().copied()).collect();
        ops.push(op);
        Expr(Arc::new(ops.into()))
    }

    /// The operands of the root, from left to right.
    ///
    /// ```
    /// # use spds_format::expr::Expr;
    /// let (a, b) = (Expr::constant(true), Expr::number(3).not());
    /// assert_eq!(a.and(&b).operands(), [a, b]);
    /// ```
    pub fn operands(&self) -> Vec<Expr> {
        let Some((root, rest)) = self.0.split_last() else { return Vec::new() };
        let (mut all, mut end) = (Vec::new(), rest.len());
        for _ in 0..root.arity() {
            let first = last_tree(&rest[..end]);
            all.extend(Expr::from_postorder(&rest[first..end]));
            end = first;
        }
        all.reverse();
        all
    }

    /// Of which conditions it is the conjunction, from left to right; itself, if of none. Linear where conjunctions lean to the left.
    ///
    /// ```
    /// # use spds_format::expr::Expr;
    /// let [a, b, c] = [true, false, true].map(Expr::constant);
    /// assert_eq!(a.and(&b).and(&c.not()).conjuncts(), [a, b, c.not()]);
    /// ```
    pub fn conjuncts(&self) -> Vec<Expr> {
        let (mut all, mut open) = (Vec::new(), vec![&self.0[..]]);
        while let Some(ops) = open.pop() {
            match ops.split_last() {
                Some((Op::Binary(Binary::And), rest)) => open.extend(<[_; 2]>::from(rest.split_at(last_tree(rest)))),
                _ => all.extend(Expr::from_postorder(ops)),
            }
        }
        all.reverse();
        all
    }

    /// Where it lies in memory: the same for its clones, and for no other expression while one of them lives. For tables
    /// that would not look at equal expressions twice.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The variables it reads, with their times, each occurrence once, in order of occurrence.
    pub fn reads(&self) -> impl Iterator<Item = (Var, Time)> + '_ {
        self.0.iter().filter_map(|op| match op {
            Op::Read(var, time) | Op::Cell(var, time) => Some((*var, *time)),
            _ => None,
        })
    }
}

/// Where the last tree of some in postorder begins: it is the shortest end that is one.
fn last_tree(ops: &[Op]) -> usize {
    let (mut first, mut wanted) = (ops.len(), 1);
    while wanted > 0 {
        first -= 1;
        wanted = wanted - 1 + ops[first].arity();
    }
    first
}

/// An expression and its operations are equal, ordered and hashed alike.
impl Borrow<[Op]> for Expr {
    fn borrow(&self) -> &[Op] {
        &self.0
    }
}
