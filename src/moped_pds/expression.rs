//! Reading expressions: operator precedence with a stack of one's own, so that depth costs memory only.
//!
//! From the loosest to the tightest: `==`, `^`, `|`, `&`, `!`, comparisons, `<<`, `+ -`, `* /`. The operand of a quantifier goes
//! as far as it can. But where `&` follows the operand of `A`, or `|` that of `E`, it ends there: that means the same unless the
//! variable occurs again, and keeps `A i (0,7) a'[i]=a[i] & A i (0,7) b'[i]=b[i] & …` from being written out 8·8·… times.

use spds_format::Diagnostic;
use spds_format::expr::Binary;

use super::lexer::{Kind, Span, Token};
use super::parser::{Broken, Names, Parser};
use super::tree::{Expression, Node, Op, Reference, Written};

/// What waits on the stack for its operand, or for its closing bracket.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    Operator {
        op: Op,
        level: u8,
        span: Span,
        /// Whether its place in the order of priorities was remarked upon.
        remarked: bool,
    },
    Paren(Span),
    Cell(Reference, Span),
}

const IFF: u8 = 1;
const XOR: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const PREFIX: u8 = 5;
const COMPARISON: u8 = 6;

fn binary(kind: Kind) -> Option<(u8, Op)> {
    Some(match kind {
        Kind::Iff => (IFF, Op::Logic(Binary::Iff)),
        Kind::Xor => (XOR, Op::Logic(Binary::Xor)),
        Kind::Or => (OR, Op::Logic(Binary::Or)),
        Kind::And => (AND, Op::Logic(Binary::And)),
        Kind::Eq => (COMPARISON, Op::Compare(Binary::Eq)),
        Kind::Ne => (COMPARISON, Op::Compare(Binary::Ne)),
        Kind::Lt => (COMPARISON, Op::Compare(Binary::Lt)),
        Kind::Le => (COMPARISON, Op::Compare(Binary::Le)),
        Kind::Gt => (COMPARISON, Op::Compare(Binary::Gt)),
        Kind::Ge => (COMPARISON, Op::Compare(Binary::Ge)),
        Kind::Shl => (7, Op::Term(Binary::Shl)),
        Kind::Plus => (8, Op::Term(Binary::Add)),
        Kind::Minus => (8, Op::Term(Binary::Sub)),
        Kind::Star => (9, Op::Term(Binary::Mul)),
        Kind::Slash => (9, Op::Term(Binary::Div)),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads an expression. After a syntax error the complaint has been made.
    pub(super) fn expression(&mut self) -> Result<Expression, Broken> {
        let begin = self.lexer.peek().span;
        self.nodes.clear();
        self.pending.clear();
        let end = loop {
            if self.operand()?
                && let Some(end) = self.operator()?
            {
                break end;
            }
        };
        Ok(Expression { nodes: self.nodes.clone(), span: begin.to(end) })
    }

    fn emit(&mut self, op: Op, span: Span) {
        self.nodes.push(Node { op, span });
    }

    /// In the position of an operand: takes a token or a few. True if they were a whole operand.
    fn operand(&mut self) -> Result<bool, Broken> {
        let token = self.operand_token();
        match token.kind {
            Kind::Open => {
                self.lexer.skip(token);
                self.pending.push(Pending::Paren(token.span));
                Ok(false)
            }
            Kind::Not => {
                self.lexer.skip(token);
                let pending = Pending::Operator { op: Op::Not, level: PREFIX, span: token.span, remarked: false };
                self.pending.push(pending);
                Ok(false)
            }
            Kind::Number => {
                self.lexer.skip(token);
                let value = self.number(token.span).unwrap_or(0);
                self.emit(Op::Number(value), token.span);
                Ok(true)
            }
            Kind::Name if self.begins_quantifier(token) => self.quantifier(token),
            Kind::Name => {
                self.lexer.skip(token);
                if let Some(&value) = self.defines.get(self.lexer.text_of(token.span)) {
                    self.emit(Op::Number(value), token.span);
                    return Ok(true);
                }
                self.variable(token.span)
            }
            Kind::Colons if self.names == Names::Qualified => {
                self.lexer.skip(token);
                let Some(name) = self.lexer.take(Kind::Name) else { return self.unexpected("the name of a variable") };
                self.reference(Reference { scope: Written::Global, name, primes: 0 }, token.span.to(name))
            }
            _ => self.unexpected("an expression"),
        }
    }

    /// The next token, with a remark if a brace that was perhaps meant as a bracket hid something.
    fn operand_token(&mut self) -> Token {
        if let Some(at) = self.lexer.blank() {
            let complaint = Diagnostic::warning(
                "a brace begins a comment: what follows it on this line is not read",
                at as usize..at as usize + 1,
            );
            self.complaints.push(complaint.with_help("Moped reads it so, too; it has no brackets for integer terms"));
        }
        self.lexer.peek()
    }

    /// A variable whose name has been taken.
    fn variable(&mut self, name: Span) -> Result<bool, Broken> {
        if self.names == Names::Qualified && self.lexer.take(Kind::Dot).is_some() {
            let Some(local) = self.lexer.take(Kind::Name) else { return self.unexpected("the name of a variable") };
            return self.reference(Reference { scope: Written::In(name), name: local, primes: 0 }, name.to(local));
        }
        self.reference(Reference { scope: Written::Bare, name, primes: 0 }, name)
    }

    fn reference(&mut self, mut reference: Reference, mut span: Span) -> Result<bool, Broken> {
        while let Some(quote) = self.lexer.take(Kind::Quote) {
            reference.primes = reference.primes.saturating_add(1);
            span = span.to(quote);
        }
        if reference.primes > 2 {
            self.complaints.error("there are no more than two primes", span.range());
        }
        if self.lexer.take(Kind::OpenBracket).is_some() {
            self.pending.push(Pending::Cell(reference, span));
            return Ok(false);
        }
        self.emit(Op::Read(reference), span);
        Ok(true)
    }

    /// `A i (` or `E i (`
    fn begins_quantifier(&mut self, token: Token) -> bool {
        if !matches!(self.lexer.text_of(token.span), "A" | "E") {
            return false;
        }
        let mut ahead = self.lexer;
        ahead.skip(token);
        ahead.take(Kind::Name).is_some() && ahead.take(Kind::Open).is_some()
    }

    fn quantifier(&mut self, token: Token) -> Result<bool, Broken> {
        let all = self.lexer.text_of(token.span) == "A";
        self.lexer.skip(token);
        let Some(variable) = self.lexer.take(Kind::Name) else { return self.unexpected("the name of a variable") };
        self.expect(Kind::Open, "`(`")?;
        let first = self.constant()?.0.unwrap_or(0);
        self.expect(Kind::Comma, "`,` and the last value")?;
        let last = self.constant()?.0.unwrap_or(0);
        let close = self.lexer.peek().span;
        self.expect(Kind::Close, "`)`")?;
        let (begin, span) = (self.nodes.len() as u32, token.span.to(close));
        self.emit(Op::Begin { all, variable, range: (first, last), end: 0 }, span);
        self.pending.push(Pending::Operator { op: Op::End { begin }, level: PREFIX, span, remarked: false });
        Ok(false)
    }

    /// After an operand: closes what the next tokens close, and takes an operator between two operands. Otherwise the end of
    /// the expression.
    fn operator(&mut self) -> Result<Option<Span>, Broken> {
        let mut end = self.nodes.last().map_or(Span::default(), |node| node.span);
        loop {
            let token = self.operand_token();
            if let Some((level, op)) = binary(token.kind) {
                let remarked = self.reduce(level, token);
                self.lexer.skip(token);
                self.pending.push(Pending::Operator { op, level, span: token.span, remarked });
                return Ok(None);
            }
            self.reduce(0, token);
            match (token.kind, self.pending.last().copied()) {
                (Kind::Close, Some(Pending::Paren(opened))) => {
                    self.pending.pop();
                    if matches!(self.nodes.last().map(|node| node.op), Some(Op::Term(_) | Op::Number(_))) {
                        let warning = Diagnostic::warning(
                            "Moped knows no parentheses round integer terms",
                            opened.to(token.span).range(),
                        );
                        self.complaints.push(warning.with_label("they are read as they look"));
                    }
                }
                (Kind::CloseBracket, Some(Pending::Cell(reference, span))) => {
                    self.pending.pop();
                    self.emit(Op::Cell(reference), span.to(token.span));
                }
                (Kind::Quote, _) if matches!(self.nodes.last().map(|node| node.op), Some(Op::Cell(_))) => {
                    let message = "a prime stands before the index";
                    let complaint = Diagnostic::error(message, token.span.range()).with_help("write `a'[i]`");
                    self.complaints.push(complaint);
                }
                (_, Some(Pending::Paren(opened))) => return self.unclosed("`)`", opened),
                (_, Some(Pending::Cell(_, opened))) => return self.unclosed("`]`", opened),
                (_, _) => return Ok(Some(end)),
            }
            end = token.span;
            self.lexer.skip(token);
        }
    }

    /// Gives the last operand to those operators that bind it at least as tightly as one of that level would. Whether there
    /// was a remark on the next operator.
    fn reduce(&mut self, level: u8, next: Token) -> bool {
        let mut remark = false;
        while let Some(Pending::Operator { op, level: before, span, remarked }) = self.pending.last_mut() {
            if *before < level {
                if *before == IFF && level <= AND && !*remarked {
                    *remarked = true;
                    let span = *span;
                    self.remark_on_priority(span, next.span);
                }
                return remark;
            }
            if let (Op::End { begin }, 1..) = (*op, level)
                && let Op::Begin { all, .. } = self.nodes[begin as usize].op
                && level != if all { AND } else { OR }
            {
                if level <= XOR && !*remarked {
                    *remarked = true;
                    let (span, text) = (*span, self.lexer.text_of(next.span));
                    let message = format!("the quantifier reaches beyond `{text}`");
                    let complaint = Diagnostic::warning(message, span.range());
                    self.complaints.push(complaint.with_help("parentheses make sure of what is meant"));
                }
                return remark;
            }
            let (op, before, span) = (*op, *before, *span);
            self.pending.pop();
            if before == COMPARISON && level == COMPARISON {
                let message = "comparisons do not chain";
                let complaint = Diagnostic::error(message, next.span.range()).with_related(span.range(), "after this");
                self.complaints.push(complaint);
            }
            if level == IFF && (XOR..=AND).contains(&before) && !remark {
                remark = true;
                self.remark_on_priority(next.span, span);
            }
            if let Op::End { begin } = op {
                self.close_quantifier(begin);
            } else {
                self.emit(op, span);
            }
        }
        remark
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
        let (loose, tight) = (self.lexer.text_of(iff), self.lexer.text_of(other));
        let complaint = Diagnostic::warning(format!("`{loose}` binds less tightly than `{tight}`"), iff.range());
        let complaint = complaint.with_related(other.range(), "this is done first");
        self.complaints.push(complaint.with_help(format!("parentheses say what is meant: `(a {loose} b) {tight} c`")));
    }
}
