//! C- as text: expressions as C writes them, statements numbered, one a line.

use std::fmt::{self, Write as _};

use super::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary};
use super::float;
use super::meaning::Kind;
use super::program::{
    Callee, Failure, InputKind, Procedure, Program, Room, Statement, StatementKind, Storage, VariableId,
};
use super::types::{Rank, TypeId};

/// What is still to be written of a term.
enum Piece {
    Text(&'static str),
    Owned(String),
    /// An expression, in brackets if it binds less tightly.
    Expression(ExpressionId, u8),
    /// An lvalue that something is applied to.
    Lvalue(LvalueId),
}

/// How tightly prefix operators and casts bind.
const PREFIX: u8 = 14;
/// How tightly indices, members, calls bind.
const POSTFIX: u8 = 15;

impl Program {
    /// An expression in C's syntax. Without recursion; linear in its length.
    pub fn expression_text(&self, e: ExpressionId) -> String {
        self.written(Piece::Expression(e, 0))
    }

    /// An lvalue in C's syntax.
    pub fn lvalue_text(&self, l: LvalueId) -> String {
        self.written(Piece::Lvalue(l))
    }

    fn written(&self, first: Piece) -> String {
        let mut text = String::new();
        let mut open = vec![first];
        while let Some(piece) = open.pop() {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Owned(piece) => text.push_str(&piece),
                Piece::Expression(e, tight) => {
                    let (own, pieces) = self.expression_pieces(e);
                    let brackets = own < tight;
                    if brackets {
                        text.push('(');
                        open.push(Piece::Text(")"));
                    }
                    open.extend(pieces.into_iter().rev());
                }
                Piece::Lvalue(l) => open.extend(self.lvalue_pieces(l).into_iter().rev()),
            }
        }
        text
    }

    fn expression_pieces(&self, e: ExpressionId) -> (u8, Vec<Piece>) {
        use Piece::{Expression as E, Lvalue as L, Owned, Text};
        let expression = self.terms.get(e);
        match expression.kind {
            ExpressionKind::Constant(bits) => {
                let text = self.constant_text(bits, expression.ty);
                (if text.starts_with('-') { PREFIX } else { POSTFIX }, vec![Owned(text)])
            }
            // `*p` binds as a prefix does; all other lvalues end in what binds most tightly.
            ExpressionKind::Read(l) => (self.tightness(l), vec![L(l)]),
            ExpressionKind::AddressOf(l) => (PREFIX, vec![Text("&"), L(l)]),
            ExpressionKind::Procedure(id) => (POSTFIX, vec![Owned(self.procedure(id).name.to_string())]),
            ExpressionKind::Unary(Unary::Elements, a) => (POSTFIX, vec![Text("elements("), E(a, 0), Text(")")]),
            ExpressionKind::Unary(op, a) => {
                let sign = match op {
                    Unary::Negate => "-",
                    Unary::Complement => "~",
                    Unary::Not => "!",
                    Unary::Freed | Unary::Elements => "freed ",
                };
                (PREFIX, vec![Text(sign), E(a, POSTFIX)])
            }
            ExpressionKind::Binary(op, a, b) => {
                let own = op.precedence();
                let sign = Owned(format!(" {} ", op.sign()));
                (own, vec![E(a, own), sign, E(b, own + 1)])
            }
            ExpressionKind::Convert(a) => {
                let name = self.types.name(expression.ty);
                (PREFIX, vec![Owned(format!("({name}) ")), E(a, PREFIX)])
            }
            ExpressionKind::Offset(a, b) => {
                let own = Binary::Add.precedence();
                (own, vec![E(a, own), Text(" + "), E(b, own + 1)])
            }
            ExpressionKind::Distance(a, b) => {
                let own = Binary::Subtract.precedence();
                (own, vec![E(a, own), Text(" - "), E(b, own + 1)])
            }
            ExpressionKind::Pre(l) => (POSTFIX, vec![Text("pre("), L(l), Text(")")]),
            ExpressionKind::Result => (POSTFIX, vec![Text("result")]),
        }
    }

    fn tightness(&self, l: LvalueId) -> u8 {
        match self.terms.at(l).kind {
            LvalueKind::Deref(p) if !matches!(self.terms.get(p).kind, ExpressionKind::Offset(..)) => PREFIX,
            _ => POSTFIX,
        }
    }

    fn lvalue_pieces(&self, l: LvalueId) -> Vec<Piece> {
        use Piece::{Expression as E, Lvalue as L, Owned, Text};
        match self.terms.at(l).kind {
            LvalueKind::Variable(id) => vec![Owned(self.variable(id).name.to_string())],
            LvalueKind::Deref(p) => match self.terms.get(p).kind {
                ExpressionKind::Offset(a, i) => vec![E(a, POSTFIX), Text("["), E(i, 0), Text("]")],
                _ => vec![Text("*"), E(p, PREFIX)],
            },
            LvalueKind::Field(of, index) => {
                let record = self.types.as_record(self.terms.at(of).ty);
                let name = record.and_then(|record| record.fields.get(index as usize)).map_or("", |field| &field.name);
                let name = if name.is_empty() { format!(".{index}") } else { name.to_owned() };
                match self.arrow(of) {
                    Some(p) => vec![E(p, POSTFIX), Text("->"), Owned(name)],
                    None => vec![L(of), Text("."), Owned(name)],
                }
            }
            LvalueKind::Element(of, index) => {
                let open = if self.tightness(of) == PREFIX { vec![Text("("), L(of), Text(")")] } else { vec![L(of)] };
                open.into_iter().chain([Text("["), E(index, 0), Text("]")]).collect()
            }
        }
    }

    /// Whether the text of an lvalue begins with the name of a variable that was made up: it is a part of that, or of what that points to.
    pub fn is_made_up(&self, mut l: LvalueId) -> bool {
        loop {
            let pointer = match self.terms.at(l).kind {
                LvalueKind::Variable(id) => return self.variable(id).is_made_up,
                LvalueKind::Element(of, _) => {
                    l = of;
                    continue;
                }
                LvalueKind::Field(of, _) => match self.arrow(of) {
                    Some(pointer) => pointer,
                    None => {
                        l = of;
                        continue;
                    }
                },
                LvalueKind::Deref(p) => match self.terms.get(p).kind {
                    ExpressionKind::Offset(array, _) => array,
                    _ => return false,
                },
            };
            match self.terms.get(pointer).kind {
                ExpressionKind::Read(from) => l = from,
                _ => return false,
            }
        }
    }

    /// The pointer that stands before `->` where a member of this is told, if one does.
    fn arrow(&self, of: LvalueId) -> Option<ExpressionId> {
        match self.terms.at(of).kind {
            LvalueKind::Deref(p) if !matches!(self.terms.get(p).kind, ExpressionKind::Offset(..)) => Some(p),
            _ => None,
        }
    }

    /// A constant with the suffix that gives it its type; small types as casts of an `int`.
    pub fn constant_text(&self, bits: u128, ty: TypeId) -> String {
        let Some(integer) = self.types.as_integer(ty) else {
            return self.types.as_float(ty).map_or_else(|| "NULL".to_owned(), |kind| float::spelled(kind, bits));
        };
        let number = integer.number(bits);
        let suffix = match (integer.rank, integer.signed) {
            (Rank::Int, false) => "u",
            (Rank::Long, true) => "l",
            (Rank::Long, false) => "ul",
            (Rank::LongLong, true) => "ll",
            (Rank::LongLong, false) => "ull",
            _ => "",
        };
        format!("{number}{suffix}")
    }

    /// A statement without its number.
    pub fn statement_text(&self, statement: &Statement) -> String {
        let e = |e| self.expression_text(e);
        let list = |arguments: &[ExpressionId]| arguments.iter().map(|a| e(*a)).collect::<Vec<_>>().join(", ");
        let into = |to: Option<LvalueId>| to.map_or_else(String::new, |to| format!("{} = ", self.lvalue_text(to)));
        match &statement.kind {
            StatementKind::Skip => "skip".to_owned(),
            StatementKind::Assign(to, value) => format!("{} = {}", self.lvalue_text(*to), e(*value)),
            StatementKind::Call(to, callee, arguments) => {
                let (name, written) = self.called(callee, arguments);
                format!("{}{name}({})", into(*to), list(written))
            }
            StatementKind::External(to, id, arguments, _) => {
                format!("{}extern {}({})", into(*to), self.procedure(*id).name, list(arguments))
            }
            StatementKind::Input(to, kind) => {
                let call = if matches!(kind, InputKind::Volatile(_)) { "" } else { "()" };
                format!("{} = input {kind}{call}", self.lvalue_text(*to))
            }
            StatementKind::Declare(id) => {
                let variable = self.variable(*id);
                format!("declare {}", self.types.declaration(variable.ty, &variable.name))
            }
            StatementKind::Dead(id) => format!("end {}", self.variable(*id).name),
            StatementKind::Unseen(to, _, Some(exact)) => format!("{} = {} in runs", self.lvalue_text(*to), e(*exact)),
            StatementKind::Unseen(to, reason, None) => {
                let what = &self.reasons[reason.0 as usize].what;
                format!("{} = \"{what}\" in runs", self.lvalue_text(*to))
            }
            StatementKind::Havoc(to, reason, exact) => {
                let what = &self.reasons[reason.0 as usize].what;
                let value = exact.map_or_else(String::new, |exact| format!(", in runs {}", e(exact)));
                format!("{} = havoc \"{what}\"{value}", self.lvalue_text(*to))
            }
            StatementKind::Allocate { to, size, room, .. } => {
                let room = match room {
                    Room::Heap => "",
                    Room::Zeros => " zeroed",
                    Room::Frame => " in the frame",
                };
                format!("{} = allocate{room}({})", self.lvalue_text(*to), e(*size))
            }
            StatementKind::Free(pointer) => format!("free({})", e(*pointer)),
            StatementKind::Assume(condition) => format!("assume({})", e(*condition)),
            StatementKind::Branch(condition, yes, no) => {
                format!("if ({}) goto {}; else goto {}", e(*condition), yes.0, no.0)
            }
            StatementKind::Goto(to) => format!("goto {}", to.0),
            StatementKind::Fail(failure) => format!("fail \"{}\"", failure_text(*failure)),
            StatementKind::Return(None) => "return".to_owned(),
            StatementKind::Return(Some(value)) => format!("return {}", e(*value)),
            StatementKind::Exit(None) => "exit".to_owned(),
            StatementKind::Exit(Some(code)) => format!("exit({})", e(*code)),
        }
    }

    /// Who is called, and those of the arguments that somebody has written.
    fn called<'s>(&self, callee: &Callee, arguments: &'s [ExpressionId]) -> (String, &'s [ExpressionId]) {
        let (name, formals) = match callee {
            Callee::Procedure(id) => (self.procedure(*id).name.to_string(), &*self.procedure(*id).formals),
            Callee::Pointer(pointer) => (format!("(*{})", self.expression_text(*pointer)), &[][..]),
        };
        // Those come last that nobody has written.
        let own = formals.iter().filter(|formal| self.is_count(**formal)).count();
        (name, &arguments[..arguments.len().saturating_sub(own)])
    }

    fn procedure_text(&self, out: &mut String, procedure: &Procedure, body: &[Statement]) -> fmt::Result {
        let declared = |id: &VariableId| {
            let variable = self.variable(*id);
            self.types.declaration(variable.ty, &variable.name)
        };
        let formals: Vec<String> = procedure.formals.iter().map(declared).collect();
        writeln!(out, "\n{} {}({})", self.types.name(procedure.result), procedure.name, formals.join(", "))?;
        for local in &procedure.locals {
            writeln!(out, "      {};", declared(local))?;
        }
        for (number, statement) in body.iter().enumerate() {
            for label in &statement.labels {
                writeln!(out, "  {label}:")?;
            }
            writeln!(out, "{number:>4}  {};", self.statement_text(statement))?;
        }
        Ok(())
    }
}

fn failure_text(failure: Failure) -> &'static str {
    match failure {
        Failure::Assertion => "assertion",
        Failure::Error => "error",
        Failure::ErrorLabel => "label ERROR",
        Failure::Contract(_) => "contract",
        Failure::Used(Kind::Null) => "NULL",
        Failure::Used(kind) => kind.name(),
        Failure::Asked => "reached",
    }
}

/// The whole program: variables, what they start with, procedures.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        for variable in &self.variables {
            let storage = match variable.storage {
                Storage::Global => "",
                Storage::Static(_) => "static ",
                Storage::Constant => "const ",
                Storage::Local(_) => continue,
            };
            writeln!(out, "{storage}{};", self.types.declaration(variable.ty, &variable.name))?;
        }
        for (to, value) in &self.initial {
            writeln!(out, "{} = {};", self.lvalue_text(*to), self.expression_text(*value))?;
        }
        for start in &self.unrepresented {
            let place = self.procedure(self.main).place;
            let kind = if start.unseen { StatementKind::Unseen } else { StatementKind::Havoc };
            let kind = kind(start.to, start.reason, start.exact);
            writeln!(out, "{};", self.statement_text(&Statement { kind, place, labels: Vec::new() }))?;
        }
        for procedure in &self.procedures {
            if let Some(body) = &procedure.body {
                self.procedure_text(&mut out, procedure, body)?;
            }
        }
        f.write_str(&out)
    }
}
