//! Iterations of a lasso while it is completed: how often its cycle is gone round, and on what it closes in the end.
//!
//! The search closed the cycle on what is live; values that it forgot may differ after a turn: they are passed on by the loop,
//! returned by calls, or drawn. Free values are chosen in the same way each time, and there are finitely many states, so turn after
//! turn all values come back some time. Two turns tell whether that is soon; if not, the cycle closes on what matters.

use rustc_hash::FxHashMap;
use spds_format::model::Var;

use super::way::Point;
use crate::pds::SetId;
use crate::pds::layout::Field;
use crate::saturation::System;

/// A value for every bit of state; slots outside the frame are false.
pub(super) type Full = Vec<bool>;

/// So often a cycle is gone round to see whether all values come back; what does not come back in two turns seldom does.
const TURNS: usize = 2;
/// The same where more has to come back than the search saw to: other cells of arrays, or variables that somebody else asks for.
const MANY_TURNS: usize = 8;

/// What has to come back, at least.
pub(super) struct Wanted {
    /// The variables.
    variables: Vec<Var>,
    /// All their bits.
    bits: Vec<usize>,
    /// After so many turns they are enough.
    enough: usize,
}

impl Wanted {
    /// What the search kept at a point, and these variables.
    pub(super) fn at(system: &System<'_>, point: &Point, others: &[Var]) -> Wanted {
        let (layout, sets) = (&system.control.pds.layout, &system.control.pds.sets);
        let kept = system.live(point.node.head);
        let frame = system.spds.symbol(system.control.pds.head(point.node.head).symbol).frame;
        let globals = layout.globals().iter().enumerate().map(|(i, field)| (Var::Global(i as u32), field));
        let locals = layout.locals(frame).iter().enumerate().map(|(i, field)| (Var::Local(i as u32), field));
        let of = |field: &Field| sets.set(field.bits());
        let is_kept = |field: &Field| sets.intersection(of(field), kept) != SetId::EMPTY;
        let found = globals.chain(locals).filter(|(var, field)| is_kept(field) || others.contains(var));
        let found: Vec<(Var, &Field)> = found.collect();
        let in_part = found.iter().any(|(_, field)| sets.intersection(of(field), kept) != of(field));
        Wanted {
            variables: found.iter().map(|(var, _)| *var).collect(),
            bits: found.iter().flat_map(|(_, field)| field.bits()).map(|bit| bit.0 as usize).collect(),
            enough: if in_part || !others.is_empty() { MANY_TURNS } else { TURNS },
        }
    }
}

/// Where a cycle begins and ends, by numbers of steps, and on what it closes.
pub(super) struct Closed {
    pub(super) begin: usize,
    pub(super) end: usize,
    pub(super) on: Closes,
}

/// On which values a cycle closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closes {
    OnAll,
    OnWhatMatters,
}

/// The turns so far.
pub(super) struct Turns {
    /// The place in the way at which each begins.
    pub(super) first: usize,
    wanted: Wanted,
    /// How many have begun.
    begun: usize,
    /// The number of steps listed before each, by the state there.
    states: FxHashMap<Full, usize>,
    /// The same, by what is wanted of the state.
    parts: FxHashMap<Full, usize>,
    /// The first turns after which what is wanted was as it was before them: their beginning and end.
    back: Option<(usize, usize)>,
}

impl Turns {
    /// None yet, of a cycle that begins there.
    pub(super) fn new(first: usize, wanted: Wanted) -> Turns {
        Turns { first, wanted, begun: 0, states: FxHashMap::default(), parts: FxHashMap::default(), back: None }
    }

    /// Whether the first has begun.
    pub(super) fn begun(&self) -> bool {
        self.begun > 0
    }

    /// The variables on which a cycle closes, if not on all.
    pub(super) fn closed(&mut self, on: Closes) -> Option<Vec<Var>> {
        (on == Closes::OnWhatMatters).then(|| std::mem::take(&mut self.wanted.variables))
    }

    /// A turn begins in that state, after so many steps. Says if the cycle has closed.
    pub(super) fn begin(&mut self, steps: usize, state: &Full) -> Option<Closed> {
        if let Some(&begin) = self.states.get(state) {
            return Some(Closed { begin, end: steps, on: Closes::OnAll });
        }
        self.states.insert(state.clone(), steps);
        let part = self.wanted.bits.iter().map(|&bit| state[bit]).collect();
        let begin = *self.parts.entry(part).or_insert(steps);
        if begin < steps {
            self.back.get_or_insert((begin, steps));
        }
        let enough = self.begun >= self.wanted.enough;
        self.begun += 1;
        self.back.filter(|_| enough).map(|(begin, end)| Closed { begin, end, on: Closes::OnWhatMatters })
    }
}
