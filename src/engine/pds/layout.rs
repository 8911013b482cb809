//! Which bit of state is which bit of which variable.
//!
//! Globals come first, then the *local slots*: the n-th local bit of every frame is the same bit of state, so the number
//! of bits depends on the largest frame and never on the number of procedures.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{FrameId, Scalar, SymbolId, Type, Var, Variable};

use crate::bdd::Bit;

/// Where the cells of one variable lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The least significant bit of the first cell; further bits of a cell, then further cells, follow.
    pub base: u32,
    /// The type of the variable.
    pub ty: Type,
}

impl Field {
    /// The bits of its n-th cell (counted from 0), least significant first.
    pub fn cell(self, cell: u32) -> impl DoubleEndedIterator<Item = Bit> + ExactSizeIterator + Clone {
        self.cell_range(cell).map(Bit)
    }

    /// The numbers of the same bits.
    pub(super) fn cell_range(self, cell: u32) -> Range<u32> {
        let width = self.ty.scalar.bits();
        let base = self.base + cell * width;
        base..base + width
    }

    /// All its bits.
    pub fn bits(self) -> impl DoubleEndedIterator<Item = Bit> + ExactSizeIterator + Clone {
        self.range().map(Bit)
    }

    /// Their numbers.
    pub(super) fn range(self) -> Range<u32> {
        self.base..self.base + self.ty.cells() * self.ty.scalar.bits()
    }

    /// The number of the cell that an index means, if it is in range.
    pub fn cell_of_index(self, index: u64) -> Option<u32> {
        let (first, last) = self.ty.range?;
        let index = u32::try_from(index).ok()?;
        (first..=last).contains(&index).then(|| index - first)
    }
}

/// The types of a frame's variables, in order: frames of one shape have the same fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape(u32);

impl Shape {
    /// Without variables.
    pub const NONE: Shape = Shape(0);
}

/// The bits that an automaton adds to the globals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// For its state.
    pub state_bits: u32,
    /// For its mark.
    pub mark: Mark,
}

/// Whether there is a bit that remembers an automaton's mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// There is not.
    #[default]
    Absent,
    /// There is, after the bits of the automaton's state.
    Present,
}

/// The bits of all variables of a system.
#[derive(Clone, Debug)]
pub struct Layout {
    globals: Vec<Field>,
    /// The shape of each frame.
    frames: Vec<Shape>,
    /// The fields of each shape: frames with variables of the same types have the same.
    shapes: Vec<Box<[Field]>>,
    global_bits: u32,
    /// The first bit that belongs to an automaton: those up to `global_bits` do.
    automaton: u32,
    mark: Option<Bit>,
    bits: u32,
}

impl Layout {
    /// Lays out the variables of a system, and what an automaton adds to the globals, after them.
    pub fn new(spds: &Spds, automaton: Added) -> Self {
        let (globals, first) = lay_out(&spds.globals, 0);
        let last = first + automaton.state_bits;
        let (mark, global_bits) = match automaton.mark {
            Mark::Absent => (None, last),
            Mark::Present => (Some(Bit(last)), last + 1),
        };
        let mut bits = global_bits;
        let mut frames = Vec::with_capacity(spds.frames.len());
        let mut shapes: Vec<Box<[Field]>> = vec![Box::default()];
        let mut known = FxHashMap::from_iter([(Vec::new(), Shape::NONE)]);
        let mut types = Vec::new();
        for frame in &spds.frames {
            types.clear();
            types.extend(frame.variables.iter().map(|variable| variable.ty));
            let shape = known.get(&types).copied().unwrap_or_else(|| {
                let (fields, end) = lay_out(&frame.variables, global_bits);
                bits = bits.max(end);
                shapes.push(fields.into());
                let shape = Shape(shapes.len() as u32 - 1);
                known.insert(types.clone(), shape);
                shape
            });
            frames.push(shape);
        }
        Layout { globals, frames, shapes, global_bits, automaton: first, mark, bits }
    }

    /// The number of bits of state.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The bits of globals, and of the automaton if there is one.
    pub fn global_bits(&self) -> impl ExactSizeIterator<Item = Bit> + Clone + use<> {
        (0..self.global_bits).map(Bit)
    }

    /// The bits of the automaton's state, least significant first.
    pub fn automaton_bits(&self) -> impl ExactSizeIterator<Item = Bit> + Clone + use<> {
        (self.automaton..self.global_bits - u32::from(self.mark.is_some())).map(Bit)
    }

    /// The bit that remembers an automaton's mark.
    pub fn mark(&self) -> Option<Bit> {
        self.mark
    }

    /// The local slots.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Bit> + Clone + use<> {
        (self.global_bits..self.bits).map(Bit)
    }

    /// Whether a bit belongs to a global.
    pub fn is_global(&self, bit: Bit) -> bool {
        bit.0 < self.global_bits
    }

    /// The field of a variable; locals are those of `frame`.
    pub fn field(&self, var: Var, frame: Option<FrameId>) -> Field {
        match var {
            Var::Global(i) => self.globals[i as usize],
            Var::Local(i) => self.locals(frame)[i as usize],
        }
    }

    /// The fields of the globals, in order.
    pub fn globals(&self) -> &[Field] {
        &self.globals
    }

    /// The fields of a frame's variables, in order.
    pub fn locals(&self, frame: Option<FrameId>) -> &[Field] {
        &self.shapes[self.shape(frame).0 as usize]
    }

    /// Which variables a frame has, but for their names.
    pub fn shape(&self, frame: Option<FrameId>) -> Shape {
        frame.map_or(Shape::NONE, |frame| self.frames[frame.0 as usize])
    }

    /// The fields of every shape.
    pub fn shapes(&self) -> impl Iterator<Item = &[Field]> {
        self.shapes.iter().map(|fields| &**fields)
    }

    /// The bits that make up the state under a topmost symbol: globals and the locals of its frame.
    pub fn scope(&self, spds: &Spds, symbol: SymbolId) -> impl Iterator<Item = Bit> + '_ {
        let locals = self.locals(spds.symbol(symbol).frame);
        self.global_bits().chain(locals.iter().flat_map(|field| field.bits()))
    }
}

fn lay_out(variables: &[Variable], base: u32) -> (Vec<Field>, u32) {
    let mut next = base;
    let fields = variables
        .iter()
        .map(|variable| {
            let field = Field { base: next, ty: variable.ty };
            next += variable.ty.cells() * variable.ty.scalar.bits();
            field
        })
        .collect();
    (fields, next)
}

/// The number that those bits spell, least significant first.
pub fn number(bits: impl IntoIterator<Item = bool>) -> u64 {
    bits.into_iter().enumerate().fold(0, |number, (i, bit)| number | u64::from(bit) << i)
}

/// Whether the type has one bit per cell that is a truth value.
pub fn is_bool(ty: Type) -> bool {
    ty.scalar == Scalar::Bool
}
