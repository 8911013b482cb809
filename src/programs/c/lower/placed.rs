//! Which parts of an object the items of a list in braces are for, before any is evaluated: how long an array is, and which initialisers
//! are overridden by later ones (C11 §6.7.9 p17-22).

use std::collections::HashSet;

use lang_c::ast;
use lang_c::span::Node;

use super::designator::Parts;
use super::order::effects;
use super::unordered::Key;
use super::{Lowered, Lowering};
use crate::c::types::{Type, TypeId};

/// One step inwards: parts of an array or record.
#[derive(Clone, Copy, Debug)]
struct Level {
    parts: Parts,
    /// Whether they are members of a union, of which one has a value.
    union: bool,
}

/// An item, and the parts that it is for, from the object inwards.
struct Placed<'i> {
    initializer: &'i Node<ast::Initializer>,
    path: Vec<Level>,
}

/// A walk over a list of items.
struct Walk<'i> {
    items: &'i [Node<ast::InitializerListItem>],
    at: usize,
    /// Where it is.
    path: Vec<Level>,
    placed: Vec<Placed<'i>>,
}

/// Initialisers that are overridden, by where they stand.
#[derive(Debug, Default)]
pub struct Overridden {
    known: HashSet<Key>,
}

impl Lowering<'_> {
    /// How many elements a list has; without braces around them the scalars of an element follow one another.
    pub fn list_length(&mut self, element: TypeId, items: &[Node<ast::InitializerListItem>]) -> Lowered<u64> {
        let endless = self.types.intern(Type::Array(element, u64::MAX));
        self.walk(endless, &mut Walk { items, at: 0, path: Vec::new(), placed: Vec::new() })
    }

    /// Finds the expressions in a list, and in those within it, that are for no part in the end. C leaves open whether they are evaluated
    /// (§6.7.9 p19, note 151); they are not, as compilers have it, and who writes side effects there is told so.
    pub fn note_overridden(&mut self, ty: TypeId, items: &[Node<ast::InitializerListItem>]) -> Lowered<()> {
        if !has_designators(items) {
            return Ok(());
        }
        let mut placed = Vec::new();
        self.place_items(ty, items, Vec::new(), &mut placed)?;
        let later = goes_back(&placed);
        for (index, one) in placed.iter().enumerate() {
            let ast::Initializer::Expression(e) = &one.initializer.node else { continue };
            let after = &later[later.partition_point(|&at| at <= index)..];
            let others: Vec<&[Level]> = after.iter().map(|&at| &*placed[at].path).collect();
            if !others.is_empty() && is_covered(&one.path, &others, 0) {
                let key = self.key(e.span);
                if self.overridden.known.insert(key) && !effects(e).none() {
                    self.warning("this is not evaluated: a later initialiser is for the same part", e.span);
                }
            }
        }
        Ok(())
    }

    /// Whether an initialiser is for nothing, since later ones override it; it is read, but not evaluated.
    pub fn is_overridden(&mut self, e: &Node<ast::Expression>) -> Lowered<bool> {
        let overridden = !self.overridden.known.is_empty() && self.overridden.known.contains(&self.key(e.span));
        if overridden {
            self.type_of(e)?;
        }
        Ok(overridden)
    }

    /// Places the items of a list, and of the lists in it.
    fn place_items<'i>(
        &mut self,
        ty: TypeId,
        items: &'i [Node<ast::InitializerListItem>],
        path: Vec<Level>,
        all: &mut Vec<Placed<'i>>,
    ) -> Lowered<()> {
        if self.parts(ty) == 0 {
            // Braces around the value of a scalar.
            for item in items {
                let initializer = &item.node.initializer;
                all.push(Placed { initializer, path: path.clone() });
                if let ast::Initializer::List(inner) = &initializer.node {
                    self.place_items(ty, inner, path.clone(), all)?;
                }
            }
            return Ok(());
        }
        let mut walk = Walk { items, at: 0, path, placed: Vec::new() };
        self.walk(ty, &mut walk)?;
        let base = walk.path.len();
        for placed in walk.placed {
            let inner = placed.path[base..].iter().fold(ty, |ty, level| self.type_of_part(ty, level.parts.to));
            let (initializer, path) = (placed.initializer, placed.path.clone());
            all.push(placed);
            if let ast::Initializer::List(items) = &initializer.node {
                self.place_items(inner, items, path, all)?;
            }
        }
        Ok(())
    }

    /// Walks over the items of a list for an object; how many parts it has up to the last that is mentioned.
    fn walk(&mut self, ty: TypeId, walk: &mut Walk<'_>) -> Lowered<u64> {
        let (mut index, mut most) = (0u64, 0u64);
        while let Some(item) = walk.items.get(walk.at) {
            if item.node.designation.is_empty() {
                if index >= self.parts(ty) {
                    break;
                }
                self.within_part(ty, Parts { from: index, to: index }, walk, Self::pass_part);
            } else {
                let levels = self.designated_by(ty, item)?;
                let Some((first, rest)) = levels.split_first() else { return Err(super::Refused) };
                self.pass_designation(ty, &levels, walk);
                self.within_part(ty, Parts { from: first.to, to: first.to }, walk, |this, part, walk| {
                    this.pass_after(part, rest, walk);
                });
                index = first.to;
            }
            index = index.saturating_add(1);
            most = most.max(index);
        }
        Ok(most)
    }

    /// Does some work in parts of an array or record.
    fn within_part<'i>(
        &mut self,
        ty: TypeId,
        parts: Parts,
        walk: &mut Walk<'i>,
        work: impl FnOnce(&mut Self, TypeId, &mut Walk<'i>),
    ) {
        let union = self.types.as_record(ty).is_some_and(|record| record.union);
        let part = self.type_of_part(ty, parts.to);
        walk.path.push(Level { parts, union });
        work(self, part, walk);
        walk.path.pop();
    }

    /// Passes an item with its designators.
    fn pass_designation(&mut self, ty: TypeId, levels: &[Parts], walk: &mut Walk<'_>) {
        match levels.split_first() {
            Some((&parts, rest)) => self.within_part(ty, parts, walk, |this, part, walk| {
                this.pass_designation(part, rest, walk);
            }),
            None => walk.pass(),
        }
    }

    /// Passes the items that a part of that type uses up.
    fn pass_part(&mut self, ty: TypeId, walk: &mut Walk<'_>) {
        let before = walk.at;
        if let Some(item) = walk.items.get(walk.at)
            && !self.is_whole(&item.node.initializer, ty)
        {
            self.pass_parts(ty, 0, walk);
        }
        // What has no parts uses one up, too.
        if walk.at == before {
            walk.pass();
        }
    }

    /// The same for its parts from one on, as far as items without designators go.
    fn pass_parts(&mut self, ty: TypeId, from: u64, walk: &mut Walk<'_>) {
        for index in from..self.parts(ty) {
            if walk.items.get(walk.at).is_none_or(|item| !item.node.designation.is_empty()) {
                return;
            }
            self.within_part(ty, Parts { from: index, to: index }, walk, Self::pass_part);
        }
    }

    /// Passes what goes on after a designated part, in what it is a part of.
    fn pass_after(&mut self, ty: TypeId, levels: &[Parts], walk: &mut Walk<'_>) {
        if let Some((parts, rest)) = levels.split_first() {
            self.within_part(ty, Parts { from: parts.to, to: parts.to }, walk, |this, part, walk| {
                this.pass_after(part, rest, walk);
            });
            self.pass_parts(ty, parts.to + 1, walk);
        }
    }
}

impl Walk<'_> {
    /// The next item is for where the walk is.
    fn pass(&mut self) {
        if let Some(item) = self.items.get(self.at) {
            self.placed.push(Placed { initializer: &item.node.initializer, path: self.path.clone() });
        }
        self.at += 1;
    }
}

/// Whether a list, or one in it, has designators: without them nothing is overridden.
fn has_designators(items: &[Node<ast::InitializerListItem>]) -> bool {
    items.iter().any(|item| {
        !item.node.designation.is_empty()
            || matches!(&item.node.initializer.node, ast::Initializer::List(inner) if has_designators(inner))
    })
}

/// The items that are not for something behind all that came before: only those override others.
fn goes_back(placed: &[Placed<'_>]) -> Vec<usize> {
    let mut furthest: &[Level] = &[];
    let mut found = Vec::new();
    for (index, one) in placed.iter().enumerate() {
        if is_behind(&one.path, furthest) {
            furthest = &one.path;
        } else {
            found.push(index);
        }
    }
    found
}

/// Whether a part comes after another in the order of a list without designators, a whole before its parts.
fn is_behind(here: &[Level], there: &[Level]) -> bool {
    let differs = here.iter().zip(there).find(|(a, b)| a.parts != b.parts);
    differs.map_or(here.len() > there.len(), |(a, b)| a.parts.from > b.parts.to && !a.union)
}

/// Whether later items are for all of the parts that an item is for; they agree with it up to a depth.
fn is_covered(path: &[Level], later: &[&[Level]], depth: usize) -> bool {
    if later.iter().any(|other| other.len() == depth) {
        return true;
    }
    let Some(here) = path.get(depth) else { return false };
    // Another member of the union has the value then.
    if here.union && later.iter().any(|other| other[depth].parts != here.parts) {
        return true;
    }
    let mut from = here.parts.from;
    loop {
        let covers = |other: &&&[Level]| other[depth].parts.from <= from && from <= other[depth].parts.to;
        let these: Vec<&[Level]> = later.iter().filter(covers).copied().collect();
        if these.is_empty() || !is_covered(path, &these, depth + 1) {
            return false;
        }
        // The same hold up to where one of them ends, or another begins.
        let ends = these.iter().map(|other| other[depth].parts.to);
        let begins = later.iter().map(|other| other[depth].parts.from).filter(|&at| at > from).map(|at| at - 1);
        let to = ends.chain(begins).min().unwrap_or(from);
        if to >= here.parts.to {
            return true;
        }
        from = to + 1;
    }
}
