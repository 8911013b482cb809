//! Predicates as certificates have them: the operands of an operator before it, with the types that do not follow from theirs. C would not do: what the
//! front end has made up has no name there, and names may have several meanings.

use crate::c::Program;
use crate::c::expression::{Binary, Expression, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::{ProcedureId, VariableId};
use crate::c::types::{Integer, Rank, Type, TypeId};
use crate::certificate::quoted;
use crate::certificate::words::{Result, Words};

const RANKS: [(Rank, &str); 7] = [
    (Rank::Bool, "bool"),
    (Rank::Char, "char"),
    (Rank::Short, "short"),
    (Rank::Int, "int"),
    (Rank::Long, "long"),
    (Rank::LongLong, "long-long"),
    (Rank::Int128, "int128"),
];

const UNARIES: [(Unary, &str); 3] =
    [(Unary::Negate, "negated"), (Unary::Complement, "complement"), (Unary::Not, "not")];

const BINARIES: [Binary; 19] = [
    Binary::Add,
    Binary::Subtract,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::Length,
    Binary::And,
    Binary::Xor,
    Binary::Or,
    Binary::Equal,
    Binary::Unequal,
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
    Binary::Both,
    Binary::Either,
];

fn sign(operator: Binary) -> &'static str {
    if operator == Binary::Length { "length" } else { operator.sign() }
}

/// An expression of a predicate, as text. Linear in what is written, in which what occurs twice is written twice.
pub fn written(program: &Program, expression: ExpressionId) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut open = vec![Term::Expression(expression)];
    // Operators before operands, the last one first: backwards that is the operands before the operator.
    while let Some(term) = open.pop() {
        words.push(match term {
            Term::Expression(id) => expression_word(program, program.terms.get(id)),
            Term::Lvalue(id) => match &program.terms.at(id).kind {
                LvalueKind::Variable(id) => format!("variable {} {}", quoted(&program.variable(*id).name), id.0),
                LvalueKind::Deref(_) => "followed".to_owned(),
                LvalueKind::Field(_, index) => format!("field {index}"),
                LvalueKind::Element(..) => "element".to_owned(),
            },
        });
        open.extend(program.terms.parts(term));
    }
    words.reverse();
    words.join(" ")
}

fn expression_word(program: &Program, Expression { kind, ty }: &Expression) -> String {
    let ty = || type_word(program, *ty);
    match kind {
        ExpressionKind::Constant(bits) => format!("constant {bits} {}", ty()),
        ExpressionKind::Read(_) => "read".to_owned(),
        ExpressionKind::Pre(_) => "entered".to_owned(),
        ExpressionKind::AddressOf(_) => format!("address {}", ty()),
        ExpressionKind::Procedure(id) => format!("procedure {} {}", id.0, ty()),
        ExpressionKind::Unary(operator, _) => {
            UNARIES.iter().find(|(own, _)| own == operator).map_or("", |(_, word)| word).to_owned()
        }
        ExpressionKind::Binary(operator, ..) => sign(*operator).to_owned(),
        ExpressionKind::Convert(_) => format!("converted {}", ty()),
        ExpressionKind::Offset(..) => "offset".to_owned(),
        ExpressionKind::Distance(..) => format!("distance {}", ty()),
        ExpressionKind::Result => "result".to_owned(),
    }
}

/// A type: an integer by sign, width and rank, a pointer by what it leads to, any other one by its number in the program.
fn type_word(program: &Program, mut ty: TypeId) -> String {
    let mut text = String::new();
    loop {
        match program.types.get(ty) {
            Type::Pointer(to) => {
                text.push('*');
                ty = *to;
            }
            Type::Integer(Integer { rank, signed, width }) => {
                let rank = RANKS.iter().find(|(own, _)| own == rank).map_or("", |(_, word)| word);
                return text + &format!("{}{width}.{rank}", if *signed { 's' } else { 'u' });
            }
            _ => return text + &format!("#{}", ty.0),
        }
    }
}

/// Reads an expression; it joins the program. Operands have to fit their operators: what does not is no predicate.
///
/// # Errors
/// What is wrong first.
pub fn read(program: &mut Program, scope: Option<ProcedureId>, text: &str) -> Result<ExpressionId> {
    let (mut words, mut stack) = (Words::of(text.trim()), Stack(Vec::new()));
    while !words.is_done() {
        let word = words.plain()?;
        let term = term(program, scope, word, &mut words, &mut stack)?;
        stack.0.push(term);
    }
    match stack.0.as_slice() {
        [Term::Expression(id)] => Ok(*id),
        _ => Err(format!("`{text}` is not one expression")),
    }
}

/// What has been read, and is no operand yet.
struct Stack(Vec<Term>);

impl Stack {
    fn expression(&mut self) -> Result<ExpressionId> {
        match self.0.pop() {
            Some(Term::Expression(id)) => Ok(id),
            _ => Err("an operand is missing".into()),
        }
    }

    fn lvalue(&mut self) -> Result<LvalueId> {
        match self.0.pop() {
            Some(Term::Lvalue(id)) => Ok(id),
            _ => Err("an object is missing".into()),
        }
    }
}

fn term(
    program: &mut Program,
    scope: Option<ProcedureId>,
    word: &str,
    words: &mut Words<'_>,
    stack: &mut Stack,
) -> Result<Term> {
    if let "variable" | "followed" | "field" | "element" = word {
        let (kind, ty) = lvalue(program, word, words, stack)?;
        return Ok(Term::Lvalue(program.terms.lvalue(kind, ty)));
    }
    let (kind, ty) = expression(program, scope, word, words, stack)?;
    Ok(Term::Expression(program.terms.expression(kind, ty)))
}

fn lvalue(program: &Program, word: &str, words: &mut Words<'_>, stack: &mut Stack) -> Result<(LvalueKind, TypeId)> {
    match word {
        "variable" => {
            let (name, id) = (words.name()?, VariableId(words.number()?));
            let own = program.variables.get(id.0 as usize).filter(|variable| *variable.name == *name);
            let ty = own.map(|variable| variable.ty).ok_or_else(|| format!("variable {} is not `{name}`", id.0))?;
            Ok((LvalueKind::Variable(id), ty))
        }
        "followed" => {
            let pointer = stack.expression()?;
            let to =
                program.types.pointee(program.terms.get(pointer).ty).filter(|to| program.types.size(*to).is_some());
            let to = to.ok_or("what is followed is no pointer to an object")?;
            Ok((LvalueKind::Deref(pointer), to))
        }
        "field" => {
            let (of, index) = (stack.lvalue()?, words.number()?);
            let record = program.types.as_record(program.terms.at(of).ty);
            let field = record.and_then(|record| record.fields.get(index as usize));
            let ty = field.map(|field| field.ty).ok_or("there is no such member")?;
            Ok((LvalueKind::Field(of, index), ty))
        }
        _ => {
            let (index, of) = (stack.expression()?, stack.lvalue()?);
            program.types.as_integer(program.terms.get(index).ty).ok_or("an index is no integer")?;
            let &Type::Array(ty, _) = program.types.get(program.terms.at(of).ty) else {
                return Err("only arrays have elements".into());
            };
            Ok((LvalueKind::Element(of, index), ty))
        }
    }
}

fn expression(
    program: &mut Program,
    scope: Option<ProcedureId>,
    word: &str,
    words: &mut Words<'_>,
    stack: &mut Stack,
) -> Result<(ExpressionKind, TypeId)> {
    match word {
        "constant" => constant(program, words),
        "read" | "entered" => {
            let of = stack.lvalue()?;
            let ty = program.terms.at(of).ty;
            if !program.types.is_scalar(ty) {
                return Err("what is read is no number and no pointer".into());
            }
            let kind = if word == "read" { ExpressionKind::Read(of) } else { ExpressionKind::Pre(of) };
            Ok((kind, ty))
        }
        "address" => {
            let (of, ty) = (stack.lvalue()?, read_type(program, words.plain()?)?);
            program.types.pointee(ty).ok_or("an address is a pointer")?;
            Ok((ExpressionKind::AddressOf(of), ty))
        }
        "procedure" => {
            let id = ProcedureId(words.number()?);
            program.procedures.get(id.0 as usize).ok_or("there is no such procedure")?;
            let ty = read_type(program, words.plain()?)?;
            program.types.pointee(ty).ok_or("an address is a pointer")?;
            Ok((ExpressionKind::Procedure(id), ty))
        }
        "converted" => {
            let (value, ty) = (stack.expression()?, read_type(program, words.plain()?)?);
            let from = program.terms.get(value).ty;
            crate::c::expression::conversion(&program.types, from, ty).ok_or("nothing converts so")?;
            Ok((ExpressionKind::Convert(value), ty))
        }
        "offset" => {
            let (by, pointer) = (stack.expression()?, stack.expression()?);
            let ty = program.terms.get(pointer).ty;
            program.types.as_integer(program.terms.get(by).ty).ok_or("an offset is no integer")?;
            program.types.pointee(ty).ok_or("only pointers are moved")?;
            Ok((ExpressionKind::Offset(pointer, by), ty))
        }
        "distance" => distance(program, words, stack),
        "result" => {
            let ty = scope.map(|scope| program.procedure(scope).result).filter(|ty| program.types.is_scalar(*ty));
            Ok((ExpressionKind::Result, ty.ok_or("there is no result here")?))
        }
        _ => operator(program, word, stack),
    }
}

/// A number, or the null pointer.
fn constant(program: &mut Program, words: &mut Words<'_>) -> Result<(ExpressionKind, TypeId)> {
    let bits: u128 = words.number()?;
    let ty = read_type(program, words.plain()?)?;
    let fits = match program.types.as_integer(ty) {
        Some(integer) => bits & integer.mask() == bits,
        None => program.types.pointee(ty).is_some() && bits == 0,
    };
    if fits { Ok((ExpressionKind::Constant(bits), ty)) } else { Err("a constant does not fit".into()) }
}

/// How many elements lie between two pointers.
fn distance(program: &mut Program, words: &mut Words<'_>, stack: &mut Stack) -> Result<(ExpressionKind, TypeId)> {
    let (right, left) = (stack.expression()?, stack.expression()?);
    let ty = read_type(program, words.plain()?)?;
    let pointers = [left, right].map(|id| program.types.pointee(program.terms.get(id).ty));
    if pointers[0].is_none() || pointers[0] != pointers[1] || program.types.as_integer(ty).is_none() {
        return Err("a distance is a number between two pointers".into());
    }
    Ok((ExpressionKind::Distance(left, right), ty))
}

fn operator(program: &mut Program, word: &str, stack: &mut Stack) -> Result<(ExpressionKind, TypeId)> {
    let int = program.types.int();
    if let Some((operator, _)) = UNARIES.iter().find(|(_, own)| *own == word) {
        let value = stack.expression()?;
        let ty = program.terms.get(value).ty;
        if *operator != Unary::Not && program.types.as_integer(ty).is_none() {
            return Err(format!("`{word}` is of integers"));
        }
        return Ok((ExpressionKind::Unary(*operator, value), if *operator == Unary::Not { int } else { ty }));
    }
    let known = BINARIES.iter().find(|operator| sign(**operator) == word);
    let operator = *known.ok_or_else(|| format!("`{word}` is no part of a predicate"))?;
    let (right, left) = (stack.expression()?, stack.expression()?);
    let types = [left, right].map(|id| program.terms.get(id).ty);
    let [of_left, of_right] = types.map(|ty| program.types.as_integer(ty));
    let pointers = types.iter().all(|ty| program.types.pointee(*ty).is_some());
    let fits = match operator {
        Binary::Both | Binary::Either => true,
        Binary::ShiftLeft | Binary::ShiftRight => of_left.is_some() && of_right.is_some(),
        _ if operator.is_truth() && pointers => true,
        _ => of_left.zip(of_right).is_some_and(|(left, right)| left.width == right.width),
    };
    if !fits {
        return Err(format!("the operands of `{word}` do not fit"));
    }
    Ok((ExpressionKind::Binary(operator, left, right), if operator.is_truth() { int } else { types[0] }))
}

fn read_type(program: &mut Program, word: &str) -> Result<TypeId> {
    let wrong = || format!("`{word}` is no type");
    let inner = word.trim_start_matches('*');
    let mut ty = match inner.strip_prefix('#') {
        Some(number) => {
            let id: u32 = number.parse().map_err(|_| wrong())?;
            if id as usize >= program.types.count() {
                return Err(wrong());
            }
            TypeId(id)
        }
        None => {
            let (size, rank) = inner.split_once('.').ok_or_else(wrong)?;
            let rank = RANKS.iter().find(|(_, own)| *own == rank).map(|(rank, _)| *rank).ok_or_else(wrong)?;
            let signed = size.starts_with('s');
            let width = size.strip_prefix(['s', 'u']).and_then(|width| width.parse().ok()).ok_or_else(wrong)?;
            if width == 0 || width > program.types.model.width(rank) {
                return Err(wrong());
            }
            program.types.intern(Type::Integer(Integer { rank, signed, width }))
        }
    };
    for _ in 0..word.len() - inner.len() {
        ty = program.types.pointer(ty);
    }
    Ok(ty)
}
