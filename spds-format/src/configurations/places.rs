//! Which stack symbols a place names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::syntax::{Event, SymbolName};
use crate::diagnostic::Diagnostic;
use crate::lexis::{Span, Word, shown, write_name};
use crate::model::{FrameId, Name, Spds, Stack, SymbolId};
use crate::reading::near::{LISTED, guess, near};

/// The names of a system.
pub(super) struct Places<'a> {
    spds: &'a Spds,
    total: usize,
    symbols: HashMap<&'a str, SymbolId>,
    labels: HashMap<&'a str, Vec<SymbolId>>,
    frames: HashMap<&'a str, FrameId>,
    lines: BTreeMap<u32, Vec<SymbolId>>,
    /// The symbols of each frame.
    within: Vec<Vec<SymbolId>>,
}

impl<'a> Places<'a> {
    /// For a text of so many bytes. Linear in the symbols.
    pub(super) fn new(spds: &'a Spds, total: usize) -> Places<'a> {
        let mut places = Places {
            spds,
            total,
            symbols: HashMap::new(),
            labels: HashMap::new(),
            frames: HashMap::new(),
            lines: BTreeMap::new(),
            within: vec![Vec::new(); spds.frames.len()],
        };
        for (index, frame) in (0..).zip(&spds.frames) {
            places.frames.insert(&frame.name, FrameId(index));
        }
        for (index, symbol) in (0..).zip(&spds.symbols) {
            let id = SymbolId(index);
            places.symbols.insert(&symbol.name, id);
            for label in &symbol.labels {
                places.labels.entry(label).or_default().push(id);
            }
            if let Some(place) = symbol.place {
                places.lines.entry(place.line).or_default().push(id);
            }
            if let Some(frame) = symbol.frame {
                places.within[frame.0 as usize].push(id);
            }
        }
        places
    }

    /// The symbols in ascending order, at least one.
    pub(super) fn find(&self, place: &SymbolName<'_>, span: Span) -> Result<Vec<SymbolId>, Box<Diagnostic>> {
        match place {
            SymbolName::Any => Ok((0..self.spds.symbols.len() as u32).map(SymbolId).collect()),
            SymbolName::Name(word) => self.bare(word),
            SymbolName::Label(procedure, label) => self.label(procedure, label),
            SymbolName::AnyLabel(label) => match self.labels.get(&*label.text) {
                Some(symbols) => Ok(symbols.clone()),
                None => Err(Box::new(self.no_label(label))),
            },
            SymbolName::Line(line) => self.line(*line, span),
            SymbolName::Event(event, procedure) => self.event(*event, procedure, span),
        }
    }

    fn error(&self, message: String, span: Span) -> Diagnostic {
        Diagnostic::error(message, span.range(self.total))
    }

    /// A label of one procedure, a symbol, or a procedure, in this order.
    fn bare(&self, word: &Word<'_>) -> Result<Vec<SymbolId>, Box<Diagnostic>> {
        let name = &*word.text;
        if let Some(symbols) = self.labels.get(name) {
            let owners: BTreeSet<Option<FrameId>> = symbols.iter().map(|id| self.spds.symbol(*id).frame).collect();
            if owners.len() == 1 {
                return Ok(symbols.clone());
            }
            let error = self.error(format!("label {} occurs in several procedures", shown(name)), word.span);
            let mut candidates = self.qualified(symbols, name);
            candidates.truncate(LISTED);
            candidates.push(format!("*:{}", written(name)));
            return Err(Box::new(guess(error, &candidates)));
        }
        if let Some(symbol) = self.symbols.get(name) {
            return Ok(vec![*symbol]);
        }
        let special = match name {
            "@end" => self.spds.end,
            "@fail" => self.spds.fail,
            _ => None,
        };
        if let Some(symbol) = special {
            return Ok(vec![symbol]);
        }
        if let Some(frame) = self.frames.get(name) {
            return Ok(self.within[frame.0 as usize].clone());
        }
        let error = self.error(format!("there is no label, stack symbol or procedure {}", shown(name)), word.span);
        let mut names: Vec<&str> = self.labels.keys().copied().collect();
        names.extend(self.spds.frames.iter().map(|frame| &*frame.name));
        names.extend(self.spds.symbols.iter().map(|symbol| &*symbol.name));
        if self.spds.controls.iter().any(|control| **control == *name) {
            return Err(Box::new(
                error.with_help(format!("a control location stands before a comma: `<{}, …>`", written(name))),
            ));
        }
        Err(Box::new(guess(error, &all_written(near(name, names)))))
    }

    fn label(&self, procedure: &Word<'_>, label: &Word<'_>) -> Result<Vec<SymbolId>, Box<Diagnostic>> {
        let frame = self.procedure(procedure)?;
        let symbols = self.labels.get(&*label.text).map_or(&[][..], Vec::as_slice);
        let own: Vec<SymbolId> =
            symbols.iter().copied().filter(|id| self.spds.symbol(*id).frame == Some(frame)).collect();
        if !own.is_empty() {
            return Ok(own);
        }
        let message = format!("there is no label {} in {}", shown(&label.text), shown(&procedure.text));
        let mut candidates = self.qualified(symbols, &label.text);
        candidates.truncate(LISTED);
        if candidates.is_empty() {
            let labels = self.within[frame.0 as usize].iter().flat_map(|id| self.spds.symbol(*id).labels.iter());
            let near = near(&label.text, labels.map(Name::as_str)).into_iter();
            candidates.extend(near.map(|near| format!("{}:{}", written(&procedure.text), written(near))));
        }
        Err(Box::new(guess(self.error(message, label.span), &candidates)))
    }

    fn no_label(&self, label: &Word<'_>) -> Diagnostic {
        let error = self.error(format!("there is no label {}", shown(&label.text)), label.span);
        let near = near(&label.text, self.labels.keys().copied()).into_iter();
        guess(error, &near.map(|near| format!("*:{}", written(near))).collect::<Vec<_>>())
    }

    fn line(&self, line: u64, span: Span) -> Result<Vec<SymbolId>, Box<Diagnostic>> {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if let Some(symbols) = self.lines.get(&line) {
            return Ok(symbols.clone());
        }
        let error = self.error(format!("no statement begins on line {line}"), span);
        let below = self.lines.range(..line).next_back();
        let above = self.lines.range(line..).next();
        let mut nearest: Vec<u32> = below.into_iter().chain(above).map(|(line, _)| *line).collect();
        nearest.sort_by_key(|near| near.abs_diff(line));
        let nearest: Vec<String> = nearest.iter().map(|line| format!("`:{line}`")).collect();
        if nearest.is_empty() {
            return Err(Box::new(error.with_help("the symbols of this system have no places in a source")));
        }
        Err(Box::new(error.with_help(format!("the nearest on which one does: {}", nearest.join(", ")))))
    }

    fn procedure(&self, word: &Word<'_>) -> Result<FrameId, Box<Diagnostic>> {
        self.frames.get(&*word.text).copied().ok_or_else(|| {
            let error = self.error(format!("there is no procedure {}", shown(&word.text)), word.span);
            let near = near(&word.text, self.spds.frames.iter().map(|frame| &*frame.name));
            Box::new(guess(error, &all_written(near)))
        })
    }

    fn event(&self, event: Event, procedure: &Word<'_>, span: Span) -> Result<Vec<SymbolId>, Box<Diagnostic>> {
        let spds = self.spds;
        let frame = self.procedure(procedure)?;
        let of_frame = |id: SymbolId| spds.symbol(id).frame == Some(frame);
        let calls = spds.rules.iter().filter_map(|rule| match rule.stack {
            Stack::Push(entry, site) if of_frame(entry) => Some((rule.from.symbol, entry, site)),
            _ => None,
        });
        let symbols: BTreeSet<SymbolId> = match event {
            Event::At => return Ok(self.within[frame.0 as usize].clone()),
            Event::Entry => {
                let start = spds.start.stack.first().copied().filter(|id| of_frame(*id));
                calls.map(|(_, entry, _)| entry).chain(start).collect()
            }
            Event::Call => calls.map(|(call, _, _)| call).collect(),
            Event::Calling => calls.map(|(_, _, site)| site).collect(),
            Event::Return => {
                let returns = spds.rules.iter().filter(|rule| rule.stack == Stack::Pop && of_frame(rule.from.symbol));
                returns.map(|rule| rule.from.symbol).collect()
            }
        };
        if symbols.is_empty() {
            let why = match event {
                Event::Return => "never returns",
                _ => "is never called",
            };
            return Err(Box::new(self.error(format!("{} {why}", shown(&procedure.text)), span)));
        }
        Ok(symbols.into_iter().collect())
    }

    /// `proc:label` for the symbols, each procedure once.
    fn qualified(&self, symbols: &[SymbolId], label: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for frame in symbols.iter().filter_map(|id| self.spds.symbol(*id).frame) {
            let name = format!("{}:{}", written(&self.spds.frame(frame).name), written(label));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// A name as this notation reads it.
pub(super) fn written(name: &str) -> String {
    let mut text = String::new();
    write_name(&mut text, name).expect("a string takes everything");
    text
}

/// Names as this notation reads them.
pub(super) fn all_written(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(written).collect()
}
