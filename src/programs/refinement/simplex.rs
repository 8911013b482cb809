//! Whether linear constraints over the rationals can all hold, and if not, multipliers that show it (Farkas's lemma): the general
//! simplex of Dutertre and de Moura (*A fast linear-arithmetic solver for DPLL(T)*, CAV 2006) with Bland's rule, exact and sparse.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::rational::Rational;

/// A sum of variables with coefficients, none of them 0, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Coefficients by variable.
    pub parts: BTreeMap<usize, Rational>,
    /// The constant.
    pub constant: Option<Rational>,
}

impl Form {
    /// A constant.
    pub fn constant(number: Rational) -> Form {
        Form { parts: BTreeMap::new(), constant: Some(number) }
    }

    /// A variable.
    pub fn variable(variable: usize) -> Form {
        Form { parts: [(variable, Rational::ONE)].into(), constant: None }
    }

    /// The constant part.
    pub fn rest(&self) -> Rational {
        self.constant.unwrap_or(Rational::ZERO)
    }

    /// Adds another one so many times; none if numbers do not fit.
    pub fn add(&mut self, other: &Form, times: Rational) -> Option<()> {
        if times.is_zero() {
            return Some(());
        }
        for (&variable, &by) in &other.parts {
            let sum = self.parts.get(&variable).copied().unwrap_or(Rational::ZERO).plus(by.times(times)?)?;
            if sum.is_zero() {
                self.parts.remove(&variable);
            } else {
                self.parts.insert(variable, sum);
            }
        }
        self.constant = Some(self.rest().plus(other.rest().times(times)?)?);
        Some(())
    }
}

/// How a form compares with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is 0.
    Zero,
    /// It is not positive.
    NotPositive,
}

/// What is known of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// All hold with these values; those of other variables are 0.
    Feasible(BTreeMap<usize, Rational>),
    /// The sum of the forms with these multipliers is a positive constant; those of [`Comparison::NotPositive`] are not negative.
    Infeasible(Vec<Rational>),
}

/// Solves a system. None if numbers grow beyond 128 bits, or after `most` pivots.
pub fn solve(constraints: &[(Form, Comparison)], most: usize) -> Option<Solved> {
    let mut tableau = Tableau::new(constraints)?;
    for _ in 0..most {
        match tableau.step()? {
            Step::Pivoted => {}
            Step::Done => return Some(Solved::Feasible(tableau.values())),
            Step::Stuck(row, below) => {
                return Some(Solved::Infeasible(tableau.multipliers(row, below, constraints)?));
            }
        }
    }
    None
}

enum Step {
    Pivoted,
    Done,
    /// This basic variable cannot reach its bound: below the lower one, or above the upper one.
    Stuck(usize, bool),
}

/// Columns are the variables of the system, renumbered, and after them a slack for each constraint, equal to the form without its
/// constant.
struct Tableau {
    /// What the columns of variables were called.
    names: Vec<usize>,
    /// For each basic column, what it is of those that are not.
    rows: BTreeMap<usize, BTreeMap<usize, Rational>>,
    values: Vec<Rational>,
    lower: Vec<Option<Rational>>,
    upper: Vec<Option<Rational>>,
}

impl Tableau {
    fn new(constraints: &[(Form, Comparison)]) -> Option<Tableau> {
        let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
        for (form, _) in constraints {
            for &name in form.parts.keys() {
                let next = columns.len();
                columns.entry(name).or_insert(next);
            }
        }
        let mut names = vec![0; columns.len()];
        columns.iter().for_each(|(&name, &column)| names[column] = name);
        let count = names.len() + constraints.len();
        let mut tableau = Tableau {
            rows: BTreeMap::new(),
            values: vec![Rational::ZERO; count],
            lower: vec![None; count],
            upper: vec![None; count],
            names,
        };
        for (at, (form, relation)) in constraints.iter().enumerate() {
            let slack = tableau.names.len() + at;
            let bound = form.rest().negated()?;
            tableau.upper[slack] = Some(bound);
            tableau.lower[slack] = (*relation == Comparison::Zero).then_some(bound);
            tableau.rows.insert(slack, form.parts.iter().map(|(name, &by)| (columns[name], by)).collect());
        }
        Some(tableau)
    }

    fn values(&self) -> BTreeMap<usize, Rational> {
        self.names.iter().zip(&self.values).map(|(&name, &value)| (name, value)).collect()
    }

    /// Repairs the first basic column that violates a bound.
    fn step(&mut self) -> Option<Step> {
        let mut broken = None;
        for &basic in self.rows.keys() {
            if let Some(low) = self.lower[basic]
                && self.values[basic].compared(low)? == Ordering::Less
            {
                broken = Some((basic, true, low));
                break;
            }
            if let Some(high) = self.upper[basic]
                && self.values[basic].compared(high)? == Ordering::Greater
            {
                broken = Some((basic, false, high));
                break;
            }
        }
        let Some((basic, below, bound)) = broken else { return Some(Step::Done) };
        let mut chosen = None;
        for (&column, &by) in &self.rows[&basic] {
            // To grow, a column with a positive coefficient has to grow, one with a negative one to shrink.
            let grows = (by.sign() > 0) == below;
            let limit = if grows { self.upper[column] } else { self.lower[column] };
            let free = match limit {
                None => true,
                Some(limit) => match self.values[column].compared(limit)? {
                    Ordering::Less => grows,
                    Ordering::Greater => !grows,
                    Ordering::Equal => false,
                },
            };
            if free {
                chosen = Some((column, by));
                break;
            }
        }
        let Some((column, by)) = chosen else { return Some(Step::Stuck(basic, below)) };
        let change = bound.minus(self.values[basic])?.over(by)?;
        self.values[basic] = bound;
        self.values[column] = self.values[column].plus(change)?;
        for (&other, row) in self.rows.iter().filter(|&(&other, _)| other != basic) {
            if let Some(&with) = row.get(&column) {
                self.values[other] = self.values[other].plus(with.times(change)?)?;
            }
        }
        self.pivot(basic, column, by)?;
        Some(Step::Pivoted)
    }

    /// The column becomes basic instead of the other one.
    fn pivot(&mut self, basic: usize, column: usize, by: Rational) -> Option<()> {
        let mut row = self.rows.remove(&basic)?;
        row.remove(&column);
        let inverse = Rational::ONE.over(by)?;
        let mut solved = BTreeMap::new();
        for (other, with) in row {
            solved.insert(other, with.times(inverse)?.negated()?);
        }
        solved.insert(basic, inverse);
        for row in self.rows.values_mut() {
            let Some(with) = row.remove(&column) else { continue };
            for (&other, &part) in &solved {
                let sum = row.get(&other).copied().unwrap_or(Rational::ZERO).plus(part.times(with)?)?;
                if sum.is_zero() {
                    row.remove(&other);
                } else {
                    row.insert(other, sum);
                }
            }
        }
        self.rows.insert(column, solved);
        Some(())
    }

    /// From a row that is stuck: what each constraint contributes.
    fn multipliers(&self, row: usize, below: bool, constraints: &[(Form, Comparison)]) -> Option<Vec<Rational>> {
        let mut multipliers = vec![Rational::ZERO; constraints.len()];
        let first = self.names.len();
        let direction = if below { Rational::ONE.negated()? } else { Rational::ONE };
        multipliers[row.checked_sub(first)?] = direction;
        for (&column, &by) in &self.rows[&row] {
            // Columns of variables have no bounds: none of them is here.
            multipliers[column.checked_sub(first)?] = by.times(direction)?.negated()?;
        }
        Some(multipliers)
    }
}
