//! Reading: one pass over the text, rules straight into the model.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::Spds;
use spds_format::build::{Builder, rule};
use spds_format::model::{ControlId, Stack, SymbolId};

use super::{Options, States, System, automaton};
use crate::json::{Broken, Json, JsonToken, Reads, Word};
use spds_format::reading::complaints::Complaints;

/// Reads a text. Time and memory are linear in it, with the rules of `*` written out.
///
/// # Errors
/// All complaints about the text, warnings included, in the order of the text: until it is no JSON any more.
pub fn read(text: &str, options: &Options) -> Result<System, Vec<Diagnostic>> {
    let mut reader = Reader {
        json: Json::new(text),
        complaints: Complaints::default(),
        builder: Builder::new(),
        controls: FxHashMap::default(),
        symbols: FxHashMap::default(),
        numbered: Vec::new(),
        states: None,
        for_all: Vec::new(),
        weights: None,
        start: None,
    };
    let outcome = match reader.file() {
        Ok(()) => reader.finish(options),
        Err(broken) => {
            reader.complaints.push(*broken);
            None
        }
    };
    let refused = reader.complaints.refused();
    let states = if reader.states == Some(Listing::Named) { States::Named } else { States::Numbered };
    let complaints = reader.complaints.into_sorted();
    match outcome {
        Some(spds) if !refused => Ok(System { spds, states, warnings: complaints }),
        _ => Err(complaints),
    }
}

/// How states are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    Named,
    /// So many are listed.
    Numbered(u64),
}

/// A control location: known, or a number that may be beyond the list.
#[derive(Clone, Debug)]
pub(super) enum Target<'t> {
    Name(Cow<'t, str>),
    Number(u64),
}

/// What a rule does to the stack; symbols are not yet known where the label before is `*`.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Pop,
    Swap(SymbolId),
    Push(SymbolId),
    /// `"swap": "*"` under `*`
    Same,
}

impl Operation {
    fn on(self, top: SymbolId) -> Stack {
        match self {
            Operation::Pop => Stack::Pop,
            Operation::Swap(to) => Stack::Swap(to),
            Operation::Push(on_top) => Stack::Push(on_top, top),
            Operation::Same => Stack::Swap(top),
        }
    }
}

pub(super) struct Reader<'t> {
    pub json: Json<'t>,
    pub complaints: Complaints,
    pub builder: Builder,
    pub controls: FxHashMap<Cow<'t, str>, ControlId>,
    pub symbols: FxHashMap<Cow<'t, str>, SymbolId>,
    /// The state that each rule leads to, as long as states have numbers.
    numbered: Vec<u64>,
    pub states: Option<Listing>,
    /// Rules of `*`.
    for_all: Vec<(ControlId, Target<'t>, Operation)>,
    /// The first weight.
    weights: Option<Range<usize>>,
    /// A control location and symbols, with their places.
    pub start: Option<StartRead<'t>>,
}

/// A start as it is written.
pub(super) struct StartRead<'t> {
    pub(super) span: Range<usize>,
    pub(super) state: Option<(Target<'t>, Range<usize>)>,
    pub(super) stack: Vec<Word<'t>>,
}

impl<'t> Reads<'t> for Reader<'t> {
    fn json(&mut self) -> &mut Json<'t> {
        &mut self.json
    }

    fn complain(&mut self, message: String, span: Range<usize>) {
        self.complaints.error(message, span);
    }
}

impl<'t> Reader<'t> {
    fn file(&mut self) -> Result<(), Broken> {
        self.members(|reader, key, span| match &*key {
            "pda" => reader.pda(span),
            "instance" => reader
                .elements(|reader, number| match number {
                    1 => reader.pda(span.clone()),
                    2 | 3 => reader.labels(),
                    _ => reader.json.skip().map(drop),
                })
                .map(drop),
            name if automaton::is_name(name) => reader.labels(),
            "start" => reader.start(span),
            _ => reader.json.skip().map(drop),
        })?;
        if self.json.peek()? != JsonToken::Eof { Err(self.json.expected("the end of the file")) } else { Ok(()) }
    }

    fn pda(&mut self, key: Range<usize>) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("an object with `\"states\"`");
        }
        let mut found = false;
        self.members(|reader, name, span| {
            if name != "states" {
                return reader.json.skip().map(drop);
            }
            found = true;
            if reader.states.is_some() {
                reader.complaints.error("there is more than one list of states", span);
                return reader.json.skip().map(drop);
            }
            reader.states()
        })?;
        if !found {
            self.complaints.error("this pushdown system has no `\"states\"`", key);
        }
        Ok(())
    }

    fn states(&mut self) -> Result<(), Broken> {
        match self.json.peek()? {
            JsonToken::OpenBrace => {
                self.states = Some(Listing::Named);
                self.members(|reader, name, _| {
                    let from = reader.named(name);
                    reader.state(from)
                })
            }
            JsonToken::OpenBracket => {
                self.states = Some(Listing::Numbered(0));
                let count = self.elements(|reader, number| {
                    let from = reader.builder.control(number.to_string());
                    reader.state(from)
                })?;
                self.states = Some(Listing::Numbered(count));
                Ok(())
            }
            _ => self.needed("an object or an array of states"),
        }
    }

    /// The control location with that name, perhaps a new one.
    fn named(&mut self, name: Cow<'t, str>) -> ControlId {
        if let Some(known) = self.controls.get(&name) {
            return *known;
        }
        let id = self.builder.control(&*name);
        self.controls.insert(name, id);
        id
    }

    /// The stack symbol with that name, perhaps a new one.
    pub(super) fn symbol(&mut self, name: Cow<'t, str>) -> SymbolId {
        if let Some(known) = self.symbols.get(&name) {
            return *known;
        }
        let id = self.builder.symbol(&*name, None);
        self.symbols.insert(name, id);
        id
    }

    /// Goes over a P-automaton. A label in it belongs to the system, also if no rule knows it. What is wrong with the rest
    /// is told when it is asked for.
    fn labels(&mut self) -> Result<(), Broken> {
        let start = self.json.offset();
        self.json.skip()?;
        let text = self.json.text_of(&(start..self.json.offset()));
        for label in automaton::labels(text) {
            self.symbol(label);
        }
        Ok(())
    }

    fn state(&mut self, from: ControlId) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("an object with the rules of a state");
        }
        self.members(|reader, label, _| {
            let top = if label == "*" { None } else { Some(reader.symbol(label)) };
            match reader.json.peek()? {
                JsonToken::OpenBrace => reader.rule(from, top),
                JsonToken::OpenBracket => reader
                    .elements(|reader, _| match reader.json.peek()? {
                        JsonToken::OpenBrace => reader.rule(from, top),
                        _ => reader.needed("a rule, `{\"to\": …}`,"),
                    })
                    .map(drop),
                _ => reader.needed("a rule, `{\"to\": …}`, or an array of rules"),
            }
        })
    }

    fn rule(&mut self, from: ControlId, top: Option<SymbolId>) -> Result<(), Broken> {
        let brace = self.json.here();
        let mut to: Option<Target<'t>> = None;
        let mut operation: Option<(Operation, Range<usize>)> = None;
        let mut fine = true;
        self.members(|reader, key, span| {
            let text = reader.json.peek()? == JsonToken::Text;
            match &*key {
                "to" => {
                    if to.is_some() {
                        reader.complaints.error("this rule leads to two states", span);
                        fine = false;
                    }
                    to = reader.target()?;
                    fine &= to.is_some();
                }
                "pop" | "swap" | "push" => {
                    if let Some((_, first)) = &operation {
                        let complaint = Diagnostic::error("a rule does one thing to the stack", span.clone());
                        reader.complaints.push(complaint.with_related(first.clone(), "this is one"));
                        fine = false;
                    }
                    if !text {
                        fine = false;
                        return reader.needed(if key == "pop" { "`\"\"`" } else { "a label in quotes" });
                    }
                    operation = Some((reader.operation(&key, top)?, span));
                }
                "weight" => {
                    reader.weights.get_or_insert(span);
                    reader.json.skip()?;
                }
                _ => {
                    let complaint = Diagnostic::error(format!("a rule has no `{key}`"), span);
                    let help = "it has `to`, one of `pop`, `swap` and `push`, and perhaps `weight`";
                    reader.complaints.push(complaint.with_help(help));
                    fine = false;
                    reader.json.skip()?;
                }
            }
            Ok(())
        })?;
        match (to, operation) {
            (Some(to), Some((operation, _))) => self.add(from, top, to, operation),
            (None, _) if fine => {
                self.complaints.error("this rule does not say where it leads: `\"to\"` is missing", brace)
            }
            (_, None) if fine => {
                let message = "this rule does not say what it does: `\"pop\"`, `\"swap\"` or `\"push\"` is missing";
                self.complaints.error(message, brace);
            }
            _ => {}
        }
        Ok(())
    }

    /// What a rule does to the stack, by its key and the label behind it.
    fn operation(&mut self, key: &str, top: Option<SymbolId>) -> Result<Operation, Broken> {
        let (label, place) = self.json.string()?;
        Ok(match key {
            "pop" if label.is_empty() => Operation::Pop,
            "pop" => {
                self.complaints.error("`pop` takes no label: `\"\"` is needed here", place);
                Operation::Pop
            }
            "swap" if label == "*" && top.is_none() => Operation::Same,
            "swap" => Operation::Swap(self.symbol(label)),
            _ => Operation::Push(self.symbol(label)),
        })
    }

    /// A state that a rule leads to; `None` after a complaint.
    pub(super) fn target(&mut self) -> Result<Option<Target<'t>>, Broken> {
        match (self.json.peek()?, self.states) {
            (JsonToken::Text, Some(Listing::Numbered(_))) => {
                self.needed("a number, because the states are an array,")?;
                Ok(None)
            }
            (JsonToken::Number, Some(Listing::Named)) => {
                self.needed("the name of a state, because the states are an object,")?;
                Ok(None)
            }
            (JsonToken::Text, _) => Ok(Some(Target::Name(self.json.string()?.0))),
            (JsonToken::Number, _) => {
                let span = self.json.skip()?;
                let number = self.json.text_of(&span).parse().ok();
                if number.is_none() {
                    self.complaints.error("a state is a whole number from 0 on", span);
                }
                Ok(number.map(Target::Number))
            }
            _ => {
                self.needed("a state")?;
                Ok(None)
            }
        }
    }

    fn add(&mut self, from: ControlId, top: Option<SymbolId>, to: Target<'t>, operation: Operation) {
        let Some(top) = top else { return self.for_all.push((from, to, operation)) };
        let to = match to {
            Target::Name(name) => self.named(name),
            Target::Number(number) => {
                self.numbered.push(number);
                ControlId(0)
            }
        };
        self.builder.rule(rule(from, top, to, operation.on(top)));
    }

    /// Everything that needs the whole text. `None` after a complaint.
    fn finish(&mut self, options: &Options) -> Option<Spds> {
        let Some(states) = self.states else {
            if !self.complaints.refused() {
                let complaint = Diagnostic::global("there is no pushdown system in this text");
                self.complaints.push(complaint.with_help("PDAAAL's texts look like `{\"pda\": {\"states\": {…}}}`"));
            }
            return None;
        };
        if let Some(span) = self.weights.take() {
            self.complaints.push(Diagnostic::warning("weights are not considered", span));
        }
        let mut beyond: FxHashMap<u64, ControlId> = FxHashMap::default();
        for (index, number) in std::mem::take(&mut self.numbered).into_iter().enumerate() {
            self.builder.spds.rules[index].to = self.at_number(number, states, &mut beyond);
        }
        for (from, to, operation) in std::mem::take(&mut self.for_all) {
            let to = match to {
                Target::Name(name) => self.named(name),
                Target::Number(number) => self.at_number(number, states, &mut beyond),
            };
            for symbol in (0..self.builder.spds.symbols.len() as u32).map(SymbolId) {
                self.builder.rule(rule(from, symbol, to, operation.on(symbol)));
            }
        }
        let (control, stack) = self.starting(options, states, &mut beyond)?;
        self.builder.start(control, stack, None);
        Some(std::mem::take(&mut self.builder).spds)
    }

    /// The state with that number: a number beyond the list is that of a state without rules.
    pub(super) fn at_number(
        &mut self,
        number: u64,
        states: Listing,
        beyond: &mut FxHashMap<u64, ControlId>,
    ) -> ControlId {
        match states {
            Listing::Numbered(count) if number >= count => {
                *beyond.entry(number).or_insert_with(|| self.builder.control(number.to_string()))
            }
            _ => ControlId(number as u32),
        }
    }
}
