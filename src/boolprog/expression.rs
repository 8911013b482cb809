//! Reading expressions: operator precedence with a stack of one's own, so that depth costs memory only.
//!
//! In the position of an operand `?` is a choice and `'` says "the value after"; in the position of an operator `?` begins
//! `e ? a : b`. So the two meanings of `?` never meet.

use spds_format::Diagnostic;
use spds_format::expr::Time;

use super::ast::{Expression, Node, Op, Piece};
use super::lexer::{Key, Kind};
use super::parser::{Broken, Names, Parser};
use super::precedence::Operator;

/// What waits on the stack for its operand, or for its closing bracket.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pending {
    Operator(Operator, u32),
    /// `'`
    Prime,
    /// `(`
    Paren(u32),
    /// `schoose[`, with the number of arguments before the present one.
    Choose(u32, u32),
    /// `c ?`
    Question(u32),
    /// `c ? a :`
    Colon(u32),
}

impl Parser<'_> {
    /// Reads an expression. After a syntax error the complaint has been made, and the tokens up to it are gone.
    pub(super) fn expression(&mut self) -> Result<Expression, Broken> {
        let begin = self.token.start;
        let first = self.ast.nodes.len();
        self.disputed = 0;
        let outcome = self.operands_and_operators();
        self.pending.clear();
        self.primes = 0;
        if outcome.is_err() {
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
        loop {
            let expression = self.expression()?;
            self.ast.expressions.push(expression);
            if self.token.kind != Kind::Comma {
                return Ok(Piece { start, end: self.ast.expressions.len() as u32 });
            }
            self.bump();
        }
    }

    pub(super) fn operands_and_operators(&mut self) -> Result<(), Broken> {
        loop {
            if self.operand()? && !self.operator()? {
                return Ok(());
            }
        }
    }

    /// In the position of an operand: takes one token. True if it was a whole operand.
    fn operand(&mut self) -> Result<bool, Broken> {
        let at = self.token.start;
        match self.token.kind {
            Kind::Open => self.pending.push(Pending::Paren(at)),
            Kind::Not => self.pending.push(Pending::Operator(Operator::Not, at)),
            Kind::Quote => {
                self.pending.push(Pending::Prime);
                self.primes += 1;
                if self.primes == 2 {
                    self.complain("`'` stands for the value after the step, and cannot be applied twice");
                }
            }
            Kind::Key(Key::Schoose) => {
                self.bump();
                self.expect(Kind::OpenBracket, "`[` after `schoose`")?;
                self.pending.push(Pending::Choose(at, 0));
                return Ok(false);
            }
            Kind::Star | Kind::Question => {
                self.emit(Op::Any, at);
                self.bump();
                return Ok(true);
            }
            Kind::Number => {
                match self.text_of(self.token) {
                    "0" => self.emit(Op::Const(false), at),
                    "1" => self.emit(Op::Const(true), at),
                    number => {
                        let complaint = Diagnostic::error(format!("`{number}` is not a truth value"), self.span())
                            .with_help("the constants are `0` and `1` (or `F` and `T`)");
                        self.complaints.push(complaint);
                        self.emit(Op::Const(false), at);
                    }
                }
                self.bump();
                return Ok(true);
            }
            Kind::Name | Kind::Colons => {
                self.variable()?;
                return Ok(true);
            }
            _ => return self.unexpected("an expression"),
        }
        self.bump();
        Ok(false)
    }

    /// A variable: in a program a name; in a predicate also `procedure.name` and `::name`.
    fn variable(&mut self) -> Result<(), Broken> {
        let first = self.token;
        let mut last = first;
        match self.naming {
            Names::OfPrograms if first.kind == Kind::Colons => return self.unexpected("an expression"),
            Names::OfPrograms if self.ahead.kind == Kind::Open => {
                let name = self.text_of(first);
                let complaint = Diagnostic::error("a call cannot stand inside an expression", self.span())
                    .with_help(format!("store the result first: `x := {name}(..);`"));
                self.complaints.push(complaint);
                return Err(Broken);
            }
            Names::Qualified if first.kind == Kind::Colons || self.ahead.kind == Kind::Dot => {
                self.bump();
                if first.kind == Kind::Name {
                    self.bump();
                }
                if self.token.kind != Kind::Name {
                    return self.unexpected("the name of a variable");
                }
                last = self.token;
            }
            _ => {}
        }
        let name = self.intern(first.start, last.end);
        let time = if self.primes > 0 { Time::After } else { Time::Before };
        self.emit(Op::Name(name, time), first.start);
        self.bump();
        Ok(())
    }

    /// In the position of an operator: takes all tokens up to the next operand. False if the expression ends here.
    fn operator(&mut self) -> Result<bool, Broken> {
        loop {
            while let Some(Pending::Prime) = self.pending.last() {
                self.pending.pop();
                self.primes -= 1;
            }
            let at = self.token.start;
            let operator = match self.token.kind {
                Kind::And => Operator::And,
                Kind::Or => Operator::Or,
                Kind::Xor => Operator::Xor,
                Kind::Implies => Operator::Implies,
                Kind::Eq => Operator::Eq,
                Kind::Ne => Operator::Ne,
                Kind::EqEq => {
                    let complaint = Diagnostic::error("`==` is no operator of Boolean programs", self.span())
                        .with_help("equality is written `=`");
                    self.complaints.push(complaint);
                    Operator::Eq
                }
                Kind::Question => {
                    self.reduce_operators();
                    self.pending.push(Pending::Question(at));
                    self.bump();
                    return Ok(true);
                }
                Kind::Colon => {
                    self.reduce_alternatives();
                    let Some(Pending::Question(_)) = self.pending.last() else { return self.finish() };
                    self.pending.pop();
                    self.pending.push(Pending::Colon(at));
                    self.bump();
                    return Ok(true);
                }
                Kind::Comma => {
                    self.reduce_to_bracket()?;
                    let Some(Pending::Choose(_, arguments)) = self.pending.last_mut() else { return self.finish() };
                    *arguments += 1;
                    self.bump();
                    return Ok(true);
                }
                Kind::Close => {
                    self.reduce_to_bracket()?;
                    let Some(Pending::Paren(_)) = self.pending.last() else { return self.finish() };
                    self.pending.pop();
                    self.bump();
                    continue;
                }
                Kind::CloseBracket => {
                    self.reduce_to_bracket()?;
                    let Some(&Pending::Choose(start, arguments)) = self.pending.last() else { return self.finish() };
                    self.pending.pop();
                    self.choose(start, arguments + 1);
                    self.bump();
                    continue;
                }
                _ => return self.finish(),
            };
            while let Some(&Pending::Operator(before, place)) = self.pending.last() {
                self.disputed |= self.disagreements[before as usize][operator as usize];
                if !self.table.takes(before, operator) {
                    break;
                }
                self.pending.pop();
                self.emit(before.op(), place);
            }
            self.pending.push(Pending::Operator(operator, at));
            self.bump();
            return Ok(true);
        }
    }

    /// `schoose` with all its arguments read.
    fn choose(&mut self, start: u32, arguments: u32) {
        if arguments != 2 {
            let span = start as usize..self.token.end as usize;
            let message = format!("`schoose` takes 2 arguments, not {arguments}");
            let complaint =
                Diagnostic::error(message, span).with_help("`schoose[a, b]` is 1 if a, else 0 if b, else arbitrary");
            self.complaints.push(complaint);
            // Something with that many operands, so that the nodes stay a tree: the file is refused anyway.
            for _ in 1..arguments {
                self.emit(Op::Or, start);
            }
        } else {
            self.emit(Op::Choose, start);
        }
    }

    /// Gives the last operand to the operators that wait for it.
    fn reduce_operators(&mut self) {
        while let Some(&Pending::Operator(operator, at)) = self.pending.last() {
            self.pending.pop();
            self.emit(operator.op(), at);
        }
    }

    /// The same, and completes each `c ? a : b` whose b it is.
    fn reduce_alternatives(&mut self) {
        self.reduce_operators();
        while let Some(&Pending::Colon(at)) = self.pending.last() {
            self.pending.pop();
            self.emit(Op::Ite, at);
            self.reduce_operators();
        }
    }

    fn reduce_to_bracket(&mut self) -> Result<(), Broken> {
        self.reduce_alternatives();
        if let Some(&Pending::Question(at)) = self.pending.last() {
            let complaint = Diagnostic::error(
                "`?` after an operand begins `e ? a : b`, but its `:` is missing",
                at as usize..at as usize + 1,
            );
            self.complaints.push(complaint.with_help("a choice is written `*`, or `?` in the place of an operand"));
            return Err(Broken);
        }
        Ok(())
    }

    /// The expression ends before the present token. False, which is what [`Parser::operator`] says then.
    fn finish(&mut self) -> Result<bool, Broken> {
        self.reduce_to_bracket()?;
        match self.pending.last() {
            None => Ok(false),
            Some(&Pending::Paren(at)) => self.unclosed("`)`", at..at + 1),
            Some(&Pending::Choose(at, _)) => self.unclosed("`]`", at..at + "schoose".len() as u32),
            Some(_) => Ok(false),
        }
    }

    fn unclosed<T>(&mut self, closing: &str, opened: std::ops::Range<u32>) -> Result<T, Broken> {
        let message = format!("expected {closing} or an operator, found {}", self.described());
        let complaint = Diagnostic::error(message, self.span())
            .with_related(opened.start as usize..opened.end as usize, "opened here");
        self.complain_about_token(complaint);
        Err(Broken)
    }

    fn emit(&mut self, op: Op, at: u32) {
        self.ast.nodes.push(Node { op, at });
    }
}
