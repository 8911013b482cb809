//! Which parts of an object the items of a list in braces are for: designators, and what follows them (C11 §6.7.9 p17-20).

use lang_c::ast;
use lang_c::span::Node;

use super::{Lowered, Lowering};
use crate::c::types::{Type, TypeId};

/// Parts of an array or record that a designator means, by their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

impl Lowering<'_> {
    /// How many elements a list has; without braces around them the scalars of an element follow one another.
    pub fn list_length(&mut self, element: TypeId, items: &[Node<ast::InitializerListItem>]) -> Lowered<u64> {
        let (mut index, mut most, mut at) = (0u64, 0u64, 0);
        while let Some(item) = items.get(at) {
            match item.node.designation.split_first() {
                Some((first, rest)) => {
                    let last = match &first.node {
                        ast::Designator::Index(e) => self.integer_constant(e)?,
                        ast::Designator::Range(range) => self.integer_constant(&range.node.to)?,
                        ast::Designator::Member(_) => 0,
                    };
                    let levels = self.designated(element, rest)?;
                    let part = levels.iter().fold(element, |ty, level| self.type_of_part(ty, level.to));
                    self.pass_designated(part, items, &mut at);
                    self.pass_after(element, &levels, items, &mut at);
                    index = u64::try_from(last).unwrap_or(0);
                }
                None => self.pass_part(element, items, &mut at),
            }
            index += 1;
            most = most.max(index);
        }
        Ok(most)
    }

    /// Passes a designated item, and those that follow it in a part of that type without braces of its own.
    fn pass_designated(&mut self, ty: TypeId, items: &[Node<ast::InitializerListItem>], at: &mut usize) {
        if self.parts(ty) == 0 || self.is_whole(&items[*at].node.initializer, ty) {
            *at += 1;
            return;
        }
        let first = self.type_of_part(ty, 0);
        self.pass_designated(first, items, at);
        self.pass_parts(ty, 1, items, at);
    }

    /// Passes the items that a part of that type uses up.
    fn pass_part(&mut self, ty: TypeId, items: &[Node<ast::InitializerListItem>], at: &mut usize) {
        let before = *at;
        if let Some(item) = items.get(*at)
            && !self.is_whole(&item.node.initializer, ty)
        {
            self.pass_parts(ty, 0, items, at);
        }
        // What has no parts uses one up, too.
        *at = (*at).max(before + 1);
    }

    /// The same for its parts from one on, as far as items without designators go.
    fn pass_parts(&mut self, ty: TypeId, from: u64, items: &[Node<ast::InitializerListItem>], at: &mut usize) {
        for index in from..self.parts(ty) {
            if items.get(*at).is_none_or(|item| !item.node.designation.is_empty()) {
                return;
            }
            let part = self.type_of_part(ty, index);
            self.pass_part(part, items, at);
        }
    }

    /// Passes what goes on after a designated part.
    fn pass_after(&mut self, ty: TypeId, levels: &[Parts], items: &[Node<ast::InitializerListItem>], at: &mut usize) {
        if let Some((parts, rest)) = levels.split_first() {
            let part = self.type_of_part(ty, parts.to);
            self.pass_after(part, rest, items, at);
            self.pass_parts(ty, parts.to + 1, items, at);
        }
    }

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

    /// The numbers of the parts that designators mean, from the whole inwards; members of what has no name are further inside.
    pub fn designated(&mut self, ty: TypeId, designation: &[Node<ast::Designator>]) -> Lowered<Vec<Parts>> {
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
