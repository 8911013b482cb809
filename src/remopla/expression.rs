//! Reading expressions: operator precedence with a stack of one's own, so that depth costs memory only; and their types.
//!
//! `!` and quantifiers bind tighter than every operator, but what they apply to is a Boolean: before an integer they wait
//! for the comparison that it belongs to. So `!x == 3` is `!(x == 3)` for an integer x, and `!b == c` is `(!b) == c`.

use spds_format::Diagnostic;
use spds_format::expr::Binary;

use super::ast::*;
use super::lexer::{Key, Kind};
use super::operator::{Operator, is_comparison};
use super::parser::{Broken, Naming, Parser};
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

/// What waits on the stack for its operand, or for its closing bracket.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    Operator(Operator, u32),
    /// `!`
    Not(u32),
    /// `A i (lo, hi)`, `E i (lo, hi)`
    Quantifier(u32, u32),
    /// `(`
    Paren(u32),
    /// `a[`
    Index(Reference),
}

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Expression,
    /// One variable, array cell or whole.
    Target,
}

impl Parser<'_> {
    /// Reads an expression. After a syntax error the complaint has been made, and the tokens up to it are gone.
    pub(super) fn expression(&mut self) -> Result<(Expression, Ty), Broken> {
        self.read(Extent::Expression)
    }

    /// Reads what stands on the left of `=`.
    pub(super) fn target(&mut self) -> Result<(Expression, Ty), Broken> {
        if self.token.kind != Kind::Name {
            return self.unexpected("a variable to assign");
        }
        let (target, ty) = self.read(Extent::Target)?;
        let root = *self.ast.root(target);
        if ty != Ty::Unknown && !matches!(root.op, Op::Read(..) | Op::Cell(..) | Op::Whole(_)) {
            let what = &self.text[root.span()];
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

    fn read(&mut self, extent: Extent) -> Result<(Expression, Ty), Broken> {
        let first = self.ast.nodes.len();
        let bound = self.bound.len();
        let outcome = self.operands_and_operators(extent);
        let operand = self.operands.pop();
        self.pending.clear();
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

    fn operands_and_operators(&mut self, extent: Extent) -> Result<(), Broken> {
        loop {
            if self.operand()? && !self.operator(extent)? {
                return Ok(());
            }
        }
    }

    /// In the position of an operand. True if it was a whole operand.
    fn operand(&mut self) -> Result<bool, Broken> {
        let at = self.token.start;
        match self.token.kind {
            Kind::Open => self.pending.push(Pending::Paren(at)),
            Kind::Not => self.pending.push(Pending::Not(at)),
            Kind::Key(Key::All | Key::Exists) => {
                let quantifier = self.quantifier()?;
                self.pending.push(Pending::Quantifier(quantifier, at));
                return Ok(false);
            }
            Kind::Number => {
                let value = self.number();
                self.leaf(Op::Number(value), Ty::Int, at, self.token.end);
                self.bump();
                return Ok(true);
            }
            Kind::Key(key @ (Key::True | Key::False)) => {
                self.leaf(Op::Bool(key == Key::True), Ty::Bool, at, self.token.end);
                self.bump();
                return Ok(true);
            }
            Kind::Name => return self.named(),
            Kind::Colons if self.naming == Naming::Proposition => return self.named(),
            Kind::Key(Key::Undef) => {
                let complaint = Diagnostic::error("`undef` is no value to compute with", self.span())
                    .with_help("it stands alone: `x = undef;`, or as an argument of a call");
                self.complaints.push(complaint);
                return Err(Broken);
            }
            Kind::Minus => {
                let complaint = Diagnostic::error("expected an expression, found `-`", self.span())
                    .with_help("integers are not negative; a difference is written `0 - x`");
                self.complaints.push(complaint);
                return Err(Broken);
            }
            _ => return self.unexpected("an expression"),
        }
        self.bump();
        Ok(false)
    }

    /// `A i (lo, hi)`: the name is bound from here on.
    pub(super) fn quantifier(&mut self) -> Result<u32, Broken> {
        let at = self.token.start;
        let which = if self.is_key(Key::All) { Which::All } else { Which::Some };
        self.bump();
        let (name, _) = self.name("the name of the quantified variable")?;
        self.expect(Kind::Open, "`(` and the range of the quantified variable")?;
        let begin = self.token.start;
        let low = self.constant("the least value")?;
        self.expect(Kind::Comma, "`,` between the least and the greatest value")?;
        let mut high = self.constant("the greatest value")?;
        if low > high {
            let span = begin as usize..self.previous_end as usize;
            self.complaints.error("this range is empty", span);
            high = low;
        }
        self.expect(Kind::Close, "`)` after the range")?;
        self.ast.quantifiers.push(Quantifier { which, low, high, at });
        let index = self.ast.quantifiers.len() as u32 - 1;
        self.bound.push((name, index));
        Ok(index)
    }

    /// In the position of an operator: takes all tokens up to the next operand. False if the expression ends here.
    fn operator(&mut self, extent: Extent) -> Result<bool, Broken> {
        loop {
            let at = self.token.start;
            let operator = match self.token.kind {
                _ if extent == Extent::Target && self.pending.is_empty() => return Ok(false),
                Kind::Close => {
                    self.reduce_operators();
                    let Some(&Pending::Paren(open)) = self.pending.last() else { return self.finish() };
                    self.pending.pop();
                    if let Some(operand) = self.operands.last_mut() {
                        (operand.at, operand.end) = (open, self.token.end);
                    }
                    self.bump();
                    continue;
                }
                Kind::CloseBracket => {
                    self.reduce_operators();
                    let Some(&Pending::Index(reference)) = self.pending.last() else { return self.finish() };
                    self.pending.pop();
                    self.bump();
                    if !self.indexed(reference)? {
                        return Ok(true);
                    }
                    continue;
                }
                Kind::Assign if extent == Extent::Expression && !self.pending.is_empty() => {
                    let complaint = Diagnostic::error("`=` assigns and does not compare", self.span())
                        .with_help("equality is written `==`");
                    self.complaints.push(complaint);
                    return Err(Broken);
                }
                kind => match Operator::of(kind) {
                    Some(operator) => operator,
                    None => return self.finish(),
                },
            };
            loop {
                match self.pending.last() {
                    Some(&Pending::Operator(before, place)) if before.tightness() >= operator.tightness() => {
                        self.pending.pop();
                        self.binary(before, place);
                    }
                    Some(Pending::Not(_) | Pending::Quantifier(..))
                        if operator.is_logical() || !self.integer_last() =>
                    {
                        self.reduce_prefix();
                    }
                    _ => break,
                }
            }
            self.pending.push(Pending::Operator(operator, at));
            self.bump();
            return Ok(true);
        }
    }

    fn integer_last(&self) -> bool {
        self.operands.last().is_some_and(|operand| operand.ty == Ty::Int)
    }

    /// Gives the last operand to the operators that wait for it.
    fn reduce_operators(&mut self) {
        loop {
            match self.pending.last() {
                Some(&Pending::Operator(operator, at)) => {
                    self.pending.pop();
                    self.binary(operator, at);
                }
                Some(Pending::Not(_) | Pending::Quantifier(..)) => self.reduce_prefix(),
                _ => return,
            }
        }
    }

    /// The expression ends before the present token. False, which is what [`Parser::operator`] says then.
    fn finish(&mut self) -> Result<bool, Broken> {
        self.reduce_operators();
        let (closing, opened) = match self.pending.last() {
            None => return Ok(false),
            Some(&Pending::Paren(at)) => ("`)`", at),
            Some(Pending::Index(reference)) => ("`]`", reference.bracket),
            Some(_) => return Ok(false),
        };
        let message = format!("expected {closing} or an operator, found {}", self.described());
        let opened = opened as usize..opened as usize + 1;
        let complaint = Diagnostic::error(message, self.span()).with_related(opened, "opened here");
        self.complain_about_token(complaint);
        Err(Broken)
    }

    // ---- nodes

    /// An operation without operands.
    pub(super) fn leaf(&mut self, op: Op, ty: Ty, at: u32, end: u32) {
        let first = self.ast.nodes.len() as u32;
        self.ast.nodes.push(Node { op, at, end });
        self.operands.push(Operand { ty, first, at, end });
    }

    fn reduce_prefix(&mut self) {
        let (Some(pending), Some(mut operand)) = (self.pending.pop(), self.operands.pop()) else { return };
        let (op, at, what) = match pending {
            Pending::Quantifier(quantifier, at) => {
                self.bound.pop();
                (Op::Quantified(quantifier), at, "what is quantified")
            }
            Pending::Not(at) => (Op::Not, at, "the operand of `!`"),
            _ => return,
        };
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
        let rest = &self.text.as_bytes()[place as usize..];
        let signs = rest.iter().take(3).take_while(|byte| b"|&^=<>!+-*/".contains(byte)).count();
        // A prefix `!` may follow at once.
        let sign = &self.text[place as usize..place as usize + signs];
        ["<=>", "||", "&&", "^^", "==", "!=", "<=", ">=", "<<", ">>"]
            .into_iter()
            .find(|known| sign.starts_with(known))
            .map_or_else(|| sign.chars().take(1).collect(), str::to_owned)
    }
}
