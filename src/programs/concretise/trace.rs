//! A run of the Boolean program as a list of statements of the C program.

use spds_format::Spds;
use spds_format::model::{Rule, Stack, SymbolId};

use crate::abstraction::boolean::Part;
use crate::abstraction::{Origin, System, Transition, Valuation};
use crate::c::program::{Label, ProcedureId};
use crate::run::{Run, Step, Then};

/// More statements than that are not followed: calls in a trace are folded, and it can be exponentially long.
const LONGEST: usize = 200_000;

/// A line of the Boolean program in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Of which procedure.
    pub procedure: ProcedureId,
    /// Of which statement.
    pub label: Label,
    /// Which of the lines made of it.
    pub line: usize,
    /// How many of them come after that one.
    pub after: usize,
    /// How it stands for the statement.
    pub part: Part,
    /// How many calls are open.
    pub depth: usize,
}

/// The statements of a run; none if there are too many, or some are left out.
pub fn points(system: &System, run: &Run) -> Vec<Point> {
    listed(system, run, &run.stem)
}

/// The statements of a run that goes on for ever, up to the end of so many turns; none if there are too many, or some are left out.
pub fn turned(system: &System, run: &Run, turns: usize) -> Vec<Point> {
    let Some(cycle) = &run.cycle else { return Vec::new() };
    let mut all = points(system, run);
    let one = listed(system, run, cycle);
    // A turn begins so much deeper than the one before it.
    let Some((first, last)) = one.first().zip(cycle.last()) else { return Vec::new() };
    let (head, begins) = (*first, cycle.first().map_or(0, |step| step.depth as usize));
    let rises = rise(&system.spds, cycle, last).saturating_sub(begins);
    for turn in 0..turns {
        let deeper = |point: &Point| Point { depth: point.depth + turn * rises, ..*point };
        all.extend(one.iter().map(deeper));
        if all.len() > LONGEST {
            return Vec::new();
        }
    }
    all.push(Point { depth: head.depth + turns * rises, ..head });
    all
}

/// How deep the configuration is to which a cycle leads back.
fn rise(spds: &Spds, cycle: &[Step], last: &Step) -> usize {
    let to = cycle.first().map(|step| step.config.symbol);
    let depth = last.depth as usize;
    if matches!(last.then, Then::Call(_)) {
        return depth;
    }
    let leads = |rule: &&Rule| rule.from.symbol == last.config.symbol && Some(top(&rule.stack)) == to.map(Some);
    let pushes = |rule: &Rule| matches!(rule.stack, Stack::Push(..));
    match spds.rules.iter().find(leads) {
        Some(rule) if pushes(rule) => depth + 1,
        Some(_) => depth,
        None => depth.saturating_sub(1),
    }
}

/// What is on top after a rule, if it is not a return.
fn top(stack: &Stack) -> Option<SymbolId> {
    match stack {
        Stack::Pop => None,
        Stack::Swap(next) | Stack::Push(next, _) => Some(*next),
    }
}

fn listed(system: &System, run: &Run, steps: &[Step]) -> Vec<Point> {
    let mut points = Vec::new();
    // Parts of the run that are open: their steps, the next one, and how deep they are.
    let mut open: Vec<(&[Step], usize, usize)> = vec![(steps, 0, 0)];
    while let Some((steps, at, base)) = open.pop() {
        let Some(step) = steps.get(at) else { continue };
        let depth = base + step.depth as usize;
        points.extend(system.origin(step.config.symbol).map(|origin| point(origin, depth)));
        if points.len() > LONGEST || matches!(step.then, Then::Leap(_)) {
            return Vec::new();
        }
        open.push((steps, at + 1, base));
        if let Then::Call(call) = step.then
            && let Some(call) = run.calls.get(call)
        {
            open.push((&call.steps, 0, depth + 1));
        }
    }
    points
}

/// The steps of a run within one frame that statements of the C program take, with the values before and after.
pub fn transitions(system: &System, run: &Run) -> Vec<Transition> {
    let lists = [&run.stem].into_iter().chain(&run.cycle).chain(run.calls.iter().map(|call| &call.steps));
    let mut all = Vec::new();
    for steps in lists {
        for pair in steps.windows(2) {
            let [from, to] = pair else { continue };
            let stays = from.then == Then::Step && from.depth == to.depth;
            if let (Some(Origin { statement, part, .. }), true) = (system.origin(from.config.symbol), stays)
                && !part.passes()
            {
                let [before, after] = [from, to].map(|step| valuation(&system.spds, step));
                all.push(Transition { statement, before, after });
            }
        }
    }
    all
}

/// The values of the variables in scope.
fn valuation(spds: &Spds, step: &Step) -> Valuation {
    let globals = spds.globals.iter().zip(step.config.globals.iter());
    let locals = spds.locals(step.config.symbol).iter().zip(step.config.locals.iter());
    globals.chain(locals).map(|(variable, value)| ((*variable.name).into(), *value != 0)).collect()
}

fn point(origin: Origin, depth: usize) -> Point {
    let Origin { statement, line, after, part, .. } = origin;
    Point { procedure: statement.procedure, label: statement.label, line, after, part, depth }
}
