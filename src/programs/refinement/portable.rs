//! Predicates as C that every compiler computes alike: without temporaries, without pointers that are followed, and without anything that
//! is undefined. Signed arithmetic is done without sign, and converted back.

use std::collections::HashMap;

use crate::c::Program;
use crate::c::expression::{
    Binary, Expression, ExpressionId, ExpressionKind, Lvalue, LvalueId, LvalueKind, Term, Unary,
};
use crate::c::program::{Storage, VariableId};
use crate::c::types::{Rank, Type, TypeId};

/// The predicate in C, if it can be said in a procedure where these variables have their names. Linear.
pub(super) fn portable(
    program: &Program,
    expression: ExpressionId,
    named: &dyn Fn(VariableId) -> bool,
) -> Option<String> {
    let mut writer = Writer { program, named, texts: HashMap::new(), places: HashMap::new() };
    for term in program.terms.postorder(Term::Expression(expression)) {
        match term {
            Term::Expression(id) => {
                let text = writer.expression(id)?;
                writer.texts.insert(id, text);
            }
            Term::Lvalue(id) => {
                let text = writer.lvalue(id)?;
                writer.places.insert(id, text);
            }
        }
    }
    writer.texts.remove(&expression)
}

struct Writer<'p> {
    program: &'p Program,
    named: &'p dyn Fn(VariableId) -> bool,
    /// Operands, in brackets where they need some.
    texts: HashMap<ExpressionId, String>,
    places: HashMap<LvalueId, String>,
}

impl Writer<'_> {
    fn lvalue(&self, id: LvalueId) -> Option<String> {
        let Lvalue { kind, .. } = self.program.terms.at(id);
        match kind {
            LvalueKind::Variable(variable) => {
                (self.named)(*variable).then(|| self.program.variable(*variable).name.to_string())
            }
            LvalueKind::Field(of, index) => {
                let record = self.program.types.as_record(self.program.terms.at(*of).ty)?;
                let name = &record.fields.get(*index as usize)?.name;
                (!name.is_empty()).then(|| format!("{}.{name}", self.places[of]))
            }
            LvalueKind::Element(of, index) => {
                let &Type::Array(_, length) = self.program.types.get(self.program.terms.at(*of).ty) else {
                    return None;
                };
                let at = self.constant(*index).filter(|at| *at < u128::from(length))?;
                Some(format!("{}[{at}]", self.places[of]))
            }
            LvalueKind::Deref(_) => None,
        }
    }

    fn constant(&self, id: ExpressionId) -> Option<u128> {
        match self.program.terms.get(id).kind {
            ExpressionKind::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    fn expression(&self, id: ExpressionId) -> Option<String> {
        let Expression { kind, ty } = self.program.terms.get(id);
        match kind {
            ExpressionKind::Constant(bits) => self.number(*bits, *ty),
            ExpressionKind::Read(lvalue) => Some(self.places[lvalue].clone()),
            ExpressionKind::AddressOf(lvalue) => Some(format!("(&{})", self.places[lvalue])),
            ExpressionKind::Unary(Unary::Not, a) => Some(format!("(!{})", self.texts[a])),
            ExpressionKind::Unary(Unary::Freed | Unary::Elements, _) => None,
            ExpressionKind::Unary(Unary::Complement, a) => Some(format!("(~{})", self.texts[a])),
            ExpressionKind::Unary(Unary::Negate, a) => Some(match self.without_sign(*ty) {
                Some(unsigned) => format!("(({})(0 - ({unsigned}){}))", self.program.types.name(*ty), self.texts[a]),
                None => format!("(-{})", self.texts[a]),
            }),
            ExpressionKind::Binary(operator, a, b) => self.binary(*operator, *a, *b, *ty),
            ExpressionKind::Convert(a) => Some(format!("(({}){})", self.program.types.name(*ty), self.texts[a])),
            ExpressionKind::Procedure(_)
            | ExpressionKind::Offset(..)
            | ExpressionKind::Distance(..)
            | ExpressionKind::Pre(_)
            | ExpressionKind::Result => None,
        }
    }

    fn number(&self, bits: u128, ty: TypeId) -> Option<String> {
        let Some(integer) = self.program.types.as_integer(ty) else { return Some("0".to_owned()) };
        let number = integer.number(bits);
        // Such a number is no constant of its type.
        if integer.width > 64 || number < 0 && number == integer.least() {
            return None;
        }
        let text = self.program.constant_text(bits, ty);
        Some(if number < 0 { format!("({text})") } else { text })
    }

    fn binary(&self, operator: Binary, a: ExpressionId, b: ExpressionId, ty: TypeId) -> Option<String> {
        let (left, right, sign) = (&self.texts[&a], &self.texts[&b], operator.sign());
        let wraps = matches!(operator, Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft);
        let pointers = self.program.types.as_integer(self.program.terms.get(a).ty).is_none();
        match operator {
            Binary::Divide | Binary::Remainder => {
                let integer = self.program.types.as_integer(ty)?;
                self.constant(b).filter(|by| *by != 0 && *by != integer.mask())?;
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let width = self.program.types.as_integer(ty)?.width;
                self.constant(b).filter(|by| *by < u128::from(width))?;
            }
            Binary::Length => return Some(left.clone()),
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual if pointers => return None,
            _ => {}
        }
        match self.without_sign(ty) {
            Some(unsigned) if wraps => {
                let right = if operator == Binary::ShiftLeft { right.clone() } else { format!("({unsigned}){right}") };
                Some(format!("(({})(({unsigned}){left} {sign} {right}))", self.program.types.name(ty)))
            }
            _ => Some(format!("({left} {sign} {right})")),
        }
    }

    /// The unsigned type of a signed one.
    fn without_sign(&self, ty: TypeId) -> Option<&'static str> {
        let integer = self.program.types.as_integer(ty).filter(|integer| integer.signed)?;
        match integer.rank {
            Rank::Long => Some("unsigned long"),
            Rank::LongLong => Some("unsigned long long"),
            Rank::Int128 => Some("unsigned __int128"),
            Rank::Bool | Rank::Char | Rank::Short | Rank::Int => Some("unsigned int"),
        }
    }
}

/// Whether a name in a procedure can only mean this variable.
pub(super) fn is_only(program: &Program, variable: VariableId) -> bool {
    let one = program.variable(variable);
    let meets = |other: Storage| match (one.storage, other) {
        (Storage::Constant, _) => true,
        (Storage::Global, _) | (_, Storage::Global | Storage::Constant) => true,
        (Storage::Local(a) | Storage::Static(a), Storage::Local(b) | Storage::Static(b)) => a == b,
    };
    let same = program.variables.iter().filter(|other| other.name == one.name && meets(other.storage));
    !one.is_made_up && one.storage != Storage::Constant && same.count() == 1
}
