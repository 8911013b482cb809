//! Reading an automaton from JSON: one pass for the pieces, then names, then what only the whole can tell.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use spds_format::automaton::{Automaton, AutomatonPart, Edge, End, Role, State, StateId};
use spds_format::conditions::Conditions;
use spds_format::model::{ControlId, FrameId, SymbolId};
use spds_format::{Diagnostic, Spds};

use crate::json::{Broken, Json, JsonToken, Reads, Word};
use spds_format::reading::complaints::Complaints;
use spds_format::reading::near::did_you_mean;

/// The automaton of a system that a JSON text describes: an object with `"states"` and `"edges"`, or an object that has such
/// a one as its member `"automaton"`, as reports do. Linear in the text but for conditions that name unknown things.
///
/// # Errors
/// All complaints about the text, in its order, until it is no JSON any more: unknown names, values of the wrong kind, and
/// what keeps the automaton from being a set for this role.
pub fn read(spds: &Spds, text: &str, role: Role) -> Result<Automaton, Vec<Diagnostic>> {
    let mut reader = Reader {
        spds,
        conditions: Conditions::new(spds),
        json: Json::new(text),
        complaints: Complaints::default(),
        states: None,
        edges: None,
    };
    if let Err(broken) = reader.file() {
        reader.complaints.push(*broken);
        return Err(reader.complaints.into_sorted());
    }
    let automaton = reader.finish(role);
    if reader.complaints.refused() { Err(reader.complaints.into_sorted()) } else { Ok(automaton) }
}

struct StateRead<'t> {
    span: Range<usize>,
    name: Option<Word<'t>>,
    frame: Option<Word<'t>>,
    carries: Vec<Word<'t>>,
    accepting: bool,
}

struct EdgeRead<'t> {
    span: Range<usize>,
    from: Option<EndRead<'t>>,
    /// `Some(None)` is `null`.
    symbol: Option<Option<Word<'t>>>,
    to: Option<EndRead<'t>>,
    condition: Option<Word<'t>>,
}

enum EndRead<'t> {
    Control(Word<'t>),
    State(Word<'t>),
}

struct Reader<'t> {
    spds: &'t Spds,
    conditions: Conditions<'t>,
    json: Json<'t>,
    complaints: Complaints,
    states: Option<Vec<StateRead<'t>>>,
    edges: Option<Vec<EdgeRead<'t>>>,
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
        self.object()?;
        if self.json.peek()? != JsonToken::Eof {
            return Err(self.json.expected("the end of the file"));
        }
        for (there, name) in [(self.states.is_some(), "states"), (self.edges.is_some(), "edges")] {
            if !there {
                let message = format!("this is no automaton: it has no `\"{name}\"`");
                self.complaints.error(message, 0..0);
            }
        }
        Ok(())
    }

    /// The automaton, or a report with one inside.
    fn object(&mut self) -> Result<(), Broken> {
        self.members(|reader, key, span| match &*key {
            "automaton" if reader.states.is_none() && reader.edges.is_none() => {
                reader.members(|reader, key, span| reader.member(&key, span))
            }
            key => reader.member(key, span),
        })
    }

    fn member(&mut self, key: &str, span: Range<usize>) -> Result<(), Broken> {
        let list = self.json.peek()? == JsonToken::OpenBracket;
        match key {
            "states" if !list => {
                self.states.get_or_insert_default();
                self.needed("an array")
            }
            "edges" if !list => {
                self.edges.get_or_insert_default();
                self.needed("an array")
            }
            "states" => {
                let mut states = Vec::new();
                self.elements(|reader, _| reader.state().map(|state| states.extend(state)))?;
                self.twice(self.states.is_some(), span);
                self.states = Some(states);
                Ok(())
            }
            "edges" => {
                let mut edges = Vec::new();
                self.elements(|reader, _| reader.edge().map(|edge| edges.extend(edge)))?;
                self.twice(self.edges.is_some(), span);
                self.edges = Some(edges);
                Ok(())
            }
            "format" => match self.word("a text")? {
                Some((format, span)) if format != "puch automaton 1" => {
                    self.complaints.error("this format is not known, only `puch automaton 1`", span);
                    Ok(())
                }
                _ => Ok(()),
            },
            _ => self.json.skip().map(drop),
        }
    }

    fn twice(&mut self, twice: bool, span: Range<usize>) {
        if twice {
            self.complaints.error("this is said twice", span);
        }
    }

    fn state(&mut self) -> Result<Option<StateRead<'t>>, Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("a state, `{\"name\": …}`,").map(|()| None);
        }
        let span = self.json.here();
        let mut state = StateRead { span, name: None, frame: None, carries: Vec::new(), accepting: false };
        let mut named = false;
        self.members(|reader, key, _| {
            named |= key == "name";
            match &*key {
                "name" => state.name = reader.word("the name of the state")?,
                "frame" if reader.is_null()? => {}
                "frame" => state.frame = reader.word("the name of a frame")?,
                "accepting" => state.accepting = reader.truth()?.unwrap_or_default(),
                "carries" if reader.json.peek()? != JsonToken::OpenBracket => {
                    reader.needed("an array of names of variables")?;
                }
                "carries" => {
                    let carried = |reader: &mut Self, _| {
                        reader.word("the name of a variable").map(|word| state.carries.extend(word))
                    };
                    reader.elements(carried)?;
                }
                _ => {
                    reader.json.skip()?;
                }
            }
            Ok(())
        })?;
        if !named {
            self.complaints.error("this state has no `\"name\"`", state.span.clone());
        }
        Ok(Some(state))
    }

    fn edge(&mut self) -> Result<Option<EdgeRead<'t>>, Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("an edge, `{\"from\": …, \"symbol\": …, \"to\": …}`,").map(|()| None);
        }
        let span = self.json.here();
        let mut edge = EdgeRead { span, from: None, symbol: None, to: None, condition: None };
        let mut missing = vec!["from", "symbol", "to"];
        self.members(|reader, key, _| {
            missing.retain(|name| *name != key);
            match &*key {
                "from" => edge.from = reader.end()?,
                "to" => edge.to = reader.end()?,
                "symbol" if reader.is_null()? => edge.symbol = Some(None),
                "symbol" => edge.symbol = reader.word("the name of a stack symbol, or `null`,")?.map(Some),
                "condition" if reader.is_null()? => {}
                "condition" => edge.condition = reader.word("a condition")?,
                _ => {
                    reader.json.skip()?;
                }
            }
            Ok(())
        })?;
        for name in missing {
            self.complaints.error(format!("this edge has no `\"{name}\"`"), edge.span.clone());
        }
        Ok(Some(edge))
    }

    /// Takes a `null`, if there is one.
    fn is_null(&mut self) -> Result<bool, Broken> {
        Ok(self.json.peek()? == JsonToken::Word && self.json.starts_with("null") && self.json.skip().is_ok())
    }

    fn end(&mut self) -> Result<Option<EndRead<'t>>, Broken> {
        const NEEDED: &str = "`{\"control\": …}` or `{\"state\": …}`";
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed(NEEDED).map(|()| None);
        }
        let span = self.json.here();
        let mut end = None;
        let mut said = false;
        self.members(|reader, key, _| {
            said |= matches!(&*key, "control" | "state");
            match &*key {
                "control" => end = reader.word("the name of a control location")?.map(EndRead::Control),
                "state" => end = reader.word("the name of a state")?.map(EndRead::State),
                _ => {
                    reader.json.skip()?;
                }
            }
            Ok(())
        })?;
        if !said {
            self.complaints.error(format!("{NEEDED} is needed here"), span);
        }
        Ok(end)
    }

    /// Names and conditions, and the check of the whole.
    fn finish(&mut self, role: Role) -> Automaton {
        let states = self.states.take().unwrap_or_default();
        let edges = self.edges.take().unwrap_or_default();
        let spds = self.spds;
        let mut automaton = Automaton::default();
        let mut numbers: HashMap<Cow<'t, str>, StateId> = HashMap::new();
        for state in &states {
            let resolved = self.resolved(state);
            if let Some((name, _)) = &state.name {
                numbers.entry(name.clone()).or_insert(StateId(automaton.states.len() as u32));
            }
            automaton.states.push(resolved);
        }
        fn table<'n>(names: impl Iterator<Item = &'n str>) -> HashMap<&'n str, u32> {
            names.zip(0..).collect()
        }
        let controls = table(spds.controls.iter().map(|name| &**name));
        let symbols = table(spds.symbols.iter().map(|symbol| &*symbol.name));
        let mut places: Vec<&EdgeRead<'t>> = Vec::new();
        for edge in &edges {
            let mut end = |end: &Option<EndRead<'t>>| match end {
                Some(EndRead::Control(word)) => {
                    self.lookup("control location", &controls, word).map(|id| End::Control(ControlId(id)))
                }
                Some(EndRead::State((name, span))) => match numbers.get(name) {
                    Some(id) => Some(End::State(*id)),
                    None => {
                        let names = automaton.states.iter().map(|state| &*state.name);
                        self.unknown("state", name, span.clone(), names);
                        None
                    }
                },
                None => None,
            };
            let (from, to) = (end(&edge.from), end(&edge.to));
            let symbol = match &edge.symbol {
                Some(Some(word)) => self.lookup("stack symbol", &symbols, word).map(|id| Some(SymbolId(id))),
                Some(None) => Some(None),
                None => None,
            };
            let (Some(from), Some(symbol), Some(to)) = (from, symbol, to) else { continue };
            let mut resolved = Edge { from, symbol, to, condition: None };
            if let Some((text, span)) = &edge.condition {
                match self.conditions.read(&automaton.scope(spds, &resolved), text) {
                    Ok(condition) => resolved.condition = Some(condition),
                    Err(complaints) => self.inside(text, span, complaints),
                }
            }
            automaton.edges.push(resolved);
            places.push(edge);
        }
        if self.complaints.refused() {
            return automaton;
        }
        self.check(&automaton, role, &states, &places);
        automaton
    }

    /// Complains about what keeps the automaton from being a set, at the states and edges that it was read from.
    fn check(&mut self, automaton: &Automaton, role: Role, states: &[StateRead<'t>], places: &[&EdgeRead<'t>]) {
        for error in automaton.check(self.spds, role) {
            let place = match error.part {
                AutomatonPart::State(id) => {
                    let state = &states[id.0 as usize];
                    state.name.as_ref().map_or(&state.span, |(_, span)| span)
                }
                AutomatonPart::Edge(index) => &places[index].span,
                AutomatonPart::Condition(index, _) => {
                    places[index].condition.as_ref().map_or(&places[index].span, |(_, span)| span)
                }
            };
            let complaint = Diagnostic::error(error.fault.to_string(), place.clone());
            self.complaints.push(Diagnostic { help: error.help(), ..complaint });
        }
    }

    fn resolved(&mut self, state: &StateRead<'t>) -> State {
        let name = state.name.as_ref().map_or("", |(name, _)| name);
        let spds = self.spds;
        let frame = state.frame.as_ref().and_then(|(name, span)| {
            let found = spds.frames.iter().position(|frame| *frame.name == **name);
            if found.is_none() {
                self.unknown("frame", name, span.clone(), spds.frames.iter().map(|frame| &*frame.name));
            }
            found.map(|index| FrameId(index as u32))
        });
        let mut carries = Vec::new();
        for (text, span) in &state.carries {
            match self.conditions.variable(frame, text) {
                Ok(var) => carries.push(var),
                Err(complaints) => self.inside(text, span, complaints),
            }
        }
        carries.sort_unstable();
        State { name: name.into(), frame, carries: carries.into(), accepting: state.accepting }
    }

    /// Complaints about a text in quotes; their places are known if it has no escapes.
    fn inside(&mut self, text: &str, span: &Range<usize>, complaints: Vec<Diagnostic>) {
        let exact = span.len() == text.len() + 2;
        for mut complaint in complaints {
            complaint.span = match complaint.span {
                Some(place) if exact => Some(place.start + span.start + 1..place.end + span.start + 1),
                _ => Some(span.clone()),
            };
            complaint.related.clear();
            self.complaints.push(complaint);
        }
    }

    fn lookup(&mut self, what: &str, table: &HashMap<&str, u32>, word: &Word<'t>) -> Option<u32> {
        let found = table.get(&*word.0).copied();
        if found.is_none() {
            // If there is room for the complaint, it gives advice.
            let mut names: Vec<&str> = Vec::new();
            if !self.complaints.errors_are_full() {
                names.extend(table.keys());
                names.sort_unstable();
            }
            self.unknown(what, &word.0, word.1.clone(), names.into_iter());
        }
        found
    }

    fn unknown<'n>(&mut self, what: &str, name: &str, span: Range<usize>, names: impl Iterator<Item = &'n str>) {
        if self.complaints.errors_are_full() {
            return self.complaints.error("", span);
        }
        let mut complaint = Diagnostic::error(format!("unknown {what} `{}`", name.escape_debug()), span);
        complaint.help = did_you_mean(name, names);
        self.complaints.push(complaint);
    }
}
