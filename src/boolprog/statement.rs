//! Reading statements.

use spds_format::Diagnostic;

use super::Dialect;
use super::ast::*;
use super::lexer::{Key, Kind};
use super::parser::{Broken, Frame, Opener, Parser};

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
            let begin = self.token.start;
            let outcome = match self.token.kind {
                Kind::Semicolon => {
                    self.bump();
                    Ok(())
                }
                Kind::Key(Key::End) => {
                    self.complain_about_open_blocks("`end`");
                    self.close_procedure();
                    return self.bump();
                }
                Kind::Eof | Kind::Key(Key::Void | Key::Bool) => {
                    let opened = self.frames.first().map_or(0, |frame| frame.at as usize);
                    let message = format!("expected a statement or `end`, found {}", self.described());
                    let complaint = Diagnostic::error(message, self.span())
                        .with_related(opened..opened + 5, "the procedure begins here");
                    self.complain_about_token(complaint);
                    self.broken = true;
                    return self.close_procedure();
                }
                Kind::Key(Key::Fi) => self.fi(),
                Kind::Key(Key::Od) => self.od(),
                Kind::Key(Key::Else | Key::Elsif) => self.alternative(),
                Kind::Key(Key::If) => self.branch(),
                Kind::Key(Key::While) => self.repetition(),
                Kind::Key(Key::Decl) => self.declaration().map(|declared| self.ast.locals.extend(declared)),
                Kind::Name | Kind::Number if self.ahead.kind == Kind::Colon => self.label(),
                _ => self.simple_statement(),
            };
            if outcome == Err(Broken) {
                self.broken = true;
                if self.token.start == begin && self.token.kind != Kind::Semicolon {
                    self.bump();
                }
                self.recover();
            }
        }
    }

    fn label(&mut self) -> Result<(), Broken> {
        let starts_thread =
            matches!(self.dialect, Dialect::Auto | Dialect::Satabs) && self.text_of(self.token).starts_with("ASYNC_");
        if starts_thread {
            self.note_thread();
        }
        let label = self.label_name("a label")?;
        self.labels.push(label);
        self.bump();
        Ok(())
    }

    fn note_thread(&mut self) {
        let (start, end) = (self.token.start, self.token.end);
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
        let at = self.token.start;
        let condition = self.condition(Key::Then, "`then` after the condition");
        let test = self.new_test(condition);
        let id = self.add(StmtKind::If(test), at);
        self.frames.push(Frame { opener: Opener::Then(id), at, last: None, exits: Vec::new() });
        Ok(())
    }

    fn repetition(&mut self) -> Result<(), Broken> {
        let at = self.token.start;
        let condition = self.condition(Key::Do, "`do` after the condition");
        let test = self.new_test(condition);
        let id = self.add(StmtKind::While(test), at);
        self.frames.push(Frame { opener: Opener::While(id), at, last: None, exits: Vec::new() });
        Ok(())
    }

    /// The condition after `if`, `elsif` or `while`, and the word that ends it. Even if it is broken the block is open.
    fn condition(&mut self, closing: Key, what: &str) -> Expression {
        self.bump();
        let condition = self.expression().and_then(|condition| {
            self.expect(Kind::Key(closing), what)?;
            Ok(condition)
        });
        condition.unwrap_or_else(|Broken| {
            self.broken = true;
            while !matches!(self.token.kind, Kind::Eof | Kind::Semicolon | Kind::Key(_)) {
                self.bump();
            }
            if matches!(self.token.kind, Kind::Key(Key::Then | Key::Do)) {
                self.bump();
            }
            let at = self.ast.nodes.len() as u32;
            self.ast.nodes.push(Node { op: Op::Any, at: self.previous_end });
            Expression(Piece { start: at, end: at + 1 })
        })
    }

    /// `else` and `elsif`.
    fn alternative(&mut self) -> Result<(), Broken> {
        let word = self.text_of(self.token);
        let at = self.token.start;
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
                let complaint = Diagnostic::error(message, self.span()).with_related(opened..opened + 2, "this `if`");
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
            let complaint = Diagnostic::error(message, self.span()).with_related(opened, "opened here");
            self.complaints.push(complaint);
        }
        self.bump();
        self.close_block();
        Ok(())
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
        let mut complaint = Diagnostic::error(format!("expected {wanted}, found {found}"), self.span())
            .with_related(opened, "opened here");
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
        let end = self.token.start;
        if let Some(procedure) = self.ast.procedures.last_mut() {
            procedure.end = end;
        }
    }

    // ---- simple statements

    /// A statement that is no block, with the `;` after it.
    fn simple_statement(&mut self) -> Result<(), Broken> {
        let at = self.token.start;
        let kind = match self.token.kind {
            Kind::Key(key) => match self.reserved(key)? {
                Some(kind) => kind,
                None => return self.terminator(),
            },
            Kind::Name => match self.word() {
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
        match self.token.kind {
            Kind::Semicolon => {
                self.bump();
                Ok(())
            }
            Kind::Eof | Kind::Key(Key::End | Key::Fi | Key::Od | Key::Else | Key::Elsif) => Ok(()),
            _ => {
                let message = format!("expected `;`, found {}", self.described());
                let end = self.previous_end as usize;
                let complaint =
                    Diagnostic::error(message, self.span()).with_related(end..end, "the statement ends here");
                self.complain_about_token(complaint);
                match self.token.kind {
                    // The statement is whole and another one seems to begin.
                    Kind::Name | Kind::Number if matches!(self.ahead.kind, Kind::Assign | Kind::Colon | Kind::Open) => {
                        Ok(())
                    }
                    _ => Err(Broken),
                }
            }
        }
    }

    /// A statement that begins with a reserved word; `None` for an `enforce` at the head of the procedure.
    fn reserved(&mut self, key: Key) -> Result<Option<StmtKind>, Broken> {
        let keyword = self.token;
        if !matches!(
            key,
            Key::Skip | Key::Assert | Key::Assume | Key::Constrain | Key::Enforce | Key::Goto | Key::Return
        ) {
            return self.unexpected("a statement");
        }
        self.bump();
        Ok(Some(match key {
            Key::Skip => StmtKind::Skip,
            Key::Assert => StmtKind::Assert(self.expression()?),
            Key::Assume => StmtKind::Assume(self.expression()?),
            Key::Constrain => StmtKind::Constrain(self.expression()?),
            Key::Enforce => {
                let condition = self.expression()?;
                let procedure = self.ast.procedures.last_mut().expect("its head has been read");
                if procedure.body.is_none() {
                    if procedure.enforced.is_empty() {
                        procedure.enforced.start = self.ast.expressions.len() as u32;
                    }
                    self.ast.expressions.push(condition);
                    procedure.enforced.end = self.ast.expressions.len() as u32;
                    return Ok(None);
                }
                StmtKind::Enforce(condition)
            }
            Key::Goto => {
                let start = self.ast.jumps.len() as u32;
                loop {
                    let (name, at) = self.label_name("a label")?;
                    self.ast.jumps.push(Jump { to: Destination::Name(name), at });
                    if !self.take(Kind::Comma) {
                        break;
                    }
                }
                StmtKind::Goto(Piece { start, end: self.ast.jumps.len() as u32 })
            }
            Key::Return => match self.token.kind {
                Kind::Semicolon | Kind::Eof | Kind::Key(Key::End | Key::Fi | Key::Od | Key::Else | Key::Elsif) => {
                    StmtKind::Return(Piece::default())
                }
                _ => StmtKind::Return(self.expressions()?),
            },
            _ => unreachable!("`{}` is no such word", self.text_of(keyword)),
        }))
    }

    /// Whether a statement begins here with a word that is not reserved, and is none of the program's names.
    fn word(&self) -> Option<Word> {
        let word = match self.text_of(self.token) {
            "print" => Word::Print,
            "dead" => Word::Dead,
            "abortif" => Word::AbortIf,
            "sync" => Word::Sync,
            "start_thread" => Word::Start,
            "end_thread" | "atomic_begin" | "atomic_end" | "wait" | "broadcast" => Word::Thread,
            _ => return None,
        };
        match self.ahead.kind {
            Kind::Assign | Kind::Comma | Kind::Colon => None,
            Kind::Open if matches!(word, Word::Sync | Word::Thread) => None,
            _ => Some(word),
        }
    }

    fn worded(&mut self, word: Word) -> Result<StmtKind, Broken> {
        if word == Word::Thread {
            self.note_thread();
        }
        self.bump();
        Ok(match word {
            Word::Print => StmtKind::Print(self.arguments()?),
            Word::Dead => StmtKind::Dead(self.expressions()?),
            Word::AbortIf => StmtKind::AbortIf(self.expression()?),
            Word::Sync => {
                if self.token.kind != Kind::Semicolon {
                    self.expressions()?;
                }
                StmtKind::Skip
            }
            Word::Start | Word::Thread => StmtKind::Skip,
        })
    }

    /// `( e, f )`, perhaps without anything inside.
    fn arguments(&mut self) -> Result<Piece, Broken> {
        self.expect(Kind::Open, "`(`")?;
        if self.take(Kind::Close) {
            return Ok(Piece::default());
        }
        let arguments = self.expressions()?;
        self.expect(Kind::Close, "`,` or `)` after an argument")?;
        Ok(arguments)
    }

    fn assignment_or_call(&mut self) -> Result<StmtKind, Broken> {
        if self.ahead.kind == Kind::Open {
            return self.call(Piece::default());
        }
        let start = self.ast.targets.len() as u32;
        loop {
            let discards = self.token.kind == Kind::Name && self.text_of(self.token) == "_";
            let (name, at) = self.name("a variable to assign")?;
            let place = if discards { Place::Discard } else { Place::Name(name) };
            self.ast.targets.push(Target { place, at });
            if !self.take(Kind::Comma) {
                break;
            }
        }
        let targets = Piece { start, end: self.ast.targets.len() as u32 };
        if self.token.kind != Kind::Assign {
            return self.no_assignment(targets);
        }
        self.bump();
        if self.token.kind == Kind::Name && self.ahead.kind == Kind::Open {
            return self.call(targets);
        }
        let values = self.expressions()?;
        let constrain = if self.take(Kind::Key(Key::Constrain)) { Some(self.expression()?) } else { None };
        self.ast.assigns.push(Assign { targets, values, constrain });
        Ok(StmtKind::Assign(self.ast.assigns.len() as u32 - 1))
    }

    /// A name with which neither an assignment nor a call begins.
    fn no_assignment(&mut self, targets: Piece) -> Result<StmtKind, Broken> {
        let message = format!("expected `:=`, found {}", self.described());
        let mut complaint = Diagnostic::error(message, self.span());
        let first = self.ast.targets[targets.start as usize];
        let word = &self.text[first.at as usize..self.previous_end as usize];
        if self.token.kind == Kind::Eq {
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
