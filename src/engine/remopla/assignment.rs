//! Reading calls and assignments.

use spds_format::Diagnostic;
use spds_format::reading::grammar::{by, listed, read};
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::declarations::Leaf;
use super::expression::Ty;
use super::lexer::{Key, TokenKind};
use super::parser::Parser;
use super::shapes;

impl Parser<'_> {
    /// `f(..)`, with the assignments of the same step.
    pub(super) fn call(&mut self, result: Option<Expression>) -> Result<u32, Broken> {
        let (name, at) = self.name("the name of a module")?;
        let name = self.used_name(name);
        let mut arguments = Vec::new();
        let argument = by(|parser: &mut Self| {
            let undefined = parser.take(TokenKind::Key(Key::Undef));
            arguments.push(if undefined { Value::Undef } else { Value::Of(parser.expression()?.0) });
            Ok(())
        });
        let close = (TokenKind::Close, "`,` or `)` after an argument");
        read(self, listed((TokenKind::Open, "`(`"), (TokenKind::Comma, argument), close))?;
        let extra = self.more_assignments()?;
        let start = self.ast.values.len() as u32;
        self.ast.values.extend(arguments);
        let arguments = Piece { start, end: self.ast.values.len() as u32 };
        self.ast.calls.push(Call { name, module: 0, at, arguments, result, extra });
        Ok(self.ast.calls.len() as u32 - 1)
    }

    pub(super) fn assignment_or_call(&mut self) -> Result<StmtKind, Broken> {
        let mut first = Vec::new();
        if self.cursor.kind() == TokenKind::Name {
            let (target, ty) = self.target()?;
            let is_call = self.cursor.kind() == TokenKind::Assign
                && self.cursor.ahead.kind == TokenKind::Name
                && !self.declarations().constants.contains_key(self.cursor.text_of(self.cursor.ahead));
            if is_call {
                let at = self.cursor.start();
                self.bump();
                if self.cursor.ahead.kind == TokenKind::Open {
                    return Ok(StmtKind::Call(self.call(Some(target))?));
                }
                self.cursor.seek(at);
            }
            first.push(self.assigned(Piece::default(), target, ty)?);
        } else {
            first.push(self.assignment()?);
        }
        while self.take(TokenKind::Comma) {
            first.push(self.assignment()?);
        }
        Ok(StmtKind::Assign(self.in_one_step(first)))
    }

    /// `, x = e, y = f` after a call or jump.
    pub(super) fn more_assignments(&mut self) -> Result<Piece, Broken> {
        let mut more = Vec::new();
        while self.take(TokenKind::Comma) {
            more.push(self.assignment()?);
        }
        Ok(self.in_one_step(more))
    }

    fn in_one_step(&mut self, assigns: Vec<Assign>) -> Piece {
        self.complain_about_repetitions(&assigns);
        let start = self.ast.assigns.len() as u32;
        self.ast.assigns.extend(assigns);
        Piece { start, end: self.ast.assigns.len() as u32 }
    }

    fn complain_about_repetitions(&mut self, assigns: &[Assign]) {
        let mut seen = rustc_hash::FxHashMap::default();
        for assign in assigns {
            let root = *self.ast.root(assign.target);
            let Op::Read(var, _) = root.op else { continue };
            let first = *seen.entry(var).or_insert(root);
            if first != root {
                let message = format!("`{}` is assigned twice at once", &self.cursor.text[root.span()]);
                let complaint = Diagnostic::error(message, root.span()).with_related(first.span(), "here, too");
                self.complaints.push(complaint);
            }
        }
    }

    /// One assignment, with its quantifiers.
    fn assignment(&mut self) -> Result<Assign, Broken> {
        let bound = self.bound.len();
        let mut prefix = Vec::new();
        let outcome = loop {
            if !matches!(self.cursor.kind(), TokenKind::Key(Key::All | Key::Exists)) {
                break Ok(());
            }
            match self.quantifier() {
                Ok(quantifier) => prefix.push(quantifier),
                Err(Broken) => break Err(Broken),
            }
        };
        let start = self.ast.prefixes.len() as u32;
        self.ast.prefixes.extend(prefix);
        let quantifiers = Piece { start, end: self.ast.prefixes.len() as u32 };
        let assign = outcome.and_then(|()| {
            let (target, ty) = self.target()?;
            self.assigned(quantifiers, target, ty)
        });
        self.bound.truncate(bound);
        assign
    }

    /// What follows the left side of an assignment.
    fn assigned(&mut self, quantifiers: Piece, target: Expression, ty: Ty) -> Result<Assign, Broken> {
        let left = self.ast.root(target).span();
        let value = match self.cursor.kind() {
            TokenKind::Assign => {
                self.bump();
                if self.take(TokenKind::Key(Key::Undef)) {
                    Value::Undef
                } else {
                    let (value, found) = self.expression()?;
                    self.compare(target, ty, value, found);
                    Value::Of(value)
                }
            }
            TokenKind::Ne => {
                self.bump();
                let (value, found) = self.expression()?;
                if ty == Ty::Whole {
                    self.complaints.error("`!=` chooses a value for a scalar or a cell", left);
                } else {
                    self.compare(target, ty, value, found);
                }
                Value::Except(value)
            }
            _ => {
                let message = format!("expected `=`, found {}", self.cursor.described());
                let mut complaint = Diagnostic::error(message, self.cursor.span());
                if self.cursor.kind() == TokenKind::EqEq {
                    complaint = complaint.with_help("an assignment is written `x = e;`");
                }
                self.complain_about_token(complaint);
                return Err(Broken);
            }
        };
        Ok(Assign { quantifiers, target, value })
    }

    fn compare(&mut self, target: Expression, ty: Ty, value: Expression, found: Ty) {
        if ty == Ty::Unknown || found == Ty::Unknown {
            return;
        }
        let wanted = shapes::leaves(&self.ast, self.module, target);
        if let Err(why) = self.fits(&wanted, value, found) {
            let name = self.cursor.text[self.ast.root(target).span()].to_owned();
            let complaint =
                Diagnostic::error(format!("this cannot be stored in `{name}`"), self.ast.root(value).span())
                    .with_label(why);
            self.complaints.push(complaint);
        }
    }

    /// Whether a value can be stored in such leaves, or why not.
    pub(super) fn fits(&mut self, wanted: &[Leaf], value: Expression, found: Ty) -> Result<(), String> {
        if found == Ty::Unknown {
            return Ok(());
        }
        let given = shapes::given(&self.ast, self.module, value, found);
        shapes::fit(wanted, &given)
    }
}
