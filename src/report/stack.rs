//! How high stacks get, as text and as JSON.

use std::io::{self, Write};

use num_bigint::BigUint;
use serde::Serialize;
use serde::ser::{Error, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::replay::Replayed;
use crate::run::Input;
use crate::source::clip;
use crate::stack::{Height, Judged, Kept, Link, Range, Section, Spot, Verdict, Why, Witness};

use super::json::{Header, begin, value};

/// Writes what is known of each entry.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, heights: &[Height]) -> io::Result<()> {
    for (index, height) in heights.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}: {}", shown(&height.entry), sentence(height))?;
        if let Some(expression) = &height.expression {
            let bytes = expression.bytes.as_ref().map_or_else(String::new, |bytes| format!(", {bytes} bytes"));
            writeln!(out, "  in terms of the arguments: {} frames{bytes}", expression.frames)?;
        }
        if let Some(witness) = &height.witness {
            witness_text(out, witness)?;
        }
        height.assumed.iter().try_for_each(|assumed| writeln!(out, "  assumed: {assumed}"))?;
        height.explanation.iter().try_for_each(|sentence| writeln!(out, "  because: {}", shown(sentence)))?;
    }
    Ok(())
}

/// What is known of an entry, in a line.
pub fn sentence(height: &Height) -> String {
    let mut told = match &height.verdict {
        Verdict::Bounded => "bounded, ".to_owned() + &amount(&height.frames, "frame"),
        Verdict::Unbounded => "unbounded".to_owned(),
        Verdict::Unknown(Why { sentence, .. }) => format!("unknown ({sentence})"),
    };
    if let (Some(bytes), Verdict::Bounded) = (&height.bytes, &height.verdict) {
        told = told + ", " + &amount(bytes, "byte");
    }
    match (&height.limit, height.kept()) {
        (None, _) => {}
        (Some(limit), Kept::Within) => told += &format!("; within the limit of {limit}"),
        (Some(limit), Kept::Beyond) => told += &format!("; beyond the limit of {limit}"),
        (Some(limit), Kept::Unknown) => told += &format!("; whether that is within the limit of {limit} is not known"),
    }
    told
}

/// A number of things, or between what it lies.
fn amount(range: &Range, what: &str) -> String {
    let one = BigUint::from(1u8);
    let plural = |number: &BigUint| format!("{number} {what}{}", if *number == one { "" } else { "s" });
    match &range.most {
        Some(most) if range.is_exact() => plural(most),
        Some(most) => format!("at most {}", plural(most)),
        None => format!("at least {}", plural(&range.least)),
    }
}

fn witness_text(out: &mut dyn Write, witness: &Witness) -> io::Result<()> {
    for section in &witness.chain {
        section_text(out, section)?;
    }
    if !witness.pump.is_empty() {
        writeln!(out, "  and then for ever:")?;
        witness.pump.iter().try_for_each(|section| section_text(out, section))?;
    }
    for same in witness.inputs.chunk_by(|one, next| one == next) {
        let Input { from, variable, file, line, column, value } = &same[0];
        let times = if same.len() == 1 { String::new() } else { format!("  × {}", same.len()) };
        let at = format!("{}:{line}:{column}", shown(file));
        let what = from.as_deref().or(variable.as_deref());
        let what = what.unwrap_or("an argument, or what is read before it is written");
        writeln!(out, "  input {value}: {what}, {at}{times}")?;
    }
    replayed(witness).map_or(Ok(()), |how| writeln!(out, "  {how}"))
}

/// What the judge has walked of it.
pub(super) fn replayed(witness: &Witness) -> Option<String> {
    let leaps = |replayed: &Replayed| match replayed {
        Replayed::Full => "",
        Replayed::ExceptLeaps => ", but for leaps through loops that take too long",
    };
    Some(match &witness.judged {
        Judged::No => return None,
        Judged::Run(how) if witness.pump.is_empty() => {
            format!("a run to the top of this stack was replayed{}", leaps(how))
        }
        Judged::Run(how) => format!("a run that goes round once was replayed{}", leaps(how)),
        Judged::Partly(frames, how) => {
            let plural = if *frames == BigUint::from(1u8) { "" } else { "s" };
            format!("a run was replayed that is {frames} frame{plural} deep{}", leaps(how))
        }
    })
}

fn section_text(out: &mut dyn Write, section: &Section) -> io::Result<()> {
    match &section.links[..] {
        [link] => writeln!(out, "  {}{}", link_text(link), frames(section)),
        links => {
            let order = if section.in_order { "in this order, again and again" } else { "in some order" };
            let times = section.frames.as_ref().map_or_else(|| "many".to_owned(), BigUint::to_string);
            writeln!(out, "  {times} frames, {order}:")?;
            links.iter().try_for_each(|link| writeln!(out, "    {}", link_text(link)))
        }
    }
}

/// How many frames follow one another, if not one.
pub fn frames(section: &Section) -> String {
    match &section.frames {
        Some(frames) if *frames == BigUint::from(1u8) => String::new(),
        Some(frames) => format!("  × {frames}"),
        None => "  × many".to_owned(),
    }
}

fn link_text(link: &Link) -> String {
    let mut text = shown(&link.procedure);
    if !link.values.is_empty() {
        text += &format!("  [{}]", valued(&link.values));
    }
    if let Some(spot) = &link.call {
        text += &format!("  called at {}", called_at(spot));
    }
    if let Some(bytes) = &link.bytes {
        text += &format!("  ({bytes} bytes)");
    }
    text
}

/// Values of variables, on a line.
pub(super) fn valued(values: &[(String, String)]) -> String {
    let values: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    shown(&values.join(" "))
}

/// A place, as editors understand it.
pub(super) fn called_at(spot: &Spot) -> String {
    format!("{}:{}:{}", shown(&spot.file), spot.line, spot.column)
}

fn shown(text: &str) -> String {
    clip(text, usize::MAX)
}

/// Writes one JSON object, an entry to a line.
///
/// # Errors
/// If writing fails.
pub fn json(out: &mut dyn Write, header: Header<'_>, heights: &[Height]) -> io::Result<()> {
    begin(out, header)?;
    write!(out, ",\n \"stack\": [")?;
    for (index, height) in heights.iter().enumerate() {
        write!(out, "{}", if index == 0 { "" } else { ",\n           " })?;
        value(out, &Item(height))?;
    }
    write!(out, "]")?;
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": {seconds}")?;
    }
    writeln!(out, "}}")
}

/// A number of any size.
struct Number<'a>(&'a BigUint);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

struct Item<'a>(&'a Height);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let height = self.0;
        let why = match &height.verdict {
            Verdict::Unknown(why) => Some(why),
            Verdict::Bounded | Verdict::Unbounded => None,
        };
        let bytes = height.bytes.as_ref();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("entry", &height.entry)?;
        map.serialize_entry("verdict", height.verdict.name())?;
        map.serialize_entry("frames", &height.frames.most.as_ref().map(Number))?;
        map.serialize_entry("bytes", &bytes.and_then(|bytes| bytes.most.as_ref()).map(Number))?;
        map.serialize_entry("expression", &height.expression.as_ref().map(|expression| &expression.frames))?;
        let bytes_said = height.expression.as_ref().and_then(|expression| expression.bytes.as_ref());
        map.serialize_entry("bytes_expression", &bytes_said)?;
        map.serialize_entry("exact", &height.frames.is_exact())?;
        map.serialize_entry("bytes_exact", &bytes.map(Range::is_exact))?;
        map.serialize_entry("limit", &height.limit.as_ref().map(Number))?;
        let within = match (&height.limit, height.kept()) {
            (None, _) | (_, Kept::Unknown) => None,
            (Some(_), kept) => Some(kept == Kept::Within),
        };
        map.serialize_entry("within", &within)?;
        map.serialize_entry("witness", &height.witness.as_ref().map(Shown))?;
        map.serialize_entry("assumed", &height.assumed)?;
        map.serialize_entry("explanation", &(!height.explanation.is_empty()).then_some(&height.explanation))?;
        map.serialize_entry("reason", &why.map(|why| &why.sentence))?;
        map.serialize_entry("reason_kind", &why.map(|why| why.kind))?;
        map.end()
    }
}

/// What is shown of a part of an answer.
struct Shown<T>(T);

impl Serialize for Shown<&Witness> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Witness { chain, pump, inputs, judged } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("chain", &chain.iter().map(Shown).collect::<Vec<_>>())?;
        let pump = (!pump.is_empty()).then(|| pump.iter().map(Shown).collect::<Vec<_>>());
        map.serialize_entry("pump", &pump)?;
        map.serialize_entry("inputs", &inputs.iter().map(Shown).collect::<Vec<_>>())?;
        let replayed = match judged {
            Judged::No => "no",
            Judged::Run(how) | Judged::Partly(_, how) => how.name(),
        };
        map.serialize_entry("replayed", replayed)?;
        let partly = if let Judged::Partly(frames, _) = judged { Some(Number(frames)) } else { None };
        map.serialize_entry("replayed_frames", &partly)?;
        map.end()
    }
}

impl Serialize for Shown<&Section> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Section { links, frames, in_order } = self.0;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("frames", &frames.as_ref().map(Number))?;
        map.serialize_entry("in_order", in_order)?;
        map.serialize_entry("links", &links.iter().map(Shown).collect::<Vec<_>>())?;
        map.end()
    }
}

impl Serialize for Shown<&Link> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Link { procedure, call, values, bytes } = self.0;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("procedure", procedure)?;
        map.serialize_entry("call", &call.as_ref().map(Shown))?;
        map.serialize_entry("values", &Values(values))?;
        map.serialize_entry("bytes", &bytes.as_ref().map(Number))?;
        map.end()
    }
}

struct Values<'a>(&'a [(String, String)]);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Shown<&Spot> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Spot { file, line, column } = self.0;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("file", file)?;
        map.serialize_entry("line", line)?;
        map.serialize_entry("column", column)?;
        map.end()
    }
}

impl Serialize for Shown<&Input> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Input { from, variable, file, line, value, .. } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("call", from)?;
        map.serialize_entry("file", file)?;
        map.serialize_entry("line", line)?;
        map.serialize_entry("value", value)?;
        if let Some(variable) = variable {
            map.serialize_entry("variable", variable)?;
        }
        map.end()
    }
}
