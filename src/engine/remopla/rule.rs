//! Reading rules of pushdown systems: `q <m> --> q <f m2> "label" (e)`.
//!
//! Their conditions speak of variables of modules that may come later in the text, so they are passed over at first and
//! read when all labels are known.

use nom::sequence::{delimited, pair, terminated};
use spds_format::Diagnostic;
use spds_format::model::Name;
use spds_format::reading::grammar::{by, read, token};
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::lexer::TokenKind;
use super::parser::{Naming, Parser};

impl<'t> Parser<'t> {
    /// A rule; its condition is passed over.
    pub(super) fn raw(&mut self) -> Result<StmtKind, Broken> {
        let control = || by(Self::control);
        let open = token(TokenKind::Less, "`<` and a stack symbol");
        let close = token(TokenKind::Greater, "`>` after the stack symbol");
        let top = delimited(open, by(|parser: &mut Self| parser.symbol("a stack symbol")), close);
        let left = terminated(pair(control(), top), token(TokenKind::Arrow, "`-->`"));
        let open = token(TokenKind::Less, "`<` and at most two stack symbols");
        let close = token(TokenKind::Greater, "`>` after at most two stack symbols");
        let stack = delimited(open, pair(by(Self::more), by(Self::more)), close);
        let ((from, top), (to, (first, second))) = read(self, pair(left, pair(control(), stack)))?;
        let symbols = [Some(top), first, second];
        let mut label = None;
        if self.cursor.kind() == TokenKind::Text {
            label = Some((self.cursor.start() + 1, self.cursor.token.end - 1));
            self.bump();
        }
        let condition_at = (self.cursor.kind() == TokenKind::Open).then_some(self.cursor.start());
        if condition_at.is_some() {
            self.pass_over()?;
        }
        let raw = Raw { from, to, symbols, points: [None; 3], label, condition_at, condition: None };
        self.ast.raws.push(raw);
        Ok(StmtKind::Raw(self.ast.raws.len() as u32 - 1))
    }

    fn control(&mut self) -> Result<u32, Broken> {
        let (name, _) = self.name("a control location")?;
        let controls = &mut self.ast.controls;
        Ok(*self.controls.entry(name).or_insert_with(|| {
            controls.push(Name::from(name));
            controls.len() as u32 - 1
        }))
    }

    fn symbol(&mut self, what: &str) -> Result<(u32, u32), Broken> {
        let (name, at) = self.name(what)?;
        Ok((self.used_name(name), at))
    }

    /// A further symbol, if there is one.
    fn more(&mut self) -> Result<Option<(u32, u32)>, Broken> {
        let there = self.cursor.is(TokenKind::Name);
        there.then(|| self.symbol("a stack symbol")).transpose()
    }

    /// Everything up to the parenthesis that closes this one.
    fn pass_over(&mut self) -> Result<(), Broken> {
        let opened = self.cursor.span();
        let mut depth = 0u32;
        loop {
            match self.cursor.kind() {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                TokenKind::Eof | TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon => {
                    let message = format!("expected `)`, found {}", self.cursor.described());
                    let complaint = Diagnostic::error(message, self.cursor.span()).with_related(opened, "opened here");
                    self.complain_about_token(complaint);
                    return Err(Broken);
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Reads the conditions of all rules, when their symbols have been resolved; `module` says where a point belongs.
    pub(super) fn conditions(&mut self, module: impl Fn(&Ast, Point) -> Option<u32>) {
        for index in 0..self.ast.raws.len() {
            let Raw { condition_at, points, .. } = self.ast.raws[index];
            let Some(at) = condition_at else { continue };
            let of = |point: Option<Point>| point.map(|point| module(&self.ast, point));
            self.naming = Naming::Rule([of(points[0]), of(points[1]), of(points[2])]);
            self.cursor.seek(at);
            self.bump();
            if let Ok(condition) = self.condition("the condition of a rule") {
                if self.cursor.kind() == TokenKind::Close {
                    self.ast.raws[index].condition = Some(condition);
                } else {
                    let _ = self.unexpected::<()>("`)` or an operator");
                }
            }
        }
        self.naming = Naming::Program;
    }
}
