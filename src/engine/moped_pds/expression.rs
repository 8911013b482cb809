//! Reading expressions.
//!
//! From the loosest to the tightest: `==`, `^`, `|`, `&`, `!`, comparisons, `<<`, `+ -`, `* /`. The operand of a quantifier goes
//! as far as it can. But where `&` follows the operand of `A`, or `|` that of `E`, it ends there: that means the same unless the
//! variable occurs again, and keeps `A i (0,7) a'[i]=a[i] & A i (0,7) b'[i]=b[i] & …` from being written out 8·8·… times.

use nom::Parser as _;
use nom::sequence::{delimited, pair, preceded, separated_pair};
use spds_format::Diagnostic;
use spds_format::expr::Binary;
use spds_format::reading::grammar::{by, next, read, token};
use spds_format::reading::precedence::{self, Expressions, Next, Taken};
use spds_format::reading::tokens::{Broken, Reader, Span};

use super::lexer::{TokenKind, brace};
use super::parser::{Names, Parser};
use super::tree::{Expression, Node, Op, Reference, Written};

/// What waits for its last operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    op: Op,
    level: u8,
    span: Span,
    /// Whether its place in the order of priorities was remarked upon.
    remarked: bool,
}

/// What waits for what closes it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bracket {
    Paren(Span),
    Cell(Reference, Span),
}

const IFF: u8 = 1;
const XOR: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const PREFIX: u8 = 5;
const COMPARISON: u8 = 6;

fn binary(kind: TokenKind) -> Option<(u8, Op)> {
    Some(match kind {
        TokenKind::Iff => (IFF, Op::Logic(Binary::Iff)),
        TokenKind::Xor => (XOR, Op::Logic(Binary::Xor)),
        TokenKind::Or => (OR, Op::Logic(Binary::Or)),
        TokenKind::And => (AND, Op::Logic(Binary::And)),
        TokenKind::Eq => (COMPARISON, Op::Compare(Binary::Eq)),
        TokenKind::Ne => (COMPARISON, Op::Compare(Binary::Ne)),
        TokenKind::Lt => (COMPARISON, Op::Compare(Binary::Lt)),
        TokenKind::Le => (COMPARISON, Op::Compare(Binary::Le)),
        TokenKind::Gt => (COMPARISON, Op::Compare(Binary::Gt)),
        TokenKind::Ge => (COMPARISON, Op::Compare(Binary::Ge)),
        TokenKind::Shl => (7, Op::Term(Binary::Shl)),
        TokenKind::Plus => (8, Op::Term(Binary::Add)),
        TokenKind::Minus => (8, Op::Term(Binary::Sub)),
        TokenKind::Star => (9, Op::Term(Binary::Mul)),
        TokenKind::Slash => (9, Op::Term(Binary::Div)),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads an expression. After a syntax error the complaint has been made.
    pub(super) fn expression(&mut self) -> Result<Expression, Broken> {
        let begin = Span::from(self.cursor.token);
        self.nodes.clear();
        let mut waiting = std::mem::take(&mut self.waiting);
        let outcome = precedence::expression(self, &mut waiting);
        self.waiting = waiting;
        outcome?;
        let span = Span { end: self.cursor.previous_end, ..begin };
        Ok(Expression { nodes: self.nodes.clone(), span })
    }

    fn emit(&mut self, op: Op, span: Span) {
        self.nodes.push(Node { op, span });
    }

    /// A remark if a brace that was perhaps meant as a bracket hid something before the next token.
    #[inline]
    fn remark_on_brace(&mut self) {
        // A comment and the end of its line are more than one blank; but the last line of a text may have no end.
        if self.cursor.start() > self.cursor.previous_end + 1 || self.cursor.is(TokenKind::Eof) {
            self.look_for_brace();
        }
    }

    fn look_for_brace(&mut self) {
        let before = self.cursor.previous_end as usize;
        if let Some(offset) = brace(&self.cursor.text[before..self.cursor.start() as usize]) {
            let at = before + offset;
            let message = "a brace begins a comment: what follows it on this line is not read";
            let complaint = Diagnostic::warning(message, at..at + 1);
            self.complaints.push(complaint.with_help("Moped reads it so, too; it has no brackets for integer terms"));
        }
    }

    /// A name in the place of an operand: a constant, or a variable.
    fn named(&mut self) -> Result<Taken<Operation, Bracket>, Broken> {
        let name = Span::from(self.cursor.token);
        let value = self.defines.get(self.cursor.word()).copied();
        self.bump();
        if let Some(value) = value {
            self.emit(Op::Number(value), name);
            return Ok(Taken::Operand);
        }
        if self.names == Names::Qualified && self.take(TokenKind::Dot) {
            let local = self.name("the name of a variable")?;
            return Ok(self.reference(Reference { scope: Written::In(name), name: local, primes: 0 }, name.to(local)));
        }
        Ok(self.reference(Reference { scope: Written::Bare, name, primes: 0 }, name))
    }

    /// A variable whose name has been taken.
    fn reference(&mut self, mut reference: Reference, mut span: Span) -> Taken<Operation, Bracket> {
        while self.take(TokenKind::Quote) {
            reference.primes = reference.primes.saturating_add(1);
            span.end = self.cursor.previous_end;
        }
        if reference.primes > 2 {
            self.complaints.error("there are no more than two primes", span.range());
        }
        if self.take(TokenKind::OpenBracket) {
            return Taken::Open(Bracket::Cell(reference, span));
        }
        self.emit(Op::Read(reference), span);
        Taken::Operand
    }

    /// `A i (` or `E i (`
    fn begins_quantifier(&self) -> bool {
        if !matches!(self.cursor.word(), "A" | "E") {
            return false;
        }
        let mut ahead = self.cursor;
        ahead.bump();
        ahead.take(TokenKind::Name) && ahead.is(TokenKind::Open)
    }

    fn quantifier(&mut self) -> Result<Taken<Operation, Bracket>, Broken> {
        let begun = self.cursor.token;
        let all = self.cursor.word() == "A";
        let variable = by(|parser: &mut Self| parser.name("the name of a variable"));
        let constant = || by(Self::constant).map(|(value, _)| value.unwrap_or(0));
        let comma = token(TokenKind::Comma, "`,` and the last value");
        let range = separated_pair(constant(), comma, constant());
        let range = delimited(token(TokenKind::Open, "`(`"), range, token(TokenKind::Close, "`)`"));
        let (variable, range) = read(self, preceded(next(), pair(variable, range)))?;
        let (begin, span) = (self.nodes.len() as u32, Span { start: begun.start, end: self.cursor.previous_end });
        self.emit(Op::Begin { all, variable, range, end: 0 }, span);
        Ok(Taken::Prefix(Operation { op: Op::End { begin }, level: PREFIX, span, remarked: false }))
    }

    fn close_quantifier(&mut self, begin: u32) {
        let place = self.nodes.len() as u32;
        let Node { op: Op::Begin { end, .. }, span } = &mut self.nodes[begin as usize] else {
            unreachable!("the index is that of the beginning of a quantifier")
        };
        *end = place;
        let span = *span;
        self.emit(Op::End { begin }, span);
    }

    fn remark_on_priority(&mut self, iff: Span, other: Span) {
        let (loose, tight) = (self.cursor.text_of(iff), self.cursor.text_of(other));
        let complaint = Diagnostic::warning(format!("`{loose}` binds less tightly than `{tight}`"), iff.range());
        let complaint = complaint.with_related(other.range(), "this is done first");
        self.complaints.push(complaint.with_help(format!("parentheses say what is meant: `(a {loose} b) {tight} c`")));
    }
}

impl Expressions for Parser<'_> {
    type Operator = Operation;
    type Bracket = Bracket;
    type Broken = Broken;

    #[inline]
    fn operand(&mut self) -> Result<Taken<Operation, Bracket>, Broken> {
        self.remark_on_brace();
        let span = Span::from(self.cursor.token);
        let taken = match self.cursor.kind() {
            TokenKind::Open => Taken::Open(Bracket::Paren(span)),
            TokenKind::Not => Taken::Prefix(Operation { op: Op::Not, level: PREFIX, span, remarked: false }),
            TokenKind::Number => {
                let value = self.number().unwrap_or(0);
                self.emit(Op::Number(value), span);
                Taken::Operand
            }
            TokenKind::Name if self.begins_quantifier() => return self.quantifier(),
            TokenKind::Name => return self.named(),
            TokenKind::Colons if self.names == Names::Qualified => {
                self.bump();
                let name = self.name("the name of a variable")?;
                return Ok(self.reference(Reference { scope: Written::Global, name, primes: 0 }, span.to(name)));
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(taken)
    }

    #[inline]
    fn operator(&mut self, _: bool) -> Result<Next<Operation, Bracket>, Broken> {
        self.remark_on_brace();
        let span = Span::from(self.cursor.token);
        if self.cursor.is(TokenKind::Quote) && matches!(self.nodes.last().map(|node| node.op), Some(Op::Cell(_))) {
            let complaint = Diagnostic::error("a prime stands before the index", span.range());
            self.complaints.push(complaint.with_help("write `a'[i]`"));
            self.bump();
            return Ok(Next::Postfix);
        }
        let Some((level, op)) = binary(self.cursor.kind()) else { return Ok(Next::End) };
        self.bump();
        Ok(Next::Infix(Operation { op, level, span, remarked: false }))
    }

    #[inline]
    fn takes(&mut self, before: &mut Operation, next: &mut Operation) -> bool {
        if before.level < next.level {
            if before.level == IFF && next.level <= AND && !before.remarked {
                before.remarked = true;
                self.remark_on_priority(before.span, next.span);
            }
            return false;
        }
        if let Op::End { begin } = before.op
            && let Op::Begin { all, .. } = self.nodes[begin as usize].op
            && next.level != if all { AND } else { OR }
        {
            if next.level <= XOR && !before.remarked {
                before.remarked = true;
                let message = format!("the quantifier reaches beyond `{}`", self.cursor.text_of(next.span));
                let complaint = Diagnostic::warning(message, before.span.range());
                self.complaints.push(complaint.with_help("parentheses make sure of what is meant"));
            }
            return false;
        }
        if before.level == COMPARISON && next.level == COMPARISON {
            let complaint = Diagnostic::error("comparisons do not chain", next.span.range());
            self.complaints.push(complaint.with_related(before.span.range(), "after this"));
        }
        if next.level == IFF && (XOR..=AND).contains(&before.level) && !next.remarked {
            next.remarked = true;
            self.remark_on_priority(next.span, before.span);
        }
        true
    }

    #[inline]
    fn apply(&mut self, operation: Operation) {
        match operation.op {
            Op::End { begin } => self.close_quantifier(begin),
            op => self.emit(op, operation.span),
        }
    }

    #[inline]
    fn close(&mut self, bracket: Bracket) -> Result<Taken<Operation, Bracket>, Broken> {
        let span = Span::from(self.cursor.token);
        match (bracket, self.cursor.kind()) {
            (Bracket::Paren(opened), TokenKind::Close) => {
                if matches!(self.nodes.last().map(|node| node.op), Some(Op::Term(_) | Op::Number(_))) {
                    let message = "Moped knows no parentheses round integer terms";
                    let warning = Diagnostic::warning(message, opened.to(span).range());
                    self.complaints.push(warning.with_label("they are read as they look"));
                }
            }
            (Bracket::Cell(reference, name), TokenKind::CloseBracket) => {
                self.emit(Op::Cell(reference), name.to(span));
            }
            (Bracket::Paren(opened), _) => return self.unclosed("`)`", opened.range()),
            (Bracket::Cell(_, opened), _) => return self.unclosed("`]`", opened.range()),
        }
        self.bump();
        Ok(Taken::Operand)
    }
}
