//! Affine hulls: the smallest set of solutions of linear equations that has some points (M. Karr, *Affine relationships among variables of a
//! program*, 1976).

use super::super::rational::{Rational, gcd};

/// That a sum of numbers with factors is a constant; the factors are whole and have no common divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Equation {
    pub parts: Vec<(usize, i128)>,
    pub constant: i128,
}

/// The hull of at least one point: that point, and directions from it in echelon form.
#[derive(Clone, Debug)]
pub(in super::super) struct Hull {
    point: Vec<i128>,
    /// Each has 1 where its first number is that is not 0, and there the others have 0.
    directions: Vec<(usize, Vec<Rational>)>,
}

/// The greatest factor of an equation that is worth having.
const FACTOR: i128 = 1 << 20;

impl Hull {
    /// That of one point.
    pub fn of(point: &[i128]) -> Hull {
        Hull { point: point.to_vec(), directions: Vec::new() }
    }

    /// That of several points, if there are any, and numbers stay small enough.
    pub fn spanned(points: &[Vec<i128>]) -> Option<Hull> {
        let (first, rest) = points.split_first()?;
        let mut hull = Hull::of(first);
        rest.iter().try_for_each(|point| hull.join(point).map(drop))?;
        Some(hull)
    }

    /// A point joins: whether the hull grows; none if numbers get too large.
    pub fn join(&mut self, point: &[i128]) -> Option<bool> {
        let mut direction = Vec::with_capacity(self.point.len());
        for (to, from) in point.iter().zip(&self.point) {
            direction.push(Rational::integer(to.checked_sub(*from)?));
        }
        for (lead, known) in &self.directions {
            let by = direction[*lead];
            subtract(&mut direction, known, by)?;
        }
        let Some(lead) = direction.iter().position(|number| !number.is_zero()) else { return Some(false) };
        let first = direction[lead];
        for number in &mut direction {
            *number = number.over(first)?;
        }
        for (_, known) in &mut self.directions {
            let by = known[lead];
            subtract(known, &direction, by)?;
        }
        self.directions.push((lead, direction));
        Some(true)
    }

    /// A basis of the equations that hold of all points: one for each number that leads no direction. Those with large factors are left out.
    pub fn equations(&self) -> Vec<Equation> {
        let leads = |at: &usize| self.directions.iter().any(|(lead, _)| lead == at);
        (0..self.point.len()).filter(|at| !leads(at)).filter_map(|at| self.equation(at)).collect()
    }

    /// `xₐ = Σ dᵢₐ·xₗᵢ + c` for the number at `a`.
    fn equation(&self, free: usize) -> Option<Equation> {
        let mut parts: Vec<(usize, Rational)> = vec![(free, Rational::ONE)];
        for (lead, direction) in &self.directions {
            let by = direction[free];
            if !by.is_zero() {
                parts.push((*lead, by.negated()?));
            }
        }
        parts.sort_unstable_by_key(|&(at, _)| at);
        let mut common = 1i128;
        for (_, factor) in &parts {
            common = common.checked_mul(factor.below / gcd(common, factor.below).max(1))?;
        }
        let mut whole = Vec::with_capacity(parts.len());
        for (at, factor) in parts {
            let number = factor.above.checked_mul(common / factor.below)?;
            if number.abs() > FACTOR {
                return None;
            }
            whole.push((at, number));
        }
        let constant = super::bound::sum(&whole, &self.point)?;
        Some(Equation { parts: whole, constant })
    }
}

/// `from -= by * what`
fn subtract(from: &mut [Rational], what: &[Rational], by: Rational) -> Option<()> {
    if by.is_zero() {
        return Some(());
    }
    for (number, other) in from.iter_mut().zip(what).filter(|(_, other)| !other.is_zero()) {
        *number = number.plus(other.times(by)?.negated()?)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_have_its_equations() {
        let mut hull = Hull::of(&[0, 10, 5]);
        assert_eq!(hull.join(&[1, 9, 5]), Some(true));
        assert_eq!(hull.join(&[7, 3, 5]), Some(false));
        let sum = Equation { parts: vec![(0, 1), (1, 1)], constant: 10 };
        let third = Equation { parts: vec![(2, 1)], constant: 5 };
        assert_eq!(hull.equations(), [sum, third]);
    }

    #[test]
    fn factors_are_whole() {
        let mut hull = Hull::of(&[0, 1]);
        assert_eq!(hull.join(&[2, 4]), Some(true));
        assert_eq!(hull.equations(), [Equation { parts: vec![(0, -3), (1, 2)], constant: 2 }]);
    }

    #[test]
    fn nothing_holds_of_all_points() {
        let mut hull = Hull::of(&[0, 0]);
        hull.join(&[1, 0]);
        hull.join(&[0, 1]);
        assert!(hull.equations().is_empty());
    }
}
