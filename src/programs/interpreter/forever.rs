//! Runs that go on for ever: the machine executes a program until a state recurs.
//!
//! A state is where control is, the objects of the frame that executes, the globals, and whatever these reach by pointers, in lower
//! frames and on the heap. Objects count by how they are reached, not by their numbers. If it recurs before the frame in which it was
//! is left, then what lies between can be executed again, with the same inputs, and again.

use rustc_hash::{FxHashMap, FxHashSet};

use super::around::Environment;
use super::inputs::Inputs;
use super::memory::Byte;
use super::object::Run;
use super::scene::Scene;
use super::step::Machine;
use super::{End, Given, Options, Outcome, Pointer};
use crate::c::Program;
use crate::c::expression::ExpressionId;
use crate::c::program::{Label, ProcedureId, StatementId, StatementKind};

/// States that are kept take so many bytes at most.
const KEPT: usize = 1 << 27;

/// A condition to be evaluated wherever control is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Not 0 where it holds; nothing in it can be undefined.
    pub condition: ExpressionId,
    /// If it speaks of the locals of a procedure: it is false unless that one executes.
    pub scope: Option<ProcedureId>,
}

/// A configuration that a run has come to.
#[derive(Clone, Copy, Debug)]
pub struct Passed<'w> {
    /// The procedure that executes.
    pub procedure: ProcedureId,
    /// The statement that is next.
    pub label: Label,
    /// For each condition that is watched, whether it holds.
    pub holds: &'w [bool],
}

/// A run that goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forever {
    /// Steps before what is repeated.
    pub stem: u64,
    /// Steps to the end of its first turn.
    pub steps: u64,
    /// The inputs of these steps.
    pub inputs: Vec<Given>,
    /// How many of them belong to the stem.
    pub of_stem: usize,
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// It ends like this, and there these conditions on globals hold; all others are false.
    Ended(Box<Outcome>, Vec<bool>),
    /// It can go on for ever.
    Forever(Forever),
}

/// Executes a program from its beginning until it ends, or a state recurs; every configuration is told.
///
/// Time is linear in the steps, but for the states that are compared: those where jumps lead back and procedures begin.
pub fn watch(
    program: &Program,
    options: &Options,
    inputs: Inputs,
    watched: &[Watched],
    tell: &mut dyn FnMut(Passed<'_>),
) -> Watch {
    let mut machine = Machine::new(program, options, inputs, Environment::default());
    let mut steps = 0;
    match round(&mut machine, watched, &mut steps, tell) {
        Ok(forever) => Watch::Forever(forever),
        Err(end) => {
            let holds = holding(&mut machine, watched, None).unwrap_or_else(|_| vec![false; watched.len()]);
            Watch::Ended(Box::new(machine.ended(end, steps)), holds)
        }
    }
}

/// Executes a program from its beginning to the end of its steps, whether or not states recur; every configuration is told, with what can
/// be seen of it. Linear.
pub fn follow(
    program: &Program,
    options: &Options,
    inputs: Inputs,
    watched: &[Watched],
    tell: &mut dyn FnMut(Passed<'_>, &Scene<'_, '_>),
) -> Outcome {
    let mut machine = Machine::new(program, options, inputs, Environment::default());
    let mut steps = 0;
    let end = followed(&mut machine, watched, &mut steps, tell).err().unwrap_or(End::Returned(None));
    machine.ended(end, steps)
}

fn followed(
    machine: &mut Machine<'_>,
    watched: &[Watched],
    steps: &mut u64,
    tell: &mut dyn FnMut(Passed<'_>, &Scene<'_, '_>),
) -> Result<(), End> {
    machine.begin()?;
    loop {
        let (procedure, label, _) = machine.here().ok_or(End::Returned(None))?;
        let holds = holding(machine, watched, Some(procedure))?;
        tell(Passed { procedure, label, holds: &holds }, &Scene::of(machine));
        machine.options.check(*steps)?;
        *steps += 1;
        machine.step(&mut |_| {})?;
    }
}

fn round(
    machine: &mut Machine<'_>,
    watched: &[Watched],
    steps: &mut u64,
    tell: &mut dyn FnMut(Passed<'_>),
) -> Result<Forever, End> {
    let mut known = Known { cuts: cuts(machine.program), met: FxHashMap::default(), open: Vec::new(), bytes: 0 };
    machine.begin()?;
    loop {
        machine.options.check(*steps)?;
        let (procedure, label, depth) = machine.here().ok_or(End::Returned(None))?;
        if let Some((stem, of_stem)) = known.met(machine, (procedure, label, depth), *steps) {
            return Ok(Forever { stem, steps: *steps, inputs: machine.given().to_vec(), of_stem });
        }
        let holds = holding(machine, watched, Some(procedure))?;
        tell(Passed { procedure, label, holds: &holds });
        *steps += 1;
        machine.step(&mut |_| {})?;
    }
}

/// Which conditions hold while a procedure executes, or after the end.
fn holding(machine: &mut Machine<'_>, watched: &[Watched], now: Option<ProcedureId>) -> Result<Vec<bool>, End> {
    let mut all = Vec::with_capacity(watched.len());
    for Watched { condition, scope } in watched {
        let is_seen = scope.is_none() || *scope == now;
        all.push(is_seen && machine.holds(*condition)?);
    }
    Ok(all)
}

/// Statements at which states are compared: every way that goes on for ever passes one again and again.
fn cuts(program: &Program) -> FxHashSet<StatementId> {
    let mut cuts = FxHashSet::default();
    for (id, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
        for (at, statement) in procedure.body.iter().flatten().enumerate() {
            let jumps = matches!(statement.kind, StatementKind::Branch(..) | StatementKind::Goto(_));
            let targets = statement.kind.successors(Label(at as u32)).filter(|to| jumps && to.0 as usize <= at);
            cuts.extend(targets.map(|to| StatementId::of(id, to)));
        }
        cuts.insert(StatementId::first(id));
    }
    cuts
}

/// States that were met in frames that are not left.
struct Known {
    cuts: FxHashSet<StatementId>,
    /// After how many steps, and with how many inputs.
    met: FxHashMap<Vec<u8>, (u64, usize)>,
    /// Those states with the depths of their frames, which never get less.
    open: Vec<(usize, Vec<u8>)>,
    bytes: usize,
}

impl Known {
    /// When a state was met before, if it was; otherwise it is known from now on.
    fn met(
        &mut self,
        machine: &Machine<'_>,
        (procedure, label, depth): (ProcedureId, Label, usize),
        steps: u64,
    ) -> Option<(u64, usize)> {
        while self.open.last().is_some_and(|(other, _)| *other > depth) {
            if let Some((_, left)) = self.open.pop() {
                self.bytes -= left.len();
                self.met.remove(&left);
            }
        }
        if !self.cuts.contains(&StatementId { procedure, label }) || self.bytes > KEPT {
            return None;
        }
        let state = state(machine, procedure, label);
        if let Some(before) = self.met.get(&state) {
            return Some(*before);
        }
        self.bytes += state.len();
        self.open.push((depth, state.clone()));
        self.met.insert(state, (steps, machine.given().len()));
        None
    }
}

/// All on which it depends how the run goes on until the frame is left.
fn state(machine: &Machine<'_>, procedure: ProcedureId, label: Label) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(procedure.0.to_le_bytes());
    out.extend(label.0.to_le_bytes());
    let mut order: Vec<u64> = machine.roots().collect();
    let mut numbers: FxHashMap<u64, u32> = order.iter().copied().zip(0..).collect();
    let mut next = 0;
    while let Some(&object) = order.get(next) {
        next += 1;
        let Some(object) = machine.memory.object(object) else {
            out.push(u8::MAX);
            continue;
        };
        out.push(object.origin as u8);
        out.extend(object.size().to_le_bytes());
        let mut number = |to| {
            *numbers.entry(to).or_insert_with(|| {
                order.push(to);
                order.len() as u32 - 1
            })
        };
        object.runs(&mut |run| match run {
            Run::Mixed(count, chunk) => (0..count).for_each(|at| written(chunk.byte(at), &mut out, &mut number)),
            Run::Uniform(count, plain) => {
                out.push(8);
                out.extend(count.to_le_bytes());
                written(plain.byte(), &mut out, &mut number);
            }
        });
    }
    out
}

fn written(byte: Byte, out: &mut Vec<u8>, number: &mut dyn FnMut(u64) -> u32) {
    match byte {
        Byte::Bits(bits) => out.extend([0, bits]),
        Byte::Pointer(Pointer::Object { object, offset }, index) => {
            out.extend([1, index]);
            out.extend(number(object).to_le_bytes());
            out.extend(offset.to_le_bytes());
        }
        Byte::Pointer(Pointer::Procedure(id), index) => {
            out.extend([2, index]);
            out.extend(id.0.to_le_bytes());
        }
        Byte::Pointer(Pointer::Arbitrary, index) => out.extend([3, index]),
        Byte::Partly(bits, known) => out.extend([4, bits, known]),
        Byte::Arbitrary => out.push(5),
        Byte::Unrepresented(reason) => {
            out.push(6);
            out.extend(reason.0.to_le_bytes());
        }
        Byte::Unknown => out.push(7),
        Byte::Nan(index, count) => out.extend([8, index, count]),
    }
}
