//! Reading expressions, and their types.
//!
//! `!` and quantifiers bind tighter than every operator, but what they apply to is a Boolean: before an integer they wait
//! for the comparison that it belongs to. So `!x == 3` is `!(x == 3)` for an integer x, and `!b == c` is `(!b) == c`.

use spds_format::Diagnostic;
use spds_format::expr::Binary;
use spds_format::reading::precedence::{self, Expressions, Next, Taken};
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::lexer::{Key, TokenKind};
use super::operator::{Operator, is_comparison};
use super::parser::{Naming, Parser};
use super::reference::Reference;

/// Kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Bool,
    Int,
    /// An array or a struct.
    Whole,
    /// There was a mistake in it; no more is said about it.
    Unknown,
}

/// A part that has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub ty: Ty,
    /// Its first node.
    pub first: u32,
    /// Where it stands in the text.
    pub at: u32,
    pub end: u32,
}

/// What waits for its last operand, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Binary(Operator, u32),
    /// `!`
    Not(u32),
    /// `A i (lo, hi)`, `E i (lo, hi)`
    Quantifier(u32, u32),
}

/// What waits for what closes it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bracket {
    /// `(`
    Paren(u32),
    /// `a[`
    Index(Reference),
}

impl Parser<'_> {
    /// Reads an expression. After a syntax error the complaint has been made, and the tokens up to it are gone.
    pub(super) fn expression(&mut self) -> Result<(Expression, Ty), Broken> {
        self.read_operands()
    }

    /// Reads what stands on the left of `=`.
    pub(super) fn target(&mut self) -> Result<(Expression, Ty), Broken> {
        if self.cursor.kind() != TokenKind::Name {
            return self.unexpected("a variable to assign");
        }
        self.only_target = true;
        let read = self.read_operands();
        self.only_target = false;
        let (target, ty) = read?;
        let root = *self.ast.root(target);
        if ty != Ty::Unknown && !matches!(root.op, Op::Read(..) | Op::Cell(..) | Op::Whole(_)) {
            let what = &self.cursor.text[root.span()];
            self.complaints.error(format!("`{what}` is a constant and cannot be assigned"), root.span());
            return Ok((target, Ty::Unknown));
        }
        Ok((target, ty))
    }

    /// Reads an expression that must be a Boolean.
    pub(super) fn condition(&mut self, what: &str) -> Result<Expression, Broken> {
        let (expression, ty) = self.expression()?;
        self.must_be(ty, Ty::Bool, self.ast.root(expression).span(), what);
        Ok(expression)
    }

    /// Complains if a value has another type than it must have.
    pub(super) fn must_be(&mut self, ty: Ty, wanted: Ty, span: std::ops::Range<usize>, what: &str) {
        if ty == wanted || ty == Ty::Unknown || wanted == Ty::Unknown {
            return;
        }
        let is = match ty {
            Ty::Bool => "this is a Boolean",
            Ty::Int => "this is an integer",
            _ => "this is a whole array or struct",
        };
        let message = match wanted {
            Ty::Bool => format!("{what} is a Boolean"),
            Ty::Int => format!("{what} is an integer"),
            _ => format!("{what} is an array or struct"),
        };
        let mut complaint = Diagnostic::error(message, span).with_label(is);
        if (ty, wanted) == (Ty::Int, Ty::Bool) {
            complaint = complaint.with_help("compare it: `x != 0`");
        }
        self.complaints.push(complaint);
    }

    fn read_operands(&mut self) -> Result<(Expression, Ty), Broken> {
        let first = self.ast.nodes.len();
        let bound = self.bound.len();
        let mut waiting = std::mem::take(&mut self.waiting);
        let outcome = precedence::expression(self, &mut waiting);
        self.waiting = waiting;
        let operand = self.operands.pop();
        self.operands.clear();
        self.bound.truncate(bound);
        match (outcome, operand) {
            (Ok(()), Some(operand)) => {
                let expression = Expression(Piece { start: first as u32, end: self.ast.nodes.len() as u32 });
                Ok((expression, operand.ty))
            }
            _ => {
                self.ast.nodes.truncate(first);
                Err(Broken)
            }
        }
    }

    /// `A i (lo, hi)`: the name is bound from here on.
    pub(super) fn quantifier(&mut self) -> Result<u32, Broken> {
        let at = self.cursor.start();
        let which = if self.is_key(Key::All) { Which::All } else { Which::Some };
        self.bump();
        let (name, _) = self.name("the name of the quantified variable")?;
        self.expect(TokenKind::Open, "`(` and the range of the quantified variable")?;
        let begin = self.cursor.start();
        let low = self.constant("the least value")?;
        self.expect(TokenKind::Comma, "`,` between the least and the greatest value")?;
        let mut high = self.constant("the greatest value")?;
        if low > high {
            let span = begin as usize..self.cursor.previous_end as usize;
            self.complaints.error("this range is empty", span);
            high = low;
        }
        self.expect(TokenKind::Close, "`)` after the range")?;
        self.ast.quantifiers.push(Quantifier { which, low, high, at });
        let index = self.ast.quantifiers.len() as u32 - 1;
        self.bound.push((name, index));
        Ok(index)
    }

    // ---- nodes

    /// An operation without operands.
    pub(super) fn leaf(&mut self, op: Op, ty: Ty, at: u32, end: u32) {
        let first = self.ast.nodes.len() as u32;
        self.ast.nodes.push(Node { op, at, end });
        self.operands.push(Operand { ty, first, at, end });
    }

    fn prefix(&mut self, op: Op, at: u32, what: &str) {
        let Some(mut operand) = self.operands.pop() else { return };
        self.must_be(operand.ty, Ty::Bool, operand.at as usize..operand.end as usize, what);
        operand.at = at;
        operand.ty = if operand.ty == Ty::Unknown { Ty::Unknown } else { Ty::Bool };
        self.ast.nodes.push(Node { op, at, end: operand.end });
        self.operands.push(operand);
    }

    fn binary(&mut self, operator: Operator, place: u32) {
        let (Some(right), Some(left)) = (self.operands.pop(), self.operands.pop()) else { return };
        let (op, ty) = self.typed(operator, place, left, right);
        self.ast.nodes.push(Node { op: Op::Binary(op), at: left.at, end: right.end });
        self.operands.push(Operand { ty, first: left.first, at: left.at, end: right.end });
    }

    /// What an operator means between operands of these types, and the type of the result.
    fn typed(&mut self, operator: Operator, place: u32, left: Operand, right: Operand) -> (Binary, Ty) {
        let sign = self.sign(place);
        let of_integers = operator.integer().map(|op| (op, if is_comparison(op) { Ty::Bool } else { Ty::Int }));
        let of_booleans = operator.boolean().map(|op| (op, Ty::Bool));
        let any = of_integers.or(of_booleans).map_or(Binary::And, |(op, _)| op);
        match (of_booleans, of_integers, left.ty, right.ty) {
            (Some(found), _, Ty::Bool, Ty::Bool) | (_, Some(found), Ty::Int, Ty::Int) => found,
            (_, _, Ty::Unknown, _) | (_, _, _, Ty::Unknown) => (any, Ty::Unknown),
            (Some(_), Some(_), Ty::Bool | Ty::Int, Ty::Bool | Ty::Int) => {
                let message = format!("`{sign}` stands between two Booleans or two integers, not one of each");
                let span = left.at as usize..right.end as usize;
                let mut complaint = Diagnostic::error(message, span);
                if operator.tightness() < Operator::Eq.tightness() {
                    let help = format!("`{sign}` binds less tightly than comparisons: write `(x {sign} y) == z`");
                    complaint = complaint.with_help(help);
                }
                self.complaints.push(complaint);
                (any, Ty::Unknown)
            }
            _ => {
                let wanted = if of_booleans.is_some() && of_integers.is_none() { Ty::Bool } else { Ty::Int };
                for operand in [left, right] {
                    let span = operand.at as usize..operand.end as usize;
                    self.must_be(operand.ty, wanted, span, &format!("an operand of `{sign}`"));
                }
                (any, Ty::Unknown)
            }
        }
    }

    /// The operator that stands there.
    fn sign(&self, place: u32) -> String {
        let rest = &self.cursor.text.as_bytes()[place as usize..];
        let signs = rest.iter().take(3).take_while(|byte| b"|&^=<>!+-*/".contains(byte)).count();
        // A prefix `!` may follow at once.
        let sign = &self.cursor.text[place as usize..place as usize + signs];
        ["<=>", "||", "&&", "^^", "==", "!=", "<=", ">=", "<<", ">>"]
            .into_iter()
            .find(|known| sign.starts_with(known))
            .map_or_else(|| sign.chars().take(1).collect(), str::to_owned)
    }
}

impl Expressions for Parser<'_> {
    type Operator = Operation;
    type Bracket = Bracket;
    type Broken = Broken;

    #[inline]
    fn operand(&mut self) -> Result<Taken<Operation, Bracket>, Broken> {
        let at = self.cursor.start();
        let taken = match self.cursor.kind() {
            TokenKind::Open => Taken::Open(Bracket::Paren(at)),
            TokenKind::Not => Taken::Prefix(Operation::Not(at)),
            TokenKind::Key(Key::All | Key::Exists) => {
                let quantifier = self.quantifier()?;
                return Ok(Taken::Prefix(Operation::Quantifier(quantifier, at)));
            }
            TokenKind::Number => {
                let value = self.number().unwrap_or(1);
                self.leaf(Op::Number(value), Ty::Int, at, self.cursor.token.end);
                Taken::Operand
            }
            TokenKind::Key(key @ (Key::True | Key::False)) => {
                self.leaf(Op::Bool(key == Key::True), Ty::Bool, at, self.cursor.token.end);
                Taken::Operand
            }
            TokenKind::Name => return self.named(),
            TokenKind::Colons if self.naming == Naming::Proposition => return self.named(),
            TokenKind::Key(Key::Undef) => {
                let complaint = Diagnostic::error("`undef` is no value to compute with", self.cursor.span())
                    .with_help("it stands alone: `x = undef;`, or as an argument of a call");
                self.complaints.push(complaint);
                return Err(Broken);
            }
            TokenKind::Minus => {
                let complaint = Diagnostic::error("expected an expression, found `-`", self.cursor.span())
                    .with_help("integers are not negative; a difference is written `0 - x`");
                self.complaints.push(complaint);
                return Err(Broken);
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(taken)
    }

    #[inline]
    fn operator(&mut self, inside: bool) -> Result<Next<Operation, Bracket>, Broken> {
        if self.only_target && !inside {
            return Ok(Next::End);
        }
        if inside && !self.only_target && self.cursor.is(TokenKind::Assign) {
            let complaint = Diagnostic::error("`=` assigns and does not compare", self.cursor.span())
                .with_help("equality is written `==`");
            self.complaints.push(complaint);
            return Err(Broken);
        }
        let Some(operator) = Operator::of(self.cursor.kind()) else { return Ok(Next::End) };
        let at = self.cursor.start();
        self.bump();
        Ok(Next::Infix(Operation::Binary(operator, at)))
    }

    #[inline]
    fn takes(&mut self, before: &mut Operation, next: &mut Operation) -> bool {
        match (before, next) {
            (Operation::Binary(before, _), Operation::Binary(next, _)) => before.tightness() >= next.tightness(),
            (_, Operation::Binary(next, _)) => {
                next.is_logical() || self.operands.last().is_none_or(|operand| operand.ty != Ty::Int)
            }
            _ => false,
        }
    }

    #[inline]
    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Binary(operator, at) => self.binary(operator, at),
            Operation::Not(at) => self.prefix(Op::Not, at, "the operand of `!`"),
            Operation::Quantifier(quantifier, at) => {
                self.bound.pop();
                self.prefix(Op::Quantified(quantifier), at, "what is quantified");
            }
        }
    }

    #[inline]
    fn close(&mut self, bracket: Bracket) -> Result<Taken<Operation, Bracket>, Broken> {
        match (bracket, self.cursor.kind()) {
            (Bracket::Paren(open), TokenKind::Close) => {
                if let Some(operand) = self.operands.last_mut() {
                    (operand.at, operand.end) = (open, self.cursor.token.end);
                }
                self.bump();
                Ok(Taken::Operand)
            }
            (Bracket::Index(reference), TokenKind::CloseBracket) => {
                self.bump();
                self.indexed(reference)
            }
            (Bracket::Paren(at), _) => self.unclosed("`)`", at as usize..at as usize + 1),
            (Bracket::Index(reference), _) => {
                self.unclosed("`]`", reference.bracket as usize..reference.bracket as usize + 1)
            }
        }
    }
}
