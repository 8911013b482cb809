//! Expressions of C-: without side effects, every conversion explicit (C11 §6.3), every operand of an operator of one type.
//!
//! Terms live in one vector per program and are shared: equal terms have equal identifiers, and what a term is made of
//! was made before it. `a && b` and `a ? b : c` are branches of statements where they stand in a program, because b is
//! not always evaluated; as terms they exist only in predicates, which have no effects and are total.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ids::{ProcedureId, VariableId};
use super::types::{TypeId, Types};

/// An expression: an index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpressionId(pub u32);

/// What can be assigned to (C11 §6.3.2.1): an index into [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LvalueId(pub u32);

/// An expression with the type of its value: always a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// The type of its value.
    pub ty: TypeId,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// A number, modulo 2ʷ for the width w of the type; the bits of a floating-point number. Of a pointer type only 0: NULL.
    Constant(u128),
    /// The value in a scalar lvalue.
    Read(LvalueId),
    /// `&l`; nothing is read. Also what an array is as a value, `&a[0]`, and one past its end, `&a[n]`.
    AddressOf(LvalueId),
    /// The address of a procedure.
    Procedure(ProcedureId),
    /// An operator with one operand, which has the type of the result.
    Unary(Unary, ExpressionId),
    /// An operator with two operands of one type (shifts: of two types), which is that of the result; for comparisons and
    /// connectives the result is an `int`, 0 or 1.
    Binary(Binary, ExpressionId, ExpressionId),
    /// The value converted to the type (see [`Conversion`]).
    Convert(ExpressionId),
    /// `p + i`: i elements further; i is of the signed or unsigned type that the program gave it, and the type of the
    /// result, that of p, says how big an element is.
    Offset(ExpressionId, ExpressionId),
    /// `p - q` in elements; both have the same pointer type, the result is a `ptrdiff_t`.
    Distance(ExpressionId, ExpressionId),
    /// `pre(l)`: the value that an lvalue had when the procedure was entered; only in predicates.
    Pre(LvalueId),
    /// The value that the procedure returns; only in predicates.
    Result,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// `-a`; overflows for the least signed number.
    Negate,
    /// `~a`
    Complement,
    /// `!a`: an `int`, whatever the operand is; a pointer is compared with NULL.
    Not,
    /// How many elements of the type to which a pointer points there are from where it leads to the end of the object, of type `ptrdiff_t`: only
    /// who executes the program knows, and otherwise variables that tell it ([`super::elements`]).
    Elements,
    /// The pointer if the object that it leads to was freed, else NULL: only who executes the program knows, and only what he alone is told
    /// ([`super::program::StatementKind::Unseen`]) has it.
    Freed,
}

/// Operators with two operands. Which of them can fail or overflow depends on the sign of their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, towards zero; undefined for b = 0, overflows for the least number by -1.
    Divide,
    /// `a % b`, with the sign of a; as [`Binary::Divide`].
    Remainder,
    /// `a << b`, of the type of a; undefined for b < 0 or b ≥ width. A signed a overflows where it is negative, and where
    /// a · 2ᵇ leaves its type (C11 §6.5.7).
    ShiftLeft,
    /// `a >> b`, of the type of a, with its sign; undefined as [`Binary::ShiftLeft`].
    ShiftRight,
    /// The first operand: the number of elements of an array whose size varies. Undefined unless it is positive and at most the
    /// second; both are unsigned.
    Length,
    /// `a & b`
    And,
    /// `a ^ b`
    Xor,
    /// `a | b`
    Or,
    /// `a == b`; also of pointers.
    Equal,
    /// `a != b`; also of pointers.
    Unequal,
    /// `a < b` by the sign of the operands; also of pointers into one object.
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a && b`, only in predicates.
    Both,
    /// `a || b`, only in predicates.
    Either,
}

impl Binary {
    /// The comparison that says the same of its operands the other way round.
    pub fn mirrored(self) -> Option<Binary> {
        match self {
            Binary::Equal | Binary::Unequal => Some(self),
            Binary::Less => Some(Binary::Greater),
            Binary::LessEqual => Some(Binary::GreaterEqual),
            Binary::Greater => Some(Binary::Less),
            Binary::GreaterEqual => Some(Binary::LessEqual),
            _ => None,
        }
    }

    /// Whether the result is 0 or 1.
    pub fn is_truth(self) -> bool {
        use Binary::*;
        matches!(self, Equal | Unequal | Less | LessEqual | Greater | GreaterEqual | Both | Either)
    }

    /// As C writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Length => "elements, at most",
            Binary::And => "&",
            Binary::Xor => "^",
            Binary::Or => "|",
            Binary::Equal => "==",
            Binary::Unequal => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::Both => "&&",
            Binary::Either => "||",
        }
    }

    /// How tightly it binds; more is tighter.
    pub fn precedence(self) -> u8 {
        match self {
            Binary::Multiply | Binary::Divide | Binary::Remainder => 12,
            Binary::Add | Binary::Subtract => 11,
            Binary::ShiftLeft | Binary::ShiftRight => 10,
            Binary::Length => 2,
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => 9,
            Binary::Equal | Binary::Unequal => 8,
            Binary::And => 7,
            Binary::Xor => 6,
            Binary::Or => 5,
            Binary::Both => 4,
            Binary::Either => 3,
        }
    }
}

/// What [`ExpressionKind::Convert`] does, by the types of its operand and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    /// To `_Bool`: `!= 0`, of integers and pointers.
    Truth,
    /// To fewer bits, or as many: the lowest are kept.
    Truncate,
    /// To more bits from an unsigned type: zeros are put in front.
    ExtendZero,
    /// To more bits from a signed type: its sign is put in front.
    ExtendSign,
    /// From pointers to pointers: the same address.
    Pointer,
}

/// Which conversion leads from a type to another; nothing where the front end never makes one (integers from pointers and
/// back are havocked, except for constants and truth), and for those that only who executes programs knows: of floating-point numbers.
pub fn conversion(types: &Types, from: TypeId, to: TypeId) -> Option<Conversion> {
    use super::types::Rank;
    match (types.as_integer(from), types.as_integer(to)) {
        _ if types.as_float(from).is_some() => None,
        (_, Some(to)) if to.rank == Rank::Bool && to.width == 1 => Some(Conversion::Truth),
        (Some(from), Some(to)) if to.width <= from.width => Some(Conversion::Truncate),
        (Some(from), Some(_)) if from.signed => Some(Conversion::ExtendSign),
        (Some(_), Some(_)) => Some(Conversion::ExtendZero),
        _ if types.pointee(from).is_some() && types.pointee(to).is_some() => Some(Conversion::Pointer),
        _ => None,
    }
}

/// An lvalue with the type of the object it designates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lvalue {
    /// What it is.
    pub kind: LvalueKind,
    /// The type of the object: any but `void` and functions.
    pub ty: TypeId,
}

/// What an lvalue is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LvalueKind {
    /// A variable.
    Variable(VariableId),
    /// `*p`; also `p->f`, which is a member of it, and `p[i]`, which is `*(p + i)`.
    Deref(ExpressionId),
    /// A member of a structure or union, by its index.
    Field(LvalueId, u32),
    /// `a[i]` for an array a, of which the number of elements is known.
    Element(LvalueId, ExpressionId),
}

/// A term of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// An expression.
    Expression(ExpressionId),
    /// An lvalue.
    Lvalue(LvalueId),
}

/// The expressions and lvalues of a program.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    expressions: Vec<Expression>,
    lvalues: Vec<Lvalue>,
    known_expressions: FxHashMap<Expression, ExpressionId>,
    known_lvalues: FxHashMap<Lvalue, LvalueId>,
}

impl Terms {
    /// Whether all terms of another collection are in it, with the same identifiers.
    pub(super) fn extends(&self, other: &Terms) -> bool {
        self.expressions.starts_with(&other.expressions) && self.lvalues.starts_with(&other.lvalues)
    }

    /// The identifier of an expression.
    pub fn expression(&mut self, kind: ExpressionKind, ty: TypeId) -> ExpressionId {
        let expression = Expression { kind, ty };
        if let Some(&id) = self.known_expressions.get(&expression) {
            return id;
        }
        let id = ExpressionId(u32::try_from(self.expressions.len()).expect("fewer terms than bytes of source"));
        self.expressions.push(expression.clone());
        self.known_expressions.insert(expression, id);
        id
    }

    /// Wherever the address of a procedure is mentioned, it is that of another one from now on. Linear.
    pub fn redirect(&mut self, to: impl Fn(ProcedureId) -> ProcedureId) {
        for (expression, id) in self.expressions.iter_mut().zip(0..) {
            if let ExpressionKind::Procedure(procedure) = expression.kind {
                let old = expression.clone();
                expression.kind = ExpressionKind::Procedure(to(procedure));
                self.known_expressions.remove(&old);
                self.known_expressions.insert(expression.clone(), ExpressionId(id));
            }
        }
    }

    /// The identifier of an lvalue.
    pub fn lvalue(&mut self, kind: LvalueKind, ty: TypeId) -> LvalueId {
        let lvalue = Lvalue { kind, ty };
        if let Some(&id) = self.known_lvalues.get(&lvalue) {
            return id;
        }
        let id = LvalueId(u32::try_from(self.lvalues.len()).expect("fewer terms than bytes of source"));
        self.lvalues.push(lvalue.clone());
        self.known_lvalues.insert(lvalue, id);
        id
    }

    /// The identifier of an lvalue, if the program has it.
    pub fn known_lvalue(&self, kind: &LvalueKind, ty: TypeId) -> Option<LvalueId> {
        self.known_lvalues.get(&Lvalue { kind: kind.clone(), ty }).copied()
    }

    /// The variable of which an lvalue is a part; none if it is somewhere behind a pointer.
    pub fn variable_of(&self, mut l: LvalueId) -> Option<VariableId> {
        loop {
            match self.at(l).kind {
                LvalueKind::Variable(id) => return Some(id),
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => l = of,
                LvalueKind::Deref(_) => return None,
            }
        }
    }

    /// Whether by its path an lvalue is a part of a union, or of what is not known to be none.
    pub fn is_in_union(&self, types: &Types, mut l: LvalueId) -> bool {
        loop {
            l = match self.at(l).kind {
                LvalueKind::Field(of, _) if types.as_record(self.at(of).ty).is_none_or(|record| record.union) => {
                    return true;
                }
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => of,
                LvalueKind::Variable(_) | LvalueKind::Deref(_) => return false,
            }
        }
    }

    /// Whether an lvalue is another, or by its path a part of it.
    pub fn is_in(&self, mut part: LvalueId, whole: LvalueId) -> bool {
        loop {
            match self.at(part).kind {
                _ if part == whole => return true,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => part = of,
                LvalueKind::Variable(_) | LvalueKind::Deref(_) => return false,
            }
        }
    }

    /// What an expression is.
    pub fn get(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.0 as usize]
    }

    /// All expressions, parts before wholes.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.expressions.iter()
    }

    /// What an lvalue is.
    pub fn at(&self, id: LvalueId) -> &Lvalue {
        &self.lvalues[id.0 as usize]
    }

    /// The terms of which a term is directly made, from left to right.
    pub fn parts(&self, term: Term) -> impl DoubleEndedIterator<Item = Term> {
        use Term::{Expression as E, Lvalue as L};
        let parts: [Option<Term>; 3] = match term {
            E(id) => match self.get(id).kind {
                ExpressionKind::Constant(_) | ExpressionKind::Procedure(_) | ExpressionKind::Result => [None; 3],
                ExpressionKind::Read(of) | ExpressionKind::AddressOf(of) | ExpressionKind::Pre(of) => {
                    [Some(L(of)), None, None]
                }
                ExpressionKind::Unary(_, a) | ExpressionKind::Convert(a) => [Some(E(a)), None, None],
                ExpressionKind::Binary(_, a, b) | ExpressionKind::Offset(a, b) | ExpressionKind::Distance(a, b) => {
                    [Some(E(a)), Some(E(b)), None]
                }
            },
            L(id) => match self.at(id).kind {
                LvalueKind::Variable(_) => [None; 3],
                LvalueKind::Deref(pointer) => [Some(E(pointer)), None, None],
                LvalueKind::Field(of, _) => [Some(L(of)), None, None],
                LvalueKind::Element(of, index) => [Some(L(of)), Some(E(index)), None],
            },
        };
        parts.into_iter().flatten()
    }

    /// All terms that a term is made of, parts before wholes, from left to right, each once; the term itself comes last.
    /// Linear, without recursion.
    pub fn postorder(&self, root: Term) -> Vec<Term> {
        let mut order = Vec::new();
        let mut met = FxHashSet::default();
        let mut open = vec![(root, false)];
        while let Some((term, entered)) = open.pop() {
            if entered {
                order.push(term);
            } else if met.insert(term) {
                open.push((term, true));
                open.extend(self.parts(term).rev().map(|part| (part, false)));
            }
        }
        order
    }
}
