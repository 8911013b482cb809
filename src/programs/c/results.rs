//! What is known of the numbers that functions of the library return, whatever else they do ([`super::library::contracts`]): where the program
//! looks at such a number, it is one of those that there may be.

use std::collections::BTreeSet;

use super::edit::{self, Body};
use super::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use super::format::{Conversion, Count, Kind, Piece, pieces};
use super::library::contracts::{Returned, returned};
use super::library::shapes::{Shape, scanning};
use super::program::{ProcedureId, Program, StatementKind};
use super::texts::Texts;
use super::types::TypeId;

/// The lvalues at which statements look by name; where one value is only handed on to a variable that nobody named, whether somebody looks at
/// that. Linear, but for chains of these.
pub fn looked_at(program: &Program) -> BTreeSet<LvalueId> {
    let statements = || program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let mut found = BTreeSet::new();
    let mut handed = Vec::new();
    for statement in statements() {
        let read = statement.kind.terms().flat_map(|term| program.terms.postorder(term));
        let read = read.filter_map(|term| match term {
            Term::Expression(e) => match program.terms.get(e).kind {
                ExpressionKind::Read(l) => Some(l),
                _ => None,
            },
            Term::Lvalue(_) => None,
        });
        match &statement.kind {
            StatementKind::Assign(to, _) if is_between(program, *to) => handed.push((*to, read.collect::<Vec<_>>())),
            _ => found.extend(read),
        }
    }
    loop {
        let before = handed.len();
        handed.retain(|(to, read)| {
            let is_seen = found.contains(to);
            if is_seen {
                found.extend(read);
            }
            !is_seen
        });
        if handed.len() == before {
            return found;
        }
    }
}

/// Whether an lvalue is a whole variable that no source names.
fn is_between(program: &Program, l: LvalueId) -> bool {
    match program.terms.at(l).kind {
        LvalueKind::Variable(id) => program.variable(id).is_made_up,
        _ => false,
    }
}

/// Says it where it is looked at. Linear.
pub fn bound(program: &mut Program) {
    let texts = Texts::of(program);
    let seen = looked_at(program);
    for id in (0..program.procedures.len()).map(|id| ProcedureId(id as u32)) {
        let wanted = |kind: &StatementKind| match kind {
            StatementKind::External(Some(to), callee, arguments, effect) if effect.reason().is_some() => {
                let ty = program.terms.at(*to).ty;
                let is_wanted = seen.contains(to) || !is_between(program, *to);
                let range = returned(&program.procedure(*callee).name)?;
                let known =
                    is_wanted && program.types.as_integer(ty).is_some() && program.place_in_variable(*to).is_some();
                known.then(|| (*to, ty, allowed(program, &texts, range, (*callee, arguments))))
            }
            _ => None,
        };
        let body = program.procedure(id).body.iter().flatten();
        let ranges: Vec<_> = body.map(|statement| wanted(&statement.kind)).collect();
        if ranges.iter().all(Option::is_none) {
            continue;
        }
        let old = program.procedures[id.0 as usize].body.take().unwrap_or_default();
        let mut body = Body::default();
        for (statement, range) in old.iter().zip(ranges) {
            body.begin();
            let at = body.copy(statement).0 as usize;
            body.statements[at].labels.clone_from(&statement.labels);
            let Some((to, ty, Some(allowed))) = range else { continue };
            let raw = edit::local(program, id, ".returned", ty);
            let value = program.terms.expression(ExpressionKind::Read(raw), ty);
            let Some(value) = cut(program, value, &allowed) else { continue };
            if let StatementKind::External(target, ..) = &mut body.statements[at].kind {
                *target = Some(raw);
            }
            body.push(StatementKind::Assign(to, value), statement.place);
        }
        program.procedures[id.0 as usize].body = Some(body.finish());
    }
}

/// The numbers that there may be: all of a type that are less than 0 if any is, and from one to another one.
struct Allowed {
    /// Whether all that are less than 0 are among them.
    negative: bool,
    least: i128,
    most: Option<i128>,
    /// No more than this, if it is not less than 0.
    limit: Option<ExpressionId>,
}

fn allowed(
    program: &Program,
    texts: &Texts,
    range: Returned,
    (callee, arguments): (ProcedureId, &[ExpressionId]),
) -> Option<Allowed> {
    let plain = Allowed { negative: false, least: 0, most: None, limit: None };
    Some(match range {
        Returned::Between(least, most) => Allowed { least, most, ..plain },
        Returned::UpTo(least, at) => Allowed { least, limit: Some(*arguments.get(at)?), ..plain },
        Returned::Printed => {
            let shape = Shape::named(&program.procedure(callee).name)?;
            let rest = arguments.get(shape.format + 1..)?;
            let text = texts.known(program, *arguments.get(shape.format)?).filter(|_| !shape.list)?;
            let (least, most) = printed(program, texts, text, rest)?;
            let most = most.filter(|most| *most < 1 << 31).map(i128::from);
            // What goes nowhere else succeeds, as far as it is known what it is.
            let negative = shape.buffer.is_none() || most.is_none();
            Allowed { negative, least: i128::from(least.min(1 << 30)), most, ..plain }
        }
        Returned::Scanned => {
            let name = &program.procedure(callee).name;
            let (from, list) = scanning(name)?;
            let at = usize::from(from != super::library::shapes::From::Input);
            let text = texts.known(program, *arguments.get(at)?);
            let counted = |piece: &Piece| match piece {
                Piece::Conversion(one) => !one.suppressed && !matches!(one.letter, b'%' | b'n'),
                Piece::Byte(_) | Piece::Unknown => false,
            };
            let all = text.filter(|_| !list).map(|text| pieces(text, Kind::Scan));
            let most = all.filter(|all| !all.contains(&Piece::Unknown));
            Allowed {
                least: -1,
                most: most.map(|all| all.iter().filter(|piece| counted(piece)).count() as i128),
                ..plain
            }
        }
    })
}

/// How many bytes a format makes of arguments.
fn printed(program: &Program, texts: &Texts, text: &[u8], rest: &[ExpressionId]) -> Option<(u64, Option<u64>)> {
    let mut rest = rest.iter();
    let (mut least, mut most) = (0u64, Some(0u64));
    for piece in pieces(text, Kind::Print) {
        let (more, at_most) = match piece {
            Piece::Byte(_) | Piece::Conversion(Conversion { letter: b'%', .. }) => (1, Some(1)),
            Piece::Conversion(one) => {
                for _ in [one.width, one.precision].into_iter().flatten().filter(|count| *count == Count::Argument) {
                    rest.next()?;
                }
                let taken = one.printed(program.types.model)?;
                let argument = *rest.next()?;
                if !taken.is_of(&program.types, program.terms.get(argument).ty) {
                    return None;
                }
                let long = texts.known(program, argument).map(|text| text.len() as u64);
                one.made(program.types.model, long.map_or((0, None), |long| (long, Some(long))))?
            }
            Piece::Unknown => return None,
        };
        least = least.checked_add(more)?;
        most = most.zip(at_most).and_then(|(a, b)| a.checked_add(b));
    }
    Some((least, most))
}

/// A number if it is allowed, and otherwise one that is; the same number to who knows it.
fn cut(program: &mut Program, value: ExpressionId, allowed: &Allowed) -> Option<ExpressionId> {
    let ty = program.terms.get(value).ty;
    let integer = program.types.as_integer(ty)?;
    let unsigned = program.types.integer(integer.rank, false);
    let mut terms = Cut { program, ty, unsigned };
    let mut conditions = Vec::new();
    let fits = |number: i128| integer.number(number as u128 & integer.mask()) == number;
    if allowed.least > integer.least() && fits(allowed.least) {
        conditions.push(terms.compared(Binary::GreaterEqual, value, allowed.least));
    }
    if let Some(most) = allowed.most.filter(|most| fits(*most)) {
        conditions.push(terms.compared(Binary::LessEqual, value, most));
    }
    if let Some(limit) = allowed.limit {
        conditions.push(terms.limited(value, limit, integer.signed));
    }
    let mut within = conditions.into_iter().reduce(|a, b| terms.truth(Binary::And, a, b))?;
    if allowed.negative && integer.signed {
        let negative = terms.compared(Binary::Less, value, 0);
        within = terms.truth(Binary::Or, negative, within);
    }
    Some(terms.chosen(within, value, allowed.least))
}

/// Terms about a number.
struct Cut<'p> {
    program: &'p mut Program,
    ty: TypeId,
    unsigned: TypeId,
}

impl Cut<'_> {
    fn number(&mut self, number: i128, ty: TypeId) -> ExpressionId {
        let mask = self.program.types.as_integer(ty).map_or(u128::MAX, |integer| integer.mask());
        self.program.terms.expression(ExpressionKind::Constant(number as u128 & mask), ty)
    }

    fn truth(&mut self, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let int = self.program.types.int();
        self.program.terms.expression(ExpressionKind::Binary(op, a, b), int)
    }

    fn compared(&mut self, op: Binary, value: ExpressionId, number: i128) -> ExpressionId {
        let number = self.number(number, self.ty);
        self.truth(op, value, number)
    }

    /// Whether a number is less than 0, or at most another one, which is not.
    fn limited(&mut self, value: ExpressionId, limit: ExpressionId, signed: bool) -> ExpressionId {
        let [a, b] = [value, limit].map(|e| self.converted(e, self.unsigned));
        let within = self.truth(Binary::LessEqual, a, b);
        if !signed {
            return within;
        }
        let negative = self.compared(Binary::Less, value, 0);
        self.truth(Binary::Or, negative, within)
    }

    fn converted(&mut self, e: ExpressionId, ty: TypeId) -> ExpressionId {
        match self.program.terms.get(e).kind {
            _ if self.program.terms.get(e).ty == ty => e,
            ExpressionKind::Constant(bits) => {
                let number = self.program.types.as_integer(self.program.terms.get(e).ty);
                let number = number.map_or(bits as i128, |integer| integer.number(bits));
                self.number(number, ty)
            }
            _ => self.program.terms.expression(ExpressionKind::Convert(e), ty),
        }
    }

    /// The value where a truth is 1, and the number where it is 0: by masks, which have a value for every value.
    fn chosen(&mut self, truth: ExpressionId, value: ExpressionId, number: i128) -> ExpressionId {
        let (unsigned, zero) = (self.unsigned, self.number(0, self.unsigned));
        let [truth, value] = [truth, value].map(|e| self.converted(e, unsigned));
        let mut binary = |op, a, b| self.program.terms.expression(ExpressionKind::Binary(op, a, b), unsigned);
        let mask = binary(Binary::Subtract, zero, truth);
        let kept = binary(Binary::And, value, mask);
        if number == 0 {
            return self.converted(kept, self.ty);
        }
        let turned =
            self.program.terms.expression(ExpressionKind::Unary(super::expression::Unary::Complement, mask), unsigned);
        let number = self.number(number, unsigned);
        let mut binary = |op, a, b| self.program.terms.expression(ExpressionKind::Binary(op, a, b), unsigned);
        let other = binary(Binary::And, number, turned);
        let all = binary(Binary::Or, kept, other);
        self.converted(all, self.ty)
    }
}
