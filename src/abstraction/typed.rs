//! One expression of a predicate: read by precedence with a stack of its own, typed as C does (C11 §6.3, §6.5).

use spds_format::Diagnostic;

use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary};
use crate::c::program::{ProcedureId, Program, Storage, VariableId};
use crate::c::types::{Integer, Rank, Type, TypeId};

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    Unary(Unary),
    Plus,
    Deref,
    Address,
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
}

impl<'p, 't> Reader<'p, 't> {
    pub fn new(program: &'p mut Program, scope: Option<ProcedureId>, text: &'t str, begin: usize) -> Self {
        Reader { program, scope, text, begin, at: 0, operands: Vec::new(), waiting: Vec::new() }
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
                Some(b'(') => Waiting::Bracket,
                Some(b'-') => Waiting::Prefix(Prefix::Unary(Unary::Negate)),
                Some(b'~') => Waiting::Prefix(Prefix::Unary(Unary::Complement)),
                Some(b'!') => Waiting::Prefix(Prefix::Unary(Unary::Not)),
                Some(b'+') => Waiting::Prefix(Prefix::Plus),
                Some(b'*') => Waiting::Prefix(Prefix::Deref),
                Some(b'&') => Waiting::Prefix(Prefix::Address),
                Some(byte) if byte.is_ascii_digit() => return self.literal(),
                Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
                    let length = word(self.rest());
                    if &self.rest()[..length] != "pre" || !self.rest()[length..].trim_start().starts_with('(') {
                        return self.name(length);
                    }
                    self.at += length;
                    self.blanks();
                    Waiting::Pre
                }
                Some(_) => return Err(self.wrong("expected an expression", at, 1)),
                None => return Err(self.wrong("an expression is missing here", at, 1)),
            };
            self.at += 1;
            self.waiting.push((waiting, at));
        }
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
                Waiting::Bracket | Waiting::Pre | Waiting::Index => return Ok(()),
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

    fn literal(&mut self) -> Read<()> {
        let at = self.at;
        let length = word(self.rest());
        let text = self.rest()[..length].to_ascii_lowercase();
        self.at += length;
        let digits = text.trim_end_matches(['u', 'l']);
        let suffix = &text[digits.len()..];
        let (digits, base) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
            None => (digits, 10),
        };
        let Ok(number) = u128::from_str_radix(digits, base) else {
            return Err(self.wrong(format!("`{text}` is no number"), at, length));
        };
        let least = match suffix.matches('l').count() {
            0 => Rank::Int,
            1 => Rank::Long,
            _ => Rank::LongLong,
        };
        let unsigned = suffix.contains('u');
        for rank in [Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128].into_iter().filter(|&rank| rank >= least) {
            for signed in [true, false] {
                let allowed = if signed { !unsigned } else { unsigned || base != 10 };
                let integer = self.program.types.integer_of(rank, signed);
                let room = integer.width - u32::from(signed);
                if allowed && (room >= 128 || number >> room == 0) {
                    let ty = self.program.types.integer(rank, signed);
                    let constant = self.program.terms.expression(ExpressionKind::Constant(number), ty);
                    self.operands.push(Operand::Value(constant));
                    return Ok(());
                }
            }
        }
        Err(self.wrong("no type is wide enough for this number", at, length))
    }

    fn name(&mut self, length: usize) -> Read<()> {
        let at = self.at;
        let name = &self.rest()[..length];
        self.at += length;
        let operand = if let Some(variable) = self.variable(name, at)? {
            let ty = self.program.variable(variable).ty;
            Operand::Lvalue(self.program.terms.lvalue(LvalueKind::Variable(variable), ty))
        } else if name == "result" {
            Operand::Value(self.result(at)?)
        } else if name == "NULL" {
            let void = self.program.types.void();
            let pointer = self.program.types.pointer(void);
            Operand::Value(self.program.terms.expression(ExpressionKind::Constant(0), pointer))
        } else {
            return Err(self.unknown(name, at));
        };
        self.operands.push(operand);
        Ok(())
    }

    fn result(&mut self, at: usize) -> Read<ExpressionId> {
        let ty = self.scope.map(|scope| self.program.procedure(scope).result).filter(|&ty| self.is_scalar(ty));
        match ty {
            Some(ty) => Ok(self.program.terms.expression(ExpressionKind::Result, ty)),
            None => Err(self.wrong("there is no result here", at, "result".len())),
        }
    }

    fn unknown(&self, name: &str, at: usize) -> Box<Diagnostic> {
        let visible = self.program.variables.iter().filter(|variable| match variable.storage {
            Storage::Global => true,
            Storage::Static(of) | Storage::Local(of) => Some(of) == self.scope,
            Storage::Constant => false,
        });
        let message = match self.scope {
            Some(scope) => format!("there is no variable `{name}` in `{}`", self.program.procedure(scope).name),
            None => format!("there is no global variable `{name}`"),
        };
        let diagnostic = self.wrong(message, at, name.len());
        match spds_format::reading::near::did_you_mean(name, visible.map(|variable| &*variable.name)) {
            Some(help) => Box::new(diagnostic.with_help(help)),
            None => diagnostic,
        }
    }

    /// The variable of that name: the procedure's, else a global one.
    fn variable(&self, name: &str, at: usize) -> Read<Option<VariableId>> {
        let named = |wanted: &dyn Fn(Storage) -> bool| -> Vec<VariableId> {
            let all = self.program.variables.iter().enumerate();
            let fitting = all.filter(|(_, variable)| &*variable.name == name && wanted(variable.storage));
            fitting.map(|(index, _)| VariableId(index as u32)).collect()
        };
        let own = |storage| match storage {
            Storage::Local(of) | Storage::Static(of) => Some(of) == self.scope,
            Storage::Global | Storage::Constant => false,
        };
        for candidates in [named(&own), named(&|storage| storage == Storage::Global)] {
            match candidates[..] {
                [] => {}
                [one] => return Ok(Some(one)),
                _ => {
                    let message =
                        format!("several variables are called `{name}`, and which one is meant cannot be said");
                    let declared = candidates.iter().map(|&id| {
                        let place = self.program.variable(id).place;
                        format!("{}:{}", self.program.files[place.file as usize], place.line)
                    });
                    let help = format!("they are declared at {}", declared.collect::<Vec<_>>().join(", "));
                    return Err(Box::new(self.wrong(message, at, name.len()).with_help(help)));
                }
            }
        }
        Ok(None)
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

    fn apply(&mut self, waiting: Waiting, at: usize) -> Read<()> {
        let operand = match waiting {
            Waiting::Prefix(Prefix::Deref) => {
                let pointer = self.pop_value(at)?;
                Operand::Lvalue(self.deref(pointer, at)?)
            }
            Waiting::Prefix(Prefix::Address) => match self.operands.pop() {
                Some(Operand::Lvalue(lvalue)) => Operand::Value(self.address(lvalue)),
                _ => return Err(self.wrong("this has no address", at, 1)),
            },
            Waiting::Prefix(Prefix::Unary(Unary::Not)) => {
                let value = self.pop_value(at)?;
                let int = self.program.types.int();
                Operand::Value(self.program.terms.expression(ExpressionKind::Unary(Unary::Not, value), int))
            }
            Waiting::Prefix(prefix) => {
                let value = self.pop_integer(at)?;
                let value = self.promoted(value);
                match prefix {
                    Prefix::Unary(operator) => {
                        let ty = self.type_of(value);
                        Operand::Value(self.program.terms.expression(ExpressionKind::Unary(operator, value), ty))
                    }
                    _ => Operand::Value(value),
                }
            }
            Waiting::Infix(operator) => {
                let right = self.pop_value(at)?;
                let left = self.pop_value(at)?;
                Operand::Value(self.infix(operator, left, right, at)?)
            }
            Waiting::Bracket | Waiting::Pre | Waiting::Index => return Ok(()),
        };
        self.operands.push(operand);
        Ok(())
    }

    fn pop_integer(&mut self, at: usize) -> Read<ExpressionId> {
        let value = self.pop_value(at)?;
        match self.integer(value) {
            Some(_) => Ok(value),
            None => Err(self.wrong("this operator needs numbers", at, 1)),
        }
    }

    fn integer(&self, value: ExpressionId) -> Option<Integer> {
        self.program.types.as_integer(self.type_of(value))
    }

    fn infix(&mut self, operator: Binary, left: ExpressionId, right: ExpressionId, at: usize) -> Read<ExpressionId> {
        let int = self.program.types.int();
        let (left, right, ty) = match (self.integer(left), self.integer(right)) {
            _ if matches!(operator, Binary::Both | Binary::Either) => (left, right, int),
            (Some(_), Some(_)) if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) => {
                let (left, right) = (self.promoted(left), self.promoted(right));
                (left, right, self.type_of(left))
            }
            (Some(a), Some(b)) => {
                let common = self.program.types.common(a, b);
                let common = self.program.types.intern(Type::Integer(common));
                (self.converted(left, common), self.converted(right, common), common)
            }
            _ => return self.with_pointers(operator, left, right, at),
        };
        let ty = if operator.is_truth() { int } else { ty };
        Ok(self.program.terms.expression(ExpressionKind::Binary(operator, left, right), ty))
    }

    /// Pointers are compared with each other and with NULL, moved, and subtracted.
    fn with_pointers(
        &mut self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
        at: usize,
    ) -> Read<ExpressionId> {
        let (a, b) = (self.integer(left).is_none(), self.integer(right).is_none());
        if matches!(operator, Binary::Add | Binary::Subtract) {
            self.sized(left, at)?;
            self.sized(right, at)?;
        }
        let kind = match operator {
            Binary::Add if a && !b => ExpressionKind::Offset(left, self.promoted(right)),
            Binary::Add if b && !a => return self.with_pointers(operator, right, left, at),
            Binary::Subtract if a && b => {
                let ty = self.program.types.difference_type();
                return Ok(self.program.terms.expression(ExpressionKind::Distance(left, right), ty));
            }
            Binary::Subtract if a => {
                let back = self.promoted(right);
                let ty = self.type_of(back);
                ExpressionKind::Offset(
                    left,
                    self.program.terms.expression(ExpressionKind::Unary(Unary::Negate, back), ty),
                )
            }
            _ if operator.is_truth() => {
                let ty = self.type_of(if a { left } else { right });
                let (left, right) = (self.as_pointer(left, ty, at)?, self.as_pointer(right, ty, at)?);
                let int = self.program.types.int();
                return Ok(self.program.terms.expression(ExpressionKind::Binary(operator, left, right), int));
            }
            _ => return Err(self.wrong("this operator needs numbers", at, 1)),
        };
        let ty = self.type_of(if a { left } else { right });
        Ok(self.program.terms.expression(kind, ty))
    }

    /// Complains about pointers to arrays whose size varies: only the program knows how far they move.
    fn sized(&self, value: ExpressionId, at: usize) -> Read<()> {
        match self.program.types.pointee(self.type_of(value)) {
            Some(to) if self.program.types.varies(to) => {
                Err(self.wrong("the size of what this points to varies, and predicates do not know it", at, 1))
            }
            _ => Ok(()),
        }
    }

    fn as_pointer(&mut self, value: ExpressionId, ty: TypeId, at: usize) -> Read<ExpressionId> {
        if self.program.terms.get(value).kind == ExpressionKind::Constant(0) {
            return Ok(self.program.terms.expression(ExpressionKind::Constant(0), ty));
        }
        if self.integer(value).is_some() {
            return Err(self.wrong("a pointer is compared with a number that is not 0", at, 1));
        }
        if self.type_of(value) == ty {
            return Ok(value);
        }
        Ok(self.program.terms.expression(ExpressionKind::Convert(value), ty))
    }

    fn promoted(&mut self, value: ExpressionId) -> ExpressionId {
        let Some(integer) = self.integer(value) else { return value };
        let promoted = self.program.types.promoted(integer);
        let ty = self.program.types.intern(Type::Integer(promoted));
        self.converted(value, ty)
    }

    fn converted(&mut self, value: ExpressionId, ty: TypeId) -> ExpressionId {
        if self.type_of(value) == ty {
            return value;
        }
        self.program.terms.expression(ExpressionKind::Convert(value), ty)
    }
}

/// How tightly prefix operators and postfix operators bind.
const PREFIX: u8 = 14;
const POSTFIX: u8 = 15;

/// The length of a name or number.
fn word(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')).count()
}
