//! What can come after a configuration of which not everything is decided: one way for each rule and each assignment to what the
//! rule reads, through configurations that nobody sees.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use spds_format::Spds;
use spds_format::expr::Expr;
use spds_format::model::{Rule, Stack, SymbolId};

use super::eval::Cells;
use super::step::{Move, Wanted};
use super::system::{Budget, State, System};

/// The most choices that are listed at once.
const MOST: usize = 1_000;

/// States looked at in one search for successors.
const EFFORT: u64 = 1_000_000;

/// The most hidden configurations on the way to one that is seen.
const LONGEST: usize = 1_000;

/// A system, and the stacks that were met.
pub struct Successors<'s> {
    /// The system.
    pub system: System<'s>,
    /// What lies below a state: an index is the topmost frame.
    frames: Vec<Frame>,
    known: BTreeMap<Frame, usize>,
}

/// Something below the topmost symbol.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    symbol: SymbolId,
    locals: Cells,
    rest: Option<usize>,
    height: u64,
}

/// One rule taken.
#[derive(Clone)]
pub struct Taken<'s> {
    /// None at the start.
    pub rule: Option<&'s Rule>,
    /// The state before it, with all that it decides.
    pub before: State,
    /// The state after it.
    pub after: State,
    /// What lies below that.
    pub below: Option<usize>,
}

/// What can come next.
#[derive(Clone, Default)]
pub struct Choices<'s> {
    /// The ways to the next configurations that are seen.
    pub ways: Vec<Vec<Taken<'s>>>,
    /// Whether these are all.
    pub complete: bool,
}

impl<'s> Successors<'s> {
    /// Those of a system.
    pub fn new(spds: &'s Spds) -> Successors<'s> {
        Successors { system: System::new(spds), frames: Vec::new(), known: BTreeMap::new() }
    }

    /// How many symbols a stack has.
    pub fn height(&self, stack: Option<usize>) -> u64 {
        stack.map_or(0, |frame| self.frames[frame].height)
    }

    /// The symbols of a stack, from the top.
    pub fn symbols(&self, stack: Option<usize>) -> Vec<SymbolId> {
        let frames = std::iter::successors(stack, |frame| self.frames[*frame].rest);
        frames.map(|frame| self.frames[frame].symbol).collect()
    }

    /// All ways to start, as far as they differ in what is decided.
    pub fn starts(&mut self, draft: &State) -> Choices<'s> {
        let spds = self.system.spds;
        let mut below = None;
        for symbol in spds.start.stack.iter().skip(1).rev() {
            let locals = vec![None; self.system.locals(*symbol).len()];
            below = Some(self.frame(*symbol, locals, below));
        }
        let mut allowed = Vec::new();
        let mut complete = self.admitted(draft.clone(), spds.start.condition.as_ref(), &mut allowed);
        let mut all = Vec::new();
        for state in allowed {
            complete &= self.admitted(state.clone(), self.system.invariant(state.symbol), &mut all);
        }
        let taken = |after: State| Taken { rule: None, before: after.clone(), after, below };
        let first = all.into_iter().map(taken).collect();
        self.ways(first, complete)
    }

    /// All ways on from a configuration.
    pub fn after(&mut self, state: &State, below: Option<usize>) -> Choices<'s> {
        let (first, complete) = self.after_of(state, below);
        self.ways(first, complete)
    }

    /// Adds the states in which a condition holds; whether these are all.
    fn admitted(&self, state: State, condition: Option<&Expr>, all: &mut Vec<State>) -> bool {
        let most = all.len() + MOST;
        let met = self.system.admit(state, condition, &mut Budget(EFFORT), &mut |state| {
            all.push(state);
            if all.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        met.is_ok() && all.len() <= most
    }

    /// All that one rule leads to; whether it is all.
    fn after_of(&mut self, state: &State, below: Option<usize>) -> (Vec<Taken<'s>>, bool) {
        let mut all = Vec::new();
        let mut complete = true;
        for rule in self.system.rules(state.head()).collect::<Vec<_>>() {
            let mut moves: Vec<Move> = Vec::new();
            let met = self.system.moves(rule, state, Wanted::default(), &mut Budget(EFFORT), &mut |taken| {
                moves.push(taken);
                if moves.len() > MOST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            complete &= met.is_ok() && moves.len() <= MOST;
            for Move { before, globals, locals, saved } in moves {
                match rule.stack {
                    Stack::Swap(symbol) => {
                        let after = State { control: rule.to, symbol, globals, locals };
                        all.push(Taken { rule: Some(rule), before, after, below });
                    }
                    Stack::Push(symbol, site) => {
                        let below = Some(self.frame(site, saved, below));
                        let after = State { control: rule.to, symbol, globals, locals };
                        all.push(Taken { rule: Some(rule), before, after, below });
                    }
                    Stack::Pop => {
                        let Some(Frame { symbol, locals, rest, .. }) = below.map(|frame| self.frames[frame].clone())
                        else {
                            continue;
                        };
                        let after = State { control: rule.to, symbol, globals, locals };
                        let mut admitted = Vec::new();
                        complete &= self.admitted(after, self.system.invariant(symbol), &mut admitted);
                        all.extend(admitted.into_iter().map(|after| Taken {
                            rule: Some(rule),
                            before: before.clone(),
                            after,
                            below: rest,
                        }));
                    }
                }
            }
        }
        (all, complete)
    }

    /// Goes on from hidden configurations to those that are seen.
    fn ways(&mut self, first: Vec<Taken<'s>>, mut complete: bool) -> Choices<'s> {
        let mut ways = Vec::new();
        let mut pending: Vec<Vec<Taken<'s>>> = first.into_iter().rev().map(|taken| vec![taken]).collect();
        let mut passed = BTreeSet::new();
        while let Some(way) = pending.pop() {
            let Some(last) = way.last() else { continue };
            if !self.system.is_hidden(last.after.head()) {
                if ways.len() == MOST {
                    complete = false;
                    break;
                }
                ways.push(way);
                continue;
            }
            // Ways that meet in a hidden configuration go on alike, but they decide different values before it.
            let (state, below) = (last.after.clone(), last.below);
            if way.len() > LONGEST {
                complete = false;
                continue;
            }
            if way.len() > 1 && !passed.insert((way[0].before.clone(), state.clone(), below)) {
                continue;
            }
            let (next, all) = self.after_of(&state, below);
            complete &= all;
            pending.extend(next.into_iter().rev().map(|taken| way.iter().cloned().chain([taken]).collect()));
        }
        Choices { ways, complete }
    }

    fn frame(&mut self, symbol: SymbolId, locals: Cells, rest: Option<usize>) -> usize {
        let height = self.height(rest) + 1;
        let frame = Frame { symbol, locals, rest, height };
        if let Some(index) = self.known.get(&frame) {
            return *index;
        }
        self.frames.push(frame.clone());
        self.known.insert(frame, self.frames.len() - 1);
        self.frames.len() - 1
    }
}
