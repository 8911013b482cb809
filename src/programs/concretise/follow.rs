//! Path feasibility: the program is executed with inputs as variables, branches go where the trace goes, and one query finds
//! values for them, or a core of what cannot be.

use std::collections::{BTreeSet, HashSet};

use crate::abstraction::boolean::Part;
use crate::bitvec::{Answer, Bounds, Evaluation, Solver, Term, value};
use crate::c::Program;
use crate::c::command::{Call, Command, Whom};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, Label, Overflow, ProcedureId, StatementId};

use super::lost::Lost;
use super::symbolic::Symbolic;
use super::trace::Point;

/// A statement that a trace executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Of which procedure.
    pub procedure: ProcedureId,
    /// Which statement.
    pub label: Label,
    /// How many calls are open.
    pub depth: usize,
    /// In which frame: no other has this number.
    pub frame: usize,
    /// Of a branch: whether its condition holds.
    pub branch: Option<bool>,
    /// Of a call of a procedure with a body: which.
    pub callee: Option<ProcedureId>,
}

/// How much is wanted of a trace that is no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Why it is none.
    First,
    /// All reasons why it is none.
    Whole,
}

/// A trace, as far as it was followed.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Its statements; the last one is the one that fails, if it came so far.
    pub steps: Vec<Taken>,
    /// What came of it.
    pub ended: Ended,
    /// Why else it is no run, if that is wanted.
    pub further: Further,
}

/// More reasons why a trace is no run: each is one where all others are passed over.
#[derive(Clone, Debug, Default)]
pub struct Further {
    /// The statements of the trace, beyond the first that cannot be reached.
    pub steps: Vec<Taken>,
    /// Of these steps it cannot be together what they demand: steps that have not been a reason before.
    pub cores: Vec<Vec<usize>>,
}

/// So many reasons are looked for that are not plain.
const CORES: usize = 8;

/// What came of following a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With these inputs the program should go where the trace goes.
    Inputs(Vec<i128>),
    /// It is no run: what these of its steps demand cannot be together.
    Infeasible(Vec<usize>),
    /// It is not known, because of this.
    Unknown(Lost),
}

/// Follows a trace to its last point. One query, and some more for the whole of it; time is linear in the trace but for those and for what terms
/// grow to.
pub fn follow(
    program: &Program,
    points: &[Point],
    overflow: Overflow,
    (bounds, extent): (&Bounds, Extent),
) -> Followed {
    let unknown = |why| Followed { steps: Vec::new(), ended: Ended::Unknown(why), further: Further::default() };
    if points.is_empty() {
        return unknown(Lost::TooLong);
    }
    let symbolic = match Symbolic::new(program, overflow) {
        Ok(symbolic) => symbolic,
        Err(why) => return unknown(why),
    };
    let (steps, path) = (Vec::new(), Vec::new());
    let mut walk = Walk { symbolic, overflow, points, at: 0, steps, path, extent, nowhere: None };
    let walked = walk.follow();
    walk.decided(walked, bounds)
}

/// How far the walk came.
enum Walked {
    /// To the goal.
    There,
    /// To a step whose condition is plainly false.
    Nowhere,
}

/// The steps of some conditions, each once.
fn of_steps(core: &[usize], path: &[(usize, Term)]) -> Vec<usize> {
    let steps: BTreeSet<usize> = core.iter().map(|&at| path[at].0).collect();
    steps.into_iter().collect()
}

struct Walk<'a> {
    symbolic: Symbolic<'a>,
    overflow: Overflow,
    points: &'a [Point],
    at: usize,
    steps: Vec<Taken>,
    /// What each step demands.
    path: Vec<(usize, Term)>,
    extent: Extent,
    /// How many steps there are to the first whose condition is plainly false.
    nowhere: Option<usize>,
}

impl Walk<'_> {
    fn decided(mut self, walked: Result<Walked, Lost>, bounds: &Bounds) -> Followed {
        let mut solver = Solver::new(bounds);
        let count = self.nowhere.unwrap_or(self.steps.len());
        let first: Vec<(usize, Term)> = self.path.iter().filter(|(step, _)| *step < count).copied().collect();
        let walked = if self.nowhere.is_some() { Ok(Walked::Nowhere) } else { walked };
        let ended = match (self.checked(&mut solver, &first), walked) {
            (Answer::Unsat(core), _) => Ended::Infeasible(of_steps(&core, &first)),
            (Answer::Sat(model), Ok(Walked::There)) => {
                let values = |number| model.variable(number);
                let terms = &self.symbolic.terms;
                let mut evaluation = Evaluation::new(terms, &values);
                let number = |&(term, signed): &(Term, bool)| match evaluation.value(term) {
                    bits if signed => value::signed(bits, terms.width(term)),
                    bits => bits as i128,
                };
                Ended::Inputs(self.symbolic.inputs.iter().map(number).collect())
            }
            (_, Err(why)) => Ended::Unknown(why),
            _ => Ended::Unknown(Lost::Undecided),
        };
        let further = match (&ended, self.extent) {
            (Ended::Infeasible(core), Extent::Whole) => self.further(&mut solver, core),
            _ => Further::default(),
        };
        self.steps.truncate(count);
        Followed { steps: self.steps, ended, further }
    }

    /// Whether what these steps demand can be together.
    fn checked(&mut self, solver: &mut Solver, path: &[(usize, Term)]) -> Answer {
        let conditions: Vec<Term> = path.iter().map(|&(_, term)| term).collect();
        solver.check(&mut self.symbolic.terms, &conditions)
    }

    /// What cannot be where these steps demand nothing. Reasons of the same statements are one.
    fn further(&mut self, solver: &mut Solver, core: &[usize]) -> Further {
        let rest = self.path.iter().filter(|(step, _)| !core.contains(step)).copied();
        let is_false = |&(_, term): &(usize, Term)| self.symbolic.terms.as_constant(term) == Some(0);
        let (plain, mut open): (Vec<_>, Vec<_>) = rest.partition(is_false);
        let mut cores: Vec<Vec<usize>> = plain.into_iter().map(|(step, _)| vec![step]).collect();
        for _ in 0..CORES {
            let Answer::Unsat(core) = self.checked(solver, &open) else { break };
            let core = of_steps(&core, &open);
            open.retain(|(step, _)| !core.contains(step));
            cores.push(core);
        }
        let mut met = HashSet::new();
        let taken = |&at: &usize| (self.steps[at].procedure, self.steps[at].label, self.steps[at].branch);
        cores.retain(|core| met.insert(core.iter().map(taken).collect::<Vec<_>>()));
        Further { steps: self.steps.clone(), cores }
    }

    /// To the statement at the end of the trace.
    fn follow(&mut self) -> Result<Walked, Lost> {
        let Some(goal) = self.points.last() else { return Err(Lost::NoTrace) };
        let goal = (goal.procedure, goal.label, goal.depth);
        let last = self.points.iter().rposition(|point| (point.procedure, point.label, point.depth) != goal);
        let last = last.map_or(0, |before| before + 1);
        for _ in 0..self.points.len() * 8 + 1_000 {
            let Some(StatementId { procedure, label }) = self.symbolic.here() else { break };
            let program = self.symbolic.program;
            let body = program.procedure(procedure).body.as_ref();
            let Some(statement) = body.and_then(|body| body.get(label.0 as usize)) else { break };
            let (depth, frame) = self.symbolic.frame();
            if self.is_back(goal, depth) {
                return Ok(Walked::There);
            }
            self.come_to(procedure, label, depth);
            let here = self.steps.len();
            self.steps.push(Taken { procedure, label, depth, frame, branch: None, callee: None });
            let is_goal = (procedure, label, depth) == goal && self.at >= last;
            let command = statement.kind.command(label);
            if command == Command::Fails {
                return if is_goal { Ok(Walked::There) } else { Err(Lost::OtherFailure) };
            }
            let before = self.symbolic.conditions.len();
            let asserted = is_goal && matches!(self.overflow, Overflow::Check | Overflow::Fails);
            if is_goal && !asserted {
                return Ok(Walked::There);
            }
            match command {
                // Where it goes does not matter any more.
                Command::Asks(condition, _, Some(_)) if asserted => {
                    self.symbolic.truth(condition)?;
                }
                Command::Exits(code) if asserted => self.symbolic.evaluate(code.as_slice()),
                command => self.execute(here, (procedure, label), command)?,
            }
            let demanded = self.symbolic.conditions.split_off(before);
            if asserted {
                let fails = self.failing(&demanded);
                self.path.push((here, fails));
                return Ok(Walked::There);
            }
            self.path.extend(demanded.into_iter().map(|term| (here, term)));
            let is_false =
                |&(step, term): &(usize, Term)| step == here && self.symbolic.terms.as_constant(term) == Some(0);
            if self.path.iter().rev().take_while(|(step, _)| *step == here).any(is_false) {
                self.nowhere.get_or_insert(self.steps.len());
                if self.extent == Extent::First {
                    return Ok(Walked::Nowhere);
                }
            }
        }
        Err(Lost::NotFollowed)
    }

    /// That one of these is the first that does not hold, and is an error of the program.
    fn failing(&mut self, demanded: &[Term]) -> Term {
        let mut ways = Vec::new();
        for (at, condition) in demanded.iter().enumerate() {
            if self.overflow == Overflow::Check || self.symbolic.overflows.contains(condition) {
                let before = self.symbolic.terms.all(&demanded[..at]);
                let fails = self.symbolic.terms.not(*condition);
                ways.push(self.symbolic.terms.and(before, fails));
            }
        }
        self.symbolic.terms.any(&ways)
    }

    fn execute(
        &mut self,
        here: usize,
        (procedure, label): (ProcedureId, Label),
        command: Command<'_>,
    ) -> Result<(), Lost> {
        match command {
            Command::Asks(condition, yes, Some(no)) => {
                let truth = self.symbolic.truth(condition)?;
                let taken = self.direction(procedure, label, truth, (yes, no))?;
                let demanded = if taken { truth } else { self.symbolic.terms.not(truth) };
                self.steps[here].branch = Some(taken);
                self.symbolic.conditions.push(demanded);
                self.symbolic.go(if taken { yes } else { no });
                Ok(())
            }
            Command::Calls(Call { to, whom: Whom::Callee(Callee::Pointer(pointer)), arguments }, _) => {
                let (depth, _) = self.symbolic.frame();
                let next = self.points[self.at..]
                    .iter()
                    .find(|point| (point.procedure, point.label, point.depth) != (procedure, label, depth));
                let wanted = next.filter(|next| next.depth == depth + 1).map(|next| next.procedure);
                let callee = self.symbolic.procedure(pointer, wanted)?;
                self.call(here, to, callee, arguments)
            }
            Command::Calls(Call { to, whom: Whom::Callee(Callee::Procedure(callee)), arguments }, _) => {
                self.call(here, to, callee, arguments)
            }
            command => self.symbolic.execute(command),
        }
    }

    fn call(
        &mut self,
        here: usize,
        to: Option<LvalueId>,
        callee: ProcedureId,
        arguments: &[ExpressionId],
    ) -> Result<(), Lost> {
        self.steps[here].callee = self.symbolic.program.procedure(callee).body.is_some().then_some(callee);
        self.symbolic.call(to, callee, arguments)
    }

    /// Whether the trace ends where a call has just returned: it goes no further than that.
    fn is_back(&self, goal: (ProcedureId, Label, usize), depth: usize) -> bool {
        // What is asserted is asserted before the call.
        let may_be = goal.2 == depth && matches!(self.overflow, Overflow::Wrap | Overflow::Assume);
        let Some(last) = self.steps.last().filter(|last| may_be && last.depth == depth + 1) else { return false };
        let of = |point: &Point| (point.procedure, point.label, point.depth);
        let own = |point: &&Point| of(point) == (last.procedure, last.label, last.depth);
        let mut left = self.points[self.at.min(self.points.len())..].iter().skip_while(own).peekable();
        left.peek().is_some() && left.all(|point| of(point) == goal)
    }

    /// Moves to the first point of a statement that is executed, if the trace has one soon.
    fn come_to(&mut self, procedure: ProcedureId, label: Label, depth: usize) {
        let here = |point: &Point| (point.procedure, point.label, point.depth) == (procedure, label, depth);
        if let Some(skipped) = self.points[self.at.min(self.points.len())..].iter().take(64).position(here) {
            self.at += skipped;
        }
    }

    /// Where the trace goes from a branch; where it does not say it, where the condition goes.
    fn direction(
        &mut self,
        procedure: ProcedureId,
        label: Label,
        truth: Term,
        to: (Label, Label),
    ) -> Result<bool, Lost> {
        let mut line = None;
        // The trace may come back to the statement at once.
        let own = self.points[self.at..].iter().take_while(|point| {
            let is_next = line.is_none_or(|before| before < point.line);
            line = Some(point.line);
            (point.procedure, point.label) == (procedure, label) && is_next
        });
        let own: Vec<&Point> = own.collect();
        let side = own.iter().find_map(|point| match point.part {
            // The lines of a branch: `goto`, and for each side `assume` and `goto`; before them what is asserted.
            Part::Alone => (point.after < 4).then_some(point.after >= 2),
            part => part.side(),
        });
        self.at += own.len();
        if let Some(side) = side {
            return Ok(side);
        }
        if let Some(value) = self.symbolic.terms.as_constant(truth) {
            return Ok(value == 1);
        }
        match self.points.get(self.at).map(|point| point.label) {
            Some(next) if next == to.0 && to.0 != to.1 => Ok(true),
            Some(next) if next == to.1 && to.0 != to.1 => Ok(false),
            _ => Err(Lost::Branch),
        }
    }
}
