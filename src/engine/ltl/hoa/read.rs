//! Reading.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use spds_format::Diagnostic;

use crate::bdd::label::{Label, Labels};
use crate::limits::{Limits, Stop};

use super::super::automaton::{Tgba, Transition};
use super::super::marks::Marks;
use super::super::parse::parse_proposition;
use super::super::proposition::Proposition;
use super::acceptance::{self, Acceptance};
use super::inherently_weak::{Meaning, meaning, split};
use super::lex::{Token, TokenKind, tokens};
use super::{Refused, refuse};

mod labels;

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The text is wrong, or says something that is not supported.
    Diagnosed(Vec<Diagnostic>),
    /// A limit was met.
    Stopped(Stop),
}

impl From<Diagnostic> for ReadError {
    fn from(diagnostic: Diagnostic) -> ReadError {
        ReadError::Diagnosed(vec![diagnostic])
    }
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> ReadError {
        ReadError::Stopped(stop)
    }
}

/// Reads an automaton whose acceptance condition says which marks must be met infinitely often, in whatever combination
/// without negation: Büchi, generalised Büchi, `t`, `f`, `Inf(0) | Inf(1)`, …; one with `Fin` if the automaton is
/// inherently weak. Several start states become one. The
/// strings of `AP:` are atomic propositions in the syntax of formulas.
///
/// # Errors
/// What is wrong with the text, universal branching, other acceptance conditions; or a limit.
pub fn read(text: &str, limits: &Limits) -> Result<Tgba, ReadError> {
    let tokens = tokens(text)?;
    let announced = tokens.windows(2).find_map(|pair| match (&pair[0].kind, &pair[1].kind) {
        (TokenKind::Header(name), TokenKind::Number(number)) if name == "AP" => Some(*number),
        _ => None,
    });
    let mut reader = Reader {
        text,
        tokens,
        at: 0,
        announced: announced.unwrap_or(0),
        labels: Labels::new(limits),
        propositions: None,
        aliases: BTreeMap::new(),
        states: None,
        starts: Vec::new(),
        acceptance: None,
        acceptance_name: String::new(),
        bodies: BTreeMap::new(),
    };
    reader.header()?;
    reader.body()?;
    reader.labels.checkpoint()?;
    reader.finish()
}

impl From<Refused> for ReadError {
    fn from(refused: Refused) -> ReadError {
        ReadError::Diagnosed(vec![*refused])
    }
}

/// An edge whose marks are sets of the file, before they are combined into what must be met.
struct RawEdge {
    to: u32,
    place: Range<usize>,
    sets: Marks,
    label: Label,
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    labels: Labels,
    propositions: Option<Vec<Proposition>>,
    /// How many there are; known from the beginning, for aliases may come first.
    announced: u32,
    aliases: BTreeMap<String, Label>,
    states: Option<u32>,
    starts: Vec<(u32, Range<usize>)>,
    acceptance: Option<(u32, Acceptance, Range<usize>)>,
    acceptance_name: String,
    bodies: BTreeMap<u32, Vec<RawEdge>>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    /// The place of the next token.
    fn here(&self) -> Range<usize> {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |token| token.span.clone())
    }

    fn next(&mut self) -> Option<TokenKind> {
        let kind = self.peek().cloned();
        self.at += 1;
        kind
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&TokenKind::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: char, after: &str) -> Result<(), Refused> {
        if self.eat(symbol) { Ok(()) } else { refuse(format!("`{symbol}` is missing {after}"), self.here()) }
    }

    fn number(&mut self, what: &str) -> Result<u32, Refused> {
        match self.peek() {
            Some(TokenKind::Number(number)) => {
                let number = *number;
                self.at += 1;
                Ok(number)
            }
            _ => refuse(format!("{what} is missing here"), self.here()),
        }
    }

    // ---- header

    fn header(&mut self) -> Result<(), ReadError> {
        let first = self.here();
        if self.next() != Some(TokenKind::Header("HOA".into())) {
            let complaint = Diagnostic::error("an automaton in the Hanoi format begins with `HOA: v1`", first);
            return Err(complaint.into());
        }
        let version = self.here();
        match self.next() {
            Some(TokenKind::Identifier(name)) if name == "v1" => {}
            _ => return Err(Diagnostic::error("only version 1 of the format is known: `HOA: v1`", version).into()),
        }
        loop {
            let place = self.here();
            match self.next() {
                Some(TokenKind::Header(name)) => self.item(&name, place)?,
                Some(TokenKind::Marker(marker)) if marker == "BODY" => break,
                Some(_) => return Err(Diagnostic::error("a header or `--BODY--` is expected here", place).into()),
                None => return Err(Diagnostic::error("`--BODY--` is missing", place).into()),
            }
        }
        if self.acceptance.is_none() {
            let body = self.tokens[self.at - 1].span.clone();
            return Err(Diagnostic::error("the header says nothing about `Acceptance:`", body).into());
        }
        Ok(())
    }

    fn item(&mut self, name: &str, place: Range<usize>) -> Result<(), ReadError> {
        match name {
            "States" => {
                let states = self.number("the number of states")?;
                once(&mut self.states, states, "States", place)?;
            }
            "Start" => {
                let start = self.here();
                let state = self.number("the number of a state")?;
                if self.peek() == Some(&TokenKind::Symbol('&')) {
                    return Err((*universal(start.start..self.here().end)).into());
                }
                self.starts.push((state, start));
            }
            "AP" => {
                let propositions = self.atomic_propositions()?;
                once(&mut self.propositions, propositions, "AP", place)?;
            }
            "Alias" => {
                let named = self.here();
                let Some(TokenKind::Alias(alias)) = self.next() else {
                    return Err(Diagnostic::error("`Alias:` needs a name that begins with `@`", named).into());
                };
                let label = self.label_expression("the meaning of the alias")?;
                if self.aliases.insert(alias.clone(), label).is_some() {
                    return Err(Diagnostic::error(format!("the alias `@{alias}` is declared twice"), named).into());
                }
            }
            "Acceptance" => {
                let sets = self.number("the number of acceptance sets")?;
                let begin = self.at;
                while !matches!(self.peek(), None | Some(TokenKind::Header(_) | TokenKind::Marker(_))) {
                    self.at += 1;
                }
                let (condition, span) = self.acceptance_condition(begin, sets)?;
                once(&mut self.acceptance, (sets, condition, span), "Acceptance", place)?;
            }
            "acc-name" => {
                let (first, begin) = (self.at, self.here().start);
                self.skip_values();
                if self.at > first {
                    self.acceptance_name = self.text[begin..self.tokens[self.at - 1].span.end].to_owned();
                }
            }
            "name" | "tool" | "properties" => self.skip_values(),
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                // The format says that such headers change the meaning.
                let message = format!("the header `{name}:` is not known, and may change what the automaton means");
                return Err(Diagnostic::error(message, place).into());
            }
            _ => self.skip_values(),
        }
        Ok(())
    }

    fn skip_values(&mut self) {
        while !matches!(self.peek(), None | Some(TokenKind::Header(_) | TokenKind::Marker(_))) {
            self.at += 1;
        }
    }

    fn atomic_propositions(&mut self) -> Result<Vec<Proposition>, ReadError> {
        let place = self.here();
        let number = self.number("the number of atomic propositions")?;
        let mut propositions: Vec<Proposition> = Vec::new();
        let mut complaints = Vec::new();
        while let Some(TokenKind::Text(text)) = self.peek().cloned() {
            let span = self.here();
            self.at += 1;
            // Places inside the string are known as long as nothing in it is escaped.
            let plain = text.len() + 2 == span.len();
            let moved = |inner: Range<usize>| {
                if plain { inner.start + span.start + 1..inner.end + span.start + 1 } else { span.clone() }
            };
            match parse_proposition(&text) {
                Ok(proposition) => propositions.push(Proposition {
                    inner: if plain { proposition.inner + span.start + 1 } else { span.start },
                    span: span.clone(),
                    ..proposition
                }),
                Err(wrong) => complaints.extend(
                    wrong
                        .into_iter()
                        .map(|complaint| Diagnostic { span: complaint.span.clone().map(&moved), ..complaint }),
                ),
            }
        }
        if !complaints.is_empty() {
            return Err(ReadError::Diagnosed(complaints));
        }
        if propositions.len() != number as usize {
            let message = format!("`AP:` announces {number} and lists {}", propositions.len());
            return Err(Diagnostic::error(message, place).into());
        }
        Ok(propositions)
    }

    fn acceptance_condition(&self, begin: usize, sets: u32) -> Result<(Acceptance, Range<usize>), ReadError> {
        let tokens = &self.tokens[begin..self.at];
        let end = tokens.last().map_or(self.here(), |token| token.span.clone()).end;
        let span = tokens.first().map_or(self.here(), |token| token.span.clone()).start..end;
        let condition = acceptance::parse(tokens, span.clone(), sets)?;
        Ok((condition, span))
    }

    // ---- body

    fn body(&mut self) -> Result<(), ReadError> {
        loop {
            let place = self.here();
            match self.next() {
                Some(TokenKind::Header(name)) if name == "State" => self.state(place)?,
                Some(TokenKind::Marker(marker)) if marker == "END" => break,
                Some(TokenKind::Marker(marker)) if marker == "ABORT" => {
                    return Err(Diagnostic::error("whoever wrote this automaton gave up in the middle", place).into());
                }
                Some(_) => return Err(Diagnostic::error("`State:` or `--END--` is expected here", place).into()),
                None => return Err(Diagnostic::error("`--END--` is missing", place).into()),
            }
            self.labels.checkpoint()?;
        }
        if self.peek().is_some() {
            return Err(Diagnostic::error("one automaton is expected, and here begins another", self.here()).into());
        }
        Ok(())
    }

    fn state(&mut self, header: Range<usize>) -> Result<(), Refused> {
        let of_state = self.label()?;
        let place = self.here();
        let state = self.number("the number of the state")?;
        self.known_state(state, &place)?;
        if matches!(self.peek(), Some(TokenKind::Text(_))) {
            self.at += 1;
        }
        let sets_of_state = self.sets()?;
        let mut edges: Vec<RawEdge> = Vec::new();
        let mut implicit = 0u64;
        let mut explicit = false;
        while !matches!(self.peek(), None | Some(TokenKind::Header(_) | TokenKind::Marker(_))) {
            let begin = self.here();
            let own = self.label()?;
            let target = self.here();
            let to = self.number("the number of the state that the edge leads to")?;
            if self.peek() == Some(&TokenKind::Symbol('&')) {
                return Err(universal(target.start..self.here().end));
            }
            let mut sets = self.sets()?;
            sets.extend(&sets_of_state);
            let label = match (of_state, own) {
                (Some(_), Some(_)) => return refuse("the state has a label, so its edges have none", begin),
                (Some(label), None) => label,
                (None, Some(label)) => {
                    explicit = true;
                    label
                }
                (None, None) => {
                    implicit += 1;
                    self.letter(implicit - 1, &begin)?
                }
            };
            edges.push(RawEdge { to, place: target, sets, label });
        }
        if explicit && implicit > 0 {
            return refuse("some edges of this state have a label and others have none", header);
        }
        if implicit > 0 && implicit != self.letters() {
            let message = format!("without labels a state has one edge for each of the {} letters", self.letters());
            return refuse(format!("{message}; here are {implicit}"), header);
        }
        for edge in &edges {
            self.known_state(edge.to, &edge.place)?;
        }
        if self.bodies.insert(state, edges).is_some() {
            return refuse(format!("state {state} is defined twice"), place);
        }
        Ok(())
    }

    fn known_state(&self, state: u32, place: &Range<usize>) -> Result<(), Refused> {
        match self.states {
            Some(states) if state >= states => {
                refuse(format!("there is no state {state}: `States:` announces {states}"), place.clone())
            }
            _ => Ok(()),
        }
    }

    // ---- the whole

    fn finish(mut self) -> Result<Tgba, ReadError> {
        for (start, place) in &self.starts {
            self.known_state(*start, place)?;
        }
        let (_, acceptance, span) = self.acceptance.take().expect("the header has been checked");
        let clauses = acceptance.clauses(&mut self.labels);
        self.labels.checkpoint()?;
        let (clauses, weak) = match clauses {
            Some(clauses) => (clauses, None),
            None => (Vec::new(), Some(self.weak(&acceptance, span)?)),
        };
        let marks_of = |from: u32, edge: &RawEdge| match &weak {
            Some(accepting) => accepting.contains(&(from, edge.to)).then_some(0).into_iter().collect(),
            None => (0..).zip(&clauses).filter(|(_, clause)| clause.met(&edge.sets)).map(|(n, _)| n).collect(),
        };
        // Only states that are mentioned exist; the last one is a new start.
        let mut number: BTreeMap<u32, u32> = BTreeMap::new();
        let mentioned = self.bodies.values().flatten().map(|edge| edge.to).chain(self.bodies.keys().copied());
        for state in mentioned.chain(self.starts.iter().map(|(state, _)| *state)) {
            let fresh = number.len() as u32;
            number.entry(state).or_insert(fresh);
        }
        let mut states: Vec<Vec<Transition>> = vec![Vec::new(); number.len()];
        for (state, edges) in &self.bodies {
            let edges = edges.iter().filter(|edge| edge.label != Label::FALSE);
            states[number[state] as usize] = edges
                .map(|edge| Transition { to: number[&edge.to], marks: marks_of(*state, edge), label: edge.label })
                .collect();
        }
        let mut starts: Vec<u32> = self.starts.iter().map(|(state, _)| number[state]).collect();
        starts.dedup();
        let initial = match starts[..] {
            [only] => only,
            _ => {
                let edges = starts.iter().flat_map(|start| states[*start as usize].clone()).collect();
                states.push(edges);
                states.len() as u32 - 1
            }
        };
        let propositions = self.propositions.unwrap_or_default();
        let marks = if weak.is_some() { 1 } else { clauses.len() as u32 };
        let mut tgba = Tgba { propositions, labels: self.labels, states, initial, marks };
        tgba.trim();
        tgba.labels.checkpoint()?;
        Ok(tgba)
    }

    /// For a condition with `Fin`: the pairs of states with edges inside accepting components.
    fn weak(&self, condition: &Acceptance, span: Range<usize>) -> Result<BTreeSet<(u32, u32)>, ReadError> {
        let edges = self.bodies.iter().flat_map(|(from, edges)| edges.iter().map(|edge| (*from, edge)));
        let edges = edges.filter(|(_, edge)| edge.label != Label::FALSE);
        let edges = edges.map(|(from, edge)| (from, edge.to, &edge.sets)).collect();
        let mut labels = self.labels.clone();
        let mut accepting = BTreeSet::new();
        for component in split(edges) {
            match meaning(&component, condition, &mut labels)? {
                Meaning::Rejecting => {}
                Meaning::Accepting => accepting.extend(component.iter().map(|(from, to, _)| (*from, *to))),
                Meaning::Mixed => {
                    let called = match &self.acceptance_name[..] {
                        "" => String::new(),
                        name => format!(" ({name})"),
                    };
                    let message = format!("this acceptance condition{called} is not supported: it uses `Fin`");
                    let help = "positive combinations of `Inf` are, and others if a run that stays in a component is \
                                accepted whichever way it goes, or rejected; here that depends on the way";
                    let note = format!("state {} lies in such a component", component[0].0);
                    let complaint = Diagnostic::error(format!("{message}; {note}"), span);
                    return Err(complaint.with_help(help).into());
                }
            }
        }
        Ok(accepting)
    }
}

fn universal(span: Range<usize>) -> Refused {
    let complaint = Diagnostic::error("universal branching is not supported", span);
    Box::new(complaint.with_help("convert the automaton into a nondeterministic one first"))
}

/// Sets what may be said once only.
fn once<T>(slot: &mut Option<T>, value: T, what: &str, place: Range<usize>) -> Result<(), Refused> {
    if slot.replace(value).is_some() {
        return refuse(format!("`{what}:` is given twice"), place);
    }
    Ok(())
}
