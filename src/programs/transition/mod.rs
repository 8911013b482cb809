//! The transition system of a C program: states are values of memory and where control is; each statement of C- is a transition, as terms
//! of bit-vectors over memory before and memory after, with what has to hold so that it is defined ([`step`]), and so are the basic paths
//! between cut points ([`graph`], [`path`]).
//!
//! This is the one place that says what a statement means in terms. Abstraction takes statements of it, the proof by induction of what was
//! found takes them once more, and ranking functions take basic paths. The interpreter is the other, independent semantics: it judges runs.
//!
//! Memory is symbolic and pruned by points-to (`memory`): what holds of a transition holds of every run that takes it, also of those of
//! which points-to cannot say where a pointer leads. (Following one trace, where each frame and each allocation is an object of its own,
//! is another machine: [`crate::concretise`].)

pub mod blocks;
pub(crate) mod call;
pub mod claims;
pub mod graph;
pub(crate) mod memory;
pub(crate) mod operators;
pub mod path;

pub mod step;
pub mod undefined;
pub(crate) mod values;

mod contents;
mod lifetime;

use crate::analyses::Analyses;
use crate::analyses::modified::Modified;
use crate::bitvec::Term;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Label, Overflow, ProcedureId, Program, StatementId, VariableId};
use crate::points_to::{Location, Offset};

use memory::{ADDRESS, Epoch, Machine, Memory, Update};
use values::{Demand, Values, View};

/// The transition system of a program, in one sense of overflows.
pub struct TransitionSystem<'a> {
    /// Memory and terms.
    pub machine: Machine<'a>,
    /// What calls may write.
    pub modified: &'a Modified,
    /// What overflows are.
    pub overflow: Overflow,
}

/// What a frame sees: the procedure, memory, memory at its entry, and a term that stands for its result before that is known.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Of which procedure.
    pub id: ProcedureId,
    /// Before the statement.
    pub now: Memory,
    /// Where the frame began.
    pub entry: Memory,
    /// None if the result is no scalar.
    pub result: Option<Term>,
}

impl Frame {
    /// The frame, in another memory.
    pub fn view<'v>(&'v self, now: &'v Memory) -> View<'v> {
        View { now, entry: &self.entry, result: self.result, frame: 0 }
    }
}

impl<'a> TransitionSystem<'a> {
    /// That of a program.
    pub fn of(program: &'a Program, analyses: &'a Analyses, overflow: Overflow) -> TransitionSystem<'a> {
        let machine = Machine::new(program, analyses.points_to(), analyses.constants());
        TransitionSystem { machine, modified: analyses.modified(), overflow }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.machine.program
    }

    /// A frame in any state: what is in memory now, and what was at the entry, are variables.
    pub fn frame(&mut self, id: ProcedureId) -> Frame {
        let result = self.some_result(id);
        Frame { id, now: Memory::at(Epoch::NOW), entry: Memory::at(Epoch::ENTRY), result }
    }

    /// Any result of a procedure.
    pub fn some_result(&mut self, id: ProcedureId) -> Option<Term> {
        let program = self.program();
        let ty = program.procedure(id).result;
        program.types.is_represented(ty).then(|| self.machine.any(ty))
    }

    /// Memory as it is at the start, over that of an epoch in which what is not mentioned is zero (`Machine::zeroed`).
    pub fn initial(&mut self) -> (Memory, Epoch) {
        let program = self.program();
        let start = self.machine.epoch();
        let mut memory = Memory::at(start);
        for &(to, value) in &program.initial {
            let mut values = Values::new(&mut self.machine, View::outside(&memory));
            let (place, value) = (values.place(to), values.value(value));
            self.machine.write_to(&mut memory, &place, program.terms.at(to).ty, value, 0);
        }
        for to in program.unrepresented.iter().filter(|one| !one.unseen).map(|one| one.to) {
            let place = Values::new(&mut self.machine, View::outside(&memory)).place(to);
            let ty = program.terms.at(to).ty;
            let any = self.machine.any(ty);
            self.machine.write_to(&mut memory, &place, ty, any, 0);
        }
        (memory, start)
    }

    /// All of a variable.
    pub fn whole(&self, variable: VariableId) -> Vec<Location> {
        let object = self.machine.points_to.objects.variable(variable).map(|location| location.object);
        object.map(|object| Location { object, offset: Offset::Any }).into_iter().collect()
    }

    /// Memory in which some locations hold anything.
    pub fn arbitrary(&mut self, memory: &Memory, locations: Vec<Location>) -> Memory {
        memory.after(Update::Arbitrary(locations, self.machine.epoch()))
    }

    /// What evaluating expressions demands.
    pub fn evaluated(&mut self, frame: &Frame, all: &[ExpressionId]) -> Vec<Demand> {
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        for &one in all {
            values.value(one);
        }
        values.passes(self.overflow)
    }

    /// Whether a condition is true, and what evaluating it demands.
    pub fn decided(&mut self, frame: &Frame, condition: ExpressionId) -> (Term, Vec<Demand>) {
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        let truth = values.truth(condition);
        (truth, values.passes(self.overflow))
    }

    /// Memory after `to = value`, or any value, from `now`, and what that demands.
    pub fn assigned_to(
        &mut self,
        frame: &Frame,
        now: &Memory,
        to: LvalueId,
        value: Option<ExpressionId>,
    ) -> (Memory, Vec<Demand>) {
        let ty = self.program().terms.at(to).ty;
        let mut values = Values::new(&mut self.machine, frame.view(now));
        values.accessed(to);
        let place = values.place(to);
        let computed = value.map(|value| values.value(value));
        let demands = values.passes(self.overflow);
        let computed = computed.unwrap_or_else(|| self.machine.any(ty));
        (self.machine.write(now, &place, ty, computed, 0), demands)
    }

    /// Memory after `to = malloc(size)` at a statement, and what that demands; none if no run comes there.
    pub fn allocated(
        &mut self,
        frame: &Frame,
        at: Label,
        (to, size): (LvalueId, ExpressionId),
        lacks: bool,
    ) -> Option<(Memory, Vec<Demand>)> {
        let program = self.program();
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        values.accessed(to);
        let place = values.place(to);
        values.value(size);
        let demands = values.passes(self.overflow);
        let site = self.machine.points_to.objects.allocated(StatementId::of(frame.id, at))?;
        let inside = if self.machine.points_to.objects.is_summary(site.object) {
            let byte = self.machine.fresh(32);
            self.machine.in_object(site.object, byte)
        } else {
            self.machine.address(site.object, 0, 0)
        };
        let null = self.machine.terms.constant(0, ADDRESS);
        let fails = if lacks { self.machine.fresh(1) } else { self.machine.terms.truth(false) };
        let address = self.machine.terms.ite(fails, null, inside);
        let new = Location { object: site.object, offset: Offset::Any };
        let memory = self.arbitrary(&frame.now, vec![new]);
        Some((self.machine.write(&memory, &place, program.terms.at(to).ty, address, 0), demands))
    }
}
