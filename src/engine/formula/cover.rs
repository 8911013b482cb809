//! Sums of products that cover a set and nothing else.
//!
//! Minato's irredundant sums of products (*Fast generation of irredundant sum-of-products forms from binary decision
//! diagrams*, 1992), with units of several alternatives in place of bits: a product says of each unit which of its
//! alternatives it may have. The order of BDD variables plays no part, so the result depends on the set alone.

use super::form::Product;
use super::units::Units;
use crate::bdd::{Relation, Space};
use crate::limits::Stop;

/// Which alternatives of which units, units ascending.
pub(super) type Cube = Vec<(usize, u64)>;

/// Why there is no sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSum {
    /// It has more products than wanted.
    TooLong,
    /// A limit was met.
    Stopped(Stop),
}

impl From<Stop> for NoSum {
    fn from(stop: Stop) -> Self {
        NoSum::Stopped(stop)
    }
}

/// Products between two sets, and what each of them holds.
pub(super) struct Cover {
    pub cubes: Vec<(Cube, Relation)>,
}

impl Cover {
    /// The products as tests.
    pub fn products(&self, units: &Units) -> Vec<Product> {
        self.cubes.iter().map(|(cube, _)| units.literals(cube)).collect()
    }
}

/// One unit being split.
struct Frame {
    unit: usize,
    /// For each alternative, what has to be covered still.
    lower: Vec<Relation>,
    /// For each alternative, what may be covered.
    upper: Vec<Relation>,
    /// What may be covered whatever the alternative.
    meet: Relation,
    /// The alternative at work; behind the last one, all of them together.
    at: usize,
    /// Where its products begin.
    first: usize,
}

/// An irredundant sum of at most `most` products that covers `lower` and nothing outside of `upper`.
///
/// # Errors
/// If it gets longer than that, or a limit is met.
pub(super) fn cover(
    space: &Space,
    units: &Units,
    (lower, upper): (&Relation, &Relation),
    most: usize,
) -> Result<Cover, NoSum> {
    let mut cubes: Vec<(Cube, Relation)> = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut call = Some((lower.clone(), upper.clone()));
    loop {
        if let Some((lower, upper)) = call.take() {
            space.check()?;
            if space.is_full(&upper) && !space.is_empty(&lower) {
                if cubes.len() == most {
                    return Err(NoSum::TooLong);
                }
                cubes.push((Cube::new(), space.top()));
            } else if let Some(unit) = units.first(space, [&lower, &upper]).filter(|_| !space.is_empty(&lower)) {
                let unit_of = &units.units[unit];
                let part = |set: &Relation| -> Result<Vec<Relation>, Stop> {
                    let parts = unit_of.alternatives.iter().map(|one| space.and_exists(set, &one.one, unit_of.vars));
                    parts.collect()
                };
                let (lower, upper) = (part(&lower)?, part(&upper)?);
                let meet = upper.iter().try_fold(space.top(), |meet, part| space.and(&meet, part))?;
                let to_do = space.and_not(&lower[0], &meet)?;
                call = Some((to_do, upper[0].clone()));
                frames.push(Frame { unit, lower, upper, meet, at: 0, first: cubes.len() });
                continue;
            }
        }
        let Some(frame) = frames.last_mut() else { break };
        if frame.at < frame.lower.len() {
            frame.widen(space, units, &mut cubes)?;
            frame.at += 1;
            frame.first = cubes.len();
        } else {
            frames.pop();
            continue;
        }
        call = Some(match (frame.lower.get(frame.at), frame.upper.get(frame.at)) {
            (Some(lower), Some(upper)) => (space.and_not(lower, &frame.meet)?, upper.clone()),
            _ => {
                let rest = frame.lower.iter().try_fold(space.bottom(), |rest, part| space.or(&rest, part))?;
                (rest, frame.meet.clone())
            }
        });
    }
    for (cube, _) in &mut cubes {
        cube.reverse();
    }
    cubes.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
    irredundant(space, lower, cubes)
}

impl Frame {
    /// The products of the alternative at work may serve others as well.
    fn widen(&mut self, space: &Space, units: &Units, cubes: &mut [(Cube, Relation)]) -> Result<(), Stop> {
        let alternatives = &units.units[self.unit].alternatives;
        for (cube, holds) in &mut cubes[self.first..] {
            let mut mask = 0u64;
            let mut values = space.bottom();
            for (i, alternative) in alternatives.iter().enumerate() {
                if space.subset(holds, &self.upper[i])? {
                    mask |= 1 << i;
                    values = space.or(&values, &alternative.all)?;
                    self.lower[i] = space.and_not(&self.lower[i], holds)?;
                }
            }
            if mask.count_ones() as usize != alternatives.len() {
                cube.push((self.unit, mask));
                *holds = space.and(holds, &values)?;
            }
        }
        Ok(())
    }
}

/// Leaves out products, the last ones first, without which the others still cover all.
fn irredundant(space: &Space, lower: &Relation, cubes: Vec<(Cube, Relation)>) -> Result<Cover, NoSum> {
    let mut before = vec![space.bottom()];
    for (_, holds) in &cubes {
        let last = before.last().expect("there is one to begin with");
        before.push(space.or(last, holds)?);
    }
    let mut kept = Vec::new();
    let mut behind = space.bottom();
    for (i, (cube, holds)) in cubes.into_iter().enumerate().rev() {
        let needed = space.and(&holds, lower)?;
        if !space.subset(&needed, &space.or(&before[i], &behind)?)? {
            behind = space.or(&behind, &holds)?;
            kept.push((cube, holds));
        }
    }
    kept.reverse();
    Ok(Cover { cubes: kept })
}
