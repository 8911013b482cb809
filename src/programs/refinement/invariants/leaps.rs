//! Acceleration of drawn runs: where each turn of a loop has changed all numbers by the same, many turns are passed over, to where something
//! may change. A loop of a million turns would leave nothing of a run for the cut points behind it. What is seen after a leap may be no run of
//! the program: it makes candidates, of which each is proved or dropped, and it says which runs are worth their length.

use crate::random;

/// Turns that have to be alike.
const TURNS: u64 = 5;

/// Turns that are not worth a leap.
const SHORT: i128 = 12;

/// The same where turns may write to arrays: the first cells are what they would be without leaps.
const FIRST_CELLS: u64 = 18;

/// Turns that are left before something may change: the last cells are what they would be, too.
const BEFORE: i128 = 5;

/// After a leap so many visits are not looked at where turns may write to arrays: the cells behind them were passed over.
const UNSEEN: u64 = 2;

/// One leap in so many ends somewhere before.
const ANYWHERE: u64 = 4;

/// The leaps of one run.
const LEAPS: u64 = 60;

/// How numbers go at a cut point.
struct Course {
    /// Of this frame.
    frame: u64,
    last: Vec<i128>,
    by: Vec<i128>,
    /// How often they have changed so.
    turns: u64,
    /// Whether the last ones were passed over.
    leapt: bool,
    /// Steps of the run so far.
    at: u64,
}

/// What a visit of a cut point is like.
pub(super) struct Visit<'v> {
    pub frame: u64,
    pub values: &'v [i128],
    /// The least and the greatest value of each.
    pub ranges: &'v [(i128, i128)],
    /// Steps of the run so far.
    pub at: u64,
}

/// The leaps of a run.
pub(super) struct Leaps<'c> {
    constants: &'c [i128],
    /// Whether turns may write to arrays.
    arrays: bool,
    courses: Vec<Option<Course>>,
    state: u64,
    left: u64,
    /// About so many steps were passed over.
    pub passed_over: u64,
}

impl<'c> Leaps<'c> {
    /// Of a run of a program with so many cut points and such constants, whose turns may write to arrays or do not.
    pub fn new(places: usize, constants: &'c [i128], arrays: bool, seed: u64) -> Leaps<'c> {
        let courses = (0..places).map(|_| None).collect();
        Leaps { constants, arrays, courses, state: seed, left: LEAPS, passed_over: 0 }
    }

    /// Whether a leap ended at a place just now, so that arrays are not what they would be.
    pub fn is_unseen(&self, place: usize) -> bool {
        let just = |course: &Course| course.leapt && course.turns < UNSEEN;
        self.arrays && self.courses.get(place).and_then(Option::as_ref).is_some_and(just)
    }

    /// The values after a leap, if one is made here.
    pub fn met(&mut self, place: usize, visit: &Visit<'_>) -> Option<Vec<i128>> {
        let &Visit { frame, values, ranges, at } = visit;
        let course = self.courses.get_mut(place)?;
        let Some(known) = course.as_mut().filter(|known| known.frame == frame && known.last.len() == values.len())
        else {
            *course = Some(Course { frame, last: values.to_vec(), by: Vec::new(), turns: 0, leapt: false, at });
            return None;
        };
        let by: Vec<i128> = values.iter().zip(&known.last).map(|(now, before)| now - before).collect();
        known.turns = if by == known.by { known.turns + 1 } else { 1 };
        known.leapt &= known.turns < UNSEEN;
        let each = at - known.at;
        (known.last, known.by, known.at) = (values.to_vec(), by, at);
        let enough = if self.arrays { FIRST_CELLS } else { TURNS };
        if known.turns < enough || self.left == 0 {
            return None;
        }
        let most = turns(values, &known.by, ranges, self.constants)?.saturating_sub(BEFORE);
        let any = random::next(&mut self.state);
        let turns = match any % ANYWHERE {
            0 if !self.arrays => 1 + i128::from(any >> 8) % most.max(1),
            _ => most,
        };
        if turns < SHORT {
            return None;
        }
        let after: Vec<i128> = values.iter().zip(&known.by).map(|(value, by)| value + turns * by).collect();
        (known.last, known.turns, known.leapt) = (after.clone(), 0, true);
        self.left -= 1;
        self.passed_over =
            self.passed_over.saturating_add(each.saturating_mul(u64::try_from(turns).unwrap_or(u64::MAX)));
        Some(after)
    }
}

/// After how many turns a number comes to a constant, to another number or to an end of its type, for the first time; none if nothing changes.
fn turns(values: &[i128], by: &[i128], ranges: &[(i128, i128)], constants: &[i128]) -> Option<i128> {
    let mut least: Option<i128> = None;
    let mut note = |way: i128, speed: i128| {
        if speed != 0 && way.signum() * speed.signum() >= 0 {
            let turns = way / speed;
            least = Some(least.map_or(turns, |known| known.min(turns)));
        }
    };
    for (at, (&value, &speed)) in values.iter().zip(by).enumerate() {
        if speed == 0 {
            continue;
        }
        constants.iter().for_each(|constant| note(constant - value, speed));
        let (low, high) = *ranges.get(at)?;
        note(if speed > 0 { high } else { low } - value, speed);
        for (other, other_speed) in values.iter().zip(by) {
            note(other - value, speed - other_speed);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int() -> (i128, i128) {
        (-(1 << 31), (1 << 31) - 1)
    }

    #[test]
    fn a_counter_leaps_to_where_it_meets_another_number() {
        let (mut leaps, ranges) = (Leaps::new(1, &[0], false, 7), [int(), int()]);
        let mut values = vec![0, 1_000_000];
        let mut most = 0;
        for turn in 0..200 {
            let visit = Visit { frame: 1, values: &values, ranges: &ranges, at: 4 * turn };
            if let Some(after) = leaps.met(0, &visit) {
                assert_eq!(after[1], 1_000_000);
                assert!(after[0] > values[0] && after[0] <= 1_000_000, "{after:?}");
                values = after;
            }
            most = values[0];
            if values[0] == 1_000_000 {
                break;
            }
            values[0] += 1;
        }
        assert_eq!(most, 1_000_000);
        assert!((3_900_000..4_000_000).contains(&leaps.passed_over), "{}", leaps.passed_over);
    }

    #[test]
    fn where_numbers_meet_nothing_is_passed_over() {
        let mut leaps = Leaps::new(1, &[1 << 20], false, 7);
        for turn in 0..40 {
            let values = [turn, 8];
            let visit = Visit { frame: 1, values: &values, ranges: &[int(), int()], at: turn as u64 };
            assert!(leaps.met(0, &visit).is_none() || turn > 8, "{turn}");
        }
    }

    #[test]
    fn what_changes_otherwise_each_time_is_not_passed_over() {
        let mut leaps = Leaps::new(1, &[1 << 20], false, 7);
        for turn in 0..100 {
            let values = [i128::from(turn * turn)];
            assert_eq!(leaps.met(0, &Visit { frame: 1, values: &values, ranges: &[int()], at: turn }), None);
        }
    }

    #[test]
    fn frames_have_courses_of_their_own() {
        let mut leaps = Leaps::new(1, &[1 << 20], false, 7);
        for turn in 0..100u64 {
            let values = [i128::from(turn)];
            assert_eq!(leaps.met(0, &Visit { frame: turn, values: &values, ranges: &[int()], at: turn }), None);
        }
    }

    #[test]
    fn where_turns_may_write_to_arrays_the_first_and_the_last_ones_are_made() {
        let ranges = [int()];
        let mut leaps = Leaps::new(1, &[1 << 20], true, 7);
        let (mut i, mut made, mut unseen) = (0i128, Vec::new(), Vec::new());
        for at in 0..200 {
            let visit = Visit { frame: 1, values: &[i], ranges: &ranges, at };
            if let Some(after) = leaps.met(0, &visit) {
                i = after[0];
            }
            if leaps.is_unseen(0) {
                unseen.push(i);
            }
            made.push(i);
            if i == 1 << 20 {
                break;
            }
            i += 1;
        }
        assert_eq!(i, 1 << 20);
        assert!((0..18).all(|first| made.contains(&first)), "{made:?}");
        assert!((1..=5).all(|last| made.contains(&((1 << 20) - last))), "{made:?}");
        assert_eq!(unseen, [(1 << 20) - 5, (1 << 20) - 4]);
    }
}
