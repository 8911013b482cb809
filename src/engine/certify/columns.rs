//! Which bit of a configuration is which: those of the globals first, then those of the locals of the symbol on top. Cells of
//! arrays follow each other, the bits of a cell from the least significant one on.

use spds_format::Spds;
use spds_format::model::{FrameId, Scalar, Type, Var, Variable};

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Its first bit.
    pub base: u32,
    /// Its type.
    pub ty: Type,
}

impl Field {
    /// The bits of its n-th cell, from 0.
    pub fn cell(self, cell: u32) -> std::ops::Range<u32> {
        let width = self.ty.scalar.bits();
        self.base + cell * width..self.base + (cell + 1) * width
    }

    /// All its bits.
    pub fn bits(self) -> std::ops::Range<u32> {
        self.base..self.base + self.ty.cells() * self.ty.scalar.bits()
    }

    /// Whether its cells are truth values.
    pub fn is_bool(self) -> bool {
        self.ty.scalar == Scalar::Bool
    }
}

/// The bits of all variables.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    globals: Vec<Field>,
    frames: Vec<Vec<Field>>,
    /// How many bits the globals have.
    pub global_bits: u32,
    /// How many bits there are at most.
    pub bits: u32,
}

impl Columns {
    pub fn new(spds: &Spds) -> Columns {
        let (globals, global_bits) = lay_out(&spds.globals, 0);
        let mut bits = global_bits;
        let frames = spds.frames.iter().map(|frame| {
            let (fields, end) = lay_out(&frame.variables, global_bits);
            bits = bits.max(end);
            fields
        });
        let frames = frames.collect();
        Columns { globals, frames, global_bits, bits }
    }

    /// Where a variable lies; a local is one of this frame.
    pub fn field(&self, var: Var, frame: Option<FrameId>) -> Field {
        match var {
            Var::Global(number) => self.globals[number as usize],
            Var::Local(number) => self.locals(frame)[number as usize],
        }
    }

    /// The locals of a frame.
    pub fn locals(&self, frame: Option<FrameId>) -> &[Field] {
        frame.map_or(&[], |frame| &self.frames[frame.0 as usize])
    }

    /// The bits of the globals.
    pub fn globals(&self) -> std::ops::Range<u32> {
        0..self.global_bits
    }

    /// The bits of the locals of a frame.
    pub fn local_bits(&self, frame: Option<FrameId>) -> std::ops::Range<u32> {
        let end = self.locals(frame).last().map_or(self.global_bits, |field| field.bits().end);
        self.global_bits..end
    }

    /// How many bits a configuration has whose top is in a frame.
    pub fn width(&self, frame: Option<FrameId>) -> u32 {
        self.local_bits(frame).end
    }
}

fn lay_out(variables: &[Variable], base: u32) -> (Vec<Field>, u32) {
    let mut next = base;
    let mut fields = Vec::with_capacity(variables.len());
    for variable in variables {
        let field = Field { base: next, ty: variable.ty };
        next = field.bits().end;
        fields.push(field);
    }
    (fields, next)
}
