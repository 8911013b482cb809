//! What memory holds after what has been done to it: the value of a cell, and that of a region at an address.

use crate::bitvec::Term;
use crate::c::Program;
use crate::c::program::{ProcedureId, Storage, VariableId};
use crate::points_to::{Location, ObjectId, Offset};

use super::memory::{ADDRESS, Cell, Machine, Memory, Symbol, Update};
use crate::c::effective::Access;

/// The number of no object.
const NOWHERE: u128 = u32::MAX as u128;

impl Machine<'_> {
    /// What a cell holds.
    pub fn read_cell(&mut self, memory: &Memory, cell: Cell) -> Term {
        if let Some(bits) = self.constants.at(cell.object, cell.offset, cell.bit)
            && self.cells(cell.object).is_some_and(|cells| cells.contains(&cell))
        {
            return self.terms.constant(bits, cell.width);
        }
        let mut value = self.symbol(Symbol::Cell(memory.base, cell), cell.width);
        for update in &memory.updates {
            match update {
                Update::Cell { cell: written, value: new, .. } if *written == cell => value = *new,
                Update::Cell { cell: written, epoch, .. } if written.overlaps(&cell) => {
                    value = self.symbol(Symbol::Cell(*epoch, cell), cell.width);
                }
                Update::Cell { .. } => {}
                Update::Through { address, cells, value: new, epoch, .. } => {
                    for written in cells.iter().filter(|written| **written == cell || written.overlaps(&cell)) {
                        let torn = Symbol::Cell(*epoch, cell);
                        let new = if *written == cell { *new } else { self.symbol(torn, cell.width) };
                        let there = self.address(written.object, written.offset, 0);
                        let hit = self.terms.eq(*address, there);
                        value = self.terms.ite(hit, new, value);
                    }
                }
                Update::Arbitrary(locations, epoch) => {
                    let normal = self.points_to.objects.normal(cell.object, cell.offset);
                    let hit = |location: &Location| {
                        location.object == cell.object && (location.offset == Offset::Any || *location == normal)
                    };
                    if locations.iter().any(hit) {
                        value = self.symbol(Symbol::Cell(*epoch, cell), cell.width);
                    }
                }
                Update::Ended { ended, keeps, epoch } if cell.width == ADDRESS => {
                    let location = self.points_to.objects.normal(cell.object, cell.offset);
                    for object in self.held(location, ended, *keeps) {
                        let elsewhere = self.symbol(Symbol::Cell(*epoch, cell), cell.width);
                        value = self.ended(value, object, elsewhere);
                    }
                }
                Update::Ended { .. } => {}
            }
        }
        value
    }

    /// What a region holds at an address.
    pub fn read_region(
        &mut self,
        memory: &Memory,
        (object, width, read): (ObjectId, u8, Access),
        address: Term,
    ) -> Term {
        let mut value = self.symbol(Symbol::Region(memory.base, object, width, address), width);
        for update in &memory.updates {
            match update {
                Update::Through { address: written, regions, width: of, access, value: new, epoch, .. }
                    if regions.contains(&object) && !access.is_apart(read) =>
                {
                    if *of == width {
                        let hit = self.terms.eq(address, *written);
                        value = self.terms.ite(hit, *new, value);
                    } else {
                        let some = self.symbol(Symbol::Region(*epoch, object, width, address), width);
                        let overlaps = self.overlap(address, width, *written, *of);
                        value = self.terms.ite(overlaps, some, value);
                    }
                }
                Update::Arbitrary(locations, epoch) if locations.iter().any(|location| location.object == object) => {
                    value = self.symbol(Symbol::Region(*epoch, object, width, address), width);
                }
                Update::Ended { ended, keeps, epoch } if width == ADDRESS => {
                    for held in self.held(Location { object, offset: Offset::Any }, ended, *keeps) {
                        let elsewhere = self.symbol(Symbol::Region(*epoch, object, width, address), width);
                        value = self.ended(value, held, elsewhere);
                    }
                }
                _ => {}
            }
        }
        value
    }

    /// Those of some objects to which the pointers in a location may point that is not kept.
    fn held(&self, location: Location, objects: &[ObjectId], keeps: Option<ProcedureId>) -> Vec<ObjectId> {
        let own = self.points_to.objects.as_variable(location.object).zip(keeps);
        if own.is_some_and(|(variable, procedure)| is_private(self.program, variable, procedure)) {
            return Vec::new();
        }
        let content = self.points_to.content(location);
        let points = |object: &&ObjectId| content.iter().any(|target| target.object == **object);
        objects.iter().filter(points).copied().collect()
    }

    /// A pointer after an object has ended: if it led there, it is one to no object that there is; of one of several that the object
    /// stands for, it is not known whether it led to the one that has ended, and it may be anything.
    pub fn ended(&mut self, pointer: Term, object: ObjectId, elsewhere: Term) -> Term {
        let led = self.is_in(pointer, object);
        let gone = if self.points_to.objects.is_summary(object) {
            elsewhere
        } else {
            let (nowhere, byte) = (self.terms.constant(NOWHERE << 32, ADDRESS), self.terms.extract(elsewhere, 0, 32));
            let byte = self.terms.extend(byte, ADDRESS, false);
            self.terms.linear(&[(nowhere, 1), (byte, 1)], 0)
        };
        self.terms.ite(led, gone, pointer)
    }

    /// Whether scalars of so many bits at two addresses share a byte.
    fn overlap(&mut self, a: Term, a_bits: u8, b: Term, b_bits: u8) -> Term {
        let mut before = |first: Term, bits: u8, second: Term| {
            let distance = self.terms.sub(second, first);
            let bytes = self.terms.constant(u128::from(bits.div_ceil(8)), ADDRESS);
            self.terms.ult(distance, bytes)
        };
        let (one, other) = (before(a, a_bits, b), before(b, b_bits, a));
        self.terms.or(one, other)
    }
}

/// Whether nothing but its name leads to a variable of a procedure.
fn is_private(program: &Program, variable: VariableId, procedure: ProcedureId) -> bool {
    let known = program.variable(variable);
    known.storage == Storage::Local(procedure) && !known.address_taken
}
