//! From one item of a recorded trace to the next: what rules, folded calls and leaps lead to, as far as it fits.

use crate::run::Section;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use spds_format::model::{Head, Rule, Stack, SymbolId};

use super::super::Replayed;
use super::super::closes::on_the_loop;
use super::super::ending::{Suspended, suspended};
use super::super::eval::Cells;
use super::super::leap::{agree, leap};
use super::super::step::{Misfit, Move, Wanted};
use super::super::system::{Exhausted, State};
use super::{Aim, Below, Candidate, Candidates, FROM_ZERO, Failure, Linked, Tower, Walker, object};

/// A way into a folded call.
struct Entered {
    /// The state before the call.
    caller: State,
    /// The state that it leads to.
    entry: State,
    /// The first state of the callee of which something is seen.
    visible: State,
    /// What lies below the caller.
    below: Option<usize>,
}

impl Walker<'_> {
    /// All that one rule leads to; where that is seen, only what looks like the aim.
    pub(super) fn step(&mut self, from: &Candidate, aim: Aim<'_>, arrived: &mut Vec<Candidate>) -> Result<(), Failure> {
        let (state, below) = from;
        for rule in self.system.rules(state.head()).collect::<Vec<_>>() {
            match (rule.stack, *below) {
                (Stack::Swap(to) | Stack::Push(to, _), _) => {
                    for taken in self.taken(state, rule, to, aim)? {
                        let next = State { control: rule.to, symbol: to, globals: taken.globals, locals: taken.locals };
                        let below = match rule.stack {
                            Stack::Push(..) => {
                                Some(self.tower(Below::Called { caller: taken.before, entry: next.clone() }, *below))
                            }
                            _ => *below,
                        };
                        arrived.push((next, below));
                    }
                }
                (Stack::Pop, Some(tower)) => {
                    let suspended = self.suspended(tower)?;
                    let rest = self.towers[tower].rest;
                    self.returned(state, rule, &suspended, rest, arrived)?;
                }
                (Stack::Pop, None) => {}
            }
        }
        Ok(())
    }

    /// The ways to take a rule that is no return; if what it leads to is seen, those that look like the aim.
    pub(super) fn taken(
        &mut self,
        state: &State,
        rule: &Rule,
        to: SymbolId,
        aim: Aim<'_>,
    ) -> Result<Vec<Move>, Failure> {
        let head = Head { control: rule.to, symbol: to };
        let hidden = self.system.is_hidden(head);
        let pattern = if hidden { None } else { self.patterns.of(aim.seen, head) };
        let mut all = Vec::new();
        if pattern.is_none() && !hidden {
            return Ok(all);
        }
        let wanted = Wanted {
            globals: pattern.as_ref().map(|pattern| &pattern.globals[..]),
            locals: pattern.as_ref().map(|pattern| &pattern.locals[..]),
            saved: None,
        };
        let misfit = self.system.moves(rule, state, wanted, &mut self.budget, &mut |taken| {
            all.push(taken);
            ControlFlow::Continue(())
        })?;
        self.note(misfit);
        Ok(all)
    }

    /// The globals after a return by that rule.
    pub(super) fn popped(&mut self, state: &State, rule: &Rule) -> Result<Vec<Cells>, Failure> {
        let mut all = Vec::new();
        let misfit = self.system.moves(rule, state, Wanted::default(), &mut self.budget, &mut |taken: Move| {
            all.push(taken.globals);
            ControlFlow::Continue(())
        })?;
        self.note(misfit);
        Ok(all)
    }

    /// Goes on from hidden states until something is seen, and keeps what looks like the aim.
    pub(super) fn settle(&mut self, mut pending: Vec<Candidate>, aim: Aim<'_>) -> Result<Candidates, Failure> {
        let mut settled = Candidates::new();
        let mut passed = Candidates::new();
        while let Some(candidate) = pending.pop() {
            let head = candidate.0.head();
            if !self.system.is_hidden(head) {
                if let Some(candidate) = self.looks_like(candidate, aim) {
                    self.comes_through([head]);
                    settled.insert(candidate);
                }
            } else if passed.insert(candidate.clone()) {
                self.comes_through([head]);
                self.step(&candidate, aim, &mut pending)?;
            }
        }
        Ok(settled)
    }

    /// The candidate with what is seen of it, unless that is not so.
    pub(super) fn looks_like(&mut self, (mut state, below): Candidate, aim: Aim<'_>) -> Option<Candidate> {
        let height = below.map_or(0, |tower| self.towers[tower].height);
        let depth = (aim.depths.base + height).saturating_sub(aim.depths.uncounted);
        if aim.seen.depth.is_some_and(|seen| u64::from(seen) != depth) {
            return None;
        }
        let pattern = self.patterns.of(aim.seen, state.head())?;
        let symbol = state.symbol;
        for (global, cells, pattern) in
            [(true, &mut state.globals, &pattern.globals), (false, &mut state.locals, &pattern.locals)]
        {
            if let Some(cell) = cells.iter().zip(pattern).position(|(a, b)| a.zip(*b).is_some_and(|(a, b)| a != b)) {
                let what = self.system.cell_name(symbol, global, cell);
                let differs = Misfit::Differs {
                    what,
                    listed: pattern[cell].unwrap_or(0),
                    must: cells[cell].into_iter().collect(),
                };
                self.note(differs);
                return None;
            }
            agree(cells, pattern);
        }
        Some((state, below))
    }

    /// A folded call: into the callee, through its part, and back.
    pub(super) fn folded(
        &mut self,
        at: (Section, usize),
        number: usize,
        from: &Candidates,
        aim: Aim<'_>,
    ) -> Result<Linked, Failure> {
        let before = if let (Section::Call(own), _) = at { own } else { self.observed.calls.len() };
        if number >= before {
            return object(at, format!("calls[{number}] is not a call listed before this one"));
        }
        let entered = self.entered(number, from)?;
        let known = |visible: &State| self.parts.contains_key(&(number, visible.clone()));
        let wants: BTreeSet<State> =
            entered.iter().map(|entered| &entered.visible).filter(|visible| !known(visible)).cloned().collect();
        if !wants.is_empty() {
            return Ok(Linked::Wants(number, wants.into_iter().collect()));
        }
        let mut raw = Vec::new();
        let mut dead = None;
        let mut returns = false;
        for Entered { caller, entry, visible, below } in entered {
            let exits = match self.parts.get(&(number, visible)).cloned() {
                Some(Ok(exits)) => exits,
                Some(Err(objection)) => {
                    dead.get_or_insert(objection);
                    continue;
                }
                None => continue,
            };
            returns = true;
            let suspended = suspended(&self.system, &caller, &entry, &mut self.budget)?;
            for exit in exits {
                for rule in self.system.rules(exit.head()).collect::<Vec<_>>() {
                    if rule.stack == Stack::Pop {
                        self.returned(&exit, rule, &suspended, below, &mut raw)?;
                    }
                }
            }
        }
        match dead.filter(|_| !returns) {
            Some(objection) => Err(objection.into()),
            None => Ok(Linked::Arrived(self.settle(raw, aim)?)),
        }
    }

    /// All ways into a folded call, to what is seen of it first.
    fn entered(&mut self, number: usize, from: &Candidates) -> Result<Vec<Entered>, Failure> {
        let call = &self.observed.calls[number];
        let aim = Aim { seen: &call.steps[0], depths: FROM_ZERO };
        let mut entered = Vec::new();
        for (state, below) in from {
            for rule in self.system.rules(state.head()).collect::<Vec<_>>() {
                let Stack::Push(to, _) = rule.stack else { continue };
                if call.procedure.as_deref().is_some_and(|name| self.patterns.procedure(to) != Some(name)) {
                    continue;
                }
                for taken in self.taken(state, rule, to, aim)? {
                    let entry = State { control: rule.to, symbol: to, globals: taken.globals, locals: taken.locals };
                    let visible = self.settle(vec![(entry.clone(), None)], aim)?;
                    entered.extend(visible.into_iter().map(|(visible, _)| Entered {
                        caller: taken.before.clone(),
                        entry: entry.clone(),
                        visible,
                        below: *below,
                    }));
                }
            }
        }
        Ok(entered)
    }

    /// Adds all that a return leads to, to one of the suspended, of which the rest of the stack lies below.
    fn returned(
        &mut self,
        state: &State,
        rule: &Rule,
        suspended: &[Suspended],
        below: Option<usize>,
        arrived: &mut Vec<Candidate>,
    ) -> Result<(), Failure> {
        for globals in self.popped(state, rule)? {
            for Suspended { symbol, locals } in suspended {
                let (globals, locals) = (globals.clone(), locals.clone());
                self.admit(State { control: rule.to, symbol: *symbol, globals, locals }, below, arrived)?;
            }
        }
        Ok(())
    }

    pub(super) fn leap(&mut self, turns: u64, from: &Candidates, aim: Aim<'_>) -> Result<Candidates, Failure> {
        let mut arrived = Candidates::new();
        for (state, below) in from {
            if self.heads.is_some() {
                self.comes_through(on_the_loop(&self.system, state.head()));
            }
            let Some(pattern) = self.patterns.of(aim.seen, state.head()).filter(|_| turns > 0) else { continue };
            let goal = State {
                control: state.control,
                symbol: state.symbol,
                globals: pattern.globals.clone(),
                locals: pattern.locals.clone(),
            };
            let mut all = Vec::new();
            let walked = if turns > self.leaps.0 {
                Err(Exhausted)
            } else {
                leap(&self.system, state, &goal, turns, &mut self.leaps)
            };
            match walked {
                Ok(states) => all.extend(states),
                Err(Exhausted) => {
                    self.replayed = Replayed::ExceptLeaps;
                    all.push(goal);
                }
            }
            arrived.extend(all.into_iter().filter_map(|next| self.looks_like((next, *below), aim)));
        }
        Ok(arrived)
    }

    /// Notes heads of the cycle.
    pub(super) fn comes_through(&mut self, heads: impl IntoIterator<Item = Head>) {
        if let Some(known) = &mut self.heads {
            known.extend(heads);
        }
    }

    pub(super) fn tower(&mut self, top: Below, rest: Option<usize>) -> usize {
        let top = Rc::new(top);
        let next = self.towers.len();
        let number = *self.known_towers.entry((rest, Rc::clone(&top))).or_insert(next);
        if number == next {
            let height = rest.map_or(0, |rest| self.towers[rest].height) + 1;
            self.towers.push(Tower { top, rest, height });
        }
        number
    }

    /// The return sites and locals that may be what the tower has on top.
    pub(super) fn suspended(&mut self, tower: usize) -> Result<Vec<Suspended>, Failure> {
        Ok(match &*self.towers[tower].top {
            Below::Start(symbol) => {
                vec![Suspended { symbol: *symbol, locals: vec![None; self.system.locals(*symbol).len()] }]
            }
            Below::Called { caller, entry } => suspended(&self.system, caller, entry, &mut self.budget)?,
        })
    }

    /// Adds the states in which the invariant of the symbol holds.
    pub(super) fn admit(
        &mut self,
        state: State,
        below: Option<usize>,
        admitted: &mut Vec<Candidate>,
    ) -> Result<(), Failure> {
        let (invariant, before) = (self.system.invariant(state.symbol), admitted.len());
        self.system.admit(state, invariant, &mut self.budget, &mut |state| {
            admitted.push((state, below));
            ControlFlow::Continue(())
        })?;
        if admitted.len() == before {
            self.note(Misfit::Invariant);
        }
        Ok(())
    }

    pub(super) fn note(&mut self, misfit: Misfit) {
        if misfit > self.nearest {
            self.nearest = misfit;
        }
    }
}
