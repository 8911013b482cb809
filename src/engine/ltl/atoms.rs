//! What the atomic propositions of a formula mean in a system: at each stack symbol a constant, or a condition on values.

use std::collections::BTreeSet;
use std::ops::Range;

use spds_format::diagnostic::Diagnostic;
use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, Frame, FrameId, Spds, Stack, SymbolId, Type, Var, Variable};
use spds_format::reading::near::{LISTED, guess, near};

use super::controls;
use super::proposition::{Proposition, PropositionKind};

/// A condition as a front end reads it from the text between braces or quotes: the frame that must be on top, if the
/// condition mentions locals, the condition over values at time `Before` and without `*`, and warnings about the text.
pub type Condition = (Option<FrameId>, Expr, Vec<Diagnostic>);

/// What the input offers for atomic propositions.
pub struct Context<'a> {
    /// The system.
    pub spds: &'a Spds,
    /// The text that the propositions were read from.
    pub text: &'a str,
    /// Whether stack symbols are names that the user knows. If so, and if there are several control locations, formulas may
    /// name these, and the system should be [`super::tracked`].
    pub symbols: Symbols,
    /// Reads a condition in the notation of the input; complaints have places in that text.
    pub condition: &'a dyn Fn(&str) -> Result<Condition, Vec<Diagnostic>>,
}

/// Whether the names of stack symbols stand for places, beside labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symbols {
    /// They were made up by a translation from a program.
    #[default]
    Hidden,
    /// The input names them: `symbol`, `control:symbol`.
    Named,
    /// The input names them, and a bare name is also that of a control location, of a frame (one of its symbols is on top),
    /// or of a set of symbols, all that have it as a label: as in Moped.
    Moped,
}

/// What one proposition means in a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// True exactly where one of these symbols, in ascending order, is on top.
    Symbols(Vec<SymbolId>),
    /// A condition on values; with a frame it is false unless that is on top, and it is false where it is undefined.
    Values {
        /// The frame whose locals it mentions.
        frame: Option<FrameId>,
        /// Over values at time `Before`, without `*`.
        condition: Expr,
    },
    /// Where one of these symbols, in ascending order, is on top, a condition on globals; false elsewhere.
    Places {
        /// The symbols.
        symbols: Vec<SymbolId>,
        /// Over globals at time `Before`, without `*`.
        condition: Expr,
    },
    /// True exactly in the repetition of a blocked run's last configuration.
    Stuck,
}

/// What a proposition is where a certain symbol is on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth<'a> {
    /// Always the same.
    Constant(bool),
    /// It depends on the globals and the locals of the symbol's frame; where it is undefined it is false.
    Condition(&'a Expr),
    /// True if the run is blocked here and repeats its last configuration, otherwise false.
    Stuck,
}

impl Meaning {
    /// What it is where that symbol is on top.
    pub fn at(&self, spds: &Spds, symbol: SymbolId) -> Truth<'_> {
        match self {
            Meaning::Symbols(symbols) => Truth::Constant(symbols.binary_search(&symbol).is_ok()),
            Meaning::Values { frame, condition } => match frame {
                Some(frame) if spds.symbol(symbol).frame != Some(*frame) => Truth::Constant(false),
                _ => Truth::Condition(condition),
            },
            Meaning::Places { symbols, condition } => match symbols.binary_search(&symbol) {
                Ok(_) => Truth::Condition(condition),
                Err(_) => Truth::Constant(false),
            },
            Meaning::Stuck => Truth::Stuck,
        }
    }

    /// The condition that [`Meaning::at`] may refer to, and the frame whose locals it mentions.
    pub fn condition(&self) -> Option<(Option<FrameId>, &Expr)> {
        match self {
            Meaning::Values { frame, condition } => Some((*frame, condition)),
            Meaning::Places { condition, .. } => Some((None, condition)),
            Meaning::Symbols(_) | Meaning::Stuck => None,
        }
    }
}

/// What a list of propositions means in a system, in the same order, with warnings.
///
/// # Errors
/// Names that are unknown or ambiguous, with near candidates, and what is wrong with conditions; places are those of the
/// text that the propositions were read from.
pub fn resolve(
    propositions: &[Proposition],
    context: &Context<'_>,
) -> Result<(Vec<Meaning>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut complaints = Vec::new();
    let mut meanings = Vec::with_capacity(propositions.len());
    for proposition in propositions {
        match meaning(proposition, context, &mut complaints) {
            Ok(meaning) => meanings.push(meaning),
            Err(mut more) => complaints.append(&mut more),
        }
    }
    if complaints.iter().any(Diagnostic::is_error) { Err(complaints) } else { Ok((meanings, complaints)) }
}

/// Whether a word is a name that a formula about the system can mean: a global, a label, a named atom, a symbol, and
/// so on. For
/// [`super::Reading::known`].
pub fn names(spds: &Spds, symbols: Symbols) -> BTreeSet<&str> {
    let globals = visible(&spds.globals).map(|global| &*global.name);
    let labels = spds.symbols.iter().flat_map(|symbol| symbol.labels.iter().map(|label| &**label));
    let atoms = spds.atoms.iter().map(|atom| &*atom.name);
    let named = spds.symbols.iter().filter(|_| symbols != Symbols::Hidden).map(|symbol| &*symbol.name);
    let controls = spds.controls.iter().map(|name| &**name);
    let more = controls.chain(spds.frames.iter().map(|frame| &*frame.name)).filter(|_| symbols == Symbols::Moped);
    globals.chain(labels).chain(atoms).chain(named).chain(more).collect()
}

type Complaints = Vec<Diagnostic>;

fn meaning(proposition: &Proposition, context: &Context<'_>, warnings: &mut Complaints) -> Result<Meaning, Complaints> {
    let spds = context.spds;
    let all = |procedure: &str, chosen: &dyn Fn(FrameId) -> Vec<SymbolId>| {
        let mut symbols = chosen(frame(spds, procedure, proposition)?);
        symbols.sort_unstable();
        symbols.dedup();
        Ok(Meaning::Symbols(symbols))
    };
    match &proposition.kind {
        PropositionKind::Name(name) => bare(name, proposition, context),
        PropositionKind::Label { procedure, label } => labelled(procedure.as_deref(), label, proposition, context),
        PropositionKind::Expression(text) => match (context.condition)(text) {
            Ok((frame, condition, complaints)) => {
                warnings.extend(complaints.into_iter().map(|complaint| moved(complaint, proposition)));
                Ok(Meaning::Values { frame, condition })
            }
            Err(complaints) => Err(complaints.into_iter().map(|complaint| moved(complaint, proposition)).collect()),
        },
        PropositionKind::At(procedure) => all(procedure, &|frame| within(spds, frame).collect()),
        PropositionKind::Entry(procedure) => all(procedure, &|frame| {
            let start = spds.start.stack.first().copied();
            let called = spds.rules.iter().filter_map(|rule| match rule.stack {
                Stack::Push(entry, _) => Some(entry),
                _ => None,
            });
            called.chain(start).filter(|entry| spds.symbol(*entry).frame == Some(frame)).collect()
        }),
        PropositionKind::Call(procedure) => all(procedure, &|frame| {
            let calls = spds
                .rules
                .iter()
                .filter(|rule| matches!(rule.stack, Stack::Push(entry, _) if spds.symbol(entry).frame == Some(frame)));
            calls.map(|rule| rule.from.symbol).collect()
        }),
        PropositionKind::Return(procedure) => all(procedure, &|frame| {
            let pops = spds.rules.iter().filter(|rule| rule.stack == Stack::Pop).map(|rule| rule.from.symbol);
            pops.filter(|symbol| spds.symbol(*symbol).frame == Some(frame)).collect()
        }),
        PropositionKind::Fail => Ok(Meaning::Symbols(spds.fail.into_iter().collect())),
        PropositionKind::End => Ok(Meaning::Symbols(spds.end.into_iter().collect())),
        PropositionKind::Stuck => Ok(Meaning::Stuck),
    }
}

/// A complaint about the inside of a proposition, moved to where the proposition stands.
fn moved(mut complaint: Diagnostic, proposition: &Proposition) -> Diagnostic {
    let by = |span: Range<usize>| span.start + proposition.inner..span.end + proposition.inner;
    complaint.span = Some(complaint.span.map_or(proposition.span.clone(), by));
    for (span, _) in &mut complaint.related {
        *span = by(span.clone());
    }
    complaint
}

/// The part of a proposition that names something.
fn inner(proposition: &Proposition, name: &str) -> Range<usize> {
    proposition.inner..(proposition.inner + name.len()).min(proposition.span.end.max(proposition.inner))
}

fn visible(variables: &[Variable]) -> impl Iterator<Item = &Variable> {
    variables.iter().filter(|variable| !variable.hidden)
}

fn ids(spds: &Spds) -> impl Iterator<Item = SymbolId> + use<> {
    (0..spds.symbols.len() as u32).map(SymbolId)
}

fn within(spds: &Spds, frame: FrameId) -> impl Iterator<Item = SymbolId> + '_ {
    ids(spds).filter(move |id| spds.symbol(*id).frame == Some(frame))
}

/// The frame with that name.
fn frame(spds: &Spds, procedure: &str, proposition: &Proposition) -> Result<FrameId, Complaints> {
    if let Some(index) = spds.frames.iter().position(|frame| &*frame.name == procedure) {
        return Ok(FrameId(index as u32));
    }
    let complaint = Diagnostic::error(format!("there is no procedure `{procedure}`"), inner(proposition, procedure));
    let near = near(procedure, spds.frames.iter().map(|frame| &*frame.name));
    Err(vec![guess(complaint, &near)])
}

/// The symbols with that label, within a procedure or anywhere.
fn with_label(spds: &Spds, label: &str) -> Vec<SymbolId> {
    ids(spds).filter(|id| spds.symbol(*id).labels.iter().any(|known| &**known == label)).collect()
}

fn labelled(
    procedure: Option<&str>,
    label: &str,
    proposition: &Proposition,
    context: &Context<'_>,
) -> Result<Meaning, Complaints> {
    let spds = context.spds;
    let mut symbols = with_label(spds, label);
    if let Some(procedure) = procedure {
        if let Some(place) = place(procedure, label, proposition, context) {
            return place;
        }
        let owner = spds.frames.iter().position(|frame| &*frame.name == procedure);
        let Some(owner) = owner else {
            let span = proposition.span.start..proposition.span.start + procedure.len();
            let span = span.start..span.end.min(proposition.span.end);
            return Err(vec![not_a_place(procedure, label, span, proposition, context)]);
        };
        symbols.retain(|id| spds.symbol(*id).frame == Some(FrameId(owner as u32)));
    }
    if !symbols.is_empty() {
        return Ok(Meaning::Symbols(symbols));
    }
    let message = match procedure {
        Some(procedure) => format!("there is no label `{label}` in `{procedure}`"),
        None => format!("there is no label `{label}`"),
    };
    let complaint = Diagnostic::error(message, inner(proposition, label));
    let same_label = qualified(spds, &with_label(spds, label), label);
    let candidates = if same_label.is_empty() { near_labels(spds, label) } else { same_label };
    Err(vec![guess(complaint, &candidates)])
}

/// That there is no such `procedure:label`, nor `control:symbol` where that would do, too.
fn not_a_place(
    procedure: &str,
    label: &str,
    span: Range<usize>,
    proposition: &Proposition,
    context: &Context<'_>,
) -> Diagnostic {
    let spds = context.spds;
    let procedures = || spds.frames.iter().map(|frame| &*frame.name);
    if context.symbols == Symbols::Hidden {
        let complaint = Diagnostic::error(format!("there is no procedure `{procedure}`"), span);
        return guess_or_list(complaint, &near(procedure, procedures()), procedures().collect());
    }
    if spds.controls.iter().any(|control| **control == *procedure) {
        let symbols = || spds.symbols.iter().map(|symbol| &*symbol.name);
        let complaint = Diagnostic::error(format!("there is no stack symbol `{label}`"), inner(proposition, label));
        return guess_or_list(complaint, &near(label, symbols()), symbols().collect());
    }
    let controls = || spds.controls.iter().map(|control| &**control);
    let complaint = Diagnostic::error(format!("there is no control location and no procedure `{procedure}`"), span);
    guess_or_list(complaint, &near(procedure, controls().chain(procedures())), controls().collect())
}

/// `control:symbol`, if it is that; perhaps there is a label `procedure:label`.
fn place(
    control: &str,
    symbol: &str,
    proposition: &Proposition,
    context: &Context<'_>,
) -> Option<Result<Meaning, Complaints>> {
    let spds = context.spds;
    if context.symbols == Symbols::Hidden {
        return None;
    }
    let owner = |id: &SymbolId| spds.symbol(*id).frame.is_some_and(|frame| *spds.frame(frame).name == *control);
    if with_label(spds, symbol).iter().any(owner) {
        return None;
    }
    let number = spds.controls.iter().position(|name| **name == *control)?;
    let symbol = ids(spds).find(|id| *spds.symbol(*id).name == *symbol)?;
    let condition = match at_control(number, control, proposition, spds) {
        Ok(condition) => condition,
        Err(complaints) => return Some(Err(complaints)),
    };
    Some(Ok(if spds.controls.len() == 1 {
        Meaning::Symbols(vec![symbol])
    } else {
        Meaning::Places { symbols: vec![symbol], condition }
    }))
}

/// The condition that the control location with that number is the present one.
fn at_control(number: usize, name: &str, proposition: &Proposition, spds: &Spds) -> Result<Expr, Complaints> {
    controls::at(spds, ControlId(number as u32)).ok_or_else(|| {
        let message = format!("`{name}` is one of several control locations, and they are not tracked");
        vec![Diagnostic::error(message, proposition.span.clone())]
    })
}

/// `proc:label` for the symbols, each procedure once.
fn qualified(spds: &Spds, symbols: &[SymbolId], label: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for id in symbols {
        let name = match spds.symbol(*id).frame {
            Some(frame) => format!("{}:{label}", spds.frame(frame).name),
            None => format!("*:{label}"),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A label of one procedure, a global, a named atom, or a symbol.
fn bare(name: &str, proposition: &Proposition, context: &Context<'_>) -> Result<Meaning, Complaints> {
    let spds = context.spds;
    let span = proposition.span.clone();
    let wanted = name.strip_prefix("::").unwrap_or(name);
    let only_global = wanted.len() < name.len();
    let mut found: Vec<(String, Meaning)> = Vec::new();
    let mut complaint = None;

    if let Some(index) = spds.globals.iter().position(|global| &*global.name == wanted && !global.hidden) {
        if spds.globals[index].ty == Type::BOOL {
            let condition = Expr::read(Var::Global(index as u32), Time::Before);
            found.push(("{".to_owned() + name + "}", Meaning::Values { frame: None, condition }));
        } else {
            let error = Diagnostic::error(format!("`{wanted}` is no truth value"), span.clone());
            complaint = Some(error.with_help(format!("compare it, in braces: {{{wanted} = 1}}")));
        }
    }
    if !only_global {
        let labelled = with_label(spds, name);
        let owners: BTreeSet<Option<FrameId>> = labelled.iter().map(|id| spds.symbol(*id).frame).collect();
        if owners.len() > 1 && context.symbols != Symbols::Moped {
            let error = Diagnostic::error(format!("label `{name}` occurs in several procedures"), span);
            let mut candidates = qualified(spds, &labelled, name);
            candidates.insert(candidates.len().min(LISTED - 1), format!("*:{name}"));
            return Err(vec![guess(error, &candidates)]);
        }
        if let Some(owner) = owners.first() {
            let owner = owner.map_or("*", |frame| &spds.frame(frame).name);
            found.push((format!("{owner}:{name}"), Meaning::Symbols(labelled)));
        }
        if let Some(atom) = spds.atoms.iter().find(|atom| &*atom.name == name) {
            let meaning = Meaning::Values { frame: atom.frame, condition: atom.condition.clone() };
            found.push((format!("the atom {name}"), meaning));
        }
        if context.symbols != Symbols::Hidden && found.is_empty() {
            let symbol = ids(spds).find(|id| &*spds.symbol(*id).name == name);
            found.extend(symbol.map(|id| (name.to_owned(), Meaning::Symbols(vec![id]))));
        }
        if context.symbols == Symbols::Moped && found.is_empty() {
            if let Some(frame) = spds.frames.iter().position(|frame| &*frame.name == name) {
                let symbols = within(spds, FrameId(frame as u32)).collect();
                found.push((format!("@at({name})"), Meaning::Symbols(symbols)));
            }
            if let Some(number) = spds.controls.iter().position(|control| &**control == name) {
                let condition = at_control(number, name, proposition, spds)?;
                found.push((format!("the control location {name}"), Meaning::Values { frame: None, condition }));
            }
        }
    }
    match (found.len(), complaint) {
        (1, _) => Ok(found.remove(0).1),
        (0, Some(complaint)) => Err(vec![complaint]),
        (0, None) => Err(vec![unknown(name, wanted, span, context)]),
        _ => {
            let error = Diagnostic::error(format!("`{name}` is the name of several things"), span);
            let candidates: Vec<String> = found.into_iter().map(|(candidate, _)| candidate).collect();
            Err(vec![guess(error, &candidates)])
        }
    }
}

fn unknown(name: &str, wanted: &str, span: Range<usize>, context: &Context<'_>) -> Diagnostic {
    let spds = context.spds;
    let kinds = match context.symbols {
        Symbols::Hidden => "no label and no global",
        Symbols::Named => "no stack symbol, no label and no global",
        Symbols::Moped => "no stack symbol, no set of symbols, no control location and no global",
    };
    let mut complaint = Diagnostic::error(format!("there is {kinds} `{name}`"), span.clone());
    // Perhaps a misspelt name that was taken apart.
    let before = context.text.get(..span.start).unwrap_or("");
    let letters = before.len() - before.trim_end_matches(['F', 'G', 'X']).len();
    let whole = context.text.get(span.start - letters..span.end).filter(|_| letters > 0);
    if let Some(whole) = whole {
        complaint.label = format!("nor `{whole}`, so this was read as `{} {name}`", &whole[..letters]);
    }
    // Perhaps a local, bare or as `proc.x`.
    let (procedure, local) = wanted.rsplit_once('.').map_or((None, wanted), |(owner, local)| (Some(owner), local));
    let owns = |frame: &&Frame| {
        procedure.is_none_or(|procedure| &*frame.name == procedure)
            && visible(&frame.variables).any(|variable| &*variable.name == local)
    };
    let locals: Vec<String> =
        spds.frames.iter().filter(owns).map(|frame| format!("{{{}.{local}}}", frame.name)).collect();
    if !locals.is_empty() {
        return guess(complaint.with_label("locals are written in braces"), &locals);
    }
    if spds.frames.iter().any(|frame| &*frame.name == name) {
        let events = ["at", "entry", "call", "return"].map(|event| format!("@{event}({name})"));
        return guess(complaint.with_label("this is a procedure"), &events);
    }
    let names = names(spds, context.symbols);
    let mut candidates = whole.map_or_else(Vec::new, |whole| near(whole, names.iter().copied()));
    candidates.extend(near(wanted, names.iter().copied()));
    candidates.dedup();
    guess_or_list(complaint, &candidates, names.into_iter().collect())
}

/// The complaint with the question whether one of the candidates was meant; where nothing is near, with all there is, unless
/// that is much.
fn guess_or_list(complaint: Diagnostic, candidates: &[&str], all: Vec<&str>) -> Diagnostic {
    if !candidates.is_empty() || all.is_empty() || all.len() > LISTED || complaint.help.is_some() {
        return guess(complaint, candidates);
    }
    let quoted: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
    let are = if quoted.len() == 1 { "is" } else { "are" };
    complaint.with_help(format!("there {are} {}", quoted.join(", ")))
}

fn near_labels(spds: &Spds, label: &str) -> Vec<String> {
    let labels: BTreeSet<&str> =
        spds.symbols.iter().flat_map(|symbol| symbol.labels.iter().map(|label| &**label)).collect();
    let near = near(label, labels);
    let mut names: Vec<String> =
        near.iter().flat_map(|label| qualified(spds, &with_label(spds, label), label)).collect();
    names.truncate(LISTED);
    names
}
