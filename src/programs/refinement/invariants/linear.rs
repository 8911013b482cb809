//! What an edge knows as linear constraints over the integers, of which each is true: sums that may wrap around are one number. So what
//! these constraints exclude over the rationals is impossible; that is found where solvers of bit-vectors take long.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::bitvec::value::{Operator, signed};
use crate::bitvec::{Node, Term};

use super::super::rational::Rational;
use super::super::simplex::{Comparison, Form, Solved, solve};
use super::edge::{Edge, Number, range};

/// The most pivots of one system.
const PIVOTS: usize = 400;

/// The most conditions with several cases that are tried, the last ones first.
const SPLITS: usize = 4;

/// So many constraints of a system are one unit of work.
const CONSTRAINTS: u64 = 20;

/// The most cases of a condition that are told apart.
const CASES: usize = 4;

/// The most connectives of conditions that are read.
const CONNECTIVES: usize = 400;

/// A reader of an edge's terms.
pub(super) struct Linear<'e> {
    edge: &'e mut Edge,
    /// Numbers that are no sums, as variables.
    variables: BTreeMap<(Term, bool), usize>,
    /// Forms that are not positive.
    known: Vec<(Form, Comparison)>,
    /// Where these forms are not positive, so is this one.
    conditional: Vec<(Vec<Form>, Form)>,
    /// Conditions that have several cases.
    splits: Vec<Vec<Vec<Form>>>,
    /// Sums that are met again; none for those that may wrap around.
    sums: BTreeMap<(Term, bool), Option<Form>>,
    left: usize,
}

impl<'e> Linear<'e> {
    /// Of an edge.
    pub fn of(edge: &'e mut Edge) -> Linear<'e> {
        let (variables, known, conditional) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (splits, sums) = (Vec::new(), BTreeMap::new());
        Linear { edge, variables, known, conditional, splits, sums, left: CONNECTIVES }
    }

    /// That a form is not positive is known from now on.
    pub fn know(&mut self, form: Form) {
        self.known.push((form, Comparison::NotPositive));
    }

    /// The same where some other forms are not positive. It is used where ranges of variables alone say that they are not.
    pub fn know_where(&mut self, when: Vec<Form>, form: Form) {
        self.conditional.push((when, form));
    }

    /// That conditions hold is known from now on, as far as they are linear.
    pub fn know_conditions(&mut self, conditions: &[Term]) {
        for &condition in conditions {
            let mut cases = self.cases(condition, true);
            if cases.len() == 1 {
                cases.drain(..).flatten().for_each(|form| self.know(form));
            } else {
                self.splits.push(cases);
            }
        }
    }

    /// What is known where a form is not positive is known from now on, if it is known that it is not.
    pub fn apply(&mut self) {
        for (when, form) in std::mem::take(&mut self.conditional) {
            let follows = |form: &Form| {
                let mut opposite = Form::constant(Rational::ONE);
                opposite.add(form, Rational::integer(-1)).is_some() && self.excludes_at_once(&[opposite])
            };
            match &when[..] {
                // Ends of one number are looked at later; of several conditions there are too many.
                [one] if one.parts.len() > 1 && follows(one) => self.know(form),
                _ => self.conditional.push((when, form)),
            }
        }
    }

    /// Whether what is known excludes that these forms are not positive, also where one condition that has several cases is needed.
    pub fn excludes(&self, forms: &[Form]) -> bool {
        let excluded = |case: &Vec<Form>| self.excludes_at_once(&[forms, case].concat());
        self.excludes_at_once(forms) || self.splits.iter().rev().take(SPLITS).any(|cases| cases.iter().all(excluded))
    }

    fn excludes_at_once(&self, forms: &[Form]) -> bool {
        if !self.edge.spend(1 + self.known.len() as u64 / CONSTRAINTS) {
            return false;
        }
        let ranges = self.ranges();
        let at_once = self.known.iter().map(|(form, _)| form).chain(forms);
        let ends = if self.conditional.is_empty() { Ends::new() } else { ends(at_once) };
        let applies = |(when, _): &&(Vec<Form>, Form)| when.iter().all(|form| is_not_positive(form, &ends));
        let applied: Vec<Form> = self.conditional.iter().filter(applies).map(|(_, form)| form.clone()).collect();
        let more = forms.iter().chain(&ranges).chain(&applied).map(|form| (form.clone(), Comparison::NotPositive));
        let system: Vec<(Form, Comparison)> = self.known.iter().cloned().chain(more).collect();
        matches!(solve(&system, PIVOTS), Some(Solved::Infeasible(_)))
    }

    /// Whether what is known excludes a condition.
    pub fn excludes_condition(&mut self, condition: Term) -> bool {
        let cases = self.cases(condition, true);
        cases.iter().all(|case| self.excludes(case))
    }

    /// The forms of all cases of a condition, or of its opposite, that are not positive.
    pub fn all_cases(&mut self, condition: Term, positive: bool) -> Vec<Form> {
        self.cases(condition, positive).concat()
    }

    /// Where the number of a variable stands among some numbers.
    pub fn place_of(&self, variable: usize, numbers: &[Number]) -> Option<usize> {
        let (&key, _) = self.variables.iter().find(|(_, at)| **at == variable)?;
        numbers.iter().position(|number| {
            let narrow = self.narrow(*number);
            (narrow.term, narrow.signed) == key
        })
    }

    /// A sum of numbers with factors, and a constant.
    pub fn sum(&mut self, parts: &[(Number, i128)], constant: i128) -> Option<Form> {
        let mut form = Form::constant(Rational::integer(constant));
        for &(number, factor) in parts {
            let one = self.number(number)?;
            form.add(&one, Rational::integer(factor))?;
        }
        Some(form)
    }

    fn number(&mut self, number: Number) -> Option<Form> {
        let number = self.narrow(number);
        let width = self.edge.relation.terms.width(number.term);
        if let Some(value) = self.edge.relation.terms.as_constant(number.term) {
            let value = if number.signed { signed(value, width) } else { i128::try_from(value).ok()? };
            return Some(Form::constant(Rational::integer(value)));
        }
        if let Some(sum) = self.fitting(number) {
            return Some(sum);
        }
        let Some((parts, constant)) = self.edge.apart_wide(number) else { return Some(self.variable(number)) };
        let mut form = Form::constant(Rational::integer(constant));
        for (part, factor) in parts {
            let part = self.narrow(part);
            let part = self.variable(part);
            form.add(&part, Rational::integer(factor))?;
        }
        Some(form)
    }

    /// A sum, if what is known says that it fits its type.
    fn fitting(&mut self, number: Number) -> Option<Form> {
        if let Some(known) = self.sums.get(&(number.term, number.signed)) {
            return known.clone();
        }
        let width = self.edge.relation.terms.width(number.term);
        let Node::Sum(parts, constant) = self.edge.relation.terms.node(number.term).clone() else { return None };
        let mut form = Form::constant(Rational::integer(signed(constant, width)));
        for &(term, factor) in &parts {
            let part = self.narrow(Number { term, signed: number.signed });
            let part = self.variable(part);
            form.add(&part, Rational::integer(signed(factor, width)))?;
        }
        let (least, most) = range(width, number.signed)?;
        let mut beyond = Form::constant(Rational::integer(most.checked_add(1)?));
        beyond.add(&form, Rational::integer(-1))?;
        let mut below = Form::constant(Rational::integer(least.checked_sub(1)?.checked_neg()?));
        below.add(&form, Rational::ONE)?;
        let fits = self.excludes_at_once(&[beyond]) && self.excludes_at_once(&[below]);
        let found = fits.then_some(form);
        self.sums.insert((number.term, number.signed), found.clone());
        found
    }

    /// A number that was made wider, as it was.
    fn narrow(&self, mut number: Number) -> Number {
        while let &Node::Extend { signed, of } = self.edge.relation.terms.node(number.term) {
            if signed && !number.signed {
                break;
            }
            number = Number { term: of, signed };
        }
        number
    }

    fn variable(&mut self, number: Number) -> Form {
        let next = self.variables.len();
        Form::variable(*self.variables.entry((number.term, number.signed)).or_insert(next))
    }

    /// That all variables are numbers of their types.
    fn ranges(&self) -> Vec<Form> {
        let mut all = Vec::new();
        for (&(term, signed), &variable) in &self.variables {
            let Some((least, most)) = range(self.edge.relation.terms.width(term), signed) else { continue };
            for (factor, by) in [(1, -most), (-1, least)] {
                let mut form = Form::constant(Rational::integer(by));
                if form.add(&Form::variable(variable), Rational::integer(factor)).is_some() {
                    all.push(form);
                }
            }
        }
        all
    }

    /// The cases of a condition, or of its opposite: of each the forms that are not positive. What is not linear says nothing.
    fn cases(&mut self, condition: Term, positive: bool) -> Vec<Vec<Form>> {
        let unknown = vec![Vec::new()];
        let Some(left) = self.left.checked_sub(1) else { return unknown };
        self.left = left;
        match *self.edge.relation.terms.node(condition) {
            Node::Not(of) => self.cases(of, !positive),
            Node::Constant(value) if (value == 1) == positive => unknown,
            Node::Constant(_) => vec![vec![Form::constant(Rational::ONE)]],
            Node::Binary(Operator::And, a, b) => {
                let (a, b) = (self.cases(a, positive), self.cases(b, positive));
                if !positive {
                    let either = [a, b].concat();
                    return if either.len() <= CASES { either } else { unknown };
                }
                let both = a.iter().flat_map(|some| b.iter().map(|more| [&some[..], &more[..]].concat()));
                if a.len() * b.len() <= CASES { both.collect() } else { a }
            }
            Node::Binary(operator @ (Operator::Slt | Operator::Ult), a, b) => {
                let (less, more, apart) = if positive { (a, b, 1) } else { (b, a, 0) };
                self.less(less, more, apart, operator == Operator::Slt).map_or(unknown, |form| vec![vec![form]])
            }
            Node::Binary(Operator::Eq, a, b) if self.edge.relation.terms.width(a) > 1 => {
                let mut cases = vec![Vec::new()];
                // In both senses, where they are equal; in one of them where they differ.
                for signed in [true, false] {
                    let apart = i128::from(!positive);
                    let (Some(less), Some(more)) = (self.less(a, b, apart, signed), self.less(b, a, apart, signed))
                    else {
                        continue;
                    };
                    match positive {
                        true => cases[0].extend([less, more]),
                        false => return vec![vec![less], vec![more]],
                    }
                }
                cases
            }
            _ => unknown,
        }
    }

    /// That one term is less than another one, by so much at least.
    fn less(&mut self, less: Term, more: Term, apart: i128, signed: bool) -> Option<Form> {
        let number = |term| Number { term, signed };
        self.sum(&[(number(less), 1), (number(more), -1)], apart)
    }
}

/// So often ends are carried from one variable to another.
const STEPS: usize = 2;

/// The least and the greatest value of variables, as far as forms say.
type Ends = BTreeMap<usize, [Option<Rational>; 2]>;

/// Those that some forms say which are not positive: of single variables, and of two where the end of one is known.
fn ends<'f>(forms: impl Iterator<Item = &'f Form>) -> Ends {
    let mut all = Ends::new();
    let (single, others): (Vec<&Form>, Vec<&Form>) = forms.partition(|form| form.parts.len() == 1);
    let pairs: Vec<&Form> = others.into_iter().filter(|form| form.parts.len() == 2).collect();
    for form in single.into_iter().chain(std::iter::repeat_n(pairs, STEPS).flatten()) {
        for (&variable, &factor) in &form.parts {
            // Its end where the others are as small as they can be.
            let mut others = form.parts.iter().filter(|(other, _)| **other != variable);
            let rest = others.try_fold(form.rest(), |rest, (other, &by)| {
                let end = all.get(other)?[usize::from(by.sign() < 0)]?;
                rest.plus(end.times(by)?)
            });
            let Some(end) = rest.and_then(|rest| rest.negated()).and_then(|rest| rest.over(factor)) else { continue };
            let upper = factor.sign() > 0;
            let known = &mut all.entry(variable).or_default()[usize::from(upper)];
            let nearer = |known: Rational| {
                let wanted = if upper { Ordering::Less } else { Ordering::Greater };
                end.compared(known) == Some(wanted)
            };
            if known.is_none_or(nearer) {
                *known = Some(end);
            }
        }
    }
    all
}

/// Whether a form is not positive wherever variables are between such ends.
fn is_not_positive(form: &Form, ends: &Ends) -> bool {
    let most = form.parts.iter().try_fold(form.rest(), |most, (variable, &factor)| {
        let end = ends.get(variable)?[usize::from(factor.sign() > 0)]?;
        most.plus(end.times(factor)?)
    });
    most.is_some_and(|most| most.sign() <= 0)
}
