//! The steps of a run in order of time, or against it: calls unfolded each time, or only where they are first met.

use spds_format::model::{Head, Stack};

use super::view::View;
use crate::run::{Run, Section, Step, Then};

/// How calls that return are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Every configuration is listed, equal calls again and again.
    Full,
    /// The part of each call is listed once.
    Folded,
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Forward in time.
    Forward,
    /// From the end to the start.
    Backward,
}

/// A step of a run by its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The list.
    pub part: Section,
    /// The index in the list.
    pub index: usize,
}

/// Whether the part of a call was listed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// It is listed here (below the call when going forward, above it when going backward).
    First,
    /// It was listed before and is not listed here.
    Again,
}

/// One step met on the way.
#[derive(Clone, Copy, Debug)]
pub struct Met<'r> {
    /// Where it stands in the run.
    pub at: At,
    /// The step.
    pub step: &'r Step,
    /// Frames below it in the whole run; for a call met in folded form, where it is listed.
    pub depth: u64,
    /// In folded form, for the step of a call that is made more than once: the number of the call, counted from 1 in the
    /// order in which such calls are met, and whether it is listed here.
    pub call: Option<(usize, Sight)>,
}

/// The steps of one part of a run and of the calls in it, in order. Uses memory for the open calls only.
pub struct Walk<'a> {
    view: &'a View<'a>,
    run: &'a Run,
    form: Form,
    direction: Direction,
    open: Vec<Open>,
    /// For each call whether the run mentions it more than once.
    repeated: Vec<bool>,
    /// For each call its number, once it has been met (zero if it is not repeated).
    numbers: Vec<Option<usize>>,
    met: usize,
}

/// A list being walked: what remains of it is `from..to`.
struct Open {
    part: Section,
    from: usize,
    to: usize,
    depth: u64,
    /// Backward: the call at the end of what remains has been walked, its own step comes now.
    entered: Option<(usize, Sight)>,
}

impl<'a> Walk<'a> {
    /// A walk through a part of a run.
    pub fn new(view: &'a View<'a>, run: &'a Run, part: Section, form: Form, direction: Direction) -> Self {
        let numbers = vec![None; run.calls.len()];
        let mut walk = Walk { view, run, form, direction, open: Vec::new(), repeated: repeated(run), numbers, met: 0 };
        walk.open(part, 0);
        walk
    }

    /// Goes on with another part of the same run; calls met so far stay known.
    pub fn then(&mut self, part: Section) {
        self.open(part, 0);
    }

    fn open(&mut self, part: Section, depth: u64) {
        self.open.push(Open { part, from: 0, to: steps(self.run, part).len(), depth, entered: None });
    }

    /// Opens the part of a call met at `depth`, if it is to be listed.
    fn enter(&mut self, call: usize, depth: u64) -> (usize, Sight) {
        let (number, sight) = match self.numbers[call] {
            Some(number) => (number, Sight::Again),
            None => {
                self.met += usize::from(self.repeated[call]);
                let number = if self.repeated[call] { self.met } else { 0 };
                self.numbers[call] = Some(number);
                (number, Sight::First)
            }
        };
        if self.form == Form::Full || sight == Sight::First {
            self.open(Section::Call(call), depth + 1);
            return (number, Sight::First);
        }
        (number, Sight::Again)
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Met<'a>;

    fn next(&mut self) -> Option<Met<'a>> {
        let run = self.run;
        loop {
            let open = self.open.last_mut()?;
            if open.from == open.to {
                self.open.pop();
                continue;
            }
            let index = match self.direction {
                Direction::Forward => open.from,
                Direction::Backward => open.to - 1,
            };
            let at = At { part: open.part, index };
            let step = &steps(run, at.part)[index];
            let depth = open.depth + u64::from(step.depth);
            let entered = open.entered.take();
            let pass = |open: &mut Open| match self.direction {
                Direction::Forward => open.from += 1,
                Direction::Backward => open.to -= 1,
            };
            if self.view.is_hidden(&step.config, run.ending) {
                pass(open);
                continue;
            }
            let Then::Call(call) = step.then else {
                pass(open);
                return Some(Met { at, step, depth, call: None });
            };
            let call = match (self.direction, entered) {
                (Direction::Forward, _) => {
                    pass(open);
                    self.enter(call, depth)
                }
                (Direction::Backward, Some(entered)) => {
                    pass(open);
                    entered
                }
                (Direction::Backward, None) => {
                    let mine = self.open.len() - 1;
                    let entered = self.enter(call, depth);
                    self.open[mine].entered = Some(entered);
                    continue;
                }
            };
            let call = (self.form == Form::Folded && call.0 > 0).then_some(call);
            return Some(Met { at, step, depth, call });
        }
    }
}

/// The list of steps that a part is.
pub fn steps(run: &Run, part: Section) -> &[Step] {
    match part {
        Section::Stem => &run.stem,
        Section::Cycle => run.cycle.as_deref().unwrap_or(&[]),
        Section::Call(call) => &run.calls[call].steps,
    }
}

/// For each call whether the lists of the run, taken together, mention it more than once.
fn repeated(run: &Run) -> Vec<bool> {
    let mut met = vec![false; run.calls.len()];
    let mut repeated = vec![false; run.calls.len()];
    let lists = run.calls.iter().map(|call| &call.steps).chain([&run.stem]).chain(&run.cycle);
    for step in lists.flatten() {
        if let Then::Call(call) = step.then {
            repeated[call] = met[call];
            met[call] = true;
        }
    }
    repeated
}

/// How many configurations the run has in full form, leaps counting as one; saturates (a run can have 2^1000).
pub fn configurations(view: &View<'_>, run: &Run) -> u128 {
    let calls = configurations_of_calls(view, run);
    let cycle = size(view, run, run.cycle.as_deref().unwrap_or(&[]), &calls);
    size(view, run, &run.stem, &calls).saturating_add(cycle)
}

/// The same of each of its calls.
pub fn configurations_of_calls(view: &View<'_>, run: &Run) -> Vec<u128> {
    let mut calls: Vec<u128> = Vec::with_capacity(run.calls.len());
    for call in &run.calls {
        let size = size(view, run, &call.steps, &calls);
        calls.push(size);
    }
    calls
}

fn size(view: &View<'_>, run: &Run, steps: &[Step], calls: &[u128]) -> u128 {
    view.seen(steps, run).fold(0u128, |sum, step| match step.then {
        Then::Call(call) => sum.saturating_add(1).saturating_add(calls.get(call).copied().unwrap_or(0)),
        Then::Step | Then::Leap(_) => sum.saturating_add(1),
    })
}

/// By how many frames each turn of the cycle leaves the stack higher; `None` if there is no cycle, or if the rules of the
/// system leave open how it closes. Linear in the number of rules.
pub fn growth(view: &View<'_>, run: &Run) -> Option<u32> {
    let cycle = run.cycle.as_deref()?;
    let (first, last) = (cycle.first()?, cycle.last()?);
    let close = |stack: Stack| match stack {
        Stack::Swap(top) if top == first.config.symbol => Some(last.depth),
        Stack::Push(top, _) if top == first.config.symbol => last.depth.checked_add(1),
        Stack::Pop if last.depth > first.depth => Some(last.depth - 1),
        _ => None,
    };
    let from = Head { control: last.config.control, symbol: last.config.symbol };
    let mut depths: Vec<u32> = match last.then {
        Then::Call(_) | Then::Leap(_) => vec![last.depth],
        Then::Step => {
            let rules = view.spds.rules.iter().filter(|rule| rule.from == from && rule.to == first.config.control);
            rules.filter_map(|rule| close(rule.stack)).collect()
        }
    };
    depths.dedup();
    match depths[..] {
        [depth] => depth.checked_sub(first.depth),
        _ => None,
    }
}

/// How many items the run has in folded form.
pub fn items(view: &View<'_>, run: &Run) -> u64 {
    let lists = run.calls.iter().map(|call| &call.steps).chain([&run.stem]).chain(&run.cycle);
    lists.map(|steps| view.seen(steps, run).count() as u64).sum()
}
