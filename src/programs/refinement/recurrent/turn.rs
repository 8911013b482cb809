//! Turns: what a run that was executed does again and again in one frame, statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::Program;
use crate::c::program::{InputKind, Label, ProcedureId, StatementId, StatementKind};
use crate::interpreter::Given;

/// So many passes through a statement are one turn at most.
const PERIODS: usize = 3;

/// So many statements are looked at that a run passes again and again.
const HEADS: usize = 4;

/// So many of the last passes through a statement are looked at.
const LAST: usize = 6;

/// A turn has no more statements.
pub(super) const LONGEST: usize = 2_000;

/// A configuration of a run.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The statement that is next.
    pub at: StatementId,
    /// Frames below.
    pub depth: usize,
    /// How many inputs were asked for before it.
    pub inputs: usize,
    /// What holds there of what is watched.
    pub holds: Box<[bool]>,
}

/// A way from a statement to itself, in one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// The statements, from the one that is passed on.
    pub path: Vec<Label>,
    /// For each of them the number that it asks for, if that may be chosen.
    pub fixed: Vec<Option<i128>>,
    /// For each of them what holds before it.
    pub holds: Vec<Box<[bool]>>,
}

/// What was done between two passes of a statement in one frame.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub procedure: ProcedureId,
    pub way: Way,
    /// All numbers that are asked for.
    pub inputs: Vec<i128>,
    /// Steps of the run before it.
    pub start: usize,
    /// Inputs of the run before it.
    pub of_stem: usize,
}

/// The turns that a run may go on with for ever: those that it has taken last, through statements of the lowest frame that it is in then.
pub(super) fn turns(program: &Program, run: &[Step], given: &[Given]) -> Vec<Turn> {
    let recent = run.len() / 2;
    let Some(depth) = run[recent..].iter().map(|step| step.depth).min() else { return Vec::new() };
    let own: Vec<usize> = (recent..run.len()).filter(|&at| run[at].depth == depth).collect();
    let mut passes: BTreeMap<StatementId, Vec<usize>> = BTreeMap::new();
    let mut heads = BTreeSet::new();
    for (index, &at) in own.iter().enumerate() {
        passes.entry(run[at].at).or_default().push(at);
        if index > 0 && run[own[index - 1]].at.label >= run[at].at.label {
            heads.insert(run[at].at);
        }
    }
    let mut heads: Vec<&Vec<usize>> =
        heads.iter().map(|head| &passes[head]).filter(|passes| passes.len() > 2).collect();
    heads.sort_by_key(|passes| passes.len());
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    for passes in heads.into_iter().take(HEADS) {
        for period in 1..=PERIODS {
            for last in (period..passes.len()).rev().take(if period == 1 { LAST } else { 1 }) {
                let part = (passes[last - period], passes[last]);
                let turn = turn(program, run, given, part);
                all.extend(turn.filter(|turn| known.insert((turn.way.path.clone(), turn.way.fixed.clone()))));
            }
        }
    }
    all
}

/// A part of a run as a turn, if it calls nothing.
fn turn(program: &Program, run: &[Step], given: &[Given], (start, end): (usize, usize)) -> Option<Turn> {
    let Step { at: StatementId { procedure, .. }, depth, inputs: of_stem, .. } = run[start];
    let part = run.get(start..end).filter(|part| (1..=LONGEST).contains(&part.len()))?;
    if part.iter().any(|step| step.depth != depth || step.at.procedure != procedure) {
        return None;
    }
    let body = program.procedure(procedure).body.as_ref()?;
    let mut turn = Turn {
        procedure,
        way: Way { path: Vec::new(), fixed: Vec::new(), holds: Vec::new() },
        inputs: given.get(of_stem..run[end].inputs)?.iter().map(|given| given.value).collect(),
        start,
        of_stem,
    };
    for (at, step) in (start..).zip(part) {
        let asked = given.get(step.inputs..run[at + 1].inputs)?;
        let fixed = match (&body.get(step.at.label.0 as usize)?.kind, asked) {
            (StatementKind::Input(..), [given]) => chosen(given)?,
            (StatementKind::Input(..), _) => return None,
            _ => None,
        };
        turn.way.path.push(step.at.label);
        turn.way.fixed.push(fixed);
        turn.way.holds.push(step.holds.clone());
    }
    Some(turn)
}

/// The number that was given, if whoever gives it may give the same one again and again; the outer none where no turn should rest on it.
fn chosen(given: &Given) -> Option<Option<i128>> {
    match given.call {
        Some(InputKind::Returned(_) | InputKind::Choice) => Some(Some(given.value)),
        // From left to right.
        Some(InputKind::Order) => (given.value == 0).then_some(Some(0)),
        // Whatever it is.
        Some(InputKind::Volatile(_) | InputKind::Unspecified(_)) | None => Some(None),
        Some(InputKind::Allocated(_)) => None,
    }
}
