//! Places named by a user (`main:R`, `R`, `*:R`, `:12`, `p:done`) resolved to targets of a search.

use std::collections::BTreeSet;
use std::fmt;

use spds_format::model::{ControlId, Rule, Spds, SymbolId};
use spds_format::reading::near::{LISTED, edit_distance};

use crate::check::Target;

/// Which names a system offers beside labels and lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// It was read from a program: its control locations and stack symbols are not names the user knows.
    #[default]
    Program,
    /// It was read from a text that names control locations and stack symbols: `control:symbol`, or `symbol` alone,
    /// names a place too.
    System,
}

/// Why a name is no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// Nothing has that name. The candidates are all places that have a name, the nearest ones first.
    Unknown {
        /// As given.
        place: String,
        /// Names that would have been understood.
        candidates: Vec<String>,
        /// What the name is instead, and what may be meant by it.
        instead: Option<String>,
    },
    /// No statement begins on that line. The candidates are the lines nearest to it on which one does.
    NoStatement {
        /// As given.
        place: String,
        /// Names that would have been understood.
        candidates: Vec<String>,
    },
    /// A bare label that occurs in several procedures. The candidates are the ways to say which one.
    Ambiguous {
        /// As given.
        place: String,
        /// Names that would have been understood.
        candidates: Vec<String>,
    },
}

impl PlaceError {
    /// Names that would have been understood, the nearest ones first.
    pub fn candidates(&self) -> &[String] {
        match self {
            PlaceError::Unknown { candidates, .. }
            | PlaceError::NoStatement { candidates, .. }
            | PlaceError::Ambiguous { candidates, .. } => candidates,
        }
    }

    /// What to tell the user about the candidates; empty if there are none.
    pub fn advice(&self) -> String {
        if let PlaceError::Unknown { instead: Some(instead), .. } = self {
            return instead.clone();
        }
        let candidates = self.candidates();
        let mut text = String::new();
        for (i, candidate) in candidates.iter().take(LISTED).enumerate() {
            text += if i == 0 { "" } else { ", " };
            text += &format!("`{candidate}`");
        }
        if candidates.len() > LISTED {
            text += &format!(" and {} more", candidates.len() - LISTED);
        }
        match (self, candidates.is_empty()) {
            (PlaceError::Unknown { .. }, true) => "the program has no labels; `:LINE` names a line".into(),
            (_, true) => String::new(),
            (PlaceError::Unknown { .. }, _) if candidates.len() == 1 => format!("there is {text}"),
            (PlaceError::Unknown { .. }, _) => format!("there are {text}"),
            (PlaceError::NoStatement { .. }, _) => format!("the nearest on which one does: {text}"),
            (PlaceError::Ambiguous { .. }, _) => format!("say which one: {text}"),
        }
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Unknown { place, .. } => write!(f, "no label `{place}`"),
            PlaceError::NoStatement { place, .. } => {
                write!(f, "no statement begins on line {}", place.trim_start_matches(':'))
            }
            PlaceError::Ambiguous { place, .. } => write!(f, "label `{place}` occurs in several procedures"),
        }
    }
}

impl std::error::Error for PlaceError {}

/// The targets that a name stands for: `proc:L`, a bare `L` that occurs in one procedure only, `*:L` for that label in
/// any procedure, `:LINE` for the statements that begin on a line, and, with [`Naming::System`], `control:symbol` or a
/// bare `symbol`. Linear in the number of symbols. The targets are in the order of the symbols; there is at least one.
///
/// # Errors
/// If nothing, or more than one thing, has that name.
pub fn resolve(spds: &Spds, place: &str, naming: Naming) -> Result<Vec<Target>, PlaceError> {
    if let Some(line) = place.strip_prefix(':').and_then(|line| line.parse::<u32>().ok()) {
        let targets = on_line(spds, line);
        if targets.is_empty() {
            let candidates = nearest_lines(spds, line);
            return Err(PlaceError::NoStatement { place: place.into(), candidates });
        }
        return Ok(targets);
    }
    let labelled = labelled(spds, place)?;
    if !labelled.is_empty() {
        return Ok(labelled);
    }
    if naming == Naming::System {
        let named = named(spds, place);
        if !named.is_empty() {
            return Ok(named);
        }
    }
    let candidates = all_names(spds, place, naming);
    let instead = instead(spds, place, &candidates);
    Err(PlaceError::Unknown { place: place.into(), candidates, instead })
}

/// All names that [`resolve`] understands: labels with their procedures, and by themselves where that is enough.
pub fn names(spds: &Spds, naming: Naming) -> Vec<String> {
    let mut all = all_names(spds, "", naming);
    let labels = ids(spds).flat_map(|id| spds.symbol(id).labels.iter()).map(|label| label.to_string());
    all.extend(labels.filter(|label| labelled(spds, label).is_ok_and(|targets| !targets.is_empty())));
    all.sort();
    all.dedup();
    all
}

/// What a name is that is no place, and what may be meant by it.
fn instead(spds: &Spds, place: &str, candidates: &[String]) -> Option<String> {
    let colon = place.replacen('.', ":", 1);
    if colon != place && candidates.contains(&colon) {
        return Some(format!("labels stand after a colon: `{colon}`"));
    }
    if spds.frames.iter().any(|frame| *frame.name == *place) {
        return Some(format!("`{place}` is a procedure: ask for `<@at({place}) .*>`, a stack with `{place}` on top"));
    }
    let (procedure, name) = place.rsplit_once(['.', ':']).map_or((None, place), |(own, name)| (Some(own), name));
    let global = procedure.is_none() && spds.globals.iter().any(|global| !global.hidden && *global.name == *place);
    let frame = spds.frames.iter().find(|frame| {
        procedure.is_none_or(|own| *frame.name == *own)
            && frame.variables.iter().any(|local| !local.hidden && *local.name == *name)
    });
    let expression = match frame {
        _ if global => place.to_owned(),
        Some(frame) => format!("{}.{name}", frame.name),
        None => return None,
    };
    let shown = if global { format!("`{place}`") } else { format!("`{expression}`") };
    Some(format!(
        "{shown} is a variable, no place: whether it can become true is asked by `--ltl 'G !{{{expression}}}'`"
    ))
}

/// The heads whose configurations a run never shows, because silent rules lead on from them.
struct Silent<'a> {
    spds: &'a Spds,
    heads: BTreeSet<(SymbolId, ControlId)>,
    /// Symbols with a rule that is not silent.
    shown: BTreeSet<SymbolId>,
}

impl<'a> Silent<'a> {
    fn of(spds: &'a Spds) -> Self {
        let (silent, shown): (Vec<&Rule>, Vec<&Rule>) = spds.rules.iter().partition(|rule| rule.silent);
        Silent {
            spds,
            heads: silent.iter().map(|rule| (rule.from.symbol, rule.from.control)).collect(),
            shown: shown.iter().map(|rule| rule.from.symbol).collect(),
        }
    }

    /// How a symbol on top of the stack can be seen: anywhere, or under some control locations.
    fn seen(&self, symbol: SymbolId) -> Vec<Target> {
        let of_symbol = (symbol, ControlId(0))..=(symbol, ControlId(u32::MAX));
        let hidden: Vec<ControlId> = self.heads.range(of_symbol).map(|(_, control)| *control).collect();
        match (hidden.is_empty(), self.shown.contains(&symbol)) {
            (true, _) => vec![anywhere(symbol)],
            (false, false) => Vec::new(),
            (false, true) => (0..self.spds.controls.len() as u32)
                .map(ControlId)
                .filter(|control| hidden.binary_search(control).is_err())
                .map(|control| Target { control: Some(control), symbol })
                .collect(),
        }
    }
}

/// `:LINE`
fn on_line(spds: &Spds, line: u32) -> Vec<Target> {
    let silent = Silent::of(spds);
    let here = ids(spds).filter(|id| spds.symbol(*id).place.is_some_and(|place| place.line == line));
    here.flat_map(|id| silent.seen(id)).collect()
}

/// `proc:L`, `*:L`, `L`; empty if there is no such label.
fn labelled(spds: &Spds, place: &str) -> Result<Vec<Target>, PlaceError> {
    let mut qualified = Vec::new();
    let mut bare = Vec::new();
    for id in ids(spds) {
        for label in spds.symbol(id).labels.iter().map(|label| &**label) {
            if label == place {
                bare.push(id);
            } else if let Some(procedure) = place.strip_suffix(label).and_then(|rest| rest.strip_suffix(':'))
                && (procedure == "*" || Some(procedure) == procedure_of(spds, id))
            {
                qualified.push(id);
            }
        }
    }
    if !qualified.is_empty() {
        return Ok(qualified.into_iter().map(anywhere).collect());
    }
    let procedures: BTreeSet<Option<&str>> = bare.iter().map(|id| procedure_of(spds, *id)).collect();
    if procedures.len() > 1 {
        let qualified = procedures.iter().flatten().map(|procedure| format!("{procedure}:{place}"));
        let candidates = qualified.chain([format!("*:{place}")]).collect();
        return Err(PlaceError::Ambiguous { place: place.into(), candidates });
    }
    Ok(bare.into_iter().map(anywhere).collect())
}

/// `control:symbol`, `symbol`; empty if there is no such symbol.
fn named(spds: &Spds, place: &str) -> Vec<Target> {
    for id in ids(spds) {
        let name = &*spds.symbol(id).name;
        if name == place {
            return vec![anywhere(id)];
        }
        let control = place.strip_suffix(name).and_then(|rest| rest.strip_suffix(':'));
        let control = control.and_then(|control| spds.controls.iter().position(|name| **name == *control));
        if let Some(control) = control.and_then(|index| u32::try_from(index).ok()) {
            return vec![Target { control: Some(ControlId(control)), symbol: id }];
        }
    }
    Vec::new()
}

/// The lines nearest to `line` on which a statement begins, nearest first.
fn nearest_lines(spds: &Spds, line: u32) -> Vec<String> {
    let silent = Silent::of(spds);
    let lines: BTreeSet<u32> = ids(spds)
        .filter(|id| !silent.seen(*id).is_empty())
        .filter_map(|id| spds.symbol(id).place.map(|place| place.line))
        .collect();
    let below = lines.range(..line).next_back();
    let above = lines.range(line..).next();
    let mut nearest: Vec<u32> = below.into_iter().chain(above).copied().collect();
    nearest.sort_by_key(|&l| l.abs_diff(line));
    nearest.into_iter().map(|line| format!(":{line}")).collect()
}

/// Every name that would be understood, the nearest to `place` first.
fn all_names(spds: &Spds, place: &str, naming: Naming) -> Vec<String> {
    let mut names = BTreeSet::new();
    for id in ids(spds) {
        for label in &spds.symbol(id).labels {
            names.insert(match procedure_of(spds, id) {
                Some(procedure) => (format!("{procedure}:{label}"), label.to_string()),
                None => (label.to_string(), label.to_string()),
            });
        }
    }
    if naming == Naming::System {
        names.extend(spds.symbols.iter().map(|symbol| (symbol.name.to_string(), symbol.name.to_string())));
    }
    let label = place.rsplit(':').next().unwrap_or(place);
    let mut ranked: Vec<(usize, String)> = names
        .into_iter()
        .map(|(full, bare)| (edit_distance(place, &full).min(edit_distance(label, &bare)), full))
        .collect();
    ranked.sort();
    ranked.into_iter().map(|(_, name)| name).collect()
}

fn ids(spds: &Spds) -> impl Iterator<Item = SymbolId> + use<> {
    (0..u32::try_from(spds.symbols.len()).expect("symbols are numbered by u32")).map(SymbolId)
}

fn anywhere(symbol: SymbolId) -> Target {
    Target { control: None, symbol }
}

fn procedure_of(spds: &Spds, id: SymbolId) -> Option<&str> {
    spds.symbol(id).frame.map(|frame| &*spds.frame(frame).name)
}
