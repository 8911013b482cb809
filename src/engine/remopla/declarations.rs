//! What a program declares: constants, types, variables.
//!
//! Variables that a system does not know are taken apart here: a struct becomes one variable for each of its fields, named
//! with a dot (`p.x`), and an array of structs one array for each. Such pieces are called *leaves*. A two-dimensional array
//! stays one leaf; it is laid out row by row when it is lowered.

use rustc_hash::FxHashMap;
use spds_format::model::{Name, Scalar, Var};

use crate::boolprog::ast::Piece;

/// The ranges of indices of an array: none for a scalar, one or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dims(pub [Option<(u32, u32)>; 2]);

impl Dims {
    /// How many there are.
    pub fn count(self) -> usize {
        self.0.iter().flatten().count()
    }

    /// How many cells there are.
    pub fn cells(self) -> u64 {
        self.0.iter().flatten().map(|(first, last)| u64::from(last - first) + 1).product()
    }

    /// The range of indices in a system: that of the source, or, of two dimensions, from 0 on, row by row.
    pub fn flat(self) -> Option<(u32, u32)> {
        match self.0 {
            [None, _] => None,
            [Some(range), None] => Some(range),
            [Some(_), Some(_)] => Some((0, u32::try_from(self.cells() - 1).unwrap_or(u32::MAX))),
        }
    }
}

/// A variable of the system: a scalar, an array, or a field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its name: `x`, or `p.x` for the field `x` of the struct `p`.
    pub name: Name,
    /// Its type, or that of its cells.
    pub scalar: Scalar,
    /// For an enum, how many members it has: its values are below.
    pub members: Option<u64>,
    /// The ranges of its indices.
    pub dims: Dims,
}

impl Leaf {
    /// Whether a value of the other one can be stored in it as a whole.
    pub fn takes(&self, other: &Leaf) -> bool {
        (self.scalar == Scalar::Bool) == (other.scalar == Scalar::Bool) && self.dims == other.dims
    }
}

/// What a name of a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is declared.
    pub at: u32,
    /// Its first leaf, among the globals or the variables of its module.
    pub first: u32,
    /// How many leaves it has.
    pub leaves: u32,
    /// For a struct, its type: an index into [`Declarations::structs`].
    pub structure: Option<u32>,
    /// The ranges of indices of the variable itself (not of its fields).
    pub dims: Dims,
}

/// A struct type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    /// The fields.
    pub fields: Vec<Leaf>,
}

/// The names of the variables of one scope.
pub type Scope = FxHashMap<Name, Entry>;

/// All declarations of a program.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Constants by `define` and members of enums, with the place of their declaration.
    pub constants: FxHashMap<Name, (u64, u32)>,
    /// Struct types.
    pub structs: Vec<Struct>,
    /// Their names.
    pub struct_names: FxHashMap<Name, u32>,
    /// The numbers of members of named enum types.
    pub enums: FxHashMap<Name, u64>,
    /// The global leaves.
    pub globals: Vec<Leaf>,
    /// The names of global variables.
    pub global_names: Scope,
    /// The leaves of all modules: first parameters, then locals, module by module.
    pub locals: Vec<Leaf>,
    /// For each module its name, its leaves (a piece of [`Declarations::locals`]) and the names of its variables.
    pub modules: Vec<(Name, Piece, Scope)>,
}

impl Declarations {
    /// The leaves of a module.
    pub fn locals(&self, module: usize) -> &[Leaf] {
        &self.locals[self.modules[module].1.range()]
    }

    /// A leaf: a global, or a variable of that module.
    pub fn leaf(&self, var: Var, module: Option<u32>) -> &Leaf {
        match var {
            Var::Global(index) => &self.globals[index as usize],
            Var::Local(index) => {
                let module = module.expect("only modules have locals");
                &self.locals(module as usize)[index as usize]
            }
        }
    }

    /// What a name stands for in a module (or outside of all): its entry and the variable that is its first leaf.
    pub fn variable(&self, name: &str, module: Option<u32>) -> Option<(Entry, Var)> {
        let local = module.and_then(|module| self.modules[module as usize].2.get(name));
        match local {
            Some(entry) => Some((*entry, Var::Local(entry.first))),
            None => self.global_names.get(name).map(|entry| (*entry, Var::Global(entry.first))),
        }
    }
}
