//! Reading rules of pushdown systems: `q <m> --> q <f m2> "label" (e)`.
//!
//! Their conditions speak of variables of modules that may come later in the text, so they are passed over at first and
//! read when all labels are known.

use spds_format::Diagnostic;
use spds_format::model::Name;

use super::ast::*;
use super::lexer::Kind;
use super::parser::{Broken, Naming, Parser};

impl<'t> Parser<'t> {
    /// A rule; its condition is passed over.
    pub(super) fn raw(&mut self) -> Result<StmtKind, Broken> {
        let from = self.control()?;
        self.expect(Kind::Less, "`<` and a stack symbol")?;
        let mut symbols = [None; 3];
        symbols[0] = Some(self.symbol("a stack symbol")?);
        self.expect(Kind::Greater, "`>` after the stack symbol")?;
        self.expect(Kind::Arrow, "`-->`")?;
        let to = self.control()?;
        self.expect(Kind::Less, "`<` and at most two stack symbols")?;
        for place in &mut symbols[1..] {
            if self.token.kind == Kind::Name {
                *place = Some(self.symbol("a stack symbol")?);
            }
        }
        self.expect(Kind::Greater, "`>` after at most two stack symbols")?;
        let mut label = None;
        if self.token.kind == Kind::Text {
            label = Some((self.token.start + 1, self.token.end - 1));
            self.bump();
        }
        let condition_at = (self.token.kind == Kind::Open).then_some(self.token.start);
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

    /// Everything up to the parenthesis that closes this one.
    fn pass_over(&mut self) -> Result<(), Broken> {
        let opened = self.span();
        let mut depth = 0u32;
        loop {
            match self.token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                Kind::Eof | Kind::OpenBrace | Kind::CloseBrace | Kind::Semicolon => {
                    let message = format!("expected `)`, found {}", self.described());
                    let complaint = Diagnostic::error(message, self.span()).with_related(opened, "opened here");
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
            self.seek(at);
            self.bump();
            if let Ok(condition) = self.condition("the condition of a rule") {
                if self.token.kind == Kind::Close {
                    self.ast.raws[index].condition = Some(condition);
                } else {
                    let _ = self.unexpected::<()>("`)` or an operator");
                }
            }
        }
        self.naming = Naming::Program;
    }
}
