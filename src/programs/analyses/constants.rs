//! What is in variables that nobody writes: tables, and whatever else keeps what it has at the start.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::c::expression::ExpressionKind;
use crate::c::program::{Program, Storage, VariableId};
use crate::c::types::{Type, TypeId};
use crate::points_to::{ObjectId, PointsTo};

use super::modified::Modified;

/// The scalars of variables that no run writes, by where they begin: byte, and bit in that.
#[derive(Debug, Default)]
pub struct Constants {
    objects: HashMap<ObjectId, BTreeMap<(u64, u8), Option<u128>>>,
}

impl Constants {
    /// What the scalar of an object at a place always is, as bits; none if that may change, or is no number.
    pub fn at(&self, object: ObjectId, offset: u64, bit: u8) -> Option<u128> {
        let scalars = self.objects.get(&object)?;
        // What is not mentioned starts as zero.
        scalars.get(&(offset, bit)).copied().unwrap_or(Some(0))
    }
}

/// Those of a program: of variables that live as long as it does, are defined, have no members that overlap, and that nothing that `main` leads to writes.
/// Linear.
pub(super) fn constants(program: &Program, points_to: &PointsTo, modified: &Modified) -> Constants {
    let written: BTreeSet<ObjectId> =
        modified.written[program.main.0 as usize].iter().map(|location| location.object).collect();
    let open = program.unrepresented.iter().filter_map(|one| program.terms.variable_of(one.to));
    let open: BTreeSet<VariableId> =
        open.chain(program.external.iter().copied()).chain(program.unknown.iter().map(|(id, _)| *id)).collect();
    let mut constants = Constants::default();
    for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
        let lasts = !matches!(variable.storage, Storage::Local(_));
        let Some(location) = points_to.objects.variable(id).filter(|_| lasts && !open.contains(&id)) else { continue };
        if !written.contains(&location.object) && !overlaps(program, variable.ty) {
            constants.objects.insert(location.object, BTreeMap::new());
        }
    }
    for &(to, value) in &program.initial {
        let Some(variable) = program.terms.variable_of(to) else { continue };
        let Some(object) = points_to.objects.variable(variable).map(|location| location.object) else { continue };
        let Some(scalars) = constants.objects.get_mut(&object) else { continue };
        let value = match program.terms.get(value).kind {
            ExpressionKind::Constant(bits) => Some(bits),
            _ => None,
        };
        match program.place_in_variable(to) {
            Some(place) => drop(scalars.insert(place, value)),
            None => drop(constants.objects.remove(&object)),
        }
    }
    constants
}

/// Whether there are members in a type that share bytes.
fn overlaps(program: &Program, ty: TypeId) -> bool {
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        match program.types.get(ty) {
            Type::Array(element, _) => open.push(*element),
            Type::Record(record) => {
                let record = &program.types.records[record.0 as usize];
                if record.union || !record.complete {
                    return true;
                }
                open.extend(record.fields.iter().map(|field| field.ty));
            }
            Type::Integer(_) | Type::Pointer(_) => {}
            _ => return true,
        }
    }
    false
}
