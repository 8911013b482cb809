//! Parts of arrays and records by their numbers, and those that designators mean (C11 §6.7.9 p6, p7).

use lang_c::ast;
use lang_c::span::Node;

use super::{Lowered, Lowering};
use crate::c::types::{Type, TypeId};

/// Parts of an array or record that a designator means, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

impl Lowering<'_> {
    /// How many parts items without designators are for (of a union: the first member).
    pub fn parts(&self, ty: TypeId) -> u64 {
        match self.types.get(ty) {
            Type::Array(_, length) => *length,
            Type::Record(record) => {
                let record = &self.types.records[record.0 as usize];
                if record.union { record.fields.len().min(1) as u64 } else { record.fields.len() as u64 }
            }
            _ => 0,
        }
    }

    /// The type of a part by its number.
    pub fn type_of_part(&self, ty: TypeId, index: u64) -> TypeId {
        match self.types.get(ty) {
            Type::Array(element, _) => *element,
            Type::Record(record) => {
                let fields = &self.types.records[record.0 as usize].fields;
                usize::try_from(index).ok().and_then(|index| fields.get(index)).map_or(ty, |field| field.ty)
            }
            _ => ty,
        }
    }

    /// The numbers of the parts that an item with designators is for: where it is for no part as a whole, for the first one in it.
    pub fn designated_by(&mut self, ty: TypeId, item: &Node<ast::InitializerListItem>) -> Lowered<Vec<Parts>> {
        let mut levels = self.designated(ty, &item.node.designation)?;
        let mut part = levels.iter().fold(ty, |ty, level| self.type_of_part(ty, level.to));
        while self.parts(part) > 0 && !self.is_whole(&item.node.initializer, part) {
            levels.push(Parts { from: 0, to: 0 });
            part = self.type_of_part(part, 0);
        }
        Ok(levels)
    }

    /// The numbers of the parts that designators mean, from the whole inwards; members of what has no name are further inside.
    fn designated(&mut self, ty: TypeId, designation: &[Node<ast::Designator>]) -> Lowered<Vec<Parts>> {
        let (mut ty, mut levels) = (ty, Vec::new());
        let index = |number: i128| u64::try_from(number).ok();
        for designator in designation {
            let found: Option<Vec<Parts>> = match &designator.node {
                ast::Designator::Index(e) => {
                    let at = index(self.integer_constant(e)?);
                    at.map(|at| vec![Parts { from: at, to: at }])
                }
                ast::Designator::Range(range) => {
                    let from = index(self.integer_constant(&range.node.from)?);
                    let to = index(self.integer_constant(&range.node.to)?);
                    from.zip(to).filter(|(from, to)| from <= to).map(|(from, to)| vec![Parts { from, to }])
                }
                ast::Designator::Member(name) => {
                    let path = self.path(ty, &name.node.name);
                    path.map(|path| path.into_iter().map(|at| Parts { from: at as u64, to: at as u64 }).collect())
                }
            };
            let is_member = matches!(designator.node, ast::Designator::Member(_));
            let Some(found) = found else { return Err(self.error("there is no such part", designator.span)) };
            for parts in found {
                let fits = match self.types.get(ty) {
                    Type::Array(_, length) => !is_member && parts.to < *length,
                    Type::Record(_) => is_member,
                    _ => false,
                };
                if !fits {
                    return Err(self.error("there is no such part", designator.span));
                }
                ty = self.type_of_part(ty, parts.to);
                levels.push(parts);
            }
        }
        Ok(levels)
    }
}
