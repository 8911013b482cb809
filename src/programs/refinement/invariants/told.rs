//! What was proved, as people read it: in C's notation, at each cut point, without what plainly follows from the rest.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::Place;

use crate::c::Program;
use crate::c::library::modelled;
use crate::c::program::{StatementId, VariableId};
use crate::c::types::Rank;
use crate::limits::Limits;

use super::super::rational::Rational;
use super::super::simplex::{Comparison, Form, Solved, solve};
use super::claims::{Claim, Invariant, Quantity, Where};
use super::edge::range;
use super::scope::element;
use super::{Found, Search, found};

/// The most pivots to find that something follows.
const PIVOTS: usize = 200;

/// What holds at one place, whatever a run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Of this statement, or of where the procedure is defined.
    pub place: Place,
    /// Its procedure.
    pub procedure: String,
    /// The labels of the statement.
    pub labels: Vec<String>,
    /// Whether it holds whenever the procedure returns; otherwise whenever the statement comes next.
    pub returned: bool,
    /// In C's notation, over the integers: nothing wraps around. `pre(x)` is what x was when the frame began, `result` what is returned, and
    /// `k` any index of an array. Or that nothing comes there: `never reached`.
    pub text: String,
    /// Which kind of candidates it was among.
    pub source: &'static str,
}

/// All that is told, and which kinds of candidates took too much: of these nothing is.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    /// By place.
    pub told: Vec<Told>,
    /// These kinds; all if there are more basic paths than so much work is worth.
    pub cut_short: Vec<&'static str>,
}

/// What was proved of a program, by place and without what follows from the rest. As expensive as [`super::invariants`].
pub fn told(search: &Search<'_>, limits: Limits) -> Telling {
    let program = search.of.program;
    let Found { proved, cut_short } = found(search, limits);
    let mut places: BTreeMap<Where, Vec<(&Invariant, &'static str)>> = BTreeMap::new();
    let mut met = BTreeSet::new();
    for stage in &proved {
        let told = stage.invariants.iter().filter(|invariant| has_names(program, invariant));
        for invariant in told.filter(|invariant| met.insert(*invariant)) {
            places.entry(invariant.at).or_default().push((invariant, stage.source));
        }
    }
    let mut all: Vec<Told> =
        places.into_iter().flat_map(|(at, invariants)| Teller { program, at, cast: "" }.told(invariants)).collect();
    all.sort_by_key(|told| (told.place.file, told.place.line, told.returned, told.place.column));
    Telling { told: all, cut_short }
}

/// Whether people know all that an invariant is about.
fn has_names(program: &Program, invariant: &Invariant) -> bool {
    let (Where::Before(StatementId { procedure, .. }) | Where::Returned(procedure)) = invariant.at;
    let claims = invariant.when.iter().chain([&invariant.then]);
    let mut parts = claims.flat_map(|claim| match claim {
        Claim::AtMost(parts, _) | Claim::Rest(parts, ..) => parts,
    });
    modelled(&program.procedure(procedure).name).is_none()
        && parts.all(|&(quantity, _)| match quantity {
            Quantity::Now(id) | Quantity::Entered(id) | Quantity::Cell(id) => !program.variable(id).is_made_up,
            Quantity::Result | Quantity::Index => true,
        })
}

/// What holds before a statement, where these variables have their names, in C that means the same whatever is computed how: sums are of
/// `long long`. What does not fit into that is left out, and what follows from the rest.
pub fn in_c(
    program: &Program,
    before: StatementId,
    invariants: &[Invariant],
    named: &dyn Fn(VariableId) -> bool,
) -> Vec<String> {
    let at = Where::Before(before);
    let can_be_said = |invariant: &&Invariant| {
        let mut claims = invariant.when.iter().chain([&invariant.then]);
        invariant.at == at && claims.all(|claim| fits(program, claim, named))
    };
    let all = invariants.iter().filter(can_be_said).map(|invariant| (invariant, "")).collect();
    Teller { program, at, cast: "(long long)" }.said(all).into_iter().map(|(text, _)| text).collect()
}

/// Before which statements something is said.
pub fn places(invariants: &[Invariant]) -> BTreeSet<StatementId> {
    let place = |one: &Invariant| match one.at {
        Where::Before(id) => Some(id),
        Where::Returned(_) => None,
    };
    invariants.iter().filter_map(place).collect()
}

/// What holds before statements, as far as C can say it, as lines of a predicate file.
pub fn as_predicates(program: &Program, invariants: &[Invariant]) -> String {
    let lines = places(invariants).into_iter().flat_map(|at| {
        let procedure = &program.procedure(at.procedure).name;
        in_c(program, at, invariants, &|_| true).into_iter().map(move |said| format!("{procedure}: {said}\n"))
    });
    lines.collect()
}

/// Whether a sum, and each part of it, is a `long long`.
fn fits(program: &Program, claim: &Claim, named: &dyn Fn(VariableId) -> bool) -> bool {
    let (Claim::AtMost(parts, by) | Claim::Rest(parts, _, by)) = claim;
    let longest = (1i128 << (program.types.model.width(Rank::LongLong) - 1)) - 1;
    let mut most = by.saturating_abs();
    for &(quantity, factor) in parts {
        let Quantity::Now(id) = quantity else { return false };
        let Some((least, greatest)) = values(program, quantity).filter(|_| named(id)) else { return false };
        if greatest > longest {
            return false;
        }
        let (is_alone, limit) = (parts.len() == 1 && factor.abs() == 1, least.saturating_abs().max(greatest));
        // Nothing is computed then.
        if !(is_alone && matches!(claim, Claim::AtMost(..))) {
            most = most.saturating_add(limit.saturating_mul(factor.saturating_abs()));
        }
    }
    most <= longest
}

/// Who tells of one place.
struct Teller<'p> {
    program: &'p Program,
    at: Where,
    /// What stands before each name.
    cast: &'static str,
}

/// A bound, or an equation, under conditions; with the form that is not positive, or 0.
#[derive(Clone)]
struct Said<'i> {
    when: &'i [Claim],
    parts: &'i [(Quantity, i128)],
    relation: Comparison,
    by: i128,
    source: &'static str,
}

impl Teller<'_> {
    fn told(&self, invariants: Vec<(&Invariant, &'static str)>) -> Vec<Told> {
        if let Some(source) = self.never(&invariants) {
            return vec![self.one("never reached".to_owned(), source)];
        }
        self.said(invariants).into_iter().map(|(text, source)| self.one(text, source)).collect()
    }

    /// With candidates of which kind what always holds contradicts itself, if it does: nothing comes here.
    fn never(&self, invariants: &[(&Invariant, &'static str)]) -> Option<&'static str> {
        let mut always: Vec<Said<'_>> = Vec::new();
        for stage in invariants.chunk_by(|(_, some), (_, more)| some == more) {
            always.extend(stage.iter().filter_map(|&(invariant, source)| match &invariant.then {
                Claim::AtMost(parts, by) if invariant.when.is_empty() => {
                    Some(Said { when: &[], parts, relation: Comparison::NotPositive, by: *by, source })
                }
                _ => None,
            }));
            if Question::of(self.program, always.iter(), &[]).implies(&[], -1) {
                return stage.first().map(|&(_, source)| source);
            }
        }
        None
    }

    /// The texts, and where they are from.
    fn said(&self, invariants: Vec<(&Invariant, &'static str)>) -> Vec<(String, &'static str)> {
        let (mut bounds, mut rests) = (Vec::new(), Vec::new());
        for (invariant, source) in invariants {
            match &invariant.then {
                Claim::AtMost(parts, by) => {
                    let relation = Comparison::NotPositive;
                    bounds.push(Said { when: &invariant.when, parts, relation, by: *by, source });
                }
                Claim::Rest(..) => rests.push((invariant, source)),
            }
        }
        let bounds = self.needed(equations(bounds));
        let rests = independent(rests, &bounds);
        let bounds = bounds.iter().map(|said| (self.under(said.when, self.compared(said)), said.source));
        let rests = rests.into_iter().map(|(one, source)| (self.under(&one.when, self.claim(&one.then)), source));
        bounds.chain(rests).collect()
    }

    fn one(&self, text: String, source: &'static str) -> Told {
        let (procedure, statement) = match self.at {
            Where::Before(id) => (id.procedure, self.program.statement(id)),
            Where::Returned(procedure) => (procedure, None),
        };
        let own = self.program.procedure(procedure);
        Told {
            place: statement.map_or(own.place, |statement| statement.place),
            procedure: own.name.to_string(),
            labels: statement.iter().flat_map(|one| &one.labels).map(ToString::to_string).collect(),
            returned: statement.is_none(),
            text,
            source,
        }
    }

    /// Those that do not follow from the others and from types: long ones are left out first.
    fn needed<'i>(&self, mut all: Vec<Said<'i>>) -> Vec<Said<'i>> {
        all.sort_by_key(|said| (said.when.len(), said.relation == Comparison::NotPositive, said.parts.len()));
        let conditions: BTreeSet<&[Claim]> = all.iter().map(|said| said.when).collect();
        let always: Vec<&Said<'_>> = all.iter().filter(|said| said.when.is_empty()).collect();
        // Whether wherever the first one holds the second does.
        let mut within: BTreeSet<(&[Claim], &[Claim])> = BTreeSet::new();
        for &some in &conditions {
            for &more in &conditions {
                let mut question = Question::of(self.program, always.iter().copied(), some);
                let each = |claim: &Claim| matches!(claim, Claim::AtMost(parts, by) if question.implies(parts, *by));
                if some == more || more.iter().all(each) {
                    within.insert((some, more));
                }
            }
        }
        let mut at = all.len();
        while let Some(before) = at.checked_sub(1) {
            at = before;
            let one = &all[at];
            let others =
                all.iter().enumerate().filter(|&(other, said)| other != at && within.contains(&(one.when, said.when)));
            let mut question = Question::of(self.program, others.map(|(_, said)| said), one.when);
            let negated: Vec<(Quantity, i128)> = one.parts.iter().map(|&(quantity, by)| (quantity, -by)).collect();
            let zero = one.relation == Comparison::Zero;
            if question.implies(one.parts, one.by) && (!zero || question.implies(&negated, -one.by)) {
                all.remove(at);
            }
        }
        all
    }

    fn under(&self, when: &[Claim], then: String) -> String {
        match when {
            [] => then,
            [one] => format!("!({}) || {then}", self.claim(one)),
            _ => {
                let all: Vec<String> = when.iter().map(|claim| self.claim(claim)).collect();
                format!("!({}) || {then}", all.join(" && "))
            }
        }
    }

    fn claim(&self, claim: &Claim) -> String {
        match claim {
            Claim::AtMost(parts, by) => self.comparison(parts, "<=", *by),
            Claim::Rest(parts, modulus, rest) => {
                let sum = self.sum(parts, 0);
                // C's rest of what is negative is negative.
                let is_simple = parts.iter().all(|&(quantity, by)| by > 0 && !self.is_signed(quantity));
                match parts.len() {
                    1 if parts[0].1 == 1 && (is_simple || *rest == 0) => format!("{sum} % {modulus} == {rest}"),
                    _ if is_simple => format!("({sum}) % {modulus} == {rest}"),
                    _ => format!("({}) % {modulus} == 0", self.sum(parts, -*rest)),
                }
            }
        }
    }

    fn is_signed(&self, quantity: Quantity) -> bool {
        values(self.program, quantity).is_none_or(|(least, _)| least < 0)
    }

    fn compared(&self, said: &Said<'_>) -> String {
        let sign = if said.relation == Comparison::Zero { "==" } else { "<=" };
        self.comparison(said.parts, sign, said.by)
    }

    /// What is taken away stands on the other side, so that nothing is negative.
    fn comparison(&self, parts: &[(Quantity, i128)], sign: &str, by: i128) -> String {
        let side = |positive: bool| {
            let own = parts.iter().filter(|(_, factor)| (*factor > 0) == positive);
            own.map(|&(quantity, factor)| (quantity, factor.saturating_abs())).collect::<Vec<_>>()
        };
        let (left, right) = (side(true), side(false));
        match (&left[..], &right[..]) {
            // `-x <= -5`
            ([], _) => {
                let sign = if sign == "<=" { ">=" } else { sign };
                format!("{} {sign} {}", self.sum(&right, 0), by.saturating_neg())
            }
            (_, []) => format!("{} {sign} {by}", self.sum(&left, 0)),
            _ if by < 0 => format!("{} {sign} {}", self.sum(&left, by.saturating_neg()), self.sum(&right, 0)),
            _ => format!("{} {sign} {}", self.sum(&left, 0), self.sum(&right, by)),
        }
    }

    fn sum(&self, parts: &[(Quantity, i128)], constant: i128) -> String {
        let mut text = String::new();
        for &(quantity, factor) in parts {
            let name = self.cast.to_owned() + &self.name(quantity);
            let sign = match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += sign;
            match factor.unsigned_abs() {
                1 => text += &name,
                by => text += &format!("{by} * {name}"),
            }
        }
        match (text.is_empty(), constant) {
            (true, _) => constant.to_string(),
            (false, 0) => text,
            (false, 1..) => format!("{text} + {constant}"),
            (false, _) => format!("{text} - {}", constant.unsigned_abs()),
        }
    }

    fn name(&self, quantity: Quantity) -> String {
        let name = |id: VariableId| &self.program.variable(id).name;
        match quantity {
            Quantity::Now(id) => name(id).to_string(),
            Quantity::Entered(id) => format!("pre({})", name(id)),
            Quantity::Result => "result".to_owned(),
            Quantity::Index => "k".to_owned(),
            Quantity::Cell(id) => format!("{}[k]", name(id)),
        }
    }
}

/// A sum of quantities and a constant.
type Sum = (BTreeMap<Quantity, i128>, i128);

/// Rests that do not follow from equations, or from rests before them: where one is so many times the other, but for multiples of its
/// divisor.
fn independent<'i>(
    rests: Vec<(&'i Invariant, &'static str)>,
    bounds: &[Said<'_>],
) -> Vec<(&'i Invariant, &'static str)> {
    // Quantities that are sums of others.
    let mut sums: Vec<(Quantity, Sum)> = Vec::new();
    for said in bounds.iter().filter(|said| said.when.is_empty() && said.relation == Comparison::Zero) {
        let (sum, constant) = replaced(said.parts, -said.by, &sums);
        let Some((&quantity, &factor)) = sum.iter().find(|(_, factor)| factor.abs() == 1) else { continue };
        let others = sum.iter().filter(|(other, _)| **other != quantity).map(|(&other, by)| (other, -by * factor));
        sums.push((quantity, (others.collect(), -constant * factor)));
    }
    let mut known: Vec<(Sum, i128)> = Vec::new();
    let mut left = Vec::new();
    for (one, source) in rests {
        let Claim::Rest(parts, modulus, rest) = &one.then else { continue };
        let (sum, constant) = replaced(parts, -*rest, &sums);
        let divides = |times: i128, (other, by): &Sum| {
            let all: BTreeSet<&Quantity> = sum.keys().chain(other.keys()).collect();
            let of = |sum: &BTreeMap<Quantity, i128>, at: &Quantity| sum.get(at).copied().unwrap_or(0);
            (constant + times * by) % modulus == 0
                && all.into_iter().all(|at| (of(&sum, at) + times * of(other, at)) % modulus == 0)
        };
        let follows = |(other, divisor): &(Sum, i128)| {
            divisor % modulus == 0 && (-TIMES..=TIMES).any(|times| divides(times, other))
        };
        if divides(0, &Sum::default()) || known.iter().any(follows) {
            continue;
        }
        if one.when.is_empty() {
            known.push(((sum, constant), *modulus));
        }
        left.push((one, source));
    }
    left
}

/// A sum where some quantities are replaced by sums of others, the first ones first.
fn replaced(parts: &[(Quantity, i128)], constant: i128, sums: &[(Quantity, Sum)]) -> Sum {
    let (mut all, mut constant): Sum = (parts.iter().copied().collect(), constant);
    for (quantity, (others, by)) in sums {
        let Some(factor) = all.remove(quantity) else { continue };
        for (&other, by) in others {
            *all.entry(other).or_default() += factor * by;
        }
        constant += factor * by;
    }
    (all, constant)
}

/// The most times that one sum is taken to be another one.
const TIMES: i128 = 16;

/// A sum under conditions.
type Conditional = (Vec<Claim>, Vec<(Quantity, i128)>);

/// Of each sum the least bound, and one equation for two bounds that meet.
fn equations(all: Vec<Said<'_>>) -> Vec<Said<'_>> {
    let mut least: BTreeMap<Conditional, Said<'_>> = BTreeMap::new();
    for said in all {
        let key = (said.when.to_vec(), said.parts.to_vec());
        match least.get_mut(&key) {
            Some(known) if known.by <= said.by => {}
            Some(known) => *known = said,
            None => drop(least.insert(key, said)),
        }
    }
    let opposite =
        |(when, parts): &Conditional| (when.clone(), parts.iter().map(|&(quantity, by)| (quantity, -by)).collect());
    let mut told = Vec::new();
    for (key, said) in &least {
        let other = opposite(key);
        match least.get(&other) {
            // The one that begins with what is added.
            Some(met) if met.by == -said.by => {
                if said.parts.first().is_some_and(|&(_, by)| by > 0) {
                    told.push(Said { relation: Comparison::Zero, ..said.clone() });
                }
            }
            _ => told.push(said.clone()),
        }
    }
    told
}

/// What is known, to be asked what follows.
struct Question<'p> {
    program: &'p Program,
    /// As variables of forms.
    numbers: BTreeMap<Quantity, usize>,
    known: Vec<(Form, Comparison)>,
}

impl<'p> Question<'p> {
    /// Where these hold under some conditions, and these conditions.
    fn of<'i>(program: &'p Program, said: impl Iterator<Item = &'i Said<'i>>, when: &[Claim]) -> Question<'p> {
        let mut question = Question { program, numbers: BTreeMap::new(), known: Vec::new() };
        for said in said {
            let form = question.form(said.parts, said.by);
            question.known.extend(form.map(|form| (form, said.relation)));
        }
        for claim in when {
            if let Claim::AtMost(parts, by) = claim {
                let form = question.form(parts, *by);
                question.known.extend(form.map(|form| (form, Comparison::NotPositive)));
            }
        }
        question
    }

    /// Whether a sum is at most so much then.
    fn implies(&mut self, parts: &[(Quantity, i128)], by: i128) -> bool {
        let opposite: Vec<(Quantity, i128)> = parts.iter().map(|&(quantity, factor)| (quantity, -factor)).collect();
        // Over the integers it is at least one more otherwise.
        let Some(opposite) = by.checked_add(1).and_then(|by| self.form(&opposite, -by)) else { return false };
        let more = self.ranges().into_iter().chain([opposite]).map(|form| (form, Comparison::NotPositive));
        let all: Vec<(Form, Comparison)> = self.known.iter().cloned().chain(more).collect();
        matches!(solve(&all, PIVOTS), Some(Solved::Infeasible(_)))
    }

    /// A sum less its bound.
    fn form(&mut self, parts: &[(Quantity, i128)], by: i128) -> Option<Form> {
        let mut form = Form::constant(Rational::integer(by.checked_neg()?));
        for &(quantity, factor) in parts {
            let next = self.numbers.len();
            let number = *self.numbers.entry(quantity).or_insert(next);
            form.add(&Form::variable(number), Rational::integer(factor))?;
        }
        Some(form)
    }

    /// What types say.
    fn ranges(&self) -> Vec<Form> {
        let mut all = Vec::new();
        for (&quantity, &number) in &self.numbers {
            let Some((least, most)) = values(self.program, quantity) else { continue };
            for (factor, by) in [(1, -most), (-1, least)] {
                let mut form = Form::constant(Rational::integer(by));
                all.extend(form.add(&Form::variable(number), Rational::integer(factor)).map(|()| form));
            }
        }
        all
    }
}

/// The least and the greatest value that types say.
fn values(program: &Program, quantity: Quantity) -> Option<(i128, i128)> {
    let integer = match quantity {
        Quantity::Now(id) | Quantity::Entered(id) => program.types.as_integer(program.variable(id).ty),
        Quantity::Cell(id) => element(program, id),
        Quantity::Result | Quantity::Index => None,
    }?;
    range(integer.width as u8, integer.signed)
}
