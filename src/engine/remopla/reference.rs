//! Reading variables: names, fields, indices, primes.

use std::ops::Range;

use spds_format::Diagnostic;
use spds_format::expr::Time;
use spds_format::model::{Scalar, Var};

use spds_format::reading::near::did_you_mean;
use spds_format::reading::precedence::Taken;
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::declarations::{Dims, Entry};
use super::expression::{Bracket, Operation, Ty};
use super::lexer::TokenKind;
use super::parser::{Naming, Parser};
use super::predicate::Named;

/// A variable of which a part has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    /// Where it begins.
    at: u32,
    /// Where the last index was opened.
    pub bracket: u32,
    /// What the name stands for, if anything.
    found: Option<(Entry, Var)>,
    time: Time,
    /// The field, for a struct.
    field: Option<u32>,
    /// How many indices stand before the field, or where there is none.
    before: u8,
    /// How many stand after the field.
    after: u8,
}

impl Parser<'_> {
    /// A name in the position of an operand: a constant, a quantified variable, or a variable. Its index may be to be read.
    pub(super) fn named(&mut self) -> Result<Taken<Operation, Bracket>, Broken> {
        let at = self.cursor.start();
        if self.naming != Naming::Proposition {
            let name = self.cursor.word();
            if let Some((_, quantifier)) = self.bound.iter().rev().find(|(bound, _)| *bound == name) {
                self.leaf(Op::Bound(*quantifier), Ty::Int, at, self.cursor.token.end);
                self.bump();
                return Ok(Taken::Operand);
            }
        }
        let found = match self.naming {
            Naming::Proposition => match self.in_proposition()? {
                Named::Variable(found) => found,
                Named::Integer => return Ok(Taken::Operand),
            },
            _ => {
                if let Some(&(value, _)) = self.declarations().constants.get(self.cursor.word()) {
                    self.leaf(Op::Number(value), Ty::Int, at, self.cursor.token.end);
                    self.bump();
                    return Ok(Taken::Operand);
                }
                None
            }
        };
        let mut reference = Reference { at, bracket: at, found, time: Time::Before, field: None, before: 0, after: 0 };
        if self.naming != Naming::Proposition {
            let name = self.cursor.token;
            if self.cursor.ahead.kind == TokenKind::Open {
                let name = self.cursor.text_of(name);
                let complaint = Diagnostic::error("a call cannot stand inside an expression", self.cursor.span())
                    .with_help(format!("store the result first: `x = {name}(..);`"));
                self.complaints.push(complaint);
                return Err(Broken);
            }
            self.bump();
            reference.time = self.primes();
            let text = self.cursor.text_of(name);
            reference.found = self.variable(text, reference.time, name.start as usize..name.end as usize);
        } else {
            self.primes();
        }
        self.continued(reference)
    }

    /// Takes `'` and `''`.
    fn primes(&mut self) -> Time {
        let begin = self.cursor.start() as usize;
        let mut primes = 0;
        while self.take(TokenKind::Prime) {
            primes += 1;
        }
        let span = begin..self.cursor.previous_end as usize;
        match (primes, self.naming) {
            (0, _) => return Time::Before,
            (_, Naming::Proposition) => {
                self.complaints.error("a proposition is about one moment: `'` has no meaning in it", span);
            }
            (_, Naming::Program) => {
                let complaint = Diagnostic::error("`'` has a meaning in rules only", span)
                    .with_help("an assignment is written `x = e`: e is about the values before it");
                self.complaints.push(complaint);
            }
            (1, _) => return Time::After,
            (2, _) => return Time::Saved,
            _ => self.complaints.error("there are `x`, `x'` and `x''`, and no more", span),
        }
        Time::Before
    }

    /// The variable of that name, or a complaint.
    fn variable(&mut self, name: &str, time: Time, span: Range<usize>) -> Option<(Entry, Var)> {
        let module = match self.naming {
            Naming::Rule(modules) => modules[time as usize].flatten(),
            _ => self.module,
        };
        if let Some((entry, var)) = self.declarations().variable(name, module) {
            if time == Time::Saved && matches!(var, Var::Global(_)) {
                let message = format!("`{name}` is global: `''` is for variables that a call saves");
                self.complaints.error(message, span);
                return None;
            }
            return Some((entry, var));
        }
        let declarations = self.declarations();
        let locals = module.iter().flat_map(|module| declarations.modules[*module as usize].2.keys());
        let names = locals.chain(declarations.global_names.keys()).map(|name| &**name);
        let mut complaint = Diagnostic::error(format!("there is no variable `{name}`"), span);
        complaint.help = did_you_mean(name, names);
        if complaint.help.is_none()
            && let Naming::Rule(modules) = self.naming
            && modules[time as usize].is_none()
        {
            let place = if time == Time::Saved { "below" } else { "on top" };
            complaint.help = Some(format!("after this rule no symbol is {place} that could have locals"));
        }
        self.complaints.push(complaint);
        None
    }

    /// An index has been read and closed. Another one may be to be read.
    pub(super) fn indexed(&mut self, mut reference: Reference) -> Result<Taken<Operation, Bracket>, Broken> {
        let counted = if reference.field.is_some() { &mut reference.after } else { &mut reference.before };
        *counted = counted.saturating_add(1);
        self.continued(reference)
    }

    /// After a name, an index or a field: the whole variable, or the beginning of its index.
    fn continued(&mut self, mut reference: Reference) -> Result<Taken<Operation, Bracket>, Broken> {
        loop {
            match self.cursor.kind() {
                TokenKind::OpenBracket => {
                    reference.bracket = self.cursor.start();
                    self.bump();
                    return Ok(Taken::Open(Bracket::Index(reference)));
                }
                TokenKind::Dot if reference.field.is_none() => {
                    self.bump();
                    let (name, at) = self.name("the name of a field")?;
                    let primes = self.primes();
                    reference.time = reference.time.max(primes);
                    let span = at as usize..at as usize + name.len();
                    reference.field = Some(0);
                    let Some((entry, _)) = reference.found else { continue };
                    let Some(structure) = entry.structure else {
                        let what = &self.cursor.text[reference.at as usize..at as usize - 1];
                        self.complaints.error(format!("`{what}` is no struct and has no fields"), span);
                        reference.found = None;
                        continue;
                    };
                    let fields = &self.declarations().structs[structure as usize].fields;
                    match fields.iter().position(|field| &*field.name == name) {
                        Some(field) => reference.field = Some(field as u32),
                        None => {
                            let message = format!("this struct has no field `{name}`");
                            let mut complaint = Diagnostic::error(message, span);
                            complaint.help = did_you_mean(name, fields.iter().map(|field| &*field.name));
                            self.complaints.push(complaint);
                            reference.found = None;
                        }
                    }
                }
                _ => {
                    self.referred(reference);
                    return Ok(Taken::Operand);
                }
            }
        }
    }

    /// Makes the node of a variable that has been read whole; its indices are the last operands.
    fn referred(&mut self, reference: Reference) {
        let end = self.cursor.previous_end;
        let indices = usize::from(reference.before) + usize::from(reference.after);
        let first = self.operands.len().saturating_sub(indices);
        let nodes = self.operands.get(first).map_or(self.ast.nodes.len() as u32, |operand| operand.first);
        let read = self.operands.split_off(first);
        for operand in &read {
            self.must_be(operand.ty, Ty::Int, operand.at as usize..operand.end as usize, "an index");
        }
        let made = reference.found.and_then(|(entry, var)| self.selected(reference, entry, var));
        if let (Some((entry, _)), Some(_)) = (reference.found, made) {
            self.must_be_inside(self.ranges(reference, entry), &read);
        }
        match made {
            Some((op, ty)) => {
                self.ast.nodes.push(Node { op, at: reference.at, end });
                self.operands.push(super::expression::Operand { ty, first: nodes, at: reference.at, end });
            }
            None => {
                self.ast.nodes.truncate(nodes as usize);
                self.leaf(Op::Bool(false), Ty::Unknown, reference.at, end);
            }
        }
    }

    /// The ranges of the indices of what has been selected.
    fn ranges(&self, reference: Reference, entry: Entry) -> Dims {
        match (entry.structure, reference.field) {
            (Some(structure), Some(field)) if entry.dims.count() == 0 => {
                self.declarations().structs[structure as usize].fields[field as usize].dims
            }
            _ => entry.dims,
        }
    }

    /// Complains about indices that are numbers outside the array. A proposition with one could only be false; in a program,
    /// where it blocks or fails, this is a warning.
    fn must_be_inside(&mut self, dims: Dims, indices: &[super::expression::Operand]) {
        for (i, (first, last)) in dims.0.into_iter().flatten().enumerate().take(indices.len()) {
            let end = indices.get(i + 1).map_or(self.ast.nodes.len(), |next| next.first as usize);
            let [Node { op: Op::Number(value), .. }] = self.ast.nodes[indices[i].first as usize..end] else { continue };
            if value < u64::from(first) || value > u64::from(last) {
                let span = indices[i].at as usize..indices[i].end as usize;
                let message = format!("the index {value} is not from {first} to {last}, as declared");
                self.complaints.push(match self.naming {
                    Naming::Proposition => Diagnostic::error(message, span),
                    _ => Diagnostic::warning(message, span)
                        .with_label("there is no such cell")
                        .with_help("a step that reads or writes it blocks, or fails with `--check-arithmetic`"),
                });
            }
        }
    }

    /// The operation that reads what has been selected, or a complaint about the number of indices.
    fn selected(&mut self, reference: Reference, entry: Entry, var: Var) -> Option<(Op, Ty)> {
        let span = reference.at as usize..self.cursor.previous_end as usize;
        let (before, after) = (usize::from(reference.before), usize::from(reference.after));
        let own = entry.dims.count();
        let dims = self.ranges(reference, entry);
        let (first, leaves) = match (entry.structure, reference.field, var) {
            (Some(_), Some(field), Var::Global(first)) => (Var::Global(first + field), 1),
            (Some(_), Some(field), Var::Local(first)) => (Var::Local(first + field), 1),
            _ => (var, entry.leaves),
        };
        // `s[i].f` and `s.f[i]` are the same, but indices stand in one place only.
        let indices = before + after;
        let misplaced = before > 0 && after > 0 || reference.field.is_some() && before > 0 && own == 0;
        if misplaced || indices != 0 && indices != dims.count() {
            let message = match dims.count() {
                _ if misplaced => "indices stand where the array is declared, once".to_owned(),
                0 => "this is no array and takes no index".to_owned(),
                1 => "this array takes one index".to_owned(),
                _ => "this array takes two indices".to_owned(),
            };
            self.complaints.error(message, span);
            return None;
        }
        let time = reference.time;
        if leaves != 1
            || entry.structure.is_some() && reference.field.is_none()
            || indices == 0 && dims != Dims::default()
        {
            if time != Time::Before {
                self.complaints.error("a rule speaks of scalars and of cells of arrays", span);
                return None;
            }
            self.ast.wholes.push(Whole { first, leaves, indices: indices as u8 });
            return Some((Op::Whole(self.ast.wholes.len() as u32 - 1), Ty::Whole));
        }
        let module = match (self.naming, &self.spoken_of) {
            (Naming::Rule(modules), _) => modules[time as usize].flatten(),
            (Naming::Proposition, Some((module, _))) => Some(*module),
            _ => self.module,
        };
        let ty = if self.declarations().leaf(first, module).scalar == Scalar::Bool { Ty::Bool } else { Ty::Int };
        let op = if indices == 0 { Op::Read(first, time) } else { Op::Cell(first, time, indices as u8) };
        Some((op, ty))
    }
}
