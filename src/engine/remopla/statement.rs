//! Reading statements, with the blocks they stand in.

use spds_format::Diagnostic;
use spds_format::model::Name;
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::lexer::{Key, TokenKind};
use super::parser::Parser;

/// An `if` or `do` whose end has not been read, or what is around all of them.
#[derive(Debug)]
pub(super) struct Block {
    pub opener: Opener,
    /// Where it was opened.
    pub at: u32,
    /// The last statement of the present clause (or of the body).
    pub last: Option<StmtId>,
    /// The clauses that are complete.
    clauses: Vec<Clause>,
    /// The clause that is being read: its guard, where it stands, its first statement.
    present: Option<(Option<Expression>, u32, Option<StmtId>)>,
    /// Where its `else` stands.
    otherwise: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opener {
    /// The body of a module, or the outermost level.
    Body,
    If(StmtId),
    Do(StmtId),
}

impl Block {
    pub(super) fn new(opener: Opener, at: u32) -> Block {
        Block { opener, at, last: None, clauses: Vec::new(), present: None, otherwise: None }
    }
}

impl Parser<'_> {
    fn block(&mut self) -> &mut Block {
        self.blocks.last_mut().expect("statements are read inside a body")
    }

    fn awaits_clause(&self) -> bool {
        self.is_inside() && self.blocks.last().is_some_and(|block| block.present.is_none())
    }

    fn is_inside(&self) -> bool {
        self.blocks.len() > 1
    }

    /// Reads one statement, or a part of one that contains others. False at the end of the body.
    pub(super) fn statement(&mut self) -> bool {
        let outcome = match self.cursor.kind() {
            TokenKind::Eof => return false,
            TokenKind::CloseBrace => return false,
            TokenKind::Key(Key::Module) => return false,
            TokenKind::Semicolon => {
                // After `fi;` and `od;`, or stray.
                self.bump();
                Ok(())
            }
            TokenKind::Colons => self.clause(),
            TokenKind::Key(Key::Fi) => self.close("fi"),
            TokenKind::Key(Key::Od) => self.close("od"),
            TokenKind::Name if self.cursor.ahead.kind == TokenKind::Colon => {
                self.label();
                Ok(())
            }
            _ if self.awaits_clause() => self.unexpected("`::` and a clause"),
            TokenKind::Key(Key::If) => {
                self.open();
                Ok(())
            }
            TokenKind::Key(Key::Do) => {
                self.open();
                Ok(())
            }
            _ => self.simple(),
        };
        if outcome == Err(Broken) {
            self.broken = true;
            let at = self.cursor.start();
            self.recover();
            // Whatever stopped the reader and begins nothing here.
            if self.cursor.start() == at && !self.begins_or_ends() {
                self.bump();
            }
        }
        true
    }

    fn begins_or_ends(&self) -> bool {
        match self.cursor.kind() {
            TokenKind::Eof | TokenKind::CloseBrace | TokenKind::Key(Key::Module) => true,
            TokenKind::Colons | TokenKind::Key(Key::Fi | Key::Od) => self.is_inside(),
            TokenKind::Key(Key::If | Key::Do | Key::Return | Key::Break | Key::Skip | Key::Goto) => {
                !self.is_inside() || self.blocks.last().is_some_and(|block| block.present.is_some())
            }
            _ => false,
        }
    }

    fn label(&mut self) {
        let name = Name::from(self.cursor.word());
        self.labels.push((name, self.cursor.start()));
        self.bump();
        self.bump();
    }

    /// Adds a statement to the innermost block.
    fn add(&mut self, kind: StmtKind, at: u32) -> StmtId {
        let id = StmtId::new(self.ast.statements.len());
        let labelled = !self.labels.is_empty();
        for (name, at) in std::mem::take(&mut self.labels) {
            self.ast.labels.push(Label { name, at, target: id });
        }
        let block = self.block();
        let parent = match block.opener {
            Opener::If(id) | Opener::Do(id) => Some(id),
            Opener::Body => None,
        };
        let mut folded = false;
        let previous = block.last.replace(id);
        if let Some((_, _, first @ None)) = &mut block.present {
            *first = Some(id);
            folded = !labelled && !matches!(kind, StmtKind::If(_) | StmtKind::Do(_) | StmtKind::Raw(_));
        }
        self.ast.statements.push(Stmt { kind, at, next: None, parent, folded });
        if let Some(previous) = previous {
            self.ast.statements[previous.index()].next = Some(id);
        }
        id
    }

    // ---- blocks

    fn open(&mut self) {
        let at = self.cursor.start();
        let is_if = self.is_key(Key::If);
        self.bump();
        let kind = if is_if { StmtKind::If(Piece::default()) } else { StmtKind::Do(Piece::default()) };
        let id = self.add(kind, at);
        self.blocks.push(Block::new(if is_if { Opener::If(id) } else { Opener::Do(id) }, at));
    }

    /// `:: e ->` or `:: else ->`
    fn clause(&mut self) -> Result<(), Broken> {
        let at = self.cursor.start();
        if !self.is_inside() {
            return self.unexpected("a statement");
        }
        self.end_clause();
        self.bump();
        // Even if the condition is broken a clause is open.
        self.block().present = Some((None, at, None));
        self.block().last = None;
        if self.is_key(Key::Else) {
            if let Some(first) = self.block().otherwise {
                let first = first as usize..first as usize + 4;
                let complaint = Diagnostic::error("there can be one `else`", self.cursor.span())
                    .with_related(first, "it is here, too");
                self.complaints.push(complaint);
            }
            self.block().otherwise = Some(self.cursor.start());
            self.bump();
        } else {
            let guard = self.condition("the condition of a clause")?;
            self.block().present = Some((Some(guard), at, None));
        }
        self.expect(TokenKind::Then, "`->` after the condition")
    }

    /// Completes the clause that is being read.
    fn end_clause(&mut self) {
        self.complain_about_labels();
        let Some((guard, at, first)) = self.block().present.take() else { return };
        match first {
            Some(first) => self.block().clauses.push(Clause { guard, at, first }),
            None if self.broken => {}
            None => {
                let span = at as usize..at as usize + 2;
                let complaint = Diagnostic::error("this clause has no statement", span)
                    .with_help("where nothing is to be done, write `skip;`");
                self.complaints.push(complaint);
            }
        }
    }

    pub(super) fn complain_about_labels(&mut self) {
        for (name, at) in std::mem::take(&mut self.labels) {
            let span = at as usize..at as usize + name.len();
            let complaint = Diagnostic::error(format!("no statement follows the label `{name}`"), span)
                .with_help("where nothing is to be done, write `skip;`");
            self.complaints.push(complaint);
        }
    }

    /// `fi`, `od`
    fn close(&mut self, word: &str) -> Result<(), Broken> {
        if !self.is_inside() {
            self.complaints.error(format!("`{word}` closes nothing"), self.cursor.span());
            self.broken = true;
            self.bump();
            return Ok(());
        }
        let (opened, wanted) = self.opened();
        if wanted != word {
            let message = format!("expected `{wanted}`, found `{word}`");
            let complaint = Diagnostic::error(message, self.cursor.span()).with_related(opened, "opened here");
            self.complaints.push(complaint);
        }
        self.bump();
        self.close_block();
        Ok(())
    }

    /// Where the innermost block was opened, and the word that closes it.
    fn opened(&self) -> (std::ops::Range<usize>, &'static str) {
        let block = self.blocks.last().expect("statements are read inside a body");
        let wanted = if matches!(block.opener, Opener::Do(_)) { "od" } else { "fi" };
        (block.at as usize..block.at as usize + 2, wanted)
    }

    fn close_block(&mut self) {
        self.end_clause();
        let Some(block) = self.blocks.pop() else { return };
        let (opener, clauses) = (block.opener, block.clauses);
        if clauses.is_empty() && !self.broken && !self.complaints.refused() {
            let span = block.at as usize..block.at as usize + 2;
            let complaint = Diagnostic::error("there is no clause in it", span).with_help("a clause is `:: e -> …`");
            self.complaints.push(complaint);
        }
        let start = self.ast.clauses.len() as u32;
        self.ast.clauses.extend(clauses);
        let piece = Piece { start, end: self.ast.clauses.len() as u32 };
        match opener {
            Opener::If(id) => self.ast.statements[id.index()].kind = StmtKind::If(piece),
            Opener::Do(id) => self.ast.statements[id.index()].kind = StmtKind::Do(piece),
            Opener::Body => {}
        }
    }

    /// Closes what is still open at the end of a body, with one complaint.
    pub(super) fn close_all(&mut self) {
        let open = self.blocks.len().saturating_sub(1);
        if open > 0 {
            let (opened, wanted) = self.opened();
            let message = format!("expected `{wanted}`, found {}", self.cursor.described());
            let mut complaint = Diagnostic::error(message, self.cursor.span()).with_related(opened, "opened here");
            if open > 1 {
                complaint.label = format!("{} enclosing blocks are open, too", open - 1);
            }
            self.broken = true;
            self.complaints.push(complaint);
        }
        while self.is_inside() {
            self.close_block();
        }
        self.complain_about_labels();
    }

    // ---- simple statements

    fn simple(&mut self) -> Result<(), Broken> {
        let at = self.cursor.start();
        let kind = match self.cursor.kind() {
            TokenKind::Key(Key::Return) => {
                self.bump();
                self.returned(at)?
            }
            TokenKind::Key(Key::Break) => {
                self.bump();
                StmtKind::Break
            }
            TokenKind::Key(Key::Skip) => {
                self.bump();
                let condition = if self.cursor.kind() == TokenKind::Open {
                    Some(self.condition("the condition of `skip`")?)
                } else {
                    None
                };
                StmtKind::Skip(condition)
            }
            TokenKind::Key(Key::Goto) => {
                self.bump();
                let (name, at) = self.name("a label")?;
                let name = self.used_name(name);
                let extra = self.more_assignments()?;
                self.ast.jumps.push(Jump { name, at, to: Point::Module(0), extra });
                StmtKind::Goto(self.ast.jumps.len() as u32 - 1)
            }
            TokenKind::Key(Key::Fork) => {
                self.fork(at);
                return Ok(());
            }
            TokenKind::Name if self.cursor.word() == "pchoice" && self.cursor.ahead.kind == TokenKind::Colons => {
                self.pchoice(at);
                return Ok(());
            }
            TokenKind::Name if self.cursor.ahead.kind == TokenKind::Less => {
                let raw = self.raw()?;
                self.add(raw, at);
                return Ok(());
            }
            TokenKind::Name if self.cursor.ahead.kind == TokenKind::Open => {
                let call = self.call(None)?;
                StmtKind::Call(call)
            }
            TokenKind::Name | TokenKind::Key(Key::All | Key::Exists) => self.assignment_or_call()?,
            TokenKind::Key(Key::Bool | Key::Int | Key::Enum | Key::Struct) => {
                let complaint =
                    Diagnostic::error("variables are declared before the first statement", self.cursor.span());
                self.complaints.push(complaint);
                return Err(Broken);
            }
            _ => return self.unexpected("a statement"),
        };
        self.add(kind, at);
        self.terminator()
    }

    /// Complains about a `fork`, and goes on behind it.
    fn fork(&mut self, at: u32) {
        let message = "`fork` starts a thread, and this is a checker of sequential programs";
        let complaint = Diagnostic::error(message, self.cursor.span());
        self.complaints.push(complaint);
        self.bump();
        self.recover();
        self.add(StmtKind::Skip(None), at);
    }

    /// Complains about a `pchoice`, and goes on behind it.
    fn pchoice(&mut self, at: u32) {
        let message = "`pchoice` chooses by probability, which puch does not know";
        let complaint = Diagnostic::error(message, self.cursor.span())
            .with_help("a free choice is `if :: true -> …; :: true -> …; fi`");
        self.complaints.push(complaint);
        self.skip_pchoice();
        self.add(StmtKind::Skip(None), at);
    }

    /// Everything up to the `choicep` that belongs to this `pchoice`.
    fn skip_pchoice(&mut self) {
        let mut depth = 0u32;
        while !matches!(self.cursor.kind(), TokenKind::Eof | TokenKind::CloseBrace) {
            let word = if self.cursor.kind() == TokenKind::Name { self.cursor.word() } else { "" };
            self.bump();
            match word {
                "pchoice" => depth += 1,
                "choicep" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn terminator(&mut self) -> Result<(), Broken> {
        if self.take(TokenKind::Semicolon) {
            return Ok(());
        }
        let message = format!("expected `;`, found {}", self.cursor.described());
        let end = self.cursor.previous_end as usize;
        let complaint =
            Diagnostic::error(message, self.cursor.span()).with_related(end..end, "the statement ends here");
        self.complain_about_token(complaint);
        Err(Broken)
    }

    fn returned(&mut self, at: u32) -> Result<StmtKind, Broken> {
        let word = at as usize..at as usize + "return".len();
        let Some(module) = self.module else {
            self.complaints.error("`return` stands in a module", word);
            return Err(Broken);
        };
        if self.cursor.kind() == TokenKind::Semicolon {
            if !self.ast.modules[module as usize].results.is_empty() {
                let complaint = Diagnostic::error("a value is to be returned here", word);
                let complaint = self.with_module(complaint, module);
                self.complaints.push(complaint);
            }
            return Ok(StmtKind::Return(None));
        }
        let (value, ty) = self.expression()?;
        if self.ast.modules[module as usize].results.is_empty() {
            let complaint = Diagnostic::error("a `void` module returns no value", self.ast.root(value).span());
            let complaint = self.with_module(complaint, module);
            self.complaints.push(complaint);
        } else {
            let results = self.ast.modules[module as usize].results.clone();
            if let Err(why) = self.fits(&results, value, ty) {
                let complaint = Diagnostic::error("this is not what the module returns", self.ast.root(value).span())
                    .with_label(why);
                let complaint = self.with_module(complaint, module);
                self.complaints.push(complaint);
            }
        }
        Ok(StmtKind::Return(Some(value)))
    }

    fn with_module(&self, complaint: Diagnostic, module: u32) -> Diagnostic {
        let Module { name, at, .. } = &self.ast.modules[module as usize];
        complaint.with_related(*at as usize..*at as usize + name.len(), "the module")
    }
}
