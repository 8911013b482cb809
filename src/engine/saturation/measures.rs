//! Numbers that change in one direction only, and what follows of loops: that they end, and what all their turns do.
//!
//! A measure is a variable, or the sum or the difference of two. Turns that change one which changes in one direction only can be
//! taken finitely often, so they lie on no cycle; nor do, among those that are left, turns that change another such measure, and so
//! on (a lexicographic measure: Alias, Darte, Feautrier & Gonnord, SAS 2010). If none is left, turns come to an end.
//!
//! What many turns do is bounded by what does not go back in any of them, and for loops that count the bound is nearly all there is
//! to say. So it is refined by single turns, and if it is then what a turn and further turns make of it, it is what turns do:
//! where turns come to an end, X = R ∪ R∘X has one solution. That takes a few products, whatever the number of turns.

use std::collections::BTreeSet;

use super::images::System;
use super::transitions::Transition;
use crate::bdd::{At, Bit, Column, Relation};
use crate::limits::Stop;
use crate::pds::{HeadId, SetId};

type Result<T> = std::result::Result<T, Stop>;

/// A variable's bits, the least significant first.
pub type Variable = Vec<Bit>;

/// What is worth trying to know the turns of a loop without squaring.
const WORTH: u64 = 1 << 23;

/// A bound that is wrong about a few ends of loops only is right soon; and measures that are of use only after others are few.
const TRIES: usize = 4;

/// Sums over variables that lie apart in the order are too large to be of use.
const LARGEST: usize = 1 << 13;

/// Variables that count, and such that are taken away.
#[derive(Clone, Debug)]
struct Measure(Vec<(Variable, bool)>);

impl Measure {
    fn of(variable: &Variable) -> Measure {
        Measure(vec![(variable.clone(), true)])
    }
}

/// What ways do to a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Some make it larger.
    pub grows: bool,
    /// Some make it smaller.
    pub shrinks: bool,
}

impl Course {
    /// Whether it changes, but never back.
    pub fn is_one_way(self) -> bool {
        self.grows != self.shrinks
    }
}

impl System<'_> {
    /// The scalar variables of some heads.
    pub fn scalars(&self, heads: impl IntoIterator<Item = HeadId>) -> BTreeSet<Variable> {
        let (spds, pds) = (self.spds, &self.control.pds);
        let heads: BTreeSet<HeadId> = heads.into_iter().collect();
        let locals = heads.iter().flat_map(|head| pds.layout.locals(spds.symbol(pds.head(*head).symbol).frame));
        let fields = pds.layout.globals().iter().chain(locals).filter(|field| field.ty.range.is_none());
        fields.map(|field| field.bits().collect()).collect()
    }

    /// What a turn of the loop of a head writes, as variables; `None` if there is something else, arrays above all.
    fn written(&self, head: HeadId, turn: &Transition) -> Option<Vec<Variable>> {
        let layout = &self.control.pds.layout;
        let of_automaton = layout.automaton_bits().chain(layout.mark()).map(|bit| vec![bit]);
        let mut variables: Vec<Variable> = self.scalars([head]).into_iter().chain(of_automaton).collect();
        let bits = |variable: &Variable| self.control.pds.sets.set(variable.iter().copied());
        variables.retain(|variable| self.control.pds.sets.subset(bits(variable), turn.writes));
        let all = variables.iter().fold(SetId::EMPTY, |all, variable| self.union(all, bits(variable)));
        Some(variables).filter(|_| all == turn.writes)
    }

    /// What ways that write a variable do to it.
    pub fn course(&self, variable: &Variable, ways: &[Transition]) -> Result<Course> {
        self.course_of(&Measure::of(variable), ways)
    }

    fn course_of(&self, measure: &Measure, ways: &[Transition]) -> Result<Course> {
        let [grown, shrunk] = self.changed(measure)?;
        let mut course = Course::default();
        for way in ways {
            course.grows |= !self.space.is_empty(&self.space.and(&way.relation, &grown)?);
            course.shrinks |= !self.space.is_empty(&self.space.and(&way.relation, &shrunk)?);
        }
        Ok(course)
    }

    /// Whether turns, which write these variables, are known to come to an end.
    fn comes_to_an_end(&self, turn: &Transition, variables: &[Variable]) -> Result<bool> {
        let mut turn = turn.clone();
        let mut changing: Vec<&Variable> = variables.iter().collect();
        for _ in 0..TRIES {
            let before = changing.len();
            for variable in std::mem::take(&mut changing) {
                let course = self.course(variable, std::slice::from_ref(&turn))?;
                if course.is_one_way() {
                    let same = self.space.identity(variable.iter().copied(), At::Now, At::Next)?;
                    turn.relation = self.space.and(&turn.relation, &same)?;
                } else if course != Course::default() {
                    changing.push(variable);
                }
            }
            if self.space.is_empty(&turn.relation) || changing.len() == before {
                break;
            }
        }
        Ok(self.space.is_empty(&turn.relation))
    }

    /// Those pairs in which no measure goes back that never does in one turn.
    fn not_going_back(
        &self,
        mut pairs: Relation,
        turn: &Transition,
        measures: impl Iterator<Item = Measure>,
    ) -> Result<Relation> {
        for measure in measures {
            let course = self.course_of(&measure, std::slice::from_ref(turn))?;
            let [grown, shrunk] = self.changed(&measure)?;
            for (never, gone) in [(!course.grows, grown), (!course.shrinks, shrunk)] {
                if never {
                    pairs = self.space.and_not(&pairs, &gone)?;
                }
            }
        }
        Ok(pairs)
    }

    /// R⁺ for a turn R of the loop of a head, if it is soon found and proved. Nothing is tried where there are no numbers: bits of
    /// a number that is made of Booleans go up and down.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn turns_proved(&self, head: HeadId, turn: &Transition) -> Result<Option<Relation>> {
        let variables = self.written(head, turn).filter(|all| all.iter().any(|variable| variable.len() > 1));
        let Some(variables) = variables else { return Ok(None) };
        self.space.attempt(WORTH, || {
            // Turns that change nothing may be taken at any time.
            let same = self.space.identity(self.bits(turn.writes), At::Now, At::Next)?;
            let moving = Transition { relation: self.space.and_not(&turn.relation, &same)?, writes: turn.writes };
            if !self.comes_to_an_end(&moving, &variables)? {
                return Err(Stop::Patience);
            }
            let all = self.solution(&moving, self.bound(&moving, &variables)?)?;
            self.space.or(&all, &turn.relation)
        })
    }

    /// A bound of what turns do: they begin as one does, end as one does, and no measure goes back that never does in one.
    fn bound(&self, turn: &Transition, variables: &[Variable]) -> Result<Relation> {
        let space = self.space;
        let [now, next] = [At::Now, At::Next].map(|at| space.vars(self.columns(turn.writes, at).iter().copied()));
        let (begun, ended) = (space.exists(&turn.relation, next)?, space.exists(&turn.relation, now)?);
        let pairs = self.not_going_back(space.and(&begun, &ended)?, turn, variables.iter().map(Measure::of))?;
        let numbers = variables.iter().filter(|variable| variable.len() > 1);
        let courses: Vec<(&Variable, Course)> = numbers
            .map(|variable| Ok((variable, self.course(variable, std::slice::from_ref(turn))?)))
            .collect::<Result<_>>()?;
        self.not_going_back(pairs, turn, of_two(&courses).into_iter())
    }

    /// The solution of X = R ∪ R∘X, from a bound of it.
    fn solution(&self, turn: &Transition, bound: Relation) -> Result<Relation> {
        let mut all = Transition { relation: bound, writes: turn.writes };
        all.relation = self.space.or(&turn.relation, &self.then(&all, turn)?.relation)?;
        for _ in 0..TRIES {
            let next = self.space.or(&turn.relation, &self.then(turn, &all)?.relation)?;
            if next == all.relation {
                return Ok(next);
            }
            all.relation = next;
        }
        Err(Stop::Patience)
    }

    /// Whether a measure is larger after than before, and whether it is smaller. Remembered.
    fn changed(&self, measure: &Measure) -> Result<[Relation; 2]> {
        if let Some(known) = self.measures.borrow().get(&measure.0) {
            return Ok(known.clone());
        }
        let made = [self.larger(measure, At::Next, At::Now)?, self.larger(measure, At::Now, At::Next)?];
        self.measures.borrow_mut().insert(measure.0.clone(), made.clone());
        Ok(made)
    }

    /// Whether a measure is larger in one copy than in the other.
    ///
    /// From the least significant bit on: whether the difference is positive if that of all bits above is so many times the bit.
    /// If it is at least as many times as one copy has summands, nothing below matters.
    fn larger(&self, measure: &Measure, copy: At, other: At) -> Result<Relation> {
        let space = self.space;
        let summands = measure.0.len() as i32;
        let width = measure.0.iter().map(|(variable, _)| variable.len()).max().unwrap_or(0);
        let mut below: Vec<Relation> = (1 - summands..summands).map(|above| self.constant(above > 0)).collect();
        for place in 0..width {
            let mut columns: Vec<(Column, i32)> = Vec::new();
            for (variable, counts) in &measure.0 {
                let sign = if *counts { 1 } else { -1 };
                let bit = variable.get(place).into_iter();
                columns.extend(bit.flat_map(|&bit| [((bit, copy), sign), ((bit, other), -sign)]));
            }
            let known = |difference: i32| match usize::try_from(difference + summands - 1) {
                Ok(place) if place < below.len() => below[place].clone(),
                _ => self.constant(difference > 0),
            };
            let widest = 3 * summands;
            let mut sums: Vec<Relation> = (-widest..=widest).map(known).collect();
            for (column, sign) in columns {
                let literal = space.literal(column, true)?;
                let with = |sum: usize| sums[(sum as i32 + sign).clamp(0, 2 * widest) as usize].clone();
                sums = (0..sums.len()).map(|sum| space.ite(&literal, &with(sum), &sums[sum])).collect::<Result<_>>()?;
            }
            below = (1 - summands..summands).map(|above| sums[(2 * above + widest) as usize].clone()).collect();
            if below.iter().any(|difference| space.size(difference) > LARGEST) {
                return Err(Stop::Patience);
            }
        }
        Ok(below.swap_remove((summands - 1) as usize))
    }

    fn constant(&self, value: bool) -> Relation {
        if value { self.space.top() } else { self.space.bottom() }
    }
}

/// Sums and differences of two of these variables, without those whose course follows from that of each.
fn of_two(variables: &[(&Variable, Course)]) -> Vec<Measure> {
    let mut measures = Vec::new();
    let changing: Vec<_> = variables.iter().filter(|(_, course)| *course != Course::default()).collect();
    for (place, (a, first)) in changing.iter().enumerate() {
        for (b, second) in &changing[..place] {
            let one_way = first.is_one_way() && second.is_one_way();
            // Where both grow, or both shrink, so does their sum; else, their difference.
            let follows = one_way.then_some(first == second);
            for counts in [true, false].into_iter().filter(|counts| Some(*counts) != follows) {
                measures.push(Measure(vec![((*a).clone(), true), ((*b).clone(), counts)]));
            }
        }
    }
    measures
}
