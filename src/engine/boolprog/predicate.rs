//! Propositions in the syntax of Boolean programs: `{p.x & !g}`, with p's local x and the global g.

use std::ops::Range;

use spds_format::Spds;
use spds_format::diagnostic::Diagnostic;
use spds_format::expr::{self, Binary, Expr, Time, Unary};
use spds_format::model::{Frame, FrameId, Type, Var, Variable};

use super::Dialect;
use super::ast::{Node, Op};
use super::lexer::{BooleanPrograms, TokenKind, Tokens};
use super::parser::{Names, Parser};
use spds_format::reading::near::{did_you_mean, near, question};
use spds_format::reading::tokens::Reader;

/// A condition on configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// If it mentions a local, the procedure that must be on top for it to hold.
    pub frame: Option<FrameId>,
    /// Over the globals and the frame's locals, at time `Before`, without `*`.
    pub condition: Expr,
    /// Where dialects would read the text differently.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a proposition about a system that was made of a Boolean program: what stands between the braces (or quotes) of
/// `{expr}`.
///
/// `x` and `::x` are globals, `proc.x` a local of proc; names in braces are written with their braces, but a text that is
/// exactly what stands in the braces of a global means that global.
///
/// With a procedure it is about configurations with a symbol of this procedure: a bare name is that of one of its
/// locals, or else of a global.
///
/// # Errors
/// Complaints about the text: syntax, unknown names (with the candidates), locals of two procedures, `*`, `'`.
pub fn predicate(
    text: &str,
    spds: &Spds,
    dialect: Dialect,
    procedure: Option<FrameId>,
) -> Result<Predicate, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::global("a proposition of 4 GiB or more cannot be read")]);
    }
    let braced = format!("{{{text}}}");
    let own = procedure.and_then(|frame| position(&spds.frame(frame).variables, &braced));
    if let Some(local) = own {
        let condition = Expr::read(Var::Local(local), Time::Before);
        return Ok(Predicate { frame: procedure, condition, warnings: Vec::new() });
    }
    if let Some(global) = global(spds, &braced) {
        return Ok(Predicate { frame: None, condition: Expr::read(global, Time::Before), warnings: Vec::new() });
    }
    let mut parser = Parser::new(text, dialect, Names::Qualified);
    let read = parser.expression();
    if read.is_ok() && !parser.cursor.is(TokenKind::Eof) {
        let _ = parser.unexpected::<()>("an operator or the end of the proposition");
    }
    let mut meaning = Meaning { text, spds, dialect, procedure, frame: None, ops: Vec::new() };
    if read.is_ok() {
        for node in &parser.ast.nodes {
            if let Err(complaint) = meaning.node(node) {
                parser.complaints.push(*complaint);
            }
        }
    }
    let refused = parser.complaints.refused();
    let complaints = parser.complaints.into_sorted();
    match Expr::from_postorder(meaning.ops) {
        Some(condition) if !refused => {
            Ok(Predicate { frame: meaning.frame.map(|(frame, _)| frame), condition, warnings: complaints })
        }
        _ => Err(complaints),
    }
}

fn position(variables: &[Variable], name: &str) -> Option<u32> {
    let found = variables.iter().position(|v| &*v.name == name && !v.hidden && v.ty == Type::BOOL);
    found.map(|index| index as u32)
}

fn global(spds: &Spds, name: &str) -> Option<Var> {
    position(&spds.globals, name).map(Var::Global)
}

/// Boxed, to keep results small.
type Complaint = Box<Diagnostic>;

/// The expression that is being translated.
struct Meaning<'a> {
    text: &'a str,
    spds: &'a Spds,
    dialect: Dialect,
    /// The procedure whose locals have bare names, too.
    procedure: Option<FrameId>,
    /// The procedure whose locals it mentions, and where it did first.
    frame: Option<(FrameId, Range<usize>)>,
    ops: Vec<expr::Op>,
}

impl Meaning<'_> {
    fn node(&mut self, node: &Node) -> Result<(), Complaint> {
        let here = node.at as usize..node.at as usize + 1;
        let op = match node.op {
            Op::Const(value) => expr::Op::Bool(value),
            Op::Name(_, time) => {
                let var = self.variable(node.at)?;
                if time != Time::Before {
                    return Err(Box::new(Diagnostic::error(
                        "a proposition is about one moment: `'` has no meaning in it",
                        here,
                    )));
                }
                match var {
                    Some(var) => expr::Op::Read(var, Time::Before),
                    None => expr::Op::Bool(self.text[here].starts_with('T')),
                }
            }
            Op::Any => {
                return Err(Box::new(Diagnostic::error(
                    "a proposition is true or false: `*` cannot stand in it",
                    here,
                )));
            }
            Op::Choose => {
                let whole = node.at as usize..node.at as usize + "schoose".len();
                return Err(Box::new(Diagnostic::error(
                    "a proposition is true or false: `schoose` cannot stand in it",
                    whole,
                )));
            }
            Op::Global(..) | Op::Local(..) => unreachable!("only resolution makes them"),
            Op::Not => expr::Op::Unary(Unary::Not),
            Op::And => expr::Op::Binary(Binary::And),
            Op::Or => expr::Op::Binary(Binary::Or),
            Op::Xor | Op::Ne => expr::Op::Binary(Binary::Xor),
            Op::Implies => expr::Op::Binary(Binary::Implies),
            Op::Eq => expr::Op::Binary(Binary::Iff),
            Op::Ite => expr::Op::Ite,
        };
        self.ops.push(op);
        Ok(())
    }

    /// The variable whose name begins there; `None` for the constants `T` and `F`.
    fn variable(&mut self, at: u32) -> Result<Option<Var>, Complaint> {
        let mut tokens = Tokens::new(self.text, BooleanPrograms { hyphens: self.dialect == Dialect::Satabs });
        tokens.seek(at);
        let (first, second) = (tokens.token, tokens.ahead);
        if first.kind == TokenKind::Colons {
            return self.global(second.range(), first.range().start..second.range().end).map(Some);
        }
        if second.kind == TokenKind::Dot {
            tokens.bump();
            let local = tokens.ahead;
            return self.local(first.range(), local.range(), first.range().start..local.range().end).map(Some);
        }
        let (name, span) = (tokens.word(), first.range());
        let own = self.procedure.map(|frame| (frame, position(&self.spds.frame(frame).variables, name)));
        if let Some((frame, Some(local))) = own {
            return self.spoken_of(frame, local, span).map(Some);
        }
        if matches!(name, "T" | "F") && global(self.spds, name).is_none() {
            return Ok(None);
        }
        self.global(span.clone(), span).map(Some)
    }

    fn global(&self, name: Range<usize>, span: Range<usize>) -> Result<Var, Complaint> {
        let name = &self.text[name];
        if let Some(var) = global(self.spds, name) {
            return Ok(var);
        }
        let mut complaint = Diagnostic::error(format!("there is no global `{name}`"), span);
        let owner = |frame: &&Frame| position(&frame.variables, name).is_some();
        let mut owners: Vec<String> =
            self.spds.frames.iter().filter(owner).map(|frame| format!("{}.{name}", frame.name)).take(9).collect();
        if owners.is_empty() {
            let names = self.spds.globals.iter().filter(|global| !global.hidden).map(|global| &*global.name);
            owners.extend(near(name, names).into_iter().map(str::to_owned));
            let locals = self.spds.frames.iter().flat_map(|frame| frame.variables.iter().map(|local| &*local.name));
            for local in near(name, locals) {
                let owner = self.spds.frames.iter().find(|frame| position(&frame.variables, local).is_some());
                owners.extend(owner.map(|frame| format!("{}.{local}", frame.name)));
            }
        } else if owners.len() == 9 {
            owners.truncate(8);
            complaint.label = "a local of nine or more procedures".to_owned();
        }
        complaint.help = question(&owners);
        Err(Box::new(complaint))
    }

    fn local(&mut self, procedure: Range<usize>, name: Range<usize>, span: Range<usize>) -> Result<Var, Complaint> {
        let (owner, name) = (&self.text[procedure.clone()], &self.text[name]);
        let Some(frame) = self.spds.frames.iter().position(|frame| &*frame.name == owner) else {
            let names = self.spds.frames.iter().map(|frame| &*frame.name);
            let complaint = Diagnostic::error(format!("there is no procedure `{owner}`"), procedure);
            return Err(Box::new(Diagnostic { help: did_you_mean(owner, names), ..complaint }));
        };
        let variables = &self.spds.frames[frame].variables;
        let Some(local) = position(variables, name) else {
            let complaint = Diagnostic::error(format!("`{owner}` has no variable `{name}`"), span);
            let names = variables.iter().map(|variable| &*variable.name);
            return Err(Box::new(Diagnostic { help: did_you_mean(name, names), ..complaint }));
        };
        self.spoken_of(FrameId(frame as u32), local, span)
    }

    /// A local, if those of no other procedure were spoken of.
    fn spoken_of(&mut self, frame: FrameId, local: u32, span: Range<usize>) -> Result<Var, Complaint> {
        match &self.frame {
            Some((other, first)) if *other != frame => {
                let message = "a proposition cannot speak of the locals of two procedures: only one is on top";
                Err(Box::new(Diagnostic::error(message, span).with_related(first.clone(), "the other one")))
            }
            _ => {
                self.frame.get_or_insert((frame, span));
                Ok(Var::Local(local))
            }
        }
    }
}
