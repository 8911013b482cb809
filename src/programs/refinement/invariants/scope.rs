//! Which numbers are known where. At a place: variables, what formals and globals were when the frame began, and cells. Of returns: what
//! formals and globals were, the result, globals, and cells.
//!
//! Cells are those of arrays at one index, which is any and the same in all of a run: what is known of them is known of each index (skolem
//! constants: Flanagan and Qadeer, *Predicate abstraction for software verification*, POPL 2002; cells: Monniaux and Gonnord, SAS 2016).

use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::{ProcedureId, Storage, VariableId};
use crate::c::types::{Integer, Type};
pub use crate::transition::claims::Quantity;
use crate::transition::graph::{Graph, Node};
use crate::transition::path::Watched;

/// More globals than that are not related over calls.
const GLOBALS: usize = 10;

/// The most arrays.
const ARRAYS: usize = 3;

/// Which numbers.
pub(in super::super) struct Scope<'p> {
    program: &'p Program,
    watched: Watched,
    /// The globals among them that each procedure may write.
    written: Vec<Vec<VariableId>>,
}

/// A graph, and which numbers are known at its places.
#[derive(Clone, Copy)]
pub(in super::super) struct Scoped<'s> {
    pub graph: &'s Graph,
    pub scope: &'s Scope<'s>,
}

impl<'p> Scope<'p> {
    /// No globals over calls, and no cells.
    pub fn of_formals(program: &'p Program) -> Scope<'p> {
        let written = vec![Vec::new(); program.procedures.len()];
        Scope { program, watched: Watched::default(), written }
    }

    /// All that is known of a program, with cells of arrays if those are asked for.
    pub fn of(program: &'p Program, analyses: &Analyses, cells: bool) -> Scope<'p> {
        let objects = &analyses.points_to().objects;
        let all = || (0..program.variables.len() as u32).map(VariableId);
        let global = |&id: &VariableId| matches!(program.variable(id).storage, Storage::Global);
        let number = |&id: &VariableId| program.types.as_integer(program.variable(id).ty).is_some();
        let mut globals: Vec<VariableId> = all().filter(global).filter(number).collect();
        if globals.len() > GLOBALS {
            globals.clear();
        }
        // Of others each frame has one, of which calls tell nothing.
        let lasting = |&id: &VariableId| match program.variable(id).storage {
            Storage::Global | Storage::Static(_) => true,
            Storage::Local(_) => program.procedure(program.main).locals.contains(&id),
            Storage::Constant => false,
        };
        let mut arrays: Vec<VariableId> = all().filter(lasting).filter(|&id| element(program, id).is_some()).collect();
        arrays.retain(|&id| objects.variable(id).is_some_and(|at| !objects.is_summary(at.object)));
        if arrays.len() > ARRAYS || !cells {
            arrays.clear();
        }
        let of = |procedure: usize| {
            let written = &analyses.modified().written[procedure];
            let is_written = |&&id: &&VariableId| {
                let object = objects.variable(id).map(|at| at.object);
                object.is_some_and(|object| written.iter().any(|location| location.object == object))
            };
            globals.iter().filter(is_written).copied().collect()
        };
        let written = (0..program.procedures.len()).map(of).collect();
        Scope { program, watched: Watched { globals, arrays }, written }
    }

    /// What paths are to tell of.
    pub fn watched(&self) -> &Watched {
        &self.watched
    }

    /// Of which it is known what they were when a frame began.
    pub fn entered(&self, procedure: ProcedureId) -> Vec<VariableId> {
        let formals = self.program.procedure(procedure).formals.iter().copied();
        let integers = formals.filter(|&id| self.program.types.as_integer(self.program.variable(id).ty).is_some());
        integers.chain(self.written[procedure.0 as usize].iter().copied()).collect()
    }

    /// The type of a result that is a number.
    pub fn result(&self, procedure: ProcedureId) -> Option<Integer> {
        self.program.types.as_integer(self.program.procedure(procedure).result)
    }

    /// The numbers of a place; those of cells come last.
    pub fn at_place(&self, node: &Node) -> Vec<Quantity> {
        let now = node.variables.iter().map(|&id| Quantity::Now(id));
        now.chain(self.entered(node.procedure).into_iter().map(Quantity::Entered)).chain(self.cells()).collect()
    }

    /// The numbers of returns; those of cells come last.
    pub fn at_return(&self, procedure: ProcedureId) -> Vec<Quantity> {
        let entered = self.entered(procedure).into_iter().map(Quantity::Entered);
        let globals = self.watched.globals.iter().map(|&id| Quantity::Now(id));
        let result = self.result(procedure).map(|_| Quantity::Result);
        entered.chain(result).chain(globals).chain(self.cells()).collect()
    }

    /// Those of cells: the index is the first one.
    fn cells(&self) -> impl Iterator<Item = Quantity> {
        let index = (!self.watched.arrays.is_empty()).then_some(Quantity::Index);
        index.into_iter().chain(self.watched.arrays.iter().map(|&array| Quantity::Cell(array)))
    }

    /// How many numbers a place has before those of cells, and with them.
    pub fn of_place(&self, node: &Node) -> (usize, usize) {
        self.counted(&self.at_place(node))
    }

    /// How many numbers returns have before those of cells, and with them.
    pub fn of_return(&self, procedure: ProcedureId) -> (usize, usize) {
        self.counted(&self.at_return(procedure))
    }

    fn counted(&self, all: &[Quantity]) -> (usize, usize) {
        (all.len() - self.cells().count(), all.len())
    }
}

/// The type of the elements of an array of numbers.
pub(super) fn element(program: &Program, array: VariableId) -> Option<Integer> {
    match program.types.get(program.variable(array).ty) {
        Type::Array(element, _) => program.types.as_integer(*element),
        _ => None,
    }
}

/// How many elements an array has.
pub(super) fn length(program: &Program, array: VariableId) -> Option<u64> {
    match program.types.get(program.variable(array).ty) {
        Type::Array(_, length) => Some(*length),
        _ => None,
    }
}
