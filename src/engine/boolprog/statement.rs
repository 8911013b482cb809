//! Reading statements.

use nom::Parser as _;
use nom::sequence::{preceded, terminated};
use spds_format::Diagnostic;
use spds_format::reading::grammar::{after, by, listed, next, read, separated, token};
use spds_format::reading::tokens::{Broken, Reader};

use super::Dialect;
use super::ast::*;
use super::lexer::{Key, TokenKind};
use super::parser::{Frame, Opener, Parser};

/// Statements that begin with a word that is not reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Print,
    Dead,
    AbortIf,
    Sync,
    /// `start_thread`, before a statement.
    Start,
    /// Another statement of threads.
    Thread,
}

impl Parser<'_> {
    /// The statements of a procedure, up to its `end`.
    pub(super) fn body(&mut self) {
        loop {
            let begin = self.cursor.start();
            let outcome = match self.cursor.kind() {
                TokenKind::Semicolon => {
                    self.bump();
                    Ok(())
                }
                TokenKind::Key(Key::End) => {
                    self.complain_about_open_blocks("`end`");
                    self.close_procedure();
                    return self.bump();
                }
                TokenKind::Eof | TokenKind::Key(Key::Void | Key::Bool) => {
                    let opened = self.frames.first().map_or(0, |frame| frame.at as usize);
                    let message = format!("expected a statement or `end`, found {}", self.cursor.described());
                    let complaint = Diagnostic::error(message, self.cursor.span())
                        .with_related(opened..opened + 5, "the procedure begins here");
                    self.complain_about_token(complaint);
                    self.broken = true;
                    return self.close_procedure();
                }
                TokenKind::Key(Key::Fi) => self.fi(),
                TokenKind::Key(Key::Od) => self.od(),
                TokenKind::Key(Key::Else | Key::Elsif) => self.alternative(),
                TokenKind::Key(Key::If) => self.branch(),
                TokenKind::Key(Key::While) => self.repetition(),
                TokenKind::Key(Key::Decl) => self.declaration(|ast| &mut ast.locals),
                TokenKind::Name | TokenKind::Number if self.cursor.ahead.kind == TokenKind::Colon => self.label(),
                _ => self.simple_statement(),
            };
            if outcome == Err(Broken) {
                self.broken = true;
                if self.cursor.start() == begin && self.cursor.kind() != TokenKind::Semicolon {
                    self.bump();
                }
                self.recover();
            }
        }
    }

    fn label(&mut self) -> Result<(), Broken> {
        let starts_thread =
            matches!(self.dialect, Dialect::Auto | Dialect::Satabs) && self.cursor.word().starts_with("ASYNC_");
        if starts_thread {
            self.note_thread();
        }
        let label = self.label_name("a label")?;
        self.labels.push(label);
        self.bump();
        Ok(())
    }

    fn note_thread(&mut self) {
        let (start, end) = (self.cursor.start(), self.cursor.token.end);
        self.ast.threads.get_or_insert(ThreadUse { start, end });
    }

    /// Appends a statement to the innermost open block.
    fn add(&mut self, kind: StmtKind, at: u32) -> StmtId {
        let id = StmtId::new(self.ast.statements.len());
        let frame = self.frames.last_mut().expect("statements are read inside a procedure");
        let parent = match frame.opener {
            Opener::Procedure => None,
            Opener::Then(parent) | Opener::Else(parent) | Opener::While(parent) => Some(parent),
        };
        let (before, opener) = (frame.last.replace(id), frame.opener);
        if let Some(before) = before {
            self.ast.statements[before.index()].next = Some(id);
        } else {
            match opener {
                Opener::Procedure => {
                    let procedure = self.ast.procedures.last_mut().expect("its head has been read");
                    procedure.body = Some(id);
                }
                Opener::Then(parent) | Opener::While(parent) => self.test(parent).first = Some(id),
                Opener::Else(parent) => self.test(parent).otherwise = Some(id),
            }
        }
        self.ast.statements.push(Stmt { kind, at, next: None, parent });
        self.attach_labels(Some(id));
        id
    }

    /// What the labels before this point label.
    fn attach_labels(&mut self, target: Option<StmtId>) {
        self.ast.labels.extend(self.labels.drain(..).map(|(name, at)| Label { name, at, target }));
    }

    fn test(&mut self, id: StmtId) -> &mut Test {
        let (StmtKind::If(test) | StmtKind::While(test)) = self.ast.statements[id.index()].kind else {
            unreachable!("only `if` and `while` open blocks");
        };
        &mut self.ast.tests[test as usize]
    }

    fn new_test(&mut self, condition: Expression) -> u32 {
        self.ast.tests.push(Test { condition, first: None, otherwise: None });
        self.ast.tests.len() as u32 - 1
    }

    // ---- blocks

    fn branch(&mut self) -> Result<(), Broken> {
        let at = self.cursor.start();
        let condition = self.condition(Key::Then, "`then` after the condition");
        let test = self.new_test(condition);
        let id = self.add(StmtKind::If(test), at);
        self.frames.push(Frame { opener: Opener::Then(id), at, last: None, exits: Vec::new() });
        Ok(())
    }

    fn repetition(&mut self) -> Result<(), Broken> {
        let at = self.cursor.start();
        let condition = self.condition(Key::Do, "`do` after the condition");
        let test = self.new_test(condition);
        let id = self.add(StmtKind::While(test), at);
        self.frames.push(Frame { opener: Opener::While(id), at, last: None, exits: Vec::new() });
        Ok(())
    }

    /// The condition after `if`, `elsif` or `while`, and the word that ends it. Even if it is broken the block is open.
    fn condition(&mut self, closing: Key, what: &str) -> Expression {
        let condition = terminated(by(Self::expression), token(TokenKind::Key(closing), what));
        read(self, preceded(next(), condition)).unwrap_or_else(|Broken| {
            self.broken = true;
            while !matches!(self.cursor.kind(), TokenKind::Eof | TokenKind::Semicolon | TokenKind::Key(_)) {
                self.bump();
            }
            if matches!(self.cursor.kind(), TokenKind::Key(Key::Then | Key::Do)) {
                self.bump();
            }
            let at = self.ast.nodes.len() as u32;
            self.ast.nodes.push(Node { op: Op::Any, at: self.cursor.previous_end });
            Expression(Piece { start: at, end: at + 1 })
        })
    }

    /// `else` and `elsif`.
    fn alternative(&mut self) -> Result<(), Broken> {
        let word = self.cursor.word();
        let at = self.cursor.start();
        let frame = self.frames.last_mut().expect("statements are read inside a procedure");
        let opened = frame.at as usize;
        match frame.opener {
            Opener::Then(id) => {
                frame.exits.append(&mut self.labels);
                frame.last = None;
                if self.is_key(Key::Else) {
                    self.bump();
                    self.reopen(Opener::Else(id));
                } else {
                    let condition = self.condition(Key::Then, "`then` after the condition");
                    let test = self.new_test(condition);
                    let nested = StmtId::new(self.ast.statements.len());
                    self.ast.statements.push(Stmt { kind: StmtKind::If(test), at, next: None, parent: Some(id) });
                    self.test(id).otherwise = Some(nested);
                    self.reopen(Opener::Then(nested));
                }
                Ok(())
            }
            Opener::Else(_) => {
                let message = format!("`{word}` after the `else` of the same `if`");
                let complaint =
                    Diagnostic::error(message, self.cursor.span()).with_related(opened..opened + 2, "this `if`");
                self.complaints.push(complaint);
                Err(Broken)
            }
            Opener::Procedure | Opener::While(_) => {
                let message = format!("`{word}` without an open `if`");
                self.complain(&message);
                Err(Broken)
            }
        }
    }

    fn reopen(&mut self, opener: Opener) {
        let frame = self.frames.last_mut().expect("statements are read inside a procedure");
        frame.opener = opener;
        frame.last = None;
    }

    fn fi(&mut self) -> Result<(), Broken> {
        self.close("fi", |opener| matches!(opener, Opener::Then(_) | Opener::Else(_)))
    }

    fn od(&mut self) -> Result<(), Broken> {
        self.close("od", |opener| matches!(opener, Opener::While(_)))
    }

    /// Closes the innermost block, which should be one that the word closes.
    fn close(&mut self, word: &str, closes: impl Fn(Opener) -> bool) -> Result<(), Broken> {
        let innermost = self.frames.last().expect("statements are read inside a procedure");
        if innermost.opener == Opener::Procedure {
            let message = format!("`{word}` closes nothing");
            self.complain(&message);
            self.broken = true;
            self.bump();
            return Ok(());
        }
        if !closes(innermost.opener) {
            let (opened, wanted) = match innermost.opener {
                Opener::While(_) => (innermost.at as usize..innermost.at as usize + 5, "`od`"),
                _ => (innermost.at as usize..innermost.at as usize + 2, "`fi`"),
            };
            let message = format!("expected {wanted}, found `{word}`");
            let mut complaint =
                Diagnostic::error(message, self.cursor.span()).with_related(opened.clone(), "opened here");
            complaint.help = self.else_if(opened.start);
            self.complaints.push(complaint);
        }
        self.bump();
        self.close_block();
        Ok(())
    }

    /// What to say where a block from there on lacks its end, and C's `else if` may be why.
    fn else_if(&self, opened: usize) -> Option<String> {
        /// So much of a text is looked at, however many blocks lack their ends.
        const MOST: usize = 4096;
        let here = self.cursor.start() as usize;
        let part = &self.cursor.text.as_bytes()[opened..here.max(opened).min(opened + MOST)];
        let mut after_else = false;
        let found = part.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).any(|word| {
            let found = after_else && (word == b"if" || word.starts_with(b"if("));
            after_else = word == b"else";
            found
        });
        let help = "`else if` opens another `if`, with a `fi` of its own; `elsif` goes on with this one";
        found.then(|| help.to_owned())
    }

    fn close_block(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        match frame.opener {
            Opener::While(id) => self.attach_labels(Some(id)),
            Opener::Then(_) | Opener::Else(_) | Opener::Procedure => {
                frame.exits.append(&mut self.labels);
                self.labels = frame.exits;
            }
        }
    }

    fn complain_about_open_blocks(&mut self, found: &str) {
        let open = self.frames.len() - 1;
        let Some(innermost) = self.frames.last().filter(|_| open > 0) else { return };
        let (length, wanted) = match innermost.opener {
            Opener::While(_) => (5, "`od`"),
            _ => (2, "`fi`"),
        };
        let opened = innermost.at as usize..innermost.at as usize + length;
        let mut complaint = Diagnostic::error(format!("expected {wanted}, found {found}"), self.cursor.span())
            .with_related(opened.clone(), "opened here");
        complaint.help = self.else_if(opened.start);
        if open > 1 {
            complaint.label = format!("{} enclosing blocks are open, too", open - 1);
        }
        self.broken = true;
        self.complaints.push(complaint);
    }

    fn close_procedure(&mut self) {
        while self.frames.len() > 1 {
            self.close_block();
        }
        self.attach_labels(None);
        let end = self.cursor.start();
        if let Some(procedure) = self.ast.procedures.last_mut() {
            procedure.end = end;
        }
    }

    // ---- simple statements

    /// A statement that is no block, with the `;` after it.
    fn simple_statement(&mut self) -> Result<(), Broken> {
        let at = self.cursor.start();
        let kind = match self.cursor.kind() {
            TokenKind::Key(key) => match self.reserved(key)? {
                Some(kind) => kind,
                None => return self.terminator(),
            },
            TokenKind::Name => match self.word() {
                Some(Word::Start) => {
                    self.note_thread();
                    self.bump();
                    return Ok(());
                }
                Some(word) => self.worded(word)?,
                None => self.assignment_or_call()?,
            },
            _ => return self.unexpected("a statement"),
        };
        self.add(kind, at);
        self.terminator()
    }

    fn terminator(&mut self) -> Result<(), Broken> {
        match self.cursor.kind() {
            TokenKind::Semicolon => {
                self.bump();
                Ok(())
            }
            TokenKind::Eof | TokenKind::Key(Key::End | Key::Fi | Key::Od | Key::Else | Key::Elsif) => Ok(()),
            _ => {
                let message = format!("expected `;`, found {}", self.cursor.described());
                let end = self.cursor.previous_end as usize;
                let complaint =
                    Diagnostic::error(message, self.cursor.span()).with_related(end..end, "the statement ends here");
                self.complain_about_token(complaint);
                match self.cursor.kind() {
                    // The statement is whole and another one seems to begin.
                    TokenKind::Name | TokenKind::Number
                        if matches!(self.cursor.ahead.kind, TokenKind::Assign | TokenKind::Colon | TokenKind::Open) =>
                    {
                        Ok(())
                    }
                    _ => Err(Broken),
                }
            }
        }
    }

    /// A statement that begins with a reserved word; `None` for an `enforce` at the head of the procedure.
    fn reserved(&mut self, key: Key) -> Result<Option<StmtKind>, Broken> {
        let expression = || preceded(next(), by(Self::expression));
        let kind = match key {
            Key::Skip => read(self, next().map(|()| StmtKind::Skip)),
            Key::Assert => read(self, expression().map(StmtKind::Assert)),
            Key::Assume => read(self, expression().map(StmtKind::Assume)),
            Key::Constrain => read(self, expression().map(StmtKind::Constrain)),
            Key::Enforce => {
                let condition = read(self, expression())?;
                return Ok(self.invariant(condition).then_some(StmtKind::Enforce(condition)));
            }
            Key::Goto => {
                let start = self.ast.jumps.len() as u32;
                read(self, preceded(next(), separated(TokenKind::Comma, by(Self::jump))))?;
                Ok(StmtKind::Goto(Piece { start, end: self.ast.jumps.len() as u32 }))
            }
            Key::Return => read(self, preceded(next(), by(Self::results)).map(StmtKind::Return)),
            _ => self.unexpected("a statement"),
        };
        kind.map(Some)
    }

    /// Takes a condition of `enforce` for one of the procedure, if that is at its head. Whether it is a statement.
    fn invariant(&mut self, condition: Expression) -> bool {
        let procedure = self.ast.procedures.last_mut().expect("its head has been read");
        if procedure.body.is_some() {
            return true;
        }
        if procedure.enforced.is_empty() {
            procedure.enforced.start = self.ast.expressions.len() as u32;
        }
        self.ast.expressions.push(condition);
        procedure.enforced.end = self.ast.expressions.len() as u32;
        false
    }

    fn jump(&mut self) -> Result<(), Broken> {
        let (name, at) = self.label_name("a label")?;
        self.ast.jumps.push(Jump { to: Destination::Name(name), at });
        Ok(())
    }

    /// What `return` returns.
    fn results(&mut self) -> Result<Piece, Broken> {
        match self.cursor.kind() {
            TokenKind::Semicolon
            | TokenKind::Eof
            | TokenKind::Key(Key::End | Key::Fi | Key::Od | Key::Else | Key::Elsif) => Ok(Piece::default()),
            _ => self.expressions(),
        }
    }

    /// Whether a statement begins here with a word that is not reserved, and is none of the program's names.
    fn word(&self) -> Option<Word> {
        let word = match self.cursor.word() {
            "print" => Word::Print,
            "dead" => Word::Dead,
            "abortif" => Word::AbortIf,
            "sync" => Word::Sync,
            "start_thread" => Word::Start,
            "end_thread" | "atomic_begin" | "atomic_end" | "wait" | "broadcast" => Word::Thread,
            _ => return None,
        };
        match self.cursor.ahead.kind {
            TokenKind::Assign | TokenKind::Comma | TokenKind::Colon => None,
            TokenKind::Open if matches!(word, Word::Sync | Word::Thread) => None,
            _ => Some(word),
        }
    }

    fn worded(&mut self, word: Word) -> Result<StmtKind, Broken> {
        if word == Word::Thread {
            self.note_thread();
        }
        match word {
            Word::Print => read(self, preceded(next(), by(Self::arguments)).map(StmtKind::Print)),
            Word::Dead => read(self, preceded(next(), by(Self::expressions)).map(StmtKind::Dead)),
            Word::AbortIf => read(self, preceded(next(), by(Self::expression)).map(StmtKind::AbortIf)),
            Word::Sync => read(self, preceded(next(), by(Self::results)).map(|_| StmtKind::Skip)),
            Word::Start | Word::Thread => read(self, next().map(|()| StmtKind::Skip)),
        }
    }

    /// `( e, f )`, perhaps without anything inside.
    fn arguments(&mut self) -> Result<Piece, Broken> {
        let start = self.ast.expressions.len() as u32;
        let close = (TokenKind::Close, "`,` or `)` after an argument");
        read(self, listed((TokenKind::Open, "`(`"), (TokenKind::Comma, by(Self::listed_expression)), close))?;
        Ok(Piece { start, end: self.ast.expressions.len() as u32 })
    }

    fn assignment_or_call(&mut self) -> Result<StmtKind, Broken> {
        if self.cursor.ahead.kind == TokenKind::Open {
            return self.call(Piece::default());
        }
        let start = self.ast.targets.len() as u32;
        read(self, separated(TokenKind::Comma, by(Self::target)))?;
        let targets = Piece { start, end: self.ast.targets.len() as u32 };
        if !self.take(TokenKind::Assign) {
            return self.no_assignment(targets);
        }
        if self.cursor.is(TokenKind::Name) && self.cursor.ahead.kind == TokenKind::Open {
            return self.call(targets);
        }
        let constrain = after(TokenKind::Key(Key::Constrain), by(Self::expression));
        let (values, constrain) = read(self, (by(Self::expressions), constrain))?;
        self.ast.assigns.push(Assign { targets, values, constrain });
        Ok(StmtKind::Assign(self.ast.assigns.len() as u32 - 1))
    }

    fn target(&mut self) -> Result<(), Broken> {
        let discards = self.cursor.is(TokenKind::Name) && self.cursor.word() == "_";
        let (name, at) = self.name("a variable to assign")?;
        let place = if discards { Assignee::Discard } else { Assignee::Name(name) };
        self.ast.targets.push(Target { place, at });
        Ok(())
    }

    /// A name with which neither an assignment nor a call begins.
    fn no_assignment(&mut self, targets: Piece) -> Result<StmtKind, Broken> {
        let message = format!("expected `:=`, found {}", self.cursor.described());
        let mut complaint = Diagnostic::error(message, self.cursor.span());
        let first = self.ast.targets[targets.start as usize];
        let word = &self.cursor.text[first.at as usize..self.cursor.previous_end as usize];
        if self.cursor.kind() == TokenKind::Eq {
            complaint = complaint.with_help("an assignment is written `x := e;`");
        } else if word == "call" {
            complaint = complaint.with_help("a call is written without `call`: `f(..);`");
        }
        self.complain_about_token(complaint);
        Err(Broken)
    }

    fn call(&mut self, targets: Piece) -> Result<StmtKind, Broken> {
        let (name, at) = self.name("the name of a procedure")?;
        let arguments = self.arguments()?;
        if self.is_key(Key::Constrain) {
            self.complain("`constrain` cannot follow a call");
            return Err(Broken);
        }
        self.ast.calls.push(Call { callee: Callee::Name(name), at, targets, arguments });
        Ok(StmtKind::Call(self.ast.calls.len() as u32 - 1))
    }
}
