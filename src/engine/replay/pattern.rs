//! What an item of a recorded trace says about a state.

use std::collections::BTreeMap;

use spds_format::Spds;
use spds_format::model::{Head, Scalar, SymbolId, Type, Variable};

use super::eval::{Cells, Layout, largest};
use super::observed::{Seen, SeenValue};

/// The values that were seen; what was not is open.
pub(super) struct Pattern {
    pub(super) globals: Cells,
    pub(super) locals: Cells,
}

/// The names by which traces speak of a system.
pub(super) struct Patterns<'a> {
    spds: &'a Spds,
    globals: Scope<'a>,
    frames: Vec<Scope<'a>>,
    none: Scope<'a>,
}

struct Scope<'a> {
    layout: Layout,
    numbers: BTreeMap<&'a str, u32>,
}

impl<'a> Scope<'a> {
    fn new(variables: &'a [Variable]) -> Scope<'a> {
        let numbers = (0..).zip(variables).map(|(number, variable)| (&*variable.name, number)).collect();
        Scope { layout: Layout::new(variables), numbers }
    }
}

impl<'a> Patterns<'a> {
    pub(super) fn new(spds: &'a Spds) -> Patterns<'a> {
        Patterns {
            spds,
            globals: Scope::new(&spds.globals),
            frames: spds.frames.iter().map(|frame| Scope::new(&frame.variables)).collect(),
            none: Scope::new(&[]),
        }
    }

    /// The procedure that a symbol belongs to.
    pub(super) fn procedure(&self, symbol: SymbolId) -> Option<&'a str> {
        self.spds.symbol(symbol).frame.map(|frame| &*self.spds.frame(frame).name)
    }

    /// What the item says of the values at this head; `None` if it speaks of another place, or of variables or values
    /// that do not exist there.
    pub(super) fn of(&self, seen: &Seen, head: Head) -> Option<Pattern> {
        if !self.is_at(seen, head) {
            return None;
        }
        let scope = self.spds.symbol(head.symbol).frame.map_or(&self.none, |frame| &self.frames[frame.0 as usize]);
        let mut pattern =
            Pattern { globals: vec![None; self.globals.layout.len()], locals: vec![None; scope.layout.len()] };
        for (name, value) in &seen.values {
            let local = scope.numbers.get(&**name).map(|number| (scope, &mut pattern.locals, *number));
            let (scope, cells, number) = match local {
                Some(local) => local,
                None => {
                    let global = self.globals.numbers.get(&**name);
                    let number = *global.or_else(|| self.globals.numbers.get(name.strip_prefix("::")?))?;
                    (&self.globals, &mut pattern.globals, number)
                }
            };
            put(value, scope.layout.ty(number), &mut cells[scope.layout.cells(number)])?;
        }
        Some(pattern)
    }

    fn is_at(&self, seen: &Seen, head: Head) -> bool {
        let (procedure, symbol) = (self.procedure(head.symbol), self.spds.symbol(head.symbol));
        let control = &self.spds.controls[head.control.0 as usize];
        let file = symbol.place.and_then(|place| self.spds.files.get(place.file as usize));
        let labels = |seen: &Vec<String>| {
            seen.len() == symbol.labels.len() && symbol.labels.iter().all(|label| seen.iter().any(|s| **s == **label))
        };
        let same = |seen: &Option<String>, real: Option<&str>| seen.as_deref().is_none_or(|seen| real == Some(seen));
        same(&seen.file, file.map(|file| &**file))
            && same(&seen.procedure, procedure)
            && same(&seen.control, Some(control))
            && same(&seen.symbol, Some(&symbol.name))
            && seen.line.is_none_or(|line| symbol.place.is_some_and(|place| place.line == line))
            && seen.labels.as_ref().is_none_or(labels)
    }
}

/// Writes a value into the cells of a variable of that type, if it fits and does not contradict what is there.
fn put(value: &SeenValue, ty: Type, cells: &mut [Option<u64>]) -> Option<()> {
    match (value, ty.range) {
        (SeenValue::Array(values), Some(_)) if values.len() == cells.len() => {
            let element = Type { range: None, ..ty };
            values.iter().zip(cells).try_for_each(|(value, cell)| put(value, element, std::slice::from_mut(cell)))
        }
        (SeenValue::Bool(value), None) if ty.scalar == Scalar::Bool => set(&mut cells[0], u64::from(*value)),
        (SeenValue::Number(value), None) if ty.scalar != Scalar::Bool && *value <= largest(ty.scalar) => {
            set(&mut cells[0], *value)
        }
        _ => None,
    }
}

fn set(cell: &mut Option<u64>, value: u64) -> Option<()> {
    (*cell.get_or_insert(value) == value).then_some(())
}
