//! Propositions in the syntax of Remopla: `{sort.lo <= sort.hi && a[1] < 3}`, with sort's locals and the global a.

use std::ops::Range;

use spds_format::diagnostic::Diagnostic;
use spds_format::expr::Expr;
use spds_format::model::{FrameId, Var};

use spds_format::reading::near::{did_you_mean, near, question};
use spds_format::reading::tokens::{Broken, Reader};

use super::Dialect;
use super::ast::Op;
use super::declarations::{Declarations, Entry};
use super::expand::expand;
use super::expression::Ty;
use super::lexer::TokenKind;
use super::parser::{Naming, Parser};
use super::value::{NameScope, lower};

/// What a program declares, for propositions about it.
#[derive(Clone, Debug, Default)]
pub struct Names(pub(super) Declarations);

/// A condition on configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// If it mentions a local, the module that must be on top for it to hold.
    pub frame: Option<FrameId>,
    /// Over the globals and the frame's locals, at time `Before`, without `*`.
    pub condition: Expr,
}

/// Reads a proposition about a program: what stands between the braces (or quotes) of `{expr}`.
///
/// `x` and `::x` are globals, `m.x` is the variable x of the module m; a field of a struct follows after another dot.
/// Constants by `define` and `enum`, indices and quantifiers are as in the program.
///
/// With a module it is about configurations with a symbol of this module: a bare name is that of one of its variables,
/// or else of a constant or a global.
///
/// # Errors
/// Complaints about the text: syntax, types, unknown names (with the candidates), locals of two modules, `'`, `undef`.
pub fn predicate(text: &str, names: &Names, module: Option<FrameId>) -> Result<Predicate, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::global("a proposition of 4 GiB or more cannot be read")]);
    }
    let mut parser = Parser::new(text, Dialect::Auto, Naming::Proposition);
    parser.declared = Some(&names.0);
    parser.module = module.map(|frame| frame.0);
    let read = parser.expression();
    match (&read, parser.cursor.kind()) {
        (Err(Broken), _) => {}
        (_, TokenKind::Assign) => {
            let complaint = Diagnostic::error("`=` assigns and does not compare", parser.cursor.span());
            parser.complaints.push(complaint.with_help("equality is written `==`"));
        }
        (Ok((expression, ty)), TokenKind::Eof) => {
            let span = parser.ast.root(*expression).span();
            parser.must_be(*ty, Ty::Bool, span, "a proposition");
        }
        _ => {
            let _ = parser.unexpected::<()>("an operator or the end of the proposition");
        }
    }
    let frame = parser.spoken_of.take().map(|(module, _)| module);
    if let (Ok((read, _)), false) = (read, parser.complaints.refused()) {
        let place = NameScope::here(&names.0, frame);
        let lowered = expand(&parser.ast, read, &[]).and_then(|nodes| lower(place, &nodes));
        match lowered.ok().and_then(|lowered| Expr::from_postorder(lowered.ops)) {
            Some(condition) => return Ok(Predicate { frame: frame.map(FrameId), condition }),
            None => parser.complaints.error("this proposition is too large when taken apart", 0..text.len()),
        }
    }
    Err(parser.complaints.into_sorted())
}

/// What a name in a proposition stands for.
pub(super) enum Named {
    /// A constant or a quantified variable: its node has been made.
    Integer,
    /// A variable; nothing known, after a complaint.
    Variable(Option<(Entry, Var)>),
}

impl Parser<'_> {
    /// A name in a proposition.
    pub(super) fn in_proposition(&mut self) -> Result<Named, Broken> {
        let first = self.cursor.token;
        if self.take(TokenKind::Colons) {
            let (name, at) = self.name("the name of a global")?;
            return Ok(Named::Variable(self.named_global(name, at)));
        }
        let name = self.cursor.text_of(first);
        if let Some((_, quantifier)) = self.bound.iter().rev().find(|(bound, _)| *bound == name) {
            let op = Op::Bound(*quantifier);
            self.bump();
            self.leaf(op, Ty::Int, first.start, first.end);
            return Ok(Named::Integer);
        }
        let declarations = self.declarations();
        let own =
            self.module.and_then(|module| Some((module, *declarations.modules.get(module as usize)?.2.get(name)?)));
        if let Some((module, entry)) =
            own.filter(|(_, entry)| self.cursor.ahead.kind != TokenKind::Dot || entry.structure.is_some())
        {
            self.bump();
            return Ok(self.local(module, entry, first.start as usize..first.end as usize));
        }
        let constant = declarations.constants.get(name).map(|(value, _)| *value);
        let is_struct = declarations.global_names.get(name).is_some_and(|entry| entry.structure.is_some());
        let module = declarations.modules.iter().position(|(module, ..)| &**module == name);
        self.bump();
        if self.cursor.kind() != TokenKind::Dot || is_struct {
            if let Some(value) = constant {
                self.leaf(Op::Number(value), Ty::Int, first.start, first.end);
                return Ok(Named::Integer);
            }
            return Ok(Named::Variable(self.named_global(name, first.start)));
        }
        let span = first.start as usize..first.end as usize;
        self.bump();
        let (local, at) = self.name("the name of a variable")?;
        let Some(module) = module else {
            let declarations = self.declarations();
            let mut complaint = Diagnostic::error(format!("there is no module `{name}`"), span);
            complaint.help = did_you_mean(name, declarations.modules.iter().map(|(module, ..)| &**module));
            return Ok(self.unknown(complaint));
        };
        let whole = span.start..at as usize + local.len();
        let scope = &self.declarations().modules[module].2;
        let Some(entry) = scope.get(local).copied() else {
            let mut complaint = Diagnostic::error(format!("`{name}` has no variable `{local}`"), whole);
            complaint.help = did_you_mean(local, scope.keys().map(|name| &**name));
            return Ok(self.unknown(complaint));
        };
        Ok(self.local(module as u32, entry, whole))
    }

    /// A variable of a module, if those of no other one were spoken of.
    fn local(&mut self, module: u32, entry: Entry, whole: Range<usize>) -> Named {
        match &self.spoken_of {
            Some((other, place)) if *other != module => {
                let message = "a proposition cannot speak of the locals of two modules: only one is on top";
                let complaint = Diagnostic::error(message, whole).with_related(place.clone(), "the other one");
                self.unknown(complaint)
            }
            _ => {
                self.spoken_of.get_or_insert((module, whole));
                Named::Variable(Some((entry, Var::Local(entry.first))))
            }
        }
    }

    fn named_global(&mut self, name: &str, at: u32) -> Option<(Entry, Var)> {
        let declarations = self.declarations();
        if let Some(entry) = declarations.global_names.get(name) {
            return Some((*entry, Var::Global(entry.first)));
        }
        let span = at as usize..at as usize + name.len();
        let mut complaint = Diagnostic::error(format!("there is no global `{name}`"), span);
        let owners = declarations.modules.iter().filter(|(_, _, scope)| scope.contains_key(name));
        let mut candidates: Vec<String> = owners.map(|(module, ..)| format!("{module}.{name}")).take(9).collect();
        if candidates.is_empty() {
            let globals = declarations.global_names.keys().map(|name| &**name);
            candidates.extend(near(name, globals).into_iter().map(str::to_owned));
        } else if candidates.len() == 9 {
            candidates.truncate(8);
            complaint.label = "a local of nine or more modules".to_owned();
        }
        complaint.help = question(&candidates);
        self.complaints.push(complaint);
        None
    }

    fn unknown(&mut self, complaint: Diagnostic) -> Named {
        self.complaints.push(complaint);
        Named::Variable(None)
    }
}
