//! Refutations of a trace by Farkas's lemma: sums of its constraints that are plainly false. Equalities first, disequalities by cases.

use std::collections::BTreeMap;

use super::linear::{Linear, Sign};
use super::rational::Rational;
use super::simplex::{Comparison, Form, Solved, solve};

/// How many systems are solved for one trace.
const MAX_SYSTEMS: usize = 64;

/// Pivots for each.
const PIVOTS: usize = 2_000;

/// A literal in a refutation: which, as what form, and how many times.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub literal: usize,
    pub form: Form,
    pub times: Rational,
    /// Whether it says that the form is not positive; otherwise it says that it is 0, or, once, that it is not.
    pub is_bound: bool,
}

/// What adds up to something false.
pub(super) type Refutation = Vec<Used>;

/// Refutations of a trace that together show that it is no run over the integers; none if it is one as far as linear arithmetic
/// tells.
pub(super) fn refutations(linear: &Linear) -> Vec<Refutation> {
    let Some(forms) = expanded(linear) else { return Vec::new() };
    if let Some(found) = by_equalities(linear, &forms) {
        return vec![found];
    }
    by_cases(linear, &forms).unwrap_or_default()
}

/// The literals' forms over values that are not defined by others.
fn expanded(linear: &Linear) -> Option<Vec<Form>> {
    let mut values: BTreeMap<usize, Form> = BTreeMap::new();
    let expand = |form: &Form, values: &BTreeMap<usize, Form>| {
        let mut sum = Form::constant(form.rest());
        for (&variable, &by) in &form.parts {
            match values.get(&variable) {
                Some(value) => sum.add(value, by)?,
                None => sum.add(&Form::variable(variable), by)?,
            }
        }
        Some(sum)
    };
    for (&variable, (form, _)) in &linear.definitions {
        let value = expand(form, &values)?;
        values.insert(variable, value);
    }
    linear.literals.iter().map(|literal| expand(&literal.form, &values)).collect()
}

/// A disequality that equalities contradict.
fn by_equalities(linear: &Linear, forms: &[Form]) -> Option<Refutation> {
    // Each row: its form, and what it is made of.
    let mut rows: Vec<(usize, Form, BTreeMap<usize, Rational>)> = Vec::new();
    let reduce =
        |form: &mut Form, made: &mut BTreeMap<usize, Rational>, rows: &[(usize, Form, BTreeMap<usize, Rational>)]| {
            for (pivot, row, of) in rows {
                let Some(&by) = form.parts.get(pivot) else { continue };
                let times = by.over(*row.parts.get(pivot)?)?.negated()?;
                form.add(row, times)?;
                for (&literal, &part) in of {
                    let sum = made.get(&literal).copied().unwrap_or(Rational::ZERO).plus(part.times(times)?)?;
                    made.insert(literal, sum);
                }
            }
            Some(())
        };
    for (at, _) in linear.literals.iter().enumerate().filter(|(_, literal)| literal.sign == Sign::Zero) {
        let (mut form, mut made) = (forms[at].clone(), BTreeMap::from([(at, Rational::ONE)]));
        reduce(&mut form, &mut made, &rows)?;
        if let Some(&pivot) = form.parts.keys().next() {
            rows.push((pivot, form, made));
        }
    }
    for (at, _) in linear.literals.iter().enumerate().rev().filter(|(_, literal)| literal.sign == Sign::NotZero) {
        let (mut form, mut made) = (forms[at].clone(), BTreeMap::from([(at, Rational::ONE)]));
        reduce(&mut form, &mut made, &rows)?;
        if form.parts.is_empty() && form.rest().is_zero() {
            let used = made.into_iter().filter(|(_, times)| !times.is_zero());
            let form = |literal: usize| linear.literals[literal].form.clone();
            return Some(
                used.map(|(literal, times)| Used { literal, form: form(literal), times, is_bound: false }).collect(),
            );
        }
    }
    None
}

/// One refutation for each combination of sides of disequalities.
fn by_cases(linear: &Linear, forms: &[Form]) -> Option<Vec<Refutation>> {
    let mut found = Vec::new();
    let mut open: Vec<BTreeMap<usize, bool>> = vec![BTreeMap::new()];
    for _ in 0..MAX_SYSTEMS {
        let Some(sides) = open.pop() else { break };
        let mut rows: Vec<(Form, Comparison)> = Vec::new();
        let mut of: Vec<(usize, Form)> = Vec::new();
        for (at, literal) in linear.literals.iter().enumerate() {
            let (own, all, relation) = match (literal.sign, sides.get(&at)) {
                (Sign::Zero, _) => (literal.form.clone(), forms[at].clone(), Comparison::Zero),
                (Sign::NotPositive, _) => (literal.form.clone(), forms[at].clone(), Comparison::NotPositive),
                (Sign::NotZero, Some(&less)) => {
                    (side(&literal.form, less)?, side(&forms[at], less)?, Comparison::NotPositive)
                }
                (Sign::NotZero, None) => continue,
            };
            rows.push((all, relation));
            of.push((at, own));
        }
        match solve(&rows, PIVOTS)? {
            Solved::Infeasible(times) => {
                let used = of.into_iter().zip(&rows).zip(times).filter(|(_, times)| !times.is_zero());
                found.push(
                    used.map(|(((literal, form), (_, relation)), times)| Used {
                        literal,
                        form,
                        times,
                        is_bound: *relation == Comparison::NotPositive,
                    })
                    .collect(),
                );
            }
            Solved::Feasible(values) => {
                let broken = (0..forms.len()).find(|&at| {
                    linear.literals[at].sign == Sign::NotZero
                        && !sides.contains_key(&at)
                        && value(&forms[at], &values).is_some_and(Rational::is_zero)
                })?;
                for less in [true, false] {
                    let mut sides = sides.clone();
                    sides.insert(broken, less);
                    open.push(sides);
                }
            }
        }
    }
    open.is_empty().then_some(found)
}

/// A form that is not 0 is at most -1, or at least 1: as a form that is not positive.
fn side(form: &Form, less: bool) -> Option<Form> {
    let mut side = Form::constant(Rational::ONE);
    side.add(form, Rational::integer(if less { 1 } else { -1 }))?;
    Some(side)
}

fn value(form: &Form, values: &BTreeMap<usize, Rational>) -> Option<Rational> {
    let mut sum = form.rest();
    for (variable, &by) in &form.parts {
        sum = sum.plus(by.times(values.get(variable).copied().unwrap_or(Rational::ZERO))?)?;
    }
    Some(sum)
}
