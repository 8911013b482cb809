//! One expression of a predicate: read by precedence with a stack of its own, typed as C does (C11 §6.3, §6.5).

mod operators;
mod types;
mod words;

use spds_format::Diagnostic;

pub(super) use words::quoted;

use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary};
use crate::c::program::{ProcedureId, Program};
use crate::c::types::{Type, TypeId};

type Read<T> = Result<T, Box<Diagnostic>>;

/// What has been read of an operand.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Lvalue(LvalueId),
    Value(ExpressionId),
}

/// What waits for its right operand, or for its bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Prefix(Prefix),
    Infix(Binary),
    Bracket,
    Pre,
    Index,
    /// `?`, for its `:`
    Question,
    /// `:`, for what is chosen otherwise
    Colon,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    Unary(Unary),
    Plus,
    Deref,
    Address,
    Cast(TypeId),
    SizeOf,
}

/// Signs of two operands, longer ones first.
const INFIX: [(&str, Binary); 18] = [
    ("<<", Binary::ShiftLeft),
    (">>", Binary::ShiftRight),
    ("<=", Binary::LessEqual),
    (">=", Binary::GreaterEqual),
    ("==", Binary::Equal),
    ("!=", Binary::Unequal),
    ("&&", Binary::Both),
    ("||", Binary::Either),
    ("+", Binary::Add),
    ("-", Binary::Subtract),
    ("*", Binary::Multiply),
    ("/", Binary::Divide),
    ("%", Binary::Remainder),
    ("<", Binary::Less),
    (">", Binary::Greater),
    ("&", Binary::And),
    ("^", Binary::Xor),
    ("|", Binary::Or),
];

/// Reads one expression.
pub(super) struct Reader<'p, 't> {
    program: &'p mut Program,
    scope: Option<ProcedureId>,
    text: &'t str,
    /// Where the text begins in its file.
    begin: usize,
    at: usize,
    operands: Vec<Operand>,
    waiting: Vec<(Waiting, usize)>,
    /// Whether of the procedure's variables only the formals are visible, as where it is entered and where it returns.
    outside: bool,
}

impl<'p, 't> Reader<'p, 't> {
    pub fn new(program: &'p mut Program, scope: Option<ProcedureId>, text: &'t str, begin: usize) -> Self {
        Reader { program, scope, text, begin, at: 0, operands: Vec::new(), waiting: Vec::new(), outside: false }
    }

    /// The same for what is said about a procedure by those who call it.
    pub fn outside(self) -> Self {
        Reader { outside: true, ..self }
    }

    /// The expression: a scalar.
    pub fn read(&mut self) -> Read<ExpressionId> {
        loop {
            self.operand()?;
            if !self.operator()? {
                break;
            }
        }
        while let Some((waiting, at)) = self.waiting.pop() {
            if waiting == Waiting::Question {
                return Err(self.wrong("this `?` has no `:`", at, 1));
            }
            if matches!(waiting, Waiting::Bracket | Waiting::Pre | Waiting::Index) {
                return Err(self.wrong("this bracket is not closed", at, 1));
            }
            self.apply(waiting, at)?;
        }
        self.pop_value(0)
    }

    fn wrong(&self, message: impl Into<String>, at: usize, length: usize) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(message.into(), self.begin + at..self.begin + at + length.max(1)))
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn sign(&mut self, sign: &str) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    /// Prefixes and opening brackets, then a name or a number.
    fn operand(&mut self) -> Read<()> {
        loop {
            self.blanks();
            let at = self.at;
            let waiting = match self.rest().bytes().next() {
                Some(b'(') => match self.bracketed_type()? {
                    Some(ty) => {
                        self.waiting.push((Waiting::Prefix(Prefix::Cast(ty)), at));
                        continue;
                    }
                    None => Waiting::Bracket,
                },
                Some(b'\'') => return self.character(),
                Some(b'L' | b'u' | b'U') if self.rest()[1..].starts_with('\'') => return self.character(),
                Some(b'-') => Waiting::Prefix(Prefix::Unary(Unary::Negate)),
                Some(b'~') => Waiting::Prefix(Prefix::Unary(Unary::Complement)),
                Some(b'!') => Waiting::Prefix(Prefix::Unary(Unary::Not)),
                Some(b'+') => Waiting::Prefix(Prefix::Plus),
                Some(b'*') => Waiting::Prefix(Prefix::Deref),
                Some(b'&') => Waiting::Prefix(Prefix::Address),
                Some(byte) if byte.is_ascii_digit() => return self.literal(),
                // As ACSL writes it.
                Some(b'\\') if self.outside && self.rest()[1..].starts_with("result") => {
                    self.at += 1;
                    let length = word(self.rest());
                    self.at += length;
                    let result = self.result(at)?;
                    self.operands.push(Operand::Value(result));
                    return Ok(());
                }
                Some(b'\\') if self.outside && self.rest()[1..].starts_with("old") => {
                    self.at += 1 + word(&self.rest()[1..]);
                    self.blanks();
                    if !self.rest().starts_with('(') {
                        return Err(self.wrong("`\\old` needs brackets", at, 4));
                    }
                    Waiting::Pre
                }
                Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
                    if self.word(at)? {
                        continue;
                    }
                    return Ok(());
                }
                Some(_) => return Err(self.wrong("expected an expression", at, 1)),
                None => return Err(self.wrong("an expression is missing here", at, 1)),
            };
            self.at += 1;
            self.waiting.push((waiting, at));
        }
    }

    /// A name, or a word that stands before an operand; whether that is yet to come.
    fn word(&mut self, at: usize) -> Read<bool> {
        let length = word(self.rest());
        let name = &self.rest()[..length];
        if name == "sizeof" {
            self.at += length;
            self.blanks();
            if self.rest().starts_with('(')
                && let Some(ty) = self.bracketed_type()?
            {
                self.size_of(ty, at)?;
                return Ok(false);
            }
            self.waiting.push((Waiting::Prefix(Prefix::SizeOf), at));
            return Ok(true);
        }
        if self.counts(name) {
            self.at += length;
            self.waiting.push((Waiting::Prefix(Prefix::Unary(Unary::Elements)), at));
            return Ok(true);
        }
        let before = match name {
            "pre" => true,
            "__CPROVER_old" => self.outside,
            _ => false,
        };
        if !before || !self.rest()[length..].trim_start().starts_with('(') {
            self.name(length)?;
            return Ok(false);
        }
        self.at += length;
        self.blanks();
        self.at += 1;
        self.waiting.push((Waiting::Pre, at));
        Ok(true)
    }

    /// What follows an operand; whether another one has to come.
    fn operator(&mut self) -> Read<bool> {
        loop {
            self.blanks();
            let at = self.at;
            if self.rest().is_empty() {
                return Ok(false);
            }
            if self.sign(")") || self.sign("]") {
                self.close(at)?;
            } else if self.sign("[") {
                self.tighter(POSTFIX)?;
                self.waiting.push((Waiting::Index, at));
                return Ok(true);
            } else if self.sign("->") {
                let pointer = self.pop_value(at)?;
                let record = self.deref(pointer, at)?;
                self.field(record, at)?;
            } else if self.sign(".") {
                match self.operands.pop() {
                    Some(Operand::Lvalue(record)) => self.field(record, at)?,
                    _ => return Err(self.wrong("`.` needs a structure on its left", at, 1)),
                }
            } else if self.sign("?") {
                self.tighter(CHOICE + 1)?;
                self.waiting.push((Waiting::Question, at));
                return Ok(true);
            } else if self.sign(":") {
                self.tighter(0)?;
                if !matches!(self.waiting.pop(), Some((Waiting::Question, _))) {
                    return Err(self.wrong("this `:` has no `?`", at, 1));
                }
                self.waiting.push((Waiting::Colon, at));
                return Ok(true);
            } else if let Some(&(sign, operator)) = INFIX.iter().find(|(sign, _)| self.rest().starts_with(sign)) {
                self.at += sign.len();
                self.tighter(operator.precedence())?;
                self.waiting.push((Waiting::Infix(operator), at));
                return Ok(true);
            } else {
                return Err(self.wrong("expected an operator", at, 1));
            }
        }
    }

    /// Applies what binds at least as tightly.
    fn tighter(&mut self, level: u8) -> Read<()> {
        while let Some(&(waiting, at)) = self.waiting.last() {
            let binds = match waiting {
                Waiting::Prefix(_) => PREFIX,
                Waiting::Infix(operator) => operator.precedence(),
                Waiting::Colon => CHOICE,
                Waiting::Bracket | Waiting::Pre | Waiting::Index | Waiting::Question => return Ok(()),
            };
            if binds < level {
                return Ok(());
            }
            self.waiting.pop();
            self.apply(waiting, at)?;
        }
        Ok(())
    }

    fn close(&mut self, at: usize) -> Read<()> {
        let sign = self.text.as_bytes()[at];
        self.tighter(0)?;
        match (self.waiting.pop(), sign) {
            (Some((Waiting::Bracket, _)), b')') => Ok(()),
            (Some((Waiting::Pre, open)), b')') => match self.operands.pop() {
                Some(Operand::Lvalue(lvalue)) if self.is_scalar(self.program.terms.at(lvalue).ty) => {
                    let ty = self.program.terms.at(lvalue).ty;
                    let pre = self.program.terms.expression(ExpressionKind::Pre(lvalue), ty);
                    self.operands.push(Operand::Value(pre));
                    Ok(())
                }
                _ => Err(self.wrong("`pre` is of a variable, or of what a pointer points to", open, at - open + 1)),
            },
            (Some((Waiting::Index, _)), b']') => self.index(at),
            (Some((Waiting::Question, open)), _) => Err(self.wrong("this `?` has no `:`", open, 1)),
            _ => Err(self.wrong("this bracket was not opened", at, 1)),
        }
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        self.program.types.is_represented(ty)
    }

    fn index(&mut self, at: usize) -> Read<()> {
        let index = self.pop_value(at)?;
        let index = self.promoted(index);
        let array = self.operands.pop();
        if let Some(Operand::Lvalue(array)) = array
            && let Type::Array(element, _) = *self.program.types.get(self.program.terms.at(array).ty)
        {
            let element = self.program.terms.lvalue(LvalueKind::Element(array, index), element);
            self.operands.push(Operand::Lvalue(element));
            return Ok(());
        }
        self.operands.extend(array);
        let pointer = self.pop_value(at)?;
        self.sized(pointer, at)?;
        let moved = self.program.terms.expression(ExpressionKind::Offset(pointer, index), self.type_of(pointer));
        let element = self.deref(moved, at)?;
        self.operands.push(Operand::Lvalue(element));
        Ok(())
    }

    fn field(&mut self, record: LvalueId, at: usize) -> Read<()> {
        self.blanks();
        let length = word(self.rest());
        let name = &self.rest()[..length];
        let found = self.program.types.as_record(self.program.terms.at(record).ty).and_then(|record| {
            let index = record.fields.iter().position(|field| &*field.name == name)?;
            Some((index as u32, record.fields[index].ty))
        });
        let Some((field, ty)) = found.filter(|_| length > 0) else {
            return Err(self.wrong(format!("there is no member `{name}` here"), at, self.at + length - at));
        };
        self.at += length;
        let lvalue = self.program.terms.lvalue(LvalueKind::Field(record, field), ty);
        self.operands.push(Operand::Lvalue(lvalue));
        Ok(())
    }

    fn type_of(&self, expression: ExpressionId) -> TypeId {
        self.program.terms.get(expression).ty
    }

    /// The value of the last operand: arrays are pointers to their first elements.
    fn pop_value(&mut self, at: usize) -> Read<ExpressionId> {
        let lvalue = match self.operands.pop() {
            Some(Operand::Value(value)) => return Ok(value),
            Some(Operand::Lvalue(lvalue)) => lvalue,
            None => return Err(self.wrong("an operand is missing", at, 1)),
        };
        let ty = self.program.terms.at(lvalue).ty;
        match *self.program.types.get(ty) {
            Type::Integer(_) | Type::Pointer(_) => Ok(self.program.terms.expression(ExpressionKind::Read(lvalue), ty)),
            Type::Array(element, _) => {
                let int = self.program.types.int();
                let zero = self.program.terms.expression(ExpressionKind::Constant(0), int);
                let first = self.program.terms.lvalue(LvalueKind::Element(lvalue, zero), element);
                Ok(self.address(first))
            }
            _ => Err(self.wrong("this is neither a number nor a pointer", at, 1)),
        }
    }

    fn address(&mut self, lvalue: LvalueId) -> ExpressionId {
        let pointer = self.program.types.pointer(self.program.terms.at(lvalue).ty);
        self.program.terms.expression(ExpressionKind::AddressOf(lvalue), pointer)
    }

    fn deref(&mut self, pointer: ExpressionId, at: usize) -> Read<LvalueId> {
        let pointee = self.program.types.pointee(self.type_of(pointer));
        match pointee.filter(|&to| !matches!(self.program.types.get(to), Type::Void | Type::Function(..))) {
            Some(to) => Ok(self.program.terms.lvalue(LvalueKind::Deref(pointer), to)),
            None => Err(self.wrong("this is no pointer to an object", at, 1)),
        }
    }
}

/// How tightly `?:` binds, and to the right.
const CHOICE: u8 = 2;
/// How tightly prefix operators and postfix operators bind.
const PREFIX: u8 = 14;
const POSTFIX: u8 = 15;

/// The length of a name or number.
fn word(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')).count()
}
