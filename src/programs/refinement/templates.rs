//! What to try where one predicate after the other differs in a constant only: comparisons between the variables of the place, which
//! one constant after the other can stand for (octagons: Miné, HOSC 2006); bounds at the constants with which conditions compare
//! a value; and sums and differences of values whose bounds move together.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Term};
use crate::c::program::ProcedureId;
use crate::c::types::TypeId;

use super::build::combined;

/// Predicates of one shape after which it is called divergence.
const DIVERGING_PREDICATES: usize = 3;

/// Bounds of one shape after which it is not only other bounds that are tried.
const MORE: usize = 4 * DIVERGING_PREDICATES;

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Templates {
    /// Bounds of the same value.
    Bounds,
    /// These, and comparisons with other values.
    All,
}

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
    /// The constants with which conditions compare a value.
    constants: HashMap<(Scope, ExpressionId), BTreeSet<i128>>,
    /// Bounds of single values that the present trace has taught, each: at most that.
    bounds: Vec<(Scope, ExpressionId, i128)>,
    /// How many traces have taught two bounds with this sum, or difference.
    together: HashMap<(Scope, Binary, [ExpressionId; 2], i128), usize>,
}

impl Shapes {
    /// A new predicate; whether it is one of too many that differ in a constant only, among those that count, and what to try then.
    pub fn met(
        &mut self,
        program: &Program,
        scope: Scope,
        expression: ExpressionId,
        counts: bool,
    ) -> Option<Templates> {
        let values = self.values.entry(scope).or_default();
        for term in program.terms.postorder(Term::Expression(expression)) {
            if let Term::Expression(id) = term
                && has_name(program, id)
                && program.types.as_integer(program.terms.get(id).ty).is_some()
                && !values.contains(&id)
            {
                values.push(id);
            }
        }
        let mut is_bound = false;
        if let Some((operator, value, number)) = with_constant(program, expression) {
            is_bound = operator == Binary::LessEqual;
            if !counts {
                self.constants.entry((scope, value)).or_default().insert(number);
            }
            if is_bound {
                self.bounds.push((scope, value, number));
            }
        }
        if !counts {
            return None;
        }
        let count = self.met.entry((scope, shape(program, expression))).or_default();
        *count += 1;
        match *count {
            DIVERGING_PREDICATES if is_bound => Some(Templates::Bounds),
            DIVERGING_PREDICATES => Some(Templates::All),
            MORE if is_bound => Some(Templates::All),
            _ => None,
        }
    }

    /// Comparisons between the values that the predicate relates; where it is about one alone, its bounds, and comparisons between it and
    /// all others of the place.
    pub fn templates(
        &self,
        program: &mut Program,
        scope: Scope,
        expression: ExpressionId,
        wanted: Templates,
    ) -> Vec<ExpressionId> {
        let Some(values) = self.values.get(&scope) else { return Vec::new() };
        let within: HashSet<Term> = program.terms.postorder(Term::Expression(expression)).into_iter().collect();
        let (own, others): (Vec<ExpressionId>, Vec<ExpressionId>) =
            values.iter().partition(|&&value| within.contains(&Term::Expression(value)));
        let mut found = Vec::new();
        if let [value] = own[..] {
            let constants = self.constants.get(&(scope, value)).into_iter().flatten().copied();
            let numbers: BTreeSet<i128> = constants.chain([0]).flat_map(|number| [number - 1, number]).collect();
            found.extend(numbers.into_iter().filter_map(|number| at_most(program, value, number)));
        }
        if wanted == Templates::Bounds {
            return found;
        }
        let pairs: Vec<(ExpressionId, ExpressionId)> = match own[..] {
            [one] => others.into_iter().take(VARIABLES).map(|other| (one, other)).collect(),
            _ => own.iter().enumerate().flat_map(|(at, &b)| own[..at].iter().map(move |&a| (a, b))).collect(),
        };
        let int = program.types.int();
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

    /// A trace has taught what it can: where bounds of two values have now moved together for long, what stays the same.
    pub fn moved(&mut self, program: &mut Program) -> Vec<(Scope, ExpressionId)> {
        let bounds = std::mem::take(&mut self.bounds);
        let mut met = BTreeSet::new();
        for (at, &(scope, a, x)) in bounds.iter().enumerate() {
            for &(_, b, y) in bounds[..at].iter().filter(|(other, b, _)| (*other, *b) != (scope, a) && *other == scope)
            {
                let (a, x, b, y) = if a.0 < b.0 { (a, x, b, y) } else { (b, y, a, x) };
                met.insert((scope, [a, b], x + y, true));
                met.insert((scope, [a, b], x - y, false));
            }
        }
        let mut found = Vec::new();
        for (scope, [a, b], amount, is_sum) in met {
            let operator = if is_sum { Binary::Add } else { Binary::Subtract };
            let count = self.together.entry((scope, operator, [a, b], amount)).or_default();
            *count += 1;
            if *count != DIVERGING_PREDICATES {
                continue;
            }
            let both = combined(program, operator, a, b);
            // Of two bounds from below the sum is one more.
            for amount in [amount, if is_sum { amount + 1 } else { amount - 1 }] {
                found.extend(at_most(program, both, amount).map(|condition| (scope, condition)));
            }
        }
        found
    }
}

/// A comparison of a value that has a name with a constant, in numbers of which there are wider ones.
fn with_constant(program: &Program, expression: ExpressionId) -> Option<(Binary, ExpressionId, i128)> {
    let ExpressionKind::Binary(operator, value, constant) = program.terms.get(expression).kind else { return None };
    let ExpressionKind::Constant(bits) = program.terms.get(constant).kind else { return None };
    let integer = program.types.as_integer(program.terms.get(constant).ty)?;
    let known = has_name(program, value) && integer.width < u128::BITS;
    known.then(|| (operator, value, integer.number(bits)))
}

/// Whether a value is what has a name holds or held, or the result.
fn has_name(program: &Program, value: ExpressionId) -> bool {
    matches!(program.terms.get(value).kind, ExpressionKind::Read(_) | ExpressionKind::Pre(_) | ExpressionKind::Result)
}

/// That a value is at most a number, if its type has that.
fn at_most(program: &mut Program, value: ExpressionId, number: i128) -> Option<ExpressionId> {
    let ty = program.terms.get(value).ty;
    let integer = program.types.as_integer(ty)?;
    let bits = number as u128 & integer.mask();
    if integer.number(bits) != number {
        return None;
    }
    let int = program.types.int();
    let constant = program.terms.expression(ExpressionKind::Constant(bits), ty);
    Some(program.terms.expression(ExpressionKind::Binary(Binary::LessEqual, value, constant), int))
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
