//! What is known at statements, as text and as JSON.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use spds_format::Spds;
use spds_format::model::{FrameId, Scalar, SymbolId};

use crate::facts::{Described, Fact, Known};
use crate::formula::form::{Cell, Formula};
use crate::limits::Stop;
use crate::source::{Source, clip};

use super::expression::{Notation, name, written};
use super::json::{Header, Labels, Met, value, write_met};
use super::text::statement;

/// What is listed of the statements asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// All, with what is known there.
    Values,
    /// Only those that no run comes to.
    Dead,
}

/// What facts are about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The system.
    pub spds: &'a Spds,
    /// How its users write expressions.
    pub notation: Notation,
    /// The text that places refer to, if there is one.
    pub source: Option<&'a Source<'a>>,
    /// What is listed.
    pub listing: Listing,
}

impl Subject<'_> {
    fn listed<'f>(&self, facts: &'f [Fact]) -> impl Iterator<Item = &'f Fact> + Clone {
        let all = self.listing == Listing::Values;
        facts.iter().filter(move |fact| all || fact.known == Known::Never)
    }

    fn frame(&self, fact: &Fact) -> Option<FrameId> {
        self.spds.symbol(fact.target.symbol).frame
    }
}

/// Why there is no formula, if one was asked for.
pub fn omitted(formula: &Described) -> Option<String> {
    match formula {
        Described::As(_) | Described::Unasked => None,
        Described::TooLong(most) => Some(format!("the formula has more than {most} terms (--terms)")),
        Described::Stopped(stop) => Some(stop.to_string()),
    }
}

/// Writes facts as text: a statement to a line, under the name of its procedure.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, subject: Subject<'_>, facts: &Result<Vec<Fact>, Stop>) -> io::Result<()> {
    let facts = match facts {
        Ok(facts) => facts,
        Err(stop) => return writeln!(out, "unknown ({stop})"),
    };
    let spds = subject.spds;
    let listed: Vec<&Fact> = subject.listed(facts).collect();
    if listed.is_empty() {
        return writeln!(out, "no statement is dead");
    }
    let number = |fact: &Fact| {
        let place = spds.symbol(fact.target.symbol).place;
        place.map_or_else(String::new, |place| place.line.to_string())
    };
    let code = |fact: &Fact| statement(spds, subject.source, fact.target.symbol);
    let number_width = listed.iter().map(|fact| number(fact).len()).max().unwrap_or(0);
    let code_width = listed.iter().map(|fact| code(fact).chars().count()).max().unwrap_or(0);
    for (index, fact) in listed.iter().enumerate() {
        let frame = subject.frame(fact);
        if index == 0 || frame != subject.frame(listed[index - 1]) {
            let blank = if index == 0 { "" } else { "\n" };
            match frame {
                Some(frame) => writeln!(out, "{blank}{}", clip(&spds.frame(frame).name, usize::MAX))?,
                None => write!(out, "{blank}")?,
            }
        }
        let mut line = format!("  {:>number_width$}  {:code_width$}", number(fact), code(fact));
        if subject.listing == Listing::Values {
            line += "  ";
            line += &words(subject, fact);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// What is known there.
pub fn words(subject: Subject<'_>, fact: &Fact) -> String {
    let (spds, notation, symbol) = (subject.spds, subject.notation, fact.target.symbol);
    let Known::Reached { constants, formula } = &fact.known else { return "never reached".into() };
    match (formula, omitted(formula)) {
        (Described::As(formula), _) if formula.is_true() => "any values".into(),
        (Described::As(formula), _) => clip(&written(spds, notation, symbol, formula), usize::MAX),
        (_, None) => "reached".into(),
        (_, Some(why)) if constants.is_empty() => format!("… ({why})"),
        (_, Some(why)) => {
            let known = written(spds, notation, symbol, &Formula::of_constants(constants));
            format!("{} & … ({why})", clip(&known, usize::MAX))
        }
    }
}

/// Writes facts as one JSON object, a statement to a line.
///
/// # Errors
/// If writing fails.
pub fn json(
    out: &mut dyn Write,
    subject: Subject<'_>,
    header: Header<'_>,
    met: Option<&Met>,
    facts: &Result<Vec<Fact>, Stop>,
) -> io::Result<()> {
    super::json::begin(out, header)?;
    write_met(out, met)?;
    let list = if subject.listing == Listing::Values { "facts" } else { "dead_code" };
    write!(out, ",\n \"{list}\": ")?;
    match facts {
        Err(_) => write!(out, "null")?,
        Ok(facts) => {
            write!(out, "[")?;
            for (index, fact) in subject.listed(facts).enumerate() {
                write!(out, "{}", if index == 0 { "" } else { ",\n  " })?;
                value(out, &Item { subject, fact })?;
            }
            write!(out, "]")?;
        }
    }
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": ")?;
        value(out, &seconds)?;
    }
    writeln!(out, "}}")
}

/// A fact as an object.
struct Item<'a> {
    subject: Subject<'a>,
    fact: &'a Fact,
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Subject { spds, notation, listing, .. } = self.subject;
        let id = self.fact.target.symbol;
        let symbol = spds.symbol(id);
        let mut map = serializer.serialize_map(None)?;
        let file = symbol.place.and_then(|place| spds.files.get(place.file as usize));
        map.serialize_entry("file", &file.map(|file| &**file))?;
        map.serialize_entry("line", &symbol.place.map(|place| place.line))?;
        map.serialize_entry("procedure", &symbol.frame.map(|frame| &*spds.frame(frame).name))?;
        map.serialize_entry("labels", &Labels(&symbol.labels))?;
        map.serialize_entry("symbol", &*symbol.name)?;
        if listing == Listing::Values {
            let (formula, constants) = match &self.fact.known {
                Known::Never => (None, &[][..]),
                Known::Reached { constants, formula } => (Some(formula), &constants[..]),
            };
            map.serialize_entry("reached", &formula.is_some())?;
            let text = match formula {
                Some(Described::As(formula)) => Some(written(spds, notation, id, formula)),
                _ => None,
            };
            map.serialize_entry("formula", &text)?;
            if let Some(why) = formula.and_then(omitted) {
                map.serialize_entry("formula_omitted", &why)?;
            }
            map.serialize_entry("constants", &Constants { spds, symbol: id, constants })?;
        }
        map.end()
    }
}

struct Constants<'a> {
    spds: &'a Spds,
    symbol: SymbolId,
    constants: &'a [(Cell, u64)],
}

impl Serialize for Constants<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.constants.len()))?;
        for (cell, value) in self.constants {
            // As in traces: without quotes.
            let name = name(self.spds, Notation::Program, self.symbol, cell);
            match cell.scalar {
                Scalar::Bool => map.serialize_entry(&name, &(*value == 1))?,
                Scalar::Unsigned(_) => map.serialize_entry(&name, value)?,
            }
        }
        map.end()
    }
}
