//! Memory as terms: what is in a scalar cell of a named object is a variable of bit-vectors, and what statements do is done to terms.
//!
//! An assignment through a pointer makes what every cell that it may hit holds afterwards a choice by the pointer's value: Morris's
//! axiom, pruned by points-to, without a case for each alias in a formula. Objects of which there may be several (summaries), or that have
//! many cells, are regions: a read at an address is a variable of its own, equal addresses have equal values (Ackermann), and
//! a write is seen by a read at the same address. Nothing in a summary is thus ever taken for overwritten.
//!
//! Addresses have 64 bits whatever the machine has: the object, counted from 1, in the upper half, the byte in the lower.

use std::collections::HashMap;

use crate::analyses::constants::Constants;
use crate::bitvec::{Replacement, Term, Terms};
use crate::c::effective::{Access, Class, may_hold};
use crate::c::program::{ProcedureId, Program, VariableId};
use crate::c::types::{Integer, Type, TypeId};
use crate::points_to::{Location, Object, ObjectId, Offset, PointsTo};

/// Bits of an address.
pub const ADDRESS: u8 = 64;

/// The greatest number of cells of an object that is not a region.
const CELLS: usize = 64;

/// Values have no more bytes than this.
const LONGEST: u64 = 16;

/// A scalar in a named object, or what is not represented there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    pub object: ObjectId,
    /// In bytes.
    pub offset: u64,
    /// Of a bit-field, its first bit there.
    pub bit: u8,
    /// In bits.
    pub width: u8,
    /// Of a bit-field its width, else all its bytes.
    pub span: u8,
    /// In bytes.
    pub size: u64,
}

impl Cell {
    /// Whether they share bits.
    pub fn overlaps(&self, other: &Cell) -> bool {
        let apart = self.offset + self.size <= other.offset || other.offset + other.size <= self.offset;
        let bits = |cell: &Cell| cell.offset * 8 + u64::from(cell.bit);
        // Bit-fields of one unit are apart.
        let fields = self.size == other.size
            && (bits(self) + u64::from(self.span) <= bits(other) || bits(other) + u64::from(other.span) <= bits(self));
        self.object == other.object && !apart && !fields
    }
}

/// A state of memory whose values are variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Epoch(pub u32);

impl Epoch {
    /// Before the statement.
    pub const NOW: Epoch = Epoch(0);
    /// At the entry of the procedure.
    pub const ENTRY: Epoch = Epoch(1);
}

/// What a variable of bit-vectors stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    Cell(Epoch, Cell),
    /// What is in a region at an address.
    Region(Epoch, ObjectId, u8, Term),
    /// Where a frame (the one that executes, or the one called) has a variable that other frames have too.
    Frame(ObjectId, u8),
    /// Some value.
    Fresh(u32),
}

/// What has been done to memory.
#[derive(Clone, Debug)]
pub enum Update {
    /// What shares bytes with the cell holds what the epoch says.
    Cell { cell: Cell, value: Term, epoch: Epoch },
    /// Through a pointer, or into a region; the same of what shares bytes with what is written.
    Through {
        address: Term,
        cells: Vec<Cell>,
        regions: Vec<ObjectId>,
        width: u8,
        access: Access,
        value: Term,
        epoch: Epoch,
    },
    /// These locations now hold what this epoch says.
    Arbitrary(Vec<Location>, Epoch),
    /// These objects live no longer: pointers to them point to nothing. What nothing but the names of a procedure's own locals leads to
    /// may stay as it is.
    Ended { ended: Vec<ObjectId>, keeps: Option<ProcedureId>, epoch: Epoch },
}

/// Memory after some updates.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Before them.
    pub base: Epoch,
    /// In order.
    pub updates: Vec<Update>,
}

impl Memory {
    /// In which everything is a variable.
    pub fn at(base: Epoch) -> Memory {
        Memory { base, updates: Vec::new() }
    }

    /// After one more update.
    pub fn after(&self, update: Update) -> Memory {
        let mut memory = self.clone();
        memory.updates.push(update);
        memory
    }
}

/// Where an lvalue is.
#[derive(Clone, Debug)]
pub enum Designated {
    /// In a named object, at a byte that is known.
    Exact { object: ObjectId, offset: u64, bit: u8, access: Access },
    /// At an address in one of these locations.
    Somewhere { address: Term, targets: Vec<Location>, bit: u8, access: Access },
}

impl Designated {
    /// In a named object, at a byte that is known: however it is accessed.
    pub fn exact(object: ObjectId, offset: u64) -> Designated {
        Designated::Exact { object, offset, bit: 0, access: Access::ANY }
    }

    /// At an address in one of these locations, however that is accessed.
    pub fn somewhere(address: Term, targets: Vec<Location>) -> Designated {
        Designated::Somewhere { address, targets, bit: 0, access: Access::ANY }
    }
}

/// Terms and what their variables stand for.
pub struct Machine<'a> {
    pub program: &'a Program,
    pub points_to: &'a PointsTo,
    /// What is in variables that nobody writes.
    pub constants: &'a Constants,
    pub terms: Terms,
    symbols: HashMap<Symbol, u32>,
    names: Vec<Symbol>,
    /// The cells of each object that was asked for; `None` for regions.
    cells: HashMap<ObjectId, Option<Vec<Cell>>>,
    /// Whether scalars of a class can be in an object, as far as that was asked.
    holds: HashMap<(ObjectId, Class), bool>,
    epochs: u32,
    /// What was read and written, if somebody wants to know.
    pub accessed: Option<Vec<Designated>>,
}

impl<'a> Machine<'a> {
    /// No terms yet.
    pub fn new(program: &'a Program, points_to: &'a PointsTo, constants: &'a Constants) -> Machine<'a> {
        let (symbols, names, cells, holds) = (HashMap::new(), Vec::new(), HashMap::new(), HashMap::new());
        let (terms, epochs, accessed) = (Terms::new(), 2, None);
        Machine { program, points_to, constants, terms, symbols, names, cells, holds, epochs, accessed }
    }

    /// Without its terms: what comes does not depend on what was before.
    pub fn renew(&mut self) {
        (self.terms, self.epochs) = (Terms::new(), 2);
        self.symbols.clear();
        self.names.clear();
    }

    /// Its terms, and the greatest number of a variable in them.
    pub fn into_terms(self) -> (Terms, u32) {
        (self.terms, self.names.len() as u32)
    }

    /// The variable that stands for something.
    pub fn symbol(&mut self, symbol: Symbol, width: u8) -> Term {
        let next = self.names.len() as u32;
        let number = *self.symbols.entry(symbol).or_insert(next);
        if number == next {
            self.names.push(symbol);
        }
        self.terms.variable(number, width)
    }

    /// Some value, different from all others as far as anyone knows.
    pub fn fresh(&mut self, width: u8) -> Term {
        let number = self.names.len() as u32;
        self.symbol(Symbol::Fresh(number), width)
    }

    /// A state of memory that nothing is known of.
    pub fn epoch(&mut self) -> Epoch {
        self.epochs += 1;
        Epoch(self.epochs)
    }

    /// How many bits values of a type have that is a scalar, or one number that is not represented.
    pub fn width(&self, ty: TypeId) -> u8 {
        match self.program.types.get(ty) {
            Type::Integer(integer) => integer.width as u8,
            _ => match self.program.types.unrepresented_size(ty) {
                Some(size @ 1..=LONGEST) => 8 * size as u8,
                _ => ADDRESS,
            },
        }
    }

    /// Some value of a type.
    pub fn any(&mut self, ty: TypeId) -> Term {
        let width = self.width(ty);
        self.fresh(width)
    }

    /// Whether an object of that type is one cell.
    fn is_cell(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Integer(_) | Type::Pointer(_) => true,
            _ => self.program.types.unrepresented_size(ty).is_some_and(|size| (1..=LONGEST).contains(&size)),
        }
    }

    /// The address of a byte of a named object.
    pub fn address(&mut self, object: ObjectId, offset: u64, frame: u8) -> Term {
        let base = if self.points_to.objects.is_summary(object)
            && matches!(self.points_to.objects.get(object), Object::Variable(_))
        {
            let place = self.symbol(Symbol::Frame(object, frame), 32);
            self.in_object(object, place)
        } else {
            self.terms.constant(u128::from(object.0 + 1) << 32, ADDRESS)
        };
        self.terms.linear(&[(base, 1)], u128::from(offset))
    }

    /// The address of a byte, of 32 bits, in an object.
    pub fn in_object(&mut self, object: ObjectId, byte: Term) -> Term {
        let byte = self.terms.extend(byte, ADDRESS, false);
        self.terms.linear(&[(byte, 1)], u128::from(object.0 + 1) << 32)
    }

    /// Whether an address is in an object.
    pub fn is_in(&mut self, address: Term, object: ObjectId) -> Term {
        let upper = self.terms.extract(address, 32, 32);
        let number = self.terms.constant(u128::from(object.0 + 1), 32);
        self.terms.eq(upper, number)
    }

    /// The cells of an object that is no region.
    pub fn cells(&mut self, object: ObjectId) -> Option<&[Cell]> {
        if !self.cells.contains_key(&object) {
            let cells = self.flattened(object);
            self.cells.insert(object, cells);
        }
        self.cells[&object].as_deref()
    }

    fn flattened(&self, object: ObjectId) -> Option<Vec<Cell>> {
        let objects = &self.points_to.objects;
        if objects.is_summary(object) || !matches!(objects.get(object), Object::Variable(_)) {
            return None;
        }
        let types = &self.program.types;
        let mut cells = Vec::new();
        let mut stack = vec![(objects.ty(object)?, 0, 0)];
        while let Some((ty, offset, bit)) = stack.pop() {
            match types.get(ty) {
                Type::Integer(_) | Type::Pointer(_) | Type::Float(_) | Type::Opaque(_) => {
                    cells.push(self.cell(object, offset, bit, ty));
                }
                Type::Array(element, length) => {
                    if *length > CELLS as u64 {
                        return None;
                    }
                    let size = types.size(*element)?;
                    stack.extend((0..*length).rev().map(|at| (*element, offset + at * size, 0)));
                }
                Type::Record(record) => {
                    let fields = types.records[record.0 as usize].fields.iter().rev();
                    stack.extend(fields.map(|field| (field.ty, offset + field.offset, field.bit.unwrap_or(0) as u8)));
                }
                _ => {}
            }
            if cells.len() + stack.len() > CELLS {
                return None;
            }
        }
        Some(cells)
    }

    /// The cell of that type there.
    fn cell(&self, object: ObjectId, offset: u64, bit: u8, ty: TypeId) -> Cell {
        let (width, size) = (self.width(ty), self.program.types.size(ty).unwrap_or(1));
        let is_field = |of: Integer| of.width < self.program.types.model.width(of.rank);
        let field = self.program.types.as_integer(ty).is_some_and(is_field);
        // A truth value has one bit, and fills a byte.
        let span = if field { width } else { u8::try_from(size * 8).unwrap_or(u8::MAX) };
        Cell { object, offset, bit, width, span, size }
    }

    /// The cells of that type that an address may be that of, the regions that it may be in, and the objects in which it may be something
    /// else.
    fn candidates(
        &mut self,
        targets: &[Location],
        (bit, access): (u8, Access),
        ty: TypeId,
    ) -> (Vec<Cell>, Vec<ObjectId>, Vec<ObjectId>) {
        let (mut named, mut regions, mut others) = (Vec::<Cell>::new(), Vec::new(), Vec::new());
        let pattern = self.cell(ObjectId(0), 0, bit, ty);
        for &target in targets {
            let objects = &self.points_to.objects;
            if matches!(objects.get(target.object), Object::Procedure(_))
                || !self.may_hold(target.object, access.class())
            {
                continue;
            }
            let Some(cells) = self.cells(target.object).map(<[Cell]>::to_vec) else {
                regions.push(target.object);
                continue;
            };
            let objects = &self.points_to.objects;
            let there =
                |cell: &&Cell| target.offset == Offset::Any || objects.normal(cell.object, cell.offset) == target;
            let fits = |cell: &&Cell| (cell.bit, cell.width, cell.size) == (pattern.bit, pattern.width, pattern.size);
            let fitting: Vec<Cell> = cells.iter().filter(there).filter(fits).copied().collect();
            let before = named.len();
            for cell in &fitting {
                if access.class() == Class::Any
                    || !objects.class(self.program, cell.object, cell.offset, ty).is_apart(access.class())
                {
                    named.push(*cell);
                }
            }
            // Another type looks at these bytes, or a part of them.
            let is_missed = access.class() == Class::Any && target.offset == Offset::Any && fitting.len() < cells.len();
            if named.len() == before || is_missed {
                others.push(target.object);
            }
        }
        named.sort_by_key(|cell| (cell.object, cell.offset));
        named.dedup();
        regions.sort_unstable();
        regions.dedup();
        others.sort_unstable();
        others.dedup();
        (named, regions, others)
    }

    /// Whether scalars of a class can be in an object: in a variable only if its type says so.
    fn may_hold(&mut self, object: ObjectId, class: Class) -> bool {
        let objects = &self.points_to.objects;
        let Some(ty) = objects.ty(object).filter(|_| class != Class::Any && objects.as_variable(object).is_some())
        else {
            return true;
        };
        *self.holds.entry((object, class)).or_insert_with(|| may_hold(self.program, ty, class))
    }

    /// What an lvalue holds. Where it is nowhere that points-to allows, the value is 0, so that predicates are total.
    pub fn read(&mut self, memory: &Memory, from: &Designated, ty: TypeId) -> Term {
        let width = self.width(ty);
        self.accessed.iter_mut().for_each(|all| all.push(from.clone()));
        match from {
            &Designated::Exact { object, offset, bit, access } => {
                if self.cells(object).is_none() {
                    let address = self.address(object, offset, 0);
                    let there = (object, width, access);
                    return if bit == 0 { self.read_region(memory, there, address) } else { self.fresh(width) };
                }
                let cell = self.cell(object, offset, bit, ty);
                self.read_cell(memory, cell)
            }
            Designated::Somewhere { address, targets, bit, access } => {
                let (cells, regions, others) = self.candidates(targets, (*bit, *access), ty);
                let mut value = if !others.is_empty() { self.fresh(width) } else { self.terms.constant(0, width) };
                for object in regions.into_iter().rev() {
                    // Bit-fields of one byte have one address: only the first is told apart from what is elsewhere.
                    let there = (object, width, *access);
                    let there = if *bit == 0 { self.read_region(memory, there, *address) } else { self.fresh(width) };
                    let inside = self.is_in(*address, object);
                    value = self.terms.ite(inside, there, value);
                }
                for cell in cells.into_iter().rev() {
                    let there = self.address(cell.object, cell.offset, 0);
                    let (same, there) = (self.terms.eq(*address, there), self.read_cell(memory, cell));
                    value = self.terms.ite(same, there, value);
                }
                value
            }
        }
    }

    /// A place as it is in a frame (0 the one that executes, 1 the one called): variables of which other frames have one too are at an
    /// address of the frame.
    pub fn owned(&mut self, place: &Designated, frame: u8) -> Designated {
        match *place {
            Designated::Exact { object, offset, bit, access } if self.cells(object).is_none() => {
                let address = self.address(object, offset, frame);
                let target = self.points_to.objects.normal(object, offset);
                Designated::Somewhere { address, targets: vec![target], bit, access }
            }
            _ => place.clone(),
        }
    }

    /// What a variable of a frame holds that is a scalar; none if it is nowhere.
    pub fn content(&mut self, memory: &Memory, variable: VariableId, frame: u8) -> Option<Term> {
        let object = self.points_to.objects.variable(variable)?.object;
        let place = self.owned(&Designated::exact(object, 0), frame);
        Some(self.read(memory, &place, self.program.variable(variable).ty))
    }

    /// That an access is to one of the locations that points-to allows.
    pub fn is_valid(&mut self, place: &Designated, ty: TypeId) -> Term {
        let (address, targets, bit, access) = match place {
            Designated::Somewhere { address, targets, bit, access } => (address, targets, bit, access),
            Designated::Exact { object, offset, bit, .. } => {
                // The length of some external arrays is not known.
                let whole = self.length(*object);
                let end = offset + self.bytes(ty, *bit);
                return self.terms.truth(whole.is_none_or(|whole| end <= whole));
            }
        };
        let (cells, regions, others) = self.candidates(targets, (*bit, *access), ty);
        let mut valid = self.terms.truth(false);
        for object in regions.into_iter().chain(others) {
            let inside = self.is_inside(*address, object, self.bytes(ty, *bit));
            valid = self.terms.or(valid, inside);
        }
        for cell in cells {
            let there = self.address(cell.object, cell.offset, 0);
            let same = self.terms.eq(*address, there);
            valid = self.terms.or(valid, same);
        }
        valid
    }

    /// How many bytes an access to a scalar takes; a bit-field takes those in which its bits are.
    fn bytes(&self, ty: TypeId, bit: u8) -> u64 {
        let cell = self.cell(ObjectId(0), 0, bit, ty);
        let field = u64::from(cell.span) < cell.size * 8;
        if field { (u64::from(bit) + u64::from(cell.span)).div_ceil(8) } else { cell.size }
    }

    /// How many bytes a variable has, if that is known.
    fn length(&self, object: ObjectId) -> Option<u64> {
        let objects = &self.points_to.objects;
        let variable = matches!(objects.get(object), Object::Variable(_));
        let size = objects.ty(object).and_then(|ty| self.program.types.size(ty));
        size.filter(|&size| variable && size > 0)
    }

    /// Whether so many bytes from an address on are in an object. Of several that one stands for, and of what was allocated, it is not known
    /// where each begins and ends: it is enough there that the address is in one of them.
    fn is_inside(&mut self, address: Term, object: ObjectId, bytes: u64) -> Term {
        let Some(length) = self.length(object).filter(|_| !self.points_to.objects.is_summary(object)) else {
            return self.is_in(address, object);
        };
        let Some(last) = length.checked_sub(bytes) else { return self.terms.truth(false) };
        let begin = self.address(object, 0, 0);
        let offset = self.terms.sub(address, begin);
        let last = self.terms.constant(u128::from(last), ADDRESS);
        let beyond = self.terms.ult(last, offset);
        self.terms.not(beyond)
    }

    /// Memory in which all bytes of an object that is no scalar are arbitrary.
    fn overwritten(&mut self, memory: &Memory, to: &Designated, ty: TypeId) -> Memory {
        let targets: Vec<ObjectId> = match to {
            &Designated::Exact { object, offset, bit, .. } if self.cells(object).is_some() => {
                let (cell, value, epoch) = (self.cell(object, offset, bit, ty), self.any(ty), self.epoch());
                return memory.after(Update::Cell { cell, value, epoch });
            }
            Designated::Exact { object, .. } => vec![*object],
            Designated::Somewhere { targets, .. } => targets.iter().map(|target| target.object).collect(),
        };
        let anything = targets.into_iter().map(|object| Location { object, offset: Offset::Any });
        memory.after(Update::Arbitrary(anything.collect(), self.epoch()))
    }

    /// Memory after an assignment.
    pub fn write(&mut self, memory: &Memory, to: &Designated, ty: TypeId, value: Term, frame: u8) -> Memory {
        let mut memory = memory.clone();
        self.write_to(&mut memory, to, ty, value, frame);
        memory
    }

    /// The same, in place of the memory as it was.
    pub fn write_to(&mut self, memory: &mut Memory, to: &Designated, ty: TypeId, value: Term, frame: u8) {
        if !self.is_cell(ty) {
            *memory = self.overwritten(memory, to, ty);
            return;
        }
        let width = self.width(ty);
        self.accessed.iter_mut().for_each(|all| all.push(to.clone()));
        match to {
            &Designated::Exact { object, offset, bit, access } => {
                if self.cells(object).is_none() {
                    if bit != 0 {
                        let anything = vec![Location { object, offset: Offset::Any }];
                        memory.updates.push(Update::Arbitrary(anything, self.epoch()));
                        return;
                    }
                    let address = self.address(object, offset, frame);
                    let (cells, regions, epoch) = (Vec::new(), vec![object], self.epoch());
                    memory.updates.push(Update::Through { address, cells, regions, width, access, value, epoch });
                    return;
                }
                let (cell, epoch) = (self.cell(object, offset, bit, ty), self.epoch());
                memory.updates.push(Update::Cell { cell, value, epoch });
            }
            Designated::Somewhere { address, targets, bit, access } => {
                let (cells, mut regions, others) = self.candidates(targets, (*bit, *access), ty);
                if *bit != 0 && !regions.is_empty() {
                    let anything = regions.drain(..).map(|object| Location { object, offset: Offset::Any });
                    let update = Update::Arbitrary(anything.collect(), self.epoch());
                    memory.updates.push(update);
                }
                if !others.is_empty() {
                    let all = targets.iter().map(|target| target.object);
                    let hit: Vec<ObjectId> = if self.program.effective { others } else { all.collect() };
                    let anything = hit.into_iter().map(|object| Location { object, offset: Offset::Any });
                    let update = Update::Arbitrary(anything.collect(), self.epoch());
                    memory.updates.push(update);
                }
                let (address, access, epoch) = (*address, *access, self.epoch());
                memory.updates.push(Update::Through { address, cells, regions, width, access, value, epoch });
            }
        }
    }

    /// A term in which what global variables hold in an epoch is 0, but for those that start with arbitrary values.
    pub fn zeroed(&mut self, term: Term, epoch: Epoch) -> Term {
        let mut zeros = Replacement::default();
        for number in self.terms.variables(&[term]) {
            let symbol = self.names[number as usize];
            let (of, object, width) = match symbol {
                Symbol::Cell(of, cell) => (of, cell.object, cell.width),
                Symbol::Region(of, object, width, _) => (of, object, width),
                Symbol::Frame(..) | Symbol::Fresh(_) => continue,
            };
            let global = self.points_to.objects.as_variable(object);
            let starts_at_zero =
                |variable| self.program.is_global(variable) && !self.program.external.contains(&variable);
            if of == epoch && global.is_some_and(starts_at_zero) {
                let (variable, zero) = (self.symbol(symbol, width), self.terms.constant(0, width));
                zeros.insert(variable, zero);
            }
        }
        self.terms.substitute(term, &mut zeros)
    }

    /// What is known of the variables in some terms: reads of a region at equal addresses agree. The list is complete for these
    /// terms and itself.
    pub fn axioms(&mut self, roots: &[Term]) -> Vec<Term> {
        let mut reads: Vec<(Symbol, Term)> = Vec::new();
        let mut axioms = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut open = self.terms.variables(roots);
        while let Some(number) = open.pop() {
            if !seen.insert(number) {
                continue;
            }
            let symbol = self.names[number as usize];
            let Symbol::Region(epoch, object, width, address) = symbol else { continue };
            open.extend(self.terms.variables(&[address]));
            let value = self.symbol(symbol, width);
            for &(other, there) in &reads {
                let Symbol::Region(epoch_there, object_there, width_there, address_there) = other else { continue };
                if (epoch_there, object_there, width_there) == (epoch, object, width) {
                    let (equal, agree) = (self.terms.eq(address, address_there), self.terms.eq(value, there));
                    axioms.push(self.terms.implies(equal, agree));
                }
            }
            reads.push((symbol, value));
        }
        axioms
    }
}
