//! P-automata in PDAAAL's notation, read into sets of configurations.

mod find;

mod whole;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::automaton::{Automaton, End, StateId};
use spds_format::model::{ControlId, Name, SymbolId};
use spds_format::{Diagnostic, Spds};

use self::find::find;
pub(super) use self::find::{is_name, labels};
use self::whole::{Pieces, whole};
use super::States;
use crate::json::{Broken, Json, JsonToken, Reads, Word};
use spds_format::reading::complaints::Complaints;
use spds_format::reading::near::did_you_mean;

/// Which of the two sets of an instance is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The configurations in which runs start.
    Initial,
    /// Those that are to be reached.
    Final,
}

/// A set of configurations and warnings about it; or all complaints.
pub type Outcome = Result<(Automaton, Vec<Diagnostic>), Vec<Diagnostic>>;

/// The P-automaton in a text, as a set of configurations of the system; `None` if there is none in the text, or if it is no
/// JSON. Edges that read nothing are worked out. Linear in the text and what these edges lead to.
///
/// # Errors
/// All complaints about it, in the order of the text: unknown states and labels, edges into states of the system, values of
/// the wrong kind.
pub fn read(spds: &Spds, states: States, text: &str, which: Which) -> Option<Outcome> {
    let offset = match find(text, which)? {
        Ok(offset) => offset,
        Err(complaint) => return Some(Err(vec![*complaint])),
    };
    let numbered = states == States::Numbered;
    let names = spds.controls.iter().zip((0..).map(ControlId));
    let numbers = names.clone().filter_map(|(name, id)| Some((name.parse().ok().filter(|_| numbered)?, id)));
    let mut reader = Reader {
        spds,
        states,
        json: Json::from(text, offset),
        complaints: Complaints::default(),
        numbers: numbers.collect(),
        controls: names.map(|(name, id)| (name.as_str(), id)).collect(),
        symbols: spds.symbols.iter().zip((0..).map(SymbolId)).map(|(symbol, id)| (symbol.name.as_str(), id)).collect(),
        others: FxHashMap::default(),
        seen: Vec::new(),
        accepting: HashSet::new(),
        edges: Vec::new(),
        silent: Vec::new(),
    };
    let outcome = reader.automaton();
    if let Err(broken) = outcome {
        reader.complaints.push(*broken);
        return Some(Err(reader.complaints.into_sorted()));
    }
    reader.judge();
    if reader.complaints.refused() {
        return Some(Err(reader.complaints.into_sorted()));
    }
    let warnings = std::mem::take(&mut reader.complaints).into_sorted();
    Some(Ok((reader.finish(), warnings)))
}

/// A state that is not one of the system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Other<'t> {
    Named(Cow<'t, str>),
    Numbered(u64),
}

/// Where a state that is not one of the system was first seen, and whether an edge leads to it, or it is already told that
/// something is wrong with it.
struct Seen {
    span: Range<usize>,
    settled: bool,
}

struct Reader<'t> {
    spds: &'t Spds,
    states: States,
    json: Json<'t>,
    complaints: Complaints,
    /// If states have numbers.
    numbers: FxHashMap<u64, ControlId>,
    controls: FxHashMap<&'t str, ControlId>,
    symbols: FxHashMap<&'t str, SymbolId>,
    others: FxHashMap<Other<'t>, StateId>,
    seen: Vec<Seen>,
    accepting: HashSet<End>,
    edges: Vec<(End, SymbolId, StateId)>,
    /// Edges that read nothing.
    silent: Vec<(End, StateId)>,
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
    fn automaton(&mut self) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("a P-automaton, `{\"accepting\": […], \"edges\": […]}`,");
        }
        let here = self.json.here();
        let mut states = false;
        let mut missing = vec!["accepting", "edges"];
        self.members(|reader, key, span| {
            missing.retain(|name| *name != key);
            match (&*key, reader.json.peek()?) {
                ("initial", JsonToken::OpenBracket) => reader.elements(|reader, _| reader.initial()).map(drop),
                ("accepting", JsonToken::OpenBracket) => {
                    let accepting = |reader: &mut Self, _| {
                        let end = reader.end()?;
                        reader.accepting.extend(end.map(|(end, _)| end));
                        Ok(())
                    };
                    reader.elements(accepting).map(drop)
                }
                ("edges", JsonToken::OpenBracket) => reader.elements(|reader, _| reader.edge()).map(drop),
                ("initial" | "accepting" | "edges", _) => reader.needed("an array"),
                ("states", JsonToken::OpenBrace) => {
                    states = true;
                    reader.members(|reader, name, span| {
                        let from = reader.named((name, span))?;
                        reader.state(from)
                    })
                }
                ("states", JsonToken::OpenBracket) => {
                    states = true;
                    let each = |reader: &mut Self, number| {
                        let span = reader.json.here();
                        let from = reader.numbered(number, span);
                        reader.state(from)
                    };
                    reader.elements(each).map(drop)
                }
                ("states", _) => {
                    states = true;
                    reader.needed("an object or an array of states")
                }
                _ => {
                    reader.complaints.error(format!("a P-automaton has no `{key}`"), span);
                    reader.json.skip().map(drop)
                }
            }
        })?;
        for name in missing.into_iter().filter(|_| !states) {
            self.complaints.error(format!("this P-automaton has no `\"{name}\"`"), here.clone());
        }
        Ok(())
    }

    /// A state in the list of those that are initial.
    fn initial(&mut self) -> Result<(), Broken> {
        if let Some((End::State(state), span)) = self.end()? {
            self.not_initial(state, span);
        }
        Ok(())
    }

    /// `["p", "A", 3]`
    fn edge(&mut self) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBracket {
            return self.needed("an edge, `[STATE, \"LABEL\", STATE]`,");
        }
        let here = self.json.here();
        let (mut from, mut label, mut to) = (None, None, None);
        let count = self.elements(|reader, number| {
            match number {
                0 => from = reader.end()?,
                1 => label = reader.word("a label in quotes")?,
                2 => to = reader.end()?,
                _ => {
                    reader.json.skip()?;
                }
            }
            Ok(())
        })?;
        if count != 3 {
            self.complaints.error("an edge has three parts: a state, a label and a state", here);
            return Ok(());
        }
        self.add(from, label, to);
        Ok(())
    }

    /// `{"initial": …, "accepting": …, "edges": […]}`, as older versions have it.
    fn state(&mut self, from: Option<(End, Range<usize>)>) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("an object with the edges of a state");
        }
        self.members(|reader, key, span| match (&*key, reader.json.peek()?) {
            ("initial", _) => {
                if let (Some(true), Some((End::State(state), place))) = (reader.truth()?, &from) {
                    reader.not_initial(*state, place.clone());
                }
                Ok(())
            }
            ("accepting", _) => {
                let accepting = reader.truth()? == Some(true);
                reader.accepting.extend(from.as_ref().filter(|_| accepting).map(|(end, _)| *end));
                Ok(())
            }
            ("edges", JsonToken::OpenBracket) => {
                let each = |reader: &mut Self, _| {
                    if reader.json.peek()? != JsonToken::OpenBrace {
                        return reader.needed("an edge, `{\"label\": …, \"to\": …}`,");
                    }
                    let here = reader.json.here();
                    let (mut label, mut to) = (None, None);
                    let mut missing = vec!["label", "to"];
                    reader.members(|reader, key, span| {
                        missing.retain(|name| *name != key);
                        match &*key {
                            "label" => label = reader.word("a label in quotes")?,
                            "to" if reader.json.peek()? == JsonToken::Text => {
                                let word = reader.json.string()?;
                                to = reader.named(word)?;
                            }
                            "to" => to = reader.end()?,
                            _ => {
                                reader.complaints.error(format!("an edge has no `{key}`"), span);
                                reader.json.skip()?;
                            }
                        }
                        Ok(())
                    })?;
                    for name in missing {
                        reader.complaints.error(format!("this edge has no `\"{name}\"`"), here.clone());
                    }
                    reader.add(from.clone(), label, to);
                    Ok(())
                };
                reader.elements(each).map(drop)
            }
            ("edges", _) => reader.needed("an array"),
            _ => {
                reader.complaints.error(format!("a state has no `{key}`"), span);
                reader.json.skip().map(drop)
            }
        })
    }

    /// A state, as edges and lists name it; `None` after a complaint.
    fn end(&mut self) -> Result<Option<(End, Range<usize>)>, Broken> {
        match (self.json.peek()?, self.states) {
            (JsonToken::Text, States::Numbered) => {
                self.needed("a number, because the states of the system have numbers,")?;
                Ok(None)
            }
            (JsonToken::Text, States::Named) => {
                let word = self.json.string()?;
                self.named(word)
            }
            (JsonToken::Number, _) => {
                let span = self.json.skip()?;
                match self.json.text_of(&span).parse() {
                    Ok(number) => Ok(self.numbered(number, span)),
                    Err(_) => {
                        self.complaints.error("a state is a whole number from 0 on", span);
                        Ok(None)
                    }
                }
            }
            _ => {
                self.needed("a state")?;
                Ok(None)
            }
        }
    }

    /// The state with a name; where states have numbers, names are these in quotes.
    fn named(&mut self, (name, span): Word<'t>) -> Result<Option<(End, Range<usize>)>, Broken> {
        if self.states == States::Numbered {
            return Ok(match name.parse() {
                Ok(number) => self.numbered(number, span),
                Err(_) => {
                    let message = "a number is needed here, because the states of the system have numbers";
                    self.complaints.error(message, span);
                    None
                }
            });
        }
        let end = match self.controls.get(&*name) {
            Some(control) => End::Control(*control),
            None => self.other(Other::Named(name), &span),
        };
        Ok(Some((end, span)))
    }

    fn numbered(&mut self, number: u64, span: Range<usize>) -> Option<(End, Range<usize>)> {
        let end = match self.numbers.get(&number) {
            Some(control) => End::Control(*control),
            None => self.other(Other::Numbered(number), &span),
        };
        Some((end, span))
    }

    fn other(&mut self, other: Other<'t>, span: &Range<usize>) -> End {
        let next = StateId(self.seen.len() as u32);
        let state = *self.others.entry(other).or_insert(next);
        if state == next {
            self.seen.push(Seen { span: span.clone(), settled: false });
        }
        End::State(state)
    }

    /// A state that is said to be initial is one of the system.
    fn not_initial(&mut self, state: StateId, span: Range<usize>) {
        self.seen[state.0 as usize].settled = true;
        self.no_state(span);
    }

    fn no_state(&mut self, span: Range<usize>) {
        let text = self.json.text_of(&span).trim_matches('"');
        let mut complaint = Diagnostic::error(format!("there is no state `{text}` in the system"), span);
        if !self.complaints.errors_are_full() {
            complaint.help = did_you_mean(text, self.spds.controls.iter().map(|control| control.as_str()));
        }
        self.complaints.push(complaint);
    }

    fn add(&mut self, from: Option<(End, Range<usize>)>, label: Option<Word<'t>>, to: Option<(End, Range<usize>)>) {
        let symbol = label.map(|(label, span)| match self.symbols.get(&*label) {
            _ if label.is_empty() => Some(None),
            Some(symbol) => Some(Some(*symbol)),
            None => {
                let message = format!("there is no label `{}` in the system", label.escape_debug());
                let mut complaint = Diagnostic::error(message, span);
                if !self.complaints.errors_are_full() {
                    complaint.help = did_you_mean(&label, self.spds.symbols.iter().map(|symbol| symbol.name.as_str()));
                }
                self.complaints.push(complaint);
                None
            }
        });
        let to = match to {
            Some((End::State(state), _)) => {
                self.seen[state.0 as usize].settled = true;
                state
            }
            Some((End::Control(control), span)) => {
                let name = &self.spds.controls[control.0 as usize];
                let complaint = Diagnostic::error(format!("an edge leads into the state `{name}` of the system"), span);
                let help = "saturation needs initial states that no edge enters; lead the edge to a state of its own";
                return self.complaints.push(complaint.with_help(help));
            }
            None => return,
        };
        match (from, symbol.flatten()) {
            (Some((from, _)), Some(Some(symbol))) => self.edges.push((from, symbol, to)),
            (Some((from, _)), Some(None)) => self.silent.push((from, to)),
            _ => {}
        }
    }

    /// States to which nothing leads: mistakes if they have names, for then another one was meant.
    fn judge(&mut self) {
        let mut others: Vec<(Other<'t>, StateId)> =
            self.others.iter().map(|(other, state)| (other.clone(), *state)).collect();
        others.sort_unstable_by_key(|(_, state)| *state);
        for (other, state) in others {
            let seen = &self.seen[state.0 as usize];
            if seen.settled {
                continue;
            }
            let span = seen.span.clone();
            match other {
                Other::Named(_) => self.no_state(span),
                Other::Numbered(number) => {
                    let message =
                        format!("no edge leads to the state {number}, and the system has none with this number");
                    self.complaints.push(Diagnostic::warning(message, span));
                }
            }
        }
    }

    /// The set.
    fn finish(self) -> Automaton {
        let mut names: Vec<Name> = vec![Name::from(""); self.seen.len()];
        let mut known: HashSet<String> = HashSet::new();
        let mut others: Vec<(&Other<'t>, StateId)> = self.others.iter().map(|(other, state)| (other, *state)).collect();
        // Names keep their texts, numbers give way.
        others.sort_unstable_by_key(|(other, state)| (matches!(other, Other::Numbered(_)), *state));
        for (other, state) in others {
            let name = match other {
                Other::Named(name) => name.to_string(),
                Other::Numbered(number) => number.to_string(),
            };
            names[state.0 as usize] = fresh(&mut known, name);
        }
        let bottom = fresh(&mut known, "empty".into());
        whole(names, bottom, Pieces { accepting: self.accepting, edges: self.edges, silent: self.silent })
    }
}

/// A name that is not yet known, like this one.
fn fresh(known: &mut HashSet<String>, mut name: String) -> Name {
    while !known.insert(name.clone()) {
        name.push('+');
    }
    name.as_str().into()
}
