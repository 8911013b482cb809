//! Reading expressions.
//!
//! In the position of an operand `?` is a choice and `'` says "the value after"; in the position of an operator `?` begins
//! `e ? a : b`. So the two meanings of `?` never meet.

use spds_format::Diagnostic;
use spds_format::expr::Time;
use spds_format::reading::grammar::{by, read, separated};
use spds_format::reading::precedence::{self, Expressions, Next, Taken};
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::{Expression, Node, Op, Piece};
use super::lexer::{Key, TokenKind};
use super::parser::{Names, Parser};
use super::precedence::Operator;

/// What waits for its last operand, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Operator(Operator, u32),
    /// `'`
    Prime,
    /// `c ? a :`
    Otherwise(u32),
}

/// What waits for what closes it, and where it was opened.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bracket {
    /// `(`
    Paren(u32),
    /// `schoose[`, with the number of arguments before the present one.
    Choose(u32, u32),
    /// `c ?`
    Question(u32),
}

impl Parser<'_> {
    /// Reads an expression. After a syntax error the complaint has been made, and the tokens up to it are gone.
    pub(super) fn expression(&mut self) -> Result<Expression, Broken> {
        let begin = self.cursor.start();
        let first = self.ast.nodes.len();
        self.disputed = 0;
        if self.operands_and_operators().is_err() {
            self.ast.nodes.truncate(first);
            return Err(Broken);
        }
        let expression = Expression(Piece { start: first as u32, end: self.ast.nodes.len() as u32 });
        if self.disputed != 0 {
            self.compare_readings(begin, expression);
        }
        Ok(expression)
    }

    /// A list of expressions, at least one, separated by commas.
    pub(super) fn expressions(&mut self) -> Result<Piece, Broken> {
        let start = self.ast.expressions.len() as u32;
        read(self, separated(TokenKind::Comma, by(Self::listed_expression)))?;
        Ok(Piece { start, end: self.ast.expressions.len() as u32 })
    }

    pub(super) fn listed_expression(&mut self) -> Result<(), Broken> {
        let expression = self.expression()?;
        self.ast.expressions.push(expression);
        Ok(())
    }

    pub(super) fn operands_and_operators(&mut self) -> Result<(), Broken> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let outcome = precedence::expression(self, &mut waiting);
        self.waiting = waiting;
        self.primes = 0;
        outcome
    }

    /// A variable: in a program a name; in a predicate also `procedure.name` and `::name`.
    fn variable(&mut self) -> Result<(), Broken> {
        let first = self.cursor.token;
        let ahead = self.cursor.ahead.kind;
        let mut last = first;
        match self.naming {
            Names::OfPrograms if first.kind == TokenKind::Colons => return self.unexpected("an expression"),
            Names::OfPrograms if ahead == TokenKind::Open => {
                let name = self.cursor.word();
                let complaint = Diagnostic::error("a call cannot stand inside an expression", first.range())
                    .with_help(format!("store the result first: `x := {name}(..);`"));
                self.complaints.push(complaint);
                return Err(Broken);
            }
            Names::Qualified if first.kind == TokenKind::Colons || ahead == TokenKind::Dot => {
                self.bump();
                if first.kind == TokenKind::Name {
                    self.bump();
                }
                if !self.cursor.is(TokenKind::Name) {
                    return self.unexpected("the name of a variable");
                }
                last = self.cursor.token;
            }
            _ => {}
        }
        let name = self.intern(first.start, last.end);
        let time = if self.primes > 0 { Time::After } else { Time::Before };
        self.emit(Op::Name(name, time), first.start);
        self.bump();
        Ok(())
    }

    /// `schoose` with all its arguments read.
    fn choose(&mut self, start: u32, arguments: u32) {
        if arguments == 2 {
            return self.emit(Op::Choose, start);
        }
        let span = start as usize..self.cursor.token.end as usize;
        let message = format!("`schoose` takes 2 arguments, not {arguments}");
        let help = "`schoose[a, b]` is 1 if a, else 0 if b, else arbitrary";
        self.complaints.push(Diagnostic::error(message, span).with_help(help));
        // Something with that many operands, so that the nodes stay a tree: the file is refused anyway.
        for _ in 1..arguments {
            self.emit(Op::Or, start);
        }
    }

    fn emit(&mut self, op: Op, at: u32) {
        self.ast.nodes.push(Node { op, at });
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
            TokenKind::Not => Taken::Prefix(Operation::Operator(Operator::Not, at)),
            TokenKind::Quote => {
                self.primes += 1;
                if self.primes == 2 {
                    self.complain("`'` stands for the value after the step, and cannot be applied twice");
                }
                Taken::Prefix(Operation::Prime)
            }
            TokenKind::Key(Key::Schoose) => {
                self.bump();
                self.expect(TokenKind::OpenBracket, "`[` after `schoose`")?;
                return Ok(Taken::Open(Bracket::Choose(at, 0)));
            }
            TokenKind::Star | TokenKind::Question => {
                self.emit(Op::Any, at);
                Taken::Operand
            }
            TokenKind::Number => {
                let number = self.cursor.word();
                if !matches!(number, "0" | "1") {
                    let complaint = Diagnostic::error(format!("`{number}` is not a truth value"), self.cursor.span())
                        .with_help("the constants are `0` and `1` (or `F` and `T`)");
                    self.complaints.push(complaint);
                }
                self.emit(Op::Const(number == "1"), at);
                Taken::Operand
            }
            TokenKind::Name | TokenKind::Colons => return self.variable().map(|()| Taken::Operand),
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Ok(taken)
    }

    #[inline]
    fn operator(&mut self, _: bool) -> Result<Next<Operation, Bracket>, Broken> {
        let at = self.cursor.start();
        let operator = match self.cursor.kind() {
            TokenKind::And => Operator::And,
            TokenKind::Or => Operator::Or,
            TokenKind::Xor => Operator::Xor,
            TokenKind::Implies => Operator::Implies,
            TokenKind::Eq => Operator::Eq,
            TokenKind::Ne => Operator::Ne,
            TokenKind::EqEq => {
                let complaint = Diagnostic::error("`==` is no operator of Boolean programs", self.cursor.span())
                    .with_help("equality is written `=`");
                self.complaints.push(complaint);
                Operator::Eq
            }
            TokenKind::Question => {
                self.bump();
                return Ok(Next::Opening(Operation::Otherwise(at), Bracket::Question(at)));
            }
            _ => return Ok(Next::End),
        };
        self.bump();
        Ok(Next::Infix(Operation::Operator(operator, at)))
    }

    #[inline]
    fn takes(&mut self, before: &mut Operation, next: &mut Operation) -> bool {
        match (before, next) {
            (Operation::Operator(before, _), Operation::Operator(next, _)) => {
                self.disputed |= self.disagreements[*before as usize][*next as usize];
                self.table.takes(*before, *next)
            }
            (Operation::Operator(..) | Operation::Prime, _) => true,
            (Operation::Otherwise(_), _) => false,
        }
    }

    #[inline]
    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Operator(operator, at) => self.emit(operator.op(), at),
            Operation::Prime => self.primes -= 1,
            Operation::Otherwise(at) => self.emit(Op::Ite, at),
        }
    }

    #[inline]
    fn close(&mut self, bracket: Bracket) -> Result<Taken<Operation, Bracket>, Broken> {
        let taken = match (bracket, self.cursor.kind()) {
            (Bracket::Paren(_), TokenKind::Close) => Taken::Operand,
            (Bracket::Choose(at, arguments), TokenKind::Comma) => Taken::Open(Bracket::Choose(at, arguments + 1)),
            (Bracket::Choose(at, arguments), TokenKind::CloseBracket) => {
                self.choose(at, arguments + 1);
                Taken::Operand
            }
            (Bracket::Question(_), TokenKind::Colon) => Taken::Prefix(Operation::Otherwise(self.cursor.start())),
            (Bracket::Question(at), _) => {
                let message = "`?` after an operand begins `e ? a : b`, but its `:` is missing";
                let complaint = Diagnostic::error(message, at as usize..at as usize + 1);
                self.complaints.push(complaint.with_help("a choice is written `*`, or `?` in the place of an operand"));
                return Err(Broken);
            }
            (Bracket::Paren(at), _) => return self.unclosed("`)`", at as usize..at as usize + 1),
            (Bracket::Choose(at, _), _) => {
                return self.unclosed("`]`", at as usize..at as usize + "schoose".len());
            }
        };
        self.bump();
        Ok(taken)
    }
}
