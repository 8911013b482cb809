//! What the propositions of a formula mean in a C program.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use spds_format::Diagnostic;
use spds_format::reading::near::did_you_mean;

use crate::abstraction::predicate::reads;
use crate::abstraction::read::expression;
use crate::analyses::Analyses;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::{Callee, Label, ProcedureId, Program, Statement, StatementId, StatementKind};
use crate::interpreter::forever::Watched;
use crate::ltl::Proposition;
use crate::ltl::proposition::PropositionKind;

use super::place::{places, statements};

/// What a proposition means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// One of these statements is next.
    Places(BTreeSet<StatementId>),
    /// A condition, which nothing undefined is needed to evaluate.
    Condition(Watched),
    /// The program has ended.
    End,
    /// It has failed.
    Fail,
    /// Never.
    Never,
}

/// Whether formulas can mean something by a word.
pub fn is_name(program: &Program, word: &str) -> bool {
    let mut statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    program.variables.iter().any(|variable| *variable.name == *word)
        || statements.any(|statement| statement.labels.iter().any(|label| **label == *word))
}

/// What each proposition means; conditions become expressions of the program. Linear in the program for each proposition.
///
/// # Errors
/// What is unknown or cannot be evaluated everywhere, with places in the formula.
pub fn atoms(program: &mut Program, propositions: &[Proposition]) -> Result<Vec<Atom>, Vec<Diagnostic>> {
    let (mut atoms, mut wrong) = (Vec::new(), Vec::new());
    // Asked for by calls only.
    let analyses = OnceCell::new();
    for proposition in propositions {
        match atom(program, proposition, &analyses) {
            Ok(atom) => atoms.push(atom),
            Err(complaint) => wrong.push(*complaint),
        }
    }
    if wrong.is_empty() { Ok(atoms) } else { Err(wrong) }
}

type Read<T> = Result<T, Box<Diagnostic>>;

fn atom(program: &mut Program, proposition: &Proposition, analyses: &OnceCell<Arc<Analyses>>) -> Read<Atom> {
    let wrong = |message: String| Box::new(Diagnostic::error(message, proposition.span.clone()));
    let place = |program: &Program, name: &str| match places(program, name) {
        Ok(places) => Ok(Atom::Places(places.into_iter().collect())),
        Err(error) => Err(wrong(format!("{error}: {}", error.advice()))),
    };
    match &proposition.kind {
        PropositionKind::Name(name) => {
            let bare = name.strip_prefix("::").unwrap_or(name);
            let labels =
                statements(program).any(|(_, statement)| statement.labels.iter().any(|label| **label == *bare));
            if labels && !name.starts_with("::") { place(program, bare) } else { condition(program, bare, proposition) }
        }
        PropositionKind::Label { procedure, label } => {
            place(program, &format!("{}:{label}", procedure.as_deref().unwrap_or("*")))
        }
        PropositionKind::Expression(text) => condition(program, text, proposition),
        PropositionKind::At(name) => of_procedure(program, name, proposition, |_, _| true),
        PropositionKind::Entry(name) => of_procedure(program, name, proposition, |at, _| at == Label(0)),
        PropositionKind::Return(name) => {
            of_procedure(program, name, proposition, |_, statement| matches!(statement.kind, StatementKind::Return(_)))
        }
        PropositionKind::Call(name) => {
            calls(program, name, proposition, analyses.get_or_init(|| Analyses::of(program)))
        }
        PropositionKind::End => Ok(Atom::End),
        PropositionKind::Fail => Ok(Atom::Fail),
        PropositionKind::Stuck => Ok(Atom::Never),
    }
}

fn procedure(program: &Program, name: &str, proposition: &Proposition) -> Read<ProcedureId> {
    program.procedure_named(name).ok_or_else(|| {
        let complaint = Diagnostic::error(format!("there is no procedure `{name}`"), proposition.span.clone());
        let known = program.procedures.iter().map(|procedure| &*procedure.name);
        Box::new(match did_you_mean(name, known) {
            Some(help) => complaint.with_help(help),
            None => complaint,
        })
    })
}

fn of_procedure(
    program: &Program,
    name: &str,
    proposition: &Proposition,
    wanted: impl Fn(Label, &Statement) -> bool,
) -> Read<Atom> {
    let id = procedure(program, name, proposition)?;
    let own = statements(program).filter(|(at, statement)| at.procedure == id && wanted(at.label, statement));
    Ok(Atom::Places(own.map(|(place, _)| place).collect()))
}

/// The statements that call a procedure, with or without a body.
fn calls(program: &Program, name: &str, proposition: &Proposition, analyses: &Analyses) -> Read<Atom> {
    let id = procedure(program, name, proposition)?;
    let mut places = BTreeSet::new();
    for (place, statement) in statements(program) {
        let calls = match &statement.kind {
            StatementKind::Call(_, Callee::Procedure(callee), _) => *callee == id,
            StatementKind::Call(_, callee, _) => {
                let callees = analyses.points_to().callees(program, *callee);
                if callees.contains(&id) && callees.len() > 1 {
                    let message = format!("`{name}` is one of several procedures that a pointer leads to");
                    return Err(Box::new(Diagnostic::error(message, proposition.span.clone())));
                }
                callees.contains(&id)
            }
            StatementKind::External(_, callee, ..) => *callee == id,
            StatementKind::Input(_, kind) => kind.procedure() == Some(name),
            _ => false,
        };
        if calls {
            places.insert(place);
        }
    }
    if places.is_empty() && program.procedure(id).body.is_none() {
        // It is called nowhere, or its calls became other statements: exits, allocations, nothing at all.
        let message = format!("calls of `{name}`, which has no body here, cannot be told from other statements");
        let help = "define it, with an empty body, say; whether it is ever called is asked by a file of properties: G ! call(f())";
        return Err(Box::new(Diagnostic::error(message, proposition.span.clone()).with_help(help)));
    }
    Ok(Atom::Places(places))
}

/// A condition in C's syntax, over globals and `procedure.local`.
fn condition(program: &mut Program, text: &str, proposition: &Proposition) -> Read<Atom> {
    let (text, scope) = scoped(program, text, proposition)?;
    let moved = |mut complaint: Box<Diagnostic>| {
        complaint.span = complaint.span.map(|span| span.start + proposition.inner..span.end + proposition.inner);
        complaint
    };
    let read = expression(program, scope, &text).map_err(moved)?;
    let spoken = reads(program, read);
    let complaint = |message: &str| Err(Box::new(Diagnostic::error(message, proposition.span.clone())));
    if spoken.pre || spoken.result {
        return complaint("a formula knows neither `pre` nor `result`");
    }
    let Some(condition) = total(program, read) else {
        return complaint(
            "a proposition has a value everywhere: it cannot follow pointers, divide, or compute an index or a shift",
        );
    };
    let local = spoken.now.iter().any(|&variable| !program.is_global(variable));
    Ok(Atom::Condition(Watched { condition, scope: scope.filter(|_| local) }))
}

/// The text with `procedure.` made blank wherever it stands before a local, and the procedure.
fn scoped(program: &Program, text: &str, proposition: &Proposition) -> Read<(String, Option<ProcedureId>)> {
    let mut scope: Option<ProcedureId> = None;
    let mut out = text.to_owned();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    for (dot, _) in text.match_indices('.') {
        let before = &text[..dot];
        let begin = before.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        let word = &before[begin..];
        let inside = before[..begin].ends_with(['.', '>']);
        let named = program.procedure_named(word).filter(|&id| program.procedure(id).body.is_some());
        let is_variable = program.variables.iter().any(|variable| *variable.name == *word);
        let Some(id) = named.filter(|_| !inside && !is_variable) else { continue };
        if scope.is_some_and(|other| other != id) {
            let message = "a proposition mentions locals of one procedure at most";
            return Err(Box::new(Diagnostic::error(message, proposition.span.clone())));
        }
        scope = Some(id);
        out.replace_range(begin..=dot, &" ".repeat(dot + 1 - begin));
    }
    Ok((out, scope))
}

/// The same condition computed so that nothing in it is undefined: signed arithmetic modulo 2ʷ. None if that cannot be.
pub fn total(program: &mut Program, root: ExpressionId) -> Option<ExpressionId> {
    let mut known = std::collections::HashMap::new();
    for term in program.terms.postorder(Term::Expression(root)) {
        match term {
            Term::Lvalue(lvalue) => fixed(program, lvalue).then_some(())?,
            Term::Expression(id) => {
                let made = whole(program, id, &known)?;
                known.insert(id, made);
            }
        }
    }
    known.get(&root).copied()
}

/// Whether an lvalue is always the same place.
fn fixed(program: &Program, lvalue: LvalueId) -> bool {
    match program.terms.at(lvalue).kind {
        LvalueKind::Variable(_) | LvalueKind::Field(..) => true,
        LvalueKind::Deref(_) => false,
        LvalueKind::Element(_, index) => matches!(program.terms.get(index).kind, ExpressionKind::Constant(_)),
    }
}

fn whole(
    program: &mut Program,
    id: ExpressionId,
    known: &std::collections::HashMap<ExpressionId, ExpressionId>,
) -> Option<ExpressionId> {
    let crate::c::expression::Expression { kind, ty } = program.terms.get(id).clone();
    let signed = program.types.as_integer(ty).filter(|integer| integer.signed);
    let part = |id: ExpressionId| known.get(&id).copied();
    let kind = match kind {
        ExpressionKind::Unary(Unary::Negate, a) if signed.is_some() => {
            let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
            return Some(modulo(program, Binary::Subtract, zero, part(a)?, ty));
        }
        ExpressionKind::Unary(operator, a) => ExpressionKind::Unary(operator, part(a)?),
        ExpressionKind::Binary(operator @ (Binary::Add | Binary::Subtract | Binary::Multiply), a, b)
            if signed.is_some() =>
        {
            return Some(modulo(program, operator, part(a)?, part(b)?, ty));
        }
        ExpressionKind::Binary(operator @ (Binary::Divide | Binary::Remainder), a, b) => {
            (positive(program, b, ty)? > 0).then_some(())?;
            ExpressionKind::Binary(operator, part(a)?, part(b)?)
        }
        ExpressionKind::Binary(operator @ (Binary::ShiftLeft | Binary::ShiftRight), a, b) => {
            (positive(program, b, program.terms.get(b).ty)? < u128::from(program.types.as_integer(ty)?.width))
                .then_some(())?;
            if operator == Binary::ShiftLeft && signed.is_some() {
                return Some(modulo(program, operator, part(a)?, part(b)?, ty));
            }
            ExpressionKind::Binary(operator, part(a)?, part(b)?)
        }
        // Whoever asks does not declare the array.
        ExpressionKind::Binary(Binary::Length, a, _) => return part(a),
        ExpressionKind::Binary(operator, a, b) => {
            let pointers = program.types.pointee(program.terms.get(a).ty).is_some();
            let equal = matches!(operator, Binary::Equal | Binary::Unequal | Binary::Both | Binary::Either);
            (equal || !pointers).then_some(())?;
            ExpressionKind::Binary(operator, part(a)?, part(b)?)
        }
        ExpressionKind::Convert(a) => ExpressionKind::Convert(part(a)?),
        ExpressionKind::Offset(..) | ExpressionKind::Distance(..) => return None,
        other => other,
    };
    Some(program.terms.expression(kind, ty))
}

/// A constant that is not negative, perhaps converted, and is the same in that type.
fn positive(program: &Program, mut id: ExpressionId, ty: crate::c::types::TypeId) -> Option<u128> {
    while let ExpressionKind::Convert(of) = program.terms.get(id).kind {
        id = of;
    }
    let ExpressionKind::Constant(bits) = program.terms.get(id).kind else { return None };
    let [own, wanted] = [program.terms.get(id).ty, ty].map(|ty| program.types.as_integer(ty));
    let number = own?.number(bits);
    let most = wanted?.mask() >> 1;
    u128::try_from(number).ok().filter(|number| *number <= most)
}

/// Signed arithmetic by way of the unsigned type.
fn modulo(
    program: &mut Program,
    operator: Binary,
    a: ExpressionId,
    b: ExpressionId,
    ty: crate::c::types::TypeId,
) -> ExpressionId {
    let Some(integer) = program.types.as_integer(ty) else { return a };
    let unsigned = program.types.integer(integer.rank, false);
    let [a, b] = [a, b].map(|e| program.terms.expression(ExpressionKind::Convert(e), unsigned));
    let both = program.terms.expression(ExpressionKind::Binary(operator, a, b), unsigned);
    program.terms.expression(ExpressionKind::Convert(both), ty)
}
