//! The registers in which results travel.

use rustc_hash::FxHashMap;
use spds_format::model::{Type, Var, Variable};

use super::ast::Ast;
use super::declarations::{Dims, Leaf};

/// Hidden globals in which results travel: results of one type share theirs.
pub(super) struct Registers {
    types: Vec<Type>,
    /// For each module, those of its result.
    of: FxHashMap<u32, Vec<u32>>,
    first: u32,
}

impl Registers {
    pub(super) fn new(ast: &Ast) -> Registers {
        let mut registers =
            Registers { types: Vec::new(), of: FxHashMap::default(), first: ast.declarations.globals.len() as u32 };
        for (number, module) in (0..).zip(&ast.modules) {
            let mut own: Vec<u32> = Vec::new();
            for leaf in &module.results {
                let ty = Type { scalar: leaf.scalar, range: leaf.dims.flat().map(|(first, last)| (0, last - first)) };
                let free = (0..).zip(&registers.types).find(|(index, known)| **known == ty && !own.contains(index));
                let index = free.map(|(index, _)| index).unwrap_or(registers.types.len() as u32);
                if index as usize == registers.types.len() {
                    registers.types.push(ty);
                }
                own.push(index);
            }
            registers.of.insert(number, own);
        }
        registers
    }

    /// Their declarations.
    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        let register =
            |(number, ty): (usize, &Type)| Variable { name: format!("$r{number}").into(), ty: *ty, hidden: true };
        (1..).zip(&self.types).map(register)
    }

    /// The registers of a module's result, leaf by leaf.
    pub(super) fn of(&self, module: u32) -> Vec<Var> {
        let own = self.of.get(&module).map_or(&[][..], Vec::as_slice);
        own.iter().map(|index| Var::Global(self.first + index)).collect()
    }
}

/// The dimensions of the register of a result.
pub(super) fn register_dims(leaf: &Leaf) -> Dims {
    let flat = leaf.dims.flat().map(|(first, last)| (0, last - first));
    Dims([flat, None])
}
