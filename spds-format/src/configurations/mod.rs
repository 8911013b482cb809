//! Sets of configurations as text: `<p, main[x & !y] (f | g)* .*>`.
//!
//! `SPEC.md` says what everything means. The result is an [`Automaton`] that carries no values: conditions are about one
//! frame each, and about globals at the top.

mod glushkov;
mod places;
mod syntax;

use std::collections::BTreeSet;

use crate::automaton::{Automaton, Edge, End, State, StateId};
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::lexis::{Span, shown};
use crate::model::{ControlId, FrameId, Spds, SymbolId, Var};
use crate::names::BOUNDS;
use crate::parse::parse_condition;
use crate::reading::complaints::Complaints;
use crate::reading::near::{guess, near};

use glushkov::{Follow, Item, TooLarge, follow};
use places::{Places, all_written, written};
use syntax::{Bracket, Control, Node, Set, SymbolName, sets};

/// A condition as a reader of conditions understands it: the frame whose locals it mentions, if it does; the condition over
/// values at time `Before`, without `*`; and warnings about the text.
pub type Condition = (Option<FrameId>, Expr, Vec<Diagnostic>);

/// Reads a condition; bare names are those of the locals of that frame, and then of globals. Complaints have places in the
/// text given.
pub type ReadCondition<'a> = &'a dyn Fn(&str, Option<FrameId>) -> Result<Condition, Vec<Diagnostic>>;

/// Sets that need more edges than this are refused.
const MOST_EDGES: usize = 4_000_000;

/// The regular set of configurations that a text describes, with conditions in the notation of `.spds` texts.
///
/// ```
/// let spds = spds_format::parse("spds 1
///     global g: bool; frame main { x: u3 } frame f {} control p;
///     symbol main/0 in main labels L; symbol main/1 in main; symbol f/0 in f; symbol @end;
///     start <p, main/0 @end>;
/// ").unwrap();
/// let set = spds_format::parse_configurations(&spds, "<p[g], f @at(main)[x > 5] .*>").unwrap();
/// assert_eq!(set.states.len(), 2);
///
/// let mistakes = spds_format::parse_configurations(&spds, "<p, main:M[y] g>").unwrap_err();
/// let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
/// assert_eq!(messages, ["there is no label `M` in `main`", "there is no label, stack symbol or procedure `g`"]);
/// ```
///
/// # Errors
/// All mistakes that could be found, with their places; beyond 100 the last one says that there are more.
pub fn parse_configurations(spds: &Spds, text: &str) -> Result<Automaton, Vec<Diagnostic>> {
    let condition = |text: &str, frame| {
        let (frame, condition) = parse_condition(spds, frame, text)?;
        Ok((frame, condition, Vec::new()))
    };
    configurations(spds, text, &condition).map(|(automaton, _)| automaton)
}

/// The same with conditions in another notation, and with warnings about them.
///
/// # Errors
/// As [`parse_configurations`].
pub fn configurations(
    spds: &Spds,
    text: &str,
    condition: ReadCondition<'_>,
) -> Result<(Automaton, Vec<Diagnostic>), Vec<Diagnostic>> {
    if text.len() > u32::MAX as usize {
        return Err(vec![Diagnostic::global("the text is longer than 4 GiB")]);
    }
    let (sets, mistakes) = sets(text);
    let mut reader = Reader {
        spds,
        places: Places::new(spds, text.len()),
        total: text.len(),
        condition,
        complaints: Complaints::new(&BOUNDS),
        automaton: Automaton::default(),
        edges: 0,
    };
    mistakes.into_iter().for_each(|mistake| reader.complaints.push(mistake));
    for set in &sets {
        reader.set(set);
    }
    let refused = reader.complaints.refused();
    let complaints = reader.complaints.into_sorted();
    if refused { Err(complaints) } else { Ok((reader.automaton, complaints)) }
}

/// One occurrence of a symbol in a regular expression.
struct Position {
    symbols: Vec<SymbolId>,
    condition: Option<Expr>,
    /// Where the condition stands and the name of a global in it.
    global: Option<(Span, String)>,
}

struct Reader<'a> {
    spds: &'a Spds,
    places: Places<'a>,
    total: usize,
    condition: ReadCondition<'a>,
    complaints: Complaints,
    automaton: Automaton,
    edges: usize,
}

impl Reader<'_> {
    fn complain(&mut self, message: impl Into<String>, span: Span, help: impl Into<String>) {
        self.complaints.push(Diagnostic::error(message, span.range(self.total)).with_help(help));
    }

    fn set(&mut self, set: &Set<'_>) {
        let before = self.complaints.errors();
        let (controls, condition) = self.controls(set);
        let mut positions: Vec<Position> = Vec::new();
        let mut items: Vec<Item> = Vec::with_capacity(set.nodes.len());
        for node in &set.nodes {
            items.push(match node {
                Node::Symbol(place, span, condition) => {
                    let position = self.position(place, *span, condition.as_ref());
                    positions.push(position);
                    Item::Position((positions.len() - 1) as u32)
                }
                Node::Empty => Item::Empty,
                Node::Concat => Item::Concat,
                Node::Union => Item::Union,
                Node::Repeat(repeat) => Item::Repeat(*repeat),
            });
        }
        let follow = match follow(&items, positions.len(), MOST_EDGES) {
            Ok(follow) => follow,
            Err(TooLarge) => return self.too_large(set),
        };
        let below: BTreeSet<u32> = follow.next.iter().flatten().copied().collect();
        for position in below {
            if let Some((span, name)) = positions[position as usize].global.take() {
                let message = format!("the condition is about the global {}, but may be below the top", shown(&name));
                let help =
                    "say it behind the control location: `<.[condition], …>`; below the top there are locals only";
                self.complain(message, span, help);
            }
        }
        if self.complaints.errors() > before {
            return;
        }
        let width =
            |next: &[u32]| next.iter().map(|position| positions[*position as usize].symbols.len()).sum::<usize>();
        let states = follow.next.iter().map(|next| width(next)).sum::<usize>();
        self.edges =
            self.edges.saturating_add(width(&follow.first).saturating_mul(controls.len())).saturating_add(states);
        if self.edges > MOST_EDGES {
            return self.too_large(set);
        }
        self.build(&controls, condition.as_ref(), &positions, &follow);
    }

    fn too_large(&mut self, set: &Set<'_>) {
        let help = "an automaton in JSON may say the same with fewer";
        self.complain(format!("this set needs more than {MOST_EDGES} edges"), set.span, help);
    }

    /// The control locations and the condition on globals.
    fn controls(&mut self, set: &Set<'_>) -> (Vec<ControlId>, Option<Expr>) {
        let all = || (0..self.spds.controls.len() as u32).map(ControlId).collect::<Vec<_>>();
        let Some(Control { name, condition }) = &set.control else {
            if self.spds.controls.len() > 1 {
                let first = written(&self.spds.controls[0]);
                let help = format!("`<{first}, …>` for that one, `<., …>` for any");
                self.complain("there are several control locations: say which one is meant", set.span, help);
            }
            return (all(), None);
        };
        let controls = match name {
            None => all(),
            Some(word) => match self.spds.controls.iter().position(|control| **control == *word.text) {
                Some(index) => vec![ControlId(index as u32)],
                None => {
                    let near = near(&word.text, self.spds.controls.iter().map(|control| &**control));
                    let message = format!("unknown control location {}", shown(&word.text));
                    let complaint = Diagnostic::error(message, word.span.range(self.total));
                    self.complaints.push(guess(complaint, &all_written(near)));
                    Vec::new()
                }
            },
        };
        let Some(bracket) = condition else { return (controls, None) };
        let Some((frame, condition)) = self.read(bracket, None) else { return (controls, None) };
        if let Some(frame) = frame {
            let message = format!("the condition is about locals of {}", shown(&self.spds.frame(frame).name));
            let help = "behind a control location there are globals only; say it behind the symbol";
            self.complain(message, bracket.span, help);
        }
        (controls, Some(condition))
    }

    fn position(&mut self, place: &SymbolName<'_>, span: Span, condition: Option<&Bracket<'_>>) -> Position {
        let mut position = Position { symbols: Vec::new(), condition: None, global: None };
        match self.places.find(place, span) {
            Ok(symbols) => position.symbols = symbols,
            Err(complaint) => {
                self.complaints.push(*complaint);
                return position;
            }
        }
        let Some(bracket) = condition else { return position };
        let frame_of = |id: &SymbolId| self.spds.symbol(*id).frame;
        let frame = position.symbols.first().and_then(frame_of);
        let common = frame.filter(|_| position.symbols.iter().all(|id| frame_of(id) == frame));
        let Some((frame, condition)) = self.read(bracket, common) else { return position };
        if let Some(frame) = frame {
            position.symbols.retain(|id| frame_of(id) == Some(frame));
            if position.symbols.is_empty() {
                let name = shown(&self.spds.frame(frame).name);
                let message = format!("the condition is about locals of {name}, the symbol before it is not");
                self.complaints.error(message, bracket.span.range(self.total));
            }
        }
        let global = condition.reads().find_map(|(var, _)| match var {
            Var::Global(index) => self.spds.globals.get(index as usize),
            Var::Local(_) => None,
        });
        position.global = global.map(|global| (bracket.span, global.name.to_string()));
        position.condition = Some(condition);
        position
    }

    fn read(&mut self, bracket: &Bracket<'_>, frame: Option<FrameId>) -> Option<(Option<FrameId>, Expr)> {
        let offset = bracket.span.range(self.total).start;
        let moved = |mut complaint: Diagnostic| {
            let whole = offset..offset + bracket.text.len();
            complaint.span = Some(complaint.span.map_or(whole, |span| span.start + offset..span.end + offset));
            for (span, _) in &mut complaint.related {
                *span = span.start + offset..span.end + offset;
            }
            complaint
        };
        let (found, complaints) = match (self.condition)(bracket.text, frame) {
            Ok((frame, condition, warnings)) => (Some((frame, condition)), warnings),
            Err(complaints) => (None, complaints),
        };
        complaints.into_iter().map(moved).for_each(|complaint| self.complaints.push(complaint));
        found
    }

    fn build(&mut self, controls: &[ControlId], condition: Option<&Expr>, positions: &[Position], follow: &Follow) {
        let base = self.automaton.states.len() as u32;
        let state = |number: usize, accepting| State {
            name: format!("s{}", number + 1).into(),
            frame: None,
            carries: Box::default(),
            accepting,
        };
        let states = follow.accepting.iter().enumerate();
        self.automaton.states.extend(states.map(|(number, accepting)| state(base as usize + number, *accepting)));
        let mut edges = Vec::new();
        let mut link = |from: End, position: u32, more: Option<&Expr>| {
            let Position { symbols, condition, .. } = &positions[position as usize];
            let condition = match (more, condition) {
                (Some(more), Some(own)) => Some(more.and(own)),
                (one, other) => one.or(other.as_ref()).cloned(),
            };
            let to = End::State(StateId(base + follow.state[position as usize]));
            edges.extend(symbols.iter().map(|symbol| (from, Some(*symbol), to, condition.clone())));
        };
        for control in controls {
            for position in &follow.first {
                link(End::Control(*control), *position, condition);
            }
        }
        for (number, next) in (base..).zip(&follow.next) {
            for position in next {
                link(End::State(StateId(number)), *position, None);
            }
        }
        if follow.empty {
            let empty = StateId(self.automaton.states.len() as u32);
            self.automaton.states.push(state(empty.0 as usize, true));
            let from = controls.iter().map(|control| End::Control(*control));
            edges.extend(from.map(|from| (from, None, End::State(empty), condition.cloned())));
        }
        edges.sort_unstable();
        edges.dedup();
        let edges = edges.into_iter().map(|(from, symbol, to, condition)| Edge { from, symbol, to, condition });
        self.automaton.edges.extend(edges);
    }
}
