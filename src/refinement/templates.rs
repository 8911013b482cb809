//! What to try where one predicate after the other differs in a constant only: comparisons between the variables of the place, which
//! one constant after the other can stand for (octagons: Miné, HOSC 2006).

use std::collections::{HashMap, HashSet};

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Term};
use crate::c::program::ProcedureId;
use crate::c::types::TypeId;

/// Predicates of one shape after which it is called divergence.
const MANY: usize = 3;

/// The most variables of a place that are compared with each other.
const VARIABLES: usize = 12;

/// A place: a procedure, or all of them.
type Scope = Option<ProcedureId>;

/// The shapes of predicates at each place.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    met: HashMap<(Scope, String), usize>,
    /// The values that predicates compare, by place.
    values: HashMap<Scope, Vec<ExpressionId>>,
    given: HashSet<(Scope, String)>,
}

impl Shapes {
    /// A new predicate; whether it is one of too many that differ in a constant only, among those that count.
    pub fn met(&mut self, program: &Program, scope: Scope, expression: ExpressionId, counts: bool) -> bool {
        let values = self.values.entry(scope).or_default();
        for term in program.terms.postorder(Term::Expression(expression)) {
            if let Term::Expression(id) = term
                && matches!(
                    program.terms.get(id).kind,
                    ExpressionKind::Read(_) | ExpressionKind::Pre(_) | ExpressionKind::Result
                )
                && program.types.as_integer(program.terms.get(id).ty).is_some()
                && !values.contains(&id)
            {
                values.push(id);
            }
        }
        if !counts {
            return false;
        }
        let shape = (scope, shape(program, expression));
        let count = self.met.entry(shape.clone()).or_default();
        *count += 1;
        *count >= MANY && self.given.insert(shape)
    }

    /// Comparisons between the values that the predicate relates; where it is about one alone, between that and all others of the place.
    pub fn templates(&self, program: &mut Program, scope: Scope, expression: ExpressionId) -> Vec<ExpressionId> {
        let Some(values) = self.values.get(&scope) else { return Vec::new() };
        let within: HashSet<Term> = program.terms.postorder(Term::Expression(expression)).into_iter().collect();
        let (own, others): (Vec<ExpressionId>, Vec<ExpressionId>) =
            values.iter().partition(|&&value| within.contains(&Term::Expression(value)));
        let pairs: Vec<(ExpressionId, ExpressionId)> = match own[..] {
            [one] => others.into_iter().take(VARIABLES).map(|other| (one, other)).collect(),
            _ => own.iter().enumerate().flat_map(|(at, &b)| own[..at].iter().map(move |&a| (a, b))).collect(),
        };
        let int = program.types.int();
        let mut found = Vec::new();
        for (a, b) in pairs {
            if program.terms.get(a).ty != program.terms.get(b).ty {
                continue;
            }
            for operator in [Binary::Equal, Binary::LessEqual, Binary::GreaterEqual] {
                found.push(program.terms.expression(ExpressionKind::Binary(operator, a, b), int));
            }
        }
        found
    }
}

/// An expression without its constants.
fn shape(program: &Program, expression: ExpressionId) -> String {
    let mut shape = String::new();
    for term in program.terms.postorder(Term::Expression(expression)) {
        let Term::Expression(id) = term else { continue };
        match &program.terms.get(id).kind {
            ExpressionKind::Constant(_) => shape.push_str("c "),
            // A constant more or less.
            ExpressionKind::Binary(Binary::Add | Binary::Subtract, _, b)
                if matches!(program.terms.get(*b).kind, ExpressionKind::Constant(_)) => {}
            ExpressionKind::Binary(operator, ..) => shape.push_str(operator.sign()),
            ExpressionKind::Unary(operator, _) => shape += &format!("{operator:?}"),
            ExpressionKind::Convert(_) => shape += &format!("{:?}", type_of(program, id)),
            kind => shape += &format!("{kind:?} "),
        }
    }
    shape
}

fn type_of(program: &Program, id: ExpressionId) -> TypeId {
    program.terms.get(id).ty
}
