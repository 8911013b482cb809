//! What a certificate lacks, in the system's own terms.

use std::collections::BTreeSet;
use std::fmt;

use spds_format::Spds;
use spds_format::model::{ControlId, FrameId, Head, Var};

use super::columns::Columns;
use super::sets::Family;
use crate::bdd::{At, Bit, Column, Relation, Space};
use crate::certificate::Tag;
use crate::limits::Stop;

/// Where something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this head.
    At(Head),
    /// At this entry, of a call that has just been made.
    Entered(Head),
    /// After a return in this control location.
    Returned(ControlId),
    /// Nothing is missing: there should be nothing at this head, and there is.
    Target(Head),
    /// Nothing is missing: runs may come back to these values at this cut.
    Again(Head),
    /// A cut is missing: control can go round through this head and through no cut.
    Uncut(Head),
}

/// What is missing in which set: values over Now, and over Entry.
pub struct Missing<'a> {
    /// In which sets.
    pub(super) family: Family,
    /// Where.
    pub(super) place: Place,
    /// Which values.
    pub(super) values: &'a Relation,
}

/// Variables with their values, as text.
pub type Valued = Vec<(String, String)>;

/// One thing that a certificate lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where.
    pub place: Place,
    /// The values there.
    pub values: Valued,
    /// In which sets; the first of them where control alone is said.
    pub family: Family,
    /// The values at the entry of the call, if it is one, or at the cut.
    pub entry: Valued,
    /// The rule that leads there, by its number, and from where; else it is the start, or what lies below it.
    pub by: Option<(usize, Head)>,
    /// With which values it does so, if that is known.
    pub before: Option<Valued>,
    /// All that in words.
    text: String,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What a rule was applied to.
pub(super) struct Before<'a> {
    pub head: Head,
    pub set: &'a Relation,
    pub relation: &'a Relation,
    pub written: &'a BTreeSet<u32>,
}

/// What bits are.
type Bits<'b> = dyn Fn(u32) -> bool + 'b;

/// Values that were picked.
pub(super) struct Picked<'b> {
    /// Those that are missing.
    pub now: &'b Bits<'b>,
    /// Those at the entry.
    pub entry: &'b Bits<'b>,
    /// Those to which a rule was applied, if they are known.
    pub before: Option<&'b Bits<'b>>,
}

/// The frames of the values that are missing, and of those at the entry, if there are any.
fn frames(spds: &Spds, family: Family, place: Place) -> (Option<FrameId>, Option<Option<FrameId>>) {
    let frame_of = |head: Head| spds.symbol(head.symbol).frame;
    let now = match place {
        Place::At(head) | Place::Entered(head) | Place::Target(head) | Place::Again(head) | Place::Uncut(head) => {
            frame_of(head)
        }
        Place::Returned(_) => None,
    };
    let entry = match family {
        Family::Part(Tag::Entry(head)) if !matches!(place, Place::Entered(_)) => Some(frame_of(head)),
        Family::Round(cut) if !matches!(place, Place::Again(_) | Place::Uncut(_)) => Some(frame_of(cut)),
        _ => None,
    };
    (now, entry)
}

/// What is missing, in words.
pub(super) fn told(
    spds: &Spds,
    columns: &Columns,
    (family, place): (Family, Place),
    by: Option<(usize, Head)>,
    picked: &Picked<'_>,
) -> Gap {
    let names = Names { spds, columns };
    let (now, entry) = frames(spds, family, place);
    let mut gap = Gap {
        place,
        values: names.values(now, picked.now),
        family,
        entry: entry.map_or(Vec::new(), |frame| names.values(frame, picked.entry)),
        by,
        before: by.zip(picked.before).map(|((_, head), before)| names.values(spds.symbol(head.symbol).frame, before)),
        text: String::new(),
    };
    gap.text = names.told(&gap);
    gap
}

/// What is missing whatever the values, in words.
pub(super) fn of_control(spds: &Spds, columns: &Columns, place: Place, by: Option<(usize, Head)>) -> Gap {
    let family = Family::Part(Tag::Start(0));
    let (values, entry) = (Vec::new(), Vec::new());
    let mut gap = Gap { place, values, family, entry, by, before: None, text: String::new() };
    gap.text = Names { spds, columns }.told(&gap);
    gap
}

/// The least of what is missing.
pub(super) fn gap(
    spds: &Spds,
    columns: &Columns,
    space: &Space,
    missing: &Missing<'_>,
    by: Option<(usize, Head)>,
    before: Option<Before<'_>>,
) -> Result<Gap, Stop> {
    let (now, entry) = frames(spds, missing.family, missing.place);
    let width = |frame: Option<FrameId>| 0..columns.width(frame);
    let over = entry.into_iter().flat_map(|frame| width(frame).map(|bit| (Bit(bit), At::Entry)));
    let over: Vec<Column> = over.chain(width(now).map(|bit| (Bit(bit), At::Now))).collect();
    let picked = space.least(&[missing.values], [], &over)?.unwrap_or_default();
    let value = |bit: u32, at: At| picked.iter().any(|&(column, value)| column == (Bit(bit), at) && value);
    let found = match before {
        Some(before) => {
            // Entry values are those of the tag; what is written is after the step, all else was there before.
            let mut fixed: Vec<(Column, bool)> =
                picked.iter().copied().filter(|((_, at), _)| *at == At::Entry).collect();
            let after = picked.iter().filter(|((_, at), _)| *at == At::Now);
            fixed.extend(after.map(|&((bit, _), value)| {
                let at = if before.written.contains(&bit.0) { At::Next } else { At::Now };
                ((bit, at), value)
            }));
            let frame = spds.symbol(before.head.symbol).frame;
            let over: Vec<Column> = width(frame).map(|bit| (Bit(bit), At::Now)).collect();
            space.least(&[before.set, before.relation], fixed.iter().copied(), &over)?
        }
        None => None,
    };
    let was = |bit: u32| found.iter().flatten().any(|&((at, _), value)| at.0 == bit && value);
    let picked = Picked {
        now: &|bit| value(bit, At::Now),
        entry: &|bit| value(bit, At::Entry),
        before: if found.is_some() { Some(&was) } else { None },
    };
    Ok(told(spds, columns, (missing.family, missing.place), by, &picked))
}

struct Names<'a> {
    spds: &'a Spds,
    columns: &'a Columns,
}

impl Names<'_> {
    /// The variables in scope with their values.
    fn values(&self, frame: Option<FrameId>, bit: &Bits<'_>) -> Valued {
        let locals = frame.map_or(0, |frame| self.spds.frame(frame).variables.len() as u32);
        let all = (0..self.spds.globals.len() as u32).map(Var::Global).chain((0..locals).map(Var::Local));
        let mut values = Vec::new();
        for var in all {
            let field = self.columns.field(var, frame);
            let cells = (0..field.ty.cells()).map(|cell| {
                let digits = field.cell(cell).rev();
                digits.fold(0u64, |number, digit| number << 1 | u64::from(bit(digit))).to_string()
            });
            let cells: Vec<String> = cells.collect();
            let text = if field.ty.range.is_some() { format!("[{}]", cells.join(", ")) } else { cells.concat() };
            values.push((self.spds.display_name(frame, var).into_owned(), text));
        }
        values
    }

    fn told(&self, gap: &Gap) -> String {
        let mut text = match gap.place {
            Place::At(head) => format!("not covered: {}", self.at(head, &gap.values)),
            Place::Entered(head) => format!("not covered: a call is entered {}", self.at(head, &gap.values)),
            Place::Returned(control) => {
                let control = &self.spds.controls[control.0 as usize];
                format!("not covered: a return in `{control}`{}", with(&gap.values))
            }
            Place::Target(head) => format!("not excluded: {}", self.at(head, &gap.values)),
            Place::Again(head) => {
                format!("not excluded: a run that comes back to where it was, {}", self.at(head, &gap.values))
            }
            Place::Uncut(head) => {
                format!("not excluded: control goes round {}, and through no cut", self.at(head, &Vec::new()))
            }
        };
        match (gap.family, gap.place) {
            (_, Place::Again(_) | Place::Uncut(_)) => return text,
            (_, Place::Entered(_)) => {}
            (Family::Part(Tag::Start(0)), _) => {}
            (Family::Part(Tag::Start(depth)), _) => text += &format!("\n  {depth} below the start"),
            (Family::Part(Tag::Entry(head)), _) => {
                text += &format!("\n  in a call entered {}", self.at(head, &gap.entry))
            }
            (Family::Round(cut), _) => text += &format!("\n  of a run that was {}", self.at(cut, &gap.entry)),
        }
        if let Some((rule, head)) = gap.by {
            let from = match &gap.before {
                Some(values) => self.at(head, values),
                None => self.at(head, &Vec::new()),
            };
            text += &format!("\n  to which leads, {from},\n  {}", self.spds.display_rule(&self.spds.rules[rule]));
        } else if !matches!(gap.place, Place::Target(_)) {
            text += "\n  where runs start, or what started goes on";
        }
        text
    }

    /// A head with values.
    fn at(&self, head: Head, values: &Valued) -> String {
        let symbol = self.spds.symbol(head.symbol);
        let place = symbol.place.map(|place| format!("line {}, ", place.line)).unwrap_or_default();
        let control = match self.spds.controls.len() {
            1 => String::new(),
            _ => format!("{}, ", self.spds.controls[head.control.0 as usize]),
        };
        format!("at {place}<{control}{}>{}", symbol.name, with(values))
    }
}

fn with(values: &Valued) -> String {
    let all: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if all.is_empty() { String::new() } else { format!(" with {}", all.join(", ")) }
}
