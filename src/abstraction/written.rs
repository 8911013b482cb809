//! Expressions of C- as C writes them, for the names of predicates. Conversions that cannot change a value are left out.

use std::collections::HashMap;

use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Term, Unary};
use crate::c::program::Program;
use crate::c::types::TypeId;

/// Binds like a name; a prefix operator; a cast.
const PRIMARY: u8 = 15;
const PREFIX: u8 = 14;

/// The text of an expression.
pub fn written(program: &Program, expression: ExpressionId) -> String {
    let mut texts: HashMap<Term, (String, u8)> = HashMap::new();
    let root = Term::Expression(expression);
    for term in program.terms.postorder(root) {
        let text = one(program, term, &texts);
        texts.insert(term, text);
    }
    texts.remove(&root).map(|(text, _)| text).unwrap_or_default()
}

fn one(program: &Program, term: Term, texts: &HashMap<Term, (String, u8)>) -> (String, u8) {
    let at_least = |part: Term, level: u8| {
        let (text, binds) = &texts[&part];
        if *binds < level { format!("({text})") } else { text.clone() }
    };
    let (e, l) = (Term::Expression, Term::Lvalue);
    match term {
        Term::Lvalue(id) => match &program.terms.at(id).kind {
            LvalueKind::Variable(variable) => (program.variable(*variable).name.to_string(), PRIMARY),
            LvalueKind::Deref(pointer) => (format!("*{}", at_least(e(*pointer), PREFIX)), PREFIX),
            LvalueKind::Element(of, index) => (format!("{}[{}]", at_least(l(*of), PRIMARY), texts[&e(*index)].0), PRIMARY),
            LvalueKind::Field(of, field) => {
                let record = program.types.as_record(program.terms.at(*of).ty);
                let name = record.and_then(|record| record.fields.get(*field as usize)).map_or("?", |field| &*field.name);
                if let LvalueKind::Deref(pointer) = program.terms.at(*of).kind {
                    return (format!("{}->{name}", at_least(e(pointer), PRIMARY)), PRIMARY);
                }
                (format!("{}.{name}", at_least(l(*of), PRIMARY)), PRIMARY)
            }
        },
        Term::Expression(id) => {
            let ty = program.terms.get(id).ty;
            match &program.terms.get(id).kind {
                ExpressionKind::Constant(value) => (constant(program, *value, ty), PRIMARY),
                ExpressionKind::Read(of) => texts[&l(*of)].clone(),
                ExpressionKind::AddressOf(of) => (format!("&{}", at_least(l(*of), PREFIX)), PREFIX),
                ExpressionKind::Procedure(of) => (format!("&{}", program.procedure(*of).name), PREFIX),
                ExpressionKind::Unary(operator, a) => {
                    let sign = match operator {
                        Unary::Negate => "-",
                        Unary::Complement => "~",
                        Unary::Not => "!",
                    };
                    let operand = at_least(e(*a), PREFIX);
                    let gap = if operand.starts_with('-') && sign == "-" { " " } else { "" };
                    (format!("{sign}{gap}{operand}"), PREFIX)
                }
                ExpressionKind::Binary(operator, a, b) => binary(*operator, *a, *b, &at_least),
                ExpressionKind::Offset(a, b) => binary(Binary::Add, *a, *b, &at_least),
                ExpressionKind::Distance(a, b) => binary(Binary::Subtract, *a, *b, &at_least),
                ExpressionKind::Convert(a) => {
                    if keeps(program, program.terms.get(*a).ty, ty) {
                        return texts[&e(*a)].clone();
                    }
                    (format!("({}){}", program.types.name(ty), at_least(e(*a), PREFIX)), PREFIX)
                }
                ExpressionKind::Conditional(a, b, c) => {
                    (format!("{} ? {} : {}", at_least(e(*a), 3), texts[&e(*b)].0, at_least(e(*c), 2)), 2)
                }
                ExpressionKind::Pre(of) => (format!("pre({})", texts[&l(*of)].0), PRIMARY),
                ExpressionKind::Result => ("result".to_owned(), PRIMARY),
            }
        }
    }
}

fn binary(
    operator: Binary,
    a: ExpressionId,
    b: ExpressionId,
    at_least: &dyn Fn(Term, u8) -> String,
) -> (String, u8) {
    let level = operator.precedence();
    let (a, b) = (at_least(Term::Expression(a), level), at_least(Term::Expression(b), level + 1));
    (format!("{a} {} {b}", operator.sign()), level)
}

fn constant(program: &Program, value: u128, ty: TypeId) -> String {
    match program.types.as_integer(ty) {
        Some(integer) if integer.signed => integer.number(value).to_string(),
        Some(_) => value.to_string(),
        None => "NULL".to_owned(),
    }
}

/// Whether a conversion keeps every value.
fn keeps(program: &Program, from: TypeId, to: TypeId) -> bool {
    match (program.types.as_integer(from), program.types.as_integer(to)) {
        (Some(from), Some(to)) => from.fits(to),
        (None, None) => true,
        _ => false,
    }
}
